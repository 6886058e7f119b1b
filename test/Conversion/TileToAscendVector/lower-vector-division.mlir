// RUN: tilelang-opt %s --ascend-lower-vector --canonicalize --verify-diagnostics --split-input-file | FileCheck %s

// A quotient by a constant: two steps in float arithmetic, no scalar loop and
// nothing for a remainder that nobody asks for.

#id = affine_map<(d0) -> (d0)>
!t = memref<64xi32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @constant
// CHECK-NOT: scf.for
// CHECK: ascend.cast Rint %{{.*}}, %{{.*}} count 64 : memref<64xf32, {{.*}}>, memref<64xi32
// CHECK: ascend.binary Div
// CHECK: ascend.cast Floor %{{.*}}, %{{.*}} count 64 : memref<64xi32, {{.*}}>, memref<64xf32
// CHECK: ascend.scalar Muls %{{.*}}, %{{.*}}, %c7_i32
// CHECK: ascend.binary Sub
// CHECK: ascend.cast Rint
// CHECK: ascend.binary Div
// CHECK: ascend.cast Floor
// CHECK-NOT: Muls
// CHECK: ascend.binary Add
// CHECK: ascend.end
ascend.kernel vector @constant parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xi32>
  tile.map [64] ins(%rt : !tile.region<64xi32>) outs(%rt : !tile.region<64xi32>) clip [] lower [] upper [] maps [#id, #id] {
  ^bb0(%x: i32):
    %seven = arith.constant 7 : i32
    %a = arith.floordivsi %x, %seven : i32
    tile.yield %a : i32
  }
  ascend.end
}

// -----

// Powers of two have a reciprocal; a remainder is what the quotient leaves.

#id = affine_map<(d0) -> (d0)>
!t = memref<64xi32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @power_of_two
// CHECK-NOT: Div
// CHECK: ascend.scalar Muls %{{.*}}, %{{.*}}, %cst
// CHECK: ascend.scalar ShiftRight
// CHECK: ascend.end
ascend.kernel vector @power_of_two parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xi32>
  tile.map [64] ins(%rt : !tile.region<64xi32>) outs(%rt : !tile.region<64xi32>) clip [] lower [] upper [] maps [#id, #id] {
  ^bb0(%x: i32):
    %n = arith.constant 64 : i32
    %a = arith.remsi %x, %n : i32
    tile.yield %a : i32
  }
  ascend.end
}

// -----

// A divisor that may be zero or negative stays with the scalar unit.

#id = affine_map<(d0) -> (d0)>
!t = memref<64xi32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @unknown
// CHECK: scf.for
// CHECK: arith.floordivsi
ascend.kernel vector @unknown parameters ["n"] blocks 1 aic {
^bb0(%n: i32):
  ascend.end
} aiv {
^bb0(%n: i32):
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xi32>
  // expected-remark @+1 {{runs as a scalar loop: the vector unit has no integer division, unless the divisor is known to be from 1 to 8388608}}
  tile.map [64] ins(%rt : !tile.region<64xi32>) outs(%rt : !tile.region<64xi32>) clip [] lower [] upper [] maps [#id, #id] {
  ^bb0(%x: i32):
    %a = arith.floordivsi %x, %n : i32
    tile.yield %a : i32
  }
  ascend.end
}
