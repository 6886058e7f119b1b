//===- TileDialect.h - Types and attributes of the tile dialect ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_IR_TILEDIALECT_H
#define TILELANG_DIALECT_TILE_IR_TILEDIALECT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "tilelang/Dialect/Tile/IR/TileDialect.h.inc"
#include "tilelang/Dialect/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilelang/Dialect/Tile/IR/TileAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tilelang/Dialect/Tile/IR/TileTypes.h.inc"

namespace tilelang::tile {

/// The scalar type of an element: integers lose their signedness, all other
/// types stay.
mlir::Type getScalarType(mlir::Type elementType);

/// The scope of a buffer type; nothing where the memory space is not one of
/// this dialect.
std::optional<ScopeKind> getScope(mlir::Type bufferType);

} // namespace tilelang::tile

#endif // TILELANG_DIALECT_TILE_IR_TILEDIALECT_H
