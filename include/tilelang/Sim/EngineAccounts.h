//===- EngineAccounts.h - Where the time of a pipe goes -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Every cycle of a pipe is booked once, in order: at work, at a flag, without
// instructions because the core's dispatch stood somewhere, or with nothing to
// do. The key of a wait is small, since waits are as frequent as instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINEACCOUNTS_H
#define TILELANG_SIM_ENGINEACCOUNTS_H

#include "tilelang/Sim/Simulator.h"

#include <unordered_map>
#include <vector>

namespace tilelang::sim {

/// What is waited for, by sites of the program.
struct WaitKey {
  WaitCause::Kind kind = WaitCause::Kind::Flag;
  ascsim::Pipe source = ascsim::Pipe::S, destination = ascsim::Pipe::S;
  uint16_t id = 0;
  uint32_t waitSite = 0, setSite = 0;

  uint64_t what() const {
    return static_cast<uint64_t>(kind) << 32 |
           static_cast<uint64_t>(source) << 24 |
           static_cast<uint64_t>(destination) << 16 | id;
  }
  bool operator==(const WaitKey &other) const {
    return what() == other.what() && waitSite == other.waitSite &&
           setSite == other.setSite;
  }
};

struct WaitKeyHash {
  size_t operator()(const WaitKey &key) const {
    uint64_t sites = static_cast<uint64_t>(key.waitSite) << 32 | key.setSite;
    uint64_t hash = (key.what() ^ sites * 0x9e3779b97f4a7c15ull);
    return static_cast<size_t>((hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ull);
  }
};

struct WaitTotal {
  double cycles = 0;
  uint64_t count = 0;
};
using WaitTotals = std::unordered_map<WaitKey, WaitTotal, WaitKeyHash>;

/// The dispatch of a core stood still.
struct DispatchStall {
  WaitKey key;
  double start, end;
};

/// Where a flag was set, for the arrows of the timeline.
struct SetPlace {
  uint32_t core = 0;
  ascsim::Pipe pipe = ascsim::Pipe::S;
  double time = 0;
};

/// The books of one pipe.
struct PipeAccount {
  /// Everything before is booked.
  double until = 0;
  double busy = 0, memory = 0, dispatch = 0, idle = 0;
  WaitTotals waits;
  /// While it had no instructions.
  WaitTotals dispatchWaits;
  /// Since its last instruction. If none follows in the block (flags are
  /// drained at its end), the pipe was not held up: it was idle.
  struct Pending {
    WaitKey key;
    WaitTotal total;
    bool atDispatch;
  };
  std::vector<Pending> pending;
  double pendingDispatch = 0;
  /// The first stall of the dispatch that may end after `until`.
  size_t stall = 0;
  /// Stalls since `until` that are no longer listed.
  WaitTotals open;
  double openCycles = 0;
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINEACCOUNTS_H
