//===- EngineExecutor.h - Bytes change on a second thread -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Time and bytes are independent except where the scalar unit looks: the event
// loop hands each completed instruction over, and one worker performs them in
// exactly that order. Whoever needs the bytes calls `wait` first. So results
// are the same as without the worker, and half of the work overlaps. Short
// kernels never start the thread.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINEEXECUTOR_H
#define TILELANG_SIM_ENGINEEXECUTOR_H

#include "tilelang/Sim/EngineCore.h"

#include <atomic>
#include <thread>

namespace tilelang::sim {

class Executor {
public:
  Executor() = default;
  ~Executor() { stop(); }

  /// Performs the instruction now or later; the entry goes to `release` when
  /// it is no longer used.
  void run(QueueEntry *entry, CoreMemories &memories,
           std::vector<QueueEntry *> &released);
  /// All instructions handed over so far are performed.
  void wait(std::vector<QueueEntry *> &released);

private:
  struct Task {
    QueueEntry *entry;
    CoreMemories *memories;
  };
  /// Instructions performed in place before the thread is worth its start.
  static constexpr uint64_t kInPlace = 2000;
  static constexpr uint64_t kCapacity = 1024; // a power of two

  void start();
  void stop();
  void work();
  void reclaim(uint64_t until, std::vector<QueueEntry *> &released);

  std::vector<Task> ring;
  std::thread thread;
  std::atomic<uint64_t> published{0}, performed{0};
  std::atomic<bool> stopping{false};
  uint64_t count = 0, reclaimed = 0;
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINEEXECUTOR_H
