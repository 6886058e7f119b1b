//===- InstructionSetTest.h - Running single instructions -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The tests call the Ascend C API itself. This file stands in for the engine:
// each call is performed at once on the memories of one core. On the way every
// instruction is held to its own statements: bytes outside the announced writes
// must not change, and the result must depend on nothing but the announced
// reads.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_UNITTESTS_SIM_INSTRUCTIONSETTEST_H
#define TILELANG_UNITTESTS_SIM_INSTRUCTIONSETTEST_H

#include "tilelang/Chip/Chip.h"
#include "tilelang/Sim/InstructionSet.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#ifndef __DAV_C220_VEC__
#define __DAV_C220_VEC__
#endif
#include "kernel_operator.h"

namespace tilelang::sim::test {

class Machine {
public:
  explicit Machine(ascsim::CoreType core);
  ~Machine();

  void issue(const ascsim::Instruction &record);
  /// Typed view of a place in an on-chip memory.
  template <typename T> T *at(ascsim::Memory memory, uint64_t byte = 0) {
    return reinterpret_cast<T *>(memories.bytes[size_t(memory)].data() + byte);
  }
  template <typename T> T *ub(uint64_t byte = 0) {
    return at<T>(ascsim::Memory::UB, byte);
  }

  /// Names of the violated rules, joined by spaces.
  std::string rules() const;
  std::string messages() const;

  Chip chip;
  ascsim::CoreType core;
  CoreMemories memories;
  Registers registers{};
  std::vector<Violation> violations;
  AccessList accesses;
  Cost cost;
  /// Off: an illegal instruction is expected; its accesses are not verified.
  bool verify = true;
  bool perform = true;

  static Machine *current;

private:
  void verifyAccesses(const QueuedInstruction &queued,
                      const CoreMemories &before);
};

class VectorCore : public testing::Test {
protected:
  Machine machine{ascsim::CoreType::AIV};
  std::mt19937 random{12345};
  void TearDown() override { EXPECT_EQ(machine.messages(), ""); }
};

class CubeCore : public testing::Test {
protected:
  Machine machine{ascsim::CoreType::AIC};
  std::mt19937 random{12345};
  void TearDown() override { EXPECT_EQ(machine.messages(), ""); }
};

inline float toFloat(half value) { return static_cast<float>(value); }
inline float toFloat(float value) { return value; }
inline float toFloat(bfloat16_t value) {
  uint32_t bits = uint32_t(__builtin_bit_cast(uint16_t, value)) << 16;
  return __builtin_bit_cast(float, bits);
}
template <typename T> T fromFloat(float value) {
  if constexpr (std::is_same_v<T, bfloat16_t>) {
    uint32_t bits = __builtin_bit_cast(uint32_t, value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
      return __builtin_bit_cast(bfloat16_t, uint16_t(bits >> 16 | 64));
    bits += 0x7FFFu + (bits >> 16 & 1);
    return __builtin_bit_cast(bfloat16_t, uint16_t(bits >> 16));
  } else
    return static_cast<T>(value);
}
/// Equal bits, or both NaN.
template <typename T> bool sameValue(T a, T b) {
  if constexpr (!std::is_integral_v<T>)
    if (toFloat(a) != toFloat(a))
      return toFloat(b) != toFloat(b);
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

} // namespace tilelang::sim::test

#endif // TILELANG_UNITTESTS_SIM_INSTRUCTIONSETTEST_H
