//===- AscendDialect.h - Da Vinci cores: memories, pipes, instructions ----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_IR_ASCENDDIALECT_H
#define TILELANG_DIALECT_ASCEND_IR_ASCENDDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilelang/Interfaces/RegionAccessOpInterface.h"

#include "tilelang/Dialect/Ascend/IR/AscendDialect.h.inc"
#include "tilelang/Dialect/Ascend/IR/AscendEnums.h.inc"
#include "tilelang/Dialect/Ascend/IR/InstructionOpInterface.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tilelang/Dialect/Ascend/IR/AscendAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tilelang/Dialect/Ascend/IR/AscendTypes.h.inc"
namespace tilelang::ascend {
/// `#ascend.memory<...>`; the generated class is named after its enumeration.
using MemoryAttr = MemoryKindAttr;
} // namespace tilelang::ascend
#define GET_OP_CLASSES
#include "tilelang/Dialect/Ascend/IR/AscendOps.h.inc"

namespace tilelang::ascend {

/// Memory of a buffer; global memory for a memref without the attribute.
MemoryKind memoryOf(mlir::Value buffer);
MemoryKind memoryOf(mlir::MemRefType type);

/// Name of a memory in messages: "L1", "UB", ...
llvm::StringRef memoryName(MemoryKind memory);

/// Name of an element type as programs write it: "float16", "uint8", ...
std::string elementTypeName(mlir::Type type);

/// Elements of one 32-byte block: 16 for 16-bit types, 8 for 32-bit, 32 for 8.
int64_t blockElements(mlir::Type elementType);

/// Whether stores to global memory can add elements of the type.
bool canAddAtomically(mlir::Type elementType);

/// The `ascend.alloc`, `ascend.workspace` or block argument (global buffer)
/// that a memref value views.
mlir::Value rootBuffer(mlir::Value view);
/// The ring that selects the version, or null.
mlir::Value ringOf(mlir::Value view);

/// Marks of loops (discardable attributes on `scf.for`).
/// The loop over the grid blocks of a core: iterations are independent in
/// global memory by the language's contract.
inline constexpr llvm::StringLiteral kGridLoopAttr = "ascend.grid";
/// On the kernel: what passes gave up for lack of memory, an array of strings
/// ("a skew of 1 block instead of 2"). Where the rest does not fit either, the
/// error names them.
inline constexpr llvm::StringLiteral kTriedAttr = "ascend.tried";
/// Versions the program asked for (`num_stages`), an integer attribute.
inline constexpr llvm::StringLiteral kStagesAttr = "ascend.stages";
/// On a loop whose tasks run skewed: how many iterations its last task is
/// behind its first. On the `scf.if` around a task, directly in the body of
/// such a loop: how many iterations the task is behind.
inline constexpr llvm::StringLiteral kSkewAttr = "ascend.skew";
/// On the `scf.if` around a task: its number, which is the number of transfers
/// between cores that lead to it (even on Cube, odd on Vector cores).
inline constexpr llvm::StringLiteral kTaskAttr = "ascend.task";
/// On the allocation of a buffer that one task writes and a later one reads:
/// how many versions must exist at once.
inline constexpr llvm::StringLiteral kTaskVersionsAttr = "ascend.task_versions";

/// Iterations that the task around `op` is behind; 0 outside of skewed loops.
int64_t skewOf(mlir::Operation *op);

} // namespace tilelang::ascend

#endif // TILELANG_DIALECT_ASCEND_IR_ASCENDDIALECT_H
