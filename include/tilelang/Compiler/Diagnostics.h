//===- Diagnostics.h - MLIR diagnostics as data ---------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_COMPILER_DIAGNOSTICS_H
#define TILELANG_COMPILER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "tilelang/Compiler/Compiler.h"

namespace tilelang {

/// The position in the user's program that a location stands for: the
/// innermost file location, wherever it is wrapped.
SourcePosition positionOf(mlir::Location location);

/// Collects what MLIR reports while it lives. Messages that begin with
/// "unsupported: " or "internal: " are classed and lose the prefix.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  std::vector<CompilerDiagnostic> take() { return std::move(collected); }
  bool hasInternalError() const;
  size_t size() const { return collected.size(); }
  /// Forgets what came after the first `count` diagnostics; the first error
  /// among it.
  std::string rewind(size_t count);

private:
  mlir::ScopedDiagnosticHandler handler;
  std::vector<CompilerDiagnostic> collected;
};

} // namespace tilelang

#endif // TILELANG_COMPILER_DIAGNOSTICS_H
