//===- Engine.h - The discrete-event machine ------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Each core's scalar program is a fiber that runs ahead of the pipes and fills
// their queues; an event queue ordered by virtual time drives the pipes. See
// docs/simulator.md for what is modelled.
//
// The parts, one file each: Engine.cpp the event loop and blocks,
// EngineScalar.cpp what a program calls, EnginePipes.cpp instructions in
// pipes, EngineSync.cpp flags and barriers, EngineChecks.cpp the checks,
// EngineAccounts.cpp where the time goes.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINE_H
#define TILELANG_SIM_ENGINE_H

#include "tilelang/Sim/EngineAddressMap.h"
#include "tilelang/Sim/EngineBandwidth.h"
#include "tilelang/Sim/EngineCore.h"
#include "tilelang/Sim/EngineExecutor.h"
#include "tilelang/Sim/EngineL2Cache.h"
#include "tilelang/Sim/EngineSites.h"

#include <queue>

namespace tilelang::sim {

class Engine {
public:
  Engine(const Kernel &kernel, const std::vector<LaunchArgument> &arguments,
         const LaunchOptions &options, const Chip &chip, Report &report);
  ~Engine();
  bool run(std::string &error);

  /// The core whose program runs on this thread; null outside a program.
  static Core *currentCore();
  static Engine *current();

  // What the program of a core calls (EngineScalar.cpp).
  void issue(Core &, const ascsim::Instruction &, uint64_t codeAddress);
  uint64_t load(Core &, const ascsim::Operand &, uint64_t codeAddress);
  void store(Core &, const ascsim::Operand &, uint64_t bits,
             uint64_t codeAddress);
  void outside(Core &, const ascsim::Operand &tensor, uint32_t index,
               uint32_t elements, bool isWrite, uint64_t codeAddress);
  void initSocState(Core &);
  void cleanCache(Core &, const ascsim::Operand &, bool entire,
                  uint64_t codeAddress);
  int64_t query(Core &, ascsim::Query);
  void print(Core &, const char *text);
  void fault(Core &, const char *message, uint64_t codeAddress);

private:
  // Events: at equal times in the order of their kinds, then of creation.
  enum class EventKind : uint8_t {
    TransferEnd,
    Complete,
    FlagFire,
    CrossArrive,
    PipeFree,
    PipeWake,
    Resume
  };
  struct Event {
    double time;
    EventKind kind;
    uint8_t pipe;
    uint32_t core;
    uint64_t order;
    void *payload;
    bool operator<(const Event &other) const { // for a max-heap
      if (time != other.time)
        return time > other.time;
      if (kind != other.kind)
        return kind > other.kind;
      return order > other.order;
    }
  };
  void post(double time, EventKind kind, const Core &core,
            ascsim::Pipe pipe = ascsim::Pipe::S, void *payload = nullptr);
  double nextTime();
  void loop();
  void handle(const Event &event);

  // Blocks (Engine.cpp).
  bool setUp(std::string &error);
  void startBlock(uint32_t cluster, uint32_t block, double time);
  void startProgram(Core &, uint32_t block, double time);
  void resume(Core &);
  void suspend(Core &, BlockedOn reason, uint32_t detail, uint32_t site);
  void wake(Core &, double time);
  void programReturned(Core &);
  void blockCoreDone(Core &);
  void abort();
  void fillReport();
  void fillDirty(Core &);

  // Pipes (EnginePipes.cpp).
  QueueEntry *newEntry(const ascsim::Instruction &);
  void freeEntry(QueueEntry *);
  /// The memories of a core with every completed instruction performed.
  CoreMemories &bytes(Core &);
  void tryStart(Core &, ascsim::Pipe);
  void startInstruction(Core &, ascsim::Pipe, QueueEntry *);
  void startTransfer(Core &, ascsim::Pipe, QueueEntry *, const Cost &);
  void finishTransfer(uint32_t token);
  void postCompletion(Core &, ascsim::Pipe, QueueEntry *, double time);
  void complete(Core &, ascsim::Pipe, QueueEntry *);
  void pop(Core &, ascsim::Pipe);
  void count(Core &, const QueueEntry &);
  double jitter(double cycles, double spread);

  // Synchronisation (EngineSync.cpp).
  FlagState &flagState(Core &, const ascsim::FlagShape &);
  int32_t flagNumber(Core &, const ascsim::FlagShape &);
  bool tryWaitFlag(Core &, ascsim::Pipe, const QueueEntry &);
  bool tryUnitFlag(Core &, ascsim::Pipe, const QueueEntry &);
  void startUnit(Core &, const QueueEntry &);
  void completeUnit(Core &, const QueueEntry &);
  void queueSet(Core &, ascsim::Pipe, const QueueEntry &);
  void checkSetOrder(Core &, FlagState &, const Accessor &, bool byToolchain);
  void firePending(Core &, ascsim::Pipe);
  void fireFlag(Core &, PendingSet *);
  void crossArrive(Core &, PendingSet *);
  void deliver(Core &, uint32_t id, uint8_t mode, CrossItem item);
  void advance(Core &);
  void waitScalarFlag(Core &, const ascsim::FlagShape &, uint32_t site);
  void waitCrossCore(Core &, const ascsim::FlagShape &, uint32_t site);
  void drain(Core &, uint32_t site);
  void setFromScalar(Core &, const ascsim::Instruction &, uint32_t site);
  void joinDispatch(Core &, const Clock &);
  void takeDispatch(PipeState &, const QueueEntry &);
  bool isIdle(const Core &) const;
  void checkIdle(Core &);
  void checkFlagsAtEnd(Core &);
  void reportDeadlock();

  // Accounts (EngineAccounts.cpp).
  /// The pipe takes up its next instruction now.
  void closeGap(Core &, ascsim::Pipe);
  /// An instruction starts: what the pipe stood for before held it up.
  void bookPending(PipeAccount &);
  /// A pipe has waited since its account ends.
  void noteWait(Core &, ascsim::Pipe, const WaitKey &);
  /// The dispatch has stood still until its present time.
  void noteStall(Core &, const WaitKey &, double start);
  void foldStalls(Core &);
  /// Nothing more comes for the pipe before `time`.
  void bookIdle(Core &, ascsim::Pipe, double time);
  void bookScalar(Core &, double time);
  uint32_t causeNumber(const WaitKey &);
  WaitCause causeOf(const WaitKey &) const;
  void noteArrow(const SetPlace &, const Core &, ascsim::Pipe, double time,
                 const WaitKey &);
  /// Of the instruction whose accesses are in hand; how many there are.
  uint32_t noteWorkspaceAccesses(const Core &, ascsim::Pipe,
                                 const QueueEntry &);
  void fillAccounts();

  // Checks (EngineChecks.cpp).
  void translate(QueueEntry &, bool toHost);
  bool checkBounds(Core &, ascsim::Pipe, const QueueEntry &);
  void checkLegal(Core &, const QueueEntry &);
  void checkRaces(Core &, ascsim::Pipe, const Accessor &, const AccessList &);
  void checkInitialisation(Core &, ascsim::Pipe, const QueueEntry &);
  Accessor scalarAccess(Core &, uint32_t site);
  ScalarCache::Line &cacheLine(Core &, Region &, uint64_t address, bool &hit);
  void writeBack(Core &, const ScalarCache::Line &);
  template <typename Action> void withCache(Core &, Action &&);
  void checkStaleCache(Core &, ascsim::Pipe, const Accessor &);
  void reportRaces(Core &, const Accessor &, ascsim::Memory, const Region *,
                   bool isRead);
  void reportRace(Core &, const Accessor &, ascsim::Memory, const Region *,
                  bool isRead, const Race &);
  Place placeOf(const Epoch &) const;
  Place placeOf(const Core &, ascsim::Pipe, uint32_t site) const;
  Finding *addFinding(const char *kind, uint64_t firstKey, uint64_t secondKey);
  void addFinding(const char *kind, std::string message, Place first,
                  std::optional<Place> second = std::nullopt);
  std::string describe(const Core &) const;

  const Kernel &kernel;
  const std::vector<LaunchArgument> &arguments;
  const LaunchOptions &options;
  const Chip &chip;
  Report &report;
  EngineConstants constants;
  AddressMap addresses;
  Bandwidth bandwidth;
  L2Cache l2;
  SiteTable sites;

  std::priority_queue<Event> events;
  uint64_t eventOrder = 0;
  double now = 0;
  double cycleLimit = 0;

  std::deque<Core> cores;
  struct Cluster {
    std::vector<Core *> members;
    uint32_t running = 0;
  };
  std::vector<Cluster> clusters;
  /// Which cores ran a block, for the places of findings.
  std::vector<std::array<Core *, kCoresPerBlock>> blockCores;
  uint32_t nextBlock = 0, blocksDone = 0;
  bool waves = false;
  bool aborting = false;
  bool failed = false;

  std::vector<std::unique_ptr<QueueEntry>> entryStorage;
  std::vector<QueueEntry *> freeEntries;
  std::vector<std::unique_ptr<PendingSet>> setStorage;
  std::vector<PendingSet *> freeSets;
  PendingSet *newSet(const PendingSet &);

  // Last among the members it uses: its thread ends first.
  Executor executor;

  struct Transfer {
    Core *core = nullptr;
    ascsim::Pipe pipe = ascsim::Pipe::S;
    QueueEntry *entry = nullptr;
    /// Cycles of the port of L1 it needs, and the reads of L1 at its start.
    double l1Cycles = 0, l1Reads = 0;
    /// Cycles it takes if nothing holds it up.
    double ownCycles = 0;
    /// Its first entry in the report's accesses of workspaces, and their count.
    uint32_t firstAccess = 0, accesses = 0;
  };
  std::vector<Transfer> transfers; // by token
  std::vector<uint32_t> freeTransfers, endedTransfers;

  /// Mode-0 sets that wait for the other cores, by type, flag and core.
  std::array<std::array<std::vector<std::deque<CrossItem>>, kCrossFlags>, 2>
      gridSets;
  /// Mode-1 and mode-2 sets of AIVs that wait for the other AIV.
  struct PairSets {
    std::array<std::array<std::deque<CrossItem>, 2>, kCrossFlags> pair, toCube;
  };
  std::vector<PairSets> pairSets; // by cluster

  uint32_t dirtyScalarCores = 0;
  uint64_t randomState = 0;
  AccessList accesses;               // scratch
  std::vector<Violation> violations; // scratch
  std::vector<Race> races;           // of the access in hand
  RaceHandler noteRace;
  mutable std::unordered_map<uint64_t, CodeAddress> located;
  std::unordered_map<uint64_t, size_t> findingIndex;
  std::unordered_map<std::string, uint32_t> findingCounts;
  std::unordered_map<WaitKey, uint32_t, WaitKeyHash> causeNumbers;
  std::array<uint64_t, static_cast<size_t>(ascsim::Opcode::NumOpcodes)>
      opcodeCounts{};
  std::unordered_map<const char *, uint64_t> nameCounts;
  std::array<std::array<uint64_t, ascsim::kNumMemories>, ascsim::kNumMemories>
      pathBytes{};
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINE_H
