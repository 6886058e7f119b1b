// RUN: tilelang-opt %s --split-input-file --verify-diagnostics

!a = memref<16x64xf32, #ascend.memory<ub>>
!b = memref<128xf32, #ascend.memory<ub>>
func.func @pairs() {
  %a = ascend.alloc "a" : !a
  %b = ascend.alloc "b" : !b
  // expected-error @below {{expected Sum for pairs, found Max}}
  ascend.reduce Pair Max %b, %a lanes [64] repeats 1 strides 1, 1, 8 : !b, !a
  return
}

// -----

!a = memref<16x64xi32, #ascend.memory<ub>>
func.func @integers() {
  %a = ascend.alloc "a" : !a
  // expected-error @below {{expected elements of type f16 or f32, found 'i32'}}
  ascend.reduce Whole Sum %a, %a lanes [64] repeats 1 strides 1, 1, 8 : !a, !a
  return
}

// -----

!a = memref<16x64xf32, #ascend.memory<ub>>
!b = memref<128xf32, #ascend.memory<ub>>
func.func @lanes() {
  %a = ascend.alloc "a" : !a
  %b = ascend.alloc "b" : !b
  // expected-error @below {{expected lanes in 1..64, found 65}}
  ascend.reduce Whole Sum %b, %a lanes [65] repeats 1 strides 1, 1, 8 : !b, !a
  return
}

// -----

!a = memref<16x64xf32, #ascend.memory<ub>>
!b = memref<128xf32, #ascend.memory<ub>>
func.func @source() {
  %a = ascend.alloc "a" : !a
  %b = ascend.alloc "b" : !b
  // expected-error @below {{expected a source of at least 1081 elements, found 1024}}
  ascend.reduce Whole Sum %b, %a lanes [64] repeats 17 strides 1, 1, 8 : !b, !a
  return
}

// -----

!a = memref<16x64xf32, #ascend.memory<ub>>
!b = memref<8xf32, #ascend.memory<ub>>
func.func @destination() {
  %a = ascend.alloc "a" : !a
  %b = ascend.alloc "b" : !b
  // expected-error @below {{expected a destination of at least 121 elements, found 8}}
  ascend.reduce Block Sum %b, %a lanes [64] repeats 16 strides 1, 1, 8 : !b, !a
  return
}

// -----

!g = memref<?xf16, #ascend.memory<gm>>
func.func @sizes(%g: !g, %m: index) {
  // expected-error @below {{expected 2 sizes, one for each dynamic dimension of 'memref<?x?xf16, #ascend.memory<gm>>', found 1}}
  %t = ascend.tensor %g sizes [%m] strides [] : !g -> memref<?x?xf16, #ascend.memory<gm>>
  return
}
