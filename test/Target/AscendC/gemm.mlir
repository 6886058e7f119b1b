// A GEMM with double buffers, rings and flags: the text as a whole.
// RUN: sed 's#INPUTS#%S/Inputs#' %s | tilelang-opt --ascend-print-source -o /dev/null | FileCheck %s
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_CUBE__ -I %S/../../../ascendc/include -x c++ -
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_VEC__ -I %S/../../../ascendc/include -x c++ -

// CHECK:      // gemm: cube kernel on 24 blocks, written by TileLang Native.
// CHECK-NEXT: #include "kernel_operator.h"
// CHECK-EMPTY:
// CHECK-NEXT: using namespace AscendC;
// CHECK-EMPTY:
// CHECK-NEXT: __aicore__ inline void gemm_cube(GM_ADDR A_address, GM_ADDR B_address, GM_ADDR C_address) {
// CHECK-NEXT:   GlobalTensor<half> A;
// CHECK-NEXT:   A.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(A_address), 1048576);
// CHECK-NEXT:   GlobalTensor<half> B;
// CHECK-NEXT:   B.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(B_address), 1048576);
// CHECK-NEXT:   GlobalTensor<half> C;
// CHECK-NEXT:   C.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(C_address), 1048576);
// CHECK-NEXT:   const uint8_t noPadding[4] = {0, 0, 0, 0};
// CHECK-NEXT:   LocalTensor<half> A_shared(TPosition::A1, 0x0, 16384);  // L1, 2 versions of 16384 B at 0x0, gemm.py:9
// CHECK-NEXT:   LocalTensor<half> B_shared(TPosition::A1, 0x8000, 32768);  // L1, 2 versions of 32768 B at 0x8000, gemm.py:10
// CHECK-NEXT:   LocalTensor<float> C_local(TPosition::CO1, 0x0, 32768);  // L0C, 131072 B at 0x0, gemm.py:11
// CHECK-NEXT:   LocalTensor<half> A_L0A(TPosition::A2, 0x0, 16384);  // L0A, 2 versions of 16384 B at 0x0, gemm.py:15
// CHECK-NEXT:   LocalTensor<half> B_L0B(TPosition::B2, 0x0, 32768);  // L0B, 2 versions of 32768 B at 0x0, gemm.py:15
// CHECK-NEXT:   uint32_t k_slot = 0;  // 0 .. 1
// CHECK-NEXT:   const int32_t block = int32_t(GetBlockIdx());
// CHECK-NEXT:   const int32_t blocks = int32_t(GetBlockNum());
// CHECK-NEXT:   SetFlag<HardEvent::MTE1_MTE2>(0);
// CHECK-NEXT:   SetFlag<HardEvent::MTE1_MTE2>(1);
// CHECK-NEXT:   SetFlag<HardEvent::M_MTE1>(0);
// CHECK-NEXT:   SetFlag<HardEvent::M_MTE1>(1);
// CHECK-NEXT:   SetFlag<HardEvent::FIX_M>(0);
// CHECK-NEXT:   // gemm.py:8  with T.Kernel(N // block_N, M // block_M) as (bx, by):
// CHECK-NEXT:   for (int32_t tile = block; tile < 32; tile += blocks) {
// CHECK-NEXT:     const int32_t by = tile / 4;
// CHECK-NEXT:     const int32_t bx = tile % 4;
// CHECK-NEXT:     const int32_t index = by * 131072;
// CHECK-NEXT:     WaitFlag<HardEvent::FIX_M>(0);
// CHECK-NEXT:     // gemm.py:12  for k in T.Pipelined(K // block_K, num_stages=2):
// CHECK-NEXT:     for (int32_t i = 0; i < 16; ++i) {
// CHECK-NEXT:       // gemm.py:13  T.copy(A[by * block_M, k * block_K], A_shared)
// CHECK-NEXT:       WaitFlag<HardEvent::MTE1_MTE2>(k_slot);
// CHECK-NEXT:       DataCopy(A_shared[k_slot * 8192], A[index + i * 64], Nd2NzParams{1, 128, 64, 0, 1024, 128, 1, 0});
// CHECK-NEXT:       // gemm.py:14  T.copy(B[k * block_K, bx * block_N], B_shared)
// CHECK-NEXT:       DataCopy(B_shared[k_slot * 16384], B[i * 65536 + bx * 256], Nd2NzParams{1, 64, 256, 0, 1024, 64, 1, 0});
// CHECK-NEXT:       SetFlag<HardEvent::MTE2_MTE1>(k_slot);
// CHECK-NEXT:       // gemm.py:15  T.gemm(A_shared, B_shared, C_local)
// CHECK-NEXT:       WaitFlag<HardEvent::MTE2_MTE1>(k_slot);
// CHECK-NEXT:       WaitFlag<HardEvent::M_MTE1>(k_slot);
// CHECK-NEXT:       LoadData(A_L0A[k_slot * 8192], A_shared[k_slot * 8192], LoadData3DParamsV2<half>{noPadding, 1, 128, 64, 64, 128, 0, 0, 1, 1, 1, 1, 1, 1, false, false, 0});
// CHECK-NEXT:       LoadData(B_L0B[k_slot * 16384], B_shared[k_slot * 16384], LoadData3DParamsV2<half>{noPadding, 1, 64, 256, 256, 64, 0, 0, 1, 1, 1, 1, 1, 1, true, false, 0});
// CHECK-NEXT:       SetFlag<HardEvent::MTE1_MTE2>(k_slot);
// CHECK-NEXT:       SetFlag<HardEvent::MTE1_M>(k_slot);
// CHECK-NEXT:       WaitFlag<HardEvent::MTE1_M>(k_slot);
// CHECK-NEXT:       Mmad(C_local, A_L0A[k_slot * 8192], B_L0B[k_slot * 16384], MmadParams{128, 256, 64, 0, false, i == 0});
// CHECK-NEXT:       SetFlag<HardEvent::M_MTE1>(k_slot);
// CHECK-NEXT:       k_slot = k_slot + 1 == 2 ? 0 : k_slot + 1;
// CHECK-NEXT:     }
// CHECK-NEXT:     SetFlag<HardEvent::M_FIX>(0);
// CHECK-NEXT:     // gemm.py:16  T.copy(C_local, C[by * block_M, bx * block_N])
// CHECK-NEXT:     WaitFlag<HardEvent::M_FIX>(0);
// CHECK-NEXT:     Fixpipe<half, float, CFG_ROW_MAJOR>(C[index + bx * 256], C_local, FixpipeParamsV220{256, 128, 128, 1024, false, QuantMode_t::F322F16, 0, 1, 0, 0, 0});
// CHECK-NEXT:     SetFlag<HardEvent::FIX_M>(0);
// CHECK-NEXT:   }
// CHECK-NEXT:   WaitFlag<HardEvent::MTE1_MTE2>(0);
// CHECK-NEXT:   WaitFlag<HardEvent::MTE1_MTE2>(1);
// CHECK-NEXT:   WaitFlag<HardEvent::M_MTE1>(0);
// CHECK-NEXT:   WaitFlag<HardEvent::M_MTE1>(1);
// CHECK-NEXT:   WaitFlag<HardEvent::FIX_M>(0);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: extern "C" __global__ __aicore__ void gemm(GM_ADDR A, GM_ADDR B, GM_ADDR C) {
// CHECK-NEXT:   KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
// CHECK-NEXT:   InitSocState();
// CHECK-NEXT:   if ASCEND_IS_AIC {
// CHECK-NEXT:     gemm_cube(A, B, C);
// CHECK-NEXT:   }
// CHECK-NEXT:   PipeBarrier<PIPE_ALL>();
// CHECK-NEXT: }

!gm = memref<1024x1024xf16, #ascend.memory<gm>>
!a1 = memref<128x64xf16, #ascend.memory<l1>>
!b1 = memref<64x256xf16, #ascend.memory<l1>>
!c = memref<128x256xf32, #ascend.memory<l0c>>
!a0 = memref<128x64xf16, #ascend.memory<l0a>>
!b0 = memref<64x256xf16, #ascend.memory<l0b>>

module {
  ascend.kernel cube @gemm parameters ["A", "B", "C"] blocks 24 aic {
  ^bb0(%A: !gm, %B: !gm, %C: !gm):
    %As = ascend.alloc "A_shared" {versions = 2 : i64, address = 0 : i64} : !a1 loc("INPUTS/gemm.py":9:13)
    %Bs = ascend.alloc "B_shared" {versions = 2 : i64, address = 0x8000 : i64} : !b1 loc("INPUTS/gemm.py":10:13)
    %acc = ascend.alloc "C_local" {address = 0 : i64} : !c loc("INPUTS/gemm.py":11:13)
    %A0 = ascend.alloc "A_L0A" {versions = 2 : i64, address = 0 : i64, temporary} : !a0 loc("INPUTS/gemm.py":15:17)
    %B0 = ascend.alloc "B_L0B" {versions = 2 : i64, address = 0 : i64, temporary} : !b0 loc("INPUTS/gemm.py":15:17)
    %ring = ascend.ring 2 "k"
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %c1024 = arith.constant 1024 : index
    %c65536 = arith.constant 65536 : index
    %c131072 = arith.constant 131072 : index
    %block = ascend.block_idx
    %blocks = ascend.block_num
    ascend.set_flag MTE1 to MTE2 id 0 group 0
    ascend.set_flag MTE1 to MTE2 id 1 group 0
    ascend.set_flag M to MTE1 id 0 group 1
    ascend.set_flag M to MTE1 id 1 group 1
    ascend.set_flag FIX to M id 0 group 2
    scf.for %t = %block to %c32 step %blocks {
      %by = arith.divui %t, %c4 : index loc("by"("INPUTS/gemm.py":8:61))
      %bx = arith.remui %t, %c4 : index loc("bx"("INPUTS/gemm.py":8:57))
      %by_row = arith.muli %by, %c131072 : index
      ascend.wait_flag FIX to M id 0 group 2 loc("INPUTS/gemm.py":15:17)
      scf.for %k = %c0 to %c16 step %c1 {
        %k_column = arith.muli %k, %c64 : index
        %a_offset = arith.addi %by_row, %k_column : index
        %k_row = arith.muli %k, %c65536 : index
        %bx_column = arith.muli %bx, %c256 : index
        %b_offset = arith.addi %k_row, %bx_column : index
        %a = ascend.view %As slot %ring : !a1 -> !a1
        %b = ascend.view %Bs slot %ring : !b1 -> !b1
        ascend.wait_flag MTE1 to MTE2 id 0 slot %ring group 0
        ascend.nd2nz %A at %a_offset rows %c128 columns %c64 stride %c1024 to %a : !gm to !a1 loc("INPUTS/gemm.py":13:17)
        ascend.nd2nz %B at %b_offset rows %c64 columns %c256 stride %c1024 to %b : !gm to !b1 loc("INPUTS/gemm.py":14:17)
        ascend.set_flag MTE2 to MTE1 id 0 slot %ring group 3
        ascend.wait_flag MTE2 to MTE1 id 0 slot %ring group 3
        ascend.wait_flag M to MTE1 id 0 slot %ring group 1
        %a0 = ascend.view %A0 slot %ring : !a0 -> !a0
        %b0 = ascend.view %B0 slot %ring : !b0 -> !b0
        ascend.load_l0a %a at [%c0, %c0] extents [%c128, %c64] to %a0 : !a1 to !a0 loc("INPUTS/gemm.py":15:17)
        ascend.load_l0b %b at [%c0, %c0] extents [%c256, %c64] to %b0 : !b1 to !b0 loc("INPUTS/gemm.py":15:17)
        ascend.set_flag MTE1 to MTE2 id 0 slot %ring group 0
        ascend.set_flag MTE1 to M id 0 slot %ring group 4
        ascend.wait_flag MTE1 to M id 0 slot %ring group 4
        %init = arith.cmpi eq, %k, %c0 : index
        ascend.mmad %acc, %a0, %b0 extents [%c128, %c256, %c64] init %init : !c, !a0, !b0 loc("INPUTS/gemm.py":15:17)
        ascend.set_flag M to MTE1 id 0 slot %ring group 1
        ascend.advance %ring
      } {ascend.stages = 2 : i64} loc(#loop)
      ascend.set_flag M to FIX id 0 group 5
      ascend.wait_flag M to FIX id 0 group 5
      %bx_start = arith.muli %bx, %c256 : index
      %c_offset = arith.addi %by_row, %bx_start : index
      ascend.fixpipe %acc to %C at %c_offset rows %c128 columns %c256 stride %c1024 product_rows %c128 : !c to !gm loc("INPUTS/gemm.py":16:13)
      ascend.set_flag FIX to M id 0 group 2
    } {ascend.grid} loc("INPUTS/gemm.py":8:9)
    ascend.wait_flag MTE1 to MTE2 id 0 group 0
    ascend.wait_flag MTE1 to MTE2 id 1 group 0
    ascend.wait_flag M to MTE1 id 0 group 1
    ascend.wait_flag M to MTE1 id 1 group 1
    ascend.wait_flag FIX to M id 0 group 2
    ascend.end
  } aiv {
  ^bb0(%A: !gm, %B: !gm, %C: !gm):
    ascend.end
  }
}
#loop = loc("INPUTS/gemm.py":12:13)
