//===- Passes.td - Passes on the ascend dialect ------------*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_TRANSFORMS_PASSES_TD
#define TILELANG_DIALECT_ASCEND_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class AscendKernelPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::tilelang::ascend::AscendDialect"];
}

class ChipOption : Option<"chip", "chip", "std::string", [{"ascend910b2"}],
                          "chip whose description gives capacities and limits">;
class ChipDirectoryOption : Option<"chipDirectory", "chip-directory", "std::string", [{""}],
                          "folder of the chip descriptions">;

def AscendDistributeBranches : AscendKernelPass<"ascend-distribute-branches"> {
  let summary = "Cut branches where a program awaits what the other core makes of the branch's own data";
  let description = [{
    Counters between cores stand outside of branches. A branch that writes for the other
    core and then reads what that core computed becomes two branches on one condition.
  }];
  let dependentDialects = ["::tilelang::ascend::AscendDialect", "::mlir::scf::SCFDialect"];
}

def AscendMultiBuffer : AscendKernelPass<"ascend-multi-buffer"> {
  let summary = "Give buffers several versions so that pipes overlap";
  let description = [{
    A buffer that is written anew in each iteration of a loop gets versions that
    rotate in that loop: as many as the program asked for (`ascend.stages`), two by the
    compiler's own choice elsewhere. Versions that do not fit are reduced; fewer than
    asked for is a remark. What was reduced carries `ascend.wanted_versions`, for reports.
  }];
  let options = [ChipOption<>, ChipDirectoryOption<>];
}

def AscendPlanMemory : AscendKernelPass<"ascend-plan-memory"> {
  let summary = "Give every on-chip buffer an address";
  let options = [ChipOption<>, ChipDirectoryOption<>];
}

def AscendInsertSync : AscendKernelPass<"ascend-insert-sync"> {
  let summary = "Insert the smallest set of flags, barriers and counters that orders every dependence";
  let options = [ChipOption<>, ChipDirectoryOption<>];
}

def AscendVerifySync : AscendKernelPass<"ascend-verify-sync"> {
  let summary = "Prove that every dependence is ordered, and name flags that are redundant";
  let options = [ChipOption<>, ChipDirectoryOption<>];
}

#endif // TILELANG_DIALECT_ASCEND_TRANSFORMS_PASSES_TD
