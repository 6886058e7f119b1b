//===- GlobalTile.h - A two-dimensional part of a global buffer -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_CONVERSION_TILETOASCEND_GLOBALTILE_H
#define TILELANG_CONVERSION_TILETOASCEND_GLOBALTILE_H

#include "mlir/IR/Builders.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"

namespace tilelang {

/// What a DMA instruction needs to know of a region in global memory. Extents
/// are clipped to the buffer: rows and columns outside do not exist.
struct GlobalTile {
  mlir::Value buffer;
  mlir::Value offset;            // elements, of the first row and column
  mlir::Value rows, columns;     // that exist
  mlir::Value stride;            // elements between rows
  int64_t tileRows, tileColumns; // of the region
};

/// Describes `region` of a buffer with constant shape, or fails with an error
/// on `user`. Clipped extents are computed where the offsets are defined, so
/// that they dominate everything below.
mlir::FailureOr<GlobalTile> describeGlobalTile(mlir::OpBuilder &builder,
                                               tile::RegionOp region,
                                               mlir::Operation *user);

} // namespace tilelang

#endif // TILELANG_CONVERSION_TILETOASCEND_GLOBALTILE_H
