//===- copy.h - Stands for the Ascend C headers in tests ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_UNITTESTS_SIM_TESTAPI_COPY_H
#define TILELANG_UNITTESTS_SIM_TESTAPI_COPY_H

#include "ascsim/instruction.h"

using namespace ascsim;

[[gnu::always_inline]] static inline void
copy(Opcode opcode, Pipe pipe, Operand dst, Operand src, u32 bytes) {
  Instruction record(opcode, pipe);
  record.dst = dst;
  record.src0 = src;
  record.copy = {};
  record.copy.blockCount = 1;
  record.copy.blockBytes = bytes;
  record.copy.gmPitch = record.copy.localPitch = bytes;
  record.copy.byteGranular = true;
  [[clang::nomerge]] ascsim_issue(&record);
}

#endif // TILELANG_UNITTESTS_SIM_TESTAPI_COPY_H
