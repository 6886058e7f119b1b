//===- ascc.cpp - The Ascend C compiler driver ----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "HostCompiler.h"

#include <cstdio>
#include <cstring>

using namespace tilelang;

static const char kUsage[] =
    "usage: ascc SOURCE -o OUTPUT.so --core aic|aiv [-I DIR] [-D "
    "NAME[=VALUE]]\n"
    "            [--native DIR] [--no-pch] [--syntax-only] [-- COMPILER "
    "ARGUMENTS]\n"
    "\n"
    "Compiles Ascend C for the simulator: one shared object per core type.\n"
    "The compiler is clang++-22 or clang++ from PATH; TILELANG_CXX names "
    "another.\n";

static int misuse(const std::string &message) {
  std::fprintf(stderr, "ascc: %s\n%s", message.c_str(), kUsage);
  return 2;
}

int main(int argc, char **argv) {
  HostCompileRequest request;
  request.nativeDirectory = nativeDirectoryOfProgram();
  request.cacheDirectory = defaultCacheDirectory();
  bool coreGiven = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    auto value = [&](const std::string &name, std::string &to) {
      if (argument.size() > name.size() && name.size() == 2) { // -Idir
        to = argument.substr(2);
        return true;
      }
      if (i + 1 >= argc)
        return false;
      to = argv[++i];
      return true;
    };
    std::string text;
    if (argument == "-h" || argument == "--help") {
      std::fputs(kUsage, stdout);
      return 0;
    }
    if (argument == "--") {
      for (++i; i < argc; ++i)
        request.extraArguments.push_back(argv[i]);
      break;
    }
    if (argument == "--no-pch")
      request.cacheDirectory.clear();
    else if (argument == "--syntax-only")
      request.syntaxOnly = true;
    else if (argument.rfind("-I", 0) == 0) {
      if (!value("-I", text))
        return misuse("-I needs a folder");
      request.includeDirectories.push_back(text);
    } else if (argument.rfind("-D", 0) == 0) {
      if (!value("-D", text))
        return misuse("-D needs a name");
      request.extraArguments.push_back("-D" + text);
    } else if (argument == "-o") {
      if (!value("-o ", request.output))
        return misuse("-o needs a file name");
    } else if (argument == "--native") {
      if (!value(argument, request.nativeDirectory))
        return misuse("--native needs a folder");
    } else if (argument == "--core") {
      if (!value(argument, text) || (text != "aic" && text != "aiv"))
        return misuse("--core needs aic or aiv");
      request.core = text == "aic" ? HostCore::AIC : HostCore::AIV;
      coreGiven = true;
    } else if (argument[0] == '-')
      return misuse("unknown option '" + argument + "'");
    else if (request.source.empty())
      request.source = argument;
    else
      return misuse("more than one source: '" + request.source + "' and '" +
                    argument + "'");
  }
  if (request.source.empty())
    return misuse("no source given");
  if (!coreGiven)
    return misuse(
        "--core aic or --core aiv must say which core the program is for");
  if (request.output.empty() && !request.syntaxOnly)
    return misuse("-o OUTPUT.so is missing");

  std::string error;
  if (compileForHost(request, error))
    return 0;
  std::fprintf(
      stderr, "%s%s%s",
      error.find(": error: ") == std::string::npos ? "ascc: error: " : "",
      error.c_str(), error.empty() || error.back() != '\n' ? "\n" : "");
  return 1;
}
