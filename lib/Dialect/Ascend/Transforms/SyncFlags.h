//===- SyncFlags.h - The smallest set of flags ----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCFLAGS_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCFLAGS_H

#include "SyncOrder.h"
#include "tilelang/Chip/Chip.h"

namespace tilelang::ascend::sync {

/// Fills `order.flags` so that every dependence between two pipes is ordered
/// and no flag can be left out. Pairs of pipes that no event joins are ordered
/// by barriers over all pipes.
void chooseFlags(CoreProgram &program, llvm::ArrayRef<Dependence> dependences,
                 SyncOrder &order, int interlockFractals);

/// The dependences that flags have to order: those between two pipes, and those
/// inside a transfer pipe that they order on the way.
std::vector<const Dependence *>
dependencesOfFlags(CoreProgram &program, llvm::ArrayRef<Dependence> dependences,
                   const SyncOrder &order, int interlockFractals);

/// Whether all of `required` are ordered and no event is raised twice.
bool allOrdered(const SyncOrder &order,
                llvm::ArrayRef<const Dependence *> required);

/// Gives each flag its event ids, 0 up to the chip's limit per ordered pair of
/// pipes. Flags share ids, and give up versions, before this fails with an
/// error at `kernel`. `required` are the dependences that flags order.
mlir::LogicalResult assignEventIds(SyncOrder &order,
                                   llvm::ArrayRef<const Dependence *> required,
                                   const Chip &chip, KernelOp kernel);

/// Adds the barriers that dependences inside one pipe need beside the flags.
void placeBarriers(CoreProgram &program, llvm::ArrayRef<Dependence> dependences,
                   SyncOrder &order, int interlockFractals);

/// Whether the hardware has an event from one pipe to the other.
bool hasEvent(Pipe source, Pipe target);

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCFLAGS_H
