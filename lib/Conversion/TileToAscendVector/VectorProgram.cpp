//===- VectorProgram.cpp - Few temporaries for many registers -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorProgram.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilelang::vectorcore {

bool isSharedConstant(const Instruction &op, const Program &program) {
  return op.opcode == Opcode::Duplicate && op.scalar.constant &&
         op.scalar.form == ScalarOperand::Form::Plain &&
         op.scalar.constant.getType() ==
             laneScalarType(op.scalar.constant.getContext(), op.lane) &&
         op.lane == program.registers[op.destination].lane &&
         program.registers[op.destination].shape == Shape::Point;
}

int64_t storageElements(const Register &reg, const MapGeometry &geometry) {
  switch (reg.shape) {
  case Shape::Full:
    return llvm::alignTo(geometry.rows * geometry.pitch, kStorageMultiple);
  case Shape::Row:
    return llvm::alignTo(geometry.pitch, kStorageMultiple);
  case Shape::Column:
    return llvm::alignTo(geometry.rows, kStorageMultiple);
  case Shape::Blocks:
    return llvm::alignTo(geometry.rows, 8) * (32 / laneBytes(reg.lane));
  case Shape::Point: // spreading writes eight blocks, of which the first is
                     // meant
    return 256 / laneBytes(reg.lane);
  }
  llvm_unreachable("unknown shape");
}

int64_t storageBytes(const Register &reg, const MapGeometry &geometry) {
  int64_t elements = storageElements(reg, geometry);
  if (reg.lane == Lane::Mask)
    return llvm::alignTo(elements / 8, 256); // logic works on whole repeats
  return llvm::alignTo(elements * laneBytes(reg.lane), 32);
}

int64_t Assignment::bytes() const {
  int64_t total = 0;
  for (const Slot &slot : slots)
    total += slot.bytes;
  return total;
}

/// Elements are read and written in step: the destination may be the source.
static bool allowsInPlace(const Program &program, const Instruction &op,
                          int source) {
  const Register &from = program.registers[source];
  const Register &to = program.registers[op.destination];
  if (from.shape != to.shape || from.lane == Lane::Mask ||
      to.lane == Lane::Mask)
    return from.shape == to.shape && from.lane == to.lane &&
           (op.opcode == Opcode::Binary || op.opcode == Opcode::Unary);
  return laneBytes(from.lane) == laneBytes(to.lane) &&
         op.opcode != Opcode::Broadcast;
}

/// The input's elements are those of the output.
static bool isInStep(const OperandAccess &input, const OperandAccess &output) {
  return input.buffer == output.buffer && input.lane == output.lane &&
         input.shape == output.shape && input.constant == output.constant &&
         input.terms == output.terms &&
         input.outerStrides == output.outerStrides &&
         input.rowStride == output.rowStride && !input.isScalar;
}

/// The first instruction that may write the output: what reads its old elements
/// comes before, or reads each where it writes.
static int firstOutputWrite(const Program &program,
                            const MapGeometry &geometry) {
  int first = 0;
  for (auto [index, op] : llvm::enumerate(program.instructions))
    for (int source : op.sources) {
      int input = program.registers[source].input;
      if (input < 0 || geometry.inputs[input].buffer != geometry.output.buffer)
        continue;
      bool inStep = isInStep(geometry.inputs[input], geometry.output) &&
                    allowsInPlace(program, op, source);
      first = std::max<int>(first, inStep ? index : index + 1);
    }
  return first;
}

Assignment assignRegisters(const Program &program,
                           const MapGeometry &geometry) {
  const int last = static_cast<int>(program.instructions.size()) - 1;
  SmallVector<int> lastUse(program.registers.size(), -1);
  for (auto [index, op] : llvm::enumerate(program.instructions))
    for (int source : op.sources)
      lastUse[source] = index;
  int firstWrite = firstOutputWrite(program, geometry);

  Assignment assignment;
  assignment.slotOf.assign(program.registers.size(), Assignment::kNone);
  SmallVector<bool> busy;
  bool outputBusy = false;
  Register outputStorage{geometry.output.lane, Shape::Full, -1};
  int64_t outputBytes = storageBytes(outputStorage, geometry);
  // The output may hold temporaries where it is written as a whole, and in
  // one go (an outer loop would read elements of later iterations).
  bool outputUsable = geometry.padded && geometry.output.dense &&
                      geometry.output.roundable && geometry.outer.empty();

  auto release = [&](int reg) {
    int slot = assignment.slotOf[reg];
    if (slot == Assignment::kOutput)
      outputBusy = false;
    else if (slot >= 0)
      busy[slot] = false;
  };

  for (auto [position, op] : llvm::enumerate(program.instructions)) {
    int index = position;
    SmallVector<int> dying;
    for (int source : op.sources)
      if (lastUse[source] == index && !llvm::is_contained(dying, source) &&
          program.registers[source].input < 0)
        dying.push_back(source);
    for (int source : dying)
      if (allowsInPlace(program, op, source))
        release(source);

    int reg = op.destination;
    if (isSharedConstant(op, program))
      continue;
    if (index == last && reg == program.result) {
      assignment.slotOf[reg] = Assignment::kOutput;
      continue;
    }
    const Register &info = program.registers[reg];
    int64_t bytes = storageBytes(info, geometry);
    int end = lastUse[reg];
    bool endsInPlace =
        end == last && allowsInPlace(program, program.instructions[last], reg);
    // Masks are unsigned bytes and share storage among themselves only.
    bool isMask = info.lane == Lane::Mask;
    if (outputUsable && !outputBusy && !isMask && info.shape == Shape::Full &&
        bytes <= outputBytes && index >= firstWrite &&
        (end < last || endsInPlace)) {
      assignment.slotOf[reg] = Assignment::kOutput;
      outputBusy = true;
    } else {
      int chosen = -1;
      for (auto [slot, storage] : llvm::enumerate(assignment.slots))
        if (!busy[slot] && storage.shape == info.shape &&
            (storage.lane == Lane::Mask) == isMask && storage.bytes >= bytes &&
            (chosen < 0 || storage.bytes < assignment.slots[chosen].bytes))
          chosen = slot;
      if (chosen < 0) {
        chosen = assignment.slots.size();
        assignment.slots.push_back({info.shape, info.lane, bytes});
        busy.push_back(false);
      }
      busy[chosen] = true;
      assignment.slotOf[reg] = chosen;
    }
    for (int source : dying)
      if (!allowsInPlace(program, op, source))
        release(source);
    if (lastUse[reg] < index)
      release(reg);
  }
  return assignment;
}

} // namespace tilelang::vectorcore
