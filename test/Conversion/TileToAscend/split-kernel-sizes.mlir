// RUN: tilelang-opt %s -pass-pipeline='builtin.module(func.func(ascend-assign-units,ascend-place-ranges),ascend-split-kernel{chip-directory=%chips},canonicalize,cse)' | FileCheck %s
// RUN: tilelang-opt %s -pass-pipeline='builtin.module(func.func(ascend-assign-units,ascend-place-ranges),ascend-split-kernel{chip-directory=%chips},canonicalize,cse,ascend-lower-vector,canonicalize,cse)' | FileCheck %s --check-prefix=LOWERED

// Run-time sizes are scalar parameters; a tensor's shape is an operation of the program
// until its copies are lowered. Grid and clipping follow the size.

// CHECK: ascend.kernel vector @main parameters ["X", "M"] blocks 48
// CHECK: aiv {
// CHECK-NEXT: ^bb0(%[[X:.*]]: memref<?xf32, #ascend.memory<gm>>, %[[M:.*]]: i32):
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[M]] : i32 to index
// CHECK: %[[T:.*]] = ascend.tensor %[[X]] sizes[%[[SIZE]]] strides[] : memref<?xf32, #ascend.memory<gm>> -> memref<?x64xf32, #ascend.memory<gm>>
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[SIZE]]
// CHECK: tile.region %[[T]][

// LOWERED-NOT: ascend.tensor
// LOWERED: ascend.load %[[X:.*]] at %{{.*}} rows %{{.*}} columns %c64 stride %c64 to %{{.*}} : memref<?xf32, #ascend.memory<gm>> to
func.func @main(%x: !tile.ptr<f32> {tile.name = "X"}, %m: i32 {tile.name = "M"}) {
  %size = arith.index_cast %m : i32 to index
  %X = tile.tensor %x, sizes [%size] strides [] {name = "X"} : !tile.ptr<f32> -> memref<?x64xf32, #tile.scope<global>>
  tile.kernel [%size] {
  ^bb0(%b: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %t = tile.alloc {name = "t"} : memref<8x64xf32, #tile.scope<fragment>>
    %row = arith.muli %b, %c8 : index
    %rx = tile.region %X[%row, %c0] sizes [] : memref<?x64xf32, #tile.scope<global>> -> !tile.region<8x64xf32>
    %rt = tile.region %t[%c0, %c0] sizes [] : memref<8x64xf32, #tile.scope<fragment>> -> !tile.region<8x64xf32>
    tile.copy %rx to %rt : !tile.region<8x64xf32> to !tile.region<8x64xf32>
    tile.copy %rt to %rx : !tile.region<8x64xf32> to !tile.region<8x64xf32>
  }
  return
}
