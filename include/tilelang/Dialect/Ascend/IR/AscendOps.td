//===- AscendOps.td - All operations of the ascend dialect -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

include "tilelang/Dialect/Ascend/IR/AscendKernelOps.td"
include "tilelang/Dialect/Ascend/IR/AscendCubeOps.td"
include "tilelang/Dialect/Ascend/IR/AscendVectorOps.td"
include "tilelang/Dialect/Ascend/IR/AscendReduceOps.td"
include "tilelang/Dialect/Ascend/IR/AscendSyncOps.td"
include "tilelang/Dialect/Ascend/IR/AscendTensorOps.td"
