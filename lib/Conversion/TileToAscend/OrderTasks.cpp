//===- OrderTasks.cpp - Let cores run ahead of what they wait for ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Task k works `k / 2 * depth` iterations behind the first. Both loops run
// the same number of steps, so that the slots of rings stay in step as well.
//
//===----------------------------------------------------------------------===//

#include "TaskGraph.h"
#include "tilelang/Conversion/TileToAscend/Passes.h"
#include "tilelang/Dialect/Ascend/Transforms/CorrespondingLoops.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/Debug.h"
#include "tilelang/Support/IndexBounds.h"

using namespace mlir;

namespace tilelang {
#define GEN_PASS_DEF_ASCENDORDERTASKS
#include "tilelang/Conversion/TileToAscend/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral kTag = "ascend-order-tasks";

/// Loops of both programs that run equally often.
struct LoopPair {
  scf::ForOp aic, aiv;
};

/// Rewrites the loop of one program.
class LoopSkewer {
public:
  LoopSkewer(scf::ForOp loop, unsigned core, const TaskGraph &graph,
             int64_t depth)
      : loop(loop), core(core), graph(graph), depth(depth) {}

  int64_t skewOf(int task) const {
    return (task - graph.tasks(core).front()) / 2 * depth;
  }
  /// Makes the loop run `steps` iterations more than it did.
  void run(int64_t steps);

private:
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loop.getLoc(), value);
  }
  Value tripCount(OpBuilder &builder);
  void addTask(scf::ForOp skewed, Value trips, int64_t steps, int task);
  Value condition(OpBuilder &builder, Value step, Value trips, int64_t skew,
                  int64_t steps);

  scf::ForOp loop;
  unsigned core;
  const TaskGraph &graph;
  int64_t depth;
};

} // namespace

Value LoopSkewer::tripCount(OpBuilder &builder) {
  Location location = loop.getLoc();
  std::optional<int64_t> lower = constantOf(loop.getLowerBound());
  std::optional<int64_t> step = constantOf(loop.getStep());
  Value distance = loop.getUpperBound();
  if (lower != 0)
    distance = builder.createOrFold<arith::SubIOp>(location, distance,
                                                   loop.getLowerBound());
  if (step != 1)
    distance = builder.createOrFold<arith::CeilDivSIOp>(location, distance,
                                                        loop.getStep());
  return builder.createOrFold<arith::MaxSIOp>(location, distance,
                                              constant(builder, 0));
}

/// Whether a task has an iteration in a step: 0 <= step - skew < trips.
Value LoopSkewer::condition(OpBuilder &builder, Value step, Value trips,
                            int64_t skew, int64_t steps) {
  Location location = loop.getLoc();
  Value begun;
  if (skew != 0)
    begun = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sge,
                                  step, constant(builder, skew));
  if (skew == steps)
    return begun; // the loop ends with this task
  Value end = skew == 0 ? trips
                        : builder.createOrFold<arith::AddIOp>(
                              location, trips, constant(builder, skew));
  Value unfinished = arith::CmpIOp::create(
      builder, location, arith::CmpIPredicate::slt, step, end);
  if (!begun)
    return unfinished;
  return arith::AndIOp::create(builder, location, begun, unfinished);
}

void LoopSkewer::addTask(scf::ForOp skewed, Value trips, int64_t steps,
                         int task) {
  Location location = loop.getLoc();
  int64_t skew = skewOf(task);
  OpBuilder builder(skewed.getBody()->getTerminator());
  Value step = skewed.getInductionVar();
  auto guard = scf::IfOp::create(
      builder, location, condition(builder, step, trips, skew, steps), false);
  guard->setAttr(ascend::kTaskAttr, builder.getI64IntegerAttr(task));
  guard->setAttr(ascend::kSkewAttr, builder.getI64IntegerAttr(skew));

  builder.setInsertionPoint(guard.thenBlock()->getTerminator());
  Value iteration = skew == 0 ? step
                              : arith::SubIOp::create(builder, location, step,
                                                      constant(builder, skew))
                                    .getResult();
  // Steps in which the task has no iteration must not widen the range that
  // offsets are known to have.
  if (std::optional<int64_t> most = boundsOf(trips).upper;
      most && *most > 0 && skew != steps)
    iteration = arith::MinSIOp::create(builder, location, iteration,
                                       constant(builder, *most - 1));
  if (constantOf(loop.getStep()) != 1)
    iteration =
        arith::MulIOp::create(builder, location, iteration, loop.getStep());
  if (constantOf(loop.getLowerBound()) != 0)
    iteration = arith::AddIOp::create(builder, location, loop.getLowerBound(),
                                      iteration);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iteration);
  for (Operation &op : loop.getBody()->without_terminator())
    if (graph.taskOf(&op).value_or(task) == task)
      builder.clone(op, mapping);
}

void LoopSkewer::run(int64_t steps) {
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  Value trips = tripCount(builder);
  Value end = builder.createOrFold<arith::AddIOp>(location, trips,
                                                  constant(builder, steps));
  auto skewed = scf::ForOp::create(builder, location, constant(builder, 0), end,
                                   constant(builder, 1));
  skewed->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  skewed->setAttr(ascend::kSkewAttr, builder.getI64IntegerAttr(steps));
  for (int task : graph.tasks(core))
    addTask(skewed, trips, steps, task);
  loop.erase();
}

/// Workspaces that are accessed inside a loop, by id.
static llvm::DenseSet<int64_t> workspacesIn(scf::ForOp loop) {
  llvm::DenseSet<int64_t> ids;
  loop.walk([&](tile::CopyOp copy) {
    for (Value side : {copy.getSource(), copy.getDestination()})
      if (auto workspace =
              tile::getBuffer(side).getDefiningOp<ascend::WorkspaceOp>())
        ids.insert(workspace.getId());
  });
  return ids;
}

/// Pairs loops that both programs run equally often and that exchange tiles,
/// from outside in.
static void findPairs(Block &aic, Block &aiv,
                      const ascend::CorrespondingLoops &around,
                      SmallVectorImpl<LoopPair> &pairs) {
  for (auto first : aic.getOps<scf::ForOp>()) {
    llvm::DenseSet<int64_t> ids = workspacesIn(first);
    for (auto second : aiv.getOps<scf::ForOp>()) {
      ascend::CorrespondingLoops loops = around;
      bool shares = llvm::any_of(workspacesIn(second),
                                 [&](int64_t id) { return ids.contains(id); });
      if (!shares || !loops.correspond(first, second))
        continue;
      if (!first->hasAttr(ascend::kGridLoopAttr))
        pairs.push_back({first, second});
      findPairs(*first.getBody(), *second.getBody(), loops, pairs);
      break;
    }
  }
}

static void skewLoops(LoopPair pair, int64_t depth) {
  TaskGraph graph(pair.aic, pair.aiv);
  if (!graph.exchanges())
    return;
  if (!graph.obstacle().empty()) {
    pair.aic.emitRemark() << "no skew: " << graph.obstacle();
    return;
  }
  SmallVector<int> cube = graph.tasks(0), vector = graph.tasks(1);
  if (cube.size() < 2 && vector.size() < 2)
    return;
  LoopSkewer aic(pair.aic, 0, graph, depth), aiv(pair.aiv, 1, graph, depth);
  int64_t steps = std::max(aic.skewOf(cube.back()), aiv.skewOf(vector.back()));
  auto kernel = pair.aic->getParentOfType<ascend::KernelOp>();
  for (auto &[buffer, tasks] : graph.sharedBuffers()) {
    bool onCube = buffer.getParentRegion() == &kernel.getAic();
    LoopSkewer &skewer = onCube ? aic : aiv;
    int64_t versions =
        skewer.skewOf(tasks.second) - skewer.skewOf(tasks.first) + 1;
    buffer.getDefiningOp()->setAttr(
        ascend::kTaskVersionsAttr,
        Builder(buffer.getContext()).getI64IntegerAttr(versions));
  }
  TILELANG_DEBUG(kTag, cube.size() << " Cube and " << vector.size()
                                   << " Vector tasks, skewed by " << steps);
  pair.aic.emitRemark()
      << "skew " << steps << ": " << cube.size() << " Cube and "
      << vector.size()
      << " Vector tasks; later ones work on earlier iterations, so that no "
         "core waits for an answer";
  aic.run(steps);
  aiv.run(steps);
}

namespace {
struct OrderTasks : impl::AscendOrderTasksBase<OrderTasks> {
  using Base::Base;

  void runOnOperation() override {
    if (depth == 0)
      return;
    for (auto kernel : getOperation().getOps<ascend::KernelOp>()) {
      if (kernel.getKind() != ascend::KernelKind::Mixed)
        continue;
      SmallVector<LoopPair> pairs;
      findPairs(kernel.getAic().front(), kernel.getAiv().front(), {}, pairs);
      // Inner loops first: those that contain them keep their own tasks.
      for (LoopPair pair : llvm::reverse(pairs))
        skewLoops(pair, depth);
    }
  }
};
} // namespace
} // namespace tilelang
