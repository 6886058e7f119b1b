//===- TileOps.td - All operations of the tile dialect -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

include "tilelang/Dialect/Tile/IR/TileMemoryOps.td"
include "tilelang/Dialect/Tile/IR/TileComputeOps.td"
include "tilelang/Dialect/Tile/IR/TileReduceOps.td"
include "tilelang/Dialect/Tile/IR/TileControlOps.td"
