//===- ValueRange.cpp - Bounds of index values ----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ValueRange.h"

#include "mlir/IR/Matchers.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

/// Chains of arithmetic are short; deeper ones are not worth their time.
static constexpr unsigned kDeepest = 12;

static constexpr int64_t kLow = INT64_MIN, kHigh = INT64_MAX;

static bool isKnown(int64_t bound) { return bound != kLow && bound != kHigh; }

static ValueBounds boundsOf(Value value, unsigned depth);

/// Bounds of a loop's counter; the loop body runs for no other values.
static ValueBounds counterBounds(scf::ForOp loop, unsigned depth) {
  ValueBounds lower = boundsOf(loop.getLowerBound(), depth);
  ValueBounds upper = boundsOf(loop.getUpperBound(), depth);
  return {lower.least, upper.greatest == kHigh ? kHigh : upper.greatest - 1};
}

static int64_t addBounds(int64_t a, int64_t b, int64_t unknown) {
  int64_t sum;
  if (!isKnown(a) || !isKnown(b) || llvm::AddOverflow(a, b, sum))
    return unknown;
  return sum;
}

static int64_t negated(int64_t bound) {
  return bound == kLow ? kHigh : bound == kHigh ? kLow : -bound;
}

static ValueBounds multiply(ValueBounds a, ValueBounds b) {
  ValueBounds result{kHigh, kLow};
  for (int64_t x : {a.least, a.greatest})
    for (int64_t y : {b.least, b.greatest}) {
      int64_t product;
      if (isKnown(x) && isKnown(y) && !llvm::MulOverflow(x, y, product)) {
        result.least = std::min(result.least, product);
        result.greatest = std::max(result.greatest, product);
        continue;
      }
      // Without an upper bound a product of what is not negative has a lower
      // one.
      if (a.least < 0 || b.least < 0)
        return {};
      int64_t least;
      if (llvm::MulOverflow(a.least, b.least, least))
        return {0, kHigh};
      return {least, kHigh};
    }
  return result;
}

/// Of the operations whose result is monotonic in the dividend.
static ValueBounds divide(ValueBounds a, ValueBounds b,
                          int64_t (*quotient)(int64_t, int64_t)) {
  if (b.least <= 0)
    return {};
  ValueBounds result;
  if (isKnown(a.least))
    result.least = quotient(
        a.least, a.least >= 0 && isKnown(b.greatest) ? b.greatest : b.least);
  if (a.least >= 0 && !isKnown(b.greatest))
    result.least = 0;
  if (isKnown(a.greatest))
    result.greatest = a.greatest >= 0 ? quotient(a.greatest, b.least) : 0;
  return result;
}

static ValueBounds boundsOf(Value value, unsigned depth) {
  if (depth > kDeepest)
    return {};
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {constant.getSExtValue(), constant.getSExtValue()};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return counterBounds(loop, depth + 1);
    return {};
  }
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned index) {
    return boundsOf(op->getOperand(index), depth + 1);
  };
  // Values of narrow types may have wrapped.
  if (!value.getType().isIndex() &&
      isa<arith::ArithDialect>(op->getDialect()) &&
      !isa<arith::ExtSIOp, arith::ExtUIOp>(op))
    return {};
  return llvm::TypeSwitch<Operation *, ValueBounds>(op)
      .Case<BlockIdxOp>([&](auto) -> ValueBounds {
        auto kernel = op->getParentOfType<KernelOp>();
        return {0, static_cast<int64_t>(kernel.getBlockDim()) - 1};
      })
      .Case<BlockNumOp>([&](auto) -> ValueBounds {
        auto kernel = op->getParentOfType<KernelOp>();
        return {1, static_cast<int64_t>(kernel.getBlockDim())};
      })
      .Case([](SubBlockIdxOp) -> ValueBounds { return {0, 1}; })
      .Case([&](arith::AddIOp) -> ValueBounds {
        ValueBounds a = operand(0), b = operand(1);
        return {addBounds(a.least, b.least, kLow),
                addBounds(a.greatest, b.greatest, kHigh)};
      })
      .Case([&](arith::SubIOp) -> ValueBounds {
        ValueBounds a = operand(0), b = operand(1);
        return {addBounds(a.least, negated(b.greatest), kLow),
                addBounds(a.greatest, negated(b.least), kHigh)};
      })
      .Case([&](arith::MulIOp) { return multiply(operand(0), operand(1)); })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](auto) -> ValueBounds {
        ValueBounds a = operand(0);
        if (a.least < 0 && isa<arith::DivUIOp>(op))
          return {};
        return divide(a, operand(1),
                      [](int64_t x, int64_t y) { return x / y; });
      })
      .Case([&](arith::FloorDivSIOp) {
        return divide(operand(0), operand(1), [](int64_t x, int64_t y) {
          return llvm::divideFloorSigned(x, y);
        });
      })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) -> ValueBounds {
        ValueBounds a = operand(0);
        if (a.least < 0 && isa<arith::CeilDivUIOp>(op))
          return {};
        return divide(a, operand(1), [](int64_t x, int64_t y) {
          return llvm::divideCeilSigned(x, y);
        });
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) -> ValueBounds {
        ValueBounds a = operand(0), b = operand(1);
        if (a.least < 0 || b.least <= 0)
          return {};
        int64_t greatest = b.greatest == kHigh ? kHigh : b.greatest - 1;
        return {0, std::min(a.greatest, greatest)};
      })
      .Case([&](arith::MinSIOp) -> ValueBounds {
        ValueBounds a = operand(0), b = operand(1);
        return {std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
      })
      .Case([&](arith::MaxSIOp) -> ValueBounds {
        ValueBounds a = operand(0), b = operand(1);
        return {std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
      })
      .Case([&](arith::SelectOp) -> ValueBounds {
        ValueBounds a = operand(1), b = operand(2);
        return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp>(
          [&](auto) { return operand(0); })
      .Default([](Operation *) { return ValueBounds(); });
}

ValueBounds ascend::boundsOf(Value value) { return ::boundsOf(value, 0); }
