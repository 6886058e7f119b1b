//===- SplitLiveRangesTest.cpp - Split buffers hold what one buffer held
//---===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"
#include "TileTest.h"

#include "tilelang/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace tilelang::tile;
using namespace tilelang::tile::testing;

namespace {

class SplitLiveRangesTest : public TileTest {};

unsigned countAllocs(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](AllocOp) { ++count; });
  return count;
}

TEST_F(SplitLiveRangesTest, KeepsMeaningOfRandomPrograms) {
  unsigned split = 0;
  const unsigned count = getProgramCount(1000);
  for (unsigned seed = 0; seed < count; ++seed) {
    std::string text = makeRandomTileProgram(seed);
    OwningOpRef<ModuleOp> original = parse(text);
    ASSERT_TRUE(original) << text;
    OwningOpRef<ModuleOp> result = original->clone();
    PassManager manager(&context);
    manager.addNestedPass<func::FuncOp>(createTileSplitLiveRanges());
    ASSERT_TRUE(succeeded(manager.run(*result))) << text;
    split += countAllocs(*result) > countAllocs(*original);

    std::mt19937_64 random(seed);
    for (unsigned round = 0; round < 4; ++round) {
      int64_t numbers[] = {static_cast<int64_t>(random() % 4) - 1,
                           static_cast<int64_t>(random() % 4)};
      std::vector<BufferContents> expected =
          makeBuffers(getMain(*original), random());
      std::vector<BufferContents> found = expected;
      TileInterpreter before(IterationOrder::Forward);
      TileInterpreter after(IterationOrder::Forward);
      ASSERT_TRUE(before.run(getMain(*original), numbers, expected))
          << before.getError().str();
      ASSERT_TRUE(after.run(getMain(*result), numbers, found))
          << after.getError().str();
      for (unsigned i = 0; i < found.size(); ++i)
        ASSERT_EQ(found[i].elements, expected[i].elements)
            << "seed " << seed << ", buffer " << i << "\n"
            << text << print(*result);
    }
  }
  EXPECT_GT(split, count / 4) << split << " of " << count;
}

} // namespace
