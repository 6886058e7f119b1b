//===- Process.h - A child process whose output is kept -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_TOOLS_ASCC_PROCESS_H
#define TILELANG_TOOLS_ASCC_PROCESS_H

#include <string>
#include <sys/types.h>
#include <vector>

namespace tilelang {

class Process {
public:
  Process() = default;
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;
  Process(Process &&other) noexcept { *this = static_cast<Process &&>(other); }
  Process &operator=(Process &&other) noexcept;
  ~Process();

  /// Starts `arguments[0]`, a path; false with the system's reason.
  bool start(const std::vector<std::string> &arguments, std::string &error);
  /// Waits; the exit status, or 128 + the signal. All output goes to `output`.
  int finish(std::string &output);

private:
  pid_t child = -1;
  int pipeEnd = -1;
};

} // namespace tilelang

#endif // TILELANG_TOOLS_ASCC_PROCESS_H
