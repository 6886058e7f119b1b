//===- AscendTensorOps.td - Tensors of run-time shape -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_IR_ASCENDTENSOROPS_TD
#define TILELANG_DIALECT_ASCEND_IR_ASCENDTENSOROPS_TD

include "tilelang/Dialect/Ascend/IR/AscendDialect.td"

def Ascend_TensorOp : Ascend_Op<"tensor", [Pure, AttrSizedOperandSegments]> {
  let summary = "a parameter in global memory with its run-time shape";
  let description = [{
    Sizes and strides (in elements) that the type leaves dynamic are operands. Stands
    at the top of a core's program until its tile operations are lowered; instructions
    access the parameter itself.

    ```mlir
    %a = ascend.tensor %p sizes [%m] strides []
        : memref<?xf16, #ascend.memory<gm>> -> memref<?x128xf16, #ascend.memory<gm>>
    ```
  }];
  let arguments = (ins AnyMemRef:$parameter, Variadic<Index>:$sizes,
                       Variadic<Index>:$strides);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = [{
    $parameter `sizes` `[` $sizes `]` `strides` `[` $strides `]` attr-dict
    `:` type($parameter) `->` type($buffer)
  }];
  let hasVerifier = 1;
}

#endif // TILELANG_DIALECT_ASCEND_IR_ASCENDTENSOROPS_TD
