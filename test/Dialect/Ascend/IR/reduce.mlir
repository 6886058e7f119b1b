// RUN: tilelang-opt %s | FileCheck %s

!a = memref<16x64xf32, #ascend.memory<ub>>
!b = memref<128xf32, #ascend.memory<ub>>
!g = memref<?xf16, #ascend.memory<gm>>

// CHECK-LABEL: func.func @reduce
func.func @reduce(%g: !g, %m: index, %s: index) {
  %a = ascend.alloc "a" : !a
  %b = ascend.alloc "b" : !b
  // CHECK: ascend.reduce Whole Sum %{{.*}}, %{{.*}} lanes [44] repeats 16 strides 1, 1, 8
  ascend.reduce Whole Sum %b, %a lanes [44] repeats 16 strides 1, 1, 8 : !b, !a
  // CHECK: ascend.reduce Block Max %{{.*}}, %{{.*}} lanes [64] repeats 16 strides 1, 1, 8
  ascend.reduce Block Max %b, %a lanes [64] repeats 16 strides 1, 1, 8 : !b, !a
  // CHECK: ascend.reduce Block Min %{{.*}}, %{{.*}} lanes [506381209866536711, 0] repeats 2 strides 1, 8, 64
  ascend.reduce Block Min %b, %a lanes [506381209866536711, 0] repeats 2 strides 1, 8, 64 : !b, !a
  // CHECK: ascend.tensor %{{.*}} sizes[%{{.*}}] strides[] : {{.*}} -> memref<?x128xf16, #ascend.memory<gm>>
  %t = ascend.tensor %g sizes [%m] strides [] : !g -> memref<?x128xf16, #ascend.memory<gm>>
  // CHECK: ascend.tensor %{{.*}} sizes[%{{.*}}] strides[%{{.*}}]
  %u = ascend.tensor %g sizes [%m] strides [%s] : !g -> memref<?x128xf16, strided<[?, 1]>, #ascend.memory<gm>>
  return
}
