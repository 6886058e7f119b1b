//===- InstructionSetCubeTest.cpp - Numerics of Cube core instructions ----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Whole products through GM -> L1 -> L0 -> L0C -> GM, as the recipes for the
// four combinations of transposed operands prescribe, against plain loops.
//
//===----------------------------------------------------------------------===//

#include "InstructionSetTest.h"

#include <cmath>

using namespace tilelang::sim::test;
using namespace AscendC;
using ascsim::Memory;

namespace {

uint32_t roundUp(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

template <typename T> GlobalTensor<T> global(std::vector<T> &data) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(data.data(), data.size());
  return tensor;
}

/// [rows, columns] -> NZ in L1, rows rounded up to 16.
template <typename T>
void loadToL1(LocalTensor<T> dst, std::vector<T> &source, uint32_t rows,
              uint32_t columns) {
  DataCopy(dst, global(source),
           Nd2NzParams(1, uint16_t(rows), uint16_t(columns), 0,
                       uint16_t(columns), uint16_t(roundUp(rows, 16)), 1, 0));
}

template <typename T> struct Problem {
  uint32_t m, n, k;
  bool transposeA, transposeB; // stored [K, M], [N, K]
  std::vector<T> a, b;
  T atA(uint32_t i, uint32_t p) const {
    return transposeA ? a[p * m + i] : a[i * k + p];
  }
  T atB(uint32_t p, uint32_t j) const {
    return transposeB ? b[j * k + p] : b[p * n + j];
  }
};

template <typename T>
Problem<T> makeProblem(uint32_t m, uint32_t n, uint32_t k, bool ta, bool tb,
                       std::mt19937 &random) {
  Problem<T> problem{
      m, n, k, ta, tb, std::vector<T>(m * k), std::vector<T>(k * n)};
  std::uniform_real_distribution<float> value(-2.0f, 2.0f);
  for (T &x : problem.a)
    x = fromFloat<T>(value(random));
  for (T &x : problem.b)
    x = fromFloat<T>(value(random));
  return problem;
}

/// The recipe for 16- and 32-bit floats.
template <typename T>
void loadOperands(Problem<T> &p, LocalTensor<T> a2, LocalTensor<T> b2) {
  constexpr uint32_t c0 = 32 / sizeof(T);
  LocalTensor<T> a1(TPosition::A1, 0, 65536), b1(TPosition::B1, 262144, 65536);
  uint32_t m16 = roundUp(p.m, 16), n16 = roundUp(p.n, 16),
           k16 = roundUp(p.k, 16), kc = roundUp(p.k, c0);
  if (!p.transposeA) {
    loadToL1(a1, p.a, p.m, p.k);
    LoadData3DParamsV2<T> load;
    load.l1H = 1;
    load.l1W = uint16_t(m16);
    load.channelSize = uint16_t(kc);
    load.kExtension = uint16_t(kc);
    load.mExtension = uint16_t(m16);
    LoadData(a2, a1, load);
  } else {
    loadToL1(a1, p.a, p.k, p.m);
    LoadData3DParamsV2<T> load;
    load.l1H = 1;
    load.l1W = uint16_t(k16);
    load.channelSize = uint16_t(m16);
    load.kExtension = uint16_t(m16);
    load.mExtension = uint16_t(k16);
    load.enTranspose = true;
    LoadData(a2, a1, load);
  }
  if (!p.transposeB) {
    loadToL1(b1, p.b, p.k, p.n);
    LoadData3DParamsV2<T> load;
    load.l1H = 1;
    load.l1W = uint16_t(k16);
    load.channelSize = uint16_t(n16);
    load.kExtension = uint16_t(n16);
    load.mExtension = uint16_t(k16);
    LoadData(b2, b1, load);
  } else {
    // NZ of [N, K] is already Zn of [K, N]: fractal rows of K outer.
    loadToL1(b1, p.b, p.n, p.k);
    for (uint32_t k1 = 0; k1 < kc / c0; ++k1) {
      LoadData2DParams load;
      load.startIndex = uint16_t(k1 * n16 / 16);
      load.repeatTimes = uint8_t(n16 / 16);
      load.srcStride = 1;
      LoadData(b2[k1 * n16 * c0], b1, load);
    }
  }
}

template <typename T>
double multiplied(const Problem<T> &p, uint32_t i, uint32_t j) {
  double sum = 0;
  for (uint32_t q = 0; q < p.k; ++q)
    sum += double(toFloat(p.atA(i, q))) * double(toFloat(p.atB(q, j)));
  return sum;
}

template <typename T> class Product : public CubeCore {};
template <typename T> struct Of {
  using Type = T;
};
using Inputs = testing::Types<Of<half>, Of<bfloat16_t>, Of<float>>;
TYPED_TEST_SUITE(Product, Inputs);

TYPED_TEST(Product, AllTransposesAndOddSizes) {
  using T = typename TypeParam::Type;
  const uint32_t sizes[][3] = {{16, 16, 16},  {2, 15, 17},  {17, 31, 33},
                               {33, 16, 1},   {32, 48, 64}, {15, 2, 31},
                               {130, 70, 40}, {16, 1, 8}};
  for (const auto &size : sizes)
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        auto problem =
            makeProblem<T>(size[0], size[1], size[2], ta, tb, this->random);
        LocalTensor<T> a2(TPosition::A2, 0, 16384), b2(TPosition::B2, 0, 16384);
        LocalTensor<float> c(TPosition::CO1, 0, 32768);
        std::memset(this->machine.template at<char>(Memory::L1), 0, 524288);
        loadOperands(problem, a2, b2);
        MmadParams mmad;
        mmad.m = uint16_t(std::max(2u, problem.m));
        mmad.n = uint16_t(problem.n);
        mmad.k = uint16_t(problem.k);
        mmad.kDirectionAlign = sizeof(T) == 4 && ta;
        Mmad(c, a2, b2, mmad);
        std::vector<float> result(problem.m * problem.n, -1.0f);
        FixpipeParamsV220 fix;
        fix.nSize = uint16_t(problem.n);
        fix.mSize = uint16_t(problem.m);
        fix.srcStride = uint16_t(roundUp(problem.m, 16));
        fix.dstStride = problem.n;
        Fixpipe<float, float, CFG_ROW_MAJOR>(global(result), c, fix);
        for (uint32_t i = 0; i < problem.m; ++i)
          for (uint32_t j = 0; j < problem.n; ++j) {
            double expected = multiplied(problem, i, j);
            ASSERT_NEAR(result[i * problem.n + j], expected,
                        1e-5 * (problem.k + std::fabs(expected)))
                << size[0] << "x" << size[1] << "x" << size[2] << " transposed "
                << ta << tb << " at " << i << "," << j;
          }
        ASSERT_EQ(this->machine.messages(), "")
            << size[0] << "x" << size[1] << "x" << size[2] << ta << tb;
      }
}

TYPED_TEST(Product, AccumulatesOverKWithLoadsAtAnOffset) {
  using T = typename TypeParam::Type;
  // Two halves of K from one L1 tile: kStartPt and mStartPt select them.
  auto problem = makeProblem<T>(32, 48, 64, false, false, this->random);
  LocalTensor<T> a1(TPosition::A1, 0, 65536), b1(TPosition::B1, 262144, 65536);
  LocalTensor<T> a2(TPosition::A2, 1024, 16384), b2(TPosition::B2, 512, 16384);
  LocalTensor<float> c(TPosition::CO1, 2048, 32768);
  loadToL1(a1, problem.a, 32, 64);
  loadToL1(b1, problem.b, 64, 48);
  for (uint32_t part = 0; part < 2; ++part) {
    LoadData3DParamsV2<T> load;
    load.l1H = 1;
    load.l1W = 32;
    load.channelSize = 64;
    load.kExtension = 32;
    load.mExtension = 32;
    load.kStartPt = uint16_t(part * 32);
    LoadData(a2, a1, load);
    load.l1W = 64;
    load.channelSize = 48;
    load.kExtension = 48;
    load.mExtension = 32;
    load.kStartPt = 0;
    load.mStartPt = uint16_t(part * 32);
    LoadData(b2, b1, load);
    MmadParams mmad(32, 48, 32, uint8_t(0), false, part == 0);
    Mmad(c, a2, b2, mmad);
  }
  std::vector<half> result(32 * 50);
  FixpipeParamsV220 fix(48, 32, 32, 50, true);
  fix.quantPre = QuantMode_t::F322F16;
  Fixpipe<half, float>(global(result), c, fix);
  for (uint32_t i = 0; i < 32; ++i)
    for (uint32_t j = 0; j < 48; ++j)
      ASSERT_NEAR(toFloat(result[i * 50 + j]),
                  std::max(0.0, multiplied(problem, i, j)), 2e-2);
}

/// The order of additions is fixed: a chain of fused products per element.
TEST_F(CubeCore, SumsInOrderOfK) {
  auto problem = makeProblem<float>(40, 56, 72, false, true, random);
  LocalTensor<float> a2(TPosition::A2, 0, 16384), b2(TPosition::B2, 0, 16384),
      c(TPosition::CO1, 0, 32768);
  loadOperands(problem, a2, b2);
  MmadParams mmad(40, 56, 72, uint8_t(0), false, true);
  Mmad(c, a2, b2, mmad);
  auto *sums = machine.at<float>(Memory::L0C);
  for (uint32_t i = 0; i < 40; ++i)
    for (uint32_t j = 0; j < 56; ++j) {
      float sum = 0;
      for (uint32_t p = 0; p < 72; ++p)
        sum = std::fma(problem.atA(i, p), problem.atB(p, j), sum);
      ASSERT_EQ(sums[(j / 16) * 48 * 16 + i * 16 + j % 16], sum);
    }
}

TEST_F(CubeCore, BiasFromTheBiasTable) {
  auto problem = makeProblem<half>(20, 40, 32, false, false, random);
  LocalTensor<half> a2(TPosition::A2, 0, 16384), b2(TPosition::B2, 0, 16384);
  LocalTensor<float> c(TPosition::CO1, 0, 32768);
  loadOperands(problem, a2, b2);
  std::vector<float> bias(64);
  for (uint32_t j = 0; j < 64; ++j)
    bias[j] = float(j) * 10;
  LocalTensor<float> bias1(TPosition::C1, 131072, 64),
      bias2(TPosition::C2, 64, 64);
  DataCopy(bias1, global(bias), 64);
  DataCopy(bias2, bias1, DataCopyParams(1, 4, 0, 0)); // 4 x 64 bytes
  MmadParams mmad(20, 40, 32, uint8_t(0), true, false);
  Mmad(c, a2, b2, bias2, mmad);
  auto *sums = machine.at<float>(Memory::L0C);
  for (uint32_t i = 0; i < 20; ++i)
    for (uint32_t j = 0; j < 40; ++j)
      ASSERT_NEAR(sums[(j / 16) * 32 * 16 + i * 16 + j % 16],
                  multiplied(problem, i, j) + j * 10, 1e-3);
}

TEST_F(CubeCore, OneRowIsAVectorProduct) {
  // m = 1: A is read as a plain row of L0A.
  std::vector<half> row(40), matrix(40 * 32);
  for (uint32_t i = 0; i < 40; ++i)
    row[i] = half(float(i % 5) - 2), machine.at<half>(Memory::L0A)[i] = row[i];
  for (half &x : matrix)
    x = half(float(random() % 9) - 4);
  LocalTensor<half> b1(TPosition::B1, 0, 65536), a2(TPosition::A2, 0, 64),
      b2(TPosition::B2, 0, 16384);
  LocalTensor<float> c(TPosition::CO1, 0, 1024);
  std::memset(machine.at<char>(Memory::L1), 0, 65536);
  loadToL1(b1, matrix, 40, 32);
  LoadData3DParamsV2<half> load;
  load.l1H = 1;
  load.l1W = 48;
  load.channelSize = 32;
  load.kExtension = 32;
  load.mExtension = 48;
  LoadData(b2, b1, load);
  MmadParams mmad(1, 32, 40, uint8_t(0), false, true);
  Mmad(c, a2, b2, mmad);
  for (uint32_t j = 0; j < 32; ++j) {
    float sum = 0;
    for (uint32_t p = 0; p < 40; ++p)
      sum += toFloat(row[p]) * toFloat(matrix[p * 32 + j]);
    ASSERT_EQ(machine.at<float>(Memory::L0C)[(j / 16) * 256 + j % 16], sum);
  }
}

TEST_F(CubeCore, IntegerProductSaturatesAndQuantises) {
  constexpr uint32_t m = 32, n = 32, k = 64;
  std::vector<int8_t> a(m * k), b(n * k);
  for (int8_t &x : a)
    x = int8_t(random());
  for (int8_t &x : b)
    x = int8_t(random());
  LocalTensor<int8_t> a1(TPosition::A1, 0, 65536),
      b1(TPosition::B1, 65536, 65536);
  LocalTensor<int8_t> a2(TPosition::A2, 0, 16384), b2(TPosition::B2, 0, 16384);
  LocalTensor<int32_t> c(TPosition::CO1, 0, 1024);
  loadToL1(a1, a, m, k);
  loadToL1(b1, b, n, k);
  for (uint32_t m1 = 0; m1 < m / 16; ++m1) { // NZ -> Zz
    LoadData2DParams load;
    load.startIndex = uint16_t(m1);
    load.repeatTimes = k / 32;
    load.srcStride = m / 16;
    LoadData(a2[m1 * k * 16], a1, load);
  }
  LoadData2DParams load;
  load.repeatTimes = (k / 32) * (n / 16);
  load.srcStride = 1;
  LoadData(b2, b1, load);
  Mmad(c, a2, b2, MmadParams(m, n, k, uint8_t(0), false, true));
  std::vector<int32_t> result(m * n);
  FixpipeParamsV220 fix(n, m, m, n, false);
  Fixpipe<int32_t, int32_t>(global(result), c, fix);
  std::vector<int32_t> expected(m * n);
  for (uint32_t i = 0; i < m; ++i)
    for (uint32_t j = 0; j < n; ++j) {
      for (uint32_t p = 0; p < k; ++p)
        expected[i * n + j] += int32_t(a[i * k + p]) * b[j * k + p];
      ASSERT_EQ(result[i * n + j], expected[i * n + j]);
    }
  std::vector<half> halves(m * n);
  fix.quantPre = QuantMode_t::DEQF16;
  fix.deqScalar = __builtin_bit_cast(uint32_t, 0.125f);
  Fixpipe<half, int32_t>(global(halves), c, fix);
  for (uint32_t i = 0; i < m * n; ++i)
    ASSERT_TRUE(sameValue(halves[i], half(float(expected[i]) * 0.125f)));
  std::vector<int8_t> bytes(m * n);
  fix.quantPre = QuantMode_t::REQ8;
  fix.deqScalar = uint64_t(__builtin_bit_cast(uint32_t, 0.0078125f)) |
                  uint64_t(3) << 37 | uint64_t(1) << 46;
  Fixpipe<int8_t, int32_t>(global(bytes), c, fix);
  for (uint32_t i = 0; i < m * n; ++i)
    ASSERT_EQ(
        bytes[i],
        int8_t(std::min(
            127.0, std::max(-128.0, std::nearbyint(expected[i] / 128.0) + 3))));
  machine.at<int32_t>(Memory::L0C)[0] = INT32_MAX - 1;
  for (uint32_t p = 0; p < k; ++p) // row 0 and column 0 all positive
    machine.at<int8_t>(
        Memory::L0A)[(p / 32) * 512 + p % 32] = 100,
                                          machine.at<int8_t>(
                                              Memory::L0B)[(p / 32) * 1024 +
                                                           p % 32] = 100;
  Mmad(c, a2, b2, MmadParams(m, n, k, uint8_t(0), false, false));
  EXPECT_EQ(machine.at<int32_t>(Memory::L0C)[0], INT32_MAX);
}

TEST_F(CubeCore, EightBitOperandsTransposeInSquares) {
  // A stored [K, M]: squares of 32 x 32.
  constexpr uint32_t m = 64, k = 32;
  std::vector<int8_t> a(k * m);
  for (int8_t &x : a)
    x = int8_t(random());
  LocalTensor<int8_t> a1(TPosition::A1, 0, 65536), a2(TPosition::A2, 0, 16384);
  loadToL1(a1, a, k, m);
  // NZ of [K, M]: column groups of 32 M, each with K/16 fractals below each
  // other.
  LoadData2dTransposeParams load;
  load.repeatTimes = m / 32;
  load.srcStride = 1;
  load.dstGap = 1; // the two fractals of a square: rows of M
  load.dstFracGap = 0;
  LoadDataWithTranspose(a2, a1, load);
  auto *zz = machine.at<int8_t>(Memory::L0A);
  for (uint32_t i = 0; i < m; ++i)
    for (uint32_t p = 0; p < k; ++p)
      ASSERT_EQ(zz[(i / 16) * 512 + (i % 16) * 32 + p], a[p * m + i]);
}

TEST_F(CubeCore, ThirtyTwoBitOperandsTransposeInSquares) {
  // Zz in L1: a square is two fractals beside each other.
  std::vector<float> square(256);
  for (uint32_t i = 0; i < 256; ++i)
    machine.at<float>(Memory::L1)[(i % 16) / 8 * 128 + (i / 16) * 8 + i % 8] =
        float(i);
  LocalTensor<float> a1(TPosition::A1, 0, 256), a2(TPosition::A2, 0, 256);
  LoadData2dTransposeParams load;
  load.repeatTimes = 1;
  load.srcStride = 1;
  LoadDataWithTranspose(a2, a1, load);
  for (uint32_t r = 0; r < 16; ++r)
    for (uint32_t c = 0; c < 16; ++c)
      ASSERT_EQ(machine.at<float>(Memory::L0A)[c / 8 * 128 + r * 8 + c % 8],
                float(c * 16 + r));
}

TEST_F(CubeCore, Load2DTransposes) {
  for (uint32_t i = 0; i < 512; ++i)
    machine.at<half>(Memory::L1)[i] = half(float(i));
  LocalTensor<half> a1(TPosition::A1, 0, 512), a2(TPosition::A2, 0, 1024);
  LoadData2DParams load;
  load.repeatTimes = 2;
  load.srcStride = 1;
  load.dstGap = 1;
  load.ifTranspose = true;
  LoadData(a2, a1, load);
  for (uint32_t f = 0; f < 2; ++f)
    for (uint32_t r = 0; r < 16; ++r)
      for (uint32_t c = 0; c < 16; ++c)
        ASSERT_EQ(toFloat(machine.at<half>(Memory::L0A)[f * 512 + r * 16 + c]),
                  float(f * 256 + c * 16 + r));
}

TEST_F(CubeCore, ImageToColumn) {
  // 5 x 6 image, 32 channels, 3 x 3 filter, stride 2, padding 1, dilation 1.
  constexpr uint32_t H = 5, W = 6, C = 32;
  for (uint32_t i = 0; i < H * W * C; ++i)
    machine.at<half>(Memory::L1)[i] = half(float(i % 997));
  LocalTensor<half> a1(TPosition::A1, 0, H * W * C),
      a2(TPosition::A2, 0, 16384);
  LoadData3DParamsV2<half> load;
  load.padList[0] = load.padList[1] = load.padList[2] = load.padList[3] = 1;
  load.l1H = H;
  load.l1W = W;
  load.channelSize = C;
  load.strideW = load.strideH = 2;
  load.filterW = load.filterH = 3;
  load.kExtension = C * 9;
  load.mExtension = 16;
  load.padValue = half(-3.0f);
  LoadData(a2, a1, load);
  constexpr uint32_t Ho = 3, Wo = 3;
  for (uint32_t row = 0; row < Ho * Wo; ++row)
    for (uint32_t column = 0; column < C * 9; ++column) {
      uint32_t c1 = column / 16 / 9, position = column / 16 % 9;
      int y = int(row / Wo) * 2 - 1 + int(position / 3),
          x = int(row % Wo) * 2 - 1 + int(position % 3);
      bool inside = y >= 0 && x >= 0 && y < int(H) && x < int(W);
      float expected =
          inside ? float(((c1 * H + y) * W + x) * 16 + column % 16) : -3.0f;
      if (inside)
        expected = float((((c1 * H + y) * W + x) * 16 + column % 16) % 997);
      uint32_t fractal = (row / 16) * (C * 9 / 16) + column / 16;
      ASSERT_EQ(toFloat(machine.at<half>(
                    Memory::L0A)[fractal * 256 + row % 16 * 16 + column % 16]),
                expected)
          << row << "," << column;
    }
}

TEST_F(CubeCore, FixpipeToL1KeepsFractalsAndRounds) {
  for (uint32_t i = 0; i < 32 * 48; ++i)
    machine.at<float>(Memory::L0C)[i] = 1.0f + float(i) / 4096;
  LocalTensor<float> c(TPosition::CO1, 0, 32 * 48);
  LocalTensor<half> l1(TPosition::A1, 4096, 32 * 48);
  FixpipeParamsV220 fix(48, 20, 32, 32, false);
  fix.quantPre = QuantMode_t::F322F16;
  Fixpipe<half, float, CFG_NZ>(l1, c, fix);
  for (uint32_t group = 0; group < 3; ++group)
    for (uint32_t row = 0; row < 20; ++row)
      for (uint32_t j = 0; j < 16; ++j)
        ASSERT_TRUE(sameValue(
            machine.at<half>(Memory::L1, 4096)[group * 512 + row * 16 + j],
            half(1.0f + float(group * 512 + row * 16 + j) / 4096)));
}

TEST_F(CubeCore, FixpipeRoundsToEvenOverflowsByMode) {
  float values[16] = {1.00048828125f, 1.0009765f, 65519.0f,
                      65520.0f,       -1e30f,     1.00390625f};
  std::copy(values, values + 16, machine.at<float>(Memory::L0C));
  LocalTensor<float> c(TPosition::CO1, 0, 256);
  std::vector<half> halves(16);
  std::vector<bfloat16_t> floats(16);
  FixpipeParamsV220 fix(16, 1, 16, 16, false);
  fix.quantPre = QuantMode_t::F322F16;
  Fixpipe<half, float>(global(halves), c, fix);
  EXPECT_EQ(toFloat(halves[0]), 1.0f);
  EXPECT_EQ(toFloat(halves[2]), 65504.0f);
  EXPECT_TRUE(std::isinf(toFloat(halves[3])));
  fix.quantPre = QuantMode_t::F322BF16;
  Fixpipe<bfloat16_t, float>(global(floats), c, fix);
  EXPECT_EQ(toFloat(floats[5]), 1.0f);
  SetCtrlSpr<48, 48>(0);
  fix.quantPre = QuantMode_t::F322F16;
  Fixpipe<half, float>(global(halves), c, fix);
  EXPECT_EQ(toFloat(halves[3]), 65504.0f);
  EXPECT_EQ(toFloat(halves[4]), -65504.0f);
}

TEST_F(CubeCore, AtomicFixpipeAdds) {
  for (uint32_t i = 0; i < 256; ++i)
    machine.at<float>(Memory::L0C)[i] = float(i);
  LocalTensor<float> c(TPosition::CO1, 0, 256);
  std::vector<float> result(16 * 16, 100.0f);
  FixpipeParamsV220 fix(16, 16, 16, 16, false);
  SetAtomicAdd<float>();
  Fixpipe<float, float>(global(result), c, fix);
  SetAtomicMax<float>();
  Fixpipe<float, float>(global(result), c, fix);
  SetAtomicNone();
  for (uint32_t i = 0; i < 256; ++i)
    ASSERT_EQ(result[i], 100.0f + i);
}

TEST_F(CubeCore, FillWritesBlocks) {
  LocalTensor<half> a2(TPosition::A2, 0, 1024);
  Fill(a2, InitConstValueParams<half>(2, 1, 1, half(2.0f)));
  EXPECT_EQ(toFloat(machine.at<half>(Memory::L0A)[0]), 2.0f);
  EXPECT_EQ(toFloat(machine.at<half>(Memory::L0A)[255]), 2.0f);
  EXPECT_NE(toFloat(machine.at<half>(Memory::L0A)[256]), 2.0f);
  EXPECT_EQ(toFloat(machine.at<half>(Memory::L0A)[512]), 2.0f);
}

TEST_F(CubeCore, HalvedPrecisionInputsOnRequest) {
  machine.at<float>(Memory::L0A)[0] = 1.0f + 1.0f / 4096; // 12 bits of fraction
  LocalTensor<float> a2(TPosition::A2, 0, 128), b2(TPosition::B2, 0, 128),
      c(TPosition::CO1, 0, 256);
  for (uint32_t i = 0; i < 128; ++i)
    machine.at<float>(Memory::L0B)[i] = 1.0f;
  machine.at<float>(Memory::L0A)[8] = 0.0f;
  Mmad(c, a2, b2, MmadParams(2, 16, 1, uint8_t(0), false, true));
  EXPECT_EQ(machine.at<float>(Memory::L0C)[0], 1.0f + 1.0f / 4096);
  SetHF32Mode(true);
  Mmad(c, a2, b2, MmadParams(2, 16, 1, uint8_t(0), false, true));
  EXPECT_EQ(machine.at<float>(Memory::L0C)[0], 1.0f);
  SetHF32Mode(false);
}

} // namespace
