//===- RowAnalysis.h - Which tiles can be worked on row by row ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_ROWANALYSIS_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_ROWANALYSIS_H

#include "VectorLowering.h"
#include "llvm/ADT/SetVector.h"

namespace tilelang::vectorcore {

/// Operations of one block that share a loop over strips of rows.
using RowGroup = llvm::SmallVector<mlir::Operation *>;

/// The common rows of a program's tiles: the first dimension that is not 1.
class RowAnalysis {
public:
  RowAnalysis(mlir::Region &program, mlir::Block &body);

  /// Rows of every row tile; 0 where no dimension is common.
  int64_t rows = 0;
  /// Tiles whose rows are independent in all that is done to them.
  llvm::SetVector<mlir::Value> tiles;
  /// Groups in program order; every operation on row tiles is in one.
  llvm::SmallVector<RowGroup> groups;

  static unsigned rowDimension(mlir::MemRefType type);
  /// The copy or map works along the rows.
  bool isRowOperation(mlir::Operation *op) const;
  /// The iteration dimension of a row map that runs along the rows.
  static unsigned rowIteration(tile::MapOp map);
  /// All copies and maps of a group, nested ones included.
  static llvm::SmallVector<mlir::Operation *>
  operationsOf(const RowGroup &group);
  /// Tiles all of whose accesses are in one group.
  llvm::SetVector<mlir::Value> localTiles() const;
  /// The loop around the group that first accesses a tile; null without one.
  mlir::Operation *groupLoopOf(mlir::Value tile) const;

private:
  void chooseRows(mlir::Region &program);
  bool removeDependent(mlir::Region &program);
  bool hasOnlyWholeAccesses(mlir::Value tile) const;
  bool isRowReduce(tile::ReduceOp reduce) const;
  bool isRowMap(tile::MapOp map,
                llvm::SmallVectorImpl<mlir::Value> &dropped) const;
  void formGroups(mlir::Block &block);
  bool canRepeat(mlir::Operation *op) const;
};

/// The UB side of a copy to or from global memory.
tile::RegionOp chipSide(tile::CopyOp copy);
tile::RegionOp globalSide(tile::CopyOp copy);

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_ROWANALYSIS_H
