//===- InsertSync.cpp - Flags, barriers and counters ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SyncCounters.h"
#include "SyncFlags.h"
#include "tilelang/Dialect/Ascend/Transforms/ChipCache.h"
#include "tilelang/Dialect/Ascend/Transforms/Passes.h"
#include "tilelang/Support/Debug.h"

namespace tilelang::ascend {
#define GEN_PASS_DEF_ASCENDINSERTSYNC
#include "tilelang/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace tilelang::ascend

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

namespace {

/// Writes the plan of one core into its program. What stands at one position
/// is written in this order: sets, waits, barriers.
class Emitter {
public:
  Emitter(CoreProgram &program, SyncOrder &order)
      : order(order), builder(program.instructions.front().op->getContext()) {}

  void run(int64_t &nextGroup);

private:
  static Operation *outermost(Body *body) {
    while (body->parent->parent)
      body = body->parent;
    return body->parent->children[body->parentChild].op;
  }
  void emitSet(const Flag &flag);
  void emitWait(const Flag &flag);
  void emitEnds(const Flag &flag);

  SyncOrder &order;
  OpBuilder builder;
};

} // namespace

void Emitter::emitSet(const Flag &flag) {
  Operation *producer = flag.body->children[flag.set - 1].op;
  builder.setInsertionPointAfter(producer);
  SetFlagOp::create(builder, producer->getLoc(), flag.source, flag.target,
                    flag.id, flag.ring, flag.group);
}

/// In front of a barrier that stands there already.
void Emitter::emitWait(const Flag &flag) {
  Operation *consumer = flag.body->children[flag.wait].op;
  Operation *position = consumer;
  while (isa_and_present<BarrierOp>(position->getPrevNode()))
    position = position->getPrevNode();
  builder.setInsertionPoint(position);
  WaitFlagOp::create(builder, consumer->getLoc(), flag.source, flag.target,
                     flag.id, flag.ring, flag.group);
}

/// Primes before and drains behind everything.
void Emitter::emitEnds(const Flag &flag) {
  if (!flag.carried)
    return;
  Operation *loop = outermost(flag.body);
  builder.setInsertionPoint(loop);
  for (int id = 0; id != flag.ids(); ++id)
    SetFlagOp::create(builder, loop->getLoc(), flag.source, flag.target,
                      flag.id + id, Value(), flag.group);
  builder.setInsertionPointAfter(loop);
  for (int id = flag.ids(); id-- != 0;)
    WaitFlagOp::create(builder, loop->getLoc(), flag.source, flag.target,
                       flag.id + id, Value(), flag.group);
}

void Emitter::run(int64_t &nextGroup) {
  // Carried flags that share ids are one flag: one group, primed once.
  std::vector<const Flag *> primed;
  for (Flag &flag : order.flags) {
    const Flag *same = nullptr;
    for (const Flag *other : primed)
      if (other->source == flag.source && other->target == flag.target &&
          other->id == flag.id)
        same = other;
    if (flag.carried && same) {
      flag.group = same->group;
      continue;
    }
    flag.group = static_cast<int>(nextGroup++);
    if (flag.carried)
      primed.push_back(&flag);
  }
  for (const Barrier &barrier : order.barriers) {
    Operation *consumer = barrier.body->children[barrier.position].op;
    builder.setInsertionPoint(consumer);
    BarrierOp::create(builder, consumer->getLoc(), barrier.pipe);
  }
  for (const Flag &flag : order.flags) {
    emitWait(flag);
    emitSet(flag);
  }
  for (const Flag *flag : primed)
    emitEnds(*flag);
}

static LogicalResult planCore(CoreProgram &program, SyncOrder &order,
                              ArrayRef<Exchange> exchanges, KernelOp kernel,
                              const Chip &chip) {
  DenseSet<Value> exchanged;
  for (Exchange exchange : exchanges) {
    exchanged.insert(exchange.producerWorkspace.getBuffer());
    exchanged.insert(exchange.consumerWorkspace.getBuffer());
  }
  int interlock = static_cast<int>(chip.constant("cube.interlock_fractals"));
  std::vector<Dependence> dependences = findDependences(program, exchanged);
  order.roundTrips = findRoundTrips(exchanges, program);
  chooseFlags(program, dependences, order, interlock);
  std::vector<const Dependence *> required =
      dependencesOfFlags(program, dependences, order, interlock);
  if (failed(assignEventIds(order, required, chip, kernel)))
    return failure();
  placeBarriers(program, dependences, order, interlock);
  return success();
}

static LogicalResult synchronise(KernelOp kernel, const Chip &chip) {
  auto existing = kernel.walk([](Operation *op) {
    return isa<SetFlagOp, WaitFlagOp, BarrierOp, CrossSetOp, CrossWaitOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (existing.wasInterrupted())
    return kernel.emitError(
        "internal: the kernel is already synchronised in part");
  FailureOr<CoreProgram> aic = CoreProgram::build(kernel.getAic());
  FailureOr<CoreProgram> aiv = CoreProgram::build(kernel.getAiv());
  if (failed(aic) || failed(aiv))
    return failure();
  FailureOr<std::vector<Exchange>> exchanges =
      findExchanges(kernel, *aic, *aiv, chip);
  if (failed(exchanges))
    return failure();
  SyncOrder aicOrder(*aic), aivOrder(*aiv);
  if (failed(planCore(*aic, aicOrder, *exchanges, kernel, chip)) ||
      failed(planCore(*aiv, aivOrder, *exchanges, kernel, chip)) ||
      failed(
          numberCounters(kernel, *exchanges, aicOrder, aivOrder, *aic, chip)))
    return failure();
  int64_t nextGroup = 0;
  if (!aic->empty())
    Emitter(*aic, aicOrder).run(nextGroup);
  if (!aiv->empty())
    Emitter(*aiv, aivOrder).run(nextGroup);
  for (const Exchange &exchange : *exchanges)
    emitExchange(exchange, nextGroup);
  return success();
}

namespace {
struct InsertSync : ascend::impl::AscendInsertSyncBase<InsertSync> {
  using AscendInsertSyncBase::AscendInsertSyncBase;

  void runOnOperation() override {
    const Chip *description = getChip(getOperation(), chip, chipDirectory);
    if (!description)
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](KernelOp kernel) {
      return failed(synchronise(kernel, *description)) ? WalkResult::interrupt()
                                                       : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
