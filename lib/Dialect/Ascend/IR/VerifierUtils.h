//===- VerifierUtils.h - Checks shared by the ascend verifiers ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Every message has the form "expected ..., found ...", names the operand and
// is attached to the operation that is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_IR_VERIFIERUTILS_H
#define TILELANG_LIB_DIALECT_ASCEND_IR_VERIFIERUTILS_H

#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

#include <optional>

namespace tilelang::ascend::verify {

/// The operand's memory is one of `allowed`.
mlir::LogicalResult verifyMemory(mlir::Operation *op, llvm::StringRef operand,
                                 mlir::Value buffer,
                                 llvm::ArrayRef<MemoryKind> allowed);

/// Both buffers have one element type.
mlir::LogicalResult verifySameElementType(mlir::Operation *op,
                                          llvm::StringRef operand,
                                          mlir::Value buffer,
                                          llvm::StringRef reference,
                                          mlir::Value referenceBuffer);

/// A scalar has the (signless) type of the buffer's elements.
mlir::LogicalResult verifyScalarType(mlir::Operation *op,
                                     llvm::StringRef operand, mlir::Type scalar,
                                     mlir::Type element);

/// A matrix of whole fractals: rank 2, rows a multiple of 16, columns of C0.
mlir::LogicalResult verifyFractalShape(mlir::Operation *op,
                                       llvm::StringRef operand,
                                       mlir::Value buffer);

/// A constant index operand is not negative and at most `limit`.
mlir::LogicalResult verifyConstantRange(mlir::Operation *op,
                                        llvm::StringRef operand,
                                        mlir::Value value, int64_t limit);

mlir::Type elementTypeOf(mlir::Value buffer);
int64_t elementBytes(mlir::Type type);
std::string printed(mlir::Type type);

} // namespace tilelang::ascend::verify

#endif // TILELANG_LIB_DIALECT_ASCEND_IR_VERIFIERUTILS_H
