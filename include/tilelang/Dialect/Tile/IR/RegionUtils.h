//===- RegionUtils.h - From regions to buffers, names and boxes ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_IR_REGIONUTILS_H
#define TILELANG_DIALECT_TILE_IR_REGIONUTILS_H

#include "tilelang/Dialect/Tile/IR/TileOps.h"

#include <optional>
#include <string>

namespace tilelang::tile {

/// The operation that defines a `!tile.region` value; null for other values.
RegionOp getRegionOp(mlir::Value region);

/// The memref behind a region; the value itself where it is a memref; null for
/// anything else.
mlir::TypedValue<mlir::MemRefType> getBuffer(mlir::Value target);

/// The operation that introduces a buffer (`tile.alloc`, `tile.tensor`, ...);
/// null for block arguments.
mlir::Operation *getBufferDefinition(mlir::Value target);

/// The program's name of the buffer behind a region or memref; empty where it
/// has none.
llvm::StringRef getBufferName(mlir::Value target);

/// `buffer 'A_shared'`, or `buffer` where it has no name: for messages.
std::string describeBuffer(mlir::Value target);

/// True for shared, fragment, local and var buffers.
bool isOnChip(mlir::Value target);

/// The offset of a region in one dimension, where it is a constant.
std::optional<int64_t> getConstantOffset(RegionOp region, unsigned dimension);

/// All offsets, where all are constants.
std::optional<llvm::SmallVector<int64_t>> getConstantOffsets(RegionOp region);

/// The extents of a region, where all are constants.
std::optional<llvm::SmallVector<int64_t>> getConstantSizes(RegionOp region);

/// The extent of a region in one dimension: an operand or a constant.
mlir::OpFoldResult getSize(RegionOp region, unsigned dimension);

/// True when the region, or the memref accessed as a whole, is provably the
/// whole buffer.
bool coversBuffer(mlir::Value target);

/// The innermost block that contains all of `ops`, themselves or around them.
mlir::Block *getCommonBlock(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace tilelang::tile

#endif // TILELANG_DIALECT_TILE_IR_REGIONUTILS_H
