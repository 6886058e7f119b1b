//===- Module.cpp - The Python handle of a module ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Module.h"
#include "Bindings.h"

#include "tilelang/Dialect/Tile/IR/TileDialect.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

namespace nb = nanobind;
using namespace mlir;

namespace tilelang::python {

std::shared_ptr<MLIRContext> createContext() {
  auto context =
      std::make_shared<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       math::MathDialect, memref::MemRefDialect,
                       scf::SCFDialect, tile::TileDialect>();
  return context;
}

OwningOpRef<ModuleOp> ModuleHandle::clone() const {
  return OwningOpRef<ModuleOp>(cast<ModuleOp>(module.get()->clone()));
}

namespace {

/// The innermost file position behind a location; null if it has none.
FileLineColRange findPosition(Location location) {
  FileLineColRange found;
  location->walk([&](Location part) {
    if (auto range = dyn_cast<FileLineColRange>(part)) {
      found = range;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

const char *severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "error";
}

nb::dict describe(Diagnostic &diagnostic) {
  nb::dict entry;
  entry["severity"] = severityName(diagnostic.getSeverity());
  entry["message"] = diagnostic.str();
  FileLineColRange position = findPosition(diagnostic.getLocation());
  entry["file"] = position ? position.getFilename().str() : std::string();
  entry["line"] = position ? position.getStartLine() : 0u;
  entry["col"] = position ? position.getStartColumn() : 0u;
  entry["end_line"] = position ? position.getEndLine() : 0u;
  entry["end_col"] = position ? position.getEndColumn() : 0u;
  nb::list notes;
  for (Diagnostic &note : diagnostic.getNotes())
    notes.append(describe(note));
  entry["notes"] = notes;
  return entry;
}

std::string print(const ModuleHandle &handle, bool locations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(true, false);
  // An unverified module must print too: it is what gets looked at.
  flags.assumeVerified();
  handle.module.get()->print(stream, flags);
  stream << "\n";
  return text;
}

std::unique_ptr<ModuleHandle> parse(llvm::StringRef source) {
  auto handle = std::make_unique<ModuleHandle>();
  handle->context = createContext();
  DiagnosticCollector collector(handle->context.get());
  handle->module =
      parseSourceString<ModuleOp>(source, ParserConfig(handle->context.get()));
  if (!handle->module)
    throw nb::value_error(("not a valid module: " + collector.text()).c_str());
  return handle;
}

} // namespace

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        diagnostics.append(describe(diagnostic));
        return success();
      }) {}

std::string DiagnosticCollector::text() const {
  std::string text;
  for (nb::handle entry : diagnostics) {
    if (!text.empty())
      text += "; ";
    text += nb::cast<std::string>(entry["message"]);
  }
  return text;
}

} // namespace tilelang::python

void bindModule(nb::module_ &module) {
  using namespace tilelang::python;
  nb::class_<ModuleHandle>(module, "Module",
                           "A traced program. Owns its MLIR context.")
      .def("__str__",
           [](const ModuleHandle &self) { return print(self, false); })
      .def(
          "text",
          [](const ModuleHandle &self, bool locations) {
            return print(self, locations);
          },
          nb::arg("locations") = false,
          "The program as MLIR text, with the user's lines if asked for.")
      .def(
          "bytecode",
          [](const ModuleHandle &self) {
            std::string bytes;
            llvm::raw_string_ostream stream(bytes);
            if (failed(writeBytecodeToFile(self.module.get(), stream)))
              throw std::runtime_error("writing bytecode failed");
            return nb::bytes(bytes.data(), bytes.size());
          },
          "The program as MLIR bytecode, locations included.")
      .def(
          "hash",
          [](const ModuleHandle &self) {
            llvm::SHA256 hasher;
            hasher.update(print(self, false));
            return llvm::toHex(hasher.final(), /*LowerCase=*/true);
          },
          "SHA-256 of the program without its locations.")
      .def(
          "verify",
          [](const ModuleHandle &self) {
            DiagnosticCollector collector(self.context.get());
            (void)mlir::verify(self.module.get());
            return collector.take();
          },
          "Checks the program; a list of diagnostics, empty if it is valid.")
      .def("clone",
           [](const ModuleHandle &self) {
             auto copy = std::make_unique<ModuleHandle>();
             copy->context = self.context;
             copy->module = self.clone();
             return copy;
           })
      .def_static(
          "parse",
          [](nb::object source) {
            if (nb::isinstance<nb::bytes>(source)) {
              auto bytes = nb::cast<nb::bytes>(source);
              return parse(llvm::StringRef(bytes.c_str(), bytes.size()));
            }
            return parse(nb::cast<std::string>(source));
          },
          nb::arg("source"), "A module from MLIR text or bytecode.");
}
