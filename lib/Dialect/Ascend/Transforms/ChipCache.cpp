//===- ChipCache.cpp - Chip descriptions, read once -----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Dialect/Ascend/Transforms/ChipCache.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <mutex>

using namespace mlir;
using namespace tilelang;

/// Where the descriptions lie in the build tree and the installed package,
/// seen from a program in their `bin` folder.
static std::string defaultDirectory() {
  static int anchor;
  SmallString<256> path(llvm::sys::fs::getMainExecutable(nullptr, &anchor));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "chips");
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return std::string(path);
}

const Chip *ascend::getChip(Operation *op, StringRef name,
                            StringRef directory) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, Chip> chips;
  std::string folder = directory.empty() ? defaultDirectory() : directory.str();
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, inserted] = chips.try_emplace({folder, name.str()});
  if (inserted) {
    std::string error;
    Chip chip = Chip::load(folder, name, error);
    if (error.empty())
      error = chip.validate();
    if (!error.empty()) {
      chips.erase(entry);
      op->emitError() << "cannot use chip '" << name << "': " << error;
      return nullptr;
    }
    entry->second = std::move(chip);
  }
  return &entry->second;
}
