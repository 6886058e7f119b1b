//===- GlobalShape.h - Sizes and strides of tensors -----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_IR_GLOBALSHAPE_H
#define TILELANG_DIALECT_ASCEND_IR_GLOBALSHAPE_H

#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

namespace tilelang::ascend {

/// Constants, or index values of the program.
struct GlobalShape {
  llvm::SmallVector<mlir::OpFoldResult> sizes, strides;
};

/// The shape of a buffer in global memory. Products of run-time sizes are
/// created where the tensor is introduced, so that they dominate its uses.
GlobalShape globalShapeOf(mlir::Value buffer);

/// The run-time size of a dimension; null where it is a constant.
mlir::Value runTimeSizeOf(mlir::Value buffer, unsigned dimension);

/// A constant or value as a value at the builder's position.
mlir::Value asValue(mlir::OpBuilder &builder, mlir::Location location,
                    mlir::OpFoldResult number);

/// value * factor; the factors 0 and 1 and constants fold.
mlir::Value scaled(mlir::OpBuilder &builder, mlir::Location location,
                   mlir::Value value, mlir::OpFoldResult factor);

/// Instructions take the parameters themselves: erases `ascend.tensor`.
void removeTensors(mlir::Region &program);

} // namespace tilelang::ascend

#endif // TILELANG_DIALECT_ASCEND_IR_GLOBALSHAPE_H
