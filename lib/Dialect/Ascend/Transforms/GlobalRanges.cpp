//===- GlobalRanges.cpp - Which accesses to global memory can meet --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Offsets are compared as linear forms. A value that is defined inside the loop
// in question and is no loop variable with constant bounds may be anything in
// each iteration, so it makes the answer "may meet".
//
// Rows do not wrap: the columns of an access lie inside a row of its tensor.
//
//===----------------------------------------------------------------------===//

#include "GlobalRanges.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

std::optional<int64_t> sync::constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

void sync::addScaled(LinearForm &form, Value value, int64_t scale) {
  if (auto constant = constantOf(value)) {
    form.constant += scale * *constant;
    return;
  }
  if (auto add = value.getDefiningOp<arith::AddIOp>()) {
    addScaled(form, add.getLhs(), scale);
    addScaled(form, add.getRhs(), scale);
    return;
  }
  if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
    addScaled(form, sub.getLhs(), scale);
    addScaled(form, sub.getRhs(), -scale);
    return;
  }
  if (auto mul = value.getDefiningOp<arith::MulIOp>()) {
    if (auto factor = constantOf(mul.getRhs()))
      return addScaled(form, mul.getLhs(), scale * *factor);
    if (auto factor = constantOf(mul.getLhs()))
      return addScaled(form, mul.getRhs(), scale * *factor);
  }
  int64_t &coefficient = form.terms[value];
  coefficient += scale;
  if (coefficient == 0)
    form.terms.erase(value);
}

LinearForm sync::linearFormOf(Value value) {
  LinearForm form;
  addScaled(form, value, 1);
  return form;
}

std::optional<int64_t> sync::upperBoundOf(Value value) {
  if (auto constant = constantOf(value))
    return constant;
  auto smaller = [](std::optional<int64_t> a, std::optional<int64_t> b) {
    return a && b ? std::min(*a, *b) : a ? a : b;
  };
  auto larger = [](std::optional<int64_t> a,
                   std::optional<int64_t> b) -> std::optional<int64_t> {
    return a && b ? std::optional(std::max(*a, *b)) : std::nullopt;
  };
  if (auto op = value.getDefiningOp<arith::MinSIOp>())
    return smaller(upperBoundOf(op.getLhs()), upperBoundOf(op.getRhs()));
  if (auto op = value.getDefiningOp<arith::MinUIOp>())
    return smaller(upperBoundOf(op.getLhs()), upperBoundOf(op.getRhs()));
  if (auto op = value.getDefiningOp<arith::MaxSIOp>())
    return larger(upperBoundOf(op.getLhs()), upperBoundOf(op.getRhs()));
  if (auto op = value.getDefiningOp<arith::SelectOp>())
    return larger(upperBoundOf(op.getTrueValue()),
                  upperBoundOf(op.getFalseValue()));
  return std::nullopt;
}

/// `view` may be a part of a workspace slot; its start counts too.
static std::optional<GlobalRange> makeRange(Value view, Value offset,
                                            std::optional<int64_t> rows,
                                            std::optional<int64_t> columns,
                                            std::optional<int64_t> stride) {
  GlobalRange range;
  range.elementType = cast<MemRefType>(view.getType()).getElementType();
  addScaled(range.offset, offset, 1);
  while (auto op = view.getDefiningOp<ViewOp>()) {
    auto source = cast<MemRefType>(op.getSource().getType());
    if (source.getElementType() != range.elementType)
      return std::nullopt;
    if (op.getOffset())
      addScaled(range.offset, op.getOffset(), 1);
    view = op.getSource();
  }
  range.rows = rows;
  range.columns = columns;
  range.stride = stride;
  return range;
}

std::optional<GlobalRange> sync::globalRangeOf(Operation *op) {
  using Result = std::optional<GlobalRange>;
  auto rectangle = [](Value buffer, auto access) -> Result {
    return makeRange(buffer, access.getOffset(), upperBoundOf(access.getRows()),
                     upperBoundOf(access.getColumns()),
                     constantOf(access.getStride()));
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](LoadOp load) { return rectangle(load.getSource(), load); })
      .Case([&](Nd2NzOp load) { return rectangle(load.getSource(), load); })
      .Case([&](StoreOp store) {
        return rectangle(store.getDestination(), store);
      })
      .Case([&](FixpipeOp store) {
        return rectangle(store.getDestination(), store);
      })
      .Case([&](GetValueOp get) -> Result {
        return makeRange(get.getSource(), get.getOffset(), 1, 1, 1);
      })
      .Case([&](SetValueOp set) -> Result {
        return makeRange(set.getDestination(), set.getOffset(), 1, 1, 1);
      })
      .Default([](Operation *) { return Result(); });
}

static bool isInside(Value value, scf::ForOp loop) {
  return loop && loop.getRegion().isAncestor(value.getParentRegion());
}

/// Adds the contribution of a loop variable that takes any value of its loop.
static bool widen(Distance &distance, Value symbol, int64_t coefficient) {
  auto argument = dyn_cast<BlockArgument>(symbol);
  if (!argument)
    return false;
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || loop.getInductionVar() != symbol)
    return false;
  auto lower = constantOf(loop.getLowerBound());
  auto upper = upperBoundOf(loop.getUpperBound());
  if (!lower || !upper)
    return false;
  int64_t last = std::max(*lower, *upper - 1);
  distance.low += std::min(coefficient * *lower, coefficient * last);
  distance.high += std::max(coefficient * *lower, coefficient * last);
  return true;
}

std::optional<Distance> sync::distanceOf(const LinearForm &first,
                                         const LinearForm &second,
                                         llvm::function_ref<bool(Value)> varies,
                                         Value except) {
  Distance distance{second.constant - first.constant,
                    second.constant - first.constant};
  for (auto [symbol, coefficient] : second.terms) {
    if (symbol == except)
      continue;
    if (varies(symbol)) {
      if (!widen(distance, symbol, coefficient))
        return std::nullopt;
      continue;
    }
    auto other = first.terms.find(symbol);
    if (other == first.terms.end() || other->second != coefficient)
      return std::nullopt;
  }
  for (auto [symbol, coefficient] : first.terms) {
    if (symbol == except)
      continue;
    if (varies(symbol)) {
      if (!widen(distance, symbol, -coefficient))
        return std::nullopt;
      continue;
    }
    if (!second.terms.contains(symbol))
      return std::nullopt;
  }
  return distance;
}

bool sync::variesWithin(Value symbol, scf::ForOp within) {
  Operation *owner = symbol.getParentBlock()->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(owner);
  if (!loop)
    loop = owner->getParentOfType<scf::ForOp>();
  if (!loop || loop == within)
    return false;
  return !within || within->isProperAncestor(loop);
}

/// Elements from the first to the last one touched, where known.
static std::optional<int64_t> spanOf(const GlobalRange &range) {
  if (!range.columns)
    return std::nullopt;
  if (range.rows && *range.rows <= 1)
    return range.columns;
  if (!range.rows || !range.stride)
    return std::nullopt;
  return (*range.rows - 1) * *range.stride + *range.columns;
}

static bool areApart(const GlobalRange &first, const GlobalRange &second,
                     Distance distance) {
  auto firstSpan = spanOf(first), secondSpan = spanOf(second);
  if (firstSpan && distance.low >= *firstSpan)
    return true;
  if (secondSpan && distance.high <= -*secondSpan)
    return true;
  if (!distance.exact() || !first.columns || !second.columns || !first.stride ||
      first.stride != second.stride)
    return false;
  // Side by side in the rows of one tensor: neither column distance that the
  // element distance allows may make the columns overlap.
  int64_t width = *first.stride;
  if (width <= 0 || *first.columns > width || *second.columns > width)
    return false;
  int64_t right = ((distance.low % width) + width) % width;
  int64_t left = right - width;
  bool rightApart = right >= *first.columns || right > width - *second.columns;
  bool leftApart = -left >= *second.columns || -left > width - *first.columns;
  return rightApart && leftApart;
}

bool sync::mayMeetInIteration(const GlobalRange &first,
                              const GlobalRange &second, scf::ForOp within) {
  if (first.elementType != second.elementType)
    return true;
  auto distance = distanceOf(first.offset, second.offset, [&](Value symbol) {
    return variesWithin(symbol, within);
  });
  return !distance || !areApart(first, second, *distance);
}

bool sync::mayMeetAcross(const GlobalRange &first, const GlobalRange &second,
                         scf::ForOp loop) {
  if (first.elementType != second.elementType)
    return true;
  Value variable = loop.getInductionVar();
  auto varies = [&](Value symbol) { return isInside(symbol, loop); };
  auto distance = distanceOf(first.offset, second.offset, varies, variable);
  if (!distance)
    return true;
  auto coefficientOf = [&](const GlobalRange &range) {
    auto entry = range.offset.terms.find(variable);
    return entry == range.offset.terms.end() ? int64_t(0) : entry->second;
  };
  int64_t coefficient = coefficientOf(first);
  auto step = constantOf(loop.getStep());
  if (coefficient != coefficientOf(second) || coefficient == 0 || !step)
    return true;
  int64_t move = std::abs(coefficient * *step);
  // Later iterations lie further away: the first step decides.
  auto firstSpan = spanOf(first), secondSpan = spanOf(second);
  if (firstSpan && secondSpan && distance->low + move >= *firstSpan &&
      distance->high - move <= -*secondSpan)
    return false;
  // Side by side along the columns of one tensor.
  return !(distance->exact() && distance->low == 0 && first.stride &&
           first.stride == second.stride && first.columns && second.columns &&
           move < *first.stride &&
           move >= std::max(*first.columns, *second.columns));
}
