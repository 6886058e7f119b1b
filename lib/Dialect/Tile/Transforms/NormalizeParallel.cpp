//===- NormalizeParallel.cpp - From parallel bodies to elementwise maps ---===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Every store of a `tile.parallel` becomes a `tile.map`. Maps execute one after
// another, each for all iterations, where the body executed statement by
// statement for each iteration. That is the same as long as iterations are
// independent, which is checked first, and as long as a value that is read
// before a store of the same iteration overwrites it is kept for the maps that
// come later.
//
//===----------------------------------------------------------------------===//

#include "MapBuilder.h"
#include "ParallelAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Dialect/Tile/Transforms/Passes.h"
#include "tilelang/Support/Debug.h"

namespace tilelang::tile {
#define GEN_PASS_DEF_TILENORMALIZEPARALLEL
#include "tilelang/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilelang::tile

using namespace mlir;
using namespace tilelang::tile;

static constexpr llvm::StringLiteral debugTag = "tile-normalize-parallel";

namespace {

/// Rewrites one parallel.
class Normalizer {
public:
  explicit Normalizer(ParallelOp parallel)
      : parallel(parallel), analysis(parallel) {}

  LogicalResult run();

private:
  // Dependences.
  bool hasSimpleDistinctElements(const ElementAccess &store);
  bool writesSharedElement(const ElementAccess &store);
  LogicalResult checkDependences();
  void reportSharedElement(const ElementAccess &first,
                           const ElementAccess &second);

  // Values that need care.
  void collectLoads(const ElementAccess &store,
                    llvm::SetVector<Operation *> &loads);
  LogicalResult planKeptLoads();
  LogicalResult emitKeptLoad(const ElementAccess &load, OpBuilder &builder);

  // Maps.
  void recordStore(const ElementAccess &store);
  LogicalResult emitMaps();
  std::optional<ElementUpdate> getMergedUpdate(const ElementAccess &store,
                                               const ElementAccess &next);
  ElementUpdate getUpdate(const ElementAccess &store);

  ParallelOp parallel;
  ParallelAnalysis analysis;
  Replacements replacements;
  llvm::DenseSet<Value> privateBuffers;
  llvm::SetVector<Operation *> keptLoads;
};

//===----------------------------------------------------------------------===//
// Private buffers
//===----------------------------------------------------------------------===//

/// The stores whose value a load of a private buffer may see, in program order;
/// the first always executes before the load. Empty where there is no such
/// store, or where one writes an element that cannot be compared.
SmallVector<Operation *> getReachingStores(ParallelAnalysis &analysis,
                                           const ElementAccess &load) {
  SmallVector<Operation *> stores;
  for (const ElementAccess &access : analysis.getAccesses()) {
    if (access.position >= load.position)
      break;
    if (!access.isStore || access.buffer != load.buffer)
      continue;
    if (!analysis.hasSameIndices(access, load)) {
      if (analysis.mayConflictWithinIteration(access, load))
        return {};
      continue;
    }
    Block *block = access.operation->getBlock();
    if (block->findAncestorOpInBlock(*load.operation))
      stores.clear();
    else if (stores.empty())
      return {};
    stores.push_back(access.operation);
  }
  return stores;
}

/// True where `buffer` is read in the body, and each read sees a value that the
/// same iteration has written.
bool isPrivateIn(ParallelAnalysis &analysis, Value buffer) {
  bool isRead = false;
  for (const ElementAccess &access : analysis.getAccesses()) {
    if (access.isStore || access.buffer != buffer)
      continue;
    isRead = true;
    if (getReachingStores(analysis, access).empty())
      return false;
  }
  return isRead;
}

/// True where `buffer` is private to the iterations of every parallel that uses
/// it, and is used nowhere else.
bool isPrivateEverywhere(Value buffer) {
  if (!buffer.getDefiningOp<AllocOp>())
    return false;
  llvm::SetVector<Operation *> parallels;
  for (Operation *user : buffer.getUsers()) {
    auto parallel = user->getParentOfType<ParallelOp>();
    if (!parallel || !isa<LoadOp, StoreOp>(user))
      return false;
    parallels.insert(parallel);
  }
  return llvm::all_of(parallels, [&](Operation *parallel) {
    ParallelAnalysis analysis((cast<ParallelOp>(parallel)));
    return isPrivateIn(analysis, buffer);
  });
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

bool isAtomic(const ElementAccess &access) {
  auto store = dyn_cast<StoreOp>(access.operation);
  return store && store.getAtomic();
}

/// The quick test: every loop index alone selects a coordinate of the element.
bool Normalizer::hasSimpleDistinctElements(const ElementAccess &store) {
  llvm::SmallBitVector selected(analysis.getExtents().size());
  IndexExpressions &expressions = analysis.getShallow();
  for (Value index : store.indices) {
    std::optional<AffineExpr> expression = expressions.get(index);
    if (!expression)
      continue;
    std::optional<unsigned> only;
    bool simple = true;
    expression->walk([&](AffineExpr nested) {
      if (auto dimension = dyn_cast<AffineDimExpr>(nested)) {
        simple &= !only;
        only = dimension.getPosition();
      }
      simple &= nested.getKind() != AffineExprKind::FloorDiv &&
                nested.getKind() != AffineExprKind::CeilDiv &&
                nested.getKind() != AffineExprKind::Mod;
    });
    if (simple && only)
      selected.set(*only);
  }
  for (auto [dimension, extent] : llvm::enumerate(analysis.getExtents()))
    if (extent != 1 && !selected.test(dimension))
      return false;
  return true;
}

bool Normalizer::writesSharedElement(const ElementAccess &store) {
  return !hasSimpleDistinctElements(store) &&
         analysis.mayConflictAcrossIterations(store, store);
}

void Normalizer::reportSharedElement(const ElementAccess &first,
                                     const ElementAccess &second) {
  std::string buffer = describeBuffer(first.buffer);
  InFlightDiagnostic error =
      mlir::emitError(first.operation->getLoc())
      << "iterations of T.Parallel depend on each other: several iterations "
         "write the same element of "
      << buffer;
  if (first.operation != second.operation) {
    error.attachNote(second.operation->getLoc())
        << "the same element is also written here";
    return;
  }
  // Name the loops that do not select the element.
  std::string unused;
  for (auto [dimension, extent] : llvm::enumerate(analysis.getExtents())) {
    bool isUsed = llvm::any_of(first.indices, [&](Value index) {
      std::optional<AffineExpr> expression = analysis.getShallow().get(index);
      return !expression || expression->isFunctionOfDim(dimension);
    });
    if (isUsed || extent == 1)
      continue;
    unused += (unused.empty() ? "" : ", ") + analysis.getIndexName(dimension) +
              " (" + std::to_string(extent) + " iterations)";
  }
  Diagnostic &note = error.attachNote(parallel.getLoc());
  if (unused.empty())
    note << "different indices of this loop give the same element";
  else
    note << "the element does not depend on " << unused;
  note << "; use a reduction (T.reduce_sum, T.reduce_max, ...) or T.serial";
}

LogicalResult Normalizer::checkDependences() {
  llvm::DenseSet<Value> checked;
  for (const ElementAccess &store : analysis.getAccesses()) {
    if (!store.isStore || privateBuffers.contains(store.buffer))
      continue;
    // Additions may meet.
    bool isShared = !isAtomic(store) && writesSharedElement(store);
    if (isShared && isPrivateEverywhere(store.buffer)) {
      privateBuffers.insert(store.buffer);
      for (const ElementAccess &load : analysis.getAccesses())
        if (!load.isStore && load.buffer == store.buffer)
          replacements.forwarded[load.operation] =
              getReachingStores(analysis, load);
      TILELANG_DEBUG(debugTag, describeBuffer(store.buffer) << " is private");
      continue;
    }
    if (isShared) {
      reportSharedElement(store, store);
      return failure();
    }
    // Where each iteration has an element of its own whatever the conditions
    // are, accesses with the same indices need no closer look.
    bool isOwn = hasSimpleDistinctElements(store);
    for (const ElementAccess &other : analysis.getAccesses()) {
      if (other.buffer != store.buffer || other.operation == store.operation ||
          (other.isStore && other.position < store.position) ||
          (isAtomic(store) && isAtomic(other)) ||
          (isOwn && analysis.hasSameIndices(store, other)) ||
          !analysis.mayConflictAcrossIterations(store, other))
        continue;
      if (other.isStore) {
        reportSharedElement(store, other);
        return failure();
      }
      InFlightDiagnostic error =
          mlir::emitError(store.operation->getLoc())
          << "iterations of T.Parallel depend on each other: "
          << describeBuffer(store.buffer)
          << " is written here at an index that another iteration reads";
      error.attachNote(other.operation->getLoc())
          << "it is read here; write to a second buffer, or use T.serial";
      return failure();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Values to keep
//===----------------------------------------------------------------------===//

/// All loads that the map of `store` executes.
void Normalizer::collectLoads(const ElementAccess &store,
                              llvm::SetVector<Operation *> &loads) {
  auto isStored = [&](Value value) {
    return replacements.stored.contains(value);
  };
  auto addStore = [&](const ElementAccess &access) {
    analysis.collectLoads(cast<StoreOp>(access.operation).getValue(), loads,
                          isStored);
    for (Value index : access.indices)
      analysis.collectLoads(index, loads);
    for (const Condition &condition : access.conditions)
      analysis.collectLoads(condition.value, loads, isStored);
  };
  addStore(store);
  for (unsigned i = 0; i < loads.size(); ++i)
    if (auto it = replacements.forwarded.find(loads[i]);
        it != replacements.forwarded.end())
      for (Operation *forwarded : it->second)
        addStore(analysis.getAccess(forwarded));
}

/// A load is kept where a store that stands between it and a store that uses it
/// may overwrite its element.
LogicalResult Normalizer::planKeptLoads() {
  for (const ElementAccess &store : analysis.getAccesses()) {
    if (!store.isStore || privateBuffers.contains(store.buffer))
      continue;
    llvm::SetVector<Operation *> loads;
    collectLoads(store, loads);
    for (Operation *operation : loads) {
      const ElementAccess &load = analysis.getAccess(operation);
      if (replacements.forwarded.contains(operation) ||
          keptLoads.contains(operation))
        continue;
      bool isOverwritten =
          llvm::any_of(analysis.getAccesses(), [&](const ElementAccess &other) {
            return other.isStore && other.buffer == load.buffer &&
                   other.position > load.position &&
                   other.position < store.position &&
                   analysis.mayConflictWithinIteration(load, other);
          });
      if (!isOverwritten)
        continue;
      bool isAffine = llvm::all_of(load.indices, [&](Value index) {
        return analysis.getShallow().get(index).has_value();
      });
      if (!isAffine && !load.conditions.empty())
        return mlir::emitError(operation->getLoc())
               << "unsupported in T.Parallel: an element of "
               << describeBuffer(load.buffer)
               << " with a computed index is read under a condition and "
                  "overwritten before its value is used; use T.serial";
      keptLoads.insert(operation);
    }
    recordStore(store);
  }
  replacements.stored.clear();
  return success();
}

LogicalResult Normalizer::emitKeptLoad(const ElementAccess &load,
                                       OpBuilder &builder) {
  auto bufferType = cast<MemRefType>(load.buffer.getType());
  auto scope = ScopeKindAttr::get(builder.getContext(), ScopeKind::Fragment);
  auto type = MemRefType::get(analysis.getExtents(),
                              bufferType.getElementType(), AffineMap(), scope);
  StringRef name = getBufferName(load.buffer);
  Location location = load.operation->getLoc();
  auto kept = AllocOp::create(
      builder, location, type,
      builder.getStringAttr((name.empty() ? "value" : name) + "_kept"));
  TILELANG_DEBUG(debugTag,
                 "keeps an element of " << describeBuffer(load.buffer));
  ElementUpdate update{
      location, load.operation->getResult(0), kept.getBuffer(), {}, {}};
  if (failed(MapBuilder(analysis, replacements, builder).build(update)))
    return failure();
  replacements.kept[load.operation] = kept.getBuffer();
  return success();
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Keeps track of values that later maps may read where `store` has put them,
/// instead of computing them again.
void Normalizer::recordStore(const ElementAccess &store) {
  for (auto it = replacements.stored.begin(), end = replacements.stored.end();
       it != end;) {
    auto current = it++;
    if (current->second.getBuffer() == store.buffer)
      replacements.stored.erase(current);
  }
  Value value = cast<StoreOp>(store.operation).getValue();
  Operation *computation = value.getDefiningOp();
  if (store.conditions.empty() && isOnChip(store.buffer) && computation &&
      parallel->isProperAncestor(computation) && !isa<LoadOp>(computation) &&
      !analysis.isInvariant(value))
    replacements.stored[value] = cast<StoreOp>(store.operation);
}

ElementUpdate Normalizer::getUpdate(const ElementAccess &store) {
  auto op = cast<StoreOp>(store.operation);
  ElementUpdate update{op.getLoc(), op.getValue(), op.getBuffer(),
                       op.getIndices(), store.conditions};
  update.isAtomic = op.getAtomic();
  for (Operation *parent = op->getParentOp(); parent != parallel;
       parent = parent->getParentOp())
    update.scope = parent;
  return update;
}

/// Two stores to one element in the two branches of an `scf.if` are one update
/// where its condition differs from element to element.
std::optional<ElementUpdate>
Normalizer::getMergedUpdate(const ElementAccess &store,
                            const ElementAccess &next) {
  auto branch = dyn_cast<scf::IfOp>(store.operation->getParentOp());
  if (!branch || next.operation->getParentOp() != branch ||
      store.operation->getBlock() != branch.thenBlock() ||
      next.operation->getBlock() != branch.elseBlock() ||
      isAtomic(store) != isAtomic(next) ||
      !analysis.hasSameIndices(store, next))
    return std::nullopt;
  SmallVector<Condition> own;
  ParallelAnalysis::splitCondition(branch.getCondition(), false, own);
  if (llvm::none_of(own, [&](const Condition &condition) {
        return MapBuilder::isElementwise(analysis, condition);
      }))
    return std::nullopt;
  ElementUpdate update = getUpdate(store);
  update.conditions.truncate(update.conditions.size() - own.size());
  if (update.scope == branch)
    update.scope = nullptr;
  update.selector = branch;
  update.alternative = cast<StoreOp>(next.operation).getValue();
  return update;
}

LogicalResult Normalizer::emitMaps() {
  OpBuilder builder(parallel);
  ArrayRef<ElementAccess> accesses = analysis.getAccesses();
  for (unsigned i = 0; i < accesses.size(); ++i) {
    const ElementAccess &access = accesses[i];
    if (!access.isStore) {
      if (keptLoads.contains(access.operation) &&
          failed(emitKeptLoad(access, builder)))
        return failure();
      continue;
    }
    if (privateBuffers.contains(access.buffer))
      continue;

    // The store of the other branch, with nothing but reads between.
    unsigned next = i + 1;
    while (next < accesses.size() && !accesses[next].isStore)
      ++next;
    std::optional<ElementUpdate> merged;
    if (next < accesses.size() && llvm::none_of(
                                      accesses.slice(i, next - i),
                                      [&](const ElementAccess &a) {
                                        return keptLoads.contains(a.operation);
                                      }))
      merged = getMergedUpdate(access, accesses[next]);

    ElementUpdate update = merged ? *merged : getUpdate(access);
    if (failed(MapBuilder(analysis, replacements, builder).build(update)))
      return failure();
    if (merged)
      i = next;
    recordStore(access);
  }
  return success();
}

LogicalResult Normalizer::run() {
  if (failed(analysis.verifyBody()) || failed(checkDependences()) ||
      failed(planKeptLoads()) || failed(emitMaps()))
    return failure();
  parallel.erase();
  return success();
}

struct NormalizeParallel
    : tilelang::tile::impl::TileNormalizeParallelBase<NormalizeParallel> {
  void runOnOperation() override {
    SmallVector<ParallelOp> parallels;
    getOperation().walk<WalkOrder::PreOrder>([&](ParallelOp parallel) {
      parallels.push_back(parallel);
      return WalkResult::skip(); // verifyBody refuses nested ones
    });
    bool hasFailed = false;
    for (ParallelOp parallel : parallels)
      hasFailed |= failed(Normalizer(parallel).run());
    if (hasFailed)
      signalPassFailure();
  }
};

} // namespace
