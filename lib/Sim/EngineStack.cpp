//===- EngineStack.cpp - Stacks of the core programs ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/EngineStack.h"

#include <mutex>
#include <new>
#include <sys/mman.h>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define TILELANG_SIM_ASAN 1
#endif
#endif

using namespace tilelang::sim;

static constexpr size_t kStackBytes = 512 * 1024;
static constexpr size_t kGuardBytes = 4096;
/// One per core of the largest chip with all core types.
static constexpr size_t kMaxFree = 128;

namespace {
struct Pool {
  std::mutex mutex;
  std::vector<char *> free;
};
} // namespace

/// Never destroyed: programs may end during the exit of the process.
static Pool &pool() {
  static Pool *instance = new Pool;
  return *instance;
}

boost::context::stack_context StackAllocator::allocate() {
  char *memory = nullptr;
  {
    std::lock_guard<std::mutex> lock(pool().mutex);
    if (!pool().free.empty()) {
      memory = pool().free.back();
      pool().free.pop_back();
    }
  }
  if (!memory) {
    void *mapped =
        mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      throw std::bad_alloc();
    memory = static_cast<char *>(mapped);
    mprotect(memory, kGuardBytes, PROT_NONE);
  }
#ifdef TILELANG_SIM_ASAN
  // An unwound program leaves the marks of its frames behind.
  ASAN_UNPOISON_MEMORY_REGION(memory + kGuardBytes, kStackBytes);
#endif
  boost::context::stack_context stack;
  stack.size = kStackBytes;
  stack.sp = memory + kGuardBytes + kStackBytes; // stacks grow down
  return stack;
}

void StackAllocator::deallocate(boost::context::stack_context &stack) noexcept {
  char *memory = static_cast<char *>(stack.sp) - kStackBytes - kGuardBytes;
  {
    std::lock_guard<std::mutex> lock(pool().mutex);
    if (pool().free.size() < kMaxFree) {
      pool().free.push_back(memory);
      return;
    }
  }
  munmap(memory, kStackBytes + kGuardBytes);
}
