//===- TileControlOps.td - Kernels and loops -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_IR_TILECONTROLOPS_TD
#define TILELANG_DIALECT_TILE_IR_TILECONTROLOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilelang/Dialect/Tile/IR/TileDialect.td"

def Tile_KernelOp : Tile_Op<"kernel", [
    SingleBlock, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::tilelang::tile::YieldOp">]> {
  let summary = "a grid of independent blocks, one to three dimensions";
  let description = [{
    The block arguments are the block indices; the first varies fastest.
    `threads` is the program's hint and has no meaning here.

    ```mlir
    tile.kernel [%gx, %gy] {
    ^bb0(%bx: index, %by: index):
      ...
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$grid, OptionalAttr<DenseI64ArrayAttr>:$threads);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`[` $grid `]` $body attr-dict";
  let hasVerifier = 1;
}

def Tile_LoopKind : I32EnumAttr<"LoopKind", "how the program wrote a loop", [
    I32EnumAttrCase<"Serial", 0, "serial">,
    I32EnumAttrCase<"Unroll", 1, "unroll">,
    I32EnumAttrCase<"Pipelined", 2, "pipelined">]> {
  let cppNamespace = "::tilelang::tile";
}

def Tile_ForOp : Tile_Op<"for", [
    SingleBlock, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::tilelang::tile::YieldOp">]> {
  let summary = "a sequential loop with any step";
  let description = [{
    Runs `iv = lower, lower + step, ...` while `iv < upper` (or `iv > upper` for
    a negative step). `stages` is a hint that never changes results.

    ```mlir
    tile.for pipelined %lb to %ub step %c1 stages 2 {
    ^bb0(%k: index):
      ...
    }
    ```
  }];
  let arguments = (ins Tile_LoopKind:$kind, Index:$lower, Index:$upper, Index:$step,
                       DefaultValuedAttr<I64Attr, "0">:$stages);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind $lower `to` $upper `step` $step `stages` $stages $body attr-dict
  }];
  let hasVerifier = 1;
}

#endif // TILELANG_DIALECT_TILE_IR_TILECONTROLOPS_TD
