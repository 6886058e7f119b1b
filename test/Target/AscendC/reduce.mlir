// The text of reductions, and that the API takes it.
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null | FileCheck %s
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_VEC__ -I %S/../../../ascendc/include -x c++ -

!a = memref<16x64xf32, #ascend.memory<ub>>
!b = memref<128xf32, #ascend.memory<ub>>
ascend.kernel vector @reduce parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %a = ascend.alloc "a" {address = 0 : i64} : !a
  %b = ascend.alloc "b" {address = 4096 : i64} : !b
  // CHECK: WholeReduceSum(b, a, 44, 16, 1, 1, 8);
  ascend.reduce Whole Sum %b, %a lanes [44] repeats 16 strides 1, 1, 8 : !b, !a
  // CHECK: WholeReduceMax(b, a, 64, 3, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  ascend.reduce Whole Max %b, %a lanes [64] repeats 3 strides 1, 1, 8 : !b, !a
  // CHECK: BlockReduceMin(b, a, 16, 64, 1, 1, 8);
  ascend.reduce Block Min %b, %a lanes [64] repeats 16 strides 1, 1, 8 : !b, !a
  // CHECK: uint64_t lanes[2] = {0x707070707070707, 0x0};
  // CHECK: BlockReduceSum(b, a, 2, lanes, 1, 8, 64);
  ascend.reduce Block Sum %b, %a lanes [506381209866536711, 0] repeats 2 strides 1, 8, 64 : !b, !a
  // CHECK: PairReduceSum(b, a, 2, 64, 1, 1, 8);
  ascend.reduce Pair Sum %b, %a lanes [64] repeats 2 strides 1, 1, 8 : !b, !a
  ascend.end
}
