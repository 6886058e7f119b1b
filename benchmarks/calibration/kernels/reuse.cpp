//===- reuse.cpp - Reads a matrix several times, as a whole or in parts -- -===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// `parts` parts of the matrix are read `times` times each, one part after the
// other; a part that fits L2 is read from global memory once.
//
//===----------------------------------------------------------------------===//

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void read_again(GM_ADDR matrix, int32_t elements, int32_t tileElements,
                                                 int32_t parts, int32_t times) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  const int32_t core = int32_t(GetBlockIdx()), cores = int32_t(GetBlockNum());
  GlobalTensor<half> source;
  source.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(matrix), uint64_t(elements));
  LocalTensor<half> tile(TPosition::VECIN, 0, 98304);
  const int32_t perCore = elements / parts / cores / tileElements;
  for (int32_t part = 0; part < parts; ++part)
    for (int32_t pass = 0; pass < times; ++pass)
      for (int32_t i = 0; i < perCore; ++i)
        DataCopy(tile, source[uint64_t((part * cores + core) * perCore + i) * tileElements], uint32_t(tileElements));
  PipeBarrier<PIPE_ALL>();
}
