//===- Passes.h - Buffers, memory and synchronisation of the ascend dialect
//===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_TRANSFORMS_PASSES_H
#define TILELANG_DIALECT_ASCEND_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

#include <memory>

namespace tilelang::ascend {

#define GEN_PASS_DECL
#include "tilelang/Dialect/Ascend/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tilelang/Dialect/Ascend/Transforms/Passes.h.inc"

/// On an allocation that got fewer versions than it was to have: how many those
/// were, an integer.
inline constexpr llvm::StringLiteral kWantedVersionsAttr =
    "ascend.wanted_versions";

/// Attributes of `ascend.kernel` that these passes leave behind.
/// Bytes of the workspace argument, an integer; absent without workspaces.
inline constexpr llvm::StringLiteral kWorkspaceBytesAttr =
    "ascend.workspace_bytes";
/// Counts of flags, barriers and counters, a dictionary of integers.
inline constexpr llvm::StringLiteral kSyncStatisticsAttr =
    "ascend.sync_statistics";
/// Flags that could be removed without losing an order, an integer.
inline constexpr llvm::StringLiteral kRedundantFlagsAttr =
    "ascend.redundant_flags";

} // namespace tilelang::ascend

#endif // TILELANG_DIALECT_ASCEND_TRANSFORMS_PASSES_H
