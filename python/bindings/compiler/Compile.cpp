//===- Compile.cpp - From a traced module to an emitted kernel ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Binds `compileForAscend`. Results are plain Python values: what follows
// (cache, host compilation, artifacts) happens outside the compiler.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "Module.h"

#include "tilelang/Compiler/Compiler.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"
#include "tilelang/Interfaces/RegionAccessOpInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace mlir;
using namespace tilelang;
using tilelang::python::ModuleHandle;

namespace {

const char *name(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  return "error";
}

const char *name(DiagnosticClass kind) {
  switch (kind) {
  case DiagnosticClass::User:
    return "user";
  case DiagnosticClass::Unsupported:
    return "unsupported";
  case DiagnosticClass::Internal:
    return "internal";
  }
  return "internal";
}

const char *name(KernelType type) {
  switch (type) {
  case KernelType::CubeOnly:
    return "cube";
  case KernelType::VectorOnly:
    return "vector";
  case KernelType::Mixed:
    return "mixed";
  }
  return "vector";
}

/// The keys of the dictionaries that `Module.verify` returns, and `kind`.
nb::dict describe(const CompilerDiagnostic &diagnostic) {
  nb::dict entry;
  entry["severity"] = name(diagnostic.severity);
  entry["kind"] = name(diagnostic.kind);
  entry["message"] = diagnostic.message;
  entry["file"] = diagnostic.position.file;
  entry["line"] = diagnostic.position.line;
  entry["col"] = diagnostic.position.column;
  entry["end_line"] = diagnostic.position.endLine;
  entry["end_col"] = diagnostic.position.endColumn;
  nb::list notes;
  for (const CompilerDiagnostic &note : diagnostic.notes)
    notes.append(describe(note));
  entry["notes"] = notes;
  return entry;
}

nb::dict describe(const CompiledKernel &kernel) {
  nb::dict result;
  result["succeeded"] = kernel.succeeded;
  result["entry"] = kernel.entry;
  result["source"] = kernel.source;
  result["kernel_type"] = name(kernel.kernelType);
  result["block_dim"] = kernel.blockDim;
  result["workspace_bytes"] = kernel.workspaceBytes;
  nb::list lines;
  for (const LineTableEntry &line : kernel.lineTable)
    lines.append(nb::make_tuple(
        line.emittedLine, line.position.file, line.position.line,
        line.position.column, line.position.endLine, line.position.endColumn));
  result["lines"] = lines;
  result["stages"] = kernel.stages;
  nb::list diagnostics;
  for (const CompilerDiagnostic &diagnostic : kernel.diagnostics)
    diagnostics.append(describe(diagnostic));
  result["diagnostics"] = diagnostics;
  result["statistics"] = kernel.statistics;
  result["description"] = kernel.description;
  return result;
}

/// The function argument that a region or buffer lies behind; null if it is
/// on-chip memory.
BlockArgument globalArgument(Value target) {
  while (Operation *definition = target.getDefiningOp()) {
    if (auto tensor = dyn_cast<tile::TensorOp>(definition))
      return dyn_cast<BlockArgument>(tensor.getPointer());
    // A region or view names its buffer first.
    if (!isa<tile::TileDialect>(definition->getDialect()) ||
        definition->getNumOperands() == 0)
      return nullptr;
    target = definition->getOperand(0);
  }
  return nullptr;
}

/// For each argument of the program's function: is it read, is it written.
nb::list argumentAccesses(const ModuleHandle &handle) {
  func::FuncOp function;
  handle.module.get()->walk([&](func::FuncOp found) {
    function = found;
    return WalkResult::interrupt();
  });
  nb::list result;
  if (!function)
    return result;
  SmallVector<std::pair<bool, bool>> accesses(function.getNumArguments(),
                                              {false, false});
  SmallVector<OperationAccess> found;
  collectAccessesRecursively(function, found);
  for (const OperationAccess &access : found) {
    BlockArgument argument = globalArgument(access.access.target);
    if (!argument || argument.getOwner() != &function.getBody().front())
      continue;
    auto &[isRead, isWritten] = accesses[argument.getArgNumber()];
    isRead |= access.access.reads();
    isWritten |= access.access.writes();
  }
  for (auto [isRead, isWritten] : accesses)
    result.append(nb::make_tuple(isRead, isWritten));
  return result;
}

nb::dict compile(const ModuleHandle &handle, const std::string &chip,
                 const std::string &chipDirectory, const std::string &entry,
                 const std::map<std::string, std::string> &passConfigs,
                 bool keepStages, const std::string &reproducerDirectory) {
  CompileOptions options;
  options.chip = chip;
  options.chipDirectory = chipDirectory;
  options.entry = entry;
  options.passConfigs = passConfigs;
  options.keepStages = keepStages;
  options.reproducerDirectory = reproducerDirectory;
  OwningOpRef<ModuleOp> copy = handle.clone();
  // Messages speak of the user's lines, not of operations.
  copy->getContext()->printOpOnDiagnostic(false);
  CompiledKernel kernel;
  {
    // Each module owns its context, so compiling threads share nothing.
    nb::gil_scoped_release release;
    kernel = compileForAscend(copy.get(), options);
  }
  if (kernel.crashed)
    (void)copy.release(); // Half changed: nobody knows how to take it apart.
  return describe(kernel);
}

} // namespace

void bindCompile(nb::module_ &module) {
  module.def("compile_for_ascend", &compile, nb::arg("module"), nb::kw_only(),
             nb::arg("chip"), nb::arg("chip_directory"), nb::arg("entry") = "",
             nb::arg("pass_configs") = std::map<std::string, std::string>(),
             nb::arg("keep_stages") = false,
             nb::arg("reproducer_directory") = "",
             "Compiles a copy of the module; see CompiledKernel in Compiler.h "
             "for the keys of the result.");
  module.def("argument_accesses", &argumentAccesses, nb::arg("module"),
             "(read, written) for each argument of the program's function.");
}
