//===- CorrespondingLoops.cpp - Loops that both programs run alike --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Dialect/Ascend/Transforms/CorrespondingLoops.h"
#include "SyncProgram.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

bool CorrespondingLoops::sameValue(Value first, Value second) {
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
  // Reads are alike as well: what bounds depend on is the same for both.
  if (!a || !b || a->getName() != b->getName() ||
      a->getAttrDictionary() != b->getAttrDictionary() ||
      a->getNumOperands() != b->getNumOperands() || a->getNumRegions() != 0 ||
      b->getNumRegions() != 0 || !wouldOpBeTriviallyDead(a) ||
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

bool CorrespondingLoops::correspond(scf::ForOp aic, scf::ForOp aiv) {
  if (sync::isGridLoop(aic) != sync::isGridLoop(aiv) ||
      !sameValue(aic.getLowerBound(), aiv.getLowerBound()) ||
      !sameValue(aic.getUpperBound(), aiv.getUpperBound()) ||
      !sameValue(aic.getStep(), aiv.getStep()))
    return false;
  variables[aic.getInductionVar()] = aiv.getInductionVar();
  return true;
}
