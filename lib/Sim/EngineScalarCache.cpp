//===- EngineScalarCache.cpp - Data cache of a scalar unit ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/EngineScalarCache.h"

#include <cstring>

using namespace tilelang::sim;

void ScalarCache::flush(Line &line, const WriteBack &writeBack) {
  if (!line.dirty)
    return;
  writeBack(line);
  // The whole line goes out, also the bytes this core did not write.
  std::memcpy(line.host, line.data.data(), line.bytes);
  line.dirty = 0;
  --dirtyLines;
}

void ScalarCache::clean(uint64_t address, const WriteBack &writeBack) {
  auto found = index.find(address / kLine * kLine);
  if (found == index.end())
    return;
  flush(*found->second, writeBack);
  lines.erase(found->second);
  index.erase(found);
}

void ScalarCache::cleanAll(const WriteBack &writeBack) {
  for (Line &line : lines)
    flush(line, writeBack);
  lines.clear();
  index.clear();
}
