//===- RegionAccessOpInterface.td - Which regions an operation touches -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_INTERFACES_REGIONACCESSOPINTERFACE_TD
#define TILELANG_INTERFACES_REGIONACCESSOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def RegionAccessOpInterface : OpInterface<"RegionAccessOpInterface"> {
  let cppNamespace = "::tilelang";
  let description = [{
    Implemented by every operation that reads or writes buffers, whatever the
    dialect. Dependences, live ranges and memory effects derive from it.
  }];
  let methods = [
    InterfaceMethod<[{
      Appends every access: the value that names the region (a `!tile.region`,
      or a memref that is accessed as a whole), and how it is accessed.
    }], "void", "getRegionAccesses",
    (ins "::llvm::SmallVectorImpl<::tilelang::RegionAccess> &":$accesses)>
  ];
}

#endif // TILELANG_INTERFACES_REGIONACCESSOPINTERFACE_TD
