//===- RowAnalysis.cpp - Which tiles can be worked on row by row ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "RowAnalysis.h"

#include "MapGeometry.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilelang::vectorcore {

static bool isOnChip(Value buffer) {
  return ascend::memoryOf(buffer) == ascend::MemoryKind::UB;
}

tile::RegionOp chipSide(tile::CopyOp copy) {
  tile::RegionOp source = tile::getRegionOp(copy.getSource());
  return isOnChip(source.getBuffer())
             ? source
             : tile::getRegionOp(copy.getDestination());
}

tile::RegionOp globalSide(tile::CopyOp copy) {
  tile::RegionOp source = tile::getRegionOp(copy.getSource());
  return isOnChip(source.getBuffer()) ? tile::getRegionOp(copy.getDestination())
                                      : source;
}

unsigned RowAnalysis::rowDimension(MemRefType type) {
  for (auto [dimension, extent] : llvm::enumerate(type.getShape()))
    if (extent != 1)
      return dimension;
  return 0;
}

static int64_t rowsOf(Value tile) {
  auto type = cast<MemRefType>(tile.getType());
  return type.getRank() == 0 ? 1
                             : type.getDimSize(RowAnalysis::rowDimension(type));
}

static AffineMap accessMapOf(tile::MapOp map, unsigned operand) {
  return cast<AffineMapAttr>(map.getMaps()[operand]).getValue();
}

static Value outputBuffer(tile::MapOp map) {
  return tile::getBuffer(map.getOutput());
}

RowAnalysis::RowAnalysis(Region &program, Block &body) {
  chooseRows(program);
  if (rows <= 1)
    return;
  while (removeDependent(program))
    ;
  if (tiles.empty()) {
    rows = 0;
    return;
  }
  formGroups(body);
}

/// The row count that most elements share.
void RowAnalysis::chooseRows(Region &program) {
  llvm::MapVector<int64_t, int64_t> elements;
  SmallVector<Value> candidates;
  for (tile::AllocOp alloc : program.getOps<tile::AllocOp>()) {
    Value buffer = alloc.getBuffer();
    if (!isOnChip(buffer) || buffer.use_empty())
      continue;
    candidates.push_back(buffer);
    elements[rowsOf(buffer)] +=
        cast<MemRefType>(buffer.getType()).getNumElements();
  }
  int64_t most = 0;
  for (auto [count, total] : elements)
    if (total > most && count > 1) {
      most = total;
      rows = count;
    }
  for (Value candidate : candidates)
    if (rowsOf(candidate) == rows)
      tiles.insert(candidate);
}

bool RowAnalysis::hasOnlyWholeAccesses(Value tile) const {
  unsigned dimension = rowDimension(cast<MemRefType>(tile.getType()));
  for (Operation *user : tile.getUsers()) {
    auto region = dyn_cast<tile::RegionOp>(user);
    if (!region)
      return false;
    if (constantOf(region.getOffsets()[dimension]) != 0 ||
        region.getRegion().getType().getShape()[dimension] != rows)
      return false;
    for (Operation *op : region.getRegion().getUsers()) {
      if (auto copy = dyn_cast<tile::CopyOp>(op)) {
        tile::RegionOp global = globalSide(copy);
        SmallVector<unsigned> from = nonUnitDimensions(global);
        SmallVector<unsigned> to = nonUnitDimensions(chipSide(copy));
        if (from.size() != to.size() ||
            global.getRegion().getType().getShape()[from.front()] != rows)
          return false;
      } else if (!isa<tile::MapOp, tile::ReduceOp>(op)) {
        return false;
      }
    }
  }
  return true;
}

unsigned RowAnalysis::rowIteration(tile::MapOp map) {
  unsigned dimension =
      rowDimension(cast<MemRefType>(outputBuffer(map).getType()));
  AffineExpr result =
      accessMapOf(map, map.getInputs().size()).getResult(dimension);
  return cast<AffineDimExpr>(result).getPosition();
}

/// A map whose output is a row tile: do rows depend on their own rows only?
/// Inputs that are row tiles but accessed otherwise are `dropped`.
bool RowAnalysis::isRowMap(tile::MapOp map,
                           SmallVectorImpl<Value> &dropped) const {
  Value output = outputBuffer(map);
  unsigned outputRows = rowDimension(cast<MemRefType>(output.getType()));
  AffineMap access = accessMapOf(map, map.getInputs().size());
  auto row = dyn_cast<AffineDimExpr>(access.getResult(outputRows));
  if (!row || map.getExtents()[row.getPosition()] != rows)
    return false;
  for (auto [number, result] : llvm::enumerate(access.getResults()))
    if (number != outputRows && result.isFunctionOfDim(row.getPosition()))
      return false;
  for (auto [number, input] : llvm::enumerate(map.getInputs())) {
    Value buffer = tile::getBuffer(input);
    AffineMap inputMap = accessMapOf(map, number);
    bool isRowTile = tiles.contains(buffer);
    unsigned inputRows = rowDimension(cast<MemRefType>(buffer.getType()));
    for (auto [dimension, result] : llvm::enumerate(inputMap.getResults())) {
      bool runsAlong = result.isFunctionOfDim(row.getPosition());
      if (isRowTile && (dimension == inputRows ? result != row : runsAlong))
        dropped.push_back(buffer);
      SmallVector<int64_t> coefficients(map.getExtents().size(), 0);
      int64_t constant = 0;
      if (runsAlong && !decomposeLinear(result, coefficients, constant))
        return false;
    }
  }
  return true;
}

/// A reduction of each row on its own: both tiles have the rows.
bool RowAnalysis::isRowReduce(tile::ReduceOp reduce) const {
  Value source = tile::getBuffer(reduce.getSource());
  Value result = tile::getBuffer(reduce.getDestination());
  if (!tiles.contains(source) || !tiles.contains(result))
    return false;
  unsigned sourceRows = rowDimension(cast<MemRefType>(source.getType()));
  unsigned resultRows = rowDimension(cast<MemRefType>(result.getType()));
  return reduce.destinationDimensions()[resultRows] == sourceRows;
}

/// Removes tiles whose rows are not independent; true if there were any.
bool RowAnalysis::removeDependent(Region &program) {
  SmallVector<Value> dropped;
  for (Value tile : tiles)
    if (!hasOnlyWholeAccesses(tile))
      dropped.push_back(tile);
  program.walk([&](tile::MapOp map) {
    Value output = outputBuffer(map);
    if (!tiles.contains(output)) {
      for (Value input : map.getInputs())
        if (tiles.contains(tile::getBuffer(input)))
          dropped.push_back(tile::getBuffer(input));
    } else if (!isRowMap(map, dropped)) {
      dropped.push_back(output);
    }
    map.getBody().walk([&](tile::LoadOp load) {
      if (tiles.contains(load.getBuffer()))
        dropped.push_back(load.getBuffer());
    });
  });
  program.walk([&](tile::ReduceOp reduce) {
    Value source = tile::getBuffer(reduce.getSource());
    Value result = tile::getBuffer(reduce.getDestination());
    if (isRowReduce(reduce))
      return;
    for (Value tile : {source, result})
      if (tiles.contains(tile))
        dropped.push_back(tile);
  });
  for (Value tile : dropped)
    tiles.remove(tile);
  return !dropped.empty();
}

bool RowAnalysis::isRowOperation(Operation *op) const {
  if (auto map = dyn_cast<tile::MapOp>(op))
    return tiles.contains(outputBuffer(map));
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return tiles.contains(chipSide(copy).getBuffer());
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return tiles.contains(tile::getBuffer(reduce.getDestination()));
  return false;
}

SmallVector<Operation *> RowAnalysis::operationsOf(const RowGroup &group) {
  SmallVector<Operation *> operations;
  for (Operation *op : group)
    op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
      if (!isa<tile::MapOp, tile::CopyOp, tile::ReduceOp>(nested))
        return WalkResult::advance();
      operations.push_back(nested);
      return WalkResult::skip();
    });
  return operations;
}

//===-- Groups -----------------------------------------------------------===//

namespace {

/// Buffers that operations read and write.
struct Footprint {
  llvm::SetVector<Value> reads, writes;
  bool readsWorkspace = false, writesWorkspace = false;

  void add(Operation *op) {
    SmallVector<OperationAccess> accesses;
    collectAccessesRecursively(op, accesses);
    for (const OperationAccess &access : accesses) {
      Value buffer = tile::getBuffer(access.access.target);
      bool isWorkspace =
          isa_and_nonnull<ascend::WorkspaceOp>(buffer.getDefiningOp());
      if (access.access.reads()) {
        reads.insert(buffer);
        readsWorkspace |= isWorkspace;
      }
      if (access.access.writes()) {
        writes.insert(buffer);
        writesWorkspace |= isWorkspace;
      }
    }
  }

  bool conflictsWith(const Footprint &other) const {
    auto meets = [](const llvm::SetVector<Value> &a,
                    const llvm::SetVector<Value> &b) {
      return llvm::any_of(a, [&](Value value) { return b.contains(value); });
    };
    return meets(writes, other.reads) || meets(writes, other.writes) ||
           meets(reads, other.writes);
  }
};

bool hasTileWork(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return isa<tile::TileDialect>(nested->getDialect()) &&
                       !isa<tile::RegionOp>(nested)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

/// A loop or branch that may run once for each strip: its operations work on
/// rows, or on tiles of its own that each run makes anew.
bool RowAnalysis::canRepeat(Operation *op) const {
  if (!isa<scf::ForOp, scf::IfOp>(op) || op->getNumResults() != 0)
    return false;
  llvm::SetVector<Value> own;
  bool hasRows = false;
  WalkResult result = op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    if (isa<tile::RegionOp>(nested) || isPure(nested) ||
        isa<scf::ForOp, scf::IfOp, scf::YieldOp>(nested))
      return WalkResult::advance();
    if (!isa<tile::MapOp, tile::CopyOp, tile::ReduceOp>(nested))
      return WalkResult::interrupt();
    Footprint footprint;
    footprint.add(nested);
    if (footprint.readsWorkspace || footprint.writesWorkspace)
      return WalkResult::interrupt();
    if (isRowOperation(nested)) {
      hasRows = true;
      return WalkResult::skip();
    }
    for (Value buffer : footprint.writes) {
      if (!isOnChip(buffer) || footprint.reads.contains(buffer))
        return WalkResult::interrupt();
      own.insert(buffer);
    }
    return WalkResult::skip();
  });
  if (result.wasInterrupted() || !hasRows)
    return false;
  for (Value buffer : own) {
    bool written = false, fresh = true, outside = false;
    for (Operation *user : buffer.getUsers())
      for (Operation *access : user->getUsers())
        outside |= !op->isAncestor(access);
    op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
      if (!isa<tile::MapOp, tile::CopyOp, tile::ReduceOp>(nested))
        return WalkResult::advance();
      Footprint footprint;
      footprint.add(nested);
      if (!written && footprint.reads.contains(buffer))
        fresh = false;
      written |= footprint.writes.contains(buffer);
      return WalkResult::skip();
    });
    if (outside || !fresh)
      return false;
  }
  return true;
}

void RowAnalysis::formGroups(Block &block) {
  RowGroup group;
  Footprint footprint;
  auto flush = [&] {
    if (!group.empty())
      groups.push_back(group);
    group.clear();
    footprint = {};
  };
  for (Operation &op : block) {
    if (isa<tile::RegionOp>(op) || op.hasTrait<OpTrait::IsTerminator>() ||
        (isPure(&op) && op.getNumRegions() == 0))
      continue;
    Footprint own;
    own.add(&op);
    // What a Cube core makes of rows stored here must not be awaited before
    // all rows are stored.
    bool waitsForRows = footprint.writesWorkspace && own.readsWorkspace;
    if (isRowOperation(&op) || canRepeat(&op)) {
      if (waitsForRows)
        flush();
      group.push_back(&op);
      footprint.add(&op);
      continue;
    }
    if (isa<tile::MapOp, tile::CopyOp, tile::ReduceOp>(op)) {
      // Work on whole tiles runs before the strips, where order allows.
      if (waitsForRows || own.conflictsWith(footprint))
        flush();
      continue;
    }
    flush();
    if (hasTileWork(&op))
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          formGroups(nested);
  }
  flush();
}

Operation *RowAnalysis::groupLoopOf(Value tile) const {
  for (const RowGroup &group : groups)
    for (Operation *op : operationsOf(group)) {
      SmallVector<OperationAccess> accesses;
      collectAccessesRecursively(op, accesses);
      for (const OperationAccess &access : accesses)
        if (tile::getBuffer(access.access.target) == tile)
          return group.front()->getParentOfType<scf::ForOp>();
    }
  return nullptr;
}

llvm::SetVector<Value> RowAnalysis::localTiles() const {
  llvm::DenseMap<Operation *, unsigned> groupOf;
  for (auto [number, group] : llvm::enumerate(groups))
    for (Operation *op : operationsOf(group))
      groupOf[op] = number;
  llvm::SetVector<Value> local;
  for (Value tile : tiles) {
    std::optional<unsigned> number;
    bool isLocal = true;
    for (Operation *region : tile.getUsers())
      for (Operation *op : region->getUsers()) {
        auto known = groupOf.find(op);
        if (known == groupOf.end() || (number && *number != known->second))
          isLocal = false;
        else
          number = known->second;
      }
    if (isLocal)
      local.insert(tile);
  }
  return local;
}

} // namespace tilelang::vectorcore
