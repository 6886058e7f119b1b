//===- InstructionSetLegalityTest.cpp - Documented rules ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "InstructionSetTest.h"

using namespace tilelang::sim::test;
using namespace AscendC;
using ascsim::CoreType;
using ascsim::Memory;

namespace {

template <typename T> LocalTensor<T> ubTensor(uint32_t byte) {
  return LocalTensor<T>(TPosition::VECCALC, byte, 4096);
}
template <typename T> LocalTensor<T> at(TPosition position, uint32_t byte = 0) {
  return LocalTensor<T>(position, byte, 4096);
}

class Legality : public testing::Test {
protected:
  Legality() { start(CoreType::AIV); }
  void start(CoreType core) {
    machine.reset();
    machine = std::make_unique<Machine>(core);
    machine->verify = machine->perform = false;
  }
  /// The rule and a part of the message of exactly one violation.
  void expect(const std::string &rule, const std::string &part) {
    EXPECT_EQ(machine->rules(), rule) << machine->messages();
    EXPECT_NE(machine->messages().find(part), std::string::npos)
        << machine->messages();
    machine->violations.clear();
  }
  void expectLegal() {
    EXPECT_EQ(machine->messages(), "");
    machine->violations.clear();
  }
  std::unique_ptr<Machine> machine;
  std::vector<float> data = std::vector<float>(65536);
  GlobalTensor<float> gm() {
    GlobalTensor<float> tensor;
    tensor.SetGlobalBuffer(data.data());
    return tensor;
  }
};

TEST_F(Legality, Alignment) {
  Add(ubTensor<float>(0), ubTensor<float>(4096), ubTensor<float>(8196), 64);
  expect("misaligned-operand", "Add: the second source starts at byte 8196 of "
                               "UB, expected a multiple of 32");
  DataCopy(ubTensor<float>(16), gm(), 64);
  expect("misaligned-operand", "destination starts at byte 16");
  WholeReduceSum(ubTensor<float>(4), ubTensor<float>(4096), 64, 1, 1, 1, 8);
  expectLegal();
  WholeReduceMax(ubTensor<float>(4), ubTensor<float>(4096), 64, 1, 1, 1, 8);
  expect("misaligned-operand", "multiple of 8");
}

TEST_F(Legality, Bounds) {
  Exp(ubTensor<float>(188160), ubTensor<float>(0), 64);
  expectLegal();
  Exp(ubTensor<float>(188160), ubTensor<float>(0), 128);
  expect("out-of-bounds", "destination covers bytes 188160 to 188671 of UB, "
                          "which has 188416 usable bytes (of 196608");
  Copy(ubTensor<float>(0), ubTensor<float>(98304), uint64_t(64), 200,
       CopyRepeatParams(1, 1, 8, 16));
  expect("out-of-bounds", "first source");
  start(CoreType::AIC);
  MmadParams mmad(256, 256, 64, uint8_t(0), false, true);
  Mmad(at<float>(TPosition::CO1), at<half>(TPosition::A2),
       at<half>(TPosition::B2), mmad);
  expect("out-of-bounds",
         "destination covers bytes 0 to 262143 of L0C, which has 131072");
  DataCopy(at<float>(TPosition::A1, 500000), gm(),
           Nd2NzParams(1, 128, 64, 0, 64, 128, 1, 0));
  expect("out-of-bounds", "of L1");
}

TEST_F(Legality, CoresAndPipes) {
  Mmad(at<float>(TPosition::CO1), at<half>(TPosition::A2),
       at<half>(TPosition::B2), MmadParams());
  expect("wrong-core",
         "Mmad: runs on pipe M, which a Vector core (AIV) does not have");
  SetFlag<HardEvent::M_FIX>(0);
  expect("wrong-core wrong-core", "no pipe FIX");
  start(CoreType::AIC);
  Add(ubTensor<float>(0), ubTensor<float>(4096), ubTensor<float>(8192), 64);
  expect("wrong-core", "Cube core (AIC)");
  CrossCoreSetFlag<2, PIPE_V>(0);
  expect("wrong-core", "pipe V");
  CrossCoreSetFlag<2, PIPE_FIX>(0);
  CrossCoreWaitFlag<2, PIPE_V>(0);
  expectLegal();
}

TEST_F(Legality, FlagIds) {
  SetFlag<HardEvent::MTE2_V>(5);
  WaitFlag<HardEvent::MTE2_V>(5);
  expectLegal();
  SetFlag<HardEvent::MTE2_V>(6);
  expect("event-id",
         "event id 6, expected 0 to 5 (6 and 7 belong to the toolchain)");
  CrossCoreSetFlag<2, PIPE_MTE3>(11);
  expect("flag-id",
         "cross-core flag 11, expected 0 to 10 (11 to 14 belong to SyncAll)");
  SyncAll();
  expectLegal();
}

TEST_F(Legality, Paths) {
  start(CoreType::AIC);
  DataCopy(at<float>(TPosition::VECCALC), at<float>(TPosition::A1), 64);
  expect("no-such-path", "from L1 to UB");
  LoadData(at<half>(TPosition::A2), at<half>(TPosition::VECCALC),
           LoadData2DParams(0, 1, 1, 0, 0, false, 0));
  expect("no-such-path", "from UB to L0A");
  DataCopy(at<float>(TPosition::A2), gm(), 64);
  expectLegal(); // exists on this chip
}

TEST_F(Legality, FieldRanges) {
  DataCopy(ubTensor<float>(0), gm(), DataCopyParams(4096, 0, 1, 0));
  expect("field-range", "blockCount is 4096, expected 0 to 4095");
  DataCopyPad(ubTensor<float>(0), gm(), DataCopyExtParams(1, 10, 0, 0, 0),
              DataCopyPadExtParams<float>());
  expect("field-range",
         "blockLen is 10 bytes, expected a multiple of the element size 4");
  DataCopyPad(ubTensor<float>(0), gm(), DataCopyExtParams(1, 16, 0, 0, 0),
              DataCopyPadExtParams<float>(true, 9, 0, 0.0f));
  expect("field-range", "leftPadding (bytes) is 36, expected 0 to 32");
  start(CoreType::AIC);
  DataCopy(at<float>(TPosition::A1), gm(),
           Nd2NzParams(1, 16, 8, 0, 8, 16, 0, 0));
  expect("field-range", "dstNzNStride is 0, expected 1 to 16384");
  MmadParams mmad(16, 16, 16, uint8_t(1), false, true);
  Mmad(at<float>(TPosition::CO1), at<half>(TPosition::A2),
       at<half>(TPosition::B2), mmad);
  expect("field-range", "unitFlag is 1");
  LoadData3DParamsV2<half> load;
  load.l1H = 1;
  load.l1W = 16;
  load.channelSize = 16;
  load.kExtension = 16;
  load.mExtension = 16;
  load.kStartPt = 8;
  LoadData(at<half>(TPosition::A2), at<half>(TPosition::A1), load);
  EXPECT_NE(
      machine->messages().find("kStartPt is 8, expected a multiple of 16"),
      std::string::npos);
  machine->violations.clear();
  load.kStartPt = 0;
  load.mExtension = 32;
  LoadData(at<half>(TPosition::A2), at<half>(TPosition::A1), load);
  expect("field-range",
         "mStartPt + mExtension is 32, but the feature map gives 16 rows");
}

TEST_F(Legality, FixpipeConversionIsNeverInferred) {
  start(CoreType::AIC);
  alignas(32) static half halves[256];
  GlobalTensor<half> dst;
  dst.SetGlobalBuffer(halves);
  FixpipeParamsV220 fix(16, 16, 16, 16, false);
  Fixpipe<half, float>(dst, at<float>(TPosition::CO1), fix);
  expect("type-tuple",
         "quantPre does not turn float into half; float to half needs F322F16");
  fix.quantPre = QuantMode_t::F322F16;
  Fixpipe<half, float>(dst, at<float>(TPosition::CO1), fix);
  expectLegal();
  fix.dstStride = 8;
  Fixpipe<half, float>(dst, at<float>(TPosition::CO1), fix);
  expect("overlap", "dstStride is 8 elements, less than the 16 columns");
  fix.dstStride = 16;
  fix.nSize = 10;
  Fixpipe<half, float, CFG_NZ>(dst, at<float>(TPosition::CO1), fix);
  expect("field-range", "nSize is 10, expected a multiple of 16 for NZ output");
  fix.nSize = 16;
  SetAtomicAdd<float>();
  Fixpipe<half, float>(dst, at<float>(TPosition::CO1), fix);
  expect("atomic-type",
         "atomic mode is set for float, the destination holds half");
}

TEST_F(Legality, Overlap) {
  Exp(ubTensor<float>(0), ubTensor<float>(0), 1000); // in place
  expectLegal();
  Exp(ubTensor<float>(32), ubTensor<float>(0), 64);
  expect("overlap", "overlap partly inside repeat 0");
  Exp(ubTensor<float>(256), ubTensor<float>(0), 128);
  expect("overlap", "what repeat 0 writes is read by repeat 1");
  Add(ubTensor<float>(0), ubTensor<float>(4096), ubTensor<float>(0),
      uint64_t(64), 4, BinaryRepeatParams(1, 1, 1, 0, 8, 0));
  expectLegal(); // running accumulation
  Div(ubTensor<float>(0), ubTensor<float>(4096), ubTensor<float>(0),
      uint64_t(64), 4, BinaryRepeatParams(1, 1, 1, 0, 8, 0));
  expect("overlap", "what repeat 0 writes");
  // Eight lanes of each repeat: blocks that the mask switches off are not used.
  Add(ubTensor<float>(0), ubTensor<float>(4096), ubTensor<float>(256),
      uint64_t(8), 8, BinaryRepeatParams(1, 1, 1, 1, 1, 0));
  expectLegal();
  Add(ubTensor<float>(0), ubTensor<float>(4096), ubTensor<float>(256),
      uint64_t(64), 8, BinaryRepeatParams(1, 1, 1, 1, 1, 0));
  expect("overlap", "overlap partly inside repeat 1");
  Cast(ubTensor<float>(0), ubTensor<half>(0), RoundMode::CAST_NONE, 128);
  EXPECT_NE(machine->rules().find("overlap"),
            std::string::npos); // widening in place
  machine->violations.clear();
  Cast(ubTensor<half>(0), ubTensor<float>(0), RoundMode::CAST_NONE, 128);
  expectLegal(); // narrowing in place
  Brcb(ubTensor<float>(0), ubTensor<float>(0), 1, BrcbRepeatParams(1, 8));
  expect("overlap", "which Brcb forbids");
}

TEST_F(Legality, VectorForms) {
  Compares(ubTensor<uint8_t>(0), ubTensor<float>(4096), 0.0f, CMPMODE::GT, 100);
  expect("field-range", "count is 100, expected a multiple of 64");
  Compare(ubTensor<uint8_t>(0), ubTensor<int32_t>(4096),
          ubTensor<int32_t>(8192), CMPMODE::LT, 64);
  expect("type-tuple", "does not exist on this chip");
  Cast(ubTensor<int32_t>(0), ubTensor<float>(4096), RoundMode::CAST_ODD, 64);
  expect("type-tuple", "does not exist");
  Select(ubTensor<float>(0), ubTensor<uint8_t>(4096), ubTensor<float>(8192),
         0.0f, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  expect("field-range", "needs VSEL_TENSOR_SCALAR_MODE");
  Brcb(ubTensor<float>(0), ubTensor<float>(8192), 1, BrcbRepeatParams(0, 8));
  expect("field-range", "dstBlkStride is 0");
  Add(ubTensor<float>(0), ubTensor<float>(4096), ubTensor<float>(8192),
      uint64_t(0), 1, BinaryRepeatParams());
  expect("field-range", "the mask switches every lane off");
}

} // namespace
