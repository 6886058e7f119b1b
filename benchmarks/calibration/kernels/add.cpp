//===- add.cpp - z = x + y over a long vector of halves ------------------ -===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// One tile after the other: load x and y, add, store z. `buffers` versions of
// each tile let the loads of the next one run ahead.
//
//===----------------------------------------------------------------------===//

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, int32_t elements, int32_t tileElements,
                                          int32_t buffers, int32_t separate, int32_t bypass) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  const int32_t core = int32_t(GetBlockIdx()), cores = int32_t(GetBlockNum());
  GlobalTensor<half> gx, gy, gz;
  gx.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x), uint64_t(elements));
  gy.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(y), uint64_t(elements));
  gz.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(z), uint64_t(elements));
  if (bypass) {
    gx.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    gy.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  }
  // In units of one repeat (128 halves), as even as they can be dealt.
  const int32_t repeats = elements / 128;
  const int32_t begin = int32_t(int64_t(repeats) * core / cores) * 128;
  const int32_t end = int32_t(int64_t(repeats) * (core + 1) / cores) * 128;
  // x, y and z in a third of UB each, so that a write never meets a read in its bank. `separate` puts y into the
  // other half of the bank groups; else each repeat reads the same groups twice.
  constexpr uint32_t third = 65536;
  LocalTensor<half> tx[2], ty[2], tz[2];
  for (int32_t i = 0; i < buffers; ++i) {
    const uint32_t base = uint32_t(i) * (third / 2);
    tx[i] = LocalTensor<half>(TPosition::VECIN, base, uint32_t(tileElements));
    ty[i] = LocalTensor<half>(TPosition::VECIN, base + third + (separate ? 256 : 0), uint32_t(tileElements));
    tz[i] = LocalTensor<half>(TPosition::VECOUT, base + 2 * third, uint32_t(tileElements));
    SetFlag<HardEvent::V_MTE2>(i);
    SetFlag<HardEvent::MTE3_V>(i);
  }
  int32_t slot = 0;
  for (int32_t at = begin; at < end; at += tileElements) {
    const uint32_t count = uint32_t(end - at < tileElements ? end - at : tileElements);
    WaitFlag<HardEvent::V_MTE2>(slot);
    DataCopy(tx[slot], gx[uint64_t(at)], count);
    DataCopy(ty[slot], gy[uint64_t(at)], count);
    SetFlag<HardEvent::MTE2_V>(slot);
    WaitFlag<HardEvent::MTE2_V>(slot);
    WaitFlag<HardEvent::MTE3_V>(slot);
    Add(tz[slot], tx[slot], ty[slot], int32_t(count));
    SetFlag<HardEvent::V_MTE2>(slot);
    SetFlag<HardEvent::V_MTE3>(slot);
    WaitFlag<HardEvent::V_MTE3>(slot);
    DataCopy(gz[uint64_t(at)], tz[slot], count);
    SetFlag<HardEvent::MTE3_V>(slot);
    slot = slot + 1 == buffers ? 0 : slot + 1;
  }
  for (int32_t i = 0; i < buffers; ++i) {
    WaitFlag<HardEvent::V_MTE2>(i);
    WaitFlag<HardEvent::MTE3_V>(i);
  }
  PipeBarrier<PIPE_ALL>();
}

/// The same element by element through the scalar unit.
extern "C" __global__ __aicore__ void add_scalar(GM_ADDR x, GM_ADDR y, GM_ADDR z, int32_t elements,
                                                 int32_t tileElements) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  GlobalTensor<half> gx, gy, gz;
  gx.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x), uint64_t(elements));
  gy.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(y), uint64_t(elements));
  gz.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(z), uint64_t(elements));
  const uint32_t tileBytes = uint32_t(tileElements) * 2;
  LocalTensor<half> tx(TPosition::VECIN, 0, uint32_t(tileElements));
  LocalTensor<half> ty(TPosition::VECIN, tileBytes, uint32_t(tileElements));
  LocalTensor<half> tz(TPosition::VECOUT, 2 * tileBytes, uint32_t(tileElements));
  for (int32_t at = 0; at < elements; at += tileElements) {
    DataCopy(tx, gx[uint64_t(at)], uint32_t(tileElements));
    DataCopy(ty, gy[uint64_t(at)], uint32_t(tileElements));
    SetFlag<HardEvent::MTE2_S>(0);
    WaitFlag<HardEvent::MTE2_S>(0);
    for (int32_t i = 0; i < tileElements; ++i)
      tz.SetValue(uint32_t(i), half(float(tx.GetValue(uint32_t(i))) + float(ty.GetValue(uint32_t(i)))));
    SetFlag<HardEvent::S_MTE3>(0);
    WaitFlag<HardEvent::S_MTE3>(0);
    DataCopy(gz[uint64_t(at)], tz, uint32_t(tileElements));
    PipeBarrier<PIPE_ALL>();
  }
  PipeBarrier<PIPE_ALL>();
}
