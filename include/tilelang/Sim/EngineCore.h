//===- EngineCore.h - State of cores, pipes and flags ---------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINECORE_H
#define TILELANG_SIM_ENGINECORE_H

#include "tilelang/Sim/EngineAccounts.h"
#include "tilelang/Sim/EngineInitialisation.h"
#include "tilelang/Sim/EngineScalarCache.h"
#include "tilelang/Sim/EngineShadow.h"

#include <boost/context/fiber.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

namespace tilelang::sim {

/// An instruction in the queue of its pipe or in flight.
struct QueueEntry {
  explicit QueueEntry(const ascsim::Instruction &record)
      : instruction{record, {}} {}
  /// Operands in GM carry virtual addresses here.
  QueuedInstruction instruction;
  /// Host addresses of dst, src0, src1, src2 where they are in GM.
  std::array<uint64_t, 4> host{};
  double arrival = 0;
  uint64_t codeAddress = 0;
  uint32_t site = 0;
  uint32_t sequence = 0; // in its pipe
  uint32_t order = 0;    // in the program
  bool skip = false;     // out of bounds: takes time, moves nothing
  double start = 0;
  double latency = 0;
  /// What the scalar unit knew when it dispatched the instruction.
  std::shared_ptr<const Clock> dispatch;
};

/// A SetFlag or CrossCoreSet that fires when all earlier instructions of its
/// pipe are complete.
struct PendingSet {
  uint32_t afterSequence;
  ascsim::Opcode opcode;
  ascsim::FlagShape flag;
  uint32_t site;
  Clock clock;
  SetPlace place;
};

struct PipeState {
  std::deque<QueueEntry *> queue;
  bool busy = false;
  bool wakePending = false;
  /// Why the head of the queue cannot start: index of a flag, or a barrier.
  int32_t waitingFlag = -1;
  bool waitingBarrier = false;
  bool waitingUnit = false;
  bool isWaiting() const {
    return waitingFlag >= 0 || waitingBarrier || waitingUnit;
  }

  /// Completion of the instructions that left the queue, from `firstOpen` on.
  std::deque<bool> done;
  uint32_t firstOpen = 1;
  uint32_t nextSequence = 1;
  double lastCompletion = 0;
  std::deque<PendingSet> pendingSets;

  /// Instructions so far, and what the pipe knows to be complete.
  uint32_t counter = 0;
  Clock clock;
  std::shared_ptr<const Clock> seenDispatch;

  PipeAccount account;
  uint64_t instructions = 0;

  bool drained() const { return done.empty() && pendingSets.empty(); }
};

struct FlagState {
  ascsim::Pipe source, destination;
  uint32_t id = 0;
  bool set = false;
  uint32_t setSite = 0;
  Clock clock;
  uint64_t sets = 0, waits = 0;
  Epoch lastWait;
  uint32_t waitSite = 0;
  SetPlace place; // of the set
};

/// Handshake of Mmad and Fixpipe over one accumulator in L0C.
struct UnitFlag {
  /// Mmad may write an empty accumulator, Fixpipe read a full one; between the
  /// start and the end of the last Mmad, and of the Fixpipe, neither may.
  enum : uint8_t { Empty, Changing, Full } state = Empty;
  uint32_t rows = 0, columns = 0;
  Clock filled, drained;
  uint32_t site = 0; // of what toggled it last
};

/// One arrived cross-core set.
struct CrossItem {
  Clock clock;
  std::shared_ptr<const ForeignClocks> snapshot; // mode 0
  uint32_t site = 0;
  SetPlace place = {};
};

struct CrossCounter {
  std::deque<CrossItem> items;
  uint8_t mode = 0;
};

enum class BlockedOn : uint8_t {
  Nothing,
  QueueFull,
  Flag,
  CrossFlag,
  Drain,
  Time
};

constexpr unsigned kCrossFlags = 16;

/// One physical core and the program it runs.
struct Core {
  ascsim::CoreType type = ascsim::CoreType::AIV;
  uint32_t index = 0;       // among the cores of its type
  uint32_t reportIndex = 0; // among all cores
  uint32_t cluster = 0;
  uint8_t place = 0; // within its block: 0 AIC, 1 and 2 AIV; 0 if alone
  uint32_t subBlock = 0;
  uint32_t block = 0;

  CoreMemories memories;
  Registers registers{};
  std::array<PipeState, ascsim::kNumPipes> pipes;
  std::vector<FlagState> flags;
  std::unordered_map<uint32_t, int32_t> flagIndex;
  std::unordered_map<uint64_t, UnitFlag> unitFlags; // by address in L0C
  std::array<CrossCounter, kCrossFlags> counters;
  std::array<std::optional<LocalShadow>, ascsim::kNumMemories> shadows;
  std::array<InitialisationMap, ascsim::kNumMemories> initialised;
  std::optional<ScalarCache> cache;

  /// Cycles for which reads of L1 held its port, with the whole of the last
  /// one.
  double l1Reads = 0;
  /// That one reads from `l1ReadEnd` - `l1LastRead` to `l1ReadEnd`.
  double l1ReadEnd = 0, l1LastRead = 0;
  double l1ReadsUntil(double time) const {
    return l1Reads - std::clamp(l1ReadEnd - time, 0.0, l1LastRead);
  }

  // The scalar program.
  boost::context::fiber program;
  boost::context::fiber engineSide;
  bool active = false; // has a block
  bool returned = true;
  double scalarTime = 0;
  BlockedOn blockedOn = BlockedOn::Nothing;
  uint32_t blockedDetail = 0; // pipe, flag or counter
  uint32_t blockedSite = 0;
  double blockedSince = 0;
  uint32_t inFlight = 0; // entries issued and not finished
  std::shared_ptr<const Clock> dispatch;
  uint32_t dispatchCounter = 0;
  /// In order, of all blocks.
  std::vector<DispatchStall> stalls;

  // The documented frame of a kernel.
  bool sawInit = false, reportedInit = false;
  bool sinceBarrier = false; // instructions since the last PIPE_ALL barrier
  uint32_t lastSite = 0;
  /// The scalar access that follows has been reported as out of bounds.
  bool toldOutside = false;
  uint32_t issued = 0; // instructions and scalar accesses of the program

  double startCycle = 0, endCycle = 0, lastActivity = 0;
  uint32_t blocksRun = 0;
  std::string printed;

  unsigned thread(ascsim::Pipe pipe) const {
    return place * kThreadsPerCore + static_cast<unsigned>(pipe);
  }
  PipeState &pipe(ascsim::Pipe which) {
    return pipes[static_cast<unsigned>(which)];
  }
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINECORE_H
