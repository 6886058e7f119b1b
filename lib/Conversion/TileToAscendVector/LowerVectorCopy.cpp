//===- LowerVectorCopy.cpp - Transfers between global memory and UB -------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// One DMA moves rows of the last two dimensions; further dimensions are loops.
// Elements that lie apart in the tensor are stored as rows of one element, each
// from a block of its own. What lies outside of the tensor is not moved.
//
//===----------------------------------------------------------------------===//

#include "MapGeometry.h"
#include "VectorLowering.h"

#include "tilelang/Dialect/Ascend/IR/GlobalShape.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"

using namespace mlir;

namespace tilelang::vectorcore {

namespace {

/// UB is addressed in blocks.
constexpr int64_t kBlockBytes = 32;
/// Elements that are spread to a block each at a time: 4 KB of temporaries.
constexpr int64_t kChunk = kSpreadElements;

/// A dimension that both sides of a copy run along.
struct TransferDimension {
  unsigned global = 0, tile = 0;
  OpFoldResult globalStride;
  int64_t tileStride = 0;
  /// Extent before clipping: the largest, and the value where dynamic.
  int64_t maximum = 0;
  Value extent;
  /// After clipping: elements moved, and how many are left out before them.
  Value count, skip;
  bool mayStartBefore = false;
};

class CopyLowering {
public:
  CopyLowering(VectorContext &context, tile::CopyOp copy)
      : context(context), copy(copy), location(copy.getLoc()), builder(copy) {
    tile::RegionOp source = tile::getRegionOp(copy.getSource());
    tile::RegionOp destination = tile::getRegionOp(copy.getDestination());
    isLoad =
        ascend::memoryOf(destination.getBuffer()) == ascend::MemoryKind::UB;
    global = isLoad ? source : destination;
    tile = isLoad ? destination : source;
    globalType = cast<MemRefType>(global.getBuffer().getType());
    shape = ascend::globalShapeOf(global.getBuffer());
    tileType = cast<MemRefType>(tile.getBuffer().getType());
    layout = context.layouts.of(tileType);
  }

  LogicalResult lower(bool zeroFill) {
    if (!storageLane(tileType.getElementType()))
      return copy.emitError()
             << "unsupported: elements of type " << tileType.getElementType()
             << " on the Vector cores";
    if (copy.getAtomic() &&
        failed(verifyAtomicAddition(copy, global.getBuffer())))
      return failure();
    if (failed(matchDimensions()))
      return failure();
    if (isLoad && zeroFill) {
      tile::MapOp fill = createFillMap(
          builder, location,
          arith::ConstantOp::create(builder, location,
                                    builder.getZeroAttr(tile::getScalarType(
                                        tileType.getElementType()))),
          tile.getRegion());
      if (failed(lowerMap(context, fill)))
        return failure();
      builder.setInsertionPoint(copy);
    }
    guardUnitDimensions();
    for (TransferDimension &dimension : dimensions)
      clip(dimension);
    if (!hasRowForm())
      return lowerElements();
    emit();
    return success();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, location, value);
  }
  Value add(Value a, Value b) {
    if (!a || constantOf(a) == 0)
      return b;
    if (!b || constantOf(b) == 0)
      return a;
    auto x = constantOf(a), y = constantOf(b);
    if (x && y)
      return constant(*x + *y);
    return arith::AddIOp::create(builder, location, a, b);
  }
  Value scale(Value value, int64_t factor) {
    return ascend::scaled(builder, location, value,
                          builder.getIndexAttr(factor));
  }
  Value scale(Value value, OpFoldResult factor) {
    return ascend::scaled(builder, location, value, factor);
  }

  LogicalResult matchDimensions() {
    SmallVector<unsigned> from = nonUnitDimensions(global);
    SmallVector<unsigned> to = nonUnitDimensions(tile);
    if (from.size() != to.size())
      return copy.emitError()
             << "unsupported: a copy between regions of different rank, "
             << global.getRegion().getType() << " and "
             << tile.getRegion().getType()
             << ", whose run-time extents hide which dimensions correspond";
    for (auto [globalDimension, tileDimension] : llvm::zip_equal(from, to)) {
      TransferDimension dimension;
      dimension.global = globalDimension;
      dimension.tile = tileDimension;
      dimension.globalStride = shape.strides[globalDimension];
      dimension.tileStride = layout.strides[tileDimension];
      OpFoldResult size = tile::getSize(global, globalDimension);
      OpFoldResult other = tile::getSize(tile, tileDimension);
      if (!getConstantIntValue(size))
        std::swap(size, other);
      std::optional<int64_t> extent = getConstantIntValue(size);
      // A run-time extent on one side may be smaller than the other's.
      dimension.maximum = extent ? *extent : tileType.getDimSize(tileDimension);
      if (auto value = dyn_cast<Value>(other))
        dimension.extent = value;
      else if (auto value = dyn_cast<Value>(size))
        dimension.extent = value;
      dimensions.push_back(dimension);
    }
    return success();
  }

  /// Offsets of dimensions that the copy does not run along.
  void guardUnitDimensions() {
    auto require = [&](arith::CmpIPredicate predicate, Value index,
                       OpFoldResult bound) {
      Value condition =
          arith::CmpIOp::create(builder, location, predicate, index,
                                ascend::asValue(builder, location, bound));
      inside = inside
                   ? arith::AndIOp::create(builder, location, inside, condition)
                         .getResult()
                   : condition;
    };
    for (unsigned number = 0; number < global.getOffsets().size(); ++number) {
      if (llvm::any_of(dimensions, [&](const TransferDimension &dimension) {
            return dimension.global == number;
          }))
        continue;
      Value offset = global.getOffsets()[number];
      IndexInterval bounds = boundsOf(offset);
      if (!bounds.lower || *bounds.lower < 0)
        require(arith::CmpIPredicate::sge, offset, builder.getIndexAttr(0));
      std::optional<int64_t> extent = getConstantIntValue(shape.sizes[number]);
      if (!extent || !bounds.upper || *bounds.upper >= *extent)
        require(arith::CmpIPredicate::slt, offset, shape.sizes[number]);
    }
  }

  void clip(TransferDimension &dimension) {
    Value offset = global.getOffsets()[dimension.global];
    Value extent =
        dimension.extent ? dimension.extent : constant(dimension.maximum);
    dimension.count = extent;
    IndexInterval bounds = boundsOf(offset);
    dimension.mayStartBefore = !bounds.lower || *bounds.lower < 0;
    if (mayClip(global, dimension.global)) {
      Value bound =
          ascend::asValue(builder, location, shape.sizes[dimension.global]);
      Value rest = arith::SubIOp::create(builder, location, bound, offset);
      dimension.count = arith::MinSIOp::create(builder, location, extent, rest);
    }
    if (dimension.mayStartBefore) {
      Value before =
          arith::SubIOp::create(builder, location, constant(0), offset);
      dimension.skip =
          arith::MaxSIOp::create(builder, location, before, constant(0));
      dimension.count = arith::SubIOp::create(builder, location,
                                              dimension.count, dimension.skip);
    }
    IndexInterval counted = boundsOf(dimension.count);
    if (!counted.lower || *counted.lower < 0)
      dimension.count = arith::MaxSIOp::create(builder, location,
                                               dimension.count, constant(0));
  }

  /// The innermost dimension lies element by element on both sides, and starts
  /// at a block of the tile.
  bool hasRowForm() {
    if (dimensions.empty())
      return startsOnBlock();
    TransferDimension &columns = dimensions.back();
    return getConstantIntValue(columns.globalStride) == 1 &&
           columns.tileStride == 1 && !columns.mayStartBefore &&
           startsOnBlock();
  }

  bool startsOnBlock() {
    int64_t bytes = elementBytes();
    for (auto [offset, stride] :
         llvm::zip_equal(tile.getOffsets(), layout.strides)) {
      std::optional<int64_t> known = constantOf(offset);
      int64_t divisor = known ? *known : knownDivisor(offset);
      if (divisor * stride * bytes % 32 != 0)
        return false;
    }
    return true;
  }

  /// First elements of both sides at given indices of the leading dimensions.
  std::pair<Value, Value> firstElements(ArrayRef<Value> indices) {
    Value globalOffset, tileOffset;
    for (auto [offset, stride] :
         llvm::zip_equal(global.getOffsets(), shape.strides))
      if (getConstantIntValue(stride) != 0)
        globalOffset = add(globalOffset, scale(offset, stride));
    for (auto [offset, stride] :
         llvm::zip_equal(tile.getOffsets(), layout.strides))
      if (stride != 0)
        tileOffset = add(tileOffset, scale(offset, stride));
    for (auto [dimension, index] : llvm::zip(dimensions, indices)) {
      if (index) {
        globalOffset = add(globalOffset, scale(index, dimension.globalStride));
        tileOffset = add(tileOffset, scale(index, dimension.tileStride));
      }
      if (dimension.skip) {
        globalOffset =
            add(globalOffset, scale(dimension.skip, dimension.globalStride));
        tileOffset =
            add(tileOffset, scale(dimension.skip, dimension.tileStride));
      }
    }
    return {globalOffset ? globalOffset : constant(0),
            tileOffset ? tileOffset : constant(0)};
  }

  /// The tile's storage as rows from an element on.
  Value tileRows(Value offset, int64_t rows, int64_t pitch, int64_t columns) {
    Value storage = context.storageOf(tile.getBuffer());
    auto type = cast<MemRefType>(storage.getType());
    std::optional<int64_t> known = constantOf(offset);
    if (known == 0 && type.getRank() == 2 && type.getShape().back() == pitch)
      return storage;
    SmallVector<int64_t> shape;
    if (rows > 1)
      shape = {rows, pitch};
    else
      shape = {columns};
    if (known == 0 && type.getRank() == 1 && rows <= 1)
      return storage;
    auto view =
        MemRefType::get(shape, type.getElementType(),
                        MemRefLayoutAttrInterface(), type.getMemorySpace());
    return ascend::ViewOp::create(builder, location, view, storage, Value(),
                                  known == 0 ? Value() : offset);
  }

  /// The tensor, as bytes where its elements are truth values.
  Value globalBuffer() {
    Value buffer = global.getBuffer();
    if (!globalType.getElementType().isInteger(1))
      return buffer;
    auto bytes = MemRefType::get(
        globalType.getShape(), storageType(globalType.getElementType()),
        globalType.getLayout(), globalType.getMemorySpace());
    return ascend::ViewOp::create(builder, location, bytes, buffer, Value(),
                                  Value());
  }

  void emit() {
    Value one = constant(1);
    Value rows = one, columns = one, stride = one;
    int64_t maximumRows = 1, maximumColumns = 1, pitch = layout.pitch;
    SmallVector<Value> indices;
    unsigned loops = dimensions.size() <= 1 ? 0 : dimensions.size() - 2;
    if (!dimensions.empty()) {
      columns = dimensions.back().count;
      maximumColumns = dimensions.back().maximum;
    }
    if (dimensions.size() >= 2) {
      TransferDimension &row = dimensions[loops];
      int64_t last = layout.elements;
      for (auto [offset, tileStride] :
           llvm::zip_equal(tile.getOffsets(), layout.strides))
        last -= constantOf(offset).value_or(0) * tileStride;
      // Rows further apart than the pitch only where whole rows fit behind
      // the first element.
      bool fits = row.tileStride == layout.pitch ||
                  (loops == 0 && row.maximum * row.tileStride <= last);
      if (fits) {
        rows = row.count;
        stride = ascend::asValue(builder, location, row.globalStride);
        maximumRows = row.maximum;
        pitch = row.tileStride;
      } else {
        ++loops;
      }
    }
    if (inside)
      columns = arith::SelectOp::create(builder, location, inside, columns,
                                        constant(0));
    OpBuilder::InsertionGuard guard(builder);
    for (unsigned number = 0; number < loops; ++number) {
      auto loop = scf::ForOp::create(builder, location, constant(0),
                                     dimensions[number].count, constant(1));
      builder.setInsertionPointToStart(loop.getBody());
      indices.push_back(loop.getInductionVar());
    }
    indices.resize(dimensions.size());
    auto [globalOffset, tileOffset] = firstElements(indices);
    Value onChip = tileRows(tileOffset, maximumRows, pitch, maximumColumns);
    Value buffer = globalBuffer();
    if (isLoad)
      ascend::LoadOp::create(builder, location, buffer, globalOffset, rows,
                             columns, stride, onChip);
    else
      ascend::StoreOp::create(builder, location, onChip, buffer, globalOffset,
                              rows, columns, stride, copy.getAtomic());
  }

  //===-- Elements that are no rows --------------------------------------===//

  LogicalResult lowerElements() {
    if (isLoad)
      loadElements();
    else if (startsOnBlock() && isMultipleOfBlock(dimensions.back().tileStride))
      storeBlocks();
    else
      storeSpread();
    return success();
  }

  void remarkScalarLoop() {
    copy.emitRemark() << "runs as a scalar loop: the innermost dimension of "
                      << tile::describeBuffer(tile.getBuffer())
                      << " and of the tensor do not correspond, or start "
                         "inside a 32-byte block";
  }

  int64_t elementBytes() const {
    return storageBytes(tileType.getElementType());
  }
  bool isMultipleOfBlock(int64_t elements) const {
    return elements * elementBytes() % kBlockBytes == 0;
  }

  void loadElements() {
    remarkScalarLoop();
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Value> globalIndices(global.getOffsets());
    SmallVector<Value> tileIndices(tile.getOffsets());
    if (inside) {
      auto branch = scf::IfOp::create(builder, location, inside, false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    for (TransferDimension &dimension : dimensions) {
      Value index = enterLoop(dimension.count);
      if (dimension.skip)
        index = add(index, dimension.skip);
      globalIndices[dimension.global] =
          add(globalIndices[dimension.global], index);
      tileIndices[dimension.tile] = add(tileIndices[dimension.tile], index);
    }
    Value value = readElement(builder, location, context, global.getBuffer(),
                              globalIndices);
    writeElement(builder, location, context, value, tile.getBuffer(),
                 tileIndices);
  }

  Value enterLoop(Value count, int64_t step = 1) {
    auto loop = scf::ForOp::create(builder, location, constant(0), count,
                                   constant(step));
    builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  /// Each element begins a block of the tile: rows of one element.
  void storeBlocks() {
    TransferDimension element;
    element.globalStride = builder.getIndexAttr(1);
    element.tileStride = 1;
    element.maximum = 1;
    element.count = constant(1);
    dimensions.push_back(element);
    emit();
  }

  /// Elements go to a temporary first, where each begins a block, or where
  /// they are a row if the tensor has them side by side.
  void storeSpread() {
    OpBuilder::InsertionGuard guard(builder);
    TransferDimension inner;
    inner.globalStride = builder.getIndexAttr(1);
    inner.tileStride = 1;
    inner.maximum = 1;
    inner.count = constant(1);
    SmallVector<Value> indices;
    if (!dimensions.empty()) {
      inner = dimensions.back();
      for (const TransferDimension &outer : ArrayRef(dimensions).drop_back())
        indices.push_back(enterLoop(outer.count));
      indices.push_back({});
    }
    auto [globalOffset, tileOffset] = firstElements(indices);
    // `Brcb` takes elements of 16 and 32 bits from the start of a block on.
    bool canSpread = startsOnBlock() && inner.tileStride == 1 &&
                     !inner.mayStartBefore &&
                     (elementBytes() == 2 || elementBytes() == 4);
    for (const TransferDimension &outer :
         ArrayRef(dimensions).drop_back(dimensions.empty() ? 0 : 1))
      canSpread &= isMultipleOfBlock(outer.tileStride);
    if (!canSpread)
      remarkScalarLoop();
    Chunk chunk;
    chunk.inner = inner;
    chunk.canSpread = canSpread;
    chunk.isRow = getConstantIntValue(inner.globalStride) == 1;
    int64_t whole = inner.maximum / kChunk * kChunk;
    if (whole != 0) {
      OpBuilder::InsertionGuard loopGuard(builder);
      Value start =
          whole == kChunk ? constant(0) : enterLoop(constant(whole), kChunk);
      storeChunk(chunk, start, kChunk, globalOffset, tileOffset);
    }
    if (inner.maximum != whole)
      storeChunk(chunk, constant(whole), inner.maximum - whole, globalOffset,
                 tileOffset);
  }

  struct Chunk {
    TransferDimension inner;
    bool canSpread = false, isRow = false;
  };

  void storeChunk(const Chunk &chunk, Value start, int64_t most,
                  Value globalOffset, Value tileOffset) {
    const TransferDimension &inner = chunk.inner;
    Type element = storageType(tileType.getElementType());
    int64_t blockElements = kBlockBytes / elementBytes();
    Value count = constant(most);
    if (constantOf(inner.count) != inner.maximum) {
      Value rest = arith::SubIOp::create(builder, location, inner.count, start);
      count = arith::MinSIOp::create(builder, location, rest, count);
      count = arith::MaxSIOp::create(builder, location, count, constant(0));
    }
    globalOffset = add(globalOffset, scale(start, inner.globalStride));
    tileOffset = add(tileOffset, scale(start, inner.tileStride));
    Value storage = context.storageOf(tile.getBuffer());
    bool isRow = chunk.isRow && !chunk.canSpread;
    int64_t padded = llvm::alignTo(most, isRow ? blockElements : 8);
    Value spread = context.allocateTemporary(
        location, element, padded * (isRow ? 1 : blockElements));
    auto flat = cast<MemRefType>(spread.getType());
    if (chunk.canSpread) {
      auto view =
          MemRefType::get({padded}, element, MemRefLayoutAttrInterface(),
                          flat.getMemorySpace());
      Value source = ascend::ViewOp::create(builder, location, view, storage,
                                            Value(), tileOffset);
      ascend::BroadcastOp::create(builder, location, spread, source, padded);
    } else {
      OpBuilder::InsertionGuard guard(builder);
      Value index = enterLoop(count);
      Value value = ascend::GetValueOp::create(
          builder, location, tile::getScalarType(element), storage,
          add(tileOffset, scale(index, inner.tileStride)));
      ascend::SetValueOp::create(builder, location, value, spread,
                                 scale(index, isRow ? 1 : blockElements));
    }
    Value rows = count, columns = constant(1);
    Value stride = ascend::asValue(builder, location, inner.globalStride);
    if (isRow) {
      std::swap(rows, columns);
    } else {
      auto blocks =
          MemRefType::get({padded, blockElements}, element,
                          MemRefLayoutAttrInterface(), flat.getMemorySpace());
      spread = ascend::ViewOp::create(builder, location, blocks, spread,
                                      Value(), Value());
    }
    if (inside)
      columns = arith::SelectOp::create(builder, location, inside, columns,
                                        constant(0));
    ascend::StoreOp::create(builder, location, spread, globalBuffer(),
                            globalOffset, rows, columns, stride,
                            copy.getAtomic());
  }

  VectorContext &context;
  tile::CopyOp copy;
  Location location;
  OpBuilder builder;
  bool isLoad = false;
  tile::RegionOp global, tile;
  MemRefType globalType, tileType;
  ascend::GlobalShape shape;
  TileLayout layout;
  SmallVector<TransferDimension> dimensions;
  /// Whether the unit dimensions are inside; null where they provably are.
  Value inside;
};

} // namespace

int64_t temporaryBytes(tile::CopyOp copy) {
  tile::RegionOp destination = tile::getRegionOp(copy.getDestination());
  if (ascend::memoryOf(destination.getBuffer()) != ascend::MemoryKind::GM)
    return 0;
  SmallVector<unsigned> dimensions = nonUnitDimensions(destination);
  SmallVector<OpFoldResult> strides =
      ascend::globalShapeOf(destination.getBuffer()).strides;
  if (dimensions.empty() ||
      getConstantIntValue(strides[dimensions.back()]) == 1)
    return 0;
  return kSpreadElements * kBlockBytes;
}

LogicalResult lowerCopy(VectorContext &context, tile::CopyOp copy,
                        bool zeroFill) {
  if (failed(CopyLowering(context, copy).lower(zeroFill)))
    return failure();
  copy.erase();
  return success();
}

} // namespace tilelang::vectorcore
