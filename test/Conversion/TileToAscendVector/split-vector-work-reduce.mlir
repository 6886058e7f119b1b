// RUN: tilelang-opt %s -pass-pipeline='builtin.module(ascend-split-vector-work{chip-directory=%chips})' --split-input-file | FileCheck %s

// Reductions of rows are work on rows: they run in strips with what is around them.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!g = memref<256x1024xf32, #ascend.memory<gm>>
!t = memref<64x1024xf32, #ascend.memory<ub>>
!v = memref<64xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @rows
// CHECK: tile.alloc {name = "x"} : memref<8x1024xf32, #ascend.memory<ub>>
// CHECK: tile.alloc {name = "top"} : memref<8xf32, #ascend.memory<ub>>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.copy
// CHECK: tile.reduce max %{{.*}} into %{{.*}} dim 1 : <8x1024xf32> into <8xf32>
// CHECK: tile.map [8, 1024]
// CHECK: tile.copy
ascend.kernel vector @rows parameters ["x"] blocks 4 aic {
^bb0(%g: !g):
  ascend.end
} aiv {
^bb0(%g: !g):
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %x = tile.alloc {name = "x"} : !t
  %top = tile.alloc {name = "top"} : !v
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %b = %first to %c4 step %step {
    %row = arith.muli %b, %c64 : index
    %rg = tile.region %g[%row, %c0] sizes [] : !g -> !tile.region<64x1024xf32>
    %rx = tile.region %x[%c0, %c0] sizes [] : !t -> !tile.region<64x1024xf32>
    %rt = tile.region %top[%c0] sizes [] : !v -> !tile.region<64xf32>
    tile.copy %rg to %rx : !tile.region<64x1024xf32> to !tile.region<64x1024xf32>
    tile.reduce max %rx into %rt dim 1 : !tile.region<64x1024xf32> into !tile.region<64xf32>
    tile.map [64, 1024] ins(%rx, %rt : !tile.region<64x1024xf32>, !tile.region<64xf32>) outs(%rx : !tile.region<64x1024xf32>)
        clip [] lower [] upper [] maps [#id, #row, #id] {
    ^bb0(%a: f32, %m: f32):
      %d = arith.subf %a, %m : f32
      tile.yield %d : f32
    }
    tile.copy %rx to %rg : !tile.region<64x1024xf32> to !tile.region<64x1024xf32>
  } {ascend.grid}
  ascend.end
}

// -----

// A reduction across the rows needs all of them: whole tiles.

!g = memref<256x128xf32, #ascend.memory<gm>>
!h = memref<4x128xf32, #ascend.memory<gm>>
!t = memref<128x128xf32, #ascend.memory<ub>>
!v = memref<128xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @columns
// CHECK: tile.alloc {name = "x"} : memref<128x128xf32, #ascend.memory<ub>>
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tile.reduce sum %{{.*}} into %{{.*}} dim 0 : <128x128xf32> into <128xf32>
ascend.kernel vector @columns parameters ["x", "y"] blocks 2 aic {
^bb0(%g: !g, %h: !h):
  ascend.end
} aiv {
^bb0(%g: !g, %h: !h):
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  %x = tile.alloc {name = "x"} : !t
  %y = tile.alloc {name = "y"} : !v
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %b = %first to %c2 step %step {
    %row = arith.muli %b, %c128 : index
    %rg = tile.region %g[%row, %c0] sizes [] : !g -> !tile.region<128x128xf32>
    %rx = tile.region %x[%c0, %c0] sizes [] : !t -> !tile.region<128x128xf32>
    %ry = tile.region %y[%c0] sizes [] : !v -> !tile.region<128xf32>
    %rh = tile.region %h[%b, %c0] sizes [] : !h -> !tile.region<1x128xf32>
    tile.copy %rg to %rx : !tile.region<128x128xf32> to !tile.region<128x128xf32>
    tile.reduce sum %rx into %ry dim 0 : !tile.region<128x128xf32> into !tile.region<128xf32>
    tile.copy %ry to %rh : !tile.region<128xf32> to !tile.region<1x128xf32>
  } {ascend.grid}
  ascend.end
}
