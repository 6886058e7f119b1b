//===- ElementType.h - Types of array elements at the host boundary -------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_RUNTIME_ELEMENTTYPE_H
#define TILELANG_RUNTIME_ELEMENTTYPE_H

#include <cstdint>
#include <string_view>

namespace tilelang {

enum class ElementType : uint8_t {
  Unknown,
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F16,
  BF16,
  F32,
  F64,
  F8E4M3,
  F8E5M2,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F8E8M0
};

/// The name as written in programs and artifacts ("float16").
std::string_view elementTypeName(ElementType type);
/// The type of a name; common other spellings (of NumPy, torch and ml_dtypes)
/// are understood. `Unknown` for a name that means none.
ElementType parseElementType(std::string_view name);
/// Bytes of one element; 0 for `Unknown`.
unsigned elementBytes(ElementType type);
bool isFloating(ElementType type);

} // namespace tilelang

#endif // TILELANG_RUNTIME_ELEMENTTYPE_H
