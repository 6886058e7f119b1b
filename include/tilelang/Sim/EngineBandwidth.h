//===- EngineBandwidth.h - Shared bandwidth of global memory --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A transfer between a core and global memory is a flow with its own ceiling
// (port of the core, outstanding misses, row bursts). Flows that are active at
// the same moment share HBM, L2 and streams of equal lines as fluids; rates
// change whenever a flow starts or ends.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINEBANDWIDTH_H
#define TILELANG_SIM_ENGINEBANDWIDTH_H

#include "tilelang/Sim/EngineConstants.h"

#include <limits>

namespace tilelang::sim {

/// What a flow asks for. Rates are bytes per cycle.
struct FlowRequest {
  double bytes = 0;
  double ceiling = 0;
  /// Bytes of HBM reads and of write-backs per byte of the flow.
  double hbmReadShare = 0, hbmWriteShare = 0;
  bool write = false;
  /// Bytes of whole lines per byte of the flow: L2 delivers a line at a time.
  double l2Weight = 1;
  /// Flows of one non-zero number read the same lines, all of them together at
  /// most `streamCeiling`.
  uint64_t stream = 0;
  double streamCeiling = 0;
  uint32_t token = 0; // returned when the flow ends
};

class Bandwidth {
public:
  explicit Bandwidth(const EngineConstants &constants) : constants(constants) {}

  void start(double now, const FlowRequest &request);
  /// Time of the next end of a flow; infinity without flows.
  double nextEnd() {
    if (stale)
      recompute();
    return next;
  }
  /// Moves all flows to `now`, which is `nextEnd()`, and appends the tokens of
  /// those that end there, in order of their start.
  void finish(double now, std::vector<uint32_t> &tokens);

private:
  struct Flow {
    FlowRequest request;
    double remaining;
    double rate = 0;
  };
  void advance(double now);
  void recompute();
  template <typename Use> void share(double capacity, Use &&use);

  const EngineConstants &constants;
  std::vector<Flow> flows;
  std::vector<std::pair<double, double>> levels;      // scratch: rate, use
  std::vector<std::pair<uint64_t, uint32_t>> streams; // scratch
  double clock = 0;
  double next = std::numeric_limits<double>::infinity();
  bool stale = false;
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINEBANDWIDTH_H
