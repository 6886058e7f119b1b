//===- VerifySyncTrace.cpp - Programs unrolled into events ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifySyncTrace.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verifysync;

static constexpr int64_t kUnknownLength = int64_t(1) << 40;

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

namespace {

class Tracer {
public:
  Tracer(KernelOp kernel, const Scenario &scenario, size_t limit)
      : kernel(kernel), scenario(scenario), limit(limit) {}

  bool run(int core, Region &region, std::vector<Event> &events);

private:
  void block(Block &block);
  void loop(scf::ForOp loop);
  void branch(scf::IfOp branch);
  void instruction(Operation *op);
  Touch touchOf(Operation *op, const RegionAccess &access);
  void limitToRange(Operation *op, Value buffer, Stretch &bytes);
  Number evaluate(Value value);
  Number unknown(Value value);
  int64_t iterationsOf(scf::ForOp loop);

  KernelOp kernel;
  Scenario scenario;
  size_t limit;
  int core = 0;
  std::vector<Event> *events = nullptr;
  llvm::DenseMap<Value, Number> values;
  llvm::DenseMap<Value, int64_t> slots;
  /// The loops around and their iterations.
  SmallVector<std::pair<Operation *, int64_t>, 4> path;
  /// Iterations of the loops around, summed up, and how many loops these are.
  int64_t iterationSum = 0;
  int depth = 0;
  int64_t gridIteration = 0;
};

} // namespace

static std::optional<int64_t> literal(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

/// One name per value and iteration of the loops it is defined in.
Number Tracer::unknown(Value value) {
  llvm::hash_code name = llvm::hash_combine(value.getAsOpaquePointer(), core);
  for (auto [loop, iteration] : path)
    if (cast<scf::ForOp>(loop).getRegion().isAncestor(value.getParentRegion()))
      name = llvm::hash_combine(name, iteration);
  return {0, uint64_t(name) | 1};
}

Number Tracer::evaluate(Value value) {
  if (auto number = literal(value))
    return {*number, 0};
  if (auto entry = values.find(value); entry != values.end())
    return entry->second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // A scalar parameter is one unknown number for the whole kernel.
    if (isa<KernelOp>(argument.getOwner()->getParentOp()))
      return {0, (argument.getArgNumber() + 1) * 2};
    return unknown(value);
  }
  Operation *op = value.getDefiningOp();
  auto numbers = [&](Operation *op) {
    return std::pair(evaluate(op->getOperand(0)), evaluate(op->getOperand(1)));
  };
  auto hashed = [](uint64_t a, uint64_t b) {
    return uint64_t(llvm::hash_combine(a, b)) | 1;
  };
  return llvm::TypeSwitch<Operation *, Number>(op)
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>(
          [&](Operation *cast) { return evaluate(cast->getOperand(0)); })
      .Case([&](arith::AddIOp add) -> Number {
        auto [a, b] = numbers(add);
        uint64_t tag = !a.tag ? b.tag : !b.tag ? a.tag : hashed(a.tag, b.tag);
        return {a.value + b.value, tag};
      })
      .Case([&](arith::SubIOp sub) -> Number {
        auto [a, b] = numbers(sub);
        if (a.tag == b.tag)
          return {a.value - b.value, 0};
        if (!b.tag)
          return {a.value - b.value, a.tag};
        return {a.value - b.value, hashed(a.tag, ~b.tag)};
      })
      .Case([&](arith::MulIOp mul) -> Number {
        auto [a, b] = numbers(mul);
        if (!a.tag && !b.tag)
          return {a.value * b.value, 0};
        if (a.tag && b.tag)
          return unknown(value);
        Number scale = a.tag ? b : a, other = a.tag ? a : b;
        if (scale.value == 0)
          return {0, 0};
        return {other.value * scale.value,
                scale.value == 1 ? other.tag
                                 : hashed(other.tag, scale.value)};
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](Operation *min) -> Number {
        auto [a, b] = numbers(min);
        if (a.tag || b.tag)
          return unknown(value);
        return {std::min(a.value, b.value), 0};
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](Operation *max) -> Number {
        auto [a, b] = numbers(max);
        if (a.tag || b.tag)
          return unknown(value);
        return {std::max(a.value, b.value), 0};
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](Operation *div) -> Number {
            auto [a, b] = numbers(div);
            if (a.tag || b.tag || b.value == 0 || a.value < 0)
              return unknown(value);
            return {a.value / b.value, 0};
          })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *rem) -> Number {
        auto [a, b] = numbers(rem);
        if (a.tag || b.tag || b.value == 0 || a.value < 0)
          return unknown(value);
        return {a.value % b.value, 0};
      })
      .Case([&](BlockIdxOp) { return Number{0, 0}; })
      .Case([&](SubBlockIdxOp) { return Number{0, 0}; })
      .Case([&](BlockNumOp) {
        return Number{static_cast<int64_t>(kernel.getBlockDim()), 0};
      })
      .Default([&](Operation *) { return unknown(value); });
}

/// A bound of an extent that is not known as a number.
static int64_t atMost(Value value) {
  if (auto number = literal(value))
    return *number;
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::MinSIOp, arith::MinUIOp>(op))
    return std::min(atMost(op->getOperand(0)), atMost(op->getOperand(1)));
  if (isa_and_present<arith::MaxSIOp, arith::MaxUIOp>(op))
    return std::max(atMost(op->getOperand(0)), atMost(op->getOperand(1)));
  if (isa_and_present<arith::SelectOp>(op))
    return std::max(atMost(op->getOperand(1)), atMost(op->getOperand(2)));
  return kUnknownLength;
}

/// Narrows `bytes`, which starts at the view of a global buffer, to the rows
/// that a transfer or the scalar unit touches.
void Tracer::limitToRange(Operation *op, Value buffer, Stretch &bytes) {
  int64_t element = llvm::divideCeil(
      cast<MemRefType>(buffer.getType()).getElementTypeBitWidth(), 8);
  auto shift = [&](Value offset) {
    Number number = evaluate(offset);
    bytes.begin += number.value * element;
    if (number.tag)
      bytes.tag = uint64_t(llvm::hash_combine(bytes.tag, number.tag)) | 1;
  };
  auto rows = [&](auto access) {
    shift(access.getOffset());
    Number columns = evaluate(access.getColumns());
    Number count = evaluate(access.getRows());
    Number stride = evaluate(access.getStride());
    // Where an extent is not known, its bound is: transfers are clipped.
    bytes.length = columns.tag ? atMost(access.getColumns()) : columns.value;
    bytes.length *= element;
    bytes.rows = count.tag ? atMost(access.getRows()) : count.value;
    bytes.pitch = stride.value * element;
    if (stride.tag || bytes.length >= kUnknownLength ||
        bytes.rows >= kUnknownLength) {
      bytes.length = kUnknownLength;
      bytes.rows = 1;
    }
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LoadOp load) { rows(load); })
      .Case([&](StoreOp store) { rows(store); })
      .Case([&](Nd2NzOp load) { rows(load); })
      .Case([&](FixpipeOp store) { rows(store); })
      .Case([&](GetValueOp get) {
        shift(get.getOffset());
        bytes.length = element;
      })
      .Case([&](SetValueOp set) {
        shift(set.getOffset());
        bytes.length = element;
      });
}

Touch Tracer::touchOf(Operation *op, const RegionAccess &access) {
  auto type = cast<MemRefType>(access.target.getType());
  Stretch bytes;
  bytes.length = type.hasStaticShape()
                     ? type.getNumElements() *
                           llvm::divideCeil(type.getElementTypeBitWidth(), 8)
                     : kUnknownLength;
  // The way from the view to the buffer: offsets and the slot.
  int64_t slot = 0;
  Value root = access.target;
  while (auto view = root.getDefiningOp<ViewOp>()) {
    if (view.getRing())
      slot = slots.lookup(view.getRing());
    if (view.getOffset()) {
      Number offset = evaluate(view.getOffset());
      auto source = cast<MemRefType>(view.getSource().getType());
      bytes.begin += offset.value * llvm::divideCeil(
                                        source.getElementTypeBitWidth(), 8);
      if (offset.tag)
        bytes.tag = uint64_t(llvm::hash_combine(bytes.tag, offset.tag)) | 1;
    }
    root = view.getSource();
  }
  Touch touch{{}, bytes, access.reads(), access.writes()};
  if (auto alloc = root.getDefiningOp<AllocOp>()) {
    int64_t base = alloc.getAddress().value_or(0);
    uint64_t name = static_cast<uint64_t>(alloc.getMemory());
    if (!alloc.getAddress()) // not planned yet: a space of its own
      name = reinterpret_cast<uintptr_t>(alloc.getOperation());
    if (touch.bytes.tag) {
      // Somewhere in this version.
      touch.bytes.tag = 0;
      touch.bytes.begin = 0;
      touch.bytes.length = alloc.getVersionBytes();
    }
    touch.bytes.begin += base + slot * alloc.getVersionBytes();
    touch.space = {core, name, 0};
    return touch;
  }
  if (auto workspace = root.getDefiningOp<WorkspaceOp>()) {
    limitToRange(op, access.target, touch.bytes);
    touch.space = {2, workspace.getId(), slot};
    return touch;
  }
  limitToRange(op, access.target, touch.bytes);
  // Blocks of the grid do not depend on each other.
  touch.space = {3, cast<BlockArgument>(root).getArgNumber(), gridIteration};
  return touch;
}

void Tracer::instruction(Operation *op) {
  Event event{Event::Run, op, cast<InstructionOpInterface>(op).getPipe(),
              Pipe::S, 0, -1, {}};
  SmallVector<RegionAccess> accesses;
  cast<RegionAccessOpInterface>(op).getRegionAccesses(accesses);
  for (const RegionAccess &access : accesses)
    event.touches.push_back(touchOf(op, access));
  events->push_back(std::move(event));
}

int64_t Tracer::iterationsOf(scf::ForOp loop) {
  auto lower = literal(loop.getLowerBound());
  auto upper = literal(loop.getUpperBound());
  auto step = literal(loop.getStep());
  if (lower && upper && step && *step > 0)
    return std::clamp<int64_t>((*upper - *lower + *step - 1) / *step, 0,
                               scenario.iterations);
  bool outermost = depth == 0;
  switch (scenario.pattern) {
  case Scenario::Empty:
    return 0;
  case Scenario::Even:
    return outermost || iterationSum % 2 == 0 ? scenario.iterations : 0;
  case Scenario::Odd:
    return outermost || iterationSum % 2 == 1 ? scenario.iterations : 0;
  case Scenario::Single:
    return outermost ? scenario.iterations : 1;
  case Scenario::Shallow:
    return depth < 2 ? scenario.iterations : 0;
  case Scenario::Outer:
    return outermost ? scenario.iterations : 0;
  default:
    return scenario.iterations;
  }
}

void Tracer::loop(scf::ForOp loop) {
  int64_t count = iterationsOf(loop);
  Number lower = evaluate(loop.getLowerBound());
  Number step = evaluate(loop.getStep());
  bool isGrid = loop->hasAttr(kGridLoopAttr);
  for (int64_t i = 0; i != count && events->size() < limit; ++i) {
    Number variable{lower.value + i * step.value, lower.tag};
    path.push_back({loop, i});
    values[loop.getInductionVar()] =
        step.tag ? unknown(loop.getInductionVar()) : variable;
    if (isGrid)
      gridIteration = i;
    ++depth;
    iterationSum += i;
    block(*loop.getBody());
    iterationSum -= i;
    --depth;
    path.pop_back();
  }
}

void Tracer::branch(scf::IfOp branch) {
  bool then = true;
  switch (scenario.pattern) {
  case Scenario::Else:
    then = false;
    break;
  case Scenario::Even:
  case Scenario::Single:
    then = iterationSum % 2 == 0;
    break;
  case Scenario::Odd:
    then = iterationSum % 2 == 1;
    break;
  default:
    break;
  }
  if (then)
    block(*branch.thenBlock());
  else if (Block *otherwise = branch.elseBlock())
    block(*otherwise);
}

void Tracer::block(Block &block) {
  for (Operation &op : block) {
    if (events->size() >= limit)
      return;
    if (isa<InstructionOpInterface>(op)) {
      instruction(&op);
      continue;
    }
    auto flagEvent = [&](Event::Kind kind, auto flag) {
      int64_t id = flag.getId();
      if (flag.getRing())
        id += slots.lookup(flag.getRing());
      events->push_back({kind, &op, flag.getSource(), flag.getTarget(), id,
                         static_cast<int64_t>(flag.getGroup()), {}});
    };
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](scf::ForOp op) { loop(op); })
        .Case([&](scf::IfOp op) { branch(op); })
        .Case([&](RingOp ring) { slots[ring.getRing()] = 0; })
        .Case([&](AdvanceOp advance) {
          auto ring = advance.getRing().getDefiningOp<RingOp>();
          int64_t &slot = slots[advance.getRing()];
          slot = (slot + 1) % static_cast<int64_t>(ring.getVersions());
        })
        .Case([&](SetFlagOp flag) { flagEvent(Event::Set, flag); })
        .Case([&](WaitFlagOp flag) { flagEvent(Event::Wait, flag); })
        .Case([&](BarrierOp barrier) {
          events->push_back({Event::Barrier, &op, barrier.getPipe(), Pipe::S, 0,
                             -1, {}});
        })
        .Case([&](CrossSetOp set) {
          events->push_back({Event::CrossSet, &op, set.getPipe(), Pipe::S,
                             static_cast<int64_t>(set.getFlag()),
                             static_cast<int64_t>(set.getGroup()), {}});
        })
        .Case([&](CrossWaitOp wait) {
          events->push_back({Event::CrossWait, &op, Pipe::S, Pipe::S,
                             static_cast<int64_t>(wait.getFlag()),
                             static_cast<int64_t>(wait.getGroup()), {}});
        });
  }
}

bool Tracer::run(int whichCore, Region &region, std::vector<Event> &result) {
  core = whichCore;
  events = &result;
  block(region.front());
  return events->size() < limit;
}

bool verifysync::trace(KernelOp kernel, const Scenario &scenario, size_t limit,
                       Traces &traces) {
  traces[0].clear();
  traces[1].clear();
  return Tracer(kernel, scenario, limit).run(0, kernel.getAic(), traces[0]) &&
         Tracer(kernel, scenario, limit).run(1, kernel.getAiv(), traces[1]);
}

//===-- Replay -----------------------------------------------------------===//

Replay::Replay(const Chip &chip, const Traces &traces)
    : chip(chip), traces(traces) {}

void Replay::report(Operation *earlier, Operation *later,
                    std::string message) {
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
      report(nullptr, event.op, "internal: counter between cores exceeds " +
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
