// RUN: tilelang-opt %s -pass-pipeline='builtin.module(func.func(ascend-assign-units,ascend-place-ranges))' | FileCheck %s

// Cube to Vector: the accumulator goes through a workspace. Vector to Cube: the
// operand does.
// CHECK-LABEL: func.func @both_ways
// CHECK-DAG: tile.alloc {ascend.memory = #ascend.memory<l0c>, name = "S"}
// CHECK-DAG: tile.alloc {ascend.memory = #ascend.memory<gm>, ascend.workspace = {{[0-9]+}} : i64, name = "S"}
// CHECK-DAG: tile.alloc {ascend.memory = #ascend.memory<ub>, name = "S"}
// CHECK-DAG: tile.alloc {ascend.memory = #ascend.memory<ub>, name = "P"}
// CHECK-DAG: tile.alloc {ascend.memory = #ascend.memory<gm>, ascend.workspace = {{[0-9]+}} : i64, name = "P"}
// CHECK-DAG: tile.alloc {ascend.memory = #ascend.memory<l1>, name = "P"}
// CHECK: tile.gemm
// CHECK: tile.copy {{.*}} {ascend.unit = "aic"} : <16x16xf32>
// CHECK: tile.copy {{.*}} {ascend.unit = "aiv"} : <16x16xf32>
// CHECK: tile.map
// CHECK: tile.copy {{.*}} {ascend.unit = "aiv"} : <16x16xf16>
// CHECK: tile.copy {{.*}} {ascend.unit = "aic"} : <16x16xf16>
// CHECK: tile.gemm
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @both_ways(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f16> -> memref<16x16xf16, #tile.scope<global>>
  %C = tile.tensor %c, sizes [] strides [] {name = "C"} : !tile.ptr<f32> -> memref<16x16xf32, #tile.scope<global>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  tile.kernel [%c1] {
  ^bb0(%bx: index):
    %q = tile.alloc {name = "Q"} : memref<16x16xf16, #tile.scope<shared>>
    %s = tile.alloc {name = "S"} : memref<16x16xf32, #tile.scope<fragment>>
    %p = tile.alloc {name = "P"} : memref<16x16xf16, #tile.scope<fragment>>
    %o = tile.alloc {name = "O"} : memref<16x16xf32, #tile.scope<fragment>>
    %ar = tile.region %A[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<global>> -> !tile.region<16x16xf16>
    %qr = tile.region %q[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<shared>> -> !tile.region<16x16xf16>
    %sr = tile.region %s[%c0, %c0] sizes [] : memref<16x16xf32, #tile.scope<fragment>> -> !tile.region<16x16xf32>
    %pr = tile.region %p[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<fragment>> -> !tile.region<16x16xf16>
    %or = tile.region %o[%c0, %c0] sizes [] : memref<16x16xf32, #tile.scope<fragment>> -> !tile.region<16x16xf32>
    tile.copy %ar to %qr : !tile.region<16x16xf16> to !tile.region<16x16xf16>
    tile.gemm %qr, %qr into %sr clear %true : !tile.region<16x16xf16>, !tile.region<16x16xf16> into !tile.region<16x16xf32>
    tile.map [16, 16] ins(%sr : !tile.region<16x16xf32>) outs(%pr : !tile.region<16x16xf16>) clip [] lower [] upper [] maps [#id, #id] {
    ^bb0(%x: f32):
      %y = tile.cast %x : f32 to f16
      tile.yield %y : f16
    }
    tile.gemm %pr, %qr into %or clear %true : !tile.region<16x16xf16>, !tile.region<16x16xf16> into !tile.region<16x16xf32>
    %cr = tile.region %C[%c0, %c0] sizes [] : memref<16x16xf32, #tile.scope<global>> -> !tile.region<16x16xf32>
    tile.copy %or to %cr : !tile.region<16x16xf32> to !tile.region<16x16xf32>
  }
  return
}
