//===- EngineAddressMap.h - Arguments as virtual addresses ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Kernels compute with host pointers. Timing and checks must not depend on
// where the host allocated an array, so each buffer argument also has a
// virtual address: in argument order, aligned, with gaps between buffers.
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_SIM_ENGINEADDRESSMAP_H
#define TILELANG_SIM_ENGINEADDRESSMAP_H

#include "tilelang/Sim/EngineInitialisation.h"
#include "tilelang/Sim/EngineShadow.h"
#include "tilelang/Sim/Simulator.h"

#include <memory>

namespace tilelang::sim {

/// One buffer argument, or several that overlap in host memory.
struct Region {
  std::string name;
  uint64_t host = 0;
  uint64_t address = 0; // virtual
  uint64_t bytes = 0;
  bool workspace = false;
  InitialisationMap initialised;
  std::unique_ptr<GlobalShadow> shadow; // only with checks

  bool contains(uint64_t virtualAddress) const {
    return virtualAddress >= address && virtualAddress < address + bytes;
  }
};

class AddressMap {
public:
  /// Returns false and fills `error` for a null or unusable buffer.
  bool build(const std::vector<LaunchArgument> &arguments, bool checks,
             std::string &error);
  /// The region a host address lies in; its end belongs to it, so that an
  /// empty access there has an address. Null when there is none.
  Region *findHost(uint64_t host);
  Region *findVirtual(uint64_t address);
  uint64_t toHost(const Region &region, uint64_t address) const {
    return region.host + (address - region.address);
  }
  std::vector<Region> &all() { return regions; }

private:
  std::vector<Region> regions;     // by virtual address
  std::vector<uint32_t> hostOrder; // by host address
  size_t lastHost = 0, lastVirtual = 0;
};

} // namespace tilelang::sim

#endif // TILELANG_SIM_ENGINEADDRESSMAP_H
