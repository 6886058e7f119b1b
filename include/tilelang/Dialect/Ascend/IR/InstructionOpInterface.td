//===- InstructionOpInterface.td - What runs on a pipe -----*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_IR_INSTRUCTIONOPINTERFACE_TD
#define TILELANG_DIALECT_ASCEND_IR_INSTRUCTIONOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::tilelang::ascend";
  let description = [{An operation that is issued into the queue of a pipe.}];
  let methods = [
    InterfaceMethod<"The pipe that executes the instruction.",
                    "::tilelang::ascend::Pipe", "getPipe", (ins)>
  ];
}

#endif // TILELANG_DIALECT_ASCEND_IR_INSTRUCTIONOPINTERFACE_TD
