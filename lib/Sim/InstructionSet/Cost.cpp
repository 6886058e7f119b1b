//===- Cost.cpp - How long instructions occupy their pipe -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// First-order costs from the chip description. What moves data to or from GM
// states bytes, latency and bursts only: the engine shares ports, L2 and HBM
// among the transfers that are active at the same time.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"
#include "tilelang/Chip/Chip.h"

#include <numeric>

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::DataType;
using ascsim::Function;
using ascsim::Memory;
using ascsim::Opcode;
using ascsim::Register;

namespace {

/// The numbers of one chip, looked up once: a map access per instruction and
/// number would cost more than the model itself.
struct Constants {
  uint64_t identity = 0;
  double clockGHz;
  double cubeK16, cubeK8, cubeK4, cubeK32, cubeKHf32;
  double mmadGap, mmadFill;
  double vectorOverhead, readWriteConflict;
  double simple, twoSource, exp32, exp16, ln32, ln16, sqrt32, sqrt16, div32,
      div16, multiplyAdd, multiplyAddMixed, axpy, cast, compareTensor,
      compareScalar, select, wholeSum16, wholeSum32, wholeMax, block16, block32,
      pairSum, gather16, gather32, brcb, vecIndex;
  double mte1Overhead, toL0A, toL0B, toBT, toFB, toFBOverhead, fill;
  double l1Write;
  double latencyL1, latencyUB, latencyL0, latencyNd2Nz, latencyUBOut,
      latencyL1Out;
  double fixpipeLatency, fixpipeOverhead, fixpipeSource, fixpipeL1Elements;
  double ubCopy;
  double lineBytes, sectorBytes;
  double bankBytes, bankGroups;

  explicit Constants(const Chip &chip)
      : identity(chip.identity()), clockGHz(chip.clockGHz) {
    auto get = [&](const char *key) { return chip.constant(key); };
    auto slope = [&](const char *key) {
      return chip.constant(std::string("timing.vector.slope.") + key);
    };
    cubeK16 = get("cube.k_elements_f16");
    cubeK8 = get("cube.k_elements_i8");
    cubeK4 = get("cube.k_elements_i4");
    cubeK32 = get("cube.k_elements_f32");
    cubeKHf32 = get("cube.k_elements_hf32");
    mmadGap = get("timing.mmad.gap_cycles");
    mmadFill = get("timing.mmad.fill_cycles");
    vectorOverhead = get("timing.vector.overhead_cycles");
    readWriteConflict = get("timing.vector.read_write_conflict_cycles");
    bankBytes = get("timing.vector.bank_bytes");
    bankGroups = get("timing.vector.bank_groups");
    simple = slope("simple");
    twoSource = slope("two_source");
    exp32 = slope("exp_f32");
    exp16 = slope("exp_f16");
    ln32 = slope("ln_f32");
    ln16 = slope("ln_f16");
    sqrt32 = slope("sqrt_f32");
    sqrt16 = slope("sqrt_f16");
    div32 = slope("div_f32");
    div16 = slope("div_f16");
    multiplyAdd = slope("multiply_add");
    multiplyAddMixed = slope("multiply_add_mixed");
    axpy = slope("axpy");
    cast = slope("cast");
    compareTensor = slope("compare_tensor");
    compareScalar = slope("compare_scalar");
    select = slope("select");
    wholeSum16 = slope("whole_sum_f16");
    wholeSum32 = slope("whole_sum_f32");
    wholeMax = slope("whole_max");
    block16 = slope("block_reduce_f16");
    block32 = slope("block_reduce_f32");
    pairSum = slope("pair_sum");
    gather16 = slope("gather_16");
    gather32 = slope("gather_32");
    brcb = slope("brcb");
    vecIndex = slope("vec_index");
    mte1Overhead = get("timing.mte1.overhead_cycles");
    toL0A = get("timing.mte1.l1_to_l0a_bytes_per_cycle");
    toL0B = get("timing.mte1.l1_to_l0b_bytes_per_cycle");
    toBT = get("timing.mte1.l1_to_bt_bytes_per_cycle");
    toFB = get("timing.mte1.l1_to_fb_bytes_per_cycle");
    toFBOverhead = get("timing.mte1.l1_to_fb_overhead_cycles");
    fill = get("timing.mte1.fill_bytes_per_cycle");
    l1Write = get("timing.mte2.l1_write_bytes_per_cycle");
    latencyL1 = get("timing.mte2.gm_to_l1_latency_ns") * clockGHz;
    latencyUB = get("timing.mte2.gm_to_ub_latency_ns") * clockGHz;
    latencyL0 = get("timing.mte2.gm_to_l0_latency_cycles");
    latencyNd2Nz = get("timing.mte2.nd2nz_latency_ns") * clockGHz;
    latencyUBOut = get("timing.mte3.ub_to_gm_latency_ns") * clockGHz;
    latencyL1Out = get("timing.mte3.l1_to_gm_latency_ns") * clockGHz;
    fixpipeLatency = get("timing.fixpipe.latency_ns") * clockGHz;
    fixpipeOverhead = get("timing.fixpipe.overhead_cycles");
    fixpipeSource = get("timing.fixpipe.source_bytes_per_cycle");
    fixpipeL1Elements = get("timing.fixpipe.l1_elements_per_cycle");
    ubCopy = get("timing.local_copy.ub_bytes_per_cycle");
    lineBytes = get("timing.l2.line_bytes");
    sectorBytes = get("timing.l2.sector_bytes");
  }
};

const Constants &constantsOf(const Chip &chip) {
  thread_local std::vector<Constants> known;
  for (const Constants &constants : known)
    if (constants.identity == chip.identity())
      return constants;
  if (known.size() > 16)
    known.clear();
  known.emplace_back(chip);
  return known.back();
}

} // namespace

/// Bytes of lines (of sectors for short rows) that `rows` rows touch.
static uint64_t touchedBytes(const Constants &c, uint64_t address,
                             uint64_t rowBytes, uint64_t rows, int64_t pitch) {
  if (rowBytes == 0 || rows == 0)
    return 0;
  if (pitch == int64_t(rowBytes)) { // one long row
    rowBytes *= rows;
    rows = 1;
  }
  auto line = uint64_t(c.lineBytes);
  uint64_t unit = rowBytes < line ? uint64_t(c.sectorBytes) : line;
  auto touched = [&](uint64_t start) {
    return (start + rowBytes + unit - 1) / unit * unit - start / unit * unit;
  };
  uint64_t distance = static_cast<uint64_t>(pitch < 0 ? -pitch : pitch);
  if (rows == 1 || distance % unit == 0)
    return touched(address) * rows;
  // Alignments repeat after this many rows.
  uint64_t period = unit / std::gcd(distance % unit, unit);
  uint64_t sample = std::min(rows, period), sum = 0;
  for (uint64_t row = 0; row < sample; ++row)
    sum += touched(address + uint64_t(int64_t(row) * pitch));
  return rows <= period ? sum : sum * rows / period;
}

//===----------------------------------------------------------------------===//
// Vector unit
//===----------------------------------------------------------------------===//

namespace {
/// 32-byte blocks of one repeat of an operand.
struct RepeatBlocks {
  uint64_t address[8];
  uint32_t count = 0;

  void add(const ascsim::Operand &operand, const LaneOperand &lanes,
           uint32_t lanesPerRepeat, uint32_t iteration) {
    uint32_t blocks =
        std::min(8u, ceilDiv(lanes.repeatBytes(lanesPerRepeat), 32));
    for (uint32_t block = 0; block < blocks && count < 8; ++block)
      address[count++] = operand.address +
                         uint64_t(iteration) * lanes.repeatStride +
                         uint64_t(block) * lanes.blockStride;
  }
};
} // namespace

/// Cycles that the banks of UB need for one repeat: accesses to one bank group
/// queue up, equal blocks are read once; a write that meets a read in its bank
/// costs extra. The write of a repeat happens one repeat later.
static double bankCycles(const Constants &c, const ascsim::Instruction &record,
                         const ResolvedVector &vector, bool readsDst,
                         bool twoSources) {
  RepeatBlocks reads0, reads1, writes;
  uint32_t iteration = vector.repeats > 1 ? 1 : 0;
  if (record.src0.memory == Memory::UB)
    reads0.add(record.src0, vector.src0, vector.lanes, iteration);
  if (twoSources && record.src1.memory == Memory::UB)
    reads1.add(record.src1, vector.src1, vector.lanes, iteration);
  if (readsDst)
    reads1.add(record.dst, vector.dst, vector.lanes, iteration);
  if (bitsOf(record.dst.type) * vector.lanes >= 256)
    writes.add(record.dst, vector.dst, vector.lanes, 0);

  auto groups = static_cast<uint32_t>(c.bankGroups);
  uint32_t readsOfGroup[64] = {}, writesOfGroup[64] = {};
  auto groupOf = [&](uint64_t address) {
    return uint32_t(address / 32 % groups) & 63;
  };
  // A bank is a group within one third of UB.
  auto bankOf = [&](uint64_t address) {
    return address / (uint64_t(c.bankBytes) * groups) * groups +
           groupOf(address);
  };
  auto count = [&](const RepeatBlocks &blocks, uint32_t *ofGroup,
                   const RepeatBlocks *other) {
    for (uint32_t i = 0; i < blocks.count; ++i) {
      bool seen = false;
      for (uint32_t j = 0; j < i && !seen; ++j)
        seen = blocks.address[j] == blocks.address[i];
      for (uint32_t j = 0; other && j < other->count && !seen; ++j)
        seen = other->address[j] == blocks.address[i];
      if (!seen)
        ++ofGroup[groupOf(blocks.address[i])];
    }
  };
  count(reads0, readsOfGroup, nullptr);
  count(reads1, readsOfGroup, &reads0);
  count(writes, writesOfGroup, nullptr);
  uint32_t worst = 1;
  for (uint32_t group = 0; group < std::min(groups, 64u); ++group)
    worst = std::max({worst, readsOfGroup[group], writesOfGroup[group]});
  double cycles = worst;
  if (vector.repeats > 1) {
    bool meets = false;
    for (const RepeatBlocks *reads : {&reads0, &reads1})
      for (uint32_t i = 0; i < reads->count && !meets; ++i)
        for (uint32_t j = 0; j < writes.count && !meets; ++j)
          meets = bankOf(reads->address[i]) == bankOf(writes.address[j]) &&
                  reads->address[i] != writes.address[j];
    if (meets && worst < 2)
      cycles += c.readWriteConflict;
  }
  return cycles;
}

static double slopeOf(const Constants &c, const ascsim::Instruction &record) {
  bool wide = ascsim::sizeOf(record.dst.type) >= 4;
  switch (record.opcode) {
  case Opcode::Unary:
    switch (record.function) {
    case Function::Exp:
      return wide ? c.exp32 : c.exp16;
    case Function::Ln:
      return wide ? c.ln32 : c.ln16;
    case Function::Sqrt:
      return wide ? c.sqrt32 : c.sqrt16;
    default:
      return c.simple;
    }
  case Opcode::Binary:
    return record.function == Function::Div ? (wide ? c.div32 : c.div16)
                                            : c.twoSource;
  case Opcode::Ternary:
    if (record.function == Function::Axpy)
      return c.axpy;
    return record.dst.type != record.src0.type ? c.multiplyAddMixed
                                               : c.multiplyAdd;
  case Opcode::Cast:
    return c.cast;
  case Opcode::Compare:
    return c.compareTensor;
  case Opcode::CompareScalar:
    return c.compareScalar;
  case Opcode::Select:
    return c.select;
  case Opcode::Reduce:
    wide = record.src0.type == DataType::F32;
    switch (record.function) {
    case Function::WholeSum:
      return wide ? c.wholeSum32 : c.wholeSum16;
    case Function::WholeMax:
    case Function::WholeMin:
      return c.wholeMax;
    case Function::PairSum:
      return c.pairSum;
    default:
      return wide ? c.block32 : c.block16;
    }
  case Opcode::Gather:
    return wide ? c.gather32 : c.gather16;
  case Opcode::VecIndex:
    return c.vecIndex;
  default:
    return c.simple;
  }
}

static Cost vectorCost(const QueuedInstruction &queued, const Constants &c) {
  const ascsim::Instruction &record = queued.record;
  Cost cost;
  if (record.opcode == Opcode::Broadcast) {
    cost.occupancy = c.vectorOverhead + c.brcb * record.vector.repeat;
    return cost;
  }
  ResolvedVector vector = resolveVector(queued);
  double slope = slopeOf(c, record);
  bool readsDst = record.opcode == Opcode::Ternary;
  bool twoSources = record.opcode == Opcode::Binary ||
                    record.opcode == Opcode::Compare ||
                    record.opcode == Opcode::Select ||
                    (readsDst && record.function != Function::Axpy);
  if (vector.repeats && record.opcode != Opcode::Gather &&
      record.opcode != Opcode::Reduce)
    slope =
        std::max(slope, bankCycles(c, record, vector, readsDst, twoSources));
  cost.occupancy = c.vectorOverhead + slope * vector.repeats;
  return cost;
}

//===----------------------------------------------------------------------===//
// Cube core and transfers
//===----------------------------------------------------------------------===//

static Cost mmadCost(const QueuedInstruction &queued, const Constants &c) {
  const ascsim::Instruction &record = queued.record;
  MmadLayout l = mmadLayout(record);
  Cost cost;
  if (l.m == 0 || l.n == 0 || l.k == 0)
    return cost;
  double cubeK = c.cubeK16;
  switch (record.src0.type) {
  case DataType::I8:
    cubeK = c.cubeK8;
    break;
  case DataType::I4:
    cubeK = c.cubeK4;
    break;
  case DataType::F32:
    cubeK =
        queued.registers[size_t(Register::Hf32)] & 1 ? c.cubeKHf32 : c.cubeK32;
    break;
  default:
    break;
  }
  double steps = double(ceilDiv(l.k, uint32_t(cubeK)));
  cost.occupancy = double(l.fractalsM) * l.fractalsN * steps + c.mmadGap;
  cost.latency = std::max(0.0, c.mmadFill - c.mmadGap);
  return cost;
}

static Cost fixpipeCost(const ascsim::Instruction &record, const Constants &c) {
  FixpipeLayout l = fixpipeLayout(record);
  Cost cost;
  if (l.m == 0 || l.n == 0)
    return cost;
  cost.occupancy = c.fixpipeOverhead;
  if (record.dst.memory != Memory::GM) {
    cost.occupancy +=
        double(alignTo(l.m, 16)) * alignTo(l.n, 16) / c.fixpipeL1Elements;
    return cost;
  }
  // The unit reads L0C at its own pace, whatever the type it writes.
  cost.occupancy += double(alignTo(l.m, 16)) * alignTo(l.n, 16) * l.matrices *
                    4 / c.fixpipeSource;
  cost.latency = c.fixpipeLatency;
  cost.gmWrite = true;
  const ascsim::FixpipeShape &s = record.fixpipe;
  for (uint32_t matrix = 0; matrix < l.matrices; ++matrix)
    if (s.toRowMajor)
      cost.gmBytes += touchedBytes(
          c, record.dst.address + uint64_t(matrix) * s.dstNdStride * l.dstSize,
          l.n * l.dstSize, l.m, int64_t(s.dstStride) * l.dstSize);
    else
      cost.gmBytes += touchedBytes(
          c, record.dst.address, uint64_t(l.m) * l.dstRowElements * l.dstSize,
          ceilDiv(l.n, l.dstRowElements), int64_t(s.dstStride) * 32);
  return cost;
}

static Cost copyCost(const ascsim::Instruction &record, const Constants &c) {
  const ascsim::CopyShape &s = record.copy;
  Cost cost;
  double bytes = double(s.blockCount) * s.blockBytes;
  if (bytes == 0)
    return cost;
  switch (record.opcode) {
  case Opcode::CopyGmToLocal:
    cost.latency = record.dst.memory == Memory::L1 ? c.latencyL1 : c.latencyUB;
    cost.gmBytes = touchedBytes(c, record.src0.address, s.blockBytes,
                                s.blockCount, s.gmPitch);
    if (record.dst.memory == Memory::L1)
      cost.l1Cycles = bytes / c.l1Write;
    return cost;
  case Opcode::CopyLocalToGm:
    cost.latency =
        record.src0.memory == Memory::L1 ? c.latencyL1Out : c.latencyUBOut;
    cost.gmWrite = true;
    cost.gmBytes = touchedBytes(c, record.dst.address, s.blockBytes,
                                s.blockCount, s.gmPitch);
    return cost;
  case Opcode::CopyLocal:
    if (record.dst.memory == Memory::BT)
      cost.occupancy = c.mte1Overhead + bytes / c.toBT;
    else if (record.dst.memory == Memory::FB)
      cost.occupancy = c.toFBOverhead + bytes / c.toFB;
    else
      cost.occupancy = c.vectorOverhead + bytes / c.ubCopy;
    return cost;
  default: // FillLocal
    cost.occupancy = c.mte1Overhead + bytes / c.fill;
    return cost;
  }
}

static Cost loadCost(const ascsim::Instruction &record, const Constants &c) {
  Cost cost;
  double bytes;
  if (record.opcode == Opcode::LoadData3D) {
    Load3DLayout l = load3DLayout(record);
    bytes = double(l.fractalsOuter) * l.fractalsInner * kFractalBytes;
  } else {
    uint32_t fractals = record.opcode == Opcode::LoadDataTranspose
                            ? squareFractals(record.dst.type)
                            : 1;
    bytes = double(record.load2d.repeatTimes) * fractals * kFractalBytes;
  }
  if (bytes == 0)
    return cost;
  if (record.src0.memory == Memory::GM) {
    cost.latency = record.dst.memory == Memory::L1 ? c.latencyL1 : c.latencyL0;
    const ascsim::Load2DShape &s = record.load2d;
    cost.gmBytes = touchedBytes(
        c, record.src0.address + uint64_t(s.startIndex) * kFractalBytes,
        kFractalBytes, s.repeatTimes, int64_t(s.srcStride) * kFractalBytes);
    return cost;
  }
  cost.l1Cycles =
      bytes / (record.dst.memory == Memory::L0B ? c.toL0B : c.toL0A);
  cost.occupancy = c.mte1Overhead + cost.l1Cycles;
  return cost;
}

static Cost nd2nzCost(const ascsim::Instruction &record, const Constants &c) {
  const ascsim::Nd2NzShape &s = record.nd2nz;
  Cost cost;
  uint32_t size = ascsim::sizeOf(record.dst.type);
  if (s.ndNum == 0 || s.nValue == 0 || s.dValue == 0)
    return cost;
  cost.latency = c.latencyNd2Nz;
  for (uint32_t matrix = 0; matrix < s.ndNum; ++matrix)
    cost.gmBytes += touchedBytes(
        c, record.src0.address + uint64_t(matrix) * s.srcNdMatrixStride * size,
        s.dValue * size, s.nValue, int64_t(s.srcDValue) * size);
  cost.bursts = s.ndNum * s.nValue;
  cost.l1Cycles = double(s.ndNum) * s.nValue * s.dValue * size / c.l1Write;
  return cost;
}

Cost tilelang::sim::estimateCost(const QueuedInstruction &queued,
                                 const Chip &chip, const CoreMemories &) {
  const Constants &c = constantsOf(chip);
  const ascsim::Instruction &record = queued.record;
  switch (record.opcode) {
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
  case Opcode::PipeBarrier:
  case Opcode::CrossCoreSet:
  case Opcode::CrossCoreWait:
  case Opcode::NumOpcodes:
    return Cost(); // the engine times synchronisation
  case Opcode::CopyGmToLocal:
  case Opcode::CopyLocalToGm:
  case Opcode::CopyLocal:
  case Opcode::FillLocal:
    return copyCost(record, c);
  case Opcode::CopyNd2Nz:
    return nd2nzCost(record, c);
  case Opcode::LoadData2D:
  case Opcode::LoadData3D:
  case Opcode::LoadDataTranspose:
    return loadCost(record, c);
  case Opcode::Fixpipe:
    return fixpipeCost(record, c);
  case Opcode::Mmad:
    return mmadCost(queued, c);
  default:
    return vectorCost(queued, c);
  }
}
