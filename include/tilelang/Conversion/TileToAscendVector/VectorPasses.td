//===- VectorPasses.td - From tile operations to the Vector core -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_CONVERSION_TILETOASCENDVECTOR_VECTORPASSES_TD
#define TILELANG_CONVERSION_TILETOASCENDVECTOR_VECTORPASSES_TD

include "mlir/Pass/PassBase.td"

def AscendStageGlobals : Pass<"ascend-stage-globals", "::mlir::func::FuncOp"> {
  let summary = "Give global operands of maps a tile on the chip";
  let description = [{
    A map that reads or writes a region of a tensor gets a tile of that shape, named after
    the tensor, and a copy in or out. Bounds that clip the map become the extents of the
    copied-out region. Copies between tensors and fills of tensors go through a
    tile too. Gathers (`tile.load` in a body) and strided outputs stay as they are.
  }];
  let dependentDialects = ["::tilelang::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

class AscendVectorPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::tilelang::ascend::AscendDialect", "::tilelang::tile::TileDialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def AscendSplitVectorWork : AscendVectorPass<"ascend-split-vector-work"> {
  let summary = "Deal the rows of vector work to both Vector cores, in strips that fit UB";
  let description = [{
    In mixed kernels the first Vector core of a block takes the first half of the rows of
    every tile, the second the rest. Rows of a core are worked on in strips of about 8192
    elements that fit UB with two versions of what is loaded and stored. Tiles
    without the common dimension stay whole, outside the strips.
  }];
  let options = [
    Option<"chip", "chip", "std::string", [{"ascend910b2"}], "chip whose UB bounds the strips">,
    Option<"chipDirectory", "chip-directory", "std::string", [{""}], "folder of the chip descriptions">
  ];
}

def AscendLowerVector : AscendVectorPass<"ascend-lower-vector"> {
  let summary = "Lower the Vector core's tile operations to instructions";
  let description = [{
    Maps become sequences of vector instructions on padded UB tiles, copies become DMA
    clipped to the tensor. What has no vector form runs as a scalar loop, with a remark.
  }];
}

#endif // TILELANG_CONVERSION_TILETOASCENDVECTOR_VECTORPASSES_TD
