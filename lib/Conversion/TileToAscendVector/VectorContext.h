//===- VectorContext.h - State of lowering one core's program -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORCONTEXT_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORCONTEXT_H

#include "VectorTile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilelang::vectorcore {

struct ScalarOperand;

/// The tiles of one program, and where temporaries go.
struct VectorContext {
  TileLayouts layouts;
  /// From the tile-level buffer to its storage.
  llvm::DenseMap<mlir::Value, mlir::Value> storage;
  /// The program's top: allocations are placed before this operation.
  mlir::Operation *allocationPoint = nullptr;
  unsigned temporaries = 0;
  /// An error has been reported where no value says so.
  bool failed = false;

  /// The buffer that instructions access; tensors stand for themselves.
  mlir::Value storageOf(mlir::Value buffer) const {
    auto known = storage.find(buffer);
    return known == storage.end() ? buffer : known->second;
  }
  mlir::Value allocateTemporary(mlir::Location location, mlir::Type element,
                                int64_t elements);
  /// As `allocateTemporary`, for what only the vector unit accesses and no
  /// other tile operation needs: the operations of a program share it.
  mlir::Value allocateScratch(mlir::Location location, mlir::Type element,
                              int64_t elements);
  /// Scratch space is free again: the next tile operation begins.
  void releaseScratch();

  /// A block of equal elements in UB, made once at the program's top.
  mlir::Value constantBlock(mlir::Location location, mlir::TypedAttr constant,
                            Lane lane);
  llvm::DenseMap<std::pair<mlir::Attribute, int>, mlir::Value> constants;

  struct Scratch {
    mlir::Value storage;
    bool busy = false;
  };
  llvm::SmallVector<Scratch> scratch;
};

//===-- Element accesses (LowerElementAccess.cpp) -------------------------===//

/// Offset of an element in the buffer's storage.
mlir::Value linearOffset(mlir::OpBuilder &builder, mlir::Location location,
                         const VectorContext &context, mlir::Value buffer,
                         mlir::ValueRange indices);

/// An i1 that tells whether the indices are inside; null where they provably
/// are.
mlir::Value isInside(mlir::OpBuilder &builder, mlir::Location location,
                     mlir::Value buffer, mlir::ValueRange indices);

/// Reads an element: 0 outside a tensor.
mlir::Value readElement(mlir::OpBuilder &builder, mlir::Location location,
                        const VectorContext &context, mlir::Value buffer,
                        mlir::ValueRange indices);

/// Writes an element: dropped outside a tensor. With `isAtomic`, adds to an
/// element of a tensor.
void writeElement(mlir::OpBuilder &builder, mlir::Location location,
                  VectorContext &context, mlir::Value value, mlir::Value buffer,
                  mlir::ValueRange indices, bool isAtomic = false);

/// An error where the chip cannot add to elements of the tensor atomically.
mlir::LogicalResult verifyAtomicAddition(mlir::Operation *op,
                                         mlir::Value tensor);

/// A `tile.cast` of scalars by arith operations; null where there is no form.
mlir::Value lowerScalarCast(mlir::OpBuilder &builder, tile::CastOp op,
                            mlir::Value source);

/// The indices at which an input or the output (last) of a map is accessed
/// for given iteration indices.
llvm::SmallVector<mlir::Value> accessIndices(mlir::OpBuilder &builder,
                                             tile::MapOp map, unsigned operand,
                                             mlir::ValueRange iteration);

/// Creates scalars of a map's body outside of it.
class ScalarMaterialiser {
public:
  ScalarMaterialiser(VectorContext &context, mlir::OpBuilder &builder,
                     tile::MapOp map)
      : context(context), builder(builder), map(map) {}

  /// Fixes the iteration indices that are known (others are null). Forgets
  /// what was created before.
  void setIteration(llvm::ArrayRef<mlir::Value> indices);

  /// The value in the scalar type `type`.
  mlir::Value get(const ScalarOperand &operand, mlir::Type type);

private:
  mlir::Value clone(mlir::Value value);

  VectorContext &context;
  mlir::OpBuilder &builder;
  tile::MapOp map;
  llvm::SmallVector<mlir::Value> iteration;
  mlir::IRMapping mapping;
  llvm::SmallVector<
      std::pair<std::tuple<mlir::Value, int, mlir::Type>, mlir::Value>>
      converted;
};

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORCONTEXT_H
