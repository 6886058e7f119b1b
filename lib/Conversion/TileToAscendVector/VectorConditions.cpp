//===- VectorConditions.cpp - Comparisons, masks and selection ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorExpression.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilelang::vectorcore {

using ascend::BinaryFunction;
using ascend::CastRounding;
using ascend::CompareMode;
using ascend::UnaryFunction;

Node ExpressionBuilder::conditionNode(const ConditionNode *condition) {
  Node node;
  node.kind = Node::Kind::Condition;
  node.condition = condition;
  node.bits = 1;
  return node;
}

const ConditionNode *ExpressionBuilder::compare(CompareMode mode, int lhs,
                                                int rhs) {
  ConditionNode node;
  node.kind = ConditionNode::Kind::Compare;
  node.mode = mode;
  node.lhs = lhs;
  node.rhs = rhs;
  node.shape = join(shapeOf(lhs), shapeOf(rhs));
  return &conditions.emplace_back(node);
}

const ConditionNode *ExpressionBuilder::compare(CompareMode mode, int lhs,
                                                ScalarOperand rhs) {
  ConditionNode node;
  node.kind = ConditionNode::Kind::Compare;
  node.mode = mode;
  node.lhs = lhs;
  node.scalar = rhs;
  node.shape = shapeOf(lhs);
  return &conditions.emplace_back(node);
}

const ConditionNode *ExpressionBuilder::negate(const ConditionNode *condition) {
  if (condition->kind == ConditionNode::Kind::Not)
    return condition->x;
  ConditionNode node;
  node.kind = ConditionNode::Kind::Not;
  node.x = condition;
  node.shape = condition->shape;
  return &conditions.emplace_back(node);
}

const ConditionNode *ExpressionBuilder::combine(ConditionNode::Kind kind,
                                                const ConditionNode *x,
                                                const ConditionNode *y) {
  ConditionNode node;
  node.kind = kind;
  node.x = x;
  node.y = y;
  node.shape = join(x->shape, y->shape);
  return &conditions.emplace_back(node);
}

const ConditionNode *ExpressionBuilder::conditionOf(const Node &node) {
  if (node.kind == Node::Kind::Condition)
    return node.condition;
  ConditionNode uniform;
  uniform.kind = ConditionNode::Kind::Uniform;
  uniform.scalar = node.scalar;
  uniform.scalar.form = ScalarOperand::Form::MaskWord;
  return &conditions.emplace_back(uniform);
}

static CompareMode swapped(CompareMode mode) {
  switch (mode) {
  case CompareMode::LT:
    return CompareMode::GT;
  case CompareMode::GT:
    return CompareMode::LT;
  case CompareMode::LE:
    return CompareMode::GE;
  case CompareMode::GE:
    return CompareMode::LE;
  default:
    return mode;
  }
}

/// The hardware's comparisons are false with a NaN, `NE` included: unordered
/// predicates are the complements of the opposite.
Node ExpressionBuilder::evaluateFloatCompare(arith::CmpFOp op) {
  using Predicate = arith::CmpFPredicate;
  Node a = evaluate(op.getLhs()), b = evaluate(op.getRhs());
  if (failed)
    return a;
  Type type = op.getLhs().getType();
  if (!type.isF32() && !type.isF16())
    return fail("the vector unit does not compare this float type");
  Lane lane = type.isF32() ? Lane::F32 : Lane::F16;
  auto comparison = [&](CompareMode mode) {
    if (a.kind == Node::Kind::Scalar && b.kind == Node::Kind::Scalar)
      return compare(mode, duplicate(a.scalar, lane, smallestShape()),
                     b.scalar);
    if (a.kind == Node::Kind::Scalar)
      return compare(swapped(mode), b.reg, a.scalar);
    if (b.kind == Node::Kind::Scalar)
      return compare(mode, a.reg, b.scalar);
    return compare(mode, a.reg, b.reg);
  };
  auto ordered = [&] {
    const ConditionNode *result = nullptr;
    for (const Node &node : {a, b}) {
      int reg = vector(node, lane);
      const ConditionNode *isNumber = compare(CompareMode::EQ, reg, reg);
      result = result ? combine(ConditionNode::Kind::And, result, isNumber)
                      : isNumber;
    }
    return result;
  };
  switch (op.getPredicate()) {
  case Predicate::OEQ:
    return conditionNode(comparison(CompareMode::EQ));
  case Predicate::OGT:
    return conditionNode(comparison(CompareMode::GT));
  case Predicate::OGE:
    return conditionNode(comparison(CompareMode::GE));
  case Predicate::OLT:
    return conditionNode(comparison(CompareMode::LT));
  case Predicate::OLE:
    return conditionNode(comparison(CompareMode::LE));
  case Predicate::ONE:
    return conditionNode(comparison(CompareMode::NE));
  case Predicate::UNE:
    return conditionNode(negate(comparison(CompareMode::EQ)));
  case Predicate::ULT:
    return conditionNode(negate(comparison(CompareMode::GE)));
  case Predicate::ULE:
    return conditionNode(negate(comparison(CompareMode::GT)));
  case Predicate::UGT:
    return conditionNode(negate(comparison(CompareMode::LE)));
  case Predicate::UGE:
    return conditionNode(negate(comparison(CompareMode::LT)));
  case Predicate::ORD:
    return conditionNode(ordered());
  case Predicate::UNO:
    return conditionNode(negate(ordered()));
  case Predicate::UEQ:
    return conditionNode(negate(comparison(CompareMode::NE)));
  default:
    return fail("a comparison is constant");
  }
}

Node ExpressionBuilder::evaluateIntegerCompare(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  Type type = op.getLhs().getType();
  Predicate predicate = op.getPredicate();
  if (type.isInteger(1)) {
    const ConditionNode *x = conditionOf(evaluate(op.getLhs()));
    const ConditionNode *y = conditionOf(evaluate(op.getRhs()));
    if (predicate != Predicate::eq && predicate != Predicate::ne)
      return fail("truth values are compared by order");
    if (failed)
      return fail("");
    const ConditionNode *differs =
        combine(ConditionNode::Kind::Or,
                combine(ConditionNode::Kind::And, x, negate(y)),
                combine(ConditionNode::Kind::And, negate(x), y));
    return conditionNode(predicate == Predicate::ne ? differs
                                                    : negate(differs));
  }
  if (!type.isIndex() && type.getIntOrFloatBitWidth() > 32)
    return fail("the vector unit has no 64-bit elements");
  Node a = evaluate(op.getLhs()), b = evaluate(op.getRhs());
  if (failed)
    return a;
  bool isUnsigned = predicate >= Predicate::ult;
  if (isUnsigned && !type.isIndex() && type.getIntOrFloatBitWidth() == 32)
    return fail("the vector unit does not order unsigned 32-bit integers");
  if (!type.isIndex()) {
    a = normalise(a, isUnsigned);
    b = normalise(b, isUnsigned);
    if (failed)
      return a;
  }
  CompareMode mode;
  switch (predicate) {
  case Predicate::eq:
    mode = CompareMode::EQ;
    break;
  case Predicate::ne:
    mode = CompareMode::NE;
    break;
  case Predicate::slt:
  case Predicate::ult:
    mode = CompareMode::LT;
    break;
  case Predicate::sle:
  case Predicate::ule:
    mode = CompareMode::LE;
    break;
  case Predicate::sgt:
  case Predicate::ugt:
    mode = CompareMode::GT;
    break;
  case Predicate::sge:
  case Predicate::uge:
    mode = CompareMode::GE;
    break;
  }
  if (a.kind == Node::Kind::Scalar) {
    std::swap(a, b);
    mode = swapped(mode);
  }
  auto rightScalar = b.kind == Node::Kind::Scalar;

  // Indices and narrow integers have differences that do not overflow, and
  // rounding to float keeps the sign.
  bool narrow = type.isIndex() || type.getIntOrFloatBitWidth() < 32;
  if (narrow) {
    Node difference = arithmetic(BinaryFunction::Sub, a, b, Lane::I32);
    int number = cast(difference.reg, Lane::F32, CastRounding::Rint);
    return conditionNode(compare(mode, number, floatConstant(0.0)));
  }
  auto equal = [&](int reg) {
    return rightScalar ? compare(CompareMode::EQ, reg, b.scalar)
                       : compare(CompareMode::EQ, reg, b.reg);
  };
  // a <= b where max(a, b) = b; a >= b where min(a, b) = b.
  auto extreme = [&](BinaryFunction function) {
    return arithmetic(function, a, b, Lane::I32).reg;
  };
  switch (mode) {
  case CompareMode::EQ:
    return conditionNode(equal(a.reg));
  case CompareMode::NE:
    return conditionNode(negate(equal(a.reg)));
  case CompareMode::LE:
    return conditionNode(equal(extreme(BinaryFunction::Max)));
  case CompareMode::GT:
    return conditionNode(negate(equal(extreme(BinaryFunction::Max))));
  case CompareMode::GE:
    return conditionNode(equal(extreme(BinaryFunction::Min)));
  case CompareMode::LT:
    return conditionNode(negate(equal(extreme(BinaryFunction::Min))));
  }
  llvm_unreachable("unknown mode");
}

Node ExpressionBuilder::evaluateLogic(Operation *op) {
  if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return fail("the vector unit has no form of '" +
                op->getName().getStringRef() + "' on truth values");
  if (isa<arith::XOrIOp>(op))
    for (unsigned side : {0u, 1u})
      if (matchPattern(op->getOperand(side), m_One())) {
        Node x = evaluate(op->getOperand(1 - side));
        return failed ? x : conditionNode(negate(conditionOf(x)));
      }
  Node a = evaluate(op->getOperand(0)), b = evaluate(op->getOperand(1));
  if (failed)
    return a;
  const ConditionNode *x = conditionOf(a), *y = conditionOf(b);
  if (isa<arith::AndIOp>(op))
    return conditionNode(combine(ConditionNode::Kind::And, x, y));
  if (isa<arith::OrIOp>(op))
    return conditionNode(combine(ConditionNode::Kind::Or, x, y));
  return conditionNode(combine(
      ConditionNode::Kind::Or, combine(ConditionNode::Kind::And, x, negate(y)),
      combine(ConditionNode::Kind::And, negate(x), y)));
}

/// The bits of a condition for each element of a shape.
int ExpressionBuilder::mask(const ConditionNode *condition, Shape shape) {
  auto key = std::make_pair(static_cast<const void *>(condition),
                            static_cast<int>(shape));
  if (auto known = masks.find(key); known != masks.end())
    return known->second;
  int result = -1;
  switch (condition->kind) {
  case ConditionNode::Kind::Uniform:
    result = duplicate(condition->scalar, Lane::Mask, shape);
    break;
  case ConditionNode::Kind::Not:
    result = unary(UnaryFunction::Not, mask(condition->x, shape));
    break;
  case ConditionNode::Kind::And:
  case ConditionNode::Kind::Or: {
    int x = mask(condition->x, shape), y = mask(condition->y, shape);
    result =
        binary(condition->kind == ConditionNode::Kind::And ? BinaryFunction::And
                                                           : BinaryFunction::Or,
               x, y);
    break;
  }
  case ConditionNode::Kind::Compare: {
    // Only floats, and integers for equality, are compared.
    Instruction op;
    op.function = static_cast<uint32_t>(condition->mode);
    op.lane = laneOf(condition->lhs);
    op.sources = {materialise(condition->lhs, shape, true)};
    if (condition->rhs >= 0) {
      op.opcode = Opcode::Compare;
      op.sources.push_back(materialise(condition->rhs, shape, true));
    } else {
      op.opcode = Opcode::CompareScalar;
      op.scalar = condition->scalar;
    }
    op.destination = newRegister(Lane::Mask, shape);
    result = append(std::move(op));
    break;
  }
  }
  masks[key] = result;
  return result;
}

int ExpressionBuilder::select(const ConditionNode *condition, int a, int b,
                              Shape shape) {
  if (condition->kind == ConditionNode::Kind::Not)
    return select(condition->x, b, a, shape);
  Instruction op;
  op.opcode = Opcode::Select;
  op.lane = laneBytes(laneOf(a)) == 2 ? Lane::F16 : Lane::F32;
  int bits = mask(condition, shape);
  a = materialise(a, shape, true);
  b = materialise(b, shape, true);
  op.sources = {bits, a, b};
  op.destination = newRegister(laneOf(a), shape);
  return append(std::move(op));
}

Shape ExpressionBuilder::selectionShape(const ConditionNode *condition,
                                        const Node &a, const Node &b) const {
  Shape shape = condition->shape;
  for (const Node *node : {&a, &b})
    if (node->kind == Node::Kind::Vector)
      shape = join(shape, shapeOf(node->reg));
  return shape == Shape::Point ? smallestShape() : shape;
}

Node ExpressionBuilder::select(const Node &condition, const Node &a,
                               const Node &b, Type type) {
  const ConditionNode *bits = conditionOf(condition);
  if (type.isInteger(1)) {
    const ConditionNode *x = conditionOf(a), *y = conditionOf(b);
    return conditionNode(combine(
        ConditionNode::Kind::Or, combine(ConditionNode::Kind::And, bits, x),
        combine(ConditionNode::Kind::And, negate(bits), y)));
  }
  if (isa<IntegerType, IndexType>(type)) {
    if (!type.isIndex() && type.getIntOrFloatBitWidth() > 32)
      return fail("the vector unit has no 64-bit elements");
    return selectIntegers(bits, a, b);
  }
  Lane lane = type.isF32()    ? Lane::F32
              : type.isF16()  ? Lane::F16
              : type.isBF16() ? Lane::BF16
                              : Lane::Mask;
  if (lane == Lane::Mask)
    return fail("the vector unit does not hold this float type");
  Shape shape = selectionShape(bits, a, b);
  auto registerOf = [&](const Node &node) {
    return node.kind == Node::Kind::Vector
               ? node.reg
               : duplicate(node.scalar, lane, shape);
  };
  int x = registerOf(a), y = registerOf(b);
  return vectorNode(select(bits, x, y, shape));
}

Node ExpressionBuilder::selectIntegers(const ConditionNode *condition, Node a,
                                       Node b) {
  unsigned bits = std::max(a.bits, b.bits);
  // One representation for both sides.
  Node::Sign sign = a.sign;
  if (a.kind == Node::Kind::Scalar)
    sign = b.sign;
  if (a.kind == Node::Kind::Vector && b.kind == Node::Kind::Vector &&
      a.sign != b.sign)
    sign = Node::Sign::Unknown;
  if ((a.kind == Node::Kind::Scalar || b.kind == Node::Kind::Scalar) &&
      sign == Node::Sign::Unsigned)
    sign = Node::Sign::Unknown;
  Shape shape = selectionShape(condition, a, b);
  auto registerOf = [&](const Node &node) {
    return node.kind == Node::Kind::Vector
               ? node.reg
               : duplicate(node.scalar, Lane::I32, shape);
  };
  int x = registerOf(a), y = registerOf(b);
  return integerNode(select(condition, x, y, shape), bits, sign);
}

} // namespace tilelang::vectorcore
