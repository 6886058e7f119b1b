//===- ParallelAnalysis.cpp - What the body of a parallel reads and writes
//---===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ParallelAnalysis.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilelang/Dialect/Tile/IR/AffineRange.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::tile;

ParallelAnalysis::ParallelAnalysis(ParallelOp parallel)
    : parallel(parallel),
      shallow(
          parallel, [this](Value value) { return isInvariant(value); },
          IndexExpressions::Depth::Shallow),
      deep(
          parallel, [this](Value value) { return isInvariant(value); },
          IndexExpressions::Depth::Deep) {
  parallel.getBody().walk(
      [&](StoreOp store) { storedBuffers.insert(store.getBuffer()); });
  SmallVector<Condition> conditions;
  collectAccesses(parallel.getBody().front(), conditions);
}

LogicalResult ParallelAnalysis::verifyBody() {
  WalkResult result = parallel.getBody().walk([&](Operation *op) {
    if (isa<LoadOp, StoreOp, CastOp, YieldOp, scf::IfOp, scf::YieldOp>(op) ||
        isa_and_present<arith::ArithDialect, math::MathDialect>(
            op->getDialect()))
      return WalkResult::advance();
    InFlightDiagnostic error =
        op->emitError() << "unsupported inside T.Parallel: '" << op->getName()
                        << "'; a body may hold element reads and writes, "
                           "arithmetic, casts and conditions";
    if (isa<ForOp>(op))
      error << " - move the loop outside of T.Parallel";
    else if (isa<ParallelOp>(op))
      error << " - give all extents to one T.Parallel";
    else
      error << " - move it outside of T.Parallel";
    error.attachNote(parallel.getLoc()) << "the T.Parallel is here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

std::string ParallelAnalysis::getIndexName(unsigned dimension) {
  if (auto names = parallel->getAttrOfType<ArrayAttr>("indexNames"))
    if (dimension < names.size())
      if (auto name = dyn_cast<StringAttr>(names[dimension]))
        return "'" + name.str() + "'";
  return "index " + std::to_string(dimension);
}

//===----------------------------------------------------------------------===//
// Accesses and conditions
//===----------------------------------------------------------------------===//

void ParallelAnalysis::collectAccesses(Block &block,
                                       SmallVectorImpl<Condition> &conditions) {
  for (Operation &op : block) {
    auto add = [&](Value buffer, ValueRange indices, bool isStore) {
      accessIndices[&op] = accesses.size();
      accesses.push_back({&op, buffer, indices, isStore,
                          static_cast<unsigned>(accesses.size()),
                          llvm::to_vector(conditions)});
    };
    if (auto load = dyn_cast<LoadOp>(op)) {
      add(load.getBuffer(), load.getIndices(), false);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      add(store.getBuffer(), store.getIndices(), true);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      size_t outer = conditions.size();
      splitCondition(branch.getCondition(), false, conditions);
      collectAccesses(*branch.thenBlock(), conditions);
      conditions.truncate(outer);
      if (!branch.elseBlock())
        continue;
      splitCondition(branch.getCondition(), true, conditions);
      collectAccesses(*branch.elseBlock(), conditions);
      conditions.truncate(outer);
    }
  }
}

void ParallelAnalysis::splitCondition(Value value, bool negated,
                                      SmallVectorImpl<Condition> &conditions) {
  if (auto conjunction = value.getDefiningOp<arith::AndIOp>();
      conjunction && !negated) {
    splitCondition(conjunction.getLhs(), false, conditions);
    splitCondition(conjunction.getRhs(), false, conditions);
    return;
  }
  // not (a or b) is (not a) and (not b).
  if (auto disjunction = value.getDefiningOp<arith::OrIOp>();
      disjunction && negated) {
    splitCondition(disjunction.getLhs(), true, conditions);
    splitCondition(disjunction.getRhs(), true, conditions);
    return;
  }
  if (auto exclusive = value.getDefiningOp<arith::XOrIOp>();
      exclusive && matchPattern(exclusive.getRhs(), m_One())) {
    splitCondition(exclusive.getLhs(), !negated, conditions);
    return;
  }
  conditions.push_back({value, negated});
}

std::optional<Bound> ParallelAnalysis::getBound(const Condition &condition,
                                                IndexExpressions &expressions) {
  auto comparison = condition.value.getDefiningOp<arith::CmpIOp>();
  if (!comparison)
    return std::nullopt;
  std::optional<AffineExpr> left = expressions.get(comparison.getLhs());
  std::optional<AffineExpr> right = expressions.get(comparison.getRhs());
  if (!left || !right)
    return std::nullopt;
  arith::CmpIPredicate predicate = comparison.getPredicate();
  if (condition.negated)
    predicate = arith::invertPredicate(predicate);
  AffineExpr difference = *left - *right;
  bool isEquation = false;
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    isEquation = true;
    break;
  case arith::CmpIPredicate::slt:
    difference = -difference - 1;
    break;
  case arith::CmpIPredicate::sle:
    difference = -difference;
    break;
  case arith::CmpIPredicate::sgt:
    difference = difference - 1;
    break;
  case arith::CmpIPredicate::sge:
    break;
  default:
    return std::nullopt;
  }
  return Bound{expressions.simplify(difference), isEquation};
}

//===----------------------------------------------------------------------===//
// Invariants
//===----------------------------------------------------------------------===//

bool ParallelAnalysis::computeInvariant(Value value, bool allowTileLoads) {
  auto isSame = [&](Value operand) {
    return allowTileLoads ? isInvariant(operand) : isInvariantData(operand);
  };
  Operation *op = value.getDefiningOp();
  if (!op)
    return cast<BlockArgument>(value).getOwner() != &parallel.getBody().front();
  if (!parallel->isProperAncestor(op))
    return true;
  if (op->getNumRegions() != 0 || !llvm::all_of(op->getOperands(), isSame))
    return false;
  auto load = dyn_cast<LoadOp>(op);
  if (!load)
    return isPure(op);
  if (storedBuffers.contains(load.getBuffer()))
    return false;
  // A scalar in memory is read once; an element of a tile stays where vector
  // code can reach it, unless an address or a branch depends on it.
  std::optional<ScopeKind> scope = getScope(load.getBuffer().getType());
  return allowTileLoads || scope == ScopeKind::Global ||
         scope == ScopeKind::Var;
}

bool ParallelAnalysis::isInvariant(Value value) {
  if (auto it = invariant.find(value); it != invariant.end())
    return it->second;
  bool result = computeInvariant(value, /*allowTileLoads=*/true);
  return invariant[value] = result;
}

bool ParallelAnalysis::isInvariantData(Value value) {
  if (auto it = invariantData.find(value); it != invariantData.end())
    return it->second;
  bool result = computeInvariant(value, /*allowTileLoads=*/false);
  return invariantData[value] = result;
}

void ParallelAnalysis::collectLoads(Value value,
                                    llvm::SetVector<Operation *> &loads,
                                    llvm::function_ref<bool(Value)> isKnown) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (isKnown(next) || !op || !parallel->isProperAncestor(op) ||
        !seen.insert(op).second)
      continue;
    if (isa<LoadOp>(op))
      loads.insert(op);
    llvm::append_range(pending, op->getOperands());
    // Whatever the branches of a condition compute.
    for (Region &region : op->getRegions())
      region.walk([&](Operation *nested) {
        llvm::append_range(pending, nested->getOperands());
      });
  }
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

namespace {

/// A system of affine constraints on two iterations (dimensions `0 .. n-1` and
/// `n .. 2n-1`) and the symbols of a parallel.
class IterationPair {
public:
  IterationPair(ArrayRef<int64_t> extents, IndexExpressions &expressions,
                MLIRContext *context)
      : extents(extents), expressions(expressions), context(context) {}

  /// The expression in terms of the second iteration.
  AffineExpr shift(AffineExpr expression) {
    return expression.shiftDims(extents.size(), extents.size());
  }

  void addEquation(AffineExpr expression) { equations.push_back(expression); }
  void addBound(const Bound &bound, bool second) {
    AffineExpr expression = second ? shift(bound.expression) : bound.expression;
    (bound.isEquation ? equations : inequalities).push_back(expression);
  }

  /// Prepares the system; fails where an expression cannot be represented.
  LogicalResult finish() {
    SmallVector<AffineExpr> all(equations);
    llvm::append_range(all, inequalities);
    unsigned rank = extents.size();
    unsigned symbolCount = expressions.getSymbols().size();
    std::vector<SmallVector<int64_t, 8>> rows;
    constraints = FlatLinearConstraints(2 * rank, symbolCount);
    AffineMap map = AffineMap::get(2 * rank, symbolCount, all, context);
    if (!all.empty() &&
        failed(getFlattenedAffineExprs(map, &rows, &constraints)))
      return failure();
    for (auto [index, row] : llvm::enumerate(rows)) {
      if (index < equations.size())
        constraints.addEquality(row);
      else
        constraints.addInequality(row);
    }
    for (unsigned i = 0; i < 2 * rank; ++i) {
      constraints.addBound(presburger::BoundType::LB, i, 0);
      constraints.addBound(presburger::BoundType::UB, i, extents[i % rank] - 1);
    }
    for (auto [index, symbol] : llvm::enumerate(expressions.getSymbols()))
      if (isNonNegative(symbol))
        constraints.addBound(presburger::BoundType::LB, 2 * rank + index, 0);
    return success();
  }

  bool isFeasible() { return !constraints.isIntegerEmpty(); }

  /// Feasible with two iterations that differ?
  bool isFeasibleForDifferent() {
    unsigned rank = extents.size();
    for (unsigned i = 0; i < rank; ++i) {
      if (extents[i] == 1)
        continue;
      for (int64_t sign : {1, -1}) {
        // sign * (d_i - d'_i) >= 1
        FlatLinearConstraints ordered(constraints);
        SmallVector<int64_t> row(ordered.getNumCols(), 0);
        row[i] = sign;
        row[rank + i] = -sign;
        row.back() = -1;
        ordered.addInequality(row);
        if (!ordered.isIntegerEmpty())
          return true;
      }
    }
    return false;
  }

private:
  ArrayRef<int64_t> extents;
  IndexExpressions &expressions;
  MLIRContext *context;
  SmallVector<AffineExpr> equations, inequalities;
  FlatLinearConstraints constraints{0, 0};
};

} // namespace

bool ParallelAnalysis::mayConflictAcrossIterations(
    const ElementAccess &left, const ElementAccess &right,
    llvm::function_ref<bool(const Condition &)> use) {
  IterationPair pair(getExtents(), deep, parallel.getContext());
  // Expressions first: they settle how many symbols there are.
  for (auto [a, b] : llvm::zip_equal(left.indices, right.indices)) {
    std::optional<AffineExpr> x = deep.get(a), y = deep.get(b);
    if (x && y)
      pair.addEquation(*x - pair.shift(*y));
  }
  for (const Condition &condition : left.conditions)
    if (std::optional<Bound> bound = getBound(condition, deep);
        bound && use(condition))
      pair.addBound(*bound, /*second=*/false);
  for (const Condition &condition : right.conditions)
    if (std::optional<Bound> bound = getBound(condition, deep);
        bound && use(condition))
      pair.addBound(*bound, /*second=*/true);
  return failed(pair.finish()) || pair.isFeasibleForDifferent();
}

bool ParallelAnalysis::mayConflictWithinIteration(const ElementAccess &left,
                                                  const ElementAccess &right) {
  IterationPair pair(getExtents(), deep, parallel.getContext());
  for (auto [a, b] : llvm::zip_equal(left.indices, right.indices)) {
    std::optional<AffineExpr> x = deep.get(a), y = deep.get(b);
    if (x && y)
      pair.addEquation(*x - *y);
  }
  for (const ElementAccess *access : {&left, &right})
    for (const Condition &condition : access->conditions)
      if (std::optional<Bound> bound = getBound(condition, deep))
        pair.addBound(*bound, /*second=*/false);
  return failed(pair.finish()) || pair.isFeasible();
}

bool ParallelAnalysis::hasSameIndices(const ElementAccess &left,
                                      const ElementAccess &right) {
  if (left.buffer != right.buffer)
    return false;
  return llvm::all_of(
      llvm::zip_equal(left.indices, right.indices), [&](auto indices) {
        auto [a, b] = indices;
        if (a == b)
          return true;
        std::optional<AffineExpr> x = deep.get(a), y = deep.get(b);
        return x && y && deep.flatten(*x - *y) == 0;
      });
}
