//===- Names.cpp - Instructions by their public names ---------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/InstructionSet.h"

using ascsim::Function;
using ascsim::Opcode;

static const char *functionName(Function function) {
  switch (function) {
  case Function::None:
    return "?";
  case Function::Exp:
    return "Exp";
  case Function::Ln:
    return "Ln";
  case Function::Sqrt:
    return "Sqrt";
  case Function::Rsqrt:
    return "Rsqrt";
  case Function::Reciprocal:
    return "Reciprocal";
  case Function::Abs:
    return "Abs";
  case Function::Relu:
    return "Relu";
  case Function::Not:
    return "Not";
  case Function::Copy:
    return "Copy";
  case Function::Add:
    return "Add";
  case Function::Sub:
    return "Sub";
  case Function::Mul:
    return "Mul";
  case Function::Div:
    return "Div";
  case Function::Max:
    return "Max";
  case Function::Min:
    return "Min";
  case Function::And:
    return "And";
  case Function::Or:
    return "Or";
  case Function::ShiftLeft:
    return "ShiftLeft";
  case Function::ShiftRight:
    return "ShiftRight";
  case Function::LeakyRelu:
    return "LeakyRelu";
  case Function::Axpy:
    return "Axpy";
  case Function::MulAddDst:
    return "MulAddDst";
  case Function::FusedMulAdd:
    return "FusedMulAdd";
  case Function::LT:
    return "LT";
  case Function::GT:
    return "GT";
  case Function::EQ:
    return "EQ";
  case Function::LE:
    return "LE";
  case Function::GE:
    return "GE";
  case Function::NE:
    return "NE";
  case Function::WholeSum:
    return "WholeReduceSum";
  case Function::WholeMax:
    return "WholeReduceMax";
  case Function::WholeMin:
    return "WholeReduceMin";
  case Function::BlockSum:
    return "BlockReduceSum";
  case Function::BlockMax:
    return "BlockReduceMax";
  case Function::BlockMin:
    return "BlockReduceMin";
  case Function::PairSum:
    return "PairReduceSum";
  }
  return "?";
}

static const char *scalarName(Function function) {
  switch (function) {
  case Function::Add:
    return "Adds";
  case Function::Mul:
    return "Muls";
  case Function::Max:
    return "Maxs";
  case Function::Min:
    return "Mins";
  default:
    return functionName(function);
  }
}

const char *tilelang::sim::instructionName(const ascsim::Instruction &record) {
  switch (record.opcode) {
  case Opcode::SetFlag:
    return "SetFlag";
  case Opcode::WaitFlag:
    return "WaitFlag";
  case Opcode::PipeBarrier:
    return "PipeBarrier";
  case Opcode::CrossCoreSet:
    return "CrossCoreSetFlag";
  case Opcode::CrossCoreWait:
    return "CrossCoreWaitFlag";
  case Opcode::CopyGmToLocal:
  case Opcode::CopyLocalToGm:
    return record.copy.byteGranular ? "DataCopyPad" : "DataCopy";
  case Opcode::CopyNd2Nz:
    return "DataCopy (ND to NZ)";
  case Opcode::CopyLocal:
    return "DataCopy";
  case Opcode::LoadData2D:
    return "LoadData (2D)";
  case Opcode::LoadData3D:
    return "LoadData (3D)";
  case Opcode::LoadDataTranspose:
    return "LoadDataWithTranspose";
  case Opcode::FillLocal:
    return "Fill";
  case Opcode::Fixpipe:
    return "Fixpipe";
  case Opcode::Mmad:
    return "Mmad";
  case Opcode::Unary:
  case Opcode::Binary:
  case Opcode::Ternary:
  case Opcode::Reduce:
    return functionName(record.function);
  case Opcode::Scalar:
    return scalarName(record.function);
  case Opcode::Cast:
    return "Cast";
  case Opcode::Duplicate:
    return "Duplicate";
  case Opcode::Compare:
    return "Compare";
  case Opcode::CompareScalar:
    return "Compares";
  case Opcode::Select:
    return "Select";
  case Opcode::Broadcast:
    return "Brcb";
  case Opcode::Gather:
    return "Gather";
  case Opcode::VecIndex:
    return "CreateVecIndex";
  case Opcode::NumOpcodes:
    break;
  }
  return "?";
}
