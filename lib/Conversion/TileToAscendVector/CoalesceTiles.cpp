//===- CoalesceTiles.cpp - Results in the place of an operand -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Live ranges have buffers of their own, so `s = exp(s - m)` reads one tile and
// writes another. Where the operand is dead afterwards, the result takes its
// place: half the memory, so that strips have twice the rows and instructions
// pay their start-up half as often.
//
//===----------------------------------------------------------------------===//

#include "VectorLowering.h"

#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Interfaces/RegionAccessOpInterface.h"
#include "tilelang/Support/Debug.h"
#include "tilelang/Support/IndexBounds.h"

using namespace mlir;

namespace tilelang::vectorcore {

static constexpr llvm::StringLiteral kTag = "ascend-split-vector-work";

namespace {

bool isWhole(tile::RegionOp region) {
  auto type = cast<MemRefType>(region.getBuffer().getType());
  return region.getRegion().getType().getShape() == type.getShape() &&
         llvm::all_of(region.getOffsets(),
                      [](Value offset) { return constantOf(offset) == 0; });
}

AffineMap accessMapOf(tile::MapOp map, unsigned operand) {
  return cast<AffineMapAttr>(map.getMaps()[operand]).getValue();
}

/// The map writes every element of its output's buffer, whatever was there.
bool coversOutput(tile::MapOp map) {
  tile::RegionOp output = tile::getRegionOp(map.getOutput());
  if (!map.getClipped().empty() || !isWhole(output))
    return false;
  AffineMap access = accessMapOf(map, map.getInputs().size());
  auto type = cast<MemRefType>(output.getBuffer().getType());
  SmallVector<bool> used(map.getExtents().size(), false);
  for (auto [extent, result] :
       llvm::zip_equal(type.getShape(), access.getResults())) {
    if (extent == 1)
      continue;
    auto dimension = dyn_cast<AffineDimExpr>(result);
    if (!dimension || used[dimension.getPosition()] ||
        map.getExtents()[dimension.getPosition()] != extent)
      return false;
    used[dimension.getPosition()] = true;
  }
  return true;
}

/// Earlier passes have plans of their own for the tile.
bool isMarked(tile::AllocOp alloc) {
  return !alloc->getDiscardableAttrs().empty();
}

/// What a program does to one tile.
struct TileUses {
  /// Operations, and regions' users only: nothing else names the tile.
  SmallVector<Operation *> operations;
  bool isKnown = true;
  bool isLoaded = false, isStored = false;
};

class Coalescer {
public:
  explicit Coalescer(Region &program) : program(program) {}

  void run() {
    SmallVector<tile::MapOp> maps;
    program.walk([&](tile::MapOp map) { maps.push_back(map); });
    for (tile::MapOp map : maps)
      tryMap(map);
  }

private:
  static TileUses usesOf(Value tile) {
    TileUses uses;
    for (Operation *user : tile.getUsers()) {
      auto region = dyn_cast<tile::RegionOp>(user);
      if (!region) {
        uses.isKnown = false;
        return uses;
      }
      for (Operation *op : region.getRegion().getUsers()) {
        uses.operations.push_back(op);
        auto copy = dyn_cast<tile::CopyOp>(op);
        if (!copy)
          continue;
        if (tile::getBuffer(copy.getDestination()) == tile)
          uses.isLoaded = true;
        else
          uses.isStored = true;
      }
    }
    return uses;
  }

  /// The operation starts the tile's contents anew.
  static bool startsTile(Operation *op, Value tile) {
    if (auto map = dyn_cast<tile::MapOp>(op)) {
      if (tile::getBuffer(map.getOutput()) != tile || !coversOutput(map))
        return false;
      return llvm::none_of(map.getInputs(), [&](Value input) {
        return tile::getBuffer(input) == tile;
      });
    }
    if (auto copy = dyn_cast<tile::CopyOp>(op))
      return tile::getBuffer(copy.getDestination()) == tile &&
             isWhole(tile::getRegionOp(copy.getDestination()));
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      return tile::getBuffer(reduce.getDestination()) == tile &&
             !reduce.getAccumulate() &&
             isWhole(tile::getRegionOp(reduce.getDestination()));
    return false;
  }

  /// All uses are at or before `map` in its block, and the first starts the
  /// tile anew: nothing is left in it for a later iteration.
  static bool endsAt(const TileUses &uses, Value tile, tile::MapOp map) {
    Block *block = map->getBlock();
    Operation *first = nullptr;
    for (Operation *op : uses.operations) {
      Operation *ancestor = block->findAncestorOpInBlock(*op);
      if (!ancestor || (ancestor != map && map->isBeforeInBlock(ancestor)))
        return false;
      if (!first || ancestor->isBeforeInBlock(first))
        first = ancestor;
    }
    return first && startsTile(first, tile);
  }

  static bool beginsAt(const TileUses &uses, tile::MapOp map) {
    return llvm::all_of(uses.operations, [&](Operation *op) {
      Operation *ancestor = map->getBlock()->findAncestorOpInBlock(*op);
      return ancestor && (ancestor == map || map->isBeforeInBlock(ancestor));
    });
  }

  static bool isOfBlock(const TileUses &uses, Block *block) {
    return llvm::all_of(uses.operations,
                        [&](Operation *op) { return op->getBlock() == block; });
  }

  void tryMap(tile::MapOp map) {
    Value output = tile::getBuffer(map.getOutput());
    auto alloc = output.getDefiningOp<tile::AllocOp>();
    if (!alloc || alloc->getParentRegion() != &program ||
        ascend::memoryOf(output) != ascend::MemoryKind::UB ||
        !coversOutput(map))
      return;
    AffineMap access = accessMapOf(map, map.getInputs().size());
    for (Value input : map.getInputs()) {
      Value operand = tile::getBuffer(input);
      if (operand == output)
        return;
      auto source = operand.getDefiningOp<tile::AllocOp>();
      if (operand.getType() != output.getType() || !source ||
          isMarked(source) || isMarked(alloc))
        continue;
      bool inStep = true;
      for (auto [number, other] : llvm::enumerate(map.getInputs()))
        if (tile::getBuffer(other) == operand)
          inStep &= accessMapOf(map, number) == access &&
                    isWhole(tile::getRegionOp(other));
      if (inStep && canMerge(operand, output, map))
        return merge(operand, output, alloc);
    }
  }

  bool canMerge(Value operand, Value output, tile::MapOp map) {
    TileUses from = usesOf(operand), to = usesOf(output);
    if (!from.isKnown || !to.isKnown || !endsAt(from, operand, map) ||
        !beginsAt(to, map))
      return false;
    // Transfers overlap with computing by versions that rotate: a tile that is
    // loaded and stored would be held from one to the other, and one that lives
    // long would have to rotate as well.
    bool direct =
        isOfBlock(from, map->getBlock()) && isOfBlock(to, map->getBlock());
    if (to.isStored)
      return !from.isLoaded && direct;
    return !from.isLoaded || direct;
  }

  void merge(Value operand, Value output, tile::AllocOp alloc) {
    TILELANG_DEBUG(kTag, tile::getBufferName(output)
                             << " takes the place of "
                             << tile::getBufferName(operand));
    // Both are allocated at the top; the operand may come later there.
    Operation *definition = operand.getDefiningOp();
    if (alloc->isBeforeInBlock(definition))
      definition->moveBefore(alloc);
    output.replaceAllUsesWith(operand);
    alloc.erase();
  }

  Region &program;
};

} // namespace

void coalesceTiles(Region &program) { Coalescer(program).run(); }

} // namespace tilelang::vectorcore
