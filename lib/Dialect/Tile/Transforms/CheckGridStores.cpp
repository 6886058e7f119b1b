//===- CheckGridStores.cpp - Blocks that overwrite each other's results ---===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A store whose place does not depend on one of the grid's indices is made by
// every block along it. Where the value depends on that index, one block's
// result survives: a reduction over an axis that the program has split across
// blocks. Where it does not, the blocks write the same, which is legal.
//
// What a value depends on is followed through buffers: whatever an operation
// reads, and where, and what decides about it, goes into what it writes. Runs
// after buffers are split by live range, so that one that is used twice for
// different things is two.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"
#include "tilelang/Dialect/Tile/Transforms/Passes.h"
#include "tilelang/Interfaces/RegionAccessOpInterface.h"
#include "tilelang/Support/IndexBounds.h"
#include "llvm/ADT/DenseMap.h"

namespace tilelang::tile {
#define GEN_PASS_DEF_TILECHECKGRIDSTORES
#include "tilelang/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilelang::tile

using namespace mlir;
using namespace tilelang;
using namespace tilelang::tile;

namespace {

/// One bit for each of the grid's indices.
using Indices = unsigned;

class GridDependences {
public:
  explicit GridDependences(KernelOp kernel) : kernel(kernel) { propagate(); }

  /// What a scalar is computed from.
  Indices of(Value value);
  /// What decides whether, and how often, an operation runs.
  Indices ofControl(Operation *op);
  /// Where a region or an element lies.
  Indices ofPlace(Operation *op, Value target);
  /// What an operation makes of what it reads.
  Indices ofResult(Operation *op);
  /// An operation that brings the index into the buffers `op` reads; null if
  /// only scalars do.
  Operation *sourceOf(Operation *op, unsigned index);

private:
  void propagate();
  Indices computed(Value value);

  KernelOp kernel;
  llvm::DenseMap<Value, Indices> buffers, values;
};

} // namespace

static SmallVector<RegionAccess> accessesOf(Operation *op) {
  SmallVector<RegionAccess> accesses;
  if (auto interface = dyn_cast<RegionAccessOpInterface>(op))
    interface.getRegionAccesses(accesses);
  return accesses;
}

Indices GridDependences::of(Value value) {
  auto known = values.find(value);
  if (known != values.end())
    return known->second;
  Indices result = computed(value);
  return values[value] = result;
}

Indices GridDependences::computed(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == kernel)
      return 1u << argument.getArgNumber();
    if (auto loop = dyn_cast<ForOp>(owner))
      return of(loop.getLower()) | of(loop.getUpper()) | of(loop.getStep());
    return 0; // an element of a map's input, or the index of a loop of its own
  }
  Operation *op = value.getDefiningOp();
  if (!kernel->isProperAncestor(op))
    return 0;
  Indices result = 0;
  for (Value operand : op->getOperands())
    if (!isa<MemRefType>(operand.getType()))
      result |= of(operand);
  if (auto load = dyn_cast<LoadOp>(op))
    result |= buffers.lookup(load.getBuffer());
  // The results of a branch are what its regions yield.
  for (Region &region : op->getRegions())
    region.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!isa<MemRefType>(operand.getType()))
          result |= of(operand);
    });
  return result;
}

Indices GridDependences::ofControl(Operation *op) {
  Indices result = 0;
  for (Operation *parent = op->getParentOp(); parent && parent != kernel;
       parent = parent->getParentOp())
    for (Value operand : parent->getOperands())
      if (!isa<MemRefType>(operand.getType()))
        result |= of(operand);
  return result;
}

Indices GridDependences::ofPlace(Operation *op, Value target) {
  Indices result = 0;
  if (auto region = target.getDefiningOp<RegionOp>()) {
    for (Value operand :
         llvm::concat<Value>(SmallVector<Value>(region.getOffsets()),
                             SmallVector<Value>(region.getSizes())))
      result |= of(operand);
    // The part of the region that a map writes.
    if (auto map = dyn_cast<MapOp>(op); map && map.getOutput() == target)
      for (Value bound :
           llvm::concat<Value>(SmallVector<Value>(map.getLower()),
                               SmallVector<Value>(map.getUpper())))
        result |= of(bound);
    return result;
  }
  if (auto store = dyn_cast<StoreOp>(op))
    for (Value index : store.getIndices())
      result |= of(index);
  else if (auto load = dyn_cast<LoadOp>(op))
    for (Value index : load.getIndices())
      result |= of(index);
  return result;
}

Indices GridDependences::ofResult(Operation *op) {
  Indices result = 0;
  for (Value operand : op->getOperands())
    if (!isa<MemRefType, RegionType>(operand.getType()))
      result |= of(operand);
  for (Region &region : op->getRegions())
    region.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!isa<MemRefType>(operand.getType()))
          result |= of(operand);
    });
  for (const RegionAccess &access : accessesOf(op))
    if (access.reads())
      result |=
          ofPlace(op, access.target) | buffers.lookup(getBuffer(access.target));
  return result;
}

void GridDependences::propagate() {
  bool changed = true;
  while (changed) {
    changed = false;
    values.clear();
    kernel.walk([&](Operation *op) {
      for (const RegionAccess &access : accessesOf(op)) {
        Value buffer = getBuffer(access.target);
        if (!access.writes() || !isOnChip(buffer))
          continue;
        Indices &known = buffers[buffer];
        Indices now =
            known | ofResult(op) | ofControl(op) | ofPlace(op, access.target);
        changed |= now != known;
        buffers[buffer] = now;
      }
    });
  }
  values.clear();
}

Operation *GridDependences::sourceOf(Operation *op, unsigned index) {
  Indices bit = 1u << index;
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> pending = {op};
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (const RegionAccess &access : accessesOf(next)) {
      if (!access.reads())
        continue;
      Value buffer = getBuffer(access.target);
      if (!isOnChip(buffer)) {
        if (ofPlace(next, access.target) & bit)
          return next;
        continue;
      }
      kernel.walk([&](Operation *writer) {
        for (const RegionAccess &other : accessesOf(writer))
          if (other.writes() && getBuffer(other.target) == buffer)
            pending.push_back(writer);
      });
    }
  }
  return nullptr;
}

/// How messages call an index of the grid.
static std::string describeIndex(unsigned index, int64_t extent) {
  return "index " + std::to_string(index) + " of the grid (" +
         std::to_string(extent) + " blocks)";
}

static LogicalResult checkStore(GridDependences &dependences, KernelOp kernel,
                                Operation *op, Value target) {
  Indices place = dependences.ofPlace(op, target) | dependences.ofControl(op);
  Indices value = dependences.ofResult(op);
  for (auto [index, size] : llvm::enumerate(kernel.getGrid())) {
    std::optional<int64_t> extent = constantOf(size);
    if (!extent || *extent <= 1 || (place & (1u << index)))
      continue;
    std::string blocks = describeIndex(index, *extent);
    if (!(value & (1u << index))) {
      op->emitRemark() << "several blocks write the same elements of "
                       << describeBuffer(target)
                       << ", with the same values: the store does not depend "
                          "on "
                       << blocks
                       << "; guard it with an `if` on that index, as the "
                          "simulator's checks call it a race";
      continue;
    }
    InFlightDiagnostic error = op->emitError();
    error << "blocks overwrite each other's results: which elements of "
          << describeBuffer(target) << " are written does not depend on "
          << blocks
          << ", and their values do; use T.atomic_add, or loop over that axis "
             "inside the block, or store each block's part and combine the "
             "parts in a second kernel";
    if (Operation *source = dependences.sourceOf(op, index); source)
      error.attachNote(source->getLoc())
          << "what is read here differs from block to block";
    return failure();
  }
  return success();
}

namespace {

struct CheckGridStores
    : tilelang::tile::impl::TileCheckGridStoresBase<CheckGridStores> {
  void runOnOperation() override {
    bool hasFailed = false;
    getOperation().walk([&](KernelOp kernel) {
      GridDependences dependences(kernel);
      kernel.walk([&](Operation *op) {
        for (const RegionAccess &access : accessesOf(op))
          if (access.kind == RegionAccessKind::Write &&
              !isOnChip(getBuffer(access.target)))
            hasFailed |=
                failed(checkStore(dependences, kernel, op, access.target));
      });
    });
    if (hasFailed)
      signalPassFailure();
  }
};

} // namespace
