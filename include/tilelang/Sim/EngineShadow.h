//===- EngineShadow.h - Shadow memory for the race checks -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Both shadows divide memory into pages of 512 bytes. A page is a sorted list
// of segments with equal history: one segment in the common case of whole
// tiles, single bytes where a kernel needs it. So the checks are exact to the
// byte and cost a few operations per page.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINESHADOW_H
#define TILELANG_SIM_ENGINESHADOW_H

#include "tilelang/Sim/EngineClock.h"
#include "tilelang/Sim/InstructionSet.h"

#include <functional>

namespace tilelang::sim {

constexpr uint32_t kShadowPage = 512;

enum class RaceKind : uint8_t {
  ReadAfterWrite,
  WriteAfterRead,
  WriteAfterWrite
};

/// A pair of accesses without order; addresses are offsets in the memory.
struct Race {
  RaceKind kind;
  Epoch earlier;
  uint64_t begin, end;
};
/// Called for each race found.
using RaceHandler = std::function<void(const Race &)>;

/// Shadow of one on-chip memory of one core. Only the pipes of that core reach
/// it, so readers are a small array.
class LocalShadow {
public:
  explicit LocalShadow(uint64_t bytes);
  void read(uint64_t begin, uint64_t end, const Accessor &,
            const RaceHandler &);
  void write(uint64_t begin, uint64_t end, const Accessor &,
             const RaceHandler &);
  /// Forgets everything: a new block starts on the core.
  void reset();

private:
  /// No memory has more than four pipes that read it.
  static constexpr unsigned kReaders = 4;
  struct Mark {
    uint32_t clock = 0, site = 0, order = 0;
    uint8_t thread = 0xff;
    bool operator==(const Mark &) const = default;
  };
  struct Segment {
    uint16_t begin = 0;
    Mark write;
    std::array<Mark, kReaders> reads;
    bool sameHistory(const Segment &other) const {
      return write == other.write && reads == other.reads;
    }
  };
  using Page = std::vector<Segment>;
  std::vector<Page> pages;
  uint32_t block = 0;

  template <typename Visit>
  void visit(uint64_t begin, uint64_t end, Visit &&visit, bool collapse);
};

/// Shadow of one region of global memory, reached by all pipes of all cores.
class GlobalShadow {
public:
  explicit GlobalShadow(uint64_t bytes);
  /// With flags of mode 0 in use no reader may be dropped.
  void keepAllReaders() { keepAll = true; }
  void read(uint64_t begin, uint64_t end, const Accessor &,
            const RaceHandler &);
  void write(uint64_t begin, uint64_t end, bool atomic, const Accessor &,
             const RaceHandler &);

private:
  static constexpr uint32_t kNone = ~0u;
  /// Readers kept per segment without mode-0 flags: a write that is ordered
  /// after some but not all readers of other blocks cannot exist then.
  static constexpr unsigned kMaxReaders = 8;
  struct Node {
    Epoch epoch;
    uint32_t next;
  };
  struct Segment {
    uint16_t begin = 0;
    bool atomic = false;
    uint32_t writes = kNone, reads = kNone;
  };
  using Page = std::vector<Segment>;
  std::vector<Page> pages;
  std::vector<Node> nodes;
  uint32_t freeNodes = kNone;
  bool keepAll = false;

  uint32_t allocate(const Epoch &epoch, uint32_t next);
  void release(uint32_t &list);
  uint32_t clone(uint32_t list);
  void addReader(Segment &segment, const Accessor &accessor);
  template <typename Visit>
  void visit(uint64_t begin, uint64_t end, Visit &&visit, bool collapse);
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINESHADOW_H
