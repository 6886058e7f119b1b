// Offsets need 64 bits where a tensor has 2^30 elements or more.
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null | grep -v '// .*mlir:.*  ' | FileCheck %s
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_CUBE__ -I %S/../../../ascendc/include -x c++ -
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_VEC__ -I %S/../../../ascendc/include -x c++ -

// CHECK:      // wide: vector kernel on 48 blocks, written by TileLang Native.
// CHECK-NEXT: #include "kernel_operator.h"
// CHECK-EMPTY:
// CHECK-NEXT: using namespace AscendC;
// CHECK-EMPTY:
// CHECK-NEXT: __aicore__ inline void wide_vector(GM_ADDR X_address, int32_t n) {
// CHECK-NEXT:   GlobalTensor<float> X;
// CHECK-NEXT:   X.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(X_address), 2147483648);
// CHECK-NEXT:   LocalTensor<float> u(TPosition::VECCALC, 0x0, 64);  // UB, 256 B at 0x0, wide-index.mlir
// CHECK-NEXT:   const int64_t block = int64_t(GetBlockIdx());
// CHECK-NEXT:   const int64_t blocks = int64_t(GetBlockNum());
// CHECK-NEXT:   const int64_t end = static_cast<int64_t>(n);
// CHECK-NEXT:   for (int64_t tile = block; tile < end; tile += blocks) {
// CHECK-NEXT:     DataCopy(u, X[tile * 32768], 64);
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: extern "C" __global__ __aicore__ void wide(GM_ADDR X, int32_t n) {
// CHECK-NEXT:   KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
// CHECK-NEXT:   InitSocState();
// CHECK-NEXT:   if ASCEND_IS_AIV {
// CHECK-NEXT:     wide_vector(X, n);
// CHECK-NEXT:   }
// CHECK-NEXT:   PipeBarrier<PIPE_ALL>();
// CHECK-NEXT: }

!gm = memref<65536x32768xf32, #ascend.memory<gm>>
!ub = memref<64xf32, #ascend.memory<ub>>

ascend.kernel vector @wide parameters ["X", "n"] blocks 48 aic {
^bb0(%X: !gm, %n: i32):
  ascend.end
} aiv {
^bb0(%X: !gm, %n: i32):
  %u = ascend.alloc "u" {address = 0 : i64} : !ub
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c65536 = arith.constant 65536 : index
  %c32768 = arith.constant 32768 : index
  %rows = arith.index_cast %n : i32 to index
  %block = ascend.block_idx
  %blocks = ascend.block_num
  scf.for %row = %block to %rows step %blocks {
    %offset = arith.muli %row, %c32768 : index
    ascend.load %X at %offset rows %c1 columns %c64 stride %c64 to %u : !gm to !ub
  } {ascend.grid}
  ascend.end
}
