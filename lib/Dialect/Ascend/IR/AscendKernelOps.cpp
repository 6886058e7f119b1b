//===- AscendKernelOps.cpp - Kernel, buffers and views --------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verify;

/// Bytes of all elements of a static shape.
static int64_t byteSize(MemRefType type) {
  return type.getNumElements() * elementBytes(type.getElementType());
}

/// Tensors of the Cube's memories start at fractals, slots of a workspace
/// where a transfer is efficient, UB tensors at its access width.
static int64_t versionAlignment(MemoryKind memory) {
  return memory == MemoryKind::UB ? 32 : 512;
}

static int64_t paddedByteSize(MemRefType type) {
  return llvm::alignTo(byteSize(type), versionAlignment(memoryOf(type)));
}

//===-- KernelOp ---------------------------------------------------------===//

static LogicalResult verifyProgram(KernelOp kernel, Region &region,
                                   StringRef core) {
  Block &block = region.front();
  if (block.empty() || !isa<EndOp>(block.back()))
    return kernel.emitOpError()
           << "expected the " << core
           << " program to end in 'ascend.end', found "
           << (block.empty() ? StringRef("an empty block")
                             : block.back().getName().getStringRef());
  size_t names = kernel.getParameterNames().size();
  if (block.getNumArguments() != names)
    return kernel.emitOpError()
           << "expected " << names << " arguments of the " << core
           << " program, one per parameter name, found "
           << block.getNumArguments();
  for (BlockArgument argument : block.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (type && memoryOf(type) != MemoryKind::GM)
      return kernel.emitOpError()
             << "expected parameter " << argument.getArgNumber()
             << " in GM, found " << memoryName(memoryOf(type));
    if (!type && !argument.getType().isIntOrIndexOrFloat())
      return kernel.emitOpError()
             << "expected parameter " << argument.getArgNumber()
             << " to be a buffer or a scalar, found " << argument.getType();
  }
  return success();
}

LogicalResult KernelOp::verify() {
  for (Attribute name : getParameterNames())
    if (!isa<StringAttr>(name))
      return emitOpError() << "expected parameter names to be strings, found "
                           << name;
  if (static_cast<int64_t>(getBlockDim()) < 1)
    return emitOpError() << "expected at least 1 block, found "
                         << static_cast<int64_t>(getBlockDim());
  if (failed(verifyProgram(*this, getAic(), "aic")) ||
      failed(verifyProgram(*this, getAiv(), "aiv")))
    return failure();
  TypeRange aic = getAic().front().getArgumentTypes();
  TypeRange aiv = getAiv().front().getArgumentTypes();
  for (auto [index, types] : llvm::enumerate(llvm::zip(aic, aiv)))
    if (std::get<0>(types) != std::get<1>(types))
      return emitOpError() << "expected parameter " << index
                           << " with one type in both programs, found "
                           << std::get<0>(types) << " and "
                           << std::get<1>(types);
  auto isEmpty = [](Region &region) {
    return llvm::hasSingleElement(region.front());
  };
  if (getKind() == KernelKind::CubeOnly && !isEmpty(getAiv()))
    return emitOpError("expected an empty aiv program in a cube kernel, found "
                       "instructions");
  if (getKind() == KernelKind::VectorOnly && !isEmpty(getAic()))
    return emitOpError("expected an empty aic program in a vector kernel, "
                       "found instructions");
  return success();
}

//===-- AllocOp, WorkspaceOp, RingOp -------------------------------------===//

MemoryKind AllocOp::getMemory() { return memoryOf(getBuffer()); }

int64_t AllocOp::getVersionBytes() {
  return paddedByteSize(cast<MemRefType>(getBuffer().getType()));
}

LogicalResult AllocOp::verify() {
  if (getMemory() == MemoryKind::GM)
    return emitOpError("expected an on-chip memory, found GM");
  if (static_cast<int64_t>(getVersions()) < 1)
    return emitOpError() << "expected at least 1 version, found "
                         << static_cast<int64_t>(getVersions());
  int64_t alignment =
      getMemory() == MemoryKind::UB || getMemory() == MemoryKind::L1 ? 32
      : getMemory() == MemoryKind::L0C                               ? 1024
      : getMemory() == MemoryKind::BT                                ? 64
      : getMemory() == MemoryKind::FB                                ? 128
                                                                     : 512;
  if (auto address = getAddress())
    if (static_cast<int64_t>(*address) < 0 || *address % alignment != 0)
      return emitOpError() << "expected an address that is a multiple of "
                           << alignment << " in " << memoryName(getMemory())
                           << ", found " << static_cast<int64_t>(*address);
  return success();
}

int64_t WorkspaceOp::getVersionBytes() {
  return paddedByteSize(cast<MemRefType>(getBuffer().getType()));
}

LogicalResult WorkspaceOp::verify() {
  if (failed(verifyMemory(*this, "workspace", getBuffer(), MemoryKind::GM)))
    return failure();
  if (static_cast<int64_t>(getVersions()) < 1)
    return emitOpError() << "expected at least 1 version, found "
                         << static_cast<int64_t>(getVersions());
  if (auto offset = getOffset())
    if (static_cast<int64_t>(*offset) < 0 || *offset % 512 != 0)
      return emitOpError() << "expected an offset that is a multiple of 512, "
                              "found "
                           << static_cast<int64_t>(*offset);
  return success();
}

LogicalResult RingOp::verify() {
  if (static_cast<int64_t>(getVersions()) >= 1)
    return success();
  return emitOpError() << "expected at least 1 version, found "
                       << static_cast<int64_t>(getVersions());
}

//===-- ViewOp -----------------------------------------------------------===//

LogicalResult ViewOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto result = cast<MemRefType>(getResult().getType());
  if (memoryOf(source) != memoryOf(result))
    return emitOpError() << "expected a result in "
                         << memoryName(memoryOf(source)) << ", found "
                         << memoryName(memoryOf(result));
  int64_t versions = 1;
  Value root = rootBuffer(getSource());
  if (auto alloc = root.getDefiningOp<AllocOp>())
    versions = alloc.getVersions();
  else if (auto workspace = root.getDefiningOp<WorkspaceOp>())
    versions = workspace.getVersions();
  if (getRing()) {
    if (ringOf(getSource()))
      return emitOpError("expected a source without a slot, found a view that "
                         "already selects one");
    if (auto ring = getRing().getDefiningOp<RingOp>())
      if (static_cast<int64_t>(ring.getVersions()) != versions)
        return emitOpError() << "expected a ring of " << versions
                             << " versions, as many as the buffer has, found "
                             << ring.getVersions();
  }
  if (!source.hasStaticShape() || !result.hasStaticShape())
    return success();
  APInt constant(64, 0);
  if (getOffset() && !matchPattern(getOffset(), m_ConstantInt(&constant)))
    return success();
  int64_t start =
      constant.getSExtValue() * elementBytes(source.getElementType());
  int64_t end = start + byteSize(result);
  if (start < 0 || end > byteSize(source))
    return emitOpError() << "expected a part of the source's "
                         << byteSize(source) << " bytes, found bytes " << start
                         << " to " << end;
  return success();
}
