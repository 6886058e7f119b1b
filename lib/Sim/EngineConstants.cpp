//===- EngineConstants.cpp - Numbers of a chip the engine uses ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/EngineConstants.h"
#include "tilelang/Chip/Chip.h"

#include <algorithm>

using namespace tilelang;
using namespace tilelang::sim;

EngineConstants::EngineConstants(const Chip &chip) {
  auto get = [&](const char *key) { return chip.constant(key); };
  auto count = [&](const char *key) {
    return static_cast<uint32_t>(chip.constant(key));
  };
  clockGHz = chip.clockGHz;
  // GB/s divided by Gcycles/s is bytes per cycle.
  auto rate = [&](const char *key) { return chip.constant(key) / clockGHz; };

  queueDepth = count("timing.queue.depth");
  issueCycles = get("timing.scalar.issue_cycles");
  syncCycles = get("timing.scalar.sync_cycles");
  ubLoadCycles = get("timing.scalar.ub_load_cycles");
  ubStoreCycles = get("timing.scalar.ub_store_cycles");
  gmHitCycles = get("timing.scalar.gm_hit_cycles");
  gmMissCycles = get("timing.scalar.gm_miss_cycles");
  cleanCycles = get("timing.scalar.cache_clean_cycles");
  scalarLineBytes = count("timing.scalar.cache_line_bytes");
  scalarCacheBytesAic = count("timing.scalar.cache_bytes_aic");
  scalarCacheBytesAiv = count("timing.scalar.cache_bytes_aiv");
  flagDelay = get("timing.flag.delay_cycles");
  crossCoreDelay = get("timing.crosscore.delay_cycles");
  hbmRead = rate("timing.hbm.read_gbps");
  hbmWrite = rate("timing.hbm.write_gbps");
  l2Read = rate("timing.l2.read_gbps");
  l2Write = rate("timing.l2.write_gbps");
  sameAddress = rate("timing.stream.same_address_gbps");
  l2Capacity = static_cast<uint64_t>(get("timing.l2.capacity_bytes"));
  bypassSameAddress = rate("timing.stream.bypass_same_address_gbps");
  hbmRowBytes = get("timing.hbm.row_bytes");
  bypassShortRow = get("timing.dma.bypass_short_row_efficiency");
  l2LineBytes = count("timing.l2.line_bytes");
  l2SectorBytes = count("timing.l2.sector_bytes");
  l2PanelBytes = count("timing.l2.panel_bytes");
  portAicRead = get("timing.port.aic_read_bytes_per_cycle");
  portNd2Nz = get("timing.port.nd2nz_bytes_per_cycle");
  portAivRead = get("timing.port.aiv_read_bytes_per_cycle");
  portAicWrite = get("timing.port.aic_write_bytes_per_cycle");
  portAivWrite = get("timing.port.aiv_write_bytes_per_cycle");
  portFixpipe = get("timing.port.fixpipe_write_bytes_per_cycle");
  missAic = rate("timing.miss.aic_gbps");
  missAiv = rate("timing.miss.aiv_gbps");
  dmaIssue = get("timing.dma.issue_cycles");
  rowBurstHit = get("timing.dma.row_burst_hit_cycles");
  rowBurstMiss = get("timing.dma.row_burst_miss_cycles");
  aicBaseUs = get("timing.launch.aic_base_us");
  aicFullUs = get("timing.launch.aic_full_us");
  aivBaseUs = get("timing.launch.aiv_base_us");
  aivFullUs = get("timing.launch.aiv_full_us");
  mixBaseUs = get("timing.launch.mix_extra_base_us");
  mixFullUs = get("timing.launch.mix_extra_full_us");
  blockDispatch = get("timing.launch.block_dispatch_cycles");
  skewUs = get("timing.launch.skew_us");
  aicCount = chip.aicCount;
  aivCount = chip.aicCount * chip.aivPerAic;
  crossCoreLimit = chip.crossCoreCounterLimit;
}

double EngineConstants::launchMicroseconds(KernelType type,
                                           uint32_t blockDim) const {
  // Linear between one core and all cores of the type.
  auto line = [](double base, double full, uint32_t used, uint32_t cores) {
    if (cores <= 1)
      return base;
    double share = static_cast<double>(std::min(used, cores) - 1) / (cores - 1);
    return base + (full - base) * share;
  };
  if (blockDim == 0)
    return 0;
  switch (type) {
  case KernelType::AicOnly:
    return line(aicBaseUs, aicFullUs, blockDim, aicCount);
  case KernelType::AivOnly:
    return line(aivBaseUs, aivFullUs, blockDim, aivCount);
  case KernelType::Mix12:
    return line(aicBaseUs, aicFullUs, blockDim, aicCount) +
           line(mixBaseUs, mixFullUs, blockDim, aicCount);
  }
  return 0;
}
