//===- Registration.h - Dialects and passes of the compiler --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_COMPILER_REGISTRATION_H
#define TILELANG_COMPILER_REGISTRATION_H
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tilelang/Compiler/Pipeline.h"
#include "tilelang/Conversion/TileToAscend/Passes.h"
#include "tilelang/Conversion/TileToAscendVector/VectorPasses.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"
#include "tilelang/Dialect/Ascend/Transforms/Passes.h"
#include "tilelang/Dialect/Tile/IR/TileDialect.h"
#include "tilelang/Dialect/Tile/Transforms/Passes.h"
#include "tilelang/Target/AscendC/EmitAscendC.h"

namespace tilelang {

/// Every dialect that a module of ours may hold at some stage.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  tile::TileDialect>();
  registry.insert<ascend::AscendDialect>();
}

/// Every pass of ours, under its flag.
inline void registerAllPasses() {
  tile::registerTileLangTilePasses();
  ascend::registerTileLangAscendPasses();
  registerAscendPrintSourcePass();
  registerTileToAscendPasses();
  mlir::registerLoopInvariantCodeMotionPass();
  registerAscendPipeline();
  registerTileToAscendVectorPasses();
}

} // namespace tilelang

#endif // TILELANG_COMPILER_REGISTRATION_H
