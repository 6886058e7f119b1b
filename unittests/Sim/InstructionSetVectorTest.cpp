//===- InstructionSetVectorTest.cpp - Numerics of vector instructions -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "InstructionSetTest.h"

#include <cmath>
#include <limits>

using namespace tilelang::sim::test;
using namespace AscendC;
using ascsim::Memory;
using ascsim::Register;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

template <typename T>
LocalTensor<T> tensor(uint32_t byte, uint32_t elements = 1024) {
  return LocalTensor<T>(TPosition::VECCALC, byte, elements);
}

/// Values of all kinds; special ones first.
template <typename T> void fill(T *data, uint32_t count, std::mt19937 &random) {
  static const float specials[] = {
      0.0f,   -0.0f,    1.0f,      -1.0f,  kInf,    -kInf, kNaN, 6e-8f,
      -6e-8f, 65504.0f, -65504.0f, 1e-40f, 3.4e38f, 0.5f,  2.5f, -2.5f};
  std::uniform_real_distribution<float> value(-100.0f, 100.0f);
  for (uint32_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>)
      data[i] = static_cast<T>(random());
    else
      data[i] = fromFloat<T>(i < 16   ? specials[(i * 7) % 16]
                             : i < 32 ? specials[i % 16]
                                      : value(random));
  }
}

/// The run-time library has no type information of half itself.
template <typename T> struct Of {
  using Type = T;
};

template <typename T> class VectorOf : public VectorCore {};
using Numbers = testing::Types<Of<half>, Of<float>, Of<int16_t>, Of<int32_t>>;
TYPED_TEST_SUITE(VectorOf, Numbers);

template <typename T, typename Op> T reference(T a, T b, Op op) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(op(static_cast<int64_t>(a), static_cast<int64_t>(b)));
  else
    return fromFloat<T>(op(toFloat(a), toFloat(b)));
}

template <typename T> T referenceMax(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return a > b ? a : b;
  else {
    float x = toFloat(a), y = toFloat(b);
    if (x != x || y != y)
      return fromFloat<T>(kNaN);
    return fromFloat<T>(x == y ? (std::signbit(x) ? y : x) : std::fmax(x, y));
  }
}

TYPED_TEST(VectorOf, BinaryCountForm) {
  using T = typename TypeParam::Type;
  for (uint32_t count : {1u, 7u, 64u, 128u, 300u, 1000u}) {
    T *a = this->machine.template ub<T>(0),
      *b = this->machine.template ub<T>(8192);
    T *c = this->machine.template ub<T>(16384);
    fill(a, count, this->random);
    fill(b, count, this->random);
    std::shuffle(b, b + count, this->random);
    auto check = [&](auto expected, const char *name) {
      for (uint32_t i = 0; i < count; ++i)
        ASSERT_TRUE(sameValue(c[i], expected(a[i], b[i])))
            << name << " of element " << i << ": " << double(c[i]) << " from "
            << double(a[i]) << ", " << double(b[i]);
    };
    auto dst = tensor<T>(16384), x = tensor<T>(0), y = tensor<T>(8192);
    Add(dst, x, y, count);
    check(
        [](T p, T q) {
          return reference(p, q, [](auto u, auto v) { return u + v; });
        },
        "Add");
    Sub(dst, x, y, count);
    check(
        [](T p, T q) {
          return reference(p, q, [](auto u, auto v) { return u - v; });
        },
        "Sub");
    Mul(dst, x, y, count);
    check(
        [](T p, T q) {
          if constexpr (std::is_integral_v<T>)
            return static_cast<T>(uint64_t(int64_t(p)) * uint64_t(int64_t(q)));
          else
            return reference(p, q, [](auto u, auto v) { return u * v; });
        },
        "Mul");
    Max(dst, x, y, count);
    check([](T p, T q) { return referenceMax(p, q); }, "Max");
    Min(dst, x, y, count);
    check(
        [](T p, T q) {
          if constexpr (std::is_integral_v<T>)
            return p < q ? p : q;
          else
            return static_cast<T>(
                -referenceMax<T>(static_cast<T>(-p), static_cast<T>(-q)));
        },
        "Min");
    T scalar = b[count / 2];
    Adds(dst, x, scalar, count);
    check(
        [&](T p, T) {
          return reference(p, scalar, [](auto u, auto v) { return u + v; });
        },
        "Adds");
    Maxs(dst, x, scalar, count);
    check([&](T p, T) { return referenceMax(p, scalar); }, "Maxs");
  }
}

TYPED_TEST(VectorOf, RepeatFormWithStridesAndMask) {
  using T = typename TypeParam::Type;
  constexpr uint32_t perBlock = 32 / sizeof(T), lanes = 256 / sizeof(T);
  T *a = this->machine.template ub<T>(0),
    *b = this->machine.template ub<T>(65536);
  T *c = this->machine.template ub<T>(131072);
  fill(a, 16384 / sizeof(T), this->random);
  fill(b, 16384 / sizeof(T), this->random);
  std::memset(static_cast<void *>(c), 0, 16384);
  BinaryRepeatParams params(2, 1, 0, 17, 9, 1);
  uint64_t mask[2] = {0xF0F3'8001'7FFF'0123ul,
                      lanes > 64 ? 0x8000'0000'0000'00FFul : 0ul};
  Add(tensor<T>(131072), tensor<T>(0), tensor<T>(65536), mask, 3, params);
  for (uint32_t r = 0; r < 3; ++r)
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      uint32_t block = lane / perBlock, in = lane % perBlock;
      T result = c[(r * 17 + block * 2) * perBlock + in];
      bool on = mask[lane / 64] >> (lane % 64) & 1;
      T expected = on ? reference(a[(r * 9 + block) * perBlock + in],
                                  b[r * perBlock + in],
                                  [](auto u, auto v) { return u + v; })
                      : T(0);
      ASSERT_TRUE(sameValue(result, expected))
          << "repeat " << r << " lane " << lane;
    }
}

TYPED_TEST(VectorOf, InPlaceAndRunningAccumulation) {
  using T = typename TypeParam::Type;
  constexpr uint32_t lanes = 256 / sizeof(T);
  T *a = this->machine.template ub<T>(0),
    *sum = this->machine.template ub<T>(8192);
  for (uint32_t i = 0; i < lanes * 4; ++i)
    a[i] = T(i % 7);
  for (uint32_t i = 0; i < lanes; ++i)
    sum[i] = T(1);
  Add(tensor<T>(0), tensor<T>(0), tensor<T>(0), lanes * 4);
  for (uint32_t i = 0; i < lanes * 4; ++i)
    ASSERT_EQ(a[i], T(i % 7 * 2));
  if constexpr (!std::is_same_v<T, int16_t>) {
    BinaryRepeatParams params(1, 1, 1, 0, 8, 0);
    Add(tensor<T>(8192), tensor<T>(0), tensor<T>(8192), uint64_t(lanes), 4,
        params);
    for (uint32_t i = 0; i < lanes; ++i) {
      int expected = 1;
      for (uint32_t r = 0; r < 4; ++r)
        expected += int((r * lanes + i) % 7 * 2);
      ASSERT_EQ(sum[i], T(expected));
    }
  }
}

template <typename T> class FloatsOf : public VectorCore {};
using Floats = testing::Types<Of<half>, Of<float>>;
TYPED_TEST_SUITE(FloatsOf, Floats);

template <typename T> double ulpDistance(T value, double exact) {
  float nearest = toFloat(value);
  if (std::isnan(exact))
    return std::isnan(nearest) ? 0 : 1e9;
  if (std::isinf(nearest) || std::isinf(exact)) {
    float limit = sizeof(T) == 2 ? 65504.0f : std::numeric_limits<float>::max();
    return double(nearest) == exact ||
                   (std::isinf(nearest) && std::fabs(exact) >= limit)
               ? 0
               : 1e9;
  }
  int exponent = exact == 0 ? -200 : std::ilogb(exact);
  int smallest = sizeof(T) == 2 ? -24 : -149,
      fraction = sizeof(T) == 2 ? 10 : 23;
  double ulp = std::ldexp(1.0, std::max(exponent - fraction, smallest));
  return std::fabs(double(nearest) - exact) / ulp;
}

TYPED_TEST(FloatsOf, ElementaryFunctions) {
  using T = typename TypeParam::Type;
  constexpr uint32_t count = 4096;
  T *a = this->machine.template ub<T>(0),
    *c = this->machine.template ub<T>(32768);
  fill(a, count, this->random);
  for (uint32_t i = count / 2; i < count; ++i) // any bits at all
    if constexpr (sizeof(T) == 2)
      a[i] = __builtin_bit_cast(half, uint16_t(this->random()));
    else
      a[i] = __builtin_bit_cast(float, uint32_t(this->random()));
  auto worst = [&](auto exact) {
    double most = 0;
    for (uint32_t i = 0; i < count; ++i) {
      double distance = ulpDistance(c[i], exact(double(toFloat(a[i]))));
      if (distance > 1.0 && most <= 1.0) {
        ADD_FAILURE() << "argument " << toFloat(a[i]) << " gives "
                      << toFloat(c[i]) << ", exact "
                      << exact(double(toFloat(a[i])));
      }
      most = std::max(most, distance);
    }
    return most;
  };
  auto dst = tensor<T>(32768), x = tensor<T>(0);
  Exp(dst, x, count);
  EXPECT_LE(worst([](double v) { return std::exp(v); }), 0.51);
  Ln(dst, x, count);
  EXPECT_LE(worst([](double v) { return std::log(v); }), 0.51);
  Sqrt(dst, x, count);
  EXPECT_LE(worst([](double v) { return std::sqrt(v); }), 0.5001);
  Div(dst, x, tensor<T>(128), count - 128);
  for (uint32_t i = 0; i < count - 128; ++i)
    ASSERT_TRUE(sameValue(
        c[i], fromFloat<T>(toFloat(a[i]) / toFloat(a[i + 128 / sizeof(T)]))));
  Abs(dst, x, count);
  for (uint32_t i = 0; i < count; ++i)
    ASSERT_TRUE(sameValue(c[i], fromFloat<T>(std::fabs(toFloat(a[i])))));
  Relu(dst, x, count);
  for (uint32_t i = 0; i < count; ++i) {
    float v = toFloat(a[i]);
    ASSERT_TRUE(sameValue(c[i], fromFloat<T>(v > 0 || v != v ? v : 0.0f)));
  }
  LeakyRelu(dst, x, fromFloat<T>(0.25f), count);
  for (uint32_t i = 0; i < count; ++i) {
    float v = toFloat(a[i]);
    ASSERT_TRUE(sameValue(c[i], fromFloat<T>(v > 0 ? v : v * 0.25f)));
  }
}

TYPED_TEST(FloatsOf, ReciprocalsAreInexactAsDocumented) {
  using T = typename TypeParam::Type;
  T *a = this->machine.template ub<T>(0),
    *c = this->machine.template ub<T>(8192);
  for (uint32_t i = 0; i < 512; ++i)
    a[i] = fromFloat<T>(1.0f + float(i) / 512);
  double tolerance = sizeof(T) == 2 ? 2e-3 : 1e-4, worst = 0;
  Reciprocal(tensor<T>(8192), tensor<T>(0), 512);
  for (uint32_t i = 0; i < 512; ++i)
    worst =
        std::max(worst, std::fabs(double(toFloat(c[i])) * toFloat(a[i]) - 1.0));
  EXPECT_GT(worst, tolerance);
  EXPECT_LT(worst, tolerance * 10);
  EXPECT_EQ(toFloat(c[0]), 1.0f);
  Rsqrt(tensor<T>(8192), tensor<T>(0), 512);
  worst = 0;
  for (uint32_t i = 0; i < 512; ++i)
    worst = std::max(worst, std::fabs(double(toFloat(c[i])) *
                                          std::sqrt(double(toFloat(a[i]))) -
                                      1.0));
  EXPECT_GT(worst, tolerance);
  EXPECT_LT(worst, tolerance * 10);
  a[0] = fromFloat<T>(0.0f);
  a[1] = fromFloat<T>(-0.0f);
  a[2] = fromFloat<T>(-1.0f);
  Rsqrt(tensor<T>(8192), tensor<T>(0), 16);
  EXPECT_EQ(toFloat(c[0]), kInf);
  EXPECT_EQ(toFloat(c[1]), -kInf);
  EXPECT_TRUE(std::isnan(toFloat(c[2])));
}

TYPED_TEST(FloatsOf, MultiplyAdd) {
  using T = typename TypeParam::Type;
  T *a = this->machine.template ub<T>(0),
    *b = this->machine.template ub<T>(8192);
  T *c = this->machine.template ub<T>(16384);
  fill(a, 200, this->random);
  fill(b, 200, this->random);
  auto start = [&] {
    for (uint32_t i = 0; i < 200; ++i)
      c[i] = fromFloat<T>(float(i) - 90.0f);
  };
  auto check = [&](auto expected) {
    for (uint32_t i = 0; i < 200; ++i)
      ASSERT_TRUE(
          sameValue(c[i], fromFloat<T>(expected(toFloat(a[i]), toFloat(b[i]),
                                                float(i) - 90.0f))))
          << i;
  };
  start();
  MulAddDst(tensor<T>(16384), tensor<T>(0), tensor<T>(8192), 200);
  check([](float x, float y, float z) { return std::fma(x, y, z); });
  start();
  FusedMulAdd(tensor<T>(16384), tensor<T>(0), tensor<T>(8192), 200);
  check([](float x, float y, float z) { return std::fma(x, z, y); });
  start();
  Axpy(tensor<T>(16384), tensor<T>(0), fromFloat<T>(1.5f), 200);
  check([](float x, float, float z) { return std::fma(x, 1.5f, z); });
}

TYPED_TEST(FloatsOf, CompareAndSelect) {
  using T = typename TypeParam::Type;
  constexpr uint32_t lanes = 256 / sizeof(T), count = lanes * 3;
  T *a = this->machine.template ub<T>(0),
    *b = this->machine.template ub<T>(8192);
  T *c = this->machine.template ub<T>(20480);
  uint8_t *bits = this->machine.template ub<uint8_t>(16384);
  fill(a, count, this->random);
  fill(b, count, this->random);
  for (uint32_t i = 40; i < 80; ++i)
    b[i] = a[i];
  auto x = tensor<T>(0), y = tensor<T>(8192);
  auto mask = tensor<uint8_t>(16384);
  auto check = [&](auto expected, bool scalar) {
    for (uint32_t i = 0; i < count; ++i)
      ASSERT_EQ(bits[i / 8] >> (i % 8) & 1,
                expected(toFloat(a[i]), scalar ? 2.5f : toFloat(b[i])))
          << i;
  };
  auto unordered = [](float p, float q) { return p != p || q != q; };
  for (bool scalar : {false, true}) {
    auto run = [&](CMPMODE mode) {
      if (scalar)
        Compares(mask, x, fromFloat<T>(2.5f), mode, count);
      else
        Compare(mask, x, y, mode, count);
    };
    run(CMPMODE::LT);
    check([](float p, float q) { return p < q; }, scalar);
    run(CMPMODE::GT);
    check([](float p, float q) { return p > q; }, scalar);
    run(CMPMODE::EQ);
    check([](float p, float q) { return p == q; }, scalar);
    run(CMPMODE::LE);
    check([](float p, float q) { return p <= q; }, scalar);
    run(CMPMODE::GE);
    check([](float p, float q) { return p >= q; }, scalar);
    run(CMPMODE::NE); // false for NaN as well
    check([&](float p, float q) { return !unordered(p, q) && p != q; }, scalar);
  }
  auto dst = tensor<T>(20480);
  Select(dst, mask, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, count - 5);
  for (uint32_t i = 0; i < count - 5; ++i)
    ASSERT_TRUE(sameValue(c[i], bits[i / 8] >> (i % 8) & 1 ? a[i] : b[i]));
  Select(dst, mask, x, fromFloat<T>(-7.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE,
         count);
  for (uint32_t i = 0; i < count; ++i)
    ASSERT_TRUE(sameValue(
        c[i], bits[i / 8] >> (i % 8) & 1 ? a[i] : fromFloat<T>(-7.0f)));
  // Mode 0: the bits of the first repeat serve every repeat.
  Select(dst, mask, x, y, SELMODE::VSEL_CMPMASK_SPR, uint64_t(lanes), 3,
         BinaryRepeatParams());
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t bit = i % lanes;
    ASSERT_TRUE(sameValue(c[i], bits[bit / 8] >> (bit % 8) & 1 ? a[i] : b[i]))
        << i;
  }
  // Strided sources, bits consumed in order.
  Select(dst, mask, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t(lanes / 2),
         2, BinaryRepeatParams(1, 1, 0, 8, 8, 0));
  for (uint32_t r = 0; r < 2; ++r)
    for (uint32_t i = 0; i < lanes / 2; ++i) {
      uint32_t bit = r * lanes + i;
      ASSERT_TRUE(sameValue(c[bit], bits[bit / 8] >> (bit % 8) & 1
                                        ? a[bit]
                                        : b[i % (32 / sizeof(T))]));
    }
}

TYPED_TEST(FloatsOf, Reductions) {
  using T = typename TypeParam::Type;
  constexpr uint32_t lanes = 256 / sizeof(T), perBlock = 32 / sizeof(T);
  T *a = this->machine.template ub<T>(0),
    *c = this->machine.template ub<T>(32768);
  std::uniform_int_distribution<int> small(-8, 8);
  for (uint32_t i = 0; i < lanes * 8; ++i)
    a[i] = fromFloat<T>(float(small(this->random)));
  auto x = tensor<T>(0), dst = tensor<T>(32768);

  WholeReduceSum(dst, x, int32_t(lanes), 4, 1, 1, 8);
  for (uint32_t r = 0; r < 4; ++r) {
    float sum = 0;
    for (uint32_t i = 0; i < lanes; ++i)
      sum += toFloat(a[r * lanes + i]);
    ASSERT_EQ(toFloat(c[r]), sum);
  }
  WholeReduceSum(dst, x, 13, 4, 1, 1, 8);
  for (uint32_t r = 0; r < 4; ++r) {
    float sum = 0;
    for (uint32_t i = 0; i < 13; ++i)
      sum += toFloat(a[r * lanes + i]);
    ASSERT_EQ(toFloat(c[r]), sum);
  }
  ReduceRepeat<ReduceType::MAX>(dst, x, int32_t(lanes), 4, 1, 1, 8);
  for (uint32_t r = 0; r < 4; ++r) {
    const T *row = a + r * lanes;
    uint32_t best = 0;
    for (uint32_t i = 1; i < lanes; ++i)
      if (toFloat(row[i]) > toFloat(row[best]))
        best = i;
    ASSERT_EQ(toFloat(c[2 * r]), toFloat(row[best]));
    uint32_t index = 0;
    std::memcpy(&index, &c[2 * r + 1], sizeof(T));
    ASSERT_EQ(index, best);
  }
  WholeReduceMin(dst, x, int32_t(lanes), 2, 1, 1, 8,
                 ReduceOrder::ORDER_ONLY_VALUE);
  for (uint32_t r = 0; r < 2; ++r) {
    float best = kInf;
    for (uint32_t i = 0; i < lanes; ++i)
      best = std::min(best, toFloat(a[r * lanes + i]));
    ASSERT_EQ(toFloat(c[r]), best);
  }
  a[5] = fromFloat<T>(kNaN);
  WholeReduceMax(dst, x, int32_t(lanes), 1, 1, 1, 8,
                 ReduceOrder::ORDER_ONLY_VALUE);
  EXPECT_TRUE(std::isnan(toFloat(c[0])));
  BlockReduceMax(dst, x, 4, int32_t(lanes), 1, 1, 8);
  for (uint32_t block = 1; block < 32; ++block) {
    float best = -kInf;
    for (uint32_t i = 0; i < perBlock; ++i)
      best = std::max(best, toFloat(a[block * perBlock + i]));
    ASSERT_EQ(toFloat(c[block]), best);
  }
  EXPECT_TRUE(std::isnan(toFloat(c[0])));
  a[5] = fromFloat<T>(1.0f);
  ReduceDataBlock<ReduceType::SUM>(dst, x, int32_t(lanes), 2, 1, 1, 8);
  for (uint32_t block = 0; block < 16; ++block) {
    float sum = 0;
    for (uint32_t i = 0; i < perBlock; ++i)
      sum += toFloat(a[block * perBlock + i]);
    ASSERT_EQ(toFloat(c[block]), sum);
  }
  PairReduceSum(dst, x, 2, int32_t(lanes), 1, 1, 8);
  for (uint32_t r = 0; r < 2; ++r)
    for (uint32_t i = 0; i < lanes / 2; ++i)
      ASSERT_EQ(toFloat(c[r * (128 / sizeof(T)) + i]),
                toFloat(a[r * lanes + 2 * i]) +
                    toFloat(a[r * lanes + 2 * i + 1]));
}

TEST_F(VectorCore, BlockReduceLeavesMaskedBlocksAlone) {
  machine.verify = false; // the announced write covers the block that stays
  for (uint32_t i = 0; i < 64; ++i)
    machine.ub<float>(0)[i] = 1.0f;
  for (uint32_t i = 0; i < 8; ++i)
    machine.ub<float>(8192)[i] = -5.0f;
  BlockReduceSum(tensor<float>(8192), tensor<float>(0), 1, 12, 1, 1, 8);
  EXPECT_EQ(machine.ub<float>(8192)[0], 8.0f);
  EXPECT_EQ(machine.ub<float>(8192)[1], 4.0f);
  EXPECT_EQ(machine.ub<float>(8192)[2], -5.0f);
}

TEST_F(VectorCore, IntegerShiftsAndBits) {
  for (uint32_t i = 0; i < 128; ++i) {
    machine.ub<int16_t>(0)[i] = int16_t(random());
    machine.ub<int16_t>(1024)[i] = int16_t(random());
    machine.ub<int32_t>(2048)[i] = int32_t(random());
  }
  auto *a = machine.ub<int16_t>(0), *b = machine.ub<int16_t>(1024),
       *c = machine.ub<int16_t>(4096);
  And(tensor<int16_t>(4096), tensor<int16_t>(0), tensor<int16_t>(1024), 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(c[i], int16_t(a[i] & b[i]));
  Or(tensor<int16_t>(4096), tensor<int16_t>(0), tensor<int16_t>(1024), 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(c[i], int16_t(a[i] | b[i]));
  Not(tensor<int16_t>(4096), tensor<int16_t>(0), 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(c[i], int16_t(~a[i]));
  auto *words = machine.ub<int32_t>(2048), *shifted = machine.ub<int32_t>(4096);
  ShiftLeft(tensor<int32_t>(4096), tensor<int32_t>(2048), int32_t(5), 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(uint32_t(shifted[i]), uint32_t(words[i]) << 5);
  ShiftRight(tensor<int32_t>(4096), tensor<int32_t>(2048), int32_t(5), 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(shifted[i], words[i] >> 5);
  ShiftRight(tensor<uint32_t>(4096), tensor<uint32_t>(2048), uint32_t(40), 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(shifted[i], 0);
}

TEST_F(VectorCore, DuplicateCopyBroadcastIndex) {
  Duplicate(tensor<bfloat16_t>(0), fromFloat<bfloat16_t>(1.5f), 77);
  for (int i = 0; i < 77; ++i)
    ASSERT_EQ(toFloat(machine.ub<bfloat16_t>(0)[i]), 1.5f);
  Duplicate(tensor<float>(1024), -0.0f, uint64_t(10), 2, 1, 2);
  for (int r = 0; r < 2; ++r)
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE(std::signbit(machine.ub<float>(1024)[r * 16 + i]));
  for (uint32_t i = 0; i < 16; ++i)
    machine.ub<float>(4096)[i] = float(i);
  Brcb(tensor<float>(8192), tensor<float>(4096), 2, BrcbRepeatParams(1, 8));
  for (uint32_t i = 0; i < 16 * 8; ++i)
    ASSERT_EQ(machine.ub<float>(8192)[i], float(i / 8));
  Brcb(tensor<float>(16384), tensor<float>(4096), 2, BrcbRepeatParams(3, 24));
  for (uint32_t i = 0; i < 16; ++i)
    for (uint32_t j = 0; j < 8; ++j)
      ASSERT_EQ(machine.ub<float>(16384)[i * 24 + j], float(i));
  Copy(tensor<float>(32768), tensor<float>(8192), uint64_t(64), 2,
       CopyRepeatParams(1, 1, 8, 8));
  for (uint32_t i = 0; i < 128; ++i)
    ASSERT_EQ(machine.ub<float>(32768)[i], float(i / 8));
  CreateVecIndex(tensor<int32_t>(0), int32_t(-3), 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(machine.ub<int32_t>(0)[i], i - 3);
  CreateVecIndex(tensor<half>(0), half(2), 100);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(toFloat(machine.ub<half>(0)[i]), float(i + 2));
}

TEST_F(VectorCore, GatherByByteOffsets) {
  for (uint32_t i = 0; i < 256; ++i)
    machine.ub<float>(0)[i] = float(i);
  for (uint32_t i = 0; i < 100; ++i)
    machine.ub<uint32_t>(4096)[i] = uint32_t(random() % 200) * 4;
  Gather(tensor<float>(8192), tensor<float>(0), tensor<uint32_t>(4096), 16,
         100);
  for (uint32_t i = 0; i < 100; ++i)
    ASSERT_EQ(machine.ub<float>(8192)[i],
              float(machine.ub<uint32_t>(4096)[i] / 4 + 4));
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

double roundBy(double x, RoundMode mode) {
  switch (mode) {
  case RoundMode::CAST_FLOOR:
    return std::floor(x);
  case RoundMode::CAST_CEIL:
    return std::ceil(x);
  case RoundMode::CAST_TRUNC:
    return std::trunc(x);
  case RoundMode::CAST_ROUND:
    return std::round(x);
  default:
    return std::nearbyint(x);
  }
}

/// Rounds to a 16-bit float through its spacing, independently of bit tricks.
float roundToFormat(float x, RoundMode mode, int fraction, int smallest,
                    float largest) {
  if (!std::isfinite(x))
    return x;
  double value = x;
  int exponent = value == 0 ? smallest : std::ilogb(value) - fraction;
  double ulp = std::ldexp(1.0, std::max(exponent, smallest));
  double scaled;
  if (mode == RoundMode::CAST_ODD) {
    scaled = std::trunc(value / ulp);
    if (scaled != value / ulp && std::fmod(std::fabs(scaled), 2.0) == 0)
      scaled += std::signbit(value) ? -1 : 1;
  } else
    scaled = roundBy(value / ulp, mode);
  double result = std::copysign(scaled * ulp, value);
  if (std::fabs(result) > largest) {
    bool towardsZero = mode == RoundMode::CAST_TRUNC ||
                       mode == RoundMode::CAST_ODD ||
                       (mode == RoundMode::CAST_FLOOR && value > 0) ||
                       (mode == RoundMode::CAST_CEIL && value < 0);
    return towardsZero ? std::copysign(largest, x) : std::copysign(kInf, x);
  }
  return float(result);
}

constexpr RoundMode kModes[] = {RoundMode::CAST_NONE,  RoundMode::CAST_RINT,
                                RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL,
                                RoundMode::CAST_ROUND, RoundMode::CAST_TRUNC};

std::vector<float> castValues(std::mt19937 &random) {
  std::vector<float> values = {
      0.0f,       -0.0f,      kInf,           -kInf,          kNaN,
      0.5f,       1.5f,       2.5f,           -0.5f,          -1.5f,
      -2.5f,      65504.0f,   65519.9f,       65520.0f,       65536.0f,
      -65520.f,   1e30f,      -1e30f,         5.9e-8f,        2.9e-8f,
      3e-8f,      1e-40f,     2147483520.0f,  2147483648.0f,  -2147483648.0f,
      3e9f,       127.5f,     128.0f,         -128.5f,        255.5f,
      32767.5f,   -32769.0f,  9.3e18f,        -9.3e18f,       3.39e38f,
      3.4028e38f, 1.0009765f, 1.00048828125f, -1.00048828125f};
  std::uniform_real_distribution<float> near(-300.0f, 300.0f);
  for (int i = 0; i < 200; ++i)
    values.push_back(near(random));
  for (int i = 0; i < 200; ++i)
    values.push_back(__builtin_bit_cast(float, uint32_t(random())));
  values.resize(values.size() / 64 * 64);
  return values;
}

TEST_F(VectorCore, CastFloatToSixteenBits) {
  std::vector<float> values = castValues(random);
  std::copy(values.begin(), values.end(), machine.ub<float>(0));
  auto count = uint32_t(values.size());
  std::vector<RoundMode> modes(kModes, kModes + 6);
  modes.push_back(RoundMode::CAST_ODD);
  for (RoundMode mode : modes) {
    Cast(tensor<half>(16384), tensor<float>(0), mode, count);
    for (uint32_t i = 0; i < count; ++i) {
      float expected = roundToFormat(values[i], mode, 10, -24, 65504.0f);
      ASSERT_TRUE(sameValue(toFloat(machine.ub<half>(16384)[i]), expected))
          << values[i] << " mode " << int(mode) << " gives "
          << toFloat(machine.ub<half>(16384)[i]) << " not " << expected;
    }
    if (mode == RoundMode::CAST_ODD)
      continue;
    Cast(tensor<bfloat16_t>(16384), tensor<float>(0), mode, count);
    for (uint32_t i = 0; i < count; ++i) {
      float expected =
          roundToFormat(values[i], mode, 7, -133, 3.3895313892515355e38f);
      ASSERT_TRUE(
          sameValue(toFloat(machine.ub<bfloat16_t>(16384)[i]), expected))
          << values[i] << " mode " << int(mode);
    }
  }
}

template <typename Int> Int saturated(float x, RoundMode mode) {
  if (x != x)
    return 0;
  double rounded = std::isinf(x) ? double(x) : roundBy(x, mode);
  using Limits = std::numeric_limits<Int>;
  if (rounded >= std::ldexp(1.0, Limits::digits))
    return Limits::max();
  if (rounded <= double(Limits::min()))
    return Limits::min();
  return static_cast<Int>(rounded);
}

TEST_F(VectorCore, CastToIntegersSaturates) {
  std::vector<float> values = castValues(random);
  auto count = uint32_t(values.size());
  std::copy(values.begin(), values.end(), machine.ub<float>(0));
  for (uint32_t i = 0; i < count; ++i)
    machine.ub<half>(8192)[i] = half(values[i]);
  for (RoundMode mode : kModes) {
    auto check = [&](auto sample, uint32_t source, bool isHalf) {
      using Int = decltype(sample);
      for (uint32_t i = 0; i < count; ++i) {
        float x = isHalf ? toFloat(machine.ub<half>(source)[i])
                         : machine.ub<float>(source)[i];
        ASSERT_EQ(machine.ub<Int>(16384)[i], saturated<Int>(x, mode))
            << x << " mode " << int(mode);
      }
    };
    Cast(tensor<int32_t>(16384), tensor<float>(0), mode, count);
    check(int32_t(), 0, false);
    Cast(tensor<int16_t>(16384), tensor<float>(0), mode, count);
    check(int16_t(), 0, false);
    Cast(tensor<int64_t>(16384), tensor<float>(0), mode, count);
    check(int64_t(), 0, false);
    Cast(tensor<int8_t>(16384), tensor<half>(8192), mode, count);
    check(int8_t(), 8192, true);
    Cast(tensor<uint8_t>(16384), tensor<half>(8192), mode, count);
    check(uint8_t(), 8192, true);
    Cast(tensor<int16_t>(16384), tensor<half>(8192), mode, count);
    check(int16_t(), 8192, true);
    Cast(tensor<int32_t>(16384), tensor<half>(8192), mode, count);
    check(int32_t(), 8192, true);
    // float -> float rounds to whole numbers and loses -0.
    if (mode == RoundMode::CAST_NONE)
      continue;
    Cast(tensor<float>(16384), tensor<float>(0), mode, count);
    for (uint32_t i = 0; i < count; ++i) {
      float expected = std::isfinite(values[i])
                           ? float(roundBy(values[i], mode)) + 0.0f
                           : values[i];
      ASSERT_TRUE(sameValue(machine.ub<float>(16384)[i], expected))
          << values[i];
    }
  }
}

TEST_F(VectorCore, CastFromIntegers) {
  for (int i = 0; i < 256; ++i) {
    machine.ub<int8_t>(0)[i] = int8_t(i);
    machine.ub<int32_t>(4096)[i] =
        i < 4    ? (i % 2 ? INT32_MIN + i / 2 : INT32_MAX - i / 2)
        : i < 16 ? (1 << 24) + i
                 : int32_t(random());
    machine.ub<int64_t>(8192)[i] =
        (int64_t(random()) << 32 | random()) >> (i % 40);
  }
  Cast(tensor<half>(16384), tensor<int8_t>(0), RoundMode::CAST_NONE, 256);
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(toFloat(machine.ub<half>(16384)[i]), float(int8_t(i)));
  Cast(tensor<half>(16384), tensor<uint8_t>(0), RoundMode::CAST_NONE, 256);
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(toFloat(machine.ub<half>(16384)[i]), float(i));
  for (RoundMode mode : kModes) {
    Cast(tensor<float>(16384), tensor<int32_t>(4096), mode, 256);
    for (int i = 0; i < 256; ++i) {
      int32_t exact = machine.ub<int32_t>(4096)[i];
      double ulp =
          exact == 0
              ? 1
              : std::ldexp(1.0, std::max(0, std::ilogb(double(exact)) - 23));
      ASSERT_EQ(double(machine.ub<float>(16384)[i]),
                roundBy(exact / ulp, mode) * ulp)
          << exact << int(mode);
    }
  }
  Cast(tensor<int32_t>(16384), tensor<int64_t>(8192), RoundMode::CAST_NONE,
       256);
  for (int i = 0; i < 256; ++i) {
    int64_t wide = machine.ub<int64_t>(8192)[i];
    ASSERT_EQ(machine.ub<int32_t>(16384)[i],
              std::min<int64_t>(std::max<int64_t>(wide, INT32_MIN), INT32_MAX));
  }
  Cast(tensor<float>(16384), tensor<int64_t>(8192), RoundMode::CAST_RINT, 256);
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(machine.ub<float>(16384)[i], float(machine.ub<int64_t>(8192)[i]));
  Cast(tensor<int16_t>(16384), tensor<int32_t>(4096), RoundMode::CAST_NONE,
       256);
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(machine.ub<int16_t>(16384)[i],
              std::min(std::max(machine.ub<int32_t>(4096)[i], -32768), 32767));
  SetDeqScale(half(0.5));
  Cast(tensor<half>(16384), tensor<int32_t>(4096), RoundMode::CAST_NONE, 256);
  for (int i = 0; i < 256; ++i)
    ASSERT_TRUE(sameValue(machine.ub<half>(16384)[i],
                          half(float(machine.ub<int32_t>(4096)[i]) * 0.5f)));
}

TEST_F(VectorCore, CastRepeatFormUsesBothStrides) {
  for (uint32_t i = 0; i < 256; ++i)
    machine.ub<half>(0)[i] = half(float(i));
  Cast(tensor<float>(4096), tensor<half>(0), RoundMode::CAST_NONE, uint64_t(40),
       3, UnaryRepeatParams(1, 1, 8, 4));
  for (uint32_t r = 0; r < 3; ++r)
    for (uint32_t i = 0; i < 40; ++i)
      ASSERT_EQ(machine.ub<float>(4096)[r * 64 + i], float(r * 64 + i));
}

TEST_F(VectorCore, CastInt4) {
  for (uint32_t i = 0; i < 64; ++i)
    machine.ub<half>(0)[i] = half(float(i) * 0.5f - 12.0f);
  LocalTensor<int4b_t> packed(TPosition::VECCALC, 4096, 64);
  Cast(packed, tensor<half>(0), RoundMode::CAST_RINT, 64);
  Cast(tensor<half>(8192), packed, RoundMode::CAST_NONE, 64);
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(
        toFloat(machine.ub<half>(8192)[i]),
        float(std::min(7.0, std::max(-8.0, std::nearbyint(i * 0.5 - 12.0)))));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

TEST_F(VectorCore, MaskFromRegisterAndCounterMode) {
  for (uint32_t i = 0; i < 256; ++i)
    machine.ub<float>(0)[i] = float(i), machine.ub<float>(8192)[i] = -1.0f;
  SetMaskNorm();
  SetVectorMask<float>(0, 0x5ul);
  Adds<float, false>(tensor<float>(8192), tensor<float>(0), 1.0f,
                     MASK_PLACEHOLDER, 1, UnaryRepeatParams());
  EXPECT_EQ(machine.ub<float>(8192)[0], 1.0f);
  EXPECT_EQ(machine.ub<float>(8192)[1], -1.0f);
  EXPECT_EQ(machine.ub<float>(8192)[2], 3.0f);
  EXPECT_EQ(machine.ub<float>(8192)[3], -1.0f);
  SetMaskCount();
  SetVectorMask<float, MaskMode::COUNTER>(0, 100);
  Adds<float, false>(tensor<float>(8192), tensor<float>(0), 1.0f,
                     MASK_PLACEHOLDER, 1, UnaryRepeatParams());
  EXPECT_EQ(machine.ub<float>(8192)[99], 100.0f);
  EXPECT_EQ(machine.ub<float>(8192)[100], -1.0f);
  // A count form leaves normal mode and a full mask behind.
  Adds(tensor<float>(8192), tensor<float>(0), 2.0f, 8);
  EXPECT_EQ(machine.registers[size_t(Register::MaskMode)], 0u);
  EXPECT_EQ(machine.registers[size_t(Register::MaskLow)], ~uint64_t(0));
}

TEST_F(VectorCore, SaturationModeReplacesInfAndNaN) {
  auto *a = machine.ub<half>(0), *c = machine.ub<half>(4096);
  a[0] = half(60000.0f), a[1] = half(-60000.0f), a[2] = half(kNaN),
  a[3] = half(2.0f);
  for (uint32_t i = 4; i < 16; ++i)
    a[i] = half(0.0f);
  SetCtrlSpr<48, 48>(0);
  Add(tensor<half>(4096), tensor<half>(0), tensor<half>(0), 16);
  EXPECT_EQ(toFloat(c[0]), 65504.0f);
  EXPECT_EQ(toFloat(c[1]), -65504.0f);
  EXPECT_EQ(toFloat(c[2]), 0.0f);
  EXPECT_EQ(toFloat(c[3]), 4.0f);
  SetCtrlSpr<48, 48>(1);
  Add(tensor<half>(4096), tensor<half>(0), tensor<half>(0), 16);
  EXPECT_EQ(toFloat(c[0]), kInf);
}

TEST_F(VectorCore, ZeroCountsAndRepeatsDoNothing) {
  Add(tensor<float>(0), tensor<float>(4096), tensor<float>(8192), 0);
  EXPECT_TRUE(machine.accesses.empty());
  Add(tensor<float>(0), tensor<float>(4096), tensor<float>(8192), uint64_t(64),
      0, BinaryRepeatParams());
  EXPECT_TRUE(machine.accesses.empty());
}

} // namespace
