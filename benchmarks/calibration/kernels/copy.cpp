//===- copy.cpp - Transfers of one Vector core, each waited for ---------- -===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "kernel_operator.h"

using namespace AscendC;

/// 0: GM -> UB, 1: UB -> GM.
extern "C" __global__ __aicore__ void vector_transfers(GM_ADDR memory, int32_t which, int32_t times, int32_t bytes) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  GlobalTensor<half> gm;
  gm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(memory), 1u << 20);
  LocalTensor<half> ub(TPosition::VECIN, 0, 98304);
  for (int32_t i = 0; i < times; ++i) {
    if (which == 0)
      DataCopy(ub, gm, uint32_t(bytes / 2));
    else
      DataCopy(gm, ub, uint32_t(bytes / 2));
    PipeBarrier<PIPE_ALL>();
  }
  PipeBarrier<PIPE_ALL>();
}

/// `times` transfers of one row of `bytes`, one behind the other.
extern "C" __global__ __aicore__ void burst_of_loads(GM_ADDR memory, int32_t times, int32_t bytes) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  GlobalTensor<half> gm;
  gm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(memory), 1u << 20);
  LocalTensor<half> ub(TPosition::VECIN, 0, 98304);
  for (int32_t i = 0; i < times; ++i)
    DataCopy(ub[uint32_t(i % 256) * uint32_t(bytes / 2)], gm[uint64_t(i % 256) * uint64_t(bytes / 2)],
             uint32_t(bytes / 2));
  PipeBarrier<PIPE_ALL>();
}
