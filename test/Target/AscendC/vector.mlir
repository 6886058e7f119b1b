// Each instruction of the vector unit, by count and by repeats.
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null | grep -v '// .*mlir:.*  ' | FileCheck %s
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_CUBE__ -I %S/../../../ascendc/include -x c++ -
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_VEC__ -I %S/../../../ascendc/include -x c++ -

// CHECK:      // vector: vector kernel on 48 blocks, written by TileLang Native.
// CHECK-NEXT: #include "kernel_operator.h"
// CHECK-EMPTY:
// CHECK-NEXT: using namespace AscendC;
// CHECK-EMPTY:
// CHECK-NEXT: __aicore__ inline void vector_vector(float x, int32_t n) {
// CHECK-NEXT:   LocalTensor<float> u(TPosition::VECCALC, 0x0, 4096);  // UB, 16384 B at 0x0, vector.mlir
// CHECK-NEXT:   LocalTensor<float> v(TPosition::VECCALC, 0x4000, 4096);  // UB, 16384 B at 0x4000, vector.mlir
// CHECK-NEXT:   LocalTensor<half> h(TPosition::VECCALC, 0x8000, 4096);  // UB, 8192 B at 0x8000, vector.mlir
// CHECK-NEXT:   LocalTensor<bfloat16_t> b(TPosition::VECCALC, 0xa000, 4096);  // UB, 8192 B at 0xa000, vector.mlir
// CHECK-NEXT:   LocalTensor<int32_t> i(TPosition::VECCALC, 0xc000, 4096);  // UB, 16384 B at 0xc000, vector.mlir
// CHECK-NEXT:   LocalTensor<uint32_t> w(TPosition::VECCALC, 0x10000, 4096);  // UB, 16384 B at 0x10000, vector.mlir
// CHECK-NEXT:   LocalTensor<int16_t> s(TPosition::VECCALC, 0x14000, 4096);  // UB, 8192 B at 0x14000, vector.mlir
// CHECK-NEXT:   LocalTensor<uint8_t> m(TPosition::VECCALC, 0x16000, 512);  // UB, 512 B at 0x16000, vector.mlir
// CHECK-NEXT:   Exp(u, u, 4096);
// CHECK-NEXT:   Sqrt(h, h, 128, 32, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   Not(s, s, 4096);
// CHECK-NEXT:   DataCopy(u, v, 4096);
// CHECK-NEXT:   Copy(u, v, 64, 16, CopyRepeatParams{1, 1, 8, 0});
// CHECK-NEXT:   Sub(u, u, v, 64, 64, BinaryRepeatParams{1, 1, 0, 8, 8, 1});
// CHECK-NEXT:   Add(w.ReinterpretCast<int32_t>(), w.ReinterpretCast<int32_t>(), w.ReinterpretCast<int32_t>(), 4096);
// CHECK-NEXT:   And(s, s, s, 4096);
// CHECK-NEXT:   Muls(u, u, 0.33333334f, 4096);
// CHECK-NEXT:   Adds(h, h, static_cast<half>(0.5f), 4096);
// CHECK-NEXT:   Adds(i, i, 7, 4096);
// CHECK-NEXT:   ShiftRight(w, w, static_cast<uint32_t>(7), 4096);
// CHECK-NEXT:   ShiftLeft(s, s, static_cast<int16_t>(2), 4096);
// CHECK-NEXT:   Axpy(u, v, x, 64, 8, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   Axpy(u, h, static_cast<half>(0.5f), 4096);
// CHECK-NEXT:   Cast(u, h, RoundMode::CAST_NONE, 4096);
// CHECK-NEXT:   Cast(b, u, RoundMode::CAST_RINT, 64, 64, UnaryRepeatParams{1, 1, 4, 8});
// CHECK-NEXT:   Duplicate(u, (-1.0f / 0.0f), 4096);
// CHECK-NEXT:   Duplicate(b.ReinterpretCast<uint16_t>(), static_cast<uint16_t>(0x3f80), 4096);
// CHECK-NEXT:   Duplicate(i, n, 64, 8, 1, 8);
// CHECK-NEXT:   Compare(m, u, v, CMPMODE::LT, 4096);
// CHECK-NEXT:   Compares(m, h, static_cast<half>(0.5f), CMPMODE::NE, 4096);
// CHECK-NEXT:   Select(u, m, u, v, SELMODE::VSEL_TENSOR_TENSOR_MODE, 4096);
// CHECK-NEXT:   Select(u, m, u, v, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64, 64, BinaryRepeatParams{1, 1, 1, 8, 8, 8});
// CHECK-NEXT:   Brcb(u, v, 64, BrcbRepeatParams{1, 8});
// CHECK-NEXT:   Duplicate(i, n, 64);
// CHECK-NEXT:   uint64_t lanes[2] = {0xaaaaaaaaaaaaaaaa, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(i, i, 1, lanes, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   uint64_t lanes_1[2] = {0xcccccccccccccccc, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(i, i, 2, lanes_1, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   uint64_t lanes_2[2] = {0xf0f0f0f0f0f0f0f0, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(i, i, 4, lanes_2, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   uint64_t lanes_3[2] = {0xff00ff00ff00ff00, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(i, i, 8, lanes_3, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   uint64_t lanes_4[2] = {0xffff0000ffff0000, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(i, i, 16, lanes_4, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   uint64_t lanes_5[2] = {0xffffffff00000000, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(i, i, 32, lanes_5, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(i[64], i, 64, 64);
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(i[128], i, 128, 72);
// CHECK-NEXT:   Duplicate(h, static_cast<half>(0.5f), 20);
// CHECK-NEXT:   uint64_t lanes_6[2] = {0xaaaaa, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(h, h, static_cast<half>(1), lanes_6, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   uint64_t lanes_7[2] = {0xccccc, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(h, h, static_cast<half>(2), lanes_7, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   uint64_t lanes_8[2] = {0xf0f0, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(h, h, static_cast<half>(4), lanes_8, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   uint64_t lanes_9[2] = {0xff00, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(h, h, static_cast<half>(8), lanes_9, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   uint64_t lanes_10[2] = {0xf0000, 0x0};
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Adds(h, h, static_cast<half>(16), lanes_10, 1, UnaryRepeatParams{1, 1, 8, 8});
// CHECK-NEXT:   PipeBarrier<PIPE_V>();
// CHECK-NEXT:   Ln(u[256], u[256], 1024);
// CHECK-NEXT:   Or(u[256].ReinterpretCast<int16_t>()[256], u[256].ReinterpretCast<int16_t>()[256], s, 1024);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: extern "C" __global__ __aicore__ void vector(float x, int32_t n) {
// CHECK-NEXT:   KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
// CHECK-NEXT:   InitSocState();
// CHECK-NEXT:   if ASCEND_IS_AIV {
// CHECK-NEXT:     vector_vector(x, n);
// CHECK-NEXT:   }
// CHECK-NEXT:   PipeBarrier<PIPE_ALL>();
// CHECK-NEXT: }

!ub = memref<4096xf32, #ascend.memory<ub>>
!half = memref<4096xf16, #ascend.memory<ub>>
!bf = memref<4096xbf16, #ascend.memory<ub>>
!int = memref<4096xi32, #ascend.memory<ub>>
!uint = memref<4096xui32, #ascend.memory<ub>>
!short = memref<4096xi16, #ascend.memory<ub>>
!mask = memref<512xi8, #ascend.memory<ub>>

ascend.kernel vector @vector parameters ["x", "n"] blocks 48 aic {
^bb0(%x: f32, %n: i32):
  ascend.end
} aiv {
^bb0(%x: f32, %n: i32):
  %u = ascend.alloc "u" {address = 0 : i64} : !ub
  %v = ascend.alloc "v" {address = 0x4000 : i64} : !ub
  %h = ascend.alloc "h" {address = 0x8000 : i64} : !half
  %b = ascend.alloc "b" {address = 0xa000 : i64} : !bf
  %i = ascend.alloc "i" {address = 0xc000 : i64} : !int
  %w = ascend.alloc "w" {address = 0x10000 : i64} : !uint
  %s = ascend.alloc "s" {address = 0x14000 : i64} : !short
  %m = ascend.alloc "m" {address = 0x16000 : i64} : !mask
  %half = arith.constant 5.0e-01 : f16
  %one = arith.constant 1.0 : bf16
  %lowest = arith.constant 0xFF800000 : f32
  %third = arith.constant 0.333333343 : f32
  %seven = arith.constant 7 : i32
  %two = arith.constant 2 : i16
  %c256 = arith.constant 256 : index

  ascend.unary Exp %u, %u count 4096 : !ub, !ub
  ascend.unary Sqrt %h, %h repeat <mask = 128, count = 32, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 0> : !half, !half
  ascend.unary Not %s, %s count 4096 : !short, !short
  ascend.unary Copy %u, %v count 4096 : !ub, !ub
  ascend.unary Copy %u, %v repeat <mask = 64, count = 16, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 0, src1Block = 0, src1Repeat = 0> : !ub, !ub
  ascend.binary Sub %u, %u, %v repeat <mask = 64, count = 64, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 1> : !ub, !ub, !ub
  ascend.binary Add %w, %w, %w count 4096 : !uint, !uint, !uint
  ascend.binary And %s, %s, %s count 4096 : !short, !short, !short
  ascend.scalar Muls %u, %u, %third count 4096 : !ub, !ub, f32
  ascend.scalar Adds %h, %h, %half count 4096 : !half, !half, f16
  ascend.scalar Adds %i, %i, %seven count 4096 : !int, !int, i32
  ascend.scalar ShiftRight %w, %w, %seven count 4096 : !uint, !uint, i32
  ascend.scalar ShiftLeft %s, %s, %two count 4096 : !short, !short, i16
  ascend.scalar Axpy %u, %v, %x repeat <mask = 64, count = 8, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 0> : !ub, !ub, f32
  ascend.scalar Axpy %u, %h, %half count 4096 : !ub, !half, f16
  ascend.cast None %u, %h count 4096 : !ub, !half
  ascend.cast Rint %b, %u repeat <mask = 64, count = 64, dstBlock = 1, dstRepeat = 4, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 0> : !bf, !ub
  ascend.duplicate %u, %lowest count 4096 : !ub, f32
  ascend.duplicate %b, %one count 4096 : !bf, bf16
  ascend.duplicate %i, %n repeat <mask = 64, count = 8, dstBlock = 1, dstRepeat = 8, src0Block = 0, src0Repeat = 0, src1Block = 0, src1Repeat = 0> : !int, i32
  ascend.compare LT %m, %u, %v count 4096 : !mask, !ub, !ub
  ascend.compare_scalar NE %m, %h, %half count 4096 : !mask, !half, f16
  ascend.select %u, %m, %u, %v count 4096 : !ub, !mask, !ub, !ub
  ascend.select %u, %m, %u, %v repeat <mask = 64, count = 64, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 1, src1Repeat = 8> : !ub, !mask, !ub, !ub
  %column = ascend.view %v : !ub -> memref<512xf32, #ascend.memory<ub>>
  ascend.broadcast %u, %column count 512 : !ub, memref<512xf32, #ascend.memory<ub>>
  ascend.vector_index %i, %n count 200 : !int, i32
  ascend.vector_index %h, %half count 20 : !half, f16
  ascend.barrier V

  // Views: an offset, and other types of the same bytes.
  %part = ascend.view %u offset %c256 : !ub -> memref<1024xf32, #ascend.memory<ub>>
  %bits = ascend.view %part : memref<1024xf32, #ascend.memory<ub>> -> memref<2048xi16, #ascend.memory<ub>>
  %upper = ascend.view %bits offset %c256 : memref<2048xi16, #ascend.memory<ub>> -> memref<1024xi16, #ascend.memory<ub>>
  ascend.unary Ln %part, %part count 1024 : memref<1024xf32, #ascend.memory<ub>>, memref<1024xf32, #ascend.memory<ub>>
  ascend.binary Or %upper, %upper, %s count 1024 : memref<1024xi16, #ascend.memory<ub>>, memref<1024xi16, #ascend.memory<ub>>, !short
  ascend.end
}
