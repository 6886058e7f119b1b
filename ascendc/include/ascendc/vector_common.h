//===- vector_common.h - Building records of vector instructions ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Every vector call has two forms. The count form processes `count` contiguous
// elements (the chip's counter mode) and leaves the mask register all ones. The
// repeat form processes up to 256 bytes per repeat under a mask, given as a
// number of lanes, as two 64-bit words, or taken from the mask register.
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_VECTOR_COMMON_H
#define ASCENDC_VECTOR_COMMON_H

#include "ascendc/params.h"
#include "ascendc/sync.h"

namespace AscendC {
namespace detail {

constexpr uint16_t repeatStride(uint32_t size, uint32_t widest) {
  return static_cast<uint16_t>(8 * size / widest);
}

/// Contiguous operands; `widest` is the size that fills 256 bytes a repeat.
ASCENDC_API void setCount(ascsim::Instruction &instruction, int64_t count,
                          uint32_t dstSize, uint32_t srcSize, uint32_t widest) {
  ascsim::VectorShape &shape = instruction.vector;
  shape.counterMode = true;
  shape.count = count < 0 ? 0 : static_cast<uint32_t>(count);
  shape.dst = {1, repeatStride(dstSize, widest)};
  shape.src0 = shape.src1 = {1, repeatStride(srcSize, widest)};
}

template <bool isSetMask>
ASCENDC_API void setMask(ascsim::Instruction &instruction, uint64_t mask,
                         uint32_t repeat) {
  ascsim::VectorShape &shape = instruction.vector;
  shape.repeat = repeat;
  shape.maskFromRegister = !isSetMask;
  if constexpr (isSetMask) {
    shape.count = static_cast<uint32_t>(mask);
    shape.mask[0] = lowMask(mask);
    shape.mask[1] = highMask(mask);
  }
}
template <bool isSetMask>
ASCENDC_API void setMask(ascsim::Instruction &instruction, const uint64_t *mask,
                         uint32_t repeat) {
  ascsim::VectorShape &shape = instruction.vector;
  shape.repeat = repeat;
  shape.maskFromRegister = !isSetMask;
  if constexpr (isSetMask) {
    shape.count = static_cast<uint32_t>(mask[0]);
    shape.mask[0] = mask[0];
    shape.mask[1] = mask[1];
  }
}

ASCENDC_API void setStrides(ascsim::Instruction &instruction,
                            const UnaryRepeatParams &params) {
  instruction.vector.dst = {params.dstBlkStride, params.dstRepStride};
  instruction.vector.src0 = {params.srcBlkStride, params.srcRepStride};
}
ASCENDC_API void setStrides(ascsim::Instruction &instruction,
                            const BinaryRepeatParams &params) {
  instruction.vector.dst = {params.dstBlkStride, params.dstRepStride};
  instruction.vector.src0 = {params.src0BlkStride, params.src0RepStride};
  instruction.vector.src1 = {params.src1BlkStride, params.src1RepStride};
}

ASCENDC_API ascsim::Instruction vectorOp(ascsim::Opcode opcode,
                                         ascsim::Function function,
                                         ascsim::Operand dst,
                                         ascsim::Operand src0) {
  ascsim::Instruction instruction(opcode, ascsim::Pipe::V);
  instruction.function = function;
  instruction.dst = dst;
  instruction.src0 = src0;
  return instruction;
}

} // namespace detail
} // namespace AscendC

#endif // ASCENDC_VECTOR_COMMON_H
