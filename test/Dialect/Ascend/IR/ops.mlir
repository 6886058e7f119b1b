// Every operation of the ascend dialect survives printing and parsing.
// RUN: tilelang-opt %s | tilelang-opt | FileCheck %s
// Nothing that touches memory is removed, merged or moved.
// RUN: tilelang-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT

!gm = memref<256x256xf16, #ascend.memory<gm>>
!gm32 = memref<256x256xf32, #ascend.memory<gm>>
!l1 = memref<64x64xf16, #ascend.memory<l1>>
!l0a = memref<64x64xf16, #ascend.memory<l0a>>
!l0b = memref<64x64xf16, #ascend.memory<l0b>>
!l0c = memref<64x64xf32, #ascend.memory<l0c>>
!ub = memref<64x64xf32, #ascend.memory<ub>>
!ub16 = memref<64x64xf16, #ascend.memory<ub>>
!mask = memref<512xi8, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel mixed @everything parameters ["A", "C", "n", "x"] blocks 24 aic
ascend.kernel mixed @everything parameters ["A", "C", "n", "x"] blocks 24 aic {
^bb0(%A: !gm, %C: !gm32, %n: i32, %x: f32):
  // CHECK: ascend.alloc "A_shared" {address = 0 : i64, versions = 2 : i64} : memref<64x64xf16, #ascend.memory<l1>>
  // CHECK: ascend.alloc "a" {temporary} : memref<64x64xf16, #ascend.memory<l0a>>
  %A1 = ascend.alloc "A_shared" {versions = 2 : i64, address = 0 : i64} : !l1
  %a = ascend.alloc "a" {temporary} : !l0a
  %b = ascend.alloc "b" {temporary} : !l0b
  %c = ascend.alloc "c" : !l0c
  // CHECK: ascend.workspace 0 "c" {offset = 512 : i64, versions = 2 : i64} : memref<64x64xf32, #ascend.memory<gm>>
  %ws = ascend.workspace 0 "c" {versions = 2 : i64, offset = 512 : i64} : memref<64x64xf32, #ascend.memory<gm>>
  // CHECK: %[[RING:.*]] = ascend.ring 2 "k"
  %ring = ascend.ring 2 "k"
  %zero = arith.constant 0 : index
  %size = arith.constant 64 : index
  %stride = arith.constant 256 : index
  %init = arith.constant true
  // CHECK: ascend.block_idx
  // CHECK: ascend.block_num
  %block = ascend.block_idx
  %blocks = ascend.block_num
  // CHECK: ascend.view %{{.*}} slot %[[RING]] : memref<64x64xf16, #ascend.memory<l1>> -> memref<64x64xf16, #ascend.memory<l1>>
  %v = ascend.view %A1 slot %ring : !l1 -> !l1
  // CHECK: ascend.nd2nz %{{.*}} at %{{.*}} rows %{{.*}} columns %{{.*}} stride %{{.*}} to
  // KEPT: ascend.nd2nz
  // KEPT: ascend.nd2nz
  ascend.nd2nz %A at %zero rows %size columns %size stride %stride to %v : !gm to !l1
  ascend.nd2nz %A at %zero rows %size columns %size stride %stride to %v : !gm to !l1
  // CHECK: ascend.set_flag MTE2 to MTE1 id 0 slot %[[RING]] group 0
  // CHECK: ascend.wait_flag MTE2 to MTE1 id 0 slot %[[RING]] group 0
  // KEPT: ascend.set_flag
  // KEPT: ascend.wait_flag
  ascend.set_flag MTE2 to MTE1 id 0 slot %ring group 0
  ascend.wait_flag MTE2 to MTE1 id 0 slot %ring group 0
  // CHECK: ascend.zero_l0
  // KEPT: ascend.zero_l0
  ascend.zero_l0 %a : !l0a
  // CHECK: ascend.load_l0a %{{.*}} to %{{.*}} {transpose}
  // KEPT: ascend.load_l0a
  ascend.load_l0a %v at [%zero, %zero] extents [%size, %size] to %a {transpose} : !l1 to !l0a
  // CHECK: ascend.load_l0b
  // KEPT: ascend.load_l0b
  ascend.load_l0b %v at [%zero, %zero] extents [%size, %size] to %b : !l1 to !l0b
  // CHECK: ascend.mmad
  // KEPT: ascend.mmad
  ascend.mmad %c, %a, %b extents [%size, %size, %size] init %init : !l0c, !l0a, !l0b
  // CHECK: ascend.fixpipe
  // KEPT: ascend.fixpipe
  ascend.fixpipe %c to %ws at %zero rows %size columns %size stride %size product_rows %size {relu} : !l0c to memref<64x64xf32, #ascend.memory<gm>>
  // CHECK: ascend.cross_set FIX flag 3 group 1
  // KEPT: ascend.cross_set
  ascend.cross_set FIX flag 3 group 1
  // CHECK: ascend.advance %[[RING]]
  // KEPT: ascend.advance
  ascend.advance %ring
  ascend.end
} aiv {
^bb0(%A: !gm, %C: !gm32, %n: i32, %x: f32):
  %u = ascend.alloc "u" : !ub
  %w = ascend.alloc "w" : !ub
  %h = ascend.alloc "h" : !ub16
  %m = ascend.alloc "m" : !mask
  %column = ascend.alloc "column" : memref<64xf32, #ascend.memory<ub>>
  %wide = ascend.alloc "wide" : memref<64x8xf32, #ascend.memory<ub>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant 64 : index
  %stride = arith.constant 256 : index
  // CHECK: ascend.sub_block_idx
  %sub = ascend.sub_block_idx
  // CHECK: ascend.cross_wait flag 3 group 1
  // KEPT: ascend.cross_wait
  ascend.cross_wait flag 3 group 1
  // CHECK: ascend.load
  // KEPT: ascend.load
  ascend.load %C at %zero rows %size columns %size stride %stride to %u : !gm32 to !ub
  // CHECK: ascend.barrier V
  // KEPT: ascend.barrier
  ascend.barrier V
  // CHECK: ascend.unary Exp %{{.*}}, %{{.*}} count 4096 :
  // KEPT: ascend.unary
  ascend.unary Exp %u, %u count 4096 : !ub, !ub
  // CHECK: ascend.binary Add %{{.*}} repeat <mask = 64, count = 64, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 1> :
  // KEPT: ascend.binary
  ascend.binary Add %u, %u, %w repeat <mask = 64, count = 64, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 1> : !ub, !ub, !ub
  // CHECK: ascend.scalar Muls
  // KEPT: ascend.scalar
  ascend.scalar Muls %u, %u, %x count 4096 : !ub, !ub, f32
  // CHECK: ascend.cast Rint
  // KEPT: ascend.cast
  ascend.cast Rint %h, %u count 4096 : !ub16, !ub
  // CHECK: ascend.duplicate
  // KEPT: ascend.duplicate
  ascend.duplicate %w, %x count 4096 : !ub, f32
  // CHECK: ascend.compare LT
  // KEPT: ascend.compare
  ascend.compare LT %m, %u, %w count 4096 : !mask, !ub, !ub
  // CHECK: ascend.compare_scalar GE
  // KEPT: ascend.compare_scalar
  ascend.compare_scalar GE %m, %u, %x count 4096 : !mask, !ub, f32
  // CHECK: ascend.select
  // KEPT: ascend.select
  ascend.select %u, %m, %u, %w count 4096 : !ub, !mask, !ub, !ub
  // CHECK: ascend.broadcast
  // KEPT: ascend.broadcast
  ascend.broadcast %wide, %column count 64 : memref<64x8xf32, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>
  // CHECK: ascend.vector_index
  // KEPT: ascend.vector_index
  ascend.vector_index %column, %x count 64 : memref<64xf32, #ascend.memory<ub>>, f32
  // CHECK: ascend.get_value
  // KEPT: ascend.get_value
  %value = ascend.get_value %u at %one : !ub -> f32
  // CHECK: ascend.set_value
  // KEPT: ascend.set_value
  ascend.set_value %value to %u at %zero : f32 to !ub
  // A read after the write is another value.
  // KEPT: ascend.get_value
  // KEPT: ascend.set_value
  %again = ascend.get_value %u at %one : !ub -> f32
  ascend.set_value %again to %w at %zero : f32 to !ub
  // CHECK: ascend.store
  // KEPT: ascend.store
  ascend.store %u to %C at %zero rows %size columns %size stride %stride : !ub to !gm32
  // CHECK: ascend.end
  ascend.end
}
