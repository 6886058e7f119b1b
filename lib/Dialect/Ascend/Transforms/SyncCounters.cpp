//===- SyncCounters.cpp - Handing workspace slots from core to core -------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The consumer grants all slots before its loops, the producer takes back all
// grants behind its own, so that counters end at zero for any number of
// iterations. A wait stops the dispatch of the whole core, hence it stands
// right before the first access, and never inside a branch: both Vector cores
// of a block must take part.
//
//===----------------------------------------------------------------------===//

#include "SyncCounters.h"
#include "SyncDependences.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

namespace {
/// What one program does with one workspace.
struct Usage {
  /// A handle: accessors of operations are not const.
  mutable WorkspaceOp workspace;
  SmallVector<const Instruction *> accesses;
  bool reads = false, writes = false;
};
} // namespace

static std::map<int64_t, Usage> usagesOf(CoreProgram &program) {
  std::map<int64_t, Usage> usages;
  for (const Instruction &instruction : program.instructions)
    for (const Access &access : instruction.accesses) {
      auto workspace = access.root.getDefiningOp<WorkspaceOp>();
      if (!workspace)
        continue;
      Usage &usage = usages[workspace.getId()];
      usage.workspace = workspace;
      if (usage.accesses.empty() || usage.accesses.back() != &instruction)
        usage.accesses.push_back(&instruction);
      usage.reads |= access.reads;
      usage.writes |= access.writes;
    }
  return usages;
}

static Value ringOfUsage(const Usage &usage) {
  for (const Access &access : usage.accesses.front()->accesses)
    if (access.root == usage.workspace.getBuffer())
      return access.ring;
  return {};
}

static FailureOr<ExchangeSide> sideOf(CoreProgram &program,
                                      const Usage &usage) {
  ExchangeSide side;
  side.program = &program;
  const Instruction *front = usage.accesses.front();
  side.pipe = front->pipe;
  Body *body = front->body;
  for (const Instruction *access : usage.accesses) {
    if (access->pipe != side.pipe || access->pipe == Pipe::S)
      return access->op->emitError()
             << "unsupported: workspace '" << usage.workspace.getName()
             << "' is accessed on pipes " << stringifyPipe(side.pipe) << " and "
             << stringifyPipe(access->pipe)
             << " of one core; its slots are handed over by one pipe other "
                "than S";
    body = commonBody(body, 0, access->body, 0).body;
  }
  // Where the ring moves on; without a ring the loop over the blocks.
  Value ring = ringOfUsage(usage);
  scf::ForOp rotating = ring ? rotatingLoop(ring) : scf::ForOp();
  while (body->parent &&
         (rotating ? body->loop != rotating : !isGridLoop(body->loop)))
    body = body->parent;
  for (Body *outer = body; outer; outer = outer->parent)
    if (outer->conditional)
      return outer->parent->children[outer->parentChild].op->emitError()
             << "unsupported: workspace '" << usage.workspace.getName()
             << "' is exchanged between cores inside an if; counters must be "
                "raised and lowered on every path";
  side.body = body;
  side.first = std::numeric_limits<int>::max();
  for (const Instruction *access : usage.accesses) {
    int child = commonBody(body, 0, access->body, access->child).second;
    side.first = std::min(side.first, child);
    side.last = std::max(side.last, child);
  }
  return side;
}

FailureOr<std::vector<Exchange>> sync::findExchanges(KernelOp kernel,
                                                     CoreProgram &aic,
                                                     CoreProgram &aiv,
                                                     const Chip &chip) {
  std::vector<Exchange> exchanges;
  std::map<int64_t, Usage> cube = usagesOf(aic), vector = usagesOf(aiv);
  for (auto &[id, cubeUsage] : cube) {
    auto entry = vector.find(id);
    if (entry == vector.end())
      continue;
    Usage &vectorUsage = entry->second;
    if (cubeUsage.writes == vectorUsage.writes)
      return cubeUsage.workspace.emitError()
             << "unsupported: workspace '" << cubeUsage.workspace.getName()
             << "' is " << (cubeUsage.writes ? "written" : "only read")
             << " by both core types; one must write it and the other read it";
    bool fromCube = cubeUsage.writes;
    Usage &written = fromCube ? cubeUsage : vectorUsage;
    Usage &read = fromCube ? vectorUsage : cubeUsage;
    auto producer = sideOf(fromCube ? aic : aiv, written);
    auto consumer = sideOf(fromCube ? aiv : aic, read);
    if (failed(producer) || failed(consumer))
      return failure();
    Exchange exchange{written.workspace, read.workspace, *producer, *consumer,
                      static_cast<int64_t>(written.workspace.getVersions())};
    if (exchange.versions > chip.crossCoreCounterLimit)
      return written.workspace.emitError()
             << "internal: workspace '" << written.workspace.getName()
             << "' has " << exchange.versions
             << " versions, counters between cores hold "
             << chip.crossCoreCounterLimit;
    exchanges.push_back(exchange);
  }
  return exchanges;
}

std::vector<RoundTrip> sync::findRoundTrips(ArrayRef<Exchange> exchanges,
                                            const CoreProgram &program) {
  std::vector<RoundTrip> trips;
  for (const Exchange &sent : exchanges)
    for (const Exchange &answer : exchanges) {
      if (sent.producer.program != &program ||
          answer.consumer.program != &program ||
          sent.producer.body != answer.consumer.body ||
          sent.consumer.body != answer.producer.body)
        continue;
      // The other core answers behind its wait, and this one asks first.
      if (answer.producer.last < sent.consumer.first ||
          answer.consumer.first <= sent.producer.last)
        continue;
      trips.push_back({sent.producer.pipe, sent.producer.body,
                       sent.producer.last + 1, answer.consumer.first});
    }
  return trips;
}

/// Whether, before the producer writes a slot again, it always waits for
/// something that the consumer sends behind its last access to that slot.
static bool isFreeImplied(const Exchange &exchange,
                          ArrayRef<Exchange> exchanges,
                          const SyncOrder &consumerOrder) {
  const CoreProgram &program = *exchange.consumer.program;
  Value buffer = WorkspaceOp(exchange.consumerWorkspace).getBuffer();
  for (const Exchange &answer : exchanges) {
    if (answer.producer.body != exchange.consumer.body ||
        answer.consumer.body != exchange.producer.body ||
        answer.producer.program != exchange.consumer.program)
      continue;
    Point sent{answer.producer.body, answer.producer.last + 1,
               answer.producer.pipe, Point::BehindChild};
    for (int distance = 0; distance < exchange.versions; ++distance) {
      bool ordered = llvm::all_of(
          program.instructions, [&](const Instruction &instruction) {
            bool uses =
                llvm::any_of(instruction.accesses, [&](const Access &access) {
                  return access.root == buffer;
                });
            return !uses || consumerOrder.isOrdered(
                                {instruction.body, instruction.child + 1,
                                 instruction.pipe, Point::BehindChild},
                                sent, distance, Value());
          });
      if (ordered)
        return true;
    }
  }
  return false;
}

LogicalResult sync::numberCounters(KernelOp kernel,
                                   std::vector<Exchange> &exchanges,
                                   const SyncOrder &aic, const SyncOrder &aiv,
                                   const CoreProgram &aicProgram,
                                   const Chip &chip) {
  unsigned next = 0;
  for (Exchange &exchange : exchanges) {
    const SyncOrder &order =
        exchange.consumer.program == &aicProgram ? aic : aiv;
    exchange.needsFree = exchange.consumer.body->nearestLoop &&
                         !isFreeImplied(exchange, exchanges, order);
    exchange.full = next++;
    if (exchange.needsFree)
      exchange.free = next++;
  }
  if (next > chip.crossCoreFlags)
    return kernel.emitError()
           << "the kernel exchanges " << exchanges.size()
           << " tiles between Cube and Vector cores, which needs " << next
           << " counters; the chip has " << chip.crossCoreFlags
           << ": split the kernel or exchange fewer tiles";
  return success();
}

/// The child of the program that holds `body`, as an operation.
static Operation *outermost(Body *body) {
  while (body->parent && body->parent->parent)
    body = body->parent;
  return body->parent ? body->parent->children[body->parentChild].op : nullptr;
}

void sync::emitExchange(const Exchange &exchange, int64_t &nextGroup) {
  int64_t fullGroup = nextGroup++;
  int64_t freeGroup = exchange.needsFree ? nextGroup++ : -1;
  const ExchangeSide &producer = exchange.producer;
  const ExchangeSide &consumer = exchange.consumer;
  auto firstOf = [](const ExchangeSide &side) {
    return side.body->children[side.first].op;
  };
  auto lastOf = [](const ExchangeSide &side) {
    return side.body->children[side.last].op;
  };
  OpBuilder builder(producer.body->children[producer.last].op->getContext());
  auto location = [](Operation *op) { return op->getLoc(); };

  // Producer.
  Operation *first = firstOf(producer), *last = lastOf(producer);
  if (exchange.needsFree) {
    builder.setInsertionPoint(first);
    CrossWaitOp::create(builder, location(first), exchange.free, freeGroup);
    Operation *loop = outermost(producer.body);
    builder.setInsertionPointAfter(loop);
    for (int64_t i = 0; i != exchange.versions; ++i)
      CrossWaitOp::create(builder, location(loop), exchange.free, freeGroup);
  }
  builder.setInsertionPointAfter(last);
  CrossSetOp::create(builder, location(last), producer.pipe, exchange.full,
                     fullGroup);

  // Consumer.
  first = firstOf(consumer), last = lastOf(consumer);
  builder.setInsertionPoint(first);
  CrossWaitOp::create(builder, location(first), exchange.full, fullGroup);
  if (exchange.needsFree) {
    builder.setInsertionPointAfter(last);
    CrossSetOp::create(builder, location(last), consumer.pipe, exchange.free,
                       freeGroup);
    Operation *loop = outermost(consumer.body);
    builder.setInsertionPoint(loop);
    for (int64_t i = 0; i != exchange.versions; ++i)
      CrossSetOp::create(builder, location(loop), consumer.pipe, exchange.free,
                         freeGroup);
  }
}
