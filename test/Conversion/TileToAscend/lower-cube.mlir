// RUN: tilelang-opt %s -pass-pipeline='builtin.module(canonicalize,cse,func.func(ascend-assign-units,ascend-place-ranges),ascend-split-kernel{chip-directory=%chips},canonicalize,cse,loop-invariant-code-motion,ascend-lower-cube{chip-directory=%chips},canonicalize,cse)' | FileCheck %s

// Extents that exist are computed once for each tile and used by loads, products
// and stores alike; clearing is the first product's init.
// CHECK: ascend.alloc "A_shared_l0a" {temporary} : memref<128x32xf16, #ascend.memory<l0a>>
// CHECK: ascend.alloc "B_shared_l0b" {temporary} : memref<32x128xf16, #ascend.memory<l0b>>
// CHECK: scf.for
// CHECK: arith.subi %c260
// CHECK-NEXT: %[[N:.*]] = arith.minsi %{{.*}}, %c128
// CHECK: arith.subi %c130
// CHECK-NEXT: %[[M:.*]] = arith.minsi %{{.*}}, %c128
// CHECK: scf.for %[[K:.*]] =
// CHECK: %[[DEPTH:.*]] = arith.minsi %{{.*}}, %c32
// CHECK: ascend.nd2nz %arg0 at {{.*}} rows %[[M]] columns %[[DEPTH]] stride %c65
// CHECK: ascend.nd2nz %arg1 at {{.*}} rows %[[DEPTH]] columns %[[N]] stride %c260
// CHECK: %[[INIT:.*]] = arith.cmpi eq, %[[K]], %c0
// CHECK: ascend.load_l0a {{.*}} extents[%[[M]], %[[DEPTH]]]
// CHECK: ascend.load_l0b {{.*}} extents[%[[N]], %[[DEPTH]]]
// CHECK: ascend.mmad {{.*}} extents[%[[M]], %[[N]], %[[DEPTH]]] init %[[INIT]]
// CHECK: ascend.fixpipe {{.*}} rows %[[M]] columns %[[N]] stride %c260 product_rows %[[M]]
func.func @main(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f16> -> memref<130x65xf16, #tile.scope<global>>
  %B = tile.tensor %b, sizes [] strides [] {name = "B"} : !tile.ptr<f16> -> memref<65x260xf16, #tile.scope<global>>
  %C = tile.tensor %c, sizes [] strides [] {name = "C"} : !tile.ptr<f32> -> memref<130x260xf32, #tile.scope<global>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  tile.kernel [%c3, %c2] {
  ^bb0(%bx: index, %by: index):
    %As = tile.alloc {name = "A_shared"} : memref<128x32xf16, #tile.scope<shared>>
    %Bs = tile.alloc {name = "B_shared"} : memref<32x128xf16, #tile.scope<shared>>
    %acc = tile.alloc {name = "C_local"} : memref<128x128xf32, #tile.scope<fragment>>
    %accr = tile.region %acc[%c0, %c0] sizes [] : memref<128x128xf32, #tile.scope<fragment>> -> !tile.region<128x128xf32>
    tile.fill %accr with %zero : !tile.region<128x128xf32>, f32
    tile.for pipelined %c0 to %c3 step %c1 stages 2 {
    ^bb0(%k: index):
      %m = arith.muli %by, %c128 : index
      %n = arith.muli %bx, %c128 : index
      %ko = arith.muli %k, %c32 : index
      %ar = tile.region %A[%m, %ko] sizes [] : memref<130x65xf16, #tile.scope<global>> -> !tile.region<128x32xf16>
      %asr = tile.region %As[%c0, %c0] sizes [] : memref<128x32xf16, #tile.scope<shared>> -> !tile.region<128x32xf16>
      tile.copy %ar to %asr : !tile.region<128x32xf16> to !tile.region<128x32xf16>
      %br = tile.region %B[%ko, %n] sizes [] : memref<65x260xf16, #tile.scope<global>> -> !tile.region<32x128xf16>
      %bsr = tile.region %Bs[%c0, %c0] sizes [] : memref<32x128xf16, #tile.scope<shared>> -> !tile.region<32x128xf16>
      tile.copy %br to %bsr : !tile.region<32x128xf16> to !tile.region<32x128xf16>
      tile.gemm %asr, %bsr into %accr clear %false : !tile.region<128x32xf16>, !tile.region<32x128xf16> into !tile.region<128x128xf32>
    }
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    %cr = tile.region %C[%m, %n] sizes [] : memref<130x260xf32, #tile.scope<global>> -> !tile.region<128x128xf32>
    tile.copy %accr to %cr : !tile.region<128x128xf32> to !tile.region<128x128xf32>
  }
  return
}
