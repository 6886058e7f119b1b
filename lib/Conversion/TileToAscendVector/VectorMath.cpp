//===- VectorMath.cpp - Functions as sequences of instructions ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Relative errors, in single precision, beside the error of the hardware's
// own Exp, Ln, Sqrt and Div (about one unit in the last place):
//   exp2      x ln 2 is rounded before Exp: at most |x| 2^-25. Constant factors
//             of x are multiplied into ln 2, and a product next to 1 is left
//             out: at most 2^-24 of x, or of a and b where x = a c - b c
//   log2, log10   one rounding more
//   c ** x    x ln c is rounded before Exp: at most |x ln c| 2^-24
//   tanh      3e-7; of 1 where only constants of at least 1/2 are added to it
//   erf       3e-7
//   sin, cos, tan   3e-7 of the result or of 1, up to |x| = 100000
//   log1p     5e-7
//   rsqrt     Sqrt, then Div: one rounding more (the hardware's Rsqrt is
//   inexact)
// Coefficients are our own minimax fits.
//
//===----------------------------------------------------------------------===//

#include "VectorExpression.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace tilelang::vectorcore {

using ascend::BinaryFunction;
using ascend::CastRounding;
using ascend::CompareMode;
using ascend::ScalarFunction;
using ascend::UnaryFunction;

/// coefficients[0] + x (coefficients[1] + x (...)).
int ExpressionBuilder::polynomial(int x, ArrayRef<double> coefficients) {
  int result =
      scalar(ScalarFunction::Muls, x, floatConstant(coefficients.back()));
  for (double coefficient :
       llvm::reverse(coefficients.drop_front().drop_back())) {
    result = scalar(ScalarFunction::Adds, result, floatConstant(coefficient));
    result = binary(BinaryFunction::Mul, result, x);
  }
  return scalar(ScalarFunction::Adds, result,
                floatConstant(coefficients.front()));
}

/// 1 - 2 / (exp(2x) + 1), which goes to its limits by itself; near 0 it is
/// exact to the precision of 1 only. `twice` is 2x.
int ExpressionBuilder::tangentByExponential(int twice) {
  int result = unary(UnaryFunction::Exp, twice);
  result = scalar(ScalarFunction::Adds, result, floatConstant(1.0));
  int two = duplicate(floatConstant(-2.0), Lane::F32, Shape::Point);
  result = binary(BinaryFunction::Div, two, result);
  return scalar(ScalarFunction::Adds, result, floatConstant(1.0));
}

/// All that is done with the value is to add constants so large that what is
/// lost near 0 would be lost in the sum anyway: `1 + tanh(x)` of GELU.
static bool isOnlyOffset(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    auto sum = dyn_cast<arith::AddFOp>(user);
    if (!sum)
      return false;
    APFloat constant(0.0f);
    Value other = sum.getLhs() == value ? sum.getRhs() : sum.getLhs();
    return matchPattern(other, m_ConstantFloat(&constant)) &&
           std::abs(constant.convertToFloat()) >= 0.5f;
  });
}

int ExpressionBuilder::hyperbolicTangent(int x) {
  // Near 0 an odd polynomial.
  static const double kNear[] = {-0.33333149552345276, 0.1332598626613617,
                                 -0.053052883595228195, 0.017256837338209152};
  int square = binary(BinaryFunction::Mul, x, x);
  int near = polynomial(square, kNear);
  near = binary(BinaryFunction::Mul, near, square);
  near = binary(BinaryFunction::Mul, near, x);
  near = binary(BinaryFunction::Add, near, x);

  int far =
      tangentByExponential(scalar(ScalarFunction::Muls, x, floatConstant(2.0)));
  const ConditionNode *isNear =
      compare(CompareMode::LT, square, floatConstant(0.25));
  return select(isNear, near, far, shapeOf(x));
}

int ExpressionBuilder::errorFunction(int x) {
  // x times a polynomial in x^2 up to 1; beyond, 1 - exp(-p(|x|)) with the sign
  // of x. From 4 on the result is 1.
  static const double kNear[] = {1.1283791065216064,   -0.3761235475540161,
                                 0.112804114818573,    -0.02671770751476288,
                                 0.004924789071083069, -0.000566015369258821};
  static const double kFar[] = {0.00024471490178257227, 1.1274750232696533,
                                0.6375170350074768,     0.10364031791687012,
                                -0.022087637335062027,  0.0030085360631346703,
                                -0.0001924259413499385};
  int square = binary(BinaryFunction::Mul, x, x);
  int near = binary(BinaryFunction::Mul, polynomial(square, kNear), x);

  int magnitude = unary(UnaryFunction::Abs, x);
  int clamped = scalar(ScalarFunction::Mins, magnitude, floatConstant(4.0));
  int far = polynomial(clamped, kFar);
  far = scalar(ScalarFunction::Muls, far, floatConstant(-1.0));
  far = unary(UnaryFunction::Exp, far);
  far = scalar(ScalarFunction::Muls, far, floatConstant(-1.0));
  far = scalar(ScalarFunction::Adds, far, floatConstant(1.0));
  // The sign as max(-1, min(1, x)): |x| is at least 1 here. NaN stays NaN.
  int sign = scalar(ScalarFunction::Mins, x, floatConstant(1.0));
  sign = scalar(ScalarFunction::Maxs, sign, floatConstant(-1.0));
  far = binary(BinaryFunction::Mul, far, sign);

  const ConditionNode *isNear =
      compare(CompareMode::LT, square, floatConstant(1.0));
  return select(isNear, near, far, shapeOf(x));
}

/// sin(x), or sin(x + pi/2): x is a multiple of pi, in three parts whose
/// products are exact, and a rest in which sine is a short polynomial.
int ExpressionBuilder::sine(int x, bool shifted) {
  static const double kPi[] = {3.140625, 0.0009670257568359375,
                               6.278329465203569e-07};
  static const double kOdd[] = {-0.16666659712791443, 0.008333065547049046,
                                -0.00019809538207482547,
                                2.6056309252453502e-06};
  auto times = [&](int reg, double factor) {
    return scalar(ScalarFunction::Muls, reg, floatConstant(factor));
  };
  auto plus = [&](int reg, double term) {
    return scalar(ScalarFunction::Adds, reg, floatConstant(term));
  };
  // The nearest zero of the function is at (turns + 1/2 if shifted) * pi.
  int turns = times(x, 0.31830988618379067);
  if (shifted)
    turns = plus(turns, -0.5);
  turns = roundTo(turns, CastRounding::Rint);
  int zero = shifted ? plus(turns, 0.5) : turns;
  int rest = x;
  for (double part : kPi)
    rest = binary(BinaryFunction::Sub, rest, times(zero, part));
  int square = binary(BinaryFunction::Mul, rest, rest);
  int value = polynomial(square, kOdd);
  value = binary(BinaryFunction::Mul, value, square);
  value = binary(BinaryFunction::Mul, value, rest);
  value = binary(BinaryFunction::Add, value, rest);
  // The sign alternates: 1 - 2 * (turns mod 2), and the opposite for cosine.
  int pairs = roundTo(times(turns, 0.5), CastRounding::Floor);
  int odd = binary(BinaryFunction::Sub, turns, times(pairs, 2.0));
  int sign =
      shifted ? plus(times(odd, 2.0), -1.0) : plus(times(odd, -2.0), 1.0);
  return binary(BinaryFunction::Mul, value, sign);
}

/// ln(1 + x): what rounding 1 + x loses is made good by a factor.
int ExpressionBuilder::logarithmOfOnePlus(int x) {
  int sum = scalar(ScalarFunction::Adds, x, floatConstant(1.0));
  int kept = scalar(ScalarFunction::Adds, sum, floatConstant(-1.0));
  int value = unary(UnaryFunction::Ln, sum);
  value = binary(BinaryFunction::Mul, value, x);
  value = binary(BinaryFunction::Div, value, kept);
  const ConditionNode *tiny =
      compare(CompareMode::EQ, kept, floatConstant(0.0));
  // Infinity would be divided by itself.
  const ConditionNode *huge = compare(CompareMode::GT, x, floatConstant(1e30));
  int result = select(tiny, x, value, shapeOf(x));
  return select(huge, unary(UnaryFunction::Ln, x), result, shapeOf(x));
}

/// To a whole number, still a float.
int ExpressionBuilder::roundTo(int x, CastRounding rounding) {
  return cast(x, Lane::F32, rounding);
}

/// The other operand of a product of floats with a constant, and the constant.
static std::pair<Value, double> constantFactor(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !value.getType().isF32())
    return {};
  APFloat constant(0.0f);
  for (unsigned side : {0u, 1u})
    if (matchPattern(product->getOperand(side), m_ConstantFloat(&constant)))
      return {product->getOperand(1 - side), constant.convertToFloat()};
  return {};
}

/// x * factor, where constant factors of x join: one product for all. A
/// difference is taken apart if both sides have the same factor, so that equal
/// values still differ by 0.
int ExpressionBuilder::scaledArgument(Value x, double factor) {
  auto isUsable = [](double number) {
    double magnitude = std::abs(number);
    return magnitude > 1e-30 && magnitude < 1e30;
  };
  if (!isScalar(x)) {
    auto [other, constant] = constantFactor(x);
    if (other && isUsable(factor * constant))
      return scaledArgument(other, factor * constant);
    auto difference = x.getDefiningOp<arith::SubFOp>();
    if (difference && !isScalar(difference.getLhs()) &&
        !isScalar(difference.getRhs())) {
      auto [lhs, left] = constantFactor(difference.getLhs());
      auto [rhs, right] = constantFactor(difference.getRhs());
      if (lhs && rhs && left == right && isUsable(factor * left))
        return binary(BinaryFunction::Sub, scaledArgument(lhs, factor * left),
                      scaledArgument(rhs, factor * right));
    }
  }
  Node node = evaluate(x);
  int reg = node.kind == Node::Kind::Vector
                ? node.reg
                : duplicate(node.scalar, Lane::F32, smallestShape());
  // A factor that is 1 up to its own rounding.
  if (std::abs(factor - 1.0) <= 0x1p-24)
    return reg;
  return scalar(ScalarFunction::Muls, reg, floatConstant(factor));
}

Node ExpressionBuilder::evaluateMath(Operation *op) {
  Type type = op->getResult(0).getType();
  // Halves compute in single precision and round once.
  if (isa<FloatType>(type) && !type.isF32())
    return fail("the vector unit computes functions in float32");
  if (isa<math::Exp2Op>(op) && type.isF32())
    return vectorNode(
        unary(UnaryFunction::Exp, scaledArgument(op->getOperand(0), M_LN2)));
  if (isa<math::TanhOp>(op) && type.isF32() && isOnlyOffset(op->getResult(0)))
    return vectorNode(
        tangentByExponential(scaledArgument(op->getOperand(0), 2.0)));
  Node operand = evaluate(op->getOperand(0));
  if (failed)
    return operand;
  if (isa<math::AbsIOp>(op)) {
    if (type.isIndex() || type.getIntOrFloatBitWidth() > 32 ||
        operand.kind != Node::Kind::Vector)
      return fail("an absolute value of this integer type");
    operand = normalise(operand, false);
    if (failed)
      return operand;
    int negative =
        scalar(ScalarFunction::Muls, operand.reg, integerConstant(-1));
    // The smallest number has no opposite in its type.
    return integerNode(
        binary(BinaryFunction::Max, operand.reg, negative), operand.bits,
        operand.bits < 32 ? Node::Sign::Unknown : Node::Sign::Signed);
  }
  if (!type.isF32())
    return fail("the vector unit has no form of '" +
                op->getName().getStringRef() + "' on this type");
  int x = operand.kind == Node::Kind::Vector
              ? operand.reg
              : duplicate(operand.scalar, Lane::F32, smallestShape());
  // These choose between two forms by a comparison, which works on more than
  // the one block of a repeated value.
  if (isa<math::TanhOp, math::ErfOp, math::Log1pOp>(op) &&
      shapeOf(x) == Shape::Point)
    x = materialise(x, smallestShape(), false);
  auto scaled = [&](int reg, double factor) {
    return scalar(ScalarFunction::Muls, reg, floatConstant(factor));
  };
  if (isa<math::ExpOp>(op))
    return vectorNode(unary(UnaryFunction::Exp, x));
  if (isa<math::LogOp>(op))
    return vectorNode(unary(UnaryFunction::Ln, x));
  if (isa<math::Log2Op>(op))
    return vectorNode(scaled(unary(UnaryFunction::Ln, x), M_LOG2E));
  if (isa<math::Log10Op>(op))
    return vectorNode(scaled(unary(UnaryFunction::Ln, x), M_LOG10E));
  if (isa<math::SqrtOp>(op))
    return vectorNode(unary(UnaryFunction::Sqrt, x));
  if (isa<math::RsqrtOp>(op)) {
    int root = unary(UnaryFunction::Sqrt, x);
    int one = duplicate(floatConstant(1.0), Lane::F32, Shape::Point);
    return vectorNode(binary(BinaryFunction::Div, one, root));
  }
  if (isa<math::AbsFOp>(op))
    return vectorNode(unary(UnaryFunction::Abs, x));
  if (isa<math::TanhOp>(op))
    return vectorNode(hyperbolicTangent(x));
  if (isa<math::ErfOp>(op))
    return vectorNode(errorFunction(x));
  if (isa<math::SinOp>(op))
    return vectorNode(sine(x, false));
  if (isa<math::CosOp>(op))
    return vectorNode(sine(x, true));
  if (isa<math::TanOp>(op))
    return vectorNode(
        binary(BinaryFunction::Div, sine(x, false), sine(x, true)));
  if (isa<math::Log1pOp>(op))
    return vectorNode(logarithmOfOnePlus(x));
  if (isa<math::FloorOp>(op))
    return vectorNode(roundTo(x, CastRounding::Floor));
  if (isa<math::CeilOp>(op))
    return vectorNode(roundTo(x, CastRounding::Ceil));
  if (isa<math::TruncOp>(op))
    return vectorNode(roundTo(x, CastRounding::Trunc));
  if (isa<math::RoundOp>(op))
    return vectorNode(roundTo(x, CastRounding::Round));
  if (isa<math::RoundEvenOp>(op))
    return vectorNode(roundTo(x, CastRounding::Rint));
  if (isa<math::PowFOp>(op)) {
    APFloat exponent(0.0f);
    if (matchPattern(op->getOperand(1), m_ConstantFloat(&exponent))) {
      double number = exponent.convertToFloat();
      if (number == 1.0)
        return vectorNode(x);
      if (number == 2.0)
        return vectorNode(binary(BinaryFunction::Mul, x, x));
      if (number == 0.5)
        return vectorNode(unary(UnaryFunction::Sqrt, x));
    }
    if (matchPattern(op->getOperand(0), m_ConstantFloat(&exponent)) &&
        exponent.convertToFloat() > 0) {
      double base = exponent.convertToFloat();
      Node power = evaluate(op->getOperand(1));
      if (failed)
        return power;
      return vectorNode(
          unary(UnaryFunction::Exp,
                scaled(vector(power, Lane::F32), std::log(base))));
    }
    return fail("the vector unit has no general power; use T.exp(y * T.log(x)) "
                "for a positive x");
  }
  return fail("the vector unit has no form of '" +
              op->getName().getStringRef() + "'");
}

} // namespace tilelang::vectorcore
