// RUN: tilelang-opt %S/Inputs/corpus/gemm.mlir --ascend-multi-buffer | FileCheck %s --check-prefix=TWO
// RUN: tilelang-opt %S/Inputs/corpus/gemm_three.mlir --ascend-multi-buffer | FileCheck %s --check-prefix=THREE
// RUN: tilelang-opt %S/Inputs/corpus/gemm_single.mlir --ascend-multi-buffer | FileCheck %s --check-prefix=ONE
// RUN: tilelang-opt %S/Inputs/corpus/nested.mlir --ascend-multi-buffer | FileCheck %s --check-prefix=NESTED
// RUN: tilelang-opt %S/Inputs/corpus/barriers.mlir --ascend-multi-buffer | FileCheck %s --check-prefix=TEMPORARY
// RUN: tilelang-opt %S/Inputs/corpus/attention.mlir --ascend-multi-buffer | FileCheck %s --check-prefix=EXCHANGE
// RUN: tilelang-opt %s --ascend-multi-buffer | FileCheck %s

// Both memories of the loop rotate together; L0C does not fit twice.
// TWO: %[[RING:.*]] = ascend.ring 2 "stage"
// TWO-NOT: ascend.ring
// TWO: ascend.alloc "A_shared" {versions = 2 : i64}
// TWO: ascend.alloc "A_l0" {temporary, versions = 2 : i64}
// TWO: ascend.alloc "C_local" {ascend.wanted_versions = 2 : i64} : memref<128x256xf32
// TWO: scf.for
// TWO: scf.for
// TWO: ascend.view %{{.*}} slot %[[RING]]
// TWO: ascend.advance %[[RING]]
// TWO-NEXT: } {ascend.stages = 2 : i64}

// THREE: %[[L1:.*]] = ascend.ring 3 "stage"
// THREE: %[[L0:.*]] = ascend.ring 2 "slot"
// THREE: ascend.alloc "A_shared" {versions = 3 : i64}
// THREE: ascend.alloc "A_l0" {temporary, versions = 2 : i64}
// THREE: ascend.advance %[[L1]]
// THREE-NEXT: ascend.advance %[[L0]]

// One stage is taken literally.
// ONE: ascend.alloc "A_shared" : memref
// ONE: ascend.alloc "B_shared" : memref
// ONE: ascend.alloc "A_l0" {temporary, versions = 2 : i64}

// The sum is carried by the inner loop, so it rotates in the outer one.
// NESTED: %[[STAGE:.*]] = ascend.ring 2 "stage"
// NESTED: %[[BLOCK:.*]] = ascend.ring 2 "block_slot"
// NESTED: ascend.alloc "a_local" {versions = 2 : i64}
// NESTED: ascend.alloc "s_local" {versions = 2 : i64}
// NESTED: scf.for
// NESTED-NEXT: ascend.view %{{.*}} slot %[[BLOCK]]
// NESTED: ascend.advance %[[STAGE]]
// NESTED-NEXT: }
// NESTED: ascend.advance %[[BLOCK]]
// NESTED-NEXT: } {ascend.grid}

// Only vector instructions touch x and y.
// TEMPORARY: ascend.alloc "a_local" {versions = 2 : i64}
// TEMPORARY: ascend.alloc "x_local" : memref
// TEMPORARY: ascend.alloc "y_local" : memref

// Workspaces rotate in the loop that both programs have.
// EXCHANGE: aic
// EXCHANGE: ascend.workspace 0 "S_workspace" {versions = 3 : i64}
// EXCHANGE: scf.for
// EXCHANGE: scf.for
// EXCHANGE: ascend.view %{{.*}} slot %[[SLOT:.*]] : memref<128x64xf32, #ascend.memory<gm>>
// EXCHANGE: ascend.advance %[[SLOT]]
// EXCHANGE-NEXT: } {ascend.stages
// EXCHANGE: aiv
// EXCHANGE: ascend.workspace 0 "S_workspace" {versions = 3 : i64}

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// A view that was made outside the loop is made again for each slot.
// CHECK-LABEL: @views
// CHECK: scf.for
// CHECK-NEXT: %[[SLOT:.*]] = ascend.view %{{.*}} slot %{{.*}} : memref<2048xf32
// CHECK-NEXT: %[[PART:.*]] = ascend.view %[[SLOT]] offset %{{.*}} : memref<2048xf32
// CHECK: ascend.load %{{.*}} to %[[SLOT]]
// CHECK: ascend.unary Exp %[[PART]], %[[PART]] count 1024
ascend.kernel vector @views parameters ["A", "C"] blocks 48 aic {
^bb0(%A: memref<65536xf32, #gm>, %C: memref<65536xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<65536xf32, #gm>, %C: memref<65536xf32, #gm>):
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  %a = ascend.alloc "a" : memref<2048xf32, #ub>
  %half = ascend.view %a offset %c1024 : memref<2048xf32, #ub> -> memref<1024xf32, #ub>
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    %o = arith.muli %t, %c2048 : index
    ascend.load %A at %o rows %c1 columns %c2048 stride %c2048 to %a : memref<65536xf32, #gm> to memref<2048xf32, #ub>
    ascend.unary Exp %half, %half count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
    ascend.store %a to %C at %o rows %c1 columns %c2048 stride %c2048 : memref<2048xf32, #ub> to memref<65536xf32, #gm>
  } {ascend.grid}
  ascend.end
}

// Half of the buffer keeps what an earlier iteration of the inner loop wrote:
// it rotates in the outer loop only.
// CHECK-LABEL: @partly_carried
// CHECK: %[[RING:.*]] = ascend.ring 2 "block_slot"
// CHECK-NOT: ascend.ring
// CHECK: ascend.end
ascend.kernel vector @partly_carried parameters ["A", "C"] blocks 48 aic {
^bb0(%A: memref<65536xf32, #gm>, %C: memref<65536xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<65536xf32, #gm>, %C: memref<65536xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %c2048 = arith.constant 2048 : index
  %a = ascend.alloc "a" : memref<2048xf32, #ub>
  %half = ascend.view %a offset %c1024 : memref<2048xf32, #ub> -> memref<1024xf32, #ub>
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    scf.for %k = %c0 to %c8 step %c1 {
      %o = arith.muli %k, %c2048 : index
      ascend.load %A at %o rows %c1 columns %c1024 stride %c2048 to %half : memref<65536xf32, #gm> to memref<1024xf32, #ub>
      ascend.unary Exp %a, %a count 2048 : memref<2048xf32, #ub>, memref<2048xf32, #ub>
      ascend.store %a to %C at %o rows %c1 columns %c2048 stride %c2048 : memref<2048xf32, #ub> to memref<65536xf32, #gm>
    }
  } {ascend.grid}
  ascend.end
}

// Strided instructions write two of three groups of columns; the middle one
// keeps what was written before the inner loop.
// CHECK-LABEL: @columns_carried
// CHECK: ascend.ring 2 "block_slot"
// CHECK-NOT: ascend.ring
// CHECK: ascend.end
ascend.kernel vector @columns_carried parameters ["C"] blocks 48 aic {
^bb0(%C: memref<65536xf32, #gm>):
  ascend.end
} aiv {
^bb0(%C: memref<65536xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c3072 = arith.constant 3072 : index
  %zero = arith.constant 0.0 : f32
  %a = ascend.alloc "a" : memref<3072xf32, #ub>
  %right = ascend.view %a offset %c128 : memref<3072xf32, #ub> -> memref<2944xf32, #ub>
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    ascend.duplicate %a, %zero count 3072 : memref<3072xf32, #ub>, f32
    scf.for %k = %c0 to %c8 step %c1 {
      %o = arith.muli %k, %c3072 : index
      ascend.duplicate %a, %zero repeat <mask = 64, count = 16, dstBlock = 1, dstRepeat = 24, src0Block = 0, src0Repeat = 0, src1Block = 0, src1Repeat = 0> : memref<3072xf32, #ub>, f32
      ascend.duplicate %right, %zero repeat <mask = 64, count = 16, dstBlock = 1, dstRepeat = 24, src0Block = 0, src0Repeat = 0, src1Block = 0, src1Repeat = 0> : memref<2944xf32, #ub>, f32
      ascend.store %a to %C at %o rows %c1 columns %c3072 stride %c3072 : memref<3072xf32, #ub> to memref<65536xf32, #gm>
    }
  } {ascend.grid}
  ascend.end
}
