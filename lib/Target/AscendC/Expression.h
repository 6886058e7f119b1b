//===- Expression.h - C++ expressions with folding --------------*- C++ -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_TARGET_ASCENDC_EXPRESSION_H
#define TILELANG_LIB_TARGET_ASCENDC_EXPRESSION_H

#include <cstdint>
#include <optional>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace tilelang::ascend {

/// How strongly an expression's outermost operator binds.
enum class Binding : uint8_t {
  Conditional,
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relation,
  Shift,
  Sum,
  Product,
  Unary,
  Primary
};

/// The text of a C++ expression, with its value where it is a constant integer.
struct Expression {
  std::string text;
  Binding binding = Binding::Primary;
  std::optional<int64_t> constant;

  Expression() = default;
  Expression(int64_t value);
  explicit Expression(std::string text, Binding binding = Binding::Primary)
      : text(std::move(text)), binding(binding) {}

  bool is(int64_t value) const { return constant && *constant == value; }
  /// A name or a literal: free to repeat.
  bool isAtom() const;
  /// The text, in parentheses where it binds less than `least`.
  std::string within(Binding least) const;
};

/// `lhs op rhs` with parentheses as needed.
Expression binaryExpression(const Expression &lhs, llvm::StringRef symbol,
                            const Expression &rhs, Binding binding);

Expression operator+(const Expression &lhs, const Expression &rhs);
Expression operator-(const Expression &lhs, const Expression &rhs);
Expression operator*(const Expression &lhs, const Expression &rhs);
/// Of values that are not negative.
Expression operator/(const Expression &lhs, const Expression &rhs);
Expression operator%(const Expression &lhs, const Expression &rhs);

/// ceil(value / divisor) and the next multiple of values that are not
/// negative.
Expression ceilDivide(const Expression &value, int64_t divisor);
Expression roundUp(const Expression &value, int64_t multiple);

/// `type(value)` unless the value is a constant: braces accept no narrowing.
std::string narrowed(llvm::StringRef type, const Expression &value);

} // namespace tilelang::ascend

#endif // TILELANG_LIB_TARGET_ASCENDC_EXPRESSION_H
