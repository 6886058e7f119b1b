//===- WorkspaceLoops.h - Loops that two programs run in step -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_WORKSPACELOOPS_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_WORKSPACELOOPS_H

#include "SyncProgram.h"

namespace tilelang::ascend::sync {

/// A workspace that both programs use, and the innermost pair of loops around
/// its uses that both run equally often; null loops if there is none.
struct WorkspaceLoops {
  WorkspaceOp aic, aiv;
  mlir::scf::ForOp aicLoop, aivLoop;
};

std::vector<WorkspaceLoops>
findWorkspaceLoops(KernelOp kernel, CoreProgram &aic, CoreProgram &aiv);

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_WORKSPACELOOPS_H
