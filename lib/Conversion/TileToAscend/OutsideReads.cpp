//===- OutsideReads.cpp - Do zeros beyond a tensor reach a result? --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The usual product stores what it computes along the same rows and columns
// that it loaded: what is beyond A or B is beyond C too, and need not be
// computed. That is so where a store is clipped at least as far as the load. In
// all other cases, and where vector code combines elements of a tile, zeros
// have to be there.
//
//===----------------------------------------------------------------------===//

#include "tilelang/Conversion/TileToAscend/OutsideReads.h"

#include "tilelang/Dialect/Ascend/IR/GlobalShape.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilelang {

namespace {

/// A dimension of a region in global memory: it may end before its extent does.
struct Clip {
  Value offset;
  OpFoldResult size;
  int64_t extent = 0;
};

/// Deeper computations of an offset are taken for different.
constexpr unsigned kDepth = 12;

bool isEntryArgument(BlockArgument argument) {
  return isa<ascend::KernelOp>(argument.getOwner()->getParentOp());
}

/// The same number in the same block of the grid, also when one is computed by
/// the Cube program and the other by the Vector program.
bool same(Value a, Value b, unsigned depth = kDepth) {
  if (a == b)
    return true;
  if (std::optional<int64_t> known = constantOf(a))
    return known == constantOf(b);
  auto left = dyn_cast<BlockArgument>(a), right = dyn_cast<BlockArgument>(b);
  if (left && right) {
    if (isEntryArgument(left) && isEntryArgument(right))
      return left.getArgNumber() == right.getArgNumber();
    auto loop = dyn_cast<scf::ForOp>(left.getOwner()->getParentOp());
    auto other = dyn_cast<scf::ForOp>(right.getOwner()->getParentOp());
    return loop && other && loop->hasAttr("ascend.grid") &&
           other->hasAttr("ascend.grid") && depth > 0 &&
           a == loop.getInductionVar() && b == other.getInductionVar() &&
           same(loop.getLowerBound(), other.getLowerBound(), depth - 1) &&
           same(loop.getUpperBound(), other.getUpperBound(), depth - 1) &&
           same(loop.getStep(), other.getStep(), depth - 1);
  }
  Operation *one = a.getDefiningOp(), *two = b.getDefiningOp();
  if (!one || !two || depth == 0 || one->getName() != two->getName() ||
      one->getNumResults() != 1 || one->getNumRegions() != 0 || !isPure(one) ||
      one->getNumOperands() != two->getNumOperands() ||
      one->getAttrDictionary() != two->getAttrDictionary())
    return false;
  return llvm::all_of(
      llvm::zip(one->getOperands(), two->getOperands()), [&](auto pair) {
        return same(std::get<0>(pair), std::get<1>(pair), depth - 1);
      });
}

/// Whether `value` is `base` or something above it.
bool isAtLeast(Value value, Value base) {
  if (same(value, base))
    return true;
  auto notNegative = [](Value number) {
    IndexInterval bounds = boundsOf(number);
    return bounds.lower && *bounds.lower >= 0;
  };
  if (constantOf(base) == 0)
    return notNegative(value);
  auto sum = value.getDefiningOp<arith::AddIOp>();
  return sum && ((notNegative(sum.getRhs()) && isAtLeast(sum.getLhs(), base)) ||
                 (notNegative(sum.getLhs()) && isAtLeast(sum.getRhs(), base)));
}

bool isAtMost(OpFoldResult size, OpFoldResult other) {
  std::optional<int64_t> known = getConstantIntValue(size);
  std::optional<int64_t> limit = getConstantIntValue(other);
  if (known || limit)
    return known && limit && *known <= *limit;
  return same(cast<Value>(size), cast<Value>(other));
}

Clip clipOf(tile::RegionOp region, unsigned dimension) {
  ascend::GlobalShape shape = ascend::globalShapeOf(region.getBuffer());
  auto type = cast<tile::RegionType>(region.getRegion().getType());
  return {region.getOffsets()[dimension], shape.sizes[dimension],
          type.getShape()[dimension]};
}

bool alwaysWhole(const Clip &clip) {
  std::optional<int64_t> size = getConstantIntValue(clip.size);
  IndexInterval bounds = boundsOf(clip.offset);
  return size && bounds.upper && !ShapedType::isDynamic(clip.extent) &&
         *bounds.upper + clip.extent <= *size;
}

/// What is beyond `load` is beyond `store`.
bool covers(const Clip &store, const Clip &load) {
  return isAtLeast(store.offset, load.offset) &&
         isAtMost(store.size, load.size);
}

/// Row and column dimension of a region that a matrix in L1 is loaded from.
std::pair<std::optional<unsigned>, unsigned>
matrixDimensions(tile::RegionOp region) {
  ArrayRef<int64_t> shape =
      cast<tile::RegionType>(region.getRegion().getType()).getShape();
  unsigned column = shape.size() - 1;
  if (shape.size() == 1)
    return {std::nullopt, column};
  for (unsigned dimension = 0; dimension < column; ++dimension)
    if (shape[dimension] != 1)
      return {dimension, column};
  return {column - 1, column};
}

bool isWorkspace(Value buffer) {
  return isa_and_nonnull<ascend::WorkspaceOp>(buffer.getDefiningOp());
}

/// Ends of the tensors along rows (of A) or columns (of B) of a product.
struct ProductClips {
  llvm::SmallVector<Clip> rows, columns;
};

void addClips(Value operand, bool rows, llvm::SmallVectorImpl<Clip> &clips) {
  for (Operation *user : tile::getBuffer(operand).getUsers())
    for (Operation *op : user->getUsers()) {
      auto copy = dyn_cast<tile::CopyOp>(op);
      if (!copy ||
          tile::getBuffer(copy.getDestination()) != tile::getBuffer(operand))
        continue;
      tile::RegionOp source = tile::getRegionOp(copy.getSource());
      if (ascend::memoryOf(source.getBuffer()) != ascend::MemoryKind::GM)
        continue;
      auto [row, column] = matrixDimensions(source);
      if (rows && !row)
        continue;
      Clip clip = clipOf(source, rows ? *row : column);
      if (!alwaysWhole(clip))
        clips.push_back(clip);
    }
}

/// Rows and columns may have changed places on the Vector cores; they are still
/// two dimensions of the tensor.
bool storesOnlyWhatExists(tile::RegionOp store, const ProductClips &product) {
  unsigned rank = store.getOffsets().size();
  auto coversAll = [&](unsigned dimension, ArrayRef<Clip> clips) {
    Clip clip = clipOf(store, dimension);
    return llvm::all_of(clips,
                        [&](const Clip &load) { return covers(clip, load); });
  };
  if (product.rows.empty() && product.columns.empty())
    return true;
  for (unsigned one = 0; one < rank; ++one) {
    if (!coversAll(one, product.rows))
      continue;
    if (product.columns.empty())
      return true;
    for (unsigned two = 0; two < rank; ++two)
      if (two != one && coversAll(two, product.columns))
        return true;
  }
  return product.rows.empty() &&
         llvm::any_of(llvm::seq(rank), [&](unsigned dimension) {
           return coversAll(dimension, product.columns);
         });
}

/// Whether an elementwise update takes from each tile the element that stands
/// where the result stands: then what is beyond stays beyond.
bool keepsPlaces(tile::MapOp map) {
  auto startsAtZero = [](Value target) {
    if (!isa<tile::RegionType>(target.getType()))
      return true;
    return llvm::all_of(tile::getRegionOp(target).getOffsets(),
                        [](Value offset) { return constantOf(offset) == 0; });
  };
  for (Value input : map.getInputs())
    if (ascend::memoryOf(tile::getBuffer(input)) != ascend::MemoryKind::GM &&
        !startsAtZero(input))
      return false;
  for (AffineMap access : map.getMaps().getAsValueRange<AffineMapAttr>()) {
    unsigned next = 0;
    for (AffineExpr result : access.getResults()) {
      if (auto constant = dyn_cast<AffineConstantExpr>(result);
          constant && constant.getValue() == 0)
        continue;
      auto dimension = dyn_cast<AffineDimExpr>(result);
      if (!dimension || dimension.getPosition() < next)
        return false;
      next = dimension.getPosition() + 1;
    }
  }
  return startsAtZero(map.getOutput());
}

} // namespace

bool outsideReachesResult(ascend::KernelOp kernel) {
  ProductClips product;
  kernel.getAic().walk([&](tile::GemmOp gemm) {
    addClips(gemm.getA(), !gemm.getTransposeA(), product.rows);
    addClips(gemm.getB(), gemm.getTransposeB(), product.columns);
  });
  auto reaches = [&](Operation *op) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    if (!copy)
      return false;
    tile::RegionOp destination = tile::getRegionOp(copy.getDestination());
    if (ascend::memoryOf(destination.getBuffer()) != ascend::MemoryKind::GM)
      return false;
    return !storesOnlyWhatExists(destination, product);
  };
  bool found = false;
  kernel.getAic().walk([&](tile::CopyOp copy) {
    // The Vector program says what becomes of a workspace.
    found |=
        !isWorkspace(tile::getBuffer(copy.getDestination())) && reaches(copy);
  });
  kernel.getAiv().walk([&](Operation *op) {
    // Sums over a tile see all of it, and so does a product of what was
    // computed.
    found |= isa<tile::ReduceOp>(op);
    if (auto map = dyn_cast<tile::MapOp>(op))
      found |= !keepsPlaces(map);
    if (auto load = dyn_cast<tile::LoadOp>(op))
      found |= ascend::memoryOf(load.getBuffer()) != ascend::MemoryKind::GM;
    if (auto copy = dyn_cast<tile::CopyOp>(op))
      found |=
          isWorkspace(tile::getBuffer(copy.getDestination())) || reaches(copy);
  });
  return found;
}

} // namespace tilelang
