//===- EngineTestKernel.cpp - A kernel as a shared object -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Loaded by EngineImageTest.cpp, which expects the lines marked below.
//
//===----------------------------------------------------------------------===//

#include "TestApi/copy.h"

using namespace ascsim;

static Operand global(const void *pointer) {
  return {reinterpret_cast<u64>(pointer), Memory::GM, DataType::F32};
}

/// y = x where `chosen` is 7, with the scalars passed in their own types.
extern "C" __attribute__((visibility("default"))) void
testCopy(const float *x, float *y, unsigned char chosen, float scale,
         double offset, long count, int flagged) {
  ascsim_init_soc_state();
  if (chosen != 7 || scale != 1.5f || offset != -2.25 || flagged < -1)
    ascsim_fault("a scalar arrived with another value");
  u32 bytes = static_cast<u32>(count) * 4;
  Operand ub{0, Memory::UB, DataType::F32};
  copy(Opcode::CopyGmToLocal, Pipe::MTE2, ub, global(x), bytes); // line: in
  if (flagged) {
    const Opcode both[] = {Opcode::SetFlag, Opcode::WaitFlag};
    for (Opcode opcode : both) {
      Instruction record(opcode,
                         opcode == Opcode::SetFlag ? Pipe::MTE2 : Pipe::MTE3);
      record.flag = {Pipe::MTE2, Pipe::MTE3, 0, 0};
      ascsim_issue(&record);
    }
  }
  copy(Opcode::CopyLocalToGm, Pipe::MTE3, global(y), ub, bytes); // line: out
  Instruction barrier(Opcode::PipeBarrier, Pipe::All);
  ascsim_issue(&barrier);
  ascsim_print("copied\n");
}
