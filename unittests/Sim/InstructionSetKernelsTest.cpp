//===- InstructionSetKernelsTest.cpp - CPU levels agree -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The inner loops exist once per CPU level. The same program must give the same
// bytes on every machine, so all levels that this CPU can run are compared bit
// by bit on arbitrary bits.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Sim/InstructionSet/Kernels.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tilelang::sim;
using namespace ascsim;

namespace {

constexpr DataType kTypes[] = {DataType::F16, DataType::BF16, DataType::F32,
                               DataType::I8,  DataType::U8,   DataType::I16,
                               DataType::U16, DataType::I32,  DataType::U32,
                               DataType::I64, DataType::I4};

std::vector<const KernelTable *> tables() {
  unsigned count = 0;
  const KernelTable *const *all = runnableKernelTables(count);
  return std::vector<const KernelTable *>(all, all + count);
}

std::vector<uint8_t> randomBytes(size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> data(bytes);
  for (uint8_t &byte : data)
    byte = static_cast<uint8_t>(random());
  return data;
}

/// NaNs may differ in their bits where several operands are NaN.
bool equalValues(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b,
                 DataType type) {
  if (type != DataType::F16 && type != DataType::F32 && type != DataType::BF16)
    return a == b;
  size_t size = sizeOf(type);
  uint32_t infinity = type == DataType::F32   ? 0x7F800000u
                      : type == DataType::F16 ? 0x7C00u
                                              : 0x7F80u;
  for (size_t at = 0; at + size <= a.size(); at += size) {
    uint32_t x = 0, y = 0,
             magnitude = type == DataType::F32 ? 0x7FFFFFFFu : 0x7FFFu;
    std::memcpy(&x, &a[at], size);
    std::memcpy(&y, &b[at], size);
    if (x != y && !((x & magnitude) > infinity && (y & magnitude) > infinity))
      return false;
  }
  return true;
}

TEST(Kernels, VectorLoopsAgreeOnEveryLevel) {
  auto all = tables();
  constexpr size_t count = 1000;
  auto src0 = randomBytes(count * 8, 1), src1 = randomBytes(count * 8, 2),
       bits = randomBytes(count, 3);
  unsigned compared = 0;
  for (unsigned opcode = unsigned(Opcode::Unary);
       opcode <= unsigned(Opcode::VecIndex); ++opcode)
    for (unsigned function = 0; function <= unsigned(Function::NE); ++function)
      for (unsigned round = 0; round <= unsigned(RoundMode::Odd); ++round)
        for (DataType dst : kTypes)
          for (DataType source : kTypes) {
            if (Opcode(opcode) != Opcode::Cast && round != 0)
              continue;
            KernelKey key{Opcode(opcode),
                          Function(function),
                          RoundMode(round),
                          dst,
                          source,
                          false,
                          false};
            if ((Opcode(opcode) == Opcode::Cast ||
                 Opcode(opcode) == Opcode::Duplicate ||
                 Opcode(opcode) == Opcode::Select ||
                 Opcode(opcode) == Opcode::VecIndex) &&
                function != 0)
              continue;
            std::vector<std::vector<uint8_t>> results;
            for (const KernelTable *table : all) {
              VectorKernel kernel = table->vector(key);
              if (!kernel) {
                ASSERT_TRUE(results.empty());
                break;
              }
              std::vector<uint8_t> result(count * 8, 0x11);
              KernelArguments arguments{};
              arguments.dst = result.data();
              arguments.src0 = src0.data();
              arguments.src1 = src1.data();
              arguments.src2 = bits.data();
              arguments.scalar = 0x40003C0040003C00ul;
              arguments.count = count;
              arguments.deqScale = 0.25f;
              kernel(arguments);
              results.push_back(result);
            }
            for (size_t i = 1; i < results.size(); ++i) {
              ++compared;
              ASSERT_TRUE(equalValues(results[0], results[i], dst))
                  << all[0]->level << " and " << all[i]->level
                  << " differ: opcode " << opcode << " function " << function
                  << " round " << round << " types " << int(dst) << " "
                  << int(source);
            }
          }
  if (all.size() > 1)
    EXPECT_GT(compared, 100u);
}

TEST(Kernels, ReductionsAgreeOnEveryLevel) {
  auto all = tables();
  auto src = randomBytes(256, 4);
  std::vector<uint8_t> on(128);
  for (size_t i = 0; i < on.size(); ++i)
    on[i] = i % 3 != 0;
  for (DataType type : {DataType::F16, DataType::F32})
    for (unsigned function = unsigned(Function::WholeSum);
         function <= unsigned(Function::PairSum); ++function)
      for (const uint8_t *mask : {static_cast<const uint8_t *>(nullptr),
                                  static_cast<const uint8_t *>(on.data())}) {
        std::vector<std::vector<uint8_t>> results;
        std::vector<uint32_t> indices;
        for (const KernelTable *table : all) {
          std::vector<uint8_t> result(256);
          ReduceArguments arguments{src.data(), mask, 256u / sizeOf(type),
                                    result.data(), 0};
          table->reduce(Function(function), type)(arguments);
          results.push_back(result);
          indices.push_back(arguments.index);
        }
        for (size_t i = 1; i < results.size(); ++i) {
          ASSERT_TRUE(equalValues(results[0], results[i], type))
              << function << " " << all[i]->level;
          ASSERT_EQ(indices[0], indices[i]);
        }
      }
}

TEST(Kernels, ProductsAgreeOnEveryLevel) {
  auto all = tables();
  for (DataType type : {DataType::F16, DataType::BF16, DataType::F32,
                        DataType::I8, DataType::I4}) {
    uint32_t perRow = type == DataType::I4 ? 64 : 32 / sizeOf(type);
    uint32_t m = 37, n = 75, k = 3 * perRow - 5;
    std::mt19937 random(5);
    std::vector<uint8_t> a = randomBytes(3 * 3 * 512, 6),
                         b = randomBytes(3 * 5 * 512, 7);
    if (type != DataType::I8 && type != DataType::I4) { // moderate numbers
      for (auto *operand : {&a, &b})
        for (size_t at = 0; at < operand->size(); at += sizeOf(type)) {
          float value = float(int(random() % 2001) - 1000) / 256.0f;
          uint32_t word = __builtin_bit_cast(uint32_t, value);
          if (type == DataType::F16) {
            _Float16 half = static_cast<_Float16>(value);
            std::memcpy(&(*operand)[at], &half, 2);
          } else if (type == DataType::BF16)
            std::memcpy(&(*operand)[at], reinterpret_cast<char *>(&word) + 2,
                        2);
          else
            std::memcpy(&(*operand)[at], &word, 4);
        }
    }
    std::vector<std::vector<uint32_t>> results;
    for (const KernelTable *table : all) {
      std::vector<uint32_t> c(48 * 80, 0);
      std::vector<uint32_t> scratch(2 * 65536 + 32);
      auto *aligned = reinterpret_cast<uint32_t *>(
          (reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~uintptr_t(63));
      MmadArguments arguments{};
      arguments.a = a.data();
      arguments.b = b.data();
      arguments.c = c.data();
      arguments.m = m;
      arguments.n = n;
      arguments.k = k;
      arguments.aFractalsK = 3;
      arguments.type = type;
      arguments.scratchA = aligned;
      arguments.scratchB = aligned + 65536;
      table->mmad(arguments);
      results.push_back(c);
    }
    for (size_t i = 1; i < results.size(); ++i)
      ASSERT_EQ(results[0], results[i])
          << "type " << int(type) << " " << all[i]->level;
  }
}

} // namespace
