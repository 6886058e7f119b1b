//===- Execute.h - Groups of instructions as executed ---------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_SIM_INSTRUCTIONSET_EXECUTE_H
#define TILELANG_LIB_SIM_INSTRUCTIONSET_EXECUTE_H

#include "Kernels.h"
#include "Shapes.h"

namespace tilelang::sim {

void executeVector(const QueuedInstruction &, CoreMemories &);
void executeMove(const QueuedInstruction &, CoreMemories &);
void executeMmad(const QueuedInstruction &, CoreMemories &);
void executeFixpipe(const QueuedInstruction &, CoreMemories &);

/// Writes `bytes` to GM, combining with what is there in atomic mode.
void storeToGlobal(const QueuedInstruction &, uint8_t *to, const uint8_t *from,
                   uint64_t bytes);

inline uint64_t readRegister(const QueuedInstruction &queued,
                             ascsim::Register which) {
  return queued.registers[static_cast<size_t>(which)];
}
/// CTRL[48] = 0: results of 16-bit floats saturate instead of becoming inf.
inline bool saturates(const QueuedInstruction &queued) {
  return (readRegister(queued, ascsim::Register::Ctrl) >> 48 & 1) == 0;
}

/// The bits of a half as a float.
float halfToFloat(uint16_t bits);

} // namespace tilelang::sim

#endif // TILELANG_LIB_SIM_INSTRUCTIONSET_EXECUTE_H
