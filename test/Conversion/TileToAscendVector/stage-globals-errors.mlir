// RUN: tilelang-opt %s --ascend-stage-globals --verify-diagnostics

!g = memref<64xf32, #tile.scope<global>>

func.func @run_time_extent(%c: !tile.ptr<f32>, %n: index) {
  %C = tile.tensor %c, sizes [] strides [] {name = "C"} : !tile.ptr<f32> -> !g
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel [%c1] {
  ^bb0(%bx: index):
    %rc = tile.region %C[%c0] sizes [%n] : !g -> !tile.region<?xf32>
    // expected-error @+1 {{unsupported: a region of buffer 'C' whose extents are known at run time only is computed on; copy it to a tile of constant shape}}
    tile.fill %rc with %zero : !tile.region<?xf32>, f32
  }
  return
}
