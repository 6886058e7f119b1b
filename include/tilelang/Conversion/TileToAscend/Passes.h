//===- Passes.h - From tile programs to the two core programs -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_CONVERSION_TILETOASCEND_PASSES_H
#define TILELANG_CONVERSION_TILETOASCEND_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilelang {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilelang/Conversion/TileToAscend/Passes.h.inc"

/// "aic" or "aiv" on tile operations, between unit assignment and the split.
inline constexpr llvm::StringLiteral kUnitAttr = "ascend.unit";
/// `#ascend.memory<...>` on `tile.alloc`.
inline constexpr llvm::StringLiteral kMemoryAttr = "ascend.memory";
/// Integer on a `tile.alloc` that stands for a workspace: its id.
inline constexpr llvm::StringLiteral kWorkspaceAttr = "ascend.workspace";
} // namespace tilelang

#endif // TILELANG_CONVERSION_TILETOASCEND_PASSES_H
