//===- Passes.td - Neutral passes on the tile dialect ------*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILELANG_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileSplitLiveRanges : Pass<"tile-split-live-ranges", "::mlir::func::FuncOp"> {
  let summary = "Give each live range of an on-chip buffer a buffer of its own";
  let description = [{
    A write that covers a whole buffer without reading it starts a new range.
    Loop-carried values stay one range. Each new `tile.alloc` keeps the name and
    location of the program's buffer.
  }];
  let dependentDialects = ["::tilelang::tile::TileDialect"];
}

def TileNormalizeParallel : Pass<"tile-normalize-parallel", "::mlir::func::FuncOp"> {
  let summary = "Turn parallel bodies into elementwise maps";
  let description = [{
    Each store of a `tile.parallel` becomes one `tile.map`. Affine accesses become
    inputs with access maps; conditions that bound an index clip the box; other
    conditions select against the old value; accesses that are not affine stay in
    the body. A dependence between iterations is an error that names both lines.
  }];
  let dependentDialects = ["::tilelang::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

#endif // TILELANG_DIALECT_TILE_TRANSFORMS_PASSES_TD
