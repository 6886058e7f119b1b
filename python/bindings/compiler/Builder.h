//===- Builder.h - Creates operations by name ----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The front end says operations by name, with types and attributes as text: it
// knows the dialect's documented form and none of its classes. Regions are
// filled first and given to their operation afterwards, so that result types
// may depend on what a region holds.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_PYTHON_BINDINGS_COMPILER_BUILDER_H
#define TILELANG_PYTHON_BINDINGS_COMPILER_BUILDER_H

#include "Module.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <utility>
#include <vector>

namespace tilelang::python {

struct ValueHandle {
  mlir::Value value;
};

struct LocationHandle {
  mlir::LocationAttr location;
};

/// A filled region that no operation owns yet.
struct RegionHandle {
  /// Declared first, so that it outlives the operations of the region.
  std::shared_ptr<mlir::MLIRContext> context;
  std::unique_ptr<mlir::Region> region;
};

class ProgramBuilder {
public:
  ProgramBuilder();
  ~ProgramBuilder();

  LocationHandle location(const std::string &file, unsigned line,
                          unsigned column, unsigned endLine,
                          unsigned endColumn);

  std::vector<ValueHandle>
  create(const std::string &name, const std::vector<ValueHandle> &operands,
         const std::vector<std::string> &resultTypes,
         const std::vector<std::pair<std::string, std::string>> &attributes,
         std::vector<RegionHandle *> regions, LocationHandle location);

  ValueHandle constantInt(const std::string &type, int64_t value,
                          LocationHandle location);
  ValueHandle constantFloat(const std::string &type, double value,
                            LocationHandle location);

  /// Sets an attribute of the operation that defines `value`.
  void setAttribute(ValueHandle value, const std::string &name,
                    const std::string &attribute);

  std::string typeOf(ValueHandle value);

  /// Opens a region with one block; operations go to its end until popRegion().
  std::vector<ValueHandle> pushRegion(const std::vector<std::string> &types,
                                      LocationHandle location);
  std::unique_ptr<RegionHandle> popRegion();
  /// A region without blocks, where an operation allows one.
  std::unique_ptr<RegionHandle> emptyRegion();
  /// Opens a popped region again.
  void resumeRegion(RegionHandle &region);
  /// Moves the operations of a region without arguments to the current point.
  void inlineRegion(RegionHandle &region);

  /// Ends the program: the module and what the verifier said.
  std::pair<std::unique_ptr<ModuleHandle>, nanobind::list> finish();

private:
  mlir::Type parseType(const std::string &text);
  mlir::Attribute parseAttribute(const std::string &text);
  ValueHandle constant(mlir::TypedAttr value, mlir::Location location);
  mlir::Block &insertionBlock();

  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Regions being filled, innermost last.
  std::vector<std::unique_ptr<mlir::Region>> open;
  /// Constants stand at the start of the outermost region, each once.
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  mlir::Operation *lastConstant = nullptr;
  llvm::StringMap<mlir::Type> types;
  llvm::StringMap<mlir::Attribute> attributes;
};

} // namespace tilelang::python

#endif // TILELANG_PYTHON_BINDINGS_COMPILER_BUILDER_H
