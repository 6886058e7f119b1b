//===- LowerReduce.h - Reductions on the Vector core ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_LOWERREDUCE_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_LOWERREDUCE_H

#include "VectorContext.h"

namespace tilelang::vectorcore {

/// Replaces a reduction by vector instructions.
mlir::LogicalResult lowerReduce(VectorContext &context, tile::ReduceOp reduce);

/// Bytes of UB that a reduction's temporaries take.
int64_t temporaryBytes(tile::ReduceOp reduce, const TileLayouts &layouts);

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_LOWERREDUCE_H
