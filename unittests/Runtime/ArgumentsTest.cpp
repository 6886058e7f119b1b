//===- ArgumentsTest.cpp - Checking what a kernel is called with ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Runtime/Arguments.h"

#include <gtest/gtest.h>

using namespace tilelang;

namespace {

alignas(64) float storage[256];

struct Array {
  std::vector<int64_t> shape, strides;
  KernelArgument argument(ElementType type = ElementType::F32) const {
    KernelArgument result;
    result.data = storage;
    result.type = type;
    result.rank = static_cast<unsigned>(shape.size());
    result.shape = shape.data();
    result.strides = strides.empty() ? nullptr : strides.data();
    return result;
  }
};

KernelParameter tensor(std::string name, std::vector<Dimension> shape) {
  KernelParameter parameter;
  parameter.name = std::move(name);
  parameter.type = ElementType::F32;
  parameter.shape = std::move(shape);
  return parameter;
}

Dimension symbol(const char *name) { return Dimension(std::string(name)); }

Dimension operation(const char *name, Dimension left, Dimension right) {
  Dimension result;
  result.operation = name;
  result.operands = {std::move(left), std::move(right)};
  return result;
}

Artifact kernel(std::vector<KernelParameter> parameters,
                std::vector<std::string> symbols = {}) {
  Artifact artifact;
  artifact.name = "main";
  artifact.parameters = std::move(parameters);
  for (std::string &name : symbols)
    artifact.symbols.push_back({std::move(name), ElementType::I64});
  return artifact;
}

std::string check(const Artifact &artifact,
                  const std::vector<KernelArgument> &arguments,
                  SizeValues *sizes = nullptr) {
  SizeValues own;
  auto problem = checkArguments(artifact, arguments, sizes ? *sizes : own);
  return problem ? problem->message : "";
}

TEST(Arguments, AcceptsWhatFits) {
  Array a{{4, 8}, {8, 1}};
  EXPECT_EQ(check(kernel({tensor("A", {4, 8})}), {a.argument()}), "");
  // The stride of an axis with one element says nothing.
  Array one{{1, 8}, {999, 1}};
  EXPECT_EQ(check(kernel({tensor("A", {1, 8})}), {one.argument()}), "");
  // Nor do the strides of an empty array.
  Array empty{{0, 8}, {1, 77}};
  EXPECT_EQ(check(kernel({tensor("A", {0, 8})}), {empty.argument()}), "");
}

TEST(Arguments, NamesTheDimensionThatDiffers) {
  Array a{{4, 9}, {}};
  EXPECT_EQ(check(kernel({tensor("A", {4, 8})}), {a.argument()}),
            "argument 1 ('A') of kernel 'main' has shape (4, 9), expected (4, "
            "8): dimension 1 is 9, expected 8");
  Array flat{{32}, {}};
  EXPECT_EQ(check(kernel({tensor("A", {4, 8})}), {flat.argument()}),
            "argument 1 ('A') of kernel 'main' has 1 dimension, shape (32,), "
            "expected 2, shape (4, 8)");
}

TEST(Arguments, NamesTypes) {
  Array a{{4}, {}};
  EXPECT_EQ(check(kernel({tensor("A", {4})}), {a.argument(ElementType::F16)}),
            "argument 1 ('A') of kernel 'main' has dtype float16, expected "
            "float32; convert it before the call");
}

TEST(Arguments, RefusesStridedArrays) {
  Array transposed{{4, 8}, {1, 4}};
  std::string message =
      check(kernel({tensor("A", {4, 8})}), {transposed.argument()});
  EXPECT_NE(message.find("strides (1, 4) (in elements), expected a contiguous "
                         "row-major array"),
            std::string::npos)
      << message;
}

TEST(Arguments, TakesStridesThatTheProgramNames) {
  KernelParameter parameter = tensor("A", {4, 8});
  parameter.strides = {symbol("s"), 1};
  Array padded{{4, 8}, {16, 1}};
  SizeValues sizes;
  EXPECT_EQ(check(kernel({parameter}, {"s"}), {padded.argument()}, &sizes), "");
  EXPECT_EQ(sizes[0], 16);
  Array wrong{{4, 8}, {16, 2}};
  EXPECT_EQ(check(kernel({parameter}, {"s"}), {wrong.argument()}),
            "argument 1 ('A') of kernel 'main' has stride 2 (in elements) "
            "along dimension 1, expected 1");
}

TEST(Arguments, BindsSizesAndComparesThem) {
  Artifact artifact = kernel(
      {tensor("A", {symbol("m"), symbol("k")}), tensor("B", {symbol("k"), 8})},
      {"m", "k"});
  Array a{{3, 5}, {}}, b{{5, 8}, {}}, wrong{{6, 8}, {}};
  SizeValues sizes;
  EXPECT_EQ(check(artifact, {a.argument(), b.argument()}, &sizes), "");
  EXPECT_EQ(sizes, (SizeValues{3, 5}));
  EXPECT_EQ(check(artifact, {a.argument(), wrong.argument()}),
            "argument 2 ('B') of kernel 'main' has shape (6, 8), expected (k, "
            "8): dimension 0 is 6, expected 5 (k with k = 5)");
}

TEST(Arguments, SolvesLinearSizes) {
  Artifact artifact =
      kernel({tensor("A", {operation("+", operation("*", 2, symbol("m")), 1)})},
             {"m"});
  Array a{{9}, {}}, even{{8}, {}};
  SizeValues sizes;
  EXPECT_EQ(check(artifact, {a.argument()}, &sizes), "");
  EXPECT_EQ(sizes[0], 4);
  EXPECT_NE(check(artifact, {even.argument()})
                .find("expected a value of the form (2 * m) + 1"),
            std::string::npos);
}

TEST(Arguments, ChecksSizesThatAreBoundLater) {
  // K // 2 comes before the tensor that tells K.
  Artifact artifact = kernel({tensor("P", {operation("//", symbol("k"), 2)}),
                              tensor("A", {symbol("k")})},
                             {"k"});
  Array packed{{4}, {}}, a{{9}, {}}, wrong{{11}, {}};
  EXPECT_EQ(check(artifact, {packed.argument(), a.argument()}), "");
  EXPECT_NE(check(artifact, {packed.argument(), wrong.argument()})
                .find("dimension 0 is 4, expected 5 (k // 2 with k = 11)"),
            std::string::npos);
}

TEST(Arguments, SaysWhichSizeIsUnknown) {
  Artifact artifact = kernel({tensor("C", {symbol("m")})}, {"m"});
  KernelArgument absent;
  absent.isAbsent = true;
  EXPECT_NE(check(artifact, {absent})
                .find("the size 'm' cannot be told from the arguments"),
            std::string::npos);
}

TEST(Arguments, RefusesReadOnlyOutputsOnly) {
  KernelParameter output = tensor("C", {4});
  output.isWritten = true;
  Array c{{4}, {}};
  KernelArgument readOnly = c.argument();
  readOnly.isReadOnly = true;
  EXPECT_EQ(check(kernel({tensor("A", {4})}), {readOnly}), "");
  EXPECT_NE(check(kernel({output}), {readOnly})
                .find("is read-only, but the kernel writes it"),
            std::string::npos);
}

TEST(Arguments, RefusesOtherDevices) {
  Array a{{4}, {}};
  KernelArgument elsewhere = a.argument();
  elsewhere.device = "cuda:0";
  EXPECT_NE(check(kernel({tensor("A", {4})}), {elsewhere})
                .find("is on device 'cuda:0', expected host memory"),
            std::string::npos);
}

TEST(Arguments, RefusesMisalignedAndNullMemory) {
  Array a{{4}, {}};
  KernelArgument odd = a.argument();
  odd.data = reinterpret_cast<char *>(storage) + 2;
  EXPECT_NE(check(kernel({tensor("A", {4})}), {odd})
                .find("no multiple of its element size (4 bytes)"),
            std::string::npos);
  odd.data = nullptr;
  EXPECT_NE(check(kernel({tensor("A", {4})}), {odd}).find("has no memory"),
            std::string::npos);
}

} // namespace
