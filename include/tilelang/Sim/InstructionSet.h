//===- InstructionSet.h - What each instruction does, needs and costs -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The engine (queues, events, time, checks) and the instruction set (bytes,
// legality, cost) meet here only. For each opcode the instruction set answers
// four questions; the engine decides when to ask them.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_INSTRUCTIONSET_H
#define TILELANG_SIM_INSTRUCTIONSET_H

#include "ascsim/instruction.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilelang {
class Chip;

namespace sim {

using Registers =
    std::array<uint64_t, static_cast<size_t>(ascsim::Register::NumRegisters)>;

/// Host storage of the memories of one core. GM addresses are host addresses.
struct CoreMemories {
  std::array<std::vector<uint8_t>, ascsim::kNumMemories> bytes;
  uint8_t *at(const ascsim::Operand &operand, int64_t offset = 0) {
    if (operand.memory == ascsim::Memory::GM)
      return reinterpret_cast<uint8_t *>(operand.address) + offset;
    return bytes[static_cast<size_t>(operand.memory)].data() + operand.address +
           offset;
  }
  const uint8_t *at(const ascsim::Operand &operand, int64_t offset = 0) const {
    return const_cast<CoreMemories *>(this)->at(operand, offset);
  }
};

/// An instruction as queued: the record plus what was sampled at issue.
struct QueuedInstruction {
  ascsim::Instruction record;
  Registers registers;
};

enum class AccessKind : uint8_t { Read, Write, ReadWrite, AtomicUpdate };

/// `blocks` runs of `blockBytes` bytes, `pitch` bytes from start to start.
struct Access {
  ascsim::Memory memory;
  AccessKind kind;
  uint64_t start;
  uint32_t blockBytes;
  uint32_t blocks;
  int64_t pitch;
  /// Which source operand this belongs to (0, 1, 2) or 3 for the destination.
  /// Initialisation is tracked through: the destination becomes initialised
  /// where all bytes the instruction read for it were.
  uint8_t operand;
};
using AccessList = std::vector<Access>;

/// What the instruction costs on a chip, in core cycles. Occupancy blocks the
/// pipe; latency is the further delay until later flags of the pipe see it.
/// With `gmBytes` the pipe is blocked for the longest of occupancy, the
/// transfer under shared bandwidth, the row bursts and the issue distance of
/// transfers, so occupancy then holds only what the engine cannot know.
struct Cost {
  double occupancy = 0;
  double latency = 0;
  /// Bytes moved to or from GM (512-byte lines touched); the engine turns
  /// these into time by sharing bandwidth among active transfers.
  uint64_t gmBytes = 0;
  bool gmWrite = false;
  /// Row bursts of a strided GM transfer, and cycles per burst.
  uint32_t bursts = 0;
  /// Cycles for which the instruction holds the port of L1: writes from GM and
  /// reads into L0 take turns.
  double l1Cycles = 0;
};

/// A violated rule of the documented API, ready to be shown.
struct Violation {
  std::string rule;    // short name, e.g. "misaligned-operand"
  std::string message; // expected / found
};

/// Appends every byte range the instruction reads or writes. What a Gather
/// reads depends on its offsets: it is listed (as one enclosing range) only
/// when `memories` is given.
void collectAccesses(const QueuedInstruction &, AccessList &,
                     const CoreMemories *memories = nullptr);
/// What issuing a vector instruction does to the mask registers of the core:
/// count forms leave an all-ones mask in normal mode, repeat forms leave their
/// mask. To be applied after the registers were sampled.
void applyIssueEffects(const ascsim::Instruction &, Registers &);
/// Appends violations of alignment, ranges, types and paths on this chip.
/// `Out of bounds` of on-chip memories included.
void checkLegality(const QueuedInstruction &, const Chip &, ascsim::CoreType,
                   std::vector<Violation> &);
/// Performs the instruction on the bytes. An instruction that would leave an
/// on-chip memory changes nothing (checkLegality says why).
void execute(const QueuedInstruction &, CoreMemories &);
/// The cost model; every constant comes from the chip description.
Cost estimateCost(const QueuedInstruction &, const Chip &,
                  const CoreMemories &);
/// Name as in the public API, for messages and timelines.
const char *instructionName(const ascsim::Instruction &);

} // namespace sim
} // namespace tilelang

#endif // TILELANG_SIM_INSTRUCTIONSET_H
