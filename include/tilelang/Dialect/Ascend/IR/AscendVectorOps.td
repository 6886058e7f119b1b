//===- AscendVectorOps.td - Instructions of the Vector core -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_IR_ASCENDVECTOROPS_TD
#define TILELANG_DIALECT_ASCEND_IR_ASCENDVECTOROPS_TD

include "tilelang/Dialect/Ascend/IR/AscendDialect.td"

def Ascend_LoadOp : Ascend_Instruction<"load", "MTE2"> {
  let summary = "GM -> UB, rows of any length (DataCopyPad)";
  let description = [{
    Reads `rows` rows of `columns` elements from element `offset` on, `stride` elements
    apart, into rows of the destination that start at multiples of its innermost
    extent (a multiple of 32 bytes). Nothing happens when a count is 0.
    Rank-1 destinations take one row.
  }];
  let arguments = (ins AnyMemRef:$source, Index:$offset, Index:$rows, Index:$columns,
                       Index:$stride, AnyStaticShapeMemRef:$destination);
  let assemblyFormat = [{
    $source `at` $offset `rows` $rows `columns` $columns `stride` $stride
    `to` $destination attr-dict `:` type($source) `to` type($destination)
  }];
}

def Ascend_StoreOp : Ascend_Instruction<"store", "MTE3"> {
  let summary = "UB -> GM, rows of any length (DataCopyPad)";
  let description = [{`atomic` adds to what the destination holds.}];
  let arguments = (ins AnyStaticShapeMemRef:$source, AnyMemRef:$destination, Index:$offset,
                       Index:$rows, Index:$columns, Index:$stride, UnitAttr:$atomic);
  let assemblyFormat = [{
    $source `to` $destination `at` $offset `rows` $rows `columns` $columns `stride` $stride
    attr-dict `:` type($source) `to` type($destination)
  }];
}

class Ascend_FunctionEnum<string name, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::tilelang::ascend";
}
def Ascend_UnaryFunction : Ascend_FunctionEnum<"UnaryFunction", "elementwise function of one source", [
    I32EnumAttrCase<"Exp", 0>, I32EnumAttrCase<"Ln", 1>, I32EnumAttrCase<"Sqrt", 2>,
    I32EnumAttrCase<"Rsqrt", 3>, I32EnumAttrCase<"Reciprocal", 4>, I32EnumAttrCase<"Abs", 5>,
    I32EnumAttrCase<"Relu", 6>, I32EnumAttrCase<"Not", 7>, I32EnumAttrCase<"Copy", 8>]>;
def Ascend_BinaryFunction : Ascend_FunctionEnum<"BinaryFunction", "elementwise function of two sources", [
    I32EnumAttrCase<"Add", 0>, I32EnumAttrCase<"Sub", 1>, I32EnumAttrCase<"Mul", 2>,
    I32EnumAttrCase<"Div", 3>, I32EnumAttrCase<"Max", 4>, I32EnumAttrCase<"Min", 5>,
    I32EnumAttrCase<"And", 6>, I32EnumAttrCase<"Or", 7>]>;
def Ascend_ScalarFunction : Ascend_FunctionEnum<"ScalarFunction", "elementwise function of a source and a scalar", [
    I32EnumAttrCase<"Adds", 0>, I32EnumAttrCase<"Muls", 1>, I32EnumAttrCase<"Maxs", 2>,
    I32EnumAttrCase<"Mins", 3>, I32EnumAttrCase<"ShiftLeft", 4>, I32EnumAttrCase<"ShiftRight", 5>,
    I32EnumAttrCase<"LeakyRelu", 6>, I32EnumAttrCase<"Axpy", 7>]>; // Axpy also reads dst
def Ascend_CompareMode : Ascend_FunctionEnum<"CompareMode", "comparison", [
    I32EnumAttrCase<"LT", 0>, I32EnumAttrCase<"GT", 1>, I32EnumAttrCase<"EQ", 2>,
    I32EnumAttrCase<"LE", 3>, I32EnumAttrCase<"GE", 4>, I32EnumAttrCase<"NE", 5>]>;
def Ascend_CastRounding : Ascend_FunctionEnum<"CastRounding", "rounding of a vector cast", [
    I32EnumAttrCase<"None", 0>, I32EnumAttrCase<"Rint", 1>, I32EnumAttrCase<"Floor", 2>,
    I32EnumAttrCase<"Ceil", 3>, I32EnumAttrCase<"Round", 4>, I32EnumAttrCase<"Trunc", 5>,
    I32EnumAttrCase<"Odd", 6>]>;

/// Vector instructions work on `count` contiguous elements, or as `repeat`
/// says. Exactly one of the two is present.
class Ascend_VectorInstruction<string mnemonic, dag operands>
    : Ascend_Instruction<mnemonic, "V"> {
  let arguments = !con(operands, (ins OptionalAttr<I64Attr>:$count,
                                      OptionalAttr<Ascend_RepeatAttr>:$repeat));
}

def Ascend_UnaryOp : Ascend_VectorInstruction<"unary",
    (ins Ascend_UnaryFunction:$function, AnyMemRef:$destination, AnyMemRef:$source)> {
  let summary = "destination = function(source)";
  let assemblyFormat = [{
    $function $destination `,` $source (`count` $count^)? (`repeat` $repeat^)? attr-dict
    `:` type($destination) `,` type($source)
  }];
}
def Ascend_BinaryOp : Ascend_VectorInstruction<"binary",
    (ins Ascend_BinaryFunction:$function, AnyMemRef:$destination, AnyMemRef:$lhs, AnyMemRef:$rhs)> {
  let summary = "destination = function(lhs, rhs)";
  let assemblyFormat = [{
    $function $destination `,` $lhs `,` $rhs (`count` $count^)? (`repeat` $repeat^)? attr-dict
    `:` type($destination) `,` type($lhs) `,` type($rhs)
  }];
}
def Ascend_ScalarOp : Ascend_VectorInstruction<"scalar",
    (ins Ascend_ScalarFunction:$function, AnyMemRef:$destination, AnyMemRef:$source, AnyType:$scalar)> {
  let summary = "destination = function(source, scalar); Axpy adds to the destination";
  let assemblyFormat = [{
    $function $destination `,` $source `,` $scalar (`count` $count^)? (`repeat` $repeat^)? attr-dict
    `:` type($destination) `,` type($source) `,` type($scalar)
  }];
}
def Ascend_CastOp : Ascend_VectorInstruction<"cast",
    (ins Ascend_CastRounding:$rounding, AnyMemRef:$destination, AnyMemRef:$source)> {
  let summary = "converts elements; only pairs the hardware has";
  let assemblyFormat = [{
    $rounding $destination `,` $source (`count` $count^)? (`repeat` $repeat^)? attr-dict
    `:` type($destination) `,` type($source)
  }];
}
def Ascend_DuplicateOp : Ascend_VectorInstruction<"duplicate",
    (ins AnyMemRef:$destination, AnyType:$scalar)> {
  let summary = "every element of the destination becomes the scalar";
  let assemblyFormat = [{
    $destination `,` $scalar (`count` $count^)? (`repeat` $repeat^)? attr-dict
    `:` type($destination) `,` type($scalar)
  }];
}
def Ascend_CompareOp : Ascend_VectorInstruction<"compare",
    (ins Ascend_CompareMode:$mode, AnyMemRef:$destination, AnyMemRef:$lhs, AnyMemRef:$rhs)> {
  let summary = "bit mask of a comparison, one bit per element, least significant first";
  let description = [{
    The destination holds bytes (i8 memref, count / 8 of them); `count` times element size is a multiple of 256.
  }];
  let assemblyFormat = [{
    $mode $destination `,` $lhs `,` $rhs (`count` $count^)? (`repeat` $repeat^)? attr-dict
    `:` type($destination) `,` type($lhs) `,` type($rhs)
  }];
}
def Ascend_CompareScalarOp : Ascend_VectorInstruction<"compare_scalar",
    (ins Ascend_CompareMode:$mode, AnyMemRef:$destination, AnyMemRef:$source, AnyType:$scalar)> {
  let summary = "bit mask of a comparison with a scalar (Compares)";
  let assemblyFormat = [{
    $mode $destination `,` $source `,` $scalar (`count` $count^)? (`repeat` $repeat^)? attr-dict
    `:` type($destination) `,` type($source) `,` type($scalar)
  }];
}
def Ascend_SelectOp : Ascend_VectorInstruction<"select",
    (ins AnyMemRef:$destination, AnyMemRef:$mask, AnyMemRef:$trueSource, AnyMemRef:$falseSource)> {
  let summary = "per element, by mask bits: trueSource or falseSource (VSEL_TENSOR_TENSOR_MODE)";
  let assemblyFormat = [{
    $destination `,` $mask `,` $trueSource `,` $falseSource (`count` $count^)? (`repeat` $repeat^)? attr-dict
    `:` type($destination) `,` type($mask) `,` type($trueSource) `,` type($falseSource)
  }];
}
def Ascend_BroadcastOp : Ascend_Instruction<"broadcast", "V"> {
  let summary = "each of `count` source elements fills one 32-byte block (Brcb)";
  let description = [{`count` is a multiple of 8; the destination has count * 32 bytes.}];
  let arguments = (ins AnyMemRef:$destination, AnyMemRef:$source, I64Attr:$count);
  let assemblyFormat = "$destination `,` $source `count` $count attr-dict `:` type($destination) `,` type($source)";
}
def Ascend_VectorIndexOp : Ascend_Instruction<"vector_index", "V"> {
  let summary = "first, first + 1, ... (CreateVecIndex)";
  let arguments = (ins AnyMemRef:$destination, AnyType:$first, I64Attr:$count);
  let assemblyFormat = "$destination `,` $first `count` $count attr-dict `:` type($destination) `,` type($first)";
}

//===-- Scalar unit ------------------------------------------------------===//

def Ascend_GetValueOp : Ascend_Instruction<"get_value", "S"> {
  let summary = "the scalar unit reads one element of UB or GM";
  let arguments = (ins AnyMemRef:$source, Index:$offset);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source `at` $offset attr-dict `:` type($source) `->` type($result)";
}
def Ascend_SetValueOp : Ascend_Instruction<"set_value", "S"> {
  let summary = "the scalar unit writes one element of UB or GM";
  let arguments = (ins AnyType:$value, AnyMemRef:$destination, Index:$offset);
  let assemblyFormat = "$value `to` $destination `at` $offset attr-dict `:` type($value) `to` type($destination)";
}

#endif // TILELANG_DIALECT_ASCEND_IR_ASCENDVECTOROPS_TD
