//===- EngineL2Cache.h - Which bytes of global memory are in L2 -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// L2 as an LRU list of panels (64 KiB of consecutive addresses) with a bit per
// sector for "present" and "dirty". Write-allocate, write-back. Only residency
// is modelled; the bytes themselves live in the arguments of the launch.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINEL2CACHE_H
#define TILELANG_SIM_ENGINEL2CACHE_H

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tilelang::sim {

class L2Cache {
public:
  L2Cache(uint64_t capacity, uint32_t sectorBytes, uint32_t panelBytes);

  struct Result {
    uint64_t hitBytes = 0, missBytes = 0;
    uint64_t writeBackBytes = 0; // dirty sectors pushed out
    void add(const Result &other) {
      hitBytes += other.hitBytes;
      missBytes += other.missBytes;
      writeBackBytes += other.writeBackBytes;
    }
  };
  /// Touches [begin, end) and makes it resident. Written sectors are not
  /// fetched: they count as hits.
  Result access(uint64_t begin, uint64_t end, bool write);
  /// The same for a tensor that bypasses L2: what is resident is used, nothing
  /// becomes resident, and written bytes that are not resident go to HBM.
  Result bypass(uint64_t begin, uint64_t end, bool write);

private:
  static constexpr uint32_t kNone = ~0u;
  static constexpr unsigned kWords = 8; // up to 512 sectors a panel
  struct Panel {
    uint64_t number = 0;
    std::array<uint64_t, kWords> present{}, dirty{};
    uint32_t previous = kNone, next = kNone;
  };
  uint32_t find(uint64_t number);
  /// The bits of one word of a panel that sectors `first` to `last` cover.
  static uint64_t maskOf(uint32_t word, uint32_t first, uint32_t last);
  void unlink(uint32_t index);
  void pushFront(uint32_t index);
  void evict(uint32_t keep, Result &result);

  uint64_t capacity, used = 0;
  uint32_t sectorBytes, panelBytes;
  std::vector<Panel> panels;
  std::unordered_map<uint64_t, uint32_t> index;
  std::vector<uint32_t> freePanels;
  uint32_t head = kNone, tail = kNone;
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINEL2CACHE_H
