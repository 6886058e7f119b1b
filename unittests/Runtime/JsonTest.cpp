//===- JsonTest.cpp - Reading and writing small JSON documents ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Runtime/Json.h"

#include <gtest/gtest.h>

#include <cmath>

using tilelang::Json;

namespace {

Json parsed(std::string_view text) {
  Json json;
  std::string error;
  EXPECT_TRUE(Json::parse(text, json, error)) << error;
  return json;
}

std::string errorOf(std::string_view text) {
  Json json;
  std::string error;
  EXPECT_FALSE(Json::parse(text, json, error)) << text;
  return error;
}

TEST(Json, WritesWhatItReads) {
  const char *text =
      R"({"a":[1,-2,3.5,true,false,null],"b":{"c":"x\ny \"z\" \\"},"d":[]})";
  EXPECT_EQ(parsed(text).write(), text);
}

TEST(Json, KeepsIntegersExact) {
  EXPECT_EQ(parsed("9007199254740993").asInteger(), 9007199254740993);
  EXPECT_EQ(parsed("9007199254740993").write(), "9007199254740993");
  EXPECT_EQ(Json(2.0).write(), "2.0");
}

TEST(Json, WritesNullForWhatJsonCannotSay) {
  EXPECT_EQ(Json(std::nan("")).write(), "null");
  EXPECT_EQ(Json(INFINITY).write(), "null");
}

TEST(Json, ReadsAbsentKeysAsNull) {
  EXPECT_TRUE(parsed(R"({"a":1})")["b"].isNull());
  EXPECT_EQ(parsed(R"({"a":1})")["b"].asInteger(), 0);
}

TEST(Json, ReadsEscapes) {
  EXPECT_EQ(parsed(R"("\u0041\u00e9\u20ac\/")").asString(),
            "A\xc3\xa9\xe2\x82\xac/");
  EXPECT_EQ(tilelang::quoteJson("\x01"), "\"\\u0001\"");
}

TEST(Json, SaysWhereItFails) {
  EXPECT_EQ(errorOf("[1,]"), "expected a value at byte 3");
  EXPECT_EQ(errorOf("{\"a\" 1}"), "expected ':' at byte 5");
  EXPECT_EQ(errorOf("[1"), "expected ',' or ']' at byte 2");
  EXPECT_EQ(errorOf("\"abc"), "string without an end at byte 4");
  EXPECT_EQ(errorOf("1 2"), "text after the end of the document at byte 2");
  EXPECT_EQ(errorOf(std::string(1000, '[')).substr(0, 17), "nested too deeply");
}

} // namespace
