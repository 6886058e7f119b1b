// RUN: tilelang-opt %s --tile-check-grid-stores --split-input-file --verify-diagnostics

!t = memref<64xf32, #tile.scope<shared>>
!v = memref<i32, #tile.scope<var>>
!g = memref<256xf32, #tile.scope<global>>
!i = memref<64xi32, #tile.scope<global>>

// The place depends on the index: directly, through a tensor, through a
// variable, by a condition or by a loop's bounds. Atomic additions may meet. How
// many blocks a grid of run-time size has is not known.
func.func @fine(%g: !g, %i: !i, %n: index) {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  tile.kernel [%c4, %n, %c1] {
  ^bb0(%bx: index, %by: index, %bz: index):
    %x32 = arith.index_cast %bx : index to i32
    %x = arith.sitofp %x32 : i32 to f32
    %start = arith.muli %bx, %c64 : index
    tile.store %x to %g[%start] : f32 to !g
    %entry = tile.load %i[%bx] : !i -> i32
    %at = arith.index_cast %entry : i32 to index
    tile.store %x to %g[%at] : f32 to !g
    %v = tile.alloc {name = "v"} : !v
    tile.store %entry to %v[] : i32 to !v
    %again = tile.load %v[] : !v -> i32
    %at2 = arith.index_cast %again : i32 to index
    tile.store %x to %g[%at2] : f32 to !g
    %first = arith.cmpi eq, %bx, %c0 : index
    scf.if %first {
      tile.store %x to %g[%c0] : f32 to !g
    }
    %end = arith.addi %start, %c2 : index
    tile.for serial %start to %end step %c1 stages 0 {
    ^bb1(%k: index):
      tile.store %x to %g[%k] : f32 to !g
    }
    tile.store %x to %g[%c0] {atomic} : f32 to !g
  }
  return
}

// -----

!g = memref<256xf32, #tile.scope<global>>

func.func @same_value(%g: !g) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.kernel [%c4, %c4] {
  ^bb0(%bx: index, %by: index):
    %x = tile.load %g[%by] : !g -> f32
    // expected-remark @+1 {{several blocks write the same elements of buffer, with the same values: the store does not depend on index 0 of the grid (4 blocks); guard it with an `if` on that index, as}}
    tile.store %x to %g[%by] : f32 to !g
  }
  return
}
