//===- TaskGraph.h - The tasks of a loop that two programs share ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_CONVERSION_TILETOASCEND_TASKGRAPH_H
#define TILELANG_LIB_CONVERSION_TILETOASCEND_TASKGRAPH_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <memory>
#include <string>

namespace tilelang {

/// Where each operation of the bodies of two corresponding loops belongs.
class TaskGraph {
public:
  TaskGraph(mlir::scf::ForOp aic, mlir::scf::ForOp aiv);

  /// The loops exchange tiles.
  bool exchanges() const { return hasExchange; }
  /// Why the loops cannot be skewed; empty where they can.
  const std::string &obstacle() const { return reason; }

  /// The task of an operation of one of the bodies; nothing for index
  /// arithmetic, which every task repeats for itself.
  std::optional<int> taskOf(mlir::Operation *op) const;
  /// The tasks of the Cube core's (0) or the Vector cores' (1) program, in
  /// order.
  llvm::SmallVector<int> tasks(unsigned core) const;
  /// Buffers that several tasks of one core access, with the first and the last
  /// of these tasks.
  llvm::MapVector<mlir::Value, std::pair<int, int>> sharedBuffers() const;

  /// An operation of one of the bodies that is not index arithmetic.
  struct Node {
    mlir::Operation *op;
    unsigned core;
    /// What may not run in an earlier task.
    llvm::SmallVector<Node *, 4> successors;
    int component = -1;
  };

private:
  struct BufferAccess {
    Node *node;
    bool reads, writes, covers;
  };
  using Accesses = llvm::SmallVector<BufferAccess, 4>;
  /// A strongly connected part of the graph: never cut.
  struct Component {
    llvm::SmallVector<Node *, 4> nodes;
    int task = 0;
  };

  void addNodes(mlir::scf::ForOp loop, unsigned core);
  bool isRepeatable(mlir::Operation &op) const;
  void addValueEdges();
  bool collectAccesses();
  mlir::Value commonKey(mlir::Value buffer) const;
  void addBufferEdges();
  void addExchange(llvm::ArrayRef<BufferAccess> accesses);
  bool isPrivate(mlir::Value buffer,
                 llvm::ArrayRef<BufferAccess> accesses) const;
  static void tie(llvm::ArrayRef<BufferAccess> accesses);
  void formComponents();
  void assignTasks();
  void sinkLoads();
  bool isLoad(const Node &node) const;

  mlir::scf::ForOp loops[2];
  std::vector<std::unique_ptr<Node>> nodes;
  llvm::DenseMap<mlir::Operation *, Node *> nodeOf;
  /// By buffer; a parameter or workspace of both programs has one entry.
  llvm::MapVector<mlir::Value, Accesses> buffers;
  llvm::DenseSet<mlir::Value> privateBuffers;
  /// In topological order.
  std::vector<Component> components;
  bool hasExchange = false;
  std::string reason;
};

} // namespace tilelang

#endif // TILELANG_LIB_CONVERSION_TILETOASCEND_TASKGRAPH_H
