//===- Timeline.h - A launch as a trace for Perfetto ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_PYTHON_BINDINGS_RUNTIME_TIMELINE_H
#define TILELANG_PYTHON_BINDINGS_RUNTIME_TIMELINE_H

#include "tilelang/Sim/Simulator.h"

#include <string>
#include <unordered_map>

/// The user's line behind a code address: its text, file and number.
struct TimelineLabel {
  std::string text;
  std::string file;
  uint32_t line = 0;
};

/// Writes the timeline of `report` in Chrome's trace format: microseconds of
/// modelled time, cores as processes, pipes as threads.
bool writeTimeline(const tilelang::sim::Report &report, const std::string &path,
                   const std::unordered_map<uint64_t, TimelineLabel> &labels,
                   const std::string &title, std::string &error);

#endif // TILELANG_PYTHON_BINDINGS_RUNTIME_TIMELINE_H
