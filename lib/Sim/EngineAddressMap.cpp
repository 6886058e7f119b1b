//===- EngineAddressMap.cpp - Arguments as virtual addresses --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/EngineAddressMap.h"

#include <algorithm>

using namespace tilelang;
using namespace tilelang::sim;

/// Where the first buffer starts, and the unit the next one is aligned to. The
/// gap keeps an access past the end of one buffer out of the next.
static constexpr uint64_t kBase = uint64_t(1) << 44;
static constexpr uint64_t kAlignment = 512;
static constexpr uint64_t kGap = uint64_t(1) << 20;

bool AddressMap::build(const std::vector<LaunchArgument> &arguments,
                       bool checks, std::string &error) {
  struct Range {
    uint64_t begin, end;
    size_t argument;
  };
  std::vector<Range> ranges;
  for (size_t i = 0; i != arguments.size(); ++i) {
    const LaunchArgument &argument = arguments[i];
    if (argument.kind != ArgumentKind::Buffer || argument.bytes == 0)
      continue;
    if (!argument.data) {
      error = "argument " + std::to_string(i) + " '" + argument.name +
              "' is a null pointer but has " + std::to_string(argument.bytes) +
              " bytes; pass memory of that size";
      return false;
    }
    uint64_t host = reinterpret_cast<uint64_t>(argument.data);
    ranges.push_back({host, host + argument.bytes, i});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) {
    return std::tie(a.begin, a.argument) < std::tie(b.begin, b.argument);
  });
  // Arguments that share host bytes become one region, placed where the first
  // of them stands in the argument list.
  struct Group {
    uint64_t begin, end;
    std::vector<size_t> members;
  };
  std::vector<Group> groups;
  for (const Range &range : ranges) {
    if (!groups.empty() && range.begin < groups.back().end) {
      groups.back().end = std::max(groups.back().end, range.end);
      groups.back().members.push_back(range.argument);
    } else {
      groups.push_back({range.begin, range.end, {range.argument}});
    }
  }
  for (Group &group : groups)
    std::sort(group.members.begin(), group.members.end());
  std::sort(groups.begin(), groups.end(), [](const Group &a, const Group &b) {
    return a.members.front() < b.members.front();
  });

  uint64_t next = kBase;
  for (const Group &group : groups) {
    Region &region = regions.emplace_back();
    region.host = group.begin;
    region.address = next;
    region.bytes = group.end - group.begin;
    region.workspace = true;
    bool initialised = false;
    for (size_t member : group.members) {
      const LaunchArgument &argument = arguments[member];
      if (!region.name.empty())
        region.name += "/";
      region.name += argument.name.empty()
                         ? "argument " + std::to_string(member)
                         : argument.name;
      region.workspace &= argument.workspace;
      initialised |= !argument.workspace && argument.initialised;
    }
    region.initialised.reset(region.bytes, initialised);
    if (checks)
      region.shadow = std::make_unique<GlobalShadow>(region.bytes);
    next += region.bytes + kGap;
    next = (next + kAlignment - 1) / kAlignment * kAlignment;
  }
  hostOrder.resize(regions.size());
  for (uint32_t i = 0; i != hostOrder.size(); ++i)
    hostOrder[i] = i;
  std::sort(hostOrder.begin(), hostOrder.end(), [&](uint32_t a, uint32_t b) {
    return regions[a].host < regions[b].host;
  });
  return true;
}

Region *AddressMap::findHost(uint64_t host) {
  if (regions.empty())
    return nullptr;
  Region &cached = regions[lastHost];
  if (host >= cached.host && host < cached.host + cached.bytes)
    return &cached;
  auto after = std::upper_bound(
      hostOrder.begin(), hostOrder.end(), host,
      [&](uint64_t address, uint32_t i) { return address < regions[i].host; });
  if (after == hostOrder.begin())
    return nullptr;
  Region &region = regions[*(after - 1)];
  if (host > region.host + region.bytes)
    return nullptr;
  lastHost = *(after - 1);
  return &region;
}

Region *AddressMap::findVirtual(uint64_t address) {
  if (regions.empty())
    return nullptr;
  if (regions[lastVirtual].contains(address))
    return &regions[lastVirtual];
  auto after = std::upper_bound(
      regions.begin(), regions.end(), address,
      [](uint64_t a, const Region &region) { return a < region.address; });
  if (after == regions.begin() || !(after - 1)->contains(address))
    return nullptr;
  lastVirtual = static_cast<size_t>(after - 1 - regions.begin());
  return &regions[lastVirtual];
}
