// RUN: tilelang-opt %s --tile-check-initialised --split-input-file --verify-diagnostics

!t = memref<64xf32, #tile.scope<shared>>
!g = memref<64xf32, #tile.scope<global>>

func.func @never_written(%g: !g) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  tile.kernel [%c2] {
  ^bb0(%bx: index):
    // expected-note @+1 {{buffer 't' is allocated here}}
    %t = tile.alloc {name = "t"} : !t
    %r = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xf32>
    %o = tile.region %g[%c0] sizes [] : !g -> !tile.region<64xf32>
    // expected-error @+1 {{buffer 't' is read here, and nothing has written it before; write the whole tile before it is read: T.copy into it, T.clear or T.fill}}
    tile.copy %r to %o : !tile.region<64xf32> to !tile.region<64xf32>
  }
  return
}

// -----

!t = memref<64xf32, #tile.scope<shared>>

func.func @written_later() {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  tile.kernel [%c2] {
  ^bb0(%bx: index):
    // expected-note @+1 {{buffer 't' is allocated here}}
    %t = tile.alloc {name = "t"} : !t
    tile.parallel [64] {
    ^bb1(%i: index):
      // expected-error @+1 {{buffer 't' is read here, and nothing has written it before}}
      %x = tile.load %t[%i] : !t -> f32
      tile.store %x to %t[%i] : f32 to !t
    }
    tile.store %zero to %t[%c0] : f32 to !t
  }
  return
}

// -----

!v = memref<f32, #tile.scope<var>>
!g = memref<64xf32, #tile.scope<global>>

func.func @variable(%g: !g) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  tile.kernel [%c2] {
  ^bb0(%bx: index):
    // expected-note @+1 {{buffer 'v' is allocated here}}
    %v = tile.alloc {name = "v"} : !v
    // expected-error @+1 {{buffer 'v' is read here, and nothing has written it before; give it a value: T.alloc_var(dtype, init)}}
    %x = tile.load %v[] : !v -> f32
    tile.store %x to %g[%c0] : f32 to !g
  }
  return
}

// -----

!m = memref<64x64xf16, #tile.scope<shared>>
!c = memref<64x64xf32, #tile.scope<fragment>>

func.func @sum() {
  %half = arith.constant 0.0 : f16
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.kernel [%c2] {
  ^bb0(%bx: index):
    %a = tile.alloc {name = "a"} : !m
    // expected-note @+1 {{buffer 'sum' is allocated here}}
    %sum = tile.alloc {name = "sum"} : !c
    %ra = tile.region %a[%c0, %c0] sizes [] : !m -> !tile.region<64x64xf16>
    %rs = tile.region %sum[%c0, %c0] sizes [] : !c -> !tile.region<64x64xf32>
    tile.fill %ra with %half : !tile.region<64x64xf16>, f16
    tile.for serial %c0 to %c2 step %c1 stages 0 {
    ^bb1(%k: index):
      // expected-error @+1 {{buffer 'sum' is added to here, and nothing has written it before; clear it first: T.clear before the loop, or T.gemm(..., clear_accum=True) for the first product}}
      tile.gemm %ra, %ra into %rs clear %false : !tile.region<64x64xf16>, !tile.region<64x64xf16> into !tile.region<64x64xf32>
    }
  }
  return
}
