//===- CheckInitialised.cpp - Reads of tiles that nothing has written -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// On-chip buffers start with whatever was left on the chip. A read is wrong for
// certain where no write of its buffer can come before it: none stands earlier
// in the program, and none follows in a loop around both. Writes count whatever
// part they cover and whatever decides about them; what only the run can tell
// is the simulator's to find.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Dialect/Tile/IR/TileOps.h"
#include "tilelang/Dialect/Tile/Transforms/Passes.h"
#include "tilelang/Interfaces/RegionAccessOpInterface.h"
#include "llvm/ADT/MapVector.h"

namespace tilelang::tile {
#define GEN_PASS_DEF_TILECHECKINITIALISED
#include "tilelang/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilelang::tile

using namespace mlir;
using namespace tilelang;
using namespace tilelang::tile;

namespace {

/// How one operation uses a buffer, and where it stands in the program.
struct Use {
  Operation *operation;
  unsigned position;
  bool reads, initialises;
};

} // namespace

static bool shareLoop(Operation *a, Operation *b) {
  for (auto loop = a->getParentOfType<ForOp>(); loop;
       loop = loop->getParentOfType<ForOp>())
    if (loop->isAncestor(b))
      return true;
  return false;
}

/// Adding to a buffer does not initialise it, unless the run may decide that
/// the sum starts there.
static bool initialises(Operation *op, RegionAccessKind kind) {
  if (kind == RegionAccessKind::Write)
    return true;
  auto gemm = dyn_cast<GemmOp>(op);
  return gemm && kind == RegionAccessKind::Accumulate &&
         !matchPattern(gemm.getClear(), m_Zero());
}

/// An accumulation whose start only the run knows counts as no read.
static bool readsForCertain(Operation *op, const RegionAccess &access) {
  return access.reads() && !(access.kind == RegionAccessKind::Accumulate &&
                             initialises(op, access.kind));
}

static LogicalResult checkBuffer(Value buffer, ArrayRef<Use> uses) {
  for (const Use &read : uses) {
    if (!read.reads)
      continue;
    bool mayBeWritten = llvm::any_of(uses, [&](const Use &write) {
      return write.initialises && (write.position < read.position ||
                                   shareLoop(write.operation, read.operation));
    });
    if (mayBeWritten)
      continue;
    auto gemm = dyn_cast<GemmOp>(read.operation);
    bool isSum = gemm && getBuffer(gemm.getC()) == buffer;
    InFlightDiagnostic error = read.operation->emitError();
    error << describeBuffer(buffer)
          << (isSum ? " is added to here, and nothing has written it before"
                    : " is read here, and nothing has written it before");
    if (isSum)
      error << "; clear it first: T.clear before the loop, or T.gemm(..., "
               "clear_accum=True) for the first product";
    else if (isa_and_nonnull<ScopeKindAttr>(
                 cast<MemRefType>(buffer.getType()).getMemorySpace()) &&
             getScope(buffer.getType()) == ScopeKind::Var)
      error << "; give it a value: T.alloc_var(dtype, init)";
    else
      error << "; write the whole tile before it is read: T.copy into it, "
               "T.clear or T.fill";
    if (Operation *allocation = getBufferDefinition(buffer))
      error.attachNote(allocation->getLoc())
          << describeBuffer(buffer) << " is allocated here";
    return failure();
  }
  return success();
}

namespace {

struct CheckInitialised
    : tilelang::tile::impl::TileCheckInitialisedBase<CheckInitialised> {
  void runOnOperation() override {
    llvm::MapVector<Value, SmallVector<Use>> uses;
    unsigned position = 0;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto interface = dyn_cast<RegionAccessOpInterface>(op);
      if (!interface)
        return;
      ++position;
      SmallVector<RegionAccess> accesses;
      interface.getRegionAccesses(accesses);
      for (const RegionAccess &access : accesses) {
        Value buffer = getBuffer(access.target);
        if (isa_and_nonnull<AllocOp>(getBufferDefinition(buffer)))
          uses[buffer].push_back({op, position, readsForCertain(op, access),
                                  initialises(op, access.kind)});
      }
    });
    bool hasFailed = false;
    for (auto &[buffer, own] : uses)
      hasFailed |= failed(checkBuffer(buffer, own));
    if (hasFailed)
      signalPassFailure();
  }
};

} // namespace
