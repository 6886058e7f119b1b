//===- EngineGemmTest.cpp - A whole GEMM through the engine ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A double-buffered GEMM from plain records: tails must compute the right
// values without reports about padding, and a dropped flag must be found. The
// disabled test measures the speed of the simulator on a 4096 cubed product.
//
//===----------------------------------------------------------------------===//

#include "EngineTest.h"

#include <cstring>

using namespace tilelang::sim;
using namespace tilelang::sim::test;

namespace {

using Half = _Float16;

/// C[M,N] (fp16) = A[M,K] B[K,N] in tiles of 128 x 256 x 64.
struct Gemm : Launch {
  uint32_t m, n, k;
  std::vector<Half> a, b, c;
  /// Leaves out the flag from MTE2 to MTE1, or that from M back to MTE1.
  bool dropFull = false, dropFree = false;
  /// Hands the accumulator over by unit flags instead of events.
  bool unitFlags = false;

  static constexpr uint32_t tileM = 128, tileN = 256, tileK = 64;
  static constexpr uint64_t bytesA = tileM * tileK * 2,
                            bytesB = tileK * tileN * 2;

  Gemm(uint32_t m, uint32_t n, uint32_t k, uint32_t blocks)
      : m(m), n(n), k(k), a(uint64_t(m) * k), b(uint64_t(k) * n),
        c(uint64_t(m) * n, Half(-7)) {
    for (size_t i = 0; i != a.size(); ++i)
      a[i] = Half(static_cast<int>(i * 7 % 5) - 2);
    for (size_t i = 0; i != b.size(); ++i)
      b[i] = Half(static_cast<int>(i * 3 % 7) - 3);
    options.blockDim = blocks;
    buffer("a", a);
    buffer("b", b);
    buffer("c", c, /*initialised=*/false);
  }

  static uint32_t up(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit * unit;
  }

  static Instruction loadNz(uint64_t l1, const Half *gm, uint32_t rows,
                            uint32_t columns, uint32_t pitch) {
    Instruction record(Opcode::CopyNd2Nz, Pipe::MTE2);
    record.dst = {l1, Memory::L1, DataType::F16};
    record.src0 = {reinterpret_cast<uint64_t>(gm), Memory::GM, DataType::F16};
    record.nd2nz = {};
    record.nd2nz.ndNum = 1;
    record.nd2nz.nValue = rows;
    record.nd2nz.dValue = columns;
    record.nd2nz.srcDValue = pitch;
    record.nd2nz.dstNzC0Stride = up(rows, 16);
    record.nd2nz.dstNzNStride = 1;
    return record;
  }
  static Instruction load3d(Memory memory, uint64_t l0, uint64_t l1,
                            uint32_t rows, uint32_t columns) {
    Instruction record(Opcode::LoadData3D, Pipe::MTE1);
    record.dst = {l0, memory, DataType::F16};
    record.src0 = {l1, Memory::L1, DataType::F16};
    record.load3d = {};
    record.load3d.l1H = 1;
    record.load3d.l1W = rows;
    record.load3d.channelSize = columns;
    record.load3d.columns = columns;
    record.load3d.rows = rows;
    record.load3d.strideW = record.load3d.strideH = 1;
    record.load3d.filterW = record.load3d.filterH = 1;
    record.load3d.dilationW = record.load3d.dilationH = 1;
    return record;
  }

  void tile(uint32_t row, uint32_t column, uint32_t &step) {
    uint32_t rows = std::min(tileM, m - row);
    uint32_t columns = std::min(tileN, n - column);
    if (!unitFlags)
      waitFlag(Pipe::FIX, Pipe::M);
    for (uint32_t depth = 0; depth < k; depth += tileK, ++step) {
      uint32_t slot = step % 2;
      uint32_t inner = std::min(tileK, k - depth);
      uint64_t l1A = slot * (bytesA + bytesB), l1B = l1A + bytesA;
      waitFlag(Pipe::MTE1, Pipe::MTE2, slot);
      issue(loadNz(l1A, a.data() + uint64_t(row) * k + depth, rows, inner, k));
      issue(loadNz(l1B, b.data() + uint64_t(depth) * n + column, inner, columns,
                   n));
      if (!dropFull) {
        setFlag(Pipe::MTE2, Pipe::MTE1, slot);
        waitFlag(Pipe::MTE2, Pipe::MTE1, slot);
      }
      if (!dropFree)
        waitFlag(Pipe::M, Pipe::MTE1, slot);
      issue(
          load3d(Memory::L0A, slot * bytesA, l1A, up(rows, 16), up(inner, 16)));
      issue(load3d(Memory::L0B, slot * bytesB, l1B, up(inner, 16),
                   up(columns, 16)));
      setFlag(Pipe::MTE1, Pipe::MTE2, slot);
      setFlag(Pipe::MTE1, Pipe::M, slot);
      waitFlag(Pipe::MTE1, Pipe::M, slot);
      Instruction mmad(Opcode::Mmad, Pipe::M);
      mmad.dst = {0, Memory::L0C, DataType::F32};
      mmad.src0 = {slot * bytesA, Memory::L0A, DataType::F16};
      mmad.src1 = {slot * bytesB, Memory::L0B, DataType::F16};
      mmad.mmad = {};
      mmad.mmad.m = up(rows, 16);
      mmad.mmad.n = columns;
      mmad.mmad.k = inner;
      mmad.mmad.init = depth == 0;
      if (unitFlags)
        mmad.mmad.unitFlag = depth + tileK >= k ? 3 : 2;
      issue(mmad);
      if (up(rows, 16) / 16 * (up(columns, 16) / 16) < 10)
        barrier(Pipe::M);
      if (!dropFree)
        setFlag(Pipe::M, Pipe::MTE1, slot);
    }
    if (!unitFlags) {
      setFlag(Pipe::M, Pipe::FIX);
      waitFlag(Pipe::M, Pipe::FIX);
    }
    Instruction fixpipe(Opcode::Fixpipe, Pipe::FIX);
    fixpipe.dst = {
        reinterpret_cast<uint64_t>(c.data() + uint64_t(row) * n + column),
        Memory::GM, DataType::F16};
    fixpipe.src0 = {0, Memory::L0C, DataType::F32};
    fixpipe.fixpipe = {};
    fixpipe.fixpipe.nSize = columns;
    fixpipe.fixpipe.mSize = rows;
    fixpipe.fixpipe.srcStride = up(rows, 16);
    fixpipe.fixpipe.dstStride = n;
    fixpipe.fixpipe.quant = QuantMode::F322F16;
    fixpipe.fixpipe.ndNum = 1;
    fixpipe.fixpipe.unitFlag = unitFlags ? 3 : 0;
    fixpipe.fixpipe.toRowMajor = true;
    issue(fixpipe);
    if (!unitFlags)
      setFlag(Pipe::FIX, Pipe::M);
  }

  void go() {
    auto body = framed([this] {
      for (uint32_t slot = 0; slot != 2; ++slot) {
        setFlag(Pipe::MTE1, Pipe::MTE2, slot);
        if (!dropFree)
          setFlag(Pipe::M, Pipe::MTE1, slot);
      }
      if (!unitFlags)
        setFlag(Pipe::FIX, Pipe::M);
      uint32_t tilesN = (n + tileN - 1) / tileN,
               tilesM = (m + tileM - 1) / tileM;
      uint32_t step = 0;
      for (int64_t i = ascsim_query(Query::BlockIdx); i < tilesM * tilesN;
           i += ascsim_query(Query::BlockNum)) {
        // Bands of four rows of tiles, so that cores at work share operands.
        uint32_t index = static_cast<uint32_t>(i), band = index / (4 * tilesN);
        uint32_t height = std::min(4u, tilesM - band * 4);
        uint32_t inBand = index - band * 4 * tilesN;
        tile((band * 4 + inBand % height) * tileM, inBand / height * tileN,
             step);
      }
      for (uint32_t slot = 0; slot != 2; ++slot) {
        waitFlag(Pipe::MTE1, Pipe::MTE2, slot);
        if (!dropFree)
          waitFlag(Pipe::M, Pipe::MTE1, slot);
      }
      if (!unitFlags)
        waitFlag(Pipe::FIX, Pipe::M);
    });
    run(*Kernel::fromFunctions(KernelType::AicOnly, body, {}));
  }

  void expectProduct() const {
    for (uint32_t row = 0; row != m; ++row)
      for (uint32_t column = 0; column != n; ++column) {
        float sum = 0; // small integers: exact
        for (uint32_t i = 0; i != k; ++i)
          sum += float(a[uint64_t(row) * k + i]) *
                 float(b[uint64_t(i) * n + column]);
        ASSERT_EQ(float(c[uint64_t(row) * n + column]), float(Half(sum)))
            << row << " " << column;
      }
  }
};

} // namespace

TEST(EngineGemm, WholeTiles) {
  Gemm gemm(256, 512, 192, 2);
  gemm.go();
  EXPECT_EQ(gemm.messages(), "");
  gemm.expectProduct();
  EXPECT_EQ(gemm.report.macs, uint64_t(256) * 512 * 192);
}

TEST(EngineGemm, TailsAreRightAndSilent) {
  for (auto [m, n, k] : {std::array<uint32_t, 3>{1, 16, 16},
                         {17, 33, 70},
                         {130, 272, 100},
                         {144, 16, 64},
                         {31, 300, 5}}) {
    Gemm gemm(m, n, k, 3);
    gemm.go();
    EXPECT_EQ(gemm.messages(), "") << m << " " << n << " " << k;
    gemm.expectProduct();
  }
}

TEST(EngineGemm, SeedsKeepTheBytes) {
  Gemm gemm(150, 260, 130, 2);
  gemm.options.seed = 11;
  gemm.go();
  EXPECT_EQ(gemm.messages(), "");
  gemm.expectProduct();
}

TEST(EngineGemm, DroppedFlagsAreFound) {
  Gemm full(128, 256, 256, 1), free(128, 256, 256, 1);
  full.dropFull = true;
  full.go();
  EXPECT_TRUE(full.says("HardEvent::MTE2_MTE1")) << full.messages();
  free.dropFree = true;
  free.go();
  EXPECT_TRUE(free.says("HardEvent::M_MTE1")) << free.messages();
}

TEST(EngineGemm, UnitFlagsOrderMmadAndFixpipe) {
  Gemm gemm(256, 512, 192, 1);
  gemm.unitFlags = true;
  gemm.go();
  EXPECT_EQ(gemm.messages(), "");
  gemm.expectProduct();

  // Mmad rounds the rows up to 16, Fixpipe does not: the core would hang.
  Gemm tail(100, 256, 64, 1);
  tail.unitFlags = true;
  tail.go();
  EXPECT_TRUE(tail.says("extents must match")) << tail.messages();
}

TEST(EngineGemm, DISABLED_Speed4096) {
  for (bool checks : {false, true}) {
    Gemm gemm(4096, 4096, 4096, 24);
    gemm.options.checks = checks;
    gemm.go();
    EXPECT_EQ(gemm.messages(), "");
    double teraflops =
        2.0 * 4096 * 4096 * 4096 / gemm.report.microseconds * 1e-6;
    std::printf("checks %d: %.2f s wall, %.0f us modelled, %.0f TFLOPS, M "
                "%.0f%%, L2 hits %.0f%%\n",
                checks, gemm.report.wallSeconds, gemm.report.microseconds,
                teraflops, 100 * gemm.report.coreTypes[0].utilisation[2],
                100.0 * gemm.report.l2HitBytes /
                    (gemm.report.l2HitBytes + gemm.report.l2MissBytes));
  }
}
