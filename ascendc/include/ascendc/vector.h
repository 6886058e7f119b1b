//===- vector.h - Elementwise vector instructions -------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_VECTOR_H
#define ASCENDC_VECTOR_H

#include "ascendc/vector_common.h"

namespace AscendC {

// One macro per operand shape; each defines the count form and the two repeat
// forms (scalar mask, mask words) with the type rule of the instruction.

#define ASCENDC_UNARY(name, function, rule, types)                             \
  template <typename T>                                                        \
  ASCENDC_API void name(const LocalTensor<T> &dst, const LocalTensor<T> &src,  \
                        const int32_t &count) {                                \
    static_assert(rule, #name ": the element type must be " types);            \
    auto instruction =                                                         \
        detail::vectorOp(ascsim::Opcode::Unary, ascsim::Function::function,    \
                         dst.operand(), src.operand());                        \
    detail::setCount(instruction, count, sizeof(T), sizeof(T), sizeof(T));     \
    [[clang::nomerge]] detail::issue(instruction);                             \
  }                                                                            \
  template <typename T, bool isSetMask = true, typename Mask>                  \
  ASCENDC_API void name(const LocalTensor<T> &dst, const LocalTensor<T> &src,  \
                        Mask mask, const uint8_t repeatTime,                   \
                        const UnaryRepeatParams &repeatParams) {               \
    static_assert(rule, #name ": the element type must be " types);            \
    auto instruction =                                                         \
        detail::vectorOp(ascsim::Opcode::Unary, ascsim::Function::function,    \
                         dst.operand(), src.operand());                        \
    detail::setMask<isSetMask>(instruction, mask, repeatTime);                 \
    detail::setStrides(instruction, repeatParams);                             \
    [[clang::nomerge]] detail::issue(instruction);                             \
  }

#define ASCENDC_BINARY(opcode, name, function, U, rule, types)                 \
  ASCENDC_API void name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, \
                        const LocalTensor<U> &src1, const int32_t &count) {    \
    static_assert(rule, #name ": the element type must be " types);            \
    auto instruction =                                                         \
        detail::vectorOp(ascsim::Opcode::opcode, ascsim::Function::function,   \
                         dst.operand(), src0.operand());                       \
    instruction.src1 = src1.operand();                                         \
    detail::setCount(instruction, count, sizeof(T), sizeof(U), sizeof(T));     \
    [[clang::nomerge]] detail::issue(instruction);                             \
  }
#define ASCENDC_BINARY_REPEAT(opcode, name, function, U, rule, types)          \
  ASCENDC_API void name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, \
                        const LocalTensor<U> &src1, Mask mask,                 \
                        const uint8_t repeatTime,                              \
                        const BinaryRepeatParams &repeatParams) {              \
    static_assert(rule, #name ": the element type must be " types);            \
    auto instruction =                                                         \
        detail::vectorOp(ascsim::Opcode::opcode, ascsim::Function::function,   \
                         dst.operand(), src0.operand());                       \
    instruction.src1 = src1.operand();                                         \
    detail::setMask<isSetMask>(instruction, mask, repeatTime);                 \
    detail::setStrides(instruction, repeatParams);                             \
    [[clang::nomerge]] detail::issue(instruction);                             \
  }
#define ASCENDC_BINARY_SAME(name, function, rule, types)                       \
  template <typename T>                                                        \
  ASCENDC_BINARY(Binary, name, function, T, rule, types)                       \
  template <typename T, bool isSetMask = true, typename Mask>                  \
  ASCENDC_BINARY_REPEAT(Binary, name, function, T, rule, types)
#define ASCENDC_TERNARY(name, function, rule, types)                           \
  template <typename T, typename U>                                            \
  ASCENDC_BINARY(Ternary, name, function, U, rule, types)                      \
  template <typename T, typename U, bool isSetMask = true, typename Mask>      \
  ASCENDC_BINARY_REPEAT(Ternary, name, function, U, rule, types)

#define ASCENDC_SCALAR(name, function, rule, types)                            \
  template <typename T, bool isSetMask = true>                                 \
  ASCENDC_API void name(const LocalTensor<T> &dst, const LocalTensor<T> &src,  \
                        const T &scalarValue, const int32_t &count) {          \
    static_assert(rule, #name ": the element type must be " types);            \
    auto instruction =                                                         \
        detail::vectorOp(ascsim::Opcode::Scalar, ascsim::Function::function,   \
                         dst.operand(), src.operand());                        \
    instruction.scalar = detail::bitsOf<T>(scalarValue);                       \
    detail::setCount(instruction, count, sizeof(T), sizeof(T), sizeof(T));     \
    [[clang::nomerge]] detail::issue(instruction);                             \
  }                                                                            \
  template <typename T, bool isSetMask = true, typename Mask>                  \
  ASCENDC_API void name(const LocalTensor<T> &dst, const LocalTensor<T> &src,  \
                        const T &scalarValue, Mask mask,                       \
                        const uint8_t repeatTime,                              \
                        const UnaryRepeatParams &repeatParams) {               \
    static_assert(rule, #name ": the element type must be " types);            \
    auto instruction =                                                         \
        detail::vectorOp(ascsim::Opcode::Scalar, ascsim::Function::function,   \
                         dst.operand(), src.operand());                        \
    instruction.scalar = detail::bitsOf<T>(scalarValue);                       \
    detail::setMask<isSetMask>(instruction, mask, repeatTime);                 \
    detail::setStrides(instruction, repeatParams);                             \
    [[clang::nomerge]] detail::issue(instruction);                             \
  }

#define ASCENDC_FLOATS (detail::isOneOf<T, half, float>)
#define ASCENDC_NUMBERS (detail::isOneOf<T, half, float, int16_t, int32_t>)
#define ASCENDC_BITS (detail::isOneOf<T, int16_t, uint16_t>)
#define ASCENDC_INTEGERS                                                       \
  (detail::isOneOf<T, int16_t, uint16_t, int32_t, uint32_t>)

ASCENDC_UNARY(Exp, Exp, ASCENDC_FLOATS, "half or float")
ASCENDC_UNARY(Ln, Ln, ASCENDC_FLOATS, "half or float")
ASCENDC_UNARY(Sqrt, Sqrt, ASCENDC_FLOATS, "half or float")
ASCENDC_UNARY(Rsqrt, Rsqrt, ASCENDC_FLOATS, "half or float")
ASCENDC_UNARY(Reciprocal, Reciprocal, ASCENDC_FLOATS, "half or float")
ASCENDC_UNARY(Abs, Abs, ASCENDC_FLOATS, "half or float")
ASCENDC_UNARY(Relu, Relu, (detail::isOneOf<T, half, float, int32_t>),
              "half, float or int32_t")
ASCENDC_UNARY(Not, Not, ASCENDC_BITS, "int16_t or uint16_t")

ASCENDC_BINARY_SAME(Add, Add, ASCENDC_NUMBERS,
                    "half, float, int16_t or int32_t")
ASCENDC_BINARY_SAME(Sub, Sub, ASCENDC_NUMBERS,
                    "half, float, int16_t or int32_t")
ASCENDC_BINARY_SAME(Mul, Mul, ASCENDC_NUMBERS,
                    "half, float, int16_t or int32_t")
ASCENDC_BINARY_SAME(Max, Max, ASCENDC_NUMBERS,
                    "half, float, int16_t or int32_t")
ASCENDC_BINARY_SAME(Min, Min, ASCENDC_NUMBERS,
                    "half, float, int16_t or int32_t")
ASCENDC_BINARY_SAME(Div, Div, ASCENDC_FLOATS, "half or float")
ASCENDC_BINARY_SAME(And, And, ASCENDC_BITS, "int16_t or uint16_t")
ASCENDC_BINARY_SAME(Or, Or, ASCENDC_BITS, "int16_t or uint16_t")

ASCENDC_SCALAR(Adds, Add, ASCENDC_NUMBERS, "half, float, int16_t or int32_t")
ASCENDC_SCALAR(Muls, Mul, ASCENDC_NUMBERS, "half, float, int16_t or int32_t")
ASCENDC_SCALAR(Maxs, Max, ASCENDC_NUMBERS, "half, float, int16_t or int32_t")
ASCENDC_SCALAR(Mins, Min, ASCENDC_NUMBERS, "half, float, int16_t or int32_t")
ASCENDC_SCALAR(LeakyRelu, LeakyRelu, ASCENDC_FLOATS, "half or float")
ASCENDC_SCALAR(ShiftLeft, ShiftLeft, ASCENDC_INTEGERS,
               "int16_t, uint16_t, int32_t or uint32_t")
ASCENDC_SCALAR(ShiftRight, ShiftRight, ASCENDC_INTEGERS,
               "int16_t, uint16_t, int32_t or uint32_t")

#define ASCENDC_MULTIPLY_ADD                                                   \
  ((detail::isSame<T, U> && detail::isOneOf<T, half, float>) ||                \
   (detail::isSame<T, float> && detail::isSame<U, half>))
/// dst += src0 * src1
ASCENDC_TERNARY(MulAddDst, MulAddDst, ASCENDC_MULTIPLY_ADD,
                "half or float (or float with half sources)")
/// dst = src0 * dst + src1
template <typename T>
ASCENDC_BINARY(Ternary, FusedMulAdd, FusedMulAdd, T, ASCENDC_FLOATS,
               "half or float")
template <typename T, bool isSetMask = true, typename Mask>
ASCENDC_BINARY_REPEAT(Ternary, FusedMulAdd, FusedMulAdd, T, ASCENDC_FLOATS,
                      "half or float")

/// dst += src * scalar
template <typename T, typename U>
ASCENDC_API void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                      const U &scalarValue, const int32_t &count) {
  static_assert(ASCENDC_MULTIPLY_ADD,
                "Axpy: the element types must be half or float (or a float "
                "destination with a half source)");
  auto instruction =
      detail::vectorOp(ascsim::Opcode::Ternary, ascsim::Function::Axpy,
                       dst.operand(), src.operand());
  instruction.scalar = detail::bitsOf<U>(scalarValue);
  detail::setCount(instruction, count, sizeof(T), sizeof(U), sizeof(T));
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
ASCENDC_API void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                      const U &scalarValue, Mask mask, const uint8_t repeatTime,
                      const UnaryRepeatParams &repeatParams) {
  static_assert(ASCENDC_MULTIPLY_ADD,
                "Axpy: the element types must be half or float (or a float "
                "destination with a half source)");
  auto instruction =
      detail::vectorOp(ascsim::Opcode::Ternary, ascsim::Function::Axpy,
                       dst.operand(), src.operand());
  instruction.scalar = detail::bitsOf<U>(scalarValue);
  detail::setMask<isSetMask>(instruction, mask, repeatTime);
  detail::setStrides(instruction, repeatParams);
  [[clang::nomerge]] detail::issue(instruction);
}

/// dst = value
template <typename T>
ASCENDC_API void Duplicate(const LocalTensor<T> &dst, const T &scalarValue,
                           const int32_t &count) {
  static_assert(detail::isOneOf<T, half, bfloat16_t, int16_t, uint16_t, int32_t,
                                uint32_t, float>,
                "Duplicate: elements of 16 or 32 bits (reinterpret others)");
  auto instruction = detail::vectorOp(
      ascsim::Opcode::Duplicate, ascsim::Function::None, dst.operand(), {});
  instruction.scalar = detail::bitsOf<T>(scalarValue);
  detail::setCount(instruction, count, sizeof(T), sizeof(T), sizeof(T));
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, bool isSetMask = true, typename Mask>
ASCENDC_API void Duplicate(const LocalTensor<T> &dst, const T &scalarValue,
                           Mask mask, const uint8_t repeatTime,
                           const uint16_t dstBlockStride,
                           const uint8_t dstRepeatStride) {
  static_assert(detail::isOneOf<T, half, bfloat16_t, int16_t, uint16_t, int32_t,
                                uint32_t, float>,
                "Duplicate: elements of 16 or 32 bits (reinterpret others)");
  auto instruction = detail::vectorOp(
      ascsim::Opcode::Duplicate, ascsim::Function::None, dst.operand(), {});
  instruction.scalar = detail::bitsOf<T>(scalarValue);
  detail::setMask<isSetMask>(instruction, mask, repeatTime);
  instruction.vector.dst = {dstBlockStride, dstRepeatStride};
  [[clang::nomerge]] detail::issue(instruction);
}

/// UB -> UB with block and repeat strides, bits unchanged.
template <typename T, bool isSetMask = true, typename Mask>
ASCENDC_API void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                      Mask mask, const uint8_t repeatTime,
                      const CopyRepeatParams &repeatParams) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4,
                "Copy: elements of 16 or 32 bits");
  auto instruction =
      detail::vectorOp(ascsim::Opcode::Unary, ascsim::Function::Copy,
                       dst.operand(), src.operand());
  detail::setMask<isSetMask>(instruction, mask, repeatTime);
  instruction.vector.dst = {repeatParams.dstStride, repeatParams.dstRepeatSize};
  instruction.vector.src0 = {repeatParams.srcStride,
                             repeatParams.srcRepeatSize};
  [[clang::nomerge]] detail::issue(instruction);
}

/// Eight elements of src become eight blocks of dst, per repeat.
template <typename T>
ASCENDC_API void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                      const uint8_t repeatTime,
                      const BrcbRepeatParams &repeatParams) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4,
                "Brcb: elements of 16 or 32 bits");
  auto instruction =
      detail::vectorOp(ascsim::Opcode::Broadcast, ascsim::Function::None,
                       dst.operand(), src0.operand());
  instruction.vector.repeat = repeatTime;
  instruction.vector.dst = {repeatParams.dstBlkStride,
                            repeatParams.dstRepStride};
  [[clang::nomerge]] detail::issue(instruction);
}

namespace detail {
constexpr uint32_t castSize(ascsim::DataType type) {
  return ascsim::sizeOf(type);
}
template <typename T, typename U>
constexpr bool isCastPair =
    (isSame<U, half> &&
     isOneOf<T, int4b_t, int8_t, uint8_t, int16_t, int32_t, float>) ||
    (isSame<T, half> &&
     isOneOf<U, int4b_t, int8_t, uint8_t, int16_t, int32_t>) ||
    (isSame<U, float> &&
     isOneOf<T, half, bfloat16_t, int16_t, int32_t, int64_t, float>) ||
    (isSame<U, bfloat16_t> && isOneOf<T, float, int32_t>) ||
    (isSame<U, int16_t> && isOneOf<T, float>) ||
    (isSame<U, int32_t> && isOneOf<T, float, int16_t, int64_t>) ||
    (isSame<U, int64_t> && isOneOf<T, int32_t, float>);
} // namespace detail
#define ASCENDC_CAST_MESSAGE                                                   \
  "Cast: this pair of types does not exist on this chip (half, int8_t and "    \
  "bfloat16_t meet only "                                                      \
  "through half or float: go through an intermediate type)"

template <typename T, typename U>
ASCENDC_API void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                      const RoundMode &roundMode, const uint32_t count) {
  static_assert(detail::isCastPair<T, U>, ASCENDC_CAST_MESSAGE);
  auto instruction =
      detail::vectorOp(ascsim::Opcode::Cast, ascsim::Function::None,
                       dst.operand(), src.operand());
  instruction.round = static_cast<ascsim::RoundMode>(roundMode);
  constexpr uint32_t widest = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);
  detail::setCount(instruction, count, sizeof(T), sizeof(U), widest);
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, typename U, bool isSetMask = true, typename Mask>
ASCENDC_API void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                      const RoundMode &roundMode, Mask mask,
                      const uint8_t repeatTime,
                      const UnaryRepeatParams &repeatParams) {
  static_assert(detail::isCastPair<T, U>, ASCENDC_CAST_MESSAGE);
  auto instruction =
      detail::vectorOp(ascsim::Opcode::Cast, ascsim::Function::None,
                       dst.operand(), src.operand());
  instruction.round = static_cast<ascsim::RoundMode>(roundMode);
  detail::setMask<isSetMask>(instruction, mask, repeatTime);
  detail::setStrides(instruction, repeatParams);
  [[clang::nomerge]] detail::issue(instruction);
}

/// dst[i] = element of src at byte offset srcOffset[i] + srcBaseAddr.
template <typename T>
ASCENDC_API void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                        const LocalTensor<uint32_t> &srcOffset,
                        const uint32_t srcBaseAddr, const uint32_t count) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4,
                "Gather: elements of 16 or 32 bits");
  auto instruction =
      detail::vectorOp(ascsim::Opcode::Gather, ascsim::Function::None,
                       dst.operand(), src.operand());
  instruction.src1 = srcOffset.operand();
  instruction.scalar = srcBaseAddr;
  detail::setCount(instruction, count, sizeof(T), sizeof(T), sizeof(T));
  [[clang::nomerge]] detail::issue(instruction);
}
template <typename T, typename Mask>
ASCENDC_API void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                        const LocalTensor<uint32_t> &srcOffset,
                        const uint32_t srcBaseAddr, Mask mask,
                        const uint8_t repeatTime, const uint16_t dstRepStride) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4,
                "Gather: elements of 16 or 32 bits");
  auto instruction =
      detail::vectorOp(ascsim::Opcode::Gather, ascsim::Function::None,
                       dst.operand(), src.operand());
  instruction.src1 = srcOffset.operand();
  instruction.scalar = srcBaseAddr;
  detail::setMask<true>(instruction, mask, repeatTime);
  instruction.vector.dst = {1, dstRepStride};
  [[clang::nomerge]] detail::issue(instruction);
}

/// dst = first, first + 1, ...
template <typename T>
ASCENDC_API void CreateVecIndex(const LocalTensor<T> &dst, const T &firstValue,
                                uint32_t count) {
  static_assert(detail::isOneOf<T, half, float, int16_t, int32_t>,
                "CreateVecIndex: the element type must be half, float, int16_t "
                "or int32_t");
  auto instruction = detail::vectorOp(
      ascsim::Opcode::VecIndex, ascsim::Function::None, dst.operand(), {});
  instruction.scalar = detail::bitsOf<T>(firstValue);
  detail::setCount(instruction, count, sizeof(T), sizeof(T), sizeof(T));
  [[clang::nomerge]] detail::issue(instruction);
}

/// Conversions of one scalar; the scalar unit has no bfloat16 arithmetic.
ASCENDC_API float ToFloat(const bfloat16_t &value) {
  return static_cast<float>(value);
}
ASCENDC_API bfloat16_t ToBfloat16(const float &value) {
  return static_cast<bfloat16_t>(value);
}

#undef ASCENDC_UNARY
#undef ASCENDC_BINARY
#undef ASCENDC_BINARY_REPEAT
#undef ASCENDC_BINARY_SAME
#undef ASCENDC_TERNARY
#undef ASCENDC_SCALAR

} // namespace AscendC

#endif // ASCENDC_VECTOR_H
