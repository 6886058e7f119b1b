//===- TileMemoryOps.td - Buffers, regions and copies -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_IR_TILEMEMORYOPS_TD
#define TILELANG_DIALECT_TILE_IR_TILEMEMORYOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilelang/Dialect/Tile/IR/TileDialect.td"
include "tilelang/Interfaces/RegionAccessOpInterface.td"

def Tile_TensorOp : Tile_Op<"tensor", [Pure, AttrSizedOperandSegments]> {
  let summary = "introduces a global buffer behind a pointer";
  let description = [{
    Sizes and strides (in elements) that the type leaves dynamic are operands,
    so that equal run-time sizes are the same value. Without strides the buffer
    is row-major and contiguous.

    ```mlir
    %a = tile.tensor %p, sizes [%m] strides [] {name = "A"}
        : !tile.ptr<f16> -> memref<?x128xf16, #tile.scope<global>>
    ```
  }];
  let arguments = (ins Tile_PtrType:$pointer, Variadic<Index>:$sizes,
                       Variadic<Index>:$strides, StrAttr:$name);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = [{
    $pointer `,` `sizes` `[` $sizes `]` `strides` `[` $strides `]` attr-dict
    `:` type($pointer) `->` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_AllocOp : Tile_Op<"alloc"> {
  let summary = "allocates a tile buffer; contents are undefined";
  let arguments = (ins StrAttr:$name);
  let results = (outs Res<AnyStaticShapeMemRef, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Tile_RegionOp : Tile_Op<"region", [Pure, AttrSizedOperandSegments]> {
  let summary = "names a rectangular part of a buffer";
  let description = [{
    One offset for each dimension; extents that the type leaves dynamic are
    operands. The region may overhang its buffer.

    ```mlir
    %r = tile.region %a[%i, %k] sizes [] : memref<...> -> !tile.region<128x32xf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer, Variadic<Index>:$offsets,
                       Variadic<Index>:$sizes);
  let results = (outs Tile_RegionType:$region);
  let assemblyFormat = [{
    $buffer `[` $offsets `]` `sizes` `[` $sizes `]` attr-dict
    `:` type($buffer) `->` type($region)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True when the region is provably the whole buffer.
    bool coversBuffer();
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$buffer)>]; // whole buffer
}

def Tile_CopyOp : Tile_Op<"copy", [
    DeclareOpInterfaceMethods<RegionAccessOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "copies a region, converting elements to the destination type";
  let description = [{
    Regions have equal extents once unit dimensions are left out. Source
    elements outside their buffer read as zero; destination elements outside
    theirs are not written.

    `atomic` adds to what the destination holds, each element at once and in no
    particular order among blocks of the grid. The sum is in the destination's
    type, and so is what is added: the source is converted first.
  }];
  let arguments = (ins Tile_RegionType:$source, Tile_RegionType:$destination,
                       UnitAttr:$atomic);
  let assemblyFormat = "$source `to` $destination attr-dict `:` type($source) `to` type($destination)";
  let hasVerifier = 1;
}

def Tile_FillOp : Tile_Op<"fill", [
    DeclareOpInterfaceMethods<RegionAccessOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "sets every element of a region to a scalar";
  let arguments = (ins AnyType:$value, Tile_RegionType:$destination);
  let assemblyFormat = "$destination `with` $value attr-dict `:` type($destination) `,` type($value)";
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [
    DeclareOpInterfaceMethods<RegionAccessOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "reads one element; guarded where the buffer is global";
  let description = [{
    The access is reported for the buffer as a whole. The result has the
    buffer's element type, made signless. `bool` buffers are `i1`.
  }];
  let arguments = (ins AnyMemRef:$buffer, Variadic<Index>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$buffer `[` $indices `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [
    DeclareOpInterfaceMethods<RegionAccessOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "writes one element; guarded where the buffer is global";
  let description = [{
    `atomic` adds to what a global buffer holds, in no particular order among
    blocks of the grid and among iterations of a parallel.
  }];
  let arguments = (ins AnyType:$value, AnyMemRef:$buffer, Variadic<Index>:$indices,
                       UnitAttr:$atomic);
  let assemblyFormat = "$value `to` $buffer `[` $indices `]` attr-dict `:` type($value) `to` type($buffer)";
  let hasVerifier = 1;
}

#endif // TILELANG_DIALECT_TILE_IR_TILEMEMORYOPS_TD
