//===- ExecuteVector.cpp - Vector instructions ----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Finds the longest runs of lanes that are contiguous in every operand and
// hands them to the loops of Kernels.h. Blocks that lie apart and lanes that
// the mask switches off go through a buffer of one repeat.
//
//===----------------------------------------------------------------------===//

#include "AccessBuilder.h"
#include "Execute.h"

#include <cstring>

using namespace tilelang::sim;
using ascsim::Function;
using ascsim::Memory;
using ascsim::Opcode;
using ascsim::Register;

namespace {

/// One repeat of an operand as contiguous bytes.
struct RepeatBuffer {
  alignas(64) uint8_t bytes[1024];
};

/// An operand bound to memory.
struct BoundOperand {
  uint8_t *base = nullptr; // null: operand not used
  LaneOperand lanes;

  uint8_t *repeat(uint32_t iteration) const {
    return base + uint64_t(iteration) * lanes.repeatStride;
  }
  /// The bytes of one repeat, in place or gathered into `buffer`.
  uint8_t *read(uint32_t iteration, uint32_t lanesPerRepeat,
                RepeatBuffer &buffer) const {
    uint8_t *from = repeat(iteration);
    if (lanes.contiguousBlocks(lanesPerRepeat))
      return from;
    uint32_t bytes = lanes.repeatBytes(lanesPerRepeat);
    for (uint32_t block = 0; block * 32 < bytes; ++block)
      std::memcpy(buffer.bytes + block * 32,
                  from + uint64_t(block) * lanes.blockStride,
                  std::min(32u, bytes - block * 32));
    return buffer.bytes;
  }
};

} // namespace

/// Writes back the lanes of a computed repeat that are on.
static void scatterRepeat(const BoundOperand &dst, const ResolvedVector &vector,
                          uint32_t iteration, const uint8_t *from) {
  uint8_t *to = dst.repeat(iteration);
  uint32_t size = std::max(1u, dst.lanes.elementBits / 8);
  uint32_t perBlock = 32 / size;
  for (uint32_t lane = 0; lane < vector.lanes; ++lane)
    if (vector.laneOn(iteration, lane))
      std::memcpy(to + uint64_t(lane / perBlock) * dst.lanes.blockStride +
                      lane % perBlock * size,
                  from + lane * size, size);
}

/// Elementwise instructions: everything whose result has a lane per lane.
static void executeElementwise(const QueuedInstruction &queued,
                               CoreMemories &memories,
                               const ResolvedVector &vector) {
  const ascsim::Instruction &record = queued.record;
  bool scalarSource =
      record.opcode == Opcode::Select && record.src1.memory == Memory::None;
  KernelKey key{record.opcode,   record.function,  record.round,
                record.dst.type, record.src0.type, saturates(queued),
                scalarSource};
  VectorKernel kernel = kernels().vector(key);
  if (!kernel)
    return; // an illegal combination of types: checkLegality reports it
  bool saturateAfter =
      key.saturate && record.dst.type == ascsim::DataType::F16 &&
      record.opcode != Opcode::Cast && record.opcode != Opcode::Duplicate &&
      record.opcode != Opcode::Select && record.function != Function::Copy;

  BoundOperand dst{memories.at(record.dst), vector.dst}, src0, src1;
  bool readsSrc0 =
      record.opcode != Opcode::Duplicate && record.opcode != Opcode::VecIndex;
  bool readsSrc1 =
      record.opcode == Opcode::Binary ||
      (record.opcode == Opcode::Ternary && record.function != Function::Axpy) ||
      (record.opcode == Opcode::Select && !scalarSource);
  if (readsSrc0)
    src0 = {memories.at(record.src0), vector.src0};
  if (readsSrc1)
    src1 = {memories.at(record.src1), vector.src1};

  KernelArguments arguments{};
  arguments.scalar = record.scalar;
  if (record.opcode == Opcode::Cast)
    arguments.deqScale = halfToFloat(
        static_cast<uint16_t>(readRegister(queued, Register::DeqScale)));
  if (record.opcode == Opcode::Select)
    arguments.src2 = memories.at(record.src2);
  auto run = [&](uint8_t *to, const uint8_t *from0, const uint8_t *from1,
                 uint64_t count) {
    arguments.dst = to;
    arguments.src0 = from0;
    arguments.src1 = from1;
    arguments.count = count;
    kernel(arguments);
    if (saturateAfter)
      kernels().saturateHalves(to, count);
  };

  // Mode 0 of Select uses the bits of one repeat again and again.
  bool sameBits = record.opcode == Opcode::Select && record.selectMode == 0;
  bool dependsOnRepeat = sameBits && vector.repeats > 1;
  if (vector.fullMask && !dependsOnRepeat &&
      dst.lanes.contiguous(vector.lanes) &&
      (!readsSrc0 || src0.lanes.contiguous(vector.lanes)) &&
      (!readsSrc1 || src1.lanes.contiguous(vector.lanes)))
    return run(dst.base, src0.base, src1.base, vector.totalLanes());

  RepeatBuffer buffer0, buffer1, result;
  for (uint32_t i = 0; i < vector.repeats; ++i) {
    const uint8_t *from0 =
        readsSrc0 ? src0.read(i, vector.lanes, buffer0) : nullptr;
    const uint8_t *from1 =
        readsSrc1 ? src1.read(i, vector.lanes, buffer1) : nullptr;
    arguments.bitOffset = sameBits ? 0 : uint64_t(i) * vector.lanes;
    int prefix = vector.prefixLanes(i);
    if (prefix >= 0 && dst.lanes.contiguousBlocks(vector.lanes)) {
      run(dst.repeat(i), from0, from1, uint32_t(prefix));
      continue;
    }
    if (record.opcode == Opcode::VecIndex)
      return; // has no repeat form
    uint8_t *to = result.bytes;
    if (record.opcode == Opcode::Ternary || dst.lanes.elementBits < 8)
      to = dst.read(i, vector.lanes, result);
    if (to != result.bytes) { // the old values, kept apart from the destination
      std::memcpy(result.bytes, to, dst.lanes.repeatBytes(vector.lanes));
      to = result.bytes;
    }
    run(to, from0, from1, vector.lanes);
    scatterRepeat(dst, vector, i, to);
  }
}

static void executeCompare(const QueuedInstruction &queued,
                           CoreMemories &memories, ResolvedVector vector) {
  const ascsim::Instruction &record = queued.record;
  KernelKey key{
      record.opcode,    record.function, record.round, record.dst.type,
      record.src0.type, false,           false};
  VectorKernel kernel = kernels().vector(key);
  if (!kernel)
    return;
  if (vector.counterMode && vector.lastLanes != vector.lanes) {
    --vector.repeats; // the chip ignores an incomplete repeat
    vector.lastLanes = vector.lanes;
  }
  bool tensor = record.opcode == Opcode::Compare;
  BoundOperand src0{memories.at(record.src0), vector.src0}, src1;
  if (tensor)
    src1 = {memories.at(record.src1), vector.src1};
  uint8_t *dst = memories.at(record.dst);
  KernelArguments arguments{};
  arguments.scalar = record.scalar;
  arguments.count = vector.lanes;
  RepeatBuffer buffer0, buffer1;
  for (uint32_t i = 0; i < vector.repeats; ++i) {
    arguments.dst = dst + uint64_t(i) * vector.lanes / 8;
    arguments.src0 = src0.read(i, vector.lanes, buffer0);
    arguments.src1 = tensor ? src1.read(i, vector.lanes, buffer1) : nullptr;
    kernel(arguments);
  }
}

static void executeReduce(const QueuedInstruction &queued,
                          CoreMemories &memories,
                          const ResolvedVector &vector) {
  const ascsim::Instruction &record = queued.record;
  ReduceKernel kernel = kernels().reduce(record.function, record.src0.type);
  if (!kernel)
    return;
  uint32_t size = ascsim::sizeOf(record.dst.type);
  ReduceOutput output = reduceOutput(record, vector);
  BoundOperand src{memories.at(record.src0), vector.src0};
  uint8_t *dst = memories.at(record.dst);
  bool extreme = record.function == Function::WholeMax ||
                 record.function == Function::WholeMin;
  bool blocks = record.function == Function::BlockSum ||
                record.function == Function::BlockMax ||
                record.function == Function::BlockMin;
  bool saturate = saturates(queued) && record.dst.type == ascsim::DataType::F16;

  uint8_t on[128];
  alignas(64) uint8_t values[256];
  RepeatBuffer buffer;
  for (uint32_t i = 0; i < vector.repeats; ++i) {
    bool all = vector.counterMode
                   ? i + 1 < vector.repeats || vector.lastLanes == vector.lanes
                   : vector.fullMask;
    bool any = all;
    if (!all)
      for (uint32_t lane = 0; lane < vector.lanes; ++lane)
        any |= (on[lane] = vector.laneOn(i, lane));
    if (!any)
      continue;
    ReduceArguments arguments{src.read(i, vector.lanes, buffer),
                              all ? nullptr : on, vector.lanes, values, 0};
    kernel(arguments);
    uint8_t *to = dst + uint64_t(i) * output.pitch;
    if (extreme) {
      // The index is stored in the bits of the element type.
      uint8_t index[4];
      std::memcpy(index, &arguments.index, 4);
      switch (record.selectMode) {
      case 0:
        std::memcpy(to, values, size);
        std::memcpy(to + size, index, size);
        break;
      case 1:
        std::memcpy(to, index, size);
        std::memcpy(to + size, values, size);
        break;
      case 2:
        std::memcpy(to, values, size);
        break;
      default:
        std::memcpy(to, index, 4);
        break;
      }
      continue;
    }
    if (saturate)
      kernels().saturateHalves(values, output.bytes / size);
    if (blocks && !all) {
      // A block without a lane that is on is not written.
      uint32_t perBlock = 32 / size;
      for (uint32_t block = 0; block < 8; ++block) {
        bool used = false;
        for (uint32_t lane = 0; lane < perBlock; ++lane)
          used |= on[block * perBlock + lane];
        if (used)
          std::memcpy(to + block * size, values + block * size, size);
      }
      continue;
    }
    std::memcpy(to, values, output.bytes);
  }
}

template <typename Element>
static void broadcastBlocks(const ascsim::Instruction &record,
                            CoreMemories &memories) {
  constexpr uint32_t perBlock = 32 / sizeof(Element);
  const uint8_t *src = memories.at(record.src0);
  uint8_t *dst = memories.at(record.dst);
  for (uint32_t i = 0; i < record.vector.repeat; ++i)
    for (uint32_t block = 0; block < 8; ++block) {
      Element value, filled[perBlock];
      std::memcpy(&value, src + (i * 8 + block) * sizeof(Element),
                  sizeof(Element));
      std::fill(filled, filled + perBlock, value);
      std::memcpy(dst + uint64_t(i) * record.vector.dst.repeat * 32 +
                      uint64_t(block) * record.vector.dst.block * 32,
                  filled, 32);
    }
}

template <typename Element>
static void gather(const QueuedInstruction &queued, CoreMemories &memories,
                   const ResolvedVector &vector) {
  const ascsim::Instruction &record = queued.record;
  const uint8_t *offsets = memories.at(record.src1);
  const uint8_t *ub = memories.bytes[size_t(Memory::UB)].data();
  uint64_t base = record.src0.address + uint32_t(record.scalar);
  uint8_t *dst = memories.at(record.dst);
  for (uint32_t i = 0; i < vector.repeats; ++i)
    for (uint32_t lane = 0; lane < vector.lanes; ++lane) {
      if (!vector.laneOn(i, lane))
        continue;
      uint32_t offset;
      std::memcpy(&offset, offsets + (uint64_t(i) * vector.lanes + lane) * 4,
                  4);
      std::memcpy(dst + uint64_t(i) * vector.dst.repeatStride +
                      lane * sizeof(Element),
                  ub + base + offset, sizeof(Element));
    }
}

void tilelang::sim::executeVector(const QueuedInstruction &queued,
                                  CoreMemories &memories) {
  const ascsim::Instruction &record = queued.record;
  uint32_t size = ascsim::sizeOf(record.dst.type);
  if (record.opcode == Opcode::Broadcast) {
    if (size == 2)
      broadcastBlocks<uint16_t>(record, memories);
    else if (size == 4)
      broadcastBlocks<uint32_t>(record, memories);
    return;
  }
  ResolvedVector vector = resolveVector(queued);
  if (vector.repeats == 0)
    return;
  switch (record.opcode) {
  case Opcode::Compare:
  case Opcode::CompareScalar:
    return executeCompare(queued, memories, vector);
  case Opcode::Reduce:
    return executeReduce(queued, memories, vector);
  case Opcode::Gather:
    if (size == 2)
      gather<uint16_t>(queued, memories, vector);
    else if (size == 4)
      gather<uint32_t>(queued, memories, vector);
    return;
  default:
    return executeElementwise(queued, memories, vector);
  }
}
