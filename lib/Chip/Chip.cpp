//===- Chip.cpp - Description of one Ascend chip --------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Chip/Chip.h"
#include "ChipFile.h"

#include <atomic>
#include <cmath>
#include <stdexcept>

using namespace tilelang;

static std::string memoryKey(ChipMemory memory, const char *field) {
  static const char *const names[kNumChipMemories] = {"l1", "l0a", "l0b", "l0c",
                                                      "bt", "fb",  "ub"};
  return std::string("memory.") + names[static_cast<unsigned>(memory)] + "." +
         field;
}

static uint64_t nextIdentity() {
  static std::atomic<uint64_t> counter{0};
  return ++counter;
}

const char *Chip::memoryName(ChipMemory memory) {
  static const char *const names[kNumChipMemories] = {"L1", "L0A", "L0B", "L0C",
                                                      "BT", "FB",  "UB"};
  return names[static_cast<unsigned>(memory)];
}

Chip Chip::load(std::string_view directory, std::string_view name,
                std::string &error) {
  Chip chip;
  error.clear();
  chipfile::Contents contents;
  if (!chipfile::read(std::string(directory), std::string(name), contents,
                      error))
    return chip;
  std::string where =
      std::string(directory) + "/" + std::string(name) + ".toml";
  if (contents.isAbstract) {
    error = where + ": describes what several chips share (abstract = true); "
                    "name one of the chips built on it";
    return chip;
  }
  for (const std::string &key : chipfile::requiredKeys()) {
    if (contents.numbers.count(key))
      continue;
    error = where + ": key '" + key + "' is missing here and in every base";
    return chip;
  }
  chip.numbers = std::move(contents.numbers);
  chip.description = std::move(contents.description);
  chip.adoptNumbers();
  chip.name = name;
  if (std::string problem = chip.validate(); !problem.empty()) {
    error = where + ": " + problem;
    return Chip();
  }
  return chip;
}

std::vector<std::string> Chip::list(std::string_view directory) {
  std::vector<std::string> result;
  for (const std::string &stem : chipfile::stems(std::string(directory))) {
    chipfile::Contents contents;
    std::string ignored;
    if (chipfile::read(std::string(directory), stem, contents, ignored) &&
        !contents.isAbstract)
      result.push_back(stem);
  }
  return result;
}

void Chip::adoptNumbers() {
  identityNumber = nextIdentity();
  aicCount = static_cast<uint32_t>(constant("cores.aic"));
  aivPerAic = static_cast<uint32_t>(constant("cores.aiv_per_aic"));
  clockGHz = constant("cores.clock_ghz");
  eventIdsPerPipePair =
      static_cast<uint32_t>(constant("sync.event_ids_per_pipe_pair"));
  crossCoreFlags = static_cast<uint32_t>(constant("sync.cross_core_flags"));
  crossCoreCounterLimit =
      static_cast<uint32_t>(constant("sync.cross_core_counter_limit"));
  for (unsigned i = 0; i < kNumChipMemories; ++i) {
    auto memory = static_cast<ChipMemory>(i);
    auto physical =
        static_cast<uint64_t>(constant(memoryKey(memory, "physical_bytes")));
    auto reserved =
        static_cast<uint64_t>(constant(memoryKey(memory, "reserved_bytes")));
    memories[i].physical = physical;
    memories[i].usable = physical > reserved ? physical - reserved : 0;
    memories[i].alignment =
        static_cast<uint32_t>(constant(memoryKey(memory, "alignment")));
  }
}

std::string Chip::validate() const {
  auto complain = [](const std::string &key, double found,
                     const std::string &expected) {
    std::string text = std::to_string(found);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
      text.pop_back();
    return "key '" + key + "' is " + text + ", expected " + expected;
  };
  // Every rate, size and time is a finite, non-negative number.
  for (const auto &[key, value] : numbers)
    if (!std::isfinite(value) || value < 0)
      return complain(key, value, "a finite number of at least 0");
  if (aicCount < 1 || aicCount > 1024)
    return complain("cores.aic", aicCount, "1 to 1024 cores");
  if (aivPerAic < 1 || aivPerAic > 2)
    return complain("cores.aiv_per_aic", aivPerAic, "1 or 2");
  if (clockGHz < 0.1 || clockGHz > 10)
    return complain("cores.clock_ghz", clockGHz, "0.1 to 10 GHz");
  if (eventIdsPerPipePair < 1 || eventIdsPerPipePair > 8)
    return complain("sync.event_ids_per_pipe_pair", eventIdsPerPipePair,
                    "1 to 8");
  if (crossCoreFlags > 16)
    return complain("sync.cross_core_flags", crossCoreFlags, "0 to 16");
  for (unsigned i = 0; i < kNumChipMemories; ++i) {
    auto memory = static_cast<ChipMemory>(i);
    double physical = constant(memoryKey(memory, "physical_bytes"));
    double reserved = constant(memoryKey(memory, "reserved_bytes"));
    double alignment = constant(memoryKey(memory, "alignment"));
    if (physical < 1 || physical != std::floor(physical))
      return complain(memoryKey(memory, "physical_bytes"), physical,
                      "a positive whole number of bytes");
    if (reserved >= physical)
      return complain(memoryKey(memory, "reserved_bytes"), reserved,
                      "less than physical_bytes");
    auto bits = static_cast<uint64_t>(alignment);
    if (bits == 0 || (bits & (bits - 1)) ||
        static_cast<double>(bits) != alignment)
      return complain(memoryKey(memory, "alignment"), alignment,
                      "a power of two");
    if ((physical - reserved) - std::floor((physical - reserved) / 32) * 32 !=
        0)
      return complain(memoryKey(memory, "reserved_bytes"), reserved,
                      "a value that leaves a multiple of 32 bytes");
  }
  if (constant("gm.hbm_bytes") < 1)
    return complain("gm.hbm_bytes", constant("gm.hbm_bytes"),
                    "a positive size");
  // Rates divide: a zero would make every transfer take forever.
  for (const auto &[key, value] : numbers)
    if ((key.ends_with("bytes_per_cycle") || key.ends_with("gbps") ||
         key.ends_with("_elements") || key.ends_with("_lanes")) &&
        value == 0)
      return complain(key, value, "a rate above 0");
  return std::string();
}

uint64_t Chip::usableBytes(ChipMemory memory) const {
  return memories[static_cast<unsigned>(memory)].usable;
}

uint64_t Chip::physicalBytes(ChipMemory memory) const {
  return memories[static_cast<unsigned>(memory)].physical;
}

uint32_t Chip::alignment(ChipMemory memory) const {
  return memories[static_cast<unsigned>(memory)].alignment;
}

double Chip::constant(std::string_view key) const {
  auto found = numbers.find(key);
  if (found == numbers.end())
    throw std::out_of_range("the description of chip '" + name +
                            "' has no number '" + std::string(key) + "'");
  return found->second;
}

void Chip::setConstant(std::string_view key, double value) {
  auto found = numbers.find(key);
  if (found == numbers.end())
    throw std::out_of_range("the description of chip '" + name +
                            "' has no number '" + std::string(key) + "'");
  found->second = value;
  adoptNumbers();
}
