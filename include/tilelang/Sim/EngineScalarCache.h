//===- EngineScalarCache.h - Data cache of a scalar unit ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The data cache is write-back and not coherent: a scalar read may see old
// bytes until the line is invalidated, a scalar write reaches global memory
// only when its line is cleaned or evicted - as a whole line, over whatever
// other cores wrote beside it. Kernels that forget the maintenance compute
// here what the hardware could compute.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINESCALARCACHE_H
#define TILELANG_SIM_ENGINESCALARCACHE_H

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <unordered_map>

namespace tilelang::sim {

class ScalarCache {
public:
  static constexpr uint32_t kLine = 64;
  struct Line {
    uint64_t address = 0; // virtual, multiple of kLine
    uint8_t *host = nullptr;
    uint32_t bytes = 0; // shorter at the end of a buffer
    std::array<uint8_t, kLine> data;
    uint64_t dirty = 0; // a bit per byte
    uint32_t site = 0;  // the last store
  };
  /// Called when a dirty line is written back.
  using WriteBack = std::function<void(const Line &)>;

  explicit ScalarCache(uint32_t capacityBytes)
      : capacityLines(capacityBytes / kLine) {}

  /// The line at `address`; `fill` says where its bytes are if it is missing.
  /// Sets `hit`.
  template <typename Fill>
  Line &get(uint64_t address, bool &hit, Fill &&fill,
            const WriteBack &evicted) {
    auto found = index.find(address);
    hit = found != index.end();
    if (hit) {
      lines.splice(lines.begin(), lines, found->second);
      return lines.front();
    }
    if (lines.size() >= capacityLines) {
      flush(lines.back(), evicted);
      index.erase(lines.back().address);
      lines.pop_back();
    }
    lines.emplace_front();
    lines.front().address = address;
    fill(lines.front());
    index[address] = lines.begin();
    return lines.front();
  }
  /// Cleans and invalidates the line that holds `address`.
  void clean(uint64_t address, const WriteBack &writeBack);
  void cleanAll(const WriteBack &writeBack);
  bool hasDirtyLines() const { return dirtyLines != 0; }
  void markDirty(Line &line, uint64_t mask) {
    if (!line.dirty)
      ++dirtyLines;
    line.dirty |= mask;
  }
  const std::list<Line> &all() const { return lines; }

private:
  void flush(Line &line, const WriteBack &writeBack);
  std::list<Line> lines; // most recent first
  std::unordered_map<uint64_t, std::list<Line>::iterator> index;
  size_t capacityLines;
  uint32_t dirtyLines = 0;
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINESCALARCACHE_H
