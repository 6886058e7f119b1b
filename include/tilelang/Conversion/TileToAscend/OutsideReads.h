//===- OutsideReads.h - Do zeros beyond a tensor reach a result? -*- C++
//-*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_CONVERSION_TILETOASCEND_OUTSIDEREADS_H
#define TILELANG_CONVERSION_TILETOASCEND_OUTSIDEREADS_H

#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"

namespace tilelang {

/// Whether rows or columns of a product whose operands lie outside of their
/// tensors, where they read as zero, may be part of a result. False only where
/// it is certain that nothing but what exists is stored.
bool outsideReachesResult(ascend::KernelOp kernel);

} // namespace tilelang

#endif // TILELANG_CONVERSION_TILETOASCEND_OUTSIDEREADS_H
