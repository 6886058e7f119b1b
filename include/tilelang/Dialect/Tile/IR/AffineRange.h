//===- AffineRange.h - Bounds of affine expressions over a box -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_TILE_IR_AFFINERANGE_H
#define TILELANG_DIALECT_TILE_IR_AFFINERANGE_H

#include "mlir/IR/AffineExpr.h"

#include <cstdint>
#include <optional>

namespace tilelang::tile {

/// Smallest and largest value, both included.
struct IntegerRange {
  int64_t minimum;
  int64_t maximum;
};

/// The range of `expression` for dimension `d` in `0 .. extents[d] - 1`. Exact
/// for linear expressions, an enclosing range otherwise; nothing where the
/// expression has symbols or divides by an expression.
std::optional<IntegerRange> getRange(mlir::AffineExpr expression,
                                     llvm::ArrayRef<int64_t> extents);

} // namespace tilelang::tile

#endif // TILELANG_DIALECT_TILE_IR_AFFINERANGE_H
