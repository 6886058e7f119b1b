//===- VectorLayout.h - Which bytes the lanes of a vector op touch --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A vector instruction works repeat by repeat on up to 256 bytes of its widest
// operand. What the record, the mask registers and the mask mode say together
// is resolved here once; execution, accesses, legality and cost all start from
// the result.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_SIM_INSTRUCTIONSET_VECTORLAYOUT_H
#define TILELANG_LIB_SIM_INSTRUCTIONSET_VECTORLAYOUT_H

#include "tilelang/Sim/InstructionSet.h"

namespace tilelang::sim {

/// Widths of elements are counted in bits, because of int4.
inline uint32_t bitsOf(ascsim::DataType type) {
  return type == ascsim::DataType::I4 ? 4 : ascsim::sizeOf(type) * 8;
}

/// One operand of a resolved vector instruction.
struct LaneOperand {
  uint32_t elementBits = 0;
  uint32_t blockStride = 32; // bytes
  uint32_t repeatStride = 0; // bytes
  /// Bytes of one full repeat of `lanes` elements.
  uint32_t repeatBytes(uint32_t lanes) const { return lanes * elementBits / 8; }
  bool contiguousBlocks(uint32_t lanes) const {
    return blockStride == 32 || repeatBytes(lanes) <= 32;
  }
  bool contiguous(uint32_t lanes) const {
    return contiguousBlocks(lanes) && repeatStride == repeatBytes(lanes);
  }
};

struct ResolvedVector {
  uint32_t lanes = 0;     // elements of one full repeat
  uint32_t repeats = 0;   // iterations
  uint32_t lastLanes = 0; // counter mode: lanes of the last iteration
  bool counterMode = false;
  bool fullMask = false; // every lane of every iteration but the last is on
  uint64_t mask[2] = {0, 0};
  LaneOperand dst, src0, src1;

  /// Number of leading lanes when the on lanes of iteration `i` are a prefix;
  /// -1 when the mask has holes.
  int prefixLanes(uint32_t iteration) const;
  bool laneOn(uint32_t iteration, uint32_t lane) const {
    if (counterMode)
      return iteration + 1 < repeats || lane < lastLanes;
    return (mask[lane / 64] >> (lane % 64)) & 1;
  }
  uint32_t totalLanes() const {
    return repeats == 0 ? 0 : (repeats - 1) * lanes + lastLanes;
  }
};

/// Resolves every vector opcode except Broadcast (which has no mask).
ResolvedVector resolveVector(const QueuedInstruction &);

inline bool isVectorOpcode(ascsim::Opcode opcode) {
  return opcode >= ascsim::Opcode::Unary && opcode <= ascsim::Opcode::VecIndex;
}

} // namespace tilelang::sim

#endif // TILELANG_LIB_SIM_INSTRUCTIONSET_VECTORLAYOUT_H
