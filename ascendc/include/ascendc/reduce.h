//===- reduce.h - Horizontal reductions -----------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Whole: one result per repeat. Block: one per 32 bytes. Pair: one per two
// neighbours. The older names and the newer ReduceRepeat family are the same
// instructions with parameters in a different order.
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_REDUCE_H
#define ASCENDC_REDUCE_H

#include "ascendc/vector_common.h"

namespace AscendC {

namespace detail {
template <typename T, bool isSetMask, typename Mask>
ASCENDC_API void reduce(ascsim::Function function, const LocalTensor<T> &dst,
                        const LocalTensor<T> &src, Mask mask, int32_t repeat,
                        int32_t dstRepStride, int32_t srcBlkStride,
                        int32_t srcRepStride, ReduceOrder order) {
  static_assert(isOneOf<T, half, float>,
                "reductions exist for half and float only");
  auto instruction =
      vectorOp(ascsim::Opcode::Reduce, function, dst.operand(), src.operand());
  if constexpr (isSame<Mask, const uint64_t *> || isSame<Mask, uint64_t *>)
    setMask<isSetMask>(instruction, static_cast<const uint64_t *>(mask),
                       repeat);
  else
    setMask<isSetMask>(instruction, static_cast<uint64_t>(mask), repeat);
  instruction.vector.src0 = {static_cast<uint16_t>(srcBlkStride),
                             static_cast<uint16_t>(srcRepStride)};
  instruction.reduceDstStride = static_cast<uint32_t>(dstRepStride);
  instruction.selectMode = static_cast<uint8_t>(order);
  [[clang::nomerge]] issue(instruction);
}
constexpr ascsim::Function reduceFunction(ascsim::Function sum,
                                          ReduceType type) {
  return static_cast<ascsim::Function>(static_cast<uint8_t>(sum) +
                                       static_cast<uint8_t>(type));
}
} // namespace detail

#define ASCENDC_WHOLE(name, function)                                          \
  template <typename T, bool isSetMask = true, typename Mask>                  \
  ASCENDC_API void name(                                                       \
      const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,         \
      const int32_t repeatTime, const int32_t dstRepStride,                    \
      const int32_t srcBlkStride, const int32_t srcRepStride,                  \
      ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                    \
    detail::reduce<T, isSetMask>(ascsim::Function::function, dst, src, mask,   \
                                 repeatTime, dstRepStride, srcBlkStride,       \
                                 srcRepStride, order);                         \
  }
ASCENDC_WHOLE(WholeReduceMax, WholeMax)
ASCENDC_WHOLE(WholeReduceMin, WholeMin)
#undef ASCENDC_WHOLE
template <typename T, bool isSetMask = true, typename Mask>
ASCENDC_API void
WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,
               const int32_t repeatTime, const int32_t dstRepStride,
               const int32_t srcBlkStride, const int32_t srcRepStride) {
  detail::reduce<T, isSetMask>(ascsim::Function::WholeSum, dst, src, mask,
                               repeatTime, dstRepStride, srcBlkStride,
                               srcRepStride, ReduceOrder::ORDER_ONLY_VALUE);
}

// The older names take the repeats before the mask.
#define ASCENDC_BLOCK(name, function)                                          \
  template <typename T, bool isSetMask = true, typename Mask>                  \
  ASCENDC_API void name(                                                       \
      const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
      const int32_t repeatTime, Mask mask, const int32_t dstRepStride,         \
      const int32_t srcBlkStride, const int32_t srcRepStride) {                \
    detail::reduce<T, isSetMask>(ascsim::Function::function, dst, src, mask,   \
                                 repeatTime, dstRepStride, srcBlkStride,       \
                                 srcRepStride, ReduceOrder::ORDER_ONLY_VALUE); \
  }
ASCENDC_BLOCK(BlockReduceSum, BlockSum)
ASCENDC_BLOCK(BlockReduceMax, BlockMax)
ASCENDC_BLOCK(BlockReduceMin, BlockMin)
ASCENDC_BLOCK(PairReduceSum, PairSum)
#undef ASCENDC_BLOCK

template <ReduceType type, bool isSetMask = true, typename T, typename Mask>
ASCENDC_API void
ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,
             const int32_t repeatTime, const int32_t dstRepStride,
             const int32_t srcBlkStride, const int32_t srcRepStride,
             ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {
  constexpr auto function =
      detail::reduceFunction(ascsim::Function::WholeSum, type);
  detail::reduce<T, isSetMask>(
      function, dst, src, mask, repeatTime, dstRepStride, srcBlkStride,
      srcRepStride,
      type == ReduceType::SUM ? ReduceOrder::ORDER_ONLY_VALUE : order);
}
template <ReduceType type, bool isSetMask = true, typename T, typename Mask>
ASCENDC_API void
ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,
                const int32_t repeatTime, const int32_t dstRepStride,
                const int32_t srcBlkStride, const int32_t srcRepStride) {
  constexpr auto function =
      detail::reduceFunction(ascsim::Function::BlockSum, type);
  detail::reduce<T, isSetMask>(function, dst, src, mask, repeatTime,
                               dstRepStride, srcBlkStride, srcRepStride,
                               ReduceOrder::ORDER_ONLY_VALUE);
}
template <ReduceType type, bool isSetMask = true, typename T, typename Mask>
ASCENDC_API void
ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<T> &src, Mask mask,
               const int32_t repeatTime, const int32_t dstRepStride,
               const int32_t srcBlkStride, const int32_t srcRepStride) {
  static_assert(type == ReduceType::SUM, "ReducePairElem: only sums exist");
  detail::reduce<T, isSetMask>(ascsim::Function::PairSum, dst, src, mask,
                               repeatTime, dstRepStride, srcBlkStride,
                               srcRepStride, ReduceOrder::ORDER_ONLY_VALUE);
}

} // namespace AscendC

#endif // ASCENDC_REDUCE_H
