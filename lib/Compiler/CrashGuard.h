//===- CrashGuard.h - Going on after a crash of the compiler --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A compiler inside a Python process must not take the process with it. A
// failed assertion, a fatal error or an invalid access ends the compilation
// only.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_COMPILER_CRASHGUARD_H
#define TILELANG_LIB_COMPILER_CRASHGUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace tilelang {

/// Runs `action`; false if it crashed, and `how` says in what way. No
/// destructor of what `action` left unfinished runs. Signal handlers are in
/// place only meanwhile, and only for the calling thread: a crash elsewhere
/// takes its usual way.
bool runGuarded(llvm::function_ref<void()> action, std::string &how);

} // namespace tilelang

#endif // TILELANG_LIB_COMPILER_CRASHGUARD_H
