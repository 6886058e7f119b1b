//===- GlobalRanges.h - Which accesses to global memory can meet ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_GLOBALRANGES_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_GLOBALRANGES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace tilelang::ascend::sync {

/// sum of coefficient * symbol + constant, in elements. A symbol is any value
/// that is not itself a sum.
struct LinearForm {
  llvm::SmallMapVector<mlir::Value, int64_t, 4> terms;
  int64_t constant = 0;
};
LinearForm linearFormOf(mlir::Value value);
/// Adds `scale * value` to `form`.
void addScaled(LinearForm &form, mlir::Value value, int64_t scale);

std::optional<int64_t> constantOf(mlir::Value value);

/// The distance from one offset to another as far as it is known: low..high.
struct Distance {
  int64_t low = 0, high = 0;
  bool exact() const { return low == high; }
};
/// `second - first`; nothing where it is not known at all. `varies` says which
/// symbols differ between the two; `except` is one that the caller treats
/// itself.
std::optional<Distance> distanceOf(const LinearForm &first,
                                   const LinearForm &second,
                                   llvm::function_ref<bool(mlir::Value)> varies,
                                   mlir::Value except = {});
/// Whether a symbol may have different values in two accesses in the same
/// iteration of `within`, the innermost loop around both (or null): it belongs
/// to a deeper loop.
bool variesWithin(mlir::Value symbol, mlir::scf::ForOp within);

/// The largest value an index can have, where that shows in how it is computed.
std::optional<int64_t> upperBoundOf(mlir::Value value);

/// Rows of elements in global memory: `rows` x `columns` at `offset`, `stride`
/// apart. Absent extents are unknown.
struct GlobalRange {
  LinearForm offset;
  std::optional<int64_t> rows, columns, stride;
  mlir::Type elementType;
};
/// The range an instruction touches in global memory; nothing if the
/// instruction has no such operand or its range is not understood.
std::optional<GlobalRange> globalRangeOf(mlir::Operation *op);

/// Whether two accesses to one buffer can meet while the loops around both are
/// in the same iteration. `within` is the innermost such loop, or null.
bool mayMeetInIteration(const GlobalRange &first, const GlobalRange &second,
                        mlir::scf::ForOp within);
/// Whether `first` in one iteration of `loop` and `second` in another can meet.
bool mayMeetAcross(const GlobalRange &first, const GlobalRange &second,
                   mlir::scf::ForOp loop);

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_GLOBALRANGES_H
