//===- Artifact.h - A compiled kernel as one self-describing file ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Everything a launch needs, and everything a report needs to speak of the
// program: source, shared objects, parameters, grid, target, line table. The
// cache stores artifacts, the C API loads them; docs/artifact.md describes the
// bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_RUNTIME_ARTIFACT_H
#define TILELANG_RUNTIME_ARTIFACT_H

#include "tilelang/Runtime/ElementType.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilelang {

/// A size or stride: a number, a run-time size by name, or an operation on
/// dimensions ("+", "-", "*", "//", "%", "ceildiv", "min", "max").
struct Dimension {
  int64_t value = 0;
  std::string symbol;
  std::string operation;
  std::vector<Dimension> operands;

  Dimension() = default;
  Dimension(int64_t value) : value(value) {}
  explicit Dimension(std::string symbol) : symbol(std::move(symbol)) {}

  bool isSymbol() const { return !symbol.empty(); }
  bool isStatic() const { return symbol.empty() && operation.empty(); }
  /// As a program writes it: "K // 2".
  std::string text() const;
};

struct KernelParameter {
  std::string name;
  bool isTensor = true;
  ElementType type = ElementType::Unknown;
  std::vector<Dimension> shape;
  /// In elements; empty means row-major and contiguous.
  std::vector<Dimension> strides;
  /// What the kernel does with a tensor's elements.
  bool isRead = true, isWritten = false;
};

/// A run-time size, bound on the host from the first tensor that carries it.
/// Sizes follow the parameters in the entry function.
struct SizeSymbol {
  std::string name;
  ElementType type = ElementType::I64;
};

struct ArtifactLine {
  uint32_t emittedLine = 0;
  uint32_t file = 0; // into Artifact::files
  uint32_t line = 0, column = 0, endLine = 0, endColumn = 0;
};

struct Artifact {
  static constexpr uint32_t kFormatVersion = 1;

  std::string name;        // of the program's function
  std::string entry;       // symbol in the shared objects
  std::string target;      // "ascend"
  std::string chip;        // "ascend910b2"
  std::string compiler;    // version of what wrote it
  std::string kernelType;  // "cube", "vector", "mixed"
  std::string cacheKey;    // empty outside a cache
  std::string locationKey; // which line numbers the line table speaks of
  uint32_t blockDim = 1;
  uint64_t workspaceBytes = 0;
  std::vector<KernelParameter> parameters;
  std::vector<SizeSymbol> symbols;
  std::map<std::string, int64_t> statistics;
  std::vector<std::string> files;
  std::vector<ArtifactLine> lines;
  /// What the compiler remarked, as JSON text; opaque here.
  std::string remarks;
  /// What became of the program, as JSON text; opaque here.
  std::string description;
  /// Emitted source, and one shared object per core type ("aic", "aiv").
  std::string source;
  std::map<std::string, std::string> objects;

  std::string serialize() const;
  /// On failure returns false and says in `error` what is wrong: no artifact,
  /// of another format version, cut short, or damaged.
  static bool deserialize(std::string_view bytes, Artifact &result,
                          std::string &error);

  /// Atomic: a reader sees the old file or the whole new one.
  bool writeFile(const std::string &path, std::string &error) const;
  static bool readFile(const std::string &path, Artifact &result,
                       std::string &error);
};

} // namespace tilelang

#endif // TILELANG_RUNTIME_ARTIFACT_H
