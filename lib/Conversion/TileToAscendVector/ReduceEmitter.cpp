//===- ReduceEmitter.cpp - Instructions that combine rows and lanes -------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Float columns are reduced by blocks of eight until one chunk of 64 is left: a
// repetition takes eight times as much off as a pairwise combination, reads one
// source, so that no banks collide, and rows without gaps are one instruction.
// Integers have no such instruction: their columns are halved in chunks of 64,
// instructions over whole tiles, one for each chunk or one for each row,
// whichever are fewer. The last 64 lanes of a float row are reduced by blocks
// of 8, twice; of integers by halving the blocks, and the last 8 by the scalar
// unit.
//
//===----------------------------------------------------------------------===//

#include "ReduceEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilelang::vectorcore {

static constexpr int64_t kLanes = 64;     // of a 32-bit repetition
static constexpr int64_t kBlockLanes = 8; // of 32 bytes
static constexpr int64_t kMaxRepeats = 255;
static constexpr int64_t kMaxStride = 255;

/// One whole reduction takes as long as seven repetitions; two block reductions
/// pay from this many rows on.
static constexpr int64_t kRowsForBlocks = 5;

/// What a row becomes when each block of eight columns is reduced, and the
/// distance of rows then.
static int64_t blockResults(int64_t columns) {
  return llvm::divideCeil(columns, kBlockLanes);
}
static int64_t blockPitch(int64_t columns) {
  return llvm::alignTo(blockResults(columns), kBlockLanes);
}

ColumnScratch ReduceEmitter::columnScratch(int64_t rows, int64_t columns,
                                           bool inPlace, bool isFloat) {
  ColumnScratch scratch;
  if (isFloat && columns > kLanes) {
    scratch =
        columnScratch(rows, blockResults(columns), /*inPlace=*/true, isFloat);
    scratch.tree += rows * blockPitch(columns);
    return scratch;
  }
  if (!inPlace && columns > kLanes)
    scratch.tree = rows * std::max<int64_t>(columns / kLanes / 2, 1) * kLanes;
  if (!isFloat && columns > kBlockLanes) {
    scratch.blocks = rows * kLanes;
    if (columns < kLanes || (columns == kLanes && !inPlace))
      scratch.blocks *= 2;
  }
  if (isFloat && rows >= kRowsForBlocks && columns > kBlockLanes)
    scratch.blocks = llvm::alignTo(rows, kBlockLanes) * kBlockLanes;
  return scratch;
}

Plane ReduceEmitter::allocate(int64_t elements, int64_t pitch) {
  Plane plane;
  plane.base = context.allocateScratch(location, element, elements);
  plane.pitch = pitch;
  return plane;
}

Value ReduceEmitter::view(const Plane &plane, int64_t skip, int64_t count,
                          Value row) {
  auto base = cast<MemRefType>(plane.base.getType());
  Value offset = plane.offset;
  auto add = [&](Value value) {
    offset = offset ? arith::AddIOp::create(builder, location, offset, value)
                          .getResult()
                    : value;
  };
  if (row)
    add(arith::MulIOp::create(
        builder, location, row,
        arith::ConstantIndexOp::create(builder, location, plane.pitch)));
  if (int64_t constant = plane.constant + skip)
    add(arith::ConstantIndexOp::create(builder, location, constant));
  if (!offset && base.getElementType() == element &&
      base.getNumElements() == count)
    return plane.base;
  auto type = MemRefType::get({count}, element, MemRefLayoutAttrInterface(),
                              base.getMemorySpace());
  return ascend::ViewOp::create(builder, location, type, plane.base, Value(),
                                offset);
}

void ReduceEmitter::forEachRow(int64_t rows,
                               llvm::function_ref<void(Value)> body) {
  if (rows == 1)
    return body({});
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  Value one = arith::ConstantIndexOp::create(builder, location, 1);
  Value end = arith::ConstantIndexOp::create(builder, location, rows);
  auto loop = scf::ForOp::create(builder, location, zero, end, one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// `count` contiguous elements of a row. A part of a repetition has a form of
/// its own: by count the instruction would reach for the whole one.
void ReduceEmitter::combine(Plane to, Plane a, Plane b, int64_t count,
                            Value row) {
  auto emit = [&](int64_t skip, int64_t number, IntegerAttr countAttribute,
                  ascend::RepeatAttr repeat) {
    Value destination = view(to, skip, number, row);
    Value lhs = view(a, skip, number, row);
    Value rhs = view(b, skip, number, row);
    ascend::BinaryOp::create(builder, location, function, destination, lhs, rhs,
                             countAttribute, repeat);
  };
  int64_t rest = count % kLanes, whole = count - rest;
  if (whole)
    emit(0, whole, builder.getI64IntegerAttr(whole), {});
  if (rest)
    emit(whole, rest, {},
         ascend::RepeatAttr::get(builder.getContext(), rest, 1, 1, 8, 1, 8, 1,
                                 8));
}

static bool strideFits(std::initializer_list<int64_t> pitches) {
  return llvm::all_of(
      pitches, [](int64_t pitch) { return pitch / kBlockLanes <= kMaxStride; });
}

/// At most 64 lanes of all rows.
void ReduceEmitter::combineLanes(Plane to, Plane a, Plane b, int64_t rows,
                                 int64_t lanes) {
  if (rows == 1 || !strideFits({to.pitch, a.pitch, b.pitch}))
    return forEachRow(rows, [&](Value row) { combine(to, a, b, lanes, row); });
  for (int64_t first = 0; first < rows; first += kMaxRepeats) {
    int64_t repeats = std::min(kMaxRepeats, rows - first);
    auto part = [&](const Plane &plane) {
      return view(plane, first * plane.pitch,
                  (repeats - 1) * plane.pitch + lanes);
    };
    Value destination = part(to), lhs = part(a), rhs = part(b);
    ascend::BinaryOp::create(
        builder, location, function, destination, lhs, rhs, IntegerAttr(),
        ascend::RepeatAttr::get(
            builder.getContext(), lanes, repeats, 1, to.pitch / kBlockLanes, 1,
            a.pitch / kBlockLanes, 1, b.pitch / kBlockLanes));
  }
}

/// The first `chunks` chunks of all rows.
void ReduceEmitter::combineChunks(Plane to, Plane a, Plane b, int64_t rows,
                                  int64_t chunks) {
  int64_t byChunk = chunks * llvm::divideCeil(rows, kMaxRepeats);
  if (strideFits({to.pitch, a.pitch, b.pitch}) && byChunk < rows) {
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
      combineLanes(to.at(chunk * kLanes), a.at(chunk * kLanes),
                   b.at(chunk * kLanes), rows, kLanes);
    return;
  }
  forEachRow(rows, [&](Value row) { combine(to, a, b, chunks * kLanes, row); });
}

void ReduceEmitter::copyChunk(Plane to, Plane from, int64_t rows) {
  auto copy = [&](Value destination, Value source, IntegerAttr count,
                  ascend::RepeatAttr repeat) {
    ascend::UnaryOp::create(builder, location, ascend::UnaryFunction::Copy,
                            destination, source, count, repeat);
  };
  if (rows == 1 || !strideFits({to.pitch, from.pitch}))
    return forEachRow(rows, [&](Value row) {
      Value destination = view(to, 0, kLanes, row);
      Value source = view(from, 0, kLanes, row);
      copy(destination, source, builder.getI64IntegerAttr(kLanes), {});
    });
  for (int64_t first = 0; first < rows; first += kMaxRepeats) {
    int64_t repeats = std::min(kMaxRepeats, rows - first);
    Value destination =
        view(to, first * to.pitch, (repeats - 1) * to.pitch + kLanes);
    Value source =
        view(from, first * from.pitch, (repeats - 1) * from.pitch + kLanes);
    copy(destination, source, {},
         ascend::RepeatAttr::get(builder.getContext(), kLanes, repeats, 1,
                                 to.pitch / kBlockLanes, 1,
                                 from.pitch / kBlockLanes, 0, 0));
  }
}

//===-- Along rows -------------------------------------------------------===//

void ReduceEmitter::reduceColumns(Plane source, Plane target, int64_t rows,
                                  int64_t columns, bool inPlace) {
  if (columns <= kLanes)
    return reduceLanes(source, target, rows, columns, inPlace);
  if (isa<FloatType>(element)) {
    int64_t pitch = blockPitch(columns);
    Plane blocks = allocate(rows * pitch, pitch);
    reduceBlocks(source, blocks, rows, columns);
    return reduceColumns(blocks, target, rows, blockResults(columns),
                         /*inPlace=*/true);
  }

  int64_t chunks = columns / kLanes, tail = columns % kLanes;
  Plane rest = source.at(chunks * kLanes);
  Plane current = source;
  if (!inPlace) {
    int64_t pitch = std::max<int64_t>(chunks / 2, 1) * kLanes;
    current = allocate(rows * pitch, pitch);
  }
  Plane from = source;
  if (chunks == 1 && !inPlace)
    copyChunk(current, source, rows);
  while (chunks > 1) {
    int64_t half = chunks / 2;
    combineChunks(current, from, from.at(half * kLanes), rows, half);
    if (chunks % 2)
      combineLanes(current, current, from.at(2 * half * kLanes), rows, kLanes);
    from = current;
    chunks = half;
  }
  if (tail)
    combineLanes(current, current, rest, rows, tail);
  reduceLanes(current, target, rows, kLanes, /*inPlace=*/true);
}

/// target[r, b] = all of source[r, 8 b .. 8 b + 8), for all blocks of a row.
void ReduceEmitter::reduceBlocks(Plane source, Plane target, int64_t rows,
                                 int64_t columns) {
  int64_t chunks = columns / kLanes, tail = columns % kLanes;
  // `repeats` repetitions from a column on: `distance` elements apart, their
  // results `steps` groups of eight.
  auto emit = [&](int64_t from, int64_t to, int64_t repeats, int64_t lanes,
                  int64_t distance, int64_t steps, Value row) {
    // Equal parts rather than a long and a short one.
    int64_t parts = llvm::divideCeil(repeats, kMaxRepeats);
    int64_t most = llvm::divideCeil(repeats, parts);
    for (int64_t first = 0; first < repeats; first += most) {
      int64_t count = std::min(most, repeats - first);
      horizontal(ascend::ReduceForm::Block, source.at(from + first * distance),
                 target.at(to + first * steps * kBlockLanes),
                 (count - 1) * distance + lanes,
                 (count - 1) * steps * kBlockLanes + blockResults(lanes),
                 {lanes}, count, 1, distance / kBlockLanes, steps, row);
    }
  };
  int64_t steps = target.pitch / kBlockLanes;
  auto eachRow = [&](int64_t chunk, int64_t lanes) {
    emit(chunk * kLanes, chunk * kBlockLanes, rows, lanes, source.pitch, steps,
         {});
  };
  if (source.pitch == columns && tail == 0)
    return emit(0, 0, rows * chunks, kLanes, kLanes, 1, {});
  int64_t byChunk = chunks * llvm::divideCeil(rows, kMaxRepeats);
  if (byChunk <= rows)
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
      eachRow(chunk, kLanes);
  else
    forEachRow(rows,
               [&](Value row) { emit(0, 0, chunks, kLanes, kLanes, 1, row); });
  if (tail)
    eachRow(chunks, tail);
}

void ReduceEmitter::horizontal(ascend::ReduceForm form, Plane source,
                               Plane target, int64_t sourceElements,
                               int64_t targetElements, ArrayRef<int64_t> lanes,
                               int64_t repeats, int64_t srcBlock,
                               int64_t srcRepeat, int64_t dstRepeat,
                               Value row) {
  auto how =
      function == ascend::BinaryFunction::Add   ? ascend::ReduceFunction::Sum
      : function == ascend::BinaryFunction::Max ? ascend::ReduceFunction::Max
                                                : ascend::ReduceFunction::Min;
  Value destination = view(target, 0, targetElements, row);
  Value from = view(source, 0, sourceElements, row);
  ascend::ReduceOp::create(builder, location, form, how, destination, from,
                           lanes, repeats, dstRepeat, srcBlock, srcRepeat);
}

/// The first `lanes` lanes of each of `blocks` blocks.
static SmallVector<int64_t> blockPattern(int64_t blocks, int64_t lanes) {
  if (lanes == kBlockLanes)
    return {blocks * kBlockLanes};
  uint64_t pattern = 0;
  for (int64_t block = 0; block < blocks; ++block)
    pattern |= ((uint64_t(1) << lanes) - 1) << (block * kBlockLanes);
  return {static_cast<int64_t>(pattern), 0};
}

void ReduceEmitter::reduceRowBlocks(Plane source, Plane target, int64_t rows,
                                    int64_t rowBlocks, int64_t lanes) {
  int64_t pitch = rowBlocks * kBlockLanes;
  int64_t whole = rows / kBlockLanes;
  for (int64_t first = 0; first < whole; first += kMaxRepeats) {
    int64_t repeats = std::min(kMaxRepeats, whole - first);
    int64_t count = repeats * kBlockLanes;
    horizontal(
        ascend::ReduceForm::Block, source.at(first * kBlockLanes * pitch),
        target.at(first * kBlockLanes), (count - 1) * pitch + kBlockLanes,
        count, blockPattern(kBlockLanes, lanes), repeats, rowBlocks,
        rowBlocks * kBlockLanes);
  }
  if (int64_t rest = rows % kBlockLanes)
    horizontal(
        ascend::ReduceForm::Block, source.at(whole * kBlockLanes * pitch),
        target.at(whole * kBlockLanes), (rest - 1) * pitch + kBlockLanes, rest,
        blockPattern(rest, lanes), 1, rowBlocks, rowBlocks * kBlockLanes);
}

/// target[r] = all of the first `lanes` (at most 64) elements of row r.
void ReduceEmitter::reduceLanes(Plane source, Plane target, int64_t rows,
                                int64_t lanes, bool inPlace) {
  if (!isa<FloatType>(element))
    return reduceIntegerLanes(source, target, rows, lanes, inPlace);
  int64_t stride = source.pitch / kBlockLanes;
  if (rows < kRowsForBlocks)
    return horizontal(ascend::ReduceForm::Whole, source, target,
                      (rows - 1) * source.pitch + lanes, rows, {lanes}, rows, 1,
                      rows == 1 ? kBlockLanes : stride);
  if (lanes <= kBlockLanes)
    return reduceRowBlocks(source, target, rows, stride, lanes);
  Plane blocks =
      allocate(llvm::alignTo(rows, kBlockLanes) * kBlockLanes, kBlockLanes);
  for (int64_t first = 0; first < rows; first += kMaxRepeats) {
    int64_t repeats = std::min(kMaxRepeats, rows - first);
    horizontal(ascend::ReduceForm::Block, source.at(first * source.pitch),
               blocks.at(first * kBlockLanes),
               (repeats - 1) * source.pitch + lanes, repeats * kBlockLanes,
               {lanes}, repeats, 1, stride);
  }
  reduceRowBlocks(blocks, target, rows, 1,
                  llvm::divideCeil(lanes, kBlockLanes));
}

/// No instruction combines lanes of integers. A repetition must not write what
/// it reads elsewhere: halves go back and forth between two buffers.
void ReduceEmitter::reduceIntegerLanes(Plane source, Plane target, int64_t rows,
                                       int64_t lanes, bool inPlace) {
  if (lanes <= kBlockLanes)
    return reduceLanesByScalar(source, target, rows, lanes);
  Plane current = source;
  Plane other = allocate(rows * kLanes, kLanes);
  if (lanes < kLanes) {
    // Neutral elements make up whole rows.
    current = allocate(rows * kLanes, kLanes);
    Type scalar = IntegerType::get(builder.getContext(), 32);
    int64_t neutral = function == ascend::BinaryFunction::Add   ? 0
                      : function == ascend::BinaryFunction::Max ? INT32_MIN
                                                                : INT32_MAX;
    Value value = arith::ConstantOp::create(
        builder, location, builder.getIntegerAttr(scalar, neutral));
    ascend::DuplicateOp::create(builder, location, current.base, value,
                                builder.getI64IntegerAttr(rows * kLanes),
                                ascend::RepeatAttr());
    combineLanes(current, current, source, rows, lanes);
  }
  Plane from = current;
  if (lanes == kLanes && !inPlace)
    current = allocate(rows * kLanes, kLanes);
  for (int64_t half = kLanes / 2; half >= kBlockLanes; half /= 2) {
    combineLanes(other, from, from.at(half), rows, half);
    from = other;
    std::swap(current, other);
  }
  reduceLanesByScalar(from, target, rows, kBlockLanes);
}

void ReduceEmitter::reduceLanesByScalar(Plane source, Plane target,
                                        int64_t rows, int64_t lanes) {
  auto type = cast<IntegerType>(element);
  Type scalar = IntegerType::get(builder.getContext(), type.getWidth());
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  forEachRow(rows, [&](Value row) {
    Value from = view(source, 0, lanes, row);
    Value total;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value index = arith::ConstantIndexOp::create(builder, location, lane);
      Value value =
          ascend::GetValueOp::create(builder, location, scalar, from, index);
      if (!total)
        total = value;
      else if (function == ascend::BinaryFunction::Add)
        total = arith::AddIOp::create(builder, location, total, value);
      else if (function == ascend::BinaryFunction::Max)
        total = arith::MaxSIOp::create(builder, location, total, value);
      else
        total = arith::MinSIOp::create(builder, location, total, value);
    }
    Value to = view(target, 0, rows);
    ascend::SetValueOp::create(builder, location, total, to, row ? row : zero);
  });
}

//===-- Across rows ------------------------------------------------------===//

void ReduceEmitter::reduceSlices(Plane source, Plane target, int64_t count,
                                 int64_t slice, int64_t used, bool inPlace) {
  Plane current = source;
  if (!inPlace && count > 2)
    current =
        allocate(llvm::alignTo(count / 2 * slice, kStorageMultiple), slice);
  Plane from = source;
  while (count > 1) {
    int64_t half = count / 2;
    bool isLast = half == 1;
    bool isOdd = count % 2 != 0;
    int64_t elements = (half - 1) * slice + used;
    // A repetition must not write what it reads elsewhere.
    Plane to = current;
    if (from.base == to.base && half * slice < kLanes && !(isLast && !isOdd))
      to = allocate(kStorageMultiple, slice);
    combine(isLast && !isOdd ? target : to, from, from.at(half * slice),
            elements);
    if (isOdd)
      combine(isLast ? target : to, to, from.at(2 * half * slice), used);
    from = to;
    count = half;
  }
}

} // namespace tilelang::vectorcore
