//===- ReduceEmitter.h - Instructions that combine rows and lanes ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_REDUCEEMITTER_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_REDUCEEMITTER_H

#include "VectorContext.h"

namespace tilelang::vectorcore {

/// Rows of 32-bit elements in UB, `pitch` elements apart.
struct Plane {
  mlir::Value base;
  int64_t constant = 0;
  mlir::Value offset; // on top of `constant`, or null
  int64_t pitch = 0;

  /// The same rows from a later element on.
  Plane at(int64_t elements) const {
    Plane moved = *this;
    moved.constant += elements;
    return moved;
  }
};

/// Elements of scratch space that `reduceColumns` needs besides its source.
struct ColumnScratch {
  int64_t tree = 0;   // what more than 64 columns become on the way
  int64_t blocks = 0; // what the last 64 columns become on the way
  int64_t elements() const { return tree + blocks; }
};

/// Emits reductions of 32-bit elements at a builder's position. `function` is
/// Add, Max or Min.
class ReduceEmitter {
public:
  ReduceEmitter(VectorContext &context, mlir::OpBuilder &builder,
                mlir::Location location, ascend::BinaryFunction function,
                mlir::Type element)
      : context(context), builder(builder), location(location),
        function(function), element(element) {}

  static ColumnScratch columnScratch(int64_t rows, int64_t columns,
                                     bool inPlace, bool isFloat);

  /// target[r] = all of source[r, 0 .. columns). The source's rows may be
  /// overwritten where `inPlace`.
  void reduceColumns(Plane source, Plane target, int64_t rows, int64_t columns,
                     bool inPlace);

  /// target[e] = all of source[0 .. count, e) for contiguous slices of `slice`
  /// elements, of which the first `used` matter.
  void reduceSlices(Plane source, Plane target, int64_t count, int64_t slice,
                    int64_t used, bool inPlace);

private:
  void combine(Plane to, Plane a, Plane b, int64_t count, mlir::Value row = {});
  void combineChunks(Plane to, Plane a, Plane b, int64_t rows, int64_t chunks);
  void combineLanes(Plane to, Plane a, Plane b, int64_t rows, int64_t lanes);
  void copyChunk(Plane to, Plane from, int64_t rows);
  void forEachRow(int64_t rows, llvm::function_ref<void(mlir::Value)> body);
  void reduceLanes(Plane source, Plane target, int64_t rows, int64_t lanes,
                   bool inPlace);
  void reduceIntegerLanes(Plane source, Plane target, int64_t rows,
                          int64_t lanes, bool inPlace);
  void reduceLanesByScalar(Plane source, Plane target, int64_t rows,
                           int64_t lanes);
  void horizontal(ascend::ReduceForm form, Plane source, Plane target,
                  int64_t sourceElements, int64_t targetElements,
                  llvm::ArrayRef<int64_t> lanes, int64_t repeats,
                  int64_t srcBlock, int64_t srcRepeat, int64_t dstRepeat = 1,
                  mlir::Value row = {});
  void reduceBlocks(Plane source, Plane target, int64_t rows, int64_t columns);
  /// Rows of `rowBlocks` blocks each, one block of which has values in its
  /// first `lanes` lanes: a value for each row.
  void reduceRowBlocks(Plane source, Plane target, int64_t rows,
                       int64_t rowBlocks, int64_t lanes);
  mlir::Value view(const Plane &plane, int64_t skip, int64_t count,
                   mlir::Value row = {});
  Plane allocate(int64_t elements, int64_t pitch);

  VectorContext &context;
  mlir::OpBuilder &builder;
  mlir::Location location;
  ascend::BinaryFunction function;
  mlir::Type element;
};

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_REDUCEEMITTER_H
