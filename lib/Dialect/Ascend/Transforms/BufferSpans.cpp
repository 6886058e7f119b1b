//===- BufferSpans.cpp - Where on-chip buffers live -----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "BufferSpans.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

namespace {

/// A set of bytes as sorted, disjoint ranges.
class ByteSet {
public:
  void add(ByteRange range) {
    SmallVector<ByteRange, 4> result;
    for (const ByteRange &other : ranges) {
      if (other.end < range.begin || range.end < other.begin) {
        result.push_back(other);
        continue;
      }
      range.begin = std::min(range.begin, other.begin);
      range.end = std::max(range.end, other.end);
    }
    result.push_back(range);
    llvm::sort(result, [](const ByteRange &a, const ByteRange &b) {
      return a.begin < b.begin;
    });
    ranges = std::move(result);
  }
  bool contains(const ByteRange &range) const {
    return llvm::any_of(
        ranges, [&](const ByteRange &other) { return other.contains(range); });
  }
  ByteSet intersect(const ByteSet &other) const {
    ByteSet result;
    for (const ByteRange &a : ranges)
      for (const ByteRange &b : other.ranges)
        if (a.overlaps(b))
          result.add({std::max(a.begin, b.begin), std::min(a.end, b.end)});
    return result;
  }

private:
  SmallVector<ByteRange, 4> ranges;
};

/// Follows one buffer through one iteration of a loop.
class ContentsWalk {
public:
  ContentsWalk(const CoreProgram &program, Value buffer, scf::ForOp loop)
      : program(program), buffer(buffer), loop(loop) {
    auto alloc = buffer.getDefiningOp<AllocOp>();
    size =
        alloc ? alloc.getVersionBytes() : std::numeric_limits<int64_t>::max();
  }

  /// Whether `body` reads bytes outside `written`, to which what it surely
  /// writes is added.
  bool readsOld(Body *body, ByteSet &written);

private:
  bool initialises(MmadOp mmad) const;

  const CoreProgram &program;
  Value buffer;
  scf::ForOp loop;
  int64_t size;
};

} // namespace

/// Every variable the condition compares belongs to a loop inside `loop`, so
/// that the first Mmad of each iteration starts afresh.
bool ContentsWalk::initialises(MmadOp mmad) const {
  SmallVector<Value> pending{mmad.getInit()};
  bool found = false;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (auto both = value.getDefiningOp<arith::AndIOp>()) {
      pending.append({both.getLhs(), both.getRhs()});
      continue;
    }
    auto compare = value.getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
      return false;
    auto variable = dyn_cast<BlockArgument>(compare.getLhs());
    auto inner = variable
                     ? dyn_cast<scf::ForOp>(variable.getOwner()->getParentOp())
                     : scf::ForOp();
    if (!inner || inner.getInductionVar() != variable ||
        !loop->isProperAncestor(inner))
      return false;
    found = true;
  }
  return found;
}

bool ContentsWalk::readsOld(Body *body, ByteSet &written) {
  for (const Child &child : body->children) {
    if (child.instruction >= 0) {
      const Instruction &instruction = program.instructions[child.instruction];
      auto mmad = dyn_cast<MmadOp>(instruction.op);
      auto clipped = [&](const Access &access) {
        return ByteRange{std::min(access.bytes.begin, size),
                         std::min(access.bytes.end, size)};
      };
      for (const Access &access : instruction.accesses)
        if (access.root == buffer && access.reads &&
            !(access.writes && mmad && initialises(mmad)) &&
            !written.contains(clipped(access)))
          return true;
      for (const Access &access : instruction.accesses)
        if (access.root == buffer && access.writes && access.exact)
          written.add(clipped(access));
      continue;
    }
    if (child.bodies.front()->loop) {
      ByteSet inner = written;
      if (readsOld(child.bodies.front(), inner))
        return true;
      // A loop that may not run at all writes nothing for sure, but a sum over
      // no terms is an initialised sum.
      auto trips = constantTripCount(child.bodies.front()->loop);
      if ((trips && *trips > 0) || memoryOf(buffer) == MemoryKind::L0C)
        written = inner;
      continue;
    }
    ByteSet then = written, otherwise = written;
    if (readsOld(child.bodies.front(), then))
      return true;
    if (child.bodies.size() == 2 && readsOld(child.bodies.back(), otherwise))
      return true;
    written = then.intersect(otherwise);
  }
  return false;
}

bool sync::isCarriedBy(Body *body, const CoreProgram &program, Value buffer) {
  ByteSet written;
  return ContentsWalk(program, buffer, body->loop).readsOld(body, written);
}

namespace {
/// Numbers bodies and children so that a loop encloses what is in it.
class Numbering {
public:
  explicit Numbering(CoreProgram &program) { visit(program.top()); }
  Span of(Body *body, int child) const {
    return children.lookup({body, child});
  }
  Span of(Body *body) const {
    return body->parent ? of(body->parent, body->parentChild) : Span{0, next};
  }

private:
  void visit(Body *body) {
    for (auto [index, child] : llvm::enumerate(body->children)) {
      int begin = next++;
      for (Body *inner : child.bodies)
        visit(inner);
      children[{body, static_cast<int>(index)}] = {begin, next++};
    }
  }
  llvm::DenseMap<std::pair<Body *, int>, Span> children;
  int next = 0;
};
} // namespace

std::vector<BufferUse> sync::findBufferUses(Region &region,
                                            CoreProgram &program) {
  std::vector<BufferUse> uses;
  llvm::DenseMap<Value, size_t> indices;
  for (AllocOp alloc : region.front().getOps<AllocOp>()) {
    indices[alloc.getBuffer()] = uses.size();
    BufferUse use;
    use.alloc = alloc;
    uses.push_back(std::move(use));
  }
  for (const Instruction &instruction : program.instructions)
    for (const Access &access : instruction.accesses) {
      auto entry = indices.find(access.root);
      if (entry == indices.end())
        continue;
      BufferUse &use = uses[entry->second];
      if (use.accesses.empty() || use.accesses.back() != &instruction)
        use.accesses.push_back(&instruction);
      use.transferred |=
          instruction.pipe != Pipe::V && instruction.pipe != Pipe::S;
    }

  Numbering numbering(program);
  for (BufferUse &use : uses) {
    if (use.accesses.empty())
      continue;
    Body *body = use.accesses.front()->body;
    for (const Instruction *access : use.accesses)
      body = commonBody(body, 0, access->body, 0).body;
    // Outwards to the first loop that does not carry the contents.
    while (
        body->parent &&
        !(body->loop && (isGridLoop(body->loop) ||
                         !isCarriedBy(body, program, use.alloc.getBuffer()))))
      body = body->parent;
    use.loop = body->loop;
    use.tight = {std::numeric_limits<int>::max(), 0};
    for (const Instruction *access : use.accesses) {
      int child = commonBody(body, 0, access->body, access->child).second;
      Span span = numbering.of(body, child);
      use.tight.begin = std::min(use.tight.begin, span.begin);
      use.tight.end = std::max(use.tight.end, span.end);
    }
    use.wide = use.loop ? numbering.of(body) : use.tight;
  }
  return uses;
}
