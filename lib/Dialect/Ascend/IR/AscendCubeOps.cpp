//===- AscendCubeOps.cpp - Instructions of the Cube core ------------------===//
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

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===-- Nd2NzOp ----------------------------------------------------------===//

void Nd2NzOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getSource(), RegionAccessKind::Read});
  accesses.push_back({getDestination(), RegionAccessKind::Write});
}

void Nd2NzOp::getEffects(Effects &effects) {
  addRegionAccessEffects(*this, effects);
}

LogicalResult Nd2NzOp::verify() {
  if (failed(verifyMemory(*this, "source", getSource(), MemoryKind::GM)) ||
      failed(verifyMemory(*this, "destination", getDestination(),
                          MemoryKind::L1)) ||
      failed(verifySameElementType(*this, "destination", getDestination(),
                                   "source", getSource())) ||
      failed(verifyFractalShape(*this, "destination", getDestination())))
    return failure();
  auto type = cast<MemRefType>(getDestination().getType());
  if (type.getDimSize(0) > 16384)
    return emitOpError() << "expected a destination of at most 16384 rows, "
                            "found "
                         << type.getDimSize(0);
  return failure(failed(verifyConstantRange(*this, "rows", getRows(),
                                            type.getDimSize(0))) ||
                 failed(verifyConstantRange(*this, "columns", getColumns(),
                                            type.getDimSize(1))));
}

//===-- LoadL0AOp, LoadL0BOp ---------------------------------------------===//

template <typename Op>
static LogicalResult verifyLoadL0(Op op, MemoryKind memory) {
  if (failed(verifyMemory(op, "source", op.getSource(), MemoryKind::L1)) ||
      failed(verifyMemory(op, "destination", op.getDestination(), memory)) ||
      failed(verifySameElementType(op, "destination", op.getDestination(),
                                   "source", op.getSource())) ||
      failed(verifyFractalShape(op, "source", op.getSource())))
    return failure();
  Type element = elementTypeOf(op.getSource());
  if (!element.isF16() && !element.isBF16() && !element.isF32())
    return op.emitOpError()
           << "expected elements of type f16, bf16 or f32, found " << element;
  auto type = cast<MemRefType>(op.getSource().getType());
  // k runs along the columns of L1 where the operand is stored [m, k] or
  // [n, k].
  bool kInColumns =
      memory == MemoryKind::L0A ? !op.getTranspose() : op.getTranspose();
  int64_t kSize = type.getDimSize(kInColumns ? 1 : 0);
  int64_t size = type.getDimSize(kInColumns ? 0 : 1);
  if (failed(verifyConstantRange(op, "start", op.getStart(), size)) ||
      failed(verifyConstantRange(op, "k start", op.getKStart(), kSize)) ||
      failed(verifyConstantRange(op, "extent", op.getExtent(), size)) ||
      failed(verifyConstantRange(op, "k extent", op.getKExtent(), kSize)))
    return failure();
  // fp32 fractals are transposed in pairs.
  bool isTransposed = !kInColumns;
  if (isTransposed && element.isF32() && type.getDimSize(1) % 16 != 0)
    return op.emitOpError()
           << "expected a source with a multiple of 16 columns, which the "
              "transposition of f32 takes at a time, found "
           << type.getDimSize(0) << "x" << type.getDimSize(1);
  // A start inside a fractal cannot be loaded.
  int64_t block = blockElements(element);
  int64_t rowMultiple = 16;
  // The transposition of fp32 takes squares of 16.
  int64_t startMultiple =
      kInColumns ? rowMultiple : std::max(block, rowMultiple);
  int64_t kMultiple = kInColumns ? block : rowMultiple;
  auto verifyMultiple = [&](StringRef name, Value value, int64_t multiple) {
    APInt constant;
    if (!matchPattern(value, m_ConstantInt(&constant)) ||
        constant.getSExtValue() % multiple == 0)
      return success();
    return LogicalResult(op.emitOpError()
                         << "expected " << name << " to be a multiple of "
                         << multiple << ", found " << constant.getSExtValue());
  };
  return failure(
      failed(verifyMultiple("start", op.getStart(), startMultiple)) ||
      failed(verifyMultiple("k start", op.getKStart(), kMultiple)));
}

void LoadL0AOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getSource(), RegionAccessKind::Read});
  accesses.push_back({getDestination(), RegionAccessKind::Write});
}

void LoadL0AOp::getEffects(Effects &effects) {
  addRegionAccessEffects(*this, effects);
}

LogicalResult LoadL0AOp::verify() {
  return verifyLoadL0(*this, MemoryKind::L0A);
}

void LoadL0BOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getSource(), RegionAccessKind::Read});
  accesses.push_back({getDestination(), RegionAccessKind::Write});
}

void LoadL0BOp::getEffects(Effects &effects) {
  addRegionAccessEffects(*this, effects);
}

LogicalResult LoadL0BOp::verify() {
  return verifyLoadL0(*this, MemoryKind::L0B);
}

//===-- MmadOp -----------------------------------------------------------===//

void MmadOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getA(), RegionAccessKind::Read});
  accesses.push_back({getB(), RegionAccessKind::Read});
  bool initialises = matchPattern(getInit(), m_One());
  accesses.push_back({getC(), initialises ? RegionAccessKind::Write
                                          : RegionAccessKind::Accumulate});
}

void MmadOp::getEffects(Effects &effects) {
  addRegionAccessEffects(*this, effects);
}

LogicalResult MmadOp::verify() {
  if (failed(verifyMemory(*this, "c", getC(), MemoryKind::L0C)) ||
      failed(verifyMemory(*this, "a", getA(), MemoryKind::L0A)) ||
      failed(verifyMemory(*this, "b", getB(), MemoryKind::L0B)) ||
      failed(verifySameElementType(*this, "b", getB(), "left operand", getA())))
    return failure();
  Type element = elementTypeOf(getA());
  if (!element.isF16() && !element.isBF16() && !element.isF32())
    return emitOpError() << "expected operands of type f16, bf16 or f32, found "
                         << element;
  if (!elementTypeOf(getC()).isF32())
    return emitOpError() << "expected c of type f32, found "
                         << elementTypeOf(getC());
  return failure(failed(verifyConstantRange(*this, "m", getM(), 4080)) ||
                 failed(verifyConstantRange(*this, "n", getN(), 4080)) ||
                 failed(verifyConstantRange(*this, "k", getK(), 4095)));
}

//===-- ZeroL1Op ---------------------------------------------------------===//

void ZeroL1Op::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getDestination(), RegionAccessKind::Write});
}

void ZeroL1Op::getEffects(Effects &effects) {
  addRegionAccessEffects(*this, effects);
}

LogicalResult ZeroL1Op::verify() {
  return verifyMemory(*this, "destination", getDestination(), {MemoryKind::L1});
}

//===-- ZeroL0Op ---------------------------------------------------------===//

void ZeroL0Op::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getDestination(), RegionAccessKind::Write});
}

void ZeroL0Op::getEffects(Effects &effects) {
  addRegionAccessEffects(*this, effects);
}

LogicalResult ZeroL0Op::verify() {
  if (failed(verifyMemory(*this, "destination", getDestination(),
                          {MemoryKind::L0A, MemoryKind::L0B})))
    return failure();
  Type element = elementTypeOf(getDestination());
  if (!element.isF16() && !element.isBF16() && !element.isF32())
    return emitOpError() << "expected elements of type f16, bf16 or f32, found "
                         << element;
  int64_t bytes =
      cast<MemRefType>(getDestination().getType()).getNumElements() *
      elementBytes(element);
  if (bytes % 512 != 0)
    return emitOpError() << "expected whole fractals of 512 bytes, found "
                         << bytes << " bytes";
  return success();
}

//===-- FixpipeOp --------------------------------------------------------===//

void FixpipeOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getSource(), RegionAccessKind::Read});
  accesses.push_back({getDestination(), getAtomic()
                                            ? RegionAccessKind::Accumulate
                                            : RegionAccessKind::Write});
}

void FixpipeOp::getEffects(Effects &effects) {
  addRegionAccessEffects(*this, effects);
}

LogicalResult FixpipeOp::verify() {
  if (failed(verifyMemory(*this, "source", getSource(), MemoryKind::L0C)) ||
      failed(
          verifyMemory(*this, "destination", getDestination(), MemoryKind::GM)))
    return failure();
  if (!elementTypeOf(getSource()).isF32())
    return emitOpError() << "expected a source of type f32, found "
                         << elementTypeOf(getSource());
  Type element = elementTypeOf(getDestination());
  if (!element.isF16() && !element.isBF16() && !element.isF32())
    return emitOpError()
           << "expected a destination of type f16, bf16 or f32, found "
           << element;
  return failure(
      failed(verifyConstantRange(*this, "rows", getRows(), 8192)) ||
      failed(verifyConstantRange(*this, "columns", getColumns(), 4095)));
}
