//===- HostCompilerTest.cpp - Compiling Ascend C for the host -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "HostCompiler.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tilelang;
namespace fs = std::filesystem;

namespace {

class HostCompiler : public testing::Test {
protected:
  void SetUp() override {
    folder =
        fs::temp_directory_path() /
        ("tilelang-ascc-test-" +
         std::string(
             testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder);
    fs::create_directories(folder);
    unsetenv("TILELANG_CXX");
  }
  void TearDown() override {
    unsetenv("TILELANG_CXX");
    fs::remove_all(folder);
  }
  HostCompileRequest request(const std::string &source, HostCore core) {
    HostCompileRequest result;
    result.source = source;
    result.output =
        (folder / (core == HostCore::AIC ? "aic.so" : "aiv.so")).string();
    result.core = core;
    result.nativeDirectory = TILELANG_TEST_NATIVE_DIR;
    result.cacheDirectory = (folder / "cache").string();
    return result;
  }
  std::string write(const std::string &body) {
    std::string path = (folder / "kernel.cpp").string();
    std::ofstream(path)
        << "#include \"kernel_operator.h\"\nusing namespace AscendC;\n"
           "template <typename T> LocalTensor<T> t() { return "
           "LocalTensor<T>(TPosition::VECCALC, 0, 64); }\n"
           "extern \"C\" __global__ __aicore__ void kernel(GM_ADDR p) {\n"
        << body << "\n}\n";
    return path;
  }
  /// What the compiler says about a kernel that must not compile.
  std::string failure(const std::string &body) {
    HostCompileRequest one = request(write(body), HostCore::AIV);
    one.syntaxOnly = true;
    std::string error;
    EXPECT_FALSE(compileForHost(one, error)) << body;
    return error;
  }
  fs::path folder;
};

TEST_F(HostCompiler, EveryCallForBothCores) {
  std::string source = std::string(TILELANG_TEST_INPUTS) + "/every_call.cpp",
              error;
  ASSERT_TRUE(compileAllForHost(
      {request(source, HostCore::AIC), request(source, HostCore::AIV)}, error))
      << error;
  for (const char *name : {"aic.so", "aiv.so"}) {
    void *library = dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    EXPECT_NE(dlsym(library, "every_call"), nullptr);
    struct Note {
      const char *kernel;
      unsigned type;
    };
    auto notes = reinterpret_cast<const Note *(*)(unsigned long *)>(
        dlsym(library, "ascsim_kernel_notes"));
    ASSERT_NE(notes, nullptr);
    unsigned long count = 0;
    const Note *first = notes(&count);
    ASSERT_EQ(count, 1u);
    EXPECT_STREQ(first->kernel, "every_call");
    EXPECT_EQ(first->type, 5u); // KERNEL_TYPE_MIX_AIC_1_2
    dlclose(library);
  }
  // Nothing is left beside the results, and the headers are precompiled once
  // per core.
  unsigned files = 0;
  for (const auto &entry : fs::directory_iterator(folder))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 2u);
  unsigned headers = 0;
  for (const auto &entry : fs::directory_iterator(folder / "cache" / "pch"))
    headers += entry.path().extension() == ".pch";
  EXPECT_EQ(headers, 2u);
}

TEST_F(HostCompiler, BrokenPrecompiledHeaderIsReplaced) {
  HostCompileRequest one = request(write(""), HostCore::AIV);
  std::string error;
  ASSERT_TRUE(compileForHost(one, error)) << error;
  for (const auto &entry : fs::directory_iterator(folder / "cache" / "pch"))
    std::ofstream(entry.path()) << "not a header";
  EXPECT_TRUE(compileForHost(one, error)) << error;
}

TEST_F(HostCompiler, ErrorsNameTheUsersLine) {
  std::string error = failure("  int x = missing;");
  EXPECT_NE(
      error.find(
          "kernel.cpp:5:11: error: use of undeclared identifier 'missing'"),
      std::string::npos)
      << error;
}

TEST_F(HostCompiler, TypeErrorsAreReadable) {
  EXPECT_NE(failure("Exp(t<int32_t>(), t<int32_t>(), 64);")
                .find("Exp: the element type must be half or float"),
            std::string::npos);
  EXPECT_NE(
      failure("Add(t<bfloat16_t>(), t<bfloat16_t>(), t<bfloat16_t>(), 64);")
          .find(
              "Add: the element type must be half, float, int16_t or int32_t"),
      std::string::npos);
  EXPECT_NE(
      failure("Cast(t<half>(), t<bfloat16_t>(), RoundMode::CAST_NONE, 64);")
          .find("Cast: this pair of types does not exist on this chip"),
      std::string::npos);
  EXPECT_NE(failure("Mmad(t<half>(), t<half>(), t<half>(), MmadParams());")
                .find("Mmad: (C, A, B) must be"),
            std::string::npos);
  EXPECT_NE(failure("CrossCoreSetFlag<4, PIPE_V>(0);").find("modes 0, 1 and 2"),
            std::string::npos);
  EXPECT_NE(
      failure("PipeBarrier<PIPE_S>();").find("PIPE_S is in order by itself"),
      std::string::npos);
}

TEST_F(HostCompiler, MissingCompilerIsExplained) {
  setenv("TILELANG_CXX", "/nowhere/clang++", 1);
  std::string error;
  EXPECT_FALSE(compileForHost(request(write(""), HostCore::AIV), error));
  EXPECT_NE(error.find("TILELANG_CXX names '/nowhere/clang++'"),
            std::string::npos)
      << error;
}

TEST_F(HostCompiler, MissingHeadersAreExplained) {
  HostCompileRequest one = request(write(""), HostCore::AIV);
  one.nativeDirectory = folder.string();
  std::string error;
  EXPECT_FALSE(compileForHost(one, error));
  EXPECT_NE(error.find("the Ascend C headers are missing"), std::string::npos)
      << error;
}

TEST_F(HostCompiler, MissingSourceIsExplained) {
  std::string error;
  EXPECT_FALSE(compileForHost(
      request((folder / "none.cpp").string(), HostCore::AIC), error));
  EXPECT_NE(error.find("no such file"), std::string::npos);
}

} // namespace
