//===- data_copy.h - Moves between GM and the memories of a core ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_DATA_COPY_H
#define ASCENDC_DATA_COPY_H

#include "ascendc/params.h"
#include "ascendc/tensor.h"

namespace AscendC {

namespace detail {

/// The pipe that moves data between two on-chip memories.
constexpr ascsim::Pipe localCopyPipe(ascsim::Memory from, ascsim::Memory to) {
  if (from == ascsim::Memory::L1 && to == ascsim::Memory::FB)
    return ascsim::Pipe::FIX;
  if (from == ascsim::Memory::L1)
    return ascsim::Pipe::MTE1;
  return ascsim::Pipe::V;
}

ASCENDC_API void issueCopy(ascsim::Opcode opcode, ascsim::Pipe pipe,
                           ascsim::Operand dst, ascsim::Operand src,
                           const ascsim::CopyShape &shape) {
  ascsim::Instruction instruction(opcode, pipe);
  instruction.dst = dst;
  instruction.src0 = src;
  instruction.copy = shape;
  [[clang::nomerge]] issue(instruction);
}

ASCENDC_API ascsim::CopyShape blockShape(uint32_t count, uint32_t blockBytes,
                                         int64_t gmPitch, int64_t localPitch) {
  ascsim::CopyShape shape;
  shape.blockCount = count;
  shape.blockBytes = blockBytes;
  shape.gmPitch = gmPitch;
  shape.localPitch = localPitch;
  return shape;
}

template <typename T> ASCENDC_API uint32_t roundedBytes(uint32_t count) {
  // An unaligned count rounds down to whole 32-byte blocks, as the chip does.
  if constexpr (isSame<T, int4b_t>)
    return count / 2 / 32 * 32;
  else
    return count * static_cast<uint32_t>(sizeof(T)) / 32 * 32;
}

/// Moves between on-chip memories. The bias table and the fixpipe buffer
/// count their side in 64 bytes.
template <typename T>
ASCENDC_API void copyLocal(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                           uint32_t count, uint32_t length, uint32_t srcGap,
                           uint32_t dstGap) {
  ascsim::Operand to = dst.operand(), from = src.operand();
  bool table =
      to.memory == ascsim::Memory::BT || to.memory == ascsim::Memory::FB;
  uint32_t unit = table ? 64 : 32;
  ascsim::CopyShape shape =
      blockShape(count, length * unit, int64_t(length * unit) + srcGap * 32,
                 int64_t(length + dstGap) * unit);
  issueCopy(ascsim::Opcode::CopyLocal, localCopyPipe(from.memory, to.memory),
            to, from, shape);
}

} // namespace detail

// GM -> local.
template <typename T>
ASCENDC_API void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                          const DataCopyParams &params) {
  uint32_t bytes = params.blockLen * 32u;
  detail::issueCopy(ascsim::Opcode::CopyGmToLocal, ascsim::Pipe::MTE2,
                    dst.operand(), src.operand(),
                    detail::blockShape(params.blockCount, bytes,
                                       int64_t(bytes) + params.srcGap * 32,
                                       int64_t(bytes) + params.dstGap * 32));
}
template <typename T>
ASCENDC_API void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                          const uint32_t count) {
  uint32_t bytes = detail::roundedBytes<T>(count);
  detail::issueCopy(ascsim::Opcode::CopyGmToLocal, ascsim::Pipe::MTE2,
                    dst.operand(), src.operand(),
                    detail::blockShape(1, bytes, bytes, bytes));
}
template <typename T>
ASCENDC_API void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                          const Nd2NzParams &params) {
  static_assert(sizeof(T) <= 4,
                "DataCopy with Nd2NzParams: elements of 1, 2 or 4 bytes");
  ascsim::Instruction instruction(ascsim::Opcode::CopyNd2Nz,
                                  ascsim::Pipe::MTE2);
  instruction.dst = dst.operand();
  instruction.src0 = src.operand();
  instruction.nd2nz = {params.ndNum,        params.nValue,
                       params.dValue,       params.srcNdMatrixStride,
                       params.srcDValue,    params.dstNzC0Stride,
                       params.dstNzNStride, params.dstNzMatrixStride};
  [[clang::nomerge]] detail::issue(instruction);
}

// Local -> GM.
template <typename T>
ASCENDC_API void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                          const DataCopyParams &params) {
  uint32_t bytes = params.blockLen * 32u;
  detail::issueCopy(ascsim::Opcode::CopyLocalToGm, ascsim::Pipe::MTE3,
                    dst.operand(), src.operand(),
                    detail::blockShape(params.blockCount, bytes,
                                       int64_t(bytes) + params.dstGap * 32,
                                       int64_t(bytes) + params.srcGap * 32));
}
template <typename T>
ASCENDC_API void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                          const uint32_t count) {
  uint32_t bytes = detail::roundedBytes<T>(count);
  detail::issueCopy(ascsim::Opcode::CopyLocalToGm, ascsim::Pipe::MTE3,
                    dst.operand(), src.operand(),
                    detail::blockShape(1, bytes, bytes, bytes));
}

// Local -> local.
template <typename T>
ASCENDC_API void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          const DataCopyParams &params) {
  detail::copyLocal(dst, src, params.blockCount, params.blockLen, params.srcGap,
                    params.dstGap);
}
template <typename T>
ASCENDC_API void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          const uint32_t count) {
  uint32_t bytes = detail::roundedBytes<T>(count);
  detail::issueCopy(
      ascsim::Opcode::CopyLocal,
      detail::localCopyPipe(src.operand().memory, dst.operand().memory),
      dst.operand(), src.operand(), detail::blockShape(1, bytes, bytes, bytes));
}

namespace detail {
template <typename T>
ASCENDC_API void padLoad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                         uint32_t count, uint32_t length, int64_t srcGap,
                         int64_t dstGap, bool isPad, uint8_t left,
                         uint8_t right, uint64_t value) {
  ascsim::CopyShape shape;
  uint32_t filled =
      (left * uint32_t(sizeof(T)) + length + right * uint32_t(sizeof(T)) + 31) /
      32 * 32;
  shape.blockCount = count;
  shape.blockBytes = length;
  shape.gmPitch = int64_t(length) + srcGap;
  shape.localPitch = int64_t(filled) + dstGap * 32;
  shape.isPad = isPad;
  shape.leftPadding = left;
  shape.rightPadding = right;
  shape.padValue = value;
  shape.byteGranular = true;
  issueCopy(ascsim::Opcode::CopyGmToLocal, ascsim::Pipe::MTE2, dst.operand(),
            src.operand(), shape);
}
template <typename T>
ASCENDC_API void padStore(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                          uint32_t count, uint32_t length, int64_t srcGap,
                          int64_t dstGap) {
  ascsim::CopyShape shape;
  shape.blockCount = count;
  shape.blockBytes = length;
  shape.gmPitch = int64_t(length) + dstGap;
  shape.localPitch = int64_t((length + 31) / 32 * 32) + srcGap * 32;
  shape.byteGranular = true;
  issueCopy(ascsim::Opcode::CopyLocalToGm, ascsim::Pipe::MTE3, dst.operand(),
            src.operand(), shape);
}
} // namespace detail

template <typename T>
ASCENDC_API void DataCopyPad(const LocalTensor<T> &dst,
                             const GlobalTensor<T> &src,
                             const DataCopyExtParams &params,
                             const DataCopyPadExtParams<T> &padParams) {
  detail::padLoad(dst, src, params.blockCount, params.blockLen,
                  params.srcStride, params.dstStride, padParams.isPad,
                  padParams.leftPadding, padParams.rightPadding,
                  detail::bitsOf(padParams.paddingValue));
}
template <typename T>
ASCENDC_API void
DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
            const DataCopyParams &params, const DataCopyPadParams &padParams) {
  detail::padLoad(dst, src, params.blockCount, params.blockLen, params.srcGap,
                  params.dstGap, padParams.isPad, padParams.leftPadding,
                  padParams.rightPadding, padParams.paddingValue);
}
template <typename T>
ASCENDC_API void DataCopyPad(const GlobalTensor<T> &dst,
                             const LocalTensor<T> &src,
                             const DataCopyExtParams &params) {
  detail::padStore(dst, src, params.blockCount, params.blockLen,
                   params.srcStride, params.dstStride);
}
template <typename T>
ASCENDC_API void DataCopyPad(const GlobalTensor<T> &dst,
                             const LocalTensor<T> &src,
                             const DataCopyParams &params) {
  detail::padStore(dst, src, params.blockCount, params.blockLen, params.srcGap,
                   params.dstGap);
}

} // namespace AscendC

#endif // ASCENDC_DATA_COPY_H
