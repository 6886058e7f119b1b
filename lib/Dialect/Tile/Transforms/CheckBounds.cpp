//===- CheckBounds.cpp - Accesses that leave their buffer for certain -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Element accesses of on-chip buffers have no guards: one outside overwrites
// what lies beside. Where the loops around are constant and nothing decides
// whether the access runs, the extremes of its index are reached, and that they
// lie outside is certain. What only the run can tell is the simulator's to
// find.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"
#include "tilelang/Dialect/Tile/Transforms/Passes.h"
#include "tilelang/Support/IndexBounds.h"

namespace tilelang::tile {
#define GEN_PASS_DEF_TILECHECKBOUNDS
#include "tilelang/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilelang::tile

using namespace mlir;
using namespace tilelang;
using namespace tilelang::tile;

/// Number of iterations of the dimension that a block argument counts, if the
/// program fixes it.
static std::optional<int64_t> tripCountOf(BlockArgument index) {
  Operation *parent = index.getOwner()->getParentOp();
  unsigned number = index.getArgNumber();
  if (auto kernel = dyn_cast<KernelOp>(parent))
    return constantOf(kernel.getGrid()[number]);
  if (auto parallel = dyn_cast<ParallelOp>(parent))
    return parallel.getExtents()[number];
  auto loop = dyn_cast<ForOp>(parent);
  if (!loop)
    return std::nullopt;
  auto lower = constantOf(loop.getLower()), upper = constantOf(loop.getUpper()),
       step = constantOf(loop.getStep());
  if (!lower || !upper || !step || *step == 0)
    return std::nullopt;
  int64_t distance = *step > 0 ? *upper - *lower : *lower - *upper;
  return distance <= 0 ? 0 : llvm::divideCeil(distance, std::abs(*step));
}

/// Whether an access runs in every iteration of constant loops around it.
static bool runsForCertain(Operation *access) {
  for (Operation *parent = access->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<func::FuncOp>(parent))
      return true;
    if (!isa<KernelOp, ParallelOp, ForOp>(parent))
      return false;
    for (BlockArgument index : parent->getRegion(0).getArguments())
      if (tripCountOf(index).value_or(0) <= 0)
        return false;
  }
  return false;
}

/// Whether the interval of an index is exact: a sum of independent terms.
static bool isExact(Value index, llvm::SmallPtrSetImpl<Value> &variables) {
  if (constantOf(index))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(index))
    return tripCountOf(argument) && variables.insert(argument).second;
  Operation *op = index.getDefiningOp();
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return isExact(op->getOperand(0), variables) &&
           isExact(op->getOperand(1), variables);
  if (isa<arith::MulIOp, arith::FloorDivSIOp, arith::DivSIOp>(op))
    return constantOf(op->getOperand(1)) &&
           isExact(op->getOperand(0), variables);
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return isExact(op->getOperand(0), variables);
  return false;
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "(";
  llvm::interleaveComma(shape, stream);
  stream << (shape.size() == 1 ? ",)" : ")");
  return text;
}

/// Reports the first index of an access that leaves its buffer.
static LogicalResult checkAccess(Operation *access, Value buffer,
                                 ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!isOnChip(buffer) || !type.hasStaticShape() || !runsForCertain(access))
    return success();
  for (auto [dimension, index] : llvm::enumerate(indices)) {
    llvm::SmallPtrSet<Value, 4> variables;
    IndexInterval interval = boundsOf(index);
    int64_t extent = type.getDimSize(dimension);
    if (!interval.lower || !interval.upper || !isExact(index, variables) ||
        (*interval.lower >= 0 && *interval.upper < extent))
      continue;
    int64_t outside = *interval.lower < 0 ? *interval.lower : *interval.upper;
    InFlightDiagnostic error = access->emitError();
    error << (isa<StoreOp>(access) ? "a write of " : "a read of ")
          << describeBuffer(buffer) << " lies outside it: index " << dimension
          << " reaches " << outside << ", the extent is " << extent << "\n"
          << describeBuffer(buffer) << " is " << shapeText(type.getShape())
          << "\nindex " << dimension << " runs from " << *interval.lower
          << " to " << *interval.upper
          << "\nhelp: shorten the loop, allocate a larger tile, or guard the "
             "access with `if`";
    error.attachNote(getBufferDefinition(buffer)->getLoc()) << "allocated here";
    return failure();
  }
  return success();
}

namespace {
struct CheckBounds : tile::impl::TileCheckBoundsBase<CheckBounds> {
  void runOnOperation() override {
    bool failedAny = false;
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op))
        failedAny |=
            failed(checkAccess(op, load.getBuffer(), load.getIndices()));
      else if (auto store = dyn_cast<StoreOp>(op))
        failedAny |=
            failed(checkAccess(op, store.getBuffer(), store.getIndices()));
    });
    if (failedAny)
      signalPassFailure();
    else
      markAllAnalysesPreserved();
  }
};
} // namespace
