// RUN: tilelang-opt %s '-ascend-split-vector-work=chip-directory=%chips' --verify-diagnostics | FileCheck %s

#transpose = affine_map<(d0, d1) -> (d1, d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
!ws = memref<64x64xf32, #ascend.memory<gm>>
!tile = memref<64x64xf32, #ascend.memory<ub>>

// No dimension is common where a tile is transposed: the first Vector core does it all.
// CHECK: %[[CORE:.*]] = ascend.sub_block_idx
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[CORE]], %{{.*}}
// CHECK: scf.if %[[IS]] {
// CHECK: tile.copy
// CHECK: tile.map
// CHECK: tile.copy
// CHECK: }
ascend.kernel mixed @transposed parameters ["O"] blocks 1 aic {
^bb0(%o: !ws):
  ascend.end
} aiv {
^bb0(%o: !ws):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = ascend.workspace 0 "acc" : !ws
  %t = tile.alloc {name = "acc"} : !tile
  %u = tile.alloc {name = "turned"} : !tile
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %i = %first to %c1 step %step {
    %rw = tile.region %w[%c0, %c0] sizes [] : !ws -> !tile.region<64x64xf32>
    %rt = tile.region %t[%c0, %c0] sizes [] : !tile -> !tile.region<64x64xf32>
    %ru = tile.region %u[%c0, %c0] sizes [] : !tile -> !tile.region<64x64xf32>
    // expected-remark @+1 {{the vector work of this kernel runs on one of the two Vector cores of a block}}
    tile.copy %rw to %rt : !tile.region<64x64xf32> to !tile.region<64x64xf32>
    tile.map [64, 64] ins(%rt : !tile.region<64x64xf32>) outs(%ru : !tile.region<64x64xf32>) clip [] lower [] upper [] maps [#transpose, #id] {
    ^bb0(%x: f32):
      tile.yield %x : f32
    }
    %ro = tile.region %o[%c0, %c0] sizes [] : !ws -> !tile.region<64x64xf32>
    tile.copy %ru to %ro : !tile.region<64x64xf32> to !tile.region<64x64xf32>
  } {ascend.grid}
  ascend.end
}
