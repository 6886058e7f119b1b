//===- LegalityVector.cpp - Documented rules of vector instructions -------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Kernels.h"

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::DataType;
using ascsim::Function;
using ascsim::Memory;
using ascsim::Opcode;

//===----------------------------------------------------------------------===//
// Overlap of destination and source
//===----------------------------------------------------------------------===//

namespace {
/// An operand as blocks per iteration.
struct Extent {
  uint64_t begin, end;
  bool meets(const Extent &other) const {
    return begin < other.end && other.begin < end;
  }
};

struct Blocks {
  uint64_t address;
  LaneOperand lanes;
  uint32_t lanesPerRepeat;

  uint32_t count() const {
    return std::max(1u, ceilDiv(lanes.repeatBytes(lanesPerRepeat), 32));
  }
  Extent block(uint32_t iteration, uint32_t index) const {
    uint64_t begin = address + uint64_t(iteration) * lanes.repeatStride +
                     uint64_t(index) * lanes.blockStride;
    return {begin, begin + std::min(32u, lanes.repeatBytes(lanesPerRepeat))};
  }
  Extent all(uint32_t repeats) const {
    uint64_t lastStart = address + uint64_t(repeats - 1) * lanes.repeatStride +
                         uint64_t(count() - 1) * lanes.blockStride;
    return {address,
            lastStart + std::min(32u, lanes.repeatBytes(lanesPerRepeat))};
  }
};
} // namespace

/// Lanes of a repeat up to the last one that the mask switches on: blocks
/// behind it are not touched.
static uint32_t reachedLanes(const ResolvedVector &vector) {
  uint32_t lanes = vector.lanes;
  while (lanes > 1 && !vector.laneOn(0, lanes - 1))
    --lanes;
  return lanes;
}

static bool iterationsMeet(const Blocks &a, uint32_t i, const Blocks &b,
                           uint32_t j) {
  for (uint32_t x = 0; x < a.count(); ++x)
    for (uint32_t y = 0; y < b.count(); ++y)
      if (a.block(i, x).meets(b.block(j, y)))
        return true;
  return false;
}

/// Inside a repeat destination and source coincide or are disjoint; what one
/// repeat writes must not be read by the next.
static void checkOverlap(Checker &check, const ResolvedVector &vector,
                         const char *sourceName, const ascsim::Operand &source,
                         const LaneOperand &sourceLanes, bool accumulates) {
  const ascsim::Operand &destination = check.record.dst;
  if (source.memory != destination.memory)
    return;
  uint32_t lanes = vector.counterMode ? vector.lanes : reachedLanes(vector);
  Blocks dst{destination.address, vector.dst, lanes},
      src{source.address, sourceLanes, lanes};
  if (!dst.all(vector.repeats).meets(src.all(vector.repeats)))
    return;
  bool sameShape = dst.address == src.address &&
                   dst.lanes.elementBits == src.lanes.elementBits &&
                   dst.lanes.blockStride == src.lanes.blockStride;
  if (sameShape && dst.lanes.repeatStride == src.lanes.repeatStride &&
      (dst.lanes.repeatStride != 0 || vector.repeats == 1))
    return;
  // Running accumulation: the one documented exception.
  if (accumulates && dst.address == src.address &&
      dst.lanes.blockStride == src.lanes.blockStride &&
      (dst.lanes.repeatStride == 0 || src.lanes.repeatStride == 0))
    return;
  bool narrowing = dst.lanes.elementBits < src.lanes.elementBits;
  for (uint32_t i = 0; i < vector.repeats; ++i) {
    bool coincide = dst.block(i, 0).begin == src.block(i, 0).begin &&
                    dst.lanes.elementBits == src.lanes.elementBits &&
                    dst.lanes.blockStride == src.lanes.blockStride;
    bool inside = !coincide && !narrowing && iterationsMeet(dst, i, src, i);
    bool across = i + 1 < vector.repeats && iterationsMeet(dst, i, src, i + 1);
    if (!inside && !across)
      continue;
    return check.fail(
        "overlap",
        std::string("destination (UB byte ") +
            Checker::number(int64_t(dst.address)) + ") and " + sourceName +
            " (UB byte " + Checker::number(int64_t(src.address)) + ") " +
            (inside ? "overlap partly inside repeat " + Checker::number(i) +
                          "; they must coincide or be disjoint"
                    : "overlap between repeats: what repeat " +
                          Checker::number(i) + " writes is read by repeat " +
                          Checker::number(i + 1)));
  }
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static void checkTypes(Checker &check) {
  const ascsim::Instruction &record = check.record;
  bool known = true;
  switch (record.opcode) {
  case Opcode::Reduce:
    known = record.dst.type == record.src0.type &&
            (record.src0.type == DataType::F16 ||
             record.src0.type == DataType::F32);
    break;
  case Opcode::Gather:
  case Opcode::Broadcast: {
    uint32_t size = ascsim::sizeOf(record.dst.type);
    known = size == 2 || size == 4;
    break;
  }
  default: {
    KernelKey key{record.opcode,
                  record.function,
                  record.round,
                  record.dst.type,
                  record.src0.type,
                  false,
                  record.src1.memory == Memory::None};
    known = kernels().vector(key) != nullptr;
    break;
  }
  }
  if (!known)
    check.fail(
        "type-tuple",
        std::string("does not exist on this chip for a destination of ") +
            typeNameOf(record.dst.type) +
            (record.src0.memory == Memory::None
                 ? std::string()
                 : std::string(" and a source of ") +
                       typeNameOf(record.src0.type)));
}

static uint32_t destinationAlignment(const ascsim::Instruction &record) {
  if (record.opcode != Opcode::Reduce)
    return 32;
  uint32_t size = ascsim::sizeOf(record.dst.type);
  switch (record.function) {
  case Function::WholeSum:
    return size;
  case Function::WholeMax:
  case Function::WholeMin:
    return record.selectMode == 2   ? size
           : record.selectMode == 3 ? 4
                                    : 2 * size;
  case Function::PairSum:
    return 32;
  default:
    return size == 2 ? 16 : 32;
  }
}

void tilelang::sim::checkVector(Checker &check) {
  const ascsim::Instruction &record = check.record;
  checkTypes(check);
  struct Named {
    const char *name;
    const ascsim::Operand &operand;
    uint32_t alignment;
  };
  const Named operands[] = {
      {"destination", record.dst, destinationAlignment(record)},
      {"first source", record.src0, 32},
      {"second source", record.src1, 32},
      {"mask", record.src2, 32}};
  for (const Named &named : operands) {
    if (named.operand.memory == Memory::None)
      continue;
    check.operandIn(named.name, named.operand, Memory::UB);
    check.aligned(named.name, named.operand.address, named.alignment,
                  named.operand.memory);
  }
  if (!record.vector.counterMode)
    check.range("repeatTime", record.vector.repeat, 0,
                int64_t(check.chip.constant("limit.vector_repeat")));

  if (record.opcode == Opcode::Broadcast) {
    if (record.vector.dst.block == 0)
      check.fail("field-range",
                 "dstBlkStride is 0, which has no defined result");
    uint32_t size = std::max(1u, ascsim::sizeOf(record.dst.type));
    LaneOperand lanes{size * 8, record.vector.dst.block * 32u,
                      record.vector.dst.repeat * 32u};
    if (record.vector.repeat) {
      Blocks dst{record.dst.address, lanes, 256 / size};
      Extent src{record.src0.address,
                 record.src0.address +
                     uint64_t(record.vector.repeat) * 8 * size};
      if (dst.all(record.vector.repeat).meets(src))
        check.fail("overlap",
                   "destination and source overlap, which Brcb forbids");
    }
    return;
  }

  ResolvedVector vector = resolveVector(check.queued);
  if (vector.repeats == 0)
    return;
  // More than 255 repeats do not fit one instruction in the repeat form; the
  // count forms work on any number of elements that fit UB.
  if (!vector.counterMode && !record.vector.maskFromRegister &&
      vector.mask[0] == 0 && vector.mask[1] == 0)
    check.fail("field-range", "the mask switches every lane off");
  bool scalarMask = !record.vector.counterMode &&
                    !record.vector.maskFromRegister &&
                    record.vector.mask[1] != 0;
  if (scalarMask && vector.lanes < 128 && !vector.counterMode &&
      vector.lanes == 64)
    check.fail("field-range",
               "the mask covers more than the 64 lanes of a 32-bit type");
  if (record.opcode == Opcode::Compare ||
      record.opcode == Opcode::CompareScalar) {
    if (vector.counterMode && vector.lastLanes != vector.lanes)
      check.fail("field-range", "count is " +
                                    Checker::number(vector.totalLanes()) +
                                    ", expected a multiple of " +
                                    Checker::number(vector.lanes) +
                                    " (256 bytes): the rest would be ignored");
    return;
  }
  if (record.opcode == Opcode::Select) {
    bool scalar = record.src1.memory == Memory::None;
    if (scalar != (record.selectMode == 1))
      check.fail("field-range",
                 scalar
                     ? "a scalar second source needs VSEL_TENSOR_SCALAR_MODE"
                     : "VSEL_TENSOR_SCALAR_MODE needs a scalar second source");
  }
  if (record.opcode == Opcode::Gather) {
    // Destination and offsets must not overlap; the gathered range is data.
    Blocks dst{record.dst.address, vector.dst, vector.lanes};
    Extent offsets{record.src1.address,
                   record.src1.address + uint64_t(vector.totalLanes()) * 4};
    if (dst.all(vector.repeats).meets(offsets))
      check.fail("overlap",
                 "destination and offsets overlap, which Gather forbids");
    return;
  }
  if (record.opcode == Opcode::Reduce || record.opcode == Opcode::Duplicate ||
      record.opcode == Opcode::VecIndex)
    return;

  bool accumulates =
      record.opcode == Opcode::Binary &&
      (record.function == Function::Add || record.function == Function::Sub ||
       record.function == Function::Mul || record.function == Function::Max ||
       record.function == Function::Min) &&
      record.dst.type != DataType::I16;
  if (record.src0.memory != Memory::None)
    checkOverlap(check, vector, "first source", record.src0, vector.src0,
                 false);
  if (record.src1.memory != Memory::None)
    checkOverlap(check, vector, "second source", record.src1, vector.src1,
                 accumulates);
}
