//===- Checker.h - Collecting violated rules of one instruction -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_SIM_INSTRUCTIONSET_CHECKER_H
#define TILELANG_LIB_SIM_INSTRUCTIONSET_CHECKER_H

#include "Shapes.h"
#include "tilelang/Chip/Chip.h"

#include <string>

namespace tilelang::sim {

const char *memoryNameOf(ascsim::Memory memory);
const char *typeNameOf(ascsim::DataType type);

/// Texts are built only when a rule is violated.
class Checker {
public:
  Checker(const QueuedInstruction &queued, const Chip &chip,
          std::vector<Violation> &violations)
      : queued(queued), record(queued.record), chip(chip),
        violations(violations) {}

  const QueuedInstruction &queued;
  const ascsim::Instruction &record;
  const Chip &chip;

  void fail(const char *rule, const std::string &message) {
    violations.push_back(
        {rule, std::string(instructionName(record)) + ": " + message});
  }
  static std::string number(int64_t value) { return std::to_string(value); }

  /// A field of a parameter structure within its documented range.
  void range(const char *field, int64_t value, int64_t low, int64_t high) {
    if (value >= low && value <= high)
      return;
    fail("field-range", std::string(field) + " is " + number(value) +
                            ", expected " + number(low) + " to " +
                            number(high));
  }
  void aligned(const char *what, uint64_t address, uint32_t unit,
               ascsim::Memory memory) {
    if (unit <= 1 || address % unit == 0)
      return;
    fail("misaligned-operand",
         std::string("the ") + what + " starts at byte " +
             number(int64_t(address)) + " of " + memoryNameOf(memory) +
             ", expected a multiple of " + number(unit) + "; it is " +
             number(int64_t(address % unit)) + " too far");
  }
  void operandIn(const char *what, const ascsim::Operand &operand,
                 ascsim::Memory expected) {
    if (operand.memory == expected)
      return;
    fail("wrong-memory", std::string("the ") + what + " lies in " +
                             memoryNameOf(operand.memory) + ", expected " +
                             memoryNameOf(expected));
  }

private:
  std::vector<Violation> &violations;
};

void checkVector(Checker &);

} // namespace tilelang::sim

#endif // TILELANG_LIB_SIM_INSTRUCTIONSET_CHECKER_H
