//===- SyncProgram.cpp - One core's program as a tree of instructions -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SyncProgram.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

bool sync::isGridLoop(scf::ForOp loop) {
  return loop && loop->hasAttr(kGridLoopAttr);
}

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
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

/// The part of the version that a memref value stands for: exact where all
/// offsets are constants, nothing otherwise.
static std::optional<ByteRange> rangeOf(Value view) {
  auto type = cast<MemRefType>(view.getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  int64_t begin = 0;
  int64_t bytes = type.getNumElements() *
                  llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  while (auto op = view.getDefiningOp<ViewOp>()) {
    if (op.getOffset()) {
      auto offset = constantOf(op.getOffset());
      if (!offset)
        return std::nullopt;
      auto sourceType = cast<MemRefType>(op.getSource().getType());
      begin +=
          *offset * llvm::divideCeil(sourceType.getElementTypeBitWidth(), 8);
    }
    view = op.getSource();
  }
  return ByteRange{begin, begin + bytes};
}

SmallVector<Access, 4> sync::accessesOf(Operation *op) {
  SmallVector<Access, 4> result;
  auto interface = dyn_cast<RegionAccessOpInterface>(op);
  if (!interface)
    return result;
  SmallVector<RegionAccess> accesses;
  interface.getRegionAccesses(accesses);
  for (const RegionAccess &access : accesses) {
    std::optional<ByteRange> range = rangeOf(access.target);
    result.push_back({rootBuffer(access.target), ringOf(access.target),
                      range.value_or(ByteRange()), range.has_value(),
                      access.reads(), access.writes()});
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
