//===- DescribeKernel.cpp - What became of a program ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Read off the final program, not remembered by the passes: what a report says
// is what is emitted.
//
//===----------------------------------------------------------------------===//

#include "DescribeKernel.h"

#include "tilelang/Dialect/Ascend/Transforms/Passes.h"
#include "tilelang/Target/AscendC/EmitAscendC.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using llvm::json::OStream;

namespace tilelang {
namespace {

/// A place of the program as a key.
using PlaceKey = std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>;

/// What one statement became on one core.
struct Statement {
  Location location;
  unsigned core;
  /// Instructions by pipe and name.
  llvm::MapVector<ascend::Pipe, llvm::MapVector<StringRef, int64_t>> pipes;
  llvm::SmallSetVector<int64_t, 2> reads, writes; // workspaces
};

/// Synchronisation in the body of a loop, inner loops left out.
struct Counts {
  int64_t sets = 0, waits = 0, crossSets = 0, crossWaits = 0, instructions = 0;
  llvm::MapVector<ascend::Pipe, int64_t> barriers;
};

/// One end of a flag or counter.
struct FlagEnd {
  std::optional<Location> location;
  int64_t operations = 0, outsideLoops = 0;
};

struct Flag {
  bool crosses = false;
  int64_t id = 0;
  unsigned setter = 0, waiter = 0;
  ascend::Pipe source = ascend::Pipe::S, target = ascend::Pipe::S;
  FlagEnd set, wait;
};

class Description {
public:
  Description(ascend::KernelOp kernel, const Chip &chip)
      : kernel(kernel), chip(chip), json(stream) {}

  std::string write();

private:
  Region &region(unsigned core) {
    return core == 0 ? kernel.getAic() : kernel.getAiv();
  }
  static const char *coreName(unsigned core) { return core ? "AIV" : "AIC"; }

  PlaceKey keyOf(Location location);
  void place(StringRef name, Location location);
  void shape(MemRefType type);
  void collectStatements();
  void addStatement(Operation *op, unsigned core);
  void collectFlags();
  void addFlag(Operation *op, unsigned core);

  void writeStatements();
  void writeMemories(unsigned core);
  void writeBuffers(unsigned core);
  void writeBuffer(ascend::AllocOp alloc, unsigned core);
  void writeRings();
  void writeLoops(unsigned core);
  void writeLoop(scf::ForOp loop, unsigned core);
  void writeFlags();

  /// The number of the loop in the description; -1 outside of all.
  int64_t loopNumber(Operation *op);
  /// The loop that moves the ring of a buffer on.
  scf::ForOp rotationOf(Value buffer);

  ascend::KernelOp kernel;
  const Chip &chip;
  std::string text;
  llvm::raw_string_ostream stream{text};
  OStream json;
  std::vector<std::string> files;
  std::map<std::string, unsigned> fileNumbers;
  llvm::MapVector<std::pair<unsigned, PlaceKey>, Statement> statements;
  llvm::MapVector<std::pair<int64_t, int64_t>, Flag> flags; // (scope, group)
  llvm::DenseMap<Operation *, int64_t> loopNumbers;
};

} // namespace

PlaceKey Description::keyOf(Location location) {
  SourcePosition position =
      sourcePositionOf(location).value_or(SourcePosition());
  auto [entry, isNew] =
      fileNumbers.try_emplace(position.file, unsigned(files.size()));
  if (isNew)
    files.push_back(position.file);
  return {entry->second, position.line, position.column, position.endLine,
          position.endColumn};
}

/// [file, line, column, end line, end column]
void Description::place(StringRef name, Location location) {
  auto [file, line, column, endLine, endColumn] = keyOf(location);
  json.attributeArray(name, [&] {
    for (unsigned number : {file, line, column, endLine, endColumn})
      json.value(number);
  });
}

void Description::shape(MemRefType type) {
  json.attributeArray("shape", [&] {
    for (int64_t extent : type.getShape())
      json.value(extent);
  });
  json.attribute("dtype", ascend::elementTypeName(type.getElementType()));
}

//===-- Statements -------------------------------------------------------===//

void Description::addStatement(Operation *op, unsigned core) {
  auto instruction = dyn_cast<ascend::InstructionOpInterface>(op);
  if (!instruction)
    return;
  auto [entry, isNew] =
      statements.try_emplace(std::pair(core, keyOf(op->getLoc())),
                             Statement{op->getLoc(), core, {}, {}, {}});
  Statement &statement = entry->second;
  ++statement.pipes[instruction.getPipe()][op->getName().stripDialect()];
  auto accessor = dyn_cast<RegionAccessOpInterface>(op);
  if (!accessor)
    return;
  SmallVector<RegionAccess> accesses;
  accessor.getRegionAccesses(accesses);
  for (const RegionAccess &access : accesses) {
    auto workspace =
        ascend::rootBuffer(access.target).getDefiningOp<ascend::WorkspaceOp>();
    if (!workspace)
      continue;
    if (access.reads())
      statement.reads.insert(workspace.getId());
    if (access.writes())
      statement.writes.insert(workspace.getId());
  }
}

void Description::collectStatements() {
  for (unsigned core : {0, 1})
    region(core).walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<scf::ForOp>(op))
        loopNumbers.try_emplace(op, loopNumbers.size());
      addStatement(op, core);
    });
}

void Description::writeStatements() {
  json.attributeArray("statements", [&] {
    for (auto &[key, statement] : statements)
      json.object([&, &statement = statement] {
        json.attribute("core", coreName(statement.core));
        place("place", statement.location);
        json.attributeObject("pipes", [&] {
          for (auto &[pipe, names] : statement.pipes)
            json.attributeObject(ascend::stringifyPipe(pipe),
                                 [&, &names = names] {
                                   for (auto &[name, count] : names)
                                     json.attribute(name, count);
                                 });
        });
        auto workspaces = [&](StringRef name, ArrayRef<int64_t> ids) {
          if (!ids.empty())
            json.attributeArray(name, [&] {
              for (int64_t id : ids)
                json.value(id);
            });
        };
        workspaces("reads", statement.reads.getArrayRef());
        workspaces("writes", statement.writes.getArrayRef());
      });
  });
}

//===-- Buffers ----------------------------------------------------------===//

static ChipMemory chipMemoryOf(ascend::MemoryKind memory) {
  switch (memory) {
  case ascend::MemoryKind::L1:
    return ChipMemory::L1;
  case ascend::MemoryKind::L0A:
    return ChipMemory::L0A;
  case ascend::MemoryKind::L0B:
    return ChipMemory::L0B;
  case ascend::MemoryKind::L0C:
    return ChipMemory::L0C;
  case ascend::MemoryKind::BT:
    return ChipMemory::BT;
  case ascend::MemoryKind::FB:
    return ChipMemory::FB;
  case ascend::MemoryKind::UB:
  case ascend::MemoryKind::GM:
    return ChipMemory::UB;
  }
  llvm_unreachable("not a memory");
}

int64_t Description::loopNumber(Operation *op) {
  auto found = loopNumbers.find(op);
  return found == loopNumbers.end() ? -1 : found->second;
}

scf::ForOp Description::rotationOf(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    auto view = dyn_cast<ascend::ViewOp>(user);
    if (!view || !view.getRing())
      continue;
    for (Operation *mover : view.getRing().getUsers())
      if (isa<ascend::AdvanceOp>(mover))
        return mover->getParentOfType<scf::ForOp>();
  }
  return {};
}

void Description::writeBuffer(ascend::AllocOp alloc, unsigned core) {
  json.attribute("name", alloc.getName());
  json.attribute("core", coreName(core));
  json.attribute("memory", ascend::memoryName(alloc.getMemory()));
  shape(cast<MemRefType>(alloc.getBuffer().getType()));
  json.attribute("bytes", alloc.getVersionBytes());
  json.attribute("versions", int64_t(alloc.getVersions()));
  if (auto wanted =
          alloc->getAttrOfType<IntegerAttr>(ascend::kWantedVersionsAttr))
    json.attribute("wanted", wanted.getInt());
  json.attribute("address", int64_t(alloc.getAddress().value_or(0)));
  json.attribute("temporary", alloc.getTemporary());
  if (scf::ForOp loop = rotationOf(alloc.getBuffer()))
    json.attribute("loop", loopNumber(loop));
  place("place", alloc.getLoc());
}

void Description::writeBuffers(unsigned core) {
  for (auto alloc : region(core).front().getOps<ascend::AllocOp>())
    json.object([&] { writeBuffer(alloc, core); });
}

void Description::writeMemories(unsigned core) {
  llvm::MapVector<int, int64_t> used;
  for (auto alloc : region(core).front().getOps<ascend::AllocOp>()) {
    int64_t end = alloc.getAddress().value_or(0) +
                  alloc.getVersionBytes() * alloc.getVersions();
    int64_t &bytes = used[static_cast<int>(alloc.getMemory())];
    bytes = std::max(bytes, end);
  }
  for (auto [kind, bytes] : used) {
    auto memory = static_cast<ascend::MemoryKind>(kind);
    json.object([&, bytes = bytes] {
      json.attribute("core", coreName(core));
      json.attribute("memory", ascend::memoryName(memory));
      json.attribute("used", bytes);
      json.attribute("limit", int64_t(chip.usableBytes(chipMemoryOf(memory))));
    });
  }
}

//===-- Exchange between cores -------------------------------------------===//

void Description::writeRings() {
  llvm::MapVector<int64_t, ascend::WorkspaceOp> workspaces;
  for (unsigned core : {0, 1})
    for (auto workspace : region(core).front().getOps<ascend::WorkspaceOp>())
      workspaces.try_emplace(workspace.getId(), workspace);
  json.attributeArray("rings", [&] {
    for (auto &[id, workspace] : workspaces)
      json.object([&, id = id, workspace = workspace]() mutable {
        json.attribute("id", id);
        json.attribute("name", workspace.getName());
        shape(cast<MemRefType>(workspace.getBuffer().getType()));
        json.attribute("slots", int64_t(workspace.getVersions()));
        json.attribute("bytes", workspace.getVersionBytes());
        json.attribute("offset", int64_t(workspace.getOffset().value_or(0)));
        place("place", workspace.getLoc());
        auto ends = [&](StringRef name, auto member) {
          json.attributeArray(name, [&] {
            for (auto &[key, statement] : statements)
              if ((statement.*member).contains(id))
                json.object([&, &statement = statement] {
                  json.attribute("core", coreName(statement.core));
                  place("place", statement.location);
                });
          });
        };
        ends("writers", &Statement::writes);
        ends("readers", &Statement::reads);
      });
  });
}

//===-- Synchronisation --------------------------------------------------===//

void Description::addFlag(Operation *op, unsigned core) {
  auto note = [&](FlagEnd &end) {
    bool inLoop = op->getParentOfType<scf::ForOp>() != nullptr;
    // Primes and drains stand outside; what they serve is inside.
    if (!end.location || (inLoop && end.operations == end.outsideLoops))
      end.location = op->getLoc();
    ++end.operations;
    end.outsideLoops += !inLoop;
  };
  auto inside = [&](int64_t group, auto flag) -> Flag & {
    Flag &result = flags[{core, group}];
    result.id = flag.getId();
    result.setter = result.waiter = core;
    result.source = flag.getSource();
    result.target = flag.getTarget();
    return result;
  };
  // Counters are numbered for the kernel, flags for each core.
  constexpr int64_t kCounters = 2;
  if (auto set = dyn_cast<ascend::SetFlagOp>(op)) {
    note(inside(set.getGroup(), set).set);
  } else if (auto wait = dyn_cast<ascend::WaitFlagOp>(op)) {
    note(inside(wait.getGroup(), wait).wait);
  } else if (auto set = dyn_cast<ascend::CrossSetOp>(op)) {
    Flag &flag = flags[{kCounters, set.getFlag()}];
    flag.crosses = true;
    flag.id = set.getFlag();
    flag.setter = core;
    flag.source = set.getPipe();
    note(flag.set);
  } else if (auto wait = dyn_cast<ascend::CrossWaitOp>(op)) {
    Flag &flag = flags[{kCounters, wait.getFlag()}];
    flag.crosses = true;
    flag.id = wait.getFlag();
    flag.waiter = core;
    note(flag.wait);
  }
}

void Description::collectFlags() {
  for (unsigned core : {0, 1})
    region(core).walk([&](Operation *op) { addFlag(op, core); });
}

void Description::writeFlags() {
  json.attributeArray("flags", [&] {
    for (auto &[key, flag] : flags)
      json.object([&, &flag = flag] {
        json.attribute("crosses", flag.crosses);
        json.attribute("id", flag.id);
        json.attribute("setter", coreName(flag.setter));
        json.attribute("source", ascend::stringifyPipe(flag.source));
        json.attribute("waiter", coreName(flag.waiter));
        json.attribute("target", flag.crosses
                                     ? StringRef("S")
                                     : ascend::stringifyPipe(flag.target));
        json.attribute("primes", flag.set.outsideLoops);
        if (flag.set.location)
          place("set", *flag.set.location);
        if (flag.wait.location)
          place("wait", *flag.wait.location);
      });
  });
}

static Counts countBody(scf::ForOp loop) {
  Counts counts;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::ForOp>(op))
      return WalkResult::skip();
    counts.sets += isa<ascend::SetFlagOp>(op);
    counts.waits += isa<ascend::WaitFlagOp>(op);
    counts.crossSets += isa<ascend::CrossSetOp>(op);
    counts.crossWaits += isa<ascend::CrossWaitOp>(op);
    counts.instructions += isa<ascend::InstructionOpInterface>(op);
    if (auto barrier = dyn_cast<ascend::BarrierOp>(op))
      ++counts.barriers[barrier.getPipe()];
    return WalkResult::advance();
  });
  return counts;
}

void Description::writeLoop(scf::ForOp loop, unsigned core) {
  json.attribute("core", coreName(core));
  json.attribute("number", loopNumber(loop));
  json.attribute("parent", loopNumber(loop->getParentOfType<scf::ForOp>()));
  place("place", loop.getLoc());
  json.attribute("grid", loop->hasAttr(ascend::kGridLoopAttr));
  auto number = [&](StringRef name, StringRef attribute) {
    if (auto value = loop->getAttrOfType<IntegerAttr>(attribute))
      json.attribute(name, value.getInt());
  };
  number("stages", ascend::kStagesAttr);
  number("skew", ascend::kSkewAttr);
  Counts counts = countBody(loop);
  json.attribute("instructions", counts.instructions);
  json.attribute("sets", counts.sets);
  json.attribute("waits", counts.waits);
  json.attribute("cross_sets", counts.crossSets);
  json.attribute("cross_waits", counts.crossWaits);
  json.attributeObject("barriers", [&] {
    for (auto [pipe, count] : counts.barriers)
      json.attribute(ascend::stringifyPipe(pipe), count);
  });
  // Which statements of a skewed loop run how many iterations behind.
  json.attributeArray("tasks", [&] {
    for (auto branch : loop.getBody()->getOps<scf::IfOp>()) {
      auto task = branch->getAttrOfType<IntegerAttr>(ascend::kTaskAttr);
      if (!task)
        continue;
      llvm::SmallSetVector<PlaceKey, 8> seen;
      SmallVector<Location> places;
      branch.getThenRegion().walk([&](ascend::InstructionOpInterface op) {
        if (seen.insert(keyOf(op->getLoc())))
          places.push_back(op->getLoc());
      });
      json.object([&] {
        json.attribute("task", task.getInt());
        if (auto behind = branch->getAttrOfType<IntegerAttr>(ascend::kSkewAttr))
          json.attribute("behind", behind.getInt());
        json.attributeArray("places", [&] {
          for (Location location : places)
            json.object([&] { place("place", location); });
        });
      });
    }
  });
}

void Description::writeLoops(unsigned core) {
  region(core).walk<WalkOrder::PreOrder>(
      [&](scf::ForOp loop) { json.object([&] { writeLoop(loop, core); }); });
}

std::string Description::write() {
  collectStatements();
  collectFlags();
  bool splits = false;
  kernel.getAiv().walk([&](ascend::SubBlockIdxOp) { splits = true; });
  auto eachCore = [&](StringRef name, void (Description::*write)(unsigned)) {
    json.attributeArray(name, [&] {
      for (unsigned core : {0, 1})
        (this->*write)(core);
    });
  };
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("split_over_vector_cores", splits);
    writeStatements();
    eachCore("memories", &Description::writeMemories);
    eachCore("buffers", &Description::writeBuffers);
    writeRings();
    eachCore("loops", &Description::writeLoops);
    writeFlags();
    // Last: places number the files.
    json.attributeArray("files", [&] {
      for (const std::string &file : files)
        json.value(file);
    });
  });
  return std::move(text);
}

std::string describeKernel(ascend::KernelOp kernel, const Chip &chip) {
  return Description(kernel, chip).write();
}

} // namespace tilelang
