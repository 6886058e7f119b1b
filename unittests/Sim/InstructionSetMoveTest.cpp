//===- InstructionSetMoveTest.cpp - Copies --------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "InstructionSetTest.h"

using namespace tilelang::sim::test;
using namespace AscendC;
using ascsim::Memory;

namespace {

template <typename T> GlobalTensor<T> global(std::vector<T> &data) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(data.data(), data.size());
  return tensor;
}
template <typename T> LocalTensor<T> ubTensor(uint32_t byte) {
  return LocalTensor<T>(TPosition::VECCALC, byte, 4096);
}

TEST_F(VectorCore, BlockCopiesWithGaps) {
  std::vector<float> source(512), target(512, -1.0f);
  for (uint32_t i = 0; i < 512; ++i)
    source[i] = float(i);
  DataCopy(ubTensor<float>(0), global(source), DataCopyParams(4, 2, 3, 1));
  for (uint32_t block = 0; block < 4; ++block)
    for (uint32_t i = 0; i < 16; ++i)
      ASSERT_EQ(machine.ub<float>()[block * 24 + i], float(block * 40 + i));
  DataCopy(global(target), ubTensor<float>(0), DataCopyParams(4, 2, 1, 2));
  for (uint32_t block = 0; block < 4; ++block)
    for (uint32_t i = 0; i < 32; ++i)
      ASSERT_EQ(target[block * 32 + i], i < 16 ? float(block * 40 + i) : -1.0f);
  // A count that is no multiple of 32 bytes rounds down.
  DataCopy(ubTensor<float>(8192), global(source), 20);
  EXPECT_EQ(machine.accesses[1].blockBytes, 64u);
  DataCopy(ubTensor<float>(16384), ubTensor<float>(0),
           DataCopyParams(2, 1, 2, 1));
  for (uint32_t i = 0; i < 8; ++i) {
    ASSERT_EQ(machine.ub<float>(16384)[i], float(i));
    ASSERT_EQ(machine.ub<float>(16384)[16 + i], float(40 + i));
  }
}

TEST_F(VectorCore, PaddedLoadFillsToTheBlock) {
  std::vector<half> source(200);
  for (uint32_t i = 0; i < 200; ++i)
    source[i] = half(float(i));
  // No padding asked for: the rest of the block repeats its first element.
  DataCopyPad(ubTensor<half>(0), global(source),
              DataCopyExtParams(3, 14, 26, 1, 0),
              DataCopyPadExtParams<half>(false, 0, 0, half(0.0f)));
  for (uint32_t block = 0; block < 3; ++block)
    for (uint32_t i = 0; i < 16; ++i)
      ASSERT_EQ(toFloat(machine.ub<half>()[block * 32 + i]),
                float(block * 20 + (i < 7 ? i : 0)));
  // A value on both sides.
  DataCopyPad(ubTensor<half>(4096), global(source),
              DataCopyExtParams(2, 10, 6, 0, 0),
              DataCopyPadExtParams<half>(true, 2, 3, half(-9.0f)));
  for (uint32_t block = 0; block < 2; ++block)
    for (uint32_t i = 0; i < 16; ++i)
      ASSERT_EQ(toFloat(machine.ub<half>(4096)[block * 16 + i]),
                i >= 2 && i < 7 ? float(block * 8 + i - 2) : -9.0f);
  // Stores write no byte more than asked.
  std::vector<half> target(64, half(-1.0f));
  DataCopyPad(global(target), ubTensor<half>(0),
              DataCopyExtParams(3, 6, 1, 4, 0));
  for (uint32_t block = 0; block < 3; ++block)
    for (uint32_t i = 0; i < 5; ++i)
      ASSERT_EQ(toFloat(target[block * 5 + i]),
                i < 3 ? float(block * 20 + i) : -1.0f);
  DataCopyPad(global(target), ubTensor<half>(0),
              DataCopyExtParams(0, 6, 0, 0, 0));
  EXPECT_TRUE(machine.accesses.empty());
}

TEST_F(VectorCore, AtomicStoresOfEveryType) {
  auto check = [&](auto sample) {
    using T = decltype(sample);
    std::vector<T> target(64, fromFloat<T>(5.0f));
    for (uint32_t i = 0; i < 64; ++i)
      machine.ub<T>()[i] = fromFloat<T>(float(i % 11));
    auto stored = [&] { DataCopy(global(target), ubTensor<T>(0), 64); };
    SetAtomicAdd<T>();
    stored();
    for (uint32_t i = 0; i < 64; ++i)
      ASSERT_EQ(float(target[i]), 5.0f + i % 11);
    std::fill(target.begin(), target.end(), fromFloat<T>(5.0f));
    SetAtomicMax<T>();
    stored();
    for (uint32_t i = 0; i < 64; ++i)
      ASSERT_EQ(float(target[i]), std::max(5.0f, float(i % 11)));
    std::fill(target.begin(), target.end(), fromFloat<T>(5.0f));
    SetAtomicMin<T>();
    stored();
    for (uint32_t i = 0; i < 64; ++i)
      ASSERT_EQ(float(target[i]), std::min(5.0f, float(i % 11)));
    SetAtomicNone();
    stored();
    ASSERT_EQ(float(target[7]), 7.0f);
    ASSERT_EQ(machine.accesses[1].kind, tilelang::sim::AccessKind::Write);
  };
  check(float());
  check(half());
  check(bfloat16_t());
  check(int32_t());
  check(int16_t());
  check(int8_t());
}

TEST_F(CubeCore, Nd2NzPadsTheLastColumnGroup) {
  std::vector<half> source(2 * 20 * 50);
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = half(float(i % 2000));
  LocalTensor<half> l1(TPosition::A1, 64, 4096);
  // Two matrices of 18 x 37 out of rows of 50; row stride 2 blocks in L1.
  DataCopy(l1, global(source), Nd2NzParams(2, 18, 37, 1000, 50, 40, 2, 2048));
  for (uint32_t matrix = 0; matrix < 2; ++matrix)
    for (uint32_t row = 0; row < 18; ++row)
      for (uint32_t column = 0; column < 48; ++column) {
        float expected = column < 37
                             ? float((matrix * 1000 + row * 50 + column) % 2000)
                             : 0.0f;
        ASSERT_EQ(toFloat(machine.at<half>(
                      Memory::L1, 64)[matrix * 2048 + (column / 16) * 640 +
                                      row * 32 + column % 16]),
                  expected);
      }
}

TEST_F(CubeCore, LoadFromGlobalFractals) {
  std::vector<half> source(256 * 6);
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = half(float(i));
  LocalTensor<half> a2(TPosition::A2, 0, 4096);
  LoadData2DParams load;
  load.startIndex = 1;
  load.repeatTimes = 2;
  load.srcStride = 3;
  LoadData(a2, global(source), load);
  EXPECT_EQ(toFloat(machine.at<half>(Memory::L0A)[0]), 256.0f);
  EXPECT_EQ(toFloat(machine.at<half>(Memory::L0A)[256]), 1024.0f);
}

TEST_F(VectorCore, ScalarAccess) {
  ubTensor<half>(0).SetValue(3, half(1.5f));
  EXPECT_EQ(toFloat(ubTensor<half>(0).GetValue(3)), 1.5f);
  std::vector<int32_t> data(4);
  global(data).SetValue(2, -7);
  EXPECT_EQ(data[2], -7);
  EXPECT_EQ(global(data).GetValue(2), -7);
}

TEST(Tensors, ViewsKeepAddressAndSize) {
  LocalTensor<float> tensor(TPosition::VECCALC, 256, 100);
  EXPECT_EQ(tensor[10].GetPhyAddr(), 296u);
  EXPECT_EQ(tensor[10].GetSize(), 90u);
  EXPECT_EQ(tensor.ReinterpretCast<half>().GetSize(), 200u);
  EXPECT_EQ(tensor.ReinterpretCast<half>()[1].GetPhyAddr(), 258u);
  LocalTensor<half> other;
  other.SetAddrWithOffset(tensor, 4);
  EXPECT_EQ(other.GetPhyAddr(), 272u);
}

} // namespace
