//===- VectorPasses.h - From tile operations to the Vector core -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_CONVERSION_TILETOASCENDVECTOR_VECTORPASSES_H
#define TILELANG_CONVERSION_TILETOASCENDVECTOR_VECTORPASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilelang {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tilelang/Conversion/TileToAscendVector/VectorPasses.h.inc"
} // namespace tilelang

#endif // TILELANG_CONVERSION_TILETOASCENDVECTOR_VECTORPASSES_H
