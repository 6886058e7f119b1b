//===- AscendDialect.cpp - Da Vinci cores: memories, pipes, instructions --===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

#include "tilelang/Dialect/Ascend/IR/AscendDialect.cpp.inc"
#include "tilelang/Dialect/Ascend/IR/AscendEnums.cpp.inc"
#include "tilelang/Dialect/Ascend/IR/InstructionOpInterface.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tilelang/Dialect/Ascend/IR/AscendAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tilelang/Dialect/Ascend/IR/AscendTypes.cpp.inc"
#define GET_OP_CLASSES
#include "tilelang/Dialect/Ascend/IR/AscendOps.cpp.inc"

void AscendDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilelang/Dialect/Ascend/IR/AscendAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilelang/Dialect/Ascend/IR/AscendTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilelang/Dialect/Ascend/IR/AscendOps.cpp.inc"
      >();
}

MemoryKind ascend::memoryOf(MemRefType type) {
  if (auto memory = dyn_cast_if_present<MemoryAttr>(type.getMemorySpace()))
    return memory.getValue();
  return MemoryKind::GM;
}

MemoryKind ascend::memoryOf(Value buffer) {
  return memoryOf(cast<MemRefType>(buffer.getType()));
}

bool ascend::canAddAtomically(Type elementType) {
  if (elementType.isF32() || elementType.isF16() || elementType.isBF16())
    return true;
  auto integer = dyn_cast<IntegerType>(elementType);
  return integer && !integer.isUnsigned() &&
         llvm::is_contained({8u, 16u, 32u}, integer.getWidth());
}

StringRef ascend::memoryName(MemoryKind memory) {
  switch (memory) {
  case MemoryKind::GM:
    return "GM";
  case MemoryKind::L1:
    return "L1";
  case MemoryKind::L0A:
    return "L0A";
  case MemoryKind::L0B:
    return "L0B";
  case MemoryKind::L0C:
    return "L0C";
  case MemoryKind::BT:
    return "BT";
  case MemoryKind::FB:
    return "FB";
  case MemoryKind::UB:
    return "UB";
  }
  llvm_unreachable("unknown memory");
}

int64_t ascend::blockElements(Type elementType) {
  return 32 / static_cast<int64_t>(
                  llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8));
}

Value ascend::rootBuffer(Value view) {
  while (auto op = view.getDefiningOp<ViewOp>())
    view = op.getSource();
  return view;
}

std::string ascend::elementTypeName(Type type) {
  if (type.isF16())
    return "float16";
  if (type.isBF16())
    return "bfloat16";
  if (type.isF32())
    return "float32";
  if (auto integer = dyn_cast<IntegerType>(type))
    return (integer.isUnsigned() ? "uint" : "int") +
           std::to_string(integer.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

int64_t ascend::skewOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (isa<scf::IfOp>(op))
      if (auto skew = op->getAttrOfType<IntegerAttr>(kSkewAttr))
        return skew.getInt();
  return 0;
}

Value ascend::ringOf(Value view) {
  while (auto op = view.getDefiningOp<ViewOp>()) {
    if (op.getRing())
      return op.getRing();
    view = op.getSource();
  }
  return {};
}
