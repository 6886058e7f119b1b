//===- SyncProgram.cpp - One core's program as a tree of instructions -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SyncProgram.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

bool sync::isGridLoop(scf::ForOp loop) {
  return loop && loop->hasAttr(kGridLoopAttr);
}

std::optional<int64_t> sync::constantTripCount(scf::ForOp loop) {
  auto lower = constantOf(loop.getLowerBound());
  auto upper = constantOf(loop.getUpperBound());
  auto step = constantOf(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  if (*upper <= *lower)
    return 0;
  return (*upper - *lower + *step - 1) / *step;
}

StringRef sync::nameOfBuffer(Value root) {
  if (auto alloc = root.getDefiningOp<AllocOp>())
    return alloc.getName();
  if (auto workspace = root.getDefiningOp<WorkspaceOp>())
    return workspace.getName();
  if (auto argument = dyn_cast<BlockArgument>(root))
    if (auto kernel =
            dyn_cast_if_present<KernelOp>(argument.getOwner()->getParentOp()))
      return cast<StringAttr>(
                 kernel.getParameterNames()[argument.getArgNumber()])
          .getValue();
  return "?";
}

/// Where in its version a memref value starts, in bytes.
static LinearForm startOf(Value view) {
  LinearForm start;
  for (; auto op = view.getDefiningOp<ViewOp>(); view = op.getSource())
    if (op.getOffset())
      addScaled(start, op.getOffset(),
                llvm::divideCeil(cast<MemRefType>(op.getSource().getType())
                                     .getElementTypeBitWidth(),
                                 8));
  return start;
}

SmallVector<Access, 4> sync::accessesOf(Operation *op) {
  SmallVector<Access, 4> result;
  for (auto &[access, bytes] : operandBytesOf(op)) {
    Access found;
    found.root = rootBuffer(access.target);
    found.ring = ringOf(access.target);
    found.reads = access.reads();
    found.writes = access.writes();
    if (bytes) {
      LocalRange range{startOf(access.target), *bytes};
      found.exact = range.offset.terms.empty();
      if (found.exact)
        found.bytes = {range.offset.constant,
                       range.offset.constant + bytes->span()};
      if (memoryOf(found.root) != MemoryKind::GM)
        found.range = std::move(range);
    }
    result.push_back(std::move(found));
  }
  return result;
}

static bool containsInstructions(Operation &op) {
  return op.walk([](InstructionOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

LogicalResult CoreProgram::fill(Block &block, Body &body) {
  auto nested = [&](Block &inner, scf::ForOp loop) {
    auto child = std::make_unique<Body>();
    child->parent = &body;
    child->parentChild = static_cast<int>(body.children.size());
    child->depth = body.depth + 1;
    child->loop = loop;
    child->nearestLoop = loop ? loop : body.nearestLoop;
    child->conditional = !loop;
    child->surelyRuns = loop && constantTripCount(loop).value_or(0) > 0;
    Body *pointer = child.get();
    bodies.push_back(std::move(child));
    return std::pair(pointer, &inner);
  };
  for (Operation &op : block) {
    if (auto instruction = dyn_cast<InstructionOpInterface>(op)) {
      int index = static_cast<int>(instructions.size());
      instructions.push_back({&op, instruction.getPipe(), accessesOf(&op),
                              &body, static_cast<int>(body.children.size())});
      body.children.push_back({&op, index, {}});
      continue;
    }
    if (op.getNumRegions() == 0 || !containsInstructions(op))
      continue;
    SmallVector<std::pair<Body *, Block *>, 2> inner;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      inner.push_back(nested(*loop.getBody(), loop));
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      inner.push_back(nested(*branch.thenBlock(), {}));
      if (Block *otherwise = branch.elseBlock())
        inner.push_back(nested(*otherwise, {}));
    } else {
      return op.emitError()
             << "unsupported: instructions inside '" << op.getName()
             << "' cannot be synchronised; use a for loop or "
                "an if";
    }
    Child child{&op, -1, {}};
    for (auto [innerBody, innerBlock] : inner)
      child.bodies.push_back(innerBody);
    body.children.push_back(std::move(child));
    for (auto [innerBody, innerBlock] : inner)
      if (failed(fill(*innerBlock, *innerBody)))
        return failure();
  }
  return success();
}

FailureOr<CoreProgram> CoreProgram::build(Region &region) {
  CoreProgram program;
  program.bodies.push_back(std::make_unique<Body>());
  if (failed(program.fill(region.front(), *program.top())))
    return failure();
  return program;
}

CommonBody sync::commonBody(Body *first, int firstChild, Body *second,
                            int secondChild) {
  while (first != second) {
    if (first->depth >= second->depth) {
      firstChild = first->parentChild;
      first = first->parent;
    } else {
      secondChild = second->parentChild;
      second = second->parent;
    }
  }
  return {first, firstChild, secondChild};
}

bool sync::areExclusive(const Instruction &first, const Instruction &second) {
  CommonBody common =
      commonBody(first.body, first.child, second.body, second.child);
  return common.first == common.second &&
         common.body->children[common.first].bodies.size() == 2;
}
