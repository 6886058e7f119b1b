//===- PlaceRanges.cpp - L1, L0C or UB for each live range ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Conversion/TileToAscend/Passes.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilelang {
#define GEN_PASS_DEF_ASCENDPLACERANGES
#include "tilelang/Conversion/TileToAscend/Passes.h.inc"

namespace {

class PlaceRanges {
public:
  explicit PlaceRanges(func::FuncOp function) : function(function) {}

  LogicalResult run() {
    llvm::SmallVector<tile::AllocOp> allocs;
    function.walk([&](tile::AllocOp alloc) { allocs.push_back(alloc); });
    for (tile::AllocOp alloc : allocs)
      if (failed(place(alloc)))
        return failure();
    return success();
  }

private:
  /// An operation and the operand by which it reaches the buffer.
  struct Use {
    Operation *op;
    Value target;
  };

  static void collectUses(tile::AllocOp alloc, llvm::SmallVector<Use> &uses) {
    for (Operation *user : alloc.getBuffer().getUsers()) {
      auto region = dyn_cast<tile::RegionOp>(user);
      if (!region) {
        uses.push_back({user, alloc.getBuffer()});
        continue;
      }
      for (Operation *op : region.getRegion().getUsers())
        uses.push_back({op, region.getRegion()});
    }
  }

  static bool isVector(Operation *op) {
    auto unit = op->getAttrOfType<StringAttr>(kUnitAttr);
    return unit && unit.getValue() == "aiv";
  }

  void setMemory(tile::AllocOp alloc, ascend::MemoryKind memory) {
    alloc->setAttr(kMemoryAttr,
                   ascend::MemoryKindAttr::get(alloc.getContext(), memory));
  }

  LogicalResult place(tile::AllocOp alloc) {
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    auto scope = dyn_cast_or_null<tile::ScopeKindAttr>(type.getMemorySpace());
    if (scope && scope.getValue() == tile::ScopeKind::Var)
      return success();

    llvm::SmallVector<Use> uses;
    collectUses(alloc, uses);
    bool isOperand = false, isAccumulator = false;
    for (const Use &use : uses)
      if (auto gemm = dyn_cast<tile::GemmOp>(use.op)) {
        isAccumulator |= use.target == gemm.getC();
        isOperand |= use.target == gemm.getA() || use.target == gemm.getB();
      }
    if (isOperand)
      return placeOperand(alloc, uses);
    if (!isAccumulator) {
      setMemory(alloc, ascend::MemoryKind::UB);
      return success();
    }
    setMemory(alloc, ascend::MemoryKind::L0C);
    llvm::SmallVector<Use> vectorReaders;
    for (const Use &use : uses)
      if (isVector(use.op))
        vectorReaders.push_back(use);
    if (vectorReaders.empty())
      return success();
    return addTransfer(alloc, uses, vectorReaders);
  }

  /// An operand of products: in L1 where it is loaded from global memory; where
  /// vector code computes it, in UB, and through a workspace into L1 in front
  /// of each product.
  LogicalResult placeOperand(tile::AllocOp alloc, ArrayRef<Use> uses) {
    llvm::SmallVector<Operation *> writers;
    for (const Use &use : uses)
      if (isVector(use.op) && writes(use))
        writers.push_back(use.op);
    if (writers.empty()) {
      setMemory(alloc, ascend::MemoryKind::L1);
      return success();
    }
    setMemory(alloc, ascend::MemoryKind::UB);

    // One transfer for all products below the same operation.
    llvm::MapVector<Operation *, Value> loaded;
    for (const Use &use : uses) {
      auto gemm = dyn_cast<tile::GemmOp>(use.op);
      if (!gemm)
        continue;
      llvm::SmallVector<Operation *> ops = writers;
      ops.push_back(gemm);
      Block *block = tile::getCommonBlock(ops);
      Operation *position = block->findAncestorOpInBlock(*gemm);
      Value &operand = loaded[position];
      if (!operand)
        operand = transfer(alloc, position, gemm.getLoc());
      OpBuilder builder(gemm);
      tile::RegionOp region = tile::getRegionOp(use.target);
      IRMapping mapping;
      mapping.map(alloc.getBuffer(), operand);
      gemm->replaceUsesOfWith(use.target,
                              builder.clone(*region, mapping)->getResult(0));
    }
    return success();
  }

  static bool writes(const Use &use) {
    llvm::SmallVector<RegionAccess> accesses;
    cast<RegionAccessOpInterface>(use.op).getRegionAccesses(accesses);
    return llvm::any_of(accesses, [&](const RegionAccess &access) {
      return access.target == use.target && access.writes();
    });
  }

  /// Copies a tile of the Vector cores into a new tile in L1, in front of
  /// `position`.
  Value transfer(tile::AllocOp alloc, Operation *position, Location loc) {
    OpBuilder builder(alloc);
    auto workspace = cast<tile::AllocOp>(builder.clone(*alloc));
    workspace->setAttr(kWorkspaceAttr, builder.getI64IntegerAttr(nextId++));
    setMemory(workspace, ascend::MemoryKind::GM);
    auto operand = cast<tile::AllocOp>(builder.clone(*alloc));
    setMemory(operand, ascend::MemoryKind::L1);
    builder.setInsertionPoint(position);
    copyWhole(builder, loc, alloc.getBuffer(), workspace.getBuffer(), "aiv");
    copyWhole(builder, loc, workspace.getBuffer(), operand.getBuffer(), "aic");
    return operand.getBuffer();
  }

  static void copyWhole(OpBuilder &builder, Location loc, Value from, Value to,
                        StringRef unit) {
    Value source = tile::RegionOp::create(builder, loc, from);
    Value destination = tile::RegionOp::create(builder, loc, to);
    auto op = tile::CopyOp::create(builder, loc, source, destination);
    op->setAttr(kUnitAttr, builder.getStringAttr(unit));
  }

  LogicalResult addTransfer(tile::AllocOp alloc, ArrayRef<Use> uses,
                            ArrayRef<Use> vectorReaders) {
    llvm::SmallVector<Operation *> ops;
    for (const Use &use : uses)
      ops.push_back(use.op);
    Block *block = tile::getCommonBlock(ops);

    // All products first, then all vector code: the transfer stands between.
    Operation *firstReader = nullptr;
    for (const Use &reader : vectorReaders) {
      Operation *ancestor = block->findAncestorOpInBlock(*reader.op);
      if (!firstReader || ancestor->isBeforeInBlock(firstReader))
        firstReader = ancestor;
    }
    for (const Use &use : uses) {
      if (isVector(use.op))
        continue;
      Operation *ancestor = block->findAncestorOpInBlock(*use.op);
      bool writes = isa<tile::GemmOp, tile::FillOp>(use.op);
      if (writes && !ancestor->isBeforeInBlock(firstReader)) {
        InFlightDiagnostic diagnostic =
            vectorReaders.front().op->emitError()
            << "unsupported: " << tile::describeBuffer(alloc.getBuffer())
            << " is read by vector code while a T.gemm still accumulates into "
               "it; use the result after the last product";
        diagnostic.attachNote(use.op->getLoc()) << "accumulated here";
        return diagnostic;
      }
    }

    OpBuilder builder(alloc);
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    // The workspace holds the accumulator in its declared type: Fixpipe rounds
    // once, as the language says.
    auto workspace = cast<tile::AllocOp>(builder.clone(*alloc));
    workspace->setAttr(kWorkspaceAttr, builder.getI64IntegerAttr(nextId++));
    setMemory(workspace, ascend::MemoryKind::GM);
    auto vectorTile = cast<tile::AllocOp>(builder.clone(*alloc));
    setMemory(vectorTile, ascend::MemoryKind::UB);

    Type element = type.getElementType();
    if (!element.isF32() && !element.isF16() && !element.isBF16())
      return alloc.emitError()
             << "unsupported: " << tile::describeBuffer(alloc.getBuffer())
             << " of type " << element
             << " cannot pass from the Cube to the Vector cores";

    builder.setInsertionPoint(firstReader);
    Location loc = vectorReaders.front().op->getLoc();
    copyWhole(builder, loc, alloc.getBuffer(), workspace.getBuffer(), "aic");
    copyWhole(builder, loc, workspace.getBuffer(), vectorTile.getBuffer(),
              "aiv");

    for (const Use &reader : vectorReaders) {
      if (reader.target == alloc.getBuffer()) {
        reader.op->replaceUsesOfWith(reader.target, vectorTile.getBuffer());
        continue;
      }
      tile::RegionOp region = tile::getRegionOp(reader.target);
      builder.setInsertionPoint(reader.op);
      IRMapping mapping;
      mapping.map(alloc.getBuffer(), vectorTile.getBuffer());
      reader.op->replaceUsesOfWith(
          reader.target, builder.clone(*region, mapping)->getResult(0));
    }
    return success();
  }

  func::FuncOp function;
  int64_t nextId = 0;
};

struct PlaceRangesPass : impl::AscendPlaceRangesBase<PlaceRangesPass> {
  void runOnOperation() override {
    if (failed(PlaceRanges(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilelang
