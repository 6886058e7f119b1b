//===- AscendDialect.td - Da Vinci cores: memories, pipes, instructions -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_IR_ASCENDDIALECT_TD
#define TILELANG_DIALECT_ASCEND_IR_ASCENDDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilelang/Dialect/Ascend/IR/InstructionOpInterface.td"
include "tilelang/Interfaces/RegionAccessOpInterface.td"

def Ascend_Dialect : Dialect {
  let name = "ascend";
  let cppNamespace = "::tilelang::ascend";
  let summary = "The two programs of an AI Core, one operation per instruction";
  let description = [{
    An `ascend.kernel` holds the program of the Cube core (AIC) and the program
    of a Vector core (AIV). Buffers are `memref`s whose memory space is
    `#ascend.memory<...>`; control flow is `scf`, index arithmetic is `arith`.
    Each instruction says on which pipe it runs and what it reads and writes;
    buffering, memory planning and synchronisation use nothing else.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

class Ascend_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ascend_Dialect, mnemonic, traits>;

def Ascend_MemoryKind : I32EnumAttr<"MemoryKind", "a memory an AI Core addresses", [
    I32EnumAttrCase<"GM", 0, "gm">,
    I32EnumAttrCase<"L1", 1, "l1">,
    I32EnumAttrCase<"L0A", 2, "l0a">,
    I32EnumAttrCase<"L0B", 3, "l0b">,
    I32EnumAttrCase<"L0C", 4, "l0c">,
    I32EnumAttrCase<"BT", 5, "bt">,
    I32EnumAttrCase<"FB", 6, "fb">,
    I32EnumAttrCase<"UB", 7, "ub">]> {
  let cppNamespace = "::tilelang::ascend";
  let genSpecializedAttr = 0;
}
def Ascend_MemoryAttr : EnumAttr<Ascend_Dialect, Ascend_MemoryKind, "memory"> {
  let summary = "memory space of a buffer";
  let description = [{
    The layout follows from the memory: L1 holds matrices as fractals NZ (column
    blocks of C0 = 32 bytes, rows inside), L0A Zz, L0B Zn, L0C Nz of 16 x 16; UB
    and GM are row-major. Shapes are logical [rows, columns], padded to fractals
    on the Cube side and to 32-byte rows in UB.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Ascend_Pipe : I32EnumAttr<"Pipe", "an instruction queue of a core", [
    I32EnumAttrCase<"S", 0>, I32EnumAttrCase<"V", 1>, I32EnumAttrCase<"M", 2>,
    I32EnumAttrCase<"MTE1", 3>, I32EnumAttrCase<"MTE2", 4>,
    I32EnumAttrCase<"MTE3", 5>, I32EnumAttrCase<"FIX", 6>,
    I32EnumAttrCase<"ALL", 7>]> {
  let cppNamespace = "::tilelang::ascend";
}

def Ascend_KernelType : I32EnumAttr<"KernelKind", "which cores a kernel uses", [
    I32EnumAttrCase<"CubeOnly", 0, "cube">, I32EnumAttrCase<"VectorOnly", 1, "vector">,
    I32EnumAttrCase<"Mixed", 2, "mixed">]> {
  let cppNamespace = "::tilelang::ascend";
}

def Ascend_RingType : TypeDef<Ascend_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "a rotating slot number";
}

def Ascend_RepeatAttr : AttrDef<Ascend_Dialect, "Repeat"> {
  let mnemonic = "repeat";
  let summary = "mask, repeat count and strides of a vector instruction";
  let description = [{
    `count` repetitions (1..255) of `mask` elements each. Strides are in units of
    32 bytes: between blocks inside a repetition and between repetitions.
    For instructions with one source the second source's strides are 0.
  }];
  let parameters = (ins "int64_t":$mask, "int64_t":$count,
      "int64_t":$dstBlock, "int64_t":$dstRepeat, "int64_t":$src0Block,
      "int64_t":$src0Repeat, "int64_t":$src1Block, "int64_t":$src1Repeat);
  let assemblyFormat = "`<` struct(params) `>`";
}

/// An instruction: runs on a fixed pipe, reports its accesses.
class Ascend_Instruction<string mnemonic, string pipe, list<Trait> traits = []>
    : Ascend_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<RegionAccessOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, InstructionOpInterface])> {
  code pipeDeclaration = "::tilelang::ascend::Pipe getPipe() { return ::tilelang::ascend::Pipe::" # pipe # "; }\n";
  let extraClassDeclaration = pipeDeclaration;
  let hasVerifier = 1;
}

#endif // TILELANG_DIALECT_ASCEND_IR_ASCENDDIALECT_TD
