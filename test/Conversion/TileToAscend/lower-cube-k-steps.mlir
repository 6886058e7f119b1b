// RUN: tilelang-opt %s -pass-pipeline='builtin.module(canonicalize,cse,func.func(ascend-assign-units,ascend-place-ranges),ascend-split-kernel{chip-directory=%chips},canonicalize,cse,loop-invariant-code-motion,ascend-lower-cube{chip-directory=%chips},canonicalize,cse)' | FileCheck %s

// A tile deeper than L0 holds twice is multiplied in k steps of 128.
// CHECK: memref<128x128xf16, #ascend.memory<l0a>>
// CHECK: memref<128x128xf16, #ascend.memory<l0b>>
// CHECK: scf.for %[[START:.*]] = %c0 to %c256 step %c128
// CHECK: ascend.load_l0a {{.*}} at[%c0, %[[START]]] extents[%{{.*}}, %c128]
// CHECK: ascend.load_l0b {{.*}} at[%c0, %[[START]]] extents[%{{.*}}, %c128]
// CHECK: ascend.mmad
func.func @main(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f16> -> memref<130x512xf16, #tile.scope<global>>
  %B = tile.tensor %b, sizes [] strides [] {name = "B"} : !tile.ptr<f16> -> memref<512x260xf16, #tile.scope<global>>
  %C = tile.tensor %c, sizes [] strides [] {name = "C"} : !tile.ptr<f32> -> memref<130x260xf32, #tile.scope<global>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 256 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  tile.kernel [%c3, %c2] {
  ^bb0(%bx: index, %by: index):
    %As = tile.alloc {name = "A_shared"} : memref<128x256xf16, #tile.scope<shared>>
    %Bs = tile.alloc {name = "B_shared"} : memref<256x128xf16, #tile.scope<shared>>
    %acc = tile.alloc {name = "C_local"} : memref<128x128xf32, #tile.scope<fragment>>
    %accr = tile.region %acc[%c0, %c0] sizes [] : memref<128x128xf32, #tile.scope<fragment>> -> !tile.region<128x128xf32>
    tile.fill %accr with %zero : !tile.region<128x128xf32>, f32
    tile.for pipelined %c0 to %c2 step %c1 stages 2 {
    ^bb0(%k: index):
      %m = arith.muli %by, %c128 : index
      %n = arith.muli %bx, %c128 : index
      %ko = arith.muli %k, %c32 : index
      %ar = tile.region %A[%m, %ko] sizes [] : memref<130x512xf16, #tile.scope<global>> -> !tile.region<128x256xf16>
      %asr = tile.region %As[%c0, %c0] sizes [] : memref<128x256xf16, #tile.scope<shared>> -> !tile.region<128x256xf16>
      tile.copy %ar to %asr : !tile.region<128x256xf16> to !tile.region<128x256xf16>
      %br = tile.region %B[%ko, %n] sizes [] : memref<512x260xf16, #tile.scope<global>> -> !tile.region<256x128xf16>
      %bsr = tile.region %Bs[%c0, %c0] sizes [] : memref<256x128xf16, #tile.scope<shared>> -> !tile.region<256x128xf16>
      tile.copy %br to %bsr : !tile.region<256x128xf16> to !tile.region<256x128xf16>
      tile.gemm %asr, %bsr into %accr clear %false : !tile.region<128x256xf16>, !tile.region<256x128xf16> into !tile.region<128x128xf32>
    }
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %cr = tile.region %C[%m, %n] sizes [] : memref<130x260xf32, #tile.scope<global>> -> !tile.region<128x128xf32>
    tile.copy %accr to %cr : !tile.region<128x128xf32> to !tile.region<128x128xf32>
  }
  return
}
