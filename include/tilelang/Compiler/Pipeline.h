//===- Pipeline.h - The passes of each target, in order -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_COMPILER_PIPELINE_H
#define TILELANG_COMPILER_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "tilelang/Compiler/Compiler.h"

namespace tilelang {

/// A part of the pipeline after which the IR has a name for `show_ir`.
struct PipelineStage {
  /// `tile`, `normalized`, `placed`, `ordered`, `final`.
  std::string name;
  void (*addPasses)(mlir::OpPassManager &, const CompileOptions &);
};

/// The stages of the Ascend target, in order.
llvm::ArrayRef<PipelineStage> ascendStages();

/// Registers the whole pipeline as `--ascend-pipeline` for tilelang-opt.
void registerAscendPipeline();

} // namespace tilelang

#endif // TILELANG_COMPILER_PIPELINE_H
