//===- VectorInstructions.cpp - Appending instructions to a program -------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorExpression.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tilelang::vectorcore {

using ascend::BinaryFunction;
using ascend::CastRounding;
using ascend::ScalarFunction;
using ascend::UnaryFunction;

Shape ExpressionBuilder::join(Shape a, Shape b) {
  if (a == b || b == Shape::Point)
    return a;
  if (a == Shape::Point)
    return b;
  return Shape::Full;
}

int ExpressionBuilder::newRegister(Lane lane, Shape shape) {
  program.registers.push_back({lane, shape, -1});
  return program.registers.size() - 1;
}

int ExpressionBuilder::append(Instruction instruction) {
  program.instructions.push_back(std::move(instruction));
  return program.instructions.back().destination;
}

Node ExpressionBuilder::vectorNode(int reg) const {
  Node node;
  node.kind = Node::Kind::Vector;
  node.reg = reg;
  return node;
}

Node ExpressionBuilder::integerNode(int reg, unsigned bits,
                                    Node::Sign sign) const {
  Node node = vectorNode(reg);
  node.bits = bits;
  node.sign = sign;
  return node;
}

ScalarOperand ExpressionBuilder::floatConstant(double value, Lane lane) {
  ScalarOperand operand;
  operand.constant =
      Builder(map.getContext())
          .getFloatAttr(laneScalarType(map.getContext(), lane), value);
  return operand;
}

ScalarOperand ExpressionBuilder::integerConstant(int64_t value, Lane lane) {
  ScalarOperand operand;
  operand.constant =
      Builder(map.getContext())
          .getIntegerAttr(laneScalarType(map.getContext(), lane), value);
  return operand;
}

int ExpressionBuilder::unary(UnaryFunction function, int source) {
  Instruction op;
  op.opcode = Opcode::Unary;
  op.function = static_cast<uint32_t>(function);
  op.lane = laneOf(source);
  if (function == UnaryFunction::Not) {
    source = materialise(source, shapeOf(source), false);
    op.lane = Lane::I16;
  }
  op.sources = {source};
  op.destination = newRegister(laneOf(source), shapeOf(source));
  return append(std::move(op));
}

/// An operand of an instruction whose result has `shape`: columns are widened
/// to blocks, rows and points are repeated by strides.
int ExpressionBuilder::broadcastOperand(int reg, Shape shape) {
  if (shape != Shape::Full || shapeOf(reg) != Shape::Column)
    return reg;
  auto [known, isNew] =
      materialised.try_emplace({reg, static_cast<int>(Shape::Blocks) * 2}, -1);
  if (!isNew)
    return known->second;
  // Groups of eight are read: inputs that end earlier are copied first.
  int source = reg;
  int input = program.registers[reg].input;
  if (input >= 0 && geometry.rows % 8 != 0 && !geometry.inputs[input].roundable)
    source = materialise(reg, Shape::Column, true);
  Instruction op;
  op.opcode = Opcode::Broadcast;
  op.lane = laneOf(reg);
  op.sources = {source};
  op.destination = newRegister(laneOf(reg), Shape::Blocks);
  int result = append(std::move(op));
  materialised[{reg, static_cast<int>(Shape::Blocks) * 2}] = result;
  return result;
}

int ExpressionBuilder::binary(BinaryFunction function, int lhs, int rhs) {
  Shape shape = join(shapeOf(lhs), shapeOf(rhs));
  Lane lane = laneOf(lhs) == Lane::Mask ? laneOf(lhs) : laneOf(lhs);
  Instruction op;
  op.opcode = Opcode::Binary;
  op.function = static_cast<uint32_t>(function);
  op.lane = lane == Lane::Mask ? Lane::I16 : lane;
  op.sources = {broadcastOperand(lhs, shape), broadcastOperand(rhs, shape)};
  op.destination = newRegister(lane, shape);
  return append(std::move(op));
}

/// And, Or on the bits of 32-bit elements, as pairs of 16-bit words.
int ExpressionBuilder::binaryBits(BinaryFunction function, int lhs, int rhs) {
  Shape shape = join(shapeOf(lhs), shapeOf(rhs));
  lhs = materialise(lhs, shape, false);
  rhs = materialise(rhs, shape, false);
  Instruction op;
  op.opcode = Opcode::Binary;
  op.function = static_cast<uint32_t>(function);
  op.lane = Lane::I16;
  op.sources = {lhs, rhs};
  op.destination = newRegister(laneOf(lhs), shape);
  return append(std::move(op));
}

int ExpressionBuilder::scalar(ScalarFunction function, int source,
                              ScalarOperand scalar,
                              std::optional<Lane> readAs) {
  Instruction op;
  op.opcode = Opcode::Scalar;
  op.function = static_cast<uint32_t>(function);
  op.lane = readAs.value_or(laneOf(source));
  op.sources = {source};
  op.scalar = scalar;
  op.destination = newRegister(laneOf(source), shapeOf(source));
  return append(std::move(op));
}

int ExpressionBuilder::cast(int source, Lane to, CastRounding rounding) {
  if (laneOf(source) == to && rounding == CastRounding::None)
    return source;
  // A narrower block has more elements than the wider one.
  if (shapeOf(source) == Shape::Point &&
      laneBytes(to) < laneBytes(laneOf(source)))
    source = materialise(source, smallestShape(), false);
  Instruction op;
  op.opcode = Opcode::Cast;
  op.function = static_cast<uint32_t>(rounding);
  op.lane = laneOf(source);
  op.sources = {source};
  op.destination = newRegister(to, shapeOf(source));
  return append(std::move(op));
}

int ExpressionBuilder::duplicate(ScalarOperand scalar, Lane lane, Shape shape) {
  const void *identity = scalar.constant ? scalar.constant.getAsOpaquePointer()
                                         : scalar.value.getAsOpaquePointer();
  int key = (static_cast<int>(scalar.form) * 16 + static_cast<int>(lane)) * 8 +
            static_cast<int>(shape);
  auto [known, isNew] = duplicates.try_emplace({identity, key}, -1);
  if (!isNew)
    return known->second;
  Instruction op;
  op.opcode = Opcode::Duplicate;
  op.lane = lane == Lane::Mask ? Lane::I16 : lane;
  op.scalar = scalar;
  op.destination = newRegister(lane, shape);
  return known->second = append(std::move(op));
}

int ExpressionBuilder::materialise(int reg, Shape shape, bool rounded) {
  const Register info = program.registers[reg];
  if (info.shape == shape) {
    if (info.input < 0)
      return reg;
    const OperandAccess &access = geometry.inputs[info.input];
    if (access.dense && (!rounded || access.roundable))
      return reg;
  }
  auto key = std::make_pair(reg, static_cast<int>(shape) * 2 + 1);
  if (auto known = materialised.find(key); known != materialised.end())
    return known->second;
  Instruction op;
  op.opcode = Opcode::Unary;
  op.function = static_cast<uint32_t>(UnaryFunction::Copy);
  op.lane = info.lane;
  op.sources = {broadcastOperand(reg, shape)};
  op.destination = newRegister(info.lane, shape);
  int result = append(std::move(op));
  materialised[key] = result;
  return result;
}

int ExpressionBuilder::vector(const Node &node, Lane lane) {
  if (node.kind == Node::Kind::Vector)
    return node.reg;
  return duplicate(node.scalar, lane, Shape::Point);
}

Node ExpressionBuilder::arithmetic(BinaryFunction function, const Node &a,
                                   const Node &b, Lane lane) {
  bool scalarLeft = a.kind == Node::Kind::Scalar;
  bool scalarRight = b.kind == Node::Kind::Scalar;
  if (!scalarLeft && !scalarRight)
    return vectorNode(binary(function, a.reg, b.reg));
  if (scalarLeft && scalarRight) {
    // Scalars that only the vector unit can combine.
    int left = duplicate(a.scalar, lane, smallestShape());
    int right = duplicate(b.scalar, lane, smallestShape());
    return vectorNode(binary(function, left, right));
  }
  const Node &v = scalarLeft ? b : a;
  ScalarOperand s = scalarLeft ? a.scalar : b.scalar;
  auto negated = [](ScalarOperand operand) {
    if (operand.form == ScalarOperand::Form::Plain)
      operand.form = ScalarOperand::Form::Negated;
    else
      operand.form = ScalarOperand::Form::Plain;
    return operand;
  };
  bool isFloat = lane == Lane::F32 || lane == Lane::F16;
  switch (function) {
  case BinaryFunction::Add:
    return vectorNode(scalar(ScalarFunction::Adds, v.reg, s));
  case BinaryFunction::Mul:
    return vectorNode(scalar(ScalarFunction::Muls, v.reg, s));
  case BinaryFunction::Max:
    return vectorNode(scalar(ScalarFunction::Maxs, v.reg, s));
  case BinaryFunction::Min:
    return vectorNode(scalar(ScalarFunction::Mins, v.reg, s));
  case BinaryFunction::Sub: {
    if (!scalarLeft && s.form != ScalarOperand::Form::ZeroExtended)
      return vectorNode(scalar(ScalarFunction::Adds, v.reg, negated(s)));
    if (!scalarLeft)
      break;
    // s - v = (-v) + s, exactly.
    ScalarOperand minusOne =
        isFloat ? floatConstant(-1.0, lane) : integerConstant(-1, lane);
    int negative = scalar(ScalarFunction::Muls, v.reg, minusOne);
    return vectorNode(scalar(ScalarFunction::Adds, negative, s));
  }
  case BinaryFunction::Div: {
    // Only powers of two have an exact reciprocal.
    auto number = dyn_cast_if_present<FloatAttr>(s.constant);
    APFloat inverse(0.0);
    if (!scalarLeft && number && number.getValue().getExactInverse(&inverse)) {
      ScalarOperand reciprocal;
      reciprocal.constant = FloatAttr::get(number.getType(), inverse);
      return vectorNode(scalar(ScalarFunction::Muls, v.reg, reciprocal));
    }
    break;
  }
  default:
    break;
  }
  int other = duplicate(s, lane, Shape::Point);
  return vectorNode(scalarLeft ? binary(function, other, v.reg)
                               : binary(function, v.reg, other));
}

} // namespace tilelang::vectorcore
