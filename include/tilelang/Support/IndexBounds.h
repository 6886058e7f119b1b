//===- IndexBounds.h - Constant bounds of index values --------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Decides whether an access can leave its buffer. Walks the few operations that
// offsets are made of (loop variables, block indices, sums, products), which is
// enough for tile offsets and costs nothing beside a general analysis.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SUPPORT_INDEXBOUNDS_H
#define TILELANG_SUPPORT_INDEXBOUNDS_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>

namespace tilelang {

/// Closed interval; a missing end is unknown.
struct IndexInterval {
  std::optional<int64_t> lower, upper;
  bool isConstant() const { return lower && upper && *lower == *upper; }
};

/// Bounds of an index (or integer) value over all executions. Sound, not exact.
IndexInterval boundsOf(mlir::Value value);

/// The value of a constant, or nothing.
std::optional<int64_t> constantOf(mlir::Value value);

} // namespace tilelang

#endif // TILELANG_SUPPORT_INDEXBOUNDS_H
