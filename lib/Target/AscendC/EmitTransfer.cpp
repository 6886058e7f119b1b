//===- EmitTransfer.cpp - GM <-> UB and scalar accesses -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ProgramEmitter.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

/// UB is addressed in blocks of 32 bytes.
static constexpr int64_t kBlockBytes = 32;
/// What the fields of DataCopyExtParams hold.
static constexpr int64_t kLargestBlockCount = 4095;
static constexpr int64_t kLargestGap = 0xffffffff;
/// Count form of DataCopy: 16 bits of blocks.
static constexpr int64_t kLargestCopyBytes = 65535 * kBlockBytes;

//===-- Rows between GM and UB -------------------------------------------===//

struct ProgramEmitter::RowTransfer {
  Operation *op;
  Value global, local;
  Expression offset, rows, columns, stride;
  bool isLoad;
};

void ProgramEmitter::emitLoad(LoadOp op) {
  emitRowTransfer({op, op.getSource(), op.getDestination(),
                   value(op.getOffset()), value(op.getRows()),
                   value(op.getColumns()), value(op.getStride()), true});
}

/// Atomic mode holds for every store that follows: on right before its
/// instruction, off right behind it.
void ProgramEmitter::setAtomicAdd(Value destination, Operation *op) {
  text.line("SetAtomicAdd<" + elementType(destination, op) + ">();",
            op->getLoc());
}

void ProgramEmitter::endAtomic(Operation *op) {
  text.line("SetAtomicNone();", op->getLoc());
}

void ProgramEmitter::emitStore(StoreOp op) {
  if (op.getAtomic())
    setAtomicAdd(op.getDestination(), op);
  emitRowTransfer({op, op.getDestination(), op.getSource(),
                   value(op.getOffset()), value(op.getRows()),
                   value(op.getColumns()), value(op.getStride()), false});
  if (op.getAtomic())
    endAtomic(op);
}

/// Nothing happens where a count is 0: the API says so of DataCopyPad.
void ProgramEmitter::emitRowTransfer(const RowTransfer &transfer) {
  auto localType = cast<MemRefType>(transfer.local.getType());
  std::string element = elementType(transfer.global, transfer.op);
  Location location = transfer.op->getLoc();
  int64_t bytes = storageBytes(localType.getElementType());
  int64_t pitch = localType.getRank() == 0 ? 1 : localType.getShape().back();
  Expression rows = atom(transfer.rows, "rows");
  Expression columns = atom(transfer.columns, "columns");
  Expression stride = atom(transfer.stride, "stride");
  if (rows.is(0) || columns.is(0))
    return;

  auto emitCall = [&](const Expression &globalOffset,
                      const Expression &localOffset, StringRef call,
                      const std::string &parameters) {
    std::string global = tensor(transfer.global, globalOffset);
    std::string local = tensor(transfer.local, localOffset, element);
    text.line(call + "(" + (transfer.isLoad ? local : global) + ", " +
                  (transfer.isLoad ? global : local) + ", " + parameters + ");",
              location);
  };
  // `gap` is the distance from the end of a row to the next in GM.
  auto emitRows = [&](const Expression &globalOffset,
                      const Expression &localOffset, const Expression &count,
                      const Expression &gap) {
    Expression length = columns * bytes;
    Expression localGap =
        pitch * bytes / kBlockBytes - ceilDivide(length, kBlockBytes);
    if (count.is(1))
      localGap = 0;
    std::string outer = narrowed("uint32_t", gap * bytes);
    std::string inner = narrowed("uint32_t", localGap);
    std::string parameters =
        "DataCopyExtParams{" + narrowed("uint16_t", count) + ", " +
        narrowed("uint32_t", length) + ", " +
        (transfer.isLoad ? outer + ", " + inner : inner + ", " + outer) +
        ", 0}";
    // A row is filled up to a whole block. With zeros: the language reads 0
    // outside of a tensor, and without a value the fill would be the row's own
    // elements, over what cleared the tile before.
    if (transfer.isLoad)
      parameters += ", DataCopyPadExtParams<" + element + ">{true, 0, 0, 0}";
    emitCall(globalOffset, localOffset, "DataCopyPad", parameters);
  };

  // One run of bytes on both sides.
  bool isDense = rows.constant && columns.constant &&
                 (rows.is(1) || (stride.constant && *stride.constant == pitch &&
                                 columns.is(pitch)));
  if (isDense) {
    Expression count = rows * columns;
    int64_t total = *count.constant * bytes;
    if (total % kBlockBytes == 0 && total <= kLargestCopyBytes)
      return emitCall(transfer.offset, 0, "DataCopy", count.text);
  }
  if (rows.is(1))
    return emitRows(transfer.offset, 0, 1, 0);

  Expression gap = stride - columns;
  bool hasGap = !gap.constant ||
                (*gap.constant >= 0 && *gap.constant * bytes <= kLargestGap);
  // Rows that overlap, or lie further apart than the field holds: one by one.
  if (stride.constant && columns.constant && !hasGap) {
    Expression start = atom(transfer.offset, "offset");
    Expression row(names.add("row"));
    text.open("for (" + indexType + " " + row.text + " = 0; " + row.text +
                  " < " + rows.text + "; ++" + row.text + ")",
              location);
    emitRows(start + row * stride, row * pitch, 1, 0);
    text.close();
    return;
  }
  int64_t mostRows = localType.getNumElements() / std::max<int64_t>(pitch, 1);
  if (rows.constant)
    mostRows = *rows.constant;
  if (mostRows <= kLargestBlockCount)
    return emitRows(transfer.offset, 0, rows, gap);
  // More rows than one instruction takes.
  Expression start = atom(transfer.offset, "offset");
  Expression row(names.add("row"));
  text.open("for (" + indexType + " " + row.text + " = 0; " + row.text + " < " +
                rows.text + "; " + row.text +
                " += " + Twine(kLargestBlockCount) + ")",
            location);
  Expression left = rows - row;
  std::string count = names.add("count");
  text.line("const " + indexType + " " + count + " = " + left.text + " < " +
            Twine(kLargestBlockCount) + " ? " + left.text + " : " +
            Twine(kLargestBlockCount) + ";");
  emitRows(start + row * stride, row * pitch, Expression(count), gap);
  text.close();
}

//===-- Single elements --------------------------------------------------===//

/// True where a core of the kernel writes the tensor.
bool ProgramEmitter::isWritten(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewOp>())
    buffer = view.getSource();
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument)
    return true;
  auto writes = [](Value written, auto &self) -> bool {
    return llvm::any_of(written.getUsers(), [&](Operation *user) {
      if (auto view = dyn_cast<ViewOp>(user))
        return self(view.getResult(), self);
      auto access = dyn_cast<RegionAccessOpInterface>(user);
      if (!access)
        return false;
      SmallVector<RegionAccess> accesses;
      access.getRegionAccesses(accesses);
      return llvm::any_of(accesses, [&](const RegionAccess &one) {
        return one.target == written && one.writes();
      });
    });
  };
  return llvm::any_of(kernel->getRegions(), [&](Region &region) {
    return argument.getArgNumber() < region.getNumArguments() &&
           writes(region.getArgument(argument.getArgNumber()), writes);
  });
}

void ProgramEmitter::emitGetValue(GetValueOp op) {
  if (op.getResult().use_empty())
    return;
  Expression offset = value(op.getOffset());
  // The scalar unit's cache does not see what transfers write.
  if (memoryOf(op.getSource()) == MemoryKind::GM && isWritten(op.getSource())) {
    offset = atom(offset, "offset");
    text.line("DataCacheCleanAndInvalid<" + elementType(op.getSource(), op) +
                  ", CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(" +
                  tensor(op.getSource(), offset) + ");",
              op.getLoc());
  }
  std::string read = tensor(op.getSource()) + ".GetValue(" + offset.text + ")";
  // Tensors of bytes may be declared unsigned, scalars are signless.
  std::string scalarType = type(op.getResult());
  if (elementType(op.getSource(), op) != scalarType)
    read = "static_cast<" + scalarType + ">(" + read + ")";
  declare(op.getResult(), Expression(read), "value");
}

void ProgramEmitter::emitSetValue(SetValueOp op) {
  std::string element = elementType(op.getDestination(), op);
  Expression offset = value(op.getOffset());
  bool isGlobal = memoryOf(op.getDestination()) == MemoryKind::GM;
  if (isGlobal)
    offset = atom(offset, "offset");
  text.line(tensor(op.getDestination(), 0, element) + ".SetValue(" +
                offset.text + ", " + scalarArgument(op.getValue(), element) +
                ");",
            op.getLoc());
  // The scalar unit's cache is not seen by anyone else.
  if (isGlobal)
    text.line("DataCacheCleanAndInvalid<" + element +
                  ", CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(" +
                  tensor(op.getDestination(), offset) + ");",
              op.getLoc());
}
