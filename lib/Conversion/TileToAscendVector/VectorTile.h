//===- VectorTile.h - How tiles lie in UB ---------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Unit dimensions are left out. A tile is then a row of elements, or rows of
// one pitch; the pitch depends on the number of columns only, so that tiles
// of equal shape and different type line up element by element. Rows start on
// 32 bytes, and the storage is a multiple of 128 elements: comparisons work on
// 256 bytes at a time.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORTILE_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORTILE_H

#include "VectorLane.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"

namespace tilelang::vectorcore {

/// Storage is a multiple of this many elements.
inline constexpr int64_t kStorageMultiple = 128;

struct TileLayout {
  /// Elements between neighbours in each logical dimension; 0 for unit
  /// dimensions.
  llvm::SmallVector<int64_t> strides;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t pitch = 1;
  /// Elements of the storage, a multiple of kStorageMultiple.
  int64_t elements = 1;

  /// `[elements]` or `[rows, pitch]`.
  llvm::SmallVector<int64_t> storageShape() const;
};

/// The layouts of one core's program.
class TileLayouts {
public:
  TileLayouts() = default;
  /// Looks at every buffer of the program: bytes need a pitch of 32.
  explicit TileLayouts(mlir::Region &program);

  int64_t pitchOf(int64_t columns) const;
  TileLayout of(mlir::MemRefType type) const;
  TileLayout of(llvm::ArrayRef<int64_t> shape) const;
  /// Bytes of one version in UB.
  int64_t bytes(mlir::MemRefType type) const;

private:
  int64_t pitchMultiple = 16;
};

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORTILE_H
