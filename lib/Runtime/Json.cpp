//===- Json.cpp - Reading and writing small JSON documents ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Runtime/Json.h"

#include <charconv>
#include <cmath>

namespace tilelang {

const Json &Json::operator[](std::string_view key) const {
  static const Json null;
  for (const auto &item : items)
    if (item.first == key)
      return item.second;
  return null;
}

void Json::writeTo(std::string &out) const {
  switch (valueKind) {
  case Kind::Null:
    out += "null";
    return;
  case Kind::Boolean:
    out += integer ? "true" : "false";
    return;
  case Kind::Integer:
    out += std::to_string(integer);
    return;
  case Kind::Number: {
    // JSON has no infinities; what is not finite is unknown.
    if (!std::isfinite(number)) {
      out += "null";
      return;
    }
    char buffer[32];
    auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
    std::string_view digits(buffer, static_cast<size_t>(end - buffer));
    out += digits;
    if (digits.find_first_of(".e") == std::string_view::npos)
      out += ".0"; // reads back as a number, not as an integer
    return;
  }
  case Kind::String:
    out += quoteJson(text);
    return;
  case Kind::Array:
  case Kind::Object: {
    bool isObject = valueKind == Kind::Object;
    out += isObject ? '{' : '[';
    bool first = true;
    for (const auto &item : items) {
      if (!first)
        out += ',';
      first = false;
      if (isObject)
        out += quoteJson(item.first) + ':';
      item.second.writeTo(out);
    }
    out += isObject ? '}' : ']';
    return;
  }
  }
}

std::string Json::write() const {
  std::string out;
  writeTo(out);
  return out;
}

namespace {
class Parser {
public:
  Parser(std::string_view text, std::string &error)
      : text(text), error(error) {}

  bool document(Json &result) {
    if (!value(result, 0))
      return false;
    skipSpace();
    return position == text.size() ||
           fail("text after the end of the document");
  }

private:
  // Deep nesting can only be an attack or damage; artifacts use four levels.
  static constexpr unsigned kMaxDepth = 64;

  bool fail(const char *what) {
    error = std::string(what) + " at byte " + std::to_string(position);
    return false;
  }
  void skipSpace() {
    while (position < text.size() &&
           (text[position] == ' ' || text[position] == '\n' ||
            text[position] == '\t' || text[position] == '\r'))
      ++position;
  }
  bool take(char c) {
    skipSpace();
    if (position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  bool word(std::string_view expected) {
    if (text.substr(position, expected.size()) != expected)
      return fail("unknown word");
    position += expected.size();
    return true;
  }

  bool value(Json &result, unsigned depth) {
    if (depth > kMaxDepth)
      return fail("nested too deeply");
    skipSpace();
    if (position >= text.size())
      return fail("unexpected end");
    switch (text[position]) {
    case '{':
      return object(result, depth);
    case '[':
      return array(result, depth);
    case '"': {
      std::string string;
      if (!quoted(string))
        return false;
      result = Json(std::move(string));
      return true;
    }
    case 't':
      result = Json(true);
      return word("true");
    case 'f':
      result = Json(false);
      return word("false");
    case 'n':
      result = Json();
      return word("null");
    default:
      return numeric(result);
    }
  }

  bool object(Json &result, unsigned depth) {
    ++position;
    result = Json::object();
    if (take('}'))
      return true;
    do {
      skipSpace();
      std::string key;
      if (position >= text.size() || text[position] != '"')
        return fail("expected a key");
      if (!quoted(key))
        return false;
      if (!take(':'))
        return fail("expected ':'");
      Json item;
      if (!value(item, depth + 1))
        return false;
      result.set(std::move(key), std::move(item));
    } while (take(','));
    return take('}') || fail("expected ',' or '}'");
  }

  bool array(Json &result, unsigned depth) {
    ++position;
    result = Json::array();
    if (take(']'))
      return true;
    do {
      Json item;
      if (!value(item, depth + 1))
        return false;
      result.append(std::move(item));
    } while (take(','));
    return take(']') || fail("expected ',' or ']'");
  }

  bool numeric(Json &result) {
    size_t start = position;
    while (position < text.size() &&
           (std::string_view("+-.eE").find(text[position]) !=
                std::string_view::npos ||
            (text[position] >= '0' && text[position] <= '9')))
      ++position;
    std::string_view digits = text.substr(start, position - start);
    const char *end = digits.data() + digits.size();
    int64_t integer = 0;
    auto asInteger = std::from_chars(digits.data(), end, integer);
    if (!digits.empty() && asInteger.ec == std::errc() &&
        asInteger.ptr == end) {
      result = Json(integer);
      return true;
    }
    double number = 0;
    auto asNumber = std::from_chars(digits.data(), end, number);
    if (digits.empty() || asNumber.ec != std::errc() || asNumber.ptr != end) {
      position = start;
      return fail("expected a value");
    }
    result = Json(number);
    return true;
  }

  bool quoted(std::string &result) {
    ++position;
    while (position < text.size()) {
      char c = text[position++];
      if (c == '"')
        return true;
      if (c != '\\') {
        result += c;
        continue;
      }
      if (position >= text.size())
        break;
      switch (char escaped = text[position++]) {
      case 'n':
        result += '\n';
        break;
      case 't':
        result += '\t';
        break;
      case 'r':
        result += '\r';
        break;
      case 'b':
        result += '\b';
        break;
      case 'f':
        result += '\f';
        break;
      case 'u':
        if (!unicode(result))
          return false;
        break;
      default:
        result += escaped;
      }
    }
    return fail("string without an end");
  }

  bool unicode(std::string &result) {
    unsigned code = 0;
    if (position + 4 > text.size() ||
        std::from_chars(text.data() + position, text.data() + position + 4,
                        code, 16)
                .ptr != text.data() + position + 4)
      return fail("expected four hexadecimal digits");
    position += 4;
    // Written by `quoteJson` for control characters only; the rest of the basic
    // plane is accepted so that other writers' files read correctly.
    if (code < 0x80) {
      result += static_cast<char>(code);
    } else if (code < 0x800) {
      result += static_cast<char>(0xC0 | code >> 6);
      result += static_cast<char>(0x80 | (code & 0x3F));
    } else {
      result += static_cast<char>(0xE0 | code >> 12);
      result += static_cast<char>(0x80 | (code >> 6 & 0x3F));
      result += static_cast<char>(0x80 | (code & 0x3F));
    }
    return true;
  }

  std::string_view text;
  std::string &error;
  size_t position = 0;
};
} // namespace

bool Json::parse(std::string_view text, Json &result, std::string &error) {
  return Parser(text, error).document(result);
}

} // namespace tilelang
