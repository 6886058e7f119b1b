//===- ParallelAnalysis.h - What the body of a parallel reads and writes
//---===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_TILE_TRANSFORMS_PARALLELANALYSIS_H
#define TILELANG_LIB_DIALECT_TILE_TRANSFORMS_PARALLELANALYSIS_H

#include "mlir/IR/AffineExpr.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <functional>
#include <optional>
#include <string>

namespace tilelang::tile {

/// Affine expressions of index values: dimensions are the iteration indices of
/// one parallel, symbols are values that do not change during it.
class IndexExpressions {
public:
  /// How far to look. `Shallow` takes values from outside the parallel as
  /// symbols; `Deep` expands them as far as they are affine, so that
  /// `(k + 1) mod 2` and `k mod 2` can be told apart.
  enum class Depth { Shallow, Deep };

  IndexExpressions(ParallelOp parallel,
                   std::function<bool(mlir::Value)> isInvariant, Depth depth);

  /// The expression of `value`, which is of type index or integer; nothing
  /// where it is not affine.
  std::optional<mlir::AffineExpr> get(mlir::Value value);

  llvm::ArrayRef<mlir::Value> getSymbols() const { return symbols; }
  /// Equal expressions mostly become the same, but `mod` stays as it is.
  mlir::AffineExpr simplify(mlir::AffineExpr expression);
  /// The normal form: equal expressions become the same.
  mlir::AffineExpr flatten(mlir::AffineExpr expression);

private:
  std::optional<mlir::AffineExpr> build(mlir::Value value);
  std::optional<mlir::AffineExpr> buildDivision(mlir::Operation *operation,
                                                bool remainder);
  mlir::AffineExpr getSymbol(mlir::Value value);
  bool isKnownNonNegative(mlir::AffineExpr expression);

  ParallelOp parallel;
  std::function<bool(mlir::Value)> isInvariant;
  Depth depth;
  llvm::SmallVector<mlir::Value> symbols;
  llvm::DenseMap<mlir::Value, std::optional<mlir::AffineExpr>> cache;
};

/// True where the value is at least zero whatever the inputs are.
bool isNonNegative(mlir::Value value, unsigned depth = 8);

/// A condition under which a statement runs: `value` is `!negated`.
struct Condition {
  mlir::Value value;
  bool negated;
};

/// A condition as an inequality or equation on an expression.
struct Bound {
  mlir::AffineExpr expression;
  /// `expression == 0` instead of `expression >= 0`.
  bool isEquation;
};

/// A `tile.load` or `tile.store` of the body.
struct ElementAccess {
  mlir::Operation *operation;
  mlir::Value buffer;
  mlir::ValueRange indices;
  bool isStore;
  /// Place in the order of the program.
  unsigned position;
  /// What holds where the access is made, outermost condition first.
  llvm::SmallVector<Condition> conditions;
};

/// Facts about one parallel, computed once.
class ParallelAnalysis {
public:
  explicit ParallelAnalysis(ParallelOp parallel);

  /// Refuses bodies with operations that have no place in one.
  mlir::LogicalResult verifyBody();

  ParallelOp getParallel() const { return parallel; }
  llvm::ArrayRef<int64_t> getExtents() { return parallel.getExtents(); }
  /// The program's name of an index, quoted.
  std::string getIndexName(unsigned dimension);

  llvm::ArrayRef<ElementAccess> getAccesses() const { return accesses; }
  const ElementAccess &getAccess(mlir::Operation *operation) const {
    return accesses[accessIndices.lookup(operation)];
  }

  /// True where the value is the same in every iteration, so that it can be
  /// computed before the map. Element loads count where nothing in the body
  /// writes their buffer.
  bool isInvariant(mlir::Value value);
  /// The same, but loads of on-chip tiles are left to the map.
  bool isInvariantData(mlir::Value value);

  IndexExpressions &getShallow() { return shallow; }

  /// The conditions of an `scf.if` chain as separate conjuncts.
  static void splitCondition(mlir::Value value, bool negated,
                             llvm::SmallVectorImpl<Condition> &conditions);
  /// A condition as a bound; nothing where it is no affine comparison.
  static std::optional<Bound> getBound(const Condition &condition,
                                       IndexExpressions &expressions);

  /// Whether two *different* iterations may touch the same element. Only
  /// conditions for which `use` holds are taken into account.
  bool mayConflictAcrossIterations(
      const ElementAccess &left, const ElementAccess &right,
      llvm::function_ref<bool(const Condition &)> use = [](const Condition &) {
        return true;
      });
  /// Whether one iteration may touch the same element by both.
  bool mayConflictWithinIteration(const ElementAccess &left,
                                  const ElementAccess &right);
  /// Whether both always touch the same element.
  bool hasSameIndices(const ElementAccess &left, const ElementAccess &right);

  /// Element loads that a value is computed from, as far as values for which
  /// `isKnown` holds are not involved.
  void collectLoads(
      mlir::Value value, llvm::SetVector<mlir::Operation *> &loads,
      llvm::function_ref<bool(mlir::Value)> isKnown = [](mlir::Value) {
        return false;
      });

private:
  void collectAccesses(mlir::Block &block,
                       llvm::SmallVectorImpl<Condition> &conditions);
  bool computeInvariant(mlir::Value value, bool allowTileLoads);

  ParallelOp parallel;
  llvm::SmallVector<ElementAccess> accesses;
  llvm::DenseMap<mlir::Operation *, unsigned> accessIndices;
  llvm::DenseSet<mlir::Value> storedBuffers;
  llvm::DenseMap<mlir::Value, bool> invariant, invariantData;
  IndexExpressions shallow, deep;
};

} // namespace tilelang::tile

#endif // TILELANG_LIB_DIALECT_TILE_TRANSFORMS_PARALLELANALYSIS_H
