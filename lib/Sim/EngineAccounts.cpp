//===- EngineAccounts.cpp - Where the time of a pipe goes -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Engine.h"

#include <map>
#include <utility>

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::CoreType;
using ascsim::Memory;
using ascsim::Pipe;

/// Stalls that a core keeps before they are added up.
static constexpr size_t kKeptStalls = 4096;

static void add(WaitTotals &totals, const WaitKey &key, double cycles) {
  WaitTotal &total = totals[key];
  total.cycles += cycles;
  ++total.count;
}

/// Calls `visit` for the stalls of the dispatch since the account ends.
template <typename Visit>
static void visitStalls(const Core &core, PipeAccount &account, double end,
                        Visit &&visit) {
  size_t index = account.stall;
  for (; index != core.stalls.size(); ++index) {
    const DispatchStall &stall = core.stalls[index];
    double from = std::max(stall.start, account.until);
    double to = std::min(stall.end, end);
    if (from < to)
      visit(stall.key, to - from);
    if (stall.end > end)
      break;
  }
  account.stall = index;
}

void Engine::closeGap(Core &core, Pipe which) {
  PipeAccount &account = core.pipe(which).account;
  if (now <= account.until)
    return;
  double explained = account.openCycles;
  for (const auto &[key, total] : account.open)
    account.pending.push_back({key, total, /*atDispatch=*/true});
  account.open.clear();
  account.openCycles = 0;
  visitStalls(core, account, now, [&](const WaitKey &key, double cycles) {
    account.pending.push_back({key, {cycles, 1}, /*atDispatch=*/true});
    explained += cycles;
  });
  account.pendingDispatch += std::max(0.0, now - account.until - explained);
  account.until = now;
}

void Engine::bookPending(PipeAccount &account) {
  for (const PipeAccount::Pending &pending : account.pending) {
    WaitTotal &sum = (pending.atDispatch ? account.dispatchWaits
                                         : account.waits)[pending.key];
    sum.cycles += pending.total.cycles;
    sum.count += pending.total.count;
  }
  account.pending.clear();
  account.dispatch += std::exchange(account.pendingDispatch, 0);
}

void Engine::bookIdle(Core &core, Pipe which, double time) {
  PipeAccount &account = core.pipe(which).account;
  account.idle += std::max(0.0, time - account.until);
  account.until = std::max(account.until, time);
  for (const PipeAccount::Pending &pending : account.pending)
    account.idle += pending.total.cycles;
  account.pending.clear();
  account.idle += std::exchange(account.pendingDispatch, 0);
  account.open.clear();
  account.openCycles = 0;
  account.stall = 0;
}

void Engine::noteWait(Core &core, Pipe which, const WaitKey &key) {
  PipeAccount &account = core.pipe(which).account;
  if (now <= account.until)
    return;
  account.pending.push_back(
      {key, {now - account.until, 1}, /*atDispatch=*/false});
  if (options.timeline)
    report.timelineWaits.push_back({core.reportIndex, which, causeNumber(key),
                                    account.until, now, core.block});
  account.until = now;
}

void Engine::bookScalar(Core &core, double time) {
  PipeAccount &account = core.pipe(Pipe::S).account;
  account.busy += std::max(0.0, time - account.until);
  account.until = std::max(account.until, time);
}

void Engine::noteStall(Core &core, const WaitKey &key, double start) {
  double end = core.scalarTime;
  if (options.timeline && key.kind == WaitCause::Kind::CrossFlag)
    // With its own cost, so that there is a slice for the arrow to point at.
    report.timelineWaits.push_back({core.reportIndex, Pipe::S, causeNumber(key),
                                    start - constants.syncCycles, end,
                                    core.block});
  else if (options.timeline && end > start)
    report.timelineWaits.push_back(
        {core.reportIndex, Pipe::S, causeNumber(key), start, end, core.block});
  if (end <= start)
    return;
  bookScalar(core, start);
  PipeAccount &account = core.pipe(Pipe::S).account;
  add(account.waits, key, end - account.until);
  account.until = end;
  if (core.stalls.size() == kKeptStalls)
    foldStalls(core);
  core.stalls.push_back({key, start, end});
}

/// Adds up the listed stalls, for the pipes that have stood since.
void Engine::foldStalls(Core &core) {
  for (PipeState &pipe : core.pipes) {
    PipeAccount &account = pipe.account;
    if (!pipe.busy && !pipe.isWaiting())
      visitStalls(core, account, core.stalls.back().end,
                  [&](const WaitKey &key, double cycles) {
                    add(account.open, key, cycles);
                    account.openCycles += cycles;
                  });
    account.stall = 0;
  }
  core.stalls.clear();
}

//===----------------------------------------------------------------------===//
// The timeline
//===----------------------------------------------------------------------===//

WaitCause Engine::causeOf(const WaitKey &key) const {
  return {key.kind,
          key.source,
          key.destination,
          key.id,
          sites[key.waitSite].codeAddress,
          sites[key.setSite].codeAddress};
}

uint32_t Engine::causeNumber(const WaitKey &key) {
  auto [entry, isNew] = causeNumbers.try_emplace(
      key, static_cast<uint32_t>(report.causes.size()));
  if (isNew)
    report.causes.push_back(causeOf(key));
  return entry->second;
}

void Engine::noteArrow(const SetPlace &place, const Core &core, Pipe pipe,
                       double time, const WaitKey &key) {
  report.timelineArrows.push_back({place.core, place.pipe, place.time,
                                   core.reportIndex, pipe, time,
                                   causeNumber(key)});
}

uint32_t Engine::noteWorkspaceAccesses(const Core &core, Pipe pipe,
                                       const QueueEntry &entry) {
  uint32_t noted = 0;
  for (const Access &access : accesses) {
    if (access.memory != Memory::GM)
      continue;
    const Region *region = addresses.findVirtual(access.start);
    if (!region || !region->workspace)
      continue;
    uint64_t begin = access.start - region->address;
    int64_t last = int64_t(access.blocks - 1) * access.pitch;
    report.workspaceAccesses.push_back(
        {core.reportIndex, pipe, access.kind != AccessKind::Read, entry.start,
         entry.start, begin, begin + last + access.blockBytes,
         entry.codeAddress});
    ++noted;
  }
  return noted;
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

std::string WaitCause::name() const {
  switch (kind) {
  case Kind::Flag:
    return std::string(pipeName(source)) + "_" + pipeName(destination) + " " +
           std::to_string(id);
  case Kind::CrossFlag:
    return "CrossCoreWaitFlag " + std::to_string(id);
  case Kind::Barrier:
    return std::string("PipeBarrier ") + pipeName(destination);
  case Kind::Drain:
    return "PipeBarrier ALL";
  case Kind::UnitFlag:
    return "unit flag";
  case Kind::FullQueue:
    return std::string("full queue of ") + pipeName(destination);
  }
  return "";
}

/// In an order that does not depend on hashes.
static std::vector<std::pair<WaitKey, WaitTotal>>
sorted(const WaitTotals &totals) {
  std::vector<std::pair<WaitKey, WaitTotal>> result(totals.begin(),
                                                    totals.end());
  std::sort(result.begin(), result.end(), [](const auto &a, const auto &b) {
    return std::tuple(a.first.what(), a.first.waitSite, a.first.setSite) <
           std::tuple(b.first.what(), b.first.waitSite, b.first.setSite);
  });
  return result;
}

void Engine::fillAccounts() {
  std::map<std::tuple<CoreType, Pipe, std::string>, size_t> known;
  for (size_t number = 0; number != cores.size(); ++number) {
    Core &core = cores[number];
    CoreReport &out = report.cores[number];
    for (unsigned i = 0; i != ascsim::kNumPipes; ++i) {
      Pipe pipe = static_cast<Pipe>(i);
      bookIdle(core, pipe, report.cycles);
      const PipeAccount &account = core.pipes[i].account;
      out.times[i] = {account.busy, account.memory, account.dispatch,
                      account.idle};
      for (bool atDispatch : {false, true})
        for (const auto &[key, total] :
             sorted(atDispatch ? account.dispatchWaits : account.waits)) {
          WaitCause cause = causeOf(key);
          out.waits.push_back(
              {pipe, cause, atDispatch, total.cycles, total.count});
          if (atDispatch)
            continue;
          std::string name = cause.name();
          auto [entry, isNew] = known.try_emplace(
              std::tuple(core.type, pipe, name), report.waits.size());
          if (isNew)
            report.waits.push_back({core.type, pipe, name, 0, 0});
          report.waits[entry->second].cycles += total.cycles;
          report.waits[entry->second].count += total.count;
        }
    }
  }
}
