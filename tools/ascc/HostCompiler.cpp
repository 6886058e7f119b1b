//===- HostCompiler.cpp - Ascend C source to a host shared object ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Two steps, compiler and linker, started directly: the compiler's own driver
// would take twice as long for the link. The API headers are precompiled once
// per compiler, options and state of the headers.
//
//===----------------------------------------------------------------------===//

#include "HostCompiler.h"
#include "Process.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace tilelang;
namespace fs = std::filesystem;

static bool isExecutable(const std::string &path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

static std::string findInPath(const std::string &name) {
  const char *variable = std::getenv("PATH");
  std::string path = variable ? variable : "";
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find(':', begin), path.size());
    std::string candidate = path.substr(begin, end - begin) + "/" + name;
    if (end > begin && isExecutable(candidate))
      return candidate;
    begin = end + 1;
  }
  return std::string();
}

std::string tilelang::findHostCompiler() {
  if (const char *chosen = std::getenv("TILELANG_CXX"); chosen && *chosen) {
    std::string name = chosen;
    if (name.find('/') != std::string::npos)
      return isExecutable(name) ? name : std::string();
    return findInPath(name);
  }
  for (const char *name : {"clang++-22", "clang++"})
    if (std::string found = findInPath(name); !found.empty())
      return found;
  return std::string();
}

/// lld of the same installation as the compiler, else the one in PATH.
static std::string findLinker(const std::string &compiler) {
  std::error_code ignored;
  fs::path folder = fs::canonical(compiler, ignored).parent_path();
  std::string sibling = (folder / "ld.lld").string();
  if (!ignored && isExecutable(sibling))
    return sibling;
  for (const char *name : {"ld.lld-22", "ld.lld"})
    if (std::string found = findInPath(name); !found.empty())
      return found;
  return std::string();
}

std::string tilelang::defaultCacheDirectory() {
  if (const char *chosen = std::getenv("TILELANG_CACHE_DIR"); chosen && *chosen)
    return chosen;
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/tilelang-native";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/tilelang-native";
  return std::string();
}

std::string tilelang::nativeDirectoryOfProgram() {
  std::error_code failure;
  fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (failure)
    return std::string();
  fs::path native = program.parent_path().parent_path();
  return fs::exists(native / "include/ascendc/kernel_operator.h", failure)
             ? native.string()
             : std::string();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Conversions of half are single instructions from this level on.
static const char *hostLevel() {
#if defined(__x86_64__)
  static const bool modern =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
  return modern ? "-march=x86-64-v3" : "-march=x86-64";
#else
  return "-mcpu=generic";
#endif
}

static std::vector<std::string>
languageArguments(const HostCompileRequest &request) {
  return {
      "-std=c++17",
      "-O1", // the scalar program is short; the simulator library does the work
      "-fPIC",
      "-fvisibility=hidden",
      "-fno-exceptions",
      "-fsanitize=integer-divide-by-zero", // a finding, not a signal
      "-fwrapv",                           // integers of the scalar unit wrap
      "-fno-rtti",
      "-fno-stack-protector",
      "-ffp-contract=off",
      "-gline-tables-only", // call sites become lines of the source
      hostLevel(),
      "-w",
      request.core == HostCore::AIC ? "-D__DAV_C220_CUBE__"
                                    : "-D__DAV_C220_VEC__",
      "-I" + request.nativeDirectory + "/include/ascendc"};
}

//===----------------------------------------------------------------------===//
// Precompiled headers
//===----------------------------------------------------------------------===//

namespace {
class Hash {
public:
  void add(const std::string &text) {
    for (unsigned char c : text)
      state = (state ^ c) * 1099511628211ull;
    state = (state ^ 0xFF) * 1099511628211ull;
  }
  void addFile(const fs::path &path) {
    std::error_code ignored;
    add(path.string());
    add(std::to_string(fs::file_size(path, ignored)));
    add(std::to_string(
        fs::last_write_time(path, ignored).time_since_epoch().count()));
  }
  std::string text() const {
    static const char digits[] = "0123456789abcdef";
    std::string result;
    for (int shift = 60; shift >= 0; shift -= 4)
      result += digits[state >> shift & 15];
    return result;
  }

private:
  uint64_t state = 14695981039346656037ull;
};
} // namespace

/// Path of a usable precompiled header, made when it does not exist; empty when
/// it cannot be had (the compilation then reads the headers themselves).
static std::string
precompiledHeader(const HostCompileRequest &request,
                  const std::string &compiler,
                  const std::vector<std::string> &arguments) {
  if (request.cacheDirectory.empty())
    return std::string();
  fs::path headers = fs::path(request.nativeDirectory) / "include/ascendc";
  std::error_code failure;
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(headers, failure))
    if (entry.path().extension() == ".h")
      files.push_back(entry.path());
  if (failure || files.empty())
    return std::string();
  std::sort(files.begin(), files.end());
  Hash hash;
  hash.addFile(fs::canonical(compiler, failure));
  for (const std::string &argument : arguments)
    hash.add(argument);
  for (const fs::path &file : files)
    hash.addFile(file);
  fs::path folder = fs::path(request.cacheDirectory) / "pch";
  fs::path target = folder / ("kernel_operator-" + hash.text() + ".pch");
  if (fs::exists(target, failure))
    return target.string();

  fs::create_directories(folder, failure);
  fs::path temporary = target;
  temporary += "." + std::to_string(getpid()) + ".tmp";
  std::vector<std::string> command = {compiler};
  command.insert(command.end(), arguments.begin(), arguments.end());
  for (const char *argument : {"-x", "c++-header"})
    command.push_back(argument);
  command.push_back((headers / "kernel_operator.h").string());
  command.push_back("-o");
  command.push_back(temporary.string());
  Process process;
  std::string text;
  if (!process.start(command, text) || process.finish(text) != 0) {
    // The compiler writes beside its output (NAME-1234abcd.tmp.tmp for
    // NAME.tmp) and may not have cleaned up, where the disk is full for
    // example.
    std::string prefix = temporary.stem().string();
    std::vector<fs::path> left;
    for (const auto &entry : fs::directory_iterator(folder, failure))
      if (std::string name = entry.path().filename().string();
          name.rfind(prefix + "-", 0) == 0 || name.rfind(prefix + ".", 0) == 0)
        left.push_back(entry.path());
    for (const fs::path &file : left)
      fs::remove(file, failure);
    return std::string();
  }
  fs::rename(temporary, target, failure);
  return failure ? std::string() : target.string();
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
/// One request on its way.
struct Job {
  const HostCompileRequest *request;
  std::string object;
  std::string header;
  std::vector<std::string> command;
  Process process;
};
} // namespace

static bool checkRequest(const HostCompileRequest &request,
                         std::string &error) {
  std::error_code ignored;
  if (!fs::exists(request.source, ignored)) {
    error = "no such file: '" + request.source + "'";
    return false;
  }
  fs::path header =
      fs::path(request.nativeDirectory) / "include/ascendc/kernel_operator.h";
  if (!fs::exists(header, ignored)) {
    error = "the Ascend C headers are missing: expected '" + header.string() +
            "'; the installation is incomplete (nativeDirectory = '" +
            request.nativeDirectory + "')";
    return false;
  }
  return true;
}

static std::vector<std::string>
compileCommand(const Job &job, const std::string &compiler,
               const std::vector<std::string> &language) {
  const HostCompileRequest &request = *job.request;
  std::vector<std::string> command = {compiler};
  command.insert(command.end(), language.begin(), language.end());
  if (!job.header.empty()) {
    command.push_back("-include-pch");
    command.push_back(job.header);
  }
  for (const std::string &directory : request.includeDirectories)
    command.push_back("-I" + directory);
  command.insert(command.end(), request.extraArguments.begin(),
                 request.extraArguments.end());
  command.push_back("-x");
  command.push_back("c++");
  if (request.syntaxOnly)
    command.push_back("-fsyntax-only");
  else
    command.push_back("-c");
  command.push_back(request.source);
  if (!request.syntaxOnly) {
    command.push_back("-o");
    command.push_back(job.object);
  }
  return command;
}

static bool linkShared(const Job &job, const std::string &linker,
                       const std::string &compiler, std::string &error) {
  const HostCompileRequest &request = *job.request;
  std::string libraries = request.nativeDirectory + "/lib";
  // Written beside and renamed: another process may have the old one loaded.
  std::string temporary =
      request.output + "." + std::to_string(getpid()) + ".tmp";
  std::vector<std::string> command;
  if (!linker.empty())
    // The simulator gives up a blocked kernel by unwinding its stack.
    command = {linker,        "-shared", "--eh-frame-hdr", "--build-id=none",
               "-o",          temporary, job.object,       "-L" + libraries,
               "-lascendsim", "-rpath",  libraries};
  else
    command = {
        compiler,   "-shared",        "-o",          temporary,
        job.object, "-L" + libraries, "-lascendsim", "-Wl,-rpath," + libraries};
  Process process;
  std::string text;
  if (!process.start(command, error))
    return false;
  int status = process.finish(text);
  std::error_code failure;
  if (status != 0) {
    fs::remove(temporary, failure);
    error = "linking '" + request.output + "' failed:\n" + text;
    return false;
  }
  fs::rename(temporary, request.output, failure);
  if (failure) {
    error = "cannot write '" + request.output + "': " + failure.message();
    return false;
  }
  return true;
}

bool tilelang::compileAllForHost(
    const std::vector<HostCompileRequest> &requests, std::string &error) {
  error.clear();
  std::string compiler = findHostCompiler();
  if (compiler.empty()) {
    const char *chosen = std::getenv("TILELANG_CXX");
    error = chosen && *chosen ? "TILELANG_CXX names '" + std::string(chosen) +
                                    "', which is not an executable program"
                              : "no host C++ compiler found: clang++-22 (or "
                                "clang++) must be in PATH, or name one in "
                                "the environment variable TILELANG_CXX";
    return false;
  }
  std::string linker = findLinker(compiler);
  std::vector<Job> jobs(requests.size());
  bool good = true;
  for (size_t i = 0; i < requests.size(); ++i) {
    Job &job = jobs[i];
    job.request = &requests[i];
    if (!checkRequest(requests[i], error))
      return false;
    std::vector<std::string> language = languageArguments(requests[i]);
    job.object = requests[i].output + "." + std::to_string(getpid()) + "." +
                 std::to_string(i) + ".o";
    job.header = precompiledHeader(requests[i], compiler, language);
    job.command = compileCommand(job, compiler, language);
    if (!job.process.start(job.command, error))
      return false;
  }
  for (Job &job : jobs) {
    std::string text;
    int status = job.process.finish(text);
    if (status != 0 && !job.header.empty() &&
        text.find(".pch") != std::string::npos) {
      // A precompiled header that this compiler refuses: remove it, read the
      // text.
      std::error_code ignored;
      fs::remove(job.header, ignored);
      job.header.clear();
      text.clear();
      job.command =
          compileCommand(job, compiler, languageArguments(*job.request));
      status =
          job.process.start(job.command, text) ? job.process.finish(text) : 1;
    }
    if (status != 0 && good) {
      good = false;
      error = text.empty() ? "'" + compiler + "' failed with status " +
                                 std::to_string(status)
                           : text;
    }
  }
  for (Job &job : jobs) {
    if (job.request->syntaxOnly)
      continue;
    if (good)
      good = linkShared(job, linker, compiler, error);
    std::error_code ignored;
    fs::remove(job.object, ignored);
  }
  return good;
}

bool tilelang::compileForHost(const HostCompileRequest &request,
                              std::string &error) {
  return compileAllForHost({request}, error);
}
