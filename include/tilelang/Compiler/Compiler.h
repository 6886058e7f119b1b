//===- Compiler.h - From a tile module to an emitted kernel ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The one entry into the compiler: module + target + options -> source text and
// everything the runtime needs to launch it.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_COMPILER_COMPILER_H
#define TILELANG_COMPILER_COMPILER_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilelang {

/// A position in the user's program; lines and columns count from 1, 0 means
/// unknown.
struct SourcePosition {
  std::string file;
  uint32_t line = 0, column = 0, endLine = 0, endColumn = 0;
};

enum class Severity { Error, Warning, Remark, Note };
enum class DiagnosticClass { User, Unsupported, Internal };

struct CompilerDiagnostic {
  Severity severity = Severity::Error;
  DiagnosticClass kind = DiagnosticClass::User;
  std::string message;
  SourcePosition position;
  std::vector<CompilerDiagnostic> notes;
};

/// One line of the emitted source that came from a line of the program.
struct LineTableEntry {
  uint32_t emittedLine;
  SourcePosition position;
};

struct CompileOptions {
  /// A chip of `chipDirectory`, e.g. "ascend910b2".
  std::string chip = "ascend910b2";
  std::string chipDirectory;
  /// Name of the kernel's entry function; derived from the function if empty.
  std::string entry;
  /// Pass options by name, as given by the user.
  std::map<std::string, std::string> passConfigs;
  /// Iterations between two tasks of a core in loops that both core types run;
  /// fewer are taken where buffers do not fit. `ascend.task_skew` in
  /// `passConfigs` has precedence.
  int64_t taskSkew = 2;
  /// Keep the IR after each named stage (`tile`, `normalized`, `placed`,
  /// `ordered`, `final`).
  bool keepStages = false;
  /// Folder for crash reproducers; none are written if empty.
  std::string reproducerDirectory;
};

enum class KernelType { CubeOnly, VectorOnly, Mixed };

struct CompiledKernel {
  bool succeeded = false;
  /// The compiler crashed and was left in the middle of its work: the module
  /// must not be used again, not even destroyed.
  bool crashed = false;
  std::string entry;
  std::string source;
  KernelType kernelType = KernelType::VectorOnly;
  /// Number of AI Core blocks to launch.
  uint32_t blockDim = 0;
  /// Bytes of the workspace argument, which follows the program's arguments;
  /// 0 if there is none.
  uint64_t workspaceBytes = 0;
  std::vector<LineTableEntry> lineTable;
  std::map<std::string, std::string> stages;
  /// Errors, warnings and remarks, in order.
  std::vector<CompilerDiagnostic> diagnostics;
  /// Counts for reports: flag pairs per loop, barriers, cross-core flags.
  std::map<std::string, int64_t> statistics;
  /// What became of the program, as JSON text: units, buffers, exchange
  /// between cores, synchronisation of loops.
  std::string description;
};

/// Compiles for an Ascend chip. The module is consumed (lowered in place).
/// Never throws: everything said is in `diagnostics`. A crash of the compiler
/// becomes an internal error, and the process goes on.
CompiledKernel compileForAscend(mlir::ModuleOp module,
                                const CompileOptions &options);

} // namespace tilelang

#endif // TILELANG_COMPILER_COMPILER_H
