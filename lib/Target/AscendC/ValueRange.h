//===- ValueRange.h - Bounds of index values --------------------*- C++ -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_TARGET_ASCENDC_VALUERANGE_H
#define TILELANG_LIB_TARGET_ASCENDC_VALUERANGE_H

#include "mlir/IR/Value.h"

#include <cstdint>

namespace tilelang::ascend {

/// Least and greatest value of a scalar, both possible or beyond; the extremes
/// of int64_t where nothing is known.
struct ValueBounds {
  int64_t least = INT64_MIN, greatest = INT64_MAX;
};

/// Bounds that follow from constants, loop bounds and the arithmetic between.
/// They let the emitter leave out guards and use plain division.
ValueBounds boundsOf(mlir::Value value);

} // namespace tilelang::ascend

#endif // TILELANG_LIB_TARGET_ASCENDC_VALUERANGE_H
