//===- DescribeKernel.h - What became of a program ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_LIB_COMPILER_DESCRIBEKERNEL_H
#define TILELANG_LIB_COMPILER_DESCRIBEKERNEL_H

#include "tilelang/Chip/Chip.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

#include <string>

namespace tilelang {

/// The decisions that the final program holds, as JSON text for reports: where
/// each statement runs, what each buffer became, what cores exchange, what each
/// loop synchronises. docs/artifact.md lists the members.
std::string describeKernel(ascend::KernelOp kernel, const Chip &chip);

} // namespace tilelang

#endif // TILELANG_LIB_COMPILER_DESCRIBEKERNEL_H
