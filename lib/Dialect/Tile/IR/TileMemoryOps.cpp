//===- TileMemoryOps.cpp - Buffers, regions and copies -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::tile;

using MemoryEffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult TensorOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  Type element = getPointer().getType().getElementType();
  if (element != type.getElementType())
    return emitOpError() << "'" << getName() << "': expected a buffer of "
                         << element << " as the pointer has, found "
                         << type.getElementType();
  if (getScope(type) != ScopeKind::Global)
    return emitOpError() << "'" << getName()
                         << "': expected memory space #tile.scope<global>, "
                            "found "
                         << type;
  size_t dynamicSizes = type.getNumDynamicDims();
  if (getSizes().size() != dynamicSizes)
    return emitOpError() << "'" << getName() << "': expected " << dynamicSizes
                         << " sizes, one for each dynamic dimension of " << type
                         << ", found " << getSizes().size();
  size_t dynamicStrides = 0;
  if (!type.getLayout().isIdentity()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return emitOpError() << "'" << getName()
                           << "': expected a strided layout, found " << type;
    dynamicStrides = llvm::count(strides, ShapedType::kDynamic);
  }
  if (getStrides().size() != dynamicStrides)
    return emitOpError() << "'" << getName() << "': expected " << dynamicStrides
                         << " strides, one for each dynamic stride of " << type
                         << ", found " << getStrides().size();
  return success();
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  std::optional<ScopeKind> scope = getScope(type);
  // A target that has placed the buffer names a memory space of its own.
  if (!type.getMemorySpace() || scope == ScopeKind::Global)
    return emitOpError() << "'" << getName()
                         << "': expected memory space #tile.scope<shared>, "
                            "<fragment>, <local> or <var>, found "
                         << type;
  for (auto [dimension, extent] : llvm::enumerate(type.getShape()))
    if (extent < 1)
      return emitOpError() << "'" << getName() << "': expected extents of at "
                           << "least 1, found " << extent << " in dimension "
                           << dimension;
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

LogicalResult RegionOp::verify() {
  auto bufferType = cast<MemRefType>(getBuffer().getType());
  RegionType type = getRegion().getType();
  std::string buffer = describeBuffer(getBuffer());
  auto rank = static_cast<size_t>(bufferType.getRank());
  if (getOffsets().size() != rank)
    return emitOpError() << "expected " << rank << " offsets for " << buffer
                         << " of type " << bufferType << ", found "
                         << getOffsets().size();
  if (type.getShape().size() != rank)
    return emitOpError() << "expected a region of rank " << rank << " for "
                         << buffer << ", found " << type;
  if (type.getElementType() != bufferType.getElementType())
    return emitOpError() << "expected elements of type "
                         << bufferType.getElementType() << " as " << buffer
                         << " has, found " << type.getElementType();
  for (auto [dimension, extent] : llvm::enumerate(type.getShape()))
    if (extent == 0)
      return emitOpError() << "expected extents of at least 1 for a region of "
                           << buffer << ", found 0 in dimension " << dimension;
  size_t dynamicSizes = llvm::count(type.getShape(), ShapedType::kDynamic);
  if (getSizes().size() != dynamicSizes)
    return emitOpError() << "expected " << dynamicSizes
                         << " sizes, one for each dynamic extent of " << type
                         << ", found " << getSizes().size();
  return success();
}

//===----------------------------------------------------------------------===//
// Copy and fill
//===----------------------------------------------------------------------===//

/// The extents of a region without its unit dimensions.
static SmallVector<int64_t> getNonUnitShape(RegionType type) {
  SmallVector<int64_t> shape;
  for (int64_t extent : type.getShape())
    if (extent != 1)
      shape.push_back(extent);
  return shape;
}

LogicalResult CopyOp::verify() {
  RegionType source = getSource().getType();
  RegionType destination = getDestination().getType();
  SmallVector<int64_t> left = getNonUnitShape(source);
  SmallVector<int64_t> right = getNonUnitShape(destination);
  bool equal =
      left.size() == right.size() &&
      llvm::all_of(llvm::zip(left, right), [](auto pair) {
        auto [a, b] = pair;
        return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
      });
  if (!equal)
    return emitOpError() << "expected regions of equal extents (unit "
                            "dimensions aside), found "
                         << source << " of " << describeBuffer(getSource())
                         << " and " << destination << " of "
                         << describeBuffer(getDestination());
  return success();
}

void CopyOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getSource(), RegionAccessKind::Read});
  accesses.push_back({getDestination(), getAtomic()
                                            ? RegionAccessKind::Accumulate
                                            : RegionAccessKind::Write});
}

void CopyOp::getEffects(MemoryEffectList &effects) {
  addRegionAccessEffects(*this, effects);
}

LogicalResult FillOp::verify() {
  Type expected = getScalarType(getDestination().getType().getElementType());
  if (getValue().getType() != expected)
    return emitOpError() << "expected a value of type " << expected << " for "
                         << describeBuffer(getDestination()) << ", found "
                         << getValue().getType();
  return success();
}

void FillOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getDestination(), RegionAccessKind::Write});
}

void FillOp::getEffects(MemoryEffectList &effects) {
  addRegionAccessEffects(*this, effects);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// What `tile.load` and `tile.store` share: one index per dimension and a
/// scalar of the buffer's element type.
static LogicalResult verifyElementAccess(Operation *operation, Value buffer,
                                         ValueRange indices, Type scalar) {
  auto type = cast<MemRefType>(buffer.getType());
  if (indices.size() != static_cast<size_t>(type.getRank()))
    return operation->emitOpError()
           << "expected " << type.getRank() << " indices for "
           << describeBuffer(buffer) << ", found " << indices.size();
  Type expected = getScalarType(type.getElementType());
  if (scalar != expected)
    return operation->emitOpError()
           << "expected a value of type " << expected << " for "
           << describeBuffer(buffer) << ", found " << scalar;
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyElementAccess(*this, getBuffer(), getIndices(),
                             getResult().getType());
}

void LoadOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getBuffer(), RegionAccessKind::Read});
}

void LoadOp::getEffects(MemoryEffectList &effects) {
  addRegionAccessEffects(*this, effects);
}

LogicalResult StoreOp::verify() {
  if (getAtomic() && isOnChip(getBuffer()))
    return emitOpError() << "expected a global buffer for an atomic addition, "
                            "found "
                         << describeBuffer(getBuffer());
  return verifyElementAccess(*this, getBuffer(), getIndices(),
                             getValue().getType());
}

void StoreOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getBuffer(), getAtomic() ? RegionAccessKind::Accumulate
                                               : RegionAccessKind::Write});
}

void StoreOp::getEffects(MemoryEffectList &effects) {
  addRegionAccessEffects(*this, effects);
}
