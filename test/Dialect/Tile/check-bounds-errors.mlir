// RUN: tilelang-opt %s --tile-check-bounds --split-input-file --verify-diagnostics

!t = memref<64xf32, #tile.scope<shared>>

func.func @parallel() {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  tile.kernel [%c2] {
  ^bb0(%bx: index):
    // expected-note @+1 {{allocated here}}
    %s = tile.alloc {name = "s"} : !t
    tile.parallel [65] {
    ^bb0(%i: index):
      // expected-error @+1 {{a write of buffer 's' lies outside it: index 0 reaches 64, the extent is 64}}
      tile.store %zero to %s[%i] : f32 to !t
    }
  }
  return
}

// -----

!t = memref<8x64xf32, #tile.scope<shared>>

func.func @read_below() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  tile.kernel [%c2] {
  ^bb0(%bx: index):
    // expected-note @+1 {{allocated here}}
    %s = tile.alloc {name = "s"} : !t
    tile.for serial %c0 to %c8 step %c1 stages 0 {
    ^bb0(%i: index):
      %before = arith.subi %i, %c1 : index
      // expected-error @+1 {{a read of buffer 's' lies outside it: index 0 reaches -1, the extent is 8}}
      %x = tile.load %s[%before, %i] : !t -> f32
      tile.store %x to %s[%i, %i] : f32 to !t
    }
  }
  return
}
