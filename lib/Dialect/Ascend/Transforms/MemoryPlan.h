//===- MemoryPlan.h - Addresses of on-chip buffers ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_MEMORYPLAN_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_MEMORYPLAN_H

#include "BufferSpans.h"
#include "tilelang/Chip/Chip.h"

namespace tilelang::ascend::sync {

/// How far buffers may share bytes. Sharing costs flags, so the first level
/// that fits is taken.
enum class Sharing {
  /// Every buffer has bytes of its own.
  None,
  /// Vector temporaries share, and buffers of loops that follow each other in a
  /// block.
  Temporaries,
  /// Buffers of different loops, and vector temporaries, share.
  Loops,
  /// Buffers with one version share as soon as they are dead.
  Tight
};

struct PlacedBuffer {
  const BufferUse *use;
  int64_t versions;
  int64_t address = -1;
  int64_t bytes() const { return versions * use->alloc.getVersionBytes(); }
};

/// The memory of the chip that a kind of buffer lies in.
ChipMemory chipMemoryOf(MemoryKind memory);

/// Places the buffers of one memory; the bytes needed, which may be more than
/// the memory has.
int64_t placeBuffers(llvm::MutableArrayRef<PlacedBuffer> buffers,
                     const Chip &chip, MemoryKind memory, Sharing sharing);

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_MEMORYPLAN_H
