//===- DistributeBranches.cpp - One branch for each part of a round trip --===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Counters between cores are waited for and counted outside of branches, so
// that both programs count alike whichever way they go. A branch in which a
// program hands something over and then awaits what becomes of it would await
// it before it hands over anything. So it becomes several branches:
//
//   if c { store p; load q }   becomes   if c { store p }  if c { load q }
//
// For the same reason the arms of a branch are two branches where each of them
// exchanges data: what one of them awaits may depend on the other core's end of
// the other.
//
//===----------------------------------------------------------------------===//

#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"
#include "tilelang/Dialect/Ascend/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilelang::ascend {
#define GEN_PASS_DEF_ASCENDDISTRIBUTEBRANCHES
#include "tilelang/Dialect/Ascend/Transforms/Passes.h.inc"

namespace {

/// What an operation, with all inside it, does with buffers of both cores.
struct WorkspaceUse {
  bool reads = false, writes = false;

  explicit WorkspaceUse(Operation &op) {
    op.walk([&](RegionAccessOpInterface access) {
      SmallVector<RegionAccess> accesses;
      access.getRegionAccesses(accesses);
      for (const RegionAccess &one : accesses) {
        Value buffer = one.target;
        while (auto view = buffer.getDefiningOp<ViewOp>())
          buffer = view.getSource();
        if (!buffer.getDefiningOp<WorkspaceOp>())
          continue;
        reads |= one.reads();
        writes |= one.writes();
      }
    });
  }
};

/// Operations without their terminator, cut in front of each that reads from
/// the other core behind one that writes for it.
SmallVector<SmallVector<Operation *>> partsOf(Block &block) {
  SmallVector<SmallVector<Operation *>> parts(1);
  bool writes = false;
  for (Operation &op : block.without_terminator()) {
    WorkspaceUse use(op);
    if (use.reads && writes) {
      parts.emplace_back();
      writes = false;
    }
    parts.back().push_back(&op);
    writes |= use.writes;
  }
  return parts;
}

/// What `part` uses from earlier parts of its block, in order; nothing where
/// that cannot be computed once more.
std::optional<llvm::SetVector<Operation *>>
valuesFromBefore(ArrayRef<Operation *> part, Block *home) {
  llvm::SetVector<Operation *> needed;
  auto require = [&](Operation *user, auto &self) -> bool {
    for (Value operand : user->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      if (!definition || definition->getBlock() != home ||
          llvm::is_contained(part, definition) || needed.contains(definition))
        continue;
      if (!isPure(definition) || definition->getNumRegions() != 0 ||
          !self(definition, self))
        return false;
      needed.insert(definition);
    }
    return true;
  };
  for (Operation *op : part) {
    WalkResult result = op->walk([&](Operation *nested) {
      return require(nested, require) ? WalkResult::advance()
                                      : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return std::nullopt;
  }
  return needed;
}

bool canStandAlone(ArrayRef<SmallVector<Operation *>> parts) {
  return llvm::all_of(parts.drop_front(), [](ArrayRef<Operation *> part) {
    return valuesFromBefore(part, part.front()->getBlock()).has_value();
  });
}

/// `if c { } else { E }` behind `branch`, of which E is moved there.
scf::IfOp separateElse(scf::IfOp branch) {
  OpBuilder builder(branch->getContext());
  builder.setInsertionPointAfter(branch);
  Location location = branch.getLoc();
  Value condition = branch.getCondition();
  if (auto compare = condition.getDefiningOp<arith::CmpIOp>()) {
    condition = arith::CmpIOp::create(
        builder, location, arith::invertPredicate(compare.getPredicate()),
        compare.getLhs(), compare.getRhs());
  } else {
    Value one = arith::ConstantIntOp::create(builder, location, 1, 1);
    condition = arith::XOrIOp::create(builder, location, condition, one);
  }
  auto other = scf::IfOp::create(builder, location, condition, false);
  other.getThenRegion().takeBody(branch.getElseRegion());
  return other;
}

/// Parts behind the first move to branches of their own.
void distribute(scf::IfOp branch) {
  SmallVector<SmallVector<Operation *>> parts = partsOf(*branch.thenBlock());
  if (parts.size() == 1 || !canStandAlone(parts))
    return;
  // From the end, so that what a part uses has not moved yet.
  for (ArrayRef<Operation *> part :
       llvm::reverse(ArrayRef(parts).drop_front())) {
    OpBuilder builder(branch->getContext());
    builder.setInsertionPointAfter(branch);
    auto piece = scf::IfOp::create(builder, branch.getLoc(),
                                   branch.getCondition(), false);
    llvm::SetVector<Operation *> needed =
        *valuesFromBefore(part, branch.thenBlock());
    builder.setInsertionPointToStart(piece.thenBlock());
    IRMapping mapping;
    for (Operation *op : needed)
      builder.clone(*op, mapping);
    for (Operation *op : part) {
      op->moveBefore(piece.thenBlock()->getTerminator());
      op->walk([&](Operation *nested) {
        for (OpOperand &operand : nested->getOpOperands())
          if (Value copy = mapping.lookupOrNull(operand.get()))
            operand.set(copy);
      });
    }
  }
}

bool exchanges(Block *block) {
  return block && llvm::any_of(*block, [](Operation &op) {
           WorkspaceUse use(op);
           return use.reads || use.writes;
         });
}

void separate(scf::IfOp branch) {
  // The counters of tasks stand inside of their guards.
  if (branch.getNumResults() != 0 || branch->hasAttr(kTaskAttr))
    return;
  if (exchanges(branch.elseBlock())) {
    scf::IfOp other = separateElse(branch);
    distribute(other);
  }
  distribute(branch);
}

struct DistributeBranches
    : impl::AscendDistributeBranchesBase<DistributeBranches> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> branches;
    getOperation().walk([&](KernelOp kernel) {
      kernel.walk([&](scf::IfOp branch) { branches.push_back(branch); });
    });
    // Inner branches first: their parts are cut apart by the outer ones.
    for (scf::IfOp branch : branches)
      separate(branch);
  }
};

} // namespace
} // namespace tilelang::ascend
