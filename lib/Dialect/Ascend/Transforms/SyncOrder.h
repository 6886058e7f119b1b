//===- SyncOrder.h - What flags and barriers order ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A decision procedure for "is X complete before Y starts, whatever the trip
// counts and branches". Each body is seen as a sequence of positions that
// repeats; position i lies before child i. Knowledge "X is complete" is a set
// of pipes; it travels along a pipe from position to position and into the
// next execution of the body, and from pipe to pipe along flags. Every step
// used holds on every path through the program.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCORDER_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCORDER_H

#include "SyncDependences.h"

namespace tilelang::ascend::sync {

/// A set on one pipe and a wait on another in one body, with their primes and
/// drains around the outermost loop if the flag is carried.
struct Flag {
  Pipe source, target;
  Body *body;
  /// The set follows child `set - 1`, the wait precedes child `wait`.
  int set, wait;
  /// The wait belongs to the set of an earlier execution of the body.
  bool carried;
  /// One event id per version of the ring, or a single one.
  mlir::Value ring;
  /// The first of its event ids.
  int id = -1;
  int group = -1;
  bool removed = false;

  int ids() const {
    return ring ? ring.getDefiningOp<RingOp>().getVersions() : 1;
  }
};

struct Barrier {
  Pipe pipe;
  Body *body;
  /// Precedes child `position`, behind the waits there.
  int position;
};

/// An order that a round trip to the other core gives: what is complete at a
/// raised counter is complete for everything behind a later wait in the same
/// execution of the body.
struct RoundTrip {
  Pipe source;
  Body *body;
  /// The counter is raised behind child `set - 1`; the core waits for the
  /// answer before child `wait`.
  int set, wait;
};

/// A point on a pipe: what was issued before it (as a source), what starts from
/// it on (as a target).
struct Point {
  Body *body;
  int position;
  Pipe pipe;
  /// Which of the two points at `position`: right behind child `position - 1`,
  /// where sets are, or right before child `position`, behind the waits.
  enum Side { BehindChild, BeforeChild } side;
};

class SyncOrder {
public:
  explicit SyncOrder(CoreProgram &program) : program(program) {}

  std::vector<Flag> flags;
  std::vector<Barrier> barriers;
  std::vector<RoundTrip> roundTrips;

  /// Call after `flags` or `barriers` gain or lose elements.
  void updateIndex();

  /// Whether what was issued before `source` is complete before `target`
  /// starts, by flags and barriers alone: in the same execution of the deepest
  /// body around both, or (with `distance` > 0) in the execution that many
  /// later.
  bool isOrdered(Point source, Point target, int distance,
                 mlir::Value ring) const;
  bool isOrdered(const Dependence &dependence) const;
  /// Whether each wait of a flag precedes the next set of the same event id.
  bool isSafe(const Flag &flag) const;

private:
  using PipeSet = uint8_t;
  struct Knowledge {
    PipeSet pipes = 0;
    bool issued = false;
  };
  bool isOrderedIn(Body *body, Point source, Point target,
                   llvm::ArrayRef<std::pair<Body *, int>> way, int distance,
                   mlir::Value ring) const;
  /// Follows `initial` from `start` to `end`, `distance` executions later.
  Knowledge sweep(Body *body, std::pair<int, Point::Side> start,
                  Knowledge initial, Pipe pipe, int distance,
                  std::pair<int, Point::Side> end, mlir::Value ring) const;
  Knowledge sweepToEnd(Body *body, std::pair<int, Point::Side> start,
                       Knowledge initial, Pipe pipe, mlir::Value ring) const;

  CoreProgram &program;
  /// What is known behind a loop or branch that is entered with `state`.
  Knowledge passThrough(const Child &child, Knowledge state, Pipe pipe,
                        mlir::Value ring) const;

  llvm::DenseMap<Body *, llvm::SmallVector<int, 8>> flagsOf, barriersOf;
};

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCORDER_H
