//===- PlanMemory.cpp - Addresses of buffers and workspaces ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "BankConflicts.h"
#include "MemoryPlan.h"
#include "tilelang/Dialect/Ascend/Transforms/ChipCache.h"
#include "tilelang/Dialect/Ascend/Transforms/Passes.h"
#include "tilelang/Support/Debug.h"

#include "llvm/ADT/MapVector.h"

namespace tilelang::ascend {
#define GEN_PASS_DEF_ASCENDPLANMEMORY
#include "tilelang/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace tilelang::ascend

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

static constexpr StringLiteral debugTag = "ascend-plan-memory";

/// "C_local 256x256 float32 = 262144 B", with the versions if there are more.
static std::string describe(const PlacedBuffer &buffer) {
  AllocOp alloc = buffer.use->alloc;
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << alloc.getName() << " ";
  llvm::interleave(type.getShape(), stream, "x");
  stream << " " << elementTypeName(type.getElementType());
  if (buffer.versions > 1)
    stream << " x " << buffer.versions << " versions";
  stream << " = " << buffer.bytes() << " B";
  return text;
}

/// The remedy in terms of the program: a shape of the largest buffer that would
/// fit if everything else scaled with it.
static std::string remedyFor(ArrayRef<PlacedBuffer> buffers,
                             const PlacedBuffer &largest, MemoryKind memory,
                             int64_t needed, int64_t limit) {
  auto type = cast<MemRefType>(largest.use->alloc.getBuffer().getType());
  int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  int64_t elements = type.getNumElements();
  // Halve the longest extent until the whole scales to the limit; the first of
  // equal ones, which is the rows.
  SmallVector<int64_t> shape(type.getShape());
  double factor = static_cast<double>(limit) / static_cast<double>(needed);
  int64_t target = buffers.size() == 1
                       ? limit / (elementBytes * largest.versions)
                       : static_cast<int64_t>(elements * factor);
  auto count = [&] {
    int64_t product = 1;
    for (int64_t extent : shape)
      product *= extent;
    return product;
  };
  while (count() > std::max<int64_t>(target, 1)) {
    size_t longest = 0;
    for (size_t i = 1; i < shape.size(); ++i)
      if (shape[i] > shape[longest])
        longest = i;
    if (shape[longest] <= 1)
      break;
    shape[longest] = (shape[longest] + 1) / 2;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (memory == MemoryKind::L0C && buffers.size() == 1)
    stream << "use block_M x block_N <= " << target << ", e.g. ";
  else
    stream << "use smaller blocks, e.g. '" << largest.use->alloc.getName()
           << "' of ";
  llvm::interleave(shape, stream, "x");
  return text;
}

/// What was given up before the error: fewer versions than wanted, and what
/// earlier passes have left on the kernel. Empty if there was nothing.
static std::string triedFor(KernelOp kernel, ArrayRef<PlacedBuffer> buffers) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Buffers that gave up the same, together.
  llvm::MapVector<std::pair<int64_t, int64_t>, SmallVector<StringRef>> fewer;
  for (const PlacedBuffer &buffer : buffers) {
    AllocOp alloc = buffer.use->alloc;
    auto wanted = alloc->getAttrOfType<IntegerAttr>(kWantedVersionsAttr);
    if (wanted && wanted.getInt() > buffer.versions)
      fewer[{buffer.versions, wanted.getInt()}].push_back(alloc.getName());
  }
  for (auto &[versions, names] : fewer) {
    stream << (text.empty() ? "tried: " : ", ") << versions.first
           << (versions.first == 1 ? " version" : " versions") << " instead of "
           << versions.second << " of ";
    llvm::interleaveComma(
        names, stream, [&](StringRef name) { stream << "'" << name << "'"; });
  }
  if (auto tried = kernel->getAttrOfType<ArrayAttr>(kTriedAttr))
    for (auto attempt : tried.getAsRange<StringAttr>())
      stream << (text.empty() ? "tried: " : ", ") << attempt.getValue();
  return text;
}

static LogicalResult reportOverflow(KernelOp kernel,
                                    ArrayRef<PlacedBuffer> buffers,
                                    MemoryKind memory, int64_t needed,
                                    int64_t limit) {
  // The largest buffer of the program itself is what can be changed.
  const PlacedBuffer *largest = nullptr;
  for (const PlacedBuffer &buffer : buffers) {
    bool temporary = buffer.use->alloc.getTemporary();
    if (!largest ||
        std::tuple(!temporary, buffer.bytes()) >
            std::tuple(!largest->use->alloc.getTemporary(), largest->bytes()))
      largest = &buffer;
  }
  std::string list;
  llvm::raw_string_ostream stream(list);
  llvm::interleave(
      buffers, stream,
      [&](const PlacedBuffer &buffer) { stream << describe(buffer); }, ", ");
  StringRef subject =
      memory == MemoryKind::L0C ? "accumulators do" : "buffers do";
  InFlightDiagnostic error = mlir::emitError(largest->use->alloc.getLoc());
  error << subject << " not fit " << memoryName(memory) << ": " << list;
  if (buffers.size() > 1)
    error << ", together " << needed << " B";
  error << ", limit " << limit << " B; "
        << remedyFor(buffers, *largest, memory, needed, limit);
  for (const PlacedBuffer &buffer : buffers) {
    AllocOp alloc = buffer.use->alloc;
    error.attachNote(alloc.getLoc())
        << "'" << alloc.getName() << "': " << alloc.getVersionBytes() << " B x "
        << buffer.versions << (buffer.versions == 1 ? " version" : " versions")
        << (alloc.getTemporary() ? ", a temporary of the compiler" : "");
  }
  // At the error's own place: one of the values.
  if (std::string tried = triedFor(kernel, buffers); !tried.empty())
    error.attachNote(largest->use->alloc.getLoc()) << tried;
  return failure();
}

static LogicalResult planCore(KernelOp kernel, Region &region,
                              const Chip &chip) {
  FailureOr<CoreProgram> program = CoreProgram::build(region);
  if (failed(program))
    return failure();
  std::vector<BufferUse> uses = findBufferUses(region, *program);
  llvm::MapVector<int, SmallVector<PlacedBuffer>> memories;
  for (const BufferUse &use : uses)
    memories[static_cast<int>(use.alloc.getMemory())].push_back(
        {&use, static_cast<int64_t>(use.alloc.getVersions())});
  for (auto &[kind, buffers] : memories) {
    auto memory = static_cast<MemoryKind>(kind);
    int64_t limit = chip.usableBytes(chipMemoryOf(memory));
    int64_t needed = 0;
    for (Sharing sharing : {Sharing::None, Sharing::Temporaries, Sharing::Loops,
                            Sharing::Tight}) {
      needed = placeBuffers(buffers, chip, memory, sharing);
      if (needed > limit)
        continue;
      if (memory == MemoryKind::UB && sharing == Sharing::None)
        avoidBankConflicts(region, buffers, chip, limit);
      break;
    }
    TILELANG_DEBUG(debugTag, memoryName(memory)
                                 << ": " << needed << " of " << limit << " B");
    if (needed > limit)
      return reportOverflow(kernel, buffers, memory, needed, limit);
    for (PlacedBuffer &buffer : buffers)
      buffer.use->alloc->setAttr(
          "address",
          Builder(kernel.getContext()).getI64IntegerAttr(buffer.address));
  }
  return success();
}

/// Workspaces lie one after another; each holds the slots of all blocks.
static void planWorkspaces(KernelOp kernel) {
  llvm::MapVector<int64_t, SmallVector<WorkspaceOp>> workspaces;
  kernel.walk([&](WorkspaceOp workspace) {
    workspaces[workspace.getId()].push_back(workspace);
  });
  if (workspaces.empty())
    return;
  Builder builder(kernel.getContext());
  int64_t offset = 0;
  for (auto &[id, ops] : workspaces) {
    for (WorkspaceOp op : ops)
      op->setAttr("offset", builder.getI64IntegerAttr(offset));
    int64_t slot = llvm::alignTo(ops.front().getVersionBytes(), 512);
    offset += slot * ops.front().getVersions() * kernel.getBlockDim();
  }
  kernel->setAttr(kWorkspaceBytesAttr, builder.getI64IntegerAttr(offset));
}

namespace {
struct PlanMemory : ascend::impl::AscendPlanMemoryBase<PlanMemory> {
  using AscendPlanMemoryBase::AscendPlanMemoryBase;

  void runOnOperation() override {
    const Chip *description = getChip(getOperation(), chip, chipDirectory);
    if (!description)
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](KernelOp kernel) {
      planWorkspaces(kernel);
      return failed(planCore(kernel, kernel.getAic(), *description)) ||
                     failed(planCore(kernel, kernel.getAiv(), *description))
                 ? WalkResult::interrupt()
                 : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
