//===- Arguments.h - Checking what a kernel is called with ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The rules of a call, the same from Python, C and C++: count, kind, element
// type, rank, shape, strides, writability, place. Run-time sizes are bound from
// the first tensor that carries them.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_RUNTIME_ARGUMENTS_H
#define TILELANG_RUNTIME_ARGUMENTS_H

#include "tilelang/Runtime/Artifact.h"

#include <optional>

namespace tilelang {

/// One argument as the caller gave it. Shape and strides belong to the caller.
struct KernelArgument {
  /// An output that is allocated once the sizes are known.
  bool isAbsent = false;
  bool isTensor = true;
  // Tensor.
  void *data = nullptr;
  ElementType type = ElementType::Unknown;
  std::string typeText; // as the caller's library calls it, where it is unknown
  unsigned rank = 0;
  const int64_t *shape = nullptr;
  const int64_t *strides = nullptr; // in elements; null means contiguous
  bool isReadOnly = false;
  std::string device; // empty means host memory
  // Scalar: the bits in the parameter's type, little-endian.
  uint64_t bits = 0;
};

/// Why a call is refused. The class decides which exception a binding raises.
struct ArgumentProblem {
  enum class Kind { Type, Value } kind = Kind::Value;
  std::string message;
};

/// Sizes of a call, one for each of `Artifact::symbols`.
using SizeValues = std::vector<std::optional<int64_t>>;

/// Checks `arguments` (one for each parameter) and binds the sizes.
std::optional<ArgumentProblem>
checkArguments(const Artifact &artifact,
               const std::vector<KernelArgument> &arguments, SizeValues &sizes);

/// The value of a dimension; nothing while its symbol is not bound.
std::optional<int64_t> evaluate(const Artifact &artifact,
                                const Dimension &dimension,
                                const SizeValues &sizes);

/// "argument 2 ('B') of kernel 'main'".
std::string describeArgument(const Artifact &artifact, size_t index);

/// "(128, 64)".
std::string shapeText(const int64_t *values, unsigned rank);

} // namespace tilelang

#endif // TILELANG_RUNTIME_ARGUMENTS_H
