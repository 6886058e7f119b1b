//===- ExecuteCube.cpp - Mmad and Fixpipe ---------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Execute.h"

#include <cmath>
#include <cstring>

using namespace tilelang::sim;
using ascsim::DataType;
using ascsim::Memory;
using ascsim::QuantMode;
using ascsim::Register;

void tilelang::sim::executeMmad(const QueuedInstruction &queued,
                                CoreMemories &memories) {
  const ascsim::Instruction &record = queued.record;
  MmadLayout layout = mmadLayout(record);
  if (layout.m == 0 || layout.n == 0 || layout.k == 0)
    return; // documented as no operation
  // Widened operands, cache-line aligned; kept, as every Mmad needs them.
  struct Scratch {
    std::vector<uint32_t> words;
    uint32_t *reserve(uint64_t count) {
      if (words.size() < count + 16)
        words.resize(count + 16);
      auto address = reinterpret_cast<uintptr_t>(words.data());
      return reinterpret_cast<uint32_t *>((address + 63) & ~uintptr_t(63));
    }
  };
  thread_local Scratch scratchA, scratchB;
  uint64_t perFractal = 16 * layout.rowElements;

  MmadArguments arguments{};
  // The rows of the last fractals exist in memory even where m is smaller, but
  // must not be read past its end.
  arguments.a = memories.at(record.src0);
  arguments.b = memories.at(record.src1);
  arguments.c = memories.at(record.dst);
  arguments.m = layout.m;
  arguments.n = layout.n;
  arguments.k = layout.k;
  arguments.aFractalsK = layout.aFractalsK;
  arguments.vectorA = layout.vectorA;
  arguments.init = record.mmad.init;
  arguments.type = record.src0.type;
  uint64_t hf32 = readRegister(queued, Register::Hf32);
  arguments.hf32 =
      record.src0.type == DataType::F32 && (hf32 & 1) ? uint32_t(hf32 & 3) : 0;
  alignas(64) static thread_local uint32_t biasRow[4096 + 16];
  if (record.mmad.hasBias && record.src2.memory != Memory::None) {
    std::memset(biasRow, 0, sizeof(biasRow));
    std::memcpy(biasRow, memories.at(record.src2),
                std::min<uint64_t>(layout.n, 4096) * 4);
    arguments.bias = biasRow;
  }
  arguments.scratchA = scratchA.reserve(uint64_t(layout.fractalsM) *
                                        layout.fractalsK * perFractal);
  arguments.scratchB = scratchB.reserve(uint64_t(layout.fractalsN) *
                                        layout.fractalsK * perFractal);

  auto fits = [&](const ascsim::Operand &operand, uint64_t bytes) {
    return operand.address + bytes <=
           memories.bytes[size_t(operand.memory)].size();
  };
  uint64_t bytesA = layout.vectorA
                        ? uint64_t(layout.fractalsK) * 32
                        : (uint64_t(layout.fractalsM - 1) * layout.aFractalsK +
                           layout.fractalsK) *
                              512;
  uint64_t bytesB = uint64_t(layout.fractalsK) * layout.fractalsN * 512;
  uint64_t bytesC = uint64_t(layout.fractalsM) * layout.fractalsN * 1024;
  if (!fits(record.src0, bytesA) || !fits(record.src1, bytesB) ||
      !fits(record.dst, bytesC))
    return;
  kernels().mmad(arguments);
}

//===----------------------------------------------------------------------===//
// Fixpipe
//===----------------------------------------------------------------------===//

namespace {
/// The quantisation word: scale with ten bits of fraction, shift, offset, sign.
struct QuantWord {
  float scale;
  uint32_t shift;
  int32_t offset;
  bool isSigned;

  explicit QuantWord(uint64_t word) {
    uint32_t bits = uint32_t(word) & ~0x1FFFu; // the low 13 bits are not used
    std::memcpy(&scale, &bits, 4);
    shift = uint32_t(word >> 32 & 15) + 1;
    int32_t raw = int32_t(word >> 37 & 511);
    offset = raw >= 256 ? raw - 512 : raw;
    isSigned = word >> 46 & 1;
  }
  uint8_t toByte(float value) const {
    if (value != value)
      return 0;
    double result = std::nearbyint(double(value)) + offset;
    double low = isSigned ? -128 : 0, high = isSigned ? 127 : 255;
    result = result < low ? low : result > high ? high : result;
    return static_cast<uint8_t>(static_cast<int32_t>(result));
  }
};
} // namespace

static bool perColumn(QuantMode mode) {
  return mode == QuantMode::VDEQF16 || mode == QuantMode::VQF322B8_PRE ||
         mode == QuantMode::VREQ8;
}

/// Converts one row of `count` values, in place before, to the result type.
static void convertRow(const QueuedInstruction &queued, uint32_t *values,
                       uint32_t count, const uint8_t *table, uint8_t *to) {
  const ascsim::FixpipeShape &s = queued.record.fixpipe;
  bool isFloat = queued.record.src0.type == DataType::F32;
  if (s.relu)
    for (uint32_t i = 0; i < count; ++i) {
      // Negative numbers (not NaN) become 0; so does -0.
      bool isNaN = isFloat && (values[i] & 0x7FFFFFFFu) > 0x7F800000u;
      values[i] = !isNaN && values[i] >> 31 ? 0 : values[i];
    }
  auto *floats = reinterpret_cast<float *>(values);
  auto *integers = reinterpret_cast<int32_t *>(values);
  auto wordOf = [&](uint32_t i) {
    uint64_t word = s.deqScalar;
    if (table)
      std::memcpy(&word, table + uint64_t(i) * 8, 8);
    return QuantWord(word);
  };
  switch (s.quant) {
  case QuantMode::NoQuant:
    std::memcpy(to, values, uint64_t(count) * 4);
    return;
  case QuantMode::F322F16:
    return kernels().floatToHalf(floats, to, count, saturates(queued));
  case QuantMode::F322BF16:
    return kernels().floatToBFloat(floats, to, count, saturates(queued));
  case QuantMode::DEQF16:
  case QuantMode::VDEQF16:
    for (uint32_t i = 0; i < count; ++i)
      floats[i] = float(integers[i]) * wordOf(i).scale;
    return kernels().floatToHalf(floats, to, count, saturates(queued));
  case QuantMode::QF322B8_PRE:
  case QuantMode::VQF322B8_PRE:
    for (uint32_t i = 0; i < count; ++i) {
      QuantWord word = wordOf(i);
      to[i] = word.toByte(floats[i] * word.scale);
    }
    return;
  case QuantMode::REQ8:
  case QuantMode::VREQ8:
    for (uint32_t i = 0; i < count; ++i) {
      QuantWord word = wordOf(i);
      to[i] = word.toByte(float(integers[i]) * word.scale);
    }
    return;
  }
}

void tilelang::sim::executeFixpipe(const QueuedInstruction &queued,
                                   CoreMemories &memories) {
  const ascsim::Instruction &record = queued.record;
  const ascsim::FixpipeShape &s = record.fixpipe;
  FixpipeLayout l = fixpipeLayout(record);
  const uint8_t *table = nullptr;
  if (perColumn(s.quant) && record.src1.memory == Memory::L1)
    table = memories.at(record.src1);
  bool toGm = record.dst.memory == Memory::GM;
  auto store = [&](uint8_t *to, const uint8_t *from, uint64_t bytes) {
    if (toGm)
      storeToGlobal(queued, to, from, bytes);
    else
      std::memcpy(to, from, bytes);
  };
  thread_local std::vector<uint8_t> rowBuffer;
  thread_local std::vector<uint32_t> values;
  uint32_t padded = alignTo(l.n, 32);
  if (values.size() < padded) {
    values.resize(padded);
    rowBuffer.resize(uint64_t(padded) * 4);
  }

  for (uint32_t matrix = 0; matrix < l.matrices; ++matrix) {
    const uint8_t *from =
        memories.at(record.src0, int64_t(matrix * l.srcMatrixPitch));
    for (uint32_t row = 0; row < l.m; ++row) {
      for (uint32_t group = 0; group < l.groups; ++group)
        std::memcpy(values.data() + group * 16,
                    from + group * l.srcGroupPitch + uint64_t(row) * 64,
                    std::min(16u, l.n - group * 16) * 4);
      convertRow(queued, values.data(), l.n, table, rowBuffer.data());
      if (s.toRowMajor) {
        int64_t offset =
            (int64_t(matrix) * s.dstNdStride + int64_t(row) * s.dstStride) *
            l.dstSize;
        store(memories.at(record.dst, offset), rowBuffer.data(),
              uint64_t(l.n) * l.dstSize);
        continue;
      }
      uint32_t rowBytes = l.dstRowElements * l.dstSize;
      if (uint32_t rest = l.n % l.dstRowElements)
        std::memset(rowBuffer.data() + uint64_t(l.n) * l.dstSize, 0,
                    uint64_t(l.dstRowElements - rest) * l.dstSize);
      for (uint32_t group = 0; group * l.dstRowElements < l.n; ++group)
        store(memories.at(record.dst, int64_t(group) * s.dstStride * 32 +
                                          int64_t(row) * rowBytes),
              rowBuffer.data() + uint64_t(group) * rowBytes, rowBytes);
    }
  }
}
