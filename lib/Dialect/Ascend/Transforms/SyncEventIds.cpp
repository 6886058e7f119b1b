//===- SyncEventIds.cpp - Event ids of flags ------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Ids are short: six per ordered pair of pipes. When flags want more, these
// steps are taken in turn, the least costly first: flags of different bodies
// share, flags give up the ids of further versions, carried flags of one body
// share, the flags of one body are cut into parts that use the same ids, and
// barriers over all pipes make every id free again, which a remark says.
// No flag is ever dropped.
//
//===----------------------------------------------------------------------===//

#include "SyncFlags.h"

#include "tilelang/Support/Debug.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

static constexpr StringLiteral debugTag = "ascend-insert-sync";

namespace {

/// Ids of one ordered pair of pipes.
class IdAssigner {
public:
  IdAssigner(SyncOrder &order, ArrayRef<const Dependence *> required,
             Pipe source, Pipe target, int limit)
      : order(order), required(required), source(source), target(target),
        limit(limit) {}

  bool run();
  LogicalResult report(KernelOp kernel) const;
  /// Flags were added, removed or given fewer ids.
  bool changed = false;

private:
  bool matches(const Flag &flag) const {
    return flag.source == source && flag.target == target;
  }
  int wanted() const;
  enum class Share { Nothing, OtherBodies, Anything };
  bool pack(Share share);
  bool canShare(const Flag &first, const Flag &second) const;
  bool giveUpVersions();
  bool separate();
  bool addBarriers();
  void removeUnneeded(size_t count,
                      llvm::function_ref<bool(const Flag &)> isCandidate);
  void keepSafe();

  SyncOrder &order;
  ArrayRef<const Dependence *> required;
  Pipe source, target;
  int limit;
  /// How far `addBarriers` went.
  int barred = 0;
};

} // namespace

int IdAssigner::wanted() const {
  int sum = 0;
  llvm::DenseSet<int> locks;
  for (const Flag &flag : order.flags)
    if (matches(flag) && (flag.lock < 0 || locks.insert(flag.lock).second))
      sum += flag.ids();
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
  if (first.lock >= 0 || second.lock >= 0)
    return first.lock == second.lock;
  if (first.carried)
    return alternate(first, second);
  // The wait of each must precede the next set of the other, whatever lies
  // between; with several ids per flag slots would have to agree as well.
  if (first.ring != second.ring)
    return false;
  CommonBody common =
      commonBody(first.body, first.wait, second.body, second.wait);
  auto precedes = [&](const Flag &a, const Flag &b, int distance, Value ring) {
    return order.isOrdered({a.body, a.wait, a.target, Point::BeforeChild},
                           {b.body, b.set, b.source, Point::BehindChild},
                           distance, ring);
  };
  bool firstIsEarlier = first.body == second.body
                            ? first.wait <= second.wait
                            : common.first < common.second;
  if (common.first == common.second && first.body != second.body) {
    // A wait right before the loop or branch that holds the other flag.
    if (common.body != first.body && common.body != second.body)
      return false; // in different branches
    firstIsEarlier = common.body == first.body;
  }
  const Flag &early = firstIsEarlier ? first : second;
  const Flag &late = firstIsEarlier ? second : first;
  if (!precedes(early, late, 0, early.ring))
    return false;
  if (!common.body->nearestLoop)
    return true;
  bool sameLoop =
      first.ring && rotatingLoop(first.ring) == common.body->nearestLoop;
  if (first.ring && !sameLoop)
    return false;
  return precedes(late, early, first.ids(), first.ring);
}

bool IdAssigner::pack(Share share) {
  std::vector<Flag *> placed;
  auto mayShare = [&](const Flag &first, const Flag &second) {
    return share == Share::Anything ||
           (share == Share::OtherBodies && first.body != second.body);
  };
  // Flags of one body in the order of their waits, so that those that share are
  // far apart.
  llvm::MapVector<Body *, SmallVector<Flag *>> bodies;
  for (Flag &flag : order.flags)
    if (matches(flag))
      bodies[flag.body].push_back(&flag);
  for (auto &[body, flags] : bodies) {
    llvm::stable_sort(flags,
                      [](Flag *a, Flag *b) { return a->wait < b->wait; });
    for (Flag *flag : flags) {
      flag->id = -1;
      // Flags of one lock are one event.
      for (Flag *other : placed)
        if (flag->lock >= 0 && other->lock == flag->lock)
          flag->id = other->id;
      if (flag->id >= 0) {
        placed.push_back(flag);
        continue;
      }
      // A free id, or else the one whose last user came earliest.
      int best = std::numeric_limits<int>::max();
      for (int id = 0; id + flag->ids() <= limit; ++id) {
        int lastUser = -1;
        for (auto [index, other] : llvm::enumerate(placed)) {
          if (id + flag->ids() <= other->id || other->id + other->ids() <= id)
            continue;
          bool shares = other->id == id && mayShare(*other, *flag) &&
                        canShare(*other, *flag);
          if (!shares) {
            lastUser = std::numeric_limits<int>::max();
            break;
          }
          lastUser = static_cast<int>(index);
        }
        if (lastUser < best) {
          best = lastUser;
          flag->id = id;
        }
      }
      if (flag->id < 0)
        return false;
      placed.push_back(flag);
    }
  }
  return true;
}

/// Adds what forward flags need so that no event is raised twice.
void IdAssigner::keepSafe() {
  order.updateIndex();
  for (size_t i = 0; i != order.flags.size(); ++i) {
    Flag flag = order.flags[i];
    if (order.isSafe(flag) || flag.carried)
      continue;
    order.flags.push_back({flag.target, flag.source, flag.body, flag.wait + 1,
                           flag.set - 1, true, Value()});
    order.updateIndex();
  }
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
  TILELANG_DEBUG(debugTag, "one event id instead of one per version from "
                               << stringifyPipe(source) << " to "
                               << stringifyPipe(target));
  keepSafe();
  changed = true;
  return true;
}

/// Cuts the forward flags of the body that has most into parts that each have
/// enough ids; the consumer's pipe hands back to the producer's between them
/// and at the end of the body, so that all parts can use the same ids.
bool IdAssigner::separate() {
  llvm::MapVector<Body *, SmallVector<const Flag *>> bodies;
  for (const Flag &flag : order.flags)
    if (matches(flag) && !flag.carried)
      bodies[flag.body].push_back(&flag);
  SmallVector<const Flag *> most;
  for (auto &[body, flags] : bodies)
    if (flags.size() > most.size())
      most = flags;
  if (most.size() <= static_cast<size_t>(limit) || !hasEvent(target, source))
    return false;
  llvm::sort(most,
             [](const Flag *a, const Flag *b) { return a->wait < b->wait; });
  Body *body = most.front()->body;
  SmallVector<Flag> cuts;
  for (size_t next = limit; next < most.size(); next += limit)
    cuts.push_back({target, source, body, most[next - 1]->wait + 1,
                    most[next]->set - 1, false, Value()});
  if (body->nearestLoop)
    cuts.push_back({target, source, body, most.back()->wait + 1,
                    most.front()->set - 1, true, Value()});
  size_t before = order.flags.size();
  for (const Flag &flag : cuts) {
    if (flag.carried ? flag.set <= flag.wait : flag.set > flag.wait)
      continue;
    bool known =
        order.isOrdered({body, flag.set, flag.source, Point::BehindChild},
                        {body, flag.wait, flag.target, Point::BeforeChild},
                        flag.carried ? 1 : 0, Value());
    if (known)
      continue;
    order.flags.push_back(flag);
    order.updateIndex();
  }
  if (order.flags.size() == before)
    return false;
  // What the cuts order needs no flags of its own.
  removeUnneeded(before, [&](const Flag &flag) {
    return flag.source == target && flag.target == source;
  });
  changed = true;
  return true;
}

/// Removes those of the first `count` flags that a predicate names and that
/// nothing needs.
void IdAssigner::removeUnneeded(
    size_t count, llvm::function_ref<bool(const Flag &)> isCandidate) {
  for (size_t i = 0; i != count; ++i) {
    Flag &flag = order.flags[i];
    if (!isCandidate(flag))
      continue;
    flag.removed = true;
    order.updateIndex();
    if (!allOrdered(order, required))
      flag.removed = false;
  }
  llvm::erase_if(order.flags, [](const Flag &flag) { return flag.removed; });
  order.updateIndex();
}

/// What is behind a barrier over all pipes can use all ids again: one at the
/// start of each body with such flags, then one before each flag.
bool IdAssigner::addBarriers() {
  if (++barred > 2)
    return false;
  llvm::SetVector<std::pair<Body *, int>> places;
  for (const Flag &flag : order.flags)
    if (matches(flag) && !flag.carried)
      places.insert({flag.body, barred == 1 ? 0 : flag.set - 1});
  for (const Barrier &barrier : order.barriers)
    if (barrier.pipe == Pipe::ALL)
      places.remove({barrier.body, barrier.position});
  if (places.empty())
    return false;
  places.front().first->children[places.front().second].op->emitRemark()
      << "this body has more events from pipe to pipe " << stringifyPipe(source)
      << "_" << stringifyPipe(target) << " than the chip's " << limit
      << ": barriers over all pipes let them share; fewer buffers or products "
         "in one loop avoid that";
  for (auto [body, position] : places)
    order.barriers.push_back({Pipe::ALL, body, position});
  order.updateIndex();
  removeUnneeded(order.flags.size(), [](const Flag &) { return true; });
  changed = true;
  return true;
}

bool IdAssigner::run() {
  if (wanted() <= limit)
    return pack(Share::Nothing);
  while (!pack(Share::OtherBodies))
    if (!giveUpVersions()) {
      while (!pack(Share::Anything))
        if (!separate() && !addBarriers())
          return false;
      return true;
    }
  return true;
}

LogicalResult IdAssigner::report(KernelOp kernel) const {
  InFlightDiagnostic error =
      kernel.emitError() << "the kernel needs " << wanted()
                         << " events from pipe to pipe "
                         << stringifyPipe(source) << "_"
                         << stringifyPipe(target) << ", the chip has " << limit
                         << "; split the kernel or use fewer buffers in one "
                            "loop";
  for (const Flag &flag : order.flags)
    if (matches(flag))
      error.attachNote(flag.body->children[flag.set - 1].op->getLoc())
          << "one of them is set behind this";
  return failure();
}

LogicalResult sync::assignEventIds(SyncOrder &order,
                                   ArrayRef<const Dependence *> required,
                                   const Chip &chip, KernelOp kernel) {
  // One pair's way out may change the flags of another: repeat until all fit.
  int limit = static_cast<int>(chip.eventIdsPerPipePair);
  bool changed = true;
  while (changed) {
    changed = false;
    for (int source = 0; source != static_cast<int>(Pipe::ALL); ++source)
      for (int target = 0; target != static_cast<int>(Pipe::ALL); ++target) {
        IdAssigner assigner(order, required, static_cast<Pipe>(source),
                            static_cast<Pipe>(target), limit);
        if (!assigner.run())
          return assigner.report(kernel);
        changed |= assigner.changed;
      }
  }
  return success();
}
