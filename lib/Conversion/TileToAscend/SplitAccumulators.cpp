//===- SplitAccumulators.cpp - Accumulators that vector code updates ------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// L0C has no path by which vector code could change it. So a tile that both
// products and vector code update lives in UB:
//
//   T.gemm(P, V, O)   becomes   O_part = P V ;  O = O + O_part
//
//===----------------------------------------------------------------------===//

#include "tilelang/Conversion/TileToAscend/Passes.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilelang {
#define GEN_PASS_DEF_ASCENDSPLITACCUMULATORS
#include "tilelang/Conversion/TileToAscend/Passes.h.inc"

namespace {

/// What is done with one on-chip buffer.
struct AccumulatorUses {
  llvm::SmallVector<tile::GemmOp> products;
  llvm::SmallVector<Operation *> readers; // not gemm
  llvm::SmallVector<Operation *> writers; // not gemm
};

bool isZeroFill(Operation *op) {
  auto fill = dyn_cast<tile::FillOp>(op);
  return fill && (matchPattern(fill.getValue(), m_AnyZeroFloat()) ||
                  matchPattern(fill.getValue(), m_Zero()));
}

AccumulatorUses usesOf(tile::AllocOp alloc) {
  AccumulatorUses uses;
  auto visit = [&](Operation *op) {
    auto interface = dyn_cast<RegionAccessOpInterface>(op);
    if (!interface)
      return;
    llvm::SmallVector<RegionAccess> accesses;
    interface.getRegionAccesses(accesses);
    for (const RegionAccess &access : accesses) {
      if (tile::getBuffer(access.target) != alloc.getBuffer())
        continue;
      if (auto gemm = dyn_cast<tile::GemmOp>(op)) {
        if (access.target == gemm.getC())
          uses.products.push_back(gemm);
        continue;
      }
      if (access.reads())
        uses.readers.push_back(op);
      if (access.writes())
        uses.writers.push_back(op);
    }
  };
  for (Operation *user : alloc.getBuffer().getUsers()) {
    if (isa<tile::RegionOp>(user))
      for (Operation *op : user->getUsers())
        visit(op);
    else
      visit(user);
  }
  return uses;
}

/// A value that products go on accumulating after vector code has read it: a
/// loop contains both, and the tile is not cleared inside that loop.
bool isReadBetweenProducts(const AccumulatorUses &uses) {
  for (Operation *reader : uses.readers)
    for (tile::GemmOp gemm : uses.products) {
      Operation *loop = gemm->getParentOfType<tile::ForOp>();
      for (; loop; loop = loop->getParentOfType<tile::ForOp>()) {
        if (!loop->isProperAncestor(reader))
          continue;
        bool cleared = matchPattern(gemm.getClear(), m_One()) ||
                       llvm::any_of(uses.writers, [&](Operation *writer) {
                         return loop->isProperAncestor(writer);
                       });
        if (!cleared)
          return true;
      }
    }
  return false;
}

/// Vector code gets the value of an accumulator once, behind the last product
/// and in front of the first reader; where no such place exists, it has to hold
/// the value itself. Stores to global memory take it from the Cube core.
bool isReadBeforeLastWrite(const AccumulatorUses &uses) {
  llvm::SmallVector<Operation *> readers, all(uses.writers);
  for (Operation *reader : uses.readers) {
    auto copy = dyn_cast<tile::CopyOp>(reader);
    if (!copy || tile::isOnChip(copy.getDestination()))
      readers.push_back(reader);
  }
  if (readers.empty())
    return false;
  all.append(readers);
  all.append(uses.products.begin(), uses.products.end());
  Block *block = tile::getCommonBlock(all);
  auto isBefore = [&](Operation *a, Operation *b) {
    a = block->findAncestorOpInBlock(*a);
    b = block->findAncestorOpInBlock(*b);
    return a != b && a->isBeforeInBlock(b);
  };
  auto comesFirst = [&](Operation *write) {
    return llvm::all_of(
        readers, [&](Operation *reader) { return isBefore(write, reader); });
  };
  return !llvm::all_of(uses.writers, comesFirst) ||
         !llvm::all_of(uses.products, comesFirst);
}

bool mustSplit(const AccumulatorUses &uses) {
  if (uses.products.empty())
    return false;
  return llvm::any_of(uses.writers,
                      [](Operation *op) { return !isZeroFill(op); }) ||
         isReadBetweenProducts(uses) || isReadBeforeLastWrite(uses);
}

LogicalResult split(tile::AllocOp alloc, const AccumulatorUses &uses) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  if (!type.getElementType().isF32())
    return uses.products.front()->emitError()
           << "unsupported: " << tile::describeBuffer(alloc.getBuffer())
           << " of type " << type.getElementType()
           << " is updated by T.gemm and by vector code; declare it float32";
  OpBuilder builder(alloc);
  for (tile::GemmOp gemm : uses.products) {
    Location loc = gemm.getLoc();
    builder.setInsertionPoint(alloc);
    Value part = cast<tile::AllocOp>(builder.clone(*alloc)).getBuffer();
    builder.setInsertionPoint(gemm);
    Value whole = gemm.getC();
    Value clear = gemm.getClear();
    Value partRegion = tile::RegionOp::create(builder, loc, part);
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    gemm.getCMutable().assign(partRegion);
    gemm.getClearMutable().assign(yes);

    builder.setInsertionPointAfter(gemm);
    auto identity =
        AffineMap::getMultiDimIdentityMap(type.getRank(), builder.getContext());
    llvm::SmallVector<AffineMap> maps(3, identity);
    auto map = tile::MapOp::create(
        builder, loc, type.getShape(), ValueRange{whole, partRegion}, whole,
        llvm::ArrayRef<int64_t>{}, ValueRange{}, ValueRange{},
        builder.getAffineMapArrayAttr(maps));
    Block *body = &map.getBody().emplaceBlock();
    Type element = type.getElementType();
    body->addArguments({element, element}, {loc, loc});
    builder.setInsertionPointToStart(body);
    Value sum = arith::AddFOp::create(builder, loc, body->getArgument(0),
                                      body->getArgument(1));
    if (!matchPattern(clear, m_Zero()))
      sum = arith::SelectOp::create(builder, loc, clear, body->getArgument(1),
                                    sum);
    tile::YieldOp::create(builder, loc, sum);
  }
  return success();
}

struct SplitAccumulatorsPass
    : impl::AscendSplitAccumulatorsBase<SplitAccumulatorsPass> {
  void runOnOperation() override {
    llvm::SmallVector<tile::AllocOp> allocs;
    getOperation().walk([&](tile::AllocOp alloc) { allocs.push_back(alloc); });
    for (tile::AllocOp alloc : allocs) {
      AccumulatorUses uses = usesOf(alloc);
      if (mustSplit(uses) && failed(split(alloc, uses)))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace tilelang
