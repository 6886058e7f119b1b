//===- TileReduceOps.td - Reductions of tiles -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_IR_TILEREDUCEOPS_TD
#define TILELANG_DIALECT_TILE_IR_TILEREDUCEOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilelang/Dialect/Tile/IR/TileDialect.td"
include "tilelang/Interfaces/RegionAccessOpInterface.td"

def Tile_ReduceKind : I32EnumAttr<"ReduceKind", "how elements are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"AbsSum", 3, "abssum">,
    I32EnumAttrCase<"AbsMax", 4, "absmax">]> {
  let cppNamespace = "::tilelang::tile";
}

def Tile_ReduceOp : Tile_Op<"reduce", [
    DeclareOpInterfaceMethods<RegionAccessOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "combines the elements of a region along one dimension";
  let description = [{
    The destination has the source's extents without `dimension`, or with extent 1 there.
    With `accumulate` its old elements take part; their absolute values for `absmax`
    and `abssum`. Floating-point elements combine in an order of the target's
    choice, in fp32 where they are narrower, and are rounded once to the destination's
    type. Integers wrap around.

    ```mlir
    tile.reduce max %s into %m dim 1 {accumulate}
        : !tile.region<64x64xf32> into !tile.region<64xf32>
    ```
  }];
  let arguments = (ins Tile_ReduceKind:$kind, Tile_RegionType:$source,
                       Tile_RegionType:$destination, I64Attr:$dimension,
                       UnitAttr:$accumulate);
  let assemblyFormat = [{
    $kind $source `into` $destination `dim` $dimension attr-dict
    `:` type($source) `into` type($destination)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The source's dimension behind each of the destination's; nothing where the
    /// destination has extent 1 in place of the reduced one.
    ::llvm::SmallVector<std::optional<unsigned>> destinationDimensions();
  }];
}

#endif // TILELANG_DIALECT_TILE_IR_TILEREDUCEOPS_TD
