//===- RegionAccessOpInterface.cpp - Which regions an operation touches ---===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Interfaces/RegionAccessOpInterface.h"

using namespace mlir;
using namespace tilelang;

#include "tilelang/Interfaces/RegionAccessOpInterface.cpp.inc"

void tilelang::collectAccessesRecursively(
    Operation *operation, SmallVectorImpl<OperationAccess> &accesses) {
  operation->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    auto interface = dyn_cast<RegionAccessOpInterface>(nested);
    if (!interface)
      return WalkResult::advance();
    SmallVector<RegionAccess> own;
    interface.getRegionAccesses(own);
    for (const RegionAccess &access : own)
      accesses.push_back({nested, access});
    return WalkResult::skip();
  });
}

void tilelang::addRegionAccessEffects(
    RegionAccessOpInterface operation,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  SmallVector<RegionAccess> accesses;
  operation.getRegionAccesses(accesses);
  for (const RegionAccess &access : accesses) {
    // A target that is no operand belongs to something nested: an effect on
    // no particular value.
    OpOperand *operand = nullptr;
    for (OpOperand &candidate : operation->getOpOperands())
      if (candidate.get() == access.target)
        operand = &candidate;
    auto add = [&](MemoryEffects::Effect *effect) {
      if (operand)
        effects.emplace_back(effect, operand);
      else
        effects.emplace_back(effect);
    };
    if (access.reads())
      add(MemoryEffects::Read::get());
    if (access.writes())
      add(MemoryEffects::Write::get());
  }
}
