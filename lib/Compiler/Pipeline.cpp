//===- Pipeline.cpp - The passes of each target, in order -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Compiler/Pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tilelang/Conversion/TileToAscend/Passes.h"
#include "tilelang/Conversion/TileToAscendVector/VectorPasses.h"
#include "tilelang/Dialect/Ascend/Transforms/Passes.h"
#include "tilelang/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;

namespace tilelang {
namespace {

/// All passes that ask for a chip have the same two options.
template <typename Options> Options chipOptions(const CompileOptions &options) {
  Options result;
  result.chip = options.chip;
  result.chipDirectory = options.chipDirectory;
  return result;
}

void addTile(OpPassManager &manager, const CompileOptions &) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void addNormalized(OpPassManager &manager, const CompileOptions &) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(tile::createTileCheckBounds());
  function.addPass(tile::createTileCheckInitialised());
  function.addPass(tile::createTileNormalizeParallel());
  function.addPass(tile::createTileSplitLiveRanges());
  function.addPass(tile::createTileCheckGridStores());
}

void addPlaced(OpPassManager &manager, const CompileOptions &options) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(createAscendStageGlobals());
  function.addPass(createAscendSplitAccumulators());
  function.addPass(createAscendAssignUnits());
  function.addPass(createAscendPlaceRanges());
  manager.addPass(
      createAscendSplitKernel(chipOptions<AscendSplitKernelOptions>(options)));
  // Offsets move out of loops, so that what depends on them can too.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
}

void addOrdered(OpPassManager &manager, const CompileOptions &options) {
  AscendOrderTasksOptions order;
  order.depth = options.taskSkew;
  manager.addPass(createAscendOrderTasks(order));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createAscendSplitVectorWork(
      chipOptions<AscendSplitVectorWorkOptions>(options)));
  manager.addPass(
      createAscendLowerCube(chipOptions<AscendLowerCubeOptions>(options)));
  manager.addPass(createAscendLowerVector());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
  // Behind the last canonicalisation, which joins neighbouring branches.
  manager.addPass(ascend::createAscendDistributeBranches());
  manager.addPass(ascend::createAscendMultiBuffer(
      chipOptions<ascend::AscendMultiBufferOptions>(options)));
}

void addFinal(OpPassManager &manager, const CompileOptions &options) {
  manager.addPass(ascend::createAscendPlanMemory(
      chipOptions<ascend::AscendPlanMemoryOptions>(options)));
  manager.addPass(ascend::createAscendInsertSync(
      chipOptions<ascend::AscendInsertSyncOptions>(options)));
  manager.addPass(ascend::createAscendVerifySync(
      chipOptions<ascend::AscendVerifySyncOptions>(options)));
}

} // namespace

ArrayRef<PipelineStage> ascendStages() {
  static const PipelineStage stages[] = {{"tile", addTile},
                                         {"normalized", addNormalized},
                                         {"placed", addPlaced},
                                         {"ordered", addOrdered},
                                         {"final", addFinal}};
  return stages;
}

void registerAscendPipeline() {
  struct Options : PassPipelineOptions<Options> {
    PassOptions::Option<std::string> chip{*this, "chip",
                                          llvm::cl::desc("chip to compile for"),
                                          llvm::cl::init("ascend910b2")};
    PassOptions::Option<std::string> chipDirectory{
        *this, "chip-directory",
        llvm::cl::desc("folder of the chip descriptions"), llvm::cl::init("")};
  };
  PassPipelineRegistration<Options>(
      "ascend-pipeline", "Tile program to final Ascend program",
      [](OpPassManager &manager, const Options &given) {
        CompileOptions options;
        options.chip = given.chip;
        options.chipDirectory = given.chipDirectory;
        for (const PipelineStage &stage : ascendStages())
          stage.addPasses(manager, options);
      });
}

} // namespace tilelang
