// RUN: tilelang-opt %s --ascend-lower-vector --verify-diagnostics --split-input-file

#id = affine_map<(d0) -> (d0)>
!i = memref<64xi32, #ascend.memory<ub>>
!t = memref<64xf32, #ascend.memory<ub>>

ascend.kernel vector @function parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %i = tile.alloc {name = "i"} : !i
  %t = tile.alloc {name = "t"} : !t
  %ri = tile.region %i[%c0] sizes [] : !i -> !tile.region<64xi32>
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xf32>
  // expected-remark @+1 {{runs as a scalar loop: an index is data or is not affine (gather)}}
  tile.map [64] ins(%ri : !tile.region<64xi32>) outs(%rt : !tile.region<64xf32>) clip [] lower [] upper [] maps [#id, #id] {
  ^bb0(%x: i32):
    %k = arith.index_cast %x : i32 to index
    %v = tile.load %t[%k] : !t -> f32
    // expected-error @+1 {{unsupported: the scalar unit has no 'exp', and the loop around it has no vector form; compute it in a T.Parallel of its own, into a tile}}
    %e = math.exp %v : f32
    tile.yield %e : f32
  }
  ascend.end
}

// -----

!g = memref<64xf64, #ascend.memory<gm>>
!t = memref<64xf64, #ascend.memory<ub>>

ascend.kernel vector @double parameters ["A"] blocks 1 aic {
^bb0(%a: !g):
  ascend.end
} aiv {
^bb0(%a: !g):
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %g = tile.region %a[%c0] sizes [] : !g -> !tile.region<64xf64>
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xf64>
  // expected-error @+1 {{unsupported: elements of type 'f64' on the Vector cores}}
  tile.copy %g to %rt : !tile.region<64xf64> to !tile.region<64xf64>
  ascend.end
}

// -----

#id = affine_map<(d0) -> (d0)>
!t = memref<64xf32, #ascend.memory<ub>>

ascend.kernel vector @left_over parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-error @+1 {{internal: 'tile.kernel' is left in the program of the Vector core}}
  tile.kernel [%c64] {
  ^bb0(%b: index):
  }
  ascend.end
}
