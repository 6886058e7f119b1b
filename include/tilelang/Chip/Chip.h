//===- Chip.h - Description of one Ascend chip ----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The only place hardware numbers come from. Built from `chips/*.toml`; a file
// may name a `base` whose entries it overrides. Knows nothing of MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_CHIP_CHIP_H
#define TILELANG_CHIP_CHIP_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilelang {

/// Memories of an AI Core that a kernel addresses.
enum class ChipMemory : uint8_t { L1, L0A, L0B, L0C, BT, FB, UB };
constexpr unsigned kNumChipMemories = 7;

class Chip {
public:
  /// Reads `<directory>/<name>.toml` and its bases. On failure returns an empty
  /// name and writes what is wrong, with file and key, into `error`.
  static Chip load(std::string_view directory, std::string_view name,
                   std::string &error);
  /// Names of the chips described in `directory`, common bases left out.
  static std::vector<std::string> list(std::string_view directory);
  /// Consistency of the description; an empty string when it is sound.
  std::string validate() const;

  std::string name;
  std::string description; // "Ascend 910B2, 24 AIC + 48 AIV, 1.8 GHz"
  uint32_t aicCount = 0;
  uint32_t aivPerAic = 0;
  double clockGHz = 0;

  /// Bytes a kernel may use (after what the toolchain reserves).
  uint64_t usableBytes(ChipMemory memory) const;
  /// Bytes that physically exist.
  uint64_t physicalBytes(ChipMemory memory) const;
  /// Required alignment in bytes of a tensor start.
  uint32_t alignment(ChipMemory memory) const;
  static const char *memoryName(ChipMemory memory); // "L1", "L0A", ...

  uint32_t eventIdsPerPipePair = 0; // ids a kernel may use, from 0
  uint32_t crossCoreFlags = 0;      // ids a kernel may use, from 0
  uint32_t crossCoreCounterLimit = 0;

  /// A named number of the description, e.g. `timing.mmad.fill_cycles`. A name
  /// that does not exist is an internal error (throws std::out_of_range).
  double constant(std::string_view key) const;
  const std::map<std::string, double, std::less<>> &constants() const {
    return numbers;
  }
  /// Changes one existing number (sensitivity reports, calibration). Throws
  /// std::out_of_range for a name that does not exist.
  void setConstant(std::string_view key, double value);

  /// Differs between any two descriptions whose numbers may differ; copies
  /// share it. Lets users cache what they derive from a chip.
  uint64_t identity() const { return identityNumber; }

private:
  void adoptNumbers();

  struct MemoryFacts {
    uint64_t physical = 0;
    uint64_t usable = 0;
    uint32_t alignment = 0;
  };
  MemoryFacts memories[kNumChipMemories];
  std::map<std::string, double, std::less<>> numbers;
  uint64_t identityNumber = 0;
};

} // namespace tilelang

#endif // TILELANG_CHIP_CHIP_H
