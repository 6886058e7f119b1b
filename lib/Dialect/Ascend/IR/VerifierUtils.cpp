//===- VerifierUtils.cpp - Checks shared by the ascend verifiers ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

Type verify::elementTypeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

int64_t verify::elementBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

std::string verify::printed(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type;
  return text;
}

LogicalResult verify::verifyMemory(Operation *op, StringRef operand,
                                   Value buffer, ArrayRef<MemoryKind> allowed) {
  MemoryKind found = memoryOf(buffer);
  if (llvm::is_contained(allowed, found))
    return success();
  std::string names;
  for (MemoryKind memory : allowed) {
    if (!names.empty())
      names += " or ";
    names += memoryName(memory);
  }
  return op->emitOpError() << "expected " << operand << " in " << names
                           << ", found " << memoryName(found);
}

LogicalResult verify::verifySameElementType(Operation *op, StringRef operand,
                                            Value buffer, StringRef reference,
                                            Value referenceBuffer) {
  Type found = elementTypeOf(buffer);
  Type expected = elementTypeOf(referenceBuffer);
  if (found == expected)
    return success();
  return op->emitOpError() << "expected " << operand
                           << " with the element type " << expected
                           << " of the " << reference << ", found " << found;
}

LogicalResult verify::verifyScalarType(Operation *op, StringRef operand,
                                       Type scalar, Type element) {
  Type expected = element;
  if (auto integer = dyn_cast<IntegerType>(element))
    expected = IntegerType::get(op->getContext(), integer.getWidth());
  if (scalar == expected || scalar == element)
    return success();
  return op->emitOpError() << "expected " << operand << " of type " << expected
                           << ", found " << scalar;
}

LogicalResult verify::verifyFractalShape(Operation *op, StringRef operand,
                                         Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() != 2)
    return op->emitOpError() << "expected " << operand
                             << " of rank 2, found rank " << type.getRank();
  // Accumulators are 16 x 16 whatever their type.
  int64_t columns = memoryOf(type) == MemoryKind::L0C
                        ? 16
                        : blockElements(type.getElementType());
  if (type.getDimSize(0) % 16 == 0 && type.getDimSize(1) % columns == 0)
    return success();
  return op->emitOpError() << "expected " << operand
                           << " with a multiple of 16 rows and of " << columns
                           << " columns, found " << type.getDimSize(0) << "x"
                           << type.getDimSize(1);
}

LogicalResult verify::verifyConstantRange(Operation *op, StringRef operand,
                                          Value value, int64_t limit) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return success();
  int64_t found = constant.getSExtValue();
  if (found >= 0 && found <= limit)
    return success();
  return op->emitOpError() << "expected " << operand << " in 0.." << limit
                           << ", found " << found;
}
