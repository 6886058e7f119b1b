//===- EngineInitialisation.h - Which bytes hold defined values -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// One bit per byte of every memory. An instruction makes its destination
// defined where everything it computes that byte from is defined, so that
// padding rows of a tile may carry garbage as long as they stay padding.
// Reports arise only where undefined bytes reach a result in global memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINEINITIALISATION_H
#define TILELANG_SIM_ENGINEINITIALISATION_H

#include "tilelang/Sim/InstructionSet.h"

#include <functional>

namespace tilelang::sim {

/// Bits of one memory. Storage is allocated when bytes first differ.
class InitialisationMap {
public:
  void reset(uint64_t bytes, bool initialised);
  bool allSet(uint64_t begin, uint64_t end) const;
  bool test(uint64_t byte) const {
    return words.empty() ? uniform : (words[byte / 64] >> (byte % 64)) & 1;
  }
  void set(uint64_t begin, uint64_t end, bool value);
  /// First byte of [begin, end) that is not initialised, or `end`.
  uint64_t firstClear(uint64_t begin, uint64_t end) const;
  uint64_t size() const { return bytes; }

private:
  void materialise();
  std::vector<uint64_t> words;
  uint64_t bytes = 0;
  bool uniform = false;
};

/// A memory operand as the tracker sees it: the map, and where in it the
/// operand's address 0 lies.
struct InitialisationView {
  InitialisationMap *map = nullptr;
  int64_t base = 0; // added to addresses of the operand's memory
  bool all(int64_t begin, int64_t bytes) const;
  void set(int64_t begin, int64_t bytes, bool value) const;
};

/// Finds the map behind an address; the view's map is null outside.
using InitialisationLookup =
    std::function<InitialisationView(ascsim::Memory, uint64_t address)>;

/// Updates the maps for one instruction whose accesses were checked to be in
/// bounds. `memories` is asked for where definedness depends on data (Select,
/// Gather).
void trackInitialisation(const QueuedInstruction &, const AccessList &,
                         const std::function<CoreMemories &()> &memories,
                         const InitialisationLookup &lookup);

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINEINITIALISATION_H
