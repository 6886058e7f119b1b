// Only one of the two Vector cores works; both take part in the counters.
#gm = #ascend.memory<gm>
#l1 = #ascend.memory<l1>
#l0a = #ascend.memory<l0a>
#l0b = #ascend.memory<l0b>
#l0c = #ascend.memory<l0c>
#ub = #ascend.memory<ub>
ascend.kernel mixed @one_vector parameters ["A", "B", "C"] blocks 24
aic {
^bb0(%A: memref<1024x512xf16, #gm>, %B: memref<512x1024xf16, #gm>, %C: memref<1024x1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  %a1 = ascend.alloc "A_shared" : memref<128x64xf16, #l1>
  %b1 = ascend.alloc "B_shared" : memref<64x256xf16, #l1>
  %a0 = ascend.alloc "A_l0" {temporary} : memref<128x64xf16, #l0a>
  %b0 = ascend.alloc "B_l0" {temporary} : memref<64x256xf16, #l0b>
  %acc = ascend.alloc "C_local" : memref<128x256xf32, #l0c>
  %w = ascend.workspace 0 "C_workspace" : memref<128x256xf32, #gm>
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    %by = arith.divui %t, %c4 : index
    %bx = arith.remui %t, %c4 : index
    %row = arith.muli %by, %c128 : index
    %col = arith.muli %bx, %c256 : index
    %rowa = arith.muli %row, %c512 : index
    scf.for %k = %c0 to %c8 step %c1 {
      %kak = arith.muli %k, %c64 : index
      %oa = arith.addi %rowa, %kak : index
      ascend.nd2nz %A at %oa rows %c128 columns %c64 stride %c512 to %a1 : memref<1024x512xf16, #gm> to memref<128x64xf16, #l1>
      %kb = arith.muli %kak, %c1024 : index
      %ob = arith.addi %kb, %col : index
      ascend.nd2nz %B at %ob rows %c64 columns %c256 stride %c1024 to %b1 : memref<512x1024xf16, #gm> to memref<64x256xf16, #l1>
      ascend.load_l0a %a1 at [%c0, %c0] extents [%c128, %c64] to %a0 : memref<128x64xf16, #l1> to memref<128x64xf16, #l0a>
      ascend.load_l0b %b1 at [%c0, %c0] extents [%c256, %c64] to %b0 : memref<64x256xf16, #l1> to memref<64x256xf16, #l0b>
      %init = arith.cmpi eq, %k, %c0 : index
      ascend.mmad %acc, %a0, %b0 extents [%c128, %c256, %c64] init %init : memref<128x256xf32, #l0c>, memref<128x64xf16, #l0a>, memref<64x256xf16, #l0b>
    } {ascend.stages = 2 : i64}
    ascend.fixpipe %acc to %w at %c0 rows %c128 columns %c256 stride %c256 product_rows %c128 : memref<128x256xf32, #l0c> to memref<128x256xf32, #gm>
  } {ascend.grid}
  ascend.end
}
aiv {
^bb0(%A: memref<1024x512xf16, #gm>, %B: memref<512x1024xf16, #gm>, %C: memref<1024x1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %w = ascend.workspace 0 "C_workspace" : memref<128x256xf32, #gm>
  %a = ascend.alloc "C_local" : memref<32x256xf32, #ub>
  %s = ascend.sub_block_idx
  %first = arith.cmpi eq, %s, %c0 : index
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    %by = arith.divui %t, %c4 : index
    %bx = arith.remui %t, %c4 : index
    %row = arith.muli %by, %c128 : index
    %col = arith.muli %bx, %c256 : index
    %rowc = arith.muli %row, %c1024 : index
    %oc = arith.addi %rowc, %col : index
    scf.if %first {
      scf.for %r = %c0 to %c128 step %c32 {
        %o = arith.muli %r, %c256 : index
        ascend.load %w at %o rows %c32 columns %c256 stride %c256 to %a : memref<128x256xf32, #gm> to memref<32x256xf32, #ub>
        ascend.unary Exp %a, %a count 8192 : memref<32x256xf32, #ub>, memref<32x256xf32, #ub>
        %q = arith.muli %r, %c1024 : index
        %p = arith.addi %oc, %q : index
        ascend.store %a to %C at %p rows %c32 columns %c256 stride %c1024 : memref<32x256xf32, #ub> to memref<1024x1024xf32, #gm>
      }
    }
  } {ascend.grid}
  ascend.end
}
