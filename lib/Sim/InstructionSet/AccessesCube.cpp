//===- AccessesCube.cpp - Byte ranges of Cube core instructions -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "AccessBuilder.h"

using namespace tilelang::sim;
using ascsim::Memory;
using ascsim::Opcode;
using ascsim::Register;

static void nd2nzAccesses(const ascsim::Instruction &record,
                          AccessBuilder &builder) {
  const ascsim::Nd2NzShape &s = record.nd2nz;
  uint32_t size = ascsim::sizeOf(record.dst.type);
  uint32_t groups = ceilDiv(s.dValue * size, 32);
  for (uint32_t matrix = 0; matrix < s.ndNum; ++matrix) {
    builder.add(Memory::GM, AccessKind::Read,
                record.src0.address +
                    uint64_t(matrix) * s.srcNdMatrixStride * size,
                s.dValue * size, s.nValue, int64_t(s.srcDValue) * size, 0);
    uint64_t to =
        record.dst.address + uint64_t(matrix) * s.dstNzMatrixStride * size;
    if (s.dstNzNStride == 1)
      builder.add(record.dst.memory, AccessKind::Write, to, s.nValue * 32,
                  groups, int64_t(s.dstNzC0Stride) * 32, 3);
    else
      for (uint32_t group = 0; group < groups; ++group)
        builder.add(record.dst.memory, AccessKind::Write,
                    to + uint64_t(group) * s.dstNzC0Stride * 32, 32, s.nValue,
                    int64_t(s.dstNzNStride) * 32, 3);
  }
}

static void load2DAccesses(const ascsim::Instruction &record,
                           AccessBuilder &builder) {
  const ascsim::Load2DShape &s = record.load2d;
  uint32_t fractals = record.opcode == Opcode::LoadDataTranspose
                          ? squareFractals(record.dst.type)
                          : 1;
  uint32_t srcUnit = fractals * kFractalBytes;
  builder.add(record.src0.memory, AccessKind::Read,
              record.src0.address + uint64_t(s.startIndex) * srcUnit, srcUnit,
              s.repeatTimes, int64_t(s.srcStride) * srcUnit, 0);
  if (fractals == 1) {
    builder.add(record.dst.memory, AccessKind::Write, record.dst.address,
                kFractalBytes, s.repeatTimes,
                int64_t(s.dstGap + 1) * kFractalBytes, 3);
    return;
  }
  for (uint32_t part = 0; part < fractals; ++part)
    builder.add(record.dst.memory, AccessKind::Write,
                record.dst.address +
                    uint64_t(part) * (s.dstFracGap + 1) * kFractalBytes,
                kFractalBytes, s.repeatTimes,
                int64_t(s.dstGap + 1) * kFractalBytes, 3);
}

static void load3DAccesses(const ascsim::Instruction &record,
                           AccessBuilder &builder) {
  const ascsim::Load3DShape &s = record.load3d;
  Load3DLayout layout = load3DLayout(record);
  if (layout.rows == 0 || layout.columns == 0)
    return;
  uint64_t mapBytes = uint64_t(s.l1H) * s.l1W * 32; // one group of C0 channels
  if (layout.plainMatrix) {
    uint32_t first = s.columnStart / layout.rowElements;
    uint32_t last = (s.columnStart + layout.columns - 1) / layout.rowElements;
    uint32_t height = uint32_t(s.l1H) * s.l1W;
    uint32_t rows =
        s.rowStart >= height ? 0 : std::min(layout.rows, height - s.rowStart);
    builder.add(record.src0.memory, AccessKind::Read,
                record.src0.address + first * mapBytes +
                    uint64_t(s.rowStart) * 32,
                rows * 32, last - first + 1, int64_t(mapBytes), 0);
  } else {
    uint32_t groups = ceilDiv(s.channelSize, layout.rowElements);
    builder.add(record.src0.memory, AccessKind::Read, record.src0.address,
                uint32_t(mapBytes), groups, int64_t(mapBytes), 0);
  }
  builder.add(record.dst.memory, AccessKind::Write, record.dst.address,
              layout.fractalsOuter * layout.fractalsInner * kFractalBytes, 1, 0,
              3);
}

/// Rows of 32 bytes in fractals, the last column of fractals and the last row
/// of fractals partly used: exact, in a handful of entries.
static void mmadAccesses(const ascsim::Instruction &record,
                         AccessBuilder &builder) {
  MmadLayout l = mmadLayout(record);
  if (l.m == 0 || l.n == 0 || l.k == 0)
    return;
  uint32_t elementBits = bitsOf(record.src0.type);
  uint32_t fullK = l.k / l.rowElements, restK = l.k % l.rowElements;
  uint32_t restBytes = ceilDiv(restK * elementBits, 8);
  auto read = [&](const ascsim::Operand &operand, uint64_t offset,
                  uint32_t bytes, uint32_t blocks, int64_t pitch,
                  uint8_t index) {
    builder.add(operand.memory, AccessKind::Read, operand.address + offset,
                bytes, blocks, pitch, index);
  };
  // A: rows of fractals, K inner.
  if (l.vectorA)
    read(record.src0, 0, ceilDiv(l.k * elementBits, 8), 1, 0, 0);
  else {
    uint64_t rowPitch = uint64_t(l.aFractalsK) * kFractalBytes;
    uint32_t fullM = l.m / 16, restM = l.m % 16;
    read(record.src0, 0, fullK * kFractalBytes, fullM, int64_t(rowPitch), 0);
    if (restM)
      read(record.src0, fullM * rowPitch, restM * 32, fullK, kFractalBytes, 0);
    for (uint32_t m1 = 0; restK && m1 < l.fractalsM; ++m1)
      read(record.src0, m1 * rowPitch + uint64_t(fullK) * kFractalBytes,
           restBytes, std::min(16u, l.m - m1 * 16), 32, 0);
  }
  // B: rows of K, N inner; n rows of 32 bytes each.
  uint64_t bPitch = uint64_t(l.fractalsN) * kFractalBytes;
  read(record.src1, 0, l.n * 32, fullK, int64_t(bPitch), 1);
  if (restK)
    read(record.src1, fullK * bPitch, restBytes, l.n, 32, 1);
  // C: columns of fractals, M inner.
  bool fromBias = record.mmad.hasBias && record.src2.memory == Memory::BT;
  AccessKind kind = record.mmad.init || record.mmad.hasBias
                        ? AccessKind::Write
                        : AccessKind::ReadWrite;
  uint64_t cPitch = uint64_t(l.fractalsM) * 1024;
  uint32_t fullN = l.n / 16, restN = l.n % 16;
  builder.add(record.dst.memory, kind, record.dst.address, l.m * 64, fullN,
              int64_t(cPitch), 3);
  if (restN)
    builder.add(record.dst.memory, kind, record.dst.address + fullN * cPitch,
                restN * 4, l.m, 64, 3);
  if (fromBias || record.mmad.hasBias)
    read(record.src2, 0, l.n * 4, 1, 0, 2);
}

static void fixpipeAccesses(const QueuedInstruction &queued,
                            AccessBuilder &builder) {
  const ascsim::Instruction &record = queued.record;
  const ascsim::FixpipeShape &s = record.fixpipe;
  FixpipeLayout l = fixpipeLayout(record);
  if (l.m == 0 || l.n == 0)
    return;
  bool atomic = record.dst.memory == Memory::GM &&
                queued.registers[size_t(Register::AtomicMode)] != 0;
  AccessKind kind = atomic ? AccessKind::AtomicUpdate : AccessKind::Write;
  uint32_t fullN = l.n / 16, restN = l.n % 16;
  for (uint32_t matrix = 0; matrix < l.matrices; ++matrix) {
    uint64_t from = record.src0.address + matrix * l.srcMatrixPitch;
    builder.add(Memory::L0C, AccessKind::Read, from, l.m * 64, fullN,
                int64_t(l.srcGroupPitch), 0);
    if (restN)
      builder.add(Memory::L0C, AccessKind::Read, from + fullN * l.srcGroupPitch,
                  restN * 4, l.m, 64, 0);
    if (s.toRowMajor)
      builder.add(record.dst.memory, kind,
                  record.dst.address +
                      uint64_t(matrix) * s.dstNdStride * l.dstSize,
                  l.n * l.dstSize, l.m, int64_t(s.dstStride) * l.dstSize, 3);
    else {
      uint32_t rowBytes = l.dstRowElements * l.dstSize;
      builder.add(record.dst.memory, kind, record.dst.address, l.m * rowBytes,
                  ceilDiv(l.n, l.dstRowElements), int64_t(s.dstStride) * 32, 3);
    }
  }
  bool table = s.quant == ascsim::QuantMode::VDEQF16 ||
               s.quant == ascsim::QuantMode::VQF322B8_PRE ||
               s.quant == ascsim::QuantMode::VREQ8;
  if (table && record.src1.memory == Memory::L1)
    builder.add(Memory::L1, AccessKind::Read, record.src1.address, l.n * 8, 1,
                0, 1);
}

void tilelang::sim::cubeAccesses(const QueuedInstruction &queued,
                                 AccessBuilder &builder) {
  const ascsim::Instruction &record = queued.record;
  switch (record.opcode) {
  case Opcode::CopyNd2Nz:
    return nd2nzAccesses(record, builder);
  case Opcode::LoadData2D:
  case Opcode::LoadDataTranspose:
    return load2DAccesses(record, builder);
  case Opcode::LoadData3D:
    return load3DAccesses(record, builder);
  case Opcode::Mmad:
    return mmadAccesses(record, builder);
  case Opcode::Fixpipe:
    return fixpipeAccesses(queued, builder);
  default:
    return;
  }
}
