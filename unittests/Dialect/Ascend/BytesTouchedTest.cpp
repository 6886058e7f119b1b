//===- BytesTouchedTest.cpp - Strided accesses compared byte by byte ------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Insertion and proof of synchronisation each have their own idea of what two
// instructions share; both must agree with a list of the bytes.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Dialect/Ascend/Transforms/LocalRanges.h"
#include "../../../lib/Dialect/Ascend/Transforms/VerifySyncPlaces.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace tilelang::ascend;
using sync::StridedBytes;

namespace {

std::set<int64_t> bytesOf(const StridedBytes &strided, int64_t begin) {
  std::set<int64_t> result;
  for (int64_t row = 0; row != strided.rows; ++row)
    for (int64_t block = 0; block != strided.blocks; ++block)
      for (int64_t byte = 0; byte != strided.length; ++byte)
        result.insert(begin + row * strided.rowPitch +
                      block * strided.blockPitch + byte);
  return result;
}

bool shareBytes(const std::set<int64_t> &first,
                const std::set<int64_t> &second) {
  return std::any_of(first.begin(), first.end(),
                     [&](int64_t byte) { return second.count(byte) != 0; });
}

verifysync::Place placeOf(const StridedBytes &strided, int64_t begin) {
  verifysync::Place place;
  for (int64_t block = 0; block != strided.blocks; ++block)
    place.stretches.push_back({begin + block * strided.blockPitch,
                               strided.length, strided.rows, strided.rowPitch});
  return place;
}

/// Small numbers, so that the two meet about as often as not.
StridedBytes randomStrided(std::mt19937 &random) {
  auto upTo = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  };
  StridedBytes strided;
  strided.length = 1 + upTo(7);
  strided.blocks = 1 + upTo(3);
  strided.blockPitch = upTo(3) * 8;
  strided.rows = 1 + upTo(5);
  strided.rowPitch = upTo(8) * 8;
  return strided;
}

} // namespace

TEST(BytesTouched, NormalisedBytesAreTheSame) {
  std::mt19937 random(1);
  for (int i = 0; i != 2000; ++i) {
    StridedBytes strided = randomStrided(random);
    std::set<int64_t> bytes = bytesOf(strided, 0);
    strided.normalise();
    EXPECT_EQ(bytesOf(strided, 0), bytes);
    EXPECT_EQ(strided.span(), *bytes.rbegin() + 1);
  }
}

TEST(BytesTouched, OverlapIsExact) {
  std::mt19937 random(2);
  int meeting = 0;
  constexpr int count = 20000;
  for (int i = 0; i != count; ++i) {
    StridedBytes first = randomStrided(random), second = randomStrided(random);
    int64_t distance = std::uniform_int_distribution<int64_t>(-99, 99)(random);
    bool expected = shareBytes(bytesOf(first, 0), bytesOf(second, distance));
    meeting += expected;
    EXPECT_EQ(verifysync::mayMeet(placeOf(first, 1000),
                                  placeOf(second, 1000 + distance)),
              expected);
    first.normalise();
    second.normalise();
    EXPECT_EQ(sync::overlap(first, second, distance), expected);
    EXPECT_EQ(sync::overlap(second, first, -distance), expected);
  }
  EXPECT_GT(meeting, count / 5);
  EXPECT_LT(meeting, count * 4 / 5);
}

TEST(BytesTouched, PlacesOfOtherStorageNeverMeet) {
  verifysync::Place first = placeOf({64}, 0), second = placeOf({64}, 32);
  EXPECT_TRUE(verifysync::mayMeet(first, second));
  first.low = 0, first.high = 64;
  second.low = 64, second.high = 128;
  EXPECT_FALSE(verifysync::mayMeet(first, second));
  second.low = 32;
  EXPECT_TRUE(verifysync::mayMeet(first, second));
  second.space = {1, 0, 0};
  EXPECT_FALSE(verifysync::mayMeet(first, second));
}

TEST(BytesTouched, UnknownSummandsCancelIfTheyAreTheSame) {
  verifysync::Place first = placeOf({64}, 0), second = placeOf({64}, 64);
  EXPECT_FALSE(verifysync::mayMeet(first, second));
  first.tag = second.tag = 17;
  EXPECT_FALSE(verifysync::mayMeet(first, second));
  second.tag = 18;
  EXPECT_TRUE(verifysync::mayMeet(first, second));
}
