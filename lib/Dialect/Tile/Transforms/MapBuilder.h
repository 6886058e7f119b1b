//===- MapBuilder.h - Builds one map from a store of a parallel ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_TILE_TRANSFORMS_MAPBUILDER_H
#define TILELANG_LIB_DIALECT_TILE_TRANSFORMS_MAPBUILDER_H

#include "ParallelAnalysis.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilelang::tile {

/// An element update to be made in every iteration: what a `tile.store` says,
/// or a value that has to be kept for later.
struct ElementUpdate {
  mlir::Location location;
  mlir::Value value;
  mlir::Value buffer;
  /// Indices of the store; the iteration indices themselves if empty.
  mlir::ValueRange indices;
  llvm::ArrayRef<Condition> conditions;
};

/// What stands in for loads of the body that cannot be repeated where the map
/// executes.
struct LoadReplacements {
  /// Loads whose value was kept in a buffer of the iteration space's shape.
  llvm::DenseMap<mlir::Operation *, mlir::Value> kept;
  /// Loads of buffers that are private to an iteration: the stores that reach
  /// them, in program order. The first one always executes.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>
      forwarded;
};

class MapBuilder {
public:
  MapBuilder(ParallelAnalysis &analysis, const LoadReplacements &replacements,
             mlir::OpBuilder builder);

  /// Emits the map for `update`, and what it needs, at the insertion point.
  mlir::LogicalResult build(const ElementUpdate &update);

private:
  /// An access with affine indices: region and map.
  struct AffineAccess {
    llvm::SmallVector<mlir::AffineExpr> offsets; // of symbols
    llvm::SmallVector<int64_t> extents;
    mlir::AffineMap map;
  };
  struct Input {
    mlir::Value buffer;
    AffineAccess access;
  };
  /// Symbolic clip bounds of one dimension: `lower <= d < upper`.
  struct Clip {
    llvm::SmallVector<mlir::AffineExpr> lower, upper;
  };
  enum class Emptiness { Empty, MayRun };

  // Conditions.
  mlir::FailureOr<Emptiness> applyConditions(llvm::ArrayRef<Condition> all);
  Emptiness applyBound(const Bound &bound, const Condition &condition);
  bool pinDimension(const Bound &bound);
  void requireNonNegative(mlir::AffineExpr expression);
  void emitGuards();
  void openGuard(mlir::Value condition);
  mlir::LogicalResult verifyDistinctElements(const ElementUpdate &update);

  // Index expressions.
  mlir::AffineExpr replaceDimensions(mlir::AffineExpr expression);
  bool separate(mlir::AffineExpr expression, mlir::AffineExpr &dimensions,
                mlir::AffineExpr &symbols);
  std::optional<AffineAccess> getAccess(mlir::ValueRange indices);
  std::optional<AffineAccess>
  getAccess(llvm::ArrayRef<mlir::AffineExpr> indices);
  AffineAccess getIterationAccess();
  mlir::Value emitExpression(mlir::AffineExpr expression);
  mlir::Value emitRegion(mlir::Value buffer, const AffineAccess &access);

  // Values.
  mlir::Value emitInvariant(mlir::Value value);
  mlir::Value emit(mlir::Value value, mlir::OpBuilder &body);
  mlir::Value emitIndex(unsigned dimension, mlir::OpBuilder &body,
                        mlir::Location location);
  mlir::Value emitLoad(LoadOp load, mlir::OpBuilder &body);
  mlir::Value emitBranch(mlir::OpResult result, mlir::OpBuilder &body);
  mlir::Value emitInput(mlir::Value buffer, const AffineAccess &access,
                        mlir::Location location);
  mlir::Value emitCondition(const Condition &condition, mlir::OpBuilder &body,
                            mlir::Location location);
  /// Whether everything `value` needs may also be computed where its condition
  /// does not hold. `scope` limits the question to operations inside it.
  bool isSpeculatable(mlir::Value value, mlir::Operation *scope);
  void emitOuterValues(scf::IfOp branch, mlir::OpBuilder &body);

  ParallelAnalysis &analysis;
  const LoadReplacements &replacements;
  mlir::OpBuilder builder;
  mlir::MLIRContext *context;

  llvm::SmallVector<int64_t> extents;
  /// Each dimension of the parallel in terms of those of the map.
  llvm::SmallVector<mlir::AffineExpr> dimensionValues;
  llvm::SmallVector<Clip> clips;
  llvm::SmallVector<Condition> guards;
  llvm::SmallVector<mlir::AffineExpr> guardExpressions; // each is >= 0
  llvm::SmallVector<Condition> residual;

  mlir::Block *bodyBlock = nullptr;
  llvm::SmallVector<Input> inputs;
  mlir::IRMapping hoisted, emitted;
};

} // namespace tilelang::tile

#endif // TILELANG_LIB_DIALECT_TILE_TRANSFORMS_MAPBUILDER_H
