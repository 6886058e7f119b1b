//===- CorrespondingLoops.h - Loops that both programs run alike ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_TRANSFORMS_CORRESPONDINGLOOPS_H
#define TILELANG_DIALECT_ASCEND_TRANSFORMS_CORRESPONDINGLOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace tilelang::ascend {

/// Compares loops of the two programs of a kernel. Both were copied from one
/// program, so loops correspond where their bounds are computed alike from the
/// same parameters, block numbers and variables of corresponding loops. Loops
/// that only one program has (strips of rows) do not.
class CorrespondingLoops {
public:
  /// Whether `aic` and `aiv` run equally often. Outer loops are compared before
  /// inner ones.
  bool correspond(mlir::scf::ForOp aic, mlir::scf::ForOp aiv);

private:
  bool sameValue(mlir::Value first, mlir::Value second);
  llvm::DenseMap<mlir::Value, mlir::Value> variables;
};

} // namespace tilelang::ascend

#endif // TILELANG_DIALECT_ASCEND_TRANSFORMS_CORRESPONDINGLOOPS_H
