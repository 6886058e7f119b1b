//===- Passes.td - From tile programs to the two core programs --*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_CONVERSION_TILETOASCEND_PASSES_TD
#define TILELANG_CONVERSION_TILETOASCEND_PASSES_TD

include "mlir/Pass/PassBase.td"

def AscendSplitAccumulators : Pass<"ascend-split-accumulators", "::mlir::func::FuncOp"> {
  let summary = "Keep accumulators that vector code updates out of the Cube core";
  let description = [{
    A tile that products accumulate into and vector code writes in the same live range (attention
    rescales its output) stays on the Vector cores' side: each product goes into a tile of
    its own and is added to it.
  }];
  let dependentDialects = ["::tilelang::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def AscendAssignUnits : Pass<"ascend-assign-units", "::mlir::func::FuncOp"> {
  let summary = "Decide for each tile operation whether the Cube or the Vector core runs it";
  let description = [{
    Sets `ascend.unit` ("aic" or "aiv"). Products run on the Cube core, and so do
    the copies that feed them, the clearing of accumulators and the stores that only
    convert an accumulator. A tile that both kinds of core read is loaded once for each.
  }];
  let dependentDialects = ["::tilelang::tile::TileDialect"];
}

def AscendPlaceRanges : Pass<"ascend-place-ranges", "::mlir::func::FuncOp"> {
  let summary = "Place each live range in L1, L0C or UB, and add transfers between cores";
  let description = [{
    Sets `ascend.memory` on each on-chip `tile.alloc`. An accumulator that vector code
    reads goes through a workspace in global memory: the Cube core stores it there, the
    Vector cores load it into a tile of the same name.
  }];
  let dependentDialects = ["::tilelang::tile::TileDialect", "::tilelang::ascend::AscendDialect"];
}

def AscendSplitKernel : Pass<"ascend-split-kernel", "::mlir::ModuleOp"> {
  let summary = "Make one program for each core type, and deal grid blocks to cores";
  let dependentDialects = ["::tilelang::ascend::AscendDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect"];
  let options = [
    Option<"chip", "chip", "std::string", [{"ascend910b2"}], "chip whose core counts bound the number of blocks">,
    Option<"chipDirectory", "chip-directory", "std::string", [{""}], "folder of the chip descriptions">
  ];
}

def AscendOrderTasks : Pass<"ascend-order-tasks", "::mlir::ModuleOp"> {
  let summary = "Let both core types run ahead of what they wait for from each other";
  let description = [{
    The body of a loop that both programs run falls into tasks, cut where values
    travel between the cores: task 0 and 2 on the Cube core, 1 and 3 on the Vector
    cores. Where a program has several tasks, later ones work on earlier
    iterations: `for t in 0 .. n + d: if t < n: task 0 of t; if t >= d: task 2 of t - d`.
    While a core waits for the answer to one task, it works on the next.

    Guards carry `ascend.task` and `ascend.skew`, the loop `ascend.skew`. A buffer that
    one task leaves for a later one carries `ascend.task_versions`; until buffers get
    their versions, it is understood per iteration.
  }];
  let dependentDialects = ["::tilelang::ascend::AscendDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    Option<"depth", "depth", "int64_t", "2", "iterations between two tasks of a core; 0 leaves programs as they are">
  ];
}

def AscendLowerCube : Pass<"ascend-lower-cube", "::mlir::ModuleOp"> {
  let summary = "Lower the Cube core's tile operations to instructions";
  let description = [{
    Products are split along k so that two versions of both operands fit L0A and L0B.
    Clearing an accumulator becomes the first product's `init`, except where a loop may run
    zero times.
  }];
  let dependentDialects = ["::tilelang::ascend::AscendDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"chip", "chip", "std::string", [{"ascend910b2"}], "chip whose capacities are used">,
    Option<"chipDirectory", "chip-directory", "std::string", [{""}], "folder of the chip descriptions">
  ];
}

#endif // TILELANG_CONVERSION_TILETOASCEND_PASSES_TD
