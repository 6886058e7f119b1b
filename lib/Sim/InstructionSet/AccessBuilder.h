//===- AccessBuilder.h - Building merged lists of byte ranges -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_SIM_INSTRUCTIONSET_ACCESSBUILDER_H
#define TILELANG_LIB_SIM_INSTRUCTIONSET_ACCESSBUILDER_H

#include "Shapes.h"

namespace tilelang::sim {

class AccessBuilder {
public:
  explicit AccessBuilder(AccessList &list) : list(list) {}

  /// Adds `blocks` runs; runs that touch become one.
  void add(ascsim::Memory memory, AccessKind kind, uint64_t start,
           uint32_t blockBytes, uint32_t blocks, int64_t pitch,
           uint8_t operand) {
    if (blockBytes == 0 || blocks == 0)
      return;
    if (pitch == 0)
      blocks = 1;
    uint64_t total = uint64_t(blockBytes) * blocks;
    if (blocks > 1 && pitch == int64_t(blockBytes) && total <= UINT32_MAX) {
      blockBytes = static_cast<uint32_t>(total);
      blocks = 1;
    }
    if (blocks == 1)
      pitch = 0;
    list.push_back({memory, kind, start, blockBytes, blocks, pitch, operand});
  }

private:
  AccessList &list;
};

/// The lanes of one vector operand.
void addLanes(AccessBuilder &, const ascsim::Operand &, const LaneOperand &,
              const ResolvedVector &, AccessKind, uint8_t operand);
void cubeAccesses(const QueuedInstruction &, AccessBuilder &);

/// What one repeat of a reduction writes, and the distance to the next.
struct ReduceOutput {
  uint32_t bytes, pitch;
};
ReduceOutput reduceOutput(const ascsim::Instruction &, const ResolvedVector &);

/// The bytes that enclose everything a Gather reads through its offsets.
struct GatherRange {
  bool any = false;
  uint64_t begin = 0, end = 0;
};
GatherRange gatherRange(const QueuedInstruction &, const ResolvedVector &,
                        const CoreMemories &);

} // namespace tilelang::sim

#endif // TILELANG_LIB_SIM_INSTRUCTIONSET_ACCESSBUILDER_H
