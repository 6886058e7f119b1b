// RUN: tilelang-opt %s --ascend-multi-buffer --ascend-plan-memory --split-input-file --verify-diagnostics

#gm = #ascend.memory<gm>
#l0a = #ascend.memory<l0a>
#l0b = #ascend.memory<l0b>
#l0c = #ascend.memory<l0c>

ascend.kernel cube @accumulator parameters ["C"] blocks 24 aic {
^bb0(%C: memref<256x256xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %yes = arith.constant true
  %a = ascend.alloc "A_l0" {temporary} : memref<256x16xf16, #l0a>
  %b = ascend.alloc "B_l0" {temporary} : memref<16x256xf16, #l0b>
  // expected-error @+2 {{accumulators do not fit L0C: C_local 256x256 float32 = 262144 B, limit 131072 B; use block_M x block_N <= 32768, e.g. 128x256}}
  // expected-note @+1 {{'C_local': 262144 B x 1 version}}
  %c = ascend.alloc "C_local" : memref<256x256xf32, #l0c>
  ascend.mmad %c, %a, %b extents [%c256, %c256, %c16] init %yes : memref<256x256xf32, #l0c>, memref<256x16xf16, #l0a>, memref<16x256xf16, #l0b>
  ascend.fixpipe %c to %C at %c0 rows %c256 columns %c256 stride %c256 product_rows %c256 : memref<256x256xf32, #l0c> to memref<256x256xf32, #gm>
  ascend.end
} aiv {
^bb0(%C: memref<256x256xf32, #gm>):
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

ascend.kernel vector @tiles parameters ["A"] blocks 48 aic {
^bb0(%A: memref<128x256xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<128x256xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  // expected-error @+3 {{buffers do not fit UB: a_local 128x256 float32 = 131072 B, b_local 128x256 float32 = 131072 B, together 262144 B, limit 188416 B; use smaller blocks, e.g. 'a_local' of 128x128}}
  // expected-note @+2 {{'a_local': 131072 B x 1 version}}
  // expected-note @+1 {{tried: 1 version instead of 2 of 'a_local', 'b_local', a skew of 0 blocks instead of 2}}
  %a = ascend.alloc "a_local" : memref<128x256xf32, #ub>
  // expected-note @+1 {{'b_local': 131072 B x 1 version, a temporary of the compiler}}
  %b = ascend.alloc "b_local" {temporary} : memref<128x256xf32, #ub>
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c8 step %num {
    ascend.load %A at %c0 rows %c128 columns %c256 stride %c256 to %a : memref<128x256xf32, #gm> to memref<128x256xf32, #ub>
    ascend.unary Exp %b, %a count 32768 : memref<128x256xf32, #ub>, memref<128x256xf32, #ub>
    ascend.store %b to %A at %c0 rows %c128 columns %c256 stride %c256 : memref<128x256xf32, #ub> to memref<128x256xf32, #gm>
  } {ascend.grid}
  ascend.end
} {ascend.tried = ["a skew of 0 blocks instead of 2"]}
