// RUN: tilelang-opt %s '-ascend-split-vector-work=chip-directory=%chips' --canonicalize --cse --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
!ws = memref<128x128xf32, #ascend.memory<gm>>
!out = memref<1000x128xf32, #ascend.memory<gm>>
!bias = memref<128xf32, #ascend.memory<gm>>

// Two Vector cores share a block: each has 64 rows, which is one strip. The bias has no
// rows and stays whole.
// CHECK-LABEL: ascend.kernel mixed @halves
// CHECK: } aiv {
// CHECK-DAG: tile.alloc {name = "bias"} : memref<128xf32, #ascend.memory<ub>>
// CHECK-DAG: tile.alloc {name = "acc"} : memref<64x128xf32, #ascend.memory<ub>>
// CHECK: %[[CORE:.*]] = ascend.sub_block_idx
// CHECK: %[[FIRST:.*]] = arith.muli %[[CORE]], %c64
// CHECK: scf.for %[[B:.*]] =
// CHECK-NOT: scf.for
// CHECK: tile.copy %{{.*}} to %{{.*}} : <128xf32> to <128xf32>
// CHECK: tile.region %{{.*}}[%[[FIRST]], %c0] sizes[] : memref<128x128xf32, #ascend.memory<gm>> -> <64x128xf32>
// CHECK: tile.copy
// CHECK: tile.map [64, 128]
// CHECK: %[[OFFSET:.*]] = arith.addi %{{.*}}, %[[FIRST]]
// CHECK: tile.region %{{.*}}[%[[OFFSET]], %c0] sizes[] : memref<1000x128xf32, #ascend.memory<gm>> -> <64x128xf32>
ascend.kernel mixed @halves parameters ["bias", "O"] blocks 8 aic {
^bb0(%b: !bias, %o: !out):
  ascend.end
} aiv {
^bb0(%b: !bias, %o: !out):
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %w = ascend.workspace 0 "acc" : !ws
  %bt = tile.alloc {name = "bias"} : memref<128xf32, #ascend.memory<ub>>
  %t = tile.alloc {name = "acc"} : memref<128x128xf32, #ascend.memory<ub>>
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %i = %first to %c8 step %step {
    %rb = tile.region %b[%c0] sizes [] : !bias -> !tile.region<128xf32>
    %rbt = tile.region %bt[%c0] sizes [] : memref<128xf32, #ascend.memory<ub>> -> !tile.region<128xf32>
    tile.copy %rb to %rbt : !tile.region<128xf32> to !tile.region<128xf32>
    %rw = tile.region %w[%c0, %c0] sizes [] : !ws -> !tile.region<128x128xf32>
    %rt = tile.region %t[%c0, %c0] sizes [] : memref<128x128xf32, #ascend.memory<ub>> -> !tile.region<128x128xf32>
    tile.copy %rw to %rt : !tile.region<128x128xf32> to !tile.region<128x128xf32>
    tile.map [128, 128] ins(%rt, %rbt : !tile.region<128x128xf32>, !tile.region<128xf32>) outs(%rt : !tile.region<128x128xf32>) clip [] lower [] upper [] maps [#id, #col, #id] {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tile.yield %z : f32
    }
    %m = arith.muli %i, %c128 : index
    %ro = tile.region %o[%m, %c0] sizes [] : !out -> !tile.region<128x128xf32>
    tile.copy %rt to %ro : !tile.region<128x128xf32> to !tile.region<128x128xf32>
  } {ascend.grid}
  ascend.end
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
!ws = memref<33x512xf32, #ascend.memory<gm>>
!out = memref<33x512xf32, #ascend.memory<gm>>

// 33 rows: 17 and 16, in strips of at most 16 rows of 512. The last strip of each
// core has fewer rows; row indices count from the tile's first row.
// CHECK-LABEL: ascend.kernel mixed @odd
// CHECK: tile.alloc {name = "acc"} : memref<16x512xf32, #ascend.memory<ub>>
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c17
// CHECK: %[[REST:.*]] = arith.subi %c33, %[[FIRST]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[REST]], %c17
// CHECK: scf.for
// CHECK: scf.for %[[R:.*]] = %c0 to %[[COUNT]] step %c16 {
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[R]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[COUNT]], %[[R]]
// CHECK: %[[VALID:.*]] = arith.minsi %[[LEFT]], %c16
// CHECK: tile.region %{{.*}}[%[[ROW]], %c0] sizes[%[[VALID]]] : {{.*}} -> <?x512xf32>
// CHECK: tile.map [16, 512]
// CHECK: %[[I:.*]] = tile.index 0
// CHECK: arith.addi %[[I]], %[[ROW]]
ascend.kernel mixed @odd parameters ["O"] blocks 1 aic {
^bb0(%o: !out):
  ascend.end
} aiv {
^bb0(%o: !out):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = ascend.workspace 0 "acc" : !ws
  %t = tile.alloc {name = "acc"} : memref<33x512xf32, #ascend.memory<ub>>
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %i = %first to %c1 step %step {
    %rw = tile.region %w[%c0, %c0] sizes [] : !ws -> !tile.region<33x512xf32>
    %rt = tile.region %t[%c0, %c0] sizes [] : memref<33x512xf32, #ascend.memory<ub>> -> !tile.region<33x512xf32>
    tile.copy %rw to %rt : !tile.region<33x512xf32> to !tile.region<33x512xf32>
    tile.map [33, 512] ins(%rt : !tile.region<33x512xf32>) outs(%rt : !tile.region<33x512xf32>) clip [] lower [] upper [] maps [#id, #id] {
    ^bb0(%x: f32):
      %row = tile.index 0
      %word = arith.index_cast %row : index to i32
      %number = arith.sitofp %word : i32 to f32
      %z = arith.mulf %x, %number : f32
      tile.yield %z : f32
    }
    %ro = tile.region %o[%c0, %c0] sizes [] : !out -> !tile.region<33x512xf32>
    tile.copy %rt to %ro : !tile.region<33x512xf32> to !tile.region<33x512xf32>
  } {ascend.grid}
  ascend.end
}

// -----

!in = memref<65536xf16, #ascend.memory<gm>>

// A vector kernel's tile that is too long for one go is worked on in strips; loading and
// converting share them.
// CHECK-LABEL: ascend.kernel vector @long
// CHECK-DAG: tile.alloc {name = "x"} : memref<8192xf32, #ascend.memory<ub>>
// CHECK-DAG: tile.alloc {name = "x"} : memref<8192xf16, #ascend.memory<ub>>
// CHECK: scf.for
// CHECK: scf.for %[[R:.*]] = %c0 to %c65536 step %c8192 {
// CHECK: tile.copy %{{.*}} to %{{.*}} : <8192xf16> to <8192xf16>
// CHECK: tile.map [8192]
// CHECK: tile.map [8192]
// CHECK: tile.copy %{{.*}} to %{{.*}} : <8192xf16> to <8192xf16>
ascend.kernel vector @long parameters ["A"] blocks 1 aic {
^bb0(%a: !in):
  ascend.end
} aiv {
^bb0(%a: !in):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.alloc {name = "x"} : memref<65536xf32, #ascend.memory<ub>>
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %i = %first to %c1 step %step {
    %ra = tile.region %a[%c0] sizes [] : !in -> !tile.region<65536xf16>
    %rt = tile.region %t[%c0] sizes [] : memref<65536xf32, #ascend.memory<ub>> -> !tile.region<65536xf32>
    tile.copy %ra to %rt : !tile.region<65536xf16> to !tile.region<65536xf32>
    tile.copy %rt to %ra : !tile.region<65536xf32> to !tile.region<65536xf16>
  } {ascend.grid}
  ascend.end
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
!in = memref<4x64x64xf32, #ascend.memory<gm>>
!tile = memref<64x64xf32, #ascend.memory<ub>>

// A tile that fits stays whole, without a loop of strips.
// CHECK-LABEL: ascend.kernel vector @fits
// CHECK: tile.alloc {name = "x"} : memref<64x64xf32, #ascend.memory<ub>>
// CHECK: scf.for
// CHECK-NOT: scf.for
ascend.kernel vector @fits parameters ["A"] blocks 4 aic {
^bb0(%a: !in):
  ascend.end
} aiv {
^bb0(%a: !in):
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = tile.alloc {name = "x"} : !tile
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %i = %first to %c4 step %step {
    %ra = tile.region %a[%i, %c0, %c0] sizes [] : !in -> !tile.region<1x64x64xf32>
    %rt = tile.region %t[%c0, %c0] sizes [] : !tile -> !tile.region<64x64xf32>
    tile.copy %ra to %rt : !tile.region<1x64x64xf32> to !tile.region<64x64xf32>
    tile.copy %rt to %ra : !tile.region<64x64xf32> to !tile.region<1x64x64xf32>
  } {ascend.grid}
  ascend.end
}
