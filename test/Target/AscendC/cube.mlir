// Each instruction of the Cube core, in each of its forms.
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null | grep -v '// .*mlir:.*  ' | FileCheck %s
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_CUBE__ -I %S/../../../ascendc/include -x c++ -
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_VEC__ -I %S/../../../ascendc/include -x c++ -

// CHECK:      // cube: cube kernel on 8 blocks, written by TileLang Native.
// CHECK-NEXT: #include "kernel_operator.h"
// CHECK-EMPTY:
// CHECK-NEXT: using namespace AscendC;
// CHECK-EMPTY:
// CHECK-NEXT: __aicore__ inline void cube_cube(GM_ADDR A_address, GM_ADDR W_address, GM_ADDR B_address, GM_ADDR F_address, int32_t m) {
// CHECK-NEXT:   GlobalTensor<half> A;
// CHECK-NEXT:   A.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(A_address), 65536);
// CHECK-NEXT:   GlobalTensor<half> W;
// CHECK-NEXT:   W.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(W_address), 17920000);
// CHECK-NEXT:   GlobalTensor<bfloat16_t> B;
// CHECK-NEXT:   B.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t *>(B_address), 65536);
// CHECK-NEXT:   GlobalTensor<float> F;
// CHECK-NEXT:   F.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(F_address), 65536);
// CHECK-NEXT:   const uint8_t noPadding[4] = {0, 0, 0, 0};
// CHECK-NEXT:   LocalTensor<half> l1(TPosition::A1, 0x0, 8192);  // L1, 16384 B at 0x0, cube.mlir
// CHECK-NEXT:   LocalTensor<float> l1f(TPosition::A1, 0x8000, 2048);  // L1, 8192 B at 0x8000, cube.mlir
// CHECK-NEXT:   LocalTensor<half> a(TPosition::A2, 0x0, 4096);  // L0A, 8192 B at 0x0, cube.mlir
// CHECK-NEXT:   LocalTensor<half> b(TPosition::B2, 0x0, 4096);  // L0B, 8192 B at 0x0, cube.mlir
// CHECK-NEXT:   LocalTensor<float> af(TPosition::A2, 0x4000, 2048);  // L0A, 8192 B at 0x4000, cube.mlir
// CHECK-NEXT:   LocalTensor<float> at(TPosition::A2, 0x8000, 2048);  // L0A, 8192 B at 0x8000, cube.mlir
// CHECK-NEXT:   LocalTensor<float> bf(TPosition::B2, 0x4000, 2048);  // L0B, 8192 B at 0x4000, cube.mlir
// CHECK-NEXT:   LocalTensor<float> c(TPosition::CO1, 0x0, 4096);  // L0C, 16384 B at 0x0, cube.mlir
// CHECK-NEXT:   const int32_t rows = m < 64 ? m : 64;
// CHECK-NEXT:   DataCopy(l1, A, Nd2NzParams{1, 128, 64, 0, 256, 128, 1, 0});
// CHECK-NEXT:   if (rows > 0) {
// CHECK-NEXT:     DataCopy(l1, A[m], Nd2NzParams{1, uint16_t(rows), 64, 0, 256, 128, 1, 0});
// CHECK-NEXT:   }
// CHECK-NEXT:   if (rows > 0) {
// CHECK-NEXT:     for (int32_t row = 0; row < rows; ++row) {
// CHECK-NEXT:       DataCopy(l1[row * 16], W[m + row * 70000], Nd2NzParams{1, 1, 64, 0, 64, 128, 1, 0});
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   DataCopy(l1, W[m], Nd2NzParams{1, 1, 64, 0, 64, 128, 1, 0});
// CHECK-NEXT:   LoadData(a, l1, LoadData3DParamsV2<half>{noPadding, 1, 128, 64, 32, 64, 32, 16, 1, 1, 1, 1, 1, 1, false, false, 0});
// CHECK-NEXT:   LoadData(a, l1, LoadData3DParamsV2<half>{noPadding, 1, 128, 64, 32, 64, 16, 64, 1, 1, 1, 1, 1, 1, true, false, 0});
// CHECK-NEXT:   if (rows > 0) {
// CHECK-NEXT:     LoadData(a, l1, LoadData3DParamsV2<half>{noPadding, 1, 128, 64, 64, uint16_t((rows + 15) / 16 * 16), 0, 0, 1, 1, 1, 1, 1, 1, false, false, 0});
// CHECK-NEXT:   }
// CHECK-NEXT:   LoadData(b, l1, LoadData3DParamsV2<half>{noPadding, 1, 128, 64, 32, 64, 16, 64, 1, 1, 1, 1, 1, 1, true, false, 0});
// CHECK-NEXT:   LoadData(b, l1, LoadData2DParams{8, 16, 1, 0, 0, false, 0});
// CHECK-NEXT:   for (int32_t fractal = 0; fractal < 2; ++fractal) {
// CHECK-NEXT:     LoadData(b[fractal * 1024], l1, LoadData2DParams{uint16_t(12 + fractal * 8), 4, 1, 0, 0, false, 0});
// CHECK-NEXT:   }
// CHECK-NEXT:   if (rows > 0) {
// CHECK-NEXT:     const int32_t nFractals = (rows + 15) / 16;
// CHECK-NEXT:     for (int32_t fractal_1 = 0; fractal_1 < 4; ++fractal_1) {
// CHECK-NEXT:       LoadData(b[fractal_1 * (nFractals * 256)], l1, LoadData2DParams{uint16_t(fractal_1 * 8), uint8_t(nFractals), 1, 0, 0, false, 0});
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   for (int32_t fractal_2 = 0; fractal_2 < 2; ++fractal_2) {
// CHECK-NEXT:     LoadData(af[fractal_2 * 512], l1f, LoadData2DParams{uint16_t(1 + fractal_2), 4, 4, 0, 0, false, 0});
// CHECK-NEXT:   }
// CHECK-NEXT:   LoadData(at, l1f, LoadData3DParamsV2<float>{noPadding, 1, 64, 32, 32, 64, 0, 0, 1, 1, 1, 1, 1, 1, true, false, 0});
// CHECK-NEXT:   LoadData(bf, l1f, LoadData2DParams{0, 16, 1, 0, 0, false, 0});
// CHECK-NEXT:   LoadData(bf, l1f, LoadData3DParamsV2<float>{noPadding, 1, 64, 32, 16, 64, 16, 0, 1, 1, 1, 1, 1, 1, true, false, 0});
// CHECK-NEXT:   Fill(a, InitConstValueParams<half>{1, 16, 0, 0});
// CHECK-NEXT:   Mmad(c, a, b, MmadParams{64, 64, 32, 0, false, true});
// CHECK-NEXT:   Mmad(c, a, b, MmadParams{uint16_t((rows + 15) / 16 * 16), 64, uint16_t(m), 0, false, false});
// CHECK-NEXT:   Mmad(c, af, bf, MmadParams{32, 64, 32, 0, false, true});
// CHECK-NEXT:   MmadParams product{32, 64, 32, 0, false, true};
// CHECK-NEXT:   product.kDirectionAlign = true;
// CHECK-NEXT:   Mmad(c, at, bf, product);
// CHECK-NEXT:   Fixpipe<half, float, CFG_ROW_MAJOR>(A[m], c, FixpipeParamsV220{64, 64, 64, 256, true, QuantMode_t::F322F16, 0, 1, 0, 0, 0});
// CHECK-NEXT:   if (rows > 0) {
// CHECK-NEXT:     Fixpipe<bfloat16_t, float, CFG_ROW_MAJOR>(B[m], c, FixpipeParamsV220{64, uint16_t(rows), 64, 256, false, QuantMode_t::F322BF16, 0, 1, 0, 0, 0});
// CHECK-NEXT:   }
// CHECK-NEXT:   if (rows > 0) {
// CHECK-NEXT:     SetAtomicAdd<bfloat16_t>();
// CHECK-NEXT:     Fixpipe<bfloat16_t, float, CFG_ROW_MAJOR>(B[m], c, FixpipeParamsV220{64, uint16_t(rows), 64, 256, false, QuantMode_t::F322BF16, 0, 1, 0, 0, 0});
// CHECK-NEXT:     SetAtomicNone();
// CHECK-NEXT:   }
// CHECK-NEXT:   if (rows > 0) {
// CHECK-NEXT:     Fixpipe<float, float, CFG_ROW_MAJOR>(F[m], c, FixpipeParamsV220{1, uint16_t(rows), uint16_t((rows + 15) / 16 * 16), 256, false, QuantMode_t::NoQuant, 0, 1, 0, 0, 0});
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: extern "C" __global__ __aicore__ void cube(GM_ADDR A, GM_ADDR W, GM_ADDR B, GM_ADDR F, int32_t m) {
// CHECK-NEXT:   KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
// CHECK-NEXT:   InitSocState();
// CHECK-NEXT:   if ASCEND_IS_AIC {
// CHECK-NEXT:     cube_cube(A, W, B, F, m);
// CHECK-NEXT:   }
// CHECK-NEXT:   PipeBarrier<PIPE_ALL>();
// CHECK-NEXT: }

!gm = memref<256x256xf16, #ascend.memory<gm>>
!gmb = memref<256x256xbf16, #ascend.memory<gm>>
!gmf = memref<256x256xf32, #ascend.memory<gm>>
!wide = memref<256x70000xf16, #ascend.memory<gm>>
!l1 = memref<128x64xf16, #ascend.memory<l1>>
!l1f = memref<64x32xf32, #ascend.memory<l1>>
!l0a = memref<64x64xf16, #ascend.memory<l0a>>
!l0b = memref<64x64xf16, #ascend.memory<l0b>>
!l0af = memref<64x32xf32, #ascend.memory<l0a>>
!l0bf = memref<64x32xf32, #ascend.memory<l0b>>
!l0c = memref<64x64xf32, #ascend.memory<l0c>>

ascend.kernel cube @cube parameters ["A", "W", "B", "F", "m"] blocks 8 aic {
^bb0(%A: !gm, %W: !wide, %B: !gmb, %F: !gmf, %m_argument: i32):
  %l1 = ascend.alloc "l1" {address = 0 : i64} : !l1
  %l1f = ascend.alloc "l1f" {address = 0x8000 : i64} : !l1f
  %a = ascend.alloc "a" {address = 0 : i64} : !l0a
  %b = ascend.alloc "b" {address = 0 : i64} : !l0b
  %af = ascend.alloc "af" {address = 0x4000 : i64} : !l0af
  %at = ascend.alloc "at" {address = 0x8000 : i64} : !l0af
  %bf = ascend.alloc "bf" {address = 0x4000 : i64} : !l0bf
  %c = ascend.alloc "c" {address = 0 : i64} : !l0c
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c70000 = arith.constant 70000 : index
  %true = arith.constant true
  %false = arith.constant false
  %m = arith.index_cast %m_argument : i32 to index
  %rows = arith.minsi %m, %c64 : index loc("rows")

  // ND2NZ: constant, run-time and empty extents; rows too far apart for the field.
  ascend.nd2nz %A at %c0 rows %c128 columns %c64 stride %c256 to %l1 : !gm to !l1
  ascend.nd2nz %A at %m rows %rows columns %c64 stride %c256 to %l1 : !gm to !l1
  ascend.nd2nz %A at %c0 rows %c0 columns %c64 stride %c256 to %l1 : !gm to !l1
  ascend.nd2nz %W at %m rows %rows columns %c64 stride %c70000 to %l1 : !wide to !l1
  ascend.nd2nz %W at %m rows %c1 columns %c64 stride %c70000 to %l1 : !wide to !l1

  // 16 bits: A and A^T, B by transposing, B^T plain (whole columns, part of them).
  ascend.load_l0a %l1 at [%c16, %c32] extents [%c64, %c32] to %a : !l1 to !l0a
  ascend.load_l0a %l1 at [%c16, %c64] extents [%c32, %c64] to %a {transpose} : !l1 to !l0a
  ascend.load_l0a %l1 at [%c0, %c0] extents [%rows, %c64] to %a : !l1 to !l0a
  ascend.load_l0b %l1 at [%c16, %c64] extents [%c32, %c64] to %b : !l1 to !l0b
  ascend.load_l0b %l1 at [%c0, %c16] extents [%c128, %c32] to %b {transpose} : !l1 to !l0b
  ascend.load_l0b %l1 at [%c64, %c16] extents [%c64, %c32] to %b {transpose} : !l1 to !l0b
  ascend.load_l0b %l1 at [%c0, %c0] extents [%rows, %c64] to %b {transpose} : !l1 to !l0b

  // fp32: plain loads fractal by fractal, transposing ones by LoadData3DV2.
  ascend.load_l0a %l1f at [%c16, %c0] extents [%c32, %c32] to %af : !l1f to !l0af
  ascend.load_l0a %l1f at [%c0, %c0] extents [%c32, %c64] to %at {transpose} : !l1f to !l0af
  ascend.load_l0b %l1f at [%c0, %c0] extents [%c64, %c32] to %bf {transpose} : !l1f to !l0bf
  ascend.load_l0b %l1f at [%c16, %c0] extents [%c16, %c64] to %bf : !l1f to !l0bf

  ascend.zero_l0 %a : !l0a
  ascend.mmad %c, %a, %b extents [%c64, %c64, %c32] init %true : !l0c, !l0a, !l0b
  ascend.mmad %c, %a, %b extents [%rows, %c64, %m] init %false : !l0c, !l0a, !l0b
  ascend.mmad %c, %af, %bf extents [%c32, %c64, %c32] init %true : !l0c, !l0af, !l0bf
  ascend.mmad %c, %at, %bf extents [%c32, %c64, %c32] init %true : !l0c, !l0af, !l0bf

  ascend.fixpipe %c to %A at %m rows %c64 columns %c64 stride %c256 product_rows %c64 {relu} : !l0c to !gm
  ascend.fixpipe %c to %B at %m rows %rows columns %c64 stride %c256 product_rows %c64 : !l0c to !gmb
  ascend.fixpipe %c to %B at %m rows %rows columns %c64 stride %c256 product_rows %c64 {atomic} : !l0c to !gmb
  ascend.fixpipe %c to %F at %m rows %rows columns %c1 stride %c256 product_rows %rows : !l0c to !gmf
  ascend.end
} aiv {
^bb0(%A: !gm, %W: !wide, %B: !gmb, %F: !gmf, %m: i32):
  ascend.end
}
