//===- ChipTest.cpp - Tests of chip descriptions --------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Chip/Chip.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace tilelang;
namespace fs = std::filesystem;

namespace {

class ChipFiles : public testing::Test {
protected:
  void SetUp() override {
    folder =
        fs::temp_directory_path() /
        ("tilelang-chip-test-" +
         std::string(
             testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder);
    fs::create_directories(folder);
    fs::copy_file(fs::path(TILELANG_CHIPS_SOURCE_DIR) / "ascend910b.toml",
                  folder / "ascend910b.toml");
  }
  void TearDown() override { fs::remove_all(folder); }

  void write(const std::string &name, const std::string &text) {
    std::ofstream(folder / (name + ".toml")) << text;
  }
  std::string loadError(const std::string &name) {
    std::string error;
    Chip chip = Chip::load(folder.string(), name, error);
    EXPECT_EQ(chip.name, "");
    EXPECT_NE(error, "");
    return error;
  }
  const std::string sound =
      "base = \"ascend910b\"\n[cores]\naic = 24\n"
      "clock_ghz = 1.8\n[gm]\nhbm_bytes = 1\n[timing.l2]\ncapacity_bytes = 1\n";
  fs::path folder;
};

TEST(Chip, ShippedDescriptionsLoadAndAreSound) {
  std::vector<std::string> names = Chip::list(TILELANG_CHIPS_SOURCE_DIR);
  EXPECT_EQ(names, (std::vector<std::string>{"ascend910_93", "ascend910b1",
                                             "ascend910b2", "ascend910b3",
                                             "ascend910b4"}));
  for (const std::string &name : names) {
    std::string error;
    Chip chip = Chip::load(TILELANG_CHIPS_SOURCE_DIR, name, error);
    EXPECT_EQ(error, "") << name;
    EXPECT_EQ(chip.name, name);
    EXPECT_EQ(chip.validate(), "");
    EXPECT_FALSE(chip.description.empty());
  }
}

TEST(Chip, FactsOf910B2) {
  std::string error;
  Chip chip = Chip::load(TILELANG_CHIPS_SOURCE_DIR, "ascend910b2", error);
  EXPECT_EQ(chip.aicCount, 24u);
  EXPECT_EQ(chip.aivPerAic, 2u);
  EXPECT_DOUBLE_EQ(chip.clockGHz, 1.8);
  EXPECT_EQ(chip.usableBytes(ChipMemory::UB), 184u * 1024);
  EXPECT_EQ(chip.physicalBytes(ChipMemory::UB), 192u * 1024);
  EXPECT_EQ(chip.usableBytes(ChipMemory::L1), 512u * 1024 - 256);
  EXPECT_EQ(chip.usableBytes(ChipMemory::L0C), 128u * 1024);
  EXPECT_EQ(chip.alignment(ChipMemory::L0A), 512u);
  EXPECT_EQ(chip.alignment(ChipMemory::L0C), 1024u);
  EXPECT_EQ(chip.eventIdsPerPipePair, 6u);
  EXPECT_EQ(chip.crossCoreFlags, 11u);
  EXPECT_EQ(chip.crossCoreCounterLimit, 15u);
  EXPECT_DOUBLE_EQ(chip.constant("timing.mmad.gap_cycles"), 9);
  EXPECT_DOUBLE_EQ(chip.constant("path.l1_to_ub"), 0);
  EXPECT_THROW(chip.constant("timing.no_such_number"), std::out_of_range);
}

TEST(Chip, ChangedConstantChangesIdentity) {
  std::string error;
  Chip chip = Chip::load(TILELANG_CHIPS_SOURCE_DIR, "ascend910b2", error);
  Chip copy = chip;
  EXPECT_EQ(copy.identity(), chip.identity());
  copy.setConstant("timing.mmad.gap_cycles", 0);
  EXPECT_NE(copy.identity(), chip.identity());
  EXPECT_DOUBLE_EQ(copy.constant("timing.mmad.gap_cycles"), 0);
  EXPECT_DOUBLE_EQ(chip.constant("timing.mmad.gap_cycles"), 9);
  EXPECT_THROW(copy.setConstant("nonsense", 1), std::out_of_range);
}

TEST_F(ChipFiles, DerivedOverridesBase) {
  write("mine", sound + "[timing.mmad]\ngap_cycles = 3\n");
  std::string error;
  Chip chip = Chip::load(folder.string(), "mine", error);
  EXPECT_EQ(error, "");
  EXPECT_DOUBLE_EQ(chip.constant("timing.mmad.gap_cycles"), 3);
  EXPECT_DOUBLE_EQ(chip.constant("timing.mmad.fill_cycles"), 23);
}

TEST_F(ChipFiles, MissingFileNamesTheOthers) {
  std::string error = loadError("ascend9999");
  EXPECT_NE(error.find("ascend9999.toml"), std::string::npos);
  EXPECT_NE(error.find("present are: ascend910b"), std::string::npos);
}

TEST_F(ChipFiles, MissingBase) {
  write("orphan", "base = \"nowhere\"\n");
  EXPECT_NE(loadError("orphan").find("named as base of 'orphan'"),
            std::string::npos);
}

TEST_F(ChipFiles, AbstractIsNotAChip) {
  EXPECT_NE(loadError("ascend910b").find("abstract"), std::string::npos);
}

TEST_F(ChipFiles, CycleOfBases) {
  write("one", "base = \"two\"\n");
  write("two", "base = \"one\"\n");
  EXPECT_NE(loadError("one").find("cycle"), std::string::npos);
}

TEST_F(ChipFiles, UnknownKeyIsNamedWithLineAndGuess) {
  write("typo", sound + "[timing.mmad]\ngap_cycle = 3\n");
  std::string error = loadError("typo");
  EXPECT_NE(error.find("typo.toml:10"), std::string::npos) << error;
  EXPECT_NE(error.find("unknown key 'timing.mmad.gap_cycle'"),
            std::string::npos);
  EXPECT_NE(error.find("did you mean 'timing.mmad.gap_cycles'"),
            std::string::npos);
}

TEST_F(ChipFiles, SyntaxErrorHasLine) {
  write("broken", "base = \"ascend910b\"\n[cores\naic = 3\n");
  EXPECT_NE(loadError("broken").find("broken.toml:2"), std::string::npos);
}

TEST_F(ChipFiles, WrongTypeIsAnError) {
  write("text", sound + "[timing.mmad]\ngap_cycles = \"nine\"\n");
  EXPECT_NE(loadError("text").find("must be a number"), std::string::npos);
}

TEST_F(ChipFiles, MissingKeyIsNamed) {
  write("poor", "base = \"ascend910b\"\n[cores]\naic = 24\n");
  EXPECT_NE(loadError("poor").find("'cores.clock_ghz' is missing"),
            std::string::npos);
}

TEST_F(ChipFiles, ValidateRejectsNonsense) {
  write("zero", sound + "[timing.mte1]\nl1_to_l0a_bytes_per_cycle = 0\n");
  EXPECT_NE(loadError("zero").find("a rate above 0"), std::string::npos);
  write("odd", sound + "[memory.ub]\nalignment = 48\n");
  EXPECT_NE(loadError("odd").find("power of two"), std::string::npos);
  write("negative", sound + "[timing.mmad]\nfill_cycles = -1\n");
  EXPECT_NE(loadError("negative").find("at least 0"), std::string::npos);
  write("full", sound + "[memory.ub]\nreserved_bytes = 196608\n");
  EXPECT_NE(loadError("full").find("less than physical_bytes"),
            std::string::npos);
}

} // namespace
