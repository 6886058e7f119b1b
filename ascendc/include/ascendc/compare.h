//===- compare.h - Comparison and selection -------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_COMPARE_H
#define ASCENDC_COMPARE_H

#include "ascendc/vector_common.h"

namespace AscendC {

namespace detail {
ASCENDC_API ascsim::Function functionOf(CMPMODE mode) {
  return static_cast<ascsim::Function>(
      static_cast<uint8_t>(ascsim::Function::LT) + static_cast<uint8_t>(mode));
}
template <typename T, typename U> ASCENDC_API void checkCompare() {
  static_assert(
      isOneOf<T, half, float, int32_t>,
      "Compare: the sources must be half or float (int32_t with CMPMODE::EQ)");
  static_assert(isOneOf<U, int8_t, uint8_t>,
                "Compare: the mask is a tensor of uint8_t or int8_t");
}
} // namespace detail

/// One bit per element, lowest first.
template <typename T, typename U>
ASCENDC_API void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                         const LocalTensor<T> &src1, CMPMODE cmpMode,
                         uint32_t count) {
  detail::checkCompare<T, U>();
  auto instruction =
      detail::vectorOp(ascsim::Opcode::Compare, detail::functionOf(cmpMode),
                       dst.operand(), src0.operand());
  instruction.src1 = src1.operand();
  detail::setCount(instruction, count, sizeof(T), sizeof(T), sizeof(T));
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
ASCENDC_API void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                         const LocalTensor<T> &src1, CMPMODE cmpMode, Mask mask,
                         uint8_t repeatTime,
                         const BinaryRepeatParams &repeatParams) {
  detail::checkCompare<T, U>();
  auto instruction =
      detail::vectorOp(ascsim::Opcode::Compare, detail::functionOf(cmpMode),
                       dst.operand(), src0.operand());
  instruction.src1 = src1.operand();
  detail::setMask<isSetMask>(instruction, mask, repeatTime);
  detail::setStrides(instruction, repeatParams);
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, typename U>
ASCENDC_API void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                          const T src1, CMPMODE cmpMode, uint32_t count) {
  detail::checkCompare<T, U>();
  auto instruction = detail::vectorOp(ascsim::Opcode::CompareScalar,
                                      detail::functionOf(cmpMode),
                                      dst.operand(), src0.operand());
  instruction.scalar = detail::bitsOf<T>(src1);
  detail::setCount(instruction, count, sizeof(T), sizeof(T), sizeof(T));
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
ASCENDC_API void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                          const T src1, CMPMODE cmpMode, Mask mask,
                          uint8_t repeatTime,
                          const UnaryRepeatParams &repeatParams) {
  detail::checkCompare<T, U>();
  auto instruction = detail::vectorOp(ascsim::Opcode::CompareScalar,
                                      detail::functionOf(cmpMode),
                                      dst.operand(), src0.operand());
  instruction.scalar = detail::bitsOf<T>(src1);
  detail::setMask<isSetMask>(instruction, mask, repeatTime);
  detail::setStrides(instruction, repeatParams);
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, typename U>
ASCENDC_API void CompareScalar(const LocalTensor<U> &dst,
                               const LocalTensor<T> &src0, const T src1,
                               CMPMODE cmpMode, uint32_t count) {
  Compares(dst, src0, src1, cmpMode, count);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
ASCENDC_API void CompareScalar(const LocalTensor<U> &dst,
                               const LocalTensor<T> &src0, const T src1,
                               CMPMODE cmpMode, Mask mask, uint8_t repeatTime,
                               const UnaryRepeatParams &repeatParams) {
  Compares<T, U, isSetMask>(dst, src0, src1, cmpMode, mask, repeatTime,
                            repeatParams);
}

namespace detail {
template <typename T, typename U>
ASCENDC_API ascsim::Instruction
select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, SELMODE mode) {
  static_assert(isOneOf<T, half, float>,
                "Select: the elements must be half or float");
  static_assert(isOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>,
                "Select: the mask is a tensor of unsigned integers");
  auto instruction = vectorOp(ascsim::Opcode::Select, ascsim::Function::None,
                              dst.operand(), src0.operand());
  instruction.src2 = selMask.operand();
  instruction.selectMode = static_cast<uint8_t>(mode);
  return instruction;
}
} // namespace detail

/// dst = bit ? src0 : src1
template <typename T, typename U>
ASCENDC_API void Select(const LocalTensor<T> &dst,
                        const LocalTensor<U> &selMask,
                        const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                        SELMODE selMode, uint32_t count) {
  auto instruction = detail::select(dst, selMask, src0, selMode);
  instruction.src1 = src1.operand();
  detail::setCount(instruction, count, sizeof(T), sizeof(T), sizeof(T));
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
ASCENDC_API void
Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, const LocalTensor<T> &src1, SELMODE selMode,
       Mask mask, uint8_t repeatTime, const BinaryRepeatParams &repeatParams) {
  auto instruction = detail::select(dst, selMask, src0, selMode);
  instruction.src1 = src1.operand();
  detail::setMask<isSetMask>(instruction, mask, repeatTime);
  detail::setStrides(instruction, repeatParams);
  [[clang::nomerge]] detail::issue(instruction);
}
/// dst = bit ? src0 : scalar
template <typename T, typename U>
ASCENDC_API void
Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, T src1, SELMODE selMode, uint32_t count) {
  auto instruction = detail::select(dst, selMask, src0, selMode);
  instruction.scalar = detail::bitsOf<T>(src1);
  detail::setCount(instruction, count, sizeof(T), sizeof(T), sizeof(T));
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
ASCENDC_API void
Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
       const LocalTensor<T> &src0, T src1, SELMODE selMode, Mask mask,
       uint8_t repeatTime, const BinaryRepeatParams &repeatParams) {
  auto instruction = detail::select(dst, selMask, src0, selMode);
  instruction.scalar = detail::bitsOf<T>(src1);
  detail::setMask<isSetMask>(instruction, mask, repeatTime);
  detail::setStrides(instruction, repeatParams);
  [[clang::nomerge]] detail::issue(instruction);
}

} // namespace AscendC

#endif // ASCENDC_COMPARE_H
