// RUN: tilelang-opt %s '-ascend-split-vector-work=chip-directory=%chips' --verify-diagnostics --split-input-file

!in = memref<64xf32, #ascend.memory<gm>>

// expected-error @+1 {{internal: the program of the Vector core has no grid loop}}
ascend.kernel vector @no_grid parameters ["A"] blocks 1 aic {
^bb0(%a: !in):
  ascend.end
} aiv {
^bb0(%a: !in):
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %tile = tile.alloc {name = "tile"} : memref<64xf32, #ascend.memory<ub>>
  %region = tile.region %tile[%c0] sizes[] : memref<64xf32, #ascend.memory<ub>> -> <64xf32>
  tile.fill %region with %zero : <64xf32>, f32
  ascend.end
}

// -----

!in = memref<64xf32, #ascend.memory<gm>>

ascend.kernel vector @between_tensors parameters ["A"] blocks 1 aic {
^bb0(%a: !in):
  ascend.end
} aiv {
^bb0(%a: !in):
  %c0 = arith.constant 0 : index
  %r = tile.region %a[%c0] sizes [] : !in -> !tile.region<64xf32>
  // expected-error @+1 {{internal: a copy between tensors reached the Vector core}}
  tile.copy %r to %r : !tile.region<64xf32> to !tile.region<64xf32>
  ascend.end
}
