//===- Engine.cpp - Event loop and blocks ---------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Engine.h"
#include "tilelang/Chip/Chip.h"
#include "tilelang/Sim/EngineStack.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::CoreType;
using ascsim::Memory;
using ascsim::Pipe;
using ascsim::Register;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// About eleven seconds of modelled time: an endless loop, not a slow kernel.
static constexpr double kDefaultCycleLimit = 2e10;

static thread_local Core *runningCore = nullptr;
static thread_local Engine *runningEngine = nullptr;

Core *Engine::currentCore() { return runningCore; }
Engine *Engine::current() { return runningEngine; }

Engine::Engine(const Kernel &kernel,
               const std::vector<LaunchArgument> &arguments,
               const LaunchOptions &options, const Chip &chip, Report &report)
    : kernel(kernel), arguments(arguments), options(options), chip(chip),
      report(report), constants(chip), bandwidth(constants),
      l2(constants.l2Capacity, constants.l2SectorBytes,
         constants.l2PanelBytes) {
  cycleLimit = options.cycleLimit > 0 ? options.cycleLimit : kDefaultCycleLimit;
  randomState = options.seed;
  noteRace = [this](const Race &race) { races.push_back(race); };
}

Engine::~Engine() = default;

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

static ChipMemory chipMemory(Memory memory) {
  switch (memory) {
  case Memory::L1:
    return ChipMemory::L1;
  case Memory::L0A:
    return ChipMemory::L0A;
  case Memory::L0B:
    return ChipMemory::L0B;
  case Memory::L0C:
    return ChipMemory::L0C;
  case Memory::BT:
    return ChipMemory::BT;
  case Memory::FB:
    return ChipMemory::FB;
  case Memory::UB:
  case Memory::GM:
  case Memory::None:
    break;
  }
  return ChipMemory::UB;
}

static bool hasMemory(CoreType type, Memory memory) {
  if (memory == Memory::GM || memory == Memory::None)
    return false;
  return (memory == Memory::UB) == (type == CoreType::AIV);
}

bool Engine::setUp(std::string &error) {
  if (!addresses.build(arguments, options.checks, error))
    return false;
  if (options.warmL2)
    for (const Region &region : addresses.all())
      l2.access(region.address, region.address + region.bytes, false);
  if (options.dirtyStart)
    for (const LaunchArgument &argument : arguments)
      if (argument.kind == ArgumentKind::Buffer && argument.workspace &&
          argument.bytes)
        std::memset(argument.data, 0xff, argument.bytes);

  KernelType type = kernel.type();
  uint32_t available =
      type == KernelType::AivOnly ? constants.aivCount : constants.aicCount;
  if (available == 0) {
    error = "chip '" + chip.name + "' has no cores of the kernel's type";
    return false;
  }
  uint32_t used = std::min(options.blockDim, available);
  waves = options.blockDim > available;
  clusters.resize(used);
  pairSets.resize(used);
  blockCores.resize(options.blockDim);
  std::array<uint32_t, 2> counts{};
  for (uint32_t number = 0; number != used; ++number) {
    auto add = [&](CoreType coreType, uint8_t place, uint32_t subBlock) {
      Core &core = cores.emplace_back();
      core.type = coreType;
      core.index = counts[static_cast<size_t>(coreType)]++;
      core.reportIndex = static_cast<uint32_t>(cores.size() - 1);
      core.cluster = number;
      core.place = place;
      core.subBlock = subBlock;
      core.cache.emplace(coreType == CoreType::AIC
                             ? constants.scalarCacheBytesAic
                             : constants.scalarCacheBytesAiv);
      for (unsigned i = 0; i != ascsim::kNumMemories; ++i) {
        Memory memory = static_cast<Memory>(i);
        if (!hasMemory(coreType, memory))
          continue;
        uint64_t bytes = chip.physicalBytes(chipMemory(memory));
        core.memories.bytes[i].assign(bytes, options.dirtyStart ? 0xff : 0);
        if (options.checks)
          core.shadows[i].emplace(bytes);
      }
      clusters[number].members.push_back(&core);
    };
    if (type != KernelType::AivOnly)
      add(CoreType::AIC, 0, 0);
    if (type == KernelType::AivOnly)
      add(CoreType::AIV, 0, 0);
    if (type == KernelType::Mix12) {
      add(CoreType::AIV, 1, 0);
      add(CoreType::AIV, 2, 1);
    }
  }
  for (unsigned coreType = 0; coreType != 2; ++coreType)
    for (auto &perCore : gridSets[coreType])
      perCore.resize(counts[coreType]);

  double skew = constants.skewUs * constants.cyclesPerMicrosecond();
  for (uint32_t number = 0; number != used; ++number) {
    double start = options.seed ? skew * (jitter(1, 2) - 0.5) / 1.5 : 0;
    startBlock(number, nextBlock++, start);
  }
  return true;
}

void Engine::startBlock(uint32_t cluster, uint32_t block, double time) {
  clusters[cluster].running =
      static_cast<uint32_t>(clusters[cluster].members.size());
  pairSets[cluster] = PairSets();
  for (Core *core : clusters[cluster].members)
    startProgram(*core, block, time);
}

void Engine::startProgram(Core &core, uint32_t block, double time) {
  if (core.blocksRun)
    checkFlagsAtEnd(core);
  else
    core.startCycle = time;
  core.block = block;
  blockCores[block][core.place] = &core;
  ++core.blocksRun;
  for (unsigned i = 0; i != ascsim::kNumPipes; ++i)
    bookIdle(core, static_cast<Pipe>(i), time);
  core.stalls.clear();
  core.flags.clear();
  core.flagIndex.clear();
  core.counters = {};
  core.unitFlags.clear();
  for (PipeState &pipe : core.pipes) {
    pipe.counter = 0;
    pipe.clock = Clock();
    pipe.seenDispatch = nullptr;
  }
  core.dispatch = nullptr;
  core.dispatchCounter = 0;
  for (unsigned i = 0; i != ascsim::kNumMemories; ++i) {
    if (core.shadows[i])
      core.shadows[i]->reset();
    core.initialised[i].reset(core.memories.bytes[i].size(), false);
  }
  core.registers = {};
  core.registers[static_cast<size_t>(Register::Ctrl)] = uint64_t(1) << 48;
  if (options.dirtyStart) {
    // What an earlier kernel may legally have left behind; InitSocState
    // resets these.
    auto dirty = [&](Register which, uint64_t value) {
      core.registers[static_cast<size_t>(which)] = value;
    };
    dirty(Register::AtomicMode, 1);
    dirty(Register::AtomicType, static_cast<uint64_t>(ascsim::DataType::F32));
    dirty(Register::MaskMode, 1);
    dirty(Register::MaskLow, 0x5555555555555555ull);
    dirty(Register::MaskHigh, 0x5555555555555555ull);
    dirty(Register::PadValue, 0x7fc07fc07fc07fc0ull);
  } else {
    core.registers[static_cast<size_t>(Register::MaskLow)] = ~uint64_t(0);
    core.registers[static_cast<size_t>(Register::MaskHigh)] = ~uint64_t(0);
  }
  core.sawInit = core.reportedInit = core.sinceBarrier = false;
  core.active = true;
  core.returned = false;
  core.scalarTime = time;
  core.blockedOn = BlockedOn::Nothing;

  core.program =
      boost::context::fiber(std::allocator_arg, StackAllocator(),
                            [this, &core](boost::context::fiber &&engineSide) {
                              core.engineSide = std::move(engineSide);
                              // Only errors of the kernel's own code: the
                              // unwinding of a fiber that is given up is not a
                              // standard exception and must pass.
                              try {
                                kernel.run(core.type, arguments);
                              } catch (const std::exception &exception) {
                                fault(core, exception.what(), 0);
                              }
                              core.returned = true;
                              return std::move(core.engineSide);
                            });
  post(time, EventKind::Resume, core);
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

void Engine::resume(Core &core) {
  runningCore = &core;
  runningEngine = this;
  core.program = std::move(core.program).resume();
  runningCore = nullptr;
  runningEngine = nullptr;
  if (core.returned)
    programReturned(core);
}

void Engine::suspend(Core &core, BlockedOn reason, uint32_t detail,
                     uint32_t site) {
  core.blockedOn = reason;
  core.blockedDetail = detail;
  core.blockedSite = site;
  core.blockedSince = core.scalarTime;
  core.engineSide = std::move(core.engineSide).resume();
  core.blockedOn = BlockedOn::Nothing;
}

void Engine::wake(Core &core, double time) {
  core.scalarTime = std::max(core.scalarTime, time);
  core.blockedOn = BlockedOn::Time;
  post(std::max(time, now), EventKind::Resume, core);
}

void Engine::programReturned(Core &core) {
  bookScalar(core, core.scalarTime);
  checkIdle(core);
}

void Engine::blockCoreDone(Core &core) {
  core.active = false;
  core.endCycle = std::max(now, core.scalarTime);
  if (options.checks) {
    if (core.sinceBarrier)
      addFinding(finding::kFrame,
                 "the kernel ends without PipeBarrier<PIPE_ALL>() after its "
                 "last instruction; add it as the last statement, or the next "
                 "kernel may start while this one still writes",
                 placeOf(core, Pipe::S, core.lastSite));
    for (const ScalarCache::Line &line : core.cache->all())
      if (line.dirty) {
        addFinding(finding::kStaleCache,
                   "a scalar write to global memory is still in the data cache "
                   "when the kernel ends; call DataCacheCleanAndInvalid on the "
                   "written line",
                   placeOf(core, Pipe::S, line.site));
      }
  }
  bytes(core);
  dirtyScalarCores -= core.cache->hasDirtyLines();
  core.cache->cleanAll(
      [&](const ScalarCache::Line &line) { writeBack(core, line); });
  Cluster &cluster = clusters[core.cluster];
  if (--cluster.running)
    return;
  ++blocksDone;
  if (nextBlock == options.blockDim)
    return;
  double end = 0;
  for (const Core *member : cluster.members)
    end = std::max(end, member->endCycle);
  startBlock(core.cluster, nextBlock++, end + constants.blockDispatch);
}

void Engine::abort() {
  aborting = true;
  runningEngine = this;
  for (Core &core : cores) {
    // Destroying a suspended fiber unwinds its stack, so that objects of the
    // kernel are destroyed; what they issue is ignored.
    runningCore = &core;
    core.program = boost::context::fiber();
  }
  runningCore = nullptr;
  runningEngine = nullptr;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void Engine::post(double time, EventKind kind, const Core &core, Pipe pipe,
                  void *payload) {
  events.push({time, kind, static_cast<uint8_t>(pipe), core.reportIndex,
               eventOrder++, payload});
}

double Engine::nextTime() {
  double queued = events.empty() ? kInfinity : events.top().time;
  return std::min(queued, bandwidth.nextEnd());
}

void Engine::handle(const Event &event) {
  Core &core = cores[event.core];
  Pipe pipe = static_cast<Pipe>(event.pipe);
  switch (event.kind) {
  case EventKind::TransferEnd:
    finishTransfer(
        static_cast<uint32_t>(reinterpret_cast<uintptr_t>(event.payload)));
    break;
  case EventKind::Complete:
    complete(core, pipe, static_cast<QueueEntry *>(event.payload));
    break;
  case EventKind::FlagFire:
    fireFlag(core, static_cast<PendingSet *>(event.payload));
    break;
  case EventKind::CrossArrive:
    crossArrive(core, static_cast<PendingSet *>(event.payload));
    break;
  case EventKind::PipeFree:
    core.pipe(pipe).busy = false;
    tryStart(core, pipe);
    break;
  case EventKind::PipeWake:
    core.pipe(pipe).wakePending = false;
    tryStart(core, pipe);
    break;
  case EventKind::Resume:
    resume(core);
    break;
  }
}

void Engine::loop() {
  while (!failed) {
    double flowEnd = bandwidth.nextEnd();
    double queued = events.empty() ? kInfinity : events.top().time;
    double time = std::min(flowEnd, queued);
    if (time == kInfinity)
      break;
    if (time > cycleLimit) {
      addFinding(finding::kLimit,
                 "the kernel still runs after " +
                     std::to_string(static_cast<uint64_t>(cycleLimit)) +
                     " modelled cycles; it loops for ever, or the cycle limit "
                     "of the launch must be raised",
                 placeOf(cores.front(), Pipe::S, cores.front().lastSite));
      failed = true;
      break;
    }
    now = time;
    if (flowEnd <= queued) {
      endedTransfers.clear();
      bandwidth.finish(now, endedTransfers);
      for (uint32_t token : endedTransfers)
        finishTransfer(token);
      continue;
    }
    Event event = events.top();
    events.pop();
    handle(event);
  }
}

double Engine::jitter(double cycles, double spread) {
  if (options.seed == 0)
    return cycles;
  // splitmix64: the same numbers on every machine.
  randomState += 0x9e3779b97f4a7c15ull;
  uint64_t z = randomState;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  double unit = static_cast<double>(z >> 11) * 0x1p-53;
  // Between 1/spread and spread, on average near 1. No exp(): its last bit
  // differs between libraries.
  return unit < 0.5 ? cycles * (1 / spread + (1 - 1 / spread) * 2 * unit)
                    : cycles * (1 + (spread - 1) * (2 * unit - 1));
}

bool Engine::run(std::string &error) {
  auto wallStart = std::chrono::steady_clock::now();
  report = Report();
  report.blockDim = options.blockDim;
  report.clockGHz = constants.clockGHz;
  if (options.blockDim == 0) {
    report.completed = true;
    return true;
  }
  if (!setUp(error))
    return false;
  loop();
  executor.wait(freeEntries);
  if (!failed && blocksDone != options.blockDim) {
    reportDeadlock();
    failed = true;
  }
  if (failed) {
    abort();
  } else {
    for (Core &core : cores)
      checkFlagsAtEnd(core);
  }
  report.completed = !failed;
  fillReport();
  report.wallSeconds = std::chrono::duration<double>(
                           std::chrono::steady_clock::now() - wallStart)
                           .count();
  return true;
}

void Engine::fillReport() {
  std::array<double, 2> sum{};
  for (Core &core : cores) {
    if (failed && core.active)
      core.endCycle = std::max(now, core.startCycle);
    CoreReport &out = report.cores.emplace_back();
    out.type = core.type;
    out.core = core.index;
    out.startCycle = core.startCycle;
    out.endCycle = core.endCycle;
    out.blocks = core.blocksRun;
    size_t type = static_cast<size_t>(core.type);
    CoreTypeReport &total = report.coreTypes[type];
    double cycles = core.endCycle - core.startCycle;
    ++total.cores;
    sum[type] += cycles;
    total.maxCycles = std::max(total.maxCycles, cycles);
    report.cycles = std::max(report.cycles, core.endCycle);
    for (unsigned i = 0; i != ascsim::kNumPipes; ++i) {
      const PipeAccount &account = core.pipes[i].account;
      // The scalar unit is no queue; what it does is in `times`.
      if (static_cast<Pipe>(i) != Pipe::S)
        out.busyCycles[i] = account.busy + account.memory;
      out.instructions[i] = core.pipes[i].instructions;
      total.meanBusyCycles[i] += out.busyCycles[i];
    }
    if (!core.printed.empty()) {
      std::string prefix = "[" + describe(core) + "] ";
      size_t begin = 0;
      while (begin < core.printed.size()) {
        size_t end = core.printed.find('\n', begin);
        if (end == std::string::npos)
          end = core.printed.size();
        report.output +=
            prefix + core.printed.substr(begin, end - begin) + "\n";
        begin = end + 1;
      }
    }
  }
  for (size_t type = 0; type != 2; ++type) {
    CoreTypeReport &total = report.coreTypes[type];
    if (!total.cores)
      continue;
    total.meanCycles = sum[type] / total.cores;
    for (unsigned i = 0; i != ascsim::kNumPipes; ++i) {
      total.meanBusyCycles[i] /= total.cores;
      total.utilisation[i] =
          report.cycles > 0 ? total.meanBusyCycles[i] / report.cycles : 0;
    }
  }
  fillAccounts();
  report.launchMicroseconds =
      constants.launchMicroseconds(kernel.type(), options.blockDim);
  report.microseconds = report.launchMicroseconds +
                        report.cycles / constants.cyclesPerMicrosecond();
  for (unsigned from = 0; from != ascsim::kNumMemories; ++from)
    for (unsigned to = 0; to != ascsim::kNumMemories; ++to)
      if (pathBytes[from][to])
        report.paths.push_back(
            {std::string(memoryName(static_cast<Memory>(from))) + "->" +
                 memoryName(static_cast<Memory>(to)),
             pathBytes[from][to]});
  // By name, since two opcodes may show one name and one opcode several.
  std::map<std::string, uint64_t> byName;
  for (auto [name, times] : nameCounts)
    byName[name] += times;
  report.instructionCounts.assign(byName.begin(), byName.end());
}
