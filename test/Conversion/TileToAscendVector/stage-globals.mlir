// RUN: tilelang-opt %s --ascend-stage-globals --canonicalize --split-input-file | FileCheck %s

// Operands in tensors get tiles named after them. A clip that says no more than that
// the tensor ends is left to the copy.

#id = affine_map<(d0) -> (d0)>
!g = memref<1000xf16, #tile.scope<global>>

// CHECK-LABEL: func.func @add
// CHECK: tile.kernel
// CHECK-DAG: %[[A:.*]] = tile.alloc {name = "A"} : memref<256xf16, #tile.scope<fragment>>
// CHECK-DAG: %[[C:.*]] = tile.alloc {name = "C"} : memref<256xf16, #tile.scope<fragment>>
// CHECK: %[[IN:.*]] = tile.region %[[A]][%c0] sizes[]
// CHECK: tile.copy %{{.*}} to %[[IN]]
// CHECK: %[[OUT:.*]] = tile.region %[[C]][%c0] sizes[]
// CHECK: tile.map [256] ins(%[[IN]], %[[IN]] : {{.*}}) outs(%[[OUT]] : <256xf16>) clip [] lower[] upper[]
// CHECK: tile.copy %[[OUT]] to %{{.*}} : <256xf16> to <256xf16>
func.func @add(%a: !tile.ptr<f16>, %c: !tile.ptr<f16>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f16> -> !g
  %C = tile.tensor %c, sizes [] strides [] {name = "C"} : !tile.ptr<f16> -> !g
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %c-256 = arith.constant -256 : index
  %c1000 = arith.constant 1000 : index
  tile.kernel [%c4] {
  ^bb0(%bx: index):
    %o = arith.muli %bx, %c256 : index
    %n = arith.muli %bx, %c-256 : index
    %left = arith.addi %n, %c1000 : index
    %ra = tile.region %A[%o] sizes [] : !g -> !tile.region<256xf16>
    %rc = tile.region %C[%o] sizes [] : !g -> !tile.region<256xf16>
    tile.map [256] ins(%ra, %ra : !tile.region<256xf16>, !tile.region<256xf16>) outs(%rc : !tile.region<256xf16>)
        clip [0] lower [%c0] upper [%left] maps [#id, #id, #id] {
    ^bb0(%x: f16, %y: f16):
      %z = arith.addf %x, %y : f16
      tile.yield %z : f16
    }
  }
  return
}

// -----

// Another bound becomes the extent that is copied out; a division keeps the clip, since
// it must not run where its divisor is not meant.

#id = affine_map<(d0) -> (d0)>
!g = memref<1000xi32, #tile.scope<global>>

// CHECK-LABEL: func.func @bound
// CHECK: tile.map [256] {{.*}} clip [0] lower[%c0] upper[%[[N:.*]]] maps
// CHECK: %[[MIN:.*]] = arith.minsi %[[N]], %c256
// CHECK: %[[SIZE:.*]] = arith.maxsi %[[MIN]], %c0
// CHECK: tile.region %{{.*}}[%c0] sizes[%[[SIZE]]] : memref<256xi32, #tile.scope<fragment>> -> <?xi32>
// CHECK: tile.region %{{.*}}[%{{.*}}] sizes[%[[SIZE]]] : memref<1000xi32, #tile.scope<global>> -> <?xi32>
// CHECK: tile.copy %{{.*}} to %{{.*}} : <?xi32> to <?xi32>
func.func @bound(%a: !tile.ptr<i32>, %c: !tile.ptr<i32>, %n: index) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<i32> -> !g
  %C = tile.tensor %c, sizes [] strides [] {name = "C"} : !tile.ptr<i32> -> !g
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel [%c1] {
  ^bb0(%bx: index):
    %ra = tile.region %A[%c0] sizes [] : !g -> !tile.region<256xi32>
    %rc = tile.region %C[%c0] sizes [] : !g -> !tile.region<256xi32>
    tile.map [256] ins(%ra : !tile.region<256xi32>) outs(%rc : !tile.region<256xi32>)
        clip [0] lower [%c0] upper [%n] maps [#id, #id] {
    ^bb0(%x: i32):
      %z = arith.divsi %x, %x : i32
      tile.yield %z : i32
    }
  }
  return
}

// -----

// An output that is not written whole stays in the tensor.

#id = affine_map<(d0) -> (d0)>
#even = affine_map<(d0) -> (d0 * 2)>
!g = memref<128xf32, #tile.scope<global>>

// CHECK-LABEL: func.func @strided
// CHECK: %[[R:.*]] = tile.region %{{.*}}[%c0] sizes[] : memref<128xf32, #tile.scope<global>> -> <127xf32>
// CHECK: tile.map [64] {{.*}} outs(%[[R]] :
func.func @strided(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f32> -> !g
  %C = tile.tensor %c, sizes [] strides [] {name = "C"} : !tile.ptr<f32> -> !g
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel [%c1] {
  ^bb0(%bx: index):
    %ra = tile.region %A[%c0] sizes [] : !g -> !tile.region<64xf32>
    %rc = tile.region %C[%c0] sizes [] : !g -> !tile.region<127xf32>
    tile.map [64] ins(%ra : !tile.region<64xf32>) outs(%rc : !tile.region<127xf32>) clip [] lower [] upper [] maps [#id, #even] {
    ^bb0(%x: f32):
      tile.yield %x : f32
    }
  }
  return
}

// -----

// A fill of a tensor and a copy between tensors go through tiles.

!g = memref<64xf32, #tile.scope<global>>

// CHECK-LABEL: func.func @direct
// CHECK: tile.fill %[[T:.*]] with
// CHECK: tile.copy %[[T]] to
// CHECK: tile.copy %{{.*}} to %[[S:.*]] :
// CHECK: tile.copy %[[S]] to
func.func @direct(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f32> -> !g
  %C = tile.tensor %c, sizes [] strides [] {name = "C"} : !tile.ptr<f32> -> !g
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel [%c1] {
  ^bb0(%bx: index):
    %ra = tile.region %A[%c0] sizes [] : !g -> !tile.region<64xf32>
    %rc = tile.region %C[%c0] sizes [] : !g -> !tile.region<64xf32>
    tile.fill %rc with %zero : !tile.region<64xf32>, f32
    tile.copy %ra to %rc : !tile.region<64xf32> to !tile.region<64xf32>
  }
  return
}

// -----

// Elements that lie apart, or that iterations share, are computed in a tile of the
// iteration's shape and written one by one; atomic additions of a whole region are
// one copy.

#id = affine_map<(d0) -> (d0)>
#apart = affine_map<(d0) -> (d0 * 3)>
#same = affine_map<(d0) -> (0)>
!g = memref<100xf32, #tile.scope<global>>
!t = memref<32xf32, #tile.scope<fragment>>

// CHECK-LABEL: func.func @scatter
// CHECK: tile.alloc {name = "C"} : memref<32xf32, #tile.scope<fragment>>
// CHECK: tile.map [32] {{.*}} outs(%[[TILE:.*]] : <32xf32>)
// CHECK: math.exp
// CHECK: tile.map [32] ins(%[[TILE]] : !tile.region<32xf32>) outs(%{{.*}} : <94xf32>)
// CHECK-NOT: math.exp
// CHECK: tile.map [32] {{.*}} outs(%[[SUM:.*]] : <32xf32>)
// CHECK: tile.map [32] ins(%[[SUM]] : !tile.region<32xf32>) outs(%{{.*}} : <1xf32>)
// CHECK: } {atomic}
// CHECK: tile.map [32]
// CHECK: tile.copy %{{.*}} to %{{.*}} {atomic} : <32xf32> to <32xf32>
func.func @scatter(%c: !tile.ptr<f32>) {
  %C = tile.tensor %c, sizes [] strides [] {name = "C"} : !tile.ptr<f32> -> !g
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  tile.kernel [%c4] {
  ^bb0(%bx: index):
    %t = tile.alloc {name = "t"} : !t
    %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<32xf32>
    %apart = tile.region %C[%c0] sizes [] : !g -> !tile.region<94xf32>
    %one = tile.region %C[%c0] sizes [] : !g -> !tile.region<1xf32>
    %whole = tile.region %C[%c0] sizes [] : !g -> !tile.region<32xf32>
    tile.map [32] ins(%rt : !tile.region<32xf32>) outs(%apart : !tile.region<94xf32>)
        clip [] lower [] upper [] maps [#id, #apart] {
    ^bb0(%x: f32):
      %y = math.exp %x : f32
      tile.yield %y : f32
    }
    tile.map [32] ins(%rt : !tile.region<32xf32>) outs(%one : !tile.region<1xf32>)
        clip [] lower [] upper [] maps [#id, #same] {
    ^bb0(%x: f32):
      tile.yield %x : f32
    } {atomic}
    tile.map [32] ins(%rt : !tile.region<32xf32>) outs(%whole : !tile.region<32xf32>)
        clip [] lower [] upper [] maps [#id, #id] {
    ^bb0(%x: f32):
      tile.yield %x : f32
    } {atomic}
  }
  return
}
