//===- VerifySyncTrace.cpp - Programs unrolled into events ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifySyncTrace.h"

#include "tilelang/Support/IndexBounds.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verifysync;

static constexpr int64_t kUnknownLength = int64_t(1) << 40;

namespace {

class Tracer {
public:
  Tracer(KernelOp kernel, const Scenario &scenario, size_t limit)
      : kernel(kernel), scenario(scenario), limit(limit) {}

  bool run(int core, Region &region, std::vector<Event> &events);

private:
  void block(Block &block);
  void loop(scf::ForOp loop);
  void branch(scf::IfOp branch);
  void instruction(Operation *op);
  Touch touchOf(Operation *op, const RegionAccess &access);
  void limitToRange(Operation *op, Value buffer, Stretch &bytes);
  Number evaluate(Value value);
  Number unknown(Value value);
  int64_t iterationsOf(scf::ForOp loop);

  KernelOp kernel;
  Scenario scenario;
  size_t limit;
  int core = 0;
  std::vector<Event> *events = nullptr;
  llvm::DenseMap<Value, Number> values;
  llvm::DenseMap<Value, int64_t> slots;
  /// The loops around and their iterations.
  SmallVector<std::pair<Operation *, int64_t>, 4> path;
  /// Iterations of the loops around, summed up, and how many loops these are.
  int64_t iterationSum = 0;
  int depth = 0;
  int64_t gridIteration = 0;
};

} // namespace

static std::optional<int64_t> literal(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

/// One name per value and iteration of the loops it is defined in.
Number Tracer::unknown(Value value) {
  llvm::hash_code name = llvm::hash_combine(value.getAsOpaquePointer(), core);
  for (auto [loop, iteration] : path)
    if (cast<scf::ForOp>(loop).getRegion().isAncestor(value.getParentRegion()))
      name = llvm::hash_combine(name, iteration);
  return {0, uint64_t(name) | 1};
}

Number Tracer::evaluate(Value value) {
  if (auto number = literal(value))
    return {*number, 0};
  if (auto entry = values.find(value); entry != values.end())
    return entry->second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // A scalar parameter is one unknown number for the whole kernel.
    if (isa<KernelOp>(argument.getOwner()->getParentOp()))
      return {0, (argument.getArgNumber() + 1) * 2};
    return unknown(value);
  }
  Operation *op = value.getDefiningOp();
  auto numbers = [&](Operation *op) {
    return std::pair(evaluate(op->getOperand(0)), evaluate(op->getOperand(1)));
  };
  auto hashed = [](uint64_t a, uint64_t b) {
    return uint64_t(llvm::hash_combine(a, b)) | 1;
  };
  return llvm::TypeSwitch<Operation *, Number>(op)
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>(
          [&](Operation *cast) { return evaluate(cast->getOperand(0)); })
      .Case([&](arith::AddIOp add) -> Number {
        auto [a, b] = numbers(add);
        uint64_t tag = !a.tag ? b.tag : !b.tag ? a.tag : hashed(a.tag, b.tag);
        return {a.value + b.value, tag};
      })
      .Case([&](arith::SubIOp sub) -> Number {
        auto [a, b] = numbers(sub);
        if (a.tag == b.tag)
          return {a.value - b.value, 0};
        if (!b.tag)
          return {a.value - b.value, a.tag};
        return {a.value - b.value, hashed(a.tag, ~b.tag)};
      })
      .Case([&](arith::MulIOp mul) -> Number {
        auto [a, b] = numbers(mul);
        if (!a.tag && !b.tag)
          return {a.value * b.value, 0};
        if (a.tag && b.tag)
          return unknown(value);
        Number scale = a.tag ? b : a, other = a.tag ? a : b;
        if (scale.value == 0)
          return {0, 0};
        return {other.value * scale.value,
                scale.value == 1 ? other.tag : hashed(other.tag, scale.value)};
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](Operation *min) -> Number {
        auto [a, b] = numbers(min);
        if (a.tag || b.tag)
          return unknown(value);
        return {std::min(a.value, b.value), 0};
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](Operation *max) -> Number {
        auto [a, b] = numbers(max);
        if (a.tag || b.tag)
          return unknown(value);
        return {std::max(a.value, b.value), 0};
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](Operation *div) -> Number {
            auto [a, b] = numbers(div);
            if (a.tag || b.tag || b.value == 0 || a.value < 0)
              return unknown(value);
            return {a.value / b.value, 0};
          })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *rem) -> Number {
        auto [a, b] = numbers(rem);
        if (a.tag || b.tag || b.value == 0 || a.value < 0)
          return unknown(value);
        return {a.value % b.value, 0};
      })
      .Case([&](BlockIdxOp) { return Number{0, 0}; })
      .Case([&](SubBlockIdxOp) { return Number{0, 0}; })
      .Case([&](BlockNumOp) {
        return Number{static_cast<int64_t>(kernel.getBlockDim()), 0};
      })
      .Default([&](Operation *) { return unknown(value); });
}

/// A bound of an extent that is not known as a number.
static int64_t atMost(Value value) {
  if (auto number = literal(value))
    return *number;
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::MinSIOp, arith::MinUIOp>(op))
    return std::min(atMost(op->getOperand(0)), atMost(op->getOperand(1)));
  if (isa_and_present<arith::MaxSIOp, arith::MaxUIOp>(op))
    return std::max(atMost(op->getOperand(0)), atMost(op->getOperand(1)));
  if (isa_and_present<arith::SelectOp>(op))
    return std::max(atMost(op->getOperand(1)), atMost(op->getOperand(2)));
  return kUnknownLength;
}

/// Narrows `bytes`, which starts at the view of a global buffer, to the rows
/// that a transfer or the scalar unit touches.
void Tracer::limitToRange(Operation *op, Value buffer, Stretch &bytes) {
  int64_t element = llvm::divideCeil(
      cast<MemRefType>(buffer.getType()).getElementTypeBitWidth(), 8);
  auto shift = [&](Value offset) {
    Number number = evaluate(offset);
    bytes.begin += number.value * element;
    if (number.tag)
      bytes.tag = uint64_t(llvm::hash_combine(bytes.tag, number.tag)) | 1;
  };
  auto rows = [&](auto access) {
    shift(access.getOffset());
    Number columns = evaluate(access.getColumns());
    Number count = evaluate(access.getRows());
    Number stride = evaluate(access.getStride());
    // Where an extent is not known, its bound is: transfers are clipped.
    bytes.length = columns.tag ? atMost(access.getColumns()) : columns.value;
    bytes.length *= element;
    bytes.rows = count.tag ? atMost(access.getRows()) : count.value;
    bytes.pitch = stride.value * element;
    if (stride.tag || bytes.length >= kUnknownLength ||
        bytes.rows >= kUnknownLength) {
      bytes.length = kUnknownLength;
      bytes.rows = 1;
    }
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LoadOp load) { rows(load); })
      .Case([&](StoreOp store) { rows(store); })
      .Case([&](Nd2NzOp load) { rows(load); })
      .Case([&](FixpipeOp store) { rows(store); })
      .Case([&](GetValueOp get) {
        shift(get.getOffset());
        bytes.length = element;
      })
      .Case([&](SetValueOp set) {
        shift(set.getOffset());
        bytes.length = element;
      });
}

Touch Tracer::touchOf(Operation *op, const RegionAccess &access) {
  auto type = cast<MemRefType>(access.target.getType());
  Stretch bytes;
  bytes.length = type.hasStaticShape()
                     ? type.getNumElements() *
                           llvm::divideCeil(type.getElementTypeBitWidth(), 8)
                     : kUnknownLength;
  // The way from the view to the buffer: offsets and the slot.
  int64_t slot = 0;
  Value root = access.target;
  while (auto view = root.getDefiningOp<ViewOp>()) {
    if (view.getRing())
      slot = slots.lookup(view.getRing());
    if (view.getOffset()) {
      Number offset = evaluate(view.getOffset());
      auto source = cast<MemRefType>(view.getSource().getType());
      bytes.begin +=
          offset.value * llvm::divideCeil(source.getElementTypeBitWidth(), 8);
      if (offset.tag)
        bytes.tag = uint64_t(llvm::hash_combine(bytes.tag, offset.tag)) | 1;
    }
    root = view.getSource();
  }
  Touch touch{{}, bytes, access.reads(), access.writes()};
  if (auto alloc = root.getDefiningOp<AllocOp>()) {
    int64_t base = alloc.getAddress().value_or(0);
    uint64_t name = static_cast<uint64_t>(alloc.getMemory());
    if (!alloc.getAddress()) // not planned yet: a space of its own
      name = reinterpret_cast<uintptr_t>(alloc.getOperation());
    if (touch.bytes.tag) {
      // Somewhere in this version.
      touch.bytes.tag = 0;
      touch.bytes.begin = 0;
      touch.bytes.length = alloc.getVersionBytes();
    }
    touch.bytes.begin += base + slot * alloc.getVersionBytes();
    touch.space = {core, name, 0};
    return touch;
  }
  if (auto workspace = root.getDefiningOp<WorkspaceOp>()) {
    limitToRange(op, access.target, touch.bytes);
    touch.space = {2, workspace.getId(), slot};
    return touch;
  }
  limitToRange(op, access.target, touch.bytes);
  // Blocks of the grid do not depend on each other.
  touch.space = {3, cast<BlockArgument>(root).getArgNumber(), gridIteration};
  return touch;
}

void Tracer::instruction(Operation *op) {
  Event event{Event::Run, op, cast<InstructionOpInterface>(op).getPipe(),
              Pipe::S,    0,  -1,
              {}};
  SmallVector<RegionAccess> accesses;
  cast<RegionAccessOpInterface>(op).getRegionAccesses(accesses);
  for (const RegionAccess &access : accesses)
    event.touches.push_back(touchOf(op, access));
  events->push_back(std::move(event));
}

int64_t Tracer::iterationsOf(scf::ForOp loop) {
  auto lower = literal(loop.getLowerBound());
  auto upper = literal(loop.getUpperBound());
  auto step = literal(loop.getStep());
  if (lower && upper && step && *step > 0)
    return std::clamp<int64_t>((*upper - *lower + *step - 1) / *step, 0,
                               scenario.iterations);
  // More iterations than the bounds allow would leave the loop's buffers.
  int64_t most = scenario.iterations;
  std::optional<int64_t> first = boundsOf(loop.getLowerBound()).lower;
  std::optional<int64_t> last = boundsOf(loop.getUpperBound()).upper;
  if (first && last && step && *step > 0)
    most = std::clamp<int64_t>((*last - *first + *step - 1) / *step, 0, most);
  bool outermost = depth == 0;
  switch (scenario.pattern) {
  case Scenario::Empty:
    return 0;
  case Scenario::Even:
    return outermost || iterationSum % 2 == 0 ? most : 0;
  case Scenario::Odd:
    return outermost || iterationSum % 2 == 1 ? most : 0;
  case Scenario::Single:
    return outermost ? most : std::min<int64_t>(most, 1);
  case Scenario::Shallow:
    return depth < 2 ? most : 0;
  case Scenario::Outer:
    return outermost ? most : 0;
  default:
    return most;
  }
}

void Tracer::loop(scf::ForOp loop) {
  int64_t count = iterationsOf(loop);
  Number lower = evaluate(loop.getLowerBound());
  Number step = evaluate(loop.getStep());
  bool isGrid = loop->hasAttr(kGridLoopAttr);
  for (int64_t i = 0; i != count && events->size() < limit; ++i) {
    Number variable{lower.value + i * step.value, lower.tag};
    path.push_back({loop, i});
    values[loop.getInductionVar()] =
        step.tag ? unknown(loop.getInductionVar()) : variable;
    if (isGrid)
      gridIteration = i;
    ++depth;
    iterationSum += i;
    block(*loop.getBody());
    iterationSum -= i;
    --depth;
    path.pop_back();
  }
}

void Tracer::branch(scf::IfOp branch) {
  bool then = true;
  switch (scenario.pattern) {
  case Scenario::Else:
    then = false;
    break;
  case Scenario::Even:
  case Scenario::Single:
    then = iterationSum % 2 == 0;
    break;
  case Scenario::Odd:
    then = iterationSum % 2 == 1;
    break;
  default:
    break;
  }
  if (then)
    block(*branch.thenBlock());
  else if (Block *otherwise = branch.elseBlock())
    block(*otherwise);
}

void Tracer::block(Block &block) {
  for (Operation &op : block) {
    if (events->size() >= limit)
      return;
    if (isa<InstructionOpInterface>(op)) {
      instruction(&op);
      continue;
    }
    auto flagEvent = [&](Event::Kind kind, auto flag) {
      int64_t id = flag.getId();
      if (flag.getRing())
        id += slots.lookup(flag.getRing());
      events->push_back({kind,
                         &op,
                         flag.getSource(),
                         flag.getTarget(),
                         id,
                         static_cast<int64_t>(flag.getGroup()),
                         {}});
    };
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](scf::ForOp op) { loop(op); })
        .Case([&](scf::IfOp op) { branch(op); })
        .Case([&](RingOp ring) { slots[ring.getRing()] = 0; })
        .Case([&](AdvanceOp advance) {
          auto ring = advance.getRing().getDefiningOp<RingOp>();
          int64_t &slot = slots[advance.getRing()];
          slot = (slot + 1) % static_cast<int64_t>(ring.getVersions());
        })
        .Case([&](SetFlagOp flag) { flagEvent(Event::Set, flag); })
        .Case([&](WaitFlagOp flag) { flagEvent(Event::Wait, flag); })
        .Case([&](BarrierOp barrier) {
          events->push_back(
              {Event::Barrier, &op, barrier.getPipe(), Pipe::S, 0, -1, {}});
        })
        .Case([&](CrossSetOp set) {
          events->push_back({Event::CrossSet,
                             &op,
                             set.getPipe(),
                             Pipe::S,
                             static_cast<int64_t>(set.getFlag()),
                             static_cast<int64_t>(set.getGroup()),
                             {}});
        })
        .Case([&](CrossWaitOp wait) {
          events->push_back({Event::CrossWait,
                             &op,
                             Pipe::S,
                             Pipe::S,
                             static_cast<int64_t>(wait.getFlag()),
                             static_cast<int64_t>(wait.getGroup()),
                             {}});
        });
  }
}

bool Tracer::run(int whichCore, Region &region, std::vector<Event> &result) {
  core = whichCore;
  events = &result;
  block(region.front());
  return events->size() < limit;
}

bool verifysync::trace(KernelOp kernel, const Scenario &scenario, size_t limit,
                       Traces &traces) {
  traces[0].clear();
  traces[1].clear();
  return Tracer(kernel, scenario, limit).run(0, kernel.getAic(), traces[0]) &&
         Tracer(kernel, scenario, limit).run(1, kernel.getAiv(), traces[1]);
}
