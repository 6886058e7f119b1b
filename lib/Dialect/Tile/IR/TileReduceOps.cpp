//===- TileReduceOps.cpp - Reductions of tiles ---------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Dialect/Tile/IR/RegionUtils.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::tile;

SmallVector<std::optional<unsigned>> ReduceOp::destinationDimensions() {
  unsigned sourceRank = getSource().getType().getShape().size();
  unsigned rank = getDestination().getType().getShape().size();
  unsigned reduced = getDimension();
  SmallVector<std::optional<unsigned>> dimensions;
  for (unsigned dimension = 0; dimension < rank; ++dimension) {
    if (rank == sourceRank)
      dimensions.push_back(dimension == reduced
                               ? std::nullopt
                               : std::optional<unsigned>(dimension));
    else
      dimensions.push_back(dimension < reduced ? dimension : dimension + 1);
  }
  return dimensions;
}

LogicalResult ReduceOp::verify() {
  RegionType source = getSource().getType();
  RegionType destination = getDestination().getType();
  auto rank = static_cast<int64_t>(source.getShape().size());
  int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= rank)
    return emitOpError() << "expected a dimension below " << rank
                         << ", the rank of " << describeBuffer(getSource())
                         << ", found " << dimension;
  SmallVector<int64_t> expected(source.getShape());
  bool keeps = destination.getShape().size() == source.getShape().size();
  if (keeps)
    expected[dimension] = 1;
  else
    expected.erase(expected.begin() + dimension);
  bool equal =
      expected.size() == destination.getShape().size() &&
      llvm::all_of(llvm::zip(expected, destination.getShape()), [](auto pair) {
        auto [a, b] = pair;
        return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
      });
  if (!equal)
    return emitOpError() << "expected the extents of "
                         << describeBuffer(getSource()) << " (" << source
                         << ") without dimension " << dimension
                         << ", or with 1 there, found " << destination << " of "
                         << describeBuffer(getDestination());
  Type from = source.getElementType(), to = destination.getElementType();
  if (isa<FloatType>(from) != isa<FloatType>(to) || from.isInteger(1) ||
      to.isInteger(1))
    return emitOpError() << "expected elements that are both float or both "
                            "integer, found "
                         << from << " and " << to;
  return success();
}

void ReduceOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getSource(), RegionAccessKind::Read});
  accesses.push_back({getDestination(), getAccumulate()
                                            ? RegionAccessKind::Accumulate
                                            : RegionAccessKind::Write});
}

void ReduceOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addRegionAccessEffects(*this, effects);
}
