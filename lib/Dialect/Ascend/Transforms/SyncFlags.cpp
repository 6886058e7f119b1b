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
  void makeSafe();
  void removeRedundant();
  bool holds(ArrayRef<const Dependence *> required) const;

  CoreProgram &program;
  ArrayRef<Dependence> dependences;
  SyncOrder &order;
  int interlockFractals;
};

} // namespace

void Chooser::addFor(const Dependence &dependence) {
  Pipe source = pipeOf(dependence.source), target = pipeOf(dependence.target);
  if (hasEvent(source, target)) {
    Flag flag{source, target, dependence.body, dependence.sourceChild + 1,
              dependence.targetChild, dependence.carried, dependence.ring};
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
  llvm::stable_sort(flags,
                    [](Flag *a, Flag *b) { return a->wait < b->wait; });
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
  llvm::stable_sort(flags,
                    [](Flag *a, Flag *b) { return a->wait < b->wait; });
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

void Chooser::makeSafe() {
  for (size_t i = 0; i < order.flags.size(); ++i) {
    Flag flag = order.flags[i];
    if (flag.removed || order.isSafe(flag))
      continue;
    // The producer waits until the consumer has taken the last event.
    Flag back{flag.target, flag.source, flag.body, flag.wait + 1,
              flag.set - 1, !flag.carried, flag.carried ? Value() : flag.ring};
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

bool Chooser::holds(ArrayRef<const Dependence *> required) const {
  for (const Flag &flag : order.flags)
    if (!flag.removed && !order.isSafe(flag))
      return false;
  return llvm::all_of(required, [&](const Dependence *dependence) {
    return order.isOrdered(*dependence);
  });
}

void Chooser::removeRedundant() {
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
    if (!holds(required))
      order.flags[index].removed = false;
  }
  llvm::erase_if(order.flags, [](const Flag &flag) { return flag.removed; });
  order.updateIndex();
}

void Chooser::run() {
  addAll();
  TILELANG_DEBUG(debugTag, dependences.size() << " dependences, "
                                              << order.flags.size()
                                              << " flags before merging");
  merge();
  makeSafe();
  removeRedundant();
  TILELANG_DEBUG(debugTag, order.flags.size() << " flags are left");
}

void sync::chooseFlags(CoreProgram &program, ArrayRef<Dependence> dependences,
                       SyncOrder &order, int interlockFractals) {
  Chooser(program, dependences, order, interlockFractals).run();
}

//===-- Event ids --------------------------------------------------------===//

namespace {

/// Ids of one ordered pair of pipes.
class IdAssigner {
public:
  IdAssigner(SyncOrder &order, Pipe source, Pipe target, int limit)
      : order(order), source(source), target(target), limit(limit) {}

  bool run();
  int wanted() const;

private:
  bool matches(const Flag &flag) const {
    return flag.source == source && flag.target == target;
  }
  bool pack(bool share);
  bool canShare(const Flag &first, const Flag &second) const;
  bool giveUpVersions();

  SyncOrder &order;
  Pipe source, target;
  int limit;
};

} // namespace

int IdAssigner::wanted() const {
  int sum = 0;
  for (const Flag &flag : order.flags)
    sum += matches(flag) ? flag.ids() : 0;
  return sum;
}

/// Two carried flags may use the same events if each wait is followed by its
/// own set before the other's wait: all events are set in between.
static bool alternate(const Flag &first, const Flag &second) {
  if (first.body == second.body)
    return first.set <= second.wait || second.set <= first.wait;
  CommonBody common =
      commonBody(first.body, first.wait, second.body, second.wait);
  if (common.body == first.body)
    return common.second < first.wait || common.second >= first.set;
  if (common.body == second.body)
    return common.first < second.wait || common.first >= second.set;
  return true;
}

bool IdAssigner::canShare(const Flag &first, const Flag &second) const {
  if (first.ids() != second.ids() || first.carried != second.carried)
    return false;
  if (first.carried)
    return alternate(first, second);
  // The wait of each must precede the next set of the other, whatever lies
  // between; with several ids per flag slots would have to agree as well.
  if (first.ring != second.ring)
    return false;
  CommonBody common =
      commonBody(first.body, first.wait, second.body, second.wait);
  auto precedes = [&](const Flag &a, const Flag &b, int distance, Value ring) {
    return order.isOrdered({a.body, a.wait + 1, a.target},
                           {b.body, b.set, b.source, true}, distance, ring);
  };
  bool firstIsEarlier =
      first.body == second.body ? first.wait <= second.wait
                                : common.first < common.second;
  if (common.first == common.second && first.body != second.body)
    return false; // one inside the other, or in different branches
  const Flag &early = firstIsEarlier ? first : second;
  const Flag &late = firstIsEarlier ? second : first;
  if (!precedes(early, late, 0, early.ring))
    return false;
  if (!common.body->nearestLoop)
    return true;
  bool sameLoop = first.ring &&
                  rotatingLoop(first.ring) == common.body->nearestLoop;
  if (first.ring && !sameLoop)
    return false;
  return precedes(late, early, first.ids(), first.ring);
}

bool IdAssigner::pack(bool share) {
  std::vector<Flag *> placed;
  for (Flag &flag : order.flags) {
    if (!matches(flag))
      continue;
    flag.id = -1;
    for (int id = 0; id + flag.ids() <= limit && flag.id < 0; ++id) {
      bool free = llvm::all_of(placed, [&](Flag *other) {
        if (id + flag.ids() <= other->id || other->id + other->ids() <= id)
          return true;
        return share && other->id == id && canShare(*other, flag);
      });
      if (free)
        flag.id = id;
    }
    if (flag.id < 0)
      return false;
    placed.push_back(&flag);
  }
  return true;
}

/// One flag with several ids, and its counterpart, fall back to a single one.
bool IdAssigner::giveUpVersions() {
  Flag *worst = nullptr;
  for (Flag &flag : order.flags)
    if (matches(flag) && flag.ring &&
        (!worst || flag.body->depth < worst->body->depth))
      worst = &flag;
  if (!worst)
    return false;
  Body *body = worst->body;
  Value ring = worst->ring;
  for (Flag &flag : order.flags)
    if (flag.body == body && flag.ring == ring &&
        (matches(flag) || (flag.source == target && flag.target == source)))
      flag.ring = Value();
  order.updateIndex();
  for (size_t i = 0; i != order.flags.size(); ++i) {
    Flag flag = order.flags[i];
    if (order.isSafe(flag) || flag.carried)
      continue;
    order.flags.push_back({flag.target, flag.source, flag.body, flag.wait + 1,
                           flag.set - 1, true, Value()});
    order.updateIndex();
  }
  return true;
}

bool IdAssigner::run() {
  while (true) {
    if (wanted() <= limit)
      return pack(/*share=*/false);
    if (pack(/*share=*/true))
      return true;
    if (!giveUpVersions())
      return false;
  }
}

LogicalResult sync::assignEventIds(SyncOrder &order, const Chip &chip,
                                   KernelOp kernel) {
  // Giving up versions may add flags of the opposite pair: repeat until every
  // pair fits.
  int limit = static_cast<int>(chip.eventIdsPerPipePair);
  size_t count = 0;
  do {
    count = order.flags.size();
    for (int source = 0; source != static_cast<int>(Pipe::ALL); ++source)
      for (int target = 0; target != static_cast<int>(Pipe::ALL); ++target) {
        IdAssigner assigner(order, static_cast<Pipe>(source),
                            static_cast<Pipe>(target), limit);
        if (assigner.run())
          continue;
        std::string pair = (stringifyPipe(static_cast<Pipe>(source)) + "_" +
                            stringifyPipe(static_cast<Pipe>(target)))
                               .str();
        InFlightDiagnostic error =
            kernel.emitError()
            << "the kernel needs " << assigner.wanted()
            << " events from pipe to pipe " << pair << ", the chip has "
            << limit << "; split the kernel or use fewer buffers in one loop";
        for (const Flag &flag : order.flags)
          if (stringifyPipe(flag.source) ==
                  stringifyPipe(static_cast<Pipe>(source)) &&
              stringifyPipe(flag.target) ==
                  stringifyPipe(static_cast<Pipe>(target)))
            error.attachNote(flag.body->children[flag.set - 1].op->getLoc())
                << "one of them is set here";
        return failure();
      }
  } while (count != order.flags.size());
  return success();
}
