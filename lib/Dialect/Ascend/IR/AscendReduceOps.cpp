//===- AscendReduceOps.cpp - Horizontal reductions ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verify;

void ReduceOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getSource(), RegionAccessKind::Read});
  accesses.push_back({getDestination(), RegionAccessKind::Write});
}

void ReduceOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addRegionAccessEffects(*this, effects);
}

static LogicalResult verifyRange(Operation *op, StringRef what, int64_t found,
                                 int64_t low, int64_t high) {
  if (found >= low && found <= high)
    return success();
  return op->emitOpError() << "expected " << what << " in " << low << ".."
                           << high << ", found " << found;
}

/// Elements up to the start of the last block that the last repetition reads.
static int64_t sourceEnd(ReduceOp op, int64_t perBlock) {
  ArrayRef<int64_t> lanes = op.getLanes();
  int64_t lastLane = lanes.front() - 1;
  if (lanes.size() == 2)
    lastLane =
        lanes[1] ? 64 + llvm::Log2_64(lanes[1]) : llvm::Log2_64(lanes[0]);
  int64_t lastBlock = lastLane / perBlock;
  return ((op.getRepeats() - 1) * op.getSrcRepeat() +
          lastBlock * op.getSrcBlock()) *
             perBlock +
         1;
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyMemory(*this, "destination", getDestination(),
                          MemoryKind::UB)) ||
      failed(verifyMemory(*this, "source", getSource(), MemoryKind::UB)) ||
      failed(verifySameElementType(*this, "destination", getDestination(),
                                   "source", getSource())))
    return failure();
  Type element = elementTypeOf(getSource());
  if (!element.isF16() && !element.isF32())
    return emitOpError() << "expected elements of type f16 or f32, found "
                         << element;
  if (getForm() == ReduceForm::Pair && getFunction() != ReduceFunction::Sum)
    return emitOpError() << "expected Sum for pairs, found "
                         << stringifyReduceFunction(getFunction());
  int64_t bytes = elementBytes(element);
  int64_t perRepeat = 256 / bytes, perBlock = 32 / bytes;
  ArrayRef<int64_t> lanes = getLanes();
  if (lanes.size() != 1 && lanes.size() != 2)
    return emitOpError()
           << "expected a number of lanes or two words of a pattern, found "
           << lanes.size() << " numbers";
  if (lanes.size() == 2 &&
      ((lanes[0] == 0 && lanes[1] == 0) || (perRepeat == 64 && lanes[1] != 0)))
    return emitOpError() << "expected a pattern with lanes below " << perRepeat
                         << ", found " << lanes[0] << ", " << lanes[1];
  if ((lanes.size() == 1 &&
       failed(verifyRange(*this, "lanes", lanes[0], 1, perRepeat))) ||
      failed(verifyRange(*this, "repeats", getRepeats(), 1, 255)) ||
      failed(verifyRange(*this, "a destination repeat stride", getDstRepeat(),
                         0, 65535)) ||
      failed(verifyRange(*this, "a source block stride", getSrcBlock(), 0,
                         65535)) ||
      failed(verifyRange(*this, "a source repeat stride", getSrcRepeat(), 0,
                         65535)))
    return failure();
  auto source = cast<MemRefType>(getSource().getType());
  int64_t needed = sourceEnd(*this, perBlock);
  if (source.hasStaticShape() && source.getNumElements() < needed)
    return emitOpError() << "expected a source of at least " << needed
                         << " elements, found " << source.getNumElements();
  int64_t unit = getForm() == ReduceForm::Whole   ? 1
                 : getForm() == ReduceForm::Block ? 8
                                                  : perRepeat / 2;
  auto destination = cast<MemRefType>(getDestination().getType());
  int64_t written = (getRepeats() - 1) * getDstRepeat() * unit + 1;
  if (destination.hasStaticShape() && destination.getNumElements() < written)
    return emitOpError() << "expected a destination of at least " << written
                         << " elements, found " << destination.getNumElements();
  return success();
}
