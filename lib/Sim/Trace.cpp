//===- Trace.cpp - The timeline in Chrome's trace format ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "JsonWriter.h"
#include "tilelang/Sim/Simulator.h"

#include <map>

using namespace tilelang;
using namespace tilelang::sim;

static void writeName(JsonWriter &json, const char *what, uint32_t process,
                      uint32_t track, const std::string &name) {
  json.beginObject();
  json.field("ph", "M");
  json.field("name", what);
  json.field("pid", process);
  json.field("tid", track);
  json.key("args");
  json.beginObject();
  json.field("name", name);
  json.endObject();
  json.endObject();
}

std::string
Report::toChromeTrace(const std::function<std::string(uint64_t)> &label) const {
  std::string text;
  JsonWriter json(text);
  json.beginObject();
  json.field("displayTimeUnit", "ns");
  json.key("traceEvents");
  json.beginArray();
  for (uint32_t i = 0; i != cores.size(); ++i) {
    writeName(json, "process_name", i, 0,
              std::string(coreTypeName(cores[i].type)) + " " +
                  std::to_string(cores[i].core));
    for (uint32_t pipe = 0; pipe != ascsim::kNumPipes; ++pipe)
      if (cores[i].instructions[pipe])
        writeName(json, "thread_name", i, pipe,
                  pipeName(static_cast<ascsim::Pipe>(pipe)));
  }
  std::map<uint64_t, std::string> labels;
  double microseconds = clockGHz > 0 ? 1 / (clockGHz * 1000) : 1;
  for (const TimelineEvent &event : timeline) {
    json.beginObject();
    json.field("ph", "X");
    json.field("name", event.name);
    json.field("pid", event.coreIndex);
    json.field("tid", static_cast<uint32_t>(event.pipe));
    json.field("ts", event.start * microseconds);
    json.field("dur", (event.end - event.start) * microseconds);
    json.key("args");
    json.beginObject();
    json.field("block", event.block);
    json.field("cycles", event.end - event.start);
    if (label) {
      auto [entry, isNew] = labels.try_emplace(event.codeAddress);
      if (isNew)
        entry->second = label(event.codeAddress);
      if (!entry->second.empty())
        json.field("line", entry->second);
    }
    json.endObject();
    json.endObject();
  }
  json.endArray();
  json.endObject();
  return text;
}
