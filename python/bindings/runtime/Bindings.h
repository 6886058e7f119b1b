//===- Bindings.h - Parts of the _runtime extension module ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Each file of the module defines one of these; NB_MODULE calls them all.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_PYTHON_BINDINGS_RUNTIME_BINDINGS_H
#define TILELANG_PYTHON_BINDINGS_RUNTIME_BINDINGS_H

#include <nanobind/nanobind.h>

void bindArtifact(nanobind::module_ &module);
void bindReport(nanobind::module_ &module);
void bindKernel(nanobind::module_ &module);
void bindChip(nanobind::module_ &module);
void bindHostCompiler(nanobind::module_ &module);

#endif // TILELANG_PYTHON_BINDINGS_RUNTIME_BINDINGS_H
