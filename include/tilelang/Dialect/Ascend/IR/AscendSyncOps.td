//===- AscendSyncOps.td - Flags, barriers and cross-core counters -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_IR_ASCENDSYNCOPS_TD
#define TILELANG_DIALECT_ASCEND_IR_ASCENDSYNCOPS_TD

include "tilelang/Dialect/Ascend/IR/AscendDialect.td"

class Ascend_FlagOp<string mnemonic, string text> : Ascend_Op<mnemonic> {
  let summary = text;
  let description = [{
    The event id is `id`, plus the slot of `ring` where there is one. `group` numbers the
    flag: a set, its waits, primes and drains share it.
  }];
  let arguments = (ins Ascend_Pipe:$source, Ascend_Pipe:$target, I64Attr:$id,
                       Optional<Ascend_RingType>:$ring, I64Attr:$group);
  let assemblyFormat = "$source `to` $target `id` $id (`slot` $ring^)? `group` $group attr-dict";
}
def Ascend_SetFlagOp : Ascend_FlagOp<"set_flag", "queued on `source`: fires when its earlier instructions are complete">;
def Ascend_WaitFlagOp : Ascend_FlagOp<"wait_flag", "queued on `target`: holds it until the flag is set, and clears it">;

def Ascend_BarrierOp : Ascend_Op<"barrier"> {
  let summary = "later instructions of the pipe start after earlier ones are complete";
  let arguments = (ins Ascend_Pipe:$pipe);
  let assemblyFormat = "$pipe attr-dict";
}

def Ascend_CrossSetOp : Ascend_Op<"cross_set"> {
  let summary = "raises a counter of the other core type of the block (mode 2)";
  let arguments = (ins Ascend_Pipe:$pipe, I64Attr:$flag, I64Attr:$group);
  let assemblyFormat = "$pipe `flag` $flag `group` $group attr-dict";
}
def Ascend_CrossWaitOp : Ascend_Op<"cross_wait"> {
  let summary = "stops the core's dispatch until the counter is above 0, and lowers it";
  let arguments = (ins I64Attr:$flag, I64Attr:$group);
  let assemblyFormat = "`flag` $flag `group` $group attr-dict";
}

#endif // TILELANG_DIALECT_ASCEND_IR_ASCENDSYNCOPS_TD
