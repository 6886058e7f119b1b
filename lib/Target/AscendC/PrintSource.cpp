//===- PrintSource.cpp - Prints the text of kernels -----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Target/AscendC/EmitAscendC.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilelang;

namespace {
class PrintSourcePass
    : public PassWrapper<PrintSourcePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintSourcePass)

  PrintSourcePass() = default;
  PrintSourcePass(const PrintSourcePass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "ascend-print-source"; }
  StringRef getDescription() const final {
    return "Print the Ascend C source of every kernel";
  }

  void runOnOperation() final {
    EmitOptions options;
    for (auto kernel : getOperation().getOps<ascend::KernelOp>()) {
      EmittedKernel emitted;
      if (failed(emitAscendC(kernel, options, emitted)))
        return signalPassFailure();
      llvm::outs() << emitted.source;
      if (!printLineTable)
        continue;
      for (const LineTableEntry &entry : emitted.lineTable)
        llvm::outs() << "// line " << entry.emittedLine << " = "
                     << entry.position.file << ":" << entry.position.line << ":"
                     << entry.position.column << "\n";
      llvm::outs() << "// blocks " << emitted.blockDim << ", workspace "
                   << emitted.workspaceBytes << "\n";
    }
  }

private:
  Option<bool> printLineTable{
      *this, "line-table",
      llvm::cl::desc("Also print the line table and the launch facts"),
      llvm::cl::init(false)};
};
} // namespace

void tilelang::registerAscendPrintSourcePass() {
  PassRegistration<PrintSourcePass>();
}
