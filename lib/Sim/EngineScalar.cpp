//===- EngineScalar.cpp - What the program of a core calls ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Engine.h"

#include <cstring>
#include <utility>

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::CoreType;
using ascsim::Memory;
using ascsim::Opcode;
using ascsim::Operand;
using ascsim::Pipe;
using ascsim::Register;

/// Period of the counter that GetSystemCycle reads (50 MHz).
static constexpr double kSystemCycleNs = 20;

static bool isSynchronisation(Opcode opcode) {
  return opcode <= Opcode::CrossCoreWait;
}

void Engine::issue(Core &core, const ascsim::Instruction &record,
                   uint64_t codeAddress) {
  if (aborting)
    return;
  core.scalarTime += isSynchronisation(record.opcode) ? constants.syncCycles
                                                      : constants.issueCycles;
  uint32_t site = sites.get(codeAddress, instructionName(record));
  core.lastSite = site;
  if (core.scalarTime > cycleLimit)
    advance(core);
  ++core.issued;
  if (options.checks && !core.sawInit && !core.reportedInit) {
    core.reportedInit = true;
    addFinding(finding::kFrame,
               "the first instruction of the kernel comes before "
               "InitSocState(); registers still hold what the last kernel left "
               "(atomic mode, mask mode, padding): call InitSocState() first",
               placeOf(core, record.pipe, site));
  }

  bool fullBarrier =
      record.opcode == Opcode::PipeBarrier && record.pipe == Pipe::All;
  core.sinceBarrier = !fullBarrier;

  QueueEntry *entry = newEntry(record);
  entry->instruction.registers = core.registers;
  applyIssueEffects(record, core.registers);
  entry->codeAddress = codeAddress;
  entry->site = site;
  entry->order = core.issued;
  translate(*entry, /*toHost=*/false);
  if (options.checks)
    checkLegal(core, *entry);

  // What the scalar unit does itself.
  bool done = true;
  if (fullBarrier)
    drain(core, site);
  else if (record.opcode == Opcode::CrossCoreWait)
    waitCrossCore(core, record.flag, site);
  else if (record.opcode == Opcode::WaitFlag &&
           record.flag.destination == Pipe::S)
    waitScalarFlag(core, record.flag, site);
  else if (record.opcode == Opcode::SetFlag && record.flag.source == Pipe::S)
    setFromScalar(core, record, site);
  else
    done = false;
  if (done) {
    freeEntry(entry);
    return;
  }
  if (record.pipe == Pipe::S || record.pipe == Pipe::All) {
    freeEntry(entry);
    fault(core,
          (std::string(sites[site].name) + " names pipe " +
           pipeName(record.pipe) + ", which has no instruction queue")
              .c_str(),
          codeAddress);
    return;
  }

  PipeState &pipe = core.pipe(record.pipe);
  double start = core.scalarTime;
  while (pipe.queue.size() >= constants.queueDepth)
    suspend(core, BlockedOn::QueueFull, static_cast<uint32_t>(record.pipe),
            site);
  noteStall(
      core,
      {WaitCause::Kind::FullQueue, Pipe::S, record.pipe, 0, /*waitSite=*/0, 0},
      start);
  entry->arrival = core.scalarTime;
  entry->dispatch = core.dispatch;
  pipe.queue.push_back(entry);
  ++core.inFlight;
  // A queue that was not empty wakes up by itself.
  if (!pipe.busy && !pipe.wakePending && pipe.queue.size() == 1) {
    pipe.wakePending = true;
    post(core.scalarTime, EventKind::PipeWake, core, record.pipe);
  }
}

/// Lets the pipes catch up with the time of the program.
void Engine::advance(Core &core) {
  // Where nothing can happen before, there is no need to switch; but a program
  // that loops for ever must come back to the loop that ends it.
  if (nextTime() > core.scalarTime && core.scalarTime <= cycleLimit)
    return;
  post(core.scalarTime, EventKind::Resume, core);
  suspend(core, BlockedOn::Time, 0, core.lastSite);
}

/// The scalar unit as an accessor; its accesses are in order.
Accessor Engine::scalarAccess(Core &core, uint32_t site) {
  PipeState &pipe = core.pipe(Pipe::S);
  ++pipe.counter;
  pipe.clock.own[core.thread(Pipe::S)] = pipe.counter;
  return {{core.block, pipe.counter, site, core.issued,
           static_cast<uint8_t>(core.thread(Pipe::S))},
          &pipe.clock};
}

template <typename Action> void Engine::withCache(Core &core, Action &&action) {
  dirtyScalarCores -= core.cache->hasDirtyLines();
  action();
  dirtyScalarCores += core.cache->hasDirtyLines();
}

ScalarCache::Line &Engine::cacheLine(Core &core, Region &region,
                                     uint64_t address, bool &hit) {
  uint64_t start = address / ScalarCache::kLine * ScalarCache::kLine;
  return core.cache->get(
      start, hit,
      [&](ScalarCache::Line &line) {
        line.host =
            reinterpret_cast<uint8_t *>(region.host + (start - region.address));
        line.bytes = static_cast<uint32_t>(std::min<uint64_t>(
            ScalarCache::kLine, region.address + region.bytes - start));
        bytes(core);
        std::memcpy(line.data.data(), line.host, line.bytes);
      },
      [&](const ScalarCache::Line &line) { writeBack(core, line); });
}

/// A dirty line reaches global memory: this is when others can see it.
void Engine::writeBack(Core &core, const ScalarCache::Line &line) {
  Region *region = addresses.findVirtual(line.address);
  Accessor accessor = scalarAccess(core, line.site);
  bytes(core);
  bool destroys = false;
  for (uint32_t i = 0; i != line.bytes; ++i) {
    if (!((line.dirty >> i) & 1)) {
      destroys |= line.host[i] != line.data[i];
      continue;
    }
    uint64_t offset = line.address + i - region->address;
    region->initialised.set(offset, offset + 1, true);
    if (options.checks)
      region->shadow->write(offset, offset + 1, /*atomic=*/false, accessor,
                            noteRace);
  }
  reportRaces(core, accessor, Memory::GM, region, false);
  if (destroys && options.checks)
    addFinding(finding::kStaleCache,
               "the data cache writes back a whole 64-byte line of '" +
                   region->name + "' (offset " +
                   std::to_string(line.address - region->address) +
                   ") over bytes that were changed after the line was loaded; "
                   "give each core its own line, or invalidate before writing",
               placeOf(core, Pipe::S, line.site));
}

uint64_t Engine::load(Core &core, const Operand &operand,
                      uint64_t codeAddress) {
  if (aborting)
    return 0;
  uint32_t site = sites.get(codeAddress, "GetValue");
  core.lastSite = site;
  ++core.issued;
  uint32_t size = ascsim::sizeOf(operand.type);
  uint64_t bits = 0;
  if (operand.memory == Memory::GM) {
    Region *region = addresses.findHost(operand.address);
    uint64_t offset = region ? operand.address - region->host : 0;
    if (!region || offset + size > region->bytes) {
      addFinding(finding::kOutOfBounds,
                 "a scalar read of " + std::to_string(size) +
                     " bytes of global memory lies outside every argument" +
                     (region ? "; nearest is '" + region->name + "', offset " +
                                   std::to_string(offset) + " of " +
                                   std::to_string(region->bytes) + " bytes"
                             : std::string()),
                 placeOf(core, Pipe::S, site));
      return 0;
    }
    advance(core);
    uint64_t address = region->address + offset;
    if (options.checks) {
      Accessor accessor = scalarAccess(core, site);
      region->shadow->read(offset, offset + size, accessor, noteRace);
      reportRaces(core, accessor, Memory::GM, region, true);
    }
    bytes(core);
    withCache(core, [&] {
      for (uint32_t i = 0; i != size; ++i) {
        bool hit = false;
        ScalarCache::Line &line = cacheLine(core, *region, address + i, hit);
        uint32_t at = static_cast<uint32_t>(address + i - line.address);
        if (i == 0)
          core.scalarTime +=
              hit ? constants.gmHitCycles : constants.gmMissCycles;
        if (options.checks && hit && line.data[at] != line.host[at] &&
            !((line.dirty >> at) & 1))
          addFinding(finding::kStaleCache,
                     "a scalar read of '" + region->name + "' (offset " +
                         std::to_string(offset) +
                         ") takes an old value from the data cache; call "
                         "DataCacheCleanAndInvalid on the line before reading "
                         "what others wrote",
                     placeOf(core, Pipe::S, site));
        bits |= uint64_t(line.data[at]) << (8 * i);
      }
    });
    return bits;
  }

  if (options.autoSync)
    drain(core, site);
  advance(core);
  std::vector<uint8_t> &memory =
      bytes(core).bytes[static_cast<size_t>(operand.memory)];
  bool told = std::exchange(core.toldOutside, false);
  if (operand.address + size > memory.size()) {
    if (told)
      return 0;
    addFinding(finding::kOutOfBounds,
               std::string("a scalar read of ") + memoryName(operand.memory) +
                   " at byte " + std::to_string(operand.address) +
                   " lies outside its " + std::to_string(memory.size()) +
                   " bytes",
               placeOf(core, Pipe::S, site));
    return 0;
  }
  if (options.checks) {
    Accessor accessor = scalarAccess(core, site);
    core.shadows[static_cast<size_t>(operand.memory)]->read(
        operand.address, operand.address + size, accessor, noteRace);
    reportRaces(core, accessor, operand.memory, nullptr, true);
  }
  std::memcpy(&bits, memory.data() + operand.address, size);
  core.scalarTime += constants.ubLoadCycles;
  return bits;
}

void Engine::store(Core &core, const Operand &operand, uint64_t bits,
                   uint64_t codeAddress) {
  if (aborting)
    return;
  uint32_t site = sites.get(codeAddress, "SetValue");
  core.lastSite = site;
  ++core.issued;
  core.sinceBarrier = true;
  uint32_t size = ascsim::sizeOf(operand.type);
  if (operand.memory == Memory::GM) {
    Region *region = addresses.findHost(operand.address);
    uint64_t offset = region ? operand.address - region->host : 0;
    if (!region || offset + size > region->bytes) {
      addFinding(finding::kOutOfBounds,
                 "a scalar write of " + std::to_string(size) +
                     " bytes of global memory lies outside every argument" +
                     (region ? "; nearest is '" + region->name + "', offset " +
                                   std::to_string(offset) + " of " +
                                   std::to_string(region->bytes) + " bytes"
                             : std::string()),
                 placeOf(core, Pipe::S, site));
      return;
    }
    advance(core);
    uint64_t address = region->address + offset;
    withCache(core, [&] {
      for (uint32_t i = 0; i != size; ++i) {
        bool hit = false;
        ScalarCache::Line &line = cacheLine(core, *region, address + i, hit);
        uint32_t at = static_cast<uint32_t>(address + i - line.address);
        line.data[at] = static_cast<uint8_t>(bits >> (8 * i));
        line.site = site;
        core.cache->markDirty(line, uint64_t(1) << at);
        if (i == 0)
          core.scalarTime +=
              hit ? constants.gmHitCycles : constants.gmMissCycles;
      }
    });
    return;
  }

  if (options.autoSync)
    drain(core, site);
  advance(core);
  std::vector<uint8_t> &memory =
      bytes(core).bytes[static_cast<size_t>(operand.memory)];
  bool told = std::exchange(core.toldOutside, false);
  if (operand.address + size > memory.size()) {
    if (told)
      return;
    addFinding(finding::kOutOfBounds,
               std::string("a scalar write of ") + memoryName(operand.memory) +
                   " at byte " + std::to_string(operand.address) +
                   " lies outside its " + std::to_string(memory.size()) +
                   " bytes",
               placeOf(core, Pipe::S, site));
    return;
  }
  if (options.checks) {
    Accessor accessor = scalarAccess(core, site);
    core.shadows[static_cast<size_t>(operand.memory)]->write(
        operand.address, operand.address + size, accessor, noteRace);
    reportRaces(core, accessor, operand.memory, nullptr, false);
    core.initialised[static_cast<size_t>(operand.memory)].set(
        operand.address, operand.address + size, true);
  }
  std::memcpy(memory.data() + operand.address, &bits, size);
  core.scalarTime += constants.ubStoreCycles;
  // The automatic synchronisation holds later instructions back.
  if (options.autoSync)
    joinDispatch(core, core.pipe(Pipe::S).clock);
}

void Engine::initSocState(Core &core) {
  core.sawInit = true;
  auto set = [&](Register which, uint64_t value) {
    core.registers[static_cast<size_t>(which)] = value;
  };
  set(Register::AtomicMode, 0);
  set(Register::AtomicType, static_cast<uint64_t>(ascsim::DataType::None));
  set(Register::MaskMode, 0);
  set(Register::PadValue, 0);
  if (core.type == CoreType::AIV) {
    set(Register::MaskLow, ~uint64_t(0));
    set(Register::MaskHigh, ~uint64_t(0));
  }
}

void Engine::cleanCache(Core &core, const Operand &operand, bool entire,
                        uint64_t codeAddress) {
  if (aborting)
    return;
  core.lastSite = sites.get(codeAddress, "DataCacheCleanAndInvalid");
  advance(core);
  withCache(core, [&] {
    auto callback = [&](const ScalarCache::Line &line) {
      writeBack(core, line);
    };
    if (entire) {
      core.cache->cleanAll(callback);
    } else if (operand.memory == Memory::GM) {
      if (Region *region = addresses.findHost(operand.address))
        core.cache->clean(region->address + (operand.address - region->host),
                          callback);
    }
  });
  core.scalarTime += constants.cleanCycles;
}

int64_t Engine::query(Core &core, ascsim::Query what) {
  if (aborting)
    return 0;
  bool mixed = kernel.type() == KernelType::Mix12;
  bool vectorOfMix = mixed && core.type == CoreType::AIV;
  switch (what) {
  case ascsim::Query::BlockIdx:
    return vectorOfMix ? int64_t(core.block) * 2 + core.subBlock : core.block;
  case ascsim::Query::BlockNum:
    return options.blockDim;
  case ascsim::Query::SubBlockIdx:
    return core.subBlock;
  case ascsim::Query::TaskRatio:
    return vectorOfMix ? 2 : 1;
  case ascsim::Query::SystemCycle:
    core.scalarTime += constants.issueCycles;
    if (core.scalarTime > cycleLimit)
      advance(core);
    return static_cast<int64_t>(core.scalarTime /
                                (constants.clockGHz * kSystemCycleNs));
  }
  return 0;
}

void Engine::outside(Core &core, const Operand &tensor, uint32_t index,
                     uint32_t elements, bool isWrite, uint64_t codeAddress) {
  if (aborting || !options.checks)
    return;
  core.toldOutside = true;
  addFinding(
      finding::kOutOfBounds,
      std::string(isWrite ? "a scalar write" : "a scalar read") +
          " of element " + std::to_string(static_cast<int32_t>(index)) +
          " of a tensor in " + memoryName(tensor.memory) + " with " +
          std::to_string(elements) + " elements",
      placeOf(core, Pipe::S,
              sites.get(codeAddress, isWrite ? "SetValue" : "GetValue")));
}

void Engine::print(Core &core, const char *text) {
  if (!aborting)
    core.printed += text;
}

void Engine::fault(Core &core, const char *message, uint64_t codeAddress) {
  if (aborting)
    return;
  addFinding(finding::kFault, message,
             placeOf(core, Pipe::S,
                     codeAddress ? sites.get(codeAddress, "") : core.lastSite));
  failed = true;
  // The program never continues; its stack is unwound when the launch ends.
  for (;;)
    suspend(core, BlockedOn::Nothing, 0, core.lastSite);
}
