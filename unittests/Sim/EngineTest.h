//===- EngineTest.h - Hand-written kernels for engine tests ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Instruction records without the API headers, so that the engine's tests say
// exactly what is issued.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_UNITTESTS_SIM_ENGINETEST_H
#define TILELANG_UNITTESTS_SIM_ENGINETEST_H

#include "tilelang/Chip/Chip.h"
#include "tilelang/Sim/Simulator.h"

#include <gtest/gtest.h>

namespace tilelang::sim::test {

using namespace ascsim;

inline const Chip &chip() {
  static const Chip instance = [] {
    std::string error;
    Chip loaded = Chip::load(TILELANG_CHIP_DIR, "ascend910b2", error);
    EXPECT_EQ(error, "");
    return loaded;
  }();
  return instance;
}

inline Instruction copyInRecord(uint64_t ub, const void *gm, uint32_t bytes) {
  Instruction record(Opcode::CopyGmToLocal, Pipe::MTE2);
  record.dst = {ub, Memory::UB, DataType::F32};
  record.src0 = {reinterpret_cast<uint64_t>(gm), Memory::GM, DataType::F32};
  record.copy = {};
  record.copy.blockCount = 1;
  record.copy.blockBytes = bytes;
  record.copy.gmPitch = bytes;
  record.copy.localPitch = bytes;
  record.copy.byteGranular = true;
  return record;
}

inline Instruction copyOutRecord(const void *gm, uint64_t ub, uint32_t bytes) {
  Instruction record(Opcode::CopyLocalToGm, Pipe::MTE3);
  record.dst = {reinterpret_cast<uint64_t>(gm), Memory::GM, DataType::F32};
  record.src0 = {ub, Memory::UB, DataType::F32};
  record.copy = {};
  record.copy.blockCount = 1;
  record.copy.blockBytes = bytes;
  record.copy.gmPitch = bytes;
  record.copy.localPitch = bytes;
  record.copy.byteGranular = true;
  return record;
}

inline Instruction addRecord(uint64_t dst, uint64_t a, uint64_t b,
                             uint32_t count) {
  Instruction record(Opcode::Binary, Pipe::V);
  record.function = Function::Add;
  record.dst = {dst, Memory::UB, DataType::F32};
  record.src0 = {a, Memory::UB, DataType::F32};
  record.src1 = {b, Memory::UB, DataType::F32};
  record.vector.counterMode = true;
  record.vector.count = count;
  return record;
}

inline Instruction flagRecord(Opcode opcode, Pipe source, Pipe destination,
                              uint32_t id) {
  Instruction record(opcode, opcode == Opcode::SetFlag ? source : destination);
  record.flag = {source, destination, id, 0};
  return record;
}

inline Instruction barrierRecord(Pipe pipe) {
  return Instruction(Opcode::PipeBarrier, pipe);
}

inline Instruction crossRecord(Opcode opcode, Pipe pipe, uint8_t mode,
                               uint32_t id) {
  Instruction record(opcode, pipe);
  record.flag = {pipe, pipe, id, mode};
  return record;
}

/// Always inlined, so that each use is a code address of its own.
[[gnu::always_inline]] inline void issue(const Instruction &record) {
  [[clang::nomerge]] ascsim_issue(&record);
}
[[gnu::always_inline]] inline void copyIn(uint64_t ub, const void *gm,
                                          uint32_t bytes) {
  issue(copyInRecord(ub, gm, bytes));
}
[[gnu::always_inline]] inline void copyOut(const void *gm, uint64_t ub,
                                           uint32_t bytes) {
  issue(copyOutRecord(gm, ub, bytes));
}
[[gnu::always_inline]] inline void add(uint64_t dst, uint64_t a, uint64_t b,
                                       uint32_t count) {
  issue(addRecord(dst, a, b, count));
}
[[gnu::always_inline]] inline void setFlag(Pipe source, Pipe destination,
                                           uint32_t id = 0) {
  issue(flagRecord(Opcode::SetFlag, source, destination, id));
}
[[gnu::always_inline]] inline void waitFlag(Pipe source, Pipe destination,
                                            uint32_t id = 0) {
  issue(flagRecord(Opcode::WaitFlag, source, destination, id));
}
[[gnu::always_inline]] inline void barrier(Pipe pipe) {
  issue(barrierRecord(pipe));
}
[[gnu::always_inline]] inline void crossSet(Pipe pipe, uint8_t mode,
                                            uint32_t id) {
  issue(crossRecord(Opcode::CrossCoreSet, pipe, mode, id));
}
[[gnu::always_inline]] inline void crossWait(uint8_t mode, uint32_t id) {
  issue(crossRecord(Opcode::CrossCoreWait, Pipe::S, mode, id));
}
inline float loadFloat(uint64_t ub) {
  Operand operand{ub, Memory::UB, DataType::F32};
  uint32_t bits = static_cast<uint32_t>(ascsim_load(&operand));
  return __builtin_bit_cast(float, bits);
}
inline void storeFloat(uint64_t ub, float value) {
  Operand operand{ub, Memory::UB, DataType::F32};
  ascsim_store(&operand, __builtin_bit_cast(uint32_t, value));
}

/// A kernel body in the documented frame.
template <typename Body> Kernel::Function framed(Body body) {
  return [body] {
    ascsim_init_soc_state();
    body();
    barrier(Pipe::All);
  };
}

/// Arguments and options around one launch.
struct Launch {
  std::vector<LaunchArgument> arguments;
  LaunchOptions options;
  Report report;

  template <typename T>
  void buffer(const char *name, std::vector<T> &data, bool initialised = true) {
    arguments.push_back(LaunchArgument::buffer(
        name, data.data(), data.size() * sizeof(T), initialised));
  }
  void run(const Kernel &kernel) {
    std::string error;
    bool launched = simulate(kernel, arguments, options, chip(), report, error);
    EXPECT_TRUE(launched) << error;
  }
  template <typename Body> void runAiv(Body body) {
    run(*Kernel::fromFunctions(KernelType::AivOnly, {}, framed(body)));
  }
  template <typename Cube, typename Vector>
  void runMix(Cube cube, Vector vector) {
    run(*Kernel::fromFunctions(KernelType::Mix12, framed(cube),
                               framed(vector)));
  }
  size_t count(const std::string &kind) const {
    size_t result = 0;
    for (const Finding &finding : report.findings)
      result += finding.kind == kind;
    return result;
  }
  std::string messages() const {
    std::string text;
    for (const Finding &finding : report.findings)
      text += finding.kind + ": " + finding.message + "\n";
    return text;
  }
  bool says(const std::string &part) const {
    return messages().find(part) != std::string::npos;
  }
};

} // namespace tilelang::sim::test

#endif // TILELANG_UNITTESTS_SIM_ENGINETEST_H
