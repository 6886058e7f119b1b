//===- TileDialect.cpp - Types and attributes of the tile dialect --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Dialect/Tile/IR/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilelang::tile;

#include "tilelang/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "tilelang/Dialect/Tile/IR/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tilelang/Dialect/Tile/IR/TileAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tilelang/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilelang/Dialect/Tile/IR/TileAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilelang/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilelang/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location location) {
  return arith::ConstantOp::materialize(builder, value, type, location);
}

/// `<128x?xf16>`: the spelling of a shaped type.
Type RegionType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/true) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return RegionType::get(parser.getContext(), shape, elementType);
}

void RegionType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  if (!getShape().empty())
    printer << 'x';
  printer << getElementType() << '>';
}

Type tilelang::tile::getScalarType(Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer || integer.isSignless())
    return elementType;
  return IntegerType::get(integer.getContext(), integer.getWidth());
}

std::optional<ScopeKind> tilelang::tile::getScope(Type bufferType) {
  auto type = dyn_cast<MemRefType>(bufferType);
  if (!type)
    return std::nullopt;
  if (auto scope = dyn_cast_if_present<ScopeKindAttr>(type.getMemorySpace()))
    return scope.getValue();
  return std::nullopt;
}
