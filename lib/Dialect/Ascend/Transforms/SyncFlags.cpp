//===- SyncFlags.cpp - The smallest set of flags --------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Flags are added for dependences that are not ordered yet, short ones first,
// then merged where one set and wait can serve several, then removed where the
// rest orders everything.
//
//===----------------------------------------------------------------------===//

#include "SyncFlags.h"

#include "tilelang/Support/Debug.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

static constexpr StringLiteral debugTag = "ascend-insert-sync";

bool sync::hasEvent(Pipe source, Pipe target) {
  // Events of split cores; the scalar unit joins the transfers of its core, the
  // vector unit, and (as a target) the Cube's results.
  if (source == target)
    return false;
  if (source == Pipe::S)
    return target == Pipe::V || target == Pipe::MTE2 || target == Pipe::MTE3;
  if (target == Pipe::S)
    return source != Pipe::MTE1;
  return true;
}

namespace {

class Chooser {
public:
  Chooser(CoreProgram &program, ArrayRef<Dependence> dependences,
          SyncOrder &order, int interlockFractals)
      : program(program), dependences(dependences), order(order),
        interlockFractals(interlockFractals) {}

  void run();

private:
  Pipe pipeOf(int instruction) const {
    return program.instructions[instruction].pipe;
  }
  void addFor(const Dependence &dependence);
  void addAll();
  void merge();
  void lockTasks();
  bool lockTasks(Body *loop, Pipe source, Pipe target);
  void makeSafe();
  void removeRedundant();

  int locks = 0;

  CoreProgram &program;
  ArrayRef<Dependence> dependences;
  SyncOrder &order;
  int interlockFractals;
};

} // namespace

void Chooser::addFor(const Dependence &dependence) {
  Pipe source = pipeOf(dependence.source), target = pipeOf(dependence.target);
  if (hasEvent(source, target)) {
    Flag flag{source,
              target,
              dependence.body,
              dependence.sourceChild + 1,
              dependence.targetChild,
              dependence.carried,
              dependence.ring};
    order.flags.push_back(flag);
  } else {
    order.barriers.push_back(
        {Pipe::ALL, dependence.body, dependence.targetChild});
  }
  order.updateIndex();
}

void Chooser::addAll() {
  std::vector<const Dependence *> pending;
  for (const Dependence &dependence : dependences)
    if (pipeOf(dependence.source) != pipeOf(dependence.target))
      pending.push_back(&dependence);
  auto rank = [&](const Dependence *dependence) {
    // Around a loop the stricter (shorter) distances come first.
    int span = dependence->carried
                   ? dependence->sourceChild - dependence->targetChild
                   : dependence->targetChild - dependence->sourceChild;
    return std::tuple(dependence->carried, -dependence->body->depth,
                      dependence->distance, span, dependence->targetChild);
  };
  llvm::stable_sort(pending, [&](const Dependence *a, const Dependence *b) {
    return rank(a) < rank(b);
  });
  for (const Dependence *dependence : pending)
    if (!order.isOrdered(*dependence))
      addFor(*dependence);
}

/// Forward flags of one body and pair: the wait stands before the first
/// consumer, the set behind the last producer that precedes it.
static void mergeForward(std::vector<Flag *> &flags) {
  llvm::stable_sort(flags, [](Flag *a, Flag *b) { return a->wait < b->wait; });
  for (size_t i = 0; i != flags.size(); ++i) {
    Flag *kept = flags[i];
    if (kept->removed)
      continue;
    for (size_t j = i + 1; j != flags.size(); ++j) {
      Flag *other = flags[j];
      if (other->removed || other->set > kept->wait)
        continue;
      kept->set = std::max(kept->set, other->set);
      // The fewest ids suffice: the narrowest buffer holds the producer back.
      if (other->ids() < kept->ids())
        kept->ring = other->ring;
      other->removed = true;
    }
  }
}

/// Carried flags of one body, pair and ring that overlap become one.
static void mergeCarried(std::vector<Flag *> &flags) {
  llvm::stable_sort(flags, [](Flag *a, Flag *b) { return a->wait < b->wait; });
  Flag *last = nullptr;
  for (Flag *flag : flags) {
    if (last && flag->wait < last->set) {
      last->set = std::max(last->set, flag->set);
      flag->removed = true;
    } else {
      last = flag;
    }
  }
}

void Chooser::merge() {
  using Key = std::tuple<Body *, int, int, bool, void *>;
  llvm::MapVector<Key, std::vector<Flag *>, std::map<Key, unsigned>> groups;
  for (Flag &flag : order.flags)
    if (!flag.removed)
      groups[{flag.body, static_cast<int>(flag.source),
              static_cast<int>(flag.target), flag.carried,
              flag.carried ? flag.ring.getAsOpaquePointer() : nullptr}]
          .push_back(&flag);
  for (auto &[key, flags] : groups)
    if (std::get<3>(key))
      mergeCarried(flags);
    else
      mergeForward(flags);
  llvm::erase_if(order.flags, [](const Flag &flag) { return flag.removed; });
  order.updateIndex();
}

/// Where a task waits for, and where it sets, the event of a lock.
struct LockSpan {
  int wait = std::numeric_limits<int>::max();
  int set = -1;
};

/// Widens `span` to the children of `body` with instructions of `source` (set
/// behind them) or `target` (wait before them), where it has no end yet.
static void completeSpan(const CoreProgram &program, Body *body, Pipe source,
                         Pipe target, LockSpan &span) {
  int firstTarget = -1, lastSource = -1;
  for (const Instruction &instruction : program.instructions) {
    CommonBody common =
        commonBody(body, 0, instruction.body, instruction.child);
    if (common.body != body)
      continue;
    if (instruction.pipe == target && firstTarget < 0)
      firstTarget = common.second;
    if (instruction.pipe == source)
      lastSource = common.second;
  }
  if (span.wait == std::numeric_limits<int>::max())
    span.wait = firstTarget;
  if (span.set < 0)
    span.set = lastSource < 0 ? -1 : lastSource + 1;
}

/// Tasks that use the same bytes hand them over. A flag between two tasks,
/// which may run or not, needs another one back; an event that each task takes
/// before its accesses and sets behind them needs nothing else.
void Chooser::lockTasks() {
  for (auto &body : program.bodies) {
    if (!body->loop || !body->loop->hasAttr(kSkewAttr))
      continue;
    for (int source = 0; source != static_cast<int>(Pipe::ALL); ++source)
      for (int target = 0; target != static_cast<int>(Pipe::ALL); ++target)
        lockTasks(body.get(), static_cast<Pipe>(source),
                  static_cast<Pipe>(target));
  }
}

bool Chooser::lockTasks(Body *loop, Pipe source, Pipe target) {
  auto isBetweenTasks = [&](const Flag &flag) {
    return flag.body == loop && flag.source == source &&
           flag.target == target && !flag.removed;
  };
  if (llvm::none_of(order.flags, isBetweenTasks) || locks == 64)
    return false;
  llvm::MapVector<Body *, LockSpan> spans;
  for (const Dependence &dependence : dependences) {
    if (dependence.body != loop || pipeOf(dependence.source) != source ||
        pipeOf(dependence.target) != target)
      continue;
    auto taskOf = [&](int child) -> Body * {
      const Child &guard = loop->children[child];
      return guard.op->hasAttr(kTaskAttr) ? guard.bodies.front() : nullptr;
    };
    Body *from = taskOf(dependence.sourceChild);
    Body *to = taskOf(dependence.targetChild);
    if (!from || !to)
      return false;
    if (from == to)
      continue; // flags inside the task see to it
    const Instruction &producer = program.instructions[dependence.source];
    const Instruction &consumer = program.instructions[dependence.target];
    LockSpan &set = spans[from];
    set.set = std::max(
        set.set, commonBody(from, 0, producer.body, producer.child).second + 1);
    LockSpan &wait = spans[to];
    wait.wait = std::min(
        wait.wait, commonBody(to, 0, consumer.body, consumer.child).second);
  }
  std::vector<Flag> before = order.flags;
  llvm::erase_if(order.flags, isBetweenTasks);
  bool complete = !spans.empty();
  size_t first = order.flags.size();
  for (auto &[body, span] : spans) {
    completeSpan(program, body, source, target, span);
    complete &= span.wait >= 0 && span.wait < span.set;
    if (!complete)
      break;
    Flag flag{source, target, body, span.set, span.wait, true, Value()};
    flag.lock = locks;
    order.flags.push_back(flag);
  }
  order.updateIndex();
  std::vector<const Dependence *> required =
      dependencesOfFlags(program, dependences, order, interlockFractals);
  complete = complete && llvm::all_of(required, [&](const Dependence *needed) {
               return order.isOrdered(*needed);
             });
  for (size_t i = first; complete && i != order.flags.size(); ++i)
    complete = order.isSafe(order.flags[i]);
  if (complete) {
    ++locks;
    return true;
  }
  order.flags = std::move(before);
  order.updateIndex();
  return false;
}

void Chooser::makeSafe() {
  for (size_t i = 0; i < order.flags.size(); ++i) {
    Flag flag = order.flags[i];
    if (flag.removed || order.isSafe(flag))
      continue;
    // The producer waits until the consumer has taken the last event.
    Flag back{flag.target,
              flag.source,
              flag.body,
              flag.wait + 1,
              flag.set - 1,
              !flag.carried,
              flag.carried ? Value() : flag.ring};
    bool fits = flag.carried ? back.set <= back.wait : back.wait < back.set;
    if (fits && hasEvent(back.source, back.target)) {
      order.flags.push_back(back);
    } else {
      order.flags[i].removed = true;
      order.barriers.push_back({Pipe::ALL, flag.body, flag.wait});
    }
    order.updateIndex();
  }
  llvm::erase_if(order.flags, [](const Flag &flag) { return flag.removed; });
  order.updateIndex();
}

bool sync::allOrdered(const SyncOrder &order,
                      ArrayRef<const Dependence *> required) {
  for (const Flag &flag : order.flags)
    if (!flag.removed && !order.isSafe(flag))
      return false;
  return llvm::all_of(required, [&](const Dependence *dependence) {
    return order.isOrdered(*dependence);
  });
}

std::vector<const Dependence *>
sync::dependencesOfFlags(CoreProgram &program, ArrayRef<Dependence> dependences,
                         const SyncOrder &order, int interlockFractals) {
  std::vector<const Dependence *> required;
  for (const Dependence &dependence : dependences) {
    const Instruction &source = program.instructions[dependence.source];
    const Instruction &target = program.instructions[dependence.target];
    // Order inside a transfer pipe comes from flags at no cost, if they are
    // there; barriers of the vector pipe are cheaper than flags.
    if (source.pipe != target.pipe ||
        (source.pipe != Pipe::V &&
         !isOrderedByQueue(source, target, interlockFractals) &&
         order.isOrdered(dependence)))
      required.push_back(&dependence);
  }
  return required;
}

void Chooser::removeRedundant() {
  std::vector<const Dependence *> required =
      dependencesOfFlags(program, dependences, order, interlockFractals);
  std::vector<size_t> candidates(order.flags.size());
  std::iota(candidates.begin(), candidates.end(), 0);
  auto length = [&](size_t index) {
    const Flag &flag = order.flags[index];
    return std::abs(flag.wait - flag.set);
  };
  llvm::stable_sort(candidates, [&](size_t a, size_t b) {
    return std::tuple(order.flags[a].carried, length(b)) <
           std::tuple(order.flags[b].carried, length(a));
  });
  for (size_t index : candidates) {
    order.flags[index].removed = true;
    order.updateIndex();
    if (!allOrdered(order, required))
      order.flags[index].removed = false;
  }
  llvm::erase_if(order.flags, [](const Flag &flag) { return flag.removed; });
  order.updateIndex();
}

void Chooser::run() {
  addAll();
  TILELANG_DEBUG(debugTag, dependences.size()
                               << " dependences, " << order.flags.size()
                               << " flags before merging");
  merge();
  lockTasks();
  makeSafe();
  removeRedundant();
  TILELANG_DEBUG(debugTag, order.flags.size() << " flags are left");
}

void sync::chooseFlags(CoreProgram &program, ArrayRef<Dependence> dependences,
                       SyncOrder &order, int interlockFractals) {
  Chooser(program, dependences, order, interlockFractals).run();
}
