//===- VectorLane.cpp - Element types as the vector unit sees them --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorLane.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilelang::vectorcore {

int64_t laneBytes(Lane lane) {
  switch (lane) {
  case Lane::I64:
    return 8;
  case Lane::F32:
  case Lane::I32:
  case Lane::U32:
    return 4;
  case Lane::F16:
  case Lane::BF16:
  case Lane::I16:
    return 2;
  case Lane::I8:
  case Lane::U8:
  case Lane::Mask:
    return 1;
  }
  llvm_unreachable("unknown lane");
}

Type laneType(MLIRContext *context, Lane lane) {
  switch (lane) {
  case Lane::F32:
    return Float32Type::get(context);
  case Lane::F16:
    return Float16Type::get(context);
  case Lane::BF16:
    return BFloat16Type::get(context);
  case Lane::I64:
    return IntegerType::get(context, 64);
  case Lane::I32:
    return IntegerType::get(context, 32);
  case Lane::U32:
    return IntegerType::get(context, 32, IntegerType::Unsigned);
  case Lane::I16:
    return IntegerType::get(context, 16);
  case Lane::I8:
    return IntegerType::get(context, 8);
  case Lane::U8:
  case Lane::Mask:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  }
  llvm_unreachable("unknown lane");
}

Type laneScalarType(MLIRContext *context, Lane lane) {
  Type type = laneType(context, lane);
  if (type.isUnsignedInteger())
    return IntegerType::get(context, type.getIntOrFloatBitWidth());
  return type;
}

std::optional<Lane> storageLane(Type elementType) {
  if (elementType.isF32())
    return Lane::F32;
  if (elementType.isF16())
    return Lane::F16;
  if (elementType.isBF16())
    return Lane::BF16;
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer)
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return Lane::U8;
  case 8:
    return integer.isUnsigned() ? Lane::U8 : Lane::I8;
  case 16:
    return Lane::I16;
  case 32:
    return Lane::I32;
  case 64:
    return Lane::I64;
  default:
    return std::nullopt;
  }
}

int64_t storageBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

Type storageType(Type elementType) {
  if (elementType.isInteger(1))
    return IntegerType::get(elementType.getContext(), 8, IntegerType::Unsigned);
  return elementType;
}

} // namespace tilelang::vectorcore
