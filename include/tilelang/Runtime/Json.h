//===- Json.h - Reading and writing small JSON documents ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The runtime library has no LLVM inside, so the headers of artifacts need a
// JSON of their own. Objects keep the order of their keys: equal artifacts are
// equal bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_RUNTIME_JSON_H
#define TILELANG_RUNTIME_JSON_H

#include "tilelang/Sim/JsonText.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilelang {

class Json {
public:
  enum class Kind : uint8_t {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object
  };

  Json() = default;
  Json(bool value) : valueKind(Kind::Boolean), integer(value) {}
  Json(int64_t value) : valueKind(Kind::Integer), integer(value) {}
  Json(int value) : Json(static_cast<int64_t>(value)) {}
  Json(uint32_t value) : Json(static_cast<int64_t>(value)) {}
  Json(uint64_t value) : Json(static_cast<int64_t>(value)) {}
  Json(double value) : valueKind(Kind::Number), number(value) {}
  Json(std::string value) : valueKind(Kind::String), text(std::move(value)) {}
  Json(const char *value) : Json(std::string(value)) {}
  static Json array() { return Json(Kind::Array); }
  static Json object() { return Json(Kind::Object); }

  Kind kind() const { return valueKind; }
  bool isNull() const { return valueKind == Kind::Null; }
  bool isString() const { return valueKind == Kind::String; }
  bool isInteger() const { return valueKind == Kind::Integer; }

  /// Values of the wanted kind, or the default of that kind.
  bool asBoolean() const { return valueKind == Kind::Boolean && integer != 0; }
  int64_t asInteger() const {
    return valueKind == Kind::Number ? static_cast<int64_t>(number) : integer;
  }
  double asNumber() const {
    return valueKind == Kind::Number ? number : static_cast<double>(integer);
  }
  const std::string &asString() const { return text; }

  /// Arrays.
  void append(Json value) {
    items.emplace_back(std::string(), std::move(value));
  }
  size_t size() const { return items.size(); }
  const Json &at(size_t index) const { return items[index].second; }

  /// Objects. A key that is absent reads as null.
  void set(std::string key, Json value) {
    items.emplace_back(std::move(key), std::move(value));
  }
  const Json &operator[](std::string_view key) const;
  const std::vector<std::pair<std::string, Json>> &members() const {
    return items;
  }

  std::string write() const;
  /// On failure returns false and says where and why in `error`.
  static bool parse(std::string_view text, Json &result, std::string &error);

private:
  explicit Json(Kind kind) : valueKind(kind) {}
  void writeTo(std::string &out) const;

  Kind valueKind = Kind::Null;
  int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<std::pair<std::string, Json>> items;
};

} // namespace tilelang

#endif // TILELANG_RUNTIME_JSON_H
