//===- RegionUtils.cpp - From regions to buffers, names and boxes --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Dialect/Tile/IR/RegionUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilelang::tile;

RegionOp tilelang::tile::getRegionOp(Value region) {
  return region ? region.getDefiningOp<RegionOp>() : RegionOp();
}

Block *tilelang::tile::getCommonBlock(ArrayRef<Operation *> ops) {
  Block *block = ops.front()->getBlock();
  while (block) {
    if (llvm::all_of(ops, [&](Operation *op) {
          return block->findAncestorOpInBlock(*op) != nullptr;
        }))
      return block;
    Operation *parent = block->getParentOp();
    block = parent ? parent->getBlock() : nullptr;
  }
  return nullptr;
}

TypedValue<MemRefType> tilelang::tile::getBuffer(Value target) {
  if (RegionOp region = getRegionOp(target))
    target = region.getBuffer();
  return dyn_cast_if_present<TypedValue<MemRefType>>(target);
}

Operation *tilelang::tile::getBufferDefinition(Value target) {
  Value buffer = getBuffer(target);
  return buffer ? buffer.getDefiningOp() : nullptr;
}

StringRef tilelang::tile::getBufferName(Value target) {
  Operation *definition = getBufferDefinition(target);
  if (!definition)
    return {};
  auto name = definition->getAttrOfType<StringAttr>("name");
  return name ? name.getValue() : StringRef();
}

std::string tilelang::tile::describeBuffer(Value target) {
  StringRef name = getBufferName(target);
  return name.empty() ? "buffer" : "buffer '" + name.str() + "'";
}

bool tilelang::tile::isOnChip(Value target) {
  Value buffer = getBuffer(target);
  if (!buffer)
    return false;
  std::optional<ScopeKind> scope = getScope(buffer.getType());
  return scope && *scope != ScopeKind::Global;
}

std::optional<int64_t> tilelang::tile::getConstantOffset(RegionOp region,
                                                         unsigned dimension) {
  return getConstantIntValue(OpFoldResult(region.getOffsets()[dimension]));
}

std::optional<SmallVector<int64_t>>
tilelang::tile::getConstantOffsets(RegionOp region) {
  SmallVector<int64_t> offsets;
  for (unsigned i = 0, e = region.getOffsets().size(); i < e; ++i) {
    std::optional<int64_t> offset = getConstantOffset(region, i);
    if (!offset)
      return std::nullopt;
    offsets.push_back(*offset);
  }
  return offsets;
}

OpFoldResult tilelang::tile::getSize(RegionOp region, unsigned dimension) {
  ArrayRef<int64_t> shape = region.getRegion().getType().getShape();
  if (!ShapedType::isDynamic(shape[dimension]))
    return Builder(region.getContext()).getIndexAttr(shape[dimension]);
  unsigned operand =
      llvm::count(shape.take_front(dimension), ShapedType::kDynamic);
  Value size = region.getSizes()[operand];
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return Builder(region.getContext()).getIndexAttr(*constant);
  return size;
}

std::optional<SmallVector<int64_t>>
tilelang::tile::getConstantSizes(RegionOp region) {
  SmallVector<int64_t> sizes;
  for (unsigned i = 0, e = region.getOffsets().size(); i < e; ++i) {
    std::optional<int64_t> size = getConstantIntValue(getSize(region, i));
    if (!size)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

/// The extent of a buffer in one dimension. Null where it is dynamic and its
/// definition does not tell.
static OpFoldResult getBufferSize(Value buffer, unsigned dimension) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dimension))
    return Builder(buffer.getContext())
        .getIndexAttr(type.getDimSize(dimension));
  auto tensor = buffer.getDefiningOp<TensorOp>();
  if (!tensor)
    return {};
  Value size = tensor.getSizes()[type.getDynamicDimIndex(dimension)];
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return Builder(buffer.getContext()).getIndexAttr(*constant);
  return size;
}

bool tilelang::tile::coversBuffer(Value target) {
  RegionOp region = getRegionOp(target);
  if (!region)
    return isa<MemRefType>(target.getType());
  for (unsigned i = 0, e = region.getOffsets().size(); i < e; ++i) {
    if (getConstantOffset(region, i) != 0)
      return false;
    OpFoldResult bufferSize = getBufferSize(region.getBuffer(), i);
    OpFoldResult size = getSize(region, i);
    if (bufferSize && size == bufferSize)
      continue;
    // A region that overhangs its buffer covers it as well.
    std::optional<int64_t> a = getConstantIntValue(size);
    std::optional<int64_t> b =
        bufferSize ? getConstantIntValue(bufferSize) : std::nullopt;
    if (!a || !b || *a < *b)
      return false;
  }
  return true;
}

bool RegionOp::coversBuffer() { return tile::coversBuffer(getRegion()); }

void RegionOp::build(OpBuilder &builder, OperationState &state, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Location location = state.location;
  SmallVector<Value> offsets, sizes;
  Value zero;
  for (unsigned i = 0; i < type.getRank(); ++i) {
    if (!zero)
      zero = arith::ConstantIndexOp::create(builder, location, 0);
    offsets.push_back(zero);
    if (!type.isDynamicDim(i))
      continue;
    OpFoldResult size = getBufferSize(buffer, i);
    if (auto value = llvm::dyn_cast_if_present<Value>(size)) {
      sizes.push_back(value);
    } else if (std::optional<int64_t> constant =
                   size ? getConstantIntValue(size) : std::nullopt) {
      sizes.push_back(
          arith::ConstantIndexOp::create(builder, location, *constant));
    } else {
      Value dimension = arith::ConstantIndexOp::create(builder, location, i);
      sizes.push_back(
          memref::DimOp::create(builder, location, buffer, dimension));
    }
  }
  build(builder, state,
        RegionType::get(builder.getContext(), type.getShape(),
                        type.getElementType()),
        buffer, offsets, sizes);
}
