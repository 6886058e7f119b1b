//===- ChipCache.h - Chip descriptions, read once -------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_TRANSFORMS_CHIPCACHE_H
#define TILELANG_DIALECT_ASCEND_TRANSFORMS_CHIPCACHE_H

#include "mlir/IR/Operation.h"
#include "tilelang/Chip/Chip.h"

namespace tilelang::ascend {

/// The description of chip `name`, read from `directory` at first use and kept
/// for the life of the process. An empty directory means the folder `chips`
/// beside the folder of the running program. Null after an error at `op`.
const Chip *getChip(mlir::Operation *op, llvm::StringRef name,
                    llvm::StringRef directory);

} // namespace tilelang::ascend

#endif // TILELANG_DIALECT_ASCEND_TRANSFORMS_CHIPCACHE_H
