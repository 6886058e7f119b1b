//===- matrix.h - The Cube core: LoadData, Mmad, Fixpipe, Fill ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_MATRIX_H
#define ASCENDC_MATRIX_H

#include "ascendc/params.h"
#include "ascendc/tensor.h"

namespace AscendC {

namespace detail {
ASCENDC_API void issueLoad2D(ascsim::Pipe pipe, ascsim::Operand dst,
                             ascsim::Operand src,
                             const LoadData2DParams &params) {
  ascsim::Instruction instruction(ascsim::Opcode::LoadData2D, pipe);
  instruction.dst = dst;
  instruction.src0 = src;
  instruction.load2d = {params.startIndex, params.repeatTimes, params.srcStride,
                        params.dstGap,     params.ifTranspose, 0};
  [[clang::nomerge]] issue(instruction);
}
} // namespace detail

// L1 -> L0A/L0B, fractal by fractal.
template <typename T>
ASCENDC_API void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          const LoadData2DParams &params) {
  detail::issueLoad2D(ascsim::Pipe::MTE1, dst.operand(), src.operand(), params);
}
// GM -> L1/L0A/L0B of data that is in fractal format already.
template <typename T>
ASCENDC_API void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                          const LoadData2DParams &params) {
  detail::issueLoad2D(ascsim::Pipe::MTE2, dst.operand(), src.operand(), params);
}

// L1 -> L0A/L0B with image-to-column.
template <typename T, typename U>
ASCENDC_API void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          const LoadData3DParamsV2<U> &params) {
  static_assert(detail::isOneOf<T, half, bfloat16_t, float, int32_t, uint32_t,
                                int8_t, uint8_t>,
                "LoadData with LoadData3DParamsV2: element type not supported");
  ascsim::Instruction instruction(ascsim::Opcode::LoadData3D,
                                  ascsim::Pipe::MTE1);
  instruction.dst = dst.operand();
  instruction.src0 = src.operand();
  instruction.scalar = detail::bitsOf(params.padValue);
  ascsim::Load3DShape &shape = instruction.load3d;
  shape = {};
  shape.l1H = params.l1H;
  shape.l1W = params.l1W;
  shape.channelSize = params.channelSize;
  shape.columns = params.kExtension;
  shape.rows = params.mExtension;
  shape.columnStart = params.kStartPt;
  shape.rowStart = params.mStartPt;
  shape.strideW = params.strideW;
  shape.strideH = params.strideH;
  shape.filterW = params.filterW;
  shape.filterH = params.filterH;
  shape.dilationW = params.dilationFilterW;
  shape.dilationH = params.dilationFilterH;
  for (int i = 0; i < 4; ++i)
    shape.pad[i] = params.padList[i];
  shape.transpose = params.enTranspose;
  shape.filterSizeW = params.filterSizeW;
  shape.filterSizeH = params.filterSizeH;
  [[clang::nomerge]] detail::issue(instruction);
}

template <typename T>
ASCENDC_API void
LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                      const LoadData2dTransposeParams &params) {
  ascsim::Instruction instruction(ascsim::Opcode::LoadDataTranspose,
                                  ascsim::Pipe::MTE1);
  instruction.dst = dst.operand();
  instruction.src0 = src.operand();
  instruction.load2d = {params.startIndex,
                        params.repeatTimes,
                        params.srcStride,
                        params.dstGap,
                        true,
                        params.dstFracGap};
  [[clang::nomerge]] detail::issue(instruction);
}

/// Sets blocks of L1, L0A or L0B to a value.
template <typename T, typename U>
ASCENDC_API void Fill(const LocalTensor<T> &dst,
                      const InitConstValueParams<U> &params) {
  static_assert(sizeof(U) == 2 || sizeof(U) == 4,
                "Fill: values of 16 or 32 bits");
  ascsim::Operand to = dst.operand();
  bool toL1 = to.memory == ascsim::Memory::L1;
  uint32_t unit = toL1 ? 32 : 512;
  ascsim::Instruction instruction(ascsim::Opcode::FillLocal,
                                  toL1 ? ascsim::Pipe::MTE2
                                       : ascsim::Pipe::MTE1);
  to.type = detail::dataTypeOf<U>;
  instruction.dst = to;
  instruction.scalar = detail::bitsOf(params.initValue);
  ascsim::CopyShape shape;
  shape.blockCount = params.repeatTimes;
  shape.blockBytes = params.blockNum * unit;
  shape.localPitch = int64_t(params.blockNum + params.dstGap) * unit;
  instruction.copy = shape;
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, typename U>
ASCENDC_API void InitConstValue(const LocalTensor<T> &dst,
                                const InitConstValueParams<U> &params) {
  Fill(dst, params);
}

namespace detail {
template <typename C, typename A, typename B>
constexpr bool isMmadTuple =
    (isSame<A, half> && isSame<B, half> && isSame<C, float>) ||
    (isSame<A, bfloat16_t> && isSame<B, bfloat16_t> && isSame<C, float>) ||
    (isSame<A, float> && isSame<B, float> && isSame<C, float>) ||
    (isSame<A, int8_t> && isSame<B, int8_t> && isSame<C, int32_t>) ||
    (isSame<A, int4b_t> && isSame<B, int4b_t> && isSame<C, int32_t>);

ASCENDC_API ascsim::Instruction mmad(ascsim::Operand c, ascsim::Operand a,
                                     ascsim::Operand b,
                                     const MmadParams &params) {
  ascsim::Instruction instruction(ascsim::Opcode::Mmad, ascsim::Pipe::M);
  instruction.dst = c;
  instruction.src0 = a;
  instruction.src1 = b;
  instruction.mmad = {params.m,
                      params.n,
                      params.k,
                      params.cmatrixInitVal,
                      params.cmatrixSource,
                      params.unitFlag,
                      params.kDirectionAlign,
                      false};
  return instruction;
}
} // namespace detail

/// C = A * B, or C += A * B.
template <typename T, typename U, typename S>
ASCENDC_API void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm,
                      const LocalTensor<S> &filter, const MmadParams &params) {
  static_assert(detail::isMmadTuple<T, U, S>,
                "Mmad: (C, A, B) must be (float, half, half), (float, "
                "bfloat16_t, bfloat16_t), "
                "(float, float, float), (int32_t, int8_t, int8_t) or (int32_t, "
                "int4b_t, int4b_t)");
  ascsim::Instruction instruction =
      detail::mmad(dst.operand(), fm.operand(), filter.operand(), params);
  [[clang::nomerge]] detail::issue(instruction);
}
/// The same starting from a bias row in the bias table (or in L0C).
template <typename T, typename U, typename S, typename V>
ASCENDC_API void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm,
                      const LocalTensor<S> &filter, const LocalTensor<V> &bias,
                      const MmadParams &params) {
  static_assert(
      detail::isMmadTuple<T, U, S> && !detail::isSame<U, int4b_t>,
      "Mmad with bias: (C, A, B) must be (float, half, half), (float, "
      "bfloat16_t, "
      "bfloat16_t), (float, float, float) or (int32_t, int8_t, int8_t)");
  static_assert(detail::isSame<T, V>, "Mmad: the bias must have the type of C");
  ascsim::Instruction instruction =
      detail::mmad(dst.operand(), fm.operand(), filter.operand(), params);
  instruction.src2 = bias.operand();
  instruction.mmad.hasBias = true;
  [[clang::nomerge]] detail::issue(instruction);
}

namespace detail {
template <typename T, typename U>
ASCENDC_API void
issueFixpipe(ascsim::Operand dst, ascsim::Operand src, ascsim::Operand table,
             const FixpipeConfig &config, const FixpipeParamsV220 &params) {
  static_assert(
      (isSame<U, float> &&
       isOneOf<T, float, half, bfloat16_t, int8_t, uint8_t>) ||
          (isSame<U, int32_t> && isOneOf<T, int32_t, half, int8_t, uint8_t>),
      "Fixpipe: float results go to float, half, bfloat16_t, int8_t or "
      "uint8_t; int32_t "
      "results to int32_t, half, int8_t or uint8_t");
  ascsim::Instruction instruction(ascsim::Opcode::Fixpipe, ascsim::Pipe::FIX);
  instruction.dst = dst;
  instruction.src0 = src;
  instruction.src1 = table;
  ascsim::FixpipeShape &shape = instruction.fixpipe;
  shape.nSize = params.nSize;
  shape.mSize = params.mSize;
  shape.srcStride = params.srcStride;
  shape.dstStride = params.dstStride;
  shape.quant = static_cast<ascsim::QuantMode>(params.quantPre);
  shape.deqScalar = params.deqScalar;
  shape.ndNum = params.ndNum;
  shape.srcNdStride = params.srcNdStride;
  shape.dstNdStride = params.dstNdStride;
  shape.relu = params.reluEn;
  shape.unitFlag = params.unitFlag;
  shape.channelSplit = params.isChannelSplit;
  shape.toRowMajor = config.format == CO2Layout::ROW_MAJOR;
  [[clang::nomerge]] issue(instruction);
}
} // namespace detail

template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
ASCENDC_API void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                         const FixpipeParamsV220 &params) {
  detail::issueFixpipe<T, U>(dst.operand(), src.operand(), {}, config, params);
}
/// With one scale per column, in L1 (the V... modes of QuantMode_t).
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
ASCENDC_API void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                         const LocalTensor<uint64_t> &cbufWorkspace,
                         const FixpipeParamsV220 &params) {
  detail::issueFixpipe<T, U>(dst.operand(), src.operand(),
                             cbufWorkspace.operand(), config, params);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_NZ>
ASCENDC_API void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                         const FixpipeParamsV220 &params) {
  detail::issueFixpipe<T, U>(dst.operand(), src.operand(), {}, config, params);
}
template <typename T, typename U, const FixpipeConfig &config = CFG_NZ>
ASCENDC_API void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                         const LocalTensor<uint64_t> &cbufWorkspace,
                         const FixpipeParamsV220 &params) {
  detail::issueFixpipe<T, U>(dst.operand(), src.operand(),
                             cbufWorkspace.operand(), config, params);
}

} // namespace AscendC

#endif // ASCENDC_MATRIX_H
