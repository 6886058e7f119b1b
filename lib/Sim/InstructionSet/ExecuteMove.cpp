//===- ExecuteMove.cpp - Copies and loads ---------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Execute.h"

#include <cstring>

using namespace tilelang::sim;
using ascsim::Opcode;
using ascsim::Register;

static void fillPattern(uint8_t *to, uint64_t bytes, uint64_t pattern,
                        uint32_t size) {
  for (uint64_t at = 0; at + size <= bytes; at += size)
    std::memcpy(to + at, &pattern, size);
}

static void copyGmToLocal(const QueuedInstruction &queued,
                          CoreMemories &memories) {
  const ascsim::Instruction &record = queued.record;
  const ascsim::CopyShape &shape = record.copy;
  if (shape.blockBytes == 0)
    return;
  uint32_t size = std::max(1u, ascsim::sizeOf(record.dst.type));
  uint32_t left = shape.leftPadding * size;
  uint32_t filled = shape.byteGranular
                        ? paddedBlockBytes(shape, record.dst.type)
                        : shape.blockBytes;
  bool noPadding = shape.leftPadding == 0 && shape.rightPadding == 0;
  for (uint32_t block = 0; block < shape.blockCount; ++block) {
    const uint8_t *from =
        memories.at(record.src0, int64_t(block) * shape.gmPitch);
    uint8_t *to = memories.at(record.dst, int64_t(block) * shape.localPitch);
    if (left + shape.blockBytes < filled || left) {
      // What fills up to 32 bytes: the given value, the first element of the
      // block, or (padding without a value) what SetPadValue left.
      uint64_t value = shape.padValue;
      if (!shape.isPad) {
        value = readRegister(queued, Register::PadValue);
        if (noPadding)
          std::memcpy(&value, from, size);
      }
      if (left)
        fillPattern(to, left, value, size);
      uint32_t end = left + shape.blockBytes;
      uint32_t tail = alignTo(end, size); // a block may end inside an element
      if (tail < filled)
        fillPattern(to + tail, filled - tail, value, size);
    }
    std::memcpy(to + left, from, shape.blockBytes);
  }
}

static void copyLocalToGm(const QueuedInstruction &queued,
                          CoreMemories &memories) {
  const ascsim::Instruction &record = queued.record;
  const ascsim::CopyShape &shape = record.copy;
  for (uint32_t block = 0; block < shape.blockCount; ++block)
    storeToGlobal(queued,
                  memories.at(record.dst, int64_t(block) * shape.gmPitch),
                  memories.at(record.src0, int64_t(block) * shape.localPitch),
                  shape.blockBytes);
}

static void copyLocal(const ascsim::Instruction &record,
                      CoreMemories &memories) {
  const ascsim::CopyShape &shape = record.copy;
  for (uint32_t block = 0; block < shape.blockCount; ++block)
    std::memmove(memories.at(record.dst, int64_t(block) * shape.localPitch),
                 memories.at(record.src0, int64_t(block) * shape.gmPitch),
                 shape.blockBytes);
}

static void copyNd2Nz(const ascsim::Instruction &record,
                      CoreMemories &memories) {
  const ascsim::Nd2NzShape &s = record.nd2nz;
  uint32_t size = ascsim::sizeOf(record.dst.type);
  uint32_t rowBytes = s.dValue * size;
  uint32_t fullGroups = rowBytes / 32, rest = rowBytes % 32;
  for (uint32_t matrix = 0; matrix < s.ndNum; ++matrix) {
    const uint8_t *from =
        memories.at(record.src0, int64_t(matrix) * s.srcNdMatrixStride * size);
    uint8_t *to =
        memories.at(record.dst, int64_t(matrix) * s.dstNzMatrixStride * size);
    uint64_t groupPitch = uint64_t(s.dstNzC0Stride) * 32;
    for (uint32_t row = 0; row < s.nValue; ++row) {
      const uint8_t *source = from + uint64_t(row) * s.srcDValue * size;
      uint8_t *target = to + uint64_t(row) * s.dstNzNStride * 32;
      for (uint32_t group = 0; group < fullGroups; ++group)
        std::memcpy(target + group * groupPitch, source + group * 32, 32);
      if (rest) { // the last column group is filled up with zeros
        uint8_t *last = target + fullGroups * groupPitch;
        std::memcpy(last, source + fullGroups * 32, rest);
        std::memset(last + rest, 0, 32 - rest);
      }
    }
  }
}

/// Transposes a square of `extent` elements; rows are `pitch` elements apart.
template <typename Element>
static void transposeSquare(const uint8_t *source, uint8_t *target,
                            uint32_t extent) {
  const auto *from = reinterpret_cast<const Element *>(source);
  auto *to = reinterpret_cast<Element *>(target);
  for (uint32_t row = 0; row < extent; ++row)
    for (uint32_t column = 0; column < extent; ++column)
      to[column * extent + row] = from[row * extent + column];
}

static void loadData2D(const ascsim::Instruction &record,
                       CoreMemories &memories) {
  const ascsim::Load2DShape &s = record.load2d;
  for (uint32_t i = 0; i < s.repeatTimes; ++i) {
    const uint8_t *from = memories.at(
        record.src0,
        (int64_t(s.startIndex) + int64_t(i) * s.srcStride) * kFractalBytes);
    uint8_t *to =
        memories.at(record.dst, int64_t(i) * (s.dstGap + 1) * kFractalBytes);
    if (s.transpose)
      transposeSquare<uint16_t>(from, to, 16);
    else
      std::memcpy(to, from, kFractalBytes);
  }
}

/// Squares of two fractals: 32 x 32 of 8 bits (below each other) or 16 x 16 of
/// 32 bits (beside each other).
static void loadDataTranspose(const ascsim::Instruction &record,
                              CoreMemories &memories) {
  const ascsim::Load2DShape &s = record.load2d;
  uint32_t bits = bitsOf(record.dst.type);
  uint32_t fractals = squareFractals(record.dst.type);
  uint32_t squareBytes = fractals * kFractalBytes;
  for (uint32_t i = 0; i < s.repeatTimes; ++i) {
    const uint8_t *from = memories.at(
        record.src0,
        (int64_t(s.startIndex) + int64_t(i) * s.srcStride) * squareBytes);
    alignas(64) uint8_t result[2048];
    if (bits == 16)
      transposeSquare<uint16_t>(from, result, 16);
    else if (bits == 8)
      transposeSquare<uint8_t>(from, result, 32);
    else if (bits == 32) {
      // Element (row, column) lies in fractal column / 8; so does the result's.
      for (uint32_t row = 0; row < 16; ++row)
        for (uint32_t column = 0; column < 16; ++column)
          std::memcpy(
              result + row / 8 * kFractalBytes + (column * 8 + row % 8) * 4,
              from + column / 8 * kFractalBytes + (row * 8 + column % 8) * 4,
              4);
    } else { // 64 x 64 of 4 bits
      std::memset(result, 0, sizeof(result));
      for (uint32_t row = 0; row < 64; ++row)
        for (uint32_t column = 0; column < 64; ++column) {
          uint32_t nibble =
              from[row * 32 + column / 2] >> (column % 2 * 4) & 15;
          result[column * 32 + row / 2] |= uint8_t(nibble << (row % 2 * 4));
        }
    }
    for (uint32_t part = 0; part < fractals; ++part)
      std::memcpy(memories.at(record.dst, (int64_t(i) * (s.dstGap + 1) +
                                           int64_t(part) * (s.dstFracGap + 1)) *
                                              kFractalBytes),
                  result + part * kFractalBytes, kFractalBytes);
  }
}

namespace {
/// Image to column: element (row, column) of the (Ho*Wo) x (C*Kh*Kw) matrix.
struct ImageToColumn {
  const ascsim::Instruction &record;
  const uint8_t *map;
  uint32_t size;
  Load3DLayout layout;

  /// The C0 contiguous channels of `row`, from the column group that starts at
  /// `column`; null where padding supplies them.
  const uint8_t *channels(uint32_t row, uint32_t column) const {
    const ascsim::Load3DShape &s = record.load3d;
    uint32_t group = column / layout.rowElements;
    if (layout.plainMatrix) {
      if (row >= uint32_t(s.l1H) * s.l1W)
        return nullptr;
      return map + (uint64_t(group) * s.l1H * s.l1W + row) * 32;
    }
    // Columns run over channel groups, then filter rows, then filter columns.
    uint32_t filter = layout.filterWidth * layout.filterHeight;
    uint32_t channelGroup = group / filter, position = group % filter;
    uint32_t filterRow = position / layout.filterWidth,
             filterColumn = position % layout.filterWidth;
    if (layout.outputWidth == 0 ||
        row >= layout.outputWidth * layout.outputHeight)
      return nullptr;
    uint32_t outputRow = row / layout.outputWidth,
             outputColumn = row % layout.outputWidth;
    int64_t y = int64_t(outputRow) * s.strideH - s.pad[2] +
                int64_t(filterRow) * s.dilationH;
    int64_t x = int64_t(outputColumn) * s.strideW - s.pad[0] +
                int64_t(filterColumn) * s.dilationW;
    if (y < 0 || x < 0 || y >= int64_t(s.l1H) || x >= int64_t(s.l1W) ||
        channelGroup >= ceilDiv(s.channelSize, layout.rowElements))
      return nullptr;
    return map + ((uint64_t(channelGroup) * s.l1H + uint64_t(y)) * s.l1W +
                  uint64_t(x)) *
                     32;
  }
};
} // namespace

/// One row of C0 channels into its place in the destination.
template <typename Element>
static void placeRow(const Load3DLayout &layout, bool toB, uint8_t *dst,
                     uint32_t row, uint32_t column, const Element *values) {
  uint32_t c0 = layout.rowElements;
  if (!layout.transposed) {
    uint64_t fractal = uint64_t(row / 16) * layout.fractalsInner + column / c0;
    std::memcpy(dst + fractal * kFractalBytes + row % 16 * 32, values, 32);
    return;
  }
  // Element (row, column) becomes row `column`, position `row` of the result.
  auto *to = reinterpret_cast<Element *>(dst);
  for (uint32_t i = 0; i < c0; ++i) {
    uint32_t outRow = column + i;
    uint64_t fractal =
        toB ? uint64_t(row / c0) * layout.fractalsInner + outRow / 16
            : uint64_t(outRow / 16) * layout.fractalsInner + row / c0;
    to[fractal * (kFractalBytes / sizeof(Element)) + outRow % 16 * c0 +
       row % c0] = values[i];
  }
}

template <typename Element>
static void loadData3D(const ascsim::Instruction &record,
                       CoreMemories &memories) {
  const ascsim::Load3DShape &s = record.load3d;
  Load3DLayout layout = load3DLayout(record);
  if (layout.rows == 0 || layout.columns == 0)
    return;
  ImageToColumn image{record, memories.at(record.src0), sizeof(Element),
                      layout};
  bool toB = record.dst.memory == ascsim::Memory::L0B;
  uint8_t *dst = memories.at(record.dst);
  uint32_t c0 = layout.rowElements;
  Element padding[64];
  Element value;
  std::memcpy(&value, &record.scalar, sizeof(Element));
  std::fill(padding, padding + 64, value);
  bool fastSquares = layout.plainMatrix && layout.transposed &&
                     sizeof(Element) == 2 && layout.rows % 16 == 0 &&
                     layout.columns % 16 == 0 && s.columnStart % 16 == 0 &&
                     s.rowStart + layout.rows <= uint32_t(s.l1H) * s.l1W;
  if (fastSquares) { // both sides are squares of 16
    for (uint32_t row = 0; row < layout.rows; row += 16)
      for (uint32_t column = 0; column < layout.columns; column += 16) {
        uint64_t fractal =
            toB ? uint64_t(row / 16) * layout.fractalsInner + column / 16
                : uint64_t(column / 16) * layout.fractalsInner + row / 16;
        transposeSquare<uint16_t>(
            image.channels(s.rowStart + row, s.columnStart + column),
            dst + fractal * kFractalBytes, 16);
      }
    return;
  }
  if (layout.plainMatrix && !layout.transposed && layout.columns % c0 == 0 &&
      s.rowStart + layout.rows <= uint32_t(s.l1H) * s.l1W &&
      layout.rows % 16 == 0) {
    // The 16 rows of a fractal lie together on both sides.
    for (uint32_t column = 0; column < layout.columns; column += c0)
      for (uint32_t row = 0; row < layout.rows; row += 16)
        std::memcpy(
            dst + (uint64_t(row / 16) * layout.fractalsInner + column / c0) *
                      kFractalBytes,
            image.channels(s.rowStart + row, s.columnStart + column),
            kFractalBytes);
    return;
  }
  // Whole fractals are written; what lies outside the matrix is zero.
  std::memset(dst, 0,
              uint64_t(layout.fractalsOuter) * layout.fractalsInner *
                  kFractalBytes);
  for (uint32_t column = 0; column < layout.columns; column += c0)
    for (uint32_t row = 0; row < layout.rows; ++row) {
      const uint8_t *from =
          image.channels(s.rowStart + row, s.columnStart + column);
      if (!from && layout.plainMatrix)
        continue;
      Element values[64];
      std::memcpy(values,
                  from ? from : reinterpret_cast<const uint8_t *>(padding), 32);
      placeRow(layout, toB, dst, row, column, values);
    }
}

void tilelang::sim::executeMove(const QueuedInstruction &queued,
                                CoreMemories &memories) {
  const ascsim::Instruction &record = queued.record;
  switch (record.opcode) {
  case Opcode::CopyGmToLocal:
    return copyGmToLocal(queued, memories);
  case Opcode::CopyLocalToGm:
    return copyLocalToGm(queued, memories);
  case Opcode::CopyLocal:
    return copyLocal(record, memories);
  case Opcode::CopyNd2Nz:
    return copyNd2Nz(record, memories);
  case Opcode::LoadData2D:
    return loadData2D(record, memories);
  case Opcode::LoadDataTranspose:
    return loadDataTranspose(record, memories);
  case Opcode::LoadData3D:
    switch (ascsim::sizeOf(record.dst.type)) {
    case 1:
      return loadData3D<uint8_t>(record, memories);
    case 2:
      return loadData3D<uint16_t>(record, memories);
    default:
      return loadData3D<uint32_t>(record, memories);
    }
  default: { // FillLocal
    const ascsim::CopyShape &shape = record.copy;
    uint32_t size = ascsim::sizeOf(record.dst.type);
    for (uint32_t block = 0; block < shape.blockCount; ++block)
      fillPattern(memories.at(record.dst, int64_t(block) * shape.localPitch),
                  shape.blockBytes, record.scalar, size);
    return;
  }
  }
}
