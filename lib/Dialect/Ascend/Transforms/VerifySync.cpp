//===- VerifySync.cpp - Prove that every dependence is ordered ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifySyncTrace.h"
#include "tilelang/Dialect/Ascend/Transforms/ChipCache.h"
#include "tilelang/Dialect/Ascend/Transforms/Passes.h"
#include "tilelang/Support/Debug.h"

namespace tilelang::ascend {
#define GEN_PASS_DEF_ASCENDVERIFYSYNC
#include "tilelang/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace tilelang::ascend

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verifysync;

static constexpr StringLiteral debugTag = "ascend-verify-sync";

/// Events of one scenario, and events replayed in search of redundant flags.
static constexpr size_t kEventLimit = 20000;
static constexpr size_t kReplayLimit = 600000;

namespace {

class Verifier {
public:
  Verifier(KernelOp kernel, const Chip &chip) : kernel(kernel), chip(chip) {}
  LogicalResult run();

private:
  void chooseScenarios();
  LogicalResult check();
  void findRedundant();
  void count();

  KernelOp kernel;
  const Chip &chip;
  std::vector<Traces> traces;
  bool capped = false;
  size_t events = 0;
  int64_t redundant = 0;
  bool redundancyChecked = true;
};

} // namespace

void Verifier::chooseScenarios() {
  int64_t versions = 1;
  bool varies = false;
  bool deep = false;
  kernel.walk([&](Operation *op) {
    if (auto ring = dyn_cast<RingOp>(op))
      versions = std::max<int64_t>(versions, ring.getVersions());
    auto outer = op->getParentOfType<scf::ForOp>();
    varies |= isa<scf::IfOp>(op) || (isa<scf::ForOp>(op) && outer);
    deep |=
        isa<scf::ForOp>(op) && outer && outer->getParentOfType<scf::ForOp>();
  });
  std::vector<Scenario::Pattern> patterns{Scenario::Full, Scenario::Empty};
  if (varies)
    patterns.insert(patterns.end(),
                    {Scenario::Else, Scenario::Even, Scenario::Odd,
                     Scenario::Single, Scenario::Outer});
  if (deep)
    patterns.push_back(Scenario::Shallow);
  for (Scenario::Pattern pattern : patterns)
    // Large programs are unrolled less.
    for (int iterations = versions + 2; iterations >= 1; --iterations) {
      Traces trace;
      bool complete =
          verifysync::trace(kernel, {iterations, pattern}, kEventLimit, trace);
      if (complete) {
        events += trace[0].size() + trace[1].size();
        traces.push_back(std::move(trace));
        break;
      }
      capped = true;
    }
}

LogicalResult Verifier::check() {
  for (const Traces &trace : traces) {
    std::optional<Violation> violation = Replay(chip, trace).run();
    if (!violation)
      continue;
    InFlightDiagnostic error = violation->later->emitError()
                               << violation->message << ": '"
                               << violation->later->getName() << "'";
    if (violation->earlier) {
      error << " after '" << violation->earlier->getName() << "'";
      error.attachNote(violation->earlier->getLoc())
          << "the earlier operation is here";
    }
    return failure();
  }
  return success();
}

void Verifier::findRedundant() {
  llvm::MapVector<int64_t, Operation *> groups;
  kernel.walk([&](Operation *op) {
    if (auto set = dyn_cast<SetFlagOp>(op))
      groups.try_emplace(set.getGroup(), op);
    else if (auto cross = dyn_cast<CrossSetOp>(op))
      groups.try_emplace(cross.getGroup(), op);
  });
  if (groups.size() * events > kReplayLimit) {
    redundancyChecked = false;
    return;
  }
  for (auto [group, op] : groups) {
    bool needed = llvm::any_of(traces, [&, group = group](const Traces &trace) {
      return Replay(chip, trace).run(group).has_value();
    });
    if (needed)
      continue;
    ++redundant;
    op->emitRemark() << "flag group " << group
                     << " is redundant: every dependence is ordered without it";
  }
}

void Verifier::count() {
  int64_t sets = 0, barriers = 0, loopBarriers = 0, innermost = 0;
  llvm::DenseSet<int64_t> groups, counters;
  kernel.walk([&](Operation *op) {
    if (auto set = dyn_cast<SetFlagOp>(op)) {
      ++sets;
      groups.insert(set.getGroup());
    } else if (isa<BarrierOp>(op)) {
      ++barriers;
      if (op->getParentOfType<scf::ForOp>())
        ++loopBarriers;
    } else if (auto set = dyn_cast<CrossSetOp>(op)) {
      counters.insert(set.getFlag());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      bool isInnermost =
          !loop.getBody()
               ->walk([](scf::ForOp) { return WalkResult::interrupt(); })
               .wasInterrupted();
      int64_t pairs = 0;
      loop.getBody()->walk([&](SetFlagOp) { ++pairs; });
      if (isInnermost)
        innermost = std::max(innermost, pairs);
    }
  });
  Builder builder(kernel.getContext());
  auto number = [&](StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  SmallVector<NamedAttribute> entries{
      number("barriers", barriers),
      number("barriers_in_loops", loopBarriers),
      number("cross_flags", counters.size()),
      number("events", events),
      number("flag_groups", groups.size()),
      number("flags_per_innermost_loop", innermost),
      number("redundant_flags", redundant),
      number("set_flags", sets)};
  if (capped)
    entries.push_back(number("unrolling_capped", 1));
  if (!redundancyChecked)
    entries.push_back(number("redundancy_not_checked", 1));
  kernel->setAttr(kSyncStatisticsAttr, builder.getDictionaryAttr(entries));
  kernel->setAttr(kRedundantFlagsAttr, builder.getI64IntegerAttr(redundant));
}

LogicalResult Verifier::run() {
  chooseScenarios();
  TILELANG_DEBUG(debugTag, traces.size()
                               << " scenarios, " << events << " events");
  if (failed(check()))
    return failure();
  findRedundant();
  count();
  return success();
}

namespace {
struct VerifySync : ascend::impl::AscendVerifySyncBase<VerifySync> {
  using AscendVerifySyncBase::AscendVerifySyncBase;

  void runOnOperation() override {
    const Chip *description = getChip(getOperation(), chip, chipDirectory);
    if (!description)
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](KernelOp kernel) {
      return failed(Verifier(kernel, *description).run())
                 ? WalkResult::interrupt()
                 : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
