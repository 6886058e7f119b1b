//===- VectorLayout.cpp - Which bytes the lanes of a vector op touch ------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorLayout.h"

#include <algorithm>

using namespace tilelang::sim;
using ascsim::DataType;
using ascsim::Opcode;
using ascsim::Register;

/// Bits of the element type that fills 256 bytes in one repeat.
static uint32_t widestBits(const ascsim::Instruction &record) {
  switch (record.opcode) {
  case Opcode::Cast:
    return std::max(bitsOf(record.dst.type), bitsOf(record.src0.type));
  case Opcode::Compare:
  case Opcode::CompareScalar:
  case Opcode::Reduce:
    return bitsOf(record.src0.type);
  default:
    return bitsOf(record.dst.type);
  }
}

static LaneOperand laneOperand(DataType type, ascsim::VectorStride stride) {
  return {bitsOf(type), stride.block * 32u, stride.repeat * 32u};
}

static int prefixOf(const uint64_t mask[2]) {
  uint64_t low = mask[0], high = mask[1];
  if (high == 0) {
    if ((low & (low + 1)) != 0)
      return -1;
    return low == ~uint64_t(0) ? 64 : __builtin_ctzll(~low);
  }
  if (low != ~uint64_t(0) || (high & (high + 1)) != 0)
    return -1;
  return high == ~uint64_t(0) ? 128 : 64 + __builtin_ctzll(~high);
}

int ResolvedVector::prefixLanes(uint32_t iteration) const {
  if (counterMode)
    return static_cast<int>(iteration + 1 < repeats ? lanes : lastLanes);
  return prefixOf(mask);
}

ResolvedVector tilelang::sim::resolveVector(const QueuedInstruction &queued) {
  const ascsim::Instruction &record = queued.record;
  const ascsim::VectorShape &shape = record.vector;
  ResolvedVector result;
  uint32_t widest = std::max(8u, widestBits(record));
  result.lanes = 2048 / widest;
  result.dst = laneOperand(record.dst.type, shape.dst);
  result.src0 = laneOperand(record.src0.type, shape.src0);
  result.src1 = laneOperand(record.src1.type, shape.src1);

  auto reg = [&](Register which) {
    return queued.registers[static_cast<size_t>(which)];
  };
  bool registerCounter = !shape.counterMode && reg(Register::MaskMode) != 0;
  if (shape.counterMode || registerCounter) {
    uint64_t count = shape.counterMode || !shape.maskFromRegister
                         ? shape.count
                         : (reg(Register::MaskLow) & 0xFFFFFFFFu);
    result.counterMode = true;
    result.repeats =
        static_cast<uint32_t>((count + result.lanes - 1) / result.lanes);
    result.lastLanes =
        result.repeats == 0
            ? 0
            : static_cast<uint32_t>(count - uint64_t(result.repeats - 1) *
                                                result.lanes);
    result.fullMask = true;
  } else {
    result.mask[0] =
        shape.maskFromRegister ? reg(Register::MaskLow) : shape.mask[0];
    result.mask[1] =
        shape.maskFromRegister ? reg(Register::MaskHigh) : shape.mask[1];
    result.repeats = shape.repeat;
    // Comparisons ignore the mask in their repeat form.
    if (record.opcode == Opcode::Compare ||
        record.opcode == Opcode::CompareScalar)
      result.mask[0] = result.mask[1] = ~uint64_t(0);
    if (result.lanes < 128)
      result.mask[1] = 0;
    if (result.lanes < 64)
      result.mask[0] &= (uint64_t(1) << result.lanes) - 1;
    result.fullMask =
        prefixOf(result.mask) >= static_cast<int>(std::min(result.lanes, 128u));
    result.lastLanes = result.lanes;
  }
  // 8-bit and 4-bit types never fill a repeat on their own (Cast counts in the
  // wider type), so lanes above 128 do not occur for legal instructions.
  result.lanes = std::min(result.lanes, 128u);
  result.lastLanes = std::min(result.lastLanes, result.lanes);
  return result;
}

void tilelang::sim::applyIssueEffects(const ascsim::Instruction &record,
                                      Registers &registers) {
  if (!isVectorOpcode(record.opcode))
    return;
  auto set = [&](Register which, uint64_t value) {
    registers[static_cast<size_t>(which)] = value;
  };
  if (record.vector.counterMode || record.opcode == Opcode::Broadcast ||
      record.opcode == Opcode::Gather) {
    set(Register::MaskMode, 0);
    set(Register::MaskLow, ~uint64_t(0));
    set(Register::MaskHigh, ~uint64_t(0));
    return;
  }
  if (record.vector.maskFromRegister)
    return;
  bool counter = registers[static_cast<size_t>(Register::MaskMode)] != 0;
  set(Register::MaskLow, counter ? record.vector.count : record.vector.mask[0]);
  set(Register::MaskHigh, counter ? 0 : record.vector.mask[1]);
}
