// RUN: tilelang-opt %s --tile-split-live-ranges --split-input-file | FileCheck %s

!t = memref<64x64xf32, #tile.scope<fragment>>
!g = memref<64x64xf32, #tile.scope<global>>
!r = !tile.region<64x64xf32>

// Two copies into one buffer, each read afterwards: two ranges.

// CHECK-LABEL: func.func @straight
func.func @straight(%g: !g) {
  %c0 = arith.constant 0 : index
  // CHECK-DAG: %[[A:.*]] = tile.alloc {name = "A"} : memref<64x64xf32, #tile.scope<fragment>>
  // CHECK-DAG: %[[B:.*]] = tile.alloc {name = "A"} : memref<64x64xf32, #tile.scope<fragment>>
  %a = tile.alloc {name = "A"} : !t
  %rg = tile.region %g[%c0, %c0] sizes [] : !g -> !r
  %ra = tile.region %a[%c0, %c0] sizes [] : !t -> !r
  // CHECK-DAG: %[[RB:.*]] = tile.region %[[B]]
  // CHECK-DAG: %[[RA:.*]] = tile.region %[[A]]
  // CHECK: tile.copy %{{.*}} to %[[R0:.*]] :
  // CHECK: tile.copy %[[R0]] to
  // CHECK-NOT: tile.copy %{{.*}} to %[[R0]] :
  // CHECK: tile.copy %{{.*}} to %[[R1:.*]] :
  // CHECK: tile.copy %[[R1]] to
  tile.copy %rg to %ra : !r to !r
  tile.copy %ra to %rg : !r to !r
  tile.copy %rg to %ra : !r to !r
  tile.copy %ra to %rg : !r to !r
  return
}

// -----

!t = memref<64x64xf32, #tile.scope<fragment>>
!g = memref<64x64xf32, #tile.scope<global>>
!r = !tile.region<64x64xf32>

// A write of a part needs what the rest holds: one range. So does a buffer with
// explicit memory.

// CHECK-LABEL: func.func @partial
func.func @partial(%g: !g, %n: index) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.alloc {name = "A"}
  // CHECK: tile.alloc {memory = "ub", name = "B"}
  // CHECK-NOT: tile.alloc
  %a = tile.alloc {name = "A"} : !t
  %b = tile.alloc {name = "B", memory = "ub"} : !t
  %rg = tile.region %g[%c0, %c0] sizes [] : !g -> !r
  %rh = tile.region %g[%c0, %c0] sizes [] : !g -> !tile.region<32x64xf32>
  %ra = tile.region %a[%c0, %c0] sizes [] : !t -> !r
  %rb = tile.region %b[%c0, %c0] sizes [] : !t -> !r
  %part = tile.region %a[%c0, %c0] sizes [] : !t -> !tile.region<32x64xf32>
  %shifted = tile.region %a[%n, %c0] sizes [] : !t -> !r
  tile.copy %rg to %ra : !r to !r
  tile.copy %ra to %rg : !r to !r
  tile.copy %rh to %part : !tile.region<32x64xf32> to !tile.region<32x64xf32>
  tile.copy %rg to %shifted : !r to !r
  tile.copy %ra to %rg : !r to !r
  tile.copy %rg to %rb : !r to !r
  tile.copy %rb to %rg : !r to !r
  tile.copy %rg to %rb : !r to !r
  tile.copy %rb to %rg : !r to !r
  return
}

// -----

// An accumulator: cleared, accumulated round a loop (one range), then scaled as
// a whole into a range of its own, which is what is stored.

!s = memref<64x64xf16, #tile.scope<shared>>
!t = memref<64x64xf32, #tile.scope<fragment>>
!g = memref<64x64xf32, #tile.scope<global>>
!r = !tile.region<64x64xf32>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @accumulator
func.func @accumulator(%g: !g, %n: index, %s: !s) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  // CHECK: %[[L0C:.*]] = tile.alloc {name = "acc"}
  // CHECK: %[[UB:.*]] = tile.alloc {name = "acc"}
  %acc = tile.alloc {name = "acc"} : !t
  %rg = tile.region %g[%c0, %c0] sizes [] : !g -> !r
  %rs = tile.region %s[%c0, %c0] sizes [] : !s -> !tile.region<64x64xf16>
  // CHECK-DAG: %[[RL0C:.*]] = tile.region %[[L0C]]
  // CHECK-DAG: %[[RUB:.*]] = tile.region %[[UB]]
  %ra = tile.region %acc[%c0, %c0] sizes [] : !t -> !r
  // CHECK: tile.fill %[[ACC:.*]] with
  tile.fill %ra with %zero : !r, f32
  // CHECK: tile.for
  tile.for serial %c0 to %n step %c1 stages 0 {
  ^bb0(%k: index):
    // CHECK: into %[[ACC]] clear
    tile.gemm %rs, %rs into %ra clear %false : !tile.region<64x64xf16>, !tile.region<64x64xf16> into !r
  }
  // CHECK: tile.map [64, 64] ins(%[[ACC2:.*]] : {{.*}}) outs(%[[OUT:.*]] : <64x64xf32>)
  tile.map [64, 64] ins(%ra : !r) outs(%ra : !r) clip [] lower [] upper [] maps [#id, #id] {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    tile.yield %y : f32
  }
  // CHECK: tile.copy %[[OUT]] to
  tile.copy %ra to %rg : !r to !r
  return
}

// -----

// The same, but the scaled value goes round the loop: one range.

!s = memref<64x64xf16, #tile.scope<shared>>
!t = memref<64x64xf32, #tile.scope<fragment>>
!r = !tile.region<64x64xf32>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @carried
func.func @carried(%n: index, %s: !s) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  // CHECK: tile.alloc
  // CHECK-NOT: tile.alloc
  %acc = tile.alloc {name = "acc"} : !t
  %rs = tile.region %s[%c0, %c0] sizes [] : !s -> !tile.region<64x64xf16>
  %ra = tile.region %acc[%c0, %c0] sizes [] : !t -> !r
  tile.fill %ra with %zero : !r, f32
  tile.for serial %c0 to %n step %c1 stages 0 {
  ^bb0(%k: index):
    tile.map [64, 64] ins(%ra : !r) outs(%ra : !r) clip [] lower [] upper [] maps [#id, #id] {
    ^bb0(%x: f32):
      %y = arith.addf %x, %x : f32
      tile.yield %y : f32
    }
    tile.gemm %rs, %rs into %ra clear %false : !tile.region<64x64xf16>, !tile.region<64x64xf16> into !r
  }
  return
}

// -----

// A buffer that each iteration fills anew and uses twice for different things.
// A map that is clipped, or that writes a part, extends a range.

!t = memref<64x64xf32, #tile.scope<shared>>
!g = memref<64x64xf32, #tile.scope<global>>
!r = !tile.region<64x64xf32>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @loop
func.func @loop(%g: !g, %n: index, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A0:.*]] = tile.alloc {name = "S"}
  // CHECK: %[[A1:.*]] = tile.alloc {name = "S"}
  // CHECK-NOT: tile.alloc
  %a = tile.alloc {name = "S"} : !t
  %rg = tile.region %g[%c0, %c0] sizes [] : !g -> !r
  %ra = tile.region %a[%c0, %c0] sizes [] : !t -> !r
  tile.for serial %c0 to %n step %c1 stages 0 {
  ^bb0(%k: index):
    tile.copy %rg to %ra : !r to !r
    tile.copy %ra to %rg : !r to !r
    tile.map [64, 64] ins() outs(%ra : !r) clip [] lower [] upper [] maps [#id] {
      tile.yield %zero : f32
    }
    tile.map [64, 64] ins() outs(%ra : !r) clip [0] lower [%c0] upper [%n] maps [#id] {
      tile.yield %zero : f32
    }
    tile.copy %ra to %rg : !r to !r
  }
  return
}

// -----

// Branches: both values reach the use, so they are one range with it; the value
// before the branch that none of them sees is another.

!t = memref<64x64xf32, #tile.scope<shared>>
!g = memref<64x64xf32, #tile.scope<global>>
!r = !tile.region<64x64xf32>

// CHECK-LABEL: func.func @branch
func.func @branch(%g: !g, %c: i1, %zero: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.alloc
  // CHECK: tile.alloc
  // CHECK-NOT: tile.alloc
  %a = tile.alloc {name = "S"} : !t
  %rg = tile.region %g[%c0, %c0] sizes [] : !g -> !r
  %ra = tile.region %a[%c0, %c0] sizes [] : !t -> !r
  // CHECK: tile.copy %{{.*}} to %[[R0:[0-9]+]] :
  // CHECK: tile.copy %[[R0]] to
  tile.copy %rg to %ra : !r to !r
  tile.copy %ra to %rg : !r to !r
  // CHECK: scf.if
  // CHECK: tile.copy %{{.*}} to %[[R1:[0-9]+]] :
  // CHECK: else
  // CHECK: tile.fill %[[R1]] with
  scf.if %c {
    tile.copy %rg to %ra : !r to !r
  } else {
    tile.fill %ra with %zero : !r, f32
  }
  // CHECK: tile.copy %[[R1]] to
  tile.copy %ra to %rg : !r to !r
  // Only one branch writes: what was there before may be seen.
  // CHECK: scf.if
  // CHECK: tile.fill %[[R1]] with
  scf.if %c {
    tile.fill %ra with %zero : !r, f32
  }
  // CHECK: tile.copy %[[R1]] to
  tile.copy %ra to %rg : !r to !r
  return
}

// -----

// A clear that the next gemm repeats is of no use.

!s = memref<64x64xf16, #tile.scope<shared>>
!t = memref<64x64xf32, #tile.scope<fragment>>
!g = memref<64x64xf32, #tile.scope<global>>
!r = !tile.region<64x64xf32>

// CHECK-LABEL: func.func @cleared_twice
func.func @cleared_twice(%g: !g, %s: !s) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %true = arith.constant true
  // CHECK: tile.alloc
  // CHECK-NOT: tile.alloc
  // CHECK-NOT: tile.fill
  // CHECK: tile.gemm
  %acc = tile.alloc {name = "acc"} : !t
  %rg = tile.region %g[%c0, %c0] sizes [] : !g -> !r
  %rs = tile.region %s[%c0, %c0] sizes [] : !s -> !tile.region<64x64xf16>
  %ra = tile.region %acc[%c0, %c0] sizes [] : !t -> !r
  tile.fill %ra with %zero : !r, f32
  tile.gemm %rs, %rs into %ra clear %true : !tile.region<64x64xf16>, !tile.region<64x64xf16> into !r
  tile.copy %ra to %rg : !r to !r
  return
}

// -----

// Element accesses, also those inside a map, are accesses of the whole buffer; a
// buffer of one element is written as a whole.

!v = memref<64xf32, #tile.scope<shared>>
!one = memref<1xf32, #tile.scope<var>>
!r = !tile.region<64xf32>
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @elements
func.func @elements(%g: memref<64xf32, #tile.scope<global>>, %x: f32, %y: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[V0:.*]] = tile.alloc {name = "v"}
  // CHECK: %[[V1:.*]] = tile.alloc {name = "v"}
  // CHECK: %[[T0:.*]] = tile.alloc {name = "t"}
  // CHECK: %[[T1:.*]] = tile.alloc {name = "t"}
  %v = tile.alloc {name = "v"} : !v
  %t = tile.alloc {name = "t"} : !one
  %rg = tile.region %g[%c0] sizes [] : memref<64xf32, #tile.scope<global>> -> !r
  %rv = tile.region %v[%c0] sizes [] : !v -> !r
  // CHECK: tile.store %{{.*}} to %[[TA:.*]][
  // CHECK: tile.load %[[TA]][
  tile.store %x to %t[%c0] : f32 to !one
  %p = tile.load %t[%c0] : !one -> f32
  // CHECK: tile.store %{{.*}} to %[[TB:.*]][
  // CHECK: tile.load %[[TB]][
  tile.store %y to %t[%c0] : f32 to !one
  %q = tile.load %t[%c0] : !one -> f32
  tile.copy %rg to %rv : !r to !r
  // CHECK: tile.store %{{.*}} to %[[VA:.*]][
  tile.store %p to %v[%c0] : f32 to !v
  // The gather reads the first range, the map starts the second.
  // CHECK: tile.map [64] ins() outs(%[[OUT:.*]] : <64xf32>)
  // CHECK: tile.load %[[VA]][
  tile.map [64] ins() outs(%rv : !r) clip [] lower [] upper [] maps [#id] {
    %e = tile.load %v[%c0] : !v -> f32
    %f = arith.addf %e, %q : f32
    tile.yield %f : f32
  }
  // CHECK: tile.copy %[[OUT]] to
  tile.copy %rv to %rg : !r to !r
  return
}
