//===- MapBuilder.h - Builds one map from a store of a parallel ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_TILE_TRANSFORMS_MAPBUILDER_H
#define TILELANG_LIB_DIALECT_TILE_TRANSFORMS_MAPBUILDER_H

#include "ParallelAnalysis.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineMap.h"
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
  llvm::SmallVector<Condition> conditions;
  /// The outermost `scf.if` around the store; null if there is none.
  mlir::Operation *scope = nullptr;
  /// Where set, `value` is stored if the `scf.if` takes its first branch, and
  /// `alternative` otherwise.
  mlir::scf::IfOp selector = nullptr;
  mlir::Value alternative = nullptr;
  /// Adds to the element of a global buffer.
  bool isAtomic = false;
};

/// What stands in for values of the body where a map executes.
struct Replacements {
  /// Loads whose value was kept in a buffer of the iteration space's shape.
  llvm::DenseMap<mlir::Operation *, mlir::Value> kept;
  /// Loads of buffers that are private to an iteration: the stores that reach
  /// them, in program order. The first one always executes.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>
      forwarded;
  /// Computed values that an earlier map has stored in a tile, unchanged since.
  llvm::DenseMap<mlir::Value, StoreOp> stored;
};

class MapBuilder {
public:
  MapBuilder(ParallelAnalysis &analysis, const Replacements &replacements,
             mlir::OpBuilder builder);
  ~MapBuilder();

  /// Emits the map for `update`, and what it needs, at the insertion point.
  mlir::LogicalResult build(const ElementUpdate &update);

  /// Whether a condition is neither invariant nor the bound of one index, so
  /// that it has to be evaluated for each element.
  static bool isElementwise(ParallelAnalysis &analysis,
                            const Condition &condition);

private:
  /// An access with affine indices: region and map.
  struct AffineAccess {
    llvm::SmallVector<mlir::AffineExpr> offsets; // of symbols
    llvm::SmallVector<int64_t> extents;
    mlir::AffineMap map;
    bool operator==(const AffineAccess &) const = default;
  };
  struct Input {
    mlir::Value buffer;
    AffineAccess access;
  };
  /// Bounds of one dimension that are known at run time only:
  /// `lower <= d < upper`.
  struct Clip {
    llvm::SmallVector<mlir::AffineExpr> lower, upper;
  };
  /// A condition that holds for all iterations or for none: a value, or an
  /// expression that has to be at least 0.
  struct Guard {
    std::optional<Condition> condition;
    mlir::AffineExpr expression;
  };
  /// `coefficient * d + rest`.
  struct Term {
    unsigned dimension;
    int64_t coefficient;
    mlir::AffineExpr rest;
  };
  enum class Emptiness { Empty, MayRun };

  // Conditions: MapConditions.cpp.
  Emptiness applyConditions(llvm::ArrayRef<Condition> conditions);
  Emptiness applyBound(const Bound &bound, const Condition &condition,
                       unsigned phase);
  std::optional<Term> getSingleTerm(mlir::AffineExpr expression);
  void emitGuards();
  void emitClips(llvm::SmallVectorImpl<int64_t> &clipped,
                 llvm::SmallVectorImpl<mlir::Value> &lower,
                 llvm::SmallVectorImpl<mlir::Value> &upper);
  mlir::LogicalResult verifyDistinctElements(const ElementUpdate &update);

  // Index expressions: MapConditions.cpp.
  mlir::AffineExpr replaceDimensions(mlir::AffineExpr expression);
  bool separate(mlir::AffineExpr expression, mlir::AffineExpr &dimensions,
                mlir::AffineExpr &symbols);
  std::optional<AffineAccess> getAccess(mlir::ValueRange indices);
  std::optional<AffineAccess>
  getAccess(llvm::ArrayRef<mlir::AffineExpr> indices);
  mlir::Value emitExpression(mlir::AffineExpr expression);
  mlir::Value emitRegion(mlir::Value buffer, const AffineAccess &access);
  mlir::Value emitInvariant(mlir::Value value);

  // Values: MapBuilder.cpp.
  mlir::Value emit(mlir::Value value, mlir::OpBuilder &body);
  mlir::Value emitIndex(unsigned dimension, mlir::OpBuilder &body);
  mlir::Value emitLoad(LoadOp load, mlir::OpBuilder &body);
  mlir::Value emitForwarded(LoadOp load, mlir::OpBuilder &body);
  mlir::Value emitBranch(mlir::OpResult result, mlir::OpBuilder &body);
  mlir::Value emitUpdate(const ElementUpdate &update,
                         const AffineAccess &output, mlir::OpBuilder &body);
  mlir::Value emitInput(mlir::Value buffer, const AffineAccess &access,
                        mlir::Location location);
  mlir::Value emitConjunction(llvm::ArrayRef<Condition> conditions,
                              mlir::OpBuilder &body, mlir::Location location);
  /// An `scf.if` whose branches compute `first` and `second`; their operations
  /// are not visible outside.
  llvm::SmallVector<mlir::Value>
  emitIf(mlir::Value condition, mlir::OpBuilder &body, mlir::Location location,
         mlir::ValueRange first, mlir::ValueRange second);
  /// Whether everything `value` needs may also be computed where its condition
  /// does not hold, as far as it is inside `scope`.
  bool isSpeculatable(mlir::Value value, mlir::Operation *scope);

  ParallelAnalysis &analysis;
  IndexExpressions &expressions;
  const Replacements &replacements;
  mlir::OpBuilder builder;
  mlir::MLIRContext *context;
  mlir::Location location;

  llvm::SmallVector<int64_t> extents;
  /// Each dimension of the parallel in terms of those of the map.
  llvm::SmallVector<mlir::AffineExpr> dimensionValues;
  llvm::SmallVector<Clip> clips;
  llvm::SmallVector<Guard> guards;
  llvm::SmallVector<Condition> residual;

  std::unique_ptr<mlir::Block> body;
  llvm::SmallVector<Input> inputs;
  mlir::IRMapping hoisted, emitted;
};

} // namespace tilelang::tile

#endif // TILELANG_LIB_DIALECT_TILE_TRANSFORMS_MAPBUILDER_H
