//===- GlobalTile.cpp - A two-dimensional part of a global buffer ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Conversion/TileToAscend/GlobalTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilelang/Dialect/Ascend/IR/GlobalShape.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"

using namespace mlir;

namespace tilelang {

/// How many of `extent` elements from `offset` on lie inside `size`. Computed
/// where the later of the two is defined.
static Value clippedExtent(OpBuilder &builder, Location loc, Value offset,
                           OpFoldResult size, int64_t extent) {
  OpBuilder::InsertionGuard guard(builder);
  IndexInterval bounds = boundsOf(offset);
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known && bounds.upper && *bounds.upper + extent <= *known) {
    // Constants live at the use: canonicalisation moves them anyway.
    return arith::ConstantIndexOp::create(builder, loc, extent);
  }
  // Run-time sizes are defined at the top of the program, before all offsets
  // but constant ones.
  Value later = offset;
  if (auto value = dyn_cast<Value>(size);
      value && (constantOf(offset) || isa<BlockArgument>(offset)) &&
      offset.getParentBlock() == value.getParentBlock())
    later = value;
  if (Operation *definition = later.getDefiningOp()) {
    if (!constantOf(later))
      builder.setInsertionPointAfter(definition);
  } else {
    builder.setInsertionPointToStart(cast<BlockArgument>(later).getOwner());
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value rest = arith::SubIOp::create(
      builder, loc, ascend::asValue(builder, loc, size), offset);
  if (!known || !bounds.upper || *bounds.upper > *known)
    rest = arith::MaxSIOp::create(builder, loc, rest, constant(0));
  return arith::MinSIOp::create(builder, loc, rest, constant(extent));
}

FailureOr<GlobalTile>
describeGlobalTile(OpBuilder &builder, tile::RegionOp region, Operation *user) {
  Location loc = user->getLoc();
  auto bufferType = cast<MemRefType>(region.getBuffer().getType());
  auto regionType = cast<tile::RegionType>(region.getRegion().getType());
  ArrayRef<int64_t> sizes = regionType.getShape();
  ascend::GlobalShape shape = ascend::globalShapeOf(region.getBuffer());
  if (ShapedType::isDynamicShape(sizes))
    return user->emitError()
           << "unsupported: a region with run-time extents of "
           << tile::describeBuffer(region.getBuffer());

  int rank = bufferType.getRank();
  int columnDim = rank - 1, rowDim = -1;
  for (int dim = 0; dim < rank - 1; ++dim)
    if (sizes[dim] != 1) {
      if (rowDim >= 0)
        return user->emitError()
               << "unsupported: the part of "
               << tile::describeBuffer(region.getBuffer())
               << " has more than two dimensions larger than 1";
      rowDim = dim;
    }
  if (rowDim < 0 && rank >= 2)
    rowDim = rank - 2;

  if (getConstantIntValue(shape.strides[columnDim]) != 1)
    return user->emitError()
           << "unsupported: " << tile::describeBuffer(region.getBuffer())
           << " has a stride in its last dimension; the Cube core loads rows "
              "of "
              "neighbouring elements";

  GlobalTile result;
  result.buffer = region.getBuffer();
  result.tileRows = rowDim >= 0 ? sizes[rowDim] : 1;
  result.tileColumns = sizes[columnDim];
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  result.offset = constant(0);
  for (auto [dim, offset] : llvm::enumerate(region.getOffsets())) {
    Value scaled = ascend::scaled(builder, loc, offset, shape.strides[dim]);
    result.offset =
        builder.createOrFold<arith::AddIOp>(loc, result.offset, scaled);
  }
  result.columns = clippedExtent(builder, loc, region.getOffsets()[columnDim],
                                 shape.sizes[columnDim], sizes[columnDim]);
  result.rows = rowDim < 0
                    ? constant(1)
                    : clippedExtent(builder, loc, region.getOffsets()[rowDim],
                                    shape.sizes[rowDim], sizes[rowDim]);
  result.stride = ascend::asValue(builder, loc,
                                  rowDim < 0 ? shape.sizes[columnDim]
                                             : shape.strides[rowDim]);
  return result;
}

} // namespace tilelang
