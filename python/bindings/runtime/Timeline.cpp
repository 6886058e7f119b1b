//===- Timeline.cpp - A launch as a trace for Perfetto --------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Timeline.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace tilelang;

bool writeTimeline(const sim::Report &report, const std::string &path,
                   const sim::TraceOptions &options, std::string &error) {
  std::FILE *file = std::fopen(path.c_str(), "w");
  bool good = file != nullptr;
  if (file) {
    report.writeChromeTrace(options, [&](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), file);
    });
    good = !std::ferror(file);
    good &= std::fclose(file) == 0;
  }
  if (!good)
    error = "cannot write '" + path + "': " + std::strerror(errno);
  return good;
}
