// RUN: tilelang-opt %s --tile-normalize-parallel --canonicalize --cse --split-input-file | FileCheck %s

// One map per store, in order. Classes of access: identity, broadcast along a
// dimension, transpose. A value that a map has stored in a tile is read there.

!g = memref<?x?xf16, #tile.scope<global>>
!f = memref<64x64xf32, #tile.scope<fragment>>
!v = memref<64xf32, #tile.scope<fragment>>

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[T:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @order
func.func @order(%p: !tile.ptr<f16>, %m: index, %n: index, %off: index) {
  %a = tile.tensor %p, sizes [%m, %n] strides [] {name = "A"} : !tile.ptr<f16> -> !g
  // CHECK: %[[ACC:.*]] = tile.alloc {name = "acc"}
  // CHECK: %[[SCALE:.*]] = tile.alloc {name = "scale"}
  // CHECK: %[[B:.*]] = tile.alloc {name = "B"}
  %f = tile.alloc {name = "acc"} : !f
  %v = tile.alloc {name = "scale"} : !v
  %b = tile.alloc {name = "B"} : !f
  tile.parallel [64, 64] {
  ^bb0(%i: index, %j: index):
    %x = tile.load %f[%i, %j] : !f -> f32
    %y = tile.load %v[%i] : !v -> f32
    %w = tile.load %b[%j, %i] : !f -> f32
    %z0 = arith.mulf %x, %y : f32
    %z = arith.addf %z0, %w : f32
    tile.store %z to %f[%i, %j] : f32 to !f
    %h = tile.cast %z : f32 to f16
    %r = arith.addi %off, %i : index
    tile.store %h to %a[%r, %j] : f16 to !g
  } {indexNames = ["i", "j"]}
  // CHECK: %[[RACC:.*]] = tile.region %[[ACC]][%{{.*}}] sizes[] : {{.*}} -> <64x64xf32>
  // CHECK: %[[RSCALE:.*]] = tile.region %[[SCALE]]
  // CHECK: %[[RB:.*]] = tile.region %[[B]]
  // CHECK: tile.map [64, 64] ins(%[[RACC]], %[[RSCALE]], %[[RB]] : {{.*}}) outs(%[[RACC]] : <64x64xf32>) clip [] lower[] upper[] maps [#[[ID]], #[[ROW]], #[[T]], #[[ID]]] {
  // CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[W:.*]]: f32):
  // CHECK: %[[MUL:.*]] = arith.mulf %[[X]], %[[Y]]
  // CHECK: %[[SUM:.*]] = arith.addf %[[MUL]], %[[W]]
  // CHECK: tile.yield %[[SUM]]
  // CHECK: } {indexNames = ["i", "j"]}
  // CHECK: %[[RA:.*]] = tile.region %{{.*}}[%{{.*}}, %c0] sizes[] : memref<?x?xf16, #tile.scope<global>> -> <64x64xf16>
  // CHECK: tile.map [64, 64] ins(%[[RACC]] : {{.*}}) outs(%[[RA]] : <64x64xf16>)
  // CHECK-NOT: arith.mulf
  // CHECK: tile.cast
  // CHECK-NOT: tile.parallel
  return
}

// -----

// Strides, negative coefficients and indices modulo: the region is the bounding
// box, the map counts from its corner.

!v = memref<128xf32, #tile.scope<shared>>
!m = memref<4x32xf32, #tile.scope<shared>>

// CHECK-DAG: #[[REVERSE:.*]] = affine_map<(d0) -> (d0 * -2 + 62)>
// CHECK-DAG: #[[SPLIT:.*]] = affine_map<(d0) -> (d0 floordiv 8, d0 mod 8)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @maps
// CHECK-SAME: %[[S:.*]]: index
func.func @maps(%s: index) {
  %a = tile.alloc {name = "A"} : !v
  %b = tile.alloc {name = "B"} : !m
  %c = tile.alloc {name = "C"} : !v
  tile.parallel [32] {
  ^bb0(%i: index):
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c100 = arith.constant 100 : index
    %d = arith.muli %i, %c2 : index
    %e0 = arith.subi %s, %d : index
    %e = arith.addi %e0, %c100 : index
    // s - 2 i + 100 for i < 32 starts at s + 38.
    // CHECK: %[[BASE:.*]] = arith.addi %[[S]], %c38
    // CHECK: %[[RA:.*]] = tile.region %{{.*}}[%[[BASE]]] sizes[] : {{.*}} -> <63xf32>
    %x = tile.load %a[%e] : !v -> f32
    %c3 = arith.constant 3 : index
    %q = arith.shrsi %i, %c3 : index
    %r = arith.remsi %i, %c8 : index
    // CHECK: %[[RB:.*]] = tile.region {{.*}} -> <4x8xf32>
    %y = tile.load %b[%q, %r] : !m -> f32
    %z = arith.addf %x, %y : f32
    // CHECK: tile.map [32] ins(%[[RA]], %[[RB]] : {{.*}}) outs(%{{.*}} : <32xf32>) clip [] lower[] upper[] maps [#[[REVERSE]], #[[SPLIT]], #[[ID]]]
    tile.store %z to %c[%i] : f32 to !v
  }
  return
}

// -----

// A rotation keeps its range, however the modulo is written.

!m = memref<4x64xf32, #tile.scope<shared>>

// CHECK-DAG: #[[ROTATED:.*]] = affine_map<(d0, d1) -> (d0, (d1 + 1) mod 64)>
// CHECK-DAG: #[[BACK:.*]] = affine_map<(d0, d1) -> (d0, (d1 - 1) mod 64)>
// CHECK-LABEL: func.func @rotate
func.func @rotate() {
  %a = tile.alloc {name = "A"} : !m
  %b = tile.alloc {name = "B"} : !m
  // CHECK: tile.map [4, 64] ins(%{{.*}}, %{{.*}} : !tile.region<4x64xf32>, !tile.region<4x64xf32>) outs({{.*}}) clip [] lower[] upper[] maps [#[[ROTATED]], #[[BACK]], #{{.*}}]
  tile.parallel [4, 64] {
  ^bb0(%i: index, %j: index):
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %next = arith.addi %j, %c1 : index
    %rotated = arith.remsi %next, %c64 : index
    %x = tile.load %a[%i, %rotated] : !m -> f32
    %last = arith.subi %j, %c1 : index
    %quotient = arith.floordivsi %last, %c64 : index
    %whole = arith.muli %quotient, %c64 : index
    %back = arith.subi %last, %whole : index
    %y = tile.load %a[%i, %back] : !m -> f32
    %z = arith.addf %x, %y : f32
    tile.store %z to %b[%i, %j] : f32 to !m
  }
  return
}

// -----

// A bound on one index clips; two of them meet; constant bounds shrink the box.

!g = memref<?x?xf32, #tile.scope<global>>
!f = memref<64x64xf32, #tile.scope<fragment>>

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @clip
// CHECK-SAME: %{{.*}}: !tile.ptr<f32>, %[[M:.*]]: index, %[[N:.*]]: index, %[[OFF:.*]]: index
func.func @clip(%p: !tile.ptr<f32>, %m: index, %n: index, %off: index) {
  %a = tile.tensor %p, sizes [%m, %n] strides [] {name = "A"} : !tile.ptr<f32> -> !g
  %f = tile.alloc {name = "acc"} : !f
  tile.parallel [64, 64] {
  ^bb0(%i: index, %j: index):
    %r = arith.addi %off, %i : index
    %inside = arith.cmpi slt, %r, %m : index
    %after = arith.cmpi sgt, %i, %n : index
    %c5 = arith.constant 5 : index
    %column = arith.cmpi sge, %j, %c5 : index
    %c0 = arith.constant 0 : index
    %always = arith.cmpi sge, %j, %c0 : index
    %c1 = arith.andi %inside, %after : i1
    %c2 = arith.andi %c1, %always : i1
    scf.if %c2 {
      scf.if %column {
        %x = tile.load %f[%i, %j] : !f -> f32
        tile.store %x to %a[%r, %j] : f32 to !g
      }
    }
  }
  // i > n from below, i < m - off from above.
  // CHECK: %[[LOW0:.*]] = arith.addi %[[N]], %c1
  // CHECK: %[[LOW1:.*]] = arith.maxsi %[[LOW0]], %c0
  // CHECK: %[[LOW:.*]] = arith.minsi %[[LOW1]], %c64
  // CHECK: %[[HIGH0:.*]] = arith.subi %[[M]], %[[OFF]]
  // CHECK: %[[HIGH1:.*]] = arith.minsi %[[HIGH0]], %c64
  // CHECK: %[[HIGH:.*]] = arith.maxsi %[[HIGH1]], %[[LOW]]
  // CHECK: %[[IN:.*]] = tile.region %{{.*}}[%c0, %c5] sizes[] : {{.*}} -> <64x59xf32>
  // CHECK: %[[OUT:.*]] = tile.region %{{.*}}[%[[OFF]], %c5] sizes[] : {{.*}} -> <64x59xf32>
  // CHECK: tile.map [64, 59] ins(%[[IN]] : {{.*}}) outs(%[[OUT]] : <64x59xf32>) clip [0] lower[%[[LOW]]] upper[%[[HIGH]]] maps [#[[ID]], #[[ID]]]
  // CHECK-NOT: scf.if
  return
}

// -----

// A condition that holds for all iterations or for none stays outside. What it
// reads is read once, and only if what stands before it holds.

!g = memref<?xi32, #tile.scope<global>>
!v = memref<64xf32, #tile.scope<fragment>>

// CHECK-LABEL: func.func @guard
// CHECK-SAME: %{{.*}}: !tile.ptr<i32>, %{{.*}}: index, %[[B:.*]]: index, %[[OK:.*]]: i1
func.func @guard(%p: !tile.ptr<i32>, %n: index, %b: index, %ok: i1) {
  %t = tile.tensor %p, sizes [%n] strides [] {name = "lengths"} : !tile.ptr<i32> -> !g
  %v = tile.alloc {name = "v"} : !v
  tile.parallel [64] {
  ^bb0(%i: index):
    scf.if %ok {
      %e = tile.load %t[%b] : !g -> i32
      %zero = arith.constant 0 : i32
      %some = arith.cmpi sgt, %e, %zero : i32
      scf.if %some {
        %f = arith.sitofp %e : i32 to f32
        tile.store %f to %v[%i] : f32 to !v
      }
    }
  }
  // CHECK: scf.if %[[OK]] {
  // CHECK-NEXT: %[[E:.*]] = tile.load %{{.*}}[%[[B]]]
  // CHECK-NEXT: %[[SOME:.*]] = arith.cmpi sgt, %[[E]], %c0_i32
  // CHECK-NEXT: scf.if %[[SOME]] {
  // CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[E]]
  // CHECK-NEXT: %[[R:.*]] = tile.region
  // CHECK-NEXT: tile.map [64] ins() outs(%[[R]] : <64xf32>)
  // CHECK-NEXT: tile.yield %[[F]]
  return
}

// -----

// Conditions on elements select against the old value; where the other branch
// stores to the same element, against that value.

!f = memref<64x64xf32, #tile.scope<fragment>>
!v = memref<64xf32, #tile.scope<fragment>>

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @select
func.func @select() {
  %f = tile.alloc {name = "acc"} : !f
  %v = tile.alloc {name = "v"} : !v
  // CHECK: tile.map [64, 64] ins(%{{.*}}, %{{.*}} : !tile.region<64x64xf32>, !tile.region<64xf32>) outs({{.*}}) clip [] lower[] upper[] maps [#[[ID]], #[[COLUMN]], #[[ID]]] {
  // CHECK: ^bb0(%[[OLD:.*]]: f32, %[[X:.*]]: f32):
  // CHECK-DAG: %[[I:.*]] = tile.index 0
  // CHECK-DAG: %[[J:.*]] = tile.index 1
  // CHECK: %[[C:.*]] = arith.cmpi sge, %[[I]], %[[J]]
  // CHECK: %[[S:.*]] = arith.select %[[C]], %[[X]], %[[OLD]]
  // CHECK: tile.yield %[[S]]
  tile.parallel [64, 64] {
  ^bb0(%i: index, %j: index):
    %c = arith.cmpi sge, %i, %j : index
    scf.if %c {
      %x = tile.load %v[%j] : !v -> f32
      tile.store %x to %f[%i, %j] : f32 to !f
    }
  }
  // CHECK: tile.map [64, 64] ins(%{{.*}} : !tile.region<64xf32>)
  // CHECK: ^bb0(%[[X:.*]]: f32):
  // CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[X]], %cst
  // CHECK: tile.yield %[[S]]
  tile.parallel [64, 64] {
  ^bb0(%i: index, %j: index):
    %c = arith.cmpi sge, %i, %j : index
    scf.if %c {
      %x = tile.load %v[%j] : !v -> f32
      tile.store %x to %f[%i, %j] : f32 to !f
    } else {
      %z = arith.constant 0.0 : f32
      tile.store %z to %f[%i, %j] : f32 to !f
    }
  }
  // CHECK-NOT: tile.map
  return
}

// -----

// A gather stays in the body; under a condition it stays under it. A row that an
// element selects is a region.

!f = memref<64x64xf32, #tile.scope<shared>>
!v = memref<64xf32, #tile.scope<shared>>
!i = memref<64xi32, #tile.scope<shared>>

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0) -> (0, d0)>
// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[N:.*]]: index
func.func @gather(%n: index) {
  %f = tile.alloc {name = "A"} : !f
  %v = tile.alloc {name = "v"} : !v
  %index = tile.alloc {name = "index"} : !i
  // CHECK: %[[F:.*]] = tile.alloc {name = "A"}
  // CHECK: %[[INDEX:.*]] = tile.alloc {name = "index"}
  // CHECK: %[[E:.*]] = tile.load %[[INDEX]][%[[N]]]
  // CHECK: %[[P:.*]] = arith.index_cast %[[E]]
  // CHECK: tile.region %[[F]][%[[P]], %c0] sizes[] : {{.*}} -> <1x64xf32>
  // CHECK: tile.map [64] ins(%{{.*}}, %{{.*}} : !tile.region<64xi32>, !tile.region<1x64xf32>) outs(%{{.*}} : <64xf32>) clip [] lower[] upper[] maps [#[[ID]], #[[ROW]], #[[ID]]] {
  // CHECK: ^bb0(%[[K:.*]]: i32, %[[D:.*]]: f32):
  // CHECK: %[[C:.*]] = arith.cmpi sge, %[[K]]
  // CHECK: %[[R:.*]] = scf.if %[[C]] -> (f32) {
  // CHECK: %[[KI:.*]] = arith.index_cast %[[K]]
  // CHECK: %[[I:.*]] = tile.index 0
  // CHECK: tile.load %[[F]][%[[KI]], %[[I]]]
  // CHECK: } else {
  // CHECK: scf.yield %[[D]]
  // CHECK: tile.yield %[[R]]
  tile.parallel [64] {
  ^bb0(%i: index):
    %k = tile.load %index[%i] : !i -> i32
    %e = tile.load %index[%n] : !i -> i32
    %p = arith.index_cast %e : i32 to index
    %zero = arith.constant 0 : i32
    %c = arith.cmpi sge, %k, %zero : i32
    %r = scf.if %c -> f32 {
      %ki = arith.index_cast %k : i32 to index
      %x = tile.load %f[%ki, %i] : !f -> f32
      scf.yield %x : f32
    } else {
      %x = tile.load %f[%p, %i] : !f -> f32
      scf.yield %x : f32
    }
    tile.store %r to %v[%i] : f32 to !v
  }
  return
}

// -----

// A value that a later store needs is kept before it is overwritten.

!v = memref<64xf32, #tile.scope<shared>>

// CHECK-LABEL: func.func @swap
func.func @swap() {
  %a = tile.alloc {name = "A"} : !v
  %b = tile.alloc {name = "B"} : !v
  // CHECK-DAG: %[[A:.*]] = tile.region {{.*}} -> <64xf32>
  // CHECK-DAG: %[[KEPT:.*]] = tile.alloc {name = "A_kept"} : memref<64xf32, #tile.scope<fragment>>
  // CHECK: %[[RKEPT:.*]] = tile.region %[[KEPT]]
  // CHECK: tile.map [64] ins(%[[A]] : {{.*}}) outs(%[[RKEPT]] : {{.*}})
  // CHECK: %[[B:.*]] = tile.region
  // CHECK: tile.map [64] ins(%[[B]] : {{.*}}) outs(%[[A]] : {{.*}})
  // CHECK: tile.map [64] ins(%[[RKEPT]] : {{.*}}) outs(%[[B]] : {{.*}})
  tile.parallel [64] {
  ^bb0(%i: index):
    %x = tile.load %a[%i] : !v -> f32
    %y = tile.load %b[%i] : !v -> f32
    tile.store %y to %a[%i] : f32 to !v
    tile.store %x to %b[%i] : f32 to !v
  }
  return
}

// -----

// A local that each iteration writes before it reads it is private.

!t = memref<1xf32, #tile.scope<local>>
!v = memref<64xf32, #tile.scope<shared>>

// CHECK-LABEL: func.func @private
func.func @private() {
  // CHECK-NOT: name = "t"
  %t = tile.alloc {name = "t"} : !t
  %v = tile.alloc {name = "v"} : !v
  %c0 = arith.constant 0 : index
  // CHECK: tile.map [64]
  // CHECK: ^bb0(%[[X:.*]]: f32):
  // CHECK-DAG: %[[N:.*]] = arith.negf %[[X]]
  // CHECK-DAG: %[[C:.*]] = arith.cmpf olt, %[[X]]
  // CHECK: %[[S:.*]] = arith.select %[[C]], %[[N]], %[[X]]
  // CHECK: tile.yield %[[S]]
  tile.parallel [64] {
  ^bb0(%i: index):
    %x = tile.load %v[%i] : !v -> f32
    tile.store %x to %t[%c0] : f32 to !t
    %z = arith.constant 0.0 : f32
    %c = arith.cmpf olt, %x, %z : f32
    scf.if %c {
      %u = tile.load %t[%c0] : !t -> f32
      %w = arith.negf %u : f32
      tile.store %w to %t[%c0] : f32 to !t
    }
    %y = tile.load %t[%c0] : !t -> f32
    tile.store %y to %v[%i] : f32 to !v
  }
  // CHECK-NOT: tile.map
  return
}

// -----

// Versions of a ring are different for every k; an equation on one index leaves
// one iteration of it.

!ring = memref<2x64xf32, #tile.scope<shared>>
!m = memref<64x64xf32, #tile.scope<shared>>
!v = memref<64xf32, #tile.scope<shared>>

// CHECK-LABEL: func.func @distinct
func.func @distinct(%n: index, %s: index, %m: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = tile.alloc {name = "ring"} : !ring
  %v = tile.alloc {name = "v"} : !v
  // CHECK: tile.for
  tile.for serial %c0 to %n step %c1 stages 0 {
  ^bb0(%k: index):
    %this = arith.remsi %k, %c2 : index
    %k1 = arith.addi %k, %c1 : index
    %next = arith.remsi %k1, %c2 : index
    // CHECK: tile.map [64]
    tile.parallel [64] {
    ^bb0(%i: index):
      %x = tile.load %r[%this, %i] : !ring -> f32
      %c63 = arith.constant 63 : index
      %o = arith.subi %c63, %i : index
      tile.store %x to %r[%next, %o] : f32 to !ring
    }
  }
  // CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[S:.*]], %c0
  // CHECK: scf.if
  // CHECK: tile.region %{{.*}}[%c0, %[[S]]] sizes[] : {{.*}} -> <64x1xf32>
  // CHECK: tile.map [64, 1]
  tile.parallel [64, 64] {
  ^bb0(%i: index, %j: index):
    %c = arith.cmpi eq, %j, %s : index
    scf.if %c {
      %x = tile.load %m[%i, %j] : !m -> f32
      tile.store %x to %v[%i] : f32 to !v
    }
  }
  return
}

// -----

// Nothing stored, nothing left.

// CHECK-LABEL: func.func @empty
// CHECK-NEXT: return
func.func @empty() {
  tile.parallel [64] {
  ^bb0(%i: index):
    %c1 = arith.constant 1 : index
    %x = arith.addi %i, %c1 : index
  }
  return
}

// -----

// Atomic additions may share elements; where a condition does not hold, what
// changes nothing is added.

!m = memref<64x64xf32, #tile.scope<shared>>
!g = memref<64xf32, #tile.scope<global>>

// CHECK-LABEL: func.func @atomic
func.func @atomic(%m: !m, %g: !g) {
  // CHECK: %[[NOTHING:.*]] = arith.constant -0.000000e+00 : f32
  // CHECK: tile.map [64, 64] ins(%{{.*}} : !tile.region<64x64xf32>) outs(%{{.*}} : <64xf32>)
  // CHECK: %[[VALUE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NOTHING]] : f32
  // CHECK: tile.yield %[[VALUE]]
  // CHECK: } {atomic}
  %zero = arith.constant 0.0 : f32
  tile.parallel [64, 64] {
  ^bb0(%i: index, %j: index):
    %x = tile.load %m[%i, %j] : !m -> f32
    %positive = arith.cmpf ogt, %x, %zero : f32
    scf.if %positive {
      tile.store %x to %g[%j] {atomic} : f32 to !g
    }
  }
  return
}
