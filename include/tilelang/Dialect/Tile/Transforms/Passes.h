//===- Passes.h - Neutral passes on the tile dialect ---------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TILELANG_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "tilelang/Dialect/Tile/IR/TileDialect.h"

#include <memory>

namespace tilelang::tile {

#define GEN_PASS_DECL
#include "tilelang/Dialect/Tile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tilelang/Dialect/Tile/Transforms/Passes.h.inc"

} // namespace tilelang::tile

#endif // TILELANG_DIALECT_TILE_TRANSFORMS_PASSES_H
