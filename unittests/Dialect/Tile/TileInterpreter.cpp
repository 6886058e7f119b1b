//===- TileInterpreter.cpp - Executes tile programs on integers ----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TileInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilelang::tile;
using namespace tilelang::tile::testing;

int64_t *BufferContents::at(ArrayRef<int64_t> indices) {
  int64_t position = 0;
  for (auto [index, extent] : llvm::zip_equal(indices, shape)) {
    if (index < 0 || index >= extent)
      return nullptr;
    position = position * extent + index;
  }
  return &elements[position];
}

BufferContents &TileInterpreter::getContents(Value buffer) {
  if (auto it = argumentBuffers.find(buffer); it != argumentBuffers.end())
    return (*arguments)[it->second];
  BufferContents &contents = allocated[buffer.getAsOpaquePointer()];
  if (contents.elements.empty()) {
    auto type = cast<MemRefType>(buffer.getType());
    contents.shape = llvm::to_vector(type.getShape());
    // Something that no program would store by chance.
    contents.elements.assign(type.getNumElements(), 987654);
  }
  return contents;
}

SmallVector<int64_t> TileInterpreter::getOffsets(Value region) {
  SmallVector<int64_t> offsets;
  for (Value offset : getRegionOp(region).getOffsets())
    offsets.push_back(get(offset));
  return offsets;
}

/// Values are kept as their type would: sign extended from its width.
void TileInterpreter::set(Value value, int64_t number) {
  Type type = value.getType();
  if (type.isInteger(1))
    number &= 1;
  else if (type.isInteger(32))
    number = static_cast<int32_t>(number);
  values[value] = number;
}

bool TileInterpreter::run(func::FuncOp function, ArrayRef<int64_t> numbers,
                          std::vector<BufferContents> &buffers) {
  arguments = &buffers;
  unsigned nextNumber = 0, nextBuffer = 0;
  for (BlockArgument argument : function.getArguments()) {
    if (isa<MemRefType>(argument.getType()))
      argumentBuffers[argument] = nextBuffer++;
    else
      values[argument] = numbers[nextNumber++];
  }
  return run(function.getBody().front());
}

bool TileInterpreter::run(Block &block) {
  for (Operation &op : block)
    if (!run(op))
      return false;
  return true;
}

bool TileInterpreter::forEachPoint(
    ArrayRef<int64_t> extents,
    llvm::function_ref<bool(ArrayRef<int64_t>)> body) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  for (int64_t step = 0; step < count; ++step) {
    int64_t rest = order == IterationOrder::Forward ? step : count - 1 - step;
    SmallVector<int64_t> indices(extents.size());
    for (int64_t d = static_cast<int64_t>(extents.size()) - 1; d >= 0; --d) {
      indices[d] = rest % extents[d];
      rest /= extents[d];
    }
    if (!body(indices))
      return false;
  }
  return true;
}

bool TileInterpreter::runParallel(ParallelOp parallel) {
  Block &body = parallel.getBody().front();
  return forEachPoint(parallel.getExtents(), [&](ArrayRef<int64_t> indices) {
    for (auto [argument, index] : llvm::zip(body.getArguments(), indices))
      values[argument] = index;
    return run(body);
  });
}

bool TileInterpreter::runMap(MapOp map) {
  Block &body = map.getBody().front();
  SmallVector<AffineMap> maps =
      llvm::to_vector(map.getMaps().getAsValueRange<AffineMapAttr>());
  auto locate = [&](Value region, AffineMap access,
                    ArrayRef<int64_t> indices) -> int64_t * {
    SmallVector<int64_t> element = getOffsets(region);
    for (auto [index, result] : llvm::zip(element, access.compose(indices)))
      index += result;
    return getContents(getRegionOp(region).getBuffer()).at(element);
  };
  // What targets may rely on: bounds within the box and in order.
  for (auto [dimension, lower, upper] :
       llvm::zip(map.getClipped(), map.getLower(), map.getUpper()))
    if (get(lower) < 0 || get(lower) > get(upper) ||
        get(upper) > map.getExtents()[dimension]) {
      error = "clip bounds outside the box or out of order";
      return false;
    }
  return forEachPoint(map.getExtents(), [&](ArrayRef<int64_t> indices) {
    for (auto [dimension, lower, upper] :
         llvm::zip(map.getClipped(), map.getLower(), map.getUpper()))
      if (indices[dimension] < get(lower) || indices[dimension] >= get(upper))
        return true;
    point = llvm::to_vector(indices);
    for (unsigned i = 0; i < map.getInputs().size(); ++i) {
      int64_t *element = locate(map.getInputs()[i], maps[i], indices);
      set(body.getArgument(i), element ? *element : 0);
    }
    if (!run(body))
      return false;
    int64_t result = get(body.getTerminator()->getOperand(0));
    if (int64_t *element = locate(map.getOutput(), maps.back(), indices))
      *element = result;
    return true;
  });
}

bool TileInterpreter::runCopy(CopyOp copy) {
  RegionOp source = getRegionOp(copy.getSource());
  RegionOp destination = getRegionOp(copy.getDestination());
  ArrayRef<int64_t> shape = copy.getSource().getType().getShape();
  if (shape != copy.getDestination().getType().getShape()) {
    error = "copies of different ranks are not interpreted";
    return false;
  }
  SmallVector<int64_t> from = getOffsets(copy.getSource());
  SmallVector<int64_t> to = getOffsets(copy.getDestination());
  return forEachPoint(shape, [&](ArrayRef<int64_t> indices) {
    SmallVector<int64_t> a(from), b(to);
    for (auto [x, y, index] : llvm::zip(a, b, indices)) {
      x += index;
      y += index;
    }
    int64_t *read = getContents(source.getBuffer()).at(a);
    if (int64_t *written = getContents(destination.getBuffer()).at(b))
      *written = read ? *read : 0;
    return true;
  });
}

bool TileInterpreter::run(Operation &op) {
  if (isa<RegionOp, func::ReturnOp, YieldOp, scf::YieldOp>(op))
    return true;
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    allocated.erase(alloc.getBuffer().getAsOpaquePointer());
    return true;
  }
  if (auto parallel = dyn_cast<ParallelOp>(op))
    return runParallel(parallel);
  if (auto map = dyn_cast<MapOp>(op))
    return runMap(map);
  if (auto copy = dyn_cast<CopyOp>(op))
    return runCopy(copy);
  if (auto fill = dyn_cast<FillOp>(op)) {
    RegionOp region = getRegionOp(fill.getDestination());
    SmallVector<int64_t> offsets = getOffsets(fill.getDestination());
    return forEachPoint(fill.getDestination().getType().getShape(),
                        [&](ArrayRef<int64_t> indices) {
                          SmallVector<int64_t> element(offsets);
                          for (auto [x, index] : llvm::zip(element, indices))
                            x += index;
                          if (int64_t *written =
                                  getContents(region.getBuffer()).at(element))
                            *written = get(fill.getValue());
                          return true;
                        });
  }
  if (auto loop = dyn_cast<ForOp>(op)) {
    for (int64_t i = get(loop.getLower()); i < get(loop.getUpper());
         i += get(loop.getStep())) {
      values[loop.getBody().getArgument(0)] = i;
      if (!run(loop.getBody().front()))
        return false;
    }
    return true;
  }
  if (auto load = dyn_cast<LoadOp>(op)) {
    SmallVector<int64_t> indices;
    for (Value index : load.getIndices())
      indices.push_back(get(index));
    int64_t *element = getContents(load.getBuffer()).at(indices);
    set(load.getResult(), element ? *element : 0);
    return true;
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    SmallVector<int64_t> indices;
    for (Value index : store.getIndices())
      indices.push_back(get(index));
    if (int64_t *element = getContents(store.getBuffer()).at(indices))
      *element = get(store.getValue());
    return true;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Block *block =
        get(branch.getCondition()) ? branch.thenBlock() : branch.elseBlock();
    if (!block)
      return true;
    if (!run(*block))
      return false;
    for (auto [result, value] :
         llvm::zip(branch.getResults(), block->getTerminator()->getOperands()))
      set(result, get(value));
    return true;
  }
  return runScalar(op);
}

bool TileInterpreter::runScalar(Operation &op) {
  auto operand = [&](unsigned i) { return get(op.getOperand(i)); };
  auto result = [&](int64_t number) {
    set(op.getResult(0), number);
    return true;
  };
  if (isa<arith::ConstantOp>(op))
    return result(*getConstantIntValue(op.getResult(0)));
  if (auto index = dyn_cast<IndexOp>(op))
    return result(point[index.getDimension()]);
  if (isa<arith::AddIOp>(op))
    return result(operand(0) + operand(1));
  if (isa<arith::SubIOp>(op))
    return result(operand(0) - operand(1));
  if (isa<arith::MulIOp>(op))
    return result(operand(0) * operand(1));
  if (isa<arith::FloorDivSIOp>(op))
    return result(llvm::divideFloorSigned(operand(0), operand(1)));
  if (isa<arith::CeilDivSIOp>(op))
    return result(llvm::divideCeilSigned(operand(0), operand(1)));
  if (isa<arith::RemSIOp>(op))
    return result(operand(0) % operand(1));
  if (isa<arith::AndIOp>(op))
    return result(operand(0) & operand(1));
  if (isa<arith::OrIOp>(op))
    return result(operand(0) | operand(1));
  if (isa<arith::XOrIOp>(op))
    return result(operand(0) ^ operand(1));
  if (isa<arith::MaxSIOp>(op))
    return result(std::max(operand(0), operand(1)));
  if (isa<arith::MinSIOp>(op))
    return result(std::min(operand(0), operand(1)));
  if (isa<arith::IndexCastOp>(op))
    return result(operand(0));
  if (isa<arith::SelectOp>(op))
    return result(operand(0) ? operand(1) : operand(2));
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    int64_t a = operand(0), b = operand(1);
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::eq:
      return result(a == b);
    case arith::CmpIPredicate::ne:
      return result(a != b);
    case arith::CmpIPredicate::slt:
      return result(a < b);
    case arith::CmpIPredicate::sle:
      return result(a <= b);
    case arith::CmpIPredicate::sgt:
      return result(a > b);
    case arith::CmpIPredicate::sge:
      return result(a >= b);
    default:
      break;
    }
  }
  error = "not interpreted: " + op.getName().getStringRef().str();
  return false;
}
