//===- VectorExpression.h - From a map's body to a vector program ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Values are computed where they vary: what depends on the row or the column
// only is computed once per row or column and broadcast where it meets the
// rest. Only what the result needs is computed. No IR is created here.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTOREXPRESSION_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTOREXPRESSION_H

#include "VectorProgram.h"

#include <deque>

namespace tilelang::vectorcore {

struct ConditionNode;

/// A value of the body.
struct Node {
  enum class Kind : uint8_t { Scalar, Vector, Condition };
  /// What the upper bits of a narrow integer, held in 32 bits, are.
  enum class Sign : uint8_t { Signed, Unsigned, Unknown };

  Kind kind = Kind::Scalar;
  ScalarOperand scalar;
  int reg = -1;
  const ConditionNode *condition = nullptr;
  /// Integers: bits of the type (32 for `index`), and how they are held.
  unsigned bits = 32;
  Sign sign = Sign::Signed;
};

/// A truth value per element, kept symbolic until the shape of its use is
/// known: masks cannot be broadcast.
struct ConditionNode {
  enum class Kind : uint8_t { Compare, Not, And, Or, Uniform };
  Kind kind = Kind::Compare;
  ascend::CompareMode mode = ascend::CompareMode::EQ;
  /// Compare: a register and a register or scalar.
  int lhs = -1, rhs = -1;
  ScalarOperand scalar;
  const ConditionNode *x = nullptr, *y = nullptr;
  Shape shape = Shape::Point;
};

class ExpressionBuilder {
public:
  ExpressionBuilder(tile::MapOp map, const MapGeometry &geometry)
      : map(map), geometry(geometry) {}

  /// The program, or nothing and why the body has no vector form.
  std::optional<Program> build(std::string &reason);

private:
  // Dispatch over the body (VectorExpression.cpp).
  Node evaluate(mlir::Value value);
  Node evaluateOperation(mlir::Value value);
  Node inputNode(unsigned number, unsigned bits);
  int inputRegister(unsigned number);
  int movedInput(mlir::Value result);
  Node indexNode(int64_t dimension);
  Node clip(const Node &root, mlir::Type type);
  Node evaluateIf(mlir::Value value);
  Node evaluateFloatBinary(mlir::Operation *op,
                           ascend::BinaryFunction function);
  Node evaluateIntegerBinary(mlir::Operation *op);
  Node evaluateShift(mlir::Operation *op);
  Node evaluateBits(mlir::Operation *op);
  bool isScalar(mlir::Value value);
  bool isScalarOutside(mlir::Value value);
  Node fail(const llvm::Twine &text);
  int store(const Node &root);
  int storeRegister(int reg);

  // Conversions (VectorCasts.cpp).
  Node evaluateCast(mlir::Operation *op);
  Node evaluateBitcast(mlir::Operation *op);
  Node evaluateHalf(mlir::Operation *op);
  Node convertFloat(Node from, mlir::Type fromType, mlir::Type toType,
                    ascend::CastRounding rounding, bool saturate);
  Node floatToInteger(Node from, mlir::Type fromType, unsigned bits,
                      bool isUnsigned, ascend::CastRounding rounding,
                      bool saturate);
  Node integerToFloat(mlir::Value source, mlir::Type toType, bool isUnsigned,
                      ascend::CastRounding rounding);
  Node loadInteger(int reg, bool isUnsigned, unsigned bits);
  Node normalise(Node from, bool isUnsigned);
  int storeInteger(Node root, Lane lane, bool isUnsigned);

  // Integer division (VectorDivision.cpp).
  Node evaluateDivision(mlir::Operation *op);
  /// The floor of a quotient, what its first step left over, and the second's.
  struct Division {
    int quotient, rest, second;
  };
  Division divideFloor(int x, const Node &divisor);
  int subtractProduct(int x, int factor, const Node &divisor);

  // Functions (VectorMath.cpp).
  Node evaluateMath(mlir::Operation *op);
  int hyperbolicTangent(int x);
  int tangentByExponential(int twice);
  int errorFunction(int x);
  int sine(int x, bool shifted);
  int logarithmOfOnePlus(int x);
  int polynomial(int x, llvm::ArrayRef<double> coefficients);
  int scaledArgument(mlir::Value x, double factor);
  int roundTo(int x, ascend::CastRounding rounding);

  // Conditions and selection (VectorConditions.cpp).
  Node evaluateFloatCompare(mlir::arith::CmpFOp op);
  Node evaluateIntegerCompare(mlir::arith::CmpIOp op);
  Node evaluateLogic(mlir::Operation *op);
  Node select(const Node &condition, const Node &a, const Node &b,
              mlir::Type type);
  Shape selectionShape(const ConditionNode *condition, const Node &a,
                       const Node &b) const;
  Node selectIntegers(const ConditionNode *condition, Node a, Node b);
  const ConditionNode *conditionOf(const Node &node);
  const ConditionNode *compare(ascend::CompareMode mode, int lhs, int rhs);
  const ConditionNode *compare(ascend::CompareMode mode, int lhs,
                               ScalarOperand rhs);
  const ConditionNode *negate(const ConditionNode *condition);
  const ConditionNode *combine(ConditionNode::Kind kind, const ConditionNode *x,
                               const ConditionNode *y);
  Node conditionNode(const ConditionNode *condition);
  int mask(const ConditionNode *condition, Shape shape);
  int select(const ConditionNode *condition, int a, int b, Shape shape);

  // Instructions (VectorInstructions.cpp).
  int newRegister(Lane lane, Shape shape);
  Lane laneOf(int reg) const { return program.registers[reg].lane; }
  Shape shapeOf(int reg) const { return program.registers[reg].shape; }
  int append(Instruction instruction);
  int unary(ascend::UnaryFunction function, int source);
  int binary(ascend::BinaryFunction function, int lhs, int rhs);
  int binaryBits(ascend::BinaryFunction function, int lhs, int rhs);
  int scalar(ascend::ScalarFunction function, int source, ScalarOperand scalar,
             std::optional<Lane> readAs = std::nullopt);
  int cast(int source, Lane to, ascend::CastRounding rounding);
  int duplicate(ScalarOperand scalar, Lane lane, Shape shape);
  int broadcastOperand(int reg, Shape shape);
  /// The value as contiguous elements of `shape`; `rounded` where whole
  /// comparisons read it.
  int materialise(int reg, Shape shape, bool rounded);
  /// The value as a register; scalars become one repeated block.
  int vector(const Node &node, Lane lane);
  ScalarOperand floatConstant(double value, Lane lane = Lane::F32);
  ScalarOperand integerConstant(int64_t value, Lane lane = Lane::I32);
  Shape smallestShape() const {
    return geometry.rows == 1 ? Shape::Full : Shape::Row;
  }
  static Shape join(Shape a, Shape b);
  Node vectorNode(int reg) const;
  Node integerNode(int reg, unsigned bits, Node::Sign sign) const;
  Node arithmetic(ascend::BinaryFunction function, const Node &a, const Node &b,
                  Lane lane);

  tile::MapOp map;
  const MapGeometry &geometry;
  Program program;
  std::string failure;
  bool failed = false;
  llvm::DenseMap<mlir::Value, Node> values;
  llvm::DenseMap<mlir::Value, bool> scalars;
  llvm::DenseMap<std::pair<int, int>, int> materialised;
  llvm::DenseMap<std::pair<const void *, int>, int> duplicates;
  llvm::DenseMap<std::pair<const void *, int>, int> masks;
  llvm::DenseMap<int64_t, int> ramps;
  llvm::DenseMap<unsigned, int> inputRegisters;
  std::deque<ConditionNode> conditions;
};

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTOREXPRESSION_H
