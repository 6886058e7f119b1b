//===- params.h - Parameter structures of the Ascend C API ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_PARAMS_H
#define ASCENDC_PARAMS_H

#include "ascendc/base.h"

namespace AscendC {

/// Blocks of 32 bytes.
struct DataCopyParams {
  DataCopyParams() = default;
  ASCENDC_API DataCopyParams(uint16_t count, uint16_t length, uint16_t srcGapIn,
                             uint16_t dstGapIn)
      : blockCount(count), blockLen(length), srcGap(srcGapIn),
        dstGap(dstGapIn) {}
  uint16_t blockCount = 1;
  uint16_t blockLen = 0;
  union {
    uint16_t srcGap = 0;
    uint16_t srcStride;
  };
  union {
    uint16_t dstGap = 0;
    uint16_t dstStride;
  };
};

/// Blocks of bytes; gaps in bytes on the GM side, in 32 bytes in UB.
struct DataCopyExtParams {
  DataCopyExtParams() = default;
  ASCENDC_API DataCopyExtParams(uint16_t count, uint32_t length, uint32_t src,
                                uint32_t dst, uint32_t reserved)
      : blockCount(count), blockLen(length), srcStride(src), dstStride(dst),
        rsv(reserved) {}
  uint16_t blockCount = 1;
  uint32_t blockLen = 0;
  uint32_t srcStride = 0;
  uint32_t dstStride = 0;
  uint32_t rsv = 0;
};

template <typename T> struct DataCopyPadExtParams {
  DataCopyPadExtParams() = default;
  ASCENDC_API DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right,
                                   T value)
      : isPad(pad), leftPadding(left), rightPadding(right),
        paddingValue(value) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = T();
};

struct DataCopyPadParams {
  DataCopyPadParams() = default;
  ASCENDC_API DataCopyPadParams(bool pad, uint8_t left, uint8_t right,
                                uint64_t value)
      : isPad(pad), leftPadding(left), rightPadding(right),
        paddingValue(value) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;
};

struct Nd2NzParams {
  Nd2NzParams() = default;
  ASCENDC_API Nd2NzParams(uint16_t ndNumIn, uint16_t nValueIn,
                          uint16_t dValueIn, uint16_t srcNdMatrixStrideIn,
                          uint16_t srcDValueIn, uint16_t dstNzC0StrideIn,
                          uint16_t dstNzNStrideIn, uint16_t dstNzMatrixStrideIn)
      : ndNum(ndNumIn), nValue(nValueIn), dValue(dValueIn),
        srcNdMatrixStride(srcNdMatrixStrideIn), srcDValue(srcDValueIn),
        dstNzC0Stride(dstNzC0StrideIn), dstNzNStride(dstNzNStrideIn),
        dstNzMatrixStride(dstNzMatrixStrideIn) {}
  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;
  uint16_t dstNzNStride = 0;
  uint16_t dstNzMatrixStride = 0;
};

struct LoadData2DParams {
  LoadData2DParams() = default;
  ASCENDC_API LoadData2DParams(uint16_t start, uint8_t repeat, uint16_t stride,
                               uint8_t sidIn, uint16_t gap, bool transpose,
                               uint8_t mode)
      : startIndex(start), dstGap(gap), srcStride(stride),
        ifTranspose(transpose), repeatTimes(repeat), sid(sidIn),
        addrMode(mode) {}
  uint16_t startIndex = 0;
  uint16_t dstGap = 0;
  uint16_t srcStride = 0;
  bool ifTranspose = false;
  uint8_t repeatTimes = 0;
  uint8_t sid = 0;
  uint8_t addrMode = 0;
};

struct LoadData2dTransposeParams {
  LoadData2dTransposeParams() = default;
  ASCENDC_API LoadData2dTransposeParams(uint16_t start, uint8_t repeat,
                                        uint16_t stride, uint16_t gap,
                                        uint16_t fracGap)
      : startIndex(start), repeatTimes(repeat), srcStride(stride), dstGap(gap),
        dstFracGap(fracGap) {}
  ASCENDC_API LoadData2dTransposeParams(uint16_t start, uint8_t repeat,
                                        uint16_t stride, uint16_t gap,
                                        uint16_t fracGap, uint8_t mode)
      : LoadData2dTransposeParams(start, repeat, stride, gap, fracGap) {
    addrMode = mode;
  }
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;
  uint16_t dstGap = 0;
  uint16_t dstFracGap = 0;
  uint8_t addrMode = 0;
};

template <typename T> struct LoadData3DParamsV2 {
  LoadData3DParamsV2() = default;
  ASCENDC_API
  LoadData3DParamsV2(const uint8_t padding[4], uint16_t l1HIn, uint16_t l1WIn,
                     uint16_t channels, uint16_t kExtensionIn,
                     uint16_t mExtensionIn, uint16_t kStart, uint16_t mStart,
                     uint8_t strideWIn, uint8_t strideHIn, uint8_t filterWIn,
                     uint8_t filterHIn, uint8_t dilationW, uint8_t dilationH,
                     bool transpose, bool smallK, T pad)
      : l1H(l1HIn), l1W(l1WIn), channelSize(channels), kExtension(kExtensionIn),
        mExtension(mExtensionIn), kStartPt(kStart), mStartPt(mStart),
        strideW(strideWIn), strideH(strideHIn), filterW(filterWIn),
        filterH(filterHIn), dilationFilterW(dilationW),
        dilationFilterH(dilationH), enTranspose(transpose), enSmallK(smallK),
        padValue(pad) {
    for (int i = 0; i < 4; ++i)
      padList[i] = padding[i];
  }
  ASCENDC_API
  LoadData3DParamsV2(const uint8_t padding[4], uint16_t l1HIn, uint16_t l1WIn,
                     uint16_t channels, uint16_t kExtensionIn,
                     uint16_t mExtensionIn, uint16_t kStart, uint16_t mStart,
                     uint8_t strideWIn, uint8_t strideHIn, uint8_t filterWIn,
                     uint8_t filterHIn, uint8_t dilationW, uint8_t dilationH,
                     bool transpose, bool smallK, T pad, bool bigFilterW,
                     bool bigFilterH, bool matrixControl)
      : LoadData3DParamsV2(padding, l1HIn, l1WIn, channels, kExtensionIn,
                           mExtensionIn, kStart, mStart, strideWIn, strideHIn,
                           filterWIn, filterHIn, dilationW, dilationH,
                           transpose, smallK, pad) {
    filterSizeW = bigFilterW;
    filterSizeH = bigFilterH;
    fMatrixCtrl = matrixControl;
  }
  uint8_t padList[4] = {0, 0, 0, 0}; // left right top bottom
  uint16_t l1H = 0;
  uint16_t l1W = 0;
  uint16_t channelSize = 0;
  uint16_t kExtension = 0;
  uint16_t mExtension = 0;
  uint16_t kStartPt = 0;
  uint16_t mStartPt = 0;
  uint8_t strideW = 1;
  uint8_t strideH = 1;
  uint8_t filterW = 1;
  uint8_t filterH = 1;
  uint8_t dilationFilterW = 1;
  uint8_t dilationFilterH = 1;
  bool enTranspose = false;
  bool enSmallK = false;
  T padValue = T();
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
};

template <typename T> struct InitConstValueParams {
  InitConstValueParams() = default;
  ASCENDC_API InitConstValueParams(uint16_t repeat, uint16_t blocks,
                                   uint16_t gap, T value)
      : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value) {}
  ASCENDC_API InitConstValueParams(uint16_t repeat, T value)
      : repeatTimes(repeat), blockNum(1), initValue(value) {}
  uint16_t repeatTimes = 0;
  uint16_t blockNum = 0;
  uint16_t dstGap = 0;
  T initValue = T();
};

struct MmadParams {
  MmadParams() = default;
  ASCENDC_API MmadParams(uint16_t mIn, uint16_t nIn, uint16_t kIn, bool bias,
                         int32_t fmOffsetIn, bool sparse, bool winogradA,
                         bool winogradB)
      : m(mIn), n(nIn), k(kIn), isBias(bias), fmOffset(fmOffsetIn),
        enSsparse(sparse), enWinogradA(winogradA), enWinogradB(winogradB),
        cmatrixInitVal(!bias) {}
  ASCENDC_API MmadParams(uint16_t mIn, uint16_t nIn, uint16_t kIn,
                         uint8_t unitFlagIn, bool source, bool initial)
      : m(mIn), n(nIn), k(kIn), unitFlag(unitFlagIn), cmatrixSource(source),
        cmatrixInitVal(initial) {}
  uint16_t m = 0;
  uint16_t n = 0;
  uint16_t k = 0;
  bool isBias = false;
  int32_t fmOffset = 0;
  bool enSsparse = false;
  bool enWinogradA = false;
  bool enWinogradB = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false;
  bool cmatrixSource = false;
  bool cmatrixInitVal = true;
};

enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
  CO2Layout format;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
  FixpipeParamsV220() = default;
  ASCENDC_API FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src,
                                uint32_t dst, bool relu)
      : nSize(n), mSize(m), srcStride(src), dstStride(dst), reluEn(relu) {}
  ASCENDC_API FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src,
                                uint32_t dst, bool relu, QuantMode_t quant,
                                int64_t scalar, uint16_t matrices,
                                uint16_t srcNd, uint16_t dstNd, uint8_t unit)
      : nSize(n), mSize(m), srcStride(src), dstStride(dst), quantPre(quant),
        deqScalar(static_cast<uint64_t>(scalar)), ndNum(matrices),
        srcNdStride(srcNd), dstNdStride(dstNd), reluEn(relu), unitFlag(unit) {}
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1;
  uint16_t srcNdStride = 0;
  uint16_t dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;
};

// Strides of vector instructions in 32 bytes.
struct UnaryRepeatParams {
  UnaryRepeatParams() = default;
  ASCENDC_API UnaryRepeatParams(uint16_t dstBlk, uint16_t srcBlk,
                                uint8_t dstRep, uint8_t srcRep)
      : dstBlkStride(dstBlk), srcBlkStride(srcBlk), dstRepStride(dstRep),
        srcRepStride(srcRep) {}
  uint16_t dstBlkStride = 1;
  uint16_t srcBlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t srcRepStride = 8;
};
struct BinaryRepeatParams {
  BinaryRepeatParams() = default;
  ASCENDC_API BinaryRepeatParams(uint8_t dstBlk, uint8_t src0Blk,
                                 uint8_t src1Blk, uint8_t dstRep,
                                 uint8_t src0Rep, uint8_t src1Rep)
      : dstBlkStride(dstBlk), src0BlkStride(src0Blk), src1BlkStride(src1Blk),
        dstRepStride(dstRep), src0RepStride(src0Rep), src1RepStride(src1Rep) {}
  uint32_t blockNumber = 8;
  uint8_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t src0RepStride = 8;
  uint8_t src1RepStride = 8;
};
struct CopyRepeatParams {
  CopyRepeatParams() = default;
  ASCENDC_API CopyRepeatParams(uint16_t dst, uint16_t src, uint16_t dstRep,
                               uint16_t srcRep)
      : dstStride(dst), srcStride(src), dstRepeatSize(dstRep),
        srcRepeatSize(srcRep) {}
  uint16_t dstStride = 1;
  uint16_t srcStride = 1;
  uint16_t dstRepeatSize = 8;
  uint16_t srcRepeatSize = 8;
};
struct BrcbRepeatParams {
  BrcbRepeatParams() = default;
  ASCENDC_API BrcbRepeatParams(uint16_t dstBlk, uint16_t dstRep)
      : dstBlkStride(dstBlk), dstRepStride(dstRep) {}
  uint16_t dstBlkStride = 1;
  uint16_t dstRepStride = 8;
};

} // namespace AscendC

#endif // ASCENDC_PARAMS_H
