//===- InstructionSetHarnessTest.cpp - Running single instructions --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "InstructionSetTest.h"

using namespace tilelang;
using namespace tilelang::sim;
using namespace tilelang::sim::test;
using ascsim::Memory;
using ascsim::Register;

Machine *Machine::current = nullptr;

Machine::Machine(ascsim::CoreType core) : core(core) {
  std::string error;
  chip = Chip::load(TILELANG_CHIP_DIR, "ascend910b2", error);
  EXPECT_EQ(error, "");
  const ChipMemory order[] = {ChipMemory::L1,  ChipMemory::L0A, ChipMemory::L0B,
                              ChipMemory::L0C, ChipMemory::BT,  ChipMemory::FB,
                              ChipMemory::UB};
  const Memory names[] = {Memory::L1, Memory::L0A, Memory::L0B, Memory::L0C,
                          Memory::BT, Memory::FB,  Memory::UB};
  for (unsigned i = 0; i < 7; ++i)
    memories.bytes[size_t(names[i])].assign(chip.physicalBytes(order[i]), 0xA5);
  registers[size_t(Register::Ctrl)] = uint64_t(1) << 48;
  current = this;
}

Machine::~Machine() { current = nullptr; }

std::string Machine::rules() const {
  std::string text;
  for (const Violation &violation : violations)
    text += (text.empty() ? "" : " ") + violation.rule;
  return text;
}

std::string Machine::messages() const {
  std::string text;
  for (const Violation &violation : violations)
    text += violation.rule + ": " + violation.message + "\n";
  return text;
}

void Machine::issue(const ascsim::Instruction &record) {
  QueuedInstruction queued{record, registers};
  checkLegality(queued, chip, core, violations);
  accesses.clear();
  collectAccesses(queued, accesses, &memories);
  cost = estimateCost(queued, chip, memories);
  if (perform) {
    CoreMemories before;
    if (verify)
      before = memories;
    execute(queued, memories);
    if (verify)
      verifyAccesses(queued, before);
  }
  applyIssueEffects(record, registers);
}

void Machine::verifyAccesses(const QueuedInstruction &queued,
                             const CoreMemories &before) {
  std::array<std::vector<uint8_t>, ascsim::kNumMemories> reads, writes;
  for (unsigned i = 0; i < ascsim::kNumMemories; ++i) {
    reads[i].resize(memories.bytes[i].size());
    writes[i].resize(memories.bytes[i].size());
  }
  for (const Access &access : accesses) {
    if (access.memory == Memory::GM)
      continue;
    for (uint32_t block = 0; block < access.blocks; ++block)
      for (uint32_t byte = 0; byte < access.blockBytes; ++byte) {
        uint64_t at =
            access.start + uint64_t(int64_t(block) * access.pitch) + byte;
        ASSERT_LT(at, memories.bytes[size_t(access.memory)].size());
        if (access.kind != AccessKind::Write)
          reads[size_t(access.memory)][at] = 1;
        if (access.kind != AccessKind::Read)
          writes[size_t(access.memory)][at] = 1;
      }
  }
  CoreMemories other = before;
  for (unsigned i = 0; i < ascsim::kNumMemories; ++i)
    for (size_t at = 0; at < memories.bytes[i].size(); ++at) {
      if (memories.bytes[i][at] != before.bytes[i][at] && !writes[i][at]) {
        FAIL() << instructionName(queued.record) << " changed byte " << at
               << " of memory " << i << " without announcing it";
      }
      if (!reads[i][at])
        other.bytes[i][at] ^= 0x5A;
    }
  // Atomic stores to GM must not happen twice.
  for (const Access &access : accesses)
    if (access.kind == AccessKind::AtomicUpdate)
      return;
  execute(queued, other);
  for (unsigned i = 0; i < ascsim::kNumMemories; ++i)
    for (size_t at = 0; at < memories.bytes[i].size(); ++at)
      if (writes[i][at] && other.bytes[i][at] != memories.bytes[i][at]) {
        FAIL() << instructionName(queued.record) << ": byte " << at
               << " of memory " << i
               << " depends on bytes that were not announced as read, or was "
                  "not written";
      }
}

// The exported functions of the simulator, on the current machine.
extern "C" {
void ascsim_issue(const ascsim::Instruction *instruction) {
  Machine::current->issue(*instruction);
}
ascsim::u64 ascsim_load(const ascsim::Operand *operand) {
  uint64_t bits = 0;
  std::memcpy(&bits, Machine::current->memories.at(*operand),
              ascsim::sizeOf(operand->type));
  return bits;
}
void ascsim_store(const ascsim::Operand *operand, ascsim::u64 bits) {
  std::memcpy(Machine::current->memories.at(*operand), &bits,
              ascsim::sizeOf(operand->type));
}
void ascsim_set_register(Register which, ascsim::u64 value) {
  Machine::current->registers[size_t(which)] = value;
}
ascsim::u64 ascsim_get_register(Register which) {
  return Machine::current->registers[size_t(which)];
}
ascsim::i64 ascsim_query(ascsim::Query) { return 0; }
void ascsim_init_soc_state() {}
void ascsim_cache_clean(const ascsim::Operand *, int) {}
void ascsim_print(const char *) {}
void ascsim_outside(const ascsim::Operand *, ascsim::u32 index,
                    ascsim::u32 elements, int) {
  ADD_FAILURE() << "element " << index << " of " << elements;
}
void ascsim_fault(const char *message) { ADD_FAILURE() << message; }
}

namespace {

/// The harness itself must notice a wrong announcement.
TEST(Harness, CountsViolations) {
  Machine machine(ascsim::CoreType::AIV);
  machine.verify = false;
  AscendC::LocalTensor<float> misaligned(AscendC::TPosition::VECCALC, 4, 64);
  AscendC::Exp(misaligned, misaligned, 64);
  EXPECT_NE(machine.rules().find("misaligned-operand"), std::string::npos);
}

} // namespace
