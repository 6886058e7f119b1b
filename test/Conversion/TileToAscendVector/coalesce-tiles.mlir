// RUN: tilelang-opt %s -pass-pipeline='builtin.module(ascend-split-vector-work{chip-directory=%chips})' --split-input-file | FileCheck %s

// A result takes the place of the operand that is dead after it; what is stored from a loaded tile does not.

#id = affine_map<(d0, d1) -> (d0, d1)>
!g = memref<64x128xf32, #ascend.memory<gm>>
!t = memref<64x128xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @chain
// CHECK: %[[X:.*]] = tile.alloc {name = "x"}
// CHECK-NOT: tile.alloc {name = "y"}
// CHECK: %[[Z:.*]] = tile.alloc {name = "z"}
// CHECK: %[[LOADED:.*]] = tile.region %[[X]]
// CHECK: %[[SUM:.*]] = tile.region %[[X]]
// CHECK: %[[PRODUCT:.*]] = tile.region %[[Z]]
// CHECK: tile.map {{.*}} ins(%[[LOADED]] {{.*}} outs(%[[SUM]]
// CHECK: tile.map {{.*}} ins(%[[SUM]] {{.*}} outs(%[[PRODUCT]]
ascend.kernel vector @chain parameters ["x"] blocks 1 aic {
^bb0(%g: !g):
  ascend.end
} aiv {
^bb0(%g: !g):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.alloc {name = "x"} : !t
  %y = tile.alloc {name = "y"} : !t
  %z = tile.alloc {name = "z"} : !t
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %b = %first to %c1 step %step {
    %rg = tile.region %g[%c0, %c0] sizes [] : !g -> !tile.region<64x128xf32>
    %rx = tile.region %x[%c0, %c0] sizes [] : !t -> !tile.region<64x128xf32>
    %ry = tile.region %y[%c0, %c0] sizes [] : !t -> !tile.region<64x128xf32>
    %rz = tile.region %z[%c0, %c0] sizes [] : !t -> !tile.region<64x128xf32>
    tile.copy %rg to %rx : !tile.region<64x128xf32> to !tile.region<64x128xf32>
    tile.map [64, 128] ins(%rx : !tile.region<64x128xf32>) outs(%ry : !tile.region<64x128xf32>)
        clip [] lower [] upper [] maps [#id, #id] {
    ^bb0(%a: f32):
      %d = arith.addf %a, %a : f32
      tile.yield %d : f32
    }
    tile.map [64, 128] ins(%ry : !tile.region<64x128xf32>) outs(%rz : !tile.region<64x128xf32>)
        clip [] lower [] upper [] maps [#id, #id] {
    ^bb0(%a: f32):
      %d = arith.mulf %a, %a : f32
      tile.yield %d : f32
    }
    tile.copy %rz to %rg : !tile.region<64x128xf32> to !tile.region<64x128xf32>
  } {ascend.grid}
  ascend.end
}

// -----

// An operand that is read again keeps its place, until it is read no more.

#id = affine_map<(d0, d1) -> (d0, d1)>
!g = memref<64x128xf32, #ascend.memory<gm>>
!t = memref<64x128xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @alive
// CHECK: tile.alloc {name = "x"}
// CHECK: tile.alloc {name = "y"}
ascend.kernel vector @alive parameters ["x"] blocks 1 aic {
^bb0(%g: !g):
  ascend.end
} aiv {
^bb0(%g: !g):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tile.alloc {name = "x"} : !t
  %y = tile.alloc {name = "y"} : !t
  %z = tile.alloc {name = "z"} : !t
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %b = %first to %c1 step %step {
    %rg = tile.region %g[%c0, %c0] sizes [] : !g -> !tile.region<64x128xf32>
    %rx = tile.region %x[%c0, %c0] sizes [] : !t -> !tile.region<64x128xf32>
    %ry = tile.region %y[%c0, %c0] sizes [] : !t -> !tile.region<64x128xf32>
    %rz = tile.region %z[%c0, %c0] sizes [] : !t -> !tile.region<64x128xf32>
    tile.copy %rg to %rx : !tile.region<64x128xf32> to !tile.region<64x128xf32>
    tile.map [64, 128] ins(%rx : !tile.region<64x128xf32>) outs(%ry : !tile.region<64x128xf32>)
        clip [] lower [] upper [] maps [#id, #id] {
    ^bb0(%a: f32):
      %d = arith.addf %a, %a : f32
      tile.yield %d : f32
    }
    tile.map [64, 128] ins(%rx, %ry : !tile.region<64x128xf32>, !tile.region<64x128xf32>) outs(%rz : !tile.region<64x128xf32>)
        clip [] lower [] upper [] maps [#id, #id, #id] {
    ^bb0(%a: f32, %b2: f32):
      %d = arith.mulf %a, %b2 : f32
      tile.yield %d : f32
    }
    tile.copy %rz to %rg : !tile.region<64x128xf32> to !tile.region<64x128xf32>
  } {ascend.grid}
  ascend.end
}
