//===- VectorExpression.cpp - From a map's body to a vector program -------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorExpression.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilelang/Support/IndexBounds.h"

using namespace mlir;

namespace tilelang::vectorcore {

using ascend::BinaryFunction;
using ascend::CastRounding;
using ascend::ScalarFunction;
using ascend::UnaryFunction;

Node ExpressionBuilder::fail(const Twine &text) {
  if (!failed)
    failure = text.str();
  failed = true;
  // A node that later steps may use without harm; the program is dropped.
  Node node;
  node.scalar = floatConstant(0.0);
  return node;
}

std::optional<Program> ExpressionBuilder::build(std::string &reason) {
  Value result = map.getBody().front().getTerminator()->getOperand(0);
  int moved = movedInput(result);
  if (moved >= 0) {
    program.result = storeRegister(moved);
  } else {
    Node root = evaluate(result);
    if (!failed && !map.getClipped().empty())
      root = clip(root, result.getType());
    if (!failed)
      program.result = store(root);
  }
  if (failed) {
    reason = failure;
    return std::nullopt;
  }
  return std::move(program);
}

/// The register of an input whose elements the output takes as they are, or -1.
int ExpressionBuilder::movedInput(Value result) {
  auto argument = dyn_cast<BlockArgument>(result);
  if (!argument || !map.getClipped().empty() ||
      argument.getOwner() != &map.getBody().front())
    return -1;
  const OperandAccess &access = geometry.inputs[argument.getArgNumber()];
  const OperandAccess &output = geometry.output;
  if (access.isScalar || access.lane != output.lane ||
      access.isBool != output.isBool || access.lane == Lane::I64)
    return -1;
  // Bytes move in pairs, so only as whole tiles.
  if (laneBytes(access.lane) == 1 &&
      !(access.dense && output.dense && geometry.padded && access.roundable &&
        output.roundable && access.shape == Shape::Full))
    return -1;
  return inputRegister(argument.getArgNumber());
}

/// Iterations outside the clip keep the old value.
Node ExpressionBuilder::clip(const Node &root, Type type) {
  const ConditionNode *inside = nullptr;
  auto require = [&](int64_t dimension, Value bound, ascend::CompareMode mode) {
    Node index = indexNode(dimension);
    if (failed)
      return;
    ScalarOperand limit;
    limit.value = bound;
    limit.form = ScalarOperand::Form::Negated;
    int distance = cast(scalar(ScalarFunction::Adds, index.reg, limit),
                        Lane::F32, CastRounding::Rint);
    const ConditionNode *condition =
        compare(mode, distance, floatConstant(0.0));
    inside = inside ? combine(ConditionNode::Kind::And, inside, condition)
                    : condition;
  };
  for (auto [position, dimension] : llvm::enumerate(map.getClipped())) {
    Value lower = map.getLower()[position], upper = map.getUpper()[position];
    std::optional<int64_t> low = constantOf(lower), high = constantOf(upper);
    if (!low || *low > 0)
      require(dimension, lower, ascend::CompareMode::GE);
    if (!high || *high < map.getExtents()[dimension])
      require(dimension, upper, ascend::CompareMode::LT);
  }
  if (failed || !inside)
    return root;
  Node old =
      inputNode(geometry.inputs.size() - 1, type.getIntOrFloatBitWidth());
  return failed ? root : select(conditionNode(inside), root, old, type);
}

/// The value in the lane and shape of the output, last written by the last
/// instruction.
int ExpressionBuilder::store(const Node &root) {
  const OperandAccess &output = geometry.output;
  int reg = -1;
  if (output.isBool) {
    const ConditionNode *condition = conditionOf(root);
    if (failed)
      return -1;
    Shape shape =
        condition->shape == Shape::Point ? smallestShape() : condition->shape;
    int one = duplicate(floatConstant(1.0, Lane::F16), Lane::F16, shape);
    int zero = duplicate(floatConstant(0.0, Lane::F16), Lane::F16, shape);
    int number = select(condition, one, zero, shape);
    return storeRegister(cast(materialise(number, Shape::Full, false), Lane::U8,
                              CastRounding::Rint));
  }
  switch (output.lane) {
  case Lane::I8:
  case Lane::U8:
  case Lane::I16:
  case Lane::I32:
    reg = storeInteger(root, output.lane, output.isUnsigned);
    break;
  case Lane::F32:
  case Lane::F16:
  case Lane::BF16:
    reg = root.kind == Node::Kind::Scalar
              ? duplicate(root.scalar, output.lane, Shape::Full)
              : root.reg;
    break;
  default:
    fail("the vector unit has no 64-bit elements");
  }
  return failed ? -1 : storeRegister(reg);
}

int ExpressionBuilder::storeRegister(int reg) {
  // Only some instructions can write part of a row, or less than whole
  // comparisons; and inputs and shared values are copied.
  const OperandAccess &output = geometry.output;
  const Register &info = program.registers[reg];
  bool isLast = !program.instructions.empty() &&
                program.instructions.back().destination == reg;
  bool fits = isLast && info.shape == Shape::Full && info.input < 0;
  if (fits) {
    const Instruction &last = program.instructions.back();
    bool reinterprets = last.lane != info.lane && last.opcode != Opcode::Cast;
    if (last.opcode == Opcode::Select)
      fits = output.dense && output.roundable && geometry.padded;
    else if (last.opcode == Opcode::Index || reinterprets)
      fits = output.dense && geometry.padded;
  }
  if (fits)
    return reg;
  Instruction copy;
  copy.opcode = Opcode::Unary;
  copy.function = static_cast<uint32_t>(UnaryFunction::Copy);
  copy.lane = info.lane;
  copy.sources = {broadcastOperand(reg, Shape::Full)};
  copy.destination = newRegister(copy.lane, Shape::Full);
  return append(std::move(copy));
}

//===-- Scalars ----------------------------------------------------------===//

/// True for values that are the same for all elements one program works on
/// and that the scalar unit can compute.
bool ExpressionBuilder::isScalar(Value value) {
  if (auto known = scalars.find(value); known != scalars.end())
    return known->second;
  Region *body = &map.getBody();
  bool result = false;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == &body->front()) {
    const OperandAccess &access = geometry.inputs[argument.getArgNumber()];
    result = access.isScalar;
  } else if (!body->isAncestor(value.getParentRegion())) {
    result = isScalarOutside(value);
  } else if (Operation *op = value.getDefiningOp()) {
    if (auto index = dyn_cast<tile::IndexOp>(op)) {
      DimensionRole::Kind kind = geometry.roles[index.getDimension()].kind;
      result = kind == DimensionRole::Kind::Unit ||
               kind == DimensionRole::Kind::Outer;
    } else if (isa<tile::CastOp, tile::LoadOp>(op) ||
               isa<arith::ArithDialect>(op->getDialect())) {
      result = llvm::all_of(op->getOperands(), [&](Value operand) {
        return isa<MemRefType>(operand.getType()) || isScalar(operand);
      });
    }
  }
  scalars[value] = result;
  return result;
}

/// Functions of scalars are left to the vector unit, also outside of the body.
bool ExpressionBuilder::isScalarOutside(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isPure(op))
    return true;
  if (isa<math::MathDialect>(op->getDialect()))
    return false;
  if (!isa<arith::ArithDialect>(op->getDialect()))
    return true;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isScalar(operand); });
}

//===-- Dispatch ---------------------------------------------------------===//

Node ExpressionBuilder::evaluate(Value value) {
  if (failed)
    return fail("");
  if (auto known = values.find(value); known != values.end())
    return known->second;
  Node node;
  if (isScalar(value)) {
    TypedAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      node.scalar.constant = constant;
    else
      node.scalar.value = value;
    node.bits = value.getType().isIndex()
                    ? 32
                    : value.getType().getIntOrFloatBitWidth();
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    node = inputNode(argument.getArgNumber(),
                     argument.getType().getIntOrFloatBitWidth());
  } else {
    node = evaluateOperation(value);
  }
  if (!failed)
    values[value] = node;
  return node;
}

int ExpressionBuilder::inputRegister(unsigned number) {
  auto [known, isNew] = inputRegisters.try_emplace(number, -1);
  if (isNew) {
    const OperandAccess &access = geometry.inputs[number];
    program.registers.push_back(
        {access.lane, access.shape, static_cast<int>(number)});
    known->second = program.registers.size() - 1;
    if (access.shape == Shape::Point) {
      Instruction spread;
      spread.opcode = Opcode::Broadcast;
      spread.lane = access.lane;
      spread.sources = {known->second};
      spread.destination = newRegister(access.lane, Shape::Point);
      known->second = append(std::move(spread));
    }
  }
  return known->second;
}

Node ExpressionBuilder::inputNode(unsigned number, unsigned bits) {
  const OperandAccess &access = geometry.inputs[number];
  int reg = inputRegister(number);
  if (access.isBool) {
    int wide = cast(reg, Lane::F16, CastRounding::None);
    return conditionNode(
        compare(ascend::CompareMode::NE, wide, floatConstant(0.0, Lane::F16)));
  }
  switch (access.lane) {
  case Lane::F32:
  case Lane::F16:
  case Lane::BF16:
    return vectorNode(reg);
  case Lane::I64:
    return fail("the vector unit has no 64-bit elements");
  default:
    return loadInteger(reg, access.isUnsigned, bits);
  }
}

/// Positions along rows or columns, as 32-bit integers.
Node ExpressionBuilder::indexNode(int64_t dimension) {
  DimensionRole::Kind kind = geometry.roles[dimension].kind;
  if (kind == DimensionRole::Kind::Unit || kind == DimensionRole::Kind::Outer)
    return fail("a clipped dimension is neither rows nor columns");
  auto [known, isNew] = ramps.try_emplace(dimension, -1);
  if (isNew) {
    Instruction op;
    op.opcode = Opcode::Index;
    op.lane = Lane::I32;
    op.scalar = integerConstant(0);
    op.destination = newRegister(Lane::I32, kind == DimensionRole::Kind::Row
                                                ? Shape::Column
                                                : smallestShape());
    known->second = append(std::move(op));
  }
  return integerNode(known->second, 32, Node::Sign::Signed);
}

Node ExpressionBuilder::evaluateOperation(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast<tile::IndexOp>(op))
    return indexNode(index.getDimension());
  if (isa<tile::LoadOp>(op))
    return fail("an index is data or is not affine (gather)");
  if (isa<scf::IfOp>(op))
    return evaluateIf(value);
  if (isa<arith::BitcastOp>(op))
    return evaluateBitcast(op);
  if (isa<tile::CastOp, arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp,
          arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op))
    return evaluateCast(op);
  if (isa<math::MathDialect>(op->getDialect()))
    return evaluateMath(op);
  if (auto compareOp = dyn_cast<arith::CmpFOp>(op))
    return evaluateFloatCompare(compareOp);
  if (auto compareOp = dyn_cast<arith::CmpIOp>(op))
    return evaluateIntegerCompare(compareOp);
  if (auto selectOp = dyn_cast<arith::SelectOp>(op)) {
    Node condition = evaluate(selectOp.getCondition());
    Node a = evaluate(selectOp.getTrueValue());
    Node b = evaluate(selectOp.getFalseValue());
    return failed ? a : select(condition, a, b, value.getType());
  }
  if (isa<arith::AddFOp>(op))
    return evaluateFloatBinary(op, BinaryFunction::Add);
  if (isa<arith::SubFOp>(op))
    return evaluateFloatBinary(op, BinaryFunction::Sub);
  if (isa<arith::MulFOp>(op))
    return evaluateFloatBinary(op, BinaryFunction::Mul);
  if (isa<arith::DivFOp>(op))
    return evaluateFloatBinary(op, BinaryFunction::Div);
  if (isa<arith::MaximumFOp>(op))
    return evaluateFloatBinary(op, BinaryFunction::Max);
  if (isa<arith::MinimumFOp>(op))
    return evaluateFloatBinary(op, BinaryFunction::Min);
  if (isa<arith::NegFOp>(op)) {
    Node x = evaluate(op->getOperand(0));
    Type type = value.getType();
    if (type.isF32() || type.isF16())
      return vectorNode(
          scalar(ScalarFunction::Muls, x.reg,
                 floatConstant(-1.0, type.isF16() ? Lane::F16 : Lane::F32)));
  }
  if (value.getType().isInteger(1))
    return evaluateLogic(op);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp,
          arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op))
    return evaluateIntegerBinary(op);
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return evaluateShift(op);
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return evaluateBits(op);
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
          arith::RemUIOp>(op))
    return evaluateDivision(op);
  return fail("the vector unit has no form of '" +
              op->getName().getStringRef() + "'");
}

/// Both branches, then a selection. Only branches without accesses get here:
/// a load that varies over elements has no vector form.
Node ExpressionBuilder::evaluateIf(Value value) {
  auto op = value.getDefiningOp<scf::IfOp>();
  if (op.getElseRegion().empty())
    return fail("a branch has no value");
  unsigned number = cast<OpResult>(value).getResultNumber();
  bool loads = false;
  op.walk([&](tile::LoadOp) { loads = true; });
  if (loads)
    return fail("an element is read in one branch only");
  Node condition = evaluate(op.getCondition());
  Node a = evaluate(op.thenYield().getOperand(number));
  Node b = evaluate(op.elseYield().getOperand(number));
  return failed ? a : select(condition, a, b, value.getType());
}

//===-- Arithmetic -------------------------------------------------------===//

Node ExpressionBuilder::evaluateFloatBinary(Operation *op,
                                            BinaryFunction function) {
  Type type = op->getResult(0).getType();
  Node a = evaluate(op->getOperand(0));
  Node b = evaluate(op->getOperand(1));
  if (failed)
    return a;
  if (type.isF32())
    return arithmetic(function, a, b, Lane::F32);
  if (type.isF16())
    return arithmetic(function, a, b, Lane::F16);
  return fail("the vector unit has no arithmetic of this float type");
}

Node ExpressionBuilder::evaluateIntegerBinary(Operation *op) {
  Type type = op->getResult(0).getType();
  unsigned bits = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
  if (bits > 32)
    return fail("the vector unit has no 64-bit elements");
  Node a = evaluate(op->getOperand(0));
  Node b = evaluate(op->getOperand(1));
  if (failed)
    return a;
  bool isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(op);
  bool ordered = isUnsigned || isa<arith::MaxSIOp, arith::MinSIOp>(op);
  if (ordered) {
    a = normalise(a, isUnsigned);
    b = normalise(b, isUnsigned);
    if (failed)
      return a;
  }
  BinaryFunction function = isa<arith::AddIOp>(op)   ? BinaryFunction::Add
                            : isa<arith::SubIOp>(op) ? BinaryFunction::Sub
                            : isa<arith::MulIOp>(op) ? BinaryFunction::Mul
                            : isa<arith::MaxSIOp, arith::MaxUIOp>(op)
                                ? BinaryFunction::Max
                                : BinaryFunction::Min;
  Node result = arithmetic(function, a, b, Lane::I32);
  result.bits = bits;
  result.sign = ordered ? isUnsigned ? Node::Sign::Unsigned : Node::Sign::Signed
                : bits < 32 ? Node::Sign::Unknown
                            : Node::Sign::Signed;
  return result;
}

Node ExpressionBuilder::evaluateShift(Operation *op) {
  Type type = op->getResult(0).getType();
  unsigned bits = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
  if (bits > 32)
    return fail("the vector unit has no 64-bit elements");
  Node a = evaluate(op->getOperand(0));
  Node b = evaluate(op->getOperand(1));
  if (failed)
    return a;
  if (a.kind != Node::Kind::Vector || b.kind != Node::Kind::Scalar)
    return fail("the distance of a shift differs between elements");
  // Distances of the type's width and more have no defined result here.
  if (isa<arith::ShLIOp>(op)) {
    Node result =
        integerNode(scalar(ScalarFunction::ShiftLeft, a.reg, b.scalar), bits,
                    bits < 32 ? Node::Sign::Unknown : Node::Sign::Signed);
    return result;
  }
  bool isUnsigned = isa<arith::ShRUIOp>(op);
  // Whole words shift in zeros when read as unsigned.
  if (bits == 32) {
    int reg = scalar(ScalarFunction::ShiftRight, a.reg, b.scalar,
                     isUnsigned ? Lane::U32 : Lane::I32);
    return integerNode(reg, bits, Node::Sign::Signed);
  }
  a = normalise(a, isUnsigned);
  return integerNode(scalar(ScalarFunction::ShiftRight, a.reg, b.scalar), bits,
                     isUnsigned ? Node::Sign::Unsigned : Node::Sign::Signed);
}

Node ExpressionBuilder::evaluateBits(Operation *op) {
  Type type = op->getResult(0).getType();
  unsigned bits = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
  if (bits > 32)
    return fail("the vector unit has no 64-bit elements");
  Node a = evaluate(op->getOperand(0));
  Node b = evaluate(op->getOperand(1));
  if (failed)
    return a;
  Shape shape = Shape::Point;
  for (const Node &node : {a, b})
    if (node.kind == Node::Kind::Vector)
      shape = join(shape, shapeOf(node.reg));
  auto registerOf = [&](const Node &node) {
    return node.kind == Node::Kind::Vector
               ? node.reg
               : duplicate(node.scalar, Lane::I32, shape);
  };
  int x = registerOf(a), y = registerOf(b);
  int reg;
  if (isa<arith::AndIOp>(op)) {
    reg = binaryBits(BinaryFunction::And, x, y);
  } else if (isa<arith::OrIOp>(op)) {
    reg = binaryBits(BinaryFunction::Or, x, y);
  } else {
    // x ^ y = (x | y) - (x & y): no borrow, since the second is part of the
    // first.
    int either = binaryBits(BinaryFunction::Or, x, y);
    int both = binaryBits(BinaryFunction::And, x, y);
    reg = binary(BinaryFunction::Sub, either, both);
  }
  // Bit operations keep two sign-extended operands sign-extended; with anything
  // else the upper bits are of no use.
  bool extended =
      (a.kind == Node::Kind::Scalar || a.sign == Node::Sign::Signed) &&
      (b.kind == Node::Kind::Scalar || b.sign == Node::Sign::Signed);
  return integerNode(reg, bits,
                     bits == 32 || extended ? Node::Sign::Signed
                                            : Node::Sign::Unknown);
}

} // namespace tilelang::vectorcore
