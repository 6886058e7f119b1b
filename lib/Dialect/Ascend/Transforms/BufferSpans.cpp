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
    auto *first = firstEndingAt(range.begin), *last = first;
    for (; last != ranges.end() && last->begin <= range.end; ++last) {
      range.begin = std::min(range.begin, last->begin);
      range.end = std::max(range.end, last->end);
    }
    first = ranges.erase(first, last);
    ranges.insert(first, range);
  }
  bool contains(const ByteRange &range) const {
    const auto *first = firstEndingAt(range.begin + 1);
    return range.begin >= range.end ||
           (first != ranges.end() && first->contains(range));
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
  /// The first range that ends at `position` or behind it.
  ByteRange *firstEndingAt(int64_t position) {
    return llvm::partition_point(
        ranges, [&](const ByteRange &range) { return range.end < position; });
  }
  const ByteRange *firstEndingAt(int64_t position) const {
    return const_cast<ByteSet *>(this)->firstEndingAt(position);
  }

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
  SmallVector<ByteRange> stretchesOf(const Access &access) const;

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

/// The bytes of an access one by one, as far as the buffer has them.
SmallVector<ByteRange> ContentsWalk::stretchesOf(const Access &access) const {
  auto clipped = [&](int64_t begin, int64_t end) {
    return ByteRange{std::min(begin, size), std::min(end, size)};
  };
  if (!access.exact || !access.range || access.range->bytes.isContiguous())
    return {clipped(access.bytes.begin, access.bytes.end)};
  SmallVector<ByteRange> result;
  const StridedBytes &bytes = access.range->bytes;
  for (int64_t row = 0; row != bytes.rows; ++row)
    for (int64_t block = 0; block != bytes.blocks; ++block) {
      int64_t begin = access.range->offset.constant + row * bytes.rowPitch +
                      block * bytes.blockPitch;
      result.push_back(clipped(begin, begin + bytes.length));
    }
  return result;
}

bool ContentsWalk::readsOld(Body *body, ByteSet &written) {
  for (const Child &child : body->children) {
    if (child.instruction >= 0) {
      const Instruction &instruction = program.instructions[child.instruction];
      auto mmad = dyn_cast<MmadOp>(instruction.op);
      for (const Access &access : instruction.accesses)
        if (access.root == buffer && access.reads &&
            !(access.writes && mmad && initialises(mmad)) &&
            !llvm::all_of(stretchesOf(access), [&](const ByteRange &stretch) {
              return written.contains(stretch);
            }))
          return true;
      for (const Access &access : instruction.accesses)
        if (access.root == buffer && access.writes && access.exact)
          for (const ByteRange &stretch : stretchesOf(access))
            written.add(stretch);
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
    // Outwards to the first loop that does not carry the contents; to the one
    // whose tasks are skewed, if it is kept for later tasks.
    bool keptForTasks = use.alloc->hasAttr(kTaskVersionsAttr);
    auto rotates = [&](Body *body) {
      if (!body->loop)
        return false;
      if (keptForTasks)
        return body->loop->hasAttr(kSkewAttr);
      return isGridLoop(body->loop) ||
             !isCarriedBy(body, program, use.alloc.getBuffer());
    };
    while (body->parent && !rotates(body))
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
    use.outer = use.wide;
    for (const Instruction *access : use.accesses)
      for (Body *inside = access->body; inside->parent; inside = inside->parent)
        if (!inside->parent->parent || isGridLoop(inside->parent->loop)) {
          Span span = numbering.of(inside->parent, inside->parentChild);
          // What lies in the loop over the blocks itself has its own span.
          if (isGridLoop(inside->loop))
            continue;
          use.outer.begin = std::min(use.outer.begin, span.begin);
          use.outer.end = std::max(use.outer.end, span.end);
        }
  }
  return uses;
}
