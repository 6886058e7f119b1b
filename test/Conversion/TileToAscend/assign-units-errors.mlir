// RUN: tilelang-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(ascend-assign-units))'

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @accumulator_rescaled(%a: !tile.ptr<f16>) {
  %A = tile.tensor %a, sizes [] strides [] {name = "A"} : !tile.ptr<f16> -> memref<16x16xf16, #tile.scope<global>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  tile.kernel [%c1] {
  ^bb0(%bx: index):
    %s = tile.alloc {name = "S"} : memref<16x16xf16, #tile.scope<shared>>
    %acc = tile.alloc {name = "acc"} : memref<16x16xf32, #tile.scope<fragment>>
    %ar = tile.region %A[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<global>> -> !tile.region<16x16xf16>
    %sr = tile.region %s[%c0, %c0] sizes [] : memref<16x16xf16, #tile.scope<shared>> -> !tile.region<16x16xf16>
    %accr = tile.region %acc[%c0, %c0] sizes [] : memref<16x16xf32, #tile.scope<fragment>> -> !tile.region<16x16xf32>
    tile.copy %ar to %sr : !tile.region<16x16xf16> to !tile.region<16x16xf16>
    // expected-note @+1 {{accumulated here}}
    tile.gemm %sr, %sr into %accr clear %true : !tile.region<16x16xf16>, !tile.region<16x16xf16> into !tile.region<16x16xf32>
    // expected-error @+1 {{unsupported: buffer 'acc' accumulates a T.gemm and is also written by vector code}}
    tile.map [16, 16] ins(%accr : !tile.region<16x16xf32>) outs(%accr : !tile.region<16x16xf32>) clip [] lower [] upper [] maps [#id, #id] {
    ^bb0(%x: f32):
      tile.yield %x : f32
    }
  }
  return
}
