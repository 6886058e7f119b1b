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

/// Writes the timeline of `report` in Chrome's trace format. Returns false and
/// fills `error` if the file cannot be written.
bool writeTimeline(const tilelang::sim::Report &report, const std::string &path,
                   const tilelang::sim::TraceOptions &options,
                   std::string &error);

#endif // TILELANG_PYTHON_BINDINGS_RUNTIME_TIMELINE_H
