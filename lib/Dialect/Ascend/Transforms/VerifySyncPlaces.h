//===- VerifySyncPlaces.h - Which bytes instructions touch ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The bytes of each operand, numbered: what an instruction touches in one
// iteration is a few numbers, and whether two of them meet is worked out once.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCPLACES_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCPLACES_H

#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

#include "llvm/ADT/DenseMap.h"

#include <limits>
#include <map>

namespace tilelang::ascend::verifysync {

/// A number as far as it is known: `value`, plus an unknown summand named by
/// `tag` unless that is 0. Tags are added and scaled like what they name, so
/// that equal sums have equal tags.
struct Number {
  int64_t value = 0;
  uint64_t tag = 0;
};

/// `rows` runs of `length` bytes, `pitch` bytes apart.
struct Stretch {
  int64_t begin = 0, length = 0;
  int64_t rows = 1, pitch = 0;
  bool operator==(const Stretch &) const = default;
};

/// Bytes of one address space; places in different spaces never meet.
struct Place {
  std::tuple<int, uint64_t, int64_t> space;
  /// Everything lies in low..high, wherever the stretches seem to be.
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  /// Names an unknown summand of all addresses; 0 if they are known.
  uint64_t tag = 0;
  llvm::SmallVector<Stretch, 1> stretches;
  bool operator==(const Place &) const = default;
};
bool mayMeet(const Place &first, const Place &second);

/// An access to the place of that number.
struct Touch {
  uint32_t place;
  bool reads, writes;
  bool operator==(const Touch &) const = default;
};

/// What the operands of an instruction depend on.
class TouchContext {
public:
  virtual ~TouchContext() = default;
  virtual Number evaluate(mlir::Value value) = 0;
  /// The version that `view` selects.
  virtual int64_t slotOf(ViewOp view) = 0;
  int core = 0;
  int64_t gridIteration = 0;
};

/// All places of a kernel, whatever way its programs take.
class Places {
public:
  /// Numbers an instruction.
  uint32_t describe(mlir::Operation *op);
  /// Adds what an instruction touches.
  void touch(uint32_t instruction, TouchContext &context,
             std::vector<Touch> &touches);

  size_t size() const { return places.size(); }
  const Place &operator[](uint32_t number) const { return places[number]; }
  /// The places that `number` meets, itself included.
  llvm::ArrayRef<uint32_t> meeting(uint32_t number) const {
    return meetings[number];
  }

private:
  /// What is the same each time an operand is touched.
  struct Operand {
    RegionAccess access;
    mlir::Value root;
    ViewOp slotView;
    /// Offsets that are not constant, and their scale in bytes.
    llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2> offsets;
    int64_t start = 0;
    llvm::SmallVector<Stretch, 1> stretches;
    /// The places by slot, if nothing else makes a difference; -1 if not known.
    bool isFixed = false;
    llvm::SmallVector<int64_t, 3> fixed;
  };
  struct Instruction {
    mlir::Operation *op;
    llvm::SmallVector<Operand, 3> operands;
  };
  /// Places that lie in low..high.
  struct Area {
    int64_t low, high;
    std::vector<uint32_t> members;
  };

  static Operand operandOf(const RegionAccess &access,
                           llvm::SmallVector<Stretch, 1> stretches);
  static Place placeOf(mlir::Operation *op, const Operand &operand,
                       int64_t slot, TouchContext &context);
  uint32_t number(Place place);

  std::vector<Instruction> instructions;
  std::vector<Place> places;
  std::vector<std::vector<uint32_t>> meetings;
  llvm::DenseMap<uint64_t, llvm::SmallVector<uint32_t, 1>> byHash;
  std::map<std::tuple<int, uint64_t, int64_t>, std::vector<Area>> areas;
};

} // namespace tilelang::ascend::verifysync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCPLACES_H
