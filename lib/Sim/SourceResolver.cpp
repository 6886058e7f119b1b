//===- SourceResolver.cpp - Code addresses to source lines ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Simulator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace tilelang;
using namespace tilelang::sim;

static std::string findSymbolizer() {
  if (const char *path = std::getenv("LLVM_SYMBOLIZER_PATH"))
    return path;
  std::vector<std::string> folders;
  std::string_view rest = std::getenv("PATH") ? std::getenv("PATH") : "";
  while (!rest.empty()) {
    size_t colon = rest.find(':');
    folders.emplace_back(rest.substr(0, colon));
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  folders.push_back("/usr/lib/llvm-22/bin");
  for (const char *name : {"llvm-symbolizer-22", "llvm-symbolizer"})
    for (const std::string &folder : folders) {
      std::string path = folder + "/" + name;
      if (access(path.c_str(), X_OK) == 0)
        return path;
    }
  return "";
}

/// Runs the symbolizer on one module; the input goes through a file, so that
/// neither side can block on a full pipe.
static bool runSymbolizer(const std::string &tool, const std::string &module,
                          const std::string &input, std::string &output,
                          std::string &error) {
  std::error_code noFolder;
  std::filesystem::path folder = std::filesystem::temp_directory_path(noFolder);
  if (noFolder) {
    error = "no folder for temporary files: " + noFolder.message();
    return false;
  }
  std::string inputPath = folder / "ascendsim-addresses-XXXXXX";
  int inputFile = mkstemp(inputPath.data());
  if (inputFile < 0) {
    error = std::string("cannot create a temporary file: ") + strerror(errno);
    return false;
  }
  unlink(inputPath.c_str());
  bool written = write(inputFile, input.data(), input.size()) ==
                 static_cast<ssize_t>(input.size());
  lseek(inputFile, 0, SEEK_SET);
  int ends[2];
  if (!written || pipe(ends) != 0) {
    error = std::string("cannot pass addresses to ") + tool + ": " +
            strerror(errno);
    close(inputFile);
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, inputFile, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::string object = "--obj=" + module;
  const char *arguments[] = {tool.c_str(),          object.c_str(),
                             "--inlines",           "--functions=none",
                             "--output-style=LLVM", nullptr};
  pid_t child;
  int status = posix_spawn(&child, tool.c_str(), &actions, nullptr,
                           const_cast<char **>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(inputFile);
  close(ends[1]);
  if (status != 0) {
    close(ends[0]);
    error = "cannot run " + tool + ": " + strerror(status);
    return false;
  }
  char buffer[4096];
  ssize_t got;
  while ((got = read(ends[0], buffer, sizeof buffer)) > 0)
    output.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    error = tool + " failed on " + module;
    return false;
  }
  return true;
}

/// Parses "file:line:column"; unknown parts are "??" and 0.
static SourceLocation parseLocation(std::string_view line) {
  SourceLocation location;
  size_t second = line.rfind(':');
  size_t first = second == std::string_view::npos || second == 0
                     ? std::string_view::npos
                     : line.rfind(':', second - 1);
  if (first == std::string_view::npos)
    return location;
  std::string_view file = line.substr(0, first);
  if (file.empty() || file == "??")
    return location;
  location.file = std::string(file);
  location.line = static_cast<uint32_t>(
      std::atoi(std::string(line.substr(first + 1, second)).c_str()));
  location.column = static_cast<uint32_t>(
      std::atoi(std::string(line.substr(second + 1)).c_str()));
  return location;
}

/// Whether a file lies in a folder, however either is spelled.
static bool isInside(const std::string &file, const std::string &folder) {
  if (folder.empty() || file.empty())
    return false;
  std::error_code code;
  std::string path = std::filesystem::weakly_canonical(file, code).string();
  std::string root = std::filesystem::weakly_canonical(folder, code).string();
  return path.compare(0, root.size(), root) == 0 &&
         (path.size() == root.size() || root.back() == '/' ||
          path[root.size()] == '/');
}

std::vector<SourceLocation>
tilelang::sim::resolveCodeAddresses(const std::vector<CodeAddress> &addresses,
                                    const std::string &apiDirectory,
                                    std::string &error) {
  std::vector<SourceLocation> result(addresses.size());
  std::map<std::string, std::vector<size_t>> byModule;
  for (size_t i = 0; i != addresses.size(); ++i)
    if (!addresses[i].module.empty() && addresses[i].offset)
      byModule[addresses[i].module].push_back(i);
  if (byModule.empty())
    return result;
  std::string tool = findSymbolizer();
  if (tool.empty()) {
    error = "llvm-symbolizer was not found; install llvm-22 or set "
            "LLVM_SYMBOLIZER_PATH";
    return result;
  }
  for (const auto &[module, indices] : byModule) {
    std::string input, output;
    char buffer[32];
    for (size_t i : indices) {
      // A return address belongs to the next statement; the call ends one
      // byte before it.
      std::snprintf(buffer, sizeof buffer, "0x%llx\n",
                    static_cast<unsigned long long>(addresses[i].offset - 1));
      input += buffer;
    }
    if (!runSymbolizer(tool, module, input, output, error))
      continue;
    // Per address the frames from the inside out, then an empty line.
    std::string_view rest = output;
    size_t number = 0;
    bool found = false;
    SourceLocation innermost;
    while (!rest.empty() && number != indices.size()) {
      size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
      SourceLocation &target = result[indices[number]];
      if (line.empty()) {
        if (!found)
          target = innermost;
        ++number;
        found = false;
        innermost = SourceLocation();
        continue;
      }
      SourceLocation location = parseLocation(line);
      if (innermost.file.empty())
        innermost = location;
      if (!found && location.line && !isInside(location.file, apiDirectory)) {
        target = location;
        found = true;
      }
    }
  }
  return result;
}
