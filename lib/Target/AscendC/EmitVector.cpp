//===- EmitVector.cpp - Instructions of the vector unit -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ProgramEmitter.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

//===-- Forms of a call --------------------------------------------------===//

/// `count`, or `mask, repeat, <structure>{strides}`.
static std::string unaryForm(std::optional<uint64_t> count,
                             std::optional<RepeatAttr> repeat,
                             StringRef structure = "UnaryRepeatParams") {
  if (count)
    return std::to_string(*count);
  return (Twine(repeat->getMask()) + ", " + Twine(repeat->getCount()) + ", " +
          structure + "{" + Twine(repeat->getDstBlock()) + ", " +
          Twine(repeat->getSrc0Block()) + ", " + Twine(repeat->getDstRepeat()) +
          ", " + Twine(repeat->getSrc0Repeat()) + "}")
      .str();
}

static std::string binaryForm(std::optional<uint64_t> count,
                              std::optional<RepeatAttr> repeat) {
  if (count)
    return std::to_string(*count);
  return (Twine(repeat->getMask()) + ", " + Twine(repeat->getCount()) +
          ", BinaryRepeatParams{" + Twine(repeat->getDstBlock()) + ", " +
          Twine(repeat->getSrc0Block()) + ", " + Twine(repeat->getSrc1Block()) +
          ", " + Twine(repeat->getDstRepeat()) + ", " +
          Twine(repeat->getSrc0Repeat()) + ", " +
          Twine(repeat->getSrc1Repeat()) + "}")
      .str();
}

/// Sums, differences and products modulo 2^n are the same for signed and
/// unsigned integers; the instructions exist for signed ones.
static std::string signedType(std::string element) {
  return element[0] == 'u' ? element.substr(1) : element;
}

//===-- Elementwise ------------------------------------------------------===//

void ProgramEmitter::emitUnary(UnaryOp op) {
  std::string destination = tensor(op.getDestination());
  std::string source = tensor(op.getSource());
  if (op.getFunction() == UnaryFunction::Copy) {
    std::string element = elementType(op.getSource(), op);
    source = tensor(op.getSource(), 0, element);
    destination = tensor(op.getDestination(), 0, element);
    text.line((op.getCount() ? "DataCopy(" : "Copy(") + destination + ", " +
                  source + ", " +
                  unaryForm(op.getCount(), op.getRepeat(), "CopyRepeatParams") +
                  ");",
              op.getLoc());
    return;
  }
  text.line(stringifyUnaryFunction(op.getFunction()) + "(" + destination +
                ", " + source + ", " +
                unaryForm(op.getCount(), op.getRepeat()) + ");",
            op.getLoc());
}

void ProgramEmitter::emitBinary(BinaryOp op) {
  std::string element = elementType(op.getLhs(), op);
  if (op.getFunction() != BinaryFunction::And &&
      op.getFunction() != BinaryFunction::Or)
    element = signedType(element);
  text.line(stringifyBinaryFunction(op.getFunction()) + "(" +
                tensor(op.getDestination(), 0, element) + ", " +
                tensor(op.getLhs(), 0, element) + ", " +
                tensor(op.getRhs(), 0, element) + ", " +
                binaryForm(op.getCount(), op.getRepeat()) + ");",
            op.getLoc());
}

void ProgramEmitter::emitScalarFunction(ScalarOp op) {
  std::string element = elementType(op.getSource(), op);
  std::string result = elementType(op.getDestination(), op);
  bool isShift = op.getFunction() == ScalarFunction::ShiftLeft ||
                 op.getFunction() == ScalarFunction::ShiftRight;
  if (!isShift) {
    element = signedType(element);
    result = signedType(result);
  }
  text.line(stringifyScalarFunction(op.getFunction()) + "(" +
                tensor(op.getDestination(), 0, result) + ", " +
                tensor(op.getSource(), 0, element) + ", " +
                scalarArgument(op.getScalar(), element) + ", " +
                unaryForm(op.getCount(), op.getRepeat()) + ");",
            op.getLoc());
}

void ProgramEmitter::emitCast(CastOp op) {
  text.line("Cast(" + tensor(op.getDestination()) + ", " +
                tensor(op.getSource()) + ", RoundMode::CAST_" +
                StringRef(stringifyCastRounding(op.getRounding())).upper() +
                ", " + unaryForm(op.getCount(), op.getRepeat()) + ");",
            op.getLoc());
}

void ProgramEmitter::emitDuplicate(DuplicateOp op) {
  std::string element = elementType(op.getDestination(), op);
  std::string form;
  if (op.getCount()) {
    form = std::to_string(*op.getCount());
  } else {
    RepeatAttr repeat = *op.getRepeat();
    form = (Twine(repeat.getMask()) + ", " + Twine(repeat.getCount()) + ", " +
            Twine(repeat.getDstBlock()) + ", " + Twine(repeat.getDstRepeat()))
               .str();
  }
  // The bits of a bf16 constant need no conversion at run time.
  FloatAttr constant;
  if (element == "bfloat16_t" &&
      matchPattern(op.getScalar(), m_Constant(&constant))) {
    uint64_t bits = constant.getValue().bitcastToAPInt().getZExtValue();
    text.line("Duplicate(" + tensor(op.getDestination(), 0, "uint16_t") +
                  ", static_cast<uint16_t>(0x" +
                  llvm::utohexstr(bits, /*LowerCase=*/true) + "), " + form +
                  ");",
              op.getLoc());
    return;
  }
  text.line("Duplicate(" + tensor(op.getDestination(), 0, element) + ", " +
                scalarArgument(op.getScalar(), element) + ", " + form + ");",
            op.getLoc());
}

//===-- Comparison and selection -----------------------------------------===//

void ProgramEmitter::emitCompare(CompareOp op) {
  text.line("Compare(" + tensor(op.getDestination(), 0, "uint8_t") + ", " +
                tensor(op.getLhs()) + ", " + tensor(op.getRhs()) +
                ", CMPMODE::" + stringifyCompareMode(op.getMode()) + ", " +
                binaryForm(op.getCount(), op.getRepeat()) + ");",
            op.getLoc());
}

void ProgramEmitter::emitCompareScalar(CompareScalarOp op) {
  std::string element = elementType(op.getSource(), op);
  text.line("Compares(" + tensor(op.getDestination(), 0, "uint8_t") + ", " +
                tensor(op.getSource()) + ", " +
                scalarArgument(op.getScalar(), element) +
                ", CMPMODE::" + stringifyCompareMode(op.getMode()) + ", " +
                unaryForm(op.getCount(), op.getRepeat()) + ");",
            op.getLoc());
}

void ProgramEmitter::emitSelect(SelectOp op) {
  text.line("Select(" + tensor(op.getDestination()) + ", " +
                tensor(op.getMask(), 0, "uint8_t") + ", " +
                tensor(op.getTrueSource()) + ", " +
                tensor(op.getFalseSource()) +
                ", SELMODE::VSEL_TENSOR_TENSOR_MODE, " +
                binaryForm(op.getCount(), op.getRepeat()) + ");",
            op.getLoc());
}

//===-- Broadcast and index ----------------------------------------------===//

void ProgramEmitter::emitBroadcast(BroadcastOp op) {
  constexpr int64_t elementsPerRepeat = 8, mostRepeats = 255;
  Type element = cast<MemRefType>(op.getSource().getType()).getElementType();
  int64_t repeats = op.getCount() / elementsPerRepeat;
  for (int64_t first = 0; first < repeats; first += mostRepeats) {
    int64_t start = first * elementsPerRepeat;
    text.line("Brcb(" +
                  tensor(op.getDestination(), start * blockElements(element)) +
                  ", " + tensor(op.getSource(), start) + ", " +
                  Twine(std::min(mostRepeats, repeats - first)) +
                  ", BrcbRepeatParams{1, 8});",
              op.getLoc());
  }
}

/// CreateVecIndex takes event ids from TPipe, which a kernel in static-tensor
/// style does not have. So: the first value in every lane, then 1, 2, 4, ...
/// added where the lane number has that bit, then the lanes done so far
/// copied, moved on by their number.
void ProgramEmitter::emitVectorIndex(VectorIndexOp op) {
  std::string element = elementType(op.getDestination(), op);
  int64_t bytes = storageBytes(
      cast<MemRefType>(op.getDestination().getType()).getElementType());
  int64_t count = op.getCount();
  int64_t lanes = 256 / bytes;
  int64_t first = std::min(count, lanes);
  auto scalar = [&](int64_t number) {
    if (element == "float")
      return std::to_string(number) + ".0f";
    if (element == "int32_t")
      return std::to_string(number);
    return "static_cast<" + element + ">(" + std::to_string(number) + ")";
  };
  auto target = [&](int64_t offset) {
    return tensor(op.getDestination(), offset, element);
  };
  text.line("Duplicate(" + target(0) + ", " +
                scalarArgument(op.getFirst(), element) + ", " + Twine(first) +
                ");",
            op.getLoc());
  for (int64_t bit = 1; bit < first; bit *= 2) {
    uint64_t mask[2] = {0, 0};
    for (int64_t lane = 0; lane < first; ++lane)
      if (lane & bit)
        mask[lane / 64] |= uint64_t(1) << (lane % 64);
    std::string name = names.add("lanes");
    text.line("uint64_t " + name + "[2] = {0x" +
                  llvm::utohexstr(mask[0], true) + ", 0x" +
                  llvm::utohexstr(mask[1], true) + "};",
              op.getLoc());
    text.line("PipeBarrier<PIPE_V>();", op.getLoc());
    text.line("Adds(" + target(0) + ", " + target(0) + ", " + scalar(bit) +
                  ", " + name + ", 1, UnaryRepeatParams{1, 1, 8, 8});",
              op.getLoc());
  }
  for (int64_t done = first; done < count; done *= 2) {
    text.line("PipeBarrier<PIPE_V>();", op.getLoc());
    text.line("Adds(" + target(done) + ", " + target(0) + ", " + scalar(done) +
                  ", " + Twine(std::min(done, count - done)) + ");",
              op.getLoc());
  }
}

//===-- Reductions -------------------------------------------------------===//

void ProgramEmitter::emitReduce(ReduceOp op) {
  std::string mask;
  if (op.getLanes().size() == 1) {
    mask = std::to_string(op.getLanes().front());
  } else {
    mask = names.add("lanes");
    text.line("uint64_t " + mask + "[2] = {0x" +
                  llvm::utohexstr(op.getLanes()[0], true) + ", 0x" +
                  llvm::utohexstr(op.getLanes()[1], true) + "};",
              op.getLoc());
  }
  std::string repeats = std::to_string(op.getRepeats());
  // Whole takes the mask first, the others the number of repetitions.
  bool isWhole = op.getForm() == ReduceForm::Whole;
  std::string call =
      (stringifyReduceForm(op.getForm()) + "Reduce" +
       stringifyReduceFunction(op.getFunction()) + "(" +
       tensor(op.getDestination()) + ", " + tensor(op.getSource()) + ", " +
       (isWhole ? mask + ", " + repeats : repeats + ", " + mask) + ", " +
       Twine(op.getDstRepeat()) + ", " + Twine(op.getSrcBlock()) + ", " +
       Twine(op.getSrcRepeat()))
          .str();
  if (isWhole && op.getFunction() != ReduceFunction::Sum)
    call += ", ReduceOrder::ORDER_ONLY_VALUE";
  text.line(call + ");", op.getLoc());
}
