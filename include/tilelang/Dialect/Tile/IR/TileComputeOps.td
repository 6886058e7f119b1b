//===- TileComputeOps.td - Matrix products, parallel bodies and casts -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_IR_TILECOMPUTEOPS_TD
#define TILELANG_DIALECT_TILE_IR_TILECOMPUTEOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "tilelang/Dialect/Tile/IR/TileDialect.td"
include "tilelang/Interfaces/RegionAccessOpInterface.td"

def Tile_GemmOp : Tile_Op<"gemm", [
    DeclareOpInterfaceMethods<RegionAccessOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "C += op(A) op(B), or C = op(A) op(B) where `clear` holds";
  let description = [{
    Regions are two-dimensional once leading unit dimensions are left out.
    `clear` is an `i1` that may be known at run time only. Products accumulate
    in the type of C; hardware with a wider accumulator rounds once.
  }];
  let arguments = (ins Tile_RegionType:$a, Tile_RegionType:$b, Tile_RegionType:$c,
                       I1:$clear, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let assemblyFormat = [{
    $a `,` $b `into` $c `clear` $clear attr-dict
    `:` type($a) `,` type($b) `into` type($c)
  }];
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "ends a region of a tile operation";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
}

def Tile_ParallelOp : Tile_Op<"parallel", [
    SingleBlock, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::tilelang::tile::YieldOp">]> {
  let summary = "an index space with a scalar body, iterations independent";
  let description = [{
    The body reads and writes elements by `tile.load` and `tile.store`; it may
    hold `arith`, `math`, `scf.if` and `tile.cast`. `indexNames` are the
    program's names of the indices, for messages.

    ```mlir
    tile.parallel [128, 64] {
    ^bb0(%i: index, %j: index):
      ...
    }
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$extents);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$extents $body attr-dict";
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [
    SingleBlock, DeclareOpInterfaceMethods<RegionAccessOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    AttrSizedOperandSegments,
    SingleBlockImplicitTerminator<"::tilelang::tile::YieldOp">]> {
  let summary = "one elementwise update over an iteration box";
  let description = [{
    The normal form of a parallel body. For each point of the box
    `extents`, clipped to `lower[d] <= d < upper[d]` for the dimensions listed
    in `clipped` (operands `lower` and `upper`, one each per listed dimension),
    the body computes one element from one element of each input.

    `maps` has an affine map for each input and, last, for the output: from the
    iteration point to the index inside the operand's region. Its results say the
    access class: identity, broadcast (fewer dimensions), transpose, stride. Loads
    that have no such map (gathers) stay in the body as `tile.load` with indices
    computed from `tile.index`. The body's arguments are the input elements;
    `tile.index` gives the iteration indices. With `atomic` the element is added to
    the output, which is global; iterations may share elements then.

    ```mlir
    tile.map [64, 64] ins(%a, %b : ...) outs(%c : ...) clip [] lower [] upper []
        maps [#id, #row, #id] {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tile.yield %s : f32
    }
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$extents, Variadic<Tile_RegionType>:$inputs,
                       Tile_RegionType:$output, DenseI64ArrayAttr:$clipped,
                       Variadic<Index>:$lower, Variadic<Index>:$upper,
                       AffineMapArrayAttr:$maps, UnitAttr:$atomic);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $extents `ins` `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` $output `:` type($output) `)`
    `clip` $clipped `lower` `[` $lower `]` `upper` `[` $upper `]` `maps` $maps
    $body attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_IndexOp : Tile_Op<"index", [Pure]> {
  let summary = "an iteration index inside the body of a map";
  let arguments = (ins I64Attr:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$dimension attr-dict";
  let hasVerifier = 1;
}

def Tile_Rounding : I32EnumAttr<"Rounding", "rounding of a cast", [
    I32EnumAttrCase<"Default", 0, "default">, // nearest even to float, toward zero to int
    I32EnumAttrCase<"NearestEven", 1, "rn">,
    I32EnumAttrCase<"TowardZero", 2, "rz">,
    I32EnumAttrCase<"Up", 3, "ru">,
    I32EnumAttrCase<"Down", 4, "rd">]> {
  let cppNamespace = "::tilelang::tile";
}

def Tile_CastOp : Tile_Op<"cast", [Pure]> {
  let summary = "converts a scalar between element types";
  let description = [{
    `srcUnsigned`/`dstUnsigned` give the signedness that signless scalars have
    lost. Between float types: rounds; float to int: toward zero, NaN to 0, out
    of range saturates when `saturate`; int to int: modulo 2^bits.
  }];
  let arguments = (ins AnyType:$source, DefaultValuedAttr<Tile_Rounding, "Rounding::Default">:$rounding,
                       UnitAttr:$saturate, UnitAttr:$srcUnsigned, UnitAttr:$dstUnsigned);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TILELANG_DIALECT_TILE_IR_TILECOMPUTEOPS_TD
