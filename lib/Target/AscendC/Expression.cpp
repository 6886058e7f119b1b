//===- Expression.cpp - C++ expressions with folding ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace tilelang::ascend;

Expression::Expression(int64_t value)
    : text(std::to_string(value)),
      binding(value < 0 ? Binding::Unary : Binding::Primary), constant(value) {
  // Literals beyond 32 bits are `long` where the host is, which is 64 bits on
  // both sides; the smallest value has no literal of its own.
  if (value == INT64_MIN) {
    text = "-9223372036854775807 - 1";
    binding = Binding::Sum;
  }
}

bool Expression::isAtom() const {
  if (constant)
    return true;
  return llvm::all_of(text, [](char character) {
    return llvm::isAlnum(character) || character == '_' || character == '.';
  });
}

std::string Expression::within(Binding least) const {
  return binding < least ? "(" + text + ")" : text;
}

Expression tilelang::ascend::binaryExpression(const Expression &lhs,
                                              llvm::StringRef symbol,
                                              const Expression &rhs,
                                              Binding binding) {
  // The right operand of a left-associative operator must bind more.
  auto tighter = static_cast<Binding>(static_cast<uint8_t>(binding) + 1);
  return Expression(lhs.within(binding) + " " + symbol.str() + " " +
                        rhs.within(tighter),
                    binding);
}

Expression tilelang::ascend::operator+(const Expression &lhs,
                                       const Expression &rhs) {
  if (lhs.constant && rhs.constant)
    return *lhs.constant + *rhs.constant;
  if (lhs.is(0))
    return rhs;
  if (rhs.is(0))
    return lhs;
  if (rhs.constant && *rhs.constant < 0 && *rhs.constant != INT64_MIN)
    return binaryExpression(lhs, "-", -*rhs.constant, Binding::Sum);
  // Addition of integers is associative: no parentheses on the right.
  if (rhs.binding == Binding::Sum)
    return Expression(lhs.within(Binding::Sum) + " + " + rhs.text,
                      Binding::Sum);
  return binaryExpression(lhs, "+", rhs, Binding::Sum);
}

Expression tilelang::ascend::operator-(const Expression &lhs,
                                       const Expression &rhs) {
  if (lhs.constant && rhs.constant)
    return *lhs.constant - *rhs.constant;
  if (rhs.is(0))
    return lhs;
  if (!lhs.constant && lhs.text == rhs.text)
    return 0;
  if (rhs.constant && *rhs.constant < 0 && *rhs.constant != INT64_MIN)
    return binaryExpression(lhs, "+", -*rhs.constant, Binding::Sum);
  return binaryExpression(lhs, "-", rhs, Binding::Sum);
}

Expression tilelang::ascend::operator*(const Expression &lhs,
                                       const Expression &rhs) {
  if (lhs.constant && rhs.constant)
    return *lhs.constant * *rhs.constant;
  if (lhs.is(0) || rhs.is(0))
    return 0;
  if (lhs.is(1))
    return rhs;
  if (rhs.is(1))
    return lhs;
  if (lhs.constant)
    return binaryExpression(rhs, "*", lhs, Binding::Product);
  return binaryExpression(lhs, "*", rhs, Binding::Product);
}

Expression tilelang::ascend::operator/(const Expression &lhs,
                                       const Expression &rhs) {
  if (lhs.constant && rhs.constant && *rhs.constant != 0)
    return *lhs.constant / *rhs.constant;
  if (rhs.is(1))
    return lhs;
  return binaryExpression(lhs, "/", rhs, Binding::Product);
}

Expression tilelang::ascend::operator%(const Expression &lhs,
                                       const Expression &rhs) {
  if (lhs.constant && rhs.constant && *rhs.constant != 0)
    return *lhs.constant % *rhs.constant;
  if (rhs.is(1))
    return 0;
  return binaryExpression(lhs, "%", rhs, Binding::Product);
}

Expression tilelang::ascend::ceilDivide(const Expression &value,
                                        int64_t divisor) {
  if (value.constant)
    return static_cast<int64_t>(
        llvm::divideCeil(static_cast<uint64_t>(*value.constant), divisor));
  return (value + (divisor - 1)) / divisor;
}

Expression tilelang::ascend::roundUp(const Expression &value,
                                     int64_t multiple) {
  return ceilDivide(value, multiple) * multiple;
}

std::string tilelang::ascend::narrowed(llvm::StringRef type,
                                       const Expression &value) {
  if (value.constant)
    return value.text;
  return type.str() + "(" + value.text + ")";
}
