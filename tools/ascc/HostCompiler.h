//===- HostCompiler.h - Ascend C source to a host shared object -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Runs the host's clang++ on Ascend C text with our headers. A kernel for both
// core types is two requests, which run side by side.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_TOOLS_ASCC_HOSTCOMPILER_H
#define TILELANG_TOOLS_ASCC_HOSTCOMPILER_H

#include <string>
#include <vector>

namespace tilelang {

enum class HostCore { AIC, AIV };

struct HostCompileRequest {
  std::string source; // path of the Ascend C text
  std::string output; // path of the shared object
  HostCore core = HostCore::AIC;
  std::vector<std::string> includeDirectories;
  /// Further arguments of the compiler, for example -DNAME=VALUE.
  std::vector<std::string> extraArguments;
  /// Folder with include/ascendc and lib/libascendsim.so (`tilelang/_native`).
  std::string nativeDirectory;
  /// Folder where precompiled headers are kept between runs; empty: none.
  std::string cacheDirectory;
  /// Check only: no output.
  bool syntaxOnly = false;
};

/// Compiles; false with what the compiler said (or why it could not run) in
/// `error`. Warnings are not errors and are dropped.
bool compileForHost(const HostCompileRequest &request, std::string &error);

/// The same for several requests at once; the first failure is reported.
bool compileAllForHost(const std::vector<HostCompileRequest> &requests,
                       std::string &error);

/// The compiler that would be used: TILELANG_CXX, else clang++-22 or clang++ in
/// PATH. Empty when there is none.
std::string findHostCompiler();

/// The user's cache folder: TILELANG_CACHE_DIR, else the one of the platform.
std::string defaultCacheDirectory();

/// `tilelang/_native` around the running program (its bin folder's parent), or
/// empty.
std::string nativeDirectoryOfProgram();

} // namespace tilelang

#endif // TILELANG_TOOLS_ASCC_HOSTCOMPILER_H
