//===- EngineConstants.h - Numbers of a chip the engine uses --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINECONSTANTS_H
#define TILELANG_SIM_ENGINECONSTANTS_H

#include "tilelang/Sim/Simulator.h"

namespace tilelang {
class Chip;
namespace sim {

/// The timing constants of the engine, read once per launch so that the event
/// loop does no lookups by name. Rates are bytes per core cycle.
struct EngineConstants {
  EngineConstants(const Chip &chip);

  double clockGHz;
  unsigned queueDepth;
  double issueCycles, syncCycles;
  double ubLoadCycles, ubStoreCycles, gmHitCycles, gmMissCycles, cleanCycles;
  uint32_t scalarLineBytes, scalarCacheBytesAic, scalarCacheBytesAiv;
  double flagDelay, crossCoreDelay;
  double hbmRead, hbmWrite, l2Read, l2Write, sameAddress, bypassSameAddress;
  double hbmRowBytes, bypassShortRow;
  uint64_t l2Capacity;
  uint32_t l2LineBytes, l2SectorBytes, l2PanelBytes;
  double portAicRead, portNd2Nz, portAivRead, portAicWrite, portAivWrite,
      portFixpipe;
  double missAic, missAiv;
  double dmaIssue, rowBurstHit, rowBurstMiss;
  double aicBaseUs, aicFullUs, aivBaseUs, aivFullUs, mixBaseUs, mixFullUs;
  double blockDispatch, skewUs;
  uint32_t aicCount, aivCount;
  uint32_t crossCoreLimit;

  double cyclesPerMicrosecond() const { return clockGHz * 1000.0; }
  /// Time between the start of the task and the mean start of its cores.
  double launchMicroseconds(KernelType type, uint32_t blockDim) const;
};

} // namespace sim
} // namespace tilelang

#endif // TILELANG_SIM_ENGINECONSTANTS_H
