//===- MapBuilder.cpp - Builds one map from a store of a parallel --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MapBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"

using namespace mlir;
using namespace tilelang::tile;

MapBuilder::MapBuilder(ParallelAnalysis &analysis,
                       const Replacements &replacements, OpBuilder builder)
    : analysis(analysis), expressions(analysis.getShallow()),
      replacements(replacements), builder(builder),
      context(builder.getContext()), location(builder.getUnknownLoc()),
      extents(analysis.getExtents()), clips(extents.size()) {
  for (unsigned i = 0; i < extents.size(); ++i)
    dimensionValues.push_back(getAffineDimExpr(i, context));
}

MapBuilder::~MapBuilder() = default;

LogicalResult MapBuilder::build(const ElementUpdate &update) {
  location = update.location;
  if (applyConditions(update.conditions) == Emptiness::Empty)
    return success();
  std::optional<AffineAccess> output = update.indices.empty()
                                           ? getAccess(dimensionValues)
                                           : getAccess(update.indices);
  if (!output)
    return mlir::emitError(location)
           << "unsupported store in T.Parallel: an index of "
           << describeBuffer(update.buffer)
           << " is not a sum of multiples of the loop indices and of values "
              "that do not change in the loop; use T.serial";
  if (!update.isAtomic && failed(verifyDistinctElements(update)))
    return failure();
  emitGuards();
  SmallVector<int64_t> clipped;
  SmallVector<Value> lower, upper;
  emitClips(clipped, lower, upper);

  body = std::make_unique<Block>();
  OpBuilder bodyBuilder(context);
  bodyBuilder.setInsertionPointToEnd(body.get());
  Value result = emitUpdate(update, *output, bodyBuilder);
  if (!result)
    return failure();
  YieldOp::create(bodyBuilder, location, result);

  SmallVector<Value> regions;
  SmallVector<AffineMap> maps;
  for (const Input &input : inputs) {
    regions.push_back(emitRegion(input.buffer, input.access));
    maps.push_back(input.access.map);
  }
  maps.push_back(output->map);
  Value outputRegion = emitRegion(update.buffer, *output);
  auto map = MapOp::create(
      builder, location, extents, regions, outputRegion, clipped, lower, upper,
      builder.getAffineMapArrayAttr(maps), update.isAtomic);
  if (auto names = analysis.getParallel()->getAttr("indexNames"))
    map->setAttr("indexNames", names);
  map.getBody().push_back(body.release());
  return success();
}

//===----------------------------------------------------------------------===//
// Values in the body
//===----------------------------------------------------------------------===//

/// What changes nothing when it is added: -0.0, as 0.0 would turn -0.0 into
/// 0.0.
static Value emitNeutral(Type type, OpBuilder &body, Location location) {
  if (auto floating = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(
        body, location,
        FloatAttr::get(floating,
                       APFloat::getZero(floating.getFloatSemantics(), true)));
  return arith::ConstantOp::create(body, location, body.getZeroAttr(type));
}

Value MapBuilder::emitUpdate(const ElementUpdate &update,
                             const AffineAccess &output, OpBuilder &body) {
  scf::IfOp selector = update.selector;
  auto getValue = [&](OpBuilder &inner) -> Value {
    if (!selector)
      return emit(update.value, inner);
    Value condition = emit(selector.getCondition(), inner);
    if (isSpeculatable(update.value, selector) &&
        isSpeculatable(update.alternative, selector)) {
      Value first = emit(update.value, inner);
      Value second = emit(update.alternative, inner);
      return arith::SelectOp::create(inner, location, condition, first, second);
    }
    return emitIf(condition, inner, location, update.value, update.alternative)
        .front();
  };
  if (residual.empty())
    return getValue(body);

  Value condition = emitConjunction(residual, body, location);
  Value old = update.isAtomic
                  ? emitNeutral(update.value.getType(), body, location)
                  : emitInput(update.buffer, output, location);
  bool speculatable =
      isSpeculatable(update.value, update.scope) &&
      (!update.alternative || isSpeculatable(update.alternative, update.scope));
  if (speculatable)
    return arith::SelectOp::create(body, location, condition, getValue(body),
                                   old);
  auto branch = scf::IfOp::create(body, location, old.getType(), condition,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder thenBuilder = OpBuilder::atBlockEnd(branch.thenBlock());
  scf::YieldOp::create(thenBuilder, location, getValue(thenBuilder));
  OpBuilder elseBuilder = OpBuilder::atBlockEnd(branch.elseBlock());
  scf::YieldOp::create(elseBuilder, location, old);
  return branch.getResult(0);
}

Value MapBuilder::emit(Value value, OpBuilder &body) {
  if (Value known = emitted.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  ParallelOp parallel = analysis.getParallel();
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == &parallel.getBody().front()) {
    result = emitIndex(argument.getArgNumber(), body);
  } else if (!op || !parallel->isProperAncestor(op)) {
    return value;
  } else if (analysis.isInvariantData(value)) {
    return emitInvariant(value);
  } else if (StoreOp store = replacements.stored.lookup(value)) {
    // Reading the tile costs less than computing the value again.
    result = emitInput(store.getBuffer(), *getAccess(store.getIndices()),
                       value.getLoc());
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    result = emitLoad(load, body);
  } else if (isa<scf::IfOp>(op)) {
    result = emitBranch(cast<OpResult>(value), body);
  } else {
    for (Value operand : op->getOperands())
      emitted.map(operand, emit(operand, body));
    body.clone(*op, emitted);
    return emitted.lookup(value);
  }
  emitted.map(value, result);
  return result;
}

Value MapBuilder::emitIndex(unsigned dimension, OpBuilder &body) {
  AffineExpr dimensions, symbols;
  [[maybe_unused]] bool separated =
      separate(dimensionValues[dimension], dimensions, symbols);
  assert(separated && "dimensions are shifted or replaced, nothing else");
  if (dimensions == 0)
    return emitExpression(symbols);
  Value index = IndexOp::create(body, location, body.getIndexType(), dimension);
  if (symbols == 0)
    return index;
  return arith::AddIOp::create(body, location, index, emitExpression(symbols));
}

Value MapBuilder::emitLoad(LoadOp load, OpBuilder &body) {
  if (Value kept = replacements.kept.lookup(load))
    return emitInput(kept, *getAccess(dimensionValues), load.getLoc());
  if (replacements.forwarded.contains(load))
    return emitForwarded(load, body);
  if (std::optional<AffineAccess> access = getAccess(load.getIndices()))
    return emitInput(load.getBuffer(), *access, load.getLoc());
  // A gather.
  SmallVector<Value> indices;
  for (Value index : load.getIndices())
    indices.push_back(emit(index, body));
  return LoadOp::create(body, load.getLoc(), load.getType(), load.getBuffer(),
                        indices);
}

/// The value of a private element: what was stored last.
Value MapBuilder::emitForwarded(LoadOp load, OpBuilder &body) {
  Value result;
  for (Operation *op : replacements.forwarded.lookup(load)) {
    auto store = cast<StoreOp>(op);
    Value value = emit(store.getValue(), body);
    if (!result) {
      result = value;
      continue;
    }
    Value condition = emitConjunction(analysis.getAccess(store).conditions,
                                      body, store.getLoc());
    result =
        arith::SelectOp::create(body, store.getLoc(), condition, value, result);
  }
  return result;
}

Value MapBuilder::emitBranch(OpResult result, OpBuilder &body) {
  auto branch = cast<scf::IfOp>(result.getOwner());
  Value condition = emit(branch.getCondition(), body);
  unsigned number = result.getResultNumber();
  Value first = branch.thenYield().getOperand(number);
  Value second = branch.elseYield().getOperand(number);
  if (isSpeculatable(first, branch) && isSpeculatable(second, branch)) {
    Value emittedFirst = emit(first, body), emittedSecond = emit(second, body);
    return arith::SelectOp::create(body, branch.getLoc(), condition,
                                   emittedFirst, emittedSecond);
  }
  SmallVector<Value> results =
      emitIf(condition, body, branch.getLoc(), branch.thenYield().getOperands(),
             branch.elseYield().getOperands());
  for (auto [old, created] : llvm::zip_equal(branch.getResults(), results))
    emitted.map(old, created);
  return results[number];
}

SmallVector<Value> MapBuilder::emitIf(Value condition, OpBuilder &body,
                                      Location location, ValueRange first,
                                      ValueRange second) {
  auto branch = scf::IfOp::create(body, location, TypeRange(first), condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [block, values] : {std::pair(branch.thenBlock(), first),
                               std::pair(branch.elseBlock(), second)}) {
    // What a branch computes is not visible after it.
    IRMapping outer = emitted;
    OpBuilder inner = OpBuilder::atBlockEnd(block);
    SmallVector<Value> results;
    for (Value value : values)
      results.push_back(emit(value, inner));
    scf::YieldOp::create(inner, location, results);
    emitted = outer;
  }
  return llvm::to_vector_of<Value>(branch.getResults());
}

Value MapBuilder::emitInput(Value buffer, const AffineAccess &access,
                            Location location) {
  for (auto [index, input] : llvm::enumerate(inputs))
    if (input.buffer == buffer && input.access == access)
      return body->getArgument(index);
  inputs.push_back({buffer, access});
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return body->addArgument(getScalarType(element), location);
}

Value MapBuilder::emitConjunction(ArrayRef<Condition> conditions,
                                  OpBuilder &body, Location location) {
  Value result;
  for (const Condition &condition : conditions) {
    Value value = emit(condition.value, body);
    if (condition.negated) {
      Value one = arith::ConstantIntOp::create(builder, location, 1, 1);
      value = arith::XOrIOp::create(body, location, value, one);
    }
    result =
        result ? arith::AndIOp::create(body, location, result, value) : value;
  }
  return result;
}

bool MapBuilder::isSpeculatable(Value value, Operation *scope) {
  Operation *op = value.getDefiningOp();
  if (!op || !scope || !scope->isProperAncestor(op) ||
      analysis.isInvariantData(value) || replacements.stored.contains(value))
    return true;
  if (auto load = dyn_cast<LoadOp>(op)) {
    if (replacements.kept.contains(load))
      return true;
    auto forwarded = replacements.forwarded.find(load);
    if (forwarded != replacements.forwarded.end())
      return llvm::all_of(forwarded->second, [&](Operation *store) {
        return isSpeculatable(cast<StoreOp>(store).getValue(), scope);
      });
    // A region may overhang its buffer; a computed address may not.
    return getAccess(load.getIndices()).has_value();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return isSpeculatable(branch.getCondition(), scope) &&
           isSpeculatable(branch.thenYield().getOperand(number), scope) &&
           isSpeculatable(branch.elseYield().getOperand(number), scope);
  }
  return mlir::isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isSpeculatable(operand, scope);
         });
}
