//===- Legality.cpp - Documented rules of instructions --------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Rules common to all instructions, and those of copies, loads, Mmad, Fixpipe
// and flags. LegalityVector.cpp has the vector unit.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tilelang;
using namespace tilelang::sim;
using ascsim::CoreType;
using ascsim::DataType;
using ascsim::Memory;
using ascsim::Opcode;
using ascsim::Pipe;
using ascsim::QuantMode;
using ascsim::Register;

const char *tilelang::sim::memoryNameOf(Memory memory) {
  static const char *const names[] = {"GM", "L1", "L0A", "L0B",      "L0C",
                                      "BT", "FB", "UB",  "no memory"};
  return names[static_cast<size_t>(memory)];
}

const char *tilelang::sim::typeNameOf(DataType type) {
  static const char *const names[] = {
      "half",     "bfloat16_t", "float",   "int8_t",   "uint8_t",
      "int16_t",  "uint16_t",   "int32_t", "uint32_t", "int64_t",
      "uint64_t", "double",     "int4b_t", "no type"};
  return names[static_cast<size_t>(type)];
}

static const char *pipeNameOf(Pipe pipe) {
  static const char *const names[] = {"S",    "V",    "M",   "MTE1",
                                      "MTE2", "MTE3", "FIX", "ALL"};
  return names[static_cast<size_t>(pipe)];
}

static bool pipeExists(Pipe pipe, CoreType core) {
  switch (pipe) {
  case Pipe::V:
    return core == CoreType::AIV;
  case Pipe::M:
  case Pipe::MTE1:
  case Pipe::FIX:
    return core == CoreType::AIC;
  default:
    return true;
  }
}

static const char *coreName(CoreType core) {
  return core == CoreType::AIC ? "Cube core (AIC)" : "Vector core (AIV)";
}

static ChipMemory chipMemory(Memory memory) {
  switch (memory) {
  case Memory::L1:
    return ChipMemory::L1;
  case Memory::L0A:
    return ChipMemory::L0A;
  case Memory::L0B:
    return ChipMemory::L0B;
  case Memory::L0C:
    return ChipMemory::L0C;
  case Memory::BT:
    return ChipMemory::BT;
  case Memory::FB:
    return ChipMemory::FB;
  default:
    return ChipMemory::UB;
  }
}

static bool pathExists(const Chip &chip, Memory from, Memory to) {
  static const char *const names[] = {"gm",  "l1", "l0a", "l0b",
                                      "l0c", "bt", "fb",  "ub"};
  if (from >= Memory::None || to >= Memory::None)
    return false;
  std::string key =
      std::string("path.") + names[size_t(from)] + "_to_" + names[size_t(to)];
  auto found = chip.constants().find(key);
  return found != chip.constants().end() && found->second != 0;
}

static void checkPath(Checker &check) {
  Memory from = check.record.src0.memory, to = check.record.dst.memory;
  // One lookup per pair of memories and chip.
  thread_local uint64_t identity = 0;
  thread_local int8_t known[9][9];
  if (identity != check.chip.identity()) {
    identity = check.chip.identity();
    for (auto &row : known)
      for (int8_t &entry : row)
        entry = -1;
  }
  int8_t &entry = known[size_t(from)][size_t(to)];
  if (entry < 0)
    entry = pathExists(check.chip, from, to);
  if (!entry)
    check.fail("no-such-path", std::string("data cannot move from ") +
                                   memoryNameOf(from) + " to " +
                                   memoryNameOf(to) +
                                   " on this chip in one instruction");
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static void checkCopy(Checker &check) {
  const ascsim::Instruction &record = check.record;
  const ascsim::CopyShape &s = record.copy;
  checkPath(check);
  bool load = record.opcode == Opcode::CopyGmToLocal;
  const ascsim::Operand &local = load ? record.dst : record.src0;
  const ascsim::Operand &global = load ? record.src0 : record.dst;
  check.aligned(load ? "destination" : "source", local.address, 32,
                local.memory);
  if (s.byteGranular) {
    uint32_t size = ascsim::sizeOf(local.type);
    if (local.memory != Memory::UB)
      check.fail("wrong-memory",
                 std::string("DataCopyPad works on UB, the tensor lies in ") +
                     memoryNameOf(local.memory));
    check.range("blockCount", s.blockCount, 0,
                int64_t(check.chip.constant("limit.pad_block_count")));
    check.range("blockLen", s.blockBytes, 0,
                int64_t(check.chip.constant("limit.pad_block_bytes")));
    if (size && s.blockBytes % size)
      check.fail("field-range",
                 "blockLen is " + Checker::number(s.blockBytes) +
                     " bytes, expected a multiple of the element size " +
                     Checker::number(size));
    if (load) {
      check.range("leftPadding (bytes)", s.leftPadding * size, 0, 32);
      check.range("rightPadding (bytes)", s.rightPadding * size, 0, 32);
      if (s.isPad && size == 8 && s.padValue != 0)
        check.fail("field-range", "64-bit elements can be padded with 0 only");
    }
    return;
  }
  check.aligned(load ? "source" : "destination", global.address,
                ascsim::sizeOf(global.type), Memory::GM);
  check.range("blockCount", s.blockCount, 0,
              int64_t(check.chip.constant("limit.copy_block_count")));
}

static void checkLocalCopy(Checker &check) {
  const ascsim::Instruction &record = check.record;
  checkPath(check);
  uint32_t unit =
      record.dst.memory == Memory::BT || record.dst.memory == Memory::FB
          ? check.chip.alignment(chipMemory(record.dst.memory))
          : 32;
  check.aligned("destination", record.dst.address, unit, record.dst.memory);
  check.aligned("source", record.src0.address, 32, record.src0.memory);
  check.range("blockCount", record.copy.blockCount, 0,
              int64_t(check.chip.constant("limit.copy_block_count")));
}

static void checkNd2Nz(Checker &check) {
  const ascsim::Instruction &record = check.record;
  const ascsim::Nd2NzShape &s = record.nd2nz;
  check.operandIn("destination", record.dst, Memory::L1);
  check.aligned("destination", record.dst.address, 32, record.dst.memory);
  check.aligned("source", record.src0.address, ascsim::sizeOf(record.src0.type),
                Memory::GM);
  auto limit = [&](const char *key) {
    return int64_t(check.chip.constant(key));
  };
  check.range("ndNum", s.ndNum, 0, limit("limit.nd2nz_nd_num"));
  check.range("nValue", s.nValue, 0, limit("limit.nd2nz_n_value"));
  check.range("dValue", s.dValue, 0, limit("limit.nd2nz_d_value"));
  check.range("srcDValue", s.srcDValue, 1, limit("limit.nd2nz_src_d_value"));
  check.range("dstNzC0Stride", s.dstNzC0Stride, 1,
              limit("limit.nd2nz_dst_stride"));
  check.range("dstNzNStride", s.dstNzNStride, 1,
              limit("limit.nd2nz_dst_stride"));
  check.range("dstNzMatrixStride", s.dstNzMatrixStride, 0,
              limit("limit.nd2nz_dst_stride"));
}

//===----------------------------------------------------------------------===//
// Cube core
//===----------------------------------------------------------------------===//

static void checkL0(Checker &check, const char *what,
                    const ascsim::Operand &operand) {
  if (operand.memory != Memory::L0A && operand.memory != Memory::L0B) {
    check.fail("wrong-memory", std::string("the ") + what + " lies in " +
                                   memoryNameOf(operand.memory) +
                                   ", expected L0A or L0B");
    return;
  }
  check.aligned(what, operand.address,
                check.chip.alignment(chipMemory(operand.memory)),
                operand.memory);
}

static void checkLoad2D(Checker &check) {
  const ascsim::Instruction &record = check.record;
  const ascsim::Load2DShape &s = record.load2d;
  checkPath(check);
  if (record.dst.memory == Memory::L1)
    check.aligned("destination", record.dst.address, 32, record.dst.memory);
  else
    checkL0(check, "destination", record.dst);
  if (record.src0.memory == Memory::L1)
    check.aligned("source", record.src0.address, 32, Memory::L1);
  check.range("repeatTimes", s.repeatTimes, 0,
              int64_t(check.chip.constant("limit.load2d_repeat")));
  if (record.opcode == Opcode::LoadDataTranspose) {
    if (bitsOf(record.dst.type) == 4 && record.dst.memory != Memory::L0B)
      check.fail("type-tuple", "int4b_t transposes only into L0B");
    return;
  }
  if (!s.transpose)
    return;
  if (ascsim::sizeOf(record.dst.type) != 2)
    check.fail("type-tuple",
               std::string("ifTranspose works on 16-bit types, found ") +
                   typeNameOf(record.dst.type) + "; use LoadDataWithTranspose");
  if (record.src0.memory == Memory::GM)
    check.fail("field-range",
               "ifTranspose works from L1 only, the source lies in GM");
}

static void checkLoad3D(Checker &check) {
  const ascsim::Instruction &record = check.record;
  const ascsim::Load3DShape &s = record.load3d;
  checkPath(check);
  checkL0(check, "destination", record.dst);
  check.aligned("source", record.src0.address, 32, record.src0.memory);
  Load3DLayout layout = load3DLayout(record);
  uint32_t bits = bitsOf(record.dst.type);
  if (record.dst.memory == Memory::L0B && bits < 16)
    check.fail(
        "type-tuple",
        std::string("LoadData with LoadData3DParamsV2 into L0B needs elements "
                    "of 16 or 32 bits, found ") +
            typeNameOf(record.dst.type));
  if (record.dst.memory == Memory::L0A && s.transpose && bits < 16)
    check.fail(
        "type-tuple",
        std::string("enTranspose needs elements of 16 or 32 bits, found ") +
            typeNameOf(record.dst.type));
  check.range("strideW", s.strideW, 1, 63);
  check.range("strideH", s.strideH, 1, 63);
  check.range("filterW", layout.filterWidth, 1, 511);
  check.range("filterH", layout.filterHeight, 1, 511);
  check.range("dilationFilterW", s.dilationW, 1, 255);
  check.range("dilationFilterH", s.dilationH, 1, 255);
  check.range("l1W", s.l1W, 1, 32767);
  check.range("l1H", s.l1H, 1, 32767);
  if (s.columnStart % layout.rowElements)
    check.fail("field-range", "kStartPt is " + Checker::number(s.columnStart) +
                                  ", expected a multiple of " +
                                  Checker::number(layout.rowElements));
  if (s.rowStart % 16)
    check.fail("field-range", "mStartPt is " + Checker::number(s.rowStart) +
                                  ", expected a multiple of 16");
  uint32_t columnsUnit = layout.transposed ? std::max(16u, layout.rowElements)
                                           : layout.rowElements;
  if (s.columns == 0 || s.columns % columnsUnit)
    check.fail("field-range", "kExtension is " + Checker::number(s.columns) +
                                  ", expected a positive multiple of " +
                                  Checker::number(columnsUnit));
  if (s.rows == 0 || s.rows % 16)
    check.fail("field-range", "mExtension is " + Checker::number(s.rows) +
                                  ", expected a positive multiple of 16");
  uint64_t matrixColumns =
      uint64_t(alignTo(s.channelSize, layout.rowElements)) *
      layout.filterWidth * layout.filterHeight;
  if (uint64_t(s.columnStart) + s.columns >
      alignTo(uint32_t(matrixColumns), 16))
    check.fail("field-range", "kStartPt + kExtension is " +
                                  Checker::number(s.columnStart + s.columns) +
                                  ", but the matrix has " +
                                  Checker::number(int64_t(matrixColumns)) +
                                  " columns");
  uint64_t matrixRows = uint64_t(layout.outputWidth) * layout.outputHeight;
  if (uint64_t(s.rowStart) + s.rows > (matrixRows + 15) / 16 * 16)
    check.fail("field-range", "mStartPt + mExtension is " +
                                  Checker::number(s.rowStart + s.rows) +
                                  ", but the feature map gives " +
                                  Checker::number(int64_t(matrixRows)) +
                                  " rows");
}

static void checkFill(Checker &check) {
  const ascsim::Instruction &record = check.record;
  if (record.dst.memory == Memory::L1)
    check.aligned("destination", record.dst.address, 32, Memory::L1);
  else
    checkL0(check, "destination", record.dst);
  check.range("repeatTimes", record.copy.blockCount, 0, 32767);
  check.range("blockNum (bytes)", record.copy.blockBytes, 0, 32767 * 512);
}

static void checkMmad(Checker &check) {
  const ascsim::Instruction &record = check.record;
  const ascsim::MmadShape &s = record.mmad;
  check.operandIn("destination", record.dst, Memory::L0C);
  check.operandIn("first matrix", record.src0, Memory::L0A);
  check.operandIn("second matrix", record.src1, Memory::L0B);
  check.aligned("destination", record.dst.address,
                check.chip.alignment(ChipMemory::L0C), Memory::L0C);
  check.aligned("first matrix", record.src0.address,
                check.chip.alignment(ChipMemory::L0A), Memory::L0A);
  check.aligned("second matrix", record.src1.address,
                check.chip.alignment(ChipMemory::L0B), Memory::L0B);
  auto limit = int64_t(check.chip.constant("limit.mmad_extent"));
  check.range("m", s.m, 0, limit);
  check.range("n", s.n, 0, limit);
  check.range("k", s.k, 0, limit);
  if (s.unitFlag != 0 && s.unitFlag != 2 && s.unitFlag != 3)
    check.fail("field-range", "unitFlag is " + Checker::number(s.unitFlag) +
                                  ", expected 0, 2 or 3");
  DataType a = record.src0.type, b = record.src1.type, c = record.dst.type;
  bool floats =
      a == b && c == DataType::F32 &&
      (a == DataType::F16 || a == DataType::BF16 || a == DataType::F32);
  bool integers =
      a == b && c == DataType::I32 && (a == DataType::I8 || a == DataType::I4);
  if (!floats && !integers)
    check.fail(
        "type-tuple",
        std::string("(C, A, B) is (") + typeNameOf(c) + ", " + typeNameOf(a) +
            ", " + typeNameOf(b) +
            "), expected (float, half, half), (float, bfloat16_t, "
            "bfloat16_t), (float, float, float), (int32_t, int8_t, int8_t) or "
            "(int32_t, int4b_t, int4b_t)");
  if (s.kDirectionAlign && a != DataType::F32)
    check.fail("field-range", "kDirectionAlign is for float operands only");
  if (s.hasBias) {
    if (record.src2.memory != Memory::BT && record.src2.memory != Memory::L0C)
      check.fail("wrong-memory", std::string("the bias lies in ") +
                                     memoryNameOf(record.src2.memory) +
                                     ", expected BT (TPosition::C2)");
    else
      check.aligned("bias", record.src2.address,
                    check.chip.alignment(ChipMemory::BT), record.src2.memory);
    if (s.init)
      check.fail("field-range",
                 "cmatrixInitVal must be false when a bias is given");
  }
}

static void checkFixpipe(Checker &check) {
  const ascsim::Instruction &record = check.record;
  const ascsim::FixpipeShape &s = record.fixpipe;
  check.operandIn("source", record.src0, Memory::L0C);
  checkPath(check);
  check.aligned("source", record.src0.address, 64, Memory::L0C);
  auto limit = [&](const char *key) {
    return int64_t(check.chip.constant(key));
  };
  check.range("nSize", s.nSize, 0, limit("limit.fixpipe_n"));
  check.range(
      "mSize", s.mSize, 0,
      limit(s.toRowMajor ? "limit.fixpipe_m_row_major" : "limit.fixpipe_m"));
  check.range("srcStride", s.srcStride, 0, limit("limit.fixpipe_src_stride"));
  if (s.toRowMajor) {
    check.range("ndNum", s.ndNum, 1, 65535);
    check.range("srcNdStride", s.srcNdStride, 0, 512);
    if (record.dst.memory == Memory::GM)
      check.aligned("destination", record.dst.address,
                    ascsim::sizeOf(record.dst.type), Memory::GM);
    if (s.dstStride < s.nSize && s.mSize > 1)
      check.fail("overlap",
                 "dstStride is " + Checker::number(s.dstStride) +
                     " elements, less than the " + Checker::number(s.nSize) +
                     " columns of a row: rows would overwrite each other");
  } else {
    uint32_t unit = s.channelSplit ? 8 : 16;
    if (s.nSize % unit)
      check.fail("field-range", "nSize is " + Checker::number(s.nSize) +
                                    ", expected a multiple of " +
                                    Checker::number(unit) + " for NZ output");
    check.aligned("destination", record.dst.address, 32, record.dst.memory);
  }
  if (record.dst.memory == Memory::L1 && s.toRowMajor)
    check.fail("field-range", "L0C -> L1 keeps the NZ format: use CFG_NZ");
  if (s.unitFlag != 0 && s.unitFlag != 2 && s.unitFlag != 3)
    check.fail("field-range", "unitFlag is " + Checker::number(s.unitFlag) +
                                  ", expected 0, 2 or 3");
  // The conversion is never inferred from the types.
  DataType from = record.src0.type, to = record.dst.type;
  bool fits = false;
  switch (s.quant) {
  case QuantMode::NoQuant:
    fits = from == to;
    break;
  case QuantMode::F322F16:
    fits = from == DataType::F32 && to == DataType::F16;
    break;
  case QuantMode::F322BF16:
    fits = from == DataType::F32 && to == DataType::BF16;
    break;
  case QuantMode::DEQF16:
  case QuantMode::VDEQF16:
    fits = from == DataType::I32 && to == DataType::F16;
    break;
  case QuantMode::QF322B8_PRE:
  case QuantMode::VQF322B8_PRE:
    fits = from == DataType::F32 && (to == DataType::I8 || to == DataType::U8);
    break;
  case QuantMode::REQ8:
  case QuantMode::VREQ8:
    fits = from == DataType::I32 && (to == DataType::I8 || to == DataType::U8);
    break;
  }
  if (!fits)
    check.fail("type-tuple",
               std::string("quantPre does not turn ") + typeNameOf(from) +
                   " into " + typeNameOf(to) +
                   "; float to half needs F322F16, float to bfloat16_t "
                   "F322BF16, equal types NoQuant");
  bool table = s.quant == QuantMode::VDEQF16 ||
               s.quant == QuantMode::VQF322B8_PRE ||
               s.quant == QuantMode::VREQ8;
  if (table && record.src1.memory != Memory::L1)
    check.fail("wrong-memory",
               "this quantPre needs its table of scales in L1 (TPosition::C1)");
  uint64_t atomic = check.queued.registers[size_t(Register::AtomicMode)];
  if (atomic && record.dst.memory == Memory::GM &&
      check.queued.registers[size_t(Register::AtomicType)] != uint64_t(to))
    check.fail("atomic-type",
               std::string("atomic mode is set for ") +
                   typeNameOf(DataType(std::min<uint64_t>(
                       check.queued.registers[size_t(Register::AtomicType)],
                       uint64_t(DataType::None)))) +
                   ", the destination holds " + typeNameOf(to));
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

static void checkFlag(Checker &check, CoreType core) {
  const ascsim::FlagShape &flag = check.record.flag;
  for (Pipe pipe : {flag.source, flag.destination})
    if (!pipeExists(pipe, core))
      check.fail("wrong-core", std::string("a ") + coreName(core) +
                                   " has no pipe " + pipeNameOf(pipe));
  // Ids that TQue takes from TPipe may be any of the eight.
  uint32_t ids =
      check.record.cubeFlags & 1 ? 8 : check.chip.eventIdsPerPipePair;
  if (flag.id >= ids)
    check.fail("event-id",
               "event id " + Checker::number(flag.id) + ", expected 0 to " +
                   Checker::number(ids - 1) +
                   (flag.id < 8 ? " (6 and 7 belong to the toolchain)" : ""));
}

static void checkCrossCore(Checker &check, CoreType core) {
  const ascsim::FlagShape &flag = check.record.flag;
  bool set = check.record.opcode == Opcode::CrossCoreSet;
  if (set && (flag.source == Pipe::S || flag.source == Pipe::All ||
              !pipeExists(flag.source, core)))
    check.fail("wrong-core", std::string("pipe ") + pipeNameOf(flag.source) +
                                 " cannot set a cross-core flag on a " +
                                 coreName(core));
  bool reserved = check.record.cubeFlags & 1;
  uint32_t ids = reserved ? 15 : check.chip.crossCoreFlags;
  if (flag.id >= ids)
    check.fail("flag-id",
               "cross-core flag " + Checker::number(flag.id) +
                   ", expected 0 to " + Checker::number(ids - 1) +
                   (flag.id < 16 ? " (11 to 14 belong to SyncAll)" : ""));
  if (flag.mode > 2)
    check.fail("field-range", "mode is " + Checker::number(flag.mode) +
                                  ", expected 0, 1 or 2");
  if (flag.mode == 1 && core == CoreType::AIC)
    check.fail(
        "wrong-core",
        "mode 1 joins the Vector cores of a cluster, this is a Cube core");
}

//===----------------------------------------------------------------------===//
// All instructions
//===----------------------------------------------------------------------===//

static const char *operandName(uint8_t operand) {
  static const char *const names[] = {"first source", "second source",
                                      "third source", "destination"};
  return names[operand & 3];
}

static void checkBounds(Checker &check, AccessList &accesses) {
  collectAccesses(check.queued, accesses);
  for (const Access &access : accesses) {
    if (access.memory == Memory::GM || access.memory >= Memory::None)
      continue;
    int64_t last =
        int64_t(access.start) + int64_t(access.blocks - 1) * access.pitch;
    int64_t begin = std::min(int64_t(access.start), last);
    int64_t end = std::max(int64_t(access.start), last) + access.blockBytes;
    auto usable = int64_t(check.chip.usableBytes(chipMemory(access.memory)));
    if (begin >= 0 && end <= usable)
      continue;
    std::string text = std::string("the ") + operandName(access.operand) +
                       " covers bytes " + Checker::number(begin) + " to " +
                       Checker::number(end - 1) + " of " +
                       memoryNameOf(access.memory) + ", which has " +
                       Checker::number(usable) + " usable bytes";
    auto physical =
        int64_t(check.chip.physicalBytes(chipMemory(access.memory)));
    if (physical != usable)
      text += " (of " + Checker::number(physical) +
              "; the rest belongs to the toolchain)";
    check.fail("out-of-bounds", text);
    return; // one message for one instruction
  }
}

void tilelang::sim::checkLegality(const QueuedInstruction &queued,
                                  const Chip &chip, CoreType core,
                                  std::vector<Violation> &violations) {
  Checker check(queued, chip, violations);
  const ascsim::Instruction &record = queued.record;
  if (record.opcode != Opcode::CrossCoreWait &&
      !pipeExists(record.pipe, core) && record.opcode != Opcode::SetFlag &&
      record.opcode != Opcode::WaitFlag)
    return check.fail("wrong-core", std::string("runs on pipe ") +
                                        pipeNameOf(record.pipe) + ", which a " +
                                        coreName(core) + " does not have");
  switch (record.opcode) {
  case Opcode::SetFlag:
  case Opcode::WaitFlag:
    return checkFlag(check, core);
  case Opcode::CrossCoreSet:
  case Opcode::CrossCoreWait:
    return checkCrossCore(check, core);
  case Opcode::PipeBarrier:
  case Opcode::NumOpcodes:
    return;
  case Opcode::CopyGmToLocal:
  case Opcode::CopyLocalToGm:
    checkCopy(check);
    break;
  case Opcode::CopyLocal:
    checkLocalCopy(check);
    break;
  case Opcode::CopyNd2Nz:
    checkNd2Nz(check);
    break;
  case Opcode::LoadData2D:
  case Opcode::LoadDataTranspose:
    checkLoad2D(check);
    break;
  case Opcode::LoadData3D:
    checkLoad3D(check);
    break;
  case Opcode::FillLocal:
    checkFill(check);
    break;
  case Opcode::Mmad:
    checkMmad(check);
    break;
  case Opcode::Fixpipe:
    checkFixpipe(check);
    break;
  default:
    checkVector(check);
    break;
  }
  thread_local AccessList accesses;
  accesses.clear();
  checkBounds(check, accesses);
}
