//===- TileControlOps.cpp - Kernels and loops ----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"

using namespace mlir;
using namespace tilelang::tile;

#define GET_OP_CLASSES
#include "tilelang/Dialect/Tile/IR/TileOps.cpp.inc"

/// The body takes `count` arguments of type index and yields nothing.
static LogicalResult verifyIndexBody(Operation *operation, Block &body,
                                     size_t count, StringRef what) {
  if (body.getNumArguments() != count ||
      !llvm::all_of(body.getArgumentTypes(),
                    [](Type type) { return type.isIndex(); }))
    return operation->emitOpError()
           << "expected a body with " << count << " index arguments, one for "
           << what << ", found " << body.getNumArguments() << " arguments ("
           << body.getArgumentTypes() << ")";
  if (body.getTerminator()->getNumOperands() != 0)
    return operation->emitOpError()
           << "expected a body that yields nothing, found "
           << body.getTerminator()->getNumOperands() << " values";
  return success();
}

LogicalResult KernelOp::verify() {
  size_t rank = getGrid().size();
  if (rank < 1 || rank > 3)
    return emitOpError() << "expected a grid of 1 to 3 dimensions, found "
                         << rank;
  return verifyIndexBody(*this, getBody().front(), rank,
                         "each dimension of the grid");
}

LogicalResult ForOp::verify() {
  if (getConstantIntValue(getStep()) == 0)
    return emitOpError() << "expected a step other than 0, found 0";
  if (static_cast<int64_t>(getStages()) < 0)
    return emitOpError() << "expected a number of stages of at least 0, found "
                         << static_cast<int64_t>(getStages());
  return verifyIndexBody(*this, getBody().front(), 1, "the loop variable");
}

LogicalResult ParallelOp::verify() {
  ArrayRef<int64_t> extents = getExtents();
  if (extents.empty())
    return emitOpError() << "expected at least one extent, found none";
  for (auto [dimension, extent] : llvm::enumerate(extents))
    if (extent < 1)
      return emitOpError() << "expected extents of at least 1, found " << extent
                           << " in dimension " << dimension;
  return verifyIndexBody(*this, getBody().front(), extents.size(),
                         "each extent");
}
