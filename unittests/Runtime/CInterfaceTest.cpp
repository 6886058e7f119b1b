//===- CInterfaceTest.cpp - Kernels without Python ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Runtime/tilelang.h"

#include "tilelang/Runtime/Artifact.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace tilelang;

namespace {

class CInterface : public ::testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("c-interface-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    path = folder / "kernel.tlk";
    std::string error;
    ASSERT_TRUE(sample().writeFile(path, error)) << error;
    kernel = tilelang_kernel_load(path.c_str(), TILELANG_TEST_CHIPS);
    ASSERT_NE(kernel, nullptr) << tilelang_last_error();
  }
  void TearDown() override {
    tilelang_kernel_free(kernel);
    std::filesystem::remove_all(folder);
  }

  static Artifact sample() {
    Artifact artifact;
    artifact.name = "scale";
    artifact.entry = "test_kernel";
    artifact.target = "ascend";
    artifact.chip = "ascend910b2";
    artifact.kernelType = "vector";
    artifact.blockDim = 1;
    artifact.workspaceBytes = 4096;
    artifact.source = "source text";
    for (const char *name : {"A", "B"}) {
      KernelParameter tensor;
      tensor.name = name;
      tensor.type = ElementType::F32;
      tensor.shape = {Dimension(std::string("n"))};
      tensor.isWritten = *name == 'B';
      artifact.parameters.push_back(tensor);
    }
    KernelParameter scale;
    scale.name = "s";
    scale.isTensor = false;
    scale.type = ElementType::F32;
    KernelParameter offset = scale;
    offset.name = "o";
    offset.type = ElementType::I32;
    artifact.parameters.push_back(scale);
    artifact.parameters.push_back(offset);
    artifact.symbols = {{"n", ElementType::I64}};
    std::ifstream file(TILELANG_TEST_KERNEL, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    artifact.objects["aiv"] = bytes.str();
    return artifact;
  }

  std::vector<TileLangArgument> arguments(const std::vector<float> &input,
                                          std::vector<float> &output,
                                          int64_t &size) {
    std::vector<TileLangArgument> result(4);
    size = static_cast<int64_t>(input.size());
    result[0] = {
        const_cast<float *>(input.data()), "float32", 1, &size, nullptr, {}};
    result[1] = {output.data(), "float32", 1, &size, nullptr, {}};
    result[2].scalar.as_double = 2.5;
    result[3].scalar.as_int = -3;
    return result;
  }

  std::filesystem::path folder;
  std::string path;
  TileLangKernel *kernel = nullptr;
};

TEST_F(CInterface, Describes) {
  EXPECT_STREQ(tilelang_kernel_name(kernel), "scale");
  EXPECT_STREQ(tilelang_kernel_chip(kernel), "ascend910b2");
  EXPECT_STREQ(tilelang_kernel_source(kernel), "source text");
  ASSERT_EQ(tilelang_kernel_parameter_count(kernel), 4u);
  EXPECT_STREQ(tilelang_parameter_name(kernel, 1), "B");
  EXPECT_STREQ(tilelang_parameter_dtype(kernel, 3), "int32");
  EXPECT_TRUE(tilelang_parameter_is_tensor(kernel, 0));
  EXPECT_FALSE(tilelang_parameter_is_tensor(kernel, 2));
  EXPECT_TRUE(tilelang_parameter_is_written(kernel, 1));
  EXPECT_EQ(tilelang_parameter_rank(kernel, 0), 1u);
  EXPECT_EQ(tilelang_parameter_extent(kernel, 0, 0), -1);
}

TEST_F(CInterface, Launches) {
  std::vector<float> input = {1, 2, 3}, output(3);
  int64_t size;
  auto given = arguments(input, output, size);
  TileLangReport *report =
      tilelang_kernel_launch(kernel, given.data(), given.size(), nullptr);
  ASSERT_NE(report, nullptr) << tilelang_last_error();
  EXPECT_EQ(output, (std::vector<float>{-0.5f, 2.0f, 4.5f}));
  EXPECT_GT(tilelang_report_microseconds(report), 0);
  tilelang_report_free(report);
}

TEST_F(CInterface, LaunchesFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      std::vector<float> input(100, static_cast<float>(t)), output(100);
      int64_t size;
      auto given = arguments(input, output, size);
      TileLangReport *report =
          tilelang_kernel_launch(kernel, given.data(), given.size(), nullptr);
      ASSERT_NE(report, nullptr) << tilelang_last_error();
      EXPECT_EQ(output,
                std::vector<float>(100, 2.5f * static_cast<float>(t) - 3));
      tilelang_report_free(report);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CInterface, RefusesWrongCalls) {
  std::vector<float> input = {1, 2, 3}, output(3);
  int64_t size;
  auto given = arguments(input, output, size);
  EXPECT_EQ(tilelang_kernel_launch(kernel, given.data(), 3, nullptr), nullptr);
  EXPECT_STREQ(tilelang_last_error(),
               "kernel 'scale' was called with 3 arguments, expected 4");
  given[0].dtype = "float16";
  EXPECT_EQ(tilelang_kernel_launch(kernel, given.data(), 4, nullptr), nullptr);
  EXPECT_STREQ(tilelang_last_error(),
               "argument 1 ('A') of kernel 'scale' has dtype float16, expected "
               "float32; convert it before the call");
  given[0].dtype = nullptr;
  EXPECT_EQ(tilelang_kernel_launch(kernel, given.data(), 4, nullptr), nullptr);
  EXPECT_NE(std::string(tilelang_last_error()).find("has no dtype"),
            std::string::npos);
}

TEST_F(CInterface, RefusesWrongFiles) {
  EXPECT_EQ(tilelang_kernel_load("/nonexistent.tlk", nullptr), nullptr);
  EXPECT_STREQ(tilelang_last_error(),
               "cannot open '/nonexistent.tlk': No such file or directory");
  std::ofstream(folder / "other") << "text";
  EXPECT_EQ(tilelang_kernel_load((folder / "other").c_str(), nullptr), nullptr);
  EXPECT_NE(std::string(tilelang_last_error()).find("not a kernel artifact"),
            std::string::npos);
  Artifact artifact = sample();
  artifact.entry = "absent_function";
  std::string error;
  ASSERT_TRUE(artifact.writeFile(path, error));
  EXPECT_EQ(tilelang_kernel_load(path.c_str(), TILELANG_TEST_CHIPS), nullptr);
  EXPECT_NE(std::string(tilelang_last_error()).find("absent_function"),
            std::string::npos)
      << tilelang_last_error();
  artifact = sample();
  artifact.objects.clear();
  ASSERT_TRUE(artifact.writeFile(path, error));
  EXPECT_EQ(tilelang_kernel_load(path.c_str(), TILELANG_TEST_CHIPS), nullptr);
  EXPECT_STREQ(
      tilelang_last_error(),
      "artifact of kernel 'scale' has no shared object for core type 'aiv'");
}

} // namespace
