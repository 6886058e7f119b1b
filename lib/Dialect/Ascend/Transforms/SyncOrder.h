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

#include <array>

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
  /// Flags of different tasks of a loop with the same lock share one event:
  /// each wait takes it, whichever task set it last. -1 for other flags.
  int lock = -1;

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

/// An order that a round trip to the other core gives: what is complete where a
/// counter is raised is complete for everything behind the wait for the answer.
struct RoundTrip {
  Pipe source;
  /// The counter is raised behind child `set - 1` of `setBody`.
  Body *setBody;
  int set;
  /// The core waits for the answer before child `wait` of `waitBody`.
  Body *waitBody;
  int wait;
  /// The answer covers what was raised this many steps of the skewed loop
  /// before; 0 in other loops.
  int64_t lag;
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
  /// body around both (or of `around`, which holds that), or (with `distance` >
  /// 0) in the execution that many later.
  bool isOrdered(Point source, Point target, int distance, mlir::Value ring,
                 Body *around = nullptr) const;
  bool isOrdered(const Dependence &dependence) const;
  /// Whether each wait of a flag precedes the next set of the same event id.
  bool isSafe(const Flag &flag) const;

private:
  using PipeSet = uint8_t;
  struct Knowledge {
    PipeSet pipes = 0;
    bool issued = false;
    /// Round trips whose counter was raised with this knowledge, by the steps
    /// since (the last entry: or more).
    std::array<uint64_t, 4> raised{};
    /// Locks that were set with this knowledge.
    uint64_t locked = 0;
    void add(const Knowledge &other);
  };
  /// Tasks of a skewed loop that surely run between two points: those with an
  /// iteration from `low` to `high`, counted from that of the source, which is
  /// `skew` steps behind. Empty where nothing is known.
  struct TaskRange {
    int64_t skew = 0, low = 0, high = -1;
    bool contains(const Child &task, int execution) const;
  };
  bool isOrderedAt(Body *body, Point source, Point target,
                   llvm::ArrayRef<std::pair<Body *, int>> way, int distance,
                   mlir::Value ring) const;
  bool isOrderedIn(Body *body, Point source, Point target,
                   llvm::ArrayRef<std::pair<Body *, int>> way, int distance,
                   mlir::Value ring, bool sameRun) const;
  Knowledge climb(Body *body, Point source, mlir::Value ring,
                  std::pair<int, Point::Side> &start,
                  mlir::Operation *&task) const;
  bool reachesTarget(Knowledge state, Body *body,
                     std::pair<int, Point::Side> start, Point target,
                     llvm::ArrayRef<std::pair<Body *, int>> way, Pipe pipe,
                     int distance, mlir::Value ring, TaskRange tasks) const;
  /// Follows `initial` from `start` to `end`, `distance` executions later.
  Knowledge sweep(Body *body, std::pair<int, Point::Side> start,
                  Knowledge initial, Pipe pipe, int distance,
                  std::pair<int, Point::Side> end, mlir::Value ring,
                  TaskRange tasks) const;
  Knowledge sweep(Body *body, std::pair<int, Point::Side> start,
                  Knowledge initial, Pipe pipe, int distance,
                  std::pair<int, Point::Side> end, mlir::Value ring) const {
    return sweep(body, start, initial, pipe, distance, end, ring, TaskRange());
  }
  Knowledge sweepToEnd(Body *body, std::pair<int, Point::Side> start,
                       Knowledge initial, Pipe pipe, mlir::Value ring) const;
  void passCounters(Body *body, int position, bool waits, Pipe pipe,
                    Knowledge &state) const;

  CoreProgram &program;
  /// What is known behind a loop or branch that is entered with `state`.
  Knowledge passThrough(const Child &child, Knowledge state, Pipe pipe,
                        mlir::Value ring, bool surelyRuns) const;

  llvm::DenseMap<Body *, llvm::SmallVector<int, 8>> flagsOf, barriersOf;
};

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCORDER_H
