//===- kernel_operator.h - The Ascend C API on the host -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// What an Ascend C kernel includes. The names, signatures and semantics are
// those of the vendor's public API; here each call fills an instruction record
// for the simulator (ascsim/instruction.h).
//
//===----------------------------------------------------------------------===//

#ifndef KERNEL_OPERATOR_H
#define KERNEL_OPERATOR_H

#include "ascendc/base.h"
#include "ascendc/compare.h"
#include "ascendc/data_copy.h"
#include "ascendc/debug.h"
#include "ascendc/matrix.h"
#include "ascendc/params.h"
#include "ascendc/queue.h"
#include "ascendc/reduce.h"
#include "ascendc/sync.h"
#include "ascendc/tensor.h"
#include "ascendc/vector.h"

#endif // KERNEL_OPERATOR_H
