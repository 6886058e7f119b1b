//===- Diagnostics.cpp - MLIR diagnostics as data -------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Compiler/Diagnostics.h"

#include "tilelang/Target/AscendC/EmitAscendC.h"

using namespace mlir;

namespace tilelang {

SourcePosition positionOf(Location location) {
  return sourcePositionOf(location).value_or(SourcePosition());
}

static Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  case DiagnosticSeverity::Remark:
    return Severity::Remark;
  case DiagnosticSeverity::Note:
    return Severity::Note;
  }
  return Severity::Error;
}

static CompilerDiagnostic convert(Diagnostic &diagnostic) {
  CompilerDiagnostic result;
  result.severity = severityOf(diagnostic.getSeverity());
  result.position = positionOf(diagnostic.getLocation());
  std::string text = diagnostic.str();
  StringRef message = text;
  // Operations prefix what they report with their name: of no use to a user.
  if (message.starts_with("'") && result.severity != Severity::Note) {
    auto [name, rest] = message.split("' op ");
    if (!rest.empty()) {
      message = rest;
      // Our own passes write plain sentences or a class; a verifier that
      // speaks here found IR that a pass should not have made.
      if (result.severity == Severity::Error)
        result.kind = DiagnosticClass::Internal;
    }
  }
  if (message.consume_front("unsupported: "))
    result.kind = DiagnosticClass::Unsupported;
  else if (message.consume_front("internal: "))
    result.kind = DiagnosticClass::Internal;
  result.message = message.str();
  for (Diagnostic &note : diagnostic.getNotes())
    result.notes.push_back(convert(note));
  return result;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        collected.push_back(convert(diagnostic));
        return success();
      }) {}

std::string DiagnosticCollector::rewind(size_t count) {
  std::string message;
  for (const CompilerDiagnostic &diagnostic :
       ArrayRef(collected).drop_front(count))
    if (diagnostic.severity == Severity::Error && message.empty())
      message = diagnostic.message;
  collected.resize(count);
  return message;
}

bool DiagnosticCollector::hasInternalError() const {
  return llvm::any_of(collected, [](const CompilerDiagnostic &diagnostic) {
    return diagnostic.severity == Severity::Error &&
           diagnostic.kind == DiagnosticClass::Internal;
  });
}

} // namespace tilelang
