// RUN: tilelang-opt %s --ascend-lower-vector --canonicalize --cse --split-input-file | FileCheck %s

// Elements that lie apart in the tensor go out by DMA, each from a block of its
// own: spread there by one instruction for 128 of them, or begun there already,
// or put there by the scalar unit.

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
!g = memref<300x5xf32, #gm>
!t = memref<300xf32, #ub>

// CHECK-LABEL: ascend.kernel vector @spread
// CHECK: %[[T:.*]] = ascend.alloc "t" : memref<384xf32
// CHECK: %[[BLOCKS:.*]] = ascend.alloc "temporary0" {temporary} : memref<1024xf32
// CHECK: %[[LAST:.*]] = ascend.alloc "temporary1" {temporary} : memref<384xf32
// CHECK: scf.for %[[START:.*]] = %c0 to %c256 step %c128 {
// CHECK: %[[PART:.*]] = ascend.view %[[T]] offset %[[START]] : {{.*}} -> memref<128xf32
// CHECK: ascend.broadcast %[[BLOCKS]], %[[PART]] count 128
// CHECK: %[[ROWS:.*]] = ascend.view %[[BLOCKS]] : {{.*}} -> memref<128x8xf32
// CHECK: ascend.store %[[ROWS]] to %{{.*}} at %{{.*}} rows %c128 columns %c1 stride %c5
// CHECK: ascend.broadcast %[[LAST]], %{{.*}} count 48
// CHECK: ascend.store %{{.*}} to %{{.*}} at %{{.*}} rows %c44 columns %c1 stride %c5
ascend.kernel vector @spread parameters ["G"] blocks 1 aic {
^bb0(%G: !g):
  ascend.end
} aiv {
^bb0(%G: !g):
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<300xf32>
  %rg = tile.region %G[%c0, %c2] sizes [] : !g -> !tile.region<300x1xf32>
  tile.copy %rt to %rg : !tile.region<300xf32> to !tile.region<300x1xf32>
  ascend.end
}

// -----

// The first column of a tile: each of its rows begins a block.

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
!g = memref<64x5xf32, #gm>
!t = memref<64x20xf32, #ub>

// CHECK-LABEL: ascend.kernel vector @rows
// CHECK: %[[T:.*]] = ascend.alloc "t" : memref<64x32xf32
// CHECK-NOT: ascend.broadcast
// CHECK: ascend.store %[[T]] to %{{.*}} at %{{.*}} rows %c64 columns %c1 stride %c5 {atomic}
ascend.kernel vector @rows parameters ["G"] blocks 1 aic {
^bb0(%G: !g):
  ascend.end
} aiv {
^bb0(%G: !g):
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<64x1xf32>
  %rg = tile.region %G[%c0, %c2] sizes [] : !g -> !tile.region<64x1xf32>
  tile.copy %rt to %rg {atomic} : !tile.region<64x1xf32> to !tile.region<64x1xf32>
  ascend.end
}

// -----

// Elements side by side that start inside a block become a row of their own.

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
!g = memref<64xf32, #gm>
!t = memref<64xf32, #ub>

// CHECK-LABEL: ascend.kernel vector @inside
// CHECK: %[[T:.*]] = ascend.alloc "t" : memref<128xf32
// CHECK: %[[ROW:.*]] = ascend.alloc "temporary0" {temporary} : memref<8xf32
// CHECK: scf.for %[[I:.*]] = %c0 to %c7 step %c1 {
// CHECK: %[[AT:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[X:.*]] = ascend.get_value %[[T]] at %[[AT]]
// CHECK: ascend.set_value %[[X]] to %[[ROW]] at %[[I]]
// CHECK: ascend.store %[[ROW]] to %{{.*}} at %c1 rows %c1 columns %c7 stride %c1
ascend.kernel vector @inside parameters ["G"] blocks 1 aic {
^bb0(%G: !g):
  ascend.end
} aiv {
^bb0(%G: !g):
  %c1 = arith.constant 1 : index
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c1] sizes [] : !t -> !tile.region<7xf32>
  %rg = tile.region %G[%c1] sizes [] : !g -> !tile.region<7xf32>
  tile.copy %rt to %rg : !tile.region<7xf32> to !tile.region<7xf32>
  ascend.end
}

// -----

// A single element, guarded by the tensor's size.

#gm = #ascend.memory<gm>
!g = memref<8xf32, #gm>

// CHECK-LABEL: ascend.kernel vector @single
// CHECK: %[[BLOCK:.*]] = ascend.alloc "temporary0" {temporary} : memref<8xf32
// CHECK: scf.if
// CHECK: ascend.set_value %{{.*}} to %[[BLOCK]] at %c0
// CHECK: ascend.store %[[BLOCK]] to %[[G:.*]] at %[[N:.*]] rows %c1 columns %c1 stride %c1 :
// CHECK: ascend.store %{{.*}} to %[[G]] at %c3 rows %c1 columns %c1 stride %c1 {atomic}
ascend.kernel vector @single parameters ["G", "n", "x"] blocks 1 aic {
^bb0(%G: !g, %n: index, %x: f32):
  ascend.end
} aiv {
^bb0(%G: !g, %n: index, %x: f32):
  %c3 = arith.constant 3 : index
  tile.store %x to %G[%n] : f32 to !g
  tile.store %x to %G[%c3] {atomic} : f32 to !g
  ascend.end
}
