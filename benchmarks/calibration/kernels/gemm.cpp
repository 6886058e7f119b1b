//===- gemm.cpp - C = A B^T with packets of k steps in L1 -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A [M, K], B [N, K] and C [M, N] are halves in row-major order. Base block
// 128 x 256 x 64. Each core computes `singleM` x `singleN` of C, block by block, in
// `parts` parts of M.
// L1 holds `buffers` packets of `packA` k steps of A and of `packB` of B; the next
// packet is requested when the current one starts to be used, but never across
// blocks. L0A and L0B are double buffered.
//
//===----------------------------------------------------------------------===//

#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr int32_t kBaseM = 128, kBaseN = 256, kBaseK = 64;

/// The packets of one operand in L1.
struct Packets {
  LocalTensor<half> l1;
  GlobalTensor<half> gm;
  int32_t steps, buffers, firstFlag, slotElements;

  __aicore__ inline void request(int32_t packet, int32_t packets, int32_t row, int32_t rows, int32_t k) const {
    const int32_t slot = packet % buffers, columns = steps * kBaseK;
    WaitFlag<HardEvent::MTE1_MTE2>(firstFlag + slot);
    DataCopy(l1[uint64_t(slot * slotElements)], gm[uint64_t(row) * k + uint64_t(packet % packets) * columns],
             Nd2NzParams(1, uint16_t(rows), uint16_t(columns), 0, uint16_t(k), uint16_t((rows + 15) / 16 * 16), 1, 0));
    SetFlag<HardEvent::MTE2_MTE1>(firstFlag + slot);
  }
};

} // namespace

extern "C" __global__ __aicore__ void gemm(GM_ADDR a, GM_ADDR b, GM_ADDR c, int32_t M, int32_t N, int32_t K,
                                           int32_t coresM, int32_t singleM, int32_t singleN, int32_t packA,
                                           int32_t packB, int32_t buffers, int32_t loadsB, int32_t parts) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  const int32_t core = int32_t(GetBlockIdx());
  const int32_t firstN = core / coresM * singleN;
  const int32_t endN = firstN + singleN < N ? firstN + singleN : N;
  Packets A, B;
  A.gm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(a), uint64_t(M) * K);
  B.gm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(b), uint64_t(N) * K);
  GlobalTensor<half> C;
  C.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(c), uint64_t(M) * N);
  A.steps = packA;
  B.steps = packB;
  A.buffers = B.buffers = buffers;
  A.firstFlag = 0;
  B.firstFlag = 2;
  A.slotElements = packA * kBaseM * kBaseK;
  B.slotElements = packB * kBaseN * kBaseK;
  A.l1 = LocalTensor<half>(TPosition::A1, 0, uint32_t(buffers * A.slotElements));
  B.l1 = LocalTensor<half>(TPosition::A1, uint32_t(buffers * A.slotElements) * 2, uint32_t(buffers * B.slotElements));
  LocalTensor<half> l0a(TPosition::A2, 0, 2 * kBaseM * kBaseK), l0b(TPosition::B2, 0, 2 * kBaseN * kBaseK);
  LocalTensor<float> l0c(TPosition::CO1, 0, kBaseM * kBaseN);
  const uint8_t noPadding[4] = {0, 0, 0, 0};
  for (int32_t i = 0; i < buffers; ++i) {
    SetFlag<HardEvent::MTE1_MTE2>(A.firstFlag + i);
    SetFlag<HardEvent::MTE1_MTE2>(B.firstFlag + i);
  }
  SetFlag<HardEvent::M_MTE1>(0);
  SetFlag<HardEvent::M_MTE1>(1);
  SetFlag<HardEvent::FIX_M>(0);
  const int32_t steps = K / kBaseK, packetsA = steps / packA, packetsB = steps / packB;
  // How many packets were requested and begun so far, over all blocks.
  int32_t requestedA = 0, requestedB = 0, begunA = 0, begunB = 0, slot = 0;
  const int32_t acrossN = (endN - firstN + kBaseN - 1) / kBaseN;
  for (int32_t panel = 0; panel < parts * acrossN; ++panel) {
    const int32_t n = firstN + panel % acrossN * kBaseN;
    const int32_t firstM = core % coresM * singleM + panel / acrossN * (singleM / parts);
    const int32_t endM = firstM + singleM / parts < M ? firstM + singleM / parts : M;
    const int32_t columns = endN - n < kBaseN ? endN - n : kBaseN, columns16 = (columns + 15) / 16 * 16;
    for (int32_t m = firstM; m < endM; m += kBaseM) {
      const int32_t lastA = begunA + packetsA, lastB = begunB + packetsB;
      WaitFlag<HardEvent::FIX_M>(0);
      for (int32_t step = 0; step < steps; ++step) {
        if (step % packA == 0) {
          while (requestedA < begunA + buffers && requestedA < lastA)
            A.request(requestedA++, packetsA, m, kBaseM, K);
          WaitFlag<HardEvent::MTE2_MTE1>(A.firstFlag + begunA % buffers);
        }
        if (step % packB == 0) {
          while (requestedB < begunB + buffers && requestedB < lastB)
            B.request(requestedB++, packetsB, n, columns, K);
          WaitFlag<HardEvent::MTE2_MTE1>(B.firstFlag + begunB % buffers);
        }
        WaitFlag<HardEvent::M_MTE1>(slot);
        LoadData(l0a[uint64_t(slot * kBaseM * kBaseK)],
                 A.l1[uint64_t(begunA % buffers * A.slotElements + step % packA * kBaseM * kBaseK)],
                 LoadData3DParamsV2<half>(noPadding, 1, kBaseM, kBaseK, kBaseK, kBaseM, 0, 0, 1, 1, 1, 1, 1, 1, false,
                                          false, half(0)));
        const LocalTensor<half> from =
            B.l1[uint64_t(begunB % buffers * B.slotElements + step % packB * columns16 * kBaseK)];
        const int32_t fractals = columns16 / 16 * (kBaseK / 16) / loadsB;
        for (int32_t i = 0; i < loadsB; ++i)
          LoadData(l0b[uint64_t(slot * kBaseN * kBaseK + i * fractals * 256)], from[uint64_t(i * fractals * 256)],
                   LoadData2DParams(0, uint8_t(fractals), 1, 0, 0, false, 0));
        if (step % packA == packA - 1)
          SetFlag<HardEvent::MTE1_MTE2>(A.firstFlag + begunA++ % buffers);
        if (step % packB == packB - 1)
          SetFlag<HardEvent::MTE1_MTE2>(B.firstFlag + begunB++ % buffers);
        SetFlag<HardEvent::MTE1_M>(slot);
        WaitFlag<HardEvent::MTE1_M>(slot);
        Mmad(l0c, l0a[uint64_t(slot * kBaseM * kBaseK)], l0b[uint64_t(slot * kBaseN * kBaseK)],
             MmadParams(kBaseM, uint16_t(columns), kBaseK, uint8_t(0), false, step == 0));
        SetFlag<HardEvent::M_MTE1>(slot);
        slot = 1 - slot;
      }
      SetFlag<HardEvent::M_FIX>(0);
      WaitFlag<HardEvent::M_FIX>(0);
      Fixpipe<half, float, CFG_ROW_MAJOR>(C[uint64_t(m) * N + n], l0c,
                                          FixpipeParamsV220(uint16_t(columns), kBaseM, kBaseM, uint32_t(N), false,
                                                            QuantMode_t::F322F16, 0, 1, 0, 0, 0));
      SetFlag<HardEvent::FIX_M>(0);
    }
  }
  WaitFlag<HardEvent::FIX_M>(0);
  WaitFlag<HardEvent::M_MTE1>(1);
  WaitFlag<HardEvent::M_MTE1>(0);
  for (int32_t i = 0; i < buffers; ++i) {
    WaitFlag<HardEvent::MTE1_MTE2>(A.firstFlag + i);
    WaitFlag<HardEvent::MTE1_MTE2>(B.firstFlag + i);
  }
  PipeBarrier<PIPE_ALL>();
}
