//===- Module.cpp - The _runtime extension module -------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

NB_MODULE(_runtime, module) {
  module.doc() = "The runtime of TileLang Native: artifacts, launches, "
                 "reports. No LLVM inside.";
  bindArtifact(module);
  bindReport(module);
  bindKernel(module);
  bindChip(module);
  bindHostCompiler(module);
}
