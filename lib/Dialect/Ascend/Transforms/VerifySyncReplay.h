//===- VerifySyncReplay.h - What pipes know of each other -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCREPLAY_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCREPLAY_H

#include "VerifySyncTrace.h"
#include "tilelang/Chip/Chip.h"

namespace tilelang::ascend::verifysync {

struct Violation {
  mlir::Operation *earlier = nullptr, *later = nullptr;
  std::string message;
};

/// Groups of operations that synchronise; a replay leaves each out once.
constexpr size_t kMostCandidates = 63;

/// Replays the events of both programs; stops at the first violation. Takes
/// from `candidates`, at most `kMostCandidates` groups, those without which
/// there would be one.
std::optional<Violation> replay(const Chip &chip, const Places &places,
                                const Traces &traces,
                                std::vector<int64_t> &candidates);

} // namespace tilelang::ascend::verifysync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCREPLAY_H
