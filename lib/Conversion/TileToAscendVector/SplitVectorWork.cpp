//===- SplitVectorWork.cpp - Rows to both Vector cores, in strips ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "RowAnalysis.h"

#include "LowerReduce.h"
#include "MapGeometry.h"
#include "tilelang/Chip/Chip.h"
#include "tilelang/Conversion/TileToAscendVector/VectorPasses.h"
#include "tilelang/Dialect/Ascend/Transforms/ChipCache.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/Debug.h"
#include "tilelang/Support/IndexBounds.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilelang {
#define GEN_PASS_DEF_ASCENDSPLITVECTORWORK
#include "tilelang/Conversion/TileToAscendVector/VectorPasses.h.inc"

namespace {

using namespace vectorcore;

constexpr llvm::StringLiteral kTag = "ascend-split-vector-work";

/// Elements of a strip: long enough that instructions are not mostly start-up,
/// short enough that load, compute and store of neighbouring strips overlap.
constexpr int64_t kStripElements = 8192;

/// Rows of a strip that may be longer: what is done once for each row, and most
/// steps of reductions, cost the same for these.
constexpr int64_t kRowsOfLongStrips = 2;

/// From this many operations for each store on, vector work takes longer than
/// the store: one version of what is stored loses nothing.
constexpr int64_t kOperationsPerStore = 4;

/// Rows that an operation is restricted to.
struct Strip {
  Value firstRow;      // of the whole tile; null for 0
  Value firstLocalRow; // of the tiles that hold all rows of the core
  int64_t rows = 0;    // rows of a strip
  Value validRows;     // null where all rows are valid
};

/// Operations and the dimension, of a copy's global region or a map's
/// iteration, that runs along the rows.
using RowWork = SmallVector<std::pair<Operation *, unsigned>>;

class VectorWorkSplitter {
public:
  VectorWorkSplitter(ascend::KernelOp kernel, const Chip &chip)
      : kernel(kernel), chip(chip), program(kernel.getAiv()) {}

  LogicalResult run() {
    if (failed(normalizeVectorWork(program)))
      return failure();
    coalesceTiles(program);
    scf::ForOp grid;
    for (auto loop : program.getOps<scf::ForOp>())
      if (loop->hasAttr(ascend::kGridLoopAttr))
        grid = loop;
    // A grid without blocks has left no loop, and no work.
    if (!grid && llvm::none_of(program.getOps(), isTileWork))
      return success();
    if (!grid)
      return kernel.emitError()
             << "internal: the program of the Vector core has no grid loop";
    isMixed = kernel.getKind() == ascend::KernelKind::Mixed;
    RowAnalysis analysis(program, *grid.getBody());
    if (analysis.rows == 0) {
      if (isMixed)
        runOnOneCore(grid, "its tiles have no dimension along which all "
                           "operations are independent");
      return success();
    }
    coreRows = analysis.rows;
    if (isMixed) {
      // The second core starts at a block in tiles that both cores hold whole.
      coreRows = llvm::alignTo(llvm::divideCeil(analysis.rows, 2),
                               wholeTileAlignment(analysis));
      if (coreRows >= analysis.rows) {
        runOnOneCore(grid, "half of its rows are less than a block of 32 "
                           "bytes of a tile that is used whole");
        return success();
      }
      guardWholeStores(analysis);
    }
    split(analysis, grid);
    return success();
  }

private:
  //===-- One core -------------------------------------------------------===//

  static bool isTileWork(Operation &op) {
    return op
        .walk([](Operation *nested) {
          return isa<tile::CopyOp, tile::MapOp, tile::ReduceOp, tile::StoreOp,
                     tile::LoadOp>(nested)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  Value isFirstCore(OpBuilder &builder, Location location) {
    Value core = ascend::SubBlockIdxOp::create(builder, location,
                                               builder.getIndexType());
    Value zero = arith::ConstantIndexOp::create(builder, location, 0);
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq,
                                 core, zero);
  }

  void runOnOneCore(scf::ForOp grid, StringRef reason) {
    Block *body = grid.getBody();
    SmallVector<Operation *> work;
    for (Operation &op : body->without_terminator())
      if (!work.empty() || isTileWork(op))
        work.push_back(&op);
    if (work.empty())
      return;
    work.front()->emitRemark()
        << "the vector work of this kernel runs on one of the two Vector cores "
           "of a block: "
        << reason;
    OpBuilder builder(work.front());
    Location location = work.front()->getLoc();
    auto branch = scf::IfOp::create(builder, location,
                                    isFirstCore(builder, location), false);
    Operation *end = branch.thenBlock()->getTerminator();
    for (Operation *op : work)
      op->moveBefore(end);
  }

  /// What both cores have computed whole is stored by the first only.
  void guardWholeStores(const RowAnalysis &analysis) {
    SmallVector<Operation *> stores;
    program.walk<WalkOrder::PreOrder>([&](Operation *op) {
      Value target;
      if (auto copy = dyn_cast<tile::CopyOp>(op))
        target = tile::getBuffer(copy.getDestination());
      else if (auto store = dyn_cast<tile::StoreOp>(op))
        target = store.getBuffer();
      else if (auto map = dyn_cast<tile::MapOp>(op))
        target = tile::getBuffer(map.getOutput());
      else
        return WalkResult::advance();
      if (ascend::memoryOf(target) == ascend::MemoryKind::GM &&
          !analysis.isRowOperation(op))
        stores.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *op : stores) {
      OpBuilder builder(op);
      auto branch = scf::IfOp::create(
          builder, op->getLoc(), isFirstCore(builder, op->getLoc()), false);
      op->moveBefore(branch.thenBlock()->getTerminator());
    }
  }

  //===-- Size of strips -------------------------------------------------===//

  /// UB is addressed in blocks; rows of several dimensions start at one.
  static int64_t elementsOfBlock(Value tile) {
    Type element = cast<MemRefType>(tile.getType()).getElementType();
    return 32 / std::min<int64_t>(32, storageBytes(element));
  }

  /// The last dimension with more than one element.
  static std::optional<unsigned> innermostDimension(Value tile) {
    ArrayRef<int64_t> shape = cast<MemRefType>(tile.getType()).getShape();
    for (unsigned dimension = shape.size(); dimension-- > 0;)
      if (shape[dimension] != 1)
        return dimension;
    return std::nullopt;
  }

  /// What a first row is a multiple of, so that tiles that are not split, but
  /// have the rows innermost, are accessed from the start of a block.
  int64_t wholeTileAlignment(const RowAnalysis &analysis) {
    int64_t alignment = 1;
    program.walk([&](tile::MapOp map) {
      if (!analysis.isRowOperation(map))
        return;
      unsigned row = RowAnalysis::rowIteration(map);
      for (auto [number, input] : llvm::enumerate(map.getInputs())) {
        Value tile = tile::getBuffer(input);
        AffineMap access =
            cast<AffineMapAttr>(map.getMaps()[number]).getValue();
        std::optional<unsigned> innermost = innermostDimension(tile);
        if (ascend::memoryOf(tile) == ascend::MemoryKind::UB &&
            !analysis.tiles.contains(tile) && innermost &&
            access.getResult(*innermost).isFunctionOfDim(row))
          alignment = std::max(alignment, elementsOfBlock(tile));
      }
    });
    return alignment;
  }

  /// The same for strips: of tiles, too, that hold all rows of the core.
  int64_t stripAlignment(const RowAnalysis &analysis,
                         const llvm::SetVector<Value> &local) {
    int64_t alignment = wholeTileAlignment(analysis);
    for (Value tile : analysis.tiles)
      if (!local.contains(tile) &&
          innermostDimension(tile) ==
              RowAnalysis::rowDimension(cast<MemRefType>(tile.getType())))
        alignment = std::max(alignment, elementsOfBlock(tile));
    return alignment;
  }

  static bool isTransferred(Value tile) {
    for (Operation *region : tile.getUsers())
      for (Operation *op : region->getUsers())
        if (isa<tile::CopyOp>(op))
          return true;
    return false;
  }

  static SmallVector<int64_t> shapeWith(Value tile, int64_t rows) {
    auto type = cast<MemRefType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[RowAnalysis::rowDimension(type)] = rows;
    return shape;
  }

  static bool isLoaded(Value tile) {
    for (Operation *region : tile.getUsers())
      for (Operation *op : region->getUsers())
        if (auto copy = dyn_cast<tile::CopyOp>(op))
          if (tile::getBuffer(copy.getDestination()) == tile)
            return true;
    return false;
  }

  /// Vector work hides stores even if a strip's store has to end before the
  /// next one's results are written.
  bool hidesStores() {
    int64_t operations = 0, stores = 0;
    program.walk([&](Operation *op) {
      operations += isa<tile::MapOp, tile::ReduceOp>(op);
      if (auto copy = dyn_cast<tile::CopyOp>(op))
        stores += ascend::memoryOf(tile::getBuffer(copy.getDestination())) ==
                  ascend::MemoryKind::GM;
    });
    return operations >= stores * kOperationsPerStore;
  }

  int64_t bytesOf(Value tile, ArrayRef<int64_t> shape,
                  const TileLayouts &layouts) const {
    auto type = cast<MemRefType>(tile.getType());
    int64_t bytes =
        layouts.of(shape).elements * storageBytes(type.getElementType());
    bool rotates = isTransferred(tile) && (!storesOnce || isLoaded(tile));
    int64_t versions = rotates ? 2 : 1;
    if (auto forTasks = tile.getDefiningOp()->getAttrOfType<IntegerAttr>(
            ascend::kTaskVersionsAttr))
      versions += forTasks.getInt() - 1;
    return versions * bytes;
  }

  /// Bytes of UB that the program needs with strips of a height.
  int64_t bytesNeeded(const RowAnalysis &analysis,
                      const llvm::SetVector<Value> &local, int64_t height,
                      const TileLayouts &layouts) {
    int64_t total = 0;
    // Tiles of one strip loop only: those of the block and of loops inside it
    // can share their bytes.
    llvm::MapVector<Operation *, int64_t> ofStrips;
    for (tile::AllocOp alloc : program.getOps<tile::AllocOp>()) {
      Value tile = alloc.getBuffer();
      if (ascend::memoryOf(tile) != ascend::MemoryKind::UB || tile.use_empty())
        continue;
      bool isLocal = local.contains(tile);
      int64_t rows = isLocal ? height : llvm::alignTo(coreRows, height);
      if (!analysis.tiles.contains(tile))
        total +=
            bytesOf(tile, cast<MemRefType>(tile.getType()).getShape(), layouts);
      else if (Operation *loop = isLocal ? analysis.groupLoopOf(tile) : nullptr)
        ofStrips[loop] += bytesOf(tile, shapeWith(tile, rows), layouts);
      else
        total += bytesOf(tile, shapeWith(tile, rows), layouts);
    }
    int64_t mostOfStrips = 0;
    for (auto [loop, bytes] : ofStrips)
      mostOfStrips = std::max(mostOfStrips, bytes);
    total += mostOfStrips;
    int64_t temporaries = 0;
    for (auto [map, bytes] : temporaryNeeds) {
      bool isRow = analysis.isRowOperation(map);
      int64_t needed =
          isRow ? llvm::divideCeil(bytes * height, analysis.rows) + 1024
                : bytes;
      temporaries = std::max(temporaries, needed);
    }
    return total + temporaries;
  }

  int64_t chooseHeight(const RowAnalysis &analysis,
                       const llvm::SetVector<Value> &local) {
    TileLayouts layouts(program);
    program.walk([&](tile::MapOp map) {
      temporaryNeeds.push_back({map, temporaryBytes(map, layouts)});
    });
    program.walk([&](tile::CopyOp copy) {
      temporaryNeeds.push_back({copy, temporaryBytes(copy)});
    });
    program.walk([&](tile::ReduceOp reduce) {
      temporaryNeeds.push_back({reduce, temporaryBytes(reduce, layouts)});
    });
    int64_t columns = 1;
    for (Value tile : analysis.tiles)
      columns =
          std::max(columns, cast<MemRefType>(tile.getType()).getNumElements() /
                                analysis.rows);
    int64_t usable = chip.usableBytes(ChipMemory::UB);
    bool hides = hidesStores();
    auto fits = [&](int64_t height) {
      if (height > kRowsOfLongStrips && height * columns > kStripElements)
        return false;
      storesOnce = false;
      auto needed = [&] {
        return bytesNeeded(analysis, local, height, layouts);
      };
      if (needed() <= usable)
        return true;
      storesOnce = hides && height == kRowsOfLongStrips;
      return storesOnce && needed() <= usable;
    };
    if (fits(coreRows))
      return coreRows;
    // Strips of equal height, whole groups of eight rows where possible.
    int64_t fallback = 0, even = 0;
    int64_t required = stripAlignment(analysis, local);
    int64_t preferred =
        columns == 1 ? kStorageMultiple : std::max<int64_t>(8, required);
    for (int64_t strips = 2; strips <= coreRows; ++strips) {
      int64_t height = llvm::divideCeil(coreRows, strips);
      if (height > preferred)
        height = llvm::alignTo(height, preferred);
      if (height % required != 0 || !fits(height))
        continue;
      if (!fallback)
        fallback = height;
      // Not many strips more for evenness.
      if (height * 2 < fallback)
        break;
      if (coreRows % height != 0)
        continue;
      if (height % preferred == 0)
        return height;
      if (!even)
        even = height;
    }
    if (even)
      return even;
    return fallback ? fallback : required;
  }

  //===-- Rewriting ------------------------------------------------------===//

  void split(const RowAnalysis &analysis, scf::ForOp grid) {
    int64_t rows = analysis.rows;
    llvm::SetVector<Value> local = analysis.localTiles();
    int64_t height = chooseHeight(analysis, local);
    TILELANG_DEBUG(kTag, rows << " rows, " << coreRows
                              << " for each core, strips of " << height);
    if (height == rows)
      return; // everything stays whole

    // Rows of this core: first and count.
    OpBuilder builder(grid.getBody(), grid.getBody()->begin());
    Location location = grid.getLoc();
    Value first, count;
    if (isMixed) {
      builder.setInsertionPoint(grid);
      Value core = ascend::SubBlockIdxOp::create(builder, location,
                                                 builder.getIndexType());
      first = arith::MulIOp::create(
          builder, location, core,
          arith::ConstantIndexOp::create(builder, location, coreRows));
      if (coreRows * 2 != rows) {
        Value rest = arith::SubIOp::create(
            builder, location,
            arith::ConstantIndexOp::create(builder, location, rows), first);
        count = arith::MinSIOp::create(
            builder, location, rest,
            arith::ConstantIndexOp::create(builder, location, coreRows));
      }
    }
    for (Value tile : analysis.tiles)
      rowDimensions[tile] =
          RowAnalysis::rowDimension(cast<MemRefType>(tile.getType()));
    SmallVector<RowWork> work;
    for (const RowGroup &group : analysis.groups)
      work.push_back(collect(analysis, group));
    for (Value tile : analysis.tiles)
      shrink(tile,
             local.contains(tile) ? height : llvm::alignTo(coreRows, height));
    for (auto [group, part] : llvm::zip_equal(analysis.groups, work))
      rewrite(group, part, local, height, first, count);
  }

  /// The operations of a group that work along the rows, and the dimension of
  /// each that has them. Taken before tiles shrink: a height of 1 hides it.
  RowWork collect(const RowAnalysis &analysis, const RowGroup &group) {
    RowWork work;
    for (Operation *op : RowAnalysis::operationsOf(group)) {
      if (!analysis.isRowOperation(op))
        continue;
      unsigned dimension;
      if (auto map = dyn_cast<tile::MapOp>(op))
        dimension = RowAnalysis::rowIteration(map);
      else if (isa<tile::ReduceOp>(op))
        dimension = 0; // each of its tiles has its own
      else
        dimension =
            nonUnitDimensions(globalSide(cast<tile::CopyOp>(op))).front();
      work.push_back({op, dimension});
    }
    return work;
  }

  void shrink(Value tile, int64_t rows) {
    auto type = cast<MemRefType>(tile.getType());
    tile.setType(MemRefType::get(shapeWith(tile, rows), type.getElementType(),
                                 type.getLayout(), type.getMemorySpace()));
  }

  void rewrite(const RowGroup &group, const RowWork &work,
               const llvm::SetVector<Value> &local, int64_t height, Value first,
               Value count) {
    Strip strip;
    strip.rows = height;
    Operation *last = group.back();
    OpBuilder builder(last);
    Location location = group.front()->getLoc();
    if (height == coreRows) {
      strip.firstRow = first;
      strip.validRows = count;
    } else {
      Value zero = arith::ConstantIndexOp::create(builder, location, 0);
      Value step = arith::ConstantIndexOp::create(builder, location, height);
      Value end =
          count ? count
                : arith::ConstantIndexOp::create(builder, location, coreRows)
                      .getResult();
      auto loop = scf::ForOp::create(builder, location, zero, end, step);
      for (Operation *op : group)
        op->moveBefore(loop.getBody()->getTerminator());
      builder.setInsertionPointToStart(loop.getBody());
      Value row = loop.getInductionVar();
      strip.firstLocalRow = row;
      strip.firstRow =
          first
              ? arith::AddIOp::create(builder, location, first, row).getResult()
              : row;
      // A strip of one row is never partial.
      if (height > 1 && (count || coreRows % height != 0)) {
        Value rest = arith::SubIOp::create(builder, location, end, row);
        strip.validRows = arith::MinSIOp::create(builder, location, rest, step);
      }
    }
    for (auto [op, dimension] : work)
      restrict(op, dimension, local, strip);
  }

  static Value plus(OpBuilder &builder, Location location, Value a, Value b) {
    if (!b)
      return a;
    if (constantOf(a) == 0)
      return b;
    return arith::AddIOp::create(builder, location, a, b);
  }

  /// A region with other rows: of the whole tile in global memory, of the strip
  /// or the core on the chip.
  Value restrictRegion(OpBuilder &builder, tile::RegionOp region,
                       unsigned dimension, Value offset, int64_t rows,
                       Value dynamicRows) {
    Location location = region.getLoc();
    auto type = region.getRegion().getType();
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<Value> offsets(region.getOffsets());
    offsets[dimension] = plus(builder, location, offsets[dimension], offset);
    SmallVector<Value> sizes;
    unsigned dynamic = 0;
    for (auto [number, extent] : llvm::enumerate(type.getShape())) {
      bool wasDynamic = ShapedType::isDynamic(extent);
      if (number == dimension) {
        shape[number] = dynamicRows ? ShapedType::kDynamic : rows;
        if (dynamicRows)
          sizes.push_back(dynamicRows);
      } else if (wasDynamic) {
        sizes.push_back(region.getSizes()[dynamic]);
      }
      dynamic += wasDynamic;
    }
    return tile::RegionOp::create(builder, location,
                                  tile::RegionType::get(builder.getContext(),
                                                        shape,
                                                        type.getElementType()),
                                  region.getBuffer(), offsets, sizes);
  }

  Value restrictTile(OpBuilder &builder, tile::RegionOp region,
                     const llvm::SetVector<Value> &local, const Strip &strip) {
    Value tile = region.getBuffer();
    Value offset = local.contains(tile) ? Value() : strip.firstLocalRow;
    return restrictRegion(builder, region, rowDimensions.lookup(tile), offset,
                          strip.rows, {});
  }

  void restrict(Operation *op, unsigned row,
                const llvm::SetVector<Value> &local, const Strip &strip) {
    OpBuilder builder(op);
    if (auto copy = dyn_cast<tile::CopyOp>(op)) {
      tile::RegionOp chipRegion = chipSide(copy);
      tile::RegionOp globalRegion = globalSide(copy);
      bool isLoad = chipRegion == tile::getRegionOp(copy.getDestination());
      Value global = restrictRegion(builder, globalRegion, row, strip.firstRow,
                                    strip.rows, strip.validRows);
      Value tile = restrictTile(builder, chipRegion, local, strip);
      copy->setOperand(0, isLoad ? global : tile);
      copy->setOperand(1, isLoad ? tile : global);
      return;
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      for (OpOperand &operand : reduce->getOpOperands())
        operand.set(restrictTile(builder, tile::getRegionOp(operand.get()),
                                 local, strip));
      return;
    }
    auto map = cast<tile::MapOp>(op);
    Location location = map.getLoc();
    for (unsigned number = 0; number < map.getInputs().size(); ++number) {
      tile::RegionOp region = tile::getRegionOp(map.getInputs()[number]);
      Value buffer = region.getBuffer();
      if (rowDimensions.contains(buffer)) {
        map.getInputsMutable()[number].set(
            restrictTile(builder, region, local, strip));
        continue;
      }
      shiftWholeInput(builder, map, number, row, strip);
    }
    map.getOutputMutable().set(restrictTile(
        builder, tile::getRegionOp(map.getOutput()), local, strip));
    SmallVector<int64_t> extents(map.getExtents());
    extents[row] = strip.rows;
    map.setExtents(extents);
    if (!strip.firstRow)
      return;
    for (auto [position, dimension] : llvm::enumerate(map.getClipped()))
      if (dimension == row) {
        auto shifted = [&](Value bound) {
          return arith::SubIOp::create(builder, location, bound,
                                       strip.firstRow);
        };
        Value lower = shifted(map.getLower()[position]);
        Value upper = shifted(map.getUpper()[position]);
        map.getLowerMutable()[position].set(lower);
        map.getUpperMutable()[position].set(upper);
      }
    map.getBody().walk([&](tile::IndexOp index) {
      if (static_cast<unsigned>(index.getDimension()) != row)
        return;
      OpBuilder body(index->getContext());
      body.setInsertionPointAfter(index);
      auto sum = arith::AddIOp::create(body, index.getLoc(), index.getResult(),
                                       strip.firstRow);
      index.getResult().replaceAllUsesExcept(sum, sum);
    });
  }

  /// An input that holds all rows: the strip starts further on in it.
  void shiftWholeInput(OpBuilder &builder, tile::MapOp map, unsigned number,
                       unsigned row, const Strip &strip) {
    tile::RegionOp region = tile::getRegionOp(map.getInputs()[number]);
    AffineMap access = cast<AffineMapAttr>(map.getMaps()[number]).getValue();
    Location location = map.getLoc();
    SmallVector<Value> offsets(region.getOffsets());
    bool changed = false;
    for (auto [dimension, result] : llvm::enumerate(access.getResults())) {
      if (!strip.firstRow || !result.isFunctionOfDim(row))
        continue;
      SmallVector<int64_t> coefficients(map.getExtents().size(), 0);
      int64_t constant = 0;
      decomposeLinear(result, coefficients, constant);
      Value distance = strip.firstRow;
      if (coefficients[row] != 1)
        distance =
            arith::MulIOp::create(builder, location, distance,
                                  arith::ConstantIndexOp::create(
                                      builder, location, coefficients[row]));
      offsets[dimension] =
          plus(builder, location, offsets[dimension], distance);
      changed = true;
    }
    if (!changed)
      return;
    map.getInputsMutable()[number].set(
        tile::RegionOp::create(builder, location, region.getRegion().getType(),
                               region.getBuffer(), offsets, region.getSizes()));
  }

  ascend::KernelOp kernel;
  const Chip &chip;
  Region &program;
  bool isMixed = false;
  /// Memory is counted with one version of what is only stored.
  bool storesOnce = false;
  int64_t coreRows = 0; // of the first core; the second has the rest
  SmallVector<std::pair<Operation *, int64_t>> temporaryNeeds;
  /// Row tiles, and which dimension has the rows.
  llvm::DenseMap<Value, unsigned> rowDimensions;
};

struct SplitVectorWorkPass
    : impl::AscendSplitVectorWorkBase<SplitVectorWorkPass> {
  using Base::Base;

  void runOnOperation() override {
    const Chip *description =
        ascend::getChip(getOperation(), chip, chipDirectory);
    if (!description)
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<ascend::KernelOp>()) {
      if (llvm::hasSingleElement(kernel.getAiv().front()))
        continue;
      if (failed(VectorWorkSplitter(kernel, *description).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace tilelang
