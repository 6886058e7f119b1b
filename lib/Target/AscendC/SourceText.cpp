//===- SourceText.cpp - Lines, indentation, line table --------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SourceText.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

std::optional<SourcePosition> tilelang::sourcePositionOf(Location location) {
  if (auto range = dyn_cast<FileLineColRange>(location))
    return SourcePosition{range.getFilename().str(), range.getStartLine(),
                          range.getStartColumn(), range.getEndLine(),
                          range.getEndColumn()};
  if (auto name = dyn_cast<NameLoc>(location))
    return sourcePositionOf(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return sourcePositionOf(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (auto position = sourcePositionOf(part))
        return position;
  return std::nullopt;
}

void SourceText::line(const Twine &lineText, std::optional<Location> location) {
  std::string content = lineText.str();
  if (location)
    if (auto position = sourcePositionOf(*location))
      lineTable.push_back({currentLine, *position});
  text.append(2 * depth, ' ');
  text += content;
  text += '\n';
  ++currentLine;
}

void SourceText::blank() {
  text += '\n';
  ++currentLine;
}

void SourceText::open(const Twine &lineText, std::optional<Location> location) {
  std::string content = lineText.str();
  line(content.empty() ? Twine("{") : Twine(content) + " {", location);
  ++depth;
}

void SourceText::close(StringRef suffix) {
  --depth;
  line("}" + suffix);
}

void SourceText::alternative() {
  --depth;
  line("} else {");
  ++depth;
}

std::string SourceText::placeOf(Location location) {
  auto position = sourcePositionOf(location);
  if (!position || position->line == 0)
    return {};
  return llvm::sys::path::filename(position->file).str() + ":" +
         std::to_string(position->line);
}

std::string SourceText::quotedLine(const SourcePosition &position) {
  auto [entry, isNew] = files.try_emplace(position.file);
  std::vector<std::string> &lines = entry->second;
  if (isNew) {
    auto buffer = llvm::MemoryBuffer::getFile(position.file, /*IsText=*/true);
    if (buffer) {
      SmallVector<StringRef> parts;
      (*buffer)->getBuffer().split(parts, '\n');
      for (StringRef part : parts)
        lines.push_back(part.trim().str());
    }
  }
  if (position.line > lines.size())
    return {};
  return lines[position.line - 1];
}

void SourceText::quote(Location location) {
  auto position = sourcePositionOf(location);
  if (!position || position->line == 0)
    return;
  std::string place = placeOf(location);
  if (place == lastQuoted)
    return;
  lastQuoted = place;
  std::string quoted = quoteSource ? quotedLine(*position) : std::string();
  // A backslash at the end would swallow the statement below the comment.
  while (!quoted.empty() && quoted.back() == '\\')
    quoted.pop_back();
  line("// " + place + (quoted.empty() ? "" : "  " + quoted));
}
