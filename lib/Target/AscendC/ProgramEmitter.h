//===- ProgramEmitter.h - One core's program as text ------------*- C++ -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_TARGET_ASCENDC_PROGRAMEMITTER_H
#define TILELANG_LIB_TARGET_ASCENDC_PROGRAMEMITTER_H

#include "Expression.h"
#include "NameTable.h"
#include "SourceText.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

namespace tilelang::ascend {

/// C++ type of a scalar or element; nothing where there is none. Indices have
/// the width that the kernel's tensors need.
std::optional<std::string> cTypeOf(mlir::Type type, llvm::StringRef indexType);

/// Bytes of one element in memory.
int64_t storageBytes(mlir::Type elementType);

/// Whether an operand is loaded by LoadData3DV2 rather than LoadData2D.
bool loadsImage(LoadL0AOp load);
bool loadsImage(LoadL0BOp load);

/// The program's name of a value; empty if it has none.
llvm::StringRef nameOf(mlir::Value named);

enum class Core { Cube, Vector };

/// Emits the function of one core. Errors are reported on the operation at
/// fault; emission goes on, so that one run shows all of them.
class ProgramEmitter {
public:
  ProgramEmitter(KernelOp kernel, Core core, llvm::StringRef indexType,
                 SourceText &text)
      : kernel(kernel), core(core), indexType(indexType), text(text) {}

  /// Emits the function `name`. `hasWorkspace`: the last argument is the
  /// workspace.
  mlir::LogicalResult emit(llvm::StringRef name, bool hasWorkspace);

private:
  /// A declared tensor: an on-chip buffer, a workspace or a parameter.
  struct Tensor {
    std::string name;
    std::string elementType;
    /// Elements from one version to the next.
    int64_t versionElements = 0;
  };

  //===-- EmitAscendC.cpp: frame, declarations ---------------------------===//
  void emitParameters(llvm::StringRef name, bool hasWorkspace);
  void emitAlloc(AllocOp alloc);
  void emitWorkspace(WorkspaceOp workspace);
  void emitRing(RingOp ring);
  /// A scalar variable of the program: a local of the function.
  void emitVariable(mlir::memref::AllocaOp variable);
  void emitVariableLoad(mlir::memref::LoadOp load);
  void emitVariableStore(mlir::memref::StoreOp store);
  std::string blockIndex();
  /// The tensor that `view` selects, `offset` elements further on. The text has
  /// elements of `elementType`, the view's own if empty.
  std::string tensor(mlir::Value view, const Expression &offset = 0,
                     llvm::StringRef elementType = "");
  const Tensor *rootTensor(mlir::Value view, mlir::Operation *user);

  //===-- EmitControl.cpp: blocks, loops, branches, flags ----------------===//
  void emitBlock(mlir::Block &block);
  void emitOperation(mlir::Operation *op);
  void emitFor(mlir::scf::ForOp loop);
  void emitIf(mlir::scf::IfOp branch);
  void emitYield(mlir::ValueRange values, llvm::ArrayRef<std::string> targets);
  void emitFlag(mlir::Operation *op, llvm::StringRef call, Pipe source,
                Pipe target, int64_t id, mlir::Value ring);
  void quoteLineOf(mlir::Operation *op);

  //===-- EmitScalar.cpp: index and scalar arithmetic --------------------===//
  /// The expression of a scalar value.
  Expression value(mlir::Value scalar);
  /// The value as `elementType`, the type of a tensor's elements.
  std::string scalarArgument(mlir::Value scalar, llvm::StringRef elementType);
  Expression build(mlir::Operation *op);
  Expression buildConstant(mlir::Operation *op, mlir::TypedAttr attribute);
  Expression buildInteger(mlir::Operation *op);
  Expression buildFloat(mlir::Operation *op);
  Expression buildConversion(mlir::Operation *op);
  Expression buildCompare(mlir::Operation *op);
  /// Emits a local for the operation unless its users repeat its expression.
  void emitScalar(mlir::Operation *op);
  bool isInlined(mlir::Operation *op);
  unsigned inlinedSize(mlir::Operation *op);
  bool isUsedOnceIn(mlir::Value value, mlir::Block *block);
  /// Declares a constant local and maps `scalar` to it.
  void declare(mlir::Value scalar, const Expression &initial,
               llvm::StringRef hint);
  /// A name or literal with the value of `expression`, declared if need be.
  Expression atom(const Expression &expression, llvm::StringRef hint);
  std::string nameHint(mlir::Value value, llvm::StringRef fallback);
  bool isNonNegative(mlir::Value value);
  /// `if (count > 0)` around a statement for the counts that may be 0; true
  /// if a block was opened. `isEmpty`: one of them is 0.
  bool openGuard(mlir::ValueRange counts, bool &isEmpty);

  //===-- EmitCube.cpp ---------------------------------------------------===//
  void emitNd2Nz(Nd2NzOp op);
  void emitLoadL0A(LoadL0AOp op);
  void emitLoadL0B(LoadL0BOp op);
  /// The same without the guard.
  void emitLoadA(LoadL0AOp op);
  void emitLoadB(LoadL0BOp op);
  /// Where a matrix of fractals in L1 is loaded by LoadData2D: its part in
  /// fractals, and the distances of the loaded ones in L0.
  struct FractalLoad {
    mlir::Location location;
    mlir::Value source, destination;
    Expression rowStart, columnStart, rows, columns;
    /// Fractals in a column of the matrix in L1.
    int64_t columnLength;
    Expression rowStride, columnStride;
    /// Whether consecutive fractals in L1 are consecutive in L0 when whole
    /// columns are loaded.
    bool sameOrder;
  };
  void emitFractalLoad(const FractalLoad &load);
  /// The part of a matrix in L1 that LoadData3DV2 takes.
  struct ImageLoad {
    mlir::Operation *op;
    mlir::Value source, destination;
    Expression row, column, rows, columns;
    bool transpose;
  };
  void emitImageLoad(const ImageLoad &load);
  void emitMmad(MmadOp op);
  void emitZeroL0(ZeroL0Op op);
  void emitZeroL1(ZeroL1Op op);
  void emitFixpipe(FixpipeOp op);
  /// Whether K of a loaded left operand is padded to 16 in fp32.
  bool hasAlignedK(MmadOp op);

  //===-- EmitTransfer.cpp: GM <-> UB, scalar accesses -------------------===//
  struct RowTransfer;
  void emitLoad(LoadOp op);
  void emitStore(StoreOp op);
  void setAtomicAdd(mlir::Value destination, mlir::Operation *op);
  void endAtomic(mlir::Operation *op);
  void emitRowTransfer(const RowTransfer &transfer);
  void emitGetValue(GetValueOp op);
  void emitSetValue(SetValueOp op);
  bool isWritten(mlir::Value buffer);

  //===-- EmitVector.cpp -------------------------------------------------===//
  void emitUnary(UnaryOp op);
  void emitBinary(BinaryOp op);
  void emitScalarFunction(ScalarOp op);
  void emitCast(CastOp op);
  void emitDuplicate(DuplicateOp op);
  void emitCompare(CompareOp op);
  void emitCompareScalar(CompareScalarOp op);
  void emitSelect(SelectOp op);
  void emitBroadcast(BroadcastOp op);
  void emitVectorIndex(VectorIndexOp op);
  void emitReduce(ReduceOp op);

  mlir::InFlightDiagnostic error(mlir::Operation *op, llvm::StringRef kind) {
    hasFailed = true;
    return op->emitError() << kind;
  }
  /// Elements as the text names them; an error where there is no such type.
  std::string elementType(mlir::Value buffer, mlir::Operation *user);
  std::string type(mlir::Value scalar);

  KernelOp kernel;
  Core core;
  std::string indexType;
  SourceText &text;
  NameTable names;
  std::string workspaceName;
  llvm::DenseMap<mlir::Value, Expression> values;
  llvm::DenseMap<mlir::Value, Tensor> tensors;
  llvm::DenseMap<mlir::Value, std::string> rings;
  llvm::DenseMap<mlir::Operation *, bool> inlined;
  bool hasFailed = false;
};

} // namespace tilelang::ascend

#endif // TILELANG_LIB_TARGET_ASCENDC_PROGRAMEMITTER_H
