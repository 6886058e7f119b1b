//===- VectorEmitter.h - From vector programs to operations ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTOREMITTER_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTOREMITTER_H

#include "VectorContext.h"
#include "VectorProgram.h"

namespace tilelang::vectorcore {

/// Creates the operations of one map's program at the builder's position.
class ProgramEmitter {
public:
  ProgramEmitter(VectorContext &context, mlir::OpBuilder &builder,
                 tile::MapOp map, const MapGeometry &geometry,
                 const Program &program, const Assignment &assignment)
      : context(context), builder(builder), location(map.getLoc()), map(map),
        geometry(geometry), program(program), assignment(assignment),
        scalars(context, builder, map) {}

  void emit();

private:
  /// Where a register's elements start, and how far its rows are apart.
  struct Place {
    mlir::Value base;
    int64_t constant = 0;
    mlir::Value offset; // on top of `constant`, or null
    int64_t rowStride = 0;
    Lane lane = Lane::F32; // of the register
    Shape shape = Shape::Full;
    bool dense = true;
  };

  void emitLoops(unsigned depth);
  void emitInstruction(const Instruction &op);
  void emitElementwise(const Instruction &op);
  void emitWholeRegister(const Instruction &op);
  /// Creates the operation on given operands; exactly one of count and repeat.
  void create(const Instruction &op, mlir::ValueRange operands,
              std::optional<int64_t> count, ascend::RepeatAttr repeat);
  void emitFlatRepeats(const Instruction &op, llvm::ArrayRef<Place> places,
                       int64_t count);
  void emitRepeatedRow(const Instruction &op, llvm::ArrayRef<Place> places,
                       int64_t count, mlir::Value row);
  void emitChunks(const Instruction &op, llvm::ArrayRef<Place> places);
  void emitRows(const Instruction &op, llvm::ArrayRef<Place> places);
  void emitRow(const Instruction &op, llvm::ArrayRef<Place> places,
               mlir::Value row);

  Place placeOf(int reg);
  Place placeOf(const OperandAccess &access);
  /// A view of `count` elements of `lane` from `skip` elements on, in the row
  /// that the index says (the first without).
  mlir::Value view(const Place &place, Lane lane, int64_t skip, int64_t count,
                   mlir::Value row = {});
  mlir::Value scalarOf(const Instruction &op);
  /// Lane in which operand `index` (0 is the destination) is accessed.
  Lane accessLane(const Instruction &op, unsigned index) const;
  /// Columns an instruction computes. Where what lies behind the last may be
  /// overwritten, whole bytes of masks are made of elements that were computed.
  int64_t columnsOf(const Instruction &op) const;
  /// Contiguous elements of the destination.
  int64_t elementsOf(const Instruction &op) const;

  VectorContext &context;
  mlir::OpBuilder &builder;
  mlir::Location location;
  tile::MapOp map;
  const MapGeometry &geometry;
  const Program &program;
  const Assignment &assignment;
  ScalarMaterialiser scalars;
  llvm::SmallVector<mlir::Value> slots;
  /// Registers that are blocks of the whole program.
  llvm::DenseMap<int, mlir::Value> constants;
  llvm::SmallVector<mlir::Value> outerIndices;
};

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTOREMITTER_H
