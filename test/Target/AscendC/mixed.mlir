// Both programs of a block exchange tiles through the workspace.
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null | grep -v '// .*mlir:.*  ' | FileCheck %s
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_CUBE__ -I %S/../../../ascendc/include -x c++ -
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_VEC__ -I %S/../../../ascendc/include -x c++ -

// CHECK:      // mixed: mixed kernel on 20 blocks, written by TileLang Native.
// CHECK-NEXT: #include "kernel_operator.h"
// CHECK-EMPTY:
// CHECK-NEXT: using namespace AscendC;
// CHECK-EMPTY:
// CHECK-NEXT: __aicore__ inline void mixed_cube(GM_ADDR A_address, GM_ADDR C_address, GM_ADDR workspace_address) {
// CHECK-NEXT:   GlobalTensor<half> A;
// CHECK-NEXT:   A.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(A_address), 1048576);
// CHECK-NEXT:   const uint8_t noPadding[4] = {0, 0, 0, 0};
// CHECK-NEXT:   LocalTensor<half> A_shared(TPosition::A1, 0x0, 16384);  // L1, 32768 B at 0x0, mixed.mlir
// CHECK-NEXT:   LocalTensor<half> a(TPosition::A2, 0x0, 16384);  // L0A, 32768 B at 0x0, mixed.mlir
// CHECK-NEXT:   LocalTensor<half> b(TPosition::B2, 0x0, 16384);  // L0B, 32768 B at 0x0, mixed.mlir
// CHECK-NEXT:   LocalTensor<float> c(TPosition::CO1, 0x0, 16384);  // L0C, 65536 B at 0x0, mixed.mlir
// CHECK-NEXT:   // Workspace 1: 2 versions of 65536 B for each block
// CHECK-NEXT:   GlobalTensor<float> product_workspace;
// CHECK-NEXT:   product_workspace.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace_address + 1310720 + GetBlockIdx() * 131072), 32768);
// CHECK-NEXT:   uint32_t product_slot = 0;  // 0 .. 1
// CHECK-NEXT:   const int32_t block = int32_t(GetBlockIdx());
// CHECK-NEXT:   const int32_t blocks = int32_t(GetBlockNum());
// CHECK-NEXT:   for (int32_t tile = block; tile < 64; tile += blocks) {
// CHECK-NEXT:     DataCopy(A_shared, A, Nd2NzParams{1, 128, 128, 0, 1024, 128, 1, 0});
// CHECK-NEXT:     SetFlag<HardEvent::MTE2_MTE1>(0);
// CHECK-NEXT:     WaitFlag<HardEvent::MTE2_MTE1>(0);
// CHECK-NEXT:     LoadData(a, A_shared, LoadData3DParamsV2<half>{noPadding, 1, 128, 128, 128, 128, 0, 0, 1, 1, 1, 1, 1, 1, false, false, 0});
// CHECK-NEXT:     LoadData(b, A_shared, LoadData3DParamsV2<half>{noPadding, 1, 128, 128, 128, 128, 0, 0, 1, 1, 1, 1, 1, 1, true, false, 0});
// CHECK-NEXT:     SetFlag<HardEvent::MTE1_M>(0);
// CHECK-NEXT:     WaitFlag<HardEvent::MTE1_M>(0);
// CHECK-NEXT:     Mmad(c, a, b, MmadParams{128, 128, 128, 0, false, true});
// CHECK-NEXT:     SetFlag<HardEvent::M_FIX>(0);
// CHECK-NEXT:     WaitFlag<HardEvent::M_FIX>(0);
// CHECK-NEXT:     CrossCoreWaitFlag(1);
// CHECK-NEXT:     Fixpipe<float, float, CFG_ROW_MAJOR>(product_workspace[product_slot * 16384], c, FixpipeParamsV220{128, 128, 128, 128, false, QuantMode_t::NoQuant, 0, 1, 0, 0, 0});
// CHECK-NEXT:     CrossCoreSetFlag<2, PIPE_FIX>(0);
// CHECK-NEXT:     product_slot = product_slot + 1 == 2 ? 0 : product_slot + 1;
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: __aicore__ inline void mixed_vector(GM_ADDR A_address, GM_ADDR C_address, GM_ADDR workspace_address) {
// CHECK-NEXT:   GlobalTensor<float> C;
// CHECK-NEXT:   C.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(C_address), 1048576);
// CHECK-NEXT:   LocalTensor<float> u(TPosition::VECCALC, 0x0, 8192);  // UB, 32768 B at 0x0, mixed.mlir
// CHECK-NEXT:   // Workspace 1: 2 versions of 65536 B for each block
// CHECK-NEXT:   GlobalTensor<float> product_workspace;
// CHECK-NEXT:   product_workspace.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace_address + 1310720 + GetBlockIdx() / 2 * 131072), 32768);
// CHECK-NEXT:   uint32_t product_slot = 0;  // 0 .. 1
// CHECK-NEXT:   const int32_t block = int32_t(GetBlockIdx() / 2);
// CHECK-NEXT:   const int32_t blocks = int32_t(GetBlockNum());
// CHECK-NEXT:   const int32_t subBlock = int32_t(GetSubBlockIdx());
// CHECK-NEXT:   const int32_t offset = subBlock * 8192;
// CHECK-NEXT:   for (int32_t tile = block; tile < 64; tile += blocks) {
// CHECK-NEXT:     CrossCoreWaitFlag(0);
// CHECK-NEXT:     DataCopy(u, product_workspace[product_slot * 16384 + offset], 8192);
// CHECK-NEXT:     CrossCoreSetFlag<2, PIPE_MTE2>(1);
// CHECK-NEXT:     SetFlag<HardEvent::MTE2_V>(0);
// CHECK-NEXT:     WaitFlag<HardEvent::MTE2_V>(0);
// CHECK-NEXT:     Exp(u, u, 8192);
// CHECK-NEXT:     SetFlag<HardEvent::V_MTE3>(0);
// CHECK-NEXT:     WaitFlag<HardEvent::V_MTE3>(0);
// CHECK-NEXT:     DataCopyPad(C[offset], u, DataCopyExtParams{64, 512, 0, 3584, 0});
// CHECK-NEXT:     product_slot = product_slot + 1 == 2 ? 0 : product_slot + 1;
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: extern "C" __global__ __aicore__ void mixed(GM_ADDR A, GM_ADDR C, GM_ADDR workspace) {
// CHECK-NEXT:   KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
// CHECK-NEXT:   InitSocState();
// CHECK-NEXT:   if ASCEND_IS_AIC {
// CHECK-NEXT:     mixed_cube(A, C, workspace);
// CHECK-NEXT:   }
// CHECK-NEXT:   if ASCEND_IS_AIV {
// CHECK-NEXT:     mixed_vector(A, C, workspace);
// CHECK-NEXT:   }
// CHECK-NEXT:   PipeBarrier<PIPE_ALL>();
// CHECK-NEXT: }

!gm = memref<1024x1024xf16, #ascend.memory<gm>>
!out = memref<1024x1024xf32, #ascend.memory<gm>>
!l1 = memref<128x128xf16, #ascend.memory<l1>>
!l0a = memref<128x128xf16, #ascend.memory<l0a>>
!l0b = memref<128x128xf16, #ascend.memory<l0b>>
!l0c = memref<128x128xf32, #ascend.memory<l0c>>
!ws = memref<128x128xf32, #ascend.memory<gm>>
!ub = memref<64x128xf32, #ascend.memory<ub>>

ascend.kernel mixed @mixed parameters ["A", "C"] blocks 20 aic {
^bb0(%A: !gm, %C: !out):
  %l1 = ascend.alloc "A_shared" {address = 0 : i64} : !l1
  %a = ascend.alloc "a" {address = 0 : i64} : !l0a
  %b = ascend.alloc "b" {address = 0 : i64} : !l0b
  %c = ascend.alloc "c" {address = 0 : i64} : !l0c
  %other = ascend.workspace 0 "other" {offset = 0 : i64} : !ws
  %ws = ascend.workspace 1 "product" {versions = 2 : i64, offset = 0x140000 : i64} : !ws
  %ring = ascend.ring 2 "product"
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %true = arith.constant true
  %block = ascend.block_idx
  %blocks = ascend.block_num
  scf.for %t = %block to %c64 step %blocks {
    ascend.nd2nz %A at %c0 rows %c128 columns %c128 stride %c1024 to %l1 : !gm to !l1
    ascend.set_flag MTE2 to MTE1 id 0 group 0
    ascend.wait_flag MTE2 to MTE1 id 0 group 0
    ascend.load_l0a %l1 at [%c0, %c0] extents [%c128, %c128] to %a : !l1 to !l0a
    ascend.load_l0b %l1 at [%c0, %c0] extents [%c128, %c128] to %b : !l1 to !l0b
    ascend.set_flag MTE1 to M id 0 group 1
    ascend.wait_flag MTE1 to M id 0 group 1
    ascend.mmad %c, %a, %b extents [%c128, %c128, %c128] init %true : !l0c, !l0a, !l0b
    ascend.set_flag M to FIX id 0 group 2
    ascend.wait_flag M to FIX id 0 group 2
    %slot = ascend.view %ws slot %ring : !ws -> !ws
    ascend.cross_wait flag 1 group 4
    ascend.fixpipe %c to %slot at %c0 rows %c128 columns %c128 stride %c128 product_rows %c128 : !l0c to !ws
    ascend.cross_set FIX flag 0 group 3
    ascend.advance %ring
  } {ascend.grid}
  ascend.end
} aiv {
^bb0(%A: !gm, %C: !out):
  %u = ascend.alloc "u" {address = 0 : i64} : !ub
  %ws = ascend.workspace 1 "product" {versions = 2 : i64, offset = 0x140000 : i64} : !ws
  %ring = ascend.ring 2 "product"
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c8192 = arith.constant 8192 : index
  %c1024 = arith.constant 1024 : index
  %block = ascend.block_idx
  %blocks = ascend.block_num
  %sub = ascend.sub_block_idx
  %half = arith.muli %sub, %c8192 : index
  scf.for %t = %block to %c64 step %blocks {
    ascend.cross_wait flag 0 group 3
    %slot = ascend.view %ws slot %ring : !ws -> !ws
    ascend.load %slot at %half rows %c64 columns %c128 stride %c128 to %u : !ws to !ub
    ascend.cross_set MTE2 flag 1 group 4
    ascend.set_flag MTE2 to V id 0 group 5
    ascend.wait_flag MTE2 to V id 0 group 5
    ascend.unary Exp %u, %u count 8192 : !ub, !ub
    ascend.set_flag V to MTE3 id 0 group 6
    ascend.wait_flag V to MTE3 id 0 group 6
    ascend.store %u to %C at %half rows %c64 columns %c128 stride %c1024 : !ub to !out
    ascend.advance %ring
  } {ascend.grid}
  ascend.end
}
