//===- SplitLiveRanges.cpp - One buffer for each live range --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The classic construction of webs on structured control flow. A write that
// covers its buffer and does not need the old contents starts a value; any
// other write extends the values that reach it. Values that reach a common use
// are one range. What is left apart gets a buffer of its own.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Dialect/Tile/Transforms/Passes.h"
#include "tilelang/Support/Debug.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tilelang::tile {
#define GEN_PASS_DEF_TILESPLITLIVERANGES
#include "tilelang/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilelang::tile

using namespace mlir;
using namespace tilelang;
using namespace tilelang::tile;

static constexpr llvm::StringLiteral debugTag = "tile-split-live-ranges";

/// Set by whoever fixes where a buffer lives: such a buffer is one range.
static constexpr llvm::StringLiteral memoryAttribute = "memory";

namespace {

/// Values that reach a point, by number.
using Reaching = llvm::SmallBitVector;

/// One operand of an operation, or a buffer read inside it, that names the
/// buffer.
struct Reference {
  Operation *operation;
  Value target;
  bool reads, writes;
  /// Writes every element and needs none of the old ones.
  bool startsValue;
  /// The value that it starts or extends; for one that only reads, a value that
  /// reaches it.
  unsigned value = 0;
};

/// The map writes each element of the region once, whatever the clip bounds of
/// others are.
bool coversRegion(MapOp map) {
  if (!map.getClipped().empty())
    return false;
  AffineMap access =
      cast<AffineMapAttr>(map.getMaps().getValue().back()).getValue();
  ArrayRef<int64_t> regionShape = map.getOutput().getType().getShape();
  for (auto [result, extent] :
       llvm::zip_equal(access.getResults(), regionShape)) {
    if (extent == 1)
      continue;
    auto dimension = dyn_cast<AffineDimExpr>(result);
    if (!dimension || map.getExtents()[dimension.getPosition()] != extent ||
        llvm::count_if(access.getResults(), [&](AffineExpr other) {
          return other.isFunctionOfDim(dimension.getPosition());
        }) != 1)
      return false;
  }
  return true;
}

bool startsValue(Operation *op, const RegionAccess &access) {
  if (access.kind != RegionAccessKind::Write)
    return false;
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getBuffer().getType().getNumElements() == 1;
  if (auto map = dyn_cast<MapOp>(op))
    return coversRegion(map) && coversBuffer(access.target);
  return coversBuffer(access.target);
}

/// The live ranges of one buffer.
class RangeSplitter {
public:
  explicit RangeSplitter(AllocOp alloc) : alloc(alloc) {}

  /// Returns the number of ranges afterwards.
  unsigned run();

private:
  bool collectReferences();
  void separateOperands();
  void mergeOperands();
  void number();
  Reaching flow(Block &block, Reaching in);
  Reaching flow(Operation &op, Reaching in);
  Reaching flowThroughRegions(Operation &op, Reaching in);
  void eraseUnreadFills();
  unsigned rewrite();

  AllocOp alloc;
  /// Copies of regions and what they are copies of.
  SmallVector<std::pair<RegionOp, RegionOp>> separated;
  llvm::MapVector<Operation *, SmallVector<Reference>> references;
  /// Operations with a reference somewhere inside.
  llvm::DenseSet<Operation *> ancestors;
  llvm::IntEqClasses ranges;
  unsigned valueCount = 0;
};

/// Gathers who uses the buffer; false where somebody does in a way that cannot
/// be followed.
bool RangeSplitter::collectReferences() {
  SmallVector<std::pair<Operation *, Value>> users;
  for (Operation *user : alloc.getBuffer().getUsers()) {
    auto region = dyn_cast<RegionOp>(user);
    if (!region) {
      users.push_back({user, alloc.getBuffer()});
      continue;
    }
    for (Operation *regionUser : region.getRegion().getUsers())
      users.push_back({regionUser, region.getRegion()});
  }
  for (auto [user, target] : users) {
    // A load inside a map is an access of the map.
    Operation *op = user;
    if (auto map = user->getParentOfType<MapOp>())
      op = map;
    auto interface = dyn_cast<RegionAccessOpInterface>(op);
    if (!interface)
      return false;
    auto &list = references[op];
    if (llvm::any_of(list, [&](const Reference &known) {
          return known.target == target;
        }))
      continue;
    SmallVector<RegionAccess> accesses;
    interface.getRegionAccesses(accesses);
    Reference reference{op, target, false, false, false, 0};
    bool found = false;
    for (const RegionAccess &access : accesses) {
      if (access.target != target)
        continue;
      found = true;
      reference.reads |= access.reads();
      reference.writes |= access.writes();
      reference.startsValue |= startsValue(op, access);
    }
    if (!found)
      return false;
    reference.startsValue &= !reference.reads;
    list.push_back(reference);
    for (Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp())
      ancestors.insert(parent);
  }
  return true;
}

/// Gives each operand a region of its own where one operation takes the same
/// region twice, so that what it reads and what it writes can differ.
void RangeSplitter::separateOperands() {
  SmallVector<RegionOp> regions;
  for (Operation *user : alloc.getBuffer().getUsers())
    if (auto region = dyn_cast<RegionOp>(user))
      regions.push_back(region);
  for (RegionOp region : regions) {
    llvm::SmallPtrSet<Operation *, 8> seen;
    for (OpOperand &use :
         llvm::make_early_inc_range(region.getRegion().getUses()))
      if (!seen.insert(use.getOwner()).second) {
        OpBuilder builder(use.getOwner());
        auto clone = cast<RegionOp>(builder.clone(*region));
        separated.push_back({clone, region});
        use.set(clone.getRegion());
      }
  }
}

/// Undoes it where both ended up in one range.
void RangeSplitter::mergeOperands() {
  for (auto [clone, original] : separated) {
    clone.getRegion().replaceAllUsesWith(original.getRegion());
    clone.erase();
  }
}

/// Numbers the values. Value 0 is the undefined contents after allocation.
void RangeSplitter::number() {
  valueCount = 1;
  for (auto &[op, list] : references)
    for (Reference &reference : list)
      if (reference.writes)
        reference.value = valueCount++;
  ranges.grow(valueCount);
}

Reaching RangeSplitter::flow(Block &block, Reaching in) {
  for (Operation &op : block)
    in = flow(op, std::move(in));
  return in;
}

Reaching RangeSplitter::flow(Operation &op, Reaching in) {
  if (&op == alloc) {
    Reaching out(valueCount);
    out.set(0);
    return out;
  }
  if (auto it = references.find(&op); it != references.end()) {
    // Reads come before writes.
    for (Reference &reference : it->second) {
      if (reference.startsValue)
        continue;
      int first = in.find_first();
      if (first < 0)
        continue; // not reached yet: the next round of the loop will
      for (unsigned value : in.set_bits())
        ranges.join(first, value);
      if (reference.writes)
        ranges.join(first, reference.value);
      else
        reference.value = first;
    }
    for (const Reference &reference : it->second) {
      if (!reference.writes)
        continue;
      if (reference.startsValue)
        in.reset();
      in.set(reference.value);
    }
    return in;
  }
  if (!ancestors.contains(&op))
    return in;
  return flowThroughRegions(op, std::move(in));
}

Reaching RangeSplitter::flowThroughRegions(Operation &op, Reaching in) {
  if (isa<KernelOp>(op))
    return flow(op.getRegion(0).front(), std::move(in));
  if (isa<scf::IfOp>(op)) {
    Reaching out(valueCount);
    for (Region &region : op.getRegions())
      out |= region.empty() ? in : flow(region.front(), in);
    return out;
  }
  // A loop: what leaves the body may enter it. Also for operations that are not
  // known here.
  Reaching state = in;
  while (true) {
    Reaching out = state;
    for (Region &region : op.getRegions())
      for (Block &block : region)
        out |= flow(block, state);
    if (out == state)
      break;
    state = out;
  }
  // A parallel has at least one iteration, but no store in it covers a buffer.
  return state;
}

/// A fill that nobody sees, such as clearing an accumulator that the next gemm
/// clears itself, would cost a buffer of its own.
void RangeSplitter::eraseUnreadFills() {
  llvm::DenseSet<unsigned> read;
  for (auto &[op, list] : references)
    for (const Reference &reference : list)
      if (reference.reads)
        read.insert(ranges[reference.value]);
  references.remove_if([&](auto &entry) {
    auto &[op, list] = entry;
    if (!isa<FillOp>(op) || read.contains(ranges[list.front().value]))
      return false;
    TILELANG_DEBUG(debugTag, "'" << alloc.getName() << "': erases a fill");
    op->erase();
    return true;
  });
}

unsigned RangeSplitter::rewrite() {
  ranges.compress();
  eraseUnreadFills();
  // Ranges in the order of the program: the first keeps the buffer.
  llvm::DenseMap<unsigned, Value> buffers;
  auto getBuffer = [&](unsigned range) -> Value {
    if (buffers.empty())
      buffers[range] = alloc.getBuffer();
    Value &buffer = buffers[range];
    if (!buffer) {
      OpBuilder builder(alloc->getContext());
      builder.setInsertionPointAfter(alloc);
      buffer = cast<AllocOp>(builder.clone(*alloc)).getBuffer();
    }
    return buffer;
  };
  // One region for each region of the program and buffer.
  llvm::DenseMap<std::pair<Operation *, Value>, Value> regions;
  auto getRegion = [&](RegionOp region, Value buffer) -> Value {
    for (auto [clone, original] : separated)
      if (clone == region)
        region = original;
    Value &known = regions[{region, buffer}];
    if (!known) {
      OpBuilder builder(region->getContext());
      builder.setInsertionPointAfter(region);
      auto clone = cast<RegionOp>(builder.clone(*region));
      clone.getBufferMutable().assign(buffer);
      known = clone.getRegion();
    }
    return known;
  };
  llvm::SetVector<RegionOp> oldRegions;
  for (auto &[op, list] : references) {
    for (const Reference &reference : list) {
      Value buffer = getBuffer(ranges[reference.value]);
      if (buffer == alloc.getBuffer())
        continue;
      if (RegionOp region = getRegionOp(reference.target)) {
        Value replacement = getRegion(region, buffer);
        for (OpOperand &operand : op->getOpOperands())
          if (operand.get() == reference.target)
            operand.set(replacement);
        oldRegions.insert(region);
        continue;
      }
      op->walk([&](Operation *nested) {
        if (isa<LoadOp, StoreOp>(nested) || nested == op)
          nested->replaceUsesOfWith(alloc.getBuffer(), buffer);
      });
    }
  }
  mergeOperands();
  for (RegionOp region : oldRegions)
    if (llvm::none_of(separated,
                      [&](auto &pair) { return pair.first == region; }) &&
        region->use_empty())
      region.erase();
  return buffers.size();
}

unsigned RangeSplitter::run() {
  if (alloc->hasAttr(memoryAttribute))
    return 1;
  separateOperands();
  if (!collectReferences() || references.size() < 2) {
    mergeOperands();
    return 1;
  }
  // References in the order of the program.
  llvm::MapVector<Operation *, SmallVector<Reference>> ordered;
  alloc->getParentOfType<func::FuncOp>().walk<WalkOrder::PreOrder>(
      [&](Operation *op) {
        if (auto it = references.find(op); it != references.end())
          ordered[op] = std::move(it->second);
      });
  references = std::move(ordered);
  number();
  // The flow starts where the buffer comes to life.
  Reaching none(valueCount);
  flow(*alloc->getBlock(), none);
  return rewrite();
}

struct SplitLiveRanges
    : tilelang::tile::impl::TileSplitLiveRangesBase<SplitLiveRanges> {
  void runOnOperation() override {
    SmallVector<AllocOp> allocs;
    getOperation().walk([&](AllocOp alloc) { allocs.push_back(alloc); });
    for (AllocOp alloc : allocs) {
      unsigned count = RangeSplitter(alloc).run();
      TILELANG_DEBUG(debugTag, "'" << alloc.getName() << "': " << count
                                   << " live ranges");
    }
  }
};

} // namespace
