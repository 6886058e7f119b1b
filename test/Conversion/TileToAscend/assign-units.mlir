// RUN: tilelang-opt %s -pass-pipeline='builtin.module(func.func(ascend-assign-units))' | FileCheck %s

// Copies that feed a product, its clearing and a store that only converts are
// Cube work.
// CHECK-LABEL: func.func @main
// CHECK: tile.fill {{.*}} {ascend.unit = "aic"}
// CHECK: tile.copy {{.*}} {ascend.unit = "aic"}
// CHECK: tile.copy {{.*}} {ascend.unit = "aic"}
// CHECK: tile.gemm {{.*}} {ascend.unit = "aic"}
// CHECK: tile.copy {{.*}} {ascend.unit = "aic"}
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

// A tile that a product and vector code read is loaded once for each.
// CHECK-LABEL: func.func @both
// CHECK: %[[VECTOR:.*]] = tile.alloc {name = "A_shared"}
// CHECK: %[[CUBE:.*]] = tile.alloc {name = "A_shared"}
// CHECK-DAG: %[[CR:.*]] = tile.region %[[CUBE]]
// CHECK: tile.copy {{.*}} {ascend.unit = "aic"}
// CHECK: %[[VR:.*]] = tile.region %[[VECTOR]]
// CHECK: tile.copy {{.*}} to %[[VR]] {ascend.unit = "aiv"}
// CHECK: tile.gemm {{.*}} {ascend.unit = "aic"}
// CHECK: tile.map {{.*}}
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @both(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f16> -> memref<16x16xf16, #tile.scope<global>>
  %C = tile.tensor %c, sizes [] strides [] {name = "C"} : !tile.ptr<f32> -> memref<16x16xf32, #tile.scope<global>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  tile.kernel [%c1] {
  ^bb0(%bx: index):
    %As = tile.alloc {name = "A_shared"} : memref<16x16xf16, #tile.scope<shared>>
    %acc = tile.alloc {name = "acc"} : memref<16x16xf32, #tile.scope<fragment>>
    %v = tile.alloc {name = "v"} : memref<16x16xf16, #tile.scope<fragment>>
    %ar = tile.region %A[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<global>> -> !tile.region<16x16xf16>
    %asr = tile.region %As[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<shared>> -> !tile.region<16x16xf16>
    tile.copy %ar to %asr : !tile.region<16x16xf16> to !tile.region<16x16xf16>
    %accr = tile.region %acc[%c0, %c0] sizes [] : memref<16x16xf32, #tile.scope<fragment>> -> !tile.region<16x16xf32>
    tile.gemm %asr, %asr into %accr clear %true : !tile.region<16x16xf16>, !tile.region<16x16xf16> into !tile.region<16x16xf32>
    %vr = tile.region %v[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<fragment>> -> !tile.region<16x16xf16>
    tile.map [16, 16] ins(%asr : !tile.region<16x16xf16>) outs(%vr : !tile.region<16x16xf16>) clip [] lower [] upper [] maps [#id, #id] {
    ^bb0(%x: f16):
      tile.yield %x : f16
    }
    %cr = tile.region %C[%c0, %c0] sizes [] : memref<16x16xf32, #tile.scope<global>> -> !tile.region<16x16xf32>
    tile.copy %accr to %cr : !tile.region<16x16xf32> to !tile.region<16x16xf32>
  }
  return
}
