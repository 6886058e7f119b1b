//===- TileTest.h - A context with the dialects of tile programs ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_UNITTESTS_DIALECT_TILE_TILETEST_H
#define TILELANG_UNITTESTS_DIALECT_TILE_TILETEST_H

#include "TileInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <random>

namespace tilelang::tile::testing {

class TileTest : public ::testing::Test {
protected:
  TileTest() {
    context.disableMultithreading();
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::scf::SCFDialect, TileDialect>();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  static mlir::func::FuncOp getMain(mlir::ModuleOp module) {
    return module.lookupSymbol<mlir::func::FuncOp>("main");
  }

  /// Contents for the memref arguments of a function, by chance.
  static std::vector<BufferContents> makeBuffers(mlir::func::FuncOp function,
                                                 uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<BufferContents> buffers;
    for (mlir::Type type : function.getArgumentTypes()) {
      auto memref = llvm::dyn_cast<mlir::MemRefType>(type);
      if (!memref)
        continue;
      BufferContents contents;
      contents.shape = llvm::to_vector(memref.getShape());
      // Small and not negative, so that they may be indices.
      for (int64_t i = 0; i < memref.getNumElements(); ++i)
        contents.elements.push_back(random() % 40);
      buffers.push_back(contents);
    }
    return buffers;
  }

  /// How many random programs to try; more on request.
  static unsigned getProgramCount(unsigned usual) {
    const char *wanted = std::getenv("TILELANG_RANDOM_PROGRAMS");
    return wanted ? std::strtoul(wanted, nullptr, 10) : usual;
  }

  static std::string print(mlir::Operation *op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream);
    return text;
  }

  mlir::MLIRContext context;
};

} // namespace tilelang::tile::testing

#endif // TILELANG_UNITTESTS_DIALECT_TILE_TILETEST_H
