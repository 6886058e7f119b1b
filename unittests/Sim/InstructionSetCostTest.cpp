//===- InstructionSetCostTest.cpp - Cost model ----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "InstructionSetTest.h"

using namespace tilelang::sim::test;
using namespace AscendC;

namespace {

class CostOf : public CubeCore {
protected:
  void SetUp() override { machine.perform = false; }
};
class VectorCost : public VectorCore {
protected:
  void SetUp() override { machine.perform = false; }
  LocalTensor<float> at(uint32_t byte) {
    return LocalTensor<float>(TPosition::VECCALC, byte, 4096);
  }
};

TEST_F(CostOf, MmadFollowsTheDocumentedFormula) {
  LocalTensor<half> a(TPosition::A2, 0, 8192), b(TPosition::B2, 0, 16384);
  LocalTensor<float> c(TPosition::CO1, 0, 32768);
  Mmad(c, a, b, MmadParams(128, 256, 64, uint8_t(0), false, true));
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 512 + 9);
  EXPECT_DOUBLE_EQ(machine.cost.latency, 14); // 23 when it stands alone
  Mmad(c, a, b, MmadParams(17, 1, 17, uint8_t(0), false, true));
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 2 * 1 * 2 + 9);
  LocalTensor<float> fa(TPosition::A2, 0, 8192), fb(TPosition::B2, 0, 8192);
  Mmad(c, fa, fb, MmadParams(128, 256, 32, uint8_t(0), false, true));
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 8 * 16 * 8 + 9);
  SetHF32Mode(true);
  Mmad(c, fa, fb, MmadParams(128, 256, 32, uint8_t(0), false, true));
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 8 * 16 * 4 + 9);
  LocalTensor<int8_t> ia(TPosition::A2, 0, 8192), ib(TPosition::B2, 0, 8192);
  LocalTensor<int32_t> ic(TPosition::CO1, 0, 32768);
  Mmad(ic, ia, ib, MmadParams(128, 256, 128, uint8_t(0), false, true));
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 8 * 16 * 4 + 9);
}

/// One k step of the vendor's tuned GEMM: one load of A, four of B, measured
/// 429 cycles on pipe MTE1.
TEST_F(CostOf, LoadsOfOneStep) {
  LocalTensor<half> a1(TPosition::A1, 0, 65536), a2(TPosition::A2, 0, 8192),
      b2(TPosition::B2, 0, 16384);
  LoadData3DParamsV2<half> load;
  load.l1H = 1;
  load.l1W = 128;
  load.channelSize = 64;
  load.kExtension = 64;
  load.mExtension = 128;
  LoadData(a2, a1, load);
  double total = machine.cost.occupancy;
  EXPECT_DOUBLE_EQ(total, 64 + 22);
  for (int i = 0; i < 4; ++i) {
    LoadData(b2[i * 4096], a1, LoadData2DParams(0, 16, 1, 0, 0, false, 0));
    total += machine.cost.occupancy;
  }
  EXPECT_DOUBLE_EQ(total, 320 + 5 * 22);
}

TEST_F(CostOf, TransfersCountTouchedLines) {
  alignas(512) static char buffer[1 << 20];
  auto *base = reinterpret_cast<half *>(
      (reinterpret_cast<uintptr_t>(buffer) + 511) & ~uintptr_t(511));
  GlobalTensor<half> gm;
  gm.SetGlobalBuffer(base);
  LocalTensor<half> a1(TPosition::A1, 0, 65536);
  DataCopy(a1, gm,
           Nd2NzParams(1, 64, 256, 0, 1024, 64, 1, 0)); // rows of 512 bytes
  EXPECT_EQ(machine.cost.gmBytes, 64u * 512);
  EXPECT_EQ(machine.cost.bursts, 64u);
  EXPECT_DOUBLE_EQ(machine.cost.latency, 44 * 1.8);
  DataCopy(a1, gm[8],
           Nd2NzParams(1, 64, 256, 0, 1024, 64, 1, 0)); // each row straddles
  EXPECT_EQ(machine.cost.gmBytes, 64u * 1024);
  DataCopy(a1, gm,
           Nd2NzParams(1, 64, 64, 0, 1024, 64, 1, 0)); // rows of one sector
  EXPECT_EQ(machine.cost.gmBytes, 64u * 128);
  DataCopy(a1, gm, Nd2NzParams(1, 64, 256, 0, 1001, 64, 1, 0)); // odd pitch
  EXPECT_GT(machine.cost.gmBytes, 64u * 980);
  EXPECT_LT(machine.cost.gmBytes, 64u * 1030);
  DataCopy(a1, gm, 16384);
  EXPECT_EQ(machine.cost.gmBytes, 32768u);
  EXPECT_EQ(machine.cost.bursts, 0u);
  EXPECT_DOUBLE_EQ(machine.cost.latency, 100 * 1.8);
  EXPECT_FALSE(machine.cost.gmWrite);
  LocalTensor<float> c(TPosition::CO1, 0, 32768);
  FixpipeParamsV220 fix(256, 128, 128, 1024, false);
  fix.quantPre = QuantMode_t::F322F16;
  Fixpipe<half, float>(gm, c, fix);
  EXPECT_EQ(machine.cost.gmBytes, 128u * 512);
  EXPECT_TRUE(machine.cost.gmWrite);
}

/// The vendor's bank conflict example: 64 repeats of a float Add take
/// 22 + 64 x {1, 2, 1.77} cycles.
TEST_F(VectorCost, BankConflictsOfTwoSources) {
  Add(at(131072), at(0), at(65536 + 256), 4096); // groups 0-7 and 8-15
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 22 + 64);
  Add(at(131072), at(0), at(65536), 4096); // the same groups
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 22 + 2 * 64);
  Add(at(131072), at(0), at(0), 4096); // one operand twice: one read
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 22 + 64);
  Add(at(16384 + 256), at(0), at(65536 + 256),
      4096); // writes meet reads of src0's banks
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 22 + 1.77 * 64);
}

TEST_F(VectorCost, StridesIntoOneGroupTakeEightCycles) {
  Copy(at(0), at(65536), uint64_t(64), 4, CopyRepeatParams(16, 1, 128, 8));
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 22 + 8 * 4);
}

TEST_F(VectorCost, Slopes) {
  Exp(at(65536), at(0), 640);
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 22 + 2.0 * 10);
  Div(at(131072), at(0), at(65536 + 256), 640);
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 22 + 4.0 * 10);
  WholeReduceMax(at(65536), at(0), 64, 10, 1, 1, 8);
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 22 + 7.0 * 10);
  BlockReduceMax(at(65536), at(0), 10, 64, 1, 1, 8);
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 22 + 1.0 * 10);
  Adds(at(65536), at(0), 1.0f, 1);
  EXPECT_DOUBLE_EQ(machine.cost.occupancy, 23);
}

} // namespace
