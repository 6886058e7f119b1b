//===- JsonWriter.cpp - Appends JSON text ---------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "JsonWriter.h"
#include "tilelang/Sim/JsonText.h"

#include <charconv>
#include <cstdio>

using namespace tilelang;
using namespace tilelang::sim;

std::string tilelang::quoteJson(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        char buffer[8];
        std::snprintf(buffer, sizeof(buffer), "\\u%04x", c);
        out += buffer;
      } else {
        out += c;
      }
    }
  }
  return out + '"';
}

void JsonWriter::open(char bracket) {
  comma();
  out += bracket;
  first = true;
}

void JsonWriter::close(char bracket) {
  out += bracket;
  first = false;
}

void JsonWriter::comma() {
  if (!first && !afterKey)
    out += ',';
  first = afterKey = false;
}

void JsonWriter::key(std::string_view name) {
  comma();
  quote(name);
  out += ':';
  afterKey = true;
}

void JsonWriter::value(std::string_view text) {
  comma();
  quote(text);
}

void JsonWriter::value(double number) {
  comma();
  // Not printf: it obeys the locale of the process.
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, number,
                           std::chars_format::general, 12);
  out.append(buffer, end.ptr);
}

void JsonWriter::value(uint64_t number) {
  comma();
  out += std::to_string(number);
}

void JsonWriter::value(bool truth) {
  comma();
  out += truth ? "true" : "false";
}

void JsonWriter::quote(std::string_view text) { out += quoteJson(text); }
