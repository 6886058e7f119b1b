//===- AscendReduceOps.td - Horizontal reductions -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_IR_ASCENDREDUCEOPS_TD
#define TILELANG_DIALECT_ASCEND_IR_ASCENDREDUCEOPS_TD

include "tilelang/Dialect/Ascend/IR/AscendVectorOps.td"

def Ascend_ReduceForm : Ascend_FunctionEnum<"ReduceForm", "how many lanes make one result", [
    I32EnumAttrCase<"Whole", 0>,  // all lanes of a repetition
    I32EnumAttrCase<"Block", 1>,  // the lanes of each 32-byte block
    I32EnumAttrCase<"Pair", 2>]>; // two neighbours; sums only
def Ascend_ReduceFunction : Ascend_FunctionEnum<"ReduceFunction", "how lanes are combined", [
    I32EnumAttrCase<"Sum", 0>, I32EnumAttrCase<"Max", 1>, I32EnumAttrCase<"Min", 2>]>;

def Ascend_ReduceOp : Ascend_Instruction<"reduce", "V"> {
  let summary = "combines the lanes of each repetition (WholeReduce, BlockReduce, PairReduce)";
  let description = [{
    `repeats` repetitions (1..255) of 256 bytes. Lanes that `lanes` switches off take no part:
    one number says how many take part from the first on, two are the words of a bit
    pattern. A block without any lane is not written. Strides of the source are in
    units of 32 bytes. `dstRepeat` is in results: elements for `Whole`, groups of eight
    elements for `Block`, of half a repetition (128 bytes) for `Pair`.
  }];
  let arguments = (ins Ascend_ReduceForm:$form, Ascend_ReduceFunction:$function,
                       AnyMemRef:$destination, AnyMemRef:$source,
                       DenseI64ArrayAttr:$lanes, I64Attr:$repeats, I64Attr:$dstRepeat,
                       I64Attr:$srcBlock, I64Attr:$srcRepeat);
  let assemblyFormat = [{
    $form $function $destination `,` $source `lanes` $lanes `repeats` $repeats
    `strides` $dstRepeat `,` $srcBlock `,` $srcRepeat attr-dict
    `:` type($destination) `,` type($source)
  }];
}

#endif // TILELANG_DIALECT_ASCEND_IR_ASCENDREDUCEOPS_TD
