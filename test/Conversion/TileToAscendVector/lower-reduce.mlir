// RUN: tilelang-opt %s --ascend-lower-vector --canonicalize --cse --split-input-file | FileCheck %s

// Along rows: a tree of chunks of 64 columns, the tail by its lanes, blocks twice.

!t = memref<16x300xf32, #ascend.memory<ub>>
!v = memref<16xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @rows
// CHECK-DAG: %[[T:.*]] = ascend.alloc "t" : memref<16x320xf32
// CHECK-DAG: %[[V:.*]] = ascend.alloc "v" : memref<128xf32
// CHECK-DAG: %[[TREE:.*]] = ascend.alloc "temporary0" {temporary} : memref<2048xf32
// CHECK-DAG: %[[BLOCKS:.*]] = ascend.alloc "temporary1" {temporary} : memref<128xf32
// CHECK: ascend.binary Max %{{.*}} repeat <mask = 64, count = 16, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 40, src1Block = 1, src1Repeat = 40>
// CHECK: ascend.binary Max %{{.*}} repeat <mask = 64, count = 16, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 40, src1Block = 1, src1Repeat = 40>
// CHECK: ascend.binary Max %{{.*}} repeat <mask = 64, count = 16, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 1, src1Repeat = 16>
// CHECK: ascend.binary Max %{{.*}} repeat <mask = 44, count = 16,
// CHECK: ascend.reduce Block Max %[[BLOCKS]], %{{.*}} lanes [64] repeats 16 strides 1, 1, 16
// CHECK: ascend.reduce Block Max %{{.*}}, %{{.*}} lanes [64] repeats 2 strides 1, 1, 8
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

// Few rows: one instruction for each row of a level, whole reductions.

!t = memref<2x1024xf32, #ascend.memory<ub>>
!v = memref<2xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @few
// CHECK: scf.for
// CHECK: ascend.binary Add %{{.*}} count 512
// CHECK: ascend.reduce Whole Sum %{{.*}} lanes [64] repeats 2 strides 1, 1, 64
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
