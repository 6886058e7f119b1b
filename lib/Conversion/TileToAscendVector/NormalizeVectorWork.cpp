//===- NormalizeVectorWork.cpp - Only maps and plain transfers ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorLane.h"
#include "VectorLowering.h"

#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Interfaces/RegionAccessOpInterface.h"
#include "tilelang/Support/IndexBounds.h"

using namespace mlir;

namespace tilelang::vectorcore {

static bool isOnChip(tile::RegionOp region) {
  return ascend::memoryOf(region.getBuffer()) == ascend::MemoryKind::UB;
}

static Type elementOf(tile::RegionOp region) {
  return cast<MemRefType>(region.getBuffer().getType()).getElementType();
}

namespace {

/// Builds a map over the non-unit dimensions of its output.
class MapBuilder {
public:
  MapBuilder(OpBuilder &builder, Location location, tile::RegionOp output)
      : builder(builder), location(location), output(output) {}

  /// `input` may be null; `body` makes the yielded value from the element.
  tile::MapOp build(tile::RegionOp input,
                    llvm::function_ref<Value(OpBuilder &, Value)> body) {
    SmallVector<unsigned> to = nonUnitDimensions(output);
    SmallVector<unsigned> from;
    if (input)
      from = nonUnitDimensions(input);
    for (auto [position, dimension] : llvm::enumerate(to))
      addDimension(position, dimension,
                   input ? std::optional<unsigned>(from[position])
                         : std::nullopt,
                   input);
    if (extents.empty())
      extents.push_back(1);
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs;
    if (input) {
      maps.push_back(accessMap(input, from));
      inputs.push_back(input.getRegion());
    }
    maps.push_back(accessMap(output, to));
    auto map = tile::MapOp::create(builder, location, extents, inputs,
                                   output.getRegion(), clipped, lower, upper,
                                   builder.getAffineMapArrayAttr(maps));
    Block *block = map.getBody().empty() ? &map.getBody().emplaceBlock()
                                         : &map.getBody().front();
    OpBuilder::InsertionGuard guard(builder);
    if (!block->empty())
      block->clear();
    builder.setInsertionPointToStart(block);
    Value element;
    if (input)
      element =
          block->addArgument(tile::getScalarType(elementOf(input)), location);
    Value result = body(builder, element);
    tile::YieldOp::create(builder, location, ValueRange{result});
    return map;
  }

private:
  void addDimension(unsigned position, unsigned dimension,
                    std::optional<unsigned> inputDimension,
                    tile::RegionOp input) {
    OpFoldResult size = tile::getSize(output, dimension);
    std::optional<int64_t> extent = getConstantIntValue(size);
    Value limit = extent ? Value() : cast<Value>(size);
    if (inputDimension) {
      OpFoldResult inputSize = tile::getSize(input, *inputDimension);
      std::optional<int64_t> inputExtent = getConstantIntValue(inputSize);
      if (!extent && inputExtent)
        extent = inputExtent;
      else if (!inputExtent && !limit)
        limit = cast<Value>(inputSize);
    }
    if (!extent)
      extent =
          cast<MemRefType>(output.getBuffer().getType()).getDimSize(dimension);
    extents.push_back(*extent);
    if (!limit)
      return;
    clipped.push_back(position);
    lower.push_back(arith::ConstantIndexOp::create(builder, location, 0));
    upper.push_back(limit);
  }

  AffineMap accessMap(tile::RegionOp region, ArrayRef<unsigned> dimensions) {
    MLIRContext *context = builder.getContext();
    SmallVector<AffineExpr> results(region.getOffsets().size(),
                                    getAffineConstantExpr(0, context));
    for (auto [position, dimension] : llvm::enumerate(dimensions))
      results[dimension] = getAffineDimExpr(position, context);
    return AffineMap::get(std::max<size_t>(extents.size(), 1), 0, results,
                          context);
  }

  OpBuilder &builder;
  Location location;
  tile::RegionOp output;
  SmallVector<int64_t> extents, clipped;
  SmallVector<Value> lower, upper;
};

class VectorWorkNormalizer {
public:
  explicit VectorWorkNormalizer(Region &program) : program(program) {}

  LogicalResult run() {
    SmallVector<tile::CopyOp> copies;
    SmallVector<tile::FillOp> fills;
    program.walk([&](Operation *op) {
      if (auto copy = dyn_cast<tile::CopyOp>(op))
        copies.push_back(copy);
      else if (auto fill = dyn_cast<tile::FillOp>(op))
        fills.push_back(fill);
    });
    for (tile::CopyOp copy : copies)
      if (failed(normalize(copy)))
        return failure();
    for (tile::FillOp fill : fills) {
      if (!isOnChip(tile::getRegionOp(fill.getDestination())))
        return fill.emitError()
               << "internal: a fill of global memory reached the Vector core";
      OpBuilder builder(fill);
      createFillMap(builder, fill.getLoc(), fill.getValue(),
                    fill.getDestination());
      fill.erase();
    }
    return success();
  }

private:
  LogicalResult normalize(tile::CopyOp copy) {
    tile::RegionOp source = tile::getRegionOp(copy.getSource());
    tile::RegionOp destination = tile::getRegionOp(copy.getDestination());
    bool fromChip = isOnChip(source), toChip = isOnChip(destination);
    if (!fromChip && !toChip)
      return copy.emitError()
             << "internal: a copy between tensors reached the Vector core";
    OpBuilder builder(copy);
    if (fromChip && toChip) {
      if (copy.getAtomic())
        return copy.emitError()
               << "unsupported: adding atomically to "
               << tile::describeBuffer(destination)
               << ", which is on the chip; add its elements in a T.Parallel";
      convert(builder, copy.getLoc(), source, destination);
      copy.erase();
      return success();
    }
    if (elementOf(source) == elementOf(destination) &&
        !(toChip && overwritesNeighbours(copy, destination)))
      return success();
    // The tile that holds the tensor's own elements.
    tile::RegionOp chip = fromChip ? source : destination;
    tile::RegionOp global = fromChip ? destination : source;
    SmallVector<int64_t> shape;
    auto chipType = cast<MemRefType>(chip.getBuffer().getType());
    for (auto [dimension, extent] :
         llvm::enumerate(chip.getRegion().getType().getShape()))
      shape.push_back(ShapedType::isDynamic(extent)
                          ? chipType.getDimSize(dimension)
                          : extent);
    Value staged;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&program.front());
      auto type =
          MemRefType::get(shape, elementOf(global), MemRefLayoutAttrInterface(),
                          chipType.getMemorySpace());
      staged = tile::AllocOp::create(builder, copy.getLoc(), type,
                                     tile::getBufferName(chip.getBuffer()));
    }
    Value zero = arith::ConstantIndexOp::create(builder, copy.getLoc(), 0);
    auto stagedRegion = tile::RegionOp::create(
        builder, copy.getLoc(),
        tile::RegionType::get(builder.getContext(),
                              chip.getRegion().getType().getShape(),
                              elementOf(global)),
        staged, SmallVector<Value>(shape.size(), zero),
        SmallVector<Value>(chip.getSizes()));
    if (fromChip) {
      convert(builder, copy.getLoc(), chip, stagedRegion);
      tile::CopyOp::create(builder, copy.getLoc(), stagedRegion, global,
                           copy.getAtomic());
    } else {
      tile::CopyOp::create(builder, copy.getLoc(), global, stagedRegion);
      convert(builder, copy.getLoc(), stagedRegion, chip);
    }
    copy.erase();
    return success();
  }

  /// Whether rows of a load end inside a 32-byte block of the tile that another
  /// operation writes too: a DMA fills whole blocks, so that it would overwrite
  /// elements which are not the copy's.
  bool overwritesNeighbours(tile::CopyOp load, tile::RegionOp chip) {
    auto type = cast<MemRefType>(chip.getBuffer().getType());
    if (type.getRank() == 0)
      return false;
    unsigned last = type.getRank() - 1;
    int64_t bytes = storageBytes(type.getElementType());
    std::optional<int64_t> extent =
        getConstantIntValue(tile::getSize(chip, last));
    std::optional<int64_t> offset = tile::getConstantOffset(chip, last);
    if (extent && *extent * bytes % 32 == 0)
      return false;
    if (extent && offset && *offset + *extent >= type.getDimSize(last))
      return false;
    // These are copied element by element.
    if (offset && *offset * bytes % 32 != 0)
      return false;
    SmallVector<unsigned> dimensions = nonUnitDimensions(chip);
    if (!dimensions.empty() && dimensions.back() != last)
      return false;
    return writesOtherwise(chip.getBuffer(), load);
  }

  bool writesOtherwise(Value buffer, tile::CopyOp load) {
    SmallVector<OperationAccess> accesses;
    for (Operation &op : program.getOps())
      collectAccessesRecursively(&op, accesses);
    return llvm::any_of(accesses, [&](const OperationAccess &entry) {
      return entry.operation != load && entry.access.writes() &&
             tile::getBuffer(entry.access.target) == buffer;
    });
  }

  void convert(OpBuilder &builder, Location location, tile::RegionOp source,
               tile::RegionOp destination) {
    Type from = elementOf(source), to = elementOf(destination);
    MapBuilder(builder, location, destination)
        .build(source, [&](OpBuilder &body, Value element) {
          Type scalar = tile::getScalarType(to);
          if (from == to)
            return element;
          auto cast = tile::CastOp::create(body, location, scalar, element);
          cast.setSrcUnsigned(isUnsignedElement(from));
          cast.setDstUnsigned(isUnsignedElement(to));
          return cast.getResult();
        });
  }

  Region &program;
};

} // namespace

tile::MapOp createFillMap(OpBuilder &builder, Location location, Value value,
                          Value region) {
  tile::RegionOp output = tile::getRegionOp(region);
  return MapBuilder(builder, location, output)
      .build({}, [&](OpBuilder &body, Value) {
        Type scalar = tile::getScalarType(elementOf(output));
        if (value.getType() == scalar)
          return value;
        auto cast = tile::CastOp::create(body, location, scalar, value);
        cast.setDstUnsigned(isUnsignedElement(elementOf(output)));
        return cast.getResult();
      });
}

LogicalResult normalizeVectorWork(Region &program) {
  return VectorWorkNormalizer(program).run();
}

} // namespace tilelang::vectorcore
