//===- LowerVector.cpp - Tile operations to vector instructions -----------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LowerReduce.h"
#include "VectorLowering.h"

#include "tilelang/Conversion/TileToAscendVector/VectorPasses.h"
#include "tilelang/Dialect/Ascend/IR/GlobalShape.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"

using namespace mlir;

namespace tilelang::vectorcore {

Value VectorContext::allocateScratch(Location location, Type element,
                                     int64_t elements) {
  // The smallest that is large enough, else the largest, which grows.
  auto sizeOf = [](const Scratch &entry) {
    return cast<MemRefType>(entry.storage.getType()).getNumElements();
  };
  Scratch *best = nullptr;
  for (Scratch &entry : scratch) {
    auto type = cast<MemRefType>(entry.storage.getType());
    if (entry.busy || type.getElementType() != element)
      continue;
    bool fits = sizeOf(entry) >= elements;
    bool bestFits = best && sizeOf(*best) >= elements;
    if (!best || (fits && !bestFits) ||
        (fits == bestFits && (sizeOf(entry) < sizeOf(*best)) == fits))
      best = &entry;
  }
  if (!best) {
    scratch.push_back({allocateTemporary(location, element, elements), true});
    return scratch.back().storage;
  }
  auto type = cast<MemRefType>(best->storage.getType());
  if (type.getNumElements() < elements)
    best->storage.setType(MemRefType::get({elements}, element, type.getLayout(),
                                          type.getMemorySpace()));
  best->busy = true;
  return best->storage;
}

Value VectorContext::constantBlock(Location location, TypedAttr constant,
                                   Lane lane) {
  Value &block = constants[{constant, static_cast<int>(lane)}];
  if (block)
    return block;
  Type element = laneType(constant.getContext(), lane);
  block = allocateTemporary(location, element, kStorageMultiple);
  OpBuilder builder(constant.getContext());
  builder.setInsertionPointAfter(allocationPoint);
  Value scalar = arith::ConstantOp::create(builder, location, constant);
  ascend::DuplicateOp::create(builder, location, block, scalar,
                              builder.getI64IntegerAttr(kStorageMultiple),
                              ascend::RepeatAttr());
  return block;
}

void VectorContext::releaseScratch() {
  for (Scratch &entry : scratch)
    entry.busy = false;
}

} // namespace tilelang::vectorcore

namespace tilelang {
#define GEN_PASS_DEF_ASCENDLOWERVECTOR
#include "tilelang/Conversion/TileToAscendVector/VectorPasses.h.inc"

namespace {

using namespace vectorcore;

/// Conversions of scalars outside of tile work.
LogicalResult lowerScalarCasts(Region &program) {
  SmallVector<tile::CastOp> casts;
  program.walk([&](tile::CastOp cast) {
    if (!cast->getParentOfType<tile::MapOp>())
      casts.push_back(cast);
  });
  for (tile::CastOp cast : casts) {
    OpBuilder builder(cast);
    Value result = lowerScalarCast(builder, cast, cast.getSource());
    if (!result)
      return cast.emitError()
             << "unsupported: the scalar unit has no conversion from "
             << cast.getSource().getType() << " to "
             << cast.getResult().getType();
    cast.getResult().replaceAllUsesWith(result);
    cast.erase();
  }
  return success();
}

class ProgramLowering {
public:
  explicit ProgramLowering(Region &program) : program(program) {}

  LogicalResult run() {
    if (failed(normalizeVectorWork(program)))
      return failure();
    context.layouts = TileLayouts(program);

    SmallVector<Operation *> work;
    program.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<tile::MapOp, tile::CopyOp, tile::ReduceOp, tile::LoadOp,
              tile::StoreOp>(op)) {
        work.push_back(op);
        return WalkResult::skip();
      }
      return WalkResult::advance();
    });
    // Decided before anything is lowered: it looks at all users of a tile.
    llvm::DenseSet<Operation *> zeroFilled;
    for (Operation *op : work)
      if (auto copy = dyn_cast<tile::CopyOp>(op))
        if (isLoad(copy) && observesOutside(copy))
          zeroFilled.insert(op);

    placeTiles();
    for (Operation *op : work) {
      context.releaseScratch();
      LogicalResult result = success();
      if (auto map = dyn_cast<tile::MapOp>(op))
        result = lowerMap(context, map);
      else if (auto copy = dyn_cast<tile::CopyOp>(op))
        result = lowerCopy(context, copy, zeroFilled.contains(op));
      else if (auto reduce = dyn_cast<tile::ReduceOp>(op))
        result = lowerReduce(context, reduce);
      else if (auto load = dyn_cast<tile::LoadOp>(op))
        lowerLoad(load);
      else
        result = lowerStore(cast<tile::StoreOp>(op));
      if (failed(result))
        return failure();
    }
    marker->erase();
    if (failed(lowerScalarCasts(program)))
      return failure();
    return removeTiles();
  }

private:
  static bool isLoad(tile::CopyOp copy) {
    return ascend::memoryOf(tile::getBuffer(copy.getSource())) ==
           ascend::MemoryKind::GM;
  }

  void placeTiles() {
    OpBuilder builder(program.getContext());
    builder.setInsertionPointToStart(&program.front());
    for (tile::AllocOp alloc :
         llvm::to_vector(program.getOps<tile::AllocOp>())) {
      auto type = cast<MemRefType>(alloc.getBuffer().getType());
      TileLayout layout = context.layouts.of(type);
      auto stored = MemRefType::get(
          layout.storageShape(), storageType(type.getElementType()),
          MemRefLayoutAttrInterface(), type.getMemorySpace());
      auto storage = ascend::AllocOp::create(builder, alloc.getLoc(), stored,
                                             alloc.getName(), /*versions=*/1,
                                             /*address=*/IntegerAttr());
      if (Attribute versions = alloc->getAttr(ascend::kTaskVersionsAttr))
        storage->setAttr(ascend::kTaskVersionsAttr, versions);
      context.storage[alloc.getBuffer()] = storage.getBuffer();
    }
    marker = arith::ConstantIndexOp::create(builder, program.getLoc(), 0);
    context.allocationPoint = marker;
  }

  void lowerLoad(tile::LoadOp load) {
    OpBuilder builder(load);
    Value value = readElement(builder, load.getLoc(), context, load.getBuffer(),
                              load.getIndices());
    load.getResult().replaceAllUsesWith(value);
    load.erase();
  }

  LogicalResult lowerStore(tile::StoreOp store) {
    if (store.getAtomic() &&
        failed(verifyAtomicAddition(store, store.getBuffer())))
      return failure();
    OpBuilder builder(store);
    writeElement(builder, store.getLoc(), context, store.getValue(),
                 store.getBuffer(), store.getIndices(), store.getAtomic());
    store.erase();
    return success();
  }

  LogicalResult removeTiles() {
    SmallVector<Operation *> dead;
    program.walk([&](Operation *op) {
      if (isa<tile::RegionOp, tile::AllocOp>(op))
        dead.push_back(op);
    });
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty())
        op->erase();
    WalkResult result = program.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<tile::TileDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitError() << "internal: '" << op->getName()
                      << "' is left in the program of the Vector core";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  Region &program;
  VectorContext context;
  Operation *marker = nullptr;
};

/// Scalars that the Cube core reads from tensors.
void lowerScalarLoads(Region &program) {
  VectorContext context;
  program.walk([&](tile::LoadOp load) {
    if (ascend::memoryOf(load.getBuffer()) != ascend::MemoryKind::GM)
      return;
    OpBuilder builder(load);
    Value value = readElement(builder, load.getLoc(), context, load.getBuffer(),
                              load.getIndices());
    load.getResult().replaceAllUsesWith(value);
    load.erase();
  });
}

struct LowerVectorPass : impl::AscendLowerVectorBase<LowerVectorPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<ascend::KernelOp>()) {
      lowerScalarLoads(kernel.getAic());
      if (failed(lowerScalarCasts(kernel.getAic())))
        return signalPassFailure();
      if (!llvm::hasSingleElement(kernel.getAiv().front()) &&
          failed(ProgramLowering(kernel.getAiv()).run()))
        return signalPassFailure();
      ascend::removeTensors(kernel.getAic());
      ascend::removeTensors(kernel.getAiv());
    }
  }
};

} // namespace
} // namespace tilelang
