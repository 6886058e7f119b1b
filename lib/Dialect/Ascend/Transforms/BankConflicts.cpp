//===- BankConflicts.cpp - Addresses by the banks of UB -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A repetition of a vector instruction reads blocks of 32 bytes from bank
// groups that take turns with the address; two reads of one group, and a read
// that meets the write of the repetition before in one bank, cost cycles. Two
// sources that begin half a turn apart, and a result in another third of UB
// than what is read, avoid both. Where every buffer has bytes of its own there
// is freedom left: their order, and for each half a turn more. A local search
// over these takes whatever lowers the cycles of the whole program.
//
//===----------------------------------------------------------------------===//

#include "BankConflicts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

static constexpr int64_t kBlockBytes = 32;
static constexpr int64_t kRepeatBytes = 256;
/// Runs of a loop whose count is known at run time only.
static constexpr double kAssumedRuns = 8;
static constexpr int kSweeps = 3;

namespace {

/// Blocks that a repetition accesses.
struct Operand {
  int buffer = -1;
  int64_t offset = 0; // bytes from the buffer's start
  int64_t blocks = 0, blockStride = 0, repeatStride = 0;
};

struct VectorAccess {
  Operand destination;
  SmallVector<Operand, 2> sources;
  int64_t repeats = 1;
  /// Cycles of a repetition without conflicts.
  double slope = 1;
  /// How often the program runs it.
  double runs = 1;
};

class BankPlanner {
public:
  BankPlanner(MutableArrayRef<PlacedBuffer> buffers, const Chip &chip)
      : buffers(buffers), chip(chip),
        groups(
            static_cast<int64_t>(chip.constant("timing.vector.bank_groups"))),
        thirdBytes(groups * static_cast<int64_t>(
                                chip.constant("timing.vector.bank_bytes"))),
        readWriteCycles(
            chip.constant("timing.vector.read_write_conflict_cycles")) {
    for (auto [index, buffer] : llvm::enumerate(buffers))
      numbers[buffer.use->alloc.getBuffer()] = index;
  }

  void collect(Region &program) {
    program.walk([&](Operation *op) {
      if (auto binary = dyn_cast<BinaryOp>(op))
        add(op, binary.getDestination(), {binary.getLhs(), binary.getRhs()},
            binary.getCount(), binary.getRepeat(),
            binary.getFunction() == BinaryFunction::Div ? "div_f32"
                                                        : "two_source");
      else if (auto unary = dyn_cast<UnaryOp>(op))
        add(op, unary.getDestination(), {unary.getSource()}, unary.getCount(),
            unary.getRepeat(),
            unary.getFunction() == UnaryFunction::Exp ? "exp_f32" : "simple");
      else if (auto scalar = dyn_cast<ScalarOp>(op))
        add(op, scalar.getDestination(), {scalar.getSource()},
            scalar.getCount(), scalar.getRepeat(), "simple");
      else if (auto cast = dyn_cast<CastOp>(op))
        add(op, cast.getDestination(), {cast.getSource()}, cast.getCount(),
            cast.getRepeat(), "cast");
    });
  }

  void improve(int64_t limit) {
    order.resize(buffers.size());
    std::iota(order.begin(), order.end(), 0);
    shifted.assign(buffers.size(), false);
    SmallVector<int64_t> best;
    for (const PlacedBuffer &buffer : buffers)
      best.push_back(buffer.address);
    double bestCycles = cycles(best);
    auto tryLayout = [&] {
      SmallVector<int64_t> addresses = layOut();
      int64_t end = 0;
      for (auto [address, buffer] : llvm::zip_equal(addresses, buffers))
        end = std::max(end, address + buffer.bytes());
      if (end > limit)
        return false;
      double now = cycles(addresses);
      if (now >= bestCycles - 0.5)
        return false;
      bestCycles = now;
      best = addresses;
      return true;
    };
    tryLayout();
    bool changed = true;
    for (int sweep = 0; sweep < kSweeps && changed; ++sweep) {
      changed = false;
      for (size_t i = 0; i < buffers.size(); ++i) {
        shifted[i] = !shifted[i];
        if (tryLayout())
          changed = true;
        else
          shifted[i] = !shifted[i];
        for (size_t j = i + 1; j < buffers.size(); ++j) {
          std::swap(order[i], order[j]);
          if (tryLayout())
            changed = true;
          else
            std::swap(order[i], order[j]);
        }
      }
    }
    for (auto [address, buffer] : llvm::zip_equal(best, buffers))
      buffer.address = address;
  }

  bool isWorthwhile() const { return !accesses.empty(); }

private:
  static int64_t bytesOf(Value value) {
    Type type = cast<MemRefType>(value.getType()).getElementType();
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  }

  /// The constant part of an offset; the rest is a multiple of rows, which
  /// begin a turn of the bank groups.
  static int64_t constantPart(Value offset) {
    if (std::optional<int64_t> known = getConstantIntValue(offset))
      return *known;
    if (auto sum = offset.getDefiningOp<arith::AddIOp>())
      return constantPart(sum.getLhs()) + constantPart(sum.getRhs());
    return 0;
  }

  Operand operandOf(Value value) const {
    Operand operand;
    while (auto view = value.getDefiningOp<ViewOp>()) {
      if (Value offset = view.getOffset())
        operand.offset += constantPart(offset) * bytesOf(view.getSource());
      value = view.getSource();
    }
    auto known = numbers.find(value);
    operand.buffer = known == numbers.end() ? -1 : known->second;
    return operand;
  }

  static double runsOf(Operation *op) {
    double runs = 1;
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>()) {
      std::optional<int64_t> low = getConstantIntValue(loop.getLowerBound());
      std::optional<int64_t> high = getConstantIntValue(loop.getUpperBound());
      std::optional<int64_t> step = getConstantIntValue(loop.getStep());
      runs *= low && high && step && *step > 0
                  ? std::max<double>(0, llvm::divideCeil(*high - *low, *step))
                  : kAssumedRuns;
    }
    return runs;
  }

  void add(Operation *op, Value destination, ArrayRef<Value> sources,
           std::optional<int64_t> count, std::optional<RepeatAttr> repeat,
           StringRef slope) {
    VectorAccess access;
    access.slope = chip.constant(("timing.vector.slope." + slope).str());
    access.runs = runsOf(op);
    int64_t widest = bytesOf(destination);
    for (Value source : sources)
      widest = std::max(widest, bytesOf(source));
    int64_t lanes = kRepeatBytes / widest;
    if (repeat) {
      access.repeats = repeat->getCount();
      lanes = std::min<int64_t>(lanes, repeat->getMask());
    } else if (count) {
      access.repeats = llvm::divideCeil(*count, lanes);
    }
    auto make = [&](Value value, int64_t block, int64_t distance) {
      Operand operand = operandOf(value);
      int64_t bytes = lanes * bytesOf(value);
      operand.blocks = llvm::divideCeil(bytes, kBlockBytes);
      operand.blockStride = repeat ? block * kBlockBytes : kBlockBytes;
      operand.repeatStride = repeat ? distance * kBlockBytes : bytes;
      return operand;
    };
    access.destination = make(destination, repeat ? repeat->getDstBlock() : 1,
                              repeat ? repeat->getDstRepeat() : 0);
    for (auto [number, source] : llvm::enumerate(sources)) {
      int64_t block = 1, distance = 0;
      if (repeat) {
        block = number ? repeat->getSrc1Block() : repeat->getSrc0Block();
        distance = number ? repeat->getSrc1Repeat() : repeat->getSrc0Repeat();
      }
      access.sources.push_back(make(source, block, distance));
    }
    bool known = access.destination.buffer >= 0 &&
                 llvm::all_of(access.sources, [](const Operand &operand) {
                   return operand.buffer >= 0;
                 });
    if (known && access.repeats > 1)
      accesses.push_back(access);
  }

  SmallVector<int64_t> layOut() const {
    SmallVector<int64_t> addresses(buffers.size());
    int64_t turn = groups * kBlockBytes, next = 0;
    for (size_t index : order) {
      next = llvm::alignTo(next, turn);
      addresses[index] = next + (shifted[index] ? turn / 2 : 0);
      next = addresses[index] + buffers[index].bytes();
    }
    return addresses;
  }

  /// Mean over the versions that buffers take in turn.
  double cycles(ArrayRef<int64_t> addresses) const {
    double total = 0;
    int64_t versions = 1;
    for (const PlacedBuffer &buffer : buffers)
      versions = std::max(versions, buffer.versions);
    for (int64_t version = 0; version < versions; ++version) {
      SmallVector<int64_t> starts;
      for (auto [address, buffer] : llvm::zip_equal(addresses, buffers))
        starts.push_back(address + version % buffer.versions *
                                       (buffer.bytes() / buffer.versions));
      for (const VectorAccess &access : accesses)
        total += access.runs * static_cast<double>(access.repeats) *
                 std::max(access.slope, bankCycles(access, starts));
    }
    return total / static_cast<double>(versions);
  }

  /// Cycles of the second repetition, whose reads meet the first one's writes.
  double bankCycles(const VectorAccess &access,
                    ArrayRef<int64_t> addresses) const {
    SmallVector<int64_t, 16> reads, writes;
    auto list = [&](const Operand &operand, int64_t repetition,
                    SmallVectorImpl<int64_t> &blocks) {
      int64_t start = addresses[operand.buffer] + operand.offset +
                      repetition * operand.repeatStride;
      for (int64_t block = 0; block < operand.blocks; ++block) {
        int64_t address = start + block * operand.blockStride;
        if (!llvm::is_contained(blocks, address))
          blocks.push_back(address);
      }
    };
    for (const Operand &source : access.sources)
      list(source, 1, reads);
    list(access.destination, 0, writes);
    auto groupOf = [&](int64_t address) {
      return address / kBlockBytes % groups;
    };
    SmallVector<int, 16> readsOf(groups, 0), writesOf(groups, 0);
    int worst = 1;
    for (int64_t address : reads)
      worst = std::max(worst, ++readsOf[groupOf(address)]);
    for (int64_t address : writes)
      worst = std::max(worst, ++writesOf[groupOf(address)]);
    bool meets = llvm::any_of(reads, [&](int64_t read) {
      return llvm::any_of(writes, [&](int64_t write) {
        return read != write && groupOf(read) == groupOf(write) &&
               read / thirdBytes == write / thirdBytes;
      });
    });
    return worst + (meets && worst < 2 ? readWriteCycles : 0);
  }

  MutableArrayRef<PlacedBuffer> buffers;
  const Chip &chip;
  int64_t groups, thirdBytes;
  double readWriteCycles;
  DenseMap<Value, int> numbers;
  std::vector<VectorAccess> accesses;
  SmallVector<size_t> order;
  SmallVector<bool> shifted;
};

} // namespace

void sync::avoidBankConflicts(Region &program,
                              MutableArrayRef<PlacedBuffer> buffers,
                              const Chip &chip, int64_t limit) {
  BankPlanner planner(buffers, chip);
  planner.collect(program);
  if (planner.isWorthwhile())
    planner.improve(limit);
}
