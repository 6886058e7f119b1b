//===- Passes.td - Neutral passes on the tile dialect ------*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILELANG_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileCheckBounds : Pass<"tile-check-bounds", "::mlir::func::FuncOp"> {
  let summary = "Refuse element accesses that leave an on-chip buffer for certain";
  let description = [{
    Elements of on-chip buffers are read and written without guards. An access
    whose index is a sum of multiples of indices of constant loops, and which no
    condition stands around, is an error where an index leaves its extent.
  }];
}

def TileCheckInitialised : Pass<"tile-check-initialised", "::mlir::func::FuncOp"> {
  let summary = "Refuse reads of on-chip buffers that nothing can have written";
  let description = [{
    A read, or an accumulation, is an error where no write of the buffer stands
    before it in the program or in a loop around both. Runs on parallel bodies:
    a map reads elements that it keeps, which is no read of the program.
  }];
}

def TileCheckGridStores : Pass<"tile-check-grid-stores", "::mlir::func::FuncOp"> {
  let summary = "Refuse stores by which blocks of the grid overwrite each other's results";
  let description = [{
    A store to a tensor whose place does not depend on a grid index of constant
    extent above 1 is an error where what it stores depends on that index, and a
    remark otherwise. Atomic additions may meet.
  }];
}

def TileSplitLiveRanges : Pass<"tile-split-live-ranges", "::mlir::func::FuncOp"> {
  let summary = "Give each live range of an on-chip buffer a buffer of its own";
  let description = [{
    A write that covers a whole buffer and does not need its old contents starts
    a new range: a copy, a fill, a gemm that clears, a map over every element.
    Any other write extends the ranges that reach it, and ranges that reach a
    common use are one: a value carried round a loop stays in one buffer. Each
    new `tile.alloc` keeps the name and location of the program's buffer.

    A fill that nothing reads goes away. Buffers with a `memory` attribute, and
    buffers that an operation without `RegionAccessOpInterface` takes, stay as
    they are.
  }];
  let dependentDialects = ["::tilelang::tile::TileDialect"];
}

def TileNormalizeParallel : Pass<"tile-normalize-parallel", "::mlir::func::FuncOp"> {
  let summary = "Turn parallel bodies into elementwise maps";
  let description = [{
    Each store of a `tile.parallel` becomes one `tile.map`, in the order of the
    program. Accesses whose indices are sums of multiples of the iteration
    indices (also divided, or modulo a constant) and of values that do not change
    become inputs: a region, which is the bounding box, and an access map. Other
    loads stay in the body, under their conditions.

    Of the conditions around a store, one that holds for all iterations or for
    none becomes an `scf.if` around the map; a bound on one index clips the box,
    or shrinks it where it is constant; an equation on one index removes that
    dimension; any other selects between the new and the old element. What does
    not change in the loop is computed before the map.

    An element that is read before a store of the same iteration overwrites it,
    and that a later store needs, is kept in a new buffer. A buffer that each
    iteration writes before it reads it, and that nothing else uses, is private
    and goes away.

    A dependence between iterations is an error that names both lines.
  }];
  let dependentDialects = ["::tilelang::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TILELANG_DIALECT_TILE_TRANSFORMS_PASSES_TD
