//===- Trace.cpp - The timeline in Chrome's trace format ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "JsonWriter.h"
#include "tilelang/Sim/Simulator.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::Pipe;

namespace {

/// A slice of a track, for arrows to end at.
struct Slice {
  double start, end;
  bool isWait;
};

/// One filling of a slot of a ring, from the first write to the last read.
struct Filling {
  uint32_t ring, block, slot;
  double start, written, end;
  uint64_t writer, reader; // code addresses; no reader: 0
};

class TraceWriter {
public:
  TraceWriter(const Report &report, const TraceOptions &options,
              const std::function<void(std::string_view)> &write)
      : report(report), options(options), write(write) {}

  void run();

private:
  /// Writes one event; `body` adds members beside those given.
  template <typename Body>
  void event(const char *phase, std::string_view name, uint64_t process,
             uint64_t track, Body &&body);
  void metadata(const char *what, uint64_t process, uint64_t track,
                std::string_view key, const std::string &name, uint64_t order);
  template <typename Arguments>
  void slice(const std::string &name, const char *category, uint64_t process,
             uint64_t track, double start, double end, Arguments &&arguments);
  const TraceOptions::Label &labelOf(uint64_t codeAddress);
  void source(JsonWriter &json, std::string_view key, uint64_t codeAddress);

  void findTracks();
  void nameTracks();
  void instructions();
  void waits();
  void arrows();
  void rings();
  std::vector<Filling> fillings() const;

  /// Processes count from 1: 0 is the idle process of some viewers.
  static uint64_t processOf(uint32_t core) { return core + 1; }
  uint64_t processOfBlock(uint32_t block) const {
    return report.cores.size() + 1 + block;
  }

  const Report &report;
  const TraceOptions &options;
  const std::function<void(std::string_view)> &write;
  bool first = true;
  std::unordered_map<uint64_t, TraceOptions::Label> labels;
  std::map<std::pair<uint32_t, Pipe>, std::vector<Slice>> tracks;
};

} // namespace

template <typename Body>
void TraceWriter::event(const char *phase, std::string_view name,
                        uint64_t process, uint64_t track, Body &&body) {
  std::string text = first ? "\n" : ",\n";
  first = false;
  JsonWriter json(text);
  json.beginObject();
  json.field("ph", phase);
  json.field("name", name);
  json.field("pid", process);
  json.field("tid", track);
  body(json);
  json.endObject();
  write(text);
}

void TraceWriter::metadata(const char *what, uint64_t process, uint64_t track,
                           std::string_view key, const std::string &name,
                           uint64_t order) {
  event("M", what, process, track, [&](JsonWriter &json) {
    json.key("args");
    json.beginObject();
    if (key == "name")
      json.field(key, name);
    else
      json.field(key, order);
    json.endObject();
  });
}

template <typename Arguments>
void TraceWriter::slice(const std::string &name, const char *category,
                        uint64_t process, uint64_t track, double start,
                        double end, Arguments &&arguments) {
  double microseconds = report.clockGHz > 0 ? 1 / (report.clockGHz * 1000) : 1;
  event("X", name, process, track, [&](JsonWriter &json) {
    json.field("cat", category);
    json.field("ts", start * microseconds);
    json.field("dur", (end - start) * microseconds);
    json.key("args");
    json.beginObject();
    arguments(json);
    json.field("cycles", end - start);
    json.endObject();
  });
}

const TraceOptions::Label &TraceWriter::labelOf(uint64_t codeAddress) {
  auto [entry, isNew] = labels.try_emplace(codeAddress);
  if (isNew && options.label && codeAddress)
    entry->second = options.label(codeAddress);
  return entry->second;
}

void TraceWriter::source(JsonWriter &json, std::string_view key,
                         uint64_t codeAddress) {
  const TraceOptions::Label &label = labelOf(codeAddress);
  if (!label.file.empty())
    json.field(key, label.file + ":" + std::to_string(label.line));
}

//===----------------------------------------------------------------------===//
// Cores and pipes
//===----------------------------------------------------------------------===//

void TraceWriter::findTracks() {
  for (const TimelineEvent &event : report.timeline)
    tracks[{event.coreIndex, event.pipe}].push_back(
        {event.start, event.end, false});
  for (const TimelineWait &wait : report.timelineWaits)
    tracks[{wait.coreIndex, wait.pipe}].push_back({wait.start, wait.end, true});
  for (auto &[key, slices] : tracks)
    std::stable_sort(
        slices.begin(), slices.end(),
        [](const Slice &a, const Slice &b) { return a.start < b.start; });
}

void TraceWriter::nameTracks() {
  // Only cores and pipes that did something get a track.
  std::optional<uint32_t> named;
  for (const auto &[key, slices] : tracks) {
    auto [core, pipe] = key;
    if (core >= report.cores.size())
      continue;
    uint64_t process = processOf(core), track = static_cast<uint64_t>(pipe);
    if (named != core) {
      named = core;
      const CoreReport &information = report.cores[core];
      metadata("process_name", process, 0, "name",
               std::string(coreTypeName(information.type)) + " " +
                   std::to_string(information.core),
               0);
      metadata("process_sort_index", process, 0, "sort_index", "", core);
    }
    metadata("thread_name", process, track, "name", pipeName(pipe), 0);
    metadata("thread_sort_index", process, track, "sort_index", "", track);
  }
}

void TraceWriter::instructions() {
  for (const TimelineEvent &event : report.timeline) {
    const TraceOptions::Label &label = labelOf(event.codeAddress);
    std::string name = event.name;
    if (!label.text.empty())
      name += ": " + label.text;
    slice(name, pipeName(event.pipe), processOf(event.coreIndex),
          static_cast<uint64_t>(event.pipe), event.start, event.end,
          [&](JsonWriter &json) {
            json.field("instruction", event.name);
            json.field("block", event.block);
            source(json, "source", event.codeAddress);
          });
  }
}

void TraceWriter::waits() {
  for (const TimelineWait &wait : report.timelineWaits) {
    const WaitCause &cause = report.causes[wait.cause];
    const TraceOptions::Label &label = labelOf(cause.setAddress);
    std::string what = cause.name(), name = "wait: " + what;
    if (!label.text.empty())
      name += " of " + label.text;
    slice(name, "wait", processOf(wait.coreIndex),
          static_cast<uint64_t>(wait.pipe), wait.start, wait.end,
          [&](JsonWriter &json) {
            json.field("instruction", what);
            json.field("block", wait.block);
            source(json, "source", cause.waitAddress);
            source(json, "set_at", cause.setAddress);
          });
  }
}

//===----------------------------------------------------------------------===//
// Arrows
//===----------------------------------------------------------------------===//

/// Viewers round to nanoseconds: an arrow ends well inside of its slice.
static double within(const Slice &slice, double share) {
  return slice.start + share * (slice.end - slice.start);
}

void TraceWriter::arrows() {
  constexpr double kSame = 1e-6;
  double microseconds = report.clockGHz > 0 ? 1 / (report.clockGHz * 1000) : 1;
  uint64_t number = 0;
  for (const TimelineArrow &arrow : report.timelineArrows) {
    auto from = tracks.find({arrow.fromCore, arrow.fromPipe});
    auto to = tracks.find({arrow.toCore, arrow.toPipe});
    if (from == tracks.end() || to == tracks.end())
      continue;
    auto startsAfter = [](double time, const Slice &slice) {
      return time < slice.start;
    };
    // The instruction that the set stands behind; a prime has none.
    const Slice *setter = nullptr;
    auto after = std::upper_bound(from->second.begin(), from->second.end(),
                                  arrow.fromTime - kSame, startsAfter);
    while (after != from->second.begin() && !setter)
      if (!(--after)->isWait)
        setter = &*after;
    if (!setter)
      continue;
    // The wait if it took time, else the instruction behind it.
    const Slice *waiter = nullptr;
    auto next = std::upper_bound(to->second.begin(), to->second.end(),
                                 arrow.toTime - kSame, startsAfter);
    if (next != to->second.begin() && std::prev(next)->isWait &&
        std::prev(next)->end > arrow.toTime - kSame)
      waiter = &*std::prev(next);
    else if (next != to->second.end() && arrow.toPipe != Pipe::S)
      waiter = &*next;
    if (!waiter)
      continue;
    const WaitCause &cause = report.causes[arrow.cause];
    std::string name = cause.name();
    const char *category =
        cause.kind == WaitCause::Kind::CrossFlag ? "counter" : "flag";
    double start = within(*setter, 0.5);
    double end = std::max(start, within(*waiter, waiter->isWait ? 0.75 : 0.25));
    ++number;
    event("s", name, processOf(arrow.fromCore),
          static_cast<uint64_t>(arrow.fromPipe), [&](JsonWriter &json) {
            json.field("cat", category);
            json.field("id", number);
            json.field("ts", start * microseconds);
          });
    event("f", name, processOf(arrow.toCore),
          static_cast<uint64_t>(arrow.toPipe), [&](JsonWriter &json) {
            json.field("cat", category);
            json.field("id", number);
            json.field("ts", end * microseconds);
            json.field("bp", "e");
          });
  }
}

//===----------------------------------------------------------------------===//
// Slots of workspaces
//===----------------------------------------------------------------------===//

std::vector<Filling> TraceWriter::fillings() const {
  std::vector<WorkspaceAccess> accesses = report.workspaceAccesses;
  std::stable_sort(accesses.begin(), accesses.end(),
                   [](const WorkspaceAccess &a, const WorkspaceAccess &b) {
                     return a.start < b.start;
                   });
  std::vector<Filling> done;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Filling> open;
  for (const WorkspaceAccess &access : accesses)
    for (uint32_t number = 0; number != options.rings.size(); ++number) {
      const TraceOptions::Ring &ring = options.rings[number];
      uint64_t total = ring.slotBytes * ring.slots * ring.blocks;
      if (access.beginByte < ring.offset ||
          access.beginByte >= ring.offset + total)
        continue;
      uint64_t index = (access.beginByte - ring.offset) / ring.slotBytes;
      uint32_t block = static_cast<uint32_t>(index / ring.slots);
      uint32_t slot = static_cast<uint32_t>(index % ring.slots);
      auto entry = open.find({number, block, slot});
      if (!access.isWrite) {
        if (entry == open.end())
          continue;
        entry->second.end = std::max(entry->second.end, access.end);
        entry->second.reader = access.codeAddress;
        continue;
      }
      if (entry != open.end() && entry->second.reader) {
        done.push_back(entry->second);
        open.erase(entry);
        entry = open.end();
      }
      if (entry == open.end())
        entry = open.try_emplace({number, block, slot},
                                 Filling{number, block, slot, access.start, 0,
                                         0, access.codeAddress, 0})
                    .first;
      Filling &filling = entry->second;
      filling.written = std::max(filling.written, access.end);
      filling.end = std::max(filling.end, access.end);
    }
  for (const auto &entry : open)
    done.push_back(entry.second);
  std::stable_sort(
      done.begin(), done.end(),
      [](const Filling &a, const Filling &b) { return a.start < b.start; });
  return done;
}

void TraceWriter::rings() {
  std::vector<Filling> all = fillings();
  std::vector<uint64_t> firstTrack;
  uint64_t tracksSoFar = 0;
  for (const TraceOptions::Ring &ring : options.rings) {
    firstTrack.push_back(tracksSoFar);
    tracksSoFar += ring.slots;
  }
  std::map<uint32_t, bool> named;
  for (const Filling &filling : all) {
    if (std::exchange(named[filling.block], true))
      continue;
    uint64_t process = processOfBlock(filling.block);
    metadata("process_name", process, 0, "name",
             "workspace of block " + std::to_string(filling.block), 0);
    metadata("process_sort_index", process, 0, "sort_index", "", process);
    for (size_t i = 0; i != options.rings.size(); ++i)
      for (uint32_t slot = 0; slot != options.rings[i].slots; ++slot) {
        uint64_t track = firstTrack[i] + slot;
        metadata("thread_name", process, track, "name",
                 options.rings[i].name + " slot " + std::to_string(slot), 0);
        metadata("thread_sort_index", process, track, "sort_index", "", track);
      }
  }
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> counts;
  for (const Filling &filling : all) {
    const std::string &ring = options.rings[filling.ring].name;
    uint32_t number = counts[{filling.ring, filling.block}]++;
    slice(ring + " " + std::to_string(number), "workspace",
          processOfBlock(filling.block),
          firstTrack[filling.ring] + filling.slot, filling.start, filling.end,
          [&](JsonWriter &json) {
            json.field("instruction", "workspace " + ring);
            json.field("slot", filling.slot);
            source(json, "source", filling.writer);
            source(json, "read_at", filling.reader);
            json.field("write_cycles", filling.written - filling.start);
          });
  }
}

void TraceWriter::run() {
  std::string head;
  JsonWriter json(head);
  json.beginObject();
  json.field("displayTimeUnit", "ns");
  json.key("otherData");
  json.beginObject();
  json.field("kernel", options.title);
  json.field("time", "microseconds of modelled time");
  json.endObject();
  json.key("traceEvents");
  json.beginArray();
  write(head);
  findTracks();
  nameTracks();
  instructions();
  waits();
  arrows();
  rings();
  write("\n]}\n");
}

void Report::writeChromeTrace(
    const TraceOptions &options,
    const std::function<void(std::string_view)> &write) const {
  TraceWriter(*this, options, write).run();
}
