//===- AscendKernelOps.td - Kernel, buffers, rings and identities -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_IR_ASCENDKERNELOPS_TD
#define TILELANG_DIALECT_ASCEND_IR_ASCENDKERNELOPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "tilelang/Dialect/Ascend/IR/AscendDialect.td"

def Ascend_EndOp : Ascend_Op<"end", [Terminator]> {
  let summary = "ends a core's program";
  let assemblyFormat = "attr-dict";
}

def Ascend_KernelOp : Ascend_Op<"kernel", [Symbol, IsolatedFromAbove]> {
  let summary = "both programs of an AI Core";
  let description = [{
    Both regions take the kernel's parameters as block arguments, in the same
    order: buffers in global memory and scalars. A region with only its
    terminator means that the core type is not used.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$parameter_names,
                       Ascend_KernelType:$kind, I64Attr:$block_dim);
  let regions = (region SizedRegion<1>:$aic, SizedRegion<1>:$aiv);
  let assemblyFormat = [{
    $kind $sym_name `parameters` $parameter_names `blocks` $block_dim
    `aic` $aic `aiv` $aiv attr-dict
  }];
  let hasVerifier = 1;
}

def Ascend_AllocOp : Ascend_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "an on-chip buffer of one core";
  let description = [{
    `versions` copies lie one after another from byte `address` on (absent
    until memory is planned), `version_bytes` apart. Placed at the top of a core's
    program. The location is the program's allocation; compiler-made
    temporaries have `temporary`.
  }];
  let arguments = (ins StrAttr:$name, DefaultValuedAttr<I64Attr, "1">:$versions,
                       OptionalAttr<I64Attr>:$address, UnitAttr:$temporary);
  let results = (outs AnyStaticShapeMemRef:$buffer);
  let assemblyFormat = "$name attr-dict `:` type($buffer)";
  let extraClassDeclaration = [{
    /// Bytes of one version, rounded up to the alignment of 512 bytes (Cube
    /// memories) or 32 bytes (UB).
    int64_t getVersionBytes();
    ::tilelang::ascend::MemoryKind getMemory();
  }];
  let hasVerifier = 1;
}

def Ascend_WorkspaceOp : Ascend_Op<"workspace", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a tile in global memory that cores of one block exchange";
  let description = [{
    Both programs name the same workspace by `id`. Each block has `versions` slots of
    its own, aligned to 512 bytes, from byte `offset` of the workspace argument on.
  }];
  let arguments = (ins I64Attr:$id, StrAttr:$name, DefaultValuedAttr<I64Attr, "1">:$versions,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyStaticShapeMemRef:$buffer);
  let assemblyFormat = "$id $name attr-dict `:` type($buffer)";
  let extraClassDeclaration = "int64_t getVersionBytes();";
  let hasVerifier = 1;
}

def Ascend_RingOp : Ascend_Op<"ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a slot counter 0, 1, ..., versions-1, 0, ...";
  let description = [{
    Starts at 0 where the operation stands (the top of a core's program) and
    moves on at each `ascend.advance`. Accesses name their version by the ring, never by
    arithmetic on loop variables. Tasks of a skewed loop that hand tiles on have
    rings of their own, which move on once for each iteration they do.
  }];
  let arguments = (ins I64Attr:$versions, StrAttr:$name);
  let results = (outs Ascend_RingType:$ring);
  let assemblyFormat = "$versions $name attr-dict";
  let hasVerifier = 1;
}

def Ascend_AdvanceOp : Ascend_Op<"advance", [MemoryEffects<[MemWrite]>]> {
  let summary = "moves a ring to its next slot; last in the body of one loop or task";
  let arguments = (ins Ascend_RingType:$ring);
  let assemblyFormat = "$ring attr-dict";
}

def Ascend_ViewOp : Ascend_Op<"view", [Pure, AttrSizedOperandSegments]> {
  let summary = "a version and part of a buffer";
  let description = [{
    Selects the slot of `ring` (version 0 without) and the part that starts
    `offset` elements of the source's type (0 without) into the version's storage. Instructions
    access the whole result; its element type may differ (reinterpretation).
  }];
  let arguments = (ins AnyMemRef:$source, Optional<Ascend_RingType>:$ring,
                       Optional<Index>:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source (`slot` $ring^)? (`offset` $offset^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

class Ascend_IdentityOp<string mnemonic, string text> : Ascend_Op<mnemonic, [Pure]> {
  let summary = text;
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}
def Ascend_BlockIdxOp : Ascend_IdentityOp<"block_idx",
    "index of the core's block: equal for an AIC and its AIVs in mixed kernels, of the core alone otherwise">;
def Ascend_SubBlockIdxOp : Ascend_IdentityOp<"sub_block_idx", "0 or 1: which AIV of its block">;
def Ascend_BlockNumOp : Ascend_IdentityOp<"block_num",
    "number of blocks that share the work: AICs of cube and mixed kernels, AIVs of vector kernels">;

#endif // TILELANG_DIALECT_ASCEND_IR_ASCENDKERNELOPS_TD
