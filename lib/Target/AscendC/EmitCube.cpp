//===- EmitCube.cpp - Instructions of the Cube core -----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ProgramEmitter.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;

/// Rows and columns of a fractal: 16 x C0, C0 being 32 bytes.
static constexpr int64_t kFractalRows = 16;
static constexpr int64_t kFractalBytes = 512;
static constexpr int64_t kBlockBytes = 32;
/// What the fields of the API's structures hold.
static constexpr int64_t kLargestStride16 = 65535;
static constexpr int64_t kLargestRepeat = 255;

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}
static int64_t c0Of(Value buffer) {
  return blockElements(typeOf(buffer).getElementType());
}
static int64_t rowsOf(Value buffer) { return typeOf(buffer).getDimSize(0); }
static int64_t columnsOf(Value buffer) { return typeOf(buffer).getDimSize(1); }

//===-- Nd2NzOp ----------------------------------------------------------===//

void ProgramEmitter::emitNd2Nz(Nd2NzOp op) {
  Expression rows = atom(value(op.getRows()), "rows");
  Expression columns = atom(value(op.getColumns()), "columns");
  Expression stride = atom(value(op.getStride()), "stride");
  Expression offset = value(op.getOffset());
  bool isEmpty = false;
  bool isGuarded = openGuard({op.getRows(), op.getColumns()}, isEmpty);
  if (isEmpty)
    return;
  std::string pitch = std::to_string(rowsOf(op.getDestination()));
  auto emitWhole = [&] {
    text.line("DataCopy(" + tensor(op.getDestination()) + ", " +
                  tensor(op.getSource(), offset) + ", Nd2NzParams{1, " +
                  narrowed("uint16_t", rows) + ", " +
                  narrowed("uint16_t", columns) + ", 0, " +
                  narrowed("uint16_t", stride) + ", " + pitch + ", 1, 0});",
              op.getLoc());
  };
  // The distance of rows has 16 bits: beyond, each row is a matrix of its own.
  auto emitRows = [&] {
    Expression start = atom(offset, "offset");
    Expression row(names.add("row"));
    text.open("for (" + indexType + " " + row.text + " = 0; " + row.text +
                  " < " + rows.text + "; ++" + row.text + ")",
              op.getLoc());
    text.line("DataCopy(" +
                  tensor(op.getDestination(), row * c0Of(op.getDestination())) +
                  ", " + tensor(op.getSource(), start + row * stride) +
                  ", Nd2NzParams{1, 1, " + narrowed("uint16_t", columns) +
                  ", 0, " + narrowed("uint16_t", columns) + ", " + pitch +
                  ", 1, 0});",
              op.getLoc());
    text.close();
  };
  if (rows.is(1)) {
    // The distance of rows means nothing, but the field must be legal.
    stride = columns;
    emitWhole();
  } else if (!stride.constant) {
    text.open("if (" + stride.text + " <= " + Twine(kLargestStride16) + ")");
    emitWhole();
    text.alternative();
    emitRows();
    text.close();
  } else if (*stride.constant > kLargestStride16 || *stride.constant < 1) {
    emitRows();
  } else {
    emitWhole();
  }
  if (isGuarded)
    text.close();
}

//===-- LoadL0AOp, LoadL0BOp ---------------------------------------------===//

bool ascend::loadsImage(LoadL0AOp load) {
  // Without a transposition fp32 has the plain form only.
  return load.getTranspose() ||
         !typeOf(load.getSource()).getElementType().isF32();
}

bool ascend::loadsImage(LoadL0BOp load) { return !load.getTranspose(); }

/// One LoadData3DV2: the matrix in L1 is an image of one line with a pixel per
/// row and a channel per column. In L0B, and where `transpose` says so, the
/// result is the transposed matrix.
void ProgramEmitter::emitImageLoad(const ImageLoad &load) {
  std::string element = elementType(load.source, load.op);
  auto field = [](const Expression &expression) {
    return narrowed("uint16_t", expression);
  };
  text.line("LoadData(" + tensor(load.destination) + ", " +
                tensor(load.source) + ", LoadData3DParamsV2<" + element +
                ">{noPadding, 1, " + Twine(rowsOf(load.source)) + ", " +
                Twine(columnsOf(load.source)) + ", " +
                field(roundUp(load.columns, 16)) + ", " +
                field(roundUp(load.rows, 16)) + ", " + field(load.column) +
                ", " + field(load.row) + ", 1, 1, 1, 1, 1, 1, " +
                (load.transpose ? "true" : "false") + ", false, 0});",
            load.op->getLoc());
}

/// LoadData2D copies fractals as they are: one instruction per column of
/// fractals or per row of them, whichever are fewer.
void ProgramEmitter::emitFractalLoad(const FractalLoad &load) {
  int64_t fractalElements = kFractalRows * c0Of(load.source);
  auto emitOne = [&](const Expression &target, const Expression &start,
                     const Expression &repeat, const Expression &sourceStride,
                     const Expression &targetStride) {
    text.line("LoadData(" + tensor(load.destination, target) + ", " +
                  tensor(load.source) + ", LoadData2DParams{" +
                  narrowed("uint16_t", start) + ", " +
                  narrowed("uint8_t", repeat) + ", " +
                  narrowed("uint16_t", sourceStride) + ", 0, " +
                  narrowed("uint16_t", targetStride - 1) + ", false, 0});",
              load.location);
  };
  auto isFewer = [](const Expression &a, const Expression &b) {
    return a.constant && b.constant && *a.constant < *b.constant;
  };
  Expression start = load.columnStart * load.columnLength + load.rowStart;
  // Whole columns in an order that L0 shares are one run of fractals.
  bool isWhole = load.rows.is(load.columnLength);
  if (load.sameOrder && isWhole) {
    emitOne(0, start, load.rows * load.columns, 1, 1);
  } else {
    bool byRow = isFewer(load.rows, load.columns);
    Expression count = atom(byRow ? load.rows : load.columns, "count");
    Expression repeat = byRow ? load.columns : load.rows;
    Expression step = byRow ? Expression(1) : Expression(load.columnLength);
    Expression sourceStride = byRow ? Expression(load.columnLength) : 1;
    Expression targetStep =
        (byRow ? load.rowStride : load.columnStride) * fractalElements;
    Expression targetStride = byRow ? load.columnStride : load.rowStride;
    if (count.is(1)) {
      emitOne(0, start, repeat, sourceStride, targetStride);
    } else {
      Expression index(names.add("fractal"));
      text.open("for (" + indexType + " " + index.text + " = 0; " + index.text +
                    " < " + count.text + "; ++" + index.text + ")",
                load.location);
      emitOne(index * targetStep, start + index * step, repeat, sourceStride,
              targetStride);
      text.close();
    }
  }
}

/// L0 holds at most as many fractals as one instruction repeats.
static LogicalResult checkFractals(Value buffer, Operation *op) {
  int64_t fractals = typeOf(buffer).getNumElements() * 32 /
                     blockElements(typeOf(buffer).getElementType()) /
                     kFractalBytes;
  if (fractals <= kLargestRepeat)
    return success();
  return op->emitError() << "internal: an L0 buffer of " << fractals
                         << " fractals, at most " << kLargestRepeat
                         << " are expected";
}

void ProgramEmitter::emitLoadL0A(LoadL0AOp op) {
  if (failed(checkFractals(op.getDestination(), op))) {
    hasFailed = true;
    return;
  }
  bool isEmpty = false;
  bool isGuarded = openGuard({op.getExtent(), op.getKExtent()}, isEmpty);
  if (isEmpty)
    return;
  emitLoadA(op);
  if (isGuarded)
    text.close();
}

void ProgramEmitter::emitLoadA(LoadL0AOp op) {
  Expression m = atom(value(op.getStart()), "start");
  Expression k = atom(value(op.getKStart()), "kStart");
  Expression extent = atom(value(op.getExtent()), "extent");
  Expression kExtent = atom(value(op.getKExtent()), "kExtent");
  if (op.getTranspose()) {
    emitImageLoad({op, op.getSource(), op.getDestination(), k, m, kExtent,
                   extent, /*transpose=*/true});
    return;
  }
  if (loadsImage(op)) {
    emitImageLoad({op, op.getSource(), op.getDestination(), m, k, extent,
                   kExtent, /*transpose=*/false});
    return;
  }
  // Zz: the fractals of a row one after another.
  int64_t c0 = c0Of(op.getSource());
  Expression columns = atom(ceilDivide(kExtent, c0), "kFractals");
  emitFractalLoad({op.getLoc(), op.getSource(), op.getDestination(),
                   m / kFractalRows, k / c0, ceilDivide(extent, kFractalRows),
                   columns, rowsOf(op.getSource()) / kFractalRows,
                   /*rowStride=*/columns, /*columnStride=*/1,
                   /*sameOrder=*/false});
}

void ProgramEmitter::emitLoadL0B(LoadL0BOp op) {
  if (failed(checkFractals(op.getDestination(), op))) {
    hasFailed = true;
    return;
  }
  bool isEmpty = false;
  bool isGuarded = openGuard({op.getExtent(), op.getKExtent()}, isEmpty);
  if (isEmpty)
    return;
  emitLoadB(op);
  if (isGuarded)
    text.close();
}

void ProgramEmitter::emitLoadB(LoadL0BOp op) {
  Expression n = atom(value(op.getStart()), "start");
  Expression k = atom(value(op.getKStart()), "kStart");
  Expression extent = atom(value(op.getExtent()), "extent");
  Expression kExtent = atom(value(op.getKExtent()), "kExtent");
  if (loadsImage(op)) {
    // [K, N] becomes Zn by transposing each fractal.
    emitImageLoad({op, op.getSource(), op.getDestination(), k, n, kExtent,
                   extent, /*transpose=*/true});
    return;
  }
  // [N, K] in L1 has the fractals of Zn: those of a column one after another.
  int64_t c0 = c0Of(op.getSource());
  Expression rows = atom(ceilDivide(extent, kFractalRows), "nFractals");
  emitFractalLoad({op.getLoc(), op.getSource(), op.getDestination(),
                   n / kFractalRows, k / c0, rows, ceilDivide(kExtent, c0),
                   rowsOf(op.getSource()) / kFractalRows,
                   /*rowStride=*/1, /*columnStride=*/rows,
                   /*sameOrder=*/true});
}

void ProgramEmitter::emitZeroL1(ZeroL1Op op) {
  MemRefType bufferType = typeOf(op.getDestination());
  int64_t blocks = bufferType.getNumElements() *
                   storageBytes(bufferType.getElementType()) / kBlockBytes;
  text.line("Fill(" + tensor(op.getDestination()) + ", InitConstValueParams<" +
                elementType(op.getDestination(), op) + ">{1, " + Twine(blocks) +
                ", 0, 0});",
            op.getLoc());
}

void ProgramEmitter::emitZeroL0(ZeroL0Op op) {
  MemRefType bufferType = typeOf(op.getDestination());
  int64_t fractals = bufferType.getNumElements() *
                     storageBytes(bufferType.getElementType()) / kFractalBytes;
  text.line("Fill(" + tensor(op.getDestination()) + ", InitConstValueParams<" +
                elementType(op.getDestination(), op) + ">{1, " +
                Twine(fractals) + ", 0, 0});",
            op.getLoc());
}

//===-- MmadOp -----------------------------------------------------------===//

static void collectLoads(Value buffer, SmallVectorImpl<LoadL0AOp> &loads) {
  for (OpOperand &use : buffer.getUses()) {
    if (auto view = dyn_cast<ViewOp>(use.getOwner()))
      collectLoads(view.getResult(), loads);
    else if (auto load = dyn_cast<LoadL0AOp>(use.getOwner()))
      loads.push_back(load);
  }
}

bool ProgramEmitter::hasAlignedK(MmadOp op) {
  if (!typeOf(op.getA()).getElementType().isF32())
    return false;
  SmallVector<LoadL0AOp> loads;
  collectLoads(rootBuffer(op.getA()), loads);
  bool transposed =
      llvm::any_of(loads, [](LoadL0AOp load) { return load.getTranspose(); });
  bool plain =
      llvm::any_of(loads, [](LoadL0AOp load) { return !load.getTranspose(); });
  if (transposed && plain)
    error(op, "internal: ") << "the left operand's buffer is loaded both "
                               "transposed and as it is";
  return transposed;
}

void ProgramEmitter::emitMmad(MmadOp op) {
  auto field = [](const Expression &expression) {
    return narrowed("uint16_t", expression);
  };
  // m = 1 would become a vector product.
  std::string parameters =
      "MmadParams{" + field(roundUp(value(op.getM()), 16)) + ", " +
      field(roundUp(value(op.getN()), 16)) + ", " + field(value(op.getK())) +
      ", 0, false, " + value(op.getInit()).text + "}";
  std::string operands = tensor(op.getC()) + ", " + tensor(op.getA()) + ", " +
                         tensor(op.getB()) + ", ";
  if (!hasAlignedK(op)) {
    text.line("Mmad(" + operands + parameters + ");", op.getLoc());
    return;
  }
  std::string name = names.add("product");
  text.line("MmadParams " + name + parameters.substr(strlen("MmadParams")) +
                ";",
            op.getLoc());
  text.line(name + ".kDirectionAlign = true;", op.getLoc());
  text.line("Mmad(" + operands + name + ");", op.getLoc());
}

//===-- FixpipeOp --------------------------------------------------------===//

void ProgramEmitter::emitFixpipe(FixpipeOp op) {
  Expression rows = atom(value(op.getRows()), "rows");
  Expression columns = atom(value(op.getColumns()), "columns");
  bool isEmpty = false;
  bool isGuarded = openGuard({op.getRows(), op.getColumns()}, isEmpty);
  if (isEmpty)
    return;
  Type element = typeOf(op.getDestination()).getElementType();
  StringRef rounding = element.isF16()    ? "F322F16"
                       : element.isBF16() ? "F322BF16"
                                          : "NoQuant";
  auto field = [](const Expression &expression) {
    return narrowed("uint16_t", expression);
  };
  if (op.getAtomic())
    setAtomicAdd(op.getDestination(), op);
  text.line("Fixpipe<" + elementType(op.getDestination(), op) +
                ", float, CFG_ROW_MAJOR>(" +
                tensor(op.getDestination(), value(op.getOffset())) + ", " +
                tensor(op.getSource()) + ", FixpipeParamsV220{" +
                field(columns) + ", " + field(rows) + ", " +
                field(roundUp(value(op.getProductRows()), 16)) + ", " +
                narrowed("uint32_t", value(op.getStride())) + ", " +
                (op.getRelu() ? "true" : "false") +
                ", QuantMode_t::" + rounding + ", 0, 1, 0, 0, 0});",
            op.getLoc());
  if (op.getAtomic())
    endAtomic(op);
  if (isGuarded)
    text.close();
}
