//===- SyncBarriers.cpp - Order inside one pipe ---------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Inner bodies first; inside a body a barrier stands right before the first
// consumer that needs one, which makes the number of barriers the smallest.
// Order between iterations of a loop is kept by one barrier before the first
// instruction of the pipe, which has often to wait for other pipes anyway.
//
//===----------------------------------------------------------------------===//

#include "SyncFlags.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

static bool usesPipe(const CoreProgram &program, const Child &child,
                     Pipe pipe) {
  if (child.instruction >= 0)
    return program.instructions[child.instruction].pipe == pipe;
  return llvm::any_of(child.bodies, [&](Body *body) {
    return llvm::any_of(body->children, [&](const Child &inner) {
      return usesPipe(program, inner, pipe);
    });
  });
}

void sync::placeBarriers(CoreProgram &program, ArrayRef<Dependence> dependences,
                         SyncOrder &order, int interlockFractals) {
  std::vector<const Dependence *> pending;
  for (const Dependence &dependence : dependences) {
    const Instruction &source = program.instructions[dependence.source];
    const Instruction &target = program.instructions[dependence.target];
    if (source.pipe == target.pipe &&
        !isOrderedByQueue(source, target, interlockFractals))
      pending.push_back(&dependence);
  }
  llvm::stable_sort(pending, [](const Dependence *a, const Dependence *b) {
    return std::tuple(-a->body->depth, a->carried, a->targetChild) <
           std::tuple(-b->body->depth, b->carried, b->targetChild);
  });
  for (const Dependence *dependence : pending) {
    if (order.isOrdered(*dependence))
      continue;
    Pipe pipe = program.instructions[dependence->source].pipe;
    int position = dependence->carried ? 0 : dependence->targetChild;
    while (!usesPipe(program, dependence->body->children[position], pipe))
      ++position;
    order.barriers.push_back({pipe, dependence->body, position});
    order.updateIndex();
  }
}
