// RUN: tilelang-opt %s --split-input-file --verify-diagnostics

!t = memref<64x32xf32, #tile.scope<fragment>>
!v = memref<32xf32, #tile.scope<fragment>>

func.func @dimension(%t: !t, %v: !v) {
  %c0 = arith.constant 0 : index
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<64x32xf32>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<32xf32>
  // expected-error @below {{expected a dimension below 2, the rank of buffer, found 2}}
  tile.reduce sum %rt into %rv dim 2 : !tile.region<64x32xf32> into !tile.region<32xf32>
  return
}

// -----

!t = memref<64x32xf32, #tile.scope<fragment>>
!v = memref<32xf32, #tile.scope<fragment>>

func.func @shape() {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "x"} : !t
  %v = tile.alloc {name = "y"} : !v
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<64x32xf32>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<32xf32>
  // expected-error @below {{expected the extents of buffer 'x' ('!tile.region<64x32xf32>') without dimension 1, or with 1 there, found '!tile.region<32xf32>' of buffer 'y'}}
  tile.reduce sum %rt into %rv dim 1 : !tile.region<64x32xf32> into !tile.region<32xf32>
  return
}

// -----

!t = memref<64x32xf32, #tile.scope<fragment>>
!v = memref<32xi32, #tile.scope<fragment>>

func.func @types(%t: !t, %v: !v) {
  %c0 = arith.constant 0 : index
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<64x32xf32>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<32xi32>
  // expected-error @below {{expected elements that are both float or both integer, found 'f32' and 'i32'}}
  tile.reduce sum %rt into %rv dim 0 : !tile.region<64x32xf32> into !tile.region<32xi32>
  return
}
