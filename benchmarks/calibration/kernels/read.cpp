//===- read.cpp - Streams a matrix from global memory into a core -------- -===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Each core walks tiles of a half matrix row panel by row panel and does nothing
// else. Nothing consumes the data, so there are no flags and all tiles land at
// one address: what is measured is the transfer engine and the memory behind.
//
//===----------------------------------------------------------------------===//

#include "kernel_operator.h"

using namespace AscendC;

/// `panels` row panels of `tileRows` rows belong to each core (with `shared`, all
/// cores read the first ones, each starting at its own tile if `staggered`).
extern "C" __global__ __aicore__ void read_tiles(GM_ADDR matrix, int32_t rows, int32_t columns,
                                                 int32_t tileRows, int32_t tileColumns, int32_t times,
                                                 int32_t shared, int32_t staggered, int32_t bypass) {
#if defined(__DAV_C220_CUBE__)
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
#else
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
#endif
  InitSocState();
  const int32_t core = int32_t(GetBlockIdx()), cores = int32_t(GetBlockNum());
  GlobalTensor<half> source;
  source.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(matrix), uint64_t(rows) * columns);
  if (bypass)
    source.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
#if defined(__DAV_C220_CUBE__)
  LocalTensor<half> tile(TPosition::A1, 0, 262144);
#else
  LocalTensor<half> tile(TPosition::VECIN, 0, 98304);
#endif
  const int32_t panels = shared ? rows / tileRows : rows / tileRows / cores;
  const int32_t across = (columns + tileColumns - 1) / tileColumns;
  const int32_t tiles = panels * across;
  const int32_t first = shared ? 0 : core * panels;
  const int32_t shift = staggered ? tiles / cores * core : 0;
  for (int32_t pass = 0; pass < times; ++pass) {
    for (int32_t step = 0; step < tiles; ++step) {
      const int32_t number = step + shift < tiles ? step + shift : step + shift - tiles;
      const int32_t row = (first + number / across) * tileRows, column = number % across * tileColumns;
      const int32_t width = columns - column < tileColumns ? columns - column : tileColumns;
      GlobalTensor<half> from = source[uint64_t(row) * columns + column];
#if defined(__DAV_C220_CUBE__)
      DataCopy(tile, from,
               Nd2NzParams(1, uint16_t(tileRows), uint16_t(width), 0, uint16_t(columns), uint16_t(tileRows), 1, 0));
#else
      DataCopyPad(tile, from,
                  DataCopyExtParams(uint16_t(tileRows), uint32_t(width) * 2, uint32_t(columns - width) * 2, 0, 0),
                  DataCopyPadExtParams<half>(false, 0, 0, 0));
#endif
    }
  }
  PipeBarrier<PIPE_ALL>();
}
