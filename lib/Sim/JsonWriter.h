//===- JsonWriter.h - Appends JSON text -----------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_SIM_JSONWRITER_H
#define TILELANG_LIB_SIM_JSONWRITER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tilelang::sim {

/// Commas are placed by the writer; the caller only opens, closes and names.
class JsonWriter {
public:
  explicit JsonWriter(std::string &out) : out(out) {}

  void beginObject() { open('{'); }
  void endObject() { close('}'); }
  void beginArray() { open('['); }
  void endArray() { close(']'); }
  void key(std::string_view name);
  void value(std::string_view text);
  void value(const char *text) { value(std::string_view(text)); }
  void value(const std::string &text) { value(std::string_view(text)); }
  void value(double number);
  void value(uint64_t number);
  void value(uint32_t number) { value(uint64_t(number)); }
  void value(bool truth);
  template <typename T> void field(std::string_view name, const T &content) {
    key(name);
    value(content);
  }

private:
  void open(char bracket);
  void close(char bracket);
  void comma();
  void quote(std::string_view text);

  std::string &out;
  bool first = true;
  bool afterKey = false;
};

} // namespace tilelang::sim

#endif // TILELANG_LIB_SIM_JSONWRITER_H
