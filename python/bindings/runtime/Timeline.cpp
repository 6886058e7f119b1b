//===- Timeline.cpp - A launch as a trace for Perfetto --------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Timeline.h"

#include "tilelang/Runtime/Json.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace tilelang;

namespace {

/// Buffered output that remembers a failure.
class TraceFile {
public:
  explicit TraceFile(const std::string &path)
      : file(std::fopen(path.c_str(), "w")) {}
  ~TraceFile() {
    if (file)
      std::fclose(file);
  }
  bool isOpen() const { return file != nullptr; }
  bool close() {
    bool good = !std::ferror(file);
    good &= std::fclose(file) == 0;
    file = nullptr;
    return good;
  }

  /// One event; `members` are its JSON members without braces.
  void event(const std::string &members) {
    std::fputs(isFirst ? "\n{" : ",\n{", file);
    isFirst = false;
    std::fwrite(members.data(), 1, members.size(), file);
    std::fputc('}', file);
  }
  void text(const char *value) { std::fputs(value, file); }

private:
  std::FILE *file;
  bool isFirst = true;
};

std::string microseconds(double cycles, double clockGHz) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.5f", cycles / (clockGHz * 1e3));
  return buffer;
}

void metadata(TraceFile &trace, const char *what, size_t process, int thread,
              const std::string &argument) {
  std::string members = "\"ph\":\"M\",\"name\":\"" + std::string(what) +
                        "\",\"pid\":" + std::to_string(process);
  if (thread >= 0)
    members += ",\"tid\":" + std::to_string(thread);
  trace.event(members + ",\"args\":{" + argument + "}");
}

} // namespace

bool writeTimeline(const sim::Report &report, const std::string &path,
                   const std::unordered_map<uint64_t, TimelineLabel> &labels,
                   const std::string &title, std::string &error) {
  TraceFile trace(path);
  if (!trace.isOpen()) {
    error = "cannot write '" + path + "': " + std::strerror(errno);
    return false;
  }
  trace.text("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"kernel\":");
  trace.text(quoteJson(title).c_str());
  trace.text(",\"time\":\"microseconds of modelled time\"},\"traceEvents\":[");

  // Only cores and pipes that did something get a track.
  std::vector<std::array<bool, ascsim::kNumPipes>> used(report.cores.size());
  for (const sim::TimelineEvent &event : report.timeline)
    used[event.coreIndex][static_cast<size_t>(event.pipe)] = true;
  for (size_t core = 0; core < report.cores.size(); ++core) {
    bool isUsed = false;
    for (size_t pipe = 0; pipe < ascsim::kNumPipes; ++pipe) {
      if (!used[core][pipe])
        continue;
      isUsed = true;
      std::string name = sim::pipeName(static_cast<ascsim::Pipe>(pipe));
      metadata(trace, "thread_name", core + 1, static_cast<int>(pipe),
               "\"name\":" + quoteJson(name));
      metadata(trace, "thread_sort_index", core + 1, static_cast<int>(pipe),
               "\"sort_index\":" + std::to_string(pipe));
    }
    if (!isUsed)
      continue;
    const sim::CoreReport &information = report.cores[core];
    std::string name = std::string(sim::coreTypeName(information.type)) + " " +
                       std::to_string(information.core);
    metadata(trace, "process_name", core + 1, -1,
             "\"name\":" + quoteJson(name));
    metadata(trace, "process_sort_index", core + 1, -1,
             "\"sort_index\":" + std::to_string(core));
  }

  for (const sim::TimelineEvent &event : report.timeline) {
    auto label = labels.find(event.codeAddress);
    std::string arguments =
        "\"instruction\":" + quoteJson(event.name) +
        ",\"block\":" + std::to_string(event.block) + ",\"cycles\":" +
        std::to_string(static_cast<int64_t>(event.end - event.start));
    std::string name = event.name;
    if (label != labels.end()) {
      if (!label->second.text.empty())
        name += ": " + label->second.text;
      arguments +=
          ",\"source\":" + quoteJson(label->second.file + ":" +
                                     std::to_string(label->second.line));
    }
    trace.event("\"ph\":\"X\",\"name\":" + quoteJson(name) + ",\"cat\":\"" +
                sim::pipeName(event.pipe) + "\",\"ts\":" +
                microseconds(event.start, report.clockGHz) + ",\"dur\":" +
                microseconds(event.end - event.start, report.clockGHz) +
                ",\"pid\":" + std::to_string(event.coreIndex + 1) +
                ",\"tid\":" + std::to_string(static_cast<int>(event.pipe)) +
                ",\"args\":{" + arguments + "}");
  }
  trace.text("\n]}\n");
  if (!trace.close()) {
    error = "cannot write '" + path + "': " + std::strerror(errno);
    return false;
  }
  return true;
}
