//===- LocalRanges.cpp - Which accesses to on-chip memory can meet --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LocalRanges.h"
#include "SyncProgram.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

/// Bytes of a block and of a whole repetition.
static constexpr int64_t kBlock = 32;
static constexpr int64_t kRepetition = 256;

//===-- Strided bytes ----------------------------------------------------===//

void StridedBytes::normalise() {
  if (blocks > 1 && blockPitch <= length) {
    length += (blocks - 1) * blockPitch;
    blocks = 1;
  }
  if (rowPitch == 0)
    rows = 1;
  if (rows > 1 && blocks == 1 && rowPitch <= length) {
    length += (rows - 1) * rowPitch;
    rows = 1;
  }
  if (blocks == 1)
    blockPitch = 0;
  if (rows == 1)
    rowPitch = 0;
}

/// Rows of `firstLength` bytes and rows of `secondLength` bytes, the first of
/// the second `distance` bytes behind the first of the first.
static bool rowsMeet(int64_t firstLength, int64_t firstRows, int64_t firstPitch,
                     int64_t secondLength, int64_t secondRows,
                     int64_t secondPitch, int64_t distance) {
  if (firstRows > secondRows)
    return rowsMeet(secondLength, secondRows, secondPitch, firstLength,
                    firstRows, firstPitch, -distance);
  for (int64_t row = 0; row != firstRows; ++row) {
    // The first row of the second that ends behind the start of this one.
    int64_t start = distance - row * firstPitch;
    int64_t next = 0;
    if (start <= -secondLength) {
      if (secondRows == 1)
        continue;
      next = (-secondLength - start) / secondPitch + 1;
    }
    if (next < secondRows && start + next * secondPitch < firstLength)
      return true;
  }
  return false;
}

bool sync::overlap(const StridedBytes &first, const StridedBytes &second,
                   int64_t distance) {
  if (distance >= first.span() || -distance >= second.span())
    return false;
  for (int64_t i = 0; i != first.blocks; ++i)
    for (int64_t j = 0; j != second.blocks; ++j)
      if (rowsMeet(first.length, first.rows, first.rowPitch, second.length,
                   second.rows, second.rowPitch,
                   distance + j * second.blockPitch - i * first.blockPitch))
        return true;
  return false;
}

//===-- What operands touch ----------------------------------------------===//

static int64_t widthOf(Value operand) {
  return llvm::divideCeil(
      cast<MemRefType>(operand.getType()).getElementTypeBitWidth(), 8);
}

static std::optional<StridedBytes> wholeOf(Value operand) {
  auto type = cast<MemRefType>(operand.getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  return StridedBytes{type.getNumElements() * widthOf(operand)};
}

/// The first `lanes` lanes of each of `rows` repetitions; strides in blocks. A
/// last block of fewer lanes counts whole if blocks lie apart.
static StridedBytes lanesOf(int64_t width, int64_t lanes, int64_t blockStride,
                            int64_t rows, int64_t rowStride) {
  int64_t perBlock = kBlock / width;
  StridedBytes bytes;
  bytes.rows = rows;
  bytes.rowPitch = rowStride * kBlock;
  if (blockStride == 1 || lanes <= perBlock) {
    bytes.length = lanes * width;
  } else {
    bytes.length = kBlock;
    bytes.blocks = llvm::divideCeil(lanes, perBlock);
    bytes.blockPitch = blockStride * kBlock;
  }
  bytes.normalise();
  return bytes;
}

namespace {
enum class Position { Destination, Source, SecondSource };
} // namespace

/// An operand of an instruction with `count` or `repeat`. `lanes` replaces the
/// mask where the instruction ignores it.
template <typename Op>
static StridedBytes formOf(Op op, Value operand, Position position,
                           std::optional<int64_t> lanes = std::nullopt) {
  int64_t width = widthOf(operand);
  if (auto count = op.getCount())
    return {static_cast<int64_t>(*count) * width};
  RepeatAttr repeat = *op.getRepeat();
  int64_t block = 0, row = 0;
  switch (position) {
  case Position::Destination:
    block = repeat.getDstBlock(), row = repeat.getDstRepeat();
    break;
  case Position::Source:
    block = repeat.getSrc0Block(), row = repeat.getSrc0Repeat();
    break;
  case Position::SecondSource:
    block = repeat.getSrc1Block(), row = repeat.getSrc1Repeat();
    break;
  }
  return lanesOf(width, lanes.value_or(repeat.getMask()), block,
                 repeat.getCount(), row);
}

/// Bits of a mask, one per lane of all repetitions; `width` is what a lane has.
template <typename Op> static StridedBytes bitsOf(Op op, int64_t width) {
  int64_t bits = op.getCount()
                     ? *op.getCount()
                     : op.getRepeat()->getCount() * (kRepetition / width);
  return {static_cast<int64_t>(llvm::divideCeil(bits, 8))};
}

static void addReduce(ReduceOp op, SmallVectorImpl<OperandBytes> &result) {
  int64_t width = widthOf(op.getSource());
  int64_t repeats = op.getRepeats();
  ArrayRef<int64_t> pattern = op.getLanes();
  int64_t lanes = pattern.front();
  if (pattern.size() == 2)
    lanes = pattern[1] ? 65 + llvm::Log2_64(pattern[1])
                       : 1 + llvm::Log2_64(pattern[0]);
  result.push_back(
      {{op.getSource(), RegionAccessKind::Read},
       lanesOf(width, lanes, op.getSrcBlock(), repeats, op.getSrcRepeat())});
  int64_t results = op.getForm() == ReduceForm::Whole ? 1
                    : op.getForm() == ReduceForm::Block
                        ? kRepetition / kBlock
                        : kRepetition / width / 2;
  StridedBytes written{results * width};
  written.rows = repeats;
  written.rowPitch = op.getDstRepeat() * written.length;
  written.normalise();
  result.push_back({{op.getDestination(), RegionAccessKind::Write}, written});
}

SmallVector<OperandBytes, 4> sync::operandBytesOf(Operation *op) {
  constexpr auto read = RegionAccessKind::Read;
  constexpr auto write = RegionAccessKind::Write;
  constexpr auto accumulate = RegionAccessKind::Accumulate;
  SmallVector<OperandBytes, 4> result;
  auto add = [&](Value operand, RegionAccessKind kind, StridedBytes bytes) {
    result.push_back({{operand, kind}, bytes});
  };
  auto elementwise = [&](auto op, RegionAccessKind kind) {
    add(op.getSource(), read, formOf(op, op.getSource(), Position::Source));
    add(op.getDestination(), kind,
        formOf(op, op.getDestination(), Position::Destination));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](UnaryOp op) { elementwise(op, write); })
      .Case([&](CastOp op) { elementwise(op, write); })
      .Case([&](ScalarOp op) {
        elementwise(op, op.getFunction() == ScalarFunction::Axpy ? accumulate
                                                                 : write);
      })
      .Case([&](BinaryOp op) {
        add(op.getLhs(), read, formOf(op, op.getLhs(), Position::Source));
        add(op.getRhs(), read, formOf(op, op.getRhs(), Position::SecondSource));
        add(op.getDestination(), write,
            formOf(op, op.getDestination(), Position::Destination));
      })
      .Case([&](DuplicateOp op) {
        add(op.getDestination(), write,
            formOf(op, op.getDestination(), Position::Destination));
      })
      .Case([&](CompareOp op) {
        int64_t width = widthOf(op.getLhs()), lanes = kRepetition / width;
        add(op.getLhs(), read,
            formOf(op, op.getLhs(), Position::Source, lanes));
        add(op.getRhs(), read,
            formOf(op, op.getRhs(), Position::SecondSource, lanes));
        add(op.getDestination(), write, bitsOf(op, width));
      })
      .Case([&](CompareScalarOp op) {
        int64_t width = widthOf(op.getSource()), lanes = kRepetition / width;
        add(op.getSource(), read,
            formOf(op, op.getSource(), Position::Source, lanes));
        add(op.getDestination(), write, bitsOf(op, width));
      })
      .Case([&](SelectOp op) {
        add(op.getMask(), read, bitsOf(op, widthOf(op.getDestination())));
        add(op.getTrueSource(), read,
            formOf(op, op.getTrueSource(), Position::Source));
        add(op.getFalseSource(), read,
            formOf(op, op.getFalseSource(), Position::SecondSource));
        add(op.getDestination(), write,
            formOf(op, op.getDestination(), Position::Destination));
      })
      .Case([&](BroadcastOp op) {
        int64_t count = op.getCount();
        add(op.getSource(), read, {count * widthOf(op.getSource())});
        add(op.getDestination(), write, {count * kBlock});
      })
      .Case([&](VectorIndexOp op) {
        int64_t count = op.getCount();
        add(op.getDestination(), write, {count * widthOf(op.getDestination())});
      })
      .Case([&](ReduceOp op) { addReduce(op, result); })
      .Default([&](Operation *op) {
        auto interface = dyn_cast<RegionAccessOpInterface>(op);
        if (!interface)
          return;
        SmallVector<RegionAccess> accesses;
        interface.getRegionAccesses(accesses);
        for (const RegionAccess &access : accesses)
          result.push_back({access, wholeOf(access.target)});
      });
  return result;
}

//===-- Which accesses can meet ------------------------------------------===//

static bool mayOverlap(const LocalRange &first, const LocalRange &second,
                       Distance distance) {
  if (distance.exact())
    return overlap(first.bytes, second.bytes, distance.low);
  return distance.low < first.bytes.span() &&
         -distance.high < second.bytes.span();
}

bool sync::mayMeetInIteration(const LocalRange &first, const LocalRange &second,
                              scf::ForOp within) {
  auto distance = distanceOf(first.offset, second.offset, [&](Value symbol) {
    return variesWithin(symbol, within);
  });
  return !distance || mayOverlap(first, second, *distance);
}

bool sync::mayMeetAcross(const LocalRange &first, const LocalRange &second,
                         scf::ForOp loop) {
  // Iterations compared one by one; where more could meet, they may meet.
  constexpr int64_t mostIterations = 256;
  Value variable = loop.getInductionVar();
  auto varies = [&](Value symbol) {
    return loop.getRegion().isAncestor(symbol.getParentRegion());
  };
  int64_t coefficient = first.offset.terms.lookup(variable);
  auto step = constantOf(loop.getStep());
  if (coefficient != second.offset.terms.lookup(variable) || !step) {
    auto distance = distanceOf(first.offset, second.offset, varies);
    return !distance || mayOverlap(first, second, *distance);
  }
  auto distance = distanceOf(first.offset, second.offset, varies, variable);
  if (!distance)
    return true;
  int64_t move = std::abs(coefficient * *step);
  if (move == 0)
    return mayOverlap(first, second, *distance);
  int64_t reach = first.bytes.span() + second.bytes.span() +
                  std::max(std::abs(distance->low), std::abs(distance->high));
  int64_t iterations = reach / move + 1;
  if (auto trips = constantTripCount(loop))
    iterations = std::min(iterations, *trips - 1);
  if (iterations > mostIterations)
    return true;
  for (int64_t i = 1; i <= iterations; ++i)
    for (int64_t shift : {i * move, -i * move})
      if (mayOverlap(first, second,
                     {distance->low + shift, distance->high + shift}))
        return true;
  return false;
}
