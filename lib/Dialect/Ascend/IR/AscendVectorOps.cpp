//===- AscendVectorOps.cpp - Instructions of the Vector core --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verify;

using Accesses = SmallVectorImpl<RegionAccess>;
using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// A destination is a plain write whatever the mask: what an instruction leaves
/// as it is, it does not read.
static void addAccesses(Accesses &accesses, ValueRange reads, Value write) {
  for (Value read : reads)
    accesses.push_back({read, RegionAccessKind::Read});
  if (write)
    accesses.push_back({write, RegionAccessKind::Write});
}

//===-- Element types each instruction has on A2 and A3 ------------------===//

namespace {
/// A set of element types and how messages call it.
struct TypeSet {
  StringRef text;
  bool (*contains)(Type);
};
} // namespace

static bool isInteger(Type type, unsigned width) {
  return type.isInteger(width);
}

static const TypeSet floatTypes{
    "f16 or f32", [](Type type) { return type.isF16() || type.isF32(); }};
static const TypeSet arithmeticTypes{
    "f16, f32 or a 16- or 32-bit integer", [](Type type) {
      return type.isF16() || type.isF32() || isInteger(type, 16) ||
             isInteger(type, 32);
    }};
static const TypeSet signedArithmeticTypes{
    "f16, f32 or a signed 16- or 32-bit integer", [](Type type) {
      return type.isF16() || type.isF32() ||
             (!type.isUnsignedInteger() &&
              (isInteger(type, 16) || isInteger(type, 32)));
    }};
static const TypeSet reluTypes{"f16, f32 or i32", [](Type type) {
                                 return type.isF16() || type.isF32() ||
                                        (!type.isUnsignedInteger() &&
                                         isInteger(type, 32));
                               }};
static const TypeSet bitTypes{"a 16-bit integer",
                              [](Type type) { return isInteger(type, 16); }};
static const TypeSet shiftTypes{"a 16- or 32-bit integer", [](Type type) {
                                  return isInteger(type, 16) ||
                                         isInteger(type, 32);
                                }};
static const TypeSet moveTypes{"a 16- or 32-bit type", [](Type type) {
                                 return type.isIntOrFloat() &&
                                        (type.getIntOrFloatBitWidth() == 16 ||
                                         type.getIntOrFloatBitWidth() == 32);
                               }};

static LogicalResult verifyElement(Operation *op, StringRef operand,
                                   Value buffer, const TypeSet &types) {
  Type found = elementTypeOf(buffer);
  if (types.contains(found))
    return success();
  return op->emitOpError() << "expected " << operand << " elements of type "
                           << types.text << ", found " << found;
}

//===-- Count and repeat -------------------------------------------------===//

static LogicalResult verifyRange(Operation *op, StringRef what, int64_t found,
                                 int64_t low, int64_t high) {
  if (found >= low && found <= high)
    return success();
  return op->emitOpError() << "expected " << what << " in " << low << ".."
                           << high << ", found " << found;
}

/// Exactly one of the two forms, its fields in range, and a count that fits
/// each of `buffers`. `width` is the size in bytes that the mask counts in.
static LogicalResult verifyForm(Operation *op, std::optional<uint64_t> count,
                                std::optional<RepeatAttr> repeat, int64_t width,
                                ValueRange buffers, bool wideBlocks = false) {
  if (count.has_value() == repeat.has_value())
    return op->emitOpError()
           << "expected exactly one of count and repeat, found "
           << (count ? "both" : "neither");
  if (count) {
    int64_t number = *count;
    if (number < 1)
      return op->emitOpError()
             << "expected a count of at least 1, found " << number;
    for (Value buffer : buffers) {
      auto type = cast<MemRefType>(buffer.getType());
      if (type.hasStaticShape() && number > type.getNumElements())
        return op->emitOpError()
               << "expected a count of at most " << type.getNumElements()
               << ", the elements of an operand, found " << number;
    }
    return success();
  }
  int64_t blockLimit = wideBlocks ? 65535 : 255;
  return failure(
      failed(verifyRange(op, "a repeat count", repeat->getCount(), 1, 255)) ||
      failed(verifyRange(op, "a mask", repeat->getMask(), 1, 256 / width)) ||
      failed(verifyRange(op, "a destination block stride",
                         repeat->getDstBlock(), 0, blockLimit)) ||
      failed(verifyRange(op, "a destination repeat stride",
                         repeat->getDstRepeat(), 0, 255)) ||
      failed(verifyRange(op, "a source block stride", repeat->getSrc0Block(), 0,
                         blockLimit)) ||
      failed(verifyRange(op, "a source repeat stride", repeat->getSrc0Repeat(),
                         0, 255)) ||
      failed(verifyRange(op, "a second source block stride",
                         repeat->getSrc1Block(), 0, 255)) ||
      failed(verifyRange(op, "a second source repeat stride",
                         repeat->getSrc1Repeat(), 0, 255)));
}

static LogicalResult verifyUB(Operation *op,
                              ArrayRef<std::pair<StringRef, Value>> operands) {
  for (auto [name, buffer] : operands)
    if (failed(verifyMemory(op, name, buffer, MemoryKind::UB)))
      return failure();
  return success();
}

static int64_t bytesOf(Value buffer) {
  return elementBytes(elementTypeOf(buffer));
}

//===-- LoadOp, StoreOp --------------------------------------------------===//

void LoadOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, getSource(), getDestination());
}

/// The UB side of a transfer has rows of whole 32-byte blocks.
static LogicalResult verifyRows(Operation *op, StringRef name, Value buffer,
                                Value rows, Value columns) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t pitch = type.getRank() == 0 ? 1 : type.getShape().back();
  if (type.getRank() > 1 && pitch * bytesOf(buffer) % 32 != 0)
    return op->emitOpError()
           << "expected " << name << " rows of a multiple of 32 bytes, found "
           << pitch << " elements of " << type.getElementType();
  int64_t rowCount = pitch == 0 ? 0 : type.getNumElements() / pitch;
  return failure(failed(verifyConstantRange(op, "rows", rows, rowCount)) ||
                 failed(verifyConstantRange(op, "columns", columns, pitch)));
}

LogicalResult LoadOp::verify() {
  return failure(
      failed(verifyMemory(*this, "source", getSource(), MemoryKind::GM)) ||
      failed(verifyMemory(*this, "destination", getDestination(),
                          MemoryKind::UB)) ||
      failed(verifySameElementType(*this, "destination", getDestination(),
                                   "source", getSource())) ||
      failed(verifyRows(*this, "destination", getDestination(), getRows(),
                        getColumns())));
}

void StoreOp::getRegionAccesses(Accesses &accesses) {
  accesses.push_back({getSource(), RegionAccessKind::Read});
  accesses.push_back({getDestination(), getAtomic()
                                            ? RegionAccessKind::Accumulate
                                            : RegionAccessKind::Write});
}

LogicalResult StoreOp::verify() {
  Type element = elementTypeOf(getDestination());
  if (getAtomic() && !canAddAtomically(element))
    return emitOpError() << "expected a destination of type f32, f16, bf16, "
                            "i32, i16 or i8 for an atomic store, found "
                         << element;
  return failure(
      failed(verifyMemory(*this, "source", getSource(), MemoryKind::UB)) ||
      failed(verifyMemory(*this, "destination", getDestination(),
                          MemoryKind::GM)) ||
      failed(verifySameElementType(*this, "destination", getDestination(),
                                   "source", getSource())) ||
      failed(
          verifyRows(*this, "source", getSource(), getRows(), getColumns())));
}

//===-- Elementwise ------------------------------------------------------===//

void UnaryOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, getSource(), getDestination());
}

LogicalResult UnaryOp::verify() {
  if (failed(verifyUB(*this, {{"destination", getDestination()},
                              {"source", getSource()}})) ||
      failed(verifySameElementType(*this, "destination", getDestination(),
                                   "source", getSource())) ||
      failed(verifyForm(*this, getCount(), getRepeat(), bytesOf(getSource()),
                        {getDestination(), getSource()}, true)))
    return failure();
  switch (getFunction()) {
  case UnaryFunction::Relu:
    return verifyElement(*this, "source", getSource(), reluTypes);
  case UnaryFunction::Not:
    return verifyElement(*this, "source", getSource(), bitTypes);
  case UnaryFunction::Copy:
    if (getCount() && *getCount() * bytesOf(getSource()) % 32 != 0)
      return emitOpError()
             << "expected a copy of a multiple of 32 bytes, found "
             << *getCount() << " elements of " << elementTypeOf(getSource());
    if (getCount())
      return success();
    return verifyElement(*this, "source", getSource(), moveTypes);
  default:
    return verifyElement(*this, "source", getSource(), floatTypes);
  }
}

void BinaryOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, {getLhs(), getRhs()}, getDestination());
}

LogicalResult BinaryOp::verify() {
  if (failed(verifyUB(*this, {{"destination", getDestination()},
                              {"lhs", getLhs()},
                              {"rhs", getRhs()}})) ||
      failed(verifySameElementType(*this, "destination", getDestination(),
                                   "lhs", getLhs())) ||
      failed(verifySameElementType(*this, "rhs", getRhs(), "lhs", getLhs())) ||
      failed(verifyForm(*this, getCount(), getRepeat(), bytesOf(getLhs()),
                        {getDestination(), getLhs(), getRhs()})))
    return failure();
  switch (getFunction()) {
  case BinaryFunction::Add:
  case BinaryFunction::Sub:
  case BinaryFunction::Mul:
    return verifyElement(*this, "lhs", getLhs(), arithmeticTypes);
  case BinaryFunction::Max:
  case BinaryFunction::Min:
    return verifyElement(*this, "lhs", getLhs(), signedArithmeticTypes);
  case BinaryFunction::Div:
    return verifyElement(*this, "lhs", getLhs(), floatTypes);
  case BinaryFunction::And:
  case BinaryFunction::Or:
    return verifyElement(*this, "lhs", getLhs(), bitTypes);
  }
  llvm_unreachable("unknown function");
}

void ScalarOp::getRegionAccesses(Accesses &accesses) {
  accesses.push_back({getSource(), RegionAccessKind::Read});
  accesses.push_back({getDestination(), getFunction() == ScalarFunction::Axpy
                                            ? RegionAccessKind::Accumulate
                                            : RegionAccessKind::Write});
}

LogicalResult ScalarOp::verify() {
  bool isAxpy = getFunction() == ScalarFunction::Axpy;
  bool widens = isAxpy && elementTypeOf(getDestination()).isF32() &&
                elementTypeOf(getSource()).isF16();
  if (failed(verifyUB(*this, {{"destination", getDestination()},
                              {"source", getSource()}})) ||
      (!widens &&
       failed(verifySameElementType(*this, "destination", getDestination(),
                                    "source", getSource()))) ||
      failed(verifyScalarType(*this, "scalar", getScalar().getType(),
                              elementTypeOf(getSource()))) ||
      failed(verifyForm(*this, getCount(), getRepeat(),
                        bytesOf(getDestination()),
                        {getDestination(), getSource()}, true)))
    return failure();
  switch (getFunction()) {
  case ScalarFunction::Adds:
  case ScalarFunction::Muls:
    return verifyElement(*this, "source", getSource(), arithmeticTypes);
  case ScalarFunction::Maxs:
  case ScalarFunction::Mins:
    return verifyElement(*this, "source", getSource(), signedArithmeticTypes);
  case ScalarFunction::ShiftLeft:
  case ScalarFunction::ShiftRight:
    return verifyElement(*this, "source", getSource(), shiftTypes);
  case ScalarFunction::LeakyRelu:
  case ScalarFunction::Axpy:
    return verifyElement(*this, "source", getSource(), floatTypes);
  }
  llvm_unreachable("unknown function");
}

//===-- CastOp -----------------------------------------------------------===//

/// The conversions one instruction makes on A2 and A3.
static bool hasCast(Type from, Type to) {
  auto isSigned = [](Type type, unsigned width) {
    return type.isInteger(width) && !type.isUnsignedInteger();
  };
  if (from.isInteger(8))
    return to.isF16();
  if (from.isF16())
    return to.isF32() || to.isInteger(8) || isSigned(to, 16) ||
           isSigned(to, 32);
  if (isSigned(from, 16))
    return to.isF16() || to.isF32();
  if (from.isBF16())
    return to.isF32() || isSigned(to, 32);
  if (isSigned(from, 32))
    return to.isF32() || isSigned(to, 16) || isSigned(to, 64);
  if (from.isF32())
    return to.isF16() || to.isBF16() || to.isF32() || isSigned(to, 16) ||
           isSigned(to, 32) || isSigned(to, 64);
  if (isSigned(from, 64))
    return isSigned(to, 32) || to.isF32();
  return false;
}

void CastOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, getSource(), getDestination());
}

LogicalResult CastOp::verify() {
  Type from = elementTypeOf(getSource()), to = elementTypeOf(getDestination());
  if (failed(verifyUB(
          *this, {{"destination", getDestination()}, {"source", getSource()}})))
    return failure();
  if (!hasCast(from, to))
    return emitOpError() << "expected a conversion the vector unit has, found "
                         << from << " to " << to;
  if (getRounding() == CastRounding::Odd && !(from.isF32() && to.isF16()))
    return emitOpError() << "expected f32 to f16 for rounding to odd, found "
                         << from << " to " << to;
  return verifyForm(*this, getCount(), getRepeat(),
                    std::max(elementBytes(from), elementBytes(to)),
                    {getDestination(), getSource()}, true);
}

//===-- DuplicateOp ------------------------------------------------------===//

void DuplicateOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, {}, getDestination());
}

LogicalResult DuplicateOp::verify() {
  return failure(
      failed(verifyUB(*this, {{"destination", getDestination()}})) ||
      failed(
          verifyElement(*this, "destination", getDestination(), moveTypes)) ||
      failed(verifyScalarType(*this, "scalar", getScalar().getType(),
                              elementTypeOf(getDestination()))) ||
      failed(verifyForm(*this, getCount(), getRepeat(),
                        bytesOf(getDestination()), getDestination(), true)));
}

//===-- CompareOp, CompareScalarOp, SelectOp -----------------------------===//

/// Bit masks have one bit per element, in bytes.
static LogicalResult verifyMaskBuffer(Operation *op, StringRef name,
                                      Value buffer,
                                      std::optional<uint64_t> count) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.getElementType().isInteger(8))
    return op->emitOpError()
           << "expected " << name << " bytes of type i8 or ui8, found "
           << type.getElementType();
  int64_t bytes = llvm::divideCeil(count.value_or(0), 8);
  if (type.hasStaticShape() && type.getNumElements() < bytes)
    return op->emitOpError() << "expected " << name << " of at least " << bytes
                             << " bytes, found " << type.getNumElements();
  return success();
}

static LogicalResult verifyCompare(Operation *op, CompareMode mode,
                                   Value destination, Value source,
                                   std::optional<uint64_t> count) {
  Type element = elementTypeOf(source);
  bool equality = element.isInteger(32) && !element.isUnsignedInteger() &&
                  mode == CompareMode::EQ;
  if (!equality && !floatTypes.contains(element))
    return op->emitOpError()
           << "expected elements of type f16 or f32, or i32 for EQ, found "
           << element << " for " << stringifyCompareMode(mode);
  if (count && *count * bytesOf(source) % 256 != 0)
    return op->emitOpError()
           << "expected a count of a multiple of 256 bytes, found " << *count
           << " elements of " << element;
  return verifyMaskBuffer(op, "destination", destination, count);
}

void CompareOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, {getLhs(), getRhs()}, getDestination());
}

LogicalResult CompareOp::verify() {
  return failure(
      failed(verifyUB(*this, {{"destination", getDestination()},
                              {"lhs", getLhs()},
                              {"rhs", getRhs()}})) ||
      failed(verifySameElementType(*this, "rhs", getRhs(), "lhs", getLhs())) ||
      failed(verifyForm(*this, getCount(), getRepeat(), bytesOf(getLhs()),
                        {getLhs(), getRhs()})) ||
      failed(verifyCompare(*this, getMode(), getDestination(), getLhs(),
                           getCount())));
}

void CompareScalarOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, getSource(), getDestination());
}

LogicalResult CompareScalarOp::verify() {
  return failure(failed(verifyUB(*this, {{"destination", getDestination()},
                                         {"source", getSource()}})) ||
                 failed(verifyScalarType(*this, "scalar", getScalar().getType(),
                                         elementTypeOf(getSource()))) ||
                 failed(verifyForm(*this, getCount(), getRepeat(),
                                   bytesOf(getSource()), getSource(), true)) ||
                 failed(verifyCompare(*this, getMode(), getDestination(),
                                      getSource(), getCount())));
}

void SelectOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, {getMask(), getTrueSource(), getFalseSource()},
              getDestination());
}

LogicalResult SelectOp::verify() {
  return failure(
      failed(verifyUB(*this, {{"destination", getDestination()},
                              {"mask", getMask()},
                              {"true source", getTrueSource()},
                              {"false source", getFalseSource()}})) ||
      failed(verifySameElementType(*this, "true source", getTrueSource(),
                                   "destination", getDestination())) ||
      failed(verifySameElementType(*this, "false source", getFalseSource(),
                                   "destination", getDestination())) ||
      failed(
          verifyElement(*this, "destination", getDestination(), floatTypes)) ||
      failed(
          verifyForm(*this, getCount(), getRepeat(), bytesOf(getDestination()),
                     {getDestination(), getTrueSource(), getFalseSource()})) ||
      failed(verifyMaskBuffer(*this, "mask", getMask(), getCount())));
}

//===-- BroadcastOp, VectorIndexOp ---------------------------------------===//

void BroadcastOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, getSource(), getDestination());
}

LogicalResult BroadcastOp::verify() {
  if (failed(verifyUB(*this, {{"destination", getDestination()},
                              {"source", getSource()}})) ||
      failed(verifySameElementType(*this, "destination", getDestination(),
                                   "source", getSource())) ||
      failed(verifyElement(*this, "source", getSource(), moveTypes)))
    return failure();
  int64_t count = getCount();
  if (count < 8 || count % 8 != 0)
    return emitOpError() << "expected a count that is a multiple of 8, found "
                         << count;
  auto type = cast<MemRefType>(getDestination().getType());
  int64_t needed = count * blockElements(type.getElementType());
  if (type.hasStaticShape() && type.getNumElements() < needed)
    return emitOpError() << "expected a destination of at least " << needed
                         << " elements, found " << type.getNumElements();
  return success();
}

void VectorIndexOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, {}, getDestination());
}

LogicalResult VectorIndexOp::verify() {
  return failure(
      failed(verifyUB(*this, {{"destination", getDestination()}})) ||
      failed(verifyElement(*this, "destination", getDestination(),
                           signedArithmeticTypes)) ||
      failed(verifyScalarType(*this, "first value", getFirst().getType(),
                              elementTypeOf(getDestination()))) ||
      failed(verifyForm(*this, getCount(), std::nullopt,
                        bytesOf(getDestination()), getDestination())));
}

//===-- GetValueOp, SetValueOp -------------------------------------------===//

void GetValueOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, getSource(), {});
}

LogicalResult GetValueOp::verify() {
  return failure(failed(verifyMemory(*this, "source", getSource(),
                                     {MemoryKind::UB, MemoryKind::GM})) ||
                 failed(verifyScalarType(*this, "result", getResult().getType(),
                                         elementTypeOf(getSource()))));
}

void SetValueOp::getRegionAccesses(Accesses &accesses) {
  addAccesses(accesses, {}, getDestination());
}

LogicalResult SetValueOp::verify() {
  return failure(failed(verifyMemory(*this, "destination", getDestination(),
                                     {MemoryKind::UB, MemoryKind::GM})) ||
                 failed(verifyScalarType(*this, "value", getValue().getType(),
                                         elementTypeOf(getDestination()))));
}

//===-- Memory effects follow from the accesses --------------------------===//

#define TILELANG_EFFECTS_FROM_ACCESSES(Op)                                     \
  void Op::getEffects(Effects &effects) {                                      \
    addRegionAccessEffects(*this, effects);                                    \
  }
TILELANG_EFFECTS_FROM_ACCESSES(LoadOp)
TILELANG_EFFECTS_FROM_ACCESSES(StoreOp)
TILELANG_EFFECTS_FROM_ACCESSES(UnaryOp)
TILELANG_EFFECTS_FROM_ACCESSES(BinaryOp)
TILELANG_EFFECTS_FROM_ACCESSES(ScalarOp)
TILELANG_EFFECTS_FROM_ACCESSES(CastOp)
TILELANG_EFFECTS_FROM_ACCESSES(DuplicateOp)
TILELANG_EFFECTS_FROM_ACCESSES(CompareOp)
TILELANG_EFFECTS_FROM_ACCESSES(CompareScalarOp)
TILELANG_EFFECTS_FROM_ACCESSES(SelectOp)
TILELANG_EFFECTS_FROM_ACCESSES(BroadcastOp)
TILELANG_EFFECTS_FROM_ACCESSES(VectorIndexOp)
TILELANG_EFFECTS_FROM_ACCESSES(GetValueOp)
TILELANG_EFFECTS_FROM_ACCESSES(SetValueOp)
#undef TILELANG_EFFECTS_FROM_ACCESSES
