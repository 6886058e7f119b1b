//===- MultiBuffer.cpp - Several versions of buffers ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MemoryPlan.h"
#include "WorkspaceLoops.h"
#include "tilelang/Dialect/Ascend/Transforms/ChipCache.h"
#include "tilelang/Dialect/Ascend/Transforms/Passes.h"
#include "tilelang/Support/Debug.h"

#include "llvm/ADT/StringSet.h"

namespace tilelang::ascend {
#define GEN_PASS_DEF_ASCENDMULTIBUFFER
#include "tilelang/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace tilelang::ascend

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

static constexpr StringLiteral debugTag = "ascend-multi-buffer";

/// Slots of a workspace: one being written, one being read, one between, and
/// one for each iteration that tasks of its loop are behind.
static constexpr int64_t kWorkspaceVersions = 3;

/// Iterations that the last task of a loop is behind its first.
static int64_t skewOfLoop(scf::ForOp loop) {
  auto skew = loop->getAttrOfType<IntegerAttr>(kSkewAttr);
  return skew ? skew.getInt() : 0;
}

/// Versions that must exist at once, since a later task of a skewed loop reads
/// what an earlier one wrote.
static int64_t taskVersions(AllocOp alloc) {
  auto versions = alloc->getAttrOfType<IntegerAttr>(kTaskVersionsAttr);
  return versions ? versions.getInt() : 1;
}

/// What `num_stages` of the loop asks for; nothing without it.
static std::optional<int64_t> stagesOf(scf::ForOp loop) {
  if (!loop)
    return std::nullopt;
  auto attribute = loop->getAttrOfType<IntegerAttr>(kStagesAttr);
  if (!attribute)
    return std::nullopt;
  return std::max<int64_t>(1, attribute.getInt());
}

namespace {

/// A buffer and how many versions it is to have.
struct Choice {
  PlacedBuffer placed;
  /// The number is the program's own.
  bool asked = false;
  /// Versions before any had to be given up for lack of space.
  int64_t wanted = 1;
  /// Fewer would be wrong.
  int64_t fewest = 1;
};

/// The buffers of one memory of one core.
class MemoryChoices {
public:
  MemoryChoices(MemoryKind memory, const Chip &chip)
      : memory(memory), chip(chip) {}

  void add(const BufferUse &use);
  /// Lowers versions until everything fits, or nothing is left to lower.
  void reduce();
  SmallVector<Choice> choices;

private:
  bool fits() {
    return fits(Sharing::None) || fits(Sharing::Temporaries) ||
           fits(Sharing::Loops);
  }
  bool fits(Sharing sharing);
  void dropOwn();
  bool dropStage();

  MemoryKind memory;
  const Chip &chip;
};

/// Rings of one core, and the views that select their slots.
class Rotation {
public:
  explicit Rotation(Region &program) : program(program) {}
  /// `acrossTasks` says that tasks with different skews use the buffer.
  void rotate(Value buffer, scf::ForOp loop, int64_t versions,
              bool acrossTasks);

private:
  void rotateIn(Block &block, Value buffer, scf::ForOp loop, int64_t versions);
  Value ringFor(Block &block, scf::ForOp loop, int64_t versions);
  std::string nameFor(scf::ForOp loop, int64_t versions);

  Region &program;
  /// By the body of the loop or task, and versions.
  DenseMap<std::pair<Block *, int64_t>, Value> rings;
  llvm::StringSet<> names;
};

} // namespace

void MemoryChoices::add(const BufferUse &use) {
  Choice choice{{&use, 1}};
  std::optional<int64_t> stages = stagesOf(use.loop);
  bool rotates = use.loop != nullptr;
  switch (memory) {
  case MemoryKind::L1:
  case MemoryKind::UB:
    // Vector instructions alone gain nothing: one pipe works in order.
    rotates &= use.transferred;
    choice.asked = stages.has_value();
    choice.placed.versions = stages.value_or(2);
    break;
  default:
    choice.placed.versions = 2;
    break;
  }
  if (!rotates)
    choice.placed.versions = 1;
  // What is kept for later tasks adds to what lets transfers run ahead.
  choice.fewest = taskVersions(use.alloc);
  choice.placed.versions += choice.fewest - 1;
  choice.wanted = choice.placed.versions;
  choices.push_back(choice);
}

bool MemoryChoices::fits(Sharing sharing) {
  SmallVector<PlacedBuffer> placed;
  for (Choice &choice : choices)
    placed.push_back(choice.placed);
  return placeBuffers(placed, chip, memory, sharing) <=
         static_cast<int64_t>(chip.usableBytes(chipMemoryOf(memory)));
}

/// One version only for what rotates together: the loads, or the stores, of one
/// loop. The smallest group that makes everything fit, else the one that
/// rotates most rarely and frees most.
void MemoryChoices::dropOwn() {
  struct Group {
    SmallVector<size_t> members;
    int64_t bytes = 0;
    int depth = 0;
  };
  llvm::MapVector<std::pair<Operation *, int>, Group> groups;
  for (auto [index, choice] : llvm::enumerate(choices)) {
    if (choice.asked || choice.placed.versions == choice.fewest)
      continue;
    bool loaded = llvm::any_of(
        choice.placed.use->accesses,
        [](const Instruction *access) { return access->pipe == Pipe::MTE2; });
    Group &group = groups[{choice.placed.use->loop, loaded ? 1 : 0}];
    group.members.push_back(index);
    group.bytes += choice.placed.bytes();
    group.depth = 0;
    for (Operation *op = choice.placed.use->loop; op; op = op->getParentOp())
      ++group.depth;
  }
  auto drop = [&](const Group &group) {
    for (size_t index : group.members)
      choices[index].placed.versions = choices[index].fewest;
  };
  const Group *best = nullptr;
  bool bestFits = false;
  for (auto &[key, group] : groups) {
    auto before = choices;
    drop(group);
    bool nowFits = fits();
    choices = before;
    auto rank = [](const Group &group, bool fits) {
      return fits ? std::tuple(0, group.bytes, int64_t(group.depth))
                  : std::tuple(1, int64_t(group.depth), -group.bytes);
    };
    if (!best || rank(group, nowFits) < rank(*best, bestFits)) {
      best = &group;
      bestFits = nowFits;
    }
  }
  if (!best)
    return;
  drop(*best);
  for (size_t index : best->members)
    TILELANG_DEBUG(debugTag, choices[index].fewest
                                 << " version(s) of '"
                                 << choices[index].placed.use->alloc.getName()
                                 << "'");
}

/// One version less of everything that rotates in the loop that asked for most
/// bytes.
bool MemoryChoices::dropStage() {
  llvm::MapVector<Operation *, int64_t> bytes;
  for (Choice &choice : choices)
    if (choice.asked && choice.placed.versions > choice.fewest)
      bytes[choice.placed.use->loop] += choice.placed.bytes();
  Operation *worst = nullptr;
  for (auto [loop, size] : bytes)
    if (!worst || size > bytes[worst])
      worst = loop;
  if (!worst)
    return false;
  for (Choice &choice : choices)
    if (choice.asked && choice.placed.use->loop == worst &&
        choice.placed.versions > choice.fewest)
      --choice.placed.versions;
  return true;
}

void MemoryChoices::reduce() {
  auto wanted = choices;
  while (!fits()) {
    bool own = llvm::any_of(choices, [](const Choice &choice) {
      return !choice.asked && choice.placed.versions > choice.fewest;
    });
    if (own)
      dropOwn();
    else if (!dropStage())
      return; // Sharing within loops, or an error, is for the planner.
  }
  // Say where the program gets less than it asked for.
  llvm::MapVector<Operation *, SmallVector<size_t>> fewer;
  for (auto [index, choice] : llvm::enumerate(choices))
    if (choice.asked && choice.placed.versions < wanted[index].placed.versions)
      fewer[choice.placed.use->loop].push_back(index);
  for (auto &[loop, indices] : fewer) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    int64_t each = 0, all = 0;
    for (size_t index : indices) {
      AllocOp alloc = choices[index].placed.use->alloc;
      stream << (each ? ", " : "") << alloc.getName() << " "
             << alloc.getVersionBytes() << " B";
      each += alloc.getVersionBytes();
    }
    for (Choice &choice : choices)
      all += choice.placed.bytes();
    int64_t asked = wanted[indices.front()].placed.versions;
    int64_t used = choices[indices.front()].placed.versions;
    loop->emitRemark() << "num_stages = " << asked << " does not fit "
                       << memoryName(memory) << ": " << text << " times "
                       << asked << " are " << each * asked << " B, beside "
                       << all - each * used << " B of other buffers, limit "
                       << chip.usableBytes(chipMemoryOf(memory)) << " B; "
                       << used << (used == 1 ? " version is" : " versions are")
                       << " used";
  }
}

std::string Rotation::nameFor(scf::ForOp loop, int64_t versions) {
  std::string base = isGridLoop(loop)             ? "block_slot"
                     : stagesOf(loop) == versions ? "stage"
                                                  : "slot";
  std::string name = base;
  for (int number = 1; !names.insert(name).second; ++number)
    name = base + std::to_string(number);
  return name;
}

/// The ring that moves on at the end of `block`, which is the body of `loop` or
/// of one of its tasks.
Value Rotation::ringFor(Block &block, scf::ForOp loop, int64_t versions) {
  Value &ring = rings[{&block, versions}];
  if (ring)
    return ring;
  OpBuilder builder = OpBuilder::atBlockBegin(&program.front());
  // Behind the rings that are there, so that they stand in order.
  while (builder.getInsertionPoint() != program.front().end() &&
         isa<RingOp>(*builder.getInsertionPoint()))
    builder.setInsertionPointAfter(&*builder.getInsertionPoint());
  ring = RingOp::create(builder, loop.getLoc(),
                        RingType::get(builder.getContext()), versions,
                        nameFor(loop, versions));
  builder.setInsertionPoint(block.getTerminator());
  AdvanceOp::create(builder, loop.getLoc(), ring);
  return ring;
}

void Rotation::rotate(Value buffer, scf::ForOp loop, int64_t versions,
                      bool acrossTasks) {
  if (acrossTasks) {
    for (auto task : loop.getBody()->getOps<scf::IfOp>())
      if (task->hasAttr(kTaskAttr))
        rotateIn(*task.thenBlock(), buffer, loop, versions);
  } else {
    rotateIn(*loop.getBody(), buffer, loop, versions);
  }
  // What was left outside has no use.
  SmallVector<Operation *> rest(buffer.getUsers());
  for (Operation *user : rest)
    if (isOpTriviallyDead(user))
      user->erase();
}

/// Whether a view, or a view of it, is used inside `block`.
static bool hasUseInside(Operation *view, Block &block) {
  return isa<ViewOp>(view) &&
         llvm::any_of(view->getUsers(), [&](Operation *user) {
           return block.findAncestorOpInBlock(*user) ||
                  hasUseInside(user, block);
         });
}

/// Gives everything inside `block` the slot of the iteration it works on.
void Rotation::rotateIn(Block &block, Value buffer, scf::ForOp loop,
                        int64_t versions) {
  auto isInside = [&](Operation *op) {
    return block.findAncestorOpInBlock(*op) != nullptr;
  };
  if (llvm::none_of(buffer.getUsers(), [&](Operation *user) {
        return isInside(user) || hasUseInside(user, block);
      }))
    return; // another task's
  Value ring = ringFor(block, loop, versions);
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  auto slot = ViewOp::create(builder, buffer.getLoc(), buffer.getType(), buffer,
                             ring, Value());
  // Views outside the block move in: a slot is chosen per iteration.
  SmallVector<Operation *> users(buffer.getUsers());
  for (Operation *user : users) {
    if (user == slot)
      continue;
    if (isInside(user)) {
      // A view of this buffer that another task's slot is taken from stays.
      user->replaceUsesOfWith(buffer, slot);
      continue;
    }
    auto outside = dyn_cast<ViewOp>(user);
    if (!outside || outside.getRing())
      continue;
    SmallVector<OpOperand *> operands;
    SmallVector<ViewOp> pending{outside};
    builder.setInsertionPointAfter(slot);
    // Clone the chain of views that hangs on it.
    IRMapping mapping;
    mapping.map(buffer, slot.getResult());
    SmallVector<Operation *> copies;
    while (!pending.empty()) {
      ViewOp view = pending.pop_back_val();
      for (OpOperand &use : view.getResult().getUses())
        if (isInside(use.getOwner()))
          operands.push_back(&use);
        else if (auto next = dyn_cast<ViewOp>(use.getOwner()))
          pending.push_back(next);
      Operation *copy = builder.clone(*view, mapping);
      copies.push_back(copy);
      for (OpOperand *operand : operands)
        operand->set(copy->getResult(0));
      operands.clear();
    }
    for (Operation *copy : llvm::reverse(copies))
      if (copy->use_empty())
        copy->erase();
  }
}

static void chooseVersions(Region &region, CoreProgram &program,
                           const Chip &chip, Rotation &rotation) {
  std::vector<BufferUse> uses = findBufferUses(region, program);
  llvm::MapVector<int, MemoryChoices> memories;
  for (const BufferUse &use : uses) {
    MemoryKind memory = use.alloc.getMemory();
    auto [entry, inserted] = memories.try_emplace(static_cast<int>(memory),
                                                  MemoryChoices(memory, chip));
    entry->second.add(use);
  }
  for (auto &[memory, choices] : memories) {
    choices.reduce();
    for (Choice &choice : choices.choices) {
      AllocOp alloc = choice.placed.use->alloc;
      alloc.setVersions(choice.placed.versions);
      if (choice.placed.versions < choice.wanted)
        alloc->setAttr(kWantedVersionsAttr,
                       Builder(alloc).getI64IntegerAttr(choice.wanted));
      if (choice.placed.versions > 1)
        rotation.rotate(alloc.getBuffer(), choice.placed.use->loop,
                        choice.placed.versions, choice.fewest > 1);
    }
  }
}

static LogicalResult chooseVersions(KernelOp kernel, const Chip &chip) {
  FailureOr<CoreProgram> aic = CoreProgram::build(kernel.getAic());
  FailureOr<CoreProgram> aiv = CoreProgram::build(kernel.getAiv());
  if (failed(aic) || failed(aiv))
    return failure();
  Rotation aicRotation(kernel.getAic()), aivRotation(kernel.getAiv());
  std::vector<WorkspaceLoops> workspaces =
      findWorkspaceLoops(kernel, *aic, *aiv);
  chooseVersions(kernel.getAic(), *aic, chip, aicRotation);
  chooseVersions(kernel.getAiv(), *aiv, chip, aivRotation);
  for (WorkspaceLoops &workspace : workspaces) {
    if (!workspace.aicLoop)
      continue;
    int64_t skew = skewOfLoop(workspace.aicLoop);
    int64_t versions = kWorkspaceVersions + skew;
    workspace.aic.setVersions(versions);
    workspace.aiv.setVersions(versions);
    aicRotation.rotate(workspace.aic.getBuffer(), workspace.aicLoop, versions,
                       skew > 0);
    aivRotation.rotate(workspace.aiv.getBuffer(), workspace.aivLoop, versions,
                       skew > 0);
  }
  return success();
}

namespace {
struct MultiBuffer : ascend::impl::AscendMultiBufferBase<MultiBuffer> {
  using AscendMultiBufferBase::AscendMultiBufferBase;

  void runOnOperation() override {
    const Chip *description = getChip(getOperation(), chip, chipDirectory);
    if (!description)
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](KernelOp kernel) {
      return failed(chooseVersions(kernel, *description))
                 ? WalkResult::interrupt()
                 : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
