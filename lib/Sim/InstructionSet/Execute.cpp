//===- Execute.cpp - Performing one instruction ---------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Execute.h"

#include <cstring>

using namespace tilelang::sim;
using ascsim::Memory;
using ascsim::Opcode;
using ascsim::Register;

/// A wrong program must not be able to crash the simulator.
static bool insideMemories(const QueuedInstruction &queued,
                           const CoreMemories &memories) {
  thread_local AccessList accesses;
  accesses.clear();
  collectAccesses(queued, accesses, &memories);
  for (const Access &access : accesses) {
    if (access.memory == Memory::GM)
      continue; // the engine checks GM against the kernel's arguments
    if (access.memory >= Memory::None)
      return false;
    uint64_t size = memories.bytes[static_cast<size_t>(access.memory)].size();
    int64_t last =
        int64_t(access.start) + int64_t(access.blocks - 1) * access.pitch;
    if (access.start > size || last < 0 ||
        access.start + access.blockBytes > size ||
        uint64_t(last) + access.blockBytes > size)
      return false;
  }
  return true;
}

void tilelang::sim::execute(const QueuedInstruction &queued,
                            CoreMemories &memories) {
  switch (queued.record.opcode) {
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
  case Opcode::PipeBarrier:
  case Opcode::CrossCoreSet:
  case Opcode::CrossCoreWait:
  case Opcode::NumOpcodes:
    return;
  default:
    break;
  }
  if (!insideMemories(queued, memories))
    return;
  switch (queued.record.opcode) {
  case Opcode::CopyGmToLocal:
  case Opcode::CopyLocalToGm:
  case Opcode::CopyLocal:
  case Opcode::CopyNd2Nz:
  case Opcode::LoadData2D:
  case Opcode::LoadData3D:
  case Opcode::LoadDataTranspose:
  case Opcode::FillLocal:
    return executeMove(queued, memories);
  case Opcode::Fixpipe:
    return executeFixpipe(queued, memories);
  case Opcode::Mmad:
    return executeMmad(queued, memories);
  default:
    return executeVector(queued, memories);
  }
}

void tilelang::sim::storeToGlobal(const QueuedInstruction &queued, uint8_t *to,
                                  const uint8_t *from, uint64_t bytes) {
  uint64_t mode = readRegister(queued, Register::AtomicMode);
  if (mode == 0) {
    std::memcpy(to, from, bytes);
    return;
  }
  auto type =
      static_cast<ascsim::DataType>(readRegister(queued, Register::AtomicType));
  uint32_t size = ascsim::sizeOf(type);
  if (size == 0)
    return;
  kernels().atomic(to, from, bytes / size, static_cast<uint32_t>(mode), type);
}

float tilelang::sim::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits >> 15) << 31, exponent = bits >> 10 & 31,
           fraction = bits & 1023;
  uint32_t result;
  if (exponent == 31)
    result = sign | 0x7F800000u | fraction << 13;
  else if (exponent != 0)
    result = sign | (exponent + 112) << 23 | fraction << 13;
  else {
    float magnitude =
        static_cast<float>(fraction) * 5.9604644775390625e-08f; // 2^-24
    std::memcpy(&result, &magnitude, 4);
    result |= sign;
  }
  float value;
  std::memcpy(&value, &result, 4);
  return value;
}
