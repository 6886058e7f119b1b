//===- ScalarLoop.cpp - Maps without a vector form ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorLowering.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"

using namespace mlir;

namespace tilelang::vectorcore {

namespace {

class ScalarLoopBuilder {
public:
  ScalarLoopBuilder(VectorContext &context, tile::MapOp map)
      : context(context), map(map), location(map.getLoc()), builder(map) {}

  LogicalResult build() {
    if (map.getAtomic() &&
        failed(verifyAtomicAddition(map, tile::getBuffer(map.getOutput()))))
      return failure();
    for (auto [dimension, extent] : llvm::enumerate(map.getExtents()))
      enterLoop(dimension, extent);
    for (BlockArgument argument : map.getBody().front().getArguments()) {
      unsigned number = argument.getArgNumber();
      SmallVector<Value> indices =
          accessIndices(builder, map, number, iteration);
      mapping.map(argument,
                  readElement(builder, location, context,
                              tile::getBuffer(map.getInputs()[number]),
                              indices));
    }
    Block &body = map.getBody().front();
    if (failed(cloneBlock(body)))
      return failure();
    Value result = mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
    SmallVector<Value> indices =
        accessIndices(builder, map, map.getInputs().size(), iteration);
    writeElement(builder, location, context, result,
                 tile::getBuffer(map.getOutput()), indices, map.getAtomic());
    return success();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, location, value);
  }

  void enterLoop(unsigned dimension, int64_t extent) {
    Value lower = constant(0), upper = constant(extent);
    auto position = llvm::find(map.getClipped(), dimension);
    if (position != map.getClipped().end()) {
      unsigned number = position - map.getClipped().begin();
      if (constantOf(map.getLower()[number]) != 0)
        lower = arith::MaxSIOp::create(builder, location, lower,
                                       map.getLower()[number]);
      upper = arith::MinSIOp::create(builder, location, upper,
                                     map.getUpper()[number]);
    } else if (extent == 1) {
      iteration.push_back(lower);
      return;
    }
    auto loop =
        scf::ForOp::create(builder, location, lower, upper, constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    iteration.push_back(loop.getInductionVar());
  }

  LogicalResult cloneBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      if (failed(cloneOperation(op)))
        return failure();
    return success();
  }

  LogicalResult cloneOperation(Operation &op) {
    if (auto index = dyn_cast<tile::IndexOp>(op)) {
      mapping.map(index.getResult(), iteration[index.getDimension()]);
      return success();
    }
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      SmallVector<Value> indices;
      for (Value index : load.getIndices())
        indices.push_back(mapping.lookupOrDefault(index));
      mapping.map(load.getResult(), readElement(builder, op.getLoc(), context,
                                                load.getBuffer(), indices));
      return success();
    }
    if (auto cast = dyn_cast<tile::CastOp>(op)) {
      Value source = mapping.lookupOrDefault(cast.getSource());
      Value result = lowerScalarCast(builder, cast, source);
      if (!result)
        return op.emitError()
               << "unsupported: the scalar unit has no such conversion from "
               << source.getType() << " to " << cast.getResult().getType()
               << ", and the loop around it has no vector form";
      mapping.map(cast.getResult(), result);
      return success();
    }
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return cloneIf(branch);
    if (isa<math::MathDialect>(op.getDialect()) || isa<arith::RemFOp>(op))
      return op.emitError()
             << "unsupported: the scalar unit has no '"
             << op.getName().stripDialect()
             << "', and the loop around it has no vector form; compute it in "
                "a T.Parallel of its own, into a tile";
    builder.clone(op, mapping);
    return success();
  }

  LogicalResult cloneIf(scf::IfOp branch) {
    auto copy =
        scf::IfOp::create(builder, branch.getLoc(), branch.getResultTypes(),
                          mapping.lookupOrDefault(branch.getCondition()),
                          !branch.getElseRegion().empty());
    for (auto [from, to] :
         llvm::zip_equal(branch->getRegions(), copy->getRegions())) {
      if (from.empty())
        continue;
      OpBuilder::InsertionGuard guard(builder);
      Block *block = &to.front();
      block->clear();
      builder.setInsertionPointToStart(block);
      if (failed(cloneBlock(from.front())))
        return failure();
      SmallVector<Value> results;
      for (Value value : from.front().getTerminator()->getOperands())
        results.push_back(mapping.lookupOrDefault(value));
      scf::YieldOp::create(builder, branch.getLoc(), results);
    }
    mapping.map(branch.getResults(), copy.getResults());
    return success();
  }

  VectorContext &context;
  tile::MapOp map;
  Location location;
  OpBuilder builder;
  IRMapping mapping;
  SmallVector<Value> iteration;
};

} // namespace

LogicalResult lowerMapToScalarLoop(VectorContext &context, tile::MapOp map,
                                   const std::string &reason) {
  map.emitRemark() << "runs as a scalar loop: " << reason;
  if (failed(ScalarLoopBuilder(context, map).build()))
    return failure();
  map.erase();
  return success();
}

} // namespace tilelang::vectorcore
