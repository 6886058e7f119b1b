//===- SyncDependences.cpp - Which instructions must not be reordered -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SyncDependences.h"
#include "GlobalRanges.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

scf::ForOp sync::rotatingLoop(Value ring) {
  for (Operation *user : ring.getUsers())
    if (isa<AdvanceOp>(user))
      return user->getParentOfType<scf::ForOp>();
  return {};
}

bool sync::isOrderedByQueue(const Instruction &source,
                            const Instruction &target, int interlockFractals) {
  if (source.pipe != target.pipe)
    return false;
  switch (source.pipe) {
  case Pipe::V:
  case Pipe::MTE2:
  case Pipe::MTE3:
    // Vector instructions overlap; transfers of one pipe may end out of order.
    return false;
  case Pipe::M: {
    // The Cube interlocks accumulations of enough fractals.
    auto mmad = dyn_cast<MmadOp>(target.op);
    if (!mmad)
      return true;
    APInt m, n;
    if (!matchPattern(mmad.getM(), m_ConstantInt(&m)) ||
        !matchPattern(mmad.getN(), m_ConstantInt(&n)))
      return false;
    return llvm::divideCeil(m.getSExtValue(), 16) *
               llvm::divideCeil(n.getSExtValue(), 16) >=
           static_cast<uint64_t>(interlockFractals);
  }
  default:
    return true;
  }
}

namespace {

/// How two accesses of one buffer conflict.
struct Conflict {
  /// Within one iteration of the loops around both.
  bool inIteration = false;
  /// Between iterations of such loops.
  bool across = false;
  /// The innermost loop with such iterations, where `inIteration` says nothing
  /// about it; null for the nearest loop.
  scf::ForOp acrossLoop;
  /// The ring that keeps `across` `versions` iterations apart, or null.
  Value ring;
};

class Finder {
public:
  Finder(CoreProgram &program, const DenseSet<Value> &exchanged)
      : program(program), exchanged(exchanged) {}

  std::vector<Dependence> run();

private:
  void compare(int first, int second);
  Conflict conflictOf(const Instruction &a, const Access &x,
                      const Instruction &b, const Access &y, Body *common);
  bool overlapByAddress(const Access &x, const Access &y);
  /// Two accesses of one pipe to one on-chip buffer.
  Conflict localConflict(const Access &x, const Access &y, Body *common);
  /// `rotating` is the loop with which the buffer's slots move on, or null.
  Conflict globalConflict(const Instruction &a, const Instruction &b,
                          Body *common, scf::ForOp rotating);
  void add(int source, int target, bool carried, const CommonBody &common,
           int sourceChild, int targetChild, Value ring,
           scf::ForOp acrossLoop = {});

  CoreProgram &program;
  const DenseSet<Value> &exchanged;
  std::vector<Dependence> dependences;
  /// Index of the dependence of a pair, by direction.
  DenseMap<std::tuple<int, int, int>, size_t> known;
  std::vector<std::optional<GlobalRange>> ranges;
};

} // namespace

bool Finder::overlapByAddress(const Access &x, const Access &y) {
  auto first = x.root.getDefiningOp<AllocOp>();
  auto second = y.root.getDefiningOp<AllocOp>();
  if (!first || !second || first.getMemory() != second.getMemory() ||
      !first.getAddress() || !second.getAddress())
    return false;
  auto bytes = [](AllocOp alloc, const Access &access) {
    int64_t begin = *alloc.getAddress();
    int64_t whole = begin + alloc.getVersions() * alloc.getVersionBytes();
    if (alloc.getVersions() > 1)
      return ByteRange{begin, whole};
    int64_t length = alloc.getVersionBytes();
    return ByteRange{begin + std::min(access.bytes.begin, length),
                     begin + std::min(access.bytes.end, length)};
  };
  return bytes(first, x).overlaps(bytes(second, y));
}

Conflict Finder::globalConflict(const Instruction &a, const Instruction &b,
                                Body *common, scf::ForOp rotating) {
  auto rangeOf = [&](const Instruction &instruction) -> auto & {
    return ranges[&instruction - program.instructions.data()];
  };
  auto &first = rangeOf(a), &second = rangeOf(b);
  Conflict conflict;
  conflict.inIteration =
      !first || !second ||
      mayMeetInIteration(*first, *second, common->nearestLoop);
  for (scf::ForOp loop = common->nearestLoop;
       loop && !isGridLoop(loop) && loop != rotating;
       loop = loop->getParentOfType<scf::ForOp>())
    if (!first || !second || mayMeetAcross(*first, *second, loop))
      conflict.across = true;
  return conflict;
}

Conflict Finder::localConflict(const Access &x, const Access &y, Body *common) {
  Conflict conflict;
  conflict.inIteration =
      mayMeetInIteration(*x.range, *y.range, common->nearestLoop);
  for (scf::ForOp loop = common->nearestLoop; loop && !conflict.across;
       loop = loop->getParentOfType<scf::ForOp>()) {
    conflict.across = mayMeetAcross(*x.range, *y.range, loop);
    conflict.acrossLoop = loop;
  }
  return conflict;
}

Conflict Finder::conflictOf(const Instruction &a, const Access &x,
                            const Instruction &b, const Access &y,
                            Body *common) {
  Conflict conflict;
  if (!x.writes && !y.writes)
    return conflict;
  if (x.root != y.root) {
    conflict.inIteration = conflict.across = overlapByAddress(x, y);
    return conflict;
  }
  if (!x.bytes.overlaps(y.bytes))
    return conflict;
  if (memoryOf(x.root) != MemoryKind::GM) {
    conflict.inIteration = conflict.across = true;
    if (x.range && y.range) {
      Conflict exact = localConflict(x, y, common);
      if (!exact.inIteration && !exact.across)
        return exact;
      // Flags join two pipes right around the accesses: one round a loop that
      // may not run would be set again before it is waited for.
      if (a.pipe == b.pipe)
        conflict = exact;
    }
    if (x.ring && x.ring == y.ring)
      conflict.ring = x.ring;
    return conflict;
  }
  bool sameRing = x.ring && x.ring == y.ring;
  conflict = globalConflict(a, b, common,
                            sameRing ? rotatingLoop(x.ring) : scf::ForOp());
  if (!x.root.getDefiningOp<WorkspaceOp>())
    return conflict; // Blocks of the grid do not depend on each other.
  // Slots are used again in later blocks, unless counters see to that.
  if (!exchanged.contains(x.root)) {
    conflict.across = true;
    if (sameRing)
      conflict.ring = x.ring;
  }
  return conflict;
}

void Finder::add(int source, int target, bool carried, const CommonBody &common,
                 int sourceChild, int targetChild, Value ring,
                 scf::ForOp acrossLoop) {
  Body *body = common.body;
  int distance = 0;
  while (acrossLoop && body->nearestLoop != acrossLoop) {
    sourceChild = targetChild = body->parentChild;
    body = body->parent;
  }
  if (carried) {
    distance = 1;
    // Inside a deeper loop than its own a ring stands still.
    if (ring && rotatingLoop(ring) == body->nearestLoop)
      distance = ring.getDefiningOp<RingOp>().getVersions();
    if (distance == 1)
      ring = Value();
  } else if (ring && rotatingLoop(ring) != body->nearestLoop) {
    ring = Value();
  }
  auto [entry, inserted] =
      known.try_emplace({source, target, carried ? 1 : 0}, dependences.size());
  Dependence dependence{source,      target,  body,     sourceChild,
                        targetChild, carried, distance, ring};
  if (inserted) {
    dependences.push_back(dependence);
    return;
  }
  // The stricter of two reasons.
  Dependence &other = dependences[entry->second];
  if (body != other.body) {
    // Order between iterations of an inner loop that follow each other is order
    // between those of the loops around it too.
    if (body->depth > other.body->depth)
      other = dependence;
    other.distance = 1;
    other.ring = Value();
  } else if (carried ? distance < other.distance : !ring) {
    other = dependence;
  }
}

void Finder::compare(int first, int second) {
  const Instruction &a = program.instructions[first];
  const Instruction &b = program.instructions[second];
  CommonBody common = commonBody(a.body, a.child, b.body, b.child);
  bool exclusive = first != second && common.first == common.second;
  for (const Access &x : a.accesses)
    for (const Access &y : b.accesses) {
      Conflict conflict = conflictOf(a, x, b, y, common.body);
      // A conflict with a later iteration of the same loop is kept by order
      // in each iteration, unless the loop is known.
      bool inIteration =
          conflict.inIteration || (conflict.across && !conflict.acrossLoop);
      if (first != second && !exclusive && inIteration)
        add(first, second, false, common, common.first, common.second,
            conflict.ring);
      if (!conflict.across || !common.body->nearestLoop)
        continue;
      add(second, first, true, common, common.second, common.first,
          conflict.ring, conflict.acrossLoop);
      if (first != second && (exclusive || !inIteration))
        add(first, second, true, common, common.first, common.second,
            conflict.ring, conflict.acrossLoop);
    }
}

std::vector<Dependence> Finder::run() {
  for (Instruction &instruction : program.instructions)
    ranges.push_back(globalRangeOf(instruction.op));
  int count = static_cast<int>(program.instructions.size());
  for (int second = 0; second != count; ++second)
    for (int first = 0; first <= second; ++first)
      compare(first, second);
  return std::move(dependences);
}

std::vector<Dependence>
sync::findDependences(CoreProgram &program, const DenseSet<Value> &exchanged) {
  return Finder(program, exchanged).run();
}
