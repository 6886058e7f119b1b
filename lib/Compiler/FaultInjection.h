//===- FaultInjection.h - Kernels with one synchronisation missing --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The proof that each flag is needed and that the simulator sees a missing one:
// tests compile a kernel with one flag, barrier or single set or wait left out.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_COMPILER_FAULTINJECTION_H
#define TILELANG_LIB_COMPILER_FAULTINJECTION_H

#include "tilelang/Compiler/Compiler.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

namespace tilelang {

/// Counts what can be left out, into `statistics`: `sync.flags` (whole flags:
/// sets, waits, primes and drains together), `sync.barriers`,
/// `sync.operations`.
void countSynchronisation(ascend::KernelOp kernel,
                          std::map<std::string, int64_t> &statistics);

/// Leaves out what `passConfigs` name by number: `debug.drop_flag`,
/// `debug.drop_barrier`, `debug.drop_operation`. Returns a description of each
/// operation left out, or an error for a number that does not exist.
mlir::LogicalResult
dropSynchronisation(ascend::KernelOp kernel,
                    const std::map<std::string, std::string> &passConfigs);

/// Fails as `debug.fail` asks: "error" (an internal error), "abort" or
/// "segfault". Shows that programs survive faults of the compiler.
mlir::LogicalResult
failOnPurpose(mlir::ModuleOp module,
              const std::map<std::string, std::string> &passConfigs);

} // namespace tilelang

#endif // TILELANG_LIB_COMPILER_FAULTINJECTION_H
