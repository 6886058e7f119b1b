//===- Module.h - The Python handle of a module --------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A module owns its context: kernels may be traced on several threads, and the
// types and attributes of a kernel go away with it.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_PYTHON_BINDINGS_COMPILER_MODULE_H
#define TILELANG_PYTHON_BINDINGS_COMPILER_MODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

namespace tilelang::python {

/// A context without threads that has loaded what traced programs use.
std::shared_ptr<mlir::MLIRContext> createContext();

/// `_compiler.Module`.
struct ModuleHandle {
  /// Declared first, so that it outlives the module.
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  /// A copy in the same context, for whoever lowers it in place.
  mlir::OwningOpRef<mlir::ModuleOp> clone() const;
};

/// Collects the diagnostics of a context while it lives, as dictionaries with
/// the keys severity, message, file, line, col, end_line, end_col, notes. Lines
/// and columns count from 1 (0: unknown); end_col is one past the last column.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);
  nanobind::list take() { return std::move(diagnostics); }
  /// Everything as one text, for errors that are our own.
  std::string text() const;

private:
  nanobind::list diagnostics;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilelang::python

#endif // TILELANG_PYTHON_BINDINGS_COMPILER_MODULE_H
