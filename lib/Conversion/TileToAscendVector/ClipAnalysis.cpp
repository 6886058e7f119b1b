//===- ClipAnalysis.cpp - Who sees elements outside of a tensor -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A load that reaches outside of its tensor leaves part of the tile unwritten.
// The language says these elements read 0. They need not be filled where each
// value made of them is only stored to places outside of a tensor as well.
//
//===----------------------------------------------------------------------===//

#include "VectorLowering.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilelang/Dialect/Ascend/IR/GlobalShape.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tilelang::vectorcore {

static bool isSameValueAt(Value a, Value b, unsigned depth) {
  if (a == b)
    return true;
  std::optional<int64_t> x = constantOf(a), y = constantOf(b);
  if (x || y)
    return x && y && *x == *y;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second || depth == 0 ||
      first->getName() != second->getName() ||
      first->getNumOperands() != second->getNumOperands() ||
      first->getNumRegions() != 0 ||
      first->getAttrDictionary() != second->getAttrDictionary() ||
      !isPure(first) || a.getType() != b.getType() ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber())
    return false;
  return llvm::all_of(
      llvm::zip_equal(first->getOperands(), second->getOperands()),
      [&](auto pair) {
        return isSameValueAt(std::get<0>(pair), std::get<1>(pair), depth - 1);
      });
}

namespace {
/// constant + sum of coefficient * term.
struct LinearForm {
  int64_t constant = 0;
  SmallVector<std::pair<Value, int64_t>> terms;

  void add(Value value, int64_t factor, unsigned depth) {
    if (std::optional<int64_t> known = constantOf(value)) {
      constant += factor * *known;
      return;
    }
    Operation *op = value.getDefiningOp();
    if (depth > 0 && isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
      add(op->getOperand(0), factor, depth - 1);
      add(op->getOperand(1), isa<arith::SubIOp>(op) ? -factor : factor,
          depth - 1);
      return;
    }
    if (depth > 0 && isa_and_nonnull<arith::MulIOp>(op))
      for (unsigned side : {0u, 1u})
        if (std::optional<int64_t> known = constantOf(op->getOperand(side))) {
          add(op->getOperand(1 - side), factor * *known, depth - 1);
          return;
        }
    for (auto &[term, coefficient] : terms)
      if (isSameValueAt(term, value, 12)) {
        coefficient += factor;
        return;
      }
    terms.push_back({value, factor});
  }

  bool isConstant() const {
    return llvm::all_of(terms,
                        [](const auto &term) { return term.second == 0; });
  }
};
} // namespace

bool isSameValue(Value a, Value b) {
  LinearForm difference;
  difference.add(a, 1, 12);
  difference.add(b, -1, 12);
  return difference.isConstant() && difference.constant == 0;
}

std::optional<int64_t> endOf(Value offset, Value size) {
  LinearForm sum;
  sum.add(offset, 1, 12);
  sum.add(size, 1, 12);
  if (!sum.isConstant())
    return std::nullopt;
  return sum.constant;
}

/// The operands of nested minima, or of maxima with 0: upper bounds of a size
/// that matter where it is positive.
static void collectLimits(Value value, SmallVectorImpl<Value> &limits) {
  if (auto minimum = value.getDefiningOp<arith::MinSIOp>()) {
    collectLimits(minimum.getLhs(), limits);
    collectLimits(minimum.getRhs(), limits);
    return;
  }
  if (auto maximum = value.getDefiningOp<arith::MaxSIOp>())
    for (unsigned side : {0u, 1u})
      if (constantOf(maximum->getOperand(side)) == 0) {
        collectLimits(maximum->getOperand(1 - side), limits);
        return;
      }
  limits.push_back(value);
}

bool reachesEnd(Value offset, Value size, int64_t extent, int64_t bound) {
  SmallVector<Value> limits;
  collectLimits(size, limits);
  return llvm::all_of(limits, [&](Value limit) {
    if (std::optional<int64_t> known = constantOf(limit))
      return *known >= extent;
    std::optional<int64_t> end = endOf(offset, limit);
    return end && *end >= bound;
  });
}

bool endsBy(Value offset, Value size, int64_t bound) {
  SmallVector<Value> limits;
  collectLimits(size, limits);
  return llvm::any_of(limits, [&](Value limit) {
    std::optional<int64_t> end = endOf(offset, limit);
    return end && *end <= bound;
  });
}

/// The same for a bound that is a run-time size.
static bool endsBy(Value offset, Value size, Value bound) {
  SmallVector<Value> limits;
  collectLimits(size, limits);
  return llvm::any_of(limits, [&](Value limit) {
    LinearForm distance;
    distance.add(offset, 1, 12);
    distance.add(limit, 1, 12);
    distance.add(bound, -1, 12);
    return distance.isConstant() && distance.constant <= 0;
  });
}

SmallVector<unsigned> nonUnitDimensions(tile::RegionOp region) {
  SmallVector<unsigned> dimensions;
  for (auto [dimension, extent] :
       llvm::enumerate(region.getRegion().getType().getShape()))
    if (extent != 1)
      dimensions.push_back(dimension);
  return dimensions;
}

bool mayClip(tile::RegionOp region, unsigned dimension) {
  auto type = cast<MemRefType>(region.getBuffer().getType());
  int64_t bound = type.getDimSize(dimension);
  IndexInterval offset = boundsOf(region.getOffsets()[dimension]);
  if (!offset.lower || *offset.lower < 0)
    return true;
  OpFoldResult size = tile::getSize(region, dimension);
  std::optional<int64_t> extent = getConstantIntValue(size);
  if (!extent)
    extent = boundsOf(cast<Value>(size)).upper;
  if (extent && offset.upper && *offset.upper + *extent <= bound)
    return false;
  // A size that was computed from the bound: offset + min(..., bound - offset).
  auto value = dyn_cast<Value>(size);
  if (Value runTime = ascend::runTimeSizeOf(region.getBuffer(), dimension))
    return !value || !endsBy(region.getOffsets()[dimension], value, runTime);
  return !value || !endsBy(region.getOffsets()[dimension], value, bound);
}

namespace {

/// Elements of a tile are unwritten where offset + index lies outside of
/// 0 .. bound.
struct Clip {
  Value offset;
  int64_t bound = 0;
  /// In place of `bound` for tensors of run-time size.
  Value size;
  /// This clip leaves no more unwritten than the other.
  bool isWithin(const Clip &other) const {
    if (!size && !other.size)
      return other.bound <= bound;
    return size && other.size && isSameValue(size, other.size);
  }
  bool isClipped() const { return static_cast<bool>(offset); }
};

bool combinesConditions(tile::MapOp map) {
  return map.getBody()
      .walk([](Operation *op) {
        bool isLogic =
            op->getNumResults() == 1 &&
            op->getResult(0).getType().isInteger(1) &&
            isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(
                op);
        return isLogic ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

class OutsideObserver {
public:
  bool observes(Value buffer, ArrayRef<Clip> clips) {
    if (!visited.insert(buffer).second)
      return false; // checked under the clips it was reached with first
    seenClips[buffer].assign(clips.begin(), clips.end());
    for (Operation *user : buffer.getUsers()) {
      auto region = dyn_cast<tile::RegionOp>(user);
      if (!region) {
        if (isa<tile::StoreOp>(user))
          continue;
        return true;
      }
      for (OpOperand &use : region.getRegion().getUses())
        if (observesUse(region, use, clips))
          return true;
    }
    return false;
  }

private:
  static bool startsAtZero(tile::RegionOp region) {
    return llvm::all_of(region.getOffsets(),
                        [](Value offset) { return constantOf(offset) == 0; });
  }

  bool observesUse(tile::RegionOp region, OpOperand &use,
                   ArrayRef<Clip> clips) {
    Operation *op = use.getOwner();
    if (auto copy = dyn_cast<tile::CopyOp>(op)) {
      if (use.get() == copy.getDestination() && use.getOperandNumber() == 1)
        return false;
      return observesStore(region, tile::getRegionOp(copy.getDestination()),
                           clips);
    }
    if (isa<tile::FillOp>(op))
      return false;
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      return use.getOperandNumber() == 0 ? observesReduce(region, reduce, clips)
                                         : reduce.getAccumulate();
    auto map = dyn_cast<tile::MapOp>(op);
    if (!map || !startsAtZero(region))
      return true;
    unsigned number = use.getOperandNumber();
    if (number >= map.getInputs().size())
      return false; // the output
    // Masks are combined 16 elements at a time: what is unwritten spreads
    // there.
    if (combinesConditions(map))
      return true;
    tile::RegionOp output = tile::getRegionOp(map.getOutput());
    if (!startsAtZero(output) ||
        ascend::memoryOf(output.getBuffer()) != ascend::MemoryKind::UB)
      return true;
    auto mapOf = [&](unsigned operand) {
      return cast<AffineMapAttr>(map.getMaps()[operand]).getValue();
    };
    AffineMap from = mapOf(number), to = mapOf(map.getInputs().size());
    SmallVector<Clip> outputClips(to.getNumResults());
    for (auto [dimension, clip] : llvm::enumerate(clips)) {
      if (!clip.isClipped())
        continue;
      AffineExpr index = from.getResult(dimension);
      if (!isa<AffineDimExpr>(index))
        return true;
      auto position = llvm::find(to.getResults(), index);
      if (position == to.getResults().end())
        return true;
      outputClips[position - to.getResults().begin()] = clip;
    }
    return follow(output.getBuffer(), outputClips);
  }

  /// What was made of unwritten elements is in another tile.
  bool follow(Value buffer, ArrayRef<Clip> clips) {
    auto known = seenClips.find(buffer);
    if (known == seenClips.end())
      return observes(buffer, clips);
    // Reached before: fine if nothing new is unwritten.
    for (auto [before, now] : llvm::zip_equal(known->second, clips))
      if (now.isClipped() && !(before.isClipped() && now.isWithin(before) &&
                               isSameValue(before.offset, now.offset)))
        return true;
    return false;
  }

  /// Unwritten elements reach results of their own rows only.
  bool observesReduce(tile::RegionOp region, tile::ReduceOp reduce,
                      ArrayRef<Clip> clips) {
    tile::RegionOp result = tile::getRegionOp(reduce.getDestination());
    if (clips[reduce.getDimension()].isClipped() || !startsAtZero(region) ||
        !startsAtZero(result))
      return true;
    SmallVector<Clip> resultClips;
    for (std::optional<unsigned> dimension : reduce.destinationDimensions())
      resultClips.push_back(dimension ? clips[*dimension] : Clip());
    return follow(result.getBuffer(), resultClips);
  }

  /// What is stored lies inside of the destination; is all of it written?
  static bool observesStore(tile::RegionOp source, tile::RegionOp destination,
                            ArrayRef<Clip> clips) {
    if (ascend::memoryOf(destination.getBuffer()) != ascend::MemoryKind::GM ||
        !startsAtZero(source))
      return true;
    SmallVector<unsigned> from = nonUnitDimensions(source);
    SmallVector<unsigned> to = nonUnitDimensions(destination);
    if (from.size() != to.size())
      return true;
    for (auto [dimension, clip] : llvm::enumerate(clips)) {
      if (!clip.isClipped())
        continue;
      auto position = llvm::find(from, dimension);
      if (position == from.end())
        return true;
      unsigned target = to[position - from.begin()];
      auto type = cast<MemRefType>(destination.getBuffer().getType());
      if (!isSameValue(destination.getOffsets()[target], clip.offset))
        return true;
      if (!type.isDynamicDim(target) && !clip.size &&
          type.getDimSize(target) <= clip.bound)
        continue;
      Value stored = ascend::runTimeSizeOf(destination.getBuffer(), target);
      if (stored && clip.size && isSameValue(stored, clip.size))
        continue;
      OpFoldResult size = tile::getSize(source, dimension);
      auto value = dyn_cast<Value>(size);
      if (!value || (clip.size ? !endsBy(clip.offset, value, clip.size)
                               : !endsBy(clip.offset, value, clip.bound)))
        return true;
    }
    return false;
  }

  llvm::DenseSet<Value> visited;
  llvm::DenseMap<Value, SmallVector<Clip>> seenClips;
};

} // namespace

bool observesOutside(tile::CopyOp load) {
  tile::RegionOp source = tile::getRegionOp(load.getSource());
  tile::RegionOp destination = tile::getRegionOp(load.getDestination());
  auto type = cast<MemRefType>(source.getBuffer().getType());
  SmallVector<unsigned> from = nonUnitDimensions(source);
  SmallVector<unsigned> to = nonUnitDimensions(destination);
  auto tileType = cast<MemRefType>(destination.getBuffer().getType());
  SmallVector<Clip> clips(tileType.getRank());
  bool clipped = false, exact = from.size() == to.size();
  for (unsigned dimension = 0; dimension < source.getOffsets().size();
       ++dimension) {
    if (!mayClip(source, dimension))
      continue;
    clipped = true;
    auto position = llvm::find(from, dimension);
    if (position == from.end() || !exact) {
      exact = false;
      continue;
    }
    unsigned target = to[position - from.begin()];
    if (constantOf(destination.getOffsets()[target]) != 0)
      exact = false;
    clips[target] = {source.getOffsets()[dimension], type.getDimSize(dimension),
                     ascend::runTimeSizeOf(source.getBuffer(), dimension)};
  }
  // A size smaller than the tile leaves the rest as it was, which is right.
  if (!clipped)
    return false;
  if (!exact)
    return true;
  return OutsideObserver().observes(destination.getBuffer(), clips);
}

} // namespace tilelang::vectorcore
