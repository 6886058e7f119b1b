// RUN: tilelang-opt %s | tilelang-opt | FileCheck %s
// RUN: tilelang-opt %s --mlir-print-op-generic | tilelang-opt | FileCheck %s

!global = memref<?x128xf16, #tile.scope<global>>
!strided = memref<?x?xui8, strided<[?, 1]>, #tile.scope<global>>
!tile = memref<64x128xf16, #tile.scope<shared>>
!acc = memref<64x64xf32, #tile.scope<fragment>>

// CHECK-LABEL: func.func @memory
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f16>, %[[Q:.*]]: !tile.ptr<ui8>, %[[M:.*]]: index
func.func @memory(%p: !tile.ptr<f16>, %q: !tile.ptr<ui8>, %m: index) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.tensor %[[P]], sizes[%[[M]]] strides[] {name = "A"} : <f16> -> memref<?x128xf16, #tile.scope<global>>
  %a = tile.tensor %p, sizes [%m] strides [] {name = "A"} : !tile.ptr<f16> -> !global
  // CHECK: tile.tensor %[[Q]], sizes[%[[M]], %[[M]]] strides[%[[M]]] {name = "B"}
  %b = tile.tensor %q, sizes [%m, %m] strides [%m] {name = "B"} : !tile.ptr<ui8> -> !strided
  // CHECK: tile.alloc {name = "A_shared"} : memref<64x128xf16, #tile.scope<shared>>
  %s = tile.alloc {name = "A_shared"} : !tile
  // CHECK: tile.region %{{.*}}[%{{.*}}, %{{.*}}] sizes[] : memref<?x128xf16, #tile.scope<global>> -> <64x128xf16>
  %ra = tile.region %a[%m, %c0] sizes [] : !global -> !tile.region<64x128xf16>
  // CHECK: tile.region %{{.*}} sizes[%[[M]]] : {{.*}} -> <?x16xui8>
  %rb = tile.region %b[%c0, %c0] sizes [%m] : !strided -> !tile.region<?x16xui8>
  %rs = tile.region %s[%c0, %c0] sizes [] : !tile -> !tile.region<64x128xf16>
  // CHECK: tile.copy %{{.*}} to %{{.*}} : <64x128xf16> to <64x128xf16>
  tile.copy %ra to %rs : !tile.region<64x128xf16> to !tile.region<64x128xf16>
  // CHECK: tile.copy %{{.*}} to %{{.*}} {atomic} : <64x128xf16> to <64x128xf16>
  tile.copy %rs to %ra {atomic} : !tile.region<64x128xf16> to !tile.region<64x128xf16>
  // CHECK: tile.fill %{{.*}} with %{{.*}} : <?x16xui8>, i8
  %zero = arith.constant 0 : i8
  tile.fill %rb with %zero : !tile.region<?x16xui8>, i8
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<{{.*}}> -> i8
  %e = tile.load %b[%m, %c0] : !strided -> i8
  // CHECK: tile.store %{{.*}} to %{{.*}}[%{{.*}}, %{{.*}}] : i8 to memref<{{.*}}>
  tile.store %e to %b[%c0, %m] : i8 to !strided
  return
}

// CHECK-LABEL: func.func @control
func.func @control(%gx: index, %gy: index, %clear: i1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // CHECK: tile.kernel[%{{.*}}, %{{.*}}] {
  // CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index):
  tile.kernel [%gx, %gy] {
  ^bb0(%bx: index, %by: index):
    %s = tile.alloc {name = "S"} : !tile
    %acc = tile.alloc {name = "acc"} : !acc
    %rs = tile.region %s[%c0, %c0] sizes [] : !tile -> !tile.region<64x128xf16>
    %rc = tile.region %acc[%c0, %c0] sizes [] : !acc -> !tile.region<64x64xf32>
    // CHECK: tile.for pipelined %{{.*}} to %{{.*}} step %{{.*}} stages 2 {
    tile.for pipelined %c0 to %c4 step %c4 stages 2 {
    ^bb0(%k: index):
      // CHECK: tile.gemm %[[R:.*]], %[[R]] into %{{.*}} clear %{{.*}} {transpose_b} : <64x128xf16>, <64x128xf16> into <64x64xf32>
      tile.gemm %rs, %rs into %rc clear %clear {transpose_b}
        : !tile.region<64x128xf16>, !tile.region<64x128xf16> into !tile.region<64x64xf32>
    }
    // CHECK: tile.parallel [64, 64] {
    tile.parallel [64, 64] {
    ^bb0(%i: index, %j: index):
      %x = tile.load %acc[%i, %j] : !acc -> f32
      // CHECK: tile.cast %{{.*}} {rounding = 2 : i32, saturate} : f32 to i8
      %y = tile.cast %x {rounding = 2 : i32, saturate} : f32 to i8
      // CHECK: tile.cast %{{.*}} {srcUnsigned} : i8 to f32
      %z = tile.cast %y {srcUnsigned} : i8 to f32
      tile.store %z to %acc[%i, %j] : f32 to !acc
    } {indexNames = ["i", "j"]}
    // CHECK: tile.map [64, 64] ins(%{{.*}} : !tile.region<64x64xf32>) outs(%{{.*}} : <64x64xf32>) clip [1] lower[%{{.*}}] upper[%{{.*}}] maps [#{{.*}}, #{{.*}}] {
    tile.map [64, 64] ins(%rc : !tile.region<64x64xf32>) outs(%rc : !tile.region<64x64xf32>)
        clip [1] lower [%c0] upper [%c4]
        maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>] {
    ^bb0(%x: f32):
      // CHECK: tile.index 1
      %j = tile.index 1
      %n = arith.index_cast %j : index to i32
      %f = arith.sitofp %n : i32 to f32
      %sum = arith.addf %x, %f : f32
      tile.yield %sum : f32
    }
  }
  return
}
