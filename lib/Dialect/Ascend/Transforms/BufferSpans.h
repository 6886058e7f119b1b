//===- BufferSpans.h - Where on-chip buffers live -------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_BUFFERSPANS_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_BUFFERSPANS_H

#include "SyncProgram.h"

#include "llvm/ADT/DenseMap.h"

namespace tilelang::ascend::sync {

/// Program positions, both ends included: entering and leaving loops count.
struct Span {
  int begin = 0, end = 0;
  bool overlaps(const Span &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

/// How one core's program uses an on-chip buffer.
struct BufferUse {
  /// A handle: accessors of operations are not const.
  mutable AllocOp alloc;
  std::vector<const Instruction *> accesses;
  /// The innermost loop that holds all accesses and starts each iteration with
  /// fresh contents: where versions can rotate. Null if there is none.
  mlir::scf::ForOp loop;
  /// Written by a transfer from, or read by one to, another memory.
  bool transferred = false;
  /// From first to last access; loops that carry the contents whole.
  Span tight;
  /// The whole of `loop`; equals `tight` without one.
  Span wide;
  /// The whole of the outermost loops inside the loop over the blocks that hold
  /// accesses.
  Span outer;
};

/// All buffers of a program, in the order of their allocations.
std::vector<BufferUse> findBufferUses(mlir::Region &region,
                                      CoreProgram &program);

/// Whether an iteration of the loop of `body` may read what an earlier one left
/// in `buffer`.
bool isCarriedBy(Body *body, const CoreProgram &program, mlir::Value buffer);

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_BUFFERSPANS_H
