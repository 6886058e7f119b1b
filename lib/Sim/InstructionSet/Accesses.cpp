//===- Accesses.cpp - Byte ranges that instructions touch -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Vector instructions and plain copies; AccessesCube.cpp has the Cube core.
// Runs that touch are merged: a contiguous operand is one entry.
//
//===----------------------------------------------------------------------===//

#include "AccessBuilder.h"

using namespace tilelang::sim;
using ascsim::Memory;
using ascsim::Opcode;
using ascsim::Operand;
using ascsim::Register;

/// Lanes with holes or strided blocks: one entry per run inside a repeat.
static void addRuns(AccessBuilder &builder, const Operand &operand,
                    const LaneOperand &lanes, const ResolvedVector &vector,
                    AccessKind kind, uint8_t index) {
  uint32_t perBlock = 256 / lanes.elementBits;
  uint32_t full = vector.counterMode ? vector.repeats - 1 : vector.repeats;
  // Runs of one iteration; `count` iterations share them.
  auto emit = [&](uint32_t iteration, uint32_t count) {
    if (count == 0)
      return;
    uint64_t base = operand.address + uint64_t(iteration) * lanes.repeatStride;
    for (uint32_t lane = 0; lane < vector.lanes;) {
      if (!vector.laneOn(iteration, lane)) {
        ++lane;
        continue;
      }
      uint32_t begin = lane;
      bool joins = lanes.blockStride == 32;
      do
        ++lane;
      while (lane < vector.lanes && vector.laneOn(iteration, lane) &&
             (joins || lane % perBlock != 0));
      uint64_t start = base + uint64_t(begin / perBlock) * lanes.blockStride +
                       begin % perBlock * lanes.elementBits / 8;
      builder.add(
          operand.memory, kind, start, (lane - begin) * lanes.elementBits / 8,
          lanes.repeatStride == 0 ? 1 : count, lanes.repeatStride, index);
      // With block stride 0 every block is the first one.
      if (lanes.blockStride == 0 && begin == 0 && lane == perBlock)
        break;
    }
  };
  // Whole blocks of few iterations: blocks of one iteration as one entry.
  uint32_t blocks = lanes.repeatBytes(vector.lanes) / 32;
  if (vector.fullMask && lanes.blockStride > 32 && full > 0 &&
      (full < blocks || lanes.repeatStride == blocks * lanes.blockStride)) {
    if (lanes.repeatStride == blocks * lanes.blockStride)
      builder.add(operand.memory, kind, operand.address, 32, blocks * full,
                  lanes.blockStride, index);
    else
      for (uint32_t i = 0; i < full; ++i)
        builder.add(operand.memory, kind,
                    operand.address + uint64_t(i) * lanes.repeatStride, 32,
                    blocks, lanes.blockStride, index);
  } else
    emit(0, full);
  if (vector.counterMode)
    emit(full, 1);
}

void tilelang::sim::addLanes(AccessBuilder &builder, const Operand &operand,
                             const LaneOperand &lanes,
                             const ResolvedVector &vector, AccessKind kind,
                             uint8_t index) {
  if (vector.repeats == 0)
    return;
  if (vector.fullMask && lanes.contiguous(vector.lanes)) {
    builder.add(operand.memory, kind, operand.address,
                uint32_t(uint64_t(vector.totalLanes()) * lanes.elementBits / 8),
                1, 0, index);
    return;
  }
  int prefix = vector.prefixLanes(0);
  if (!lanes.contiguousBlocks(vector.lanes) || prefix < 0)
    return addRuns(builder, operand, lanes, vector, kind, index);
  uint32_t full = vector.counterMode ? vector.repeats - 1 : vector.repeats;
  if (full)
    builder.add(operand.memory, kind, operand.address,
                uint32_t(vector.counterMode ? vector.lanes : prefix) *
                    lanes.elementBits / 8,
                lanes.repeatStride == 0 ? 1 : full, lanes.repeatStride, index);
  if (vector.counterMode)
    builder.add(operand.memory, kind,
                operand.address + uint64_t(full) * lanes.repeatStride,
                vector.lastLanes * lanes.elementBits / 8, 1, 0, index);
}

static void vectorAccesses(const QueuedInstruction &queued,
                           AccessBuilder &builder,
                           const CoreMemories *memories) {
  const ascsim::Instruction &record = queued.record;
  if (record.opcode == Opcode::Broadcast) {
    uint32_t size = ascsim::sizeOf(record.dst.type),
             repeat = record.vector.repeat;
    builder.add(Memory::UB, AccessKind::Read, record.src0.address,
                repeat * 8 * size, 1, 0, 0);
    ResolvedVector blocks;
    blocks.lanes = 256 / size;
    blocks.repeats = repeat;
    blocks.fullMask = true;
    blocks.mask[0] = blocks.mask[1] = ~uint64_t(0);
    blocks.lastLanes = blocks.lanes;
    LaneOperand lanes{size * 8, record.vector.dst.block * 32u,
                      record.vector.dst.repeat * 32u};
    return addLanes(builder, record.dst, lanes, blocks, AccessKind::Write, 3);
  }

  ResolvedVector vector = resolveVector(queued);
  if (vector.repeats == 0)
    return;
  switch (record.opcode) {
  case Opcode::Unary:
  case Opcode::Scalar:
  case Opcode::Cast:
    addLanes(builder, record.src0, vector.src0, vector, AccessKind::Read, 0);
    addLanes(builder, record.dst, vector.dst, vector, AccessKind::Write, 3);
    return;
  case Opcode::Binary:
    addLanes(builder, record.src0, vector.src0, vector, AccessKind::Read, 0);
    addLanes(builder, record.src1, vector.src1, vector, AccessKind::Read, 1);
    addLanes(builder, record.dst, vector.dst, vector, AccessKind::Write, 3);
    return;
  case Opcode::Ternary:
    addLanes(builder, record.src0, vector.src0, vector, AccessKind::Read, 0);
    if (record.function != ascsim::Function::Axpy)
      addLanes(builder, record.src1, vector.src1, vector, AccessKind::Read, 1);
    addLanes(builder, record.dst, vector.dst, vector, AccessKind::ReadWrite, 3);
    return;
  case Opcode::Duplicate:
  case Opcode::VecIndex:
    addLanes(builder, record.dst, vector.dst, vector, AccessKind::Write, 3);
    return;
  case Opcode::Compare:
  case Opcode::CompareScalar: {
    // Whole repeats only: a tail of the count form is ignored by the chip.
    if (vector.counterMode && vector.lastLanes != vector.lanes) {
      --vector.repeats;
      vector.lastLanes = vector.lanes;
      if (vector.repeats == 0)
        return;
    }
    addLanes(builder, record.src0, vector.src0, vector, AccessKind::Read, 0);
    if (record.opcode == Opcode::Compare)
      addLanes(builder, record.src1, vector.src1, vector, AccessKind::Read, 1);
    builder.add(Memory::UB, AccessKind::Write, record.dst.address,
                vector.repeats * vector.lanes / 8, 1, 0, 3);
    return;
  }
  case Opcode::Select: {
    addLanes(builder, record.src0, vector.src0, vector, AccessKind::Read, 0);
    if (record.src1.memory != Memory::None)
      addLanes(builder, record.src1, vector.src1, vector, AccessKind::Read, 1);
    uint32_t bits = record.selectMode == 0
                        ? std::min(vector.lanes, vector.totalLanes())
                        : vector.totalLanes();
    builder.add(record.src2.memory, AccessKind::Read, record.src2.address,
                ceilDiv(bits, 8), 1, 0, 2);
    addLanes(builder, record.dst, vector.dst, vector, AccessKind::Write, 3);
    return;
  }
  case Opcode::Reduce: {
    addLanes(builder, record.src0, vector.src0, vector, AccessKind::Read, 0);
    ReduceOutput output = reduceOutput(record, vector);
    builder.add(Memory::UB, AccessKind::Write, record.dst.address, output.bytes,
                vector.repeats, output.pitch, 3);
    return;
  }
  case Opcode::Gather: {
    LaneOperand offsets{32, 32, vector.lanes * 4};
    addLanes(builder, record.src1, offsets, vector, AccessKind::Read, 1);
    addLanes(builder, record.dst, vector.dst, vector, AccessKind::Write, 3);
    if (!memories)
      return;
    GatherRange range = gatherRange(queued, vector, *memories);
    if (range.any)
      builder.add(Memory::UB, AccessKind::Read, range.begin,
                  uint32_t(range.end - range.begin), 1, 0, 0);
    return;
  }
  default:
    return;
  }
}

ReduceOutput tilelang::sim::reduceOutput(const ascsim::Instruction &record,
                                         const ResolvedVector &vector) {
  using ascsim::Function;
  uint32_t size = ascsim::sizeOf(record.dst.type);
  uint32_t stride = record.reduceDstStride;
  switch (record.function) {
  case Function::WholeMax:
  case Function::WholeMin:
    if (record.selectMode == 3) // only the index, as uint32
      return {4, stride * 4};
    if (record.selectMode == 2)
      return {size, stride * size};
    return {2 * size, stride * 2 * size};
  case Function::WholeSum:
    return {size, stride * size};
  case Function::PairSum:
    return {vector.lanes / 2 * size, stride * 128};
  default:
    return {8 * size, stride * 8 * size};
  }
}

GatherRange tilelang::sim::gatherRange(const QueuedInstruction &queued,
                                       const ResolvedVector &vector,
                                       const CoreMemories &memories) {
  const ascsim::Instruction &record = queued.record;
  GatherRange range;
  uint64_t ubSize = memories.bytes[size_t(Memory::UB)].size();
  uint64_t offsetsEnd =
      record.src1.address + uint64_t(vector.repeats) * vector.lanes * 4;
  if (vector.counterMode)
    offsetsEnd = record.src1.address + uint64_t(vector.totalLanes()) * 4;
  if (offsetsEnd > ubSize)
    return range;
  const uint8_t *offsets = memories.at(record.src1);
  uint64_t base = record.src0.address + uint32_t(record.scalar);
  uint32_t size = ascsim::sizeOf(record.dst.type);
  for (uint32_t i = 0; i < vector.repeats; ++i)
    for (uint32_t lane = 0; lane < vector.lanes; ++lane) {
      if (!vector.laneOn(i, lane))
        continue;
      uint32_t offset;
      __builtin_memcpy(&offset,
                       offsets + (uint64_t(i) * vector.lanes + lane) * 4, 4);
      uint64_t begin = base + offset;
      range.begin = range.any ? std::min(range.begin, begin) : begin;
      range.end = range.any ? std::max(range.end, begin + size) : begin + size;
      range.any = true;
    }
  return range;
}

static void copyAccesses(const QueuedInstruction &queued,
                         AccessBuilder &builder) {
  const ascsim::Instruction &record = queued.record;
  const ascsim::CopyShape &shape = record.copy;
  if (shape.blockCount == 0 || shape.blockBytes == 0)
    return;
  switch (record.opcode) {
  case Opcode::CopyGmToLocal: {
    uint32_t filled = shape.byteGranular
                          ? paddedBlockBytes(shape, record.dst.type)
                          : shape.blockBytes;
    builder.add(Memory::GM, AccessKind::Read, record.src0.address,
                shape.blockBytes, shape.blockCount, shape.gmPitch, 0);
    builder.add(record.dst.memory, AccessKind::Write, record.dst.address,
                filled, shape.blockCount, shape.localPitch, 3);
    return;
  }
  case Opcode::CopyLocalToGm: {
    bool atomic = queued.registers[size_t(Register::AtomicMode)] != 0;
    builder.add(record.src0.memory, AccessKind::Read, record.src0.address,
                shape.blockBytes, shape.blockCount, shape.localPitch, 0);
    builder.add(Memory::GM,
                atomic ? AccessKind::AtomicUpdate : AccessKind::Write,
                record.dst.address, shape.blockBytes, shape.blockCount,
                shape.gmPitch, 3);
    return;
  }
  case Opcode::CopyLocal:
    builder.add(record.src0.memory, AccessKind::Read, record.src0.address,
                shape.blockBytes, shape.blockCount, shape.gmPitch, 0);
    builder.add(record.dst.memory, AccessKind::Write, record.dst.address,
                shape.blockBytes, shape.blockCount, shape.localPitch, 3);
    return;
  default: // FillLocal
    builder.add(record.dst.memory, AccessKind::Write, record.dst.address,
                shape.blockBytes, shape.blockCount, shape.localPitch, 3);
    return;
  }
}

void tilelang::sim::collectAccesses(const QueuedInstruction &queued,
                                    AccessList &list,
                                    const CoreMemories *memories) {
  AccessBuilder builder(list);
  switch (queued.record.opcode) {
  case Opcode::CopyGmToLocal:
  case Opcode::CopyLocalToGm:
  case Opcode::CopyLocal:
  case Opcode::FillLocal:
    return copyAccesses(queued, builder);
  case Opcode::CopyNd2Nz:
  case Opcode::LoadData2D:
  case Opcode::LoadData3D:
  case Opcode::LoadDataTranspose:
  case Opcode::Fixpipe:
  case Opcode::Mmad:
    return cubeAccesses(queued, builder);
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
  case Opcode::PipeBarrier:
  case Opcode::CrossCoreSet:
  case Opcode::CrossCoreWait:
  case Opcode::NumOpcodes:
    return;
  default:
    return vectorAccesses(queued, builder, memories);
  }
}
