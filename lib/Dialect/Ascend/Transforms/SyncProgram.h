//===- SyncProgram.h - One core's program as a tree of instructions -------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// What buffering, planning and synchronisation see of a core's program: bodies
// (the program, loop bodies, branches) whose children are instructions, loops
// and branches. Everything else is index arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCPROGRAM_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCPROGRAM_H

#include "LocalRanges.h"

#include <limits>
#include <memory>
#include <vector>

namespace tilelang::ascend::sync {

/// Bytes of one version of a buffer.
struct ByteRange {
  int64_t begin = 0;
  int64_t end = std::numeric_limits<int64_t>::max();
  bool overlaps(const ByteRange &other) const {
    return begin < other.end && other.begin < end;
  }
  bool contains(const ByteRange &other) const {
    return begin <= other.begin && other.end <= end;
  }
};

struct Access {
  /// An `ascend.alloc`, an `ascend.workspace` or a parameter.
  mlir::Value root;
  /// The ring that selects the version, or null.
  mlir::Value ring;
  ByteRange bytes;
  /// Where in `bytes`, the offset being one that need not be constant; absent
  /// for memory outside the chip and where the size is not known.
  std::optional<LocalRange> range;
  /// `bytes` are known, and what is accessed if `range` is contiguous.
  bool exact = false;
  bool reads = false, writes = false;
};

struct Body;

struct Instruction {
  mlir::Operation *op;
  Pipe pipe;
  llvm::SmallVector<Access, 4> accesses;
  Body *body;
  /// Position among the children of `body`.
  int child;
};

/// An instruction, or a loop or branch with instructions inside.
struct Child {
  mlir::Operation *op;
  /// Index of the instruction, or -1.
  int instruction = -1;
  llvm::SmallVector<Body *, 2> bodies;
};

struct Body {
  /// The body this one is nested in and its position there; null at the top.
  Body *parent = nullptr;
  int parentChild = 0;
  int depth = 0;
  /// The loop whose body this is; null for the program and for branches.
  mlir::scf::ForOp loop;
  /// The nearest loop around the children, this body's own included.
  mlir::scf::ForOp nearestLoop;
  /// A branch lies between this body and its nearest loop.
  bool conditional = false;
  /// A loop body that runs at least once whenever its loop is reached.
  bool surelyRuns = false;
  std::vector<Child> children;
};

class CoreProgram {
public:
  /// Builds the tree of a region of an `ascend.kernel`. Fails with an error at
  /// an operation that synchronisation cannot deal with.
  static mlir::FailureOr<CoreProgram> build(mlir::Region &region);

  Body *top() { return bodies.front().get(); }
  bool empty() const { return instructions.empty(); }

  /// In program order.
  std::vector<Instruction> instructions;
  /// Outer bodies before inner ones, in program order.
  std::vector<std::unique_ptr<Body>> bodies;

private:
  mlir::LogicalResult fill(mlir::Block &block, Body &body);
};

/// The accesses of an instruction, each once per operand.
llvm::SmallVector<Access, 4> accessesOf(mlir::Operation *op);

/// The deepest body that holds both, and the children of it that do.
struct CommonBody {
  Body *body;
  int first, second;
};
CommonBody commonBody(Body *first, int firstChild, Body *second,
                      int secondChild);

/// The two lie in different branches of one `scf.if` of the common body.
bool areExclusive(const Instruction &first, const Instruction &second);

/// Whether `loop` is the loop over the grid blocks.
bool isGridLoop(mlir::scf::ForOp loop);

/// The number of iterations where it is constant.
std::optional<int64_t> constantTripCount(mlir::scf::ForOp loop);

/// Name of a buffer in messages.
llvm::StringRef nameOfBuffer(mlir::Value root);

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCPROGRAM_H
