//===- EngineInitialisation.cpp - Which bytes hold defined values ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/EngineInitialisation.h"
#include "InstructionSet/Shapes.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace tilelang;
using namespace tilelang::sim;

//===----------------------------------------------------------------------===//
// InitialisationMap
//===----------------------------------------------------------------------===//

void InitialisationMap::reset(uint64_t size, bool initialised) {
  bytes = size;
  uniform = initialised;
  words.clear();
}

void InitialisationMap::materialise() {
  if (words.empty())
    words.assign((bytes + 63) / 64, uniform ? ~uint64_t(0) : 0);
}

/// Calls `visit(word index, mask)` for the words of a range of bits.
template <typename Visit>
static void forWords(uint64_t begin, uint64_t end, Visit &&visit) {
  if (begin >= end)
    return;
  uint64_t first = begin / 64, last = (end - 1) / 64;
  uint64_t head = ~uint64_t(0) << (begin % 64);
  uint64_t tail = ~uint64_t(0) >> (63 - (end - 1) % 64);
  if (first == last) {
    visit(first, head & tail);
    return;
  }
  visit(first, head);
  for (uint64_t word = first + 1; word != last; ++word)
    visit(word, ~uint64_t(0));
  visit(last, tail);
}

bool InitialisationMap::allSet(uint64_t begin, uint64_t end) const {
  if (begin >= end)
    return true;
  if (words.empty())
    return uniform;
  return firstClear(begin, end) == end;
}

void InitialisationMap::set(uint64_t begin, uint64_t end, bool value) {
  if (words.empty() && uniform == value)
    return;
  materialise();
  forWords(begin, end, [&](uint64_t word, uint64_t mask) {
    if (value)
      words[word] |= mask;
    else
      words[word] &= ~mask;
  });
}

uint64_t InitialisationMap::firstClear(uint64_t begin, uint64_t end) const {
  if (begin >= end)
    return end;
  if (words.empty())
    return uniform ? end : begin;
  uint64_t word = begin / 64, last = (end - 1) / 64;
  uint64_t missing = ~words[word] & (~uint64_t(0) << (begin % 64));
  while (!missing && word != last)
    missing = ~words[++word];
  if (!missing)
    return end;
  return std::min(end, word * 64 + std::countr_zero(missing));
}

bool InitialisationView::all(int64_t begin, int64_t bytes) const {
  // Outside every map nothing is known; the bounds check speaks of it.
  if (!map || begin + base < 0)
    return true;
  return map->allSet(begin + base, begin + base + bytes);
}

void InitialisationView::set(int64_t begin, int64_t bytes, bool value) const {
  if (map && begin + base >= 0 &&
      static_cast<uint64_t>(begin + base + bytes) <= map->size())
    map->set(begin + base, begin + base + bytes, value);
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

namespace {

using ascsim::Function;
using ascsim::Instruction;
using ascsim::Memory;
using ascsim::Opcode;
using ascsim::Operand;

/// The exact way, taken only when some source byte is undefined. Everything
/// the instruction writes has been marked as defined already, except bytes it
/// also reads; each function below takes back what undefined sources reach.
class Tracker {
public:
  Tracker(const QueuedInstruction &queued, const AccessList &accesses,
          const std::function<CoreMemories &()> &memories,
          const InitialisationLookup &lookup)
      : queued(queued), record(queued.record), accesses(accesses),
        memories(memories), dst(view(record.dst, lookup)),
        src0(view(record.src0, lookup)), src1(view(record.src1, lookup)),
        src2(view(record.src2, lookup)) {}

  void run();

private:
  static InitialisationView view(const Operand &operand,
                                 const InitialisationLookup &lookup) {
    if (operand.memory == Memory::None)
      return {};
    InitialisationView result = lookup(operand.memory, operand.address);
    result.base += static_cast<int64_t>(operand.address);
    return result;
  }

  /// Marks the destination as defined, to be taken back by parts.
  void defineWrites();
  /// Collects parts first, so that in-place updates read the old state.
  void taint(int64_t offset, int64_t bytes) {
    parts.push_back({offset, bytes});
  }
  void commit();

  void copyRun(int64_t to, int64_t from, int64_t bytes);
  void copyBlocks();
  void copyMatching();
  void elementwise();
  void compare();
  void reduce();
  void broadcast();
  void gather();
  void nd2nz();
  void load2d();
  void load3d();
  void mmad();
  void fixpipe();
  template <typename Visit> void forElements(Visit &&visit) const;
  void taintWritten(uint64_t begin, uint64_t bytes);

  const QueuedInstruction &queued;
  const Instruction &record;
  const AccessList &accesses;
  const std::function<CoreMemories &()> &memories;
  InitialisationView dst, src0, src1, src2;
  std::vector<std::pair<int64_t, int64_t>> parts;
};

} // namespace

void Tracker::defineWrites() {
  for (const Access &access : accesses) {
    if (access.kind == AccessKind::Read)
      continue;
    for (uint32_t i = 0; i != access.blocks; ++i)
      dst.set(static_cast<int64_t>(access.start - record.dst.address) +
                  int64_t(i) * access.pitch,
              access.blockBytes, true);
  }
}

void Tracker::commit() {
  defineWrites();
  for (auto [offset, bytes] : parts)
    dst.set(offset, bytes, false);
}

void Tracker::copyRun(int64_t to, int64_t from, int64_t bytes) {
  if (src0.all(from, bytes))
    return;
  for (int64_t i = 0; i != bytes; ++i)
    if (!src0.all(from + i, 1))
      taint(to + i, 1);
}

void Tracker::copyBlocks() {
  const ascsim::CopyShape &shape = record.copy;
  bool toLocal = record.opcode == Opcode::CopyGmToLocal;
  int64_t padding =
      int64_t(shape.leftPadding) * ascsim::sizeOf(record.dst.type);
  for (int64_t i = 0; i != shape.blockCount; ++i) {
    int64_t gm = i * shape.gmPitch, local = i * shape.localPitch;
    if (toLocal)
      copyRun(local + padding, gm, shape.blockBytes);
    else
      copyRun(gm, local, shape.blockBytes);
  }
}

/// Bytes go over in the order of the accesses.
void Tracker::copyMatching() {
  std::vector<std::pair<int64_t, int64_t>> reads, writes;
  int64_t readBytes = 0, writeBytes = 0;
  for (const Access &access : accesses) {
    bool read = access.kind == AccessKind::Read;
    auto &list = read ? reads : writes;
    uint64_t base = read ? record.src0.address : record.dst.address;
    for (uint32_t i = 0; i != access.blocks; ++i)
      list.push_back({static_cast<int64_t>(access.start - base) +
                          int64_t(i) * access.pitch,
                      access.blockBytes});
    (read ? readBytes : writeBytes) +=
        int64_t(access.blocks) * access.blockBytes;
  }
  if (readBytes != writeBytes)
    return;
  size_t r = 0, w = 0;
  int64_t inRead = 0, inWrite = 0;
  while (r != reads.size() && w != writes.size()) {
    int64_t step =
        std::min(reads[r].second - inRead, writes[w].second - inWrite);
    copyRun(writes[w].first + inWrite, reads[r].first + inRead, step);
    inRead += step;
    inWrite += step;
    if (inRead == reads[r].second)
      ++r, inRead = 0;
    if (inWrite == writes[w].second)
      ++w, inWrite = 0;
  }
}

/// Calls `visit(repeat, lane, dst, src0, src1 offset)` for every element that
/// takes part.
template <typename Visit> void Tracker::forElements(Visit &&visit) const {
  ResolvedVector vector = resolveVector(queued);
  auto at = [](const LaneOperand &operand, uint32_t repeat, uint32_t lane) {
    uint32_t byte = lane * operand.elementBits / 8;
    return int64_t(repeat) * operand.repeatStride +
           int64_t(byte / 32) * operand.blockStride + byte % 32;
  };
  for (uint32_t repeat = 0; repeat != vector.repeats; ++repeat)
    for (uint32_t lane = 0; lane != vector.lanes; ++lane)
      if (vector.laneOn(repeat, lane))
        visit(int64_t(repeat), int64_t(lane), at(vector.dst, repeat, lane),
              at(vector.src0, repeat, lane), at(vector.src1, repeat, lane));
}

void Tracker::elementwise() {
  int64_t dstSize = ascsim::sizeOf(record.dst.type);
  int64_t src0Size = ascsim::sizeOf(record.src0.type);
  int64_t src1Size = ascsim::sizeOf(record.src1.type);
  bool updates = record.opcode == Opcode::Ternary;
  bool selects = record.opcode == Opcode::Select;
  bool usesSrc1 = record.src1.memory != Memory::None;
  // Masks are combined as 16-bit integers; bytes stay apart.
  bool bitwise = record.function == ascsim::Function::And ||
                 record.function == ascsim::Function::Or ||
                 record.function == ascsim::Function::Not;
  int64_t lanes = resolveVector(queued).lanes;
  forElements([&](int64_t repeat, int64_t lane, int64_t to, int64_t from0,
                  int64_t from1) {
    bool use0 = true, use1 = usesSrc1;
    if (selects) {
      // Only the chosen source counts: this is how kernels discard padding.
      int64_t bit = record.selectMode == 0 ? lane : repeat * lanes + lane;
      if (!src2.all(bit / 8, 1)) {
        taint(to, dstSize);
        return;
      }
      use0 = (*memories().at(record.src2, bit / 8) >> (bit % 8)) & 1;
      use1 = usesSrc1 && !use0;
    }
    if (bitwise) {
      for (int64_t byte = 0; byte != dstSize; ++byte)
        if (!src0.all(from0 + byte, 1) ||
            (usesSrc1 && !src1.all(from1 + byte, 1)))
          taint(to + byte, 1);
      return;
    }
    bool defined = (!use0 || src0.all(from0, src0Size)) &&
                   (!use1 || src1.all(from1, src1Size)) &&
                   (!updates || dst.all(to, dstSize));
    if (!defined)
      taint(to, dstSize);
  });
}

/// Maps are kept by bytes, and a byte of a mask holds the results of eight
/// lanes. It counts as defined where one of them is: the lanes of a tile's
/// padding, which are compared along with it, must not spoil their neighbours.
/// What a lane with undefined data selects is undefined by its sources.
void Tracker::compare() {
  int64_t src0Size = ascsim::sizeOf(record.src0.type);
  int64_t src1Size = ascsim::sizeOf(record.src1.type);
  int64_t lanes = resolveVector(queued).lanes;
  int64_t byte = -1;
  bool anyDefined = true;
  forElements(
      [&](int64_t repeat, int64_t lane, int64_t, int64_t from0, int64_t from1) {
        int64_t current = (repeat * lanes + lane) / 8;
        if (current != byte) {
          if (!anyDefined)
            taint(byte, 1);
          byte = current;
          anyDefined = false;
        }
        anyDefined |=
            src0.all(from0, src0Size) &&
            (record.opcode != Opcode::Compare || src1.all(from1, src1Size));
      });
  if (!anyDefined)
    taint(byte, 1);
}

/// Takes back bytes [begin, begin + bytes) of what is written, counted along
/// the write accesses.
void Tracker::taintWritten(uint64_t begin, uint64_t bytes) {
  for (const Access &access : accesses) {
    if (access.kind == AccessKind::Read)
      continue;
    for (uint32_t i = 0; i != access.blocks && bytes; ++i) {
      if (begin >= access.blockBytes) {
        begin -= access.blockBytes;
        continue;
      }
      uint64_t step = std::min<uint64_t>(bytes, access.blockBytes - begin);
      taint(static_cast<int64_t>(access.start - record.dst.address) +
                int64_t(i) * access.pitch + static_cast<int64_t>(begin),
            static_cast<int64_t>(step));
      bytes -= step;
      begin = 0;
    }
  }
}

static uint64_t writtenBytes(const AccessList &accesses) {
  uint64_t total = 0;
  for (const Access &access : accesses)
    if (access.kind != AccessKind::Read)
      total += uint64_t(access.blocks) * access.blockBytes;
  return total;
}

void Tracker::reduce() {
  ResolvedVector vector = resolveVector(queued);
  if (!vector.repeats)
    return;
  int64_t size = ascsim::sizeOf(record.src0.type);
  // Results per repeat, and lanes per result.
  int64_t group = vector.lanes;
  if (record.function >= Function::BlockSum &&
      record.function <= Function::BlockMin)
    group = 32 / size;
  else if (record.function == Function::PairSum)
    group = 2;
  int64_t perRepeat = vector.lanes / group;
  uint64_t perResult =
      writtenBytes(accesses) / (uint64_t(vector.repeats) * perRepeat);
  int64_t last = -1;
  forElements(
      [&](int64_t repeat, int64_t lane, int64_t, int64_t from, int64_t) {
        int64_t result = repeat * perRepeat + lane / group;
        if (result == last || src0.all(from, size))
          return;
        last = result;
        taintWritten(result * perResult, perResult);
      });
}

void Tracker::broadcast() {
  // Each element fills one block of 32 bytes.
  int64_t size = ascsim::sizeOf(record.src0.type);
  int64_t elements = static_cast<int64_t>(writtenBytes(accesses) / 32);
  for (int64_t i = 0; i != elements; ++i)
    if (!src0.all(i * size, size))
      taintWritten(i * 32, 32);
}

void Tracker::gather() {
  int64_t size = ascsim::sizeOf(record.dst.type);
  int64_t lanes = resolveVector(queued).lanes;
  forElements([&](int64_t repeat, int64_t lane, int64_t to, int64_t, int64_t) {
    int64_t index = (repeat * lanes + lane) * 4;
    bool defined = src1.all(index, 4);
    if (defined) {
      uint32_t offset;
      std::memcpy(&offset, memories().at(record.src1, index), 4);
      defined = src0.all(int64_t(offset) + uint32_t(record.scalar), size);
    }
    if (!defined)
      taint(to, size);
  });
}

void Tracker::nd2nz() {
  const ascsim::Nd2NzShape &shape = record.nd2nz;
  int64_t size = ascsim::sizeOf(record.src0.type);
  int64_t channels = 32 / size;
  for (int64_t nd = 0; nd != shape.ndNum; ++nd)
    for (int64_t row = 0; row != shape.nValue; ++row)
      for (int64_t column = 0; column < shape.dValue; column += channels) {
        int64_t count = std::min<int64_t>(channels, shape.dValue - column);
        copyRun(
            nd * shape.dstNzMatrixStride * size +
                column / channels * shape.dstNzC0Stride * 32 +
                row * shape.dstNzNStride * 32,
            (nd * shape.srcNdMatrixStride + row * shape.srcDValue + column) *
                size,
            count * size);
      }
}

void Tracker::load2d() {
  const ascsim::Load2DShape &shape = record.load2d;
  for (int64_t i = 0; i != shape.repeatTimes; ++i) {
    int64_t from = (int64_t(shape.startIndex) + i * shape.srcStride) * 512;
    int64_t to = i * (int64_t(shape.dstGap) + 1) * 512;
    if (!shape.transpose) {
      copyRun(to, from, 512);
      continue;
    }
    if (src0.all(from, 512))
      continue;
    for (int64_t row = 0; row != 16; ++row)
      for (int64_t column = 0; column != 16; ++column)
        if (!src0.all(from + (row * 16 + column) * 2, 2))
          taint(to + (column * 16 + row) * 2, 2);
  }
}

void Tracker::load3d() {
  const ascsim::Load3DShape &shape = record.load3d;
  Load3DLayout layout = load3DLayout(record);
  // A true convolution overlaps its rows; not followed byte by byte.
  if (!layout.plainMatrix)
    return;
  int64_t size = ascsim::sizeOf(record.src0.type);
  int64_t channels = layout.rowElements;
  int64_t positions = int64_t(shape.l1H) * shape.l1W;
  bool toB = record.dst.memory == Memory::L0B;
  for (int64_t row = 0; row != shape.rows; ++row)
    for (int64_t column = 0; column != shape.columns; ++column) {
      int64_t sourceRow = shape.rowStart + row;
      int64_t sourceColumn = shape.columnStart + column;
      if (sourceRow >= positions)
        continue;
      int64_t from = (sourceColumn / channels * positions + sourceRow) * 32 +
                     sourceColumn % channels * size;
      if (src0.all(from, size))
        continue;
      int64_t outer = layout.transposed ? column : row; // m or n
      int64_t inner = layout.transposed ? row : column; // k
      int64_t fractal =
          toB ? inner / channels * layout.fractalsInner + outer / 16
              : outer / 16 * layout.fractalsInner + inner / channels;
      taint(fractal * 512 + outer % 16 * 32 + inner % channels * size, size);
    }
}

void Tracker::mmad() {
  const ascsim::MmadShape &shape = record.mmad;
  MmadLayout layout = mmadLayout(record);
  int64_t channels = layout.rowElements;
  int64_t depthBlocks = layout.aFractalsK;
  int64_t rowBlocks = layout.fractalsM, columnBlocks = layout.fractalsN;
  auto chunk = [&](int64_t k) {
    return (k * bitsOf(record.src0.type) + 7) / 8;
  };

  std::vector<bool> badRow(shape.m), badColumn(shape.n);
  for (int64_t block = 0; block * channels < shape.k; ++block) {
    int64_t bytes =
        chunk(std::min<int64_t>(channels, shape.k - block * channels));
    for (int64_t row = 0; row != shape.m; ++row) {
      int64_t offset =
          shape.m == 1 ? block * 32
                       : (row / 16 * depthBlocks + block) * 512 + row % 16 * 32;
      if (!badRow[row] && !src0.all(offset, bytes))
        badRow[row] = true;
    }
    for (int64_t column = 0; column != shape.n; ++column)
      if (!badColumn[column] &&
          !src1.all((block * columnBlocks + column / 16) * 512 +
                        column % 16 * 32,
                    bytes))
        badColumn[column] = true;
  }
  bool fromBias = shape.hasBias;
  bool accumulates = !fromBias && !shape.init;
  for (int64_t column = 0; column != shape.n; ++column) {
    bool bias = fromBias && !src2.all(column * 4, 4);
    for (int64_t row = 0; row != shape.m; ++row) {
      int64_t offset = (column / 16 * rowBlocks + row / 16) * 1024 +
                       row % 16 * 64 + column % 16 * 4;
      if (bias || badRow[row] || badColumn[column] ||
          (accumulates && !dst.all(offset, 4)))
        taint(offset, 4);
    }
  }
}

void Tracker::fixpipe() {
  const ascsim::FixpipeShape &shape = record.fixpipe;
  FixpipeLayout layout = fixpipeLayout(record);
  int64_t size = layout.dstSize;
  for (int64_t matrix = 0; matrix != layout.matrices; ++matrix)
    for (int64_t column = 0; column != layout.n; ++column)
      for (int64_t row = 0; row != layout.m; ++row) {
        int64_t from = matrix * int64_t(layout.srcMatrixPitch) +
                       column / 16 * int64_t(layout.srcGroupPitch) + row * 64 +
                       column % 16 * 4;
        if (src0.all(from, 4))
          continue;
        int64_t to;
        if (shape.toRowMajor)
          to = (matrix * shape.dstNdStride + row * shape.dstStride + column) *
               size;
        else
          to = column / layout.dstRowElements * shape.dstStride * 32 +
               (row * layout.dstRowElements + column % layout.dstRowElements) *
                   size;
        taint(to, size);
      }
}

void Tracker::run() {
  switch (record.opcode) {
  case Opcode::CopyGmToLocal:
  case Opcode::CopyLocalToGm:
    copyBlocks();
    break;
  case Opcode::CopyLocal:
    copyMatching();
    break;
  case Opcode::CopyNd2Nz:
    nd2nz();
    break;
  case Opcode::LoadData2D:
    load2d();
    break;
  case Opcode::LoadData3D:
    load3d();
    break;
  case Opcode::Mmad:
    mmad();
    break;
  case Opcode::Fixpipe:
    fixpipe();
    break;
  case Opcode::Unary:
  case Opcode::Binary:
  case Opcode::Scalar:
  case Opcode::Ternary:
  case Opcode::Cast:
  case Opcode::Select:
    elementwise();
    break;
  case Opcode::Compare:
  case Opcode::CompareScalar:
    compare();
    break;
  case Opcode::Reduce:
    reduce();
    break;
  case Opcode::Broadcast:
    broadcast();
    break;
  case Opcode::Gather:
    gather();
    break;
  default:
    // Constants have no sources; transposing loads of 8-bit and 32-bit squares
    // are not followed byte by byte.
    break;
  }
  // An atomic update of bytes that were never set leaves them so.
  for (const Access &access : accesses)
    if (access.kind == AccessKind::AtomicUpdate)
      for (uint32_t i = 0; i != access.blocks; ++i) {
        int64_t offset =
            static_cast<int64_t>(access.start - record.dst.address) +
            int64_t(i) * access.pitch;
        if (dst.all(offset, access.blockBytes))
          continue;
        for (int64_t byte = 0; byte != access.blockBytes; ++byte)
          if (!dst.all(offset + byte, 1))
            taint(offset + byte, 1);
      }
  commit();
}

void tilelang::sim::trackInitialisation(
    const QueuedInstruction &queued, const AccessList &accesses,
    const std::function<CoreMemories &()> &memories,
    const InitialisationLookup &lookup) {
  auto forBlocks = [&](const Access &access, auto &&visit) {
    if (!access.blocks || !access.blockBytes)
      return true;
    InitialisationView view = lookup(access.memory, access.start);
    int64_t start = static_cast<int64_t>(access.start);
    if (access.blocks == 1 || access.pitch == access.blockBytes)
      return visit(view, start, int64_t(access.blocks) * access.blockBytes);
    for (uint32_t i = 0; i != access.blocks; ++i)
      if (!visit(view, start + int64_t(i) * access.pitch,
                 int64_t(access.blockBytes)))
        return false;
    return true;
  };
  bool defined = true;
  for (const Access &access : accesses)
    if (access.kind != AccessKind::Write)
      defined = defined && forBlocks(access, [](const InitialisationView &view,
                                                int64_t begin, int64_t bytes) {
                  return view.all(begin, bytes);
                });
  if (!defined) {
    Tracker(queued, accesses, memories, lookup).run();
    return;
  }
  for (const Access &access : accesses)
    if (access.kind != AccessKind::Read)
      forBlocks(access, [](const InitialisationView &view, int64_t begin,
                           int64_t bytes) {
        view.set(begin, bytes, true);
        return true;
      });
}
