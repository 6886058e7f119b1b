//===- CompilerModule.cpp - The _compiler extension module ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

NB_MODULE(_compiler, module) {
  // Programs live in caches until the process ends; that is no leak.
  nanobind::set_leak_warnings(false);
  module.doc() = "The compiler of TileLang Native: builds and lowers programs.";
  bindModule(module);
  bindBuilder(module);
#ifdef TILELANG_HAS_COMPILE_BINDING
  bindCompile(module);
#endif
}
