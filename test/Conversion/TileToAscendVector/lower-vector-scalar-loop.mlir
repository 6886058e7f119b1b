// RUN: tilelang-opt %s --ascend-lower-vector --canonicalize --verify-diagnostics --split-input-file | FileCheck %s

// Integer division by elements has no vector form; the clip bounds the loop.

#id = affine_map<(d0) -> (d0)>
!t = memref<64xi32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @divide
// CHECK: %[[N:.*]] = arith.minsi %{{.*}}, %c64
// CHECK: scf.for %[[I:.*]] = %c0 to %[[N]] step %c1 {
// CHECK: %[[X:.*]] = ascend.get_value %[[T:.*]] at %[[I]]
// CHECK: %[[Y:.*]] = arith.floordivsi %c7_i32, %[[X]]
// CHECK: ascend.set_value %[[Y]] to %[[T]] at %[[I]]
ascend.kernel vector @divide parameters ["n"] blocks 1 aic {
^bb0(%n: index):
  ascend.end
} aiv {
^bb0(%n: index):
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xi32>
  // expected-remark @+1 {{runs as a scalar loop: the divisor of an integer division differs between elements}}
  tile.map [64] ins(%rt : !tile.region<64xi32>) outs(%rt : !tile.region<64xi32>) clip [0] lower [%c0] upper [%n] maps [#id, #id] {
  ^bb0(%x: i32):
    %seven = arith.constant 7 : i32
    %a = arith.floordivsi %seven, %x : i32
    tile.yield %a : i32
  }
  ascend.end
}

// -----

// A gather reads 0 outside of its tensor.

#id = affine_map<(d0) -> (d0)>
!g = memref<100xf32, #ascend.memory<gm>>
!i = memref<64xi32, #ascend.memory<ub>>
!t = memref<64xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @gather
// CHECK: %[[W:.*]] = ascend.get_value
// CHECK: %[[K:.*]] = arith.index_cast %[[W]]
// CHECK: %[[IN:.*]] = arith.andi
// CHECK: %[[AT:.*]] = arith.select %[[IN]], %[[K]], %c0
// CHECK: %[[V:.*]] = ascend.get_value %{{.*}} at %[[AT]] : memref<100xf32, #ascend.memory<gm>>
// CHECK: arith.select %[[IN]], %[[V]], %cst
ascend.kernel vector @gather parameters ["A"] blocks 1 aic {
^bb0(%a: !g):
  ascend.end
} aiv {
^bb0(%a: !g):
  %c0 = arith.constant 0 : index
  %i = tile.alloc {name = "i"} : !i
  %t = tile.alloc {name = "t"} : !t
  %ri = tile.region %i[%c0] sizes [] : !i -> !tile.region<64xi32>
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xf32>
  // expected-remark @+1 {{runs as a scalar loop: an index is data or is not affine (gather)}}
  tile.map [64] ins(%ri : !tile.region<64xi32>) outs(%rt : !tile.region<64xf32>) clip [] lower [] upper [] maps [#id, #id] {
  ^bb0(%x: i32):
    %k = arith.index_cast %x : i32 to index
    %v = tile.load %a[%k] : !g -> f32
    tile.yield %v : f32
  }
  ascend.end
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
!a = memref<16x32xf32, #ascend.memory<ub>>
!b = memref<32x16xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @transpose
// CHECK: scf.for
// CHECK: scf.for
// CHECK: ascend.set_value
ascend.kernel vector @transpose parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %a = tile.alloc {name = "a"} : !a
  %b = tile.alloc {name = "b"} : !b
  %ra = tile.region %a[%c0, %c0] sizes [] : !a -> !tile.region<16x32xf32>
  %rb = tile.region %b[%c0, %c0] sizes [] : !b -> !tile.region<32x16xf32>
  // expected-remark @+1 {{runs as a scalar loop: an operand is read across its rows (transposed or strided)}}
  tile.map [32, 16] ins(%ra : !tile.region<16x32xf32>) outs(%rb : !tile.region<32x16xf32>) clip [] lower [] upper [] maps [#turned, #id] {
  ^bb0(%x: f32):
    tile.yield %x : f32
  }
  ascend.end
}

// -----

// A copy whose start in the tensor may be negative in its rows' direction cannot be
// one DMA.

!g = memref<100xf32, #ascend.memory<gm>>
!t = memref<64xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @before
// CHECK: scf.for
// CHECK: ascend.get_value %{{.*}} : memref<100xf32, #ascend.memory<gm>>
// CHECK: ascend.set_value
ascend.kernel vector @before parameters ["A", "o"] blocks 1 aic {
^bb0(%a: !g, %o: index):
  ascend.end
} aiv {
^bb0(%a: !g, %o: index):
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %g = tile.region %a[%o] sizes [] : !g -> !tile.region<64xf32>
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xf32>
  // expected-remark @+1 {{runs as a scalar loop: the innermost dimension of buffer 't' and of the tensor do not correspond, or start inside a 32-byte block}}
  tile.copy %g to %rt : !tile.region<64xf32> to !tile.region<64xf32>
  ascend.end
}
