// RUN: tilelang-opt %s --ascend-lower-vector --split-input-file --verify-diagnostics

!t = memref<16x64xui32, #ascend.memory<ub>>
!v = memref<16xui32, #ascend.memory<ub>>
ascend.kernel vector @unsigned parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %v = tile.alloc {name = "v"} : !v
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<16x64xui32>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<16xui32>
  // expected-error @below {{unsupported: the largest or smallest of uint32 elements; the vector unit compares signed integers only}}
  tile.reduce max %rt into %rv dim 1 : !tile.region<16x64xui32> into !tile.region<16xui32>
  ascend.end
}

// -----

!t = memref<16x64xi64, #ascend.memory<ub>>
!v = memref<16xi64, #ascend.memory<ub>>
ascend.kernel vector @long parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %v = tile.alloc {name = "v"} : !v
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<16x64xi64>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<16xi64>
  // expected-error @below {{unsupported: a reduction of elements of type i64 on the Vector cores}}
  tile.reduce sum %rt into %rv dim 1 : !tile.region<16x64xi64> into !tile.region<16xi64>
  ascend.end
}
