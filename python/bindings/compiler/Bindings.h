//===- Bindings.h - Parts of the _compiler extension module ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Each file of the module defines one of these; NB_MODULE calls them all.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_PYTHON_BINDINGS_COMPILER_BINDINGS_H
#define TILELANG_PYTHON_BINDINGS_COMPILER_BINDINGS_H

#include <nanobind/nanobind.h>

/// `Module`: a traced program (Module.h).
void bindModule(nanobind::module_ &module);

/// `Builder` and its values, regions and locations (Builder.h).
void bindBuilder(nanobind::module_ &module);

/// `compile_for_ascend` and what it returns. The class that wraps a module is
/// bound elsewhere; see Compile.cpp for what is expected of it.
void bindCompile(nanobind::module_ &module);

#endif // TILELANG_PYTHON_BINDINGS_COMPILER_BINDINGS_H
