//===- MapConditions.cpp - Boxes, clips and guards of a map --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MapBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tilelang/Dialect/Tile/IR/AffineRange.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"

using namespace mlir;
using namespace tilelang::tile;

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

static bool hasKind(AffineExpr expression, AffineExprKind kind) {
  return expression
      .walk([&](AffineExpr nested) {
        return nested.getKind() == kind ? WalkResult::interrupt()
                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

AffineExpr MapBuilder::replaceDimensions(AffineExpr expression) {
  return expressions.simplify(expression.replaceDims(dimensionValues));
}

/// Splits an expression into a part of dimensions and a part of symbols, where
/// it is their sum.
bool MapBuilder::separate(AffineExpr expression, AffineExpr &dimensions,
                          AffineExpr &symbols) {
  AffineExpr zero = getAffineConstantExpr(0, context);
  dimensions = symbols = zero;
  if (!hasKind(expression, AffineExprKind::DimId)) {
    symbols = expression;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (binary && binary.getKind() == AffineExprKind::Add) {
    AffineExpr d0, s0, d1, s1;
    if (!separate(binary.getLHS(), d0, s0) ||
        !separate(binary.getRHS(), d1, s1))
      return false;
    dimensions = d0 + d1;
    symbols = s0 + s1;
    return true;
  }
  if (!hasKind(expression, AffineExprKind::SymbolId)) {
    dimensions = expression;
    return true;
  }
  if (binary && binary.getKind() == AffineExprKind::Mul &&
      isa<AffineConstantExpr>(binary.getRHS())) {
    if (!separate(binary.getLHS(), dimensions, symbols))
      return false;
    dimensions = dimensions * binary.getRHS();
    symbols = symbols * binary.getRHS();
    return true;
  }
  return false;
}

std::optional<MapBuilder::AffineAccess>
MapBuilder::getAccess(ValueRange indices) {
  SmallVector<AffineExpr> results;
  for (Value index : indices) {
    std::optional<AffineExpr> expression = expressions.get(index);
    if (!expression)
      return std::nullopt;
    results.push_back(replaceDimensions(*expression));
  }
  return getAccess(results);
}

std::optional<MapBuilder::AffineAccess>
MapBuilder::getAccess(ArrayRef<AffineExpr> indices) {
  AffineAccess access;
  SmallVector<AffineExpr> results;
  for (AffineExpr index : indices) {
    AffineExpr dimensions, symbols;
    if (!separate(index, dimensions, symbols) &&
        !separate(expressions.flatten(index), dimensions, symbols))
      return std::nullopt;
    std::optional<IntegerRange> range = getRange(dimensions, extents);
    if (!range)
      return std::nullopt;
    access.offsets.push_back(expressions.simplify(symbols + range->minimum));
    access.extents.push_back(range->maximum - range->minimum + 1);
    results.push_back(expressions.simplify(dimensions - range->minimum));
  }
  access.map = AffineMap::get(extents.size(), 0, results, context);
  return access;
}

/// A value that is the same in every iteration, computed before the map.
Value MapBuilder::emitInvariant(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !analysis.getParallel()->isProperAncestor(op))
    return value;
  if (Value known = hoisted.lookupOrNull(value))
    return known;
  for (Value operand : op->getOperands())
    hoisted.map(operand, emitInvariant(operand));
  builder.clone(*op, hoisted);
  return hoisted.lookup(value);
}

/// Arithmetic on index values before the map; folds constants.
Value MapBuilder::emitExpression(AffineExpr expression) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return arith::ConstantIndexOp::create(builder, location,
                                          constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression)) {
    Value value = emitInvariant(expressions.getSymbols()[symbol.getPosition()]);
    if (value.getType().isIndex())
      return value;
    return arith::IndexCastOp::create(builder, location, builder.getIndexType(),
                                      value);
  }
  auto binary = cast<AffineBinaryOpExpr>(expression);
  if (binary.getKind() == AffineExprKind::Add) {
    // A product with -1 is how affine expressions write a difference.
    for (auto [plus, minus] : {std::pair(binary.getLHS(), binary.getRHS()),
                               std::pair(binary.getRHS(), binary.getLHS())}) {
      auto product = dyn_cast<AffineBinaryOpExpr>(minus);
      if (!product || product.getKind() != AffineExprKind::Mul ||
          product.getRHS() != -1)
        continue;
      Value minuend = emitExpression(plus);
      return builder.createOrFold<arith::SubIOp>(
          location, minuend, emitExpression(product.getLHS()));
    }
  }
  Value left = emitExpression(binary.getLHS());
  Value right = emitExpression(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return builder.createOrFold<arith::AddIOp>(location, left, right);
  case AffineExprKind::Mul:
    return builder.createOrFold<arith::MulIOp>(location, left, right);
  case AffineExprKind::FloorDiv:
    return builder.createOrFold<arith::FloorDivSIOp>(location, left, right);
  case AffineExprKind::CeilDiv:
    return builder.createOrFold<arith::CeilDivSIOp>(location, left, right);
  case AffineExprKind::Mod: {
    // Modulo by a positive number: x - floor(x / n) * n.
    Value quotient =
        builder.createOrFold<arith::FloorDivSIOp>(location, left, right);
    return builder.createOrFold<arith::SubIOp>(
        location, left,
        builder.createOrFold<arith::MulIOp>(location, quotient, right));
  }
  default:
    llvm_unreachable("no other binary expressions exist");
  }
}

Value MapBuilder::emitRegion(Value buffer, const AffineAccess &access) {
  SmallVector<Value> offsets;
  for (AffineExpr offset : access.offsets)
    offsets.push_back(emitExpression(offset));
  auto type =
      RegionType::get(context, access.extents,
                      cast<MemRefType>(buffer.getType()).getElementType());
  return RegionOp::create(builder, location, type, buffer, offsets,
                          ValueRange{});
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

std::optional<MapBuilder::Term>
MapBuilder::getSingleTerm(AffineExpr expression) {
  AffineExpr dimensions, symbols;
  if (!separate(expression, dimensions, symbols) &&
      !separate(expressions.flatten(expression), dimensions, symbols))
    return std::nullopt;
  dimensions = expressions.simplify(dimensions);
  int64_t coefficient = 1;
  if (auto product = dyn_cast<AffineBinaryOpExpr>(dimensions);
      product && product.getKind() == AffineExprKind::Mul) {
    auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
    if (!factor)
      return std::nullopt;
    coefficient = factor.getValue();
    dimensions = product.getLHS();
  }
  auto dimension = dyn_cast<AffineDimExpr>(dimensions);
  if (!dimension)
    return std::nullopt;
  return Term{dimension.getPosition(), coefficient,
              expressions.simplify(symbols)};
}

bool MapBuilder::isElementwise(ParallelAnalysis &analysis,
                               const Condition &condition) {
  if (analysis.isInvariant(condition.value))
    return false;
  std::optional<Bound> bound =
      ParallelAnalysis::getBound(condition, analysis.getShallow());
  if (!bound)
    return true;
  Replacements none;
  MapBuilder probe(analysis, none,
                   OpBuilder(analysis.getParallel().getContext()));
  return !probe.getSingleTerm(bound->expression);
}

/// Equations are applied first (phase 0), since they remove a dimension; then
/// constant bounds (1), which shrink the box; then all others (2).
MapBuilder::Emptiness
MapBuilder::applyConditions(ArrayRef<Condition> conditions) {
  SmallVector<std::pair<Condition, Bound>> bounds;
  for (const Condition &condition : conditions) {
    APInt constant;
    if (matchPattern(condition.value, m_ConstantInt(&constant))) {
      if (constant.isZero() != condition.negated)
        return Emptiness::Empty;
      continue;
    }
    if (analysis.isInvariant(condition.value))
      guards.push_back({condition, {}});
    else if (std::optional<Bound> bound =
                 ParallelAnalysis::getBound(condition, expressions))
      bounds.push_back({condition, *bound});
    else
      residual.push_back(condition);
  }
  for (unsigned phase = 0; phase < 3; ++phase)
    for (const auto &[condition, bound] : bounds)
      if (applyBound(bound, condition, phase) == Emptiness::Empty)
        return Emptiness::Empty;
  return Emptiness::MayRun;
}

MapBuilder::Emptiness MapBuilder::applyBound(const Bound &bound,
                                             const Condition &condition,
                                             unsigned phase) {
  if (bound.isEquation != (phase == 0))
    return Emptiness::MayRun;
  AffineExpr expression = replaceDimensions(bound.expression);
  if (std::optional<IntegerRange> range = getRange(expression, extents)) {
    bool never = range->maximum < 0 || (bound.isEquation && range->minimum > 0);
    bool always = bound.isEquation ? range->minimum == 0 && range->maximum == 0
                                   : range->minimum >= 0;
    if (never)
      return Emptiness::Empty;
    if (always)
      return Emptiness::MayRun;
  }
  if (!hasKind(expression, AffineExprKind::DimId)) {
    if (phase == 1)
      return Emptiness::MayRun; // once, in phase 2
    guards.push_back({std::nullopt, expression});
    if (bound.isEquation)
      guards.push_back({std::nullopt, expressions.simplify(-expression)});
    return Emptiness::MayRun;
  }
  std::optional<Term> term = getSingleTerm(expression);
  if (!term || (bound.isEquation && std::abs(term->coefficient) != 1)) {
    if (phase != 1)
      residual.push_back(condition);
    return Emptiness::MayRun;
  }
  auto [dimension, coefficient, rest] = *term;
  auto constant = dyn_cast<AffineConstantExpr>(rest);
  AffineExpr variable = getAffineDimExpr(dimension, context);
  auto substitute = [&](AffineExpr replacement) {
    for (AffineExpr &value : dimensionValues)
      value = expressions.simplify(value.replace(variable, replacement));
  };

  if (bound.isEquation) {
    // The dimension has one value: it leaves the box.
    AffineExpr value = expressions.simplify(rest * -coefficient);
    if (!constant) {
      guards.push_back({std::nullopt, value});
      guards.push_back(
          {std::nullopt, expressions.simplify(extents[dimension] - 1 - value)});
    }
    substitute(value);
    extents[dimension] = 1;
    return Emptiness::MayRun;
  }

  if ((phase == 1) != static_cast<bool>(constant))
    return Emptiness::MayRun;
  bool isLower = coefficient > 0;
  AffineExpr limit =
      isLower ? (-rest).ceilDiv(coefficient) : rest.floorDiv(-coefficient) + 1;
  limit = expressions.simplify(limit);
  if (!constant) {
    (isLower ? clips[dimension].lower : clips[dimension].upper)
        .push_back(limit);
    return Emptiness::MayRun;
  }
  // The range test above has shown that the limit is inside the box.
  int64_t value = cast<AffineConstantExpr>(limit).getValue();
  if (isLower) {
    substitute(variable + value);
    extents[dimension] -= value;
  } else {
    extents[dimension] = value;
  }
  return Emptiness::MayRun;
}

/// Wraps what follows in an `scf.if` on all guards. A guard that reads memory
/// is evaluated only where those before it hold.
void MapBuilder::emitGuards() {
  Value pending;
  auto open = [&] {
    if (!pending)
      return;
    auto branch = scf::IfOp::create(builder, location, pending,
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    pending = nullptr;
  };
  auto add = [&](Value condition) {
    pending = pending ? builder.createOrFold<arith::AndIOp>(location, pending,
                                                            condition)
                      : condition;
  };
  for (const Guard &guard : guards) {
    if (!guard.condition) {
      Value value = emitExpression(guard.expression);
      Value zero = arith::ConstantIndexOp::create(builder, location, 0);
      add(builder.createOrFold<arith::CmpIOp>(
          location, arith::CmpIPredicate::sge, value, zero));
      continue;
    }
    llvm::SetVector<Operation *> loads;
    analysis.collectLoads(guard.condition->value, loads);
    if (!loads.empty())
      open();
    Value condition = emitInvariant(guard.condition->value);
    if (guard.condition->negated) {
      Value one = arith::ConstantIntOp::create(builder, location, 1, 1);
      condition = builder.createOrFold<arith::XOrIOp>(location, condition, one);
    }
    add(condition);
  }
  open();
}

/// Clip bounds, kept within the box and in order.
void MapBuilder::emitClips(SmallVectorImpl<int64_t> &clipped,
                           SmallVectorImpl<Value> &lower,
                           SmallVectorImpl<Value> &upper) {
  for (auto [dimension, clip] : llvm::enumerate(clips)) {
    if (clip.lower.empty() && clip.upper.empty())
      continue;
    Value low = arith::ConstantIndexOp::create(builder, location, 0);
    Value high =
        arith::ConstantIndexOp::create(builder, location, extents[dimension]);
    Value extent = high;
    for (AffineExpr limit : clip.lower)
      low = builder.createOrFold<arith::MaxSIOp>(location,
                                                 emitExpression(limit), low);
    if (!clip.lower.empty())
      low = builder.createOrFold<arith::MinSIOp>(location, low, extent);
    for (AffineExpr limit : clip.upper)
      high = builder.createOrFold<arith::MinSIOp>(location,
                                                  emitExpression(limit), high);
    if (!clip.upper.empty())
      high = builder.createOrFold<arith::MaxSIOp>(location, high, low);
    clipped.push_back(dimension);
    lower.push_back(low);
    upper.push_back(high);
  }
}

/// Where the old value is written back, two iterations must not share an
/// element even where the condition holds for one of them only.
LogicalResult MapBuilder::verifyDistinctElements(const ElementUpdate &update) {
  if (residual.empty() || update.indices.empty())
    return success();
  ElementAccess access{nullptr, update.buffer,    update.indices, true,
                       0,       update.conditions};
  auto isApplied = [&](const Condition &condition) {
    return llvm::none_of(residual, [&](const Condition &other) {
      return other.value == condition.value;
    });
  };
  if (!analysis.mayConflictAcrossIterations(access, access, isApplied))
    return success();
  InFlightDiagnostic error = mlir::emitError(location)
                             << "unsupported store in T.Parallel: which "
                                "iteration writes an element of "
                             << describeBuffer(update.buffer)
                             << " depends on a condition that is not a bound "
                                "on one index; use T.serial";
  error.attachNote(residual.front().value.getLoc()) << "the condition is here";
  return failure();
}
