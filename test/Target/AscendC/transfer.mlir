// Rows between GM and UB, and single elements.
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null | grep -v '// .*mlir:.*  ' | FileCheck %s
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_CUBE__ -I %S/../../../ascendc/include -x c++ -
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_VEC__ -I %S/../../../ascendc/include -x c++ -

// CHECK:      // transfer: vector kernel on 48 blocks, written by TileLang Native.
// CHECK-NEXT: #include "kernel_operator.h"
// CHECK-EMPTY:
// CHECK-NEXT: using namespace AscendC;
// CHECK-EMPTY:
// CHECK-NEXT: __aicore__ inline void transfer_vector(GM_ADDR X_address, GM_ADDR flags_address, int64_t n_argument) {
// CHECK-NEXT:   const int32_t n = int32_t(n_argument);
// CHECK-NEXT:   GlobalTensor<float> X;
// CHECK-NEXT:   X.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(X_address), 100000);
// CHECK-NEXT:   GlobalTensor<int8_t> flags;
// CHECK-NEXT:   flags.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t *>(flags_address), 1000);
// CHECK-NEXT:   LocalTensor<float> u(TPosition::VECCALC, 0x0, 6656);  // UB, 26624 B at 0x0, transfer.mlir
// CHECK-NEXT:   LocalTensor<float> r(TPosition::VECCALC, 0x8000, 100);  // UB, 416 B at 0x8000, transfer.mlir
// CHECK-NEXT:   LocalTensor<float> t(TPosition::VECCALC, 0x0, 40000);  // UB, 160000 B at 0x0, transfer.mlir
// CHECK-NEXT:   LocalTensor<uint8_t> m(TPosition::VECCALC, 0x9000, 1024);  // UB, 1024 B at 0x9000, transfer.mlir
// CHECK-NEXT:   const int32_t left = 64 - n;
// CHECK-NEXT:   DataCopyPad(u, X[n], DataCopyExtParams{64, 400, 0, 0, 0}, DataCopyPadExtParams<float>{true, 0, 0, 0});
// CHECK-NEXT:   DataCopyPad(u, X[n], DataCopyExtParams{uint16_t(left), 384, 16, 1, 0}, DataCopyPadExtParams<float>{true, 0, 0, 0});
// CHECK-NEXT:   DataCopyPad(X[n], u, DataCopyExtParams{64, uint32_t(left * 4), uint32_t(13 - (left * 4 + 31) / 32), uint32_t((100 - left) * 4), 0});
// CHECK-NEXT:   DataCopy(r, X[n], 96);
// CHECK-NEXT:   DataCopyPad(r, X[n], DataCopyExtParams{1, 12, 0, 0, 0}, DataCopyPadExtParams<float>{true, 0, 0, 0});
// CHECK-NEXT:   DataCopyPad(X[n], r, DataCopyExtParams{1, 12, 0, 0, 0});
// CHECK-NEXT:   SetAtomicAdd<float>();
// CHECK-NEXT:   DataCopyPad(X[n], r, DataCopyExtParams{1, 12, 0, 0, 0});
// CHECK-NEXT:   SetAtomicNone();
// CHECK-NEXT:   for (int32_t row = 0; row < 64; ++row) {
// CHECK-NEXT:     DataCopyPad(u[row * 104], X[n], DataCopyExtParams{1, 400, 0, 0, 0}, DataCopyPadExtParams<float>{true, 0, 0, 0});
// CHECK-NEXT:   }
// CHECK-NEXT:   for (int32_t row_1 = 0; row_1 < n; row_1 += 4095) {
// CHECK-NEXT:     const int32_t count = n - row_1 < 4095 ? n - row_1 : 4095;
// CHECK-NEXT:     DataCopyPad(t[row_1 * 8], X[row_1 * 8], DataCopyExtParams{uint16_t(count), 12, 20, 0, 0}, DataCopyPadExtParams<float>{true, 0, 0, 0});
// CHECK-NEXT:   }
// CHECK-NEXT:   DataCopy(X[n], u, 6144);
// CHECK-NEXT:   DataCopy(m.ReinterpretCast<int8_t>(), flags[n], 64);
// CHECK-NEXT:   Compare(m, u, u, CMPMODE::GT, 1024);
// CHECK-NEXT:   const float value = u.GetValue(104);
// CHECK-NEXT:   const int8_t value_1 = flags.GetValue(n);
// CHECK-NEXT:   r.SetValue(n, static_cast<float>(value_1) * value);
// CHECK-NEXT:   X.SetValue(n, 2.5f);
// CHECK-NEXT:   DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(X[n]);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: extern "C" __global__ __aicore__ void transfer(GM_ADDR X, GM_ADDR flags, int64_t n) {
// CHECK-NEXT:   KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
// CHECK-NEXT:   InitSocState();
// CHECK-NEXT:   if ASCEND_IS_AIV {
// CHECK-NEXT:     transfer_vector(X, flags, n);
// CHECK-NEXT:   }
// CHECK-NEXT:   PipeBarrier<PIPE_ALL>();
// CHECK-NEXT: }

!gm = memref<1000x100xf32, #ascend.memory<gm>>
!bytes = memref<1000xi8, #ascend.memory<gm>>
!ub = memref<64x104xf32, #ascend.memory<ub>>
!dense = memref<64x100xf32, #ascend.memory<ub>>
!row = memref<100xf32, #ascend.memory<ub>>
!tall = memref<5000x8xf32, #ascend.memory<ub>>
!mask = memref<1024xi8, #ascend.memory<ub>>

ascend.kernel vector @transfer parameters ["X", "flags", "n"] blocks 48 aic {
^bb0(%X: !gm, %flags: !bytes, %n: index):
  ascend.end
} aiv {
^bb0(%X: !gm, %flags: !bytes, %n: index):
  %u = ascend.alloc "u" {address = 0 : i64} : !ub
  %r = ascend.alloc "r" {address = 0x8000 : i64} : !row
  %t = ascend.alloc "t" {address = 0 : i64} : !tall
  %m = ascend.alloc "m" {address = 0x9000 : i64} : !mask
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %c100 = arith.constant 100 : index
  %c104 = arith.constant 104 : index
  %c1000 = arith.constant 1000 : index
  %x = arith.constant 2.5 : f32
  %left = arith.subi %c64, %n : index loc("left")

  // Whole rows with a gap in UB, run-time rows, run-time columns.
  ascend.load %X at %n rows %c64 columns %c100 stride %c100 to %u : !gm to !ub
  ascend.load %X at %n rows %left columns %c96 stride %c100 to %u : !gm to !ub
  ascend.store %u to %X at %n rows %c64 columns %left stride %c100 : !ub to !gm
  // One row, in whole blocks of 32 bytes and not.
  ascend.load %X at %n rows %c1 columns %c96 stride %c100 to %r : !gm to !row
  ascend.load %X at %n rows %c1 columns %c3 stride %c0 to %r : !gm to !row
  ascend.store %r to %X at %n rows %c1 columns %c3 stride %c0 : !row to !gm
  // Atomic mode is on for one store.
  ascend.store %r to %X at %n rows %c1 columns %c3 stride %c0 {atomic} : !row to !gm
  // Nothing at all.
  ascend.load %X at %n rows %c64 columns %c0 stride %c100 to %u : !gm to !ub
  // The same row again and again.
  ascend.load %X at %n rows %c64 columns %c100 stride %c0 to %u : !gm to !ub
  // More rows than the field holds.
  ascend.load %X at %c0 rows %n columns %c3 stride %c8 to %t : !gm to !tall
  // Both sides without gaps are one run.
  %d = ascend.view %u : !ub -> memref<64x96xf32, #ascend.memory<ub>>
  ascend.store %d to %X at %n rows %c64 columns %c96 stride %c96 : memref<64x96xf32, #ascend.memory<ub>> to !gm
  // Bit masks are unsigned bytes.
  ascend.load %flags at %n rows %c1 columns %c64 stride %c64 to %m : !bytes to !mask
  ascend.compare GT %m, %u, %u count 1024 : !mask, !ub, !ub

  %value = ascend.get_value %u at %c104 : !ub -> f32
  %flag = ascend.get_value %flags at %n : !bytes -> i8
  %number = arith.sitofp %flag : i8 to f32
  %scaled = arith.mulf %number, %value : f32
  ascend.set_value %scaled to %r at %n : f32 to !row
  ascend.set_value %x to %X at %n : f32 to !gm
  ascend.end
}
