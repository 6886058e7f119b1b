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
// The program as it is and the programs that lack one group of sets and waits
// are replayed at once: what is known has one number per program, side by side.
// The order in which the two cores take turns is that of the whole program, and
// possible in all of them, since a group has its counters for itself.
//
//===----------------------------------------------------------------------===//

#include "VerifySyncReplay.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verifysync;

namespace {

constexpr int kPipes = 7;
constexpr int kThreads = 2 * kPipes;
/// Programs whose numbers one vector register holds.
constexpr int kRegister = 8;

/// A number for each of the programs.
using Numbers = int16_t *;
/// Programs as bits.
using Programs = uint64_t;

class Replay {
public:
  Replay(const Chip &chip, const Places &places, const Traces &traces,
         ArrayRef<int64_t> candidates);

  std::optional<Violation> run();
  /// The programs for which a violation was found.
  Programs violated = 0;

private:
  /// What each pipe is known to have completed, for all programs.
  class Clock {
  public:
    explicit Clock(const Replay &replay)
        : numbers(size_t(replay.threads) * replay.width, 0) {}
    std::vector<int16_t> numbers;
  };
  struct FlagState {
    explicit FlagState(const Replay &replay)
        : known(replay), lastWait(replay.width, 0) {}
    /// The programs in which it is set.
    Programs isSet = 0;
    Clock known;
    std::vector<int16_t> lastWait;
    Operation *setBy = nullptr;
  };
  struct Counter {
    std::vector<Clock> raised;
    size_t taken = 0;
    Operation *last = nullptr;
  };
  /// The last accesses of one pipe to one place.
  struct Last {
    int16_t read = 0, write = 0;
    Operation *reader = nullptr, *writer = nullptr;
  };

  int threadOf(int core, Pipe pipe) const {
    return threadNumbers[core * kPipes + static_cast<int>(pipe)];
  }
  Numbers known(int thread, int of) {
    return &knowledge[thread].numbers[size_t(of) * width];
  }
  /// The program that lacks `group`, as a bit; none if there is no such.
  Programs without(int64_t group) const { return lacking.lookup(group); }

  bool step(int core, const Event &event);
  void access(int core, const Event &event);
  Programs notKnown(int thread, int of, int16_t number);
  bool isQueueOrdered(const Event &later) const;
  Clock snapshot(int thread);
  void join(int core, Pipe pipe, const Clock &other, Programs skipped);
  FlagState &flagOf(int core, const Event &event);
  void set(int core, const Event &event);
  void wait(int core, const Event &event);
  void barrier(int core, const Event &event);
  bool counterWait(int core, const Event &event);
  void checkEnd();
  void report(Programs programs, Operation *earlier, Operation *later,
              const Twine &message);

  const Chip &chip;
  const Places &places;
  const Traces &traces;
  int64_t interlockFractals;
  /// Bit 0 is the whole program.
  Programs all = 1;
  /// Programs, rounded up to whole registers.
  int width;
  int threads = 0;
  std::array<int, kThreads> threadNumbers{};
  SmallVector<int> coreOf;
  llvm::DenseMap<int64_t, Programs> lacking;

  std::array<int16_t, kThreads> issued{};
  std::vector<Clock> knowledge;
  /// Lower bounds of `knowledge` over all programs without a violation.
  std::vector<int16_t> floors;
  llvm::DenseMap<uint64_t, uint32_t> flagNumbers;
  std::vector<FlagState> flags;
  std::map<std::pair<int, int64_t>, Counter> counters;
  /// Per place and thread; which threads have accessed and written a place.
  std::vector<Last> history;
  std::vector<uint16_t> accessed, written;
  std::optional<Violation> violation;
};

} // namespace

Replay::Replay(const Chip &chip, const Places &places, const Traces &traces,
               ArrayRef<int64_t> candidates)
    : chip(chip), places(places), traces(traces),
      interlockFractals(
          static_cast<int64_t>(chip.constant("cube.interlock_fractals"))),
      width(static_cast<int>(llvm::alignTo(candidates.size() + 1, kRegister))) {
  assert(candidates.size() <= kMostCandidates && "too many programs at once");
  for (auto [index, group] : llvm::enumerate(candidates)) {
    lacking[group] = Programs(1) << (index + 1);
    all |= lacking[group];
  }
  threadNumbers.fill(-1);
  auto use = [&](int core, Pipe pipe) {
    int &number = threadNumbers[core * kPipes + static_cast<int>(pipe)];
    if (number >= 0)
      return;
    number = threads++;
    coreOf.push_back(core);
  };
  for (int core = 0; core != 2; ++core)
    for (const Event &event : traces[core].events) {
      if (event.pipe != Pipe::ALL)
        use(core, event.pipe);
      if (event.kind == Event::Set || event.kind == Event::Wait)
        use(core, event.target);
    }
  knowledge.assign(threads, Clock(*this));
  floors.assign(size_t(threads) * threads, 0);
  history.resize(places.size() * threads);
  accessed.assign(places.size(), 0);
  written.assign(places.size(), 0);
}

void Replay::report(Programs programs, Operation *earlier, Operation *later,
                    const Twine &message) {
  programs &= all & ~violated;
  violated |= programs;
  if (programs & 1)
    violation = Violation{earlier, later, message.str()};
}

static std::optional<int64_t> literal(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

/// What the pipe of `later` keeps in order by itself.
bool Replay::isQueueOrdered(const Event &later) const {
  if (later.pipe == Pipe::V || later.pipe == Pipe::MTE2 ||
      later.pipe == Pipe::MTE3)
    return false;
  auto mmad = dyn_cast<MmadOp>(later.op);
  if (!mmad)
    return true;
  auto m = literal(mmad.getM()), n = literal(mmad.getN());
  return m && n && ((*m + 15) / 16) * ((*n + 15) / 16) >= interlockFractals;
}

/// The programs in which `thread` does not know `number` of `of`, those with a
/// violation left out.
Programs Replay::notKnown(int thread, int of, int16_t number) {
  int16_t &floor = floors[size_t(thread) * threads + of];
  if (floor >= number)
    return 0;
  const int16_t *numbers = known(thread, of);
  Programs result = 0;
  int16_t lowest = std::numeric_limits<int16_t>::max();
  for (Programs left = all & ~violated; left; left &= left - 1) {
    int program = llvm::countr_zero(left);
    lowest = std::min(lowest, numbers[program]);
    if (numbers[program] < number)
      result |= Programs(1) << program;
  }
  floor = lowest;
  return result;
}

void Replay::access(int core, const Event &event) {
  int thread = threadOf(core, event.pipe);
  int16_t number = ++issued[thread];
  bool queueOrdered = isQueueOrdered(event);
  ArrayRef<Touch> touches = traces[core].touchesOf(event);
  for (const Touch &touch : touches)
    for (uint32_t place : places.meeting(touch.place)) {
      unsigned others = touch.writes ? accessed[place] : written[place];
      for (; others; others &= others - 1) {
        int other = llvm::countr_zero(others);
        if (queueOrdered && other == thread)
          continue;
        const Last &last = history[size_t(place) * threads + other];
        bool byRead = touch.writes && last.read > last.write;
        Programs programs =
            notKnown(thread, other, byRead ? last.read : last.write);
        if (!programs)
          continue;
        bool parameter = std::get<0>(places[place].space) == 3;
        report(programs, byRead ? last.reader : last.writer, event.op,
               coreOf[other] != core && parameter
                   ? "unsupported: Cube and Vector cores access one buffer in "
                     "global memory, and nothing orders the two accesses; pass "
                     "the data through an on-chip buffer"
                   : "internal: dependence not ordered");
      }
    }
  for (const Touch &touch : touches) {
    Last &last = history[size_t(touch.place) * threads + thread];
    accessed[touch.place] |= 1u << thread;
    if (touch.reads) {
      last.read = number;
      last.reader = event.op;
    }
    if (touch.writes) {
      written[touch.place] |= 1u << thread;
      last.write = number;
      last.writer = event.op;
    }
  }
}

Replay::Clock Replay::snapshot(int thread) {
  Clock clock = knowledge[thread];
  std::fill_n(clock.numbers.begin() + size_t(thread) * width, width,
              issued[thread]);
  return clock;
}

/// A wait of the scalar unit holds back everything issued later.
void Replay::join(int core, Pipe pipe, const Clock &other, Programs skipped) {
  for (int thread = 0; thread != threads; ++thread) {
    if (coreOf[thread] != core ||
        (pipe != Pipe::S && thread != threadOf(core, pipe)))
      continue;
    std::vector<int16_t> &numbers = knowledge[thread].numbers;
    if (!skipped) {
      for (size_t i = 0; i != numbers.size(); ++i)
        numbers[i] = std::max(numbers[i], other.numbers[i]);
      continue;
    }
    int program = llvm::countr_zero(skipped);
    for (int of = 0; of != threads; ++of) {
      size_t begin = size_t(of) * width;
      int16_t kept = numbers[begin + program];
      for (size_t i = begin; i != begin + width; ++i)
        numbers[i] = std::max(numbers[i], other.numbers[i]);
      numbers[begin + program] = kept;
    }
  }
}

Replay::FlagState &Replay::flagOf(int core, const Event &event) {
  uint64_t key = (static_cast<uint64_t>(event.id) << 16) | core << 8 |
                 static_cast<int>(event.pipe) << 4 |
                 static_cast<int>(event.target);
  auto [entry, isNew] =
      flagNumbers.try_emplace(key, static_cast<uint32_t>(flags.size()));
  if (isNew)
    flags.emplace_back(*this);
  return flags[entry->second];
}

void Replay::set(int core, const Event &event) {
  FlagState &flag = flagOf(core, event);
  Programs skipped = without(event.group);
  int thread = threadOf(core, event.pipe);
  report(flag.isSet & ~skipped, flag.setBy, event.op,
         "internal: flag set twice without a wait between");
  const int16_t *waits = known(thread, threadOf(core, event.target));
  Programs early = 0;
  for (int program = 0; program != width; ++program)
    early |= Programs(waits[program] < flag.lastWait[program]) << program;
  report(early & ~skipped, flag.setBy, event.op,
         "internal: flag may be set again before it was waited for");
  flag.isSet |= all & ~skipped;
  flag.setBy = event.op;
  if (!skipped) {
    flag.known.numbers = knowledge[thread].numbers;
    std::fill_n(flag.known.numbers.begin() + size_t(thread) * width, width,
                issued[thread]);
    return;
  }
  // The program without this set keeps what another group may have set.
  Clock clock = snapshot(thread);
  int program = llvm::countr_zero(skipped);
  for (int of = 0; of != threads; ++of)
    clock.numbers[size_t(of) * width + program] =
        flag.known.numbers[size_t(of) * width + program];
  flag.known = std::move(clock);
}

void Replay::wait(int core, const Event &event) {
  FlagState &flag = flagOf(core, event);
  Programs skipped = without(event.group);
  report(all & ~flag.isSet & ~skipped, nullptr, event.op,
         "internal: wait for a flag that is not set");
  flag.isSet &= skipped;
  // What is issued behind a wait of the scalar unit comes after it anyway.
  if (event.target != Pipe::S) {
    int16_t number = ++issued[threadOf(core, event.target)];
    for (int program = 0; program != width; ++program)
      if (!(skipped >> program & 1))
        flag.lastWait[program] = number;
  }
  join(core, event.target, flag.known, skipped);
}

void Replay::barrier(int core, const Event &event) {
  if (event.pipe != Pipe::ALL) {
    int thread = threadOf(core, event.pipe);
    std::fill_n(known(thread, thread), width, issued[thread]);
    return;
  }
  for (int thread = 0; thread != threads; ++thread)
    if (coreOf[thread] == core)
      join(core, Pipe::S, snapshot(thread), 0);
}

/// Nothing happens while the counter is zero.
bool Replay::counterWait(int core, const Event &event) {
  Counter &counter = counters[{core, event.id}];
  if (counter.taken == counter.raised.size())
    return false;
  join(core, Pipe::S, counter.raised[counter.taken++], without(event.group));
  return true;
}

bool Replay::step(int core, const Event &event) {
  switch (event.kind) {
  case Event::Run:
    access(core, event);
    return true;
  case Event::Barrier:
    barrier(core, event);
    return true;
  case Event::Set:
    set(core, event);
    return true;
  case Event::Wait:
    wait(core, event);
    return true;
  case Event::CrossSet: {
    Counter &counter = counters[{1 - core, event.id}];
    counter.raised.push_back(snapshot(threadOf(core, event.pipe)));
    counter.last = event.op;
    if (counter.raised.size() - counter.taken > chip.crossCoreCounterLimit)
      report(all & ~without(event.group), nullptr, event.op,
             "internal: counter between cores exceeds " +
                 Twine(chip.crossCoreCounterLimit));
    return true;
  }
  case Event::CrossWait:
    return counterWait(core, event);
  }
  llvm_unreachable("unknown event");
}

void Replay::checkEnd() {
  for (const FlagState &flag : flags)
    report(flag.isSet, nullptr, flag.setBy,
           "internal: flag is still set at the end of the program");
  for (auto &[key, counter] : counters)
    if (counter.taken != counter.raised.size())
      report(all, nullptr, counter.last,
             "internal: counter is not zero at the end of the program");
}

std::optional<Violation> Replay::run() {
  std::array<size_t, 2> next{};
  bool moved = true;
  while (moved && !violation) {
    moved = false;
    for (int core = 0; core != 2; ++core)
      while (next[core] != traces[core].events.size() && !violation &&
             step(core, traces[core].events[next[core]])) {
        ++next[core];
        moved = true;
      }
  }
  for (int core = 0; core != 2; ++core)
    if (!violation && next[core] != traces[core].events.size())
      report(all, nullptr, traces[core].events[next[core]].op,
             "internal: the core waits for ever for this counter");
  if (!violation)
    checkEnd();
  return violation;
}

std::optional<Violation> verifysync::replay(const Chip &chip,
                                            const Places &places,
                                            const Traces &traces,
                                            std::vector<int64_t> &candidates) {
  Replay replay(chip, places, traces, candidates);
  std::optional<Violation> violation = replay.run();
  size_t index = 0;
  llvm::erase_if(candidates,
                 [&](int64_t) { return replay.violated >> ++index & 1; });
  return violation;
}
