//===- NormalizeParallelTest.cpp - Maps compute what the body did --------===//
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

class NormalizeParallelTest : public TileTest {
protected:
  enum class Outcome { Accepted, Refused };

  /// Normalises the program and compares what it computes before and after, in
  /// both orders of iteration.
  Outcome check(const std::string &text, uint64_t seed) {
    OwningOpRef<ModuleOp> original = parse(text);
    EXPECT_TRUE(original) << text;
    OwningOpRef<ModuleOp> normalized = original->clone();
    std::vector<std::string> errors;
    {
      ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
        errors.push_back(diagnostic.str());
        return success();
      });
      PassManager manager(&context);
      manager.addNestedPass<func::FuncOp>(createTileNormalizeParallel());
      if (failed(manager.run(*normalized))) {
        EXPECT_FALSE(errors.empty()) << text;
        for (const std::string &error : errors)
          EXPECT_TRUE(error.find("T.Parallel") != std::string::npos)
              << error << text;
        return Outcome::Refused;
      }
    }
    normalized->walk(
        [&](ParallelOp) { ADD_FAILURE() << "a parallel is left"; });

    std::mt19937_64 random(seed);
    for (unsigned round = 0; round < 4; ++round) {
      int64_t numbers[] = {static_cast<int64_t>(random() % 7) - 2,
                           static_cast<int64_t>(random() % 7) - 2};
      std::vector<BufferContents> initial =
          makeBuffers(getMain(*original), random());
      std::vector<BufferContents> expected = initial;
      TileInterpreter reference(IterationOrder::Forward);
      EXPECT_TRUE(reference.run(getMain(*original), numbers, expected))
          << reference.getError().str();
      auto compare = [&](ModuleOp module, IterationOrder order,
                         StringRef what) {
        std::vector<BufferContents> found = initial;
        TileInterpreter interpreter(order);
        EXPECT_TRUE(interpreter.run(getMain(module), numbers, found))
            << interpreter.getError().str();
        for (unsigned i = 0; i < found.size(); ++i)
          EXPECT_EQ(found[i].elements, expected[i].elements)
              << what.str() << ", buffer " << i << ", s = " << numbers[0]
              << ", t = " << numbers[1] << "\n"
              << text << print(module);
      };
      // If the order mattered, the pass should have refused the program.
      compare(*original, IterationOrder::Backward, "order of iterations");
      compare(*normalized, IterationOrder::Forward, "normalized");
      compare(*normalized, IterationOrder::Backward, "normalized, backward");
      if (HasFailure())
        break;
    }
    return Outcome::Accepted;
  }
};

TEST_F(NormalizeParallelTest, KeepsMeaningOfRandomBodies) {
  unsigned accepted = 0;
  const unsigned count = getProgramCount(2000);
  for (unsigned seed = 0; seed < count; ++seed) {
    accepted += check(makeRandomParallel(seed), seed) == Outcome::Accepted;
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  // The comparison is worth something only if enough programs reach it.
  EXPECT_GT(accepted, count / 4) << accepted << " of " << count;
  RecordProperty("accepted", static_cast<int>(accepted));
}

/// The comparison above would notice: a body whose iterations depend on each
/// other gives other results backward.
TEST_F(NormalizeParallelTest, OrderIsVisibleInDependentBodies) {
  OwningOpRef<ModuleOp> module = parse(R"(
!v = memref<8xi32, #tile.scope<shared>>
func.func @main(%A: !v) {
  tile.parallel [7] {
  ^bb0(%i: index):
    %c1 = arith.constant 1 : index
    %next = arith.addi %i, %c1 : index
    %x = tile.load %A[%i] : !v -> i32
    tile.store %x to %A[%next] : i32 to !v
  }
  return
})");
  ASSERT_TRUE(module);
  std::vector<BufferContents> forward = makeBuffers(getMain(*module), 1);
  std::vector<BufferContents> backward = forward;
  TileInterpreter first(IterationOrder::Forward);
  TileInterpreter second(IterationOrder::Backward);
  ASSERT_TRUE(first.run(getMain(*module), {}, forward));
  ASSERT_TRUE(second.run(getMain(*module), {}, backward));
  EXPECT_NE(forward[0].elements, backward[0].elements);
}

} // namespace
