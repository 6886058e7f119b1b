//===- ChipFile.h - Reading chip description files ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The text side of a chip description: one parsed file with its bases merged
// in. Kept apart from `Chip` so that only one file includes the TOML parser.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CHIP_CHIPFILE_H
#define TILELANG_LIB_CHIP_CHIPFILE_H

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilelang::chipfile {

struct Contents {
  bool isAbstract = false;
  std::string description;
  /// Every number of the file and its bases; nested tables joined by dots,
  /// booleans as 0 and 1.
  std::map<std::string, double, std::less<>> numbers;
};

/// Reads `<directory>/<name>.toml` and what it names as `base`. False with a
/// message in `error` when something is wrong.
bool read(const std::string &directory, const std::string &name,
          Contents &contents, std::string &error);

/// Stems of all description files in `directory`, sorted.
std::vector<std::string> stems(const std::string &directory);

/// Keys that every concrete chip must define.
const std::vector<std::string> &requiredKeys();

} // namespace tilelang::chipfile

#endif // TILELANG_LIB_CHIP_CHIPFILE_H
