// RUN: tilelang-opt %s --canonicalize --cse | FileCheck %s

// Memory effects derive from region accesses: what is written is kept and keeps
// its order, what is only read and not used goes, equal reads between writes are
// one. Casts fold.

!t = memref<64xf32, #tile.scope<fragment>>
!r = !tile.region<64xf32>

// CHECK-LABEL: func.func @effects
func.func @effects(%g: memref<64xf32, #tile.scope<global>>, %x: f32) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  // CHECK: tile.alloc {name = "kept"}
  // CHECK-NOT: tile.alloc
  %a = tile.alloc {name = "kept"} : !t
  %dead = tile.alloc {name = "dead"} : !t
  %rg = tile.region %g[%c0] sizes [] : memref<64xf32, #tile.scope<global>> -> !r
  %ra = tile.region %a[%c0] sizes [] : !t -> !r
  // CHECK: tile.copy
  tile.copy %rg to %ra : !r to !r
  // CHECK: %[[X:.*]] = tile.load
  // CHECK-NOT: tile.load
  %p = tile.load %a[%c0] : !t -> f32
  %q = tile.load %a[%c0] : !t -> f32
  %unused = tile.load %g[%c0] : memref<64xf32, #tile.scope<global>> -> f32
  // CHECK: tile.store
  tile.store %x to %a[%c0] : f32 to !t
  // CHECK: %[[Y:.*]] = tile.load
  %s = tile.load %a[%c0] : !t -> f32
  // CHECK: tile.fill
  tile.fill %ra with %s : !r, f32
  // CHECK: return %[[X]], %[[X]], %[[Y]]
  return %p, %q, %s : f32, f32, f32
}

// CHECK-LABEL: func.func @loops
func.func @loops(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc {name = "A"} : !t
  // CHECK-NOT: name = "nothing"
  tile.for serial %c0 to %n step %c1 stages 0 {
  ^bb0(%k: index):
    %y = tile.load %a[%k] : !t -> f32
  } {name = "nothing"}
  // CHECK: tile.for
  // CHECK: tile.store
  tile.for serial %c0 to %n step %c1 stages 0 {
  ^bb0(%k: index):
    tile.store %x to %a[%k] : f32 to !t
  }
  return
}

// CHECK-LABEL: func.func @casts
// CHECK-SAME: %[[F:.*]]: f32, %[[I:.*]]: i8
func.func @casts(%f: f32, %i: i8) -> (f32, i8, f16, i8, i8, i32, i32, f32, i8, i8, f16) {
  %0 = tile.cast %f : f32 to f32
  %1 = tile.cast %i {srcUnsigned} : i8 to i8
  // Saturation from unsigned to signed changes values.
  // CHECK-DAG: %[[S:.*]] = tile.cast %[[I]] {saturate, srcUnsigned} : i8 to i8
  %2 = tile.cast %i {srcUnsigned, saturate} : i8 to i8
  // 2049 lies between 2048 and 2050: to even, up.
  %odd = arith.constant 2049.0 : f32
  // CHECK-DAG: %[[EVEN:.*]] = arith.constant 2.048000e+03 : f16
  %3 = tile.cast %odd : f32 to f16
  // CHECK-DAG: %[[UP:.*]] = arith.constant 2.050000e+03 : f16
  %4 = tile.cast %odd {rounding = 3 : i32} : f32 to f16
  // CHECK-DAG: %[[MINUS:.*]] = arith.constant -2 : i8
  %half = arith.constant -2.7 : f32
  %5 = tile.cast %half : f32 to i8
  // CHECK-DAG: %[[DOWN:.*]] = arith.constant -3 : i8
  %6 = tile.cast %half {rounding = 4 : i32} : f32 to i8
  %bytes = arith.constant -1 : i8
  // CHECK-DAG: %[[ALL:.*]] = arith.constant -1 : i32
  %7 = tile.cast %bytes : i8 to i32
  // CHECK-DAG: %[[BYTE:.*]] = arith.constant 255 : i32
  %8 = tile.cast %bytes {srcUnsigned} : i8 to i32
  // CHECK-DAG: %[[FLOAT:.*]] = arith.constant 2.550000e+02 : f32
  %9 = tile.cast %bytes {srcUnsigned} : i8 to f32
  %large = arith.constant 1.0e+10 : f32
  // CHECK-DAG: %[[MAX:.*]] = arith.constant 127 : i8
  %10 = tile.cast %large {saturate} : f32 to i8
  // CHECK: return %[[F]], %[[I]], %[[EVEN]], %[[MINUS]], %[[DOWN]], %[[ALL]], %[[BYTE]], %[[FLOAT]], %[[MAX]], %[[S]], %[[UP]]
  return %0, %1, %3, %5, %6, %7, %8, %9, %10, %2, %4 : f32, i8, f16, i8, i8, i32, i32, f32, i8, i8, f16
}
