//===- NameTable.h - Identifiers of the emitted source ----------*- C++ -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_TARGET_ASCENDC_NAMETABLE_H
#define TILELANG_LIB_TARGET_ASCENDC_NAMETABLE_H

#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace tilelang::ascend {

/// Gives out identifiers that differ from each other, from keywords and from
/// every name of the Ascend C API that emitted text uses.
class NameTable {
public:
  /// `hint` where it is free, made an identifier and numbered otherwise.
  std::string add(llvm::StringRef hint);

  /// `hint`, or `hint_suffix` where that name is taken: a buffer on chip that
  /// shares its name with the tensor it is a part of.
  std::string add(llvm::StringRef hint, llvm::StringRef suffix);

  /// Names added after a mark are free again once their scope has ended.
  size_t mark() const { return order.size(); }
  void release(size_t mark);

private:
  bool isTaken(llvm::StringRef name) const;
  llvm::StringSet<> used;
  std::vector<std::string> order;
};

} // namespace tilelang::ascend

#endif // TILELANG_LIB_TARGET_ASCENDC_NAMETABLE_H
