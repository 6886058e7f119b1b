//===- TileInterpreter.h - Executes tile programs on integers ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_UNITTESTS_DIALECT_TILE_TILEINTERPRETER_H
#define TILELANG_UNITTESTS_DIALECT_TILE_TILEINTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilelang::tile::testing {

/// The elements of one buffer, row-major. Elements outside read as zero and are
/// dropped when written, in every scope.
struct BufferContents {
  llvm::SmallVector<int64_t> shape;
  std::vector<int64_t> elements;
  int64_t *at(llvm::ArrayRef<int64_t> indices);
};

/// In which order the iterations of a `tile.parallel` or the points of a
/// `tile.map` are executed: none is preferred by their meaning.
enum class IterationOrder { Forward, Backward };

/// Executes a function of integers: what the normal form has to preserve. Stops
/// at the first operation it does not know.
class TileInterpreter {
public:
  explicit TileInterpreter(IterationOrder order) : order(order) {}

  /// `arguments` are the values of the index arguments, `buffers` the contents
  /// of the memref arguments, in order. Fails on unknown operations.
  bool run(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> arguments,
           std::vector<BufferContents> &buffers);

  llvm::StringRef getError() const { return error; }

private:
  bool run(mlir::Block &block);
  bool run(mlir::Operation &op);
  bool runScalar(mlir::Operation &op);
  bool runMap(MapOp map);
  bool runParallel(ParallelOp parallel);
  bool runCopy(CopyOp copy);
  bool forEachPoint(llvm::ArrayRef<int64_t> extents,
                    llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> body);
  int64_t get(mlir::Value value) { return values.lookup(value); }
  BufferContents &getContents(mlir::Value buffer);
  llvm::SmallVector<int64_t> getOffsets(mlir::Value region);
  void set(mlir::Value value, int64_t number);

  IterationOrder order;
  std::string error;
  llvm::DenseMap<mlir::Value, int64_t> values;
  std::vector<BufferContents> *arguments = nullptr;
  llvm::DenseMap<mlir::Value, unsigned> argumentBuffers;
  std::map<void *, BufferContents> allocated;
  llvm::SmallVector<int64_t> point; // of the map that executes
};

} // namespace tilelang::tile::testing

#endif // TILELANG_UNITTESTS_DIALECT_TILE_TILEINTERPRETER_H
