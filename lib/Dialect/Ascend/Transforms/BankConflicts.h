//===- BankConflicts.h - Addresses by the banks of UB ---------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_BANKCONFLICTS_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_BANKCONFLICTS_H

#include "MemoryPlan.h"

namespace tilelang::ascend::sync {

/// Moves buffers of UB that share no bytes so that operands of one instruction
/// meet in fewer banks; never beyond `limit` bytes.
void avoidBankConflicts(mlir::Region &program,
                        llvm::MutableArrayRef<PlacedBuffer> buffers,
                        const Chip &chip, int64_t limit);

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_BANKCONFLICTS_H
