//===- LocalRanges.h - Which accesses to on-chip memory can meet ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A vector instruction touches blocks of a repetition and repetitions, each
// with a stride of its own: two that work on other columns of the same rows
// have nothing to do with each other.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_LOCALRANGES_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_LOCALRANGES_H

#include "GlobalRanges.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

namespace tilelang::ascend::sync {

/// `rows` times `blocks` stretches of `length` bytes: a row starts `rowPitch`
/// bytes behind the one before, a block of a row `blockPitch`.
struct StridedBytes {
  int64_t length = 0;
  int64_t blocks = 1, blockPitch = 0;
  int64_t rows = 1, rowPitch = 0;

  /// From the first to the last byte.
  int64_t span() const {
    return (rows - 1) * rowPitch + (blocks - 1) * blockPitch + length;
  }
  /// Writes what touches as fewer, longer stretches.
  void normalise();
  bool isContiguous() const { return rows == 1 && blocks == 1; }
};

/// Whether the two share a byte where `second` starts `distance` bytes behind
/// `first`.
bool overlap(const StridedBytes &first, const StridedBytes &second,
             int64_t distance);

/// What one operand of an instruction touches, from the start of the operand.
struct OperandBytes {
  RegionAccess access;
  /// Absent where the size is not known.
  std::optional<StridedBytes> bytes;
};
llvm::SmallVector<OperandBytes, 4> operandBytesOf(mlir::Operation *op);

/// Strided bytes at an offset (in bytes) into a version of a buffer.
struct LocalRange {
  LinearForm offset;
  StridedBytes bytes;
};

/// Whether the two accesses to one version can meet while the loops around both
/// are in the same iteration. `within` is the innermost such loop, or null.
bool mayMeetInIteration(const LocalRange &first, const LocalRange &second,
                        mlir::scf::ForOp within);
/// Whether `first` in one iteration of `loop` and `second` in another, with the
/// loops around it in the same iteration, can meet.
bool mayMeetAcross(const LocalRange &first, const LocalRange &second,
                   mlir::scf::ForOp loop);

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_LOCALRANGES_H
