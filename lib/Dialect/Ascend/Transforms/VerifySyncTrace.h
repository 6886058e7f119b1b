//===- VerifySyncTrace.h - Programs unrolled into events ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Both programs of a kernel as flat lists of events. Shares nothing with the
// insertion of flags: it sees only the operations that are emitted.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCTRACE_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCTRACE_H

#include "VerifySyncPlaces.h"

#include <array>
#include <map>

namespace tilelang::ascend::verifysync {

struct Event {
  enum Kind { Run, Set, Wait, Barrier, CrossSet, CrossWait };
  Kind kind;
  mlir::Operation *op;
  Pipe pipe = Pipe::S, target = Pipe::S;
  int64_t id = 0, group = -1;
  /// The first one among all touches, and how many.
  uint32_t firstTouch = 0, touches = 0;
  bool operator==(const Event &) const = default;
};
/// What one core does.
struct Trace {
  std::vector<Event> events;
  std::vector<Touch> touches;
  bool operator==(const Trace &) const = default;
  llvm::ArrayRef<Touch> touchesOf(const Event &event) const {
    return llvm::ArrayRef(touches).slice(event.firstTouch, event.touches);
  }
};
/// 0 is the Cube core, 1 a Vector core.
using Traces = std::array<Trace, 2>;

/// Which way a program goes where that is not known.
struct Scenario {
  /// Iterations of loops whose trip count is unknown, or larger.
  int iterations;
  /// How branches and loops vary.
  enum Pattern {
    Full,    // every loop runs, every condition holds
    Else,    // every loop runs, no condition holds
    Even,    // nested loops run and conditions hold in even iterations
    Odd,     // ... in odd iterations
    Single,  // nested loops run once
    Shallow, // loops nested twice or deeper do not run
    Outer,   // nested loops do not run
    Empty    // no loop runs
  } pattern;
};

/// Follows a kernel in several scenarios.
class Unroller {
public:
  explicit Unroller(KernelOp kernel) : kernel(kernel) {}
  /// The events of one scenario; stops at `limit` events of a core (then the
  /// result is cut short and must not be used).
  bool trace(const Scenario &scenario, size_t limit, Traces &traces);

  /// What the events touch.
  Places places;
  /// The pattern of a scenario made a difference beside that of `Empty`.
  bool varies = false;

  /// What an operation that is more than arithmetic does.
  struct Step {
    enum Kind { Emit, Loop, Branch, Ring, Advance } kind;
    mlir::Operation *op;
    Event event;
    /// The ring that moves on, or selects the event.
    mlir::Value ring;
    /// The number of the instruction among those of `places`.
    uint32_t instruction = 0;
  };
  const std::vector<Step> &stepsOf(mlir::Block &block);

private:
  KernelOp kernel;
  std::map<mlir::Block *, std::vector<Step>> steps;
};

} // namespace tilelang::ascend::verifysync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCTRACE_H
