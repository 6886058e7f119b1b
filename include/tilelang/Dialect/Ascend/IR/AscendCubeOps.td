//===- AscendCubeOps.td - Instructions of the Cube core -*- tablegen -*-===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_DIALECT_ASCEND_IR_ASCENDCUBEOPS_TD
#define TILELANG_DIALECT_ASCEND_IR_ASCENDCUBEOPS_TD

include "tilelang/Dialect/Ascend/IR/AscendDialect.td"

def Ascend_Nd2NzOp : Ascend_Instruction<"nd2nz", "MTE2"> {
  let summary = "GM -> L1: a row-major matrix becomes fractals (DataCopy with Nd2NzParams)";
  let description = [{
    Reads `rows` x `columns` elements from element `offset` on, rows `stride`
    elements apart. The destination's row count gives the distance of its column
    blocks; rows beyond `rows` keep their contents, the last column block is
    filled with zeros.
  }];
  let arguments = (ins AnyMemRef:$source, Index:$offset, Index:$rows, Index:$columns,
                       Index:$stride, AnyStaticShapeMemRef:$destination);
  let assemblyFormat = [{
    $source `at` $offset `rows` $rows `columns` $columns `stride` $stride
    `to` $destination attr-dict `:` type($source) `to` type($destination)
  }];
}

class Ascend_LoadL0Op<string mnemonic, string text> : Ascend_Instruction<mnemonic, "MTE1"> {
  let summary = text;
  let description = [{
    Loads the part of the matrix in L1 that starts at logical row `m` (A) or
    `n` (B) `start` and at `kStart` and has `extent` x `kExtent` elements, rounded up to
    whole fractals. `transpose` says that L1 holds the operand with k along
    its rows for A ([K, M]) and with n along its rows for B ([N, K]).
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, Index:$start, Index:$kStart,
                       Index:$extent, Index:$kExtent, AnyStaticShapeMemRef:$destination,
                       UnitAttr:$transpose);
  let assemblyFormat = [{
    $source `at` `[` $start `,` $kStart `]` `extents` `[` $extent `,` $kExtent `]`
    `to` $destination attr-dict `:` type($source) `to` type($destination)
  }];
}
def Ascend_LoadL0AOp : Ascend_LoadL0Op<"load_l0a", "L1 -> L0A, the left operand of Mmad (LoadData)">;
def Ascend_LoadL0BOp : Ascend_LoadL0Op<"load_l0b", "L1 -> L0B, the right operand of Mmad (LoadData)">;

def Ascend_MmadOp : Ascend_Instruction<"mmad", "M"> {
  let summary = "L0C (+)= L0A x L0B (Mmad)";
  let description = [{
    `m` and `n` are rounded up to 16 when emitted (m = 1 would become a vector
    product); `k` is the true extent, the rest of the last fractal is ignored. Where
    `init` holds, L0C is not read.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$c, AnyStaticShapeMemRef:$a, AnyStaticShapeMemRef:$b,
                       Index:$m, Index:$n, Index:$k, I1:$init);
  let assemblyFormat = [{
    $c `,` $a `,` $b `extents` `[` $m `,` $n `,` $k `]` `init` $init attr-dict
    `:` type($c) `,` type($a) `,` type($b)
  }];
}

def Ascend_FixpipeOp : Ascend_Instruction<"fixpipe", "FIX"> {
  let summary = "L0C -> GM, row-major, rounding to the destination's type (Fixpipe)";
  let description = [{
    Stores `rows` x `columns` elements at element `offset`, rows `stride` apart.
    `productRows` is the m of the Mmads that wrote L0C: its column blocks are
    `ceil16(productRows)` rows apart (the API's srcStride). `atomic` adds to what
    the destination holds.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$source, AnyMemRef:$destination, Index:$offset,
                       Index:$rows, Index:$columns, Index:$stride, Index:$productRows,
                       UnitAttr:$relu, UnitAttr:$atomic);
  let assemblyFormat = [{
    $source `to` $destination `at` $offset `rows` $rows `columns` $columns `stride` $stride
    `product_rows` $productRows attr-dict `:` type($source) `to` type($destination)
  }];
}

def Ascend_ZeroL1Op : Ascend_Instruction<"zero_l1", "MTE2"> {
  let summary = "fills a tile in L1 with zeros (Fill with InitConstValueParams)";
  let description = [{
    In front of a load that fills a tile only in part, where what lies outside the
    tensor must read as zero.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$destination);
  let assemblyFormat = "$destination attr-dict `:` type($destination)";
}

def Ascend_ZeroL0Op : Ascend_Instruction<"zero_l0", "MTE1"> {
  let summary = "fills an L0A or L0B tile with zeros (Fill with InitConstValueParams)";
  let description = [{
    Used with `ascend.mmad ... init true` to clear an accumulator that no product
    writes, for example in front of a loop that may run zero times.
  }];
  let arguments = (ins AnyStaticShapeMemRef:$destination);
  let assemblyFormat = "$destination attr-dict `:` type($destination)";
}

#endif // TILELANG_DIALECT_ASCEND_IR_ASCENDCUBEOPS_TD
