//===- VerifySyncTrace.cpp - Programs unrolled into events ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifySyncTrace.h"

#include "tilelang/Support/IndexBounds.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verifysync;

namespace {

class Tracer : public TouchContext {
public:
  Tracer(KernelOp kernel, const Scenario &scenario, size_t limit,
         Unroller &unroller)
      : kernel(kernel), scenario(scenario), limit(limit), unroller(unroller) {}

  bool run(int core, Region &region, Trace &trace);
  /// The pattern decided something.
  bool varies = false;

private:
  void block(Block &block);
  void loop(scf::ForOp loop);
  void branch(scf::IfOp branch);
  void emit(const Unroller::Step &step);
  bool isFull() const { return trace->events.size() >= limit; }
  Number evaluate(Value value) override;
  int64_t slotOf(ViewOp view) override;
  Number unknown(Value value);
  int64_t iterationsOf(scf::ForOp loop);
  /// The iterations of a loop to follow.
  struct Course {
    int64_t count = 0;
    /// From iteration `cut` on the last ones are meant, `skipped` later.
    int64_t cut = 0, skipped = 0;
  };
  Course courseOf(scf::ForOp loop);
  std::optional<bool> conditionOf(scf::IfOp branch);

  KernelOp kernel;
  Scenario scenario;
  size_t limit;
  Unroller &unroller;
  Trace *trace = nullptr;
  llvm::DenseMap<Value, Number> values;
  llvm::DenseMap<Value, int64_t> slots;
  /// The loops around and their iterations.
  SmallVector<std::pair<Operation *, int64_t>, 4> path;
  /// Iterations of the loops around, summed up, and how many loops these are.
  int64_t iterationSum = 0;
  int depth = 0;
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
      return {0, uint64_t(llvm::hash_combine(argument.getArgNumber())) | 1};
    return unknown(value);
  }
  Operation *op = value.getDefiningOp();
  auto numbers = [&](Operation *op) {
    return std::pair(evaluate(op->getOperand(0)), evaluate(op->getOperand(1)));
  };
  return llvm::TypeSwitch<Operation *, Number>(op)
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>(
          [&](Operation *cast) { return evaluate(cast->getOperand(0)); })
      .Case([&](arith::AddIOp add) -> Number {
        auto [a, b] = numbers(add);
        return {a.value + b.value, a.tag + b.tag};
      })
      .Case([&](arith::SubIOp sub) -> Number {
        auto [a, b] = numbers(sub);
        return {a.value - b.value, a.tag - b.tag};
      })
      .Case([&](arith::MulIOp mul) -> Number {
        auto [a, b] = numbers(mul);
        if (!a.tag && !b.tag)
          return {a.value * b.value, 0};
        if (a.tag && b.tag)
          return unknown(value);
        Number scale = a.tag ? b : a, other = a.tag ? a : b;
        return {other.value * scale.value, other.tag * scale.value};
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

int64_t Tracer::slotOf(ViewOp view) { return slots.lookup(view.getRing()); }

int64_t Tracer::iterationsOf(scf::ForOp loop) {
  auto lower = literal(loop.getLowerBound());
  auto upper = literal(loop.getUpperBound());
  auto step = literal(loop.getStep());
  if (lower && upper && step && *step > 0)
    return std::clamp<int64_t>((*upper - *lower + *step - 1) / *step, 0,
                               scenario.iterations);
  // More iterations than the bounds allow would leave the loop's buffers.
  int64_t most = scenario.iterations;
  std::optional<int64_t> first = boundsOf(loop.getLowerBound()).lower;
  std::optional<int64_t> last = boundsOf(loop.getUpperBound()).upper;
  if (first && last && step && *step > 0)
    most = std::clamp<int64_t>((*last - *first + *step - 1) / *step, 0, most);
  bool outermost = depth == 0;
  varies |= !outermost;
  switch (scenario.pattern) {
  case Scenario::Empty:
    return 0;
  case Scenario::Even:
    return outermost || iterationSum % 2 == 0 ? most : 0;
  case Scenario::Odd:
    return outermost || iterationSum % 2 == 1 ? most : 0;
  case Scenario::Single:
    return outermost ? most : std::min<int64_t>(most, 1);
  case Scenario::Shallow:
    return depth < 2 ? most : 0;
  case Scenario::Outer:
    return outermost ? most : 0;
  default:
    return most;
  }
}

/// Conditions of skewed tasks compare the step with the trip count, so these
/// must agree. Where the trip count is not known, it becomes what is followed;
/// where it is too large, iterations in the middle are left out, whole turns of
/// every ring.
Tracer::Course Tracer::courseOf(scf::ForOp loop) {
  auto attribute = loop->getAttrOfType<IntegerAttr>(kSkewAttr);
  if (!attribute) {
    int64_t count = iterationsOf(loop);
    return {count, count, 0};
  }
  int64_t skew = attribute.getInt();
  if (auto steps = literal(loop.getUpperBound())) {
    int64_t turn = 1;
    kernel.walk([&](RingOp ring) {
      turn = std::lcm(turn, static_cast<int64_t>(ring.getVersions()));
    });
    int64_t least = scenario.iterations + skew;
    int64_t turns = std::max<int64_t>(*steps - least, 0) / turn;
    int64_t count = *steps - turns * turn;
    return {count, turns ? count - skew - 1 : count, turns * turn};
  }
  int64_t trips = iterationsOf(loop);
  if (std::optional<int64_t> most = boundsOf(loop.getUpperBound()).upper)
    trips = std::min(trips, std::max<int64_t>(*most - skew, 0));
  auto sum = loop.getUpperBound().getDefiningOp<arith::AddIOp>();
  if (sum && literal(sum.getRhs()) == skew)
    values[sum.getLhs()] = {trips, 0};
  return {trips + skew, trips + skew, 0};
}

void Tracer::loop(scf::ForOp loop) {
  Course course = courseOf(loop);
  Number lower = evaluate(loop.getLowerBound());
  Number step = evaluate(loop.getStep());
  bool isGrid = loop->hasAttr(kGridLoopAttr);
  for (int64_t position = 0; position != course.count && !isFull();
       ++position) {
    int64_t i = position < course.cut ? position : position + course.skipped;
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

/// Whether a skewed task runs in this step; nothing for other branches, which
/// scenarios decide.
std::optional<bool> Tracer::conditionOf(scf::IfOp branch) {
  if (!branch->hasAttr(kTaskAttr))
    return std::nullopt;
  bool holds = true;
  SmallVector<Value> pending{branch.getCondition()};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (auto both = value.getDefiningOp<arith::AndIOp>()) {
      pending.append({both.getLhs(), both.getRhs()});
      continue;
    }
    if (auto number = literal(value)) {
      holds &= *number != 0;
      continue;
    }
    auto compare = value.getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return std::nullopt;
    Number left = evaluate(compare.getLhs());
    Number right = evaluate(compare.getRhs());
    if (left.tag || right.tag)
      return std::nullopt;
    holds &= arith::applyCmpPredicate(compare.getPredicate(),
                                      APInt(64, left.value, true),
                                      APInt(64, right.value, true));
  }
  return holds;
}

void Tracer::branch(scf::IfOp branch) {
  bool then = true;
  if (std::optional<bool> known = conditionOf(branch)) {
    if (*known)
      block(*branch.thenBlock());
    return;
  }
  varies = true;
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

const std::vector<Unroller::Step> &Unroller::stepsOf(Block &block) {
  auto [entry, isNew] = steps.try_emplace(&block);
  std::vector<Step> &result = entry->second;
  if (!isNew)
    return result;
  for (Operation &op : block) {
    auto emit = [&](Event event, Value ring = {}) {
      event.op = &op;
      result.push_back({Step::Emit, &op, event, ring});
    };
    auto control = [&](Step::Kind kind, Value ring = {}) {
      result.push_back({kind, &op, {}, ring});
    };
    auto flag = [&](Event::Kind kind, auto flag) {
      emit({kind, nullptr, flag.getSource(), flag.getTarget(),
            static_cast<int64_t>(flag.getId()),
            static_cast<int64_t>(flag.getGroup())},
           flag.getRing());
    };
    auto counter = [&](Event::Kind kind, Pipe pipe, auto counter) {
      emit({kind, nullptr, pipe, Pipe::S,
            static_cast<int64_t>(counter.getFlag()),
            static_cast<int64_t>(counter.getGroup())});
    };
    if (auto instruction = dyn_cast<InstructionOpInterface>(op)) {
      emit({Event::Run, nullptr, instruction.getPipe()});
      result.back().instruction = places.describe(&op);
      continue;
    }
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](scf::ForOp) { control(Step::Loop); })
        .Case([&](scf::IfOp) { control(Step::Branch); })
        .Case([&](RingOp ring) { control(Step::Ring, ring.getRing()); })
        .Case([&](AdvanceOp move) { control(Step::Advance, move.getRing()); })
        .Case([&](SetFlagOp set) { flag(Event::Set, set); })
        .Case([&](WaitFlagOp wait) { flag(Event::Wait, wait); })
        .Case([&](BarrierOp barrier) {
          emit({Event::Barrier, nullptr, barrier.getPipe()});
        })
        .Case([&](CrossSetOp set) {
          counter(Event::CrossSet, set.getPipe(), set);
        })
        .Case([&](CrossWaitOp wait) {
          counter(Event::CrossWait, Pipe::S, wait);
        });
  }
  return result;
}

void Tracer::emit(const Unroller::Step &step) {
  Event event = step.event;
  if (event.kind == Event::Run) {
    event.firstTouch = static_cast<uint32_t>(trace->touches.size());
    unroller.places.touch(step.instruction, *this, trace->touches);
    event.touches =
        static_cast<uint32_t>(trace->touches.size()) - event.firstTouch;
  } else if (step.ring) {
    event.id += slots.lookup(step.ring);
  }
  trace->events.push_back(event);
}

void Tracer::block(Block &block) {
  using Step = Unroller::Step;
  for (const Step &step : unroller.stepsOf(block)) {
    if (isFull())
      return;
    switch (step.kind) {
    case Step::Emit:
      emit(step);
      break;
    case Step::Loop:
      loop(cast<scf::ForOp>(step.op));
      break;
    case Step::Branch:
      branch(cast<scf::IfOp>(step.op));
      break;
    case Step::Ring:
      slots[step.ring] = 0;
      break;
    case Step::Advance: {
      auto ring = step.ring.getDefiningOp<RingOp>();
      int64_t &slot = slots[step.ring];
      slot = (slot + 1) % static_cast<int64_t>(ring.getVersions());
      break;
    }
    }
  }
}

bool Tracer::run(int whichCore, Region &region, Trace &result) {
  core = whichCore;
  trace = &result;
  block(region.front());
  return !isFull();
}

bool Unroller::trace(const Scenario &scenario, size_t limit, Traces &traces) {
  Region *programs[] = {&kernel.getAic(), &kernel.getAiv()};
  for (int core = 0; core != 2; ++core) {
    traces[core] = {};
    Tracer tracer(kernel, scenario, limit, *this);
    if (!tracer.run(core, *programs[core], traces[core]))
      return false;
    varies |= tracer.varies;
  }
  return true;
}
