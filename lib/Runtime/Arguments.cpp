//===- Arguments.cpp - Checking what a kernel is called with --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Runtime/Arguments.h"

#include <algorithm>

namespace tilelang {

namespace {
using Kind = ArgumentProblem::Kind;

ArgumentProblem problem(Kind kind, std::string message) {
  return {kind, std::move(message)};
}

std::optional<size_t> symbolIndex(const Artifact &artifact,
                                  const std::string &name) {
  for (size_t i = 0; i < artifact.symbols.size(); ++i)
    if (artifact.symbols[i].name == name)
      return i;
  return std::nullopt;
}

std::string expectedShape(const KernelParameter &parameter) {
  std::string text = "(";
  for (size_t i = 0; i < parameter.shape.size(); ++i)
    text += (i ? ", " : "") + parameter.shape[i].text();
  return text + (parameter.shape.size() == 1 ? ",)" : ")");
}

/// Types that have the same bits and are exchanged in practice.
bool isCompatible(ElementType expected, ElementType found) {
  if (expected == found)
    return true;
  auto isE4M3 = [](ElementType type) {
    return type == ElementType::F8E4M3 || type == ElementType::F8E4M3FNUZ;
  };
  auto isByteFlag = [](ElementType type) {
    return type == ElementType::Bool || type == ElementType::I8;
  };
  return (isE4M3(expected) && isE4M3(found)) ||
         (isByteFlag(expected) && isByteFlag(found));
}

class Checker {
public:
  Checker(const Artifact &artifact, SizeValues &sizes)
      : artifact(artifact), sizes(sizes) {}

  std::optional<ArgumentProblem> tensor(size_t index,
                                        const KernelArgument &argument) {
    const KernelParameter &parameter = artifact.parameters[index];
    std::string where = describeArgument(artifact, index);
    if (!argument.device.empty())
      return problem(
          Kind::Value,
          where + " is on device '" + argument.device +
              "', expected host memory; the simulator runs on the host: "
              "copy the array to the CPU");
    if (!isCompatible(parameter.type, argument.type)) {
      std::string expected(elementTypeName(parameter.type));
      std::string found = argument.type == ElementType::Unknown
                              ? argument.typeText
                              : std::string(elementTypeName(argument.type));
      return problem(Kind::Type, where + " has dtype " + found + ", expected " +
                                     expected + "; convert it before the call");
    }
    if (argument.rank != parameter.shape.size())
      return problem(Kind::Value,
                     where + " has " + std::to_string(argument.rank) +
                         (argument.rank == 1 ? " dimension" : " dimensions") +
                         ", shape " + shapeText(argument.shape, argument.rank) +
                         ", expected " +
                         std::to_string(parameter.shape.size()) + ", shape " +
                         expectedShape(parameter));
    for (unsigned axis = 0; axis < argument.rank; ++axis)
      if (auto wrong = extent(index, argument, axis, where))
        return wrong;
    if (auto wrong = layout(parameter, argument, where))
      return wrong;
    if (parameter.isWritten && argument.isReadOnly)
      return problem(
          Kind::Value,
          where +
              " is read-only, but the kernel writes it; pass a writable array");
    if (argument.data == nullptr && elementCount(argument) != 0)
      return problem(Kind::Value, where + " has no memory (null pointer)");
    unsigned bytes = elementBytes(parameter.type);
    if (reinterpret_cast<uintptr_t>(argument.data) % bytes != 0)
      return problem(Kind::Value, where +
                                      " starts at an address that is no "
                                      "multiple of its element size (" +
                                      std::to_string(bytes) +
                                      " bytes); pass an aligned copy");
    return std::nullopt;
  }

private:
  static int64_t elementCount(const KernelArgument &argument) {
    int64_t count = 1;
    for (unsigned axis = 0; axis < argument.rank; ++axis)
      count *= argument.shape[axis];
    return count;
  }

  /// Checks a size or stride against its dimension, binding new symbols. What
  /// cannot be decided yet passes; a second round decides it.
  bool matches(const Dimension &dimension, int64_t found, std::string &why) {
    if (std::optional<int64_t> expected =
            evaluate(artifact, dimension, sizes)) {
      if (*expected == found)
        return true;
      why = std::to_string(*expected);
      if (!dimension.isStatic())
        why +=
            " (" + dimension.text() + " with " + boundSymbols(dimension) + ")";
      return false;
    }
    if (solve(dimension, found))
      return true;
    why = "a value of the form " + dimension.text();
    return false;
  }

  /// Binds the one unknown of a linear dimension. False if no size fits.
  bool solve(const Dimension &dimension, int64_t found) {
    if (dimension.isSymbol()) {
      auto index = symbolIndex(artifact, dimension.symbol);
      if (!index || found < 0)
        return false;
      sizes[*index] = found;
      return true;
    }
    if (dimension.operands.size() != 2)
      return true;
    const Dimension &left = dimension.operands[0],
                    &right = dimension.operands[1];
    std::optional<int64_t> knownLeft = evaluate(artifact, left, sizes);
    std::optional<int64_t> knownRight = evaluate(artifact, right, sizes);
    if (knownLeft.has_value() == knownRight.has_value())
      return true;
    const Dimension &unknown = knownLeft ? right : left;
    int64_t known = knownLeft ? *knownLeft : *knownRight;
    if (dimension.operation == "+")
      return solve(unknown, found - known);
    if (dimension.operation == "-")
      return solve(unknown, knownLeft ? known - found : found + known);
    if (dimension.operation == "*")
      return known != 0 && found % known == 0 && solve(unknown, found / known);
    return true;
  }

  std::string boundSymbols(const Dimension &dimension) {
    if (dimension.isSymbol())
      return dimension.symbol + " = " +
             std::to_string(*sizes[*symbolIndex(artifact, dimension.symbol)]);
    std::string text;
    for (const Dimension &operand : dimension.operands) {
      std::string part = boundSymbols(operand);
      // One symbol may occur several times.
      if (!part.empty() && text.find(part) == std::string::npos)
        text += (text.empty() ? "" : ", ") + part;
    }
    return text;
  }

  std::optional<ArgumentProblem> extent(size_t index,
                                        const KernelArgument &argument,
                                        unsigned axis,
                                        const std::string &where) {
    const KernelParameter &parameter = artifact.parameters[index];
    std::string why;
    if (matches(parameter.shape[axis], argument.shape[axis], why))
      return std::nullopt;
    return problem(
        Kind::Value,
        where + " has shape " + shapeText(argument.shape, argument.rank) +
            ", expected " + expectedShape(parameter) + ": dimension " +
            std::to_string(axis) + " is " +
            std::to_string(argument.shape[axis]) + ", expected " + why);
  }

  std::optional<ArgumentProblem> layout(const KernelParameter &parameter,
                                        const KernelArgument &argument,
                                        const std::string &where) {
    if (elementCount(argument) == 0)
      return std::nullopt;
    int64_t contiguous = 1;
    for (unsigned axis = argument.rank; axis-- > 0;) {
      int64_t found = argument.strides ? argument.strides[axis] : contiguous;
      // The stride of an axis with one element is never used.
      bool isUsed = argument.shape[axis] > 1;
      std::string why;
      if (parameter.strides.empty()) {
        if (isUsed && found != contiguous)
          return problem(
              Kind::Value,
              where + " has shape " + shapeText(argument.shape, argument.rank) +
                  " and strides " + shapeText(argument.strides, argument.rank) +
                  " (in elements), expected a contiguous row-major array; pass "
                  "numpy.ascontiguousarray(...) or tensor.contiguous()");
      } else if (!matches(parameter.strides[axis], found, why) && isUsed) {
        return problem(Kind::Value,
                       where + " has stride " + std::to_string(found) +
                           " (in elements) along dimension " +
                           std::to_string(axis) + ", expected " + why);
      }
      contiguous *= argument.shape[axis];
    }
    return std::nullopt;
  }

  const Artifact &artifact;
  SizeValues &sizes;
};
} // namespace

std::string describeArgument(const Artifact &artifact, size_t index) {
  return "argument " + std::to_string(index + 1) + " ('" +
         artifact.parameters[index].name + "') of kernel '" + artifact.name +
         "'";
}

std::string shapeText(const int64_t *values, unsigned rank) {
  std::string text = "(";
  for (unsigned axis = 0; axis < rank; ++axis)
    text += (axis ? ", " : "") + std::to_string(values[axis]);
  return text + (rank == 1 ? ",)" : ")");
}

std::optional<int64_t> evaluate(const Artifact &artifact,
                                const Dimension &dimension,
                                const SizeValues &sizes) {
  if (dimension.isStatic())
    return dimension.value;
  if (dimension.isSymbol()) {
    auto index = symbolIndex(artifact, dimension.symbol);
    return index ? sizes[*index] : std::nullopt;
  }
  std::vector<int64_t> values;
  for (const Dimension &operand : dimension.operands) {
    std::optional<int64_t> value = evaluate(artifact, operand, sizes);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  const std::string &operation = dimension.operation;
  if (values.size() != 2)
    return std::nullopt;
  auto [left, right] = std::pair(values[0], values[1]);
  if (operation == "+")
    return left + right;
  if (operation == "-")
    return left - right;
  if (operation == "*")
    return left * right;
  if (operation == "min")
    return std::min(left, right);
  if (operation == "max")
    return std::max(left, right);
  if (right == 0)
    return std::nullopt;
  // Both round toward minus infinity, as in Python.
  int64_t remainder = left % right;
  bool isOff = remainder != 0 && (remainder < 0) != (right < 0);
  if (operation == "//")
    return left / right - isOff;
  if (operation == "%")
    return isOff ? remainder + right : remainder;
  if (operation == "ceildiv")
    return left / right + (remainder != 0 && !isOff);
  return std::nullopt;
}

std::optional<ArgumentProblem>
checkArguments(const Artifact &artifact,
               const std::vector<KernelArgument> &arguments,
               SizeValues &sizes) {
  sizes.assign(artifact.symbols.size(), std::nullopt);
  // A size may also be a scalar parameter of the same name.
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!artifact.parameters[i].isTensor)
      if (auto index = symbolIndex(artifact, artifact.parameters[i].name))
        sizes[*index] = static_cast<int64_t>(arguments[i].bits);
  // A dimension such as K // 2 may come before the one that tells K: then the
  // second round checks it.
  Checker checker(artifact, sizes);
  for (int round = 0; round < (artifact.symbols.empty() ? 1 : 2); ++round)
    for (size_t i = 0; i < arguments.size(); ++i)
      if (artifact.parameters[i].isTensor && !arguments[i].isAbsent)
        if (auto wrong = checker.tensor(i, arguments[i]))
          return wrong;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (!sizes[i])
      return problem(Kind::Value, "kernel '" + artifact.name + "': the size '" +
                                      artifact.symbols[i].name +
                                      "' cannot be told from the arguments; no "
                                      "input tensor has it as a "
                                      "dimension");
  return std::nullopt;
}

} // namespace tilelang
