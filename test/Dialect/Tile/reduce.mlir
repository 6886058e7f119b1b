// RUN: tilelang-opt %s --split-input-file | FileCheck %s
// RUN: tilelang-opt %s --tile-split-live-ranges --split-input-file | FileCheck %s --check-prefix=RANGES

!t = memref<64x32xf32, #tile.scope<fragment>>
!v = memref<64xf32, #tile.scope<fragment>>
!k = memref<64x1xf16, #tile.scope<fragment>>

// CHECK-LABEL: func.func @forms
func.func @forms(%t: !t, %v: !v, %k: !k) {
  %c0 = arith.constant 0 : index
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<64x32xf32>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<64xf32>
  %rk = tile.region %k[%c0, %c0] sizes [] : !k -> !tile.region<64x1xf16>
  // CHECK: tile.reduce sum %{{.*}} into %{{.*}} dim 1 : <64x32xf32> into <64xf32>
  tile.reduce sum %rt into %rv dim 1 : !tile.region<64x32xf32> into !tile.region<64xf32>
  // CHECK: tile.reduce max %{{.*}} into %{{.*}} dim 1 {accumulate} : <64x32xf32> into <64xf32>
  tile.reduce max %rt into %rv dim 1 {accumulate} : !tile.region<64x32xf32> into !tile.region<64xf32>
  // CHECK: tile.reduce absmax %{{.*}} into %{{.*}} dim 1 : <64x32xf32> into <64x1xf16>
  tile.reduce absmax %rt into %rk dim 1 : !tile.region<64x32xf32> into !tile.region<64x1xf16>
  return
}

// -----

// A reduction that overwrites starts a range; one that accumulates does not.

!t = memref<64x32xf32, #tile.scope<fragment>>
!v = memref<64xf32, #tile.scope<fragment>>
!g = memref<64xf32, #tile.scope<global>>

// RANGES-LABEL: func.func @ranges
// RANGES-DAG: %[[V:.*]] = tile.alloc {name = "v"}
// RANGES-DAG: %[[W:.*]] = tile.alloc {name = "v"}
func.func @ranges(%g: !g, %t: !t) {
  %c0 = arith.constant 0 : index
  %v = tile.alloc {name = "v"} : !v
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<64x32xf32>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<64xf32>
  %rg = tile.region %g[%c0] sizes [] : !g -> !tile.region<64xf32>
  // RANGES-DAG: %[[RV:.*]] = tile.region %[[V]]
  // RANGES-DAG: %[[RW:.*]] = tile.region %[[W]]
  // RANGES: tile.reduce sum %{{.*}} into %[[FIRST:.*]] dim 1 :
  // RANGES: tile.reduce sum %{{.*}} into %[[FIRST]] dim 1 {accumulate}
  // RANGES: tile.copy %[[FIRST]]
  tile.reduce sum %rt into %rv dim 1 : !tile.region<64x32xf32> into !tile.region<64xf32>
  tile.reduce sum %rt into %rv dim 1 {accumulate} : !tile.region<64x32xf32> into !tile.region<64xf32>
  tile.copy %rv to %rg : !tile.region<64xf32> to !tile.region<64xf32>
  // RANGES-NOT: into %[[FIRST]]
  // RANGES: tile.reduce max %{{.*}} into %[[SECOND:.*]] dim 1
  // RANGES: tile.copy %[[SECOND]]
  tile.reduce max %rt into %rv dim 1 : !tile.region<64x32xf32> into !tile.region<64xf32>
  tile.copy %rv to %rg : !tile.region<64xf32> to !tile.region<64xf32>
  return
}
