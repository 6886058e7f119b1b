//===- ArtifactTest.cpp - Kernels as files --------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Runtime/Artifact.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace tilelang;

namespace {

Artifact sample() {
  Artifact artifact;
  artifact.name = "main";
  artifact.entry = "main_kernel";
  artifact.target = "ascend";
  artifact.chip = "ascend910b2";
  artifact.compiler = "0.1.0";
  artifact.kernelType = "mixed";
  artifact.cacheKey = "key";
  artifact.locationKey = "place";
  artifact.blockDim = 24;
  artifact.workspaceBytes = uint64_t(5) << 32;
  KernelParameter a;
  a.name = "A";
  a.type = ElementType::BF16;
  Dimension half;
  half.operation = "//";
  half.operands = {Dimension(std::string("K")), Dimension(2)};
  a.shape = {Dimension(128), half};
  a.strides = {Dimension(std::string("K")), Dimension(1)};
  KernelParameter n;
  n.name = "n";
  n.isTensor = false;
  n.type = ElementType::I32;
  artifact.parameters = {a, n};
  artifact.symbols = {{"K", ElementType::I32}};
  artifact.statistics = {{"flags", 4}};
  artifact.files = {"program.py"};
  artifact.lines = {{10, 0, 3, 5, 3, 20}, {11, 0, 4, 5, 4, 9}};
  artifact.source = "line 1\nline 2\n";
  artifact.remarks = "[]";
  artifact.objects = {{"aic", std::string("\0\x7f"
                                          "ELF",
                                          5)},
                      {"aiv", std::string(1000, 'x')}};
  return artifact;
}

std::string errorOf(const std::string &bytes) {
  Artifact artifact;
  std::string error;
  EXPECT_FALSE(Artifact::deserialize(bytes, artifact, error));
  return error;
}

TEST(Artifact, ReadsWhatItWrote) {
  Artifact read;
  std::string error;
  ASSERT_TRUE(Artifact::deserialize(sample().serialize(), read, error))
      << error;
  EXPECT_EQ(read.name, "main");
  EXPECT_EQ(read.chip, "ascend910b2");
  EXPECT_EQ(read.blockDim, 24u);
  EXPECT_EQ(read.workspaceBytes, uint64_t(5) << 32);
  EXPECT_EQ(read.remarks, "[]");
  ASSERT_EQ(read.parameters.size(), 2u);
  EXPECT_EQ(read.parameters[0].type, ElementType::BF16);
  EXPECT_EQ(read.parameters[0].shape[1].text(), "K // 2");
  EXPECT_EQ(read.parameters[0].strides[0].text(), "K");
  EXPECT_FALSE(read.parameters[1].isTensor);
  ASSERT_EQ(read.lines.size(), 2u);
  EXPECT_EQ(read.lines[1].line, 4u);
  EXPECT_EQ(read.files[0], "program.py");
  EXPECT_EQ(read.objects, sample().objects);
  EXPECT_EQ(read.source, sample().source);
  EXPECT_EQ(read.statistics, sample().statistics);
  // The same artifact is the same bytes, whoever writes it.
  EXPECT_EQ(read.serialize(), sample().serialize());
}

TEST(Artifact, RefusesOtherFiles) {
  EXPECT_NE(errorOf("").find("not a kernel artifact"), std::string::npos);
  EXPECT_NE(errorOf(std::string(100, 'a')).find("not a kernel artifact"),
            std::string::npos);
}

TEST(Artifact, RefusesOtherVersions) {
  std::string bytes = sample().serialize();
  uint32_t version = Artifact::kFormatVersion + 1;
  std::memcpy(bytes.data() + 8, &version, 4);
  EXPECT_NE(errorOf(bytes).find(
                "artifact format version 2, this library reads version 1"),
            std::string::npos);
}

TEST(Artifact, RefusesEveryTruncation) {
  std::string bytes = sample().serialize();
  for (size_t length = 0; length < bytes.size(); length += 7)
    EXPECT_FALSE(errorOf(bytes.substr(0, length)).empty());
}

TEST(Artifact, RefusesEveryDamagedByte) {
  std::string bytes = sample().serialize();
  for (size_t position = 0; position < bytes.size(); position += 3) {
    std::string damaged = bytes;
    damaged[position] = static_cast<char>(damaged[position] ^ 0x10);
    EXPECT_FALSE(errorOf(damaged).empty()) << "byte " << position;
  }
}

TEST(Artifact, WritesFilesAtomically) {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("artifact-test-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string path = folder / "kernel.tlk";
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&] {
      std::string error;
      for (int round = 0; round < 20; ++round)
        EXPECT_TRUE(sample().writeFile(path, error)) << error;
    });
  for (int round = 0; round < 50; ++round) {
    Artifact read;
    std::string error;
    if (std::filesystem::exists(path))
      EXPECT_TRUE(Artifact::readFile(path, read, error)) << error;
  }
  for (std::thread &writer : writers)
    writer.join();
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry :
       std::filesystem::directory_iterator(folder))
    ++files;
  EXPECT_EQ(files, 1u) << "temporary files are left behind";
  std::filesystem::remove_all(folder);
}

TEST(Artifact, SaysWhichFileIsWrong) {
  Artifact read;
  std::string error;
  EXPECT_FALSE(Artifact::readFile("/nonexistent/kernel.tlk", read, error));
  EXPECT_EQ(error,
            "cannot open '/nonexistent/kernel.tlk': No such file or directory");
  EXPECT_FALSE(sample().writeFile("/nonexistent/kernel.tlk", error));
  EXPECT_EQ(
      error,
      "cannot create '/nonexistent/kernel.tlk': No such file or directory");
}

} // namespace
