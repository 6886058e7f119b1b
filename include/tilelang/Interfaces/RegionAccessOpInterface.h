//===- RegionAccessOpInterface.h - Which regions an operation touches -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_INTERFACES_REGIONACCESSOPINTERFACE_H
#define TILELANG_INTERFACES_REGIONACCESSOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilelang {

/// How a region is accessed. An accumulation reads and writes.
enum class RegionAccessKind { Read, Write, Accumulate };

struct RegionAccess {
  /// A `!tile.region` value or a memref accessed as a whole.
  mlir::Value target;
  RegionAccessKind kind;
  bool reads() const { return kind != RegionAccessKind::Write; }
  bool writes() const { return kind != RegionAccessKind::Read; }
};

} // namespace tilelang

#include "tilelang/Interfaces/RegionAccessOpInterface.h.inc"

namespace tilelang {

/// One access and the operation that makes it.
struct OperationAccess {
  mlir::Operation *operation;
  RegionAccess access;
};

/// Appends, in program order, the accesses of `operation` and of everything
/// inside it. An operation that implements the interface speaks for its own
/// regions, so what is nested in it is not visited again.
void collectAccessesRecursively(
    mlir::Operation *operation,
    llvm::SmallVectorImpl<OperationAccess> &accesses);

/// Appends the memory effects that follow from the region accesses of
/// `operation`: the body of `getEffects` for every operation that implements
/// both interfaces.
void addRegionAccessEffects(
    RegionAccessOpInterface operation,
    llvm::SmallVectorImpl<
        mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>
        &effects);

} // namespace tilelang

#endif // TILELANG_INTERFACES_REGIONACCESSOPINTERFACE_H
