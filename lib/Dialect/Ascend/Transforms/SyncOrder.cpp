//===- SyncOrder.cpp - What flags and barriers order ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SyncOrder.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

static constexpr uint8_t kAllPipes = 0x7f;

static uint8_t bit(Pipe pipe) { return 1u << static_cast<unsigned>(pipe); }

void SyncOrder::updateIndex() {
  flagsOf.clear();
  barriersOf.clear();
  for (auto [index, flag] : llvm::enumerate(flags))
    if (!flag.removed)
      flagsOf[flag.body].push_back(static_cast<int>(index));
  for (auto [index, barrier] : llvm::enumerate(barriers))
    barriersOf[barrier.body].push_back(static_cast<int>(index));
}

/// The guard of a task of a skewed loop whose body this is, or null.
static Operation *taskOf(const Body *body) {
  if (!body->parent)
    return nullptr;
  Operation *guard = body->parent->children[body->parentChild].op;
  return guard->hasAttr(kTaskAttr) ? guard : nullptr;
}

/// Executions of the body from the set to its wait, as far as a dependence
/// along `ring` may count on it; nothing where it may not.
static std::optional<int> executionsOf(const Flag &flag, Value ring) {
  if (!flag.carried)
    return 0;
  if (!flag.ring)
    return 1;
  // Behind a branch executions are skipped, so only the slot says which set
  // the wait belongs to.
  if (flag.body->conditional)
    return flag.ring == ring ? std::optional(1) : std::nullopt;
  return flag.ids();
}

void SyncOrder::Knowledge::add(const Knowledge &other) {
  pipes |= other.pipes;
  issued |= other.issued;
  locked |= other.locked;
  for (size_t age = 0; age != raised.size(); ++age)
    raised[age] |= other.raised[age];
}

bool SyncOrder::TaskRange::contains(const Child &task, int execution) const {
  if (low > high || !task.op->hasAttr(kTaskAttr))
    return false;
  int64_t iteration = execution - skewOf(task.op) + skew;
  return low <= iteration && iteration <= high;
}

/// Counters raised, or answers waited for, at a position.
void SyncOrder::passCounters(Body *body, int position, bool waits, Pipe pipe,
                             Knowledge &state) const {
  for (auto [index, trip] : llvm::enumerate(roundTrips)) {
    uint64_t mask = uint64_t(1) << index;
    if (waits) {
      if (trip.waitBody != body || trip.wait != position)
        continue;
      for (size_t age = 0; age != state.raised.size(); ++age)
        if (static_cast<int64_t>(age) >= trip.lag && (state.raised[age] & mask))
          state.pipes = kAllPipes;
    } else if (trip.setBody == body && trip.set == position &&
               ((state.pipes & bit(trip.source)) ||
                (state.issued && trip.source == pipe))) {
      state.raised[0] |= mask;
    }
  }
}

SyncOrder::Knowledge SyncOrder::sweep(Body *body,
                                      std::pair<int, Point::Side> start,
                                      Knowledge initial, Pipe pipe,
                                      int distance,
                                      std::pair<int, Point::Side> end,
                                      Value ring, TaskRange tasks) const {
  int size = static_cast<int>(body->children.size());
  // Knowledge at the set point of each position, per execution.
  SmallVector<SmallVector<Knowledge, 32>, 4> atSets(distance + 1);
  ArrayRef<int> flagIndices, barrierIndices;
  if (auto entry = flagsOf.find(body); entry != flagsOf.end())
    flagIndices = entry->second;
  if (auto entry = barriersOf.find(body); entry != barriersOf.end())
    barrierIndices = entry->second;
  scf::ForOp loop = body->loop;
  bool isSkewed = loop && loop->hasAttr(kSkewAttr);

  Knowledge state;
  auto begin = [&](int execution, int position, Point::Side side) {
    if (execution == 0 && start == std::pair(position, side))
      state.add(initial);
  };
  for (int execution = 0; execution <= distance; ++execution) {
    auto &history = atSets[execution];
    history.resize(size + 1);
    int last = execution == distance ? end.first : size;
    for (int position = 0; position <= last; ++position) {
      begin(execution, position, Point::BehindChild);
      history[position] = state;
      passCounters(body, position, /*waits=*/false, pipe, state);
      for (int index : flagIndices) {
        const Flag &flag = flags[index];
        if (flag.lock >= 0 && flag.set == position &&
            ((state.pipes & bit(flag.source)) ||
             (state.issued && flag.source == pipe)))
          state.locked |= uint64_t(1) << flag.lock;
      }
      if (execution == distance &&
          end == std::pair(position, Point::BehindChild))
        return state;
      for (int index : flagIndices) {
        const Flag &flag = flags[index];
        if (flag.wait != position)
          continue;
        if (flag.lock >= 0 && (state.locked >> flag.lock & 1))
          state.pipes |= bit(flag.target);
        auto back = executionsOf(flag, ring);
        if (!back || *back > execution)
          continue;
        const Knowledge &known = atSets[execution - *back][flag.set];
        bool fires = (known.pipes & bit(flag.source)) ||
                     (known.issued && flag.source == pipe);
        if (fires)
          state.pipes |= flag.target == Pipe::S ? kAllPipes : bit(flag.target);
      }
      passCounters(body, position, /*waits=*/true, pipe, state);
      for (int index : barrierIndices) {
        const Barrier &barrier = barriers[index];
        if (barrier.position != position || !state.issued)
          continue;
        if (barrier.pipe == Pipe::ALL)
          state.pipes = kAllPipes;
        else if (barrier.pipe == pipe)
          state.pipes |= bit(pipe);
      }
      begin(execution, position, Point::BeforeChild);
      if (position < last) {
        const Child &child = body->children[position];
        state = passThrough(child, state, pipe, ring,
                            tasks.contains(child, execution));
      }
    }
    if (!isSkewed || execution == distance)
      continue;
    // A step has passed.
    for (size_t age = state.raised.size() - 1; age != 0; --age)
      state.raised[age] =
          state.raised[age - 1] |
          (age + 1 == state.raised.size() ? state.raised[age] : uint64_t(0));
    state.raised[0] = 0;
  }
  return state;
}

SyncOrder::Knowledge SyncOrder::sweepToEnd(Body *body,
                                           std::pair<int, Point::Side> start,
                                           Knowledge initial, Pipe pipe,
                                           Value ring) const {
  int size = static_cast<int>(body->children.size());
  return sweep(body, start, initial, pipe, 0, {size, Point::BehindChild}, ring);
}

/// The last iteration of a loop that runs starts with what was known before the
/// loop; a branch adds what both of its sides do.
SyncOrder::Knowledge SyncOrder::passThrough(const Child &child, Knowledge state,
                                            Pipe pipe, Value ring,
                                            bool surelyRuns) const {
  if (child.bodies.empty() || (!state.pipes && !state.issued))
    return state;
  auto behind = [&](Body *body) {
    return sweepToEnd(body, {0, Point::BehindChild}, state, pipe, ring);
  };
  Body *front = child.bodies.front();
  if (front->loop) {
    if (!front->surelyRuns)
      return state;
    auto skew = front->loop->getAttrOfType<IntegerAttr>(kSkewAttr);
    if (!skew)
      return behind(front);
    // All tasks do the first iteration, if there is one.
    int64_t steps = skew.getInt();
    bool hasIteration = constantTripCount(front->loop).value_or(0) > steps;
    TaskRange tasks;
    if (hasIteration)
      tasks = {0, 0, 0};
    return sweep(front, {0, Point::BehindChild}, state, pipe,
                 static_cast<int>(steps),
                 {static_cast<int>(front->children.size()), Point::BehindChild},
                 ring, tasks);
  }
  if (surelyRuns)
    return behind(front);
  if (child.bodies.size() == 2) {
    Knowledge otherwise = behind(child.bodies.back());
    Knowledge then = behind(front);
    state.pipes |= then.pipes & otherwise.pipes;
  }
  return state;
}

bool SyncOrder::isOrdered(Point source, Point target, int distance, Value ring,
                          Body *around) const {
  // Find the deepest common body and remember the way down to the target.
  Body *body = source.body;
  SmallVector<std::pair<Body *, int>, 4> way{{target.body, target.position}};
  while (body != way.back().first) {
    Body *other = way.back().first;
    bool same = body->depth == other->depth;
    if (same || body->depth > other->depth)
      body = body->parent;
    if (same || other->depth > body->depth)
      way.push_back({other->parent, other->parentChild});
  }
  auto climb = [&] {
    way.push_back({body->parent, body->parentChild});
    body = body->parent;
  };
  while (around && body != around)
    climb();
  while (true) {
    if (isOrderedAt(body, source, target, way, distance, ring))
      return true;
    if (distance == 0)
      return false;
    if (body->loop) {
      // As many iterations apart as the loop has: the loop ran again, or never
      // does.
      auto trips = constantTripCount(body->loop);
      if (!trips || *trips > distance)
        return false;
      if (!body->parent->nearestLoop)
        return true;
      distance = 1;
      ring = Value();
    } else if (!body->conditional) {
      return false;
    }
    // Two executions of a branch are also two of the body around it.
    climb();
  }
}

/// What is known at the end of the bodies inside `body` that hold the source;
/// `start` becomes the position behind them in `body`, `task` the task of
/// `body`, a skewed loop's, that the source is in.
SyncOrder::Knowledge SyncOrder::climb(Body *body, Point source, Value ring,
                                      std::pair<int, Point::Side> &start,
                                      Operation *&task) const {
  Knowledge state{0, true};
  Body *at = source.body;
  start = {source.position, source.side};
  task = nullptr;
  while (at != body) {
    if (task) {
      // All tasks do the iteration of the source, and the loop goes on until
      // the last of them has.
      int64_t skew = skewOf(task);
      int64_t rest =
          at->loop->getAttrOfType<IntegerAttr>(kSkewAttr).getInt() - skew;
      state = sweep(at, start, state, source.pipe, static_cast<int>(rest),
                    {static_cast<int>(at->children.size()), Point::BehindChild},
                    ring, {skew, 0, 0});
    } else {
      state = sweepToEnd(at, start, state, source.pipe, ring);
    }
    start = {at->parentChild + 1, Point::BehindChild};
    task = taskOf(at);
    at = at->parent;
  }
  return state;
}

/// Follows `state` through `body` and down to the target; `way` leads from
/// `body` (last) to it (first).
bool SyncOrder::reachesTarget(Knowledge state, Body *body,
                              std::pair<int, Point::Side> start, Point target,
                              ArrayRef<std::pair<Body *, int>> way, Pipe pipe,
                              int distance, Value ring, TaskRange tasks) const {
  auto sideOf = [&] { return way.empty() ? target.side : Point::BeforeChild; };
  int end = way.back().second;
  way = way.drop_back();
  std::pair<int, Point::Side> stop{end, sideOf()};
  if (distance == 0 && stop < start)
    return false;
  state = sweep(body, start, state, pipe, distance, stop, ring, tasks);
  while (!way.empty()) {
    auto [inner, innerEnd] = way.back();
    way = way.drop_back();
    state = sweep(inner, {0, Point::BehindChild}, state, pipe, 0,
                  {innerEnd, sideOf()}, ring);
  }
  return state.pipes & bit(target.pipe);
}

/// `body` holds both; `way` leads from `body` (last) to the target (first).
/// `sameRun` says that both lie in one run of a skewed loop whose body this is.
bool SyncOrder::isOrderedIn(Body *body, Point source, Point target,
                            ArrayRef<std::pair<Body *, int>> way, int distance,
                            Value ring, bool sameRun) const {
  std::pair<int, Point::Side> start;
  Operation *task;
  Knowledge state = climb(body, source, ring, start, task);
  if (body->conditional && ring && distance > 0)
    distance = 1;
  TaskRange tasks;
  if (task && sameRun) {
    // Tasks do all iterations between those of the source and the target.
    tasks = {skewOf(task), 0, 0};
    if (way.size() > 1)
      if (Operation *other = taskOf(way[way.size() - 2].first)) {
        int64_t iteration = distance - skewOf(other) + tasks.skew;
        tasks.low = std::min<int64_t>(iteration, 0);
        tasks.high = std::max<int64_t>(iteration, 0);
      }
  }
  return reachesTarget(state, body, start, target, way, source.pipe, distance,
                       ring, tasks);
}

bool SyncOrder::isOrderedAt(Body *body, Point source, Point target,
                            ArrayRef<std::pair<Body *, int>> way, int distance,
                            Value ring) const {
  if (isOrderedIn(body, source, target, way, distance, ring, false))
    return true;
  bool isSkewed = body->loop && body->loop->hasAttr(kSkewAttr);
  if (!isSkewed ||
      !isOrderedIn(body, source, target, way, distance, ring, true))
    return false;
  if (distance == 0 || !body->parent->nearestLoop)
    return true;
  // The target may also lie in a later run of the loop.
  std::pair<int, Point::Side> start;
  Operation *task;
  Knowledge state = climb(body->parent, source, ring, start, task);
  return reachesTarget(state, body, {0, Point::BehindChild}, target, way,
                       source.pipe, 0, ring, TaskRange());
}

bool SyncOrder::isOrdered(const Dependence &dependence) const {
  const Instruction &source = program.instructions[dependence.source];
  const Instruction &target = program.instructions[dependence.target];
  return isOrdered(
      {source.body, source.child + 1, source.pipe, Point::BehindChild},
      {target.body, target.child, target.pipe, Point::BeforeChild},
      dependence.distance, dependence.ring, dependence.body);
}

bool SyncOrder::isSafe(const Flag &flag) const {
  // Behind a wait of the scalar unit everything issued later comes after it.
  if (!flag.body->nearestLoop || flag.target == Pipe::S)
    return true;
  // A carried flag is set again only behind the next wait of its id, which
  // stands earlier in the body.
  return isOrdered({flag.body, flag.wait, flag.target, Point::BeforeChild},
                   {flag.body, flag.set, flag.source, Point::BehindChild},
                   flag.carried ? 0 : flag.ids(), flag.ring);
}
