//===- EnginePipes.cpp - Instructions in pipes ----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "InstructionSet/VectorLayout.h"
#include "tilelang/Sim/Engine.h"

#include <bit>
#include <cmath>

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::CoreType;
using ascsim::Memory;
using ascsim::Opcode;
using ascsim::Pipe;

// How far a seed moves an occupancy and a latency.
static constexpr double kOccupancySpread = 2;
static constexpr double kLatencySpread = 10;
/// Cycles of the port of L1 that are not worth another event.
static constexpr double kPortTolerance = 2;

QueueEntry *Engine::newEntry(const ascsim::Instruction &record) {
  if (freeEntries.empty()) {
    entryStorage.push_back(std::make_unique<QueueEntry>(record));
    return entryStorage.back().get();
  }
  QueueEntry *entry = freeEntries.back();
  freeEntries.pop_back();
  entry->instruction.record = record;
  entry->skip = false;
  entry->latency = 0;
  return entry;
}

CoreMemories &Engine::bytes(Core &core) {
  executor.wait(freeEntries);
  return core.memories;
}

void Engine::freeEntry(QueueEntry *entry) {
  entry->dispatch = nullptr;
  freeEntries.push_back(entry);
}

/// What the scalar unit knew at dispatch, the pipe knows at execution.
void Engine::takeDispatch(PipeState &pipe, const QueueEntry &entry) {
  if (entry.dispatch == pipe.seenDispatch)
    return;
  pipe.clock.join(*entry.dispatch);
  pipe.seenDispatch = entry.dispatch;
}

void Engine::pop(Core &core, Pipe which) {
  core.pipe(which).queue.pop_front();
  if (core.blockedOn == BlockedOn::QueueFull &&
      core.blockedDetail == static_cast<uint32_t>(which))
    wake(core, now);
}

void Engine::tryStart(Core &core, Pipe which) {
  PipeState &pipe = core.pipe(which);
  while (!pipe.busy && !pipe.queue.empty()) {
    QueueEntry *entry = pipe.queue.front();
    if (entry->arrival > now) {
      if (!pipe.wakePending) {
        pipe.wakePending = true;
        post(entry->arrival, EventKind::PipeWake, core, which);
      }
      return;
    }
    if (!pipe.isWaiting())
      closeGap(core, which);
    switch (entry->instruction.record.opcode) {
    case Opcode::SetFlag:
    case Opcode::CrossCoreSet:
      queueSet(core, which, *entry);
      break;
    case Opcode::WaitFlag:
      if (!tryWaitFlag(core, which, *entry))
        return;
      break;
    case Opcode::PipeBarrier:
      if (!pipe.done.empty()) {
        pipe.waitingBarrier = true;
        return;
      }
      if (pipe.waitingBarrier) {
        pipe.waitingBarrier = false;
        noteWait(core, which,
                 {WaitCause::Kind::Barrier, which, which, 0, entry->site, 0});
      }
      takeDispatch(pipe, *entry);
      pipe.clock.own[core.thread(which)] = pipe.counter;
      break;
    default:
      if (!tryUnitFlag(core, which, *entry))
        return;
      pop(core, which);
      startInstruction(core, which, entry);
      continue;
    }
    pop(core, which);
    freeEntry(entry);
    --core.inFlight;
    checkIdle(core);
  }
}

/// Whether a pipe finishes instructions in the order it starts them, so that
/// later ones see what earlier ones wrote without a barrier.
static bool keepsOrder(const ascsim::Instruction &record, Pipe pipe,
                       bool autoSync) {
  switch (pipe) {
  case Pipe::MTE1:
  case Pipe::FIX:
  case Pipe::S:
    return true;
  case Pipe::V:
    return autoSync;
  case Pipe::M: {
    // Products of at least ten fractals are interlocked by the unit itself.
    if (record.opcode != Opcode::Mmad)
      return false;
    uint64_t rows = (uint64_t(record.mmad.m) + 15) / 16;
    uint64_t columns = (uint64_t(record.mmad.n) + 15) / 16;
    return rows * columns >= 10;
  }
  default:
    return false;
  }
}

void Engine::startInstruction(Core &core, Pipe which, QueueEntry *entry) {
  PipeState &pipe = core.pipe(which);
  takeDispatch(pipe, *entry);
  bookPending(pipe.account);
  entry->sequence = pipe.nextSequence++;
  pipe.done.push_back(false);
  ++pipe.counter;
  ++pipe.instructions;
  entry->start = now;
  startUnit(core, *entry);

  accesses.clear();
  // Only a Gather touches what its data says.
  bool readsData =
      entry->instruction.record.opcode == Opcode::Gather && !options.timeOnly;
  collectAccesses(entry->instruction, accesses,
                  readsData ? &bytes(core) : &core.memories);
  // Accesses out of bounds leave the list; the rest is still checked.
  entry->skip = !checkBounds(core, which, *entry);
  if (options.checks) {
    Accessor accessor{{core.block, pipe.counter, entry->site, entry->order,
                       static_cast<uint8_t>(core.thread(which))},
                      &pipe.clock};
    checkRaces(core, which, accessor, accesses);
    if (!entry->skip)
      checkInitialisation(core, which, *entry);
    if (dirtyScalarCores)
      checkStaleCache(core, which, accessor);
  }
  if (keepsOrder(entry->instruction.record, which, options.autoSync))
    pipe.clock.own[core.thread(which)] = pipe.counter;
  count(core, *entry);

  pipe.busy = true;
  Cost cost;
  if (entry->skip)
    cost.occupancy = constants.dmaIssue;
  else
    cost = estimateCost(entry->instruction, chip, core.memories);
  entry->latency = jitter(cost.latency, kLatencySpread);
  if (cost.gmBytes && !entry->skip) {
    startTransfer(core, which, entry, cost);
    return;
  }
  double end = now + jitter(cost.occupancy, kOccupancySpread);
  if (cost.l1Cycles > 0) {
    core.l1Reads += cost.l1Cycles;
    core.l1ReadEnd = end;
    core.l1LastRead = cost.l1Cycles;
  }
  pipe.account.busy += end - now;
  pipe.account.until = end;
  if (options.timeline)
    report.timeline.push_back({core.reportIndex, which, sites[entry->site].name,
                               now, end, entry->codeAddress, core.block});
  postCompletion(core, which, entry, end + entry->latency);
  post(end, EventKind::PipeFree, core, which);
}

void Engine::postCompletion(Core &core, Pipe which, QueueEntry *entry,
                            double time) {
  PipeState &pipe = core.pipe(which);
  // Transfers of one queue may overtake each other; the other units are
  // pipelines.
  if (which != Pipe::MTE2 && which != Pipe::MTE3)
    time = std::max(time, pipe.lastCompletion);
  pipe.lastCompletion = std::max(pipe.lastCompletion, time);
  post(time, EventKind::Complete, core, which, entry);
}

void Engine::startTransfer(Core &core, Pipe which, QueueEntry *entry,
                           const Cost &cost) {
  const ascsim::Instruction &record = entry->instruction.record;
  L2Cache::Result traffic;
  uint64_t stream = 0;
  uint64_t requested = 0, rows = 0, lines = 0;
  bool shortRows = false, bypassed = false;
  for (const Access &access : accesses) {
    if (access.memory != Memory::GM)
      continue;
    bool contiguous = access.blocks == 1 || access.pitch == access.blockBytes;
    requested += uint64_t(access.blocks) * access.blockBytes;
    rows += contiguous ? 1 : access.blocks;
    shortRows |= !contiguous && access.blockBytes < constants.l2LineBytes;
    bool write = access.kind != AccessKind::Read;
    // The destination of an instruction is its operand 3.
    bool bypass =
        access.operand == 3 ? record.dst.bypassL2 : record.src0.bypassL2;
    bypassed |= bypass;
    auto touch = [&](uint64_t begin, uint64_t end) {
      lines +=
          (end - 1) / constants.l2LineBytes - begin / constants.l2LineBytes + 1;
      traffic.add(bypass ? l2.bypass(begin, end, write)
                         : l2.access(begin, end, write));
    };
    if (contiguous) {
      touch(access.start,
            access.start + uint64_t(access.blocks) * access.blockBytes);
    } else {
      for (uint32_t i = 0; i != access.blocks; ++i) {
        uint64_t begin = access.start + int64_t(i) * access.pitch;
        touch(begin, begin + access.blockBytes);
      }
    }
    if (!write && !stream)
      stream = (access.start * 0x9e3779b97f4a7c15ull) ^
               (uint64_t(access.blocks) << 40) ^ access.blockBytes;
  }
  report.l2HitBytes += traffic.hitBytes;
  report.l2MissBytes += traffic.missBytes;
  report.writeBackBytes += traffic.writeBackBytes;

  // A row that starts or ends inside a line pays for the whole line although
  // its neighbour has brought a sector of it: the share refers to the bytes
  // asked for, not to the sectors touched.
  double bytes = static_cast<double>(cost.gmBytes);
  double missShare =
      requested > 0
          ? std::min(1.0, static_cast<double>(traffic.missBytes) / requested)
          : 0;
  double efficiency = bypassed && shortRows ? constants.bypassShortRow : 1.0;
  FlowRequest request;
  request.bytes = bytes;
  request.write = cost.gmWrite;
  request.hbmReadShare =
      missShare * (1 + constants.hbmRowBytes * rows / bytes) / efficiency;
  request.hbmWriteShare = static_cast<double>(traffic.writeBackBytes) / bytes;
  request.l2Weight =
      std::max(1.0, static_cast<double>(lines) * constants.l2LineBytes / bytes);
  request.stream = cost.gmWrite ? 0 : stream;
  request.streamCeiling =
      bypassed ? constants.bypassSameAddress : constants.sameAddress;

  bool isAic = core.type == CoreType::AIC;
  double port = cost.gmWrite ? which == Pipe::FIX ? constants.portFixpipe
                               : isAic            ? constants.portAicWrite
                                                  : constants.portAivWrite
                : record.opcode == Opcode::CopyNd2Nz ? constants.portNd2Nz
                : isAic                              ? constants.portAicRead
                                                     : constants.portAivRead;
  request.ceiling = port;
  if (missShare > 0)
    request.ceiling =
        std::min(request.ceiling,
                 (isAic ? constants.missAic : constants.missAiv) / missShare);
  // What the engine needs whatever the memory does.
  double perBurst = constants.rowBurstHit * (1 - missShare) +
                    constants.rowBurstMiss * missShare;
  double floor =
      std::max({jitter(cost.occupancy, kOccupancySpread), constants.dmaIssue,
                cost.bursts * perBurst / efficiency});
  request.ceiling = std::min(request.ceiling, bytes / floor);

  uint32_t token;
  if (freeTransfers.empty()) {
    token = static_cast<uint32_t>(transfers.size());
    transfers.emplace_back();
  } else {
    token = freeTransfers.back();
    freeTransfers.pop_back();
  }
  double ownFloor = std::max({cost.occupancy, constants.dmaIssue,
                              cost.bursts * constants.rowBurstHit});
  transfers[token] = {&core,
                      which,
                      entry,
                      cost.l1Cycles,
                      core.l1ReadsUntil(now),
                      std::max(ownFloor, bytes / port),
                      static_cast<uint32_t>(report.workspaceAccesses.size()),
                      0};
  if (options.timeline)
    transfers[token].accesses = noteWorkspaceAccesses(core, which, *entry);
  request.token = token;
  bandwidth.start(now, request);
}

void Engine::finishTransfer(uint32_t token) {
  Transfer transfer = transfers[token];
  Core &core = *transfer.core;
  if (transfer.l1Cycles > 0) {
    // The port of L1 serves what MTE1 reads first. A transfer that the memory
    // behind holds up anyway fits its writes in between.
    double end = transfer.entry->start + transfer.l1Cycles +
                 core.l1ReadsUntil(now) - transfer.l1Reads;
    if (end > now + kPortTolerance) {
      post(end, EventKind::TransferEnd, core, transfer.pipe,
           reinterpret_cast<void *>(static_cast<uintptr_t>(token)));
      return;
    }
  }
  freeTransfers.push_back(token);
  PipeState &pipe = core.pipe(transfer.pipe);
  double held = now - transfer.entry->start;
  double own = std::min(held, transfer.ownCycles);
  pipe.account.busy += own;
  pipe.account.memory += held - own;
  pipe.account.until = now;
  for (uint32_t i = 0; i != transfer.accesses; ++i)
    report.workspaceAccesses[transfer.firstAccess + i].end = now;
  if (options.timeline)
    report.timeline.push_back(
        {core.reportIndex, transfer.pipe, sites[transfer.entry->site].name,
         transfer.entry->start, now, transfer.entry->codeAddress, core.block});
  postCompletion(core, transfer.pipe, transfer.entry,
                 now + transfer.entry->latency);
  post(now, EventKind::PipeFree, core, transfer.pipe);
}

void Engine::complete(Core &core, Pipe which, QueueEntry *entry) {
  PipeState &pipe = core.pipe(which);
  pipe.done[entry->sequence - pipe.firstOpen] = true;
  while (!pipe.done.empty() && pipe.done.front()) {
    pipe.done.pop_front();
    ++pipe.firstOpen;
  }
  entry->dispatch = nullptr;
  completeUnit(core, *entry);
  if (entry->skip || options.timeOnly) {
    freeEntry(entry);
  } else {
    translate(*entry, /*toHost=*/true);
    executor.run(entry, core.memories, freeEntries);
  }
  --core.inFlight;
  firePending(core, which);
  if (pipe.waitingBarrier && pipe.done.empty())
    tryStart(core, which);
  checkIdle(core);
}

void Engine::count(Core &core, const QueueEntry &entry) {
  const ascsim::Instruction &record = entry.instruction.record;
  ++report.instructions;
  ++nameCounts[sites[entry.site].name];
  switch (record.opcode) {
  case Opcode::Mmad:
    report.macs += uint64_t(record.mmad.m) * record.mmad.n * record.mmad.k;
    return;
  case Opcode::Broadcast:
    report.vectorOperations += uint64_t(record.vector.repeat) * 8;
    return;
  default:
    if (!isVectorOpcode(record.opcode))
      break;
    ResolvedVector vector = resolveVector(entry.instruction);
    report.vectorOperations +=
        vector.counterMode || vector.fullMask
            ? vector.totalLanes()
            : uint64_t(vector.repeats) *
                  static_cast<unsigned>(std::popcount(vector.mask[0]) +
                                        std::popcount(vector.mask[1]));
    return;
  }
  // A data movement: bytes that leave global memory, else bytes that arrive.
  Memory from = record.src0.memory, to = record.dst.memory;
  if (from == Memory::None || to == Memory::None)
    return;
  bool countReads = from == Memory::GM;
  uint64_t bytes = 0;
  for (const Access &access : accesses)
    if ((access.kind == AccessKind::Read) == countReads &&
        access.memory == (countReads ? from : to))
      bytes += uint64_t(access.blocks) * access.blockBytes;
  pathBytes[static_cast<size_t>(from)][static_cast<size_t>(to)] += bytes;
}
