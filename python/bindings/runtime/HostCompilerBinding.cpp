//===- HostCompilerBinding.cpp - Ascend C text to host code, in Python ----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Marshal.h"

#include "HostCompiler.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace nb = nanobind;
using namespace tilelang;

namespace {

/// A folder of its own that goes away with all it holds.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::error_code failed;
    std::filesystem::path root = std::filesystem::temp_directory_path(failed);
    std::string pattern = (failed ? std::filesystem::path("/tmp") : root) /
                          "tilelang-compile-XXXXXX";
    if (::mkdtemp(pattern.data()))
      folder = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!folder.empty())
      std::filesystem::remove_all(folder, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::filesystem::path &path() const { return folder; }

private:
  std::filesystem::path folder;
};

/// Compiles `source` for each of `cores` at the same time.
bool compile(const std::string &source, const std::string &name,
             const std::vector<std::string> &cores,
             const std::string &nativeDirectory,
             std::vector<std::string> &objects, std::string &error) {
  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / (name + ".cpp");
  if (folder.path().empty() ||
      !(std::ofstream(path, std::ios::binary) << source).flush()) {
    error = std::string("cannot write a temporary file: ") +
            std::strerror(errno) + "; TMPDIR names another folder";
    return false;
  }
  std::vector<HostCompileRequest> requests;
  for (const std::string &core : cores) {
    HostCompileRequest request;
    request.source = path;
    request.output = folder.path() / (name + "." + core + ".so");
    request.core = core == "aic" ? HostCore::AIC : HostCore::AIV;
    request.nativeDirectory = nativeDirectory;
    request.cacheDirectory = defaultCacheDirectory();
    requests.push_back(std::move(request));
  }
  if (!compileAllForHost(requests, error))
    return false;
  for (const HostCompileRequest &request : requests) {
    std::ifstream file(request.output, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    if (!file) {
      error = "the host compiler wrote no '" + request.output + "'";
      return false;
    }
    objects.push_back(bytes.str());
  }
  return true;
}

nb::dict compileForCores(const std::string &source, const std::string &name,
                         const std::vector<std::string> &cores,
                         const std::string &nativeDirectory) {
  std::vector<std::string> objects;
  std::string error;
  bool compiled;
  {
    nb::gil_scoped_release release;
    compiled = compile(source, name, cores, nativeDirectory, objects, error);
  }
  // The text was emitted here: a compiler that refuses it is our fault, or the
  // installation's.
  if (!compiled)
    raiseError("InternalError",
               "the emitted source of '" + name +
                   "' does not compile for the host: " + error);
  nb::dict result;
  for (size_t i = 0; i < cores.size(); ++i)
    result[cores[i].c_str()] = nb::bytes(objects[i].data(), objects[i].size());
  return result;
}

} // namespace

void bindHostCompiler(nb::module_ &module) {
  module.def("compile_for_host", &compileForCores, nb::arg("source"),
             nb::kw_only(), nb::arg("name"), nb::arg("cores"),
             nb::arg("native_directory"),
             "Ascend C text as a shared object for each core type.");
  module.def("host_compiler", &findHostCompiler,
             "The compiler that is used; empty if there is none.");
}
