// RUN: tilelang-opt %s '-ascend-split-vector-work=chip-directory=%chips' --verify-diagnostics | FileCheck %s

!ws = memref<64x64xf32, #ascend.memory<gm>>
!tile = memref<64x64xf32, #ascend.memory<ub>>

// Rows of a tile that the program also accesses element by element are not dealt out:
// the first Vector core does it all.
// CHECK: %[[CORE:.*]] = ascend.sub_block_idx
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[CORE]], %{{.*}}
// CHECK: scf.if %[[IS]] {
// CHECK: tile.copy
// CHECK: tile.store
// CHECK: tile.copy
// CHECK: }
ascend.kernel mixed @elements parameters ["O"] blocks 1 aic {
^bb0(%o: !ws):
  ascend.end
} aiv {
^bb0(%o: !ws):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = ascend.workspace 0 "acc" : !ws
  %t = tile.alloc {name = "acc"} : !tile
  %zero = arith.constant 0.0 : f32
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %i = %first to %c1 step %step {
    %rw = tile.region %w[%c0, %c0] sizes [] : !ws -> !tile.region<64x64xf32>
    %rt = tile.region %t[%c0, %c0] sizes [] : !tile -> !tile.region<64x64xf32>
    // expected-remark @+1 {{the vector work of this kernel runs on one of the two Vector cores of a block}}
    tile.copy %rw to %rt : !tile.region<64x64xf32> to !tile.region<64x64xf32>
    tile.store %zero to %t[%c0, %c1] : f32 to !tile
    %ro = tile.region %o[%c0, %c0] sizes [] : !ws -> !tile.region<64x64xf32>
    tile.copy %rt to %ro : !tile.region<64x64xf32> to !tile.region<64x64xf32>
  } {ascend.grid}
  ascend.end
}
