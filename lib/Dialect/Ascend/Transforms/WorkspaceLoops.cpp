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

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

namespace {
class Matcher {
public:
  bool sameLoop(scf::ForOp first, scf::ForOp second);

private:
  bool sameValue(Value first, Value second);
  llvm::DenseMap<Value, Value> variables;
};
} // namespace

bool Matcher::sameValue(Value first, Value second) {
  if (first.getType() != second.getType())
    return false;
  auto firstArgument = dyn_cast<BlockArgument>(first);
  auto secondArgument = dyn_cast<BlockArgument>(second);
  if (firstArgument && secondArgument) {
    if (isa<KernelOp>(firstArgument.getOwner()->getParentOp()) &&
        isa<KernelOp>(secondArgument.getOwner()->getParentOp()))
      return firstArgument.getArgNumber() == secondArgument.getArgNumber();
    return variables.lookup(first) == second;
  }
  Operation *a = first.getDefiningOp(), *b = second.getDefiningOp();
  if (!a || !b || a->getName() != b->getName() ||
      a->getAttrDictionary() != b->getAttrDictionary() ||
      a->getNumOperands() != b->getNumOperands() || a->getNumRegions() != 0 ||
      b->getNumRegions() != 0 || !(isPure(a) || isa<GetValueOp>(a)) ||
      isa<SubBlockIdxOp>(a))
    return false;
  if (cast<OpResult>(first).getResultNumber() !=
      cast<OpResult>(second).getResultNumber())
    return false;
  for (auto [x, y] : llvm::zip(a->getOperands(), b->getOperands()))
    if (!sameValue(x, y))
      return false;
  return true;
}

bool Matcher::sameLoop(scf::ForOp first, scf::ForOp second) {
  if (isGridLoop(first) != isGridLoop(second) ||
      !sameValue(first.getLowerBound(), second.getLowerBound()) ||
      !sameValue(first.getUpperBound(), second.getUpperBound()) ||
      !sameValue(first.getStep(), second.getStep()))
    return false;
  variables[first.getInductionVar()] = second.getInductionVar();
  return true;
}

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
      Matcher matcher;
      for (auto [a, b] : llvm::zip(loopsAround(aic, first.getBuffer()),
                                   loopsAround(aiv, second.getBuffer()))) {
        if (!matcher.sameLoop(a, b))
          break;
        workspace.aicLoop = a;
        workspace.aivLoop = b;
      }
      result.push_back(workspace);
    }
  return result;
}
