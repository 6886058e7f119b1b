//===- CrashGuard.cpp - Going on after a crash of the compiler ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CrashGuard.h"

#include "llvm/Support/CrashRecoveryContext.h"

#include <csignal>
#include <mutex>

namespace tilelang {
namespace {

/// Several threads may compile: the handlers belong to the process and stay
/// while anyone needs them.
class Handlers {
public:
  Handlers() {
    std::lock_guard<std::mutex> guard(mutex);
    if (users++ == 0)
      llvm::CrashRecoveryContext::Enable();
  }
  ~Handlers() {
    std::lock_guard<std::mutex> guard(mutex);
    if (--users == 0)
      llvm::CrashRecoveryContext::Disable();
  }

private:
  static std::mutex mutex;
  static unsigned users;
};

std::mutex Handlers::mutex;
unsigned Handlers::users = 0;

std::string describe(int status) {
  // As shells count: 128 + the number of the signal.
  switch (status - 128) {
  case SIGABRT:
    return "it gave up (failed assertion or fatal error)";
  case SIGSEGV:
  case SIGBUS:
    return "invalid memory access";
  case SIGFPE:
    return "arithmetic error";
  case SIGILL:
  case SIGTRAP:
    return "it reached code that should be unreachable";
  default:
    return "status " + std::to_string(status);
  }
}

} // namespace

bool runGuarded(llvm::function_ref<void()> action, std::string &how) {
  Handlers handlers;
  llvm::CrashRecoveryContext context;
  if (context.RunSafely(action))
    return true;
  how = describe(context.RetCode);
  return false;
}

} // namespace tilelang
