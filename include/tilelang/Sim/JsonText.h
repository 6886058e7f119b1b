//===- JsonText.h - Text as a JSON string ---------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_JSONTEXT_H
#define TILELANG_SIM_JSONTEXT_H

#include <string>
#include <string_view>

namespace tilelang {

/// `text` in quotes, with what JSON does not allow in a string escaped.
std::string quoteJson(std::string_view text);

} // namespace tilelang

#endif // TILELANG_SIM_JSONTEXT_H
