// RUN: tilelang-opt %s --tile-check-grid-stores --split-input-file --verify-diagnostics

!t = memref<32x64xf32, #tile.scope<fragment>>
!s = memref<32xf32, #tile.scope<fragment>>
!g = memref<64x256xf32, #tile.scope<global>>
!o = memref<64xf32, #tile.scope<global>>

// The value comes through two tiles.
func.func @reduction(%g: !g, %o: !o) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  tile.kernel [%c4, %c2] {
  ^bb0(%bx: index, %by: index):
    %row = arith.muli %by, %c32 : index
    %column = arith.muli %bx, %c64 : index
    %t = tile.alloc {name = "t"} : !t
    %s = tile.alloc {name = "s"} : !s
    %from = tile.region %g[%row, %column] sizes [] : !g -> !tile.region<32x64xf32>
    %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<32x64xf32>
    %rs = tile.region %s[%c0] sizes [] : !s -> !tile.region<32xf32>
    %to = tile.region %o[%row] sizes [] : !o -> !tile.region<32xf32>
    // expected-note @+1 {{what is read here differs from block to block}}
    tile.copy %from to %rt : !tile.region<32x64xf32> to !tile.region<32x64xf32>
    tile.reduce sum %rt into %rs dim 1 : !tile.region<32x64xf32> into !tile.region<32xf32>
    // expected-error @+1 {{blocks overwrite each other's results: which elements of buffer are written does not depend on index 0 of the grid (4 blocks), and their values do; use T.atomic_add, or loop over that axis inside the block, or store each block's part and combine the parts in a second kernel}}
    tile.copy %rs to %to : !tile.region<32xf32> to !tile.region<32xf32>
  }
  return
}

// -----

!o = memref<64xf32, #tile.scope<global>>

// A scalar of the block itself; no read to point at.
func.func @scalar(%o: !o) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  tile.kernel [%c4] {
  ^bb0(%bx: index):
    %x32 = arith.index_cast %bx : index to i32
    %x = arith.sitofp %x32 : i32 to f32
    // expected-error @+1 {{blocks overwrite each other's results}}
    tile.store %x to %o[%c0] : f32 to !o
  }
  return
}

// -----

!s = memref<64xf32, #tile.scope<fragment>>
!o = memref<64xf32, #tile.scope<global>>

// How often a tile is changed depends on the index.
func.func @trips(%o: !o) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.kernel [%c4] {
  ^bb0(%bx: index):
    %s = tile.alloc {name = "s"} : !s
    %rs = tile.region %s[%c0] sizes [] : !s -> !tile.region<64xf32>
    %to = tile.region %o[%c0] sizes [] : !o -> !tile.region<64xf32>
    tile.fill %rs with %zero : !tile.region<64xf32>, f32
    tile.for serial %c0 to %bx step %c1 stages 0 {
    ^bb1(%k: index):
      tile.map [64] ins(%rs : !tile.region<64xf32>) outs(%rs : !tile.region<64xf32>) clip [] lower [] upper [] maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] {
      ^bb2(%e: f32):
        %sum = arith.addf %e, %e : f32
        tile.yield %sum : f32
      }
    }
    // expected-error @+1 {{blocks overwrite each other's results}}
    tile.copy %rs to %to : !tile.region<64xf32> to !tile.region<64xf32>
  }
  return
}
