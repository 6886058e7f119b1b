//===- ElementType.cpp - Types of array elements at the host boundary -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Runtime/ElementType.h"

namespace tilelang {

namespace {
struct Entry {
  ElementType type;
  std::string_view name;
  unsigned bytes;
};
constexpr Entry kEntries[] = {
    {ElementType::Bool, "bool", 1},
    {ElementType::I8, "int8", 1},
    {ElementType::U8, "uint8", 1},
    {ElementType::I16, "int16", 2},
    {ElementType::U16, "uint16", 2},
    {ElementType::I32, "int32", 4},
    {ElementType::U32, "uint32", 4},
    {ElementType::I64, "int64", 8},
    {ElementType::U64, "uint64", 8},
    {ElementType::F16, "float16", 2},
    {ElementType::BF16, "bfloat16", 2},
    {ElementType::F32, "float32", 4},
    {ElementType::F64, "float64", 8},
    {ElementType::F8E4M3, "float8_e4m3fn", 1},
    {ElementType::F8E5M2, "float8_e5m2", 1},
    {ElementType::F8E4M3FNUZ, "float8_e4m3fnuz", 1},
    {ElementType::F8E5M2FNUZ, "float8_e5m2fnuz", 1},
    {ElementType::F8E8M0, "float8_e8m0fnu", 1},
};
// Spellings that mean one of the above.
constexpr Entry kAliases[] = {
    {ElementType::F8E4M3, "float8_e4m3", 1},
    {ElementType::F16, "half", 2},
    {ElementType::F32, "float", 4},
    {ElementType::F64, "double", 8},
    {ElementType::I32, "int", 4},
    {ElementType::Bool, "boolean", 1},
};
} // namespace

std::string_view elementTypeName(ElementType type) {
  for (const Entry &entry : kEntries)
    if (entry.type == type)
      return entry.name;
  return "unknown";
}

ElementType parseElementType(std::string_view name) {
  for (const Entry &entry : kEntries)
    if (entry.name == name)
      return entry.type;
  for (const Entry &entry : kAliases)
    if (entry.name == name)
      return entry.type;
  return ElementType::Unknown;
}

unsigned elementBytes(ElementType type) {
  for (const Entry &entry : kEntries)
    if (entry.type == type)
      return entry.bytes;
  return 0;
}

bool isFloating(ElementType type) { return type >= ElementType::F16; }

} // namespace tilelang
