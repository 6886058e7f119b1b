//===- Marshal.h - Python values as kernel arguments ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// NumPy arrays through their array interface, torch tensors (and whoever else
// offers it) through DLPack's C exchange interface, resolved once for each
// type, everything else through DLPack capsules or the buffer protocol. Memory
// is never copied.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_PYTHON_BINDINGS_RUNTIME_MARSHAL_H
#define TILELANG_PYTHON_BINDINGS_RUNTIME_MARSHAL_H

#include "tilelang/Runtime/Arguments.h"

#include <nanobind/nanobind.h>

/// What an array came from; outputs are allocated with the same library.
enum class ArrayLibrary : uint8_t { None, NumPy, Torch, Other };

/// A Python value and what the kernel sees of it. Keeps alive what the view
/// needs; must not move once filled, since the argument points into it.
struct MarshalledArgument {
  tilelang::KernelArgument argument;
  ArrayLibrary library = ArrayLibrary::None;
  std::vector<int64_t> shape, strides;
  nanobind::object value;
  nanobind::object owner;
  bool hasBuffer = false;
  Py_buffer buffer{};

  MarshalledArgument() = default;
  MarshalledArgument(const MarshalledArgument &) = delete;
  MarshalledArgument &operator=(const MarshalledArgument &) = delete;
  ~MarshalledArgument() {
    if (hasBuffer)
      PyBuffer_Release(&buffer);
  }
};

/// Fills `result` from `value` for parameter `index`. Raises the Python
/// exception for a value that cannot be what the parameter is.
void marshalArgument(const tilelang::Artifact &artifact, size_t index,
                     nanobind::handle value, MarshalledArgument &result);

/// Raises the exception of a refused call.
[[noreturn]] void
raiseArgumentProblem(const tilelang::ArgumentProblem &problem);
/// Raises `<module>.<name>(message)`.
[[noreturn]] void raiseError(const char *name, const std::string &message,
                             const char *module = "tilelang.errors");

#endif // TILELANG_PYTHON_BINDINGS_RUNTIME_MARSHAL_H
