//===- VectorLowering.h - Steps of lowering the Vector core's program -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORLOWERING_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORLOWERING_H

#include "VectorContext.h"

#include <string>

namespace tilelang::vectorcore {

/// Leaves two kinds of work in a Vector core's program: maps on UB tiles, and
/// copies between global memory and UB without conversion. Copies within UB and
/// fills become maps; a converting copy gets a tile of the tensor's type.
mlir::LogicalResult normalizeVectorWork(mlir::Region &program);

/// Lets the results of maps take the place of an operand that is dead
/// afterwards.
void coalesceTiles(mlir::Region &program);

/// Replaces a map by vector instructions, or by a scalar loop.
mlir::LogicalResult lowerMap(VectorContext &context, tile::MapOp map);

/// Replaces a map by loops over its elements on the scalar unit.
mlir::LogicalResult lowerMapToScalarLoop(VectorContext &context,
                                         tile::MapOp map,
                                         const std::string &reason);

/// Replaces a copy between global memory and UB by DMA. With `zeroFill`,
/// elements outside of the tensor read 0; otherwise they may be anything.
mlir::LogicalResult lowerCopy(VectorContext &context, tile::CopyOp copy,
                              bool zeroFill);

/// Elements of a store that are spread to one 32-byte block each at a time.
inline constexpr int64_t kSpreadElements = 128;

/// Bytes of UB that a map's temporaries take; 0 for scalar loops.
int64_t temporaryBytes(tile::MapOp map, const TileLayouts &layouts);

/// Bytes of UB that a store of elements that lie apart takes for temporaries.
int64_t temporaryBytes(tile::CopyOp copy);

/// A fill as a map over the region.
tile::MapOp createFillMap(mlir::OpBuilder &builder, mlir::Location location,
                          mlir::Value value, mlir::Value region);

//===-- Clipping (ClipAnalysis.cpp) ---------------------------------------===//

/// The same value in every execution, as far as structure tells.
bool isSameValue(mlir::Value a, mlir::Value b);

/// offset + size, where it is a constant.
std::optional<int64_t> endOf(mlir::Value offset, mlir::Value size);

/// True when a positive `size` provably does not reach beyond `bound` from the
/// offset.
bool endsBy(mlir::Value offset, mlir::Value size, int64_t bound);

/// True when `size` elements from the offset are at least what lies inside both
/// an extent and a bound.
bool reachesEnd(mlir::Value offset, mlir::Value size, int64_t extent,
                int64_t bound);

/// True when the region may reach outside of its buffer in this dimension.
bool mayClip(tile::RegionOp region, unsigned dimension);

/// True when elements of the copy's destination that lie outside of its source
/// tensor may be observed: then they have to be 0.
bool observesOutside(tile::CopyOp load);

/// Dimensions of a region whose extent is not the constant 1, in order.
llvm::SmallVector<unsigned> nonUnitDimensions(tile::RegionOp region);

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORLOWERING_H
