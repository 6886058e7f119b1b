//===- EngineClock.h - Vector clocks over the pipes of a block ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A block runs on up to three cores (AIC, AIV 0, AIV 1) of eight threads each:
// seven pipes and the dispatch of the scalar unit. What a thread knows of its
// own block is a dense array. Blocks learn of each other only through mode-0
// cross-core flags; that knowledge is an immutable snapshot shared by all who
// passed the same flag, so that the common case costs one null pointer.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINECLOCK_H
#define TILELANG_SIM_ENGINECLOCK_H

#include "ascsim/instruction.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilelang::sim {

constexpr unsigned kThreadsPerCore = 8;
constexpr unsigned kCoresPerBlock = 3;
constexpr unsigned kThreadsPerBlock = kThreadsPerCore * kCoresPerBlock;
/// Thread number of the dispatch of a core, beside its seven pipes.
constexpr unsigned kDispatchThread = 7;
static_assert(ascsim::kNumPipes == kDispatchThread);

using ThreadClocks = std::array<uint32_t, kThreadsPerBlock>;

/// What is known of all blocks of a launch at one point.
using ForeignClocks = std::vector<ThreadClocks>;

struct Clock {
  ThreadClocks own{};
  std::shared_ptr<const ForeignClocks> foreign;

  void join(const Clock &other) {
    for (unsigned i = 0; i != kThreadsPerBlock; ++i)
      own[i] = std::max(own[i], other.own[i]);
    if (other.foreign && other.foreign != foreign)
      joinForeign(other.foreign);
  }
  /// Joins a snapshot of all blocks; `block` is the own one.
  void joinSnapshot(const std::shared_ptr<const ForeignClocks> &snapshot,
                    uint32_t block) {
    const ThreadClocks &mine = (*snapshot)[block];
    for (unsigned i = 0; i != kThreadsPerBlock; ++i)
      own[i] = std::max(own[i], mine[i]);
    joinForeign(snapshot);
  }

private:
  void joinForeign(const std::shared_ptr<const ForeignClocks> &other) {
    if (!foreign || foreign == other) {
      foreign = other;
      return;
    }
    auto merged = std::make_shared<ForeignClocks>(*foreign);
    for (size_t block = 0; block != merged->size(); ++block)
      for (unsigned i = 0; i != kThreadsPerBlock; ++i)
        (*merged)[block][i] = std::max((*merged)[block][i], (*other)[block][i]);
    foreign = std::move(merged);
  }
};

/// One point in the life of one thread, with the instruction it belongs to.
struct Epoch {
  uint32_t block = 0;
  uint32_t clock = 0;
  uint32_t site = 0;
  uint32_t order = 0; // position in the program of its core
  uint8_t thread = 0; // within the block

  bool sameThread(const Epoch &other) const {
    return block == other.block && thread == other.thread;
  }
};

/// Who accesses, and what that thread knows to be complete.
struct Accessor {
  Epoch epoch;
  const Clock *clock;

  bool knows(const Epoch &earlier) const {
    if (earlier.block == epoch.block)
      return clock->own[earlier.thread] >= earlier.clock ||
             (earlier.thread == epoch.thread && earlier.clock == epoch.clock);
    return clock->foreign &&
           (*clock->foreign)[earlier.block][earlier.thread] >= earlier.clock;
  }
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINECLOCK_H
