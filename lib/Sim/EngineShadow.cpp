//===- EngineShadow.cpp - Shadow memory for the race checks ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/EngineShadow.h"

using namespace tilelang;
using namespace tilelang::sim;

/// Index of the segment that holds `offset`; splits it when it starts earlier.
/// `onSplit` fixes what the two halves may not share.
template <typename Page, typename OnSplit>
static size_t splitAt(Page &page, uint32_t offset, OnSplit &&onSplit) {
  if (offset >= kShadowPage)
    return page.size();
  size_t index = page.size();
  // Pages have few segments; accesses tend to walk upwards.
  if (index > 16) {
    size_t low = 0;
    while (low < index) {
      size_t middle = (low + index) / 2;
      if (page[middle].begin <= offset)
        low = middle + 1;
      else
        index = middle;
    }
  } else {
    while (page[index - 1].begin > offset)
      --index;
  }
  --index;
  if (page[index].begin == offset)
    return index;
  auto copy = page[index];
  copy.begin = static_cast<uint16_t>(offset);
  onSplit(copy);
  page.insert(page.begin() + index + 1, copy);
  return index + 1;
}

//===----------------------------------------------------------------------===//
// LocalShadow
//===----------------------------------------------------------------------===//

LocalShadow::LocalShadow(uint64_t bytes)
    : pages((bytes + kShadowPage - 1) / kShadowPage) {}

void LocalShadow::reset() {
  for (Page &page : pages)
    page.clear();
}

template <typename Visit>
void LocalShadow::visit(uint64_t begin, uint64_t end, Visit &&visit,
                        bool collapse) {
  while (begin < end) {
    size_t number = begin / kShadowPage;
    Page &page = pages[number];
    if (page.empty())
      page.emplace_back();
    uint64_t base = number * kShadowPage;
    uint32_t low = static_cast<uint32_t>(begin - base);
    uint32_t high =
        static_cast<uint32_t>(std::min<uint64_t>(end - base, kShadowPage));
    begin = base + high;
    if (page.size() == 1 && low == 0 && high == kShadowPage) {
      visit(page.front(), base, base + kShadowPage);
      continue;
    }
    auto onSplit = [](Segment &) {};
    size_t first = splitAt(page, low, onSplit);
    size_t last = splitAt(page, high, onSplit);
    for (size_t i = first; i != last; ++i) {
      uint32_t next = i + 1 == page.size() ? kShadowPage : page[i + 1].begin;
      visit(page[i], base + page[i].begin, base + next);
    }
    // A write leaves one history; after a read neighbours may have become
    // equal.
    if (collapse) {
      page.erase(page.begin() + first + 1, page.begin() + last);
      if (first && page[first - 1].sameHistory(page[first]))
        page.erase(page.begin() + first);
    } else if (page.size() > 1) {
      size_t kept = first ? first - 1 : 0;
      size_t stop = std::min(last + 1, page.size());
      size_t out = kept;
      for (size_t i = kept + 1; i != stop; ++i)
        if (!page[out].sameHistory(page[i]))
          page[++out] = page[i];
      page.erase(page.begin() + out + 1, page.begin() + stop);
    }
  }
}

void LocalShadow::read(uint64_t begin, uint64_t end, const Accessor &accessor,
                       const RaceHandler &onRace) {
  block = accessor.epoch.block;
  Mark mark{accessor.epoch.clock, accessor.epoch.site, accessor.epoch.order,
            accessor.epoch.thread};
  visit(
      begin, end,
      [&](Segment &segment, uint64_t low, uint64_t high) {
        if (segment.write.thread != 0xff) {
          Epoch writer{block, segment.write.clock, segment.write.site,
                       segment.write.order, segment.write.thread};
          if (!accessor.knows(writer))
            onRace({RaceKind::ReadAfterWrite, writer, low, high});
        }
        // Reuse the slot of this thread, else a free one; four pipes at most
        // read any memory, so one is always found.
        unsigned slot = 0;
        while (slot + 1 != kReaders && segment.reads[slot].thread != 0xff &&
               segment.reads[slot].thread != mark.thread)
          ++slot;
        segment.reads[slot] = mark;
      },
      /*collapse=*/false);
}

void LocalShadow::write(uint64_t begin, uint64_t end, const Accessor &accessor,
                        const RaceHandler &onRace) {
  block = accessor.epoch.block;
  Mark mark{accessor.epoch.clock, accessor.epoch.site, accessor.epoch.order,
            accessor.epoch.thread};
  visit(
      begin, end,
      [&](Segment &segment, uint64_t low, uint64_t high) {
        if (segment.write.thread != 0xff) {
          Epoch writer{block, segment.write.clock, segment.write.site,
                       segment.write.order, segment.write.thread};
          if (!accessor.knows(writer))
            onRace({RaceKind::WriteAfterWrite, writer, low, high});
        }
        for (Mark &read : segment.reads) {
          if (read.thread == 0xff)
            break;
          Epoch reader{block, read.clock, read.site, read.order, read.thread};
          if (!accessor.knows(reader))
            onRace({RaceKind::WriteAfterRead, reader, low, high});
          read = Mark();
        }
        segment.write = mark;
      },
      /*collapse=*/true);
}

//===----------------------------------------------------------------------===//
// GlobalShadow
//===----------------------------------------------------------------------===//

GlobalShadow::GlobalShadow(uint64_t bytes)
    : pages((bytes + kShadowPage - 1) / kShadowPage) {}

uint32_t GlobalShadow::allocate(const Epoch &epoch, uint32_t next) {
  if (freeNodes == kNone) {
    nodes.push_back({epoch, next});
    return static_cast<uint32_t>(nodes.size() - 1);
  }
  uint32_t index = freeNodes;
  freeNodes = nodes[index].next;
  nodes[index] = {epoch, next};
  return index;
}

void GlobalShadow::release(uint32_t &list) {
  while (list != kNone) {
    uint32_t next = nodes[list].next;
    nodes[list].next = freeNodes;
    freeNodes = list;
    list = next;
  }
}

uint32_t GlobalShadow::clone(uint32_t list) {
  uint32_t head = kNone;
  while (list != kNone) {
    head = allocate(nodes[list].epoch, head);
    list = nodes[list].next;
  }
  return head;
}

template <typename Visit>
void GlobalShadow::visit(uint64_t begin, uint64_t end, Visit &&visit,
                         bool collapse) {
  while (begin < end) {
    size_t number = begin / kShadowPage;
    Page &page = pages[number];
    if (page.empty())
      page.push_back({});
    uint64_t base = number * kShadowPage;
    uint32_t low = static_cast<uint32_t>(begin - base);
    uint32_t high =
        static_cast<uint32_t>(std::min<uint64_t>(end - base, kShadowPage));
    begin = base + high;
    auto onSplit = [&](Segment &half) {
      half.writes = clone(half.writes);
      half.reads = clone(half.reads);
    };
    size_t first = splitAt(page, low, onSplit);
    size_t last = splitAt(page, high, onSplit);
    for (size_t i = first; i != last; ++i) {
      uint32_t next = i + 1 == page.size() ? kShadowPage : page[i + 1].begin;
      visit(page[i], base + page[i].begin, base + next);
    }
    if (collapse && last - first > 1) {
      for (size_t i = first + 1; i != last; ++i) {
        release(page[i].writes);
        release(page[i].reads);
      }
      page.erase(page.begin() + first + 1, page.begin() + last);
    }
  }
}

void GlobalShadow::addReader(Segment &segment, const Accessor &accessor) {
  unsigned count = 0;
  for (uint32_t i = segment.reads; i != kNone; i = nodes[i].next, ++count) {
    // A reader that happened before this one is covered by it.
    if (nodes[i].epoch.sameThread(accessor.epoch) ||
        accessor.knows(nodes[i].epoch)) {
      nodes[i].epoch = accessor.epoch;
      return;
    }
  }
  if (count >= kMaxReaders && !keepAll)
    return;
  segment.reads = allocate(accessor.epoch, segment.reads);
}

void GlobalShadow::read(uint64_t begin, uint64_t end, const Accessor &accessor,
                        const RaceHandler &onRace) {
  visit(
      begin, end,
      [&](Segment &segment, uint64_t low, uint64_t high) {
        for (uint32_t i = segment.writes; i != kNone; i = nodes[i].next)
          if (!accessor.knows(nodes[i].epoch))
            onRace({RaceKind::ReadAfterWrite, nodes[i].epoch, low, high});
        addReader(segment, accessor);
      },
      /*collapse=*/false);
}

void GlobalShadow::write(uint64_t begin, uint64_t end, bool atomic,
                         const Accessor &accessor, const RaceHandler &onRace) {
  visit(
      begin, end,
      [&](Segment &segment, uint64_t low, uint64_t high) {
        for (uint32_t i = segment.reads; i != kNone; i = nodes[i].next)
          if (!accessor.knows(nodes[i].epoch))
            onRace({RaceKind::WriteAfterRead, nodes[i].epoch, low, high});
        release(segment.reads);
        if (!(atomic && segment.atomic)) {
          for (uint32_t i = segment.writes; i != kNone; i = nodes[i].next)
            if (!accessor.knows(nodes[i].epoch))
              onRace({RaceKind::WriteAfterWrite, nodes[i].epoch, low, high});
          release(segment.writes);
        } else {
          // Updates of several cores stay side by side; one that happened
          // before this is covered by it.
          for (uint32_t i = segment.writes; i != kNone; i = nodes[i].next)
            if (nodes[i].epoch.sameThread(accessor.epoch) ||
                accessor.knows(nodes[i].epoch)) {
              nodes[i].epoch = accessor.epoch;
              return;
            }
        }
        segment.atomic = atomic;
        segment.writes = allocate(accessor.epoch, segment.writes);
      },
      /*collapse=*/!atomic);
}
