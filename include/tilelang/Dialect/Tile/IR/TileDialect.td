//===- TileDialect.td - The hardware-neutral tile dialect -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_IR_TILEDIALECT_TD
#define TILELANG_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilelang::tile";
  let summary = "What a tile program says, before any target is known";
  let description = [{
    Buffers are `memref`s whose memory space is `#tile.scope<...>`; tile
    operations read and write *regions* of buffers. Nothing in this dialect
    names a memory, a core or an instruction of a chip.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

//===-- Scope ------------------------------------------------------------===//

def Tile_ScopeKind : I32EnumAttr<"ScopeKind", "where the program put a buffer", [
    I32EnumAttrCase<"Global", 0, "global">,
    I32EnumAttrCase<"Shared", 1, "shared">,
    I32EnumAttrCase<"Fragment", 2, "fragment">,
    I32EnumAttrCase<"Local", 3, "local">,
    I32EnumAttrCase<"Var", 4, "var">]> {
  let cppNamespace = "::tilelang::tile";
  let genSpecializedAttr = 0;
}

def Tile_ScopeAttr : EnumAttr<Tile_Dialect, Tile_ScopeKind, "scope"> {
  let summary = "memory space of a tile-level buffer";
  let assemblyFormat = "`<` $value `>`";
}

//===-- Types ------------------------------------------------------------===//

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "pointer to global memory, as passed by the host";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def Tile_RegionType : Tile_Type<"Region", "region"> {
  let summary = "a rectangular part of a buffer";
  let description = [{
    Has the rank of its buffer. It may overhang the buffer: elements outside
    read as zero and are dropped when written.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1; // !tile.region<128x?xf16>
}

#endif // TILELANG_DIALECT_TILE_IR_TILEDIALECT_TD
