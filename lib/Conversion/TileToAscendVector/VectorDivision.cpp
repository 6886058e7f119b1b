//===- VectorDivision.cpp - Integer division in float arithmetic ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The vector unit divides floats only. For |x| <= 2^24 and 0 < c < 2^24 the
// floor of the rounded quotient is that of the exact one: x / c is a whole
// number or at least 1 / c away from the next, and rounding moves it by less.
// Any 32-bit x takes two such steps. The first rounds x and errs by a few
// hundred at most; the second divides what is left over and is exact.
//
//===----------------------------------------------------------------------===//

#include "VectorExpression.h"

#include "tilelang/Support/IndexBounds.h"

using namespace mlir;

namespace tilelang::vectorcore {

using ascend::BinaryFunction;
using ascend::CastRounding;
using ascend::ScalarFunction;

/// What the first step leaves over must stay below 2^24.
static constexpr int64_t kLargestDivisor = int64_t(1) << 23;

ExpressionBuilder::Division
ExpressionBuilder::divideFloor(int x, const Node &divisor) {
  // A constant becomes a scalar operand; a power of two needs no division.
  auto constant = dyn_cast_if_present<IntegerAttr>(divisor.scalar.constant);
  Node floatDivisor;
  if (constant)
    floatDivisor.scalar = floatConstant(constant.getInt());
  else
    floatDivisor =
        vectorNode(cast(duplicate(divisor.scalar, Lane::I32, Shape::Point),
                        Lane::F32, CastRounding::Rint));
  auto step = [&](int dividend) {
    Node wide = vectorNode(cast(dividend, Lane::F32, CastRounding::Rint));
    Node ratio = arithmetic(BinaryFunction::Div, wide, floatDivisor, Lane::F32);
    return cast(ratio.reg, Lane::I32, CastRounding::Floor);
  };
  int first = step(x);
  int rest = subtractProduct(x, first, divisor);
  int second = step(rest);
  return {binary(BinaryFunction::Add, first, second), rest, second};
}

/// x - factor * divisor.
int ExpressionBuilder::subtractProduct(int x, int factor, const Node &divisor) {
  Node product =
      arithmetic(BinaryFunction::Mul, vectorNode(factor), divisor, Lane::I32);
  return binary(BinaryFunction::Sub, x, product.reg);
}

Node ExpressionBuilder::evaluateDivision(Operation *op) {
  Value by = op->getOperand(1);
  Type type = op->getResult(0).getType();
  unsigned bits = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
  if (bits > 32)
    return fail("the vector unit has no 64-bit elements");
  Node dividend = evaluate(op->getOperand(0));
  Node divisor = evaluate(by);
  if (failed)
    return dividend;
  if (divisor.kind != Node::Kind::Scalar)
    return fail("the divisor of an integer division differs between elements");
  IndexInterval bounds = boundsOf(by);
  if (!bounds.lower || *bounds.lower < 1 || !bounds.upper ||
      *bounds.upper > kLargestDivisor)
    return fail("the vector unit has no integer division, unless the divisor "
                "is known to be from 1 to 8388608");
  bool isUnsigned = isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(op);
  dividend = normalise(dividend, isUnsigned);
  if (failed)
    return dividend;
  int x = dividend.kind == Node::Kind::Vector
              ? dividend.reg
              : duplicate(dividend.scalar, Lane::I32, smallestShape());
  Division division = divideFloor(x, divisor);
  auto rest = [&] {
    return subtractProduct(division.rest, division.second, divisor);
  };
  // 1 where something is left over.
  auto inexact = [&] {
    return scalar(ScalarFunction::Mins, rest(), integerConstant(1));
  };
  int result = division.quotient;
  if (isa<arith::RemUIOp>(op)) {
    result = rest();
  } else if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    result = binary(BinaryFunction::Add, division.quotient, inexact());
  } else if (isa<arith::DivSIOp, arith::RemSIOp>(op)) {
    // Towards zero: one more where x is negative and something is left over.
    int sign = scalar(ScalarFunction::ShiftRight, x, integerConstant(31));
    int less = binary(BinaryFunction::Mul, sign, inexact());
    result = binary(BinaryFunction::Sub, division.quotient, less);
    if (isa<arith::RemSIOp>(op))
      result = subtractProduct(x, result, divisor);
  }
  return integerNode(result, bits,
                     isUnsigned ? Node::Sign::Unsigned : Node::Sign::Signed);
}

} // namespace tilelang::vectorcore
