//===- EngineSync.cpp - Flags, barriers and deadlocks ---------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Engine.h"

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::CoreType;
using ascsim::FlagShape;
using ascsim::Opcode;
using ascsim::Pipe;

static std::string flagName(Pipe source, Pipe destination, uint32_t id) {
  return std::string(pipeName(source)) + "_" + pipeName(destination) + " " +
         std::to_string(id);
}
static std::string flagName(const FlagState &flag) {
  return flagName(flag.source, flag.destination, flag.id);
}
static WaitKey keyOf(const FlagState &flag, uint32_t waitSite) {
  return {WaitCause::Kind::Flag,          flag.source, flag.destination,
          static_cast<uint16_t>(flag.id), waitSite,    flag.setSite};
}

//===----------------------------------------------------------------------===//
// Flags between pipes of a core
//===----------------------------------------------------------------------===//

int32_t Engine::flagNumber(Core &core, const FlagShape &shape) {
  uint32_t key = static_cast<uint32_t>(shape.source) << 24 |
                 static_cast<uint32_t>(shape.destination) << 16 |
                 (shape.id & 0xffff);
  auto [entry, isNew] =
      core.flagIndex.try_emplace(key, static_cast<int32_t>(core.flags.size()));
  if (isNew) {
    FlagState &flag = core.flags.emplace_back();
    flag.source = shape.source;
    flag.destination = shape.destination;
    flag.id = shape.id;
  }
  return entry->second;
}

FlagState &Engine::flagState(Core &core, const FlagShape &shape) {
  return core.flags[flagNumber(core, shape)];
}

PendingSet *Engine::newSet(const PendingSet &set) {
  if (freeSets.empty()) {
    setStorage.push_back(std::make_unique<PendingSet>(set));
    return setStorage.back().get();
  }
  PendingSet *result = freeSets.back();
  freeSets.pop_back();
  *result = set;
  return result;
}

/// A set must happen after the wait that consumed the set before it, whatever
/// the timing: otherwise two sets can meet, which the hardware leaves
/// undefined. Ids that the toolchain deals out itself (TQue) are reused by
/// design as soon as their wait is issued; there only sets that do meet count.
void Engine::checkSetOrder(Core &core, FlagState &flag,
                           const Accessor &accessor, bool byToolchain) {
  if (byToolchain) {
    ++flag.sets;
    return;
  }
  bool ordered = flag.sets == flag.waits &&
                 (flag.waits == 0 || flag.source == flag.destination ||
                  accessor.knows(flag.lastWait));
  ++flag.sets;
  if (ordered || !options.checks)
    return;
  bool neverWaited = flag.waits == 0;
  addFinding(
      finding::kFlag,
      "SetFlag " + flagName(flag) +
          " may be issued while the flag is still set: nothing orders it "
          "after the WaitFlag that consumes the last set; wait for the flag "
          "first, or use another event id",
      placeOf(accessor.epoch),
      placeOf(core, neverWaited ? flag.source : flag.destination,
              neverWaited ? flag.setSite : flag.waitSite));
}

void Engine::queueSet(Core &core, Pipe which, const QueueEntry &entry) {
  PipeState &pipe = core.pipe(which);
  takeDispatch(pipe, entry);
  const ascsim::Instruction &record = entry.instruction.record;
  unsigned thread = core.thread(which);
  PendingSet set{pipe.nextSequence - 1,
                 record.opcode,
                 record.flag,
                 entry.site,
                 pipe.clock,
                 {core.reportIndex, which, now}};
  set.clock.own[thread] = pipe.counter;
  if (record.opcode == Opcode::SetFlag) {
    FlagState &flag = flagState(core, record.flag);
    Accessor accessor{{core.block, pipe.counter, entry.site, entry.order,
                       static_cast<uint8_t>(thread)},
                      &pipe.clock};
    checkSetOrder(core, flag, accessor, record.cubeFlags & 1);
    if (flag.sets == 1)
      flag.setSite = entry.site;
  }
  pipe.pendingSets.push_back(std::move(set));
  firePending(core, which);
}

void Engine::firePending(Core &core, Pipe which) {
  PipeState &pipe = core.pipe(which);
  while (!pipe.pendingSets.empty() &&
         pipe.pendingSets.front().afterSequence < pipe.firstOpen) {
    PendingSet *set = newSet(pipe.pendingSets.front());
    pipe.pendingSets.pop_front();
    if (set->opcode == Opcode::SetFlag)
      post(now + jitter(constants.flagDelay, 4), EventKind::FlagFire, core,
           which, set);
    else
      post(now + jitter(constants.crossCoreDelay, 4), EventKind::CrossArrive,
           core, which, set);
  }
}

void Engine::fireFlag(Core &core, PendingSet *set) {
  int32_t number = flagNumber(core, set->flag);
  FlagState &flag = core.flags[number];
  if (flag.set && options.checks)
    addFinding(finding::kFlag,
               "SetFlag " + flagName(flag) +
                   " is issued while the flag is still set; wait for the flag "
                   "first, or use another event id",
               placeOf(core, flag.source, set->site),
               placeOf(core, flag.source, flag.setSite));
  // A wait is satisfied by the first set; what a second one knows orders
  // nothing before it.
  if (!flag.set) {
    flag.set = true;
    flag.setSite = set->site;
    flag.place = set->place;
    flag.clock = std::move(set->clock);
  }
  freeSets.push_back(set);
  if (flag.destination == Pipe::S) {
    if (core.blockedOn == BlockedOn::Flag &&
        core.blockedDetail == static_cast<uint32_t>(number))
      wake(core, now);
  } else if (flag.destination != Pipe::All &&
             core.pipe(flag.destination).waitingFlag == number) {
    tryStart(core, flag.destination);
  }
}

bool Engine::tryWaitFlag(Core &core, Pipe which, const QueueEntry &entry) {
  PipeState &pipe = core.pipe(which);
  int32_t number = flagNumber(core, entry.instruction.record.flag);
  FlagState &flag = core.flags[number];
  if (!flag.set) {
    pipe.waitingFlag = number;
    return false;
  }
  WaitKey key = keyOf(flag, entry.site);
  if (pipe.waitingFlag >= 0) {
    noteWait(core, which, key);
    pipe.waitingFlag = -1;
  }
  if (options.timeline)
    noteArrow(flag.place, core, which, now, key);
  flag.set = false;
  ++flag.waits;
  takeDispatch(pipe, entry);
  pipe.clock.join(flag.clock);
  ++pipe.counter;
  flag.lastWait = {core.block, pipe.counter, entry.site, entry.order,
                   static_cast<uint8_t>(core.thread(which))};
  flag.waitSite = entry.site;
  return true;
}

//===----------------------------------------------------------------------===//
// Unit flags between Mmad and Fixpipe
//===----------------------------------------------------------------------===//

/// The accumulator an instruction hands over by unit flag; null without one.
static const ascsim::Operand *unitOperand(const ascsim::Instruction &record) {
  if (record.opcode == Opcode::Mmad && record.mmad.unitFlag >= 2)
    return &record.dst;
  if (record.opcode == Opcode::Fixpipe && record.fixpipe.unitFlag >= 2)
    return &record.src0;
  return nullptr;
}

/// Whether it toggles the flag at its end, rather than keep it.
static bool changesUnit(const ascsim::Instruction &record) {
  return (record.opcode == Opcode::Fixpipe ? record.fixpipe.unitFlag
                                           : record.mmad.unitFlag) == 3;
}

/// The hardware hands over fractal by fractal; the model at the end of the
/// last Mmad.
bool Engine::tryUnitFlag(Core &core, Pipe which, const QueueEntry &entry) {
  const ascsim::Instruction &record = entry.instruction.record;
  const ascsim::Operand *operand = unitOperand(record);
  if (!operand)
    return true;
  PipeState &pipe = core.pipe(which);
  auto needed =
      record.opcode == Opcode::Fixpipe ? UnitFlag::Full : UnitFlag::Empty;
  if (core.unitFlags[operand->address].state != needed) {
    pipe.waitingUnit = true;
    return false;
  }
  if (pipe.waitingUnit)
    noteWait(core, which,
             {WaitCause::Kind::UnitFlag,
              which == Pipe::FIX ? Pipe::M : Pipe::FIX, which, 0, entry.site,
              core.unitFlags[operand->address].site});
  pipe.waitingUnit = false;
  return true;
}

void Engine::startUnit(Core &core, const QueueEntry &entry) {
  const ascsim::Instruction &record = entry.instruction.record;
  const ascsim::Operand *operand = unitOperand(record);
  if (!operand)
    return;
  UnitFlag &unit = core.unitFlags[operand->address];
  PipeState &pipe = core.pipe(record.pipe);
  bool drains = record.opcode == Opcode::Fixpipe;
  if (changesUnit(record))
    unit.state = UnitFlag::Changing;
  pipe.clock.join(drains ? unit.filled : unit.drained);
  Clock &publish = drains ? unit.drained : unit.filled;
  publish = pipe.clock;
  publish.own[core.thread(record.pipe)] = pipe.counter;
  if (!drains) {
    unit.rows = record.mmad.m;
    unit.columns = record.mmad.n;
    return;
  }
  if (options.checks && (unit.rows != record.fixpipe.mSize ||
                         unit.columns != record.fixpipe.nSize))
    addFinding(finding::kFlag,
               "Fixpipe with unit flag drains " +
                   std::to_string(record.fixpipe.mSize) + " x " +
                   std::to_string(record.fixpipe.nSize) +
                   " elements, but Mmad filled " + std::to_string(unit.rows) +
                   " x " + std::to_string(unit.columns) +
                   "; extents must match or the core hangs",
               placeOf(core, Pipe::FIX, entry.site));
}

void Engine::completeUnit(Core &core, const QueueEntry &entry) {
  const ascsim::Instruction &record = entry.instruction.record;
  const ascsim::Operand *operand = unitOperand(record);
  if (!operand)
    return;
  bool drains = record.opcode == Opcode::Fixpipe;
  if (!changesUnit(record))
    return;
  UnitFlag &unit = core.unitFlags[operand->address];
  unit.state = drains ? UnitFlag::Empty : UnitFlag::Full;
  unit.site = entry.site;
  Pipe other = drains ? Pipe::M : Pipe::FIX;
  if (core.pipe(other).waitingUnit)
    tryStart(core, other);
}

//===----------------------------------------------------------------------===//
// The scalar unit
//===----------------------------------------------------------------------===//

/// From here on everything the core dispatches knows `clock`.
void Engine::joinDispatch(Core &core, const Clock &clock) {
  auto next = core.dispatch ? std::make_shared<Clock>(*core.dispatch)
                            : std::make_shared<Clock>();
  next->join(clock);
  unsigned thread = core.place * kThreadsPerCore + kDispatchThread;
  next->own[thread] = ++core.dispatchCounter;
  core.pipe(Pipe::S).clock.join(*next);
  core.dispatch = std::move(next);
}

void Engine::setFromScalar(Core &core, const ascsim::Instruction &record,
                           uint32_t site) {
  // The wait that consumes the last set may still lie between now and the
  // time of the program.
  advance(core);
  Accessor accessor = scalarAccess(core, site);
  FlagState &flag = flagState(core, record.flag);
  checkSetOrder(core, flag, accessor, record.cubeFlags & 1);
  if (flag.sets == 1)
    flag.setSite = site;
  PendingSet *set = newSet({0,
                            record.opcode,
                            record.flag,
                            site,
                            core.pipe(Pipe::S).clock,
                            {core.reportIndex, Pipe::S, core.scalarTime}});
  post(core.scalarTime + jitter(constants.flagDelay, 4), EventKind::FlagFire,
       core, Pipe::S, set);
}

void Engine::waitScalarFlag(Core &core, const FlagShape &shape, uint32_t site) {
  advance(core);
  int32_t number = flagNumber(core, shape);
  double start = core.scalarTime;
  if (!core.flags[number].set)
    suspend(core, BlockedOn::Flag, static_cast<uint32_t>(number), site);
  FlagState &flag = core.flags[number];
  WaitKey key = keyOf(flag, site);
  noteStall(core, key, start);
  if (options.timeline)
    noteArrow(flag.place, core, Pipe::S, core.scalarTime, key);
  flag.set = false;
  ++flag.waits;
  joinDispatch(core, flag.clock);
  flag.lastWait = {
      core.block, core.dispatchCounter, site, core.issued,
      static_cast<uint8_t>(core.place * kThreadsPerCore + kDispatchThread)};
  flag.waitSite = site;
}

bool Engine::isIdle(const Core &core) const {
  if (core.inFlight)
    return false;
  for (const PipeState &pipe : core.pipes)
    if (!pipe.drained())
      return false;
  return true;
}

void Engine::checkIdle(Core &core) {
  if (!core.active || !(core.returned || core.blockedOn == BlockedOn::Drain) ||
      !isIdle(core))
    return;
  if (core.returned)
    blockCoreDone(core);
  else
    wake(core, now);
}

/// PipeBarrier<PIPE_ALL>: the program goes on when every pipe is empty.
void Engine::drain(Core &core, uint32_t site) {
  double start = core.scalarTime;
  if (!isIdle(core))
    suspend(core, BlockedOn::Drain, 0, site);
  noteStall(core, {WaitCause::Kind::Drain, Pipe::S, Pipe::All, 0, site, 0},
            start);
  Clock all;
  for (unsigned i = 0; i != ascsim::kNumPipes; ++i) {
    all.join(core.pipes[i].clock);
    unsigned thread = core.place * kThreadsPerCore + i;
    all.own[thread] = std::max(all.own[thread], core.pipes[i].counter);
  }
  joinDispatch(core, all);
}

//===----------------------------------------------------------------------===//
// Flags between cores
//===----------------------------------------------------------------------===//

void Engine::waitCrossCore(Core &core, const FlagShape &shape, uint32_t site) {
  advance(core);
  uint32_t id = shape.id % kCrossFlags;
  CrossCounter &counter = core.counters[id];
  double start = core.scalarTime;
  if (counter.items.empty())
    suspend(core, BlockedOn::CrossFlag, id, site);
  CrossItem item = std::move(counter.items.front());
  counter.items.pop_front();
  WaitKey key{WaitCause::Kind::CrossFlag,
              item.place.pipe,
              Pipe::S,
              static_cast<uint16_t>(id),
              site,
              item.site};
  noteStall(core, key, start);
  if (options.timeline)
    noteArrow(item.place, core, Pipe::S, core.scalarTime, key);
  if (item.snapshot)
    item.clock.joinSnapshot(item.snapshot, core.block);
  joinDispatch(core, item.clock);
}

void Engine::deliver(Core &core, uint32_t id, uint8_t mode, CrossItem item) {
  CrossCounter &counter = core.counters[id];
  if (!counter.items.empty() && counter.mode != mode)
    addFinding(finding::kFlag,
               "cross-core flag " + std::to_string(id) + " arrives in mode " +
                   std::to_string(mode) + " while sets of mode " +
                   std::to_string(counter.mode) +
                   " are still unconsumed; use one mode per flag id",
               placeOf(core, Pipe::S, item.site));
  counter.mode = mode;
  uint32_t site = item.site;
  counter.items.push_back(std::move(item));
  if (counter.items.size() > constants.crossCoreLimit)
    addFinding(finding::kFlag,
               "cross-core flag " + std::to_string(id) + " of " +
                   describe(core) + " holds " +
                   std::to_string(counter.items.size()) +
                   " unconsumed sets; the counter ends at " +
                   std::to_string(constants.crossCoreLimit) +
                   ", beyond it the device hangs: wait for the consumer before "
                   "setting again",
               placeOf(core, Pipe::S, site));
  if (core.blockedOn == BlockedOn::CrossFlag && core.blockedDetail == id)
    wake(core, now);
}

void Engine::crossArrive(Core &core, PendingSet *set) {
  uint32_t id = set->flag.id % kCrossFlags;
  uint8_t mode = set->flag.mode;
  Cluster &cluster = clusters[core.cluster];
  CrossItem item{std::move(set->clock), nullptr, set->site, set->place};
  freeSets.push_back(set);
  bool mixed = kernel.type() == KernelType::Mix12;

  if (mode == 0) {
    if (waves) {
      addFinding(finding::kFlag,
                 "a cross-core flag of mode 0 waits for all blocks, but the " +
                     std::to_string(options.blockDim) +
                     " blocks of this launch do not run at the same time; "
                     "launch at most as many blocks as there are cores",
                 placeOf(core, Pipe::S, item.site));
      failed = true;
      return;
    }
    auto &perCore = gridSets[static_cast<size_t>(core.type)][id];
    perCore[core.index].push_back(std::move(item));
    for (const auto &queue : perCore)
      if (queue.empty())
        return;
    // All cores have set: each learns what every one knew.
    auto snapshot = std::make_shared<ForeignClocks>(options.blockDim);
    auto merge = [](ThreadClocks &into, const ThreadClocks &from) {
      for (unsigned i = 0; i != kThreadsPerBlock; ++i)
        into[i] = std::max(into[i], from[i]);
    };
    uint32_t site = 0;
    SetPlace place;
    for (Core &other : cores) {
      if (other.type != core.type)
        continue;
      CrossItem &theirs = perCore[other.index].front();
      merge((*snapshot)[other.block], theirs.clock.own);
      if (theirs.clock.foreign)
        for (size_t block = 0; block != snapshot->size(); ++block)
          merge((*snapshot)[block], (*theirs.clock.foreign)[block]);
      site = theirs.site;
      // The one that came last: all others had set before.
      if (theirs.place.time >= place.time)
        place = theirs.place;
      perCore[other.index].pop_front();
    }
    for (Core &other : cores)
      if (other.type == core.type)
        deliver(other, id, mode, {Clock(), snapshot, site, place});
    return;
  }

  if (!mixed) {
    addFinding(finding::kFlag,
               "a cross-core flag of mode " + std::to_string(mode) +
                   " connects the cores of a cluster, but this kernel runs on "
                   "one core type only; it must be a mixed kernel",
               placeOf(core, Pipe::S, item.site));
    failed = true;
    return;
  }
  if (mode == 2 && core.type == CoreType::AIC) {
    deliver(*cluster.members[1], id, mode, item);
    deliver(*cluster.members[2], id, mode, std::move(item));
    return;
  }
  if (core.type == CoreType::AIC) {
    addFinding(
        finding::kFlag,
        "a cross-core flag of mode 1 connects the two AIVs of a cluster; "
        "an AIC cannot set it",
        placeOf(core, Pipe::S, item.site));
    failed = true;
    return;
  }
  // A set counts when both Vector cores have set.
  auto &sides = mode == 2 ? pairSets[core.cluster].toCube[id]
                          : pairSets[core.cluster].pair[id];
  sides[core.subBlock].push_back(std::move(item));
  if (sides[0].empty() || sides[1].empty())
    return;
  CrossItem both = std::move(sides[0].front());
  both.clock.join(sides[1].front().clock);
  // The later one ends the wait.
  if (sides[1].front().place.time > both.place.time) {
    both.place = sides[1].front().place;
    both.site = sides[1].front().site;
  }
  sides[0].pop_front();
  sides[1].pop_front();
  if (mode == 2) {
    deliver(*cluster.members[0], id, mode, std::move(both));
  } else {
    deliver(*cluster.members[1], id, mode, both);
    deliver(*cluster.members[2], id, mode, std::move(both));
  }
}

//===----------------------------------------------------------------------===//
// The end of a block
//===----------------------------------------------------------------------===//

/// Flags must be clear and counters zero: what remains meets the next kernel.
void Engine::checkFlagsAtEnd(Core &core) {
  if (!options.checks)
    return;
  for (const FlagState &flag : core.flags)
    if (flag.sets > flag.waits)
      addFinding(finding::kFlag,
                 "flag " + flagName(flag) +
                     " is still set when the kernel ends (" +
                     std::to_string(flag.sets) + " sets, " +
                     std::to_string(flag.waits) +
                     " waits); every SetFlag needs its WaitFlag",
                 placeOf(core, flag.source, flag.setSite));
  for (uint32_t id = 0; id != kCrossFlags; ++id)
    if (!core.counters[id].items.empty())
      addFinding(finding::kFlag,
                 "cross-core flag " + std::to_string(id) + " of " +
                     describe(core) + " still counts " +
                     std::to_string(core.counters[id].items.size()) +
                     " when the kernel ends; every set needs its wait",
                 placeOf(core, Pipe::S, core.counters[id].items.front().site));
  if (core.type != CoreType::AIV || kernel.type() != KernelType::Mix12)
    return;
  const PairSets &sets = pairSets[core.cluster];
  for (uint32_t id = 0; id != kCrossFlags; ++id)
    for (const auto *sides : {&sets.toCube[id], &sets.pair[id]})
      if (!(*sides)[core.subBlock].empty())
        addFinding(
            finding::kFlag,
            "cross-core flag " + std::to_string(id) + " was set " +
                std::to_string((*sides)[core.subBlock].size()) +
                " times more by " + describe(core) +
                " than by the other Vector core of its cluster; a set "
                "counts only when both have set",
            placeOf(core, Pipe::S, (*sides)[core.subBlock].front().site));
}

void Engine::reportDeadlock() {
  constexpr size_t kMaxLines = 48;
  std::string message = "no core can go on:";
  std::optional<Place> first, second;
  size_t lines = 0, left = 0;
  auto line = [&](Core &core, Pipe pipe, uint32_t site, std::string what) {
    if (!first)
      first = placeOf(core, pipe, site);
    else if (!second)
      second = placeOf(core, pipe, site);
    if (lines == kMaxLines) {
      ++left;
      return;
    }
    ++lines;
    message +=
        "\n  " + describe(core) + ", pipe " + pipeName(pipe) + ": " + what;
  };
  for (Core &core : cores) {
    if (!core.active)
      continue;
    for (unsigned i = 0; i != ascsim::kNumPipes; ++i) {
      PipeState &pipe = core.pipes[i];
      if (pipe.waitingUnit && !pipe.queue.empty())
        line(core, static_cast<Pipe>(i), pipe.queue.front()->site,
             i == static_cast<unsigned>(Pipe::FIX)
                 ? "Fixpipe waits for a Mmad with unit flag 3 on its "
                   "accumulator"
                 : "Mmad waits for a Fixpipe with unit flag 3 to drain its "
                   "accumulator");
      if (pipe.waitingFlag < 0 || pipe.queue.empty())
        continue;
      const FlagState &flag = core.flags[pipe.waitingFlag];
      line(core, static_cast<Pipe>(i), pipe.queue.front()->site,
           "WaitFlag " + flagName(flag) + " waits for a SetFlag on pipe " +
               pipeName(flag.source) +
               (flag.waits ? " (" + std::to_string(flag.waits) + " came so far)"
                           : std::string(" that never came")));
    }
    switch (core.blockedOn) {
    case BlockedOn::Flag: {
      const FlagState &flag = core.flags[core.blockedDetail];
      line(core, Pipe::S, core.blockedSite,
           "WaitFlag " + flagName(flag) + " waits for a SetFlag on pipe " +
               pipeName(flag.source));
      break;
    }
    case BlockedOn::CrossFlag: {
      std::string what = "CrossCoreWaitFlag " +
                         std::to_string(core.blockedDetail) +
                         " waits for a CrossCoreSetFlag of other cores";
      if (kernel.type() == KernelType::Mix12 && core.type == CoreType::AIC) {
        const auto &sides = pairSets[core.cluster].toCube[core.blockedDetail];
        for (unsigned side = 0; side != 2; ++side)
          if (!sides[side].empty())
            what += "; AIV " + std::to_string(side) +
                    " of the cluster has set it, AIV " +
                    std::to_string(1 - side) + " has not";
      }
      line(core, Pipe::S, core.blockedSite, std::move(what));
      break;
    }
    case BlockedOn::Drain:
      line(core, Pipe::S, core.blockedSite,
           "PipeBarrier<PIPE_ALL> waits for the pipes above");
      break;
    case BlockedOn::QueueFull:
      line(core, Pipe::S, core.blockedSite,
           std::string("the queue of pipe ") +
               pipeName(static_cast<Pipe>(core.blockedDetail)) + " is full");
      break;
    case BlockedOn::Nothing:
    case BlockedOn::Time:
      break;
    }
  }
  if (left)
    message += "\n  and " + std::to_string(left) + " more";
  if (!first)
    first = placeOf(cores.front(), Pipe::S, cores.front().lastSite);
  addFinding(finding::kDeadlock, std::move(message), *first, second);
}
