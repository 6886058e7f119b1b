//===- IndexBounds.cpp - Constant bounds of index values ------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Support/IndexBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"

#include <algorithm>

using namespace mlir;

namespace tilelang {

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

namespace {

/// Deep chains do not occur in offsets; the limit bounds the cost of sharing.
constexpr unsigned kMaxDepth = 24;

using End = std::optional<int64_t>;

End add(End a, End b) {
  int64_t sum;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum))
    return std::nullopt;
  return sum;
}

IndexInterval multiply(IndexInterval a, IndexInterval b) {
  if (!a.lower || !a.upper || !b.lower || !b.upper) {
    // Non-negative times non-negative keeps its sign even when unbounded.
    if (a.lower && b.lower && *a.lower >= 0 && *b.lower >= 0)
      return {*a.lower * *b.lower, std::nullopt};
    return {};
  }
  int64_t products[4];
  const int64_t lefts[] = {*a.lower, *a.upper}, rights[] = {*b.lower, *b.upper};
  for (int i = 0; i < 4; ++i)
    if (__builtin_mul_overflow(lefts[i / 2], rights[i % 2], &products[i]))
      return {};
  return {*std::min_element(products, products + 4),
          *std::max_element(products, products + 4)};
}

/// Interval of a loop variable running from `lower` to `upper` by `step`.
IndexInterval loopVariable(IndexInterval lower, IndexInterval upper,
                           std::optional<int64_t> step) {
  if (!step || *step == 0)
    return {};
  if (*step > 0) {
    IndexInterval result{lower.lower, add(upper.upper, End(-1))};
    if (lower.isConstant() && upper.isConstant() && *upper.lower > *lower.lower)
      result.upper =
          *lower.lower + (*upper.lower - 1 - *lower.lower) / *step * *step;
    return result;
  }
  return {add(upper.lower, End(1)), lower.upper};
}

IndexInterval bounds(Value value, unsigned depth) {
  if (auto constant = constantOf(value))
    return {constant, constant};
  if (depth == 0)
    return {};
  auto of = [&](Value operand) { return bounds(operand, depth - 1); };

  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto kernel = dyn_cast_or_null<tile::KernelOp>(parent)) {
      IndexInterval extent = of(kernel.getGrid()[argument.getArgNumber()]);
      return {0, add(extent.upper, End(-1))};
    }
    if (auto loop = dyn_cast_or_null<tile::ForOp>(parent))
      return loopVariable(of(loop.getLower()), of(loop.getUpper()),
                          constantOf(loop.getStep()));
    if (auto loop = dyn_cast_or_null<scf::ForOp>(parent)) {
      if (argument != loop.getInductionVar())
        return {};
      IndexInterval lower = of(loop.getLowerBound());
      IndexInterval upper = of(loop.getUpperBound());
      if (auto step = constantOf(loop.getStep()))
        return loopVariable(lower, upper, step);
      // The step of an scf.for is positive by definition.
      return {lower.lower, add(upper.upper, End(-1))};
    }
    if (auto parallel = dyn_cast_or_null<tile::ParallelOp>(parent))
      return {0, parallel.getExtents()[argument.getArgNumber()] - 1};
    return {};
  }

  Operation *op = value.getDefiningOp();
  if (auto addition = dyn_cast<arith::AddIOp>(op)) {
    IndexInterval a = of(addition.getLhs()), b = of(addition.getRhs());
    return {add(a.lower, b.lower), add(a.upper, b.upper)};
  }
  if (auto subtraction = dyn_cast<arith::SubIOp>(op)) {
    IndexInterval a = of(subtraction.getLhs()), b = of(subtraction.getRhs());
    auto negated = [](End e) { return e ? End(-*e) : End(); };
    return {add(a.lower, negated(b.upper)), add(a.upper, negated(b.lower))};
  }
  if (auto product = dyn_cast<arith::MulIOp>(op))
    return multiply(of(product.getLhs()), of(product.getRhs()));
  if (auto minimum = dyn_cast<arith::MinSIOp>(op)) {
    IndexInterval a = of(minimum.getLhs()), b = of(minimum.getRhs());
    IndexInterval result;
    if (a.lower && b.lower)
      result.lower = std::min(*a.lower, *b.lower);
    result.upper = !a.upper   ? b.upper
                   : !b.upper ? a.upper
                              : End(std::min(*a.upper, *b.upper));
    return result;
  }
  if (auto maximum = dyn_cast<arith::MaxSIOp>(op)) {
    IndexInterval a = of(maximum.getLhs()), b = of(maximum.getRhs());
    IndexInterval result;
    result.lower = !a.lower   ? b.lower
                   : !b.lower ? a.lower
                              : End(std::max(*a.lower, *b.lower));
    if (a.upper && b.upper)
      result.upper = std::max(*a.upper, *b.upper);
    return result;
  }
  auto remainder = [&](Value lhs, Value rhs) -> IndexInterval {
    auto divisor = constantOf(rhs);
    IndexInterval a = of(lhs);
    if (!divisor || *divisor <= 0 || !a.lower || *a.lower < 0)
      return {};
    End upper = *divisor - 1;
    if (a.upper)
      upper = std::min(*upper, *a.upper);
    return {0, upper};
  };
  auto quotient = [&](Value lhs, Value rhs) -> IndexInterval {
    auto divisor = constantOf(rhs);
    IndexInterval a = of(lhs);
    if (!divisor || *divisor <= 0 || !a.lower || *a.lower < 0)
      return {};
    return {*a.lower / *divisor, a.upper ? End(*a.upper / *divisor) : End()};
  };
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return remainder(op->getOperand(0), op->getOperand(1));
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op))
    return quotient(op->getOperand(0), op->getOperand(1));
  if (auto division = dyn_cast<arith::CeilDivSIOp>(op)) {
    auto divisor = constantOf(division.getRhs());
    IndexInterval a = of(division.getLhs());
    if (!divisor || *divisor <= 0 || !a.lower || *a.lower < 0)
      return {};
    auto ceil = [&](int64_t x) { return (x + *divisor - 1) / *divisor; };
    return {ceil(*a.lower), a.upper ? End(ceil(*a.upper)) : End()};
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    IndexInterval a = of(select.getTrueValue()), b = of(select.getFalseValue());
    IndexInterval result;
    if (a.lower && b.lower)
      result.lower = std::min(*a.lower, *b.lower);
    if (a.upper && b.upper)
      result.upper = std::max(*a.upper, *b.upper);
    return result;
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return of(op->getOperand(0));
  // Identities of cores (block index, sub-block index, counts) are not
  // negative.
  if (op->getName().getStringRef() == "ascend.sub_block_idx")
    return {0, 1};
  if (op->getName().getStringRef() == "ascend.block_idx")
    return {0, std::nullopt};
  if (op->getName().getStringRef() == "ascend.block_num")
    return {1, std::nullopt};
  return {};
}

} // namespace

IndexInterval boundsOf(Value value) { return bounds(value, kMaxDepth); }

} // namespace tilelang
