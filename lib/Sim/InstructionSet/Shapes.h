//===- Shapes.h - What the parameters of an instruction mean --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Layout arithmetic shared by execution, accesses, legality and cost, so that
// they cannot disagree.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_SIM_INSTRUCTIONSET_SHAPES_H
#define TILELANG_LIB_SIM_INSTRUCTIONSET_SHAPES_H

#include "VectorLayout.h"

#include <algorithm>

namespace tilelang::sim {

constexpr uint32_t kFractalBytes = 512;

inline uint32_t ceilDiv(uint32_t value, uint32_t divisor) {
  return (value + divisor - 1) / divisor;
}
inline uint32_t alignTo(uint32_t value, uint32_t unit) {
  return ceilDiv(value, unit) * unit;
}

/// Elements in one 32-byte row of a fractal.
inline uint32_t elementsPerRow(ascsim::DataType type) {
  return 256 / std::max(1u, bitsOf(type));
}

/// DataCopyPad load: bytes of one block in UB, padding and dummies included.
inline uint32_t paddedBlockBytes(const ascsim::CopyShape &shape,
                                 ascsim::DataType type) {
  uint32_t size = ascsim::sizeOf(type);
  return alignTo(
      (shape.leftPadding + shape.rightPadding) * size + shape.blockBytes, 32);
}

struct MmadLayout {
  uint32_t m, n, k;
  uint32_t rowElements; // C0
  uint32_t fractalsM, fractalsN, fractalsK;
  uint32_t aFractalsK; // as stored, with the alignment of K
  bool vectorA;        // m = 1
};
inline MmadLayout mmadLayout(const ascsim::Instruction &record) {
  const ascsim::MmadShape &shape = record.mmad;
  MmadLayout layout;
  layout.m = shape.m;
  layout.n = shape.n;
  layout.k = shape.k;
  layout.rowElements = elementsPerRow(record.src0.type);
  layout.fractalsM = ceilDiv(shape.m, 16);
  layout.fractalsN = ceilDiv(shape.n, 16);
  layout.fractalsK = ceilDiv(shape.k, layout.rowElements);
  layout.aFractalsK =
      shape.kDirectionAlign && record.src0.type == ascsim::DataType::F32
          ? ceilDiv(shape.k, 16) * 2
          : layout.fractalsK;
  layout.vectorA = shape.m == 1;
  return layout;
}

/// LoadData3D: the extracted part and how it lies in the destination.
struct Load3DLayout {
  uint32_t rowElements; // C0
  uint32_t outputHeight, outputWidth;
  uint32_t filterWidth, filterHeight;
  uint32_t rows, columns; // extents of the extracted matrix
  bool transposed;        // destination holds its transpose
  uint32_t fractalsOuter, fractalsInner;
  bool plainMatrix; // 1 x 1 filter, stride 1, no padding: a matrix product
};
inline Load3DLayout load3DLayout(const ascsim::Instruction &record) {
  const ascsim::Load3DShape &s = record.load3d;
  Load3DLayout layout;
  uint32_t c0 = elementsPerRow(record.dst.type);
  layout.rowElements = c0;
  layout.filterWidth = s.filterW + (s.filterSizeW ? 256u : 0u);
  layout.filterHeight = s.filterH + (s.filterSizeH ? 256u : 0u);
  auto output = [](int64_t extent, int64_t before, int64_t after,
                   int64_t filter, int64_t dilation,
                   int64_t stride) -> uint32_t {
    int64_t span = extent + before + after - (dilation * (filter - 1) + 1);
    return span < 0 || stride == 0 ? 0
                                   : static_cast<uint32_t>(span / stride + 1);
  };
  layout.outputWidth = output(s.l1W, s.pad[0], s.pad[1], layout.filterWidth,
                              s.dilationW, s.strideW);
  layout.outputHeight = output(s.l1H, s.pad[2], s.pad[3], layout.filterHeight,
                               s.dilationH, s.strideH);
  layout.rows = s.rows;
  layout.columns = s.columns;
  bool toB = record.dst.memory == ascsim::Memory::L0B;
  layout.transposed = toB || s.transpose;
  if (toB) { // Zn: k (rows) outer, n (columns) inner; each fractal 16 n x C0 k
    layout.fractalsOuter = ceilDiv(s.rows, c0);
    layout.fractalsInner = ceilDiv(s.columns, 16);
  } else if (layout.transposed) { // Zz of the transpose: m (columns) outer
    layout.fractalsOuter = ceilDiv(s.columns, 16);
    layout.fractalsInner =
        c0 == 8 ? ceilDiv(s.rows, 16) * 2 : ceilDiv(s.rows, c0);
  } else { // Zz
    layout.fractalsOuter = ceilDiv(s.rows, 16);
    layout.fractalsInner = ceilDiv(s.columns, c0);
  }
  layout.plainMatrix = layout.filterWidth == 1 && layout.filterHeight == 1 &&
                       s.strideW == 1 && s.strideH == 1 && s.pad[0] == 0 &&
                       s.pad[1] == 0 && s.pad[2] == 0 && s.pad[3] == 0;
  return layout;
}

/// Fixpipe: element type in L0C is 4 bytes; groups of 16 columns there.
struct FixpipeLayout {
  uint32_t m, n, groups, matrices;
  uint64_t srcGroupPitch;  // bytes between groups of 16 columns
  uint64_t srcMatrixPitch; // bytes
  uint32_t dstSize;        // bytes of one result
  uint32_t dstRowElements; // fractal output: elements of one row of a group
};
inline FixpipeLayout fixpipeLayout(const ascsim::Instruction &record) {
  const ascsim::FixpipeShape &s = record.fixpipe;
  FixpipeLayout layout;
  layout.m = s.mSize;
  layout.n = s.nSize;
  layout.groups = ceilDiv(s.nSize, 16);
  layout.matrices = s.toRowMajor ? s.ndNum : 1;
  layout.srcGroupPitch = uint64_t(s.srcStride) * 64;
  layout.srcMatrixPitch = uint64_t(s.srcNdStride) * 1024;
  layout.dstSize = ascsim::sizeOf(record.dst.type);
  layout.dstRowElements = layout.dstSize == 4   ? (s.channelSplit ? 8 : 16)
                          : layout.dstSize == 2 ? 16
                                                : 32;
  return layout;
}

/// LoadDataWithTranspose: a square of 16 x 16 (16 and 32 bit), 32 x 32 (8 bit)
/// or 64 x 64 (4 bit) elements.
inline uint32_t squareFractals(ascsim::DataType type) {
  switch (bitsOf(type)) {
  case 4:
    return 4;
  case 8:
  case 32:
    return 2;
  default:
    return 1;
  }
}

} // namespace tilelang::sim

#endif // TILELANG_LIB_SIM_INSTRUCTIONSET_SHAPES_H
