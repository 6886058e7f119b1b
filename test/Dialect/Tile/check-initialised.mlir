// RUN: tilelang-opt %s --tile-check-initialised --verify-diagnostics

// Something may have written what is read here: earlier, in an earlier iteration
// of a loop around both, under a condition, in part, or by a product that the run
// may let start anew. Tensors hold what the caller put there.

!t = memref<64xf32, #tile.scope<shared>>
!m = memref<64x64xf16, #tile.scope<shared>>
!c = memref<64x64xf32, #tile.scope<fragment>>
!g = memref<64xf32, #tile.scope<global>>

func.func @fine(%g: !g, %clear: i1, %n: index) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.kernel [%c2] {
  ^bb0(%bx: index):
    %carried = tile.alloc {name = "carried"} : !t
    %maybe = tile.alloc {name = "maybe"} : !t
    %a = tile.alloc {name = "a"} : !m
    %sum = tile.alloc {name = "sum"} : !c
    %ra = tile.region %a[%c0, %c0] sizes [] : !m -> !tile.region<64x64xf16>
    %rs = tile.region %sum[%c0, %c0] sizes [] : !c -> !tile.region<64x64xf32>
    tile.fill %ra with %half : !tile.region<64x64xf16>, f16
    tile.for serial %c0 to %n step %c1 stages 0 {
    ^bb1(%k: index):
      %x = tile.load %carried[%c0] : !t -> f32
      tile.store %x to %carried[%c1] : f32 to !t
      tile.gemm %ra, %ra into %rs clear %clear : !tile.region<64x64xf16>, !tile.region<64x64xf16> into !tile.region<64x64xf32>
    }
    scf.if %clear {
      tile.store %zero to %maybe[%c0] : f32 to !t
    }
    %y = tile.load %maybe[%c1] : !t -> f32
    %z = tile.load %g[%c1] : !g -> f32
    tile.store %z to %g[%c0] : f32 to !g
  }
  return
}
