//===- ReportBinding.cpp - What a launch reports, in Python ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Marshal.h"
#include "Timeline.h"

#include "tilelang/Sim/Simulator.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <unordered_set>

namespace nb = nanobind;
using namespace tilelang;

namespace {

nb::dict describe(const sim::Place &place) {
  nb::dict entry;
  entry["block"] = place.block;
  entry["core"] = place.core;
  entry["core_type"] = sim::coreTypeName(place.coreType);
  entry["sub_block"] = place.subBlock;
  entry["pipe"] = sim::pipeName(place.pipe);
  entry["instruction"] = place.instruction;
  entry["module"] = place.module;
  entry["offset"] = place.offset;
  entry["cycle"] = place.cycle;
  return entry;
}

nb::list findingsOf(const sim::Report &report) {
  nb::list list;
  for (const sim::Finding &finding : report.findings) {
    nb::dict entry;
    entry["kind"] = finding.kind;
    entry["message"] = finding.message;
    entry["count"] = finding.count;
    entry["first"] = describe(finding.first);
    entry["second"] = finding.second ? nb::object(describe(*finding.second))
                                     : nb::object(nb::none());
    list.append(entry);
  }
  return list;
}

/// (code address, module, offset) of every place in the timeline, each once.
nb::list timelinePlaces(const sim::Report &report) {
  std::unordered_set<uint64_t> seen;
  nb::list list;
  for (const sim::TimelineEvent &event : report.timeline) {
    if (!seen.insert(event.codeAddress).second)
      continue;
    sim::CodeAddress place = sim::Report::locate(event.codeAddress);
    list.append(nb::make_tuple(event.codeAddress, place.module, place.offset));
  }
  return list;
}

nb::dict pipeValues(const std::array<double, ascsim::kNumPipes> &values) {
  nb::dict result;
  for (size_t pipe = 0; pipe < ascsim::kNumPipes; ++pipe)
    result[sim::pipeName(static_cast<ascsim::Pipe>(pipe))] = values[pipe];
  return result;
}

/// The numbers of a report as plain Python values.
nb::dict summaryOf(const sim::Report &report) {
  nb::dict summary;
  summary["completed"] = report.completed;
  summary["cycles"] = report.cycles;
  summary["microseconds"] = report.microseconds;
  summary["launch_microseconds"] = report.launchMicroseconds;
  summary["clock_ghz"] = report.clockGHz;
  summary["block_dim"] = report.blockDim;
  summary["wall_seconds"] = report.wallSeconds;
  nb::dict coreTypes;
  for (size_t i = 0; i < report.coreTypes.size(); ++i) {
    const sim::CoreTypeReport &type = report.coreTypes[i];
    if (type.cores == 0)
      continue;
    nb::dict entry;
    entry["cores"] = type.cores;
    entry["mean_cycles"] = type.meanCycles;
    entry["max_cycles"] = type.maxCycles;
    entry["mean_busy_cycles"] = pipeValues(type.meanBusyCycles);
    entry["utilisation"] = pipeValues(type.utilisation);
    coreTypes[sim::coreTypeName(static_cast<ascsim::CoreType>(i))] = entry;
  }
  summary["core_types"] = coreTypes;
  nb::dict paths;
  for (const sim::PathBytes &path : report.paths)
    paths[path.path.c_str()] = path.bytes;
  summary["path_bytes"] = paths;
  summary["l2_hit_bytes"] = report.l2HitBytes;
  summary["l2_miss_bytes"] = report.l2MissBytes;
  summary["write_back_bytes"] = report.writeBackBytes;
  summary["macs"] = report.macs;
  summary["vector_operations"] = report.vectorOperations;
  summary["instructions"] = report.instructions;
  nb::dict counts;
  for (const auto &[name, count] : report.instructionCounts)
    counts[name.c_str()] = count;
  summary["instruction_counts"] = counts;
  nb::list waits;
  for (const sim::WaitReport &wait : report.waits) {
    nb::dict entry;
    entry["core_type"] = sim::coreTypeName(wait.type);
    entry["pipe"] = sim::pipeName(wait.pipe);
    entry["what"] = wait.what;
    entry["cycles"] = wait.cycles;
    entry["count"] = wait.count;
    waits.append(entry);
  }
  summary["waits"] = waits;
  return summary;
}

void saveTimeline(const sim::Report &report, const std::string &path,
                  nb::dict labels, const std::string &title) {
  std::unordered_map<uint64_t, TimelineLabel> table;
  for (auto [address, value] : labels) {
    auto parts = nb::cast<nb::tuple>(value);
    table[nb::cast<uint64_t>(address)] = {nb::cast<std::string>(parts[0]),
                                          nb::cast<std::string>(parts[1]),
                                          nb::cast<uint32_t>(parts[2])};
  }
  std::string error;
  bool written;
  {
    nb::gil_scoped_release release;
    written = writeTimeline(report, path, table, title, error);
  }
  if (!written) {
    PyErr_SetString(PyExc_OSError, error.c_str());
    throw nb::python_error();
  }
}

} // namespace

void bindReport(nb::module_ &module) {
  nb::class_<sim::Report>(module, "Report",
                          "What one launch on the simulator did.")
      .def_ro("completed", &sim::Report::completed)
      .def_ro("cycles", &sim::Report::cycles)
      .def_ro("microseconds", &sim::Report::microseconds)
      .def_ro("output", &sim::Report::output)
      .def_ro("wall_seconds", &sim::Report::wallSeconds)
      .def_prop_ro(
          "finding_count",
          [](const sim::Report &report) { return report.findings.size(); })
      .def_ro("suppressed_findings", &sim::Report::suppressedFindings)
      .def_prop_ro("findings", &findingsOf)
      .def("summary", &summaryOf)
      .def_prop_ro(
          "timeline_length",
          [](const sim::Report &report) { return report.timeline.size(); })
      .def("timeline_places", &timelinePlaces)
      .def("save_timeline", &saveTimeline, nb::arg("path"), nb::arg("labels"),
           nb::arg("title"))
      .def(
          "to_json",
          [](const sim::Report &report, bool timeline) {
            return report.toJson(timeline);
          },
          nb::arg("timeline") = false);
}
