//===- AffineRange.cpp - Bounds of affine expressions over a box ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Dialect/Tile/IR/AffineRange.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tilelang::tile;

std::optional<IntegerRange>
tilelang::tile::getRange(AffineExpr expression, ArrayRef<int64_t> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return IntegerRange{constant.getValue(), constant.getValue()};
  if (auto dimension = dyn_cast<AffineDimExpr>(expression)) {
    if (dimension.getPosition() >= extents.size())
      return std::nullopt;
    return IntegerRange{0, extents[dimension.getPosition()] - 1};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return std::nullopt;
  std::optional<IntegerRange> left = getRange(binary.getLHS(), extents);
  std::optional<IntegerRange> right = getRange(binary.getRHS(), extents);
  if (!left || !right)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add)
    return IntegerRange{left->minimum + right->minimum,
                        left->maximum + right->maximum};
  if (right->minimum != right->maximum)
    return std::nullopt;
  int64_t factor = right->minimum;
  switch (binary.getKind()) {
  case AffineExprKind::Mul: {
    auto [low, high] =
        std::minmax(left->minimum * factor, left->maximum * factor);
    return IntegerRange{low, high};
  }
  case AffineExprKind::FloorDiv:
    if (factor <= 0)
      return std::nullopt;
    return IntegerRange{llvm::divideFloorSigned(left->minimum, factor),
                        llvm::divideFloorSigned(left->maximum, factor)};
  case AffineExprKind::CeilDiv:
    if (factor <= 0)
      return std::nullopt;
    return IntegerRange{llvm::divideCeilSigned(left->minimum, factor),
                        llvm::divideCeilSigned(left->maximum, factor)};
  case AffineExprKind::Mod: {
    if (factor <= 0)
      return std::nullopt;
    int64_t period = llvm::divideFloorSigned(left->minimum, factor);
    if (period == llvm::divideFloorSigned(left->maximum, factor))
      return IntegerRange{left->minimum - period * factor,
                          left->maximum - period * factor};
    return IntegerRange{0, factor - 1};
  }
  default:
    return std::nullopt;
  }
}
