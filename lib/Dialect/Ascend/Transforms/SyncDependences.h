//===- SyncDependences.h - Which instructions must not be reordered -------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCDEPENDENCES_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCDEPENDENCES_H

#include "SyncProgram.h"

#include "llvm/ADT/DenseSet.h"

namespace tilelang::ascend::sync {

/// `source` must be complete before `target` starts: in the same execution of
/// `body` (carried = false), or in the execution `distance` later.
struct Dependence {
  int source, target;
  /// The deepest body around both, and its children that hold them.
  Body *body;
  int sourceChild, targetChild;
  bool carried = false;
  /// Executions of `body` between the two; the versions of `ring` if that
  /// rotates with `body`.
  int distance = 0;
  mlir::Value ring;
};

/// All dependences of a core's program, those that the queue of one pipe keeps
/// included. `exchanged` are workspaces whose slots counters hand from core to
/// core: their reuse needs nothing more.
std::vector<Dependence>
findDependences(CoreProgram &program,
                const llvm::DenseSet<mlir::Value> &exchanged);

/// Whether the queue of the pipe alone keeps the order of the two accesses to
/// one buffer.
bool isOrderedByQueue(const Instruction &source, const Instruction &target,
                      int interlockFractals);

/// The loop whose body moves `ring` on; null for a ring that never moves.
mlir::scf::ForOp rotatingLoop(mlir::Value ring);

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCDEPENDENCES_H
