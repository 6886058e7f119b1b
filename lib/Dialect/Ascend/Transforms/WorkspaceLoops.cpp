//===- WorkspaceLoops.cpp - Loops that two programs run in step -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Both programs were copied from one, so loops correspond where their bounds
// are computed alike from the same parameters, block numbers and variables of
// corresponding loops. Loops that only one program has (strips of rows) do not.
//
//===----------------------------------------------------------------------===//

#include "WorkspaceLoops.h"
#include "tilelang/Dialect/Ascend/Transforms/CorrespondingLoops.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

/// Loops around all accesses of a buffer, from outside in, up to a branch.
static SmallVector<scf::ForOp> loopsAround(CoreProgram &program, Value buffer) {
  Body *body = nullptr;
  for (const Instruction &instruction : program.instructions)
    for (const Access &access : instruction.accesses)
      if (access.root == buffer)
        body = body ? commonBody(body, 0, instruction.body, 0).body
                    : instruction.body;
  SmallVector<Body *> path;
  for (; body && body->parent; body = body->parent)
    path.push_back(body);
  SmallVector<scf::ForOp> loops;
  for (Body *step : llvm::reverse(path)) {
    if (!step->loop)
      break;
    loops.push_back(step->loop);
  }
  return loops;
}

std::vector<WorkspaceLoops>
sync::findWorkspaceLoops(KernelOp kernel, CoreProgram &aic, CoreProgram &aiv) {
  std::vector<WorkspaceLoops> result;
  for (auto first : kernel.getAic().front().getOps<WorkspaceOp>())
    for (auto second : kernel.getAiv().front().getOps<WorkspaceOp>()) {
      if (first.getId() != second.getId())
        continue;
      WorkspaceLoops workspace{first, second, {}, {}};
      CorrespondingLoops loops;
      for (auto [a, b] : llvm::zip(loopsAround(aic, first.getBuffer()),
                                   loopsAround(aiv, second.getBuffer()))) {
        if (!loops.correspond(a, b))
          break;
        workspace.aicLoop = a;
        workspace.aivLoop = b;
      }
      result.push_back(workspace);
    }
  return result;
}
