//===- TileOps.h - Operations of the tile dialect ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_IR_TILEOPS_H
#define TILELANG_DIALECT_TILE_IR_TILEOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilelang/Dialect/Tile/IR/TileDialect.h"
#include "tilelang/Interfaces/RegionAccessOpInterface.h"

#define GET_OP_CLASSES
#include "tilelang/Dialect/Tile/IR/TileOps.h.inc"

#endif // TILELANG_DIALECT_TILE_IR_TILEOPS_H
