//===- EngineL2Cache.cpp - Which bytes of global memory are in L2 ---------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/EngineL2Cache.h"

#include <algorithm>
#include <bit>

using namespace tilelang::sim;

L2Cache::L2Cache(uint64_t capacity, uint32_t sectorBytes, uint32_t panelBytes)
    : capacity(capacity), sectorBytes(sectorBytes),
      panelBytes(std::min(panelBytes, sectorBytes * kWords * 64)) {}

void L2Cache::unlink(uint32_t i) {
  Panel &panel = panels[i];
  (panel.previous == kNone ? head : panels[panel.previous].next) = panel.next;
  (panel.next == kNone ? tail : panels[panel.next].previous) = panel.previous;
}

void L2Cache::pushFront(uint32_t i) {
  panels[i].previous = kNone;
  panels[i].next = head;
  (head == kNone ? tail : panels[head].previous) = i;
  head = i;
}

uint32_t L2Cache::find(uint64_t number) {
  if (head != kNone && panels[head].number == number)
    return head;
  auto [entry, isNew] = index.try_emplace(number, 0);
  if (!isNew) {
    unlink(entry->second);
    pushFront(entry->second);
    return entry->second;
  }
  uint32_t i;
  if (freePanels.empty()) {
    i = static_cast<uint32_t>(panels.size());
    panels.emplace_back();
  } else {
    i = freePanels.back();
    freePanels.pop_back();
    panels[i] = Panel();
  }
  panels[i].number = number;
  entry->second = i;
  pushFront(i);
  return i;
}

void L2Cache::evict(uint32_t keep, Result &result) {
  while (used > capacity && tail != kNone && tail != keep) {
    uint32_t victim = tail;
    Panel &panel = panels[victim];
    for (unsigned word = 0; word != kWords; ++word) {
      used -= uint64_t(std::popcount(panel.present[word])) * sectorBytes;
      result.writeBackBytes +=
          uint64_t(std::popcount(panel.dirty[word])) * sectorBytes;
    }
    unlink(victim);
    index.erase(panel.number);
    freePanels.push_back(victim);
  }
}

uint64_t L2Cache::maskOf(uint32_t word, uint32_t first, uint32_t last) {
  uint64_t mask = ~uint64_t(0);
  if (word == first / 64)
    mask &= ~uint64_t(0) << (first % 64);
  if (word == last / 64)
    mask &= ~uint64_t(0) >> (63 - last % 64);
  return mask;
}

L2Cache::Result L2Cache::bypass(uint64_t begin, uint64_t end, bool write) {
  Result result;
  while (begin < end) {
    uint64_t number = begin / panelBytes;
    uint64_t stop = std::min(end, (number + 1) * panelBytes);
    uint32_t first = static_cast<uint32_t>((begin % panelBytes) / sectorBytes);
    uint32_t last =
        static_cast<uint32_t>((stop - 1 - number * panelBytes) / sectorBytes);
    uint64_t total = uint64_t(last - first + 1) * sectorBytes;
    uint64_t resident = 0;
    if (auto entry = index.find(number); entry != index.end()) {
      Panel &panel = panels[entry->second];
      for (uint32_t word = first / 64; word <= last / 64; ++word) {
        uint64_t present = maskOf(word, first, last) & panel.present[word];
        resident += uint64_t(std::popcount(present)) * sectorBytes;
        if (write)
          panel.dirty[word] |= present;
      }
    }
    result.hitBytes += write ? total : resident;
    result.missBytes += write ? 0 : total - resident;
    result.writeBackBytes += write ? total - resident : 0;
    begin = stop;
  }
  return result;
}

L2Cache::Result L2Cache::access(uint64_t begin, uint64_t end, bool write) {
  Result result;
  while (begin < end) {
    uint64_t number = begin / panelBytes;
    uint64_t stop = std::min(end, (number + 1) * panelBytes);
    uint32_t i = find(number);
    Panel &panel = panels[i];
    uint32_t first = static_cast<uint32_t>((begin % panelBytes) / sectorBytes);
    uint32_t last =
        static_cast<uint32_t>((stop - 1 - number * panelBytes) / sectorBytes);
    uint64_t newSectors = 0;
    for (uint32_t word = first / 64; word <= last / 64; ++word) {
      uint64_t mask = maskOf(word, first, last);
      newSectors += std::popcount(mask & ~panel.present[word]);
      panel.present[word] |= mask;
      if (write)
        panel.dirty[word] |= mask;
    }
    uint64_t total = uint64_t(last - first + 1) * sectorBytes;
    uint64_t fresh = newSectors * sectorBytes;
    result.missBytes += write ? 0 : fresh;
    result.hitBytes += write ? total : total - fresh;
    used += fresh;
    if (used > capacity)
      evict(i, result);
    begin = stop;
  }
  return result;
}
