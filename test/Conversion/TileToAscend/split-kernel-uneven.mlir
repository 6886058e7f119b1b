// RUN: tilelang-opt %s -pass-pipeline='builtin.module(func.func(ascend-assign-units,ascend-place-ranges),ascend-split-kernel{chip-directory=%chips},canonicalize,cse)' --split-input-file | FileCheck %s

// Later blocks have more to do: cores get them back and forth, so that the last
// core of one round is the first of the next. The number stays inside the grid.
// CHECK-LABEL: ascend.kernel vector @grows
// CHECK: %[[CORES:.*]] = ascend.block_num
// CHECK: scf.for %[[N:.*]] = %{{.*}} to %c100 step %[[CORES]]
// CHECK: %[[ROUND:.*]] = arith.divui %[[N]], %[[CORES]]
// CHECK: %[[BASE:.*]] = arith.muli %[[ROUND]], %[[CORES]]
// CHECK: %[[LEFT:.*]] = arith.subi %c100, %[[BASE]]
// CHECK: %[[SHORT:.*]] = arith.cmpi slt, %[[LEFT]], %[[CORES]]
// CHECK: arith.select %[[SHORT]], %[[LEFT]], %[[CORES]]
// CHECK: arith.maxsi
// CHECK: %[[MIRRORED:.*]] = arith.minsi %{{.*}}, %c99
// CHECK: %[[ODD:.*]] = arith.cmpi eq
// CHECK: %[[BLOCK:.*]] = arith.select %[[ODD]], %[[MIRRORED]], %[[N]]
// CHECK: scf.for %{{.*}} = %c0 to %[[BLOCK]] step %c1
func.func @grows(%a: !tile.ptr<f32>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f32> -> memref<100x64xf32, #tile.scope<global>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  tile.kernel [%c100] {
  ^bb0(%bx: index):
    %t = tile.alloc {name = "t"} : memref<1x64xf32, #tile.scope<fragment>>
    tile.for pipelined %c0 to %bx step %c1 stages 2 {
    ^bb0(%k: index):
      %from = tile.region %A[%k, %c0] sizes [] : memref<100x64xf32, #tile.scope<global>> -> !tile.region<1x64xf32>
      %to = tile.region %t[%c0, %c0] sizes [] : memref<1x64xf32, #tile.scope<fragment>> -> !tile.region<1x64xf32>
      tile.copy %from to %to : !tile.region<1x64xf32> to !tile.region<1x64xf32>
      tile.yield
    }
    tile.yield
  }
  return
}

// -----

// With a block for each core there is nothing to balance.
// CHECK-LABEL: ascend.kernel vector @one_round
// CHECK: scf.for %[[N:.*]] = %{{.*}} to %c40 step
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %[[N]] step %c1
func.func @one_round(%a: !tile.ptr<f32>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f32> -> memref<100x64xf32, #tile.scope<global>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  tile.kernel [%c40] {
  ^bb0(%bx: index):
    %t = tile.alloc {name = "t"} : memref<1x64xf32, #tile.scope<fragment>>
    tile.for pipelined %c0 to %bx step %c1 stages 2 {
    ^bb0(%k: index):
      %from = tile.region %A[%k, %c0] sizes [] : memref<100x64xf32, #tile.scope<global>> -> !tile.region<1x64xf32>
      %to = tile.region %t[%c0, %c0] sizes [] : memref<1x64xf32, #tile.scope<fragment>> -> !tile.region<1x64xf32>
      tile.copy %from to %to : !tile.region<1x64xf32> to !tile.region<1x64xf32>
      tile.yield
    }
    tile.yield
  }
  return
}
