//===- EmitAscendC.h - From final IR to Ascend C source -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The only place that builds Ascend C text. One statement per instruction,
// names from the program, the user's line in comments.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_TARGET_ASCENDC_EMITASCENDC_H
#define TILELANG_TARGET_ASCENDC_EMITASCENDC_H

#include "tilelang/Compiler/Compiler.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

namespace tilelang {

struct EmitOptions {
  /// Name of the entry function; the kernel's symbol if empty.
  std::string entry;
  /// Lines of the comment at the head of the file, e.g. chip and version.
  std::vector<std::string> headLines;
  /// Quote the user's lines; what cannot be read is named by its number only.
  bool quoteSource = true;
};

struct EmittedKernel {
  std::string entry;
  std::string source;
  KernelType kernelType = KernelType::VectorOnly;
  /// Blocks to launch.
  uint32_t blockDim = 0;
  /// Bytes of the workspace argument, the last one; 0 if there is none.
  uint64_t workspaceBytes = 0;
  /// Emitted lines and where they come from, in order of lines.
  std::vector<LineTableEntry> lineTable;
};

/// Emits a kernel whose memory is planned and whose instructions are
/// synchronised. Operations other than those of ascend, scf and arith are
/// errors with the user's line.
mlir::LogicalResult emitAscendC(ascend::KernelOp kernel,
                                const EmitOptions &options,
                                EmittedKernel &result);

/// The user's position behind a location, if it names one: through names and
/// fusions, and to the callee of a call.
std::optional<SourcePosition> sourcePositionOf(mlir::Location location);

/// Registers `--ascend-print-source`: prints the text of every kernel of a
/// module to standard output.
void registerAscendPrintSourcePass();

} // namespace tilelang

#endif // TILELANG_TARGET_ASCENDC_EMITASCENDC_H
