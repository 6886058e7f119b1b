//===- cube.cpp - Mmads and transfers of one Cube core ------------------- -===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "kernel_operator.h"

using namespace AscendC;

/// `times` Mmads of one shape, accumulating into one place.
extern "C" __global__ __aicore__ void mmads(GM_ADDR unused, int32_t times, int32_t m, int32_t n, int32_t k,
                                            int32_t isolated) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<half> a(TPosition::A2, 0, 32768), b(TPosition::B2, 0, 32768);
  LocalTensor<float> c(TPosition::CO1, 0, 32768);
  for (int32_t i = 0; i < times; ++i) {
    Mmad(c, a, b, MmadParams(uint16_t(m), uint16_t(n), uint16_t(k), uint8_t(0), false, i == 0));
    if (isolated)
      PipeBarrier<PIPE_M>();
  }
  PipeBarrier<PIPE_ALL>();
}

/// `times` loads of `kilobytes` from L1 to L0A or L0B.
extern "C" __global__ __aicore__ void l1_to_l0(GM_ADDR unused, int32_t times, int32_t kilobytes, int32_t toB) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<half> l1(TPosition::A1, 0, 65536), a(TPosition::A2, 0, 32768), b(TPosition::B2, 0, 32768);
  const LoadData2DParams params(0, uint8_t(kilobytes * 2), 1, 0, 0, false, 0);
  for (int32_t i = 0; i < times; ++i)
    if (toB)
      LoadData(b, l1, params);
    else
      LoadData(a, l1, params);
  PipeBarrier<PIPE_ALL>();
}

/// `times` transfers of `bytes`, each waited for. 0: GM -> L1, 1: GM -> L1 with
/// conversion to fractals (rows of 512 bytes), 2: L0C -> GM.
extern "C" __global__ __aicore__ void cube_transfers(GM_ADDR memory, int32_t which, int32_t times, int32_t bytes) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  GlobalTensor<half> gm;
  gm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(memory), 1u << 20);
  GlobalTensor<float> out;
  out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(memory), 1u << 19);
  LocalTensor<half> l1(TPosition::A1, 0, 262144);
  LocalTensor<float> l0c(TPosition::CO1, 0, 32768);
  const uint16_t rows = uint16_t(bytes / 512), blocks = uint16_t(bytes / 1024);
  for (int32_t i = 0; i < times; ++i) {
    switch (which) {
    case 0: DataCopy(l1, gm, uint32_t(bytes / 2)); break;
    case 1: DataCopy(l1, gm, Nd2NzParams(1, rows, 256, 0, 256, rows, 1, 0)); break;
    default:
      Fixpipe<float, float, CFG_NZ>(out, l0c, FixpipeParamsV220(uint16_t(blocks * 16), 16, 16, 32, false));
    }
    PipeBarrier<PIPE_ALL>();
  }
  PipeBarrier<PIPE_ALL>();
}
