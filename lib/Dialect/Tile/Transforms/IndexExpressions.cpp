//===- IndexExpressions.cpp - Affine views of index arithmetic -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ParallelAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilelang::tile;

bool tilelang::tile::isNonNegative(Value value, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant >= 0;
  if (depth == 0)
    return false;
  auto both = [&](Operation *op) {
    return isNonNegative(op->getOperand(0), depth - 1) &&
           isNonNegative(op->getOperand(1), depth - 1);
  };
  // Sizes of tensors are extents of arrays.
  for (OpOperand &use : value.getUses())
    if (auto tensor = dyn_cast<TensorOp>(use.getOwner()))
      if (llvm::is_contained(tensor.getSizes(), value))
        return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<ForOp>(parent)) {
      std::optional<int64_t> step = getConstantIntValue(loop.getStep());
      return step && *step > 0 && isNonNegative(loop.getLower(), depth - 1);
    }
    return isa<KernelOp, ParallelOp>(parent);
  }
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp, arith::MinSIOp>(both)
      .Case<arith::RemSIOp, arith::IndexCastOp>([&](Operation *op) {
        return isNonNegative(op->getOperand(0), depth - 1);
      })
      .Case<arith::MaxSIOp>([&](Operation *op) {
        return isNonNegative(op->getOperand(0), depth - 1) ||
               isNonNegative(op->getOperand(1), depth - 1);
      })
      .Case<IndexOp>([](Operation *) { return true; })
      .Default([](Operation *) { return false; });
}

IndexExpressions::IndexExpressions(ParallelOp parallel,
                                   std::function<bool(Value)> isInvariant,
                                   Depth depth)
    : parallel(parallel), isInvariant(std::move(isInvariant)), depth(depth) {}

AffineExpr IndexExpressions::simplify(AffineExpr expression) {
  // Flattening writes x mod c as x - (x floordiv c) * c, whose range is not
  // seen any more.
  bool hasModulo = expression
                       .walk([](AffineExpr nested) {
                         return nested.getKind() == AffineExprKind::Mod
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
  return hasModulo ? expression : flatten(expression);
}

AffineExpr IndexExpressions::flatten(AffineExpr expression) {
  return simplifyAffineExpr(expression, parallel.getExtents().size(),
                            symbols.size());
}

std::optional<AffineExpr> IndexExpressions::get(Value value) {
  if (auto it = cache.find(value); it != cache.end())
    return it->second;
  std::optional<AffineExpr> result = build(value);
  cache[value] = result;
  return result;
}

AffineExpr IndexExpressions::getSymbol(Value value) {
  // Front ends emit the same arithmetic anew at each use: equal operations on
  // equal operands are one symbol.
  Operation *op = value.getDefiningOp();
  for (auto [position, symbol] : llvm::enumerate(symbols)) {
    Operation *other = symbol.getDefiningOp();
    bool equal =
        symbol == value ||
        (op && other && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         OperationEquivalence::isEquivalentTo(
             op, other, OperationEquivalence::IgnoreLocations) &&
         (isMemoryEffectFree(op) || (parallel->isProperAncestor(op) &&
                                     parallel->isProperAncestor(other))));
    if (equal)
      return getAffineSymbolExpr(position, parallel.getContext());
  }
  symbols.push_back(value);
  return getAffineSymbolExpr(symbols.size() - 1, parallel.getContext());
}

bool IndexExpressions::isKnownNonNegative(AffineExpr expression) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue() >= 0;
  if (isa<AffineDimExpr>(expression))
    return true;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return isNonNegative(symbols[symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expression);
  // Right-hand sides of divisions are positive by construction.
  if (binary.getKind() == AffineExprKind::Mod)
    return true;
  return isKnownNonNegative(binary.getLHS()) &&
         isKnownNonNegative(binary.getRHS());
}

std::optional<AffineExpr> IndexExpressions::buildDivision(Operation *operation,
                                                          bool remainder) {
  std::optional<int64_t> divisor =
      getConstantIntValue(operation->getOperand(1));
  if (!divisor || *divisor <= 0)
    return std::nullopt;
  std::optional<AffineExpr> dividend = get(operation->getOperand(0));
  if (!dividend)
    return std::nullopt;
  if (isa<arith::FloorDivSIOp>(operation))
    return dividend->floorDiv(*divisor);
  if (isa<arith::CeilDivSIOp>(operation))
    return dividend->ceilDiv(*divisor);
  // Truncating division and remainder agree with floor and modulo only where
  // the dividend is not negative.
  if (!isKnownNonNegative(*dividend))
    return std::nullopt;
  return remainder ? *dividend % *divisor : dividend->floorDiv(*divisor);
}

std::optional<AffineExpr> IndexExpressions::build(Value value) {
  MLIRContext *context = parallel.getContext();
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == &parallel.getBody().front())
    return getAffineDimExpr(argument.getArgNumber(), context);
  Type type = value.getType();
  if (!type.isIndex() &&
      !(type.isInteger() && type.getIntOrFloatBitWidth() >= 32))
    return std::nullopt;
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);

  Operation *op = value.getDefiningOp();
  bool isOutside = !op || !parallel->isProperAncestor(op);
  if (op && (!isOutside || depth == Depth::Deep)) {
    auto binary = [&](auto combine) -> std::optional<AffineExpr> {
      std::optional<AffineExpr> left = get(op->getOperand(0));
      std::optional<AffineExpr> right = get(op->getOperand(1));
      if (!left || !right)
        return std::nullopt;
      return combine(*left, *right);
    };
    using Result = std::optional<AffineExpr>;
    Result result =
        llvm::TypeSwitch<Operation *, Result>(op)
            .Case<arith::AddIOp>([&](auto) {
              return binary(
                  [](AffineExpr a, AffineExpr b) -> Result { return a + b; });
            })
            .Case<arith::SubIOp>([&](auto) {
              return binary([](AffineExpr a, AffineExpr b) -> Result {
                // a - (a floordiv c) * c is how front ends write a modulo.
                auto product = dyn_cast<AffineBinaryOpExpr>(b);
                auto quotient =
                    product && product.getKind() == AffineExprKind::Mul
                        ? dyn_cast<AffineBinaryOpExpr>(product.getLHS())
                        : AffineBinaryOpExpr(nullptr);
                if (quotient &&
                    quotient.getKind() == AffineExprKind::FloorDiv &&
                    quotient.getLHS() == a &&
                    quotient.getRHS() == product.getRHS())
                  return a % product.getRHS();
                return a - b;
              });
            })
            .Case<arith::MulIOp>([&](auto) {
              return binary([](AffineExpr a, AffineExpr b) -> Result {
                if (!isa<AffineConstantExpr>(a) && !isa<AffineConstantExpr>(b))
                  return std::nullopt;
                return a * b;
              });
            })
            .Case<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp>(
                [&](Operation *op) { return buildDivision(op, false); })
            .Case<arith::RemSIOp>(
                [&](Operation *op) { return buildDivision(op, true); })
            .Case<arith::ShLIOp, arith::ShRSIOp>([&](Operation *op) -> Result {
              std::optional<AffineExpr> shifted = get(op->getOperand(0));
              std::optional<int64_t> bits =
                  getConstantIntValue(op->getOperand(1));
              if (!shifted || !bits || *bits < 0 || *bits > 31)
                return std::nullopt;
              int64_t factor = int64_t(1) << *bits;
              return isa<arith::ShLIOp>(op) ? *shifted * factor
                                            : shifted->floorDiv(factor);
            })
            .Case<arith::IndexCastOp>(
                [&](Operation *op) -> Result { return get(op->getOperand(0)); })
            .Default([](Operation *) -> Result { return std::nullopt; });
    if (result)
      return simplify(*result);
  }
  if (isOutside || isInvariant(value))
    return getSymbol(value);
  return std::nullopt;
}
