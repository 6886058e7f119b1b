//===- EngineImageTest.cpp - Shared objects, C interface, lines -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EngineTest.h"
#include "tilelang/Sim/simulator_c.h"

#include <cstring>
#include <fstream>

using namespace tilelang::sim;
using namespace tilelang::sim::test;

/// Line of the test kernel that carries a mark.
static uint32_t markedLine(const std::string &mark) {
  std::ifstream file(TILELANG_TEST_KERNEL_SOURCE);
  std::string line;
  for (uint32_t number = 1; std::getline(file, line); ++number)
    if (line.find("// line: " + mark) != std::string::npos)
      return number;
  ADD_FAILURE() << "no line marked " << mark;
  return 0;
}

namespace {
struct CopyLaunch : Launch {
  std::vector<float> x = std::vector<float>(256, 3),
                     y = std::vector<float>(256);
  explicit CopyLaunch(int flagged) {
    buffer("x", x);
    buffer("y", y);
    float scale = 1.5f;
    double offset = -2.25;
    uint64_t scaleBits = 0, offsetBits = 0;
    std::memcpy(&scaleBits, &scale, 4);
    std::memcpy(&offsetBits, &offset, 8);
    auto add = [&](const char *name, ScalarType type, uint64_t bits) {
      arguments.push_back(LaunchArgument::scalar(name, type, bits));
    };
    add("chosen", ScalarType::U8, 7);
    add("scale", ScalarType::F32, scaleBits);
    add("offset", ScalarType::F64, offsetBits);
    add("count", ScalarType::I64, 256);
    add("flagged", ScalarType::I32, static_cast<uint64_t>(int64_t(flagged)));
  }
  static std::shared_ptr<Kernel> kernel() {
    std::string error;
    auto loaded = Kernel::load(
        {"", TILELANG_TEST_KERNEL, "testCopy", KernelType::AivOnly}, error);
    EXPECT_TRUE(loaded) << error;
    return loaded;
  }
};
} // namespace

TEST(EngineImage, RunsASharedObject) {
  CopyLaunch launch(-1);
  launch.run(*CopyLaunch::kernel());
  EXPECT_EQ(launch.messages(), "");
  EXPECT_EQ(launch.x, launch.y);
  EXPECT_EQ(launch.report.output, "[AIV 0 (block 0)] copied\n");
}

TEST(EngineImage, FindingsResolveToLines) {
  CopyLaunch launch(0);
  auto kernel = CopyLaunch::kernel();
  launch.run(*kernel);
  ASSERT_EQ(launch.count(finding::kRace), 1u) << launch.messages();
  const Finding &race = launch.report.findings.front();
  std::string error;
  std::vector<SourceLocation> lines =
      resolveCodeAddresses({{race.first.module, race.first.offset},
                            {race.second->module, race.second->offset}},
                           TILELANG_TEST_API_DIR, error);
  EXPECT_EQ(error, "");
  // The call lies in an inlined function of the API; the user's line counts.
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].file.find("EngineTestKernel.cpp"), std::string::npos);
  EXPECT_EQ(lines[0].line, markedLine("out"));
  EXPECT_EQ(lines[1].line, markedLine("in"));
}

TEST(EngineImage, LoadErrorsNameFileAndSymbol) {
  std::string error;
  EXPECT_FALSE(Kernel::load(
      {"", "/nowhere/kernel.so", "main", KernelType::AivOnly}, error));
  EXPECT_NE(error.find("/nowhere/kernel.so"), std::string::npos) << error;
  EXPECT_FALSE(Kernel::load(
      {"", TILELANG_TEST_KERNEL, "absent", KernelType::AivOnly}, error));
  EXPECT_NE(error.find("no function 'absent'"), std::string::npos) << error;
  EXPECT_FALSE(Kernel::load(
      {"", TILELANG_TEST_KERNEL, "testCopy", KernelType::Mix12}, error));
  EXPECT_NE(error.find("no object for them"), std::string::npos) << error;
}

TEST(EngineImage, CInterface) {
  EXPECT_EQ(
      ascendsim_kernel_load(nullptr, "/nowhere.so", "f", ASCENDSIM_AIV_ONLY),
      nullptr);
  EXPECT_NE(std::string(ascendsim_last_error()).find("/nowhere.so"),
            std::string::npos);

  AscendSimKernel *kernel = ascendsim_kernel_load(
      nullptr, TILELANG_TEST_KERNEL, "testCopy", ASCENDSIM_AIV_ONLY);
  ASSERT_NE(kernel, nullptr) << ascendsim_last_error();
  std::vector<float> x(64, 5), y(64);
  AscendSimLaunch *launch = ascendsim_launch_new(kernel, 1);
  ascendsim_launch_set_chip(launch, "ascend910b2", TILELANG_CHIP_DIR);
  ascendsim_launch_add_buffer(launch, "x", x.data(), 256, 0, 1);
  ascendsim_launch_add_buffer(launch, "y", y.data(), 256, 0, 1);
  ascendsim_launch_add_scalar(launch, "chosen", ASCENDSIM_U8, 7);
  ascendsim_launch_add_scalar(launch, "scale", ASCENDSIM_F32, 0x3fc00000);
  ascendsim_launch_add_scalar(launch, "offset", ASCENDSIM_F64,
                              0xc002000000000000ull);
  ascendsim_launch_add_scalar(launch, "count", ASCENDSIM_I64, 64);
  ascendsim_launch_add_scalar(launch, "flagged", ASCENDSIM_I32, 0);
  EXPECT_NE(ascendsim_launch_set_option(launch, "nonsense", 1), 0);
  EXPECT_EQ(ascendsim_launch_set_option(launch, "timeline", 1), 0);
  AscendSimReport *report = ascendsim_launch_run(launch);
  ASSERT_NE(report, nullptr) << ascendsim_last_error();
  EXPECT_TRUE(ascendsim_report_completed(report));
  EXPECT_GT(ascendsim_report_cycles(report), 0);
  ASSERT_EQ(ascendsim_report_finding_count(report), 1u);
  EXPECT_STREQ(ascendsim_report_finding_kind(report, 0), finding::kRace);
  EXPECT_EQ(ascendsim_report_finding_message(report, 1), nullptr);
  std::string json = ascendsim_report_json(report, 1);
  EXPECT_NE(json.find("\"kind\":\"race\""), std::string::npos);
  EXPECT_NE(json.find("\"timeline\":[{"), std::string::npos);
  ascendsim_report_free(report);
  ascendsim_launch_free(launch);
  ascendsim_kernel_free(kernel);
}
