//===- EngineSites.h - Instructions of a program by code address ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINESITES_H
#define TILELANG_SIM_ENGINESITES_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tilelang::sim {

/// A call of the API in the program: what findings and timelines point at.
struct Site {
  uint64_t codeAddress = 0;
  const char *name = ""; // static storage
};

class SiteTable {
public:
  SiteTable() : sites(1) {}
  uint32_t get(uint64_t codeAddress, const char *name) {
    // Inlined helpers may merge calls of different instructions.
    uint64_t key =
        codeAddress * 0x9e3779b97f4a7c15ull ^ reinterpret_cast<uint64_t>(name);
    auto [entry, isNew] = index.try_emplace(key, sites.size());
    if (isNew)
      sites.push_back({codeAddress, name});
    return entry->second;
  }
  const Site &operator[](uint32_t site) const { return sites[site]; }

private:
  std::vector<Site> sites;
  std::unordered_map<uint64_t, uint32_t> index;
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINESITES_H
