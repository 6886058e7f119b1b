//===- VerifySyncTrace.h - Programs unrolled and replayed -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Both programs of a kernel as flat lists of events, and a replay that follows
// what each pipe knows to be complete. Shares nothing with the insertion of
// flags: it sees only the operations that are emitted.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCTRACE_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCTRACE_H

#include "tilelang/Chip/Chip.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

#include <array>
#include <set>

namespace tilelang::ascend::verifysync {

/// A number as far as it is known: `value`, plus an unknown summand named by
/// `tag` unless that is 0.
struct Number {
  int64_t value = 0;
  uint64_t tag = 0;
};

/// Bytes an instruction touches: `rows` stretches of `length` bytes, `pitch`
/// bytes apart. Bytes with different tags may meet anywhere.
struct Stretch {
  int64_t begin = 0, length = 0;
  int64_t rows = 1, pitch = 0;
  uint64_t tag = 0;
  bool operator==(const Stretch &) const = default;
};
bool mayMeet(const Stretch &first, const Stretch &second);

struct Touch {
  /// Names what addresses are relative to; touches of different spaces never
  /// meet.
  std::tuple<int, uint64_t, int64_t> space;
  Stretch bytes;
  bool reads, writes;
};

struct Event {
  enum Kind { Run, Set, Wait, Barrier, CrossSet, CrossWait };
  Kind kind;
  mlir::Operation *op;
  Pipe pipe = Pipe::S, target = Pipe::S;
  int64_t id = 0, group = -1;
  llvm::SmallVector<Touch, 4> touches;
};
/// 0 is the Cube core, 1 a Vector core.
using Traces = std::array<std::vector<Event>, 2>;

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
/// The events of a kernel; stops at `limit` events (then the result is cut
/// short and must not be used).
bool trace(KernelOp kernel, const Scenario &scenario, size_t limit,
           Traces &traces);

struct Violation {
  mlir::Operation *earlier = nullptr, *later = nullptr;
  std::string message;
};

class Replay {
public:
  Replay(const Chip &chip, const Traces &traces);
  /// Replays without the operations of group `without`; stops at the first
  /// violation.
  std::optional<Violation> run(int64_t without = -1);

private:
  static constexpr int kPipes = 7;
  static constexpr int kThreads = 2 * kPipes;
  using Clock = std::array<int, kThreads>;
  struct FlagState {
    bool isSet = false;
    Clock known{};
    int lastWait = 0;
    mlir::Operation *setBy = nullptr;
  };
  struct Past {
    Touch touch;
    int thread, number;
    mlir::Operation *op;
  };
  struct Counter {
    std::vector<Clock> raised;
    size_t taken = 0;
    mlir::Operation *last = nullptr;
  };

  /// One event; false if it has to wait for the other core.
  bool step(int core, const Event &event);
  void access(int core, const Event &event);
  bool isQueueOrdered(const Event &later, mlir::Operation *earlier) const;
  void join(int core, Pipe pipe, const Clock &known);
  void report(mlir::Operation *earlier, mlir::Operation *later,
              std::string message);

  const Chip &chip;
  const Traces &traces;
  std::array<int, kThreads> issued{};
  std::array<Clock, kThreads> known{};
  std::map<std::tuple<int, Pipe, Pipe, int64_t>, FlagState> flags;
  std::map<std::pair<int, int64_t>, Counter> counters;
  std::map<std::tuple<int, uint64_t, int64_t>, std::vector<Past>> history;
  std::optional<Violation> violation;
};

} // namespace tilelang::ascend::verifysync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_VERIFYSYNCTRACE_H
