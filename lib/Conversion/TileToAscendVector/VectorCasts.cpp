//===- VectorCasts.cpp - Conversions through the pairs there are ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Integers of up to 32 bits are computed in 32 bits; the upper bits of a narrow
// one are put right where they matter. Bytes pass through half, which holds
// them exactly.
//
//===----------------------------------------------------------------------===//

#include "VectorExpression.h"

using namespace mlir;

namespace tilelang::vectorcore {

using ascend::BinaryFunction;
using ascend::CastRounding;
using ascend::ScalarFunction;
using ascend::UnaryFunction;

//===-- Integers ---------------------------------------------------------===//

Node ExpressionBuilder::loadInteger(int reg, bool isUnsigned, unsigned bits) {
  switch (laneOf(reg)) {
  case Lane::I8:
  case Lane::U8: {
    int half = cast(reg, Lane::F16, CastRounding::None);
    return integerNode(cast(half, Lane::I32, CastRounding::Rint), bits,
                       isUnsigned ? Node::Sign::Unsigned : Node::Sign::Signed);
  }
  case Lane::I16: {
    int wide = cast(reg, Lane::F32, CastRounding::None);
    return integerNode(cast(wide, Lane::I32, CastRounding::Rint), bits,
                       Node::Sign::Signed);
  }
  default:
    return integerNode(reg, bits, Node::Sign::Signed);
  }
}

/// The value with upper bits as the signedness says.
Node ExpressionBuilder::normalise(Node from, bool isUnsigned) {
  Node::Sign wanted = isUnsigned ? Node::Sign::Unsigned : Node::Sign::Signed;
  if (from.bits >= 32) {
    if (isUnsigned && from.kind == Node::Kind::Vector)
      return fail("the vector unit does not order unsigned 32-bit integers");
    return from;
  }
  if (from.kind == Node::Kind::Scalar) {
    if (isUnsigned)
      from.scalar.form = ScalarOperand::Form::ZeroExtended;
    return from;
  }
  if (from.kind != Node::Kind::Vector)
    return fail("a truth value is used as a number");
  if (from.sign == wanted)
    return from;
  ScalarOperand distance = integerConstant(32 - from.bits);
  int high = scalar(ScalarFunction::ShiftLeft, from.reg, distance);
  int reg = scalar(ScalarFunction::ShiftRight, high, distance,
                   isUnsigned ? Lane::U32 : Lane::I32);
  return integerNode(reg, from.bits, wanted);
}

int ExpressionBuilder::storeInteger(Node root, Lane lane, bool isUnsigned) {
  if (root.kind == Node::Kind::Condition) {
    fail("a truth value is stored as a number");
    return -1;
  }
  if (lane == Lane::I32) {
    if (root.kind == Node::Kind::Scalar)
      return duplicate(root.scalar, Lane::I32, Shape::Full);
    return root.reg;
  }
  bool isByte = laneBytes(lane) == 1;
  auto constant = dyn_cast_if_present<IntegerAttr>(root.scalar.constant);
  if (root.kind == Node::Kind::Scalar && constant && isByte &&
      geometry.padded && geometry.output.dense) {
    // Two bytes at a time.
    uint64_t byte = constant.getValue().getZExtValue() & 0xff;
    ScalarOperand pair =
        integerConstant(static_cast<int16_t>(byte | byte << 8), Lane::I16);
    Instruction op;
    op.opcode = Opcode::Duplicate;
    op.lane = Lane::I16;
    op.scalar = pair;
    op.destination = newRegister(lane, Shape::Full);
    return append(std::move(op));
  }
  if (root.kind == Node::Kind::Scalar) {
    if (!isByte)
      return duplicate(root.scalar, lane, Shape::Full);
    unsigned bits = root.bits;
    root = integerNode(duplicate(root.scalar, Lane::I32, Shape::Point), bits,
                       isUnsigned ? Node::Sign::Unknown : Node::Sign::Signed);
  }
  root = normalise(root, isUnsigned && isByte);
  if (failed)
    return -1;
  if (!isByte)
    return cast(root.reg, Lane::I16, CastRounding::Rint);
  int half = cast(cast(root.reg, Lane::F32, CastRounding::Rint), Lane::F16,
                  CastRounding::Rint);
  return cast(materialise(half, Shape::Full, false), lane, CastRounding::Rint);
}

//===-- Casts ------------------------------------------------------------===//

static CastRounding roundingOf(Operation *op, bool toInteger) {
  tile::Rounding rounding = tile::Rounding::Default;
  if (auto cast = dyn_cast<tile::CastOp>(op))
    rounding = cast.getRounding();
  switch (rounding) {
  case tile::Rounding::Default:
    return toInteger ? CastRounding::Trunc : CastRounding::Rint;
  case tile::Rounding::NearestEven:
    return CastRounding::Rint;
  case tile::Rounding::TowardZero:
    return CastRounding::Trunc;
  case tile::Rounding::Up:
    return CastRounding::Ceil;
  case tile::Rounding::Down:
    return CastRounding::Floor;
  }
  llvm_unreachable("unknown rounding");
}

static bool isShortOrSingle(Type type) {
  return type.isF32() || type.isF16() || type.isBF16();
}

Node ExpressionBuilder::evaluateCast(Operation *op) {
  Value source = op->getOperand(0);
  Type from = source.getType(), to = op->getResult(0).getType();
  auto tileCast = dyn_cast<tile::CastOp>(op);
  bool saturate = tileCast && tileCast.getSaturate();
  bool fromUnsigned =
      tileCast ? tileCast.getSrcUnsigned()
               : isa<arith::UIToFPOp, arith::ExtUIOp, arith::IndexCastUIOp>(op);
  bool toUnsigned =
      tileCast ? tileCast.getDstUnsigned() : isa<arith::FPToUIOp>(op);
  if (isa<FloatType>(from) && !isShortOrSingle(from))
    return fail("the vector unit does not hold this float type");
  if (isa<FloatType>(to) && !isShortOrSingle(to))
    return fail("the vector unit does not hold this float type");

  // A rounded half of one operation on halves: the hardware's own.
  if (to.isF16() && from.isF32() && !saturate &&
      roundingOf(op, false) == CastRounding::Rint) {
    Node half = evaluateHalf(source.getDefiningOp());
    if (failed || half.kind == Node::Kind::Vector)
      return half;
  }
  if (isa<FloatType>(from) && isa<FloatType>(to)) {
    Node x = evaluate(source);
    return failed ? x
                  : convertFloat(x, from, to, roundingOf(op, false), saturate);
  }
  if (isa<FloatType>(from)) {
    Node x = evaluate(source);
    if (failed)
      return x;
    if (to.isInteger(1)) {
      Lane lane = from.isF16() ? Lane::F16 : Lane::F32;
      x = from.isBF16()
              ? convertFloat(x, from, Float32Type::get(op->getContext()),
                             CastRounding::Rint, false)
              : x;
      return conditionNode(negate(
          compare(ascend::CompareMode::EQ, x.reg, floatConstant(0.0, lane))));
    }
    unsigned bits = to.isIndex() ? 32 : to.getIntOrFloatBitWidth();
    return floatToInteger(x, from, bits, toUnsigned, roundingOf(op, true),
                          saturate);
  }
  if (isa<FloatType>(to))
    return integerToFloat(source, to, fromUnsigned, roundingOf(op, false));

  // Integers.
  Node x = evaluate(source);
  if (failed)
    return x;
  unsigned bits = to.isIndex() ? 32 : to.getIntOrFloatBitWidth();
  if (bits > 32 || (!from.isIndex() && from.getIntOrFloatBitWidth() > 32))
    return fail("the vector unit has no 64-bit elements");
  if (x.kind == Node::Kind::Condition) {
    if (bits == 1)
      return x;
    Node one, zero;
    one.scalar = integerConstant(1);
    zero.scalar = integerConstant(0);
    if (isa<arith::ExtSIOp>(op))
      one.scalar = integerConstant(-1);
    Node number = selectIntegers(x.condition, one, zero);
    number.bits = bits;
    number.sign = Node::Sign::Signed;
    return number;
  }
  if (bits == 1) {
    if (isa<arith::TruncIOp>(op))
      return fail("the lowest bit of a number is used as a truth value");
    x = normalise(x, false);
    if (failed)
      return x;
    ScalarOperand zero = integerConstant(0);
    return conditionNode(negate(compare(ascend::CompareMode::EQ, x.reg, zero)));
  }
  if (saturate && x.bits <= 32) {
    x = normalise(x, fromUnsigned);
    if (failed)
      return x;
    int64_t low = toUnsigned ? 0 : -(int64_t(1) << (bits - 1));
    int64_t high = (int64_t(1) << (toUnsigned ? bits : bits - 1)) - 1;
    if (bits >= 32 && toUnsigned)
      return fail("the vector unit does not order unsigned 32-bit integers");
    int reg = x.reg;
    reg = scalar(ScalarFunction::Maxs, reg, integerConstant(low));
    reg = scalar(ScalarFunction::Mins, reg, integerConstant(high));
    return integerNode(reg, bits,
                       toUnsigned ? Node::Sign::Unsigned : Node::Sign::Signed);
  }
  if (bits > x.bits) {
    x = normalise(x, fromUnsigned);
    x.bits = bits;
    x.sign = Node::Sign::Signed;
    return x;
  }
  if (bits < x.bits)
    x.sign = Node::Sign::Unknown;
  x.bits = bits;
  if (bits == 32)
    x.sign = Node::Sign::Signed;
  return x;
}

/// The same bits in another type of 32 bits.
Node ExpressionBuilder::evaluateBitcast(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  Node x = evaluate(op->getOperand(0));
  if (failed)
    return x;
  if (!from.isIntOrFloat() || !to.isIntOrFloat() ||
      to.getIntOrFloatBitWidth() != 32 || x.kind != Node::Kind::Vector)
    return fail("a reinterpretation of elements that are not 32 bits wide");
  Instruction copy;
  copy.opcode = Opcode::Unary;
  copy.function = static_cast<uint32_t>(UnaryFunction::Copy);
  copy.lane = laneOf(x.reg);
  copy.sources = {materialise(x.reg, shapeOf(x.reg), false)};
  copy.destination =
      newRegister(to.isF32() ? Lane::F32 : Lane::I32, shapeOf(x.reg));
  return integerNode(append(std::move(copy)), 32, Node::Sign::Signed);
}

/// One operation on halves, computed in single precision and rounded once, has
/// the result of the half instruction: 24 bits are at least 2 * 11 + 2. Not so
/// chains.
Node ExpressionBuilder::evaluateHalf(Operation *op) {
  Node none;
  if (!op || !op->hasOneUse() || op->getNumResults() != 1 ||
      !map.getBody().isAncestor(op->getParentRegion()) ||
      isScalar(op->getResult(0)))
    return none;
  std::optional<BinaryFunction> function;
  if (isa<arith::AddFOp>(op))
    function = BinaryFunction::Add;
  else if (isa<arith::SubFOp>(op))
    function = BinaryFunction::Sub;
  else if (isa<arith::MulFOp>(op))
    function = BinaryFunction::Mul;
  else if (isa<arith::MaximumFOp>(op))
    function = BinaryFunction::Max;
  else if (isa<arith::MinimumFOp>(op))
    function = BinaryFunction::Min;
  if (!function)
    return none;
  Node operands[2];
  for (unsigned side : {0u, 1u}) {
    Value operand = op->getOperand(side);
    Operation *extend = operand.getDefiningOp();
    if (isa_and_nonnull<arith::ExtFOp>(extend) &&
        extend->getOperand(0).getType().isF16()) {
      if (isScalar(operand) && !isScalar(extend->getOperand(0)))
        return none;
      operands[side] = evaluate(extend->getOperand(0));
      if (failed)
        return operands[side];
      continue;
    }
    // A number that half holds exactly.
    FloatAttr number;
    auto constant = operand.getDefiningOp<arith::ConstantOp>();
    if (!constant || !(number = dyn_cast<FloatAttr>(constant.getValue())))
      return none;
    APFloat half = number.getValue();
    bool losesInfo = false;
    half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
    if (losesInfo)
      return none;
    operands[side].scalar.constant =
        FloatAttr::get(Float16Type::get(op->getContext()), half);
  }
  if (operands[0].kind == Node::Kind::Scalar &&
      operands[1].kind == Node::Kind::Scalar)
    return none;
  return arithmetic(*function, operands[0], operands[1], Lane::F16);
}

Node ExpressionBuilder::convertFloat(Node from, Type fromType, Type toType,
                                     CastRounding rounding, bool saturate) {
  Lane source = fromType.isF32()   ? Lane::F32
                : fromType.isF16() ? Lane::F16
                                   : Lane::BF16;
  Lane target = toType.isF32()   ? Lane::F32
                : toType.isF16() ? Lane::F16
                                 : Lane::BF16;
  if (source == target)
    return from;
  int reg = from.reg;
  if (source != Lane::F32)
    reg = cast(reg, Lane::F32, CastRounding::None);
  if (target == Lane::F32)
    return vectorNode(reg);
  if (saturate) {
    double limit = target == Lane::F16 ? 65504.0 : 3.38953138925153547590e+38;
    reg = scalar(ScalarFunction::Maxs, reg, floatConstant(-limit));
    reg = scalar(ScalarFunction::Mins, reg, floatConstant(limit));
  }
  return vectorNode(cast(reg, target, rounding));
}

Node ExpressionBuilder::floatToInteger(Node from, Type fromType, unsigned bits,
                                       bool isUnsigned, CastRounding rounding,
                                       bool saturate) {
  if (bits > 32)
    return fail("the vector unit has no 64-bit elements");
  if (bits == 32 && isUnsigned)
    return fail("the vector unit does not convert to unsigned 32-bit integers");
  int reg = from.reg;
  if (!fromType.isF32())
    reg = cast(reg, Lane::F32, CastRounding::None);
  // NaN becomes 0 and what is out of range saturates: as the language says.
  reg = cast(reg, Lane::I32, rounding);
  if (bits == 32)
    return integerNode(reg, bits, Node::Sign::Signed);
  if (!saturate)
    return integerNode(reg, bits, Node::Sign::Unknown);
  int64_t low = isUnsigned ? 0 : -(int64_t(1) << (bits - 1));
  int64_t high = (int64_t(1) << (isUnsigned ? bits : bits - 1)) - 1;
  reg = scalar(ScalarFunction::Maxs, reg, integerConstant(low));
  reg = scalar(ScalarFunction::Mins, reg, integerConstant(high));
  return integerNode(reg, bits,
                     isUnsigned ? Node::Sign::Unsigned : Node::Sign::Signed);
}

Node ExpressionBuilder::integerToFloat(Value source, Type toType,
                                       bool isUnsigned, CastRounding rounding) {
  Lane target = toType.isF32()   ? Lane::F32
                : toType.isF16() ? Lane::F16
                                 : Lane::BF16;
  // Bytes and words of an input convert directly.
  int wide = -1;
  if (auto argument = dyn_cast<BlockArgument>(source);
      argument && argument.getOwner() == &map.getBody().front()) {
    const OperandAccess &access = geometry.inputs[argument.getArgNumber()];
    if (!access.isBool && access.isUnsigned == isUnsigned) {
      int reg = inputRegister(argument.getArgNumber());
      if (laneBytes(access.lane) == 1) {
        int half = cast(reg, Lane::F16, CastRounding::None);
        if (target == Lane::F16)
          return vectorNode(half);
        wide = cast(half, Lane::F32, CastRounding::None);
      } else if (access.lane == Lane::I16 && !isUnsigned) {
        wide = cast(reg, Lane::F32, CastRounding::None);
      }
    }
  }
  if (wide < 0) {
    Node x = evaluate(source);
    if (failed)
      return x;
    if (x.kind == Node::Kind::Condition) {
      Node one, zero;
      one.scalar = floatConstant(1.0, target);
      zero.scalar = floatConstant(0.0, target);
      return select(x, one, zero, toType);
    }
    Type from = source.getType();
    if (!from.isIndex() && from.getIntOrFloatBitWidth() > 32)
      return fail("the vector unit has no 64-bit elements");
    x = normalise(x, isUnsigned);
    if (failed)
      return x;
    wide = cast(x.reg, Lane::F32, CastRounding::Rint);
  }
  if (target == Lane::F32)
    return vectorNode(wide);
  return vectorNode(cast(wide, target, rounding));
}

} // namespace tilelang::vectorcore
