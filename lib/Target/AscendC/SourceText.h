//===- SourceText.h - Lines, indentation, line table ------------*- C++ -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_TARGET_ASCENDC_SOURCETEXT_H
#define TILELANG_LIB_TARGET_ASCENDC_SOURCETEXT_H

#include "tilelang/Target/AscendC/EmitAscendC.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace tilelang::ascend {

/// The text under construction. Every line may carry the location it comes
/// from, which goes to the line table.
class SourceText {
public:
  explicit SourceText(bool quoteSource) : quoteSource(quoteSource) {}

  void line(const llvm::Twine &text,
            std::optional<mlir::Location> location = std::nullopt);
  void blank();
  /// `text {`, and one level deeper from here on.
  void open(const llvm::Twine &text,
            std::optional<mlir::Location> location = std::nullopt);
  void close(llvm::StringRef suffix = "");
  /// `} else {`
  void alternative();

  /// Quotes the user's line unless it was the last one quoted.
  void quote(mlir::Location location);
  /// Quotes the next line even if it was the last one quoted.
  void forgetQuoted() { lastQuoted.clear(); }
  /// "file.py:12", or nothing.
  static std::string placeOf(mlir::Location location);

  std::string takeText() { return std::move(text); }
  std::vector<LineTableEntry> takeLineTable() { return std::move(lineTable); }

private:
  /// The text of a line of the user's program, trimmed; empty if unreadable.
  std::string quotedLine(const SourcePosition &position);

  bool quoteSource;
  std::string text;
  unsigned depth = 0;
  uint32_t currentLine = 1;
  std::string lastQuoted;
  std::vector<LineTableEntry> lineTable;
  llvm::StringMap<std::vector<std::string>> files;
};

} // namespace tilelang::ascend

#endif // TILELANG_LIB_TARGET_ASCENDC_SOURCETEXT_H
