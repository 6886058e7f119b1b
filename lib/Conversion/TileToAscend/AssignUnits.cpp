//===- AssignUnits.cpp - Cube or Vector core for each tile operation ------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The role of a buffer decides: operands that come from global memory live on
// the Cube core's side and so do accumulators; everything else is vector work,
// operands that vector code computes included. Where a tile plays two roles the
// copy that fills it is made once for each.
//
//===----------------------------------------------------------------------===//

#include "tilelang/Conversion/TileToAscend/Passes.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilelang {
#define GEN_PASS_DEF_ASCENDASSIGNUNITS
#include "tilelang/Conversion/TileToAscend/Passes.h.inc"

namespace {

constexpr llvm::StringLiteral kCube = "aic";
constexpr llvm::StringLiteral kVector = "aiv";

bool isCopyFromGlobal(Operation *op) {
  auto copy = dyn_cast<tile::CopyOp>(op);
  return copy && !tile::isOnChip(copy.getSource());
}

/// What the operations of the kernel do with one on-chip buffer.
struct BufferUses {
  llvm::SmallVector<tile::GemmOp> operandOf;
  llvm::SmallVector<tile::GemmOp> accumulatorOf;
  llvm::SmallVector<Operation *> readers; // not gemm
  llvm::SmallVector<Operation *> writers; // not gemm
  bool isOperand() const { return !operandOf.empty(); }
  bool isAccumulator() const { return !accumulatorOf.empty(); }
  /// Operands come straight from global memory, or vector code computes them.
  bool isLoadedOperand() const {
    return isOperand() && llvm::all_of(writers, isCopyFromGlobal);
  }
};

class AssignUnits {
public:
  explicit AssignUnits(func::FuncOp function) : function(function) {}

  LogicalResult run() {
    collectUses();
    for (auto &[buffer, uses] : buffers)
      if (failed(checkRoles(buffer, uses)))
        return failure();
    duplicateSharedTiles();
    function.walk([&](Operation *op) {
      if (auto unit = unitOf(op); !unit.empty())
        op->setAttr(kUnitAttr, StringAttr::get(op->getContext(), unit));
    });
    return success();
  }

private:
  void collectUses() {
    buffers.clear();
    function.walk([&](RegionAccessOpInterface op) {
      llvm::SmallVector<RegionAccess> accesses;
      op.getRegionAccesses(accesses);
      for (const RegionAccess &access : accesses) {
        Value buffer = tile::getBuffer(access.target);
        if (!buffer || !tile::isOnChip(buffer))
          continue;
        BufferUses &uses = buffers[buffer];
        if (auto gemm = dyn_cast<tile::GemmOp>(op.getOperation())) {
          bool accumulator = access.target == gemm.getC();
          (accumulator ? uses.accumulatorOf : uses.operandOf).push_back(gemm);
          continue;
        }
        if (access.reads())
          uses.readers.push_back(op);
        if (access.writes())
          uses.writers.push_back(op);
      }
    });
  }

  LogicalResult checkRoles(Value buffer, BufferUses &uses) {
    std::string name = tile::describeBuffer(buffer);
    if (uses.isOperand() && uses.isAccumulator())
      return uses.operandOf.front().emitError()
             << "unsupported: " << name
             << " is the accumulator of one T.gemm and an operand of another; "
                "results of the Cube core cannot feed it without vector code";
    if (uses.isAccumulator())
      for (Operation *writer : uses.writers) {
        auto fill = dyn_cast<tile::FillOp>(writer);
        if (fill && isZero(fill.getValue()))
          continue;
        InFlightDiagnostic diagnostic =
            writer->emitError()
            << "unsupported: " << name
            << " accumulates a T.gemm and is also written by vector code in "
               "the same live range; the Cube core's accumulator can only be "
               "cleared there";
        diagnostic.attachNote(uses.accumulatorOf.front().getLoc())
            << "accumulated here";
        return diagnostic;
      }
    return success();
  }

  static bool isZero(Value value) {
    Operation *op = value.getDefiningOp();
    auto constant = dyn_cast_or_null<arith::ConstantOp>(op);
    if (!constant)
      return false;
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return number.getValue().isZero();
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return number.getValue().isZero();
    return false;
  }

  /// An operand tile that vector code reads too becomes two tiles, each with
  /// its own copies from global memory: L1 and UB have no path between them.
  void duplicateSharedTiles() {
    bool changed = false;
    for (auto &[buffer, uses] : buffers) {
      if (!uses.isLoadedOperand() || uses.readers.empty())
        continue;
      auto alloc = buffer.getDefiningOp<tile::AllocOp>();
      if (!alloc)
        continue;
      OpBuilder builder(alloc);
      Value copy = builder.clone(*alloc)->getResult(0);
      auto retarget = [&](Operation *op, Value operand) {
        tile::RegionOp region = tile::getRegionOp(operand);
        builder.setInsertionPoint(op);
        IRMapping mapping;
        mapping.map(region.getBuffer(), copy);
        Value replacement = builder.clone(*region, mapping)->getResult(0);
        op->replaceUsesOfWith(operand, replacement);
      };
      for (Operation *writer : uses.writers) {
        builder.setInsertionPointAfter(writer);
        Operation *second = builder.clone(*writer);
        retarget(second, cast<tile::CopyOp>(second).getDestination());
      }
      for (Operation *reader : uses.readers)
        for (Value operand : llvm::to_vector(reader->getOperands())) {
          if (tile::getRegionOp(operand) && tile::getBuffer(operand) == buffer)
            retarget(reader, operand);
          else if (operand == buffer)
            reader->replaceUsesOfWith(operand, copy);
        }
      changed = true;
    }
    if (changed)
      collectUses();
  }

  const BufferUses *usesOf(Value target) {
    auto found = buffers.find(tile::getBuffer(target));
    return found == buffers.end() ? nullptr : &found->second;
  }

  /// Fixpipe stores an accumulator as float32, or rounded once to float16 or
  /// bfloat16; an accumulator declared narrower than float32 must be rounded
  /// to its own type first, so only a store of that type is direct.
  static bool fixpipeConverts(Type accumulator, Type stored) {
    if (accumulator == stored)
      return accumulator.isF32() || accumulator.isF16() || accumulator.isBF16();
    return accumulator.isF32() && (stored.isF16() || stored.isBF16());
  }

  StringRef unitOf(Operation *op) {
    if (isa<tile::GemmOp>(op))
      return kCube;
    if (isa<tile::MapOp, tile::ReduceOp>(op))
      return kVector;
    if (auto fill = dyn_cast<tile::FillOp>(op)) {
      const BufferUses *uses = usesOf(fill.getDestination());
      return uses && uses->isAccumulator() ? kCube : kVector;
    }
    if (auto copy = dyn_cast<tile::CopyOp>(op)) {
      if (const BufferUses *uses = usesOf(copy.getDestination());
          uses && uses->isLoadedOperand())
        return kCube;
      const BufferUses *uses = usesOf(copy.getSource());
      bool toGlobal = !tile::isOnChip(copy.getDestination());
      if (uses && uses->isAccumulator() && toGlobal &&
          fixpipeConverts(copy.getSource().getType().getElementType(),
                          copy.getDestination().getType().getElementType()))
        return kCube;
      return kVector;
    }
    // Single elements: on-chip ones belong to the Vector core; reads of global
    // memory are scalars that both programs may need. Inside a map they are
    // part of the map.
    if (op->getParentOfType<tile::MapOp>())
      return "";
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return elementUnit(load.getBuffer());
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      if (isVariable(store.getBuffer()))
        return "";
      return kVector;
    }
    return "";
  }

  static bool isVariable(Value buffer) {
    auto scope = dyn_cast_or_null<tile::ScopeKindAttr>(
        cast<MemRefType>(buffer.getType()).getMemorySpace());
    return scope && scope.getValue() == tile::ScopeKind::Var;
  }

  static StringRef elementUnit(Value buffer) {
    if (isVariable(buffer) || !tile::isOnChip(buffer))
      return "";
    return kVector;
  }

  func::FuncOp function;
  llvm::MapVector<Value, BufferUses> buffers;
};

struct AssignUnitsPass : impl::AscendAssignUnitsBase<AssignUnitsPass> {
  void runOnOperation() override {
    if (failed(AssignUnits(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilelang
