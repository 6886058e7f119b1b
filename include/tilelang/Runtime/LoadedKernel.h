//===- LoadedKernel.h - An artifact that can be launched ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_RUNTIME_LOADEDKERNEL_H
#define TILELANG_RUNTIME_LOADEDKERNEL_H

#include "tilelang/Runtime/Arguments.h"
#include "tilelang/Sim/Simulator.h"

#include <memory>
#include <mutex>

namespace tilelang {

/// How one launch runs. Chip, grid and workspace are the artifact's.
struct RunOptions {
  bool checks = true;
  bool timeline = false;
  uint64_t seed = 0;
  bool warmL2 = false;
  /// The same cycles, several times faster; outputs keep what they held.
  /// Excludes `checks`.
  bool timeOnly = false;
  double cycleLimit = 0;
};

class LoadedKernel {
public:
  /// Opens the shared objects. `chipDirectory` may be empty: the folder beside
  /// the library's own. On failure returns null and fills `error`.
  static std::shared_ptr<LoadedKernel>
  load(Artifact artifact, std::string chipDirectory, std::string &error);
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  const Artifact &artifact() const { return contents; }

  /// Runs the kernel to its end; `arguments` and `sizes` have passed
  /// `checkArguments` and no argument is absent any more. `isInitialised` says
  /// for each argument whether its content is defined (outputs that were just
  /// allocated are not). Thread-safe.
  bool run(const std::vector<KernelArgument> &arguments,
           const std::vector<bool> &isInitialised, const SizeValues &sizes,
           const RunOptions &options, sim::Report &report,
           std::string &error) const;

  /// Lines of the emitted source behind addresses in the shared objects.
  std::vector<sim::SourceLocation>
  resolve(const std::vector<sim::CodeAddress> &addresses,
          const std::string &apiDirectory, std::string &error) const;

private:
  LoadedKernel() = default;
  bool writeObjects(std::string &error) const;
  void removeObjects() const;

  Artifact contents;
  std::string chips;
  std::shared_ptr<const Chip> chip;
  std::shared_ptr<sim::Kernel> kernel;
  /// Path and core type of each shared object. The files exist only while they
  /// are opened or their line tables are read: nothing is left behind, however
  /// the process ends.
  std::vector<std::pair<std::string, std::string>> objectPaths;
  mutable std::mutex objectFiles;
};

} // namespace tilelang

#endif // TILELANG_RUNTIME_LOADEDKERNEL_H
