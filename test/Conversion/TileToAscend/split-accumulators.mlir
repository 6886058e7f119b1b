// RUN: tilelang-opt %s -pass-pipeline='builtin.module(func.func(ascend-split-accumulators))' | FileCheck %s

// A tile that products accumulate into and vector code rescales: products go
// into a tile of their own and are added.
// CHECK-LABEL: func.func @rescaled
// CHECK: %[[PART:.*]] = tile.alloc {name = "O"}
// CHECK: %[[WHOLE:.*]] = tile.alloc {name = "O"}
// CHECK: tile.for
// CHECK: tile.map
// CHECK: %[[R:.*]] = tile.region %[[PART]]
// CHECK: tile.gemm {{.*}} into %[[R]] clear %true
// CHECK: tile.map [16, 16] ins({{.*}}, %[[R]]
// CHECK: arith.addf
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @rescaled(%a: !tile.ptr<f16>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f16> -> memref<16x16xf16, #tile.scope<global>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  tile.kernel [%c1] {
  ^bb0(%bx: index):
    %s = tile.alloc {name = "S"} : memref<16x16xf16, #tile.scope<shared>>
    %o = tile.alloc {name = "O"} : memref<16x16xf32, #tile.scope<fragment>>
    %ar = tile.region %A[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<global>> -> !tile.region<16x16xf16>
    %sr = tile.region %s[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<shared>> -> !tile.region<16x16xf16>
    %or = tile.region %o[%c0, %c0] sizes [] : memref<16x16xf32, #tile.scope<fragment>> -> !tile.region<16x16xf32>
    tile.fill %or with %zero : !tile.region<16x16xf32>, f32
    tile.for serial %c0 to %c4 step %c1 stages 0 {
    ^bb0(%k: index):
      tile.copy %ar to %sr : !tile.region<16x16xf16> to !tile.region<16x16xf16>
      tile.map [16, 16] ins(%or : !tile.region<16x16xf32>) outs(%or : !tile.region<16x16xf32>) clip [] lower [] upper [] maps [#id, #id] {
      ^bb0(%x: f32):
        %y = arith.mulf %x, %half : f32
        tile.yield %y : f32
      }
      tile.gemm %sr, %sr into %or clear %false : !tile.region<16x16xf16>, !tile.region<16x16xf16> into !tile.region<16x16xf32>
    }
  }
  return
}

// Clearing alone is the Cube core's own business.
// CHECK-LABEL: func.func @cleared
// CHECK-COUNT-2: tile.alloc
// CHECK-NOT: tile.alloc
// CHECK-NOT: tile.map
func.func @cleared(%a: !tile.ptr<f16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  tile.kernel [%c1] {
  ^bb0(%bx: index):
    %s = tile.alloc {name = "S"} : memref<16x16xf16, #tile.scope<shared>>
    %o = tile.alloc {name = "O"} : memref<16x16xf32, #tile.scope<fragment>>
    %sr = tile.region %s[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<shared>> -> !tile.region<16x16xf16>
    %or = tile.region %o[%c0, %c0] sizes [] : memref<16x16xf32, #tile.scope<fragment>> -> !tile.region<16x16xf32>
    tile.fill %or with %zero : !tile.region<16x16xf32>, f32
    tile.gemm %sr, %sr into %or clear %false : !tile.region<16x16xf16>, !tile.region<16x16xf16> into !tile.region<16x16xf32>
  }
  return
}
