// RUN: tilelang-opt %s --tile-check-bounds --verify-diagnostics

// Nothing here is certain to leave its buffer: a condition decides, the run
// decides, the loop is empty, the extremes of dependent terms are never reached,
// or the buffer is global and its accesses are guarded.

!t = memref<64xf32, #tile.scope<shared>>
!g = memref<64xf32, #tile.scope<global>>

func.func @fine(%g: !g, %n: index) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  tile.kernel [%c2] {
  ^bb0(%bx: index):
    %s = tile.alloc {name = "s"} : !t
    tile.parallel [128] {
    ^bb0(%i: index):
      %inside = arith.cmpi slt, %i, %c64 : index
      scf.if %inside {
        tile.store %zero to %s[%i] : f32 to !t
      }
    }
    tile.for serial %c0 to %n step %c1 stages 0 {
    ^bb0(%i: index):
      tile.store %zero to %s[%i] : f32 to !t
      tile.store %zero to %s[%n] : f32 to !t
    }
    tile.for serial %c64 to %c2 step %c1 stages 0 {
    ^bb0(%i: index):
      tile.store %zero to %s[%i] : f32 to !t
    }
    tile.parallel [64] {
    ^bb0(%i: index):
      %twice = arith.muli %i, %c2 : index
      %same = arith.subi %twice, %i : index
      tile.store %zero to %s[%same] : f32 to !t
      tile.store %zero to %g[%twice] : f32 to !g
    }
  }
  return
}
