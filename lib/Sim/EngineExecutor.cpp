//===- EngineExecutor.cpp - Bytes change on a second thread ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/EngineExecutor.h"

using namespace tilelang::sim;

void Executor::run(QueueEntry *entry, CoreMemories &memories,
                   std::vector<QueueEntry *> &released) {
  if (++count <= kInPlace) {
    execute(entry->instruction, memories);
    released.push_back(entry);
    return;
  }
  if (!thread.joinable())
    start();
  uint64_t next = published.load(std::memory_order_relaxed);
  uint64_t finished = performed.load(std::memory_order_acquire);
  while (next - finished == kCapacity) {
    performed.wait(finished, std::memory_order_acquire);
    finished = performed.load(std::memory_order_acquire);
  }
  reclaim(finished, released);
  ring[next % kCapacity] = {entry, &memories};
  published.store(next + 1, std::memory_order_release);
  published.notify_one();
}

void Executor::reclaim(uint64_t until, std::vector<QueueEntry *> &released) {
  for (; reclaimed != until; ++reclaimed)
    released.push_back(ring[reclaimed % kCapacity].entry);
}

void Executor::wait(std::vector<QueueEntry *> &released) {
  if (!thread.joinable())
    return;
  uint64_t all = published.load(std::memory_order_relaxed);
  uint64_t finished = performed.load(std::memory_order_acquire);
  while (finished != all) {
    performed.wait(finished, std::memory_order_acquire);
    finished = performed.load(std::memory_order_acquire);
  }
  reclaim(all, released);
}

void Executor::start() {
  ring.resize(kCapacity);
  thread = std::thread([this] { work(); });
}

void Executor::stop() {
  if (!thread.joinable())
    return;
  // What was handed over is still performed: it touches the arguments.
  stopping.store(true, std::memory_order_release);
  published.fetch_add(1, std::memory_order_release);
  published.notify_one();
  thread.join();
}

void Executor::work() {
  uint64_t next = 0;
  for (;;) {
    uint64_t available = published.load(std::memory_order_acquire);
    if (available == next) {
      published.wait(next, std::memory_order_acquire);
      continue;
    }
    // The last one published by stop() is no task.
    bool last = stopping.load(std::memory_order_acquire);
    uint64_t until =
        last ? published.load(std::memory_order_acquire) - 1 : available;
    for (; next < until; ++next) {
      Task &task = ring[next % kCapacity];
      execute(task.entry->instruction, *task.memories);
      performed.store(next + 1, std::memory_order_release);
      performed.notify_one();
    }
    if (last)
      return;
  }
}
