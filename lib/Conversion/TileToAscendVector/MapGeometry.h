//===- MapGeometry.h - A map as rows and columns of UB tiles --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_MAPGEOMETRY_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_MAPGEOMETRY_H

#include "VectorTile.h"

#include <string>

namespace tilelang::vectorcore {

/// Which part of the iteration a value varies over. `Blocks` is a column whose
/// elements each fill 32 bytes, `Point` one value that fills 32 bytes.
enum class Shape : uint8_t { Full, Row, Column, Blocks, Point };

/// What an iteration dimension has become.
struct DimensionRole {
  enum class Kind : uint8_t { Unit, Outer, Row, Column };
  Kind kind = Kind::Unit;
  /// For Outer: position in MapGeometry::outer.
  unsigned position = 0;
};

/// Where an operand's elements are.
struct OperandAccess {
  mlir::Value buffer;
  Lane lane = Lane::F32;
  bool isUnsigned = false;
  bool isBool = false;
  /// One element for all iterations that the scalar unit reads; the shape has
  /// no meaning then.
  bool isScalar = false;
  Shape shape = Shape::Full;
  /// First element: `constant` + sum of value * factor.
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms;
  /// Elements between neighbours of each outer dimension.
  llvm::SmallVector<int64_t> outerStrides;
  int64_t rowStride = 0;
  /// Full: rows are `pitch` apart and whole, so that one instruction covers
  /// them with the padding between.
  bool dense = false;
  /// Whole comparisons (128 elements) stay inside the buffer.
  bool roundable = false;
};

struct MapGeometry {
  /// Extents of the dimensions that become loops.
  llvm::SmallVector<int64_t> outer;
  int64_t rows = 1;
  int64_t columns = 1;
  /// Elements from row to row of the output (where `padded`) and temporaries.
  int64_t pitch = 1;
  /// The output's rows are whole: its padding may be overwritten.
  bool padded = false;
  llvm::SmallVector<DimensionRole> roles;
  /// The map's inputs; for clipped maps, the output's old value comes last.
  llvm::SmallVector<OperandAccess> inputs;
  OperandAccess output;
};

/// The geometry of a map, or nothing and why it has no vector form.
std::optional<MapGeometry> computeGeometry(tile::MapOp map,
                                           const TileLayouts &layouts,
                                           std::string &reason);

/// `expression` as constant + sum of coefficient * dimension.
bool decomposeLinear(mlir::AffineExpr expression,
                     llvm::MutableArrayRef<int64_t> coefficients,
                     int64_t &constant);

/// A number that divides the value in every execution; at least 1, 0 where the
/// value is 0.
int64_t knownDivisor(mlir::Value value);

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_MAPGEOMETRY_H
