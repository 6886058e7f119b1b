//===- VectorTile.cpp - How tiles lie in UB -------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorTile.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace tilelang::vectorcore {

static bool isByte(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getElementType().isIntOrFloat() &&
         memref.getElementType().getIntOrFloatBitWidth() <= 8;
}

TileLayouts::TileLayouts(Region &program) {
  bool hasBytes = false;
  for (Block &block : program)
    for (BlockArgument argument : block.getArguments())
      hasBytes |= isByte(argument.getType());
  program.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      hasBytes |= isByte(type);
  });
  if (hasBytes)
    pitchMultiple = 32;
}

int64_t TileLayouts::pitchOf(int64_t columns) const {
  // Wide rows take a larger multiple, so that few rows already make up whole
  // comparisons; the loss is at most a quarter.
  int64_t multiple = columns >= 512 ? 128 : columns >= 256 ? 64 : pitchMultiple;
  return llvm::alignTo(columns, multiple);
}

TileLayout TileLayouts::of(ArrayRef<int64_t> shape) const {
  TileLayout layout;
  layout.strides.assign(shape.size(), 0);
  SmallVector<unsigned> dimensions;
  for (auto [index, extent] : llvm::enumerate(shape))
    if (extent != 1)
      dimensions.push_back(index);
  if (dimensions.size() <= 1) {
    if (!dimensions.empty()) {
      layout.columns = shape[dimensions.front()];
      layout.strides[dimensions.front()] = 1;
    }
    layout.elements = layout.pitch =
        llvm::alignTo(layout.columns, kStorageMultiple);
    return layout;
  }
  layout.columns = shape[dimensions.back()];
  layout.pitch = pitchOf(layout.columns);
  layout.strides[dimensions.back()] = 1;
  int64_t stride = layout.pitch;
  for (unsigned dimension : llvm::reverse(ArrayRef(dimensions).drop_back())) {
    layout.strides[dimension] = stride;
    stride *= shape[dimension];
  }
  layout.rows = stride / layout.pitch;
  int64_t rowMultiple =
      kStorageMultiple / std::gcd(layout.pitch, kStorageMultiple);
  layout.elements = llvm::alignTo(layout.rows, rowMultiple) * layout.pitch;
  return layout;
}

TileLayout TileLayouts::of(MemRefType type) const {
  return of(type.getShape());
}

int64_t TileLayouts::bytes(MemRefType type) const {
  return of(type).elements * storageBytes(type.getElementType());
}

SmallVector<int64_t> TileLayout::storageShape() const {
  if (elements == pitch)
    return {elements};
  return {elements / pitch, pitch};
}

} // namespace tilelang::vectorcore
