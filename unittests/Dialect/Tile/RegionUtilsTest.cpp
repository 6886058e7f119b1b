//===- RegionUtilsTest.cpp - From regions to buffers, names and boxes ----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "TileTest.h"

#include "tilelang/Dialect/Tile/IR/AffineRange.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::tile;
using namespace tilelang::tile::testing;

namespace {

class RegionUtilsTest : public TileTest {};

constexpr const char *program = R"(
!g = memref<?x16xf32, #tile.scope<global>>
!s = memref<8x16xf32, #tile.scope<shared>>
func.func @main(%p: !tile.ptr<f32>, %m: index, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %g = tile.tensor %p, sizes [%m] strides [] {name = "G"} : !tile.ptr<f32> -> !g
  %s = tile.alloc {name = "S"} : !s
  %r0 = tile.region %s[%c0, %c0] sizes [] {tag = "whole"} : !s -> !tile.region<8x16xf32>
  %r1 = tile.region %s[%c4, %c0] sizes [] {tag = "shifted"} : !s -> !tile.region<8x16xf32>
  %r2 = tile.region %s[%c0, %c0] sizes [%c4] {tag = "part"} : !s -> !tile.region<?x16xf32>
  %r3 = tile.region %s[%c0, %c0] sizes [] {tag = "overhang"} : !s -> !tile.region<9x16xf32>
  %r4 = tile.region %s[%n, %c0] sizes [] {tag = "dynamic"} : !s -> !tile.region<8x16xf32>
  %r5 = tile.region %g[%c0, %c0] sizes [%m] {tag = "global"} : !g -> !tile.region<?x16xf32>
  %r6 = tile.region %g[%c0, %c0] sizes [%n] {tag = "other"} : !g -> !tile.region<?x16xf32>
  tile.parallel [8] {
  ^bb0(%i: index):
    %y = tile.load %s[%i, %c0] : !s -> f32
    tile.store %y to %s[%i, %c4] : f32 to !s
  }
  tile.fill %r0 with %x : !tile.region<8x16xf32>, f32
  return
})";

TEST_F(RegionUtilsTest, ResolvesRegions) {
  OwningOpRef<ModuleOp> module = parse(program);
  ASSERT_TRUE(module);
  std::map<std::string, RegionOp> regions;
  module->walk([&](RegionOp region) {
    regions[region->getAttrOfType<StringAttr>("tag").str()] = region;
  });
  RegionOp whole = regions["whole"];
  EXPECT_EQ(getRegionOp(whole.getRegion()), whole);
  EXPECT_FALSE(getRegionOp(whole.getBuffer()));
  EXPECT_EQ(getBuffer(whole.getRegion()), whole.getBuffer());
  EXPECT_EQ(getBuffer(whole.getBuffer()), whole.getBuffer());
  EXPECT_EQ(getBufferName(whole.getRegion()), "S");
  EXPECT_EQ(describeBuffer(regions["global"].getRegion()), "buffer 'G'");
  EXPECT_TRUE(isOnChip(whole.getRegion()));
  EXPECT_FALSE(isOnChip(regions["global"].getRegion()));

  EXPECT_EQ(getConstantOffsets(regions["shifted"]),
            (SmallVector<int64_t>{4, 0}));
  EXPECT_EQ(getConstantOffsets(regions["dynamic"]), std::nullopt);
  EXPECT_EQ(getConstantOffset(regions["dynamic"], 1), 0);
  EXPECT_EQ(getConstantSizes(regions["part"]), (SmallVector<int64_t>{4, 16}));
  EXPECT_EQ(getConstantSizes(regions["global"]), std::nullopt);

  const std::map<std::string, bool> covers = {
      {"whole", true},    {"shifted", false}, {"part", false},
      {"overhang", true}, {"dynamic", false}, {"global", true},
      {"other", false}};
  for (auto [tag, expected] : covers) {
    EXPECT_EQ(regions[tag].coversBuffer(), expected) << tag;
    EXPECT_EQ(coversBuffer(regions[tag].getRegion()), expected) << tag;
  }
}

TEST_F(RegionUtilsTest, BuildsWholeRegions) {
  OwningOpRef<ModuleOp> module = parse(program);
  ASSERT_TRUE(module);
  Operation *terminator = getMain(*module).getBody().front().getTerminator();
  OpBuilder builder(terminator);
  for (Operation &op : llvm::make_early_inc_range(*terminator->getBlock()))
    if (isa<AllocOp, TensorOp>(op)) {
      auto region = RegionOp::create(builder, op.getLoc(), op.getResult(0));
      EXPECT_TRUE(region.coversBuffer());
      EXPECT_TRUE(succeeded(region.verify()));
    }
}

TEST_F(RegionUtilsTest, CollectsAccesses) {
  OwningOpRef<ModuleOp> module = parse(program);
  ASSERT_TRUE(module);
  SmallVector<OperationAccess> accesses;
  collectAccessesRecursively(*module, accesses);
  ASSERT_EQ(accesses.size(), 3u);
  EXPECT_TRUE(isa<LoadOp>(accesses[0].operation));
  EXPECT_TRUE(accesses[0].access.reads() && !accesses[0].access.writes());
  EXPECT_TRUE(isa<StoreOp>(accesses[1].operation));
  EXPECT_TRUE(accesses[1].access.writes() && !accesses[1].access.reads());
  EXPECT_TRUE(isa<FillOp>(accesses[2].operation));
  EXPECT_TRUE(getRegionOp(accesses[2].access.target));
}

TEST_F(RegionUtilsTest, BoundsAffineExpressions) {
  AffineExpr d0 = getAffineDimExpr(0, &context),
             d1 = getAffineDimExpr(1, &context);
  const int64_t extents[] = {8, 5};
  auto check = [&](AffineExpr expression, int64_t minimum, int64_t maximum) {
    std::optional<IntegerRange> range = getRange(expression, extents);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->minimum, minimum);
    EXPECT_EQ(range->maximum, maximum);
  };
  check(d0 * 2 - d1 + 3, -1, 17);
  check((d0 - 3).floorDiv(2), -2, 2);
  check((d0 + 1).ceilDiv(4), 1, 2);
  check(d0 % 4, 0, 3);
  check((d1 + 8) % 8, 0, 4);
  check(d1 % 8, 0, 4);
  EXPECT_FALSE(getRange(getAffineSymbolExpr(0, &context), extents));
  EXPECT_FALSE(getRange(getAffineDimExpr(2, &context), extents));
}

} // namespace
