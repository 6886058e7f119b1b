//===- Simulator.h - Running Ascend C kernels on a modelled chip ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The public C++ interface of the simulator library: load a kernel that was
// compiled for the host, launch it with arguments, read the report. The C
// interface in `simulator_c.h` mirrors it.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_SIMULATOR_H
#define TILELANG_SIM_SIMULATOR_H

#include "ascsim/instruction.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilelang {
class Chip;

namespace sim {

enum class KernelType : uint8_t { AicOnly, AivOnly, Mix12 };

/// A kernel as compiled by the host compiler: one shared object per core type.
struct KernelImage {
  std::string aicObject; // empty for AivOnly
  std::string aivObject; // empty for AicOnly
  std::string entry;     // `extern "C"` symbol, the same in both objects
  KernelType type = KernelType::AivOnly;
};

enum class ArgumentKind : uint8_t { Buffer, Scalar };
enum class ScalarType : uint8_t {
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F32,
  F64
};

/// One parameter of the entry function, in order.
struct LaunchArgument {
  ArgumentKind kind = ArgumentKind::Buffer;
  std::string name;
  // Buffer.
  void *data = nullptr;
  uint64_t bytes = 0;
  /// A workspace starts uninitialised: with `dirtyStart` it is filled with NaN
  /// bytes, and uninitialised bytes may be parked in it without a report.
  bool workspace = false;
  /// False for an output whose initial content is undefined: reading it before
  /// it is written counts as reading uninitialised bytes.
  bool initialised = true;
  // Scalar: `bits` holds the value in the low bytes, in its own type.
  ScalarType type = ScalarType::I32;
  uint64_t bits = 0;

  static LaunchArgument buffer(std::string name, void *data, uint64_t bytes,
                               bool initialised = true);
  static LaunchArgument workspaceBuffer(std::string name, void *data,
                                        uint64_t bytes);
  static LaunchArgument scalar(std::string name, ScalarType type,
                               uint64_t bits);
};

/// Loaded and ready to be launched, any number of times and from any thread.
class Kernel {
public:
  using Function = std::function<void()>;
  virtual ~Kernel();
  /// Opens the shared objects. On failure returns null and fills `error`.
  static std::shared_ptr<Kernel> load(const KernelImage &image,
                                      std::string &error);
  /// A kernel from callables that issue instructions themselves (tests).
  static std::shared_ptr<Kernel> fromFunctions(KernelType type, Function aic,
                                               Function aiv);
  KernelType type() const { return kernelType; }
  /// Calls the program of one core with the arguments of the launch.
  virtual void run(ascsim::CoreType core,
                   const std::vector<LaunchArgument> &arguments) const = 0;

protected:
  explicit Kernel(KernelType type) : kernelType(type) {}

private:
  KernelType kernelType;
};

struct LaunchOptions {
  /// Chip description: `<chipDirectory>/<chip>.toml`. An empty directory means
  /// the `chips` folder beside the library's own folder.
  std::string chip = "ascend910b2";
  std::string chipDirectory;
  uint32_t blockDim = 1;
  bool checks = true;
  bool timeline = false;
  /// Other than 0: perturbs latencies, the start of cores and the completion
  /// order of transfers. The bytes of a correct kernel do not change.
  uint64_t seed = 0;
  /// Memories, registers and workspaces start in hostile but legal states.
  bool dirtyStart = true;
  /// Instructions take their time but change no bytes, so outputs keep what
  /// they held. For kernels whose time does not depend on their data; scalar
  /// reads see the bytes as they are. Excludes `checks`.
  bool timeOnly = false;
  /// As a build with the vendor compiler's automatic synchronisation: vector
  /// instructions are ordered among themselves, scalar accesses to local
  /// tensors wait for the vector and transfer pipes and hold them back.
  bool autoSync = false;
  /// The buffers are in L2 when the kernel starts, as far as they fit.
  bool warmL2 = false;
  /// Modelled cycles after which the launch ends with a finding; 0: 2e10.
  double cycleLimit = 0;
  /// Findings of one kind that are kept (distinct by pair of places).
  uint32_t findingsPerKind = 20;
};

/// Where something happened.
struct Place {
  uint32_t block = 0; // index of the launched block (cluster for Mix12)
  uint32_t core = 0;  // physical core of its type
  ascsim::CoreType coreType = ascsim::CoreType::AIV;
  uint32_t subBlock = 0;
  ascsim::Pipe pipe = ascsim::Pipe::S;
  std::string instruction;
  uint64_t codeAddress = 0; // run-time address, for grouping only
  std::string module;       // path of the shared object
  uint64_t offset = 0;      // address inside the module
  double cycle = 0;
};

/// Something the kernel does wrong. `kind` is one of the names below.
struct Finding {
  std::string kind;
  std::string message;
  Place first;
  std::optional<Place> second;
  uint64_t count = 1; // how often it happened at this pair of places
};

namespace finding {
inline constexpr const char *kRace = "race";
inline constexpr const char *kUninitialised = "uninitialised";
inline constexpr const char *kOutOfBounds = "out-of-bounds";
inline constexpr const char *kIllegal = "illegal-instruction";
inline constexpr const char *kFlag = "flag-misuse";
inline constexpr const char *kDeadlock = "deadlock";
inline constexpr const char *kFrame = "kernel-frame";
inline constexpr const char *kStaleCache = "stale-cache";
inline constexpr const char *kFault = "fault";
inline constexpr const char *kLimit = "cycle-limit";
} // namespace finding

struct TimelineEvent {
  uint32_t coreIndex; // into Report::cores
  ascsim::Pipe pipe;
  const char *name;  // static storage
  double start, end; // cycles
  uint64_t codeAddress;
  uint32_t block;
};

/// What a pipe waits for, and where in the program.
struct WaitCause {
  enum class Kind : uint8_t {
    Flag,      // SetFlag of another pipe
    CrossFlag, // CrossCoreSetFlag of other cores
    Barrier,   // earlier instructions of the pipe
    Drain,     // PipeBarrier<PIPE_ALL>
    UnitFlag,  // handshake of Mmad and Fixpipe
    FullQueue  // the dispatch, for room in the queue of `destination`
  };
  Kind kind = Kind::Flag;
  /// Of a flag; of a counter the pipe that sets it.
  ascsim::Pipe source = ascsim::Pipe::S, destination = ascsim::Pipe::S;
  uint32_t id = 0;
  /// Code addresses; 0 where there is no such instruction.
  uint64_t waitAddress = 0, setAddress = 0;

  /// "MTE2_V 0", "CrossCoreWaitFlag 3", "PipeBarrier V"
  std::string name() const;
};

/// A wait in the timeline.
struct TimelineWait {
  uint32_t coreIndex;
  ascsim::Pipe pipe;
  uint32_t cause; // into Report::causes
  double start, end;
  uint32_t block;
};

/// From the set of a flag or counter to the wait that it ends: when the setting
/// pipe came to the set, and when the wait ended.
struct TimelineArrow {
  uint32_t fromCore;
  ascsim::Pipe fromPipe;
  double fromTime;
  uint32_t toCore;
  ascsim::Pipe toPipe;
  double toTime;
  uint32_t cause; // into Report::causes
};

/// An instruction accesses a workspace argument.
struct WorkspaceAccess {
  uint32_t coreIndex;
  ascsim::Pipe pipe;
  bool isWrite;
  double start, end;
  uint64_t beginByte, endByte; // of the workspace
  uint64_t codeAddress;
};

/// The cycles of a pipe from the start of the launch to its end, together with
/// its waits. They add up to the cycles of the launch.
struct PipeTime {
  double busy = 0; // at work, without `memory`
  /// Transfers took longer than their own path needs: shared bandwidth, L2
  /// misses, the port of L1.
  double memory = 0;
  double dispatch = 0; // the scalar unit had not issued the next instruction
  double idle = 0;     // no further instruction in the block, or no block
};

struct PipeWait {
  ascsim::Pipe pipe;
  WaitCause cause;
  /// The pipe was without instructions: the core's dispatch stood there.
  bool atDispatch = false;
  double cycles = 0;
  uint64_t count = 0;
};

struct CoreReport {
  ascsim::CoreType type = ascsim::CoreType::AIV;
  uint32_t core = 0;
  double startCycle = 0, endCycle = 0;
  uint32_t blocks = 0;
  std::array<double, ascsim::kNumPipes> busyCycles{};
  std::array<uint64_t, ascsim::kNumPipes> instructions{};
  std::array<PipeTime, ascsim::kNumPipes> times{};
  std::vector<PipeWait> waits; // in a fixed order
};

/// Time a pipe stood at a flag, summed over cores of one type.
struct WaitReport {
  ascsim::CoreType type;
  ascsim::Pipe pipe; // the pipe that waited
  std::string what;  // "MTE2_V 0", "CrossCoreWaitFlag 3", "PipeBarrier V"
  double cycles = 0;
  uint64_t count = 0;
};

struct CoreTypeReport {
  uint32_t cores = 0;
  double meanCycles = 0, maxCycles = 0;
  std::array<double, ascsim::kNumPipes> meanBusyCycles{};
  /// Busy share of the time of the launch without its head.
  std::array<double, ascsim::kNumPipes> utilisation{};
};

struct PathBytes {
  std::string path; // "GM->L1"
  uint64_t bytes = 0;
};

struct CodeAddress {
  std::string module;
  uint64_t offset = 0;
};

/// What the writer of a trace knows and the simulator does not.
struct TraceOptions {
  /// The line of a program behind a code address.
  struct Label {
    std::string text; // added to the name of an instruction
    std::string file; // empty if unknown
    uint32_t line = 0;
  };
  /// Slots in the workspace: `offset` + (block * `slots` + slot) * `slotBytes`.
  struct Ring {
    std::string name;
    uint64_t offset = 0, slotBytes = 0;
    uint32_t slots = 0, blocks = 0;
  };
  std::string title;
  std::function<Label(uint64_t codeAddress)> label;
  std::vector<Ring> rings;
};

struct Report {
  bool completed = false;  // false after a deadlock, a fault or the limit
  double cycles = 0;       // slowest core
  double microseconds = 0; // with the launch head
  double launchMicroseconds = 0;
  double clockGHz = 0;
  uint32_t blockDim = 0;
  std::vector<CoreReport> cores;
  std::array<CoreTypeReport, 2> coreTypes; // AIC, AIV
  std::vector<PathBytes> paths;
  uint64_t l2HitBytes = 0, l2MissBytes = 0, writeBackBytes = 0;
  uint64_t macs = 0;
  uint64_t vectorOperations = 0;
  uint64_t instructions = 0;
  std::vector<std::pair<std::string, uint64_t>> instructionCounts;
  std::vector<WaitReport> waits;
  std::vector<Finding> findings;
  /// Findings beyond the limit, by kind.
  uint64_t suppressedFindings = 0;
  std::vector<TimelineEvent> timeline;
  /// With the timeline.
  std::vector<TimelineWait> timelineWaits;
  std::vector<TimelineArrow> timelineArrows;
  std::vector<WaitCause> causes;
  std::vector<WorkspaceAccess> workspaceAccesses;
  /// Text printed by the kernel: "[AIV 3] ..." lines.
  std::string output;
  double wallSeconds = 0;

  /// Module and offset of a run-time code address (valid while the kernel is
  /// loaded).
  static CodeAddress locate(uint64_t codeAddress);
  /// The report as JSON. The timeline is left out unless asked for.
  std::string toJson(bool withTimeline = false) const;
  /// The timeline in Chrome's trace format (Perfetto opens it): microseconds
  /// of modelled time, one process per core, one track per pipe with its
  /// instructions and waits, one process per block with the slots of its
  /// workspaces, arrows from sets to waits. Calls `write` piece by piece.
  void
  writeChromeTrace(const TraceOptions &options,
                   const std::function<void(std::string_view)> &write) const;
};

/// Runs a kernel to its end. Returns false and fills `error` when the launch
/// itself is wrong (unknown chip, too many blocks for the kernel type, null
/// buffer...); what the kernel does wrong is in `report.findings`.
bool simulate(const Kernel &kernel,
              const std::vector<LaunchArgument> &arguments,
              const LaunchOptions &options, Report &report, std::string &error);
/// The same on a chip that is already loaded.
bool simulate(const Kernel &kernel,
              const std::vector<LaunchArgument> &arguments,
              const LaunchOptions &options, const Chip &chip, Report &report,
              std::string &error);

struct SourceLocation {
  std::string file; // empty when unknown
  uint32_t line = 0, column = 0;
};

/// Source lines of code addresses: `llvm-symbolizer` runs once per module. Of
/// inlined frames the innermost outside `apiDirectory` is taken (the folder of
/// the Ascend C headers). Addresses are those of `Place` (return addresses).
std::vector<SourceLocation>
resolveCodeAddresses(const std::vector<CodeAddress> &addresses,
                     const std::string &apiDirectory, std::string &error);

/// Names for messages.
const char *pipeName(ascsim::Pipe pipe);
const char *coreTypeName(ascsim::CoreType type);
const char *memoryName(ascsim::Memory memory);

} // namespace sim
} // namespace tilelang

#endif // TILELANG_SIM_SIMULATOR_H
