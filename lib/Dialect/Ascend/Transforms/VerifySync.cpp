//===- VerifySync.cpp - Prove that every dependence is ordered ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifySyncReplay.h"
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

/// Events of one core in one scenario (their numbers have 16 bits), and events
/// times groups in search of redundant flags.
static constexpr size_t kEventLimit = 32000;
static constexpr size_t kReplayLimit = 4000000;

namespace {

class Verifier {
public:
  Verifier(KernelOp kernel, const Chip &chip)
      : kernel(kernel), chip(chip), unroller(kernel) {}
  LogicalResult run();

private:
  void chooseScenarios();
  LogicalResult check();
  LogicalResult fail(const Violation &violation);
  void reportRedundant();
  void count();

  KernelOp kernel;
  const Chip &chip;
  Unroller unroller;
  std::vector<Traces> traces;
  /// The groups of flags and counters, and which of them nothing needs.
  llvm::MapVector<int64_t, Operation *> groups;
  std::vector<int64_t> unneeded;
  bool capped = false;
  size_t events = 0;
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
  // Without anything that varies all patterns are the same but the empty one.
  for (Scenario::Pattern pattern : patterns) {
    if (pattern != Scenario::Full && pattern != Scenario::Empty &&
        !unroller.varies)
      continue;
    // Large programs are unrolled less.
    for (int iterations = versions + 2; iterations >= 1; --iterations) {
      Traces trace;
      if (unroller.trace({iterations, pattern}, kEventLimit, trace)) {
        if (!llvm::is_contained(traces, trace)) {
          events += trace[0].events.size() + trace[1].events.size();
          traces.push_back(std::move(trace));
        }
        break;
      }
      capped = true;
    }
  }
}

LogicalResult Verifier::fail(const Violation &violation) {
  InFlightDiagnostic error = violation.later->emitError()
                             << violation.message << ": '"
                             << violation.later->getName() << "'";
  if (violation.earlier) {
    error << " after '" << violation.earlier->getName() << "'";
    error.attachNote(violation.earlier->getLoc())
        << "the earlier operation is here";
  }
  return failure();
}

/// Replays all scenarios; a group of flags is unneeded if it is in none of
/// them.
LogicalResult Verifier::check() {
  kernel.walk([&](Operation *op) {
    if (auto set = dyn_cast<SetFlagOp>(op))
      groups.try_emplace(set.getGroup(), op);
    else if (auto cross = dyn_cast<CrossSetOp>(op))
      groups.try_emplace(cross.getGroup(), op);
  });
  // Without one of two groups that share a counter, the other's waits would
  // take its signals: neither can be judged.
  DenseMap<int64_t, int64_t> counterGroups;
  DenseSet<int64_t> sharing;
  kernel.walk([&](Operation *op) {
    auto use = [&](auto counter) {
      int64_t group = counter.getGroup();
      int64_t first =
          counterGroups.try_emplace(counter.getFlag(), group).first->second;
      if (first != group)
        sharing.insert_range(std::array{first, group});
    };
    if (auto set = dyn_cast<CrossSetOp>(op))
      use(set);
    else if (auto wait = dyn_cast<CrossWaitOp>(op))
      use(wait);
  });
  redundancyChecked = groups.size() * events <= kReplayLimit;
  std::vector<int64_t> pending;
  if (redundancyChecked)
    for (auto [group, op] : groups)
      if (!sharing.contains(group))
        pending.push_back(group);
  // As many at a time as fit; once at least.
  do {
    size_t count = std::min(pending.size(), kMostCandidates);
    std::vector<int64_t> candidates(pending.end() - count, pending.end());
    pending.resize(pending.size() - count);
    for (const Traces &trace : traces)
      if (auto violation = replay(chip, unroller.places, trace, candidates))
        return fail(*violation);
    unneeded.insert(unneeded.end(), candidates.begin(), candidates.end());
  } while (!pending.empty());
  return success();
}

void Verifier::reportRedundant() {
  llvm::sort(unneeded);
  for (int64_t group : unneeded)
    groups[group]->emitRemark()
        << "flag group " << group
        << " is redundant: every dependence is ordered without it";
}

void Verifier::count() {
  int64_t sets = 0, barriers = 0, loopBarriers = 0, innermost = 0;
  llvm::DenseSet<int64_t> flags, counters;
  kernel.walk([&](Operation *op) {
    if (auto set = dyn_cast<SetFlagOp>(op)) {
      ++sets;
      flags.insert(set.getGroup());
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
      number("flag_groups", flags.size()),
      number("flags_per_innermost_loop", innermost),
      number("redundant_flags", unneeded.size()),
      number("set_flags", sets)};
  if (capped)
    entries.push_back(number("unrolling_capped", 1));
  if (!redundancyChecked)
    entries.push_back(number("redundancy_not_checked", 1));
  kernel->setAttr(kSyncStatisticsAttr, builder.getDictionaryAttr(entries));
  kernel->setAttr(kRedundantFlagsAttr,
                  builder.getI64IntegerAttr(unneeded.size()));
}

LogicalResult Verifier::run() {
  chooseScenarios();
  TILELANG_DEBUG(debugTag, traces.size()
                               << " scenarios, " << events << " events");
  if (failed(check()))
    return failure();
  reportRedundant();
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
