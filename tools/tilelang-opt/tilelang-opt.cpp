//===- tilelang-opt.cpp - Runs passes on textual IR ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tilelang/Compiler/Registration.h"
#include "tilelang/Support/Debug.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

using namespace llvm;

static cl::list<std::string> debugOnly(
    "debug-only", cl::CommaSeparated, cl::value_desc("tag,..."),
    cl::desc("Print the debug output of these passes (`all` for every pass)"),
    cl::callback([](const std::string &tag) {
      tilelang::getDebugTags().insert(tag);
    }));

/// A reproducer is written for every failure unless the caller says where, or
/// expects the failure.
static bool wantsDefaultReproducer(ArrayRef<const char *> arguments) {
  return none_of(arguments, [](StringRef argument) {
    argument = argument.ltrim('-');
    return argument.starts_with("mlir-pass-pipeline-crash-reproducer") ||
           argument.starts_with("verify-diagnostics");
  });
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilelang::registerAllDialects(registry);
  tilelang::registerAllPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerPrintIRPass();
  mlir::registerSymbolDCEPass();

  SmallVector<char *> arguments(argv, argv + argc);
  std::string reproducer;
  if (wantsDefaultReproducer(ArrayRef(argv, argc))) {
    SmallString<128> path;
    sys::path::system_temp_directory(/*erasedOnReboot=*/true, path);
    sys::path::append(path, "tilelang-opt-reproducer.mlir");
    reproducer = ("--mlir-pass-pipeline-crash-reproducer=" + path).str();
    arguments.insert(arguments.begin() + 1, reproducer.data());
  }
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(arguments.size(), arguments.data(),
                        "TileLang Native optimizer driver\n", registry));
}
