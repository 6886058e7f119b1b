//===- VectorProgram.h - Instructions on virtual registers ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A map becomes a straight-line program on virtual tiles first. Registers are
// then assigned to as few temporaries as possible, and only then operations
// are created: what a map needs of UB is known without lowering it.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORPROGRAM_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORPROGRAM_H

#include "MapGeometry.h"
#include "VectorLane.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

namespace tilelang::vectorcore {

/// A scalar beside a vector operand. Created where the program is emitted.
struct ScalarOperand {
  enum class Form : uint8_t {
    Plain,
    Negated,
    /// All bits of a 16-bit word as the i1 value says.
    MaskWord,
    /// A narrow integer without its sign.
    ZeroExtended,
  };
  /// A value defined outside the body, or one of the body that depends on no
  /// element. Null for constants.
  mlir::Value value;
  /// `FloatAttr` or `IntegerAttr`; null for run-time values.
  mlir::TypedAttr constant;
  Form form = Form::Plain;

  explicit operator bool() const { return value || constant; }
};

struct Register {
  Lane lane;
  Shape shape;
  /// The map's input this register stands for, or -1.
  int input = -1;
};

enum class Opcode : uint8_t {
  Unary,
  Binary,
  Scalar,
  Cast,
  Duplicate,
  Compare,
  CompareScalar,
  Select,
  Index,
  Broadcast,
};

struct Instruction {
  Opcode opcode;
  /// The enum value of the opcode's function, mode or rounding.
  uint32_t function = 0;
  int destination = -1;
  llvm::SmallVector<int, 3> sources;
  /// How sources are read; differs from their registers' lane where bits are
  /// reinterpreted.
  Lane lane = Lane::F32;
  ScalarOperand scalar;
};

struct Program {
  llvm::SmallVector<Register> registers;
  llvm::SmallVector<Instruction> instructions;
  /// The register whose value the output takes. Its last writer stores
  /// to the output directly: it is never an input.
  int result = -1;
};

/// The instruction makes a block of one constant: the whole program shares it.
bool isSharedConstant(const Instruction &op, const Program &program);

/// Elements of a register's storage.
int64_t storageElements(const Register &reg, const MapGeometry &geometry);
/// Bytes of a register's storage, a multiple of 32.
int64_t storageBytes(const Register &reg, const MapGeometry &geometry);

/// Where each register lives.
struct Assignment {
  static constexpr int kNone = -1;
  static constexpr int kOutput = -2;

  struct Slot {
    Shape shape;
    Lane lane;
    int64_t bytes;
  };
  llvm::SmallVector<Slot> slots;
  /// Slot of each register; kOutput for the output tile, kNone for inputs.
  llvm::SmallVector<int> slotOf;

  int64_t bytes() const;
};

Assignment assignRegisters(const Program &program, const MapGeometry &geometry);

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORPROGRAM_H
