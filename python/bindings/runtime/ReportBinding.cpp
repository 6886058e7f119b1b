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
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <unordered_map>
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

/// Code addresses in the timeline, each once.
nb::list timelineAddresses(const sim::Report &report) {
  std::unordered_set<uint64_t> seen;
  nb::list list;
  auto note = [&](uint64_t address) {
    if (address && seen.insert(address).second)
      list.append(address);
  };
  for (const sim::TimelineEvent &event : report.timeline)
    note(event.codeAddress);
  for (const sim::WaitCause &cause : report.causes) {
    note(cause.waitAddress);
    note(cause.setAddress);
  }
  return list;
}

/// (module, offset) of code addresses; the kernel must still be loaded.
nb::list locate(const std::vector<uint64_t> &addresses) {
  nb::list list;
  for (uint64_t address : addresses) {
    sim::CodeAddress place = sim::Report::locate(address);
    list.append(nb::make_tuple(place.module, place.offset));
  }
  return list;
}

const char *kindName(sim::WaitCause::Kind kind) {
  switch (kind) {
  case sim::WaitCause::Kind::Flag:
    return "flag";
  case sim::WaitCause::Kind::CrossFlag:
    return "counter";
  case sim::WaitCause::Kind::Barrier:
  case sim::WaitCause::Kind::Drain:
    return "barrier";
  case sim::WaitCause::Kind::UnitFlag:
    return "unit flag";
  case sim::WaitCause::Kind::FullQueue:
    return "full queue";
  }
  return "";
}

/// Where the cycles of each core's pipes went.
nb::list accountsOf(const sim::Report &report) {
  nb::list cores;
  for (const sim::CoreReport &core : report.cores) {
    nb::dict pipes;
    for (size_t i = 0; i < ascsim::kNumPipes; ++i) {
      const sim::PipeTime &time = core.times[i];
      nb::dict entry;
      entry["busy"] = time.busy;
      entry["memory"] = time.memory;
      entry["dispatch"] = time.dispatch;
      entry["idle"] = time.idle;
      entry["instructions"] = core.instructions[i];
      pipes[sim::pipeName(static_cast<ascsim::Pipe>(i))] = entry;
    }
    nb::list waits;
    for (const sim::PipeWait &wait : core.waits)
      waits.append(nb::make_tuple(sim::pipeName(wait.pipe),
                                  kindName(wait.cause.kind), wait.cause.name(),
                                  sim::pipeName(wait.cause.source),
                                  wait.cause.waitAddress, wait.cause.setAddress,
                                  wait.atDispatch, wait.cycles, wait.count));
    nb::dict entry;
    entry["core_type"] = sim::coreTypeName(core.type);
    entry["core"] = core.core;
    entry["blocks"] = core.blocks;
    entry["pipes"] = pipes;
    entry["waits"] = waits;
    cores.append(entry);
  }
  return cores;
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

void saveTimeline(
    const sim::Report &report, const std::string &path, nb::dict labels,
    const std::vector<
        std::tuple<std::string, uint64_t, uint64_t, uint32_t, uint32_t>> &rings,
    const std::string &title) {
  std::unordered_map<uint64_t, sim::TraceOptions::Label> table;
  for (auto [address, value] : labels) {
    auto parts = nb::cast<nb::tuple>(value);
    table[nb::cast<uint64_t>(address)] = {nb::cast<std::string>(parts[0]),
                                          nb::cast<std::string>(parts[1]),
                                          nb::cast<uint32_t>(parts[2])};
  }
  sim::TraceOptions options;
  options.title = title;
  options.label = [&](uint64_t address) {
    auto found = table.find(address);
    return found == table.end() ? sim::TraceOptions::Label() : found->second;
  };
  for (const auto &[name, offset, slotBytes, slots, blocks] : rings)
    options.rings.push_back({name, offset, slotBytes, slots, blocks});
  std::string error;
  bool written;
  {
    nb::gil_scoped_release release;
    written = writeTimeline(report, path, options, error);
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
      .def("timeline_addresses", &timelineAddresses)
      .def_static("locate", &locate, nb::arg("addresses"))
      .def("accounts", &accountsOf)
      .def("save_timeline", &saveTimeline, nb::arg("path"), nb::arg("labels"),
           nb::arg("rings"), nb::arg("title"))
      .def(
          "to_json",
          [](const sim::Report &report, bool timeline) {
            return report.toJson(timeline);
          },
          nb::arg("timeline") = false);
}
