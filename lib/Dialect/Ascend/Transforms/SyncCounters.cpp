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
// of a block must take part. The guards of skewed tasks are no branches in this
// sense: each task runs once for every iteration, on all cores.
//
//===----------------------------------------------------------------------===//

#include "SyncCounters.h"
#include "SyncDependences.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

/// As many as a word has bits; what more would prove costs flags.
static constexpr size_t kMostRoundTrips = 64;

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

/// Whether `body` is a task of a skewed loop.
static bool isTask(const Body *body) {
  return body->parent &&
         body->parent->children[body->parentChild].op->hasAttr(kTaskAttr);
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
  // The task, or where the ring moves on; without a ring the loop over the
  // blocks.
  Value ring = ringOfUsage(usage);
  scf::ForOp rotating = ring ? rotatingLoop(ring) : scf::ForOp();
  while (body->parent &&
         !(rotating && isTask(body) && body->parent->loop == rotating) &&
         (rotating ? body->loop != rotating : !isGridLoop(body->loop)))
    body = body->parent;
  for (Body *outer = body; outer; outer = outer->parent)
    if (outer->conditional && !isTask(outer))
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

/// The body whose executions are the steps of the loop around a side.
static Body *stepBody(const ExchangeSide &side) {
  return isTask(side.body) ? side.body->parent : side.body;
}

/// Iterations that a side is behind the steps of its loop.
static int64_t sideSkew(const ExchangeSide &side) {
  return isTask(side.body)
             ? ascend::skewOf(
                   side.body->parent->children[side.body->parentChild].op)
             : 0;
}

/// Whether `first` is reached before `second` in one step of their loop.
static bool precedes(const ExchangeSide &first, const ExchangeSide &second) {
  if (first.body == second.body)
    return first.first <= second.first;
  return first.body->parentChild < second.body->parentChild;
}

std::vector<RoundTrip> sync::findRoundTrips(ArrayRef<Exchange> exchanges,
                                            const CoreProgram &program) {
  std::vector<RoundTrip> trips;
  for (const Exchange &sent : exchanges)
    for (const Exchange &answer : exchanges) {
      if (sent.producer.program != &program ||
          answer.consumer.program != &program ||
          stepBody(sent.producer) != stepBody(answer.consumer) ||
          stepBody(sent.consumer) != stepBody(answer.producer))
        continue;
      // The other core answers behind its wait; where it does so in an earlier
      // part of its step, it means what was sent an iteration before.
      bool answersLater = sent.consumer.body == answer.producer.body
                              ? answer.producer.last >= sent.consumer.first
                              : precedes(sent.consumer, answer.producer);
      int64_t lag = sideSkew(answer.consumer) - sideSkew(sent.producer) +
                    sideSkew(sent.consumer) - sideSkew(answer.producer) +
                    (answersLater ? 0 : 1);
      bool asksLater = sent.producer.body == answer.consumer.body
                           ? answer.consumer.first > sent.producer.last
                           : precedes(sent.producer, answer.consumer);
      bool inLoop = stepBody(sent.producer)->loop != nullptr;
      if (lag < 0 || (lag == 0 && !asksLater) || (lag > 0 && !inLoop))
        continue;
      // In other loops nothing counts steps: only answers within one.
      if (lag > 0 && !stepBody(sent.producer)->loop->hasAttr(kSkewAttr))
        continue;
      trips.push_back({sent.producer.pipe, sent.producer.body,
                       sent.producer.last + 1, answer.consumer.body,
                       answer.consumer.first, lag});
    }
  if (trips.size() > kMostRoundTrips)
    trips.resize(kMostRoundTrips);
  return trips;
}

/// Steps from the consumer's reads of a slot to where `answer` tells of their
/// completion; nothing if it does not within `limit` steps.
static std::optional<int64_t> stepsToAnswer(const Exchange &exchange,
                                            const Exchange &answer,
                                            const SyncOrder &consumerOrder,
                                            int64_t limit) {
  const CoreProgram &program = *exchange.consumer.program;
  Value buffer = WorkspaceOp(exchange.consumerWorkspace).getBuffer();
  Point sent{answer.producer.body, answer.producer.last + 1,
             answer.producer.pipe, Point::BehindChild};
  for (int distance = 0; distance < limit; ++distance) {
    bool ordered =
        llvm::all_of(program.instructions, [&](const Instruction &instruction) {
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
      return distance;
  }
  return std::nullopt;
}

/// Whether, before the producer writes a slot again, it always waits for
/// something that the consumer sends behind its last access to that slot.
///
/// Numbers are steps of the two loops. The producer writes iteration i in step
/// i + p; the slot was read last in the consumer's step i - versions + c.
/// Before it writes, it waits for the answer of iteration i + p - a (one less
/// if the wait comes later in a step), which is sent in step (that iteration) +
/// s and tells of all reads `distance` steps before. The first iterations of a
/// loop come before any answer in it: for them the last answer of the loop's
/// run before tells as much, since slots go on where they stopped.
static bool isFreeImplied(const Exchange &exchange,
                          ArrayRef<Exchange> exchanges,
                          const SyncOrder &consumerOrder) {
  for (const Exchange &answer : exchanges) {
    if (answer.producer.program != exchange.consumer.program ||
        stepBody(answer.producer) != stepBody(exchange.consumer) ||
        stepBody(answer.consumer) != stepBody(exchange.producer))
      continue;
    std::optional<int64_t> distance =
        stepsToAnswer(exchange, answer, consumerOrder, exchange.versions);
    if (!distance)
      continue;
    int64_t read = sideSkew(exchange.consumer);
    int64_t told = sideSkew(answer.producer) - *distance;
    int64_t late = precedes(answer.consumer, exchange.producer) ? 0 : 1;
    int64_t behind =
        sideSkew(answer.consumer) + late - sideSkew(exchange.producer);
    if (told - behind < read - exchange.versions || behind > exchange.versions)
      continue;
    return true;
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
