//===- VerifySyncReplay.cpp - What pipes know of each other ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Instructions of a pipe are numbered in the order of issue. A pipe knows, for
// every pipe of both cores, up to which number all instructions are complete
// before anything it starts from now on.
//
//===----------------------------------------------------------------------===//

#include "VerifySyncTrace.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verifysync;

bool verifysync::mayMeet(const Stretch &first, const Stretch &second) {
  if (first.tag != second.tag)
    return true;
  auto end = [](const Stretch &stretch) {
    return stretch.begin + (stretch.rows - 1) * stretch.pitch + stretch.length;
  };
  if (first.rows < 1 || second.rows < 1 || end(first) <= second.begin ||
      end(second) <= first.begin)
    return false;
  if (first.pitch != second.pitch || first.pitch <= 0 ||
      first.length >= first.pitch || second.length >= first.pitch)
    return true;
  // Rows of the same pitch: shift `second` by whole rows next to `first`.
  int64_t shift = (second.begin - first.begin) % first.pitch;
  if (shift < 0)
    shift += first.pitch;
  return shift < first.length || shift + second.length > first.pitch;
}

static std::optional<int64_t> literal(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

Replay::Replay(const Chip &chip, const Traces &traces)
    : chip(chip), traces(traces) {}

void Replay::report(Operation *earlier, Operation *later, std::string message) {
  if (!violation)
    violation = Violation{earlier, later, std::move(message)};
}

/// A wait of the scalar unit holds back everything issued later.
void Replay::join(int core, Pipe pipe, const Clock &other) {
  for (int p = 0; p != kPipes; ++p) {
    if (pipe != Pipe::S && p != static_cast<int>(pipe))
      continue;
    Clock &clock = known[core * kPipes + p];
    for (int i = 0; i != kThreads; ++i)
      clock[i] = std::max(clock[i], other[i]);
  }
}

bool Replay::isQueueOrdered(const Event &later, Operation *earlier) const {
  if (cast<InstructionOpInterface>(earlier).getPipe() != later.pipe)
    return false;
  if (later.pipe == Pipe::V || later.pipe == Pipe::MTE2 ||
      later.pipe == Pipe::MTE3)
    return false;
  auto mmad = dyn_cast<MmadOp>(later.op);
  if (!mmad)
    return true;
  auto m = literal(mmad.getM()), n = literal(mmad.getN());
  return m && n &&
         ((*m + 15) / 16) * ((*n + 15) / 16) >=
             static_cast<int64_t>(chip.constant("cube.interlock_fractals"));
}

void Replay::access(int core, const Event &event) {
  int thread = core * kPipes + static_cast<int>(event.pipe);
  int number = ++issued[thread];
  for (const Touch &touch : event.touches) {
    std::vector<Past> &pasts = history[touch.space];
    Past *same = nullptr;
    for (Past &past : pasts) {
      if (past.op == event.op && past.touch.bytes == touch.bytes &&
          past.touch.writes == touch.writes && past.touch.reads == touch.reads)
        same = &past;
      if (past.op == event.op && past.number == number)
        continue;
      if (!past.touch.writes && !touch.writes)
        continue;
      if (known[thread][past.thread] >= past.number ||
          !mayMeet(past.touch.bytes, touch.bytes))
        continue;
      if (past.thread / kPipes == core && isQueueOrdered(event, past.op))
        continue;
      bool acrossCores = past.thread / kPipes != core;
      bool parameter = std::get<0>(touch.space) == 3;
      report(past.op, event.op,
             acrossCores && parameter
                 ? "unsupported: Cube and Vector cores access one buffer in "
                   "global memory, and nothing orders the two accesses; pass "
                   "the data through an on-chip buffer"
                 : "internal: dependence not ordered");
      return;
    }
    if (same && same->number != number)
      same->number = number;
    else
      pasts.push_back({touch, thread, number, event.op});
  }
}

bool Replay::step(int core, const Event &event) {
  int thread = core * kPipes + static_cast<int>(event.pipe);
  auto snapshot = [&](int source) {
    Clock clock = known[source];
    clock[source] = issued[source];
    return clock;
  };
  switch (event.kind) {
  case Event::Run:
    access(core, event);
    return true;
  case Event::Barrier:
    if (event.pipe != Pipe::ALL) {
      known[thread][thread] = issued[thread];
      return true;
    }
    for (int p = 0; p != kPipes; ++p)
      join(core, Pipe::S, snapshot(core * kPipes + p));
    return true;
  case Event::Set: {
    FlagState &flag = flags[{core, event.pipe, event.target, event.id}];
    int waiter = core * kPipes + static_cast<int>(event.target);
    if (flag.isSet)
      report(flag.setBy, event.op,
             "internal: flag set twice without a wait between");
    else if (known[thread][waiter] < flag.lastWait)
      report(flag.setBy, event.op,
             "internal: flag may be set again before it was waited for");
    flag.isSet = true;
    flag.known = snapshot(thread);
    flag.setBy = event.op;
    return true;
  }
  case Event::Wait: {
    FlagState &flag = flags[{core, event.pipe, event.target, event.id}];
    if (!flag.isSet)
      report(nullptr, event.op, "internal: wait for a flag that is not set");
    flag.isSet = false;
    int waiter = core * kPipes + static_cast<int>(event.target);
    // What is issued behind a wait of the scalar unit comes after it anyway.
    if (event.target != Pipe::S)
      flag.lastWait = ++issued[waiter];
    join(core, event.target, flag.known);
    return true;
  }
  case Event::CrossSet: {
    Counter &counter = counters[{1 - core, event.id}];
    counter.raised.push_back(snapshot(thread));
    counter.last = event.op;
    if (counter.raised.size() - counter.taken > chip.crossCoreCounterLimit)
      report(nullptr, event.op,
             "internal: counter between cores exceeds " +
                 std::to_string(chip.crossCoreCounterLimit));
    return true;
  }
  case Event::CrossWait: {
    Counter &counter = counters[{core, event.id}];
    if (counter.taken == counter.raised.size())
      return false;
    join(core, Pipe::S, counter.raised[counter.taken++]);
    return true;
  }
  }
  llvm_unreachable("unknown event");
}

std::optional<Violation> Replay::run(int64_t without) {
  issued = {};
  known = {};
  flags.clear();
  counters.clear();
  history.clear();
  violation.reset();
  std::array<size_t, 2> next{};
  bool moved = true;
  while (moved && !violation) {
    moved = false;
    for (int core = 0; core != 2; ++core)
      while (next[core] != traces[core].size() && !violation) {
        const Event &event = traces[core][next[core]];
        bool skipped = event.group >= 0 && event.group == without;
        if (!skipped && !step(core, event))
          break;
        ++next[core];
        moved = true;
      }
  }
  if (violation)
    return violation;
  for (int core = 0; core != 2; ++core)
    if (next[core] != traces[core].size())
      return Violation{nullptr, traces[core][next[core]].op,
                       "internal: the core waits for ever for this counter"};
  for (auto &[key, flag] : flags)
    if (flag.isSet)
      return Violation{nullptr, flag.setBy,
                       "internal: flag is still set at the end of the program"};
  for (auto &[key, counter] : counters)
    if (counter.taken != counter.raised.size())
      return Violation{nullptr, counter.last,
                       "internal: counter is not zero at the end of the "
                       "program"};
  return std::nullopt;
}
