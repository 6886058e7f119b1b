//===- GlobalTile.cpp - A two-dimensional part of a global buffer ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Conversion/TileToAscend/GlobalTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"

using namespace mlir;

namespace tilelang {

/// How many of `extent` elements from `offset` on lie inside `size`.
static Value clippedExtent(OpBuilder &builder, Location loc, Value offset,
                           int64_t size, int64_t extent) {
  OpBuilder::InsertionGuard guard(builder);
  IndexInterval bounds = boundsOf(offset);
  if (bounds.upper && *bounds.upper + extent <= size) {
    // Constants live at the use: canonicalisation moves them anyway.
    return arith::ConstantIndexOp::create(builder, loc, extent);
  }
  if (Operation *definition = offset.getDefiningOp())
    builder.setInsertionPointAfter(definition);
  else
    builder.setInsertionPointToStart(cast<BlockArgument>(offset).getOwner());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value rest = arith::SubIOp::create(builder, loc, constant(size), offset);
  if (!bounds.upper || *bounds.upper > size)
    rest = arith::MaxSIOp::create(builder, loc, rest, constant(0));
  return arith::MinSIOp::create(builder, loc, rest, constant(extent));
}

FailureOr<GlobalTile> describeGlobalTile(OpBuilder &builder,
                                         tile::RegionOp region,
                                         Operation *user) {
  Location loc = user->getLoc();
  auto bufferType = cast<MemRefType>(region.getBuffer().getType());
  auto regionType = cast<tile::RegionType>(region.getRegion().getType());
  ArrayRef<int64_t> sizes = regionType.getShape();
  ArrayRef<int64_t> shape = bufferType.getShape();
  if (ShapedType::isDynamicShape(sizes) || ShapedType::isDynamicShape(shape))
    return user->emitError() << "unsupported: a region with run-time extents of "
                             << tile::describeBuffer(region.getBuffer());

  int rank = bufferType.getRank();
  int columnDim = rank - 1, rowDim = -1;
  for (int dim = 0; dim < rank - 1; ++dim)
    if (sizes[dim] != 1) {
      if (rowDim >= 0)
        return user->emitError()
               << "unsupported: the part of " << tile::describeBuffer(region.getBuffer())
               << " has more than two dimensions larger than 1";
      rowDim = dim;
    }
  if (rowDim < 0 && rank >= 2)
    rowDim = rank - 2;

  llvm::SmallVector<int64_t> strides(rank, 1);
  for (int dim = rank - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];

  GlobalTile result;
  result.buffer = region.getBuffer();
  result.tileRows = rowDim >= 0 ? sizes[rowDim] : 1;
  result.tileColumns = sizes[columnDim];
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  result.offset = constant(0);
  for (auto [dim, offset] : llvm::enumerate(region.getOffsets())) {
    Value scaled = builder.createOrFold<arith::MulIOp>(loc, offset,
                                                       constant(strides[dim]));
    result.offset =
        builder.createOrFold<arith::AddIOp>(loc, result.offset, scaled);
  }
  result.columns =
      clippedExtent(builder, loc, region.getOffsets()[columnDim],
                    shape[columnDim], sizes[columnDim]);
  result.rows = rowDim < 0
                    ? constant(1)
                    : clippedExtent(builder, loc, region.getOffsets()[rowDim],
                                    shape[rowDim], sizes[rowDim]);
  result.stride = constant(rowDim < 0 ? shape[columnDim] : strides[rowDim]);
  return result;
}

} // namespace tilelang
