//===- EngineChecks.cpp - Bounds, races, initialisation, findings ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/Engine.h"

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::Memory;
using ascsim::Operand;
using ascsim::Pipe;

void Engine::translate(QueueEntry &entry, bool toHost) {
  ascsim::Instruction &record = entry.instruction.record;
  Operand *operands[] = {&record.dst, &record.src0, &record.src1, &record.src2};
  for (unsigned i = 0; i != 4; ++i) {
    if (operands[i]->memory != Memory::GM)
      continue;
    if (toHost) {
      operands[i]->address = entry.host[i];
      continue;
    }
    uint64_t host = operands[i]->address;
    entry.host[i] = host;
    Region *region = addresses.findHost(host);
    // Address 0 lies in no region: an access there is out of bounds.
    operands[i]->address = region ? region->address + (host - region->host) : 0;
  }
}

static void extent(const Access &access, uint64_t &begin, uint64_t &end) {
  int64_t span = int64_t(access.blocks - 1) * access.pitch;
  begin = access.start + std::min<int64_t>(span, 0);
  end = access.start + std::max<int64_t>(span, 0) + access.blockBytes;
}

/// Whether every access lies inside its memory. Always on: an access outside
/// would reach memory of the simulator's process.
bool Engine::checkBounds(Core &core, Pipe pipe, const QueueEntry &entry) {
  bool outside = false;
  size_t kept = 0;
  for (size_t i = 0; i != accesses.size(); ++i) {
    const Access access = accesses[i];
    if (access.blocks == 0 || access.blockBytes == 0)
      continue;
    uint64_t begin, end;
    extent(access, begin, end);
    bool reads = access.kind == AccessKind::Read;
    if (access.memory == Memory::GM) {
      Region *region = addresses.findVirtual(access.start);
      if (region && begin >= region->address &&
          end <= region->address + region->bytes) {
        accesses[kept++] = access;
        continue;
      }
      outside = true;
      uint64_t key = uint64_t(entry.site) << 8 | access.operand;
      if (!addFinding(finding::kOutOfBounds, key, 0))
        continue;
      Finding &finding = report.findings.back();
      finding.first = placeOf(core, pipe, entry.site);
      finding.message = std::string(sites[entry.site].name) +
                        (reads ? " reads" : " writes") + " global memory ";
      if (!region) {
        finding.message += "outside every argument of the kernel";
      } else {
        auto offset = [&](uint64_t address) {
          return std::to_string(static_cast<int64_t>(address) -
                                static_cast<int64_t>(region->address));
        };
        finding.message += "at bytes " + offset(begin) + " to " +
                           offset(end - 1) + " of '" + region->name +
                           "', which has " + std::to_string(region->bytes) +
                           " bytes";
      }
      finding.message += "; the instruction was not executed";
      continue;
    }
    uint64_t size =
        core.memories.bytes[static_cast<size_t>(access.memory)].size();
    if (begin <= end && end <= size) {
      accesses[kept++] = access;
      continue;
    }
    outside = true;
    uint64_t key = uint64_t(entry.site) << 8 | access.operand;
    if (!addFinding(finding::kOutOfBounds, key, 0))
      continue;
    Finding &finding = report.findings.back();
    finding.first = placeOf(core, pipe, entry.site);
    finding.message = std::string(sites[entry.site].name) +
                      (reads ? " reads " : " writes ") +
                      memoryName(access.memory) + " at bytes " +
                      std::to_string(static_cast<int64_t>(begin)) + " to " +
                      std::to_string(static_cast<int64_t>(end) - 1) + ", but ";
    finding.message += size ? std::string(memoryName(access.memory)) + " has " +
                                  std::to_string(size) + " bytes"
                            : std::string("an ") + coreTypeName(core.type) +
                                  " has no " + memoryName(access.memory);
    finding.message += "; the instruction was not executed";
  }
  accesses.resize(kept);
  return !outside;
}

void Engine::checkLegal(Core &core, const QueueEntry &entry) {
  violations.clear();
  checkLegality(entry.instruction, chip, core.type, violations);
  for (const Violation &violation : violations) {
    uint64_t key = uint64_t(entry.site) << 32 |
                   (std::hash<std::string>()(violation.rule) & 0xffffffff);
    if (!addFinding(finding::kIllegal, key, 0))
      continue;
    Finding &finding = report.findings.back();
    finding.first = placeOf(core, entry.instruction.record.pipe, entry.site);
    finding.message = violation.rule + ": " + violation.message;
  }
}

void Engine::checkRaces(Core &core, Pipe pipe, const Accessor &accessor,
                        const AccessList &list) {
  // Reads first: an instruction that updates in place is no race with itself,
  // but one that overwrites what it reads is seen by the others as a write.
  for (bool writes : {false, true}) {
    for (const Access &access : list) {
      if ((access.kind != AccessKind::Read) != writes || !access.blockBytes)
        continue;
      bool atomic = access.kind == AccessKind::AtomicUpdate;
      uint32_t blocks = access.blocks;
      uint64_t bytes = access.blockBytes;
      if (blocks > 1 && access.pitch == static_cast<int64_t>(bytes)) {
        bytes *= blocks;
        blocks = 1;
      }
      if (access.memory == Memory::GM) {
        Region *region = addresses.findVirtual(access.start);
        for (uint32_t i = 0; i != blocks; ++i) {
          uint64_t begin =
              access.start + int64_t(i) * access.pitch - region->address;
          if (writes)
            region->shadow->write(begin, begin + bytes, atomic, accessor,
                                  noteRace);
          else
            region->shadow->read(begin, begin + bytes, accessor, noteRace);
        }
        reportRaces(core, accessor, Memory::GM, region, !writes);
        continue;
      }
      LocalShadow &shadow = *core.shadows[static_cast<size_t>(access.memory)];
      for (uint32_t i = 0; i != blocks; ++i) {
        uint64_t begin = access.start + int64_t(i) * access.pitch;
        if (writes)
          shadow.write(begin, begin + bytes, accessor, noteRace);
        else
          shadow.read(begin, begin + bytes, accessor, noteRace);
      }
      reportRaces(core, accessor, access.memory, nullptr, !writes);
    }
  }
}

/// One report per access and earlier instruction, over the bytes in a row.
void Engine::reportRaces(Core &core, const Accessor &accessor, Memory memory,
                         const Region *region, bool isRead) {
  for (size_t i = 0; i != races.size(); ++i) {
    Race &race = races[i];
    bool isFirst = true;
    for (size_t j = 0; j != i && isFirst; ++j)
      isFirst = races[j].earlier.site != race.earlier.site ||
                races[j].kind != race.kind;
    if (!isFirst)
      continue;
    for (size_t j = i + 1; j != races.size(); ++j)
      if (races[j].begin == race.end && races[j].kind == race.kind &&
          races[j].earlier.site == race.earlier.site)
        race.end = races[j].end;
    reportRace(core, accessor, memory, region, isRead, race);
  }
  races.clear();
}

void Engine::reportRace(Core &core, const Accessor &accessor, Memory memory,
                        const Region *region, bool isRead, const Race &race) {
  // Told in the order of the program where there is one: which of the two was
  // simulated first is chance.
  Epoch later = accessor.epoch, earlier = race.earlier;
  bool laterReads = isRead;
  bool earlierReads = race.kind == RaceKind::WriteAfterRead;
  bool sameCore =
      later.block == earlier.block &&
      later.thread / kThreadsPerCore == earlier.thread / kThreadsPerCore;
  if (sameCore ? later.order < earlier.order : later.thread < earlier.thread) {
    std::swap(later, earlier);
    std::swap(laterReads, earlierReads);
  }
  uint64_t places = uint64_t(later.site) << 32 | earlier.site;
  uint64_t what = uint64_t(memory) << 2 | laterReads << 1 | earlierReads;
  if (!addFinding(finding::kRace, places, what))
    return;
  Place first = placeOf(later);
  Place second = placeOf(earlier);
  std::string where =
      region ? "'" + region->name + "'" : std::string(memoryName(memory));
  std::string message =
      first.instruction + " on pipe " + pipeName(first.pipe) +
      (laterReads ? " reads " : " writes ") + where + " at bytes " +
      std::to_string(race.begin) + " to " + std::to_string(race.end - 1) +
      ", which " + second.instruction + " on pipe " + pipeName(second.pipe);
  const char *then = earlierReads ? " reads" : " writes";
  if (first.block != second.block)
    message += " of block " + std::to_string(second.block) + then +
               "; nothing orders block " + std::to_string(first.block) +
               " and block " + std::to_string(second.block);
  else if (!sameCore)
    message += std::string(" of ") +
               (second.coreType == ascsim::CoreType::AIC
                    ? std::string("the AIC")
                    : "AIV " + std::to_string(second.subBlock)) +
               then +
               "; nothing orders the two cores here: set a cross-core flag "
               "after the access that comes first and wait for it before the "
               "other";
  else if (first.pipe == second.pipe)
    message +=
        std::string(then) +
        " too; instructions of this pipe overlap: put PipeBarrier<PIPE_" +
        pipeName(first.pipe) + ">() between them";
  else
    message += std::string(then) +
               "; nothing orders the two: SetFlag/WaitFlag<HardEvent::" +
               pipeName(second.pipe) + "_" + pipeName(first.pipe) +
               "> is missing between them";
  Finding &finding = report.findings.back();
  finding.message = std::move(message);
  finding.first = std::move(first);
  finding.second = std::move(second);
}

void Engine::checkInitialisation(Core &core, Pipe pipe,
                                 const QueueEntry &entry) {
  auto lookup = [&](Memory memory, uint64_t address) -> InitialisationView {
    if (memory == Memory::GM) {
      Region *region = addresses.findVirtual(address);
      return region ? InitialisationView{&region->initialised,
                                         -static_cast<int64_t>(region->address)}
                    : InitialisationView();
    }
    if (memory == Memory::None)
      return {};
    return {&core.initialised[static_cast<size_t>(memory)], 0};
  };
  trackInitialisation(
      entry.instruction, accesses,
      [&]() -> CoreMemories & { return bytes(core); }, lookup);

  for (const Access &access : accesses) {
    if (access.memory != Memory::GM || access.kind == AccessKind::Read ||
        !access.blockBytes)
      continue;
    Region *region = addresses.findVirtual(access.start);
    if (region->workspace)
      continue;
    for (uint32_t i = 0; i != access.blocks; ++i) {
      uint64_t begin =
          access.start + int64_t(i) * access.pitch - region->address;
      uint64_t end = begin + access.blockBytes;
      uint64_t bad = region->initialised.firstClear(begin, end);
      if (bad == end)
        continue;
      // Once is enough for these bytes.
      region->initialised.set(begin, end, true);
      if (!addFinding(finding::kUninitialised, entry.site, 0))
        continue;
      Finding &finding = report.findings.back();
      finding.first = placeOf(core, pipe, entry.site);
      finding.message =
          std::string(sites[entry.site].name) + " writes to '" + region->name +
          "' bytes that were never computed: first at offset " +
          std::to_string(bad) + " of " + std::to_string(region->bytes) +
          "; the source holds what was left in " +
          memoryName(entry.instruction.record.src0.memory) +
          " before the kernel started";
    }
  }
}

/// A transfer reads or writes bytes that a scalar unit still holds dirty.
void Engine::checkStaleCache(Core &core, Pipe pipe, const Accessor &accessor) {
  for (const Access &access : accesses) {
    if (access.memory != Memory::GM || !access.blockBytes)
      continue;
    uint64_t low, high;
    extent(access, low, high);
    for (Core &owner : cores) {
      if (!owner.cache->hasDirtyLines())
        continue;
      for (const ScalarCache::Line &line : owner.cache->all()) {
        if (!line.dirty || line.address >= high ||
            line.address + line.bytes <= low)
          continue;
        bool touched = false;
        for (uint32_t i = 0; i != line.bytes && !touched; ++i) {
          if (!((line.dirty >> i) & 1))
            continue;
          uint64_t byte = line.address + i;
          if (byte < low || byte >= high)
            continue;
          int64_t distance = static_cast<int64_t>(byte - access.start);
          int64_t pitch = access.pitch;
          touched = access.blocks == 1 || pitch <= 0 ||
                    distance % pitch < static_cast<int64_t>(access.blockBytes);
        }
        if (!touched)
          continue;
        Region *region = addresses.findVirtual(access.start);
        addFinding(finding::kStaleCache,
                   sites[accessor.epoch.site].name +
                       std::string(access.kind == AccessKind::Read
                                       ? " reads"
                                       : " writes") +
                       " bytes of '" + region->name +
                       "' that a scalar write left in the data cache; call "
                       "DataCacheCleanAndInvalid on the written line first",
                   placeOf(accessor.epoch), placeOf(owner, Pipe::S, line.site));
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

std::string Engine::describe(const Core &core) const {
  std::string text = std::string(coreTypeName(core.type)) + " " +
                     std::to_string(core.index) + " (block " +
                     std::to_string(core.block);
  if (kernel.type() == KernelType::Mix12 && core.type == ascsim::CoreType::AIV)
    text += ", sub-block " + std::to_string(core.subBlock);
  return text + ")";
}

Place Engine::placeOf(const Core &core, Pipe pipe, uint32_t site) const {
  Place place;
  place.block = core.block;
  place.core = core.index;
  place.coreType = core.type;
  place.subBlock = core.subBlock;
  place.pipe = pipe;
  place.instruction = sites[site].name;
  place.codeAddress = sites[site].codeAddress;
  if (place.codeAddress) {
    auto [code, isNew] = located.try_emplace(place.codeAddress);
    if (isNew)
      code->second = Report::locate(place.codeAddress);
    place.module = code->second.module;
    place.offset = code->second.offset;
  }
  place.cycle = now;
  return place;
}

Place Engine::placeOf(const Epoch &epoch) const {
  const Core *core = blockCores[epoch.block][epoch.thread / kThreadsPerCore];
  unsigned pipe = epoch.thread % kThreadsPerCore;
  Place place = placeOf(
      *core, pipe == kDispatchThread ? Pipe::S : static_cast<Pipe>(pipe),
      epoch.site);
  // The core may run another block by now.
  place.block = epoch.block;
  return place;
}

/// A new finding to be filled in, or null when this pair of places was
/// reported before or the kind has reached its limit.
Finding *Engine::addFinding(const char *kind, uint64_t firstKey,
                            uint64_t secondKey) {
  uint64_t hash = std::hash<std::string_view>()(kind);
  for (uint64_t part : {firstKey, secondKey})
    hash = (hash ^ part) * 0x9e3779b97f4a7c15ull + (hash >> 29);
  auto [entry, isNew] = findingIndex.try_emplace(hash, ~size_t(0));
  if (!isNew) {
    if (entry->second != ~size_t(0))
      ++report.findings[entry->second].count;
    else
      ++report.suppressedFindings;
    return nullptr;
  }
  if (findingCounts[kind]++ >= options.findingsPerKind) {
    ++report.suppressedFindings;
    return nullptr;
  }
  entry->second = report.findings.size();
  Finding &finding = report.findings.emplace_back();
  finding.kind = kind;
  return &finding;
}

void Engine::addFinding(const char *kind, std::string message, Place first,
                        std::optional<Place> second) {
  uint64_t firstKey = first.codeAddress * 8 + static_cast<uint64_t>(first.pipe);
  uint64_t secondKey =
      second ? second->codeAddress * 8 + static_cast<uint64_t>(second->pipe)
             : 0;
  // Different texts at one place are different findings; different numbers in
  // one text are not.
  for (char c : message)
    if (c < '0' || c > '9')
      secondKey =
          (secondKey ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  if (Finding *finding = addFinding(kind, firstKey, secondKey)) {
    finding->message = std::move(message);
    finding->first = std::move(first);
    finding->second = std::move(second);
  }
}
