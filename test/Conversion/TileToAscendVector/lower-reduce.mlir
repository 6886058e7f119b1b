// RUN: tilelang-opt %s --ascend-lower-vector --canonicalize --cse --split-input-file | FileCheck %s

// Along rows: blocks of eight, chunk by chunk where rows have gaps, the tail by its lanes; then blocks twice.

!t = memref<16x300xf32, #ascend.memory<ub>>
!v = memref<16xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @rows
// CHECK-DAG: %[[T:.*]] = ascend.alloc "t" : memref<16x320xf32
// CHECK-DAG: %[[V:.*]] = ascend.alloc "v" : memref<128xf32
// CHECK-DAG: %[[FIRST:.*]] = ascend.alloc "temporary0" {temporary} : memref<640xf32
// CHECK-DAG: %[[BLOCKS:.*]] = ascend.alloc "temporary1" {temporary} : memref<128xf32
// CHECK-COUNT-4: ascend.reduce Block Max %{{.*}} lanes [64] repeats 16 strides 5, 1, 40
// CHECK: ascend.reduce Block Max %{{.*}} lanes [44] repeats 16 strides 5, 1, 40
// CHECK: ascend.reduce Block Max %[[BLOCKS]], %{{.*}} lanes [38] repeats 16 strides 1, 1, 5
// CHECK: ascend.reduce Block Max %{{.*}}, %{{.*}} lanes [{{[0-9]+}}, 0] repeats 2 strides 1, 1, 8
// CHECK-NOT: tile.
ascend.kernel vector @rows parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %v = tile.alloc {name = "v"} : !v
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<16x300xf32>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<16xf32>
  tile.reduce max %rt into %rv dim 1 : !tile.region<16x300xf32> into !tile.region<16xf32>
  ascend.end
}

// -----

// Rows without gaps are one instruction; few rows end in whole reductions.

!t = memref<2x1024xf32, #ascend.memory<ub>>
!v = memref<2xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @few
// CHECK-NOT: scf.for
// CHECK: ascend.reduce Block Sum %{{.*}} lanes [64] repeats 32 strides 1, 1, 8
// CHECK: ascend.reduce Block Sum %{{.*}} lanes [64] repeats 4 strides 1, 1, 8
// CHECK: ascend.reduce Whole Sum %{{.*}} lanes [16] repeats 2 strides 1, 1, 2
ascend.kernel vector @few parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %v = tile.alloc {name = "v"} : !v
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<2x1024xf32>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<2xf32>
  tile.reduce sum %rt into %rv dim 1 : !tile.region<2x1024xf32> into !tile.region<2xf32>
  ascend.end
}

// -----

// Across rows: halves, the last of which writes the result.

!t = memref<7x128xf32, #ascend.memory<ub>>
!v = memref<128xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @columns
// CHECK-DAG: %[[V:.*]] = ascend.alloc "v" : memref<128xf32
// CHECK: ascend.binary Add %{{.*}} count 384
// CHECK: ascend.binary Add %{{.*}} count 128
// CHECK: ascend.binary Add %{{.*}} count 128
// CHECK: ascend.binary Add %[[V]], %{{.*}} count 128
// CHECK-NOT: ascend.reduce
ascend.kernel vector @columns parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %v = tile.alloc {name = "v"} : !v
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<7x128xf32>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<128xf32>
  tile.reduce sum %rt into %rv dim 0 : !tile.region<7x128xf32> into !tile.region<128xf32>
  ascend.end
}

// -----

// Halves are widened, results combined with the old ones and rounded once.

!t = memref<16x64xf16, #ascend.memory<ub>>
!v = memref<16xf16, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @half
// CHECK: ascend.cast None
// CHECK: ascend.unary Abs
// CHECK: ascend.reduce Block Max
// CHECK: ascend.reduce Block Max
// CHECK: ascend.binary Max
// CHECK: ascend.cast Rint
ascend.kernel vector @half parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %v = tile.alloc {name = "v"} : !v
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<16x64xf16>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<16xf16>
  tile.reduce absmax %rt into %rv dim 1 {accumulate} : !tile.region<16x64xf16> into !tile.region<16xf16>
  ascend.end
}

// -----

// More than 255 repetitions: equal parts. A second operation uses the same temporaries.

!t = memref<64x256xf32, #ascend.memory<ub>>
!v = memref<64xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @parts
// CHECK-COUNT-2: {temporary}
// CHECK-NOT: {temporary}
// CHECK: ascend.reduce Block Max %{{.*}} lanes [64] repeats 128 strides 1, 1, 8
// CHECK: ascend.reduce Block Max %{{.*}} lanes [64] repeats 128 strides 1, 1, 8
// CHECK: ascend.reduce Block Max %{{.*}} lanes [32] repeats 64 strides 1, 1, 4
// CHECK: ascend.reduce Block Max %{{.*}} repeats 8 strides 1, 1, 8
// CHECK: ascend.reduce Block Sum
ascend.kernel vector @parts parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %v = tile.alloc {name = "v"} : !v
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<64x256xf32>
  %rv = tile.region %v[%c0] sizes [] : !v -> !tile.region<64xf32>
  tile.reduce max %rt into %rv dim 1 : !tile.region<64x256xf32> into !tile.region<64xf32>
  tile.reduce sum %rt into %rv dim 1 : !tile.region<64x256xf32> into !tile.region<64xf32>
  ascend.end
}
