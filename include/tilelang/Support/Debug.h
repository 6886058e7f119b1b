//===- Debug.h - Debug output by tag -------------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A pass writes what it decides with
//
//   TILELANG_DEBUG("tile-split-live-ranges", "range " << index);
//
// and is heard where its tag is named: `tilelang-opt --debug-only=TAG,...` or
// the environment variable TILELANG_DEBUG_ONLY; `all` names every tag. Packaged
// LLVM is built without LLVM_DEBUG, hence a mechanism of our own.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SUPPORT_DEBUG_H
#define TILELANG_SUPPORT_DEBUG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace tilelang {

/// The tags that are heard. Filled before passes run, only read afterwards.
inline llvm::StringSet<> &getDebugTags() {
  static llvm::StringSet<> tags = [] {
    llvm::StringSet<> initial;
    if (const char *variable = std::getenv("TILELANG_DEBUG_ONLY")) {
      llvm::SmallVector<llvm::StringRef> names;
      llvm::StringRef(variable).split(names, ',', -1, /*KeepEmpty=*/false);
      for (llvm::StringRef name : names)
        initial.insert(name.trim());
    }
    return initial;
  }();
  return tags;
}

inline bool isDebugEnabled(llvm::StringRef tag) {
  const llvm::StringSet<> &tags = getDebugTags();
  return !tags.empty() && (tags.contains(tag) || tags.contains("all"));
}

} // namespace tilelang

/// Writes one line, prefixed by the tag, to the error stream.
#define TILELANG_DEBUG(TAG, STREAM_EXPRESSION)                                 \
  do {                                                                         \
    if (::tilelang::isDebugEnabled(TAG))                                       \
      ::llvm::errs() << "[" << (TAG) << "] " << STREAM_EXPRESSION << "\n";     \
  } while (false)

#endif // TILELANG_SUPPORT_DEBUG_H
