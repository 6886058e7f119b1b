//===- StageGlobals.cpp - Tiles for global operands of maps ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorLowering.h"
#include "tilelang/Conversion/TileToAscendVector/VectorPasses.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace tilelang {
#define GEN_PASS_DEF_ASCENDSTAGEGLOBALS
#include "tilelang/Conversion/TileToAscendVector/VectorPasses.h.inc"

namespace {

bool isGlobal(Value region) {
  auto type = cast<MemRefType>(tile::getBuffer(region).getType());
  return tile::getScope(type) == tile::ScopeKind::Global;
}

class GlobalStaging {
public:
  explicit GlobalStaging(func::FuncOp function) : function(function) {}

  LogicalResult run() {
    SmallVector<Operation *> work;
    function.walk([&](Operation *op) {
      if (isa<tile::MapOp, tile::CopyOp, tile::FillOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work) {
      LogicalResult result = success();
      if (auto map = dyn_cast<tile::MapOp>(op))
        result = stage(map);
      else if (auto copy = dyn_cast<tile::CopyOp>(op))
        result = stage(copy);
      else
        result = stage(cast<tile::FillOp>(op));
      if (failed(result))
        return failure();
    }
    return success();
  }

private:
  /// A tile of a region's shape, named after its buffer; null after an error.
  Value allocate(Operation *op, Value region) {
    auto type = cast<tile::RegionType>(region.getType());
    for (int64_t extent : type.getShape())
      if (ShapedType::isDynamic(extent)) {
        op->emitError() << "unsupported: a region of "
                        << tile::describeBuffer(region)
                        << " whose extents are known at run time only is "
                           "computed on; copy it to a tile of constant shape";
        return {};
      }
    OpBuilder builder(op);
    if (auto kernel = op->getParentOfType<tile::KernelOp>())
      builder.setInsertionPointToStart(&kernel.getBody().front());
    auto scope = tile::ScopeKindAttr::get(builder.getContext(),
                                          tile::ScopeKind::Fragment);
    auto buffer = MemRefType::get(type.getShape(), type.getElementType(),
                                  MemRefLayoutAttrInterface(), scope);
    return tile::AllocOp::create(builder, op->getLoc(), buffer,
                                 tile::getBufferName(region));
  }

  LogicalResult stage(tile::CopyOp copy) {
    if (!isGlobal(copy.getSource()) || !isGlobal(copy.getDestination()))
      return success();
    Value staged = allocate(copy, copy.getSource());
    if (!staged)
      return failure();
    OpBuilder builder(copy);
    Value whole = tile::RegionOp::create(builder, copy.getLoc(), staged);
    tile::CopyOp::create(builder, copy.getLoc(), copy.getSource(), whole);
    tile::CopyOp::create(builder, copy.getLoc(), whole, copy.getDestination(),
                         copy.getAtomic());
    copy.erase();
    return success();
  }

  LogicalResult stage(tile::FillOp fill) {
    if (!isGlobal(fill.getDestination()))
      return success();
    Value staged = allocate(fill, fill.getDestination());
    if (!staged)
      return failure();
    OpBuilder builder(fill);
    Value whole = tile::RegionOp::create(builder, fill.getLoc(), staged);
    tile::FillOp::create(builder, fill.getLoc(), fill.getValue(), whole);
    tile::CopyOp::create(builder, fill.getLoc(), whole, fill.getDestination());
    fill.erase();
    return success();
  }

  LogicalResult stage(tile::MapOp map) {
    // A region that is read twice is loaded once.
    llvm::DenseMap<Value, Value> loaded;
    for (unsigned number = 0; number < map.getInputs().size(); ++number) {
      Value input = map.getInputs()[number];
      if (!isGlobal(input))
        continue;
      if (Value known = loaded.lookup(input)) {
        map.getInputsMutable()[number].set(known);
        continue;
      }
      Value staged = allocate(map, input);
      if (!staged)
        return failure();
      OpBuilder builder(map);
      Value whole = tile::RegionOp::create(builder, map.getLoc(), staged);
      tile::CopyOp::create(builder, map.getLoc(), input, whole);
      map.getInputsMutable()[number].set(whole);
      loaded[input] = whole;
    }
    if (!isGlobal(map.getOutput()))
      return success();
    SmallVector<std::optional<unsigned>> dimensions;
    if (coversRegion(map, dimensions))
      return stageOutput(map, dimensions);
    return scatterOutput(map);
  }

  /// Elements that lie apart, or that iterations share, are written one by one,
  /// but computed by vector code, in a tile of the iteration's shape.
  LogicalResult scatterOutput(tile::MapOp map) {
    Location location = map.getLoc();
    OpBuilder builder(map);
    if (auto kernel = map->getParentOfType<tile::KernelOp>())
      builder.setInsertionPointToStart(&kernel.getBody().front());
    Type element =
        cast<tile::RegionType>(map.getOutput().getType()).getElementType();
    auto scope = tile::ScopeKindAttr::get(builder.getContext(),
                                          tile::ScopeKind::Fragment);
    auto buffer = MemRefType::get(map.getExtents(), element,
                                  MemRefLayoutAttrInterface(), scope);
    Value staged = tile::AllocOp::create(builder, location, buffer,
                                         tile::getBufferName(map.getOutput()));
    builder.setInsertionPoint(map);
    Value whole = tile::RegionOp::create(builder, location, staged);
    AffineMap identity =
        builder.getMultiDimIdentityMap(map.getExtents().size());
    SmallVector<AffineMap> maps(map.getMaps().getAsValueRange<AffineMapAttr>());
    builder.setInsertionPointAfter(map);
    auto scatter = tile::MapOp::create(
        builder, location, map.getExtents(), whole, map.getOutput(),
        map.getClipped(), map.getLower(), map.getUpper(),
        builder.getAffineMapArrayAttr({identity, maps.back()}),
        map.getAtomic());
    Block *body = builder.createBlock(&scatter.getBody());
    Value value = body->addArgument(tile::getScalarType(element), location);
    tile::YieldOp::create(builder, location, value);
    maps.back() = identity;
    map.setMapsAttr(builder.getAffineMapArrayAttr(maps));
    map.getOutputMutable().set(whole);
    map.setAtomic(false);
    return success();
  }

  /// True when each element of the output's region is written by one iteration.
  /// Gives the iteration dimension of each region dimension.
  static bool
  coversRegion(tile::MapOp map,
               SmallVectorImpl<std::optional<unsigned>> &dimensions) {
    AffineMap access =
        cast<AffineMapAttr>(map.getMaps().getValue().back()).getValue();
    auto type = cast<tile::RegionType>(map.getOutput().getType());
    llvm::SmallSet<unsigned, 4> seen;
    for (auto [result, extent] :
         llvm::zip_equal(access.getResults(), type.getShape())) {
      if (auto constant = dyn_cast<AffineConstantExpr>(result)) {
        if (constant.getValue() != 0 || extent != 1)
          return false;
        dimensions.push_back(std::nullopt);
        continue;
      }
      auto dimension = dyn_cast<AffineDimExpr>(result);
      if (!dimension || !seen.insert(dimension.getPosition()).second ||
          map.getExtents()[dimension.getPosition()] != extent)
        return false;
      dimensions.push_back(dimension.getPosition());
    }
    for (auto [dimension, extent] : llvm::enumerate(map.getExtents()))
      if (extent != 1 && !seen.contains(dimension))
        return false;
    return true;
  }

  LogicalResult stageOutput(tile::MapOp map,
                            ArrayRef<std::optional<unsigned>> dimensions) {
    Location location = map.getLoc();
    tile::RegionOp target = tile::getRegionOp(map.getOutput());
    Value staged = allocate(map, target.getRegion());
    if (!staged)
      return failure();
    OpBuilder builder(map);
    Value whole = tile::RegionOp::create(builder, location, staged);
    map.getOutputMutable().set(whole);

    // The clip says what is copied out.
    builder.setInsertionPointAfter(map);
    auto type = cast<tile::RegionType>(target.getRegion().getType());
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<Value> from, to, sizes;
    bool clips = false;
    for (auto [number, offset] : llvm::enumerate(target.getOffsets())) {
      Value zero = arith::ConstantIndexOp::create(builder, location, 0);
      from.push_back(zero);
      to.push_back(offset);
      if (!dimensions[number])
        continue;
      auto position = llvm::find(map.getClipped(), *dimensions[number]);
      if (position == map.getClipped().end())
        continue;
      unsigned clip = position - map.getClipped().begin();
      Value lower = map.getLower()[clip], upper = map.getUpper()[clip];
      if (isImplied(target, number, lower, upper))
        continue;
      clips = true;
      int64_t extent = type.getShape()[number];
      IndexInterval low = boundsOf(lower), high = boundsOf(upper);
      if (!low.lower || *low.lower < 0)
        lower = arith::MaxSIOp::create(builder, location, lower, zero);
      if (!high.upper || *high.upper > extent)
        upper = arith::MinSIOp::create(
            builder, location, upper,
            arith::ConstantIndexOp::create(builder, location, extent));
      Value size = upper;
      if (constantOf(lower) != 0) {
        size = arith::SubIOp::create(builder, location, upper, lower);
        from.back() = lower;
        to.back() = arith::AddIOp::create(builder, location, offset, lower);
      }
      IndexInterval range = boundsOf(size);
      if (!range.lower || *range.lower < 0)
        size = arith::MaxSIOp::create(builder, location, size, zero);
      shape[number] = ShapedType::kDynamic;
      sizes.push_back(size);
    }
    auto regionType = tile::RegionType::get(builder.getContext(), shape,
                                            type.getElementType());
    Value source = whole, destination = target.getRegion();
    if (clips) {
      source = tile::RegionOp::create(builder, location, regionType, staged,
                                      from, sizes);
      destination = tile::RegionOp::create(builder, location, regionType,
                                           target.getBuffer(), to, sizes);
    }
    tile::CopyOp::create(builder, location, source, destination,
                         map.getAtomic());
    map.setAtomic(false);
    if (!map.getClipped().empty() && isSpeculatable(map)) {
      map.setClipped(ArrayRef<int64_t>());
      map.getLowerMutable().clear();
      map.getUpperMutable().clear();
    }
    return success();
  }

  /// The clip says no more than that the region ends where its buffer ends.
  static bool isImplied(tile::RegionOp target, unsigned dimension, Value lower,
                        Value upper) {
    IndexInterval low = boundsOf(lower);
    if (!low.upper || *low.upper > 0)
      return false;
    auto type = cast<MemRefType>(target.getBuffer().getType());
    return !type.isDynamicDim(dimension) &&
           vectorcore::reachesEnd(
               target.getOffsets()[dimension], upper,
               target.getRegion().getType().getShape()[dimension],
               type.getDimSize(dimension));
  }

  /// Iterations outside the clip may run: they fault nowhere.
  static bool isSpeculatable(tile::MapOp map) {
    WalkResult result = map.getBody().walk([](Operation *op) {
      if (isa<tile::LoadOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
              arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
              arith::CeilDivUIOp>(op))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return !result.wasInterrupted();
  }

  func::FuncOp function;
};

struct StageGlobalsPass : impl::AscendStageGlobalsBase<StageGlobalsPass> {
  void runOnOperation() override {
    if (failed(GlobalStaging(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilelang
