//===- VectorLane.h - Element types as the vector unit sees them ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORLANE_H
#define TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORLANE_H

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <optional>

namespace tilelang::vectorcore {

/// How an instruction reads the bits of an element. `Mask` is one bit per
/// element, packed into bytes.
enum class Lane : uint8_t { F32, F16, BF16, I64, I32, U32, I16, I8, U8, Mask };

/// Bytes of one element; a mask has none of its own.
int64_t laneBytes(Lane lane);

/// The memref element type an instruction wants to see.
mlir::Type laneType(mlir::MLIRContext *context, Lane lane);

/// The signless type of a scalar operand beside this lane.
mlir::Type laneScalarType(mlir::MLIRContext *context, Lane lane);

/// The lane in which elements of a buffer are stored; nothing for types the
/// vector unit cannot hold. Booleans are stored as bytes.
std::optional<Lane> storageLane(mlir::Type elementType);

/// Bytes of one stored element.
int64_t storageBytes(mlir::Type elementType);

/// The type a buffer's elements have in UB: `i1` becomes `ui8`.
mlir::Type storageType(mlir::Type elementType);

inline bool isUnsignedElement(mlir::Type elementType) {
  return elementType.isUnsignedInteger() || elementType.isInteger(1);
}

} // namespace tilelang::vectorcore

#endif // TILELANG_LIB_CONVERSION_TILETOASCENDVECTOR_VECTORLANE_H
