//===- SyncCounters.h - Handing workspace slots from core to core ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCCOUNTERS_H
#define TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCCOUNTERS_H

#include "SyncOrder.h"
#include "tilelang/Chip/Chip.h"

#include "llvm/ADT/DenseSet.h"

namespace tilelang::ascend::sync {

/// One side of the exchange of a workspace between the two core types.
struct ExchangeSide {
  CoreProgram *program;
  /// The body in which the slot moves on, and its children that hold the first
  /// and last access of a slot.
  Body *body = nullptr;
  int first = 0, last = 0;
  /// The pipe of the accesses.
  Pipe pipe = Pipe::S;
};

/// A workspace written by one core type and read by the other: a counter of
/// full slots, one of free slots.
struct Exchange {
  WorkspaceOp producerWorkspace, consumerWorkspace;
  ExchangeSide producer, consumer;
  int64_t versions;
  /// The order of other exchanges already keeps the producer from overtaking.
  bool needsFree = true;
  int full = -1, free = -1;
};

/// Finds the workspaces that both programs of a kernel use. Fails with an error
/// where the exchange cannot be synchronised.
mlir::FailureOr<std::vector<Exchange>> findExchanges(KernelOp kernel,
                                                     CoreProgram &aic,
                                                     CoreProgram &aiv,
                                                     const Chip &chip);

/// What the exchanges order inside `program`: data sent to the other core and
/// an answer received from it.
std::vector<RoundTrip> findRoundTrips(llvm::ArrayRef<Exchange> exchanges,
                                      const CoreProgram &program);

/// Leaves out counters of free slots that a later exchange in the opposite
/// direction makes superfluous, and numbers the rest. `aic` and `aiv` are the
/// orders inside the cores.
mlir::LogicalResult numberCounters(KernelOp kernel,
                                   std::vector<Exchange> &exchanges,
                                   const SyncOrder &aic, const SyncOrder &aiv,
                                   const CoreProgram &aicProgram,
                                   const Chip &chip);

/// Emits sets, waits, primes and drains; `nextGroup` numbers them.
void emitExchange(const Exchange &exchange, int64_t &nextGroup);

} // namespace tilelang::ascend::sync

#endif // TILELANG_LIB_DIALECT_ASCEND_TRANSFORMS_SYNCCOUNTERS_H
