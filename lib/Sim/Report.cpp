//===- Report.cpp - The report as JSON ------------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "JsonWriter.h"
#include "tilelang/Sim/Simulator.h"

using namespace tilelang;
using namespace tilelang::sim;

static void writePipes(JsonWriter &json, std::string_view name,
                       const std::array<double, ascsim::kNumPipes> &values) {
  json.key(name);
  json.beginObject();
  for (unsigned i = 0; i != ascsim::kNumPipes; ++i)
    if (values[i] != 0)
      json.field(pipeName(static_cast<ascsim::Pipe>(i)), values[i]);
  json.endObject();
}

static void writePlace(JsonWriter &json, const Place &place) {
  json.beginObject();
  json.field("core_type", coreTypeName(place.coreType));
  json.field("core", place.core);
  json.field("block", place.block);
  json.field("sub_block", place.subBlock);
  json.field("pipe", pipeName(place.pipe));
  json.field("instruction", place.instruction);
  json.field("module", place.module);
  json.field("offset", place.offset);
  json.field("cycle", place.cycle);
  json.endObject();
}

std::string Report::toJson(bool withTimeline) const {
  std::string text;
  JsonWriter json(text);
  json.beginObject();
  json.field("completed", completed);
  json.field("cycles", cycles);
  json.field("microseconds", microseconds);
  json.field("launch_microseconds", launchMicroseconds);
  json.field("clock_ghz", clockGHz);
  json.field("block_dim", blockDim);
  json.field("macs", macs);
  json.field("vector_operations", vectorOperations);
  json.field("instructions", instructions);
  json.field("l2_hit_bytes", l2HitBytes);
  json.field("l2_miss_bytes", l2MissBytes);
  json.field("write_back_bytes", writeBackBytes);
  json.field("wall_seconds", wallSeconds);
  json.field("output", output);

  json.key("paths");
  json.beginObject();
  for (const PathBytes &path : paths)
    json.field(path.path, path.bytes);
  json.endObject();
  json.key("instruction_counts");
  json.beginObject();
  for (const auto &[name, count] : instructionCounts)
    json.field(name, count);
  json.endObject();

  json.key("core_types");
  json.beginObject();
  for (size_t type = 0; type != coreTypes.size(); ++type) {
    const CoreTypeReport &total = coreTypes[type];
    if (!total.cores)
      continue;
    json.key(coreTypeName(static_cast<ascsim::CoreType>(type)));
    json.beginObject();
    json.field("cores", total.cores);
    json.field("mean_cycles", total.meanCycles);
    json.field("max_cycles", total.maxCycles);
    writePipes(json, "mean_busy_cycles", total.meanBusyCycles);
    writePipes(json, "utilisation", total.utilisation);
    json.endObject();
  }
  json.endObject();

  json.key("cores");
  json.beginArray();
  for (const CoreReport &core : cores) {
    json.beginObject();
    json.field("type", coreTypeName(core.type));
    json.field("core", core.core);
    json.field("blocks", core.blocks);
    json.field("start_cycle", core.startCycle);
    json.field("end_cycle", core.endCycle);
    writePipes(json, "busy_cycles", core.busyCycles);
    json.endObject();
  }
  json.endArray();

  json.key("waits");
  json.beginArray();
  for (const WaitReport &wait : waits) {
    json.beginObject();
    json.field("core_type", coreTypeName(wait.type));
    json.field("pipe", pipeName(wait.pipe));
    json.field("what", wait.what);
    json.field("cycles", wait.cycles);
    json.field("count", wait.count);
    json.endObject();
  }
  json.endArray();

  json.key("findings");
  json.beginArray();
  for (const Finding &finding : findings) {
    json.beginObject();
    json.field("kind", finding.kind);
    json.field("message", finding.message);
    json.field("count", finding.count);
    json.key("first");
    writePlace(json, finding.first);
    if (finding.second) {
      json.key("second");
      writePlace(json, *finding.second);
    }
    json.endObject();
  }
  json.endArray();
  json.field("suppressed_findings", suppressedFindings);

  if (withTimeline) {
    json.key("timeline");
    json.beginArray();
    for (const TimelineEvent &event : timeline) {
      json.beginObject();
      json.field("core", event.coreIndex);
      json.field("block", event.block);
      json.field("pipe", pipeName(event.pipe));
      json.field("name", event.name);
      json.field("start", event.start);
      json.field("end", event.end);
      json.field("code_address", event.codeAddress);
      json.endObject();
    }
    json.endArray();
  }
  json.endObject();
  return text;
}
