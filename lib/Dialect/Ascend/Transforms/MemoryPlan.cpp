//===- MemoryPlan.cpp - Addresses of on-chip buffers ----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MemoryPlan.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::sync;

ChipMemory sync::chipMemoryOf(MemoryKind memory) {
  switch (memory) {
  case MemoryKind::L1:
    return ChipMemory::L1;
  case MemoryKind::L0A:
    return ChipMemory::L0A;
  case MemoryKind::L0B:
    return ChipMemory::L0B;
  case MemoryKind::L0C:
    return ChipMemory::L0C;
  case MemoryKind::BT:
    return ChipMemory::BT;
  case MemoryKind::FB:
    return ChipMemory::FB;
  case MemoryKind::UB:
    return ChipMemory::UB;
  case MemoryKind::GM:
    break;
  }
  llvm_unreachable("not an on-chip memory");
}

static Span spanOf(const PlacedBuffer &buffer, Sharing sharing) {
  if (sharing == Sharing::Temporaries && buffer.use->transferred)
    return buffer.use->outer;
  bool keepsLoop = buffer.versions > 1 ||
                   (sharing == Sharing::Loops && buffer.use->transferred);
  return keepsLoop ? buffer.use->wide : buffer.use->tight;
}

int64_t sync::placeBuffers(MutableArrayRef<PlacedBuffer> buffers,
                           const Chip &chip, MemoryKind memory,
                           Sharing sharing) {
  int64_t alignment = chip.alignment(chipMemoryOf(memory));
  SmallVector<PlacedBuffer *> order;
  for (PlacedBuffer &buffer : buffers)
    order.push_back(&buffer);
  if (sharing != Sharing::None)
    llvm::stable_sort(order, [](PlacedBuffer *a, PlacedBuffer *b) {
      return a->bytes() > b->bytes();
    });

  int64_t needed = 0;
  SmallVector<PlacedBuffer *> placed;
  for (PlacedBuffer *buffer : order) {
    // First fit: the lowest address that is free over the buffer's life.
    SmallVector<ByteRange> taken;
    for (PlacedBuffer *other : placed)
      if (sharing == Sharing::None ||
          spanOf(*buffer, sharing).overlaps(spanOf(*other, sharing)))
        taken.push_back({other->address, other->address + other->bytes()});
    llvm::sort(taken, [](const ByteRange &a, const ByteRange &b) {
      return a.begin < b.begin;
    });
    int64_t address = 0;
    for (const ByteRange &range : taken)
      if (range.begin < address + buffer->bytes())
        address =
            std::max<int64_t>(address, llvm::alignTo(range.end, alignment));
    buffer->address = address;
    placed.push_back(buffer);
    needed = std::max(needed, address + buffer->bytes());
  }
  return needed;
}
