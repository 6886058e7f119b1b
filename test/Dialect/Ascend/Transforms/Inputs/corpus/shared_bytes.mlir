// Buffers of two loops are too large to lie side by side: they share bytes.
#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
ascend.kernel vector @shared_bytes parameters ["A", "B", "C"] blocks 48
aic {
^bb0(%A: memref<2048x1024xf32, #gm>, %B: memref<2048x1024xf32, #gm>, %C: memref<2048x1024xf32, #gm>):
  ascend.end
}
aiv {
^bb0(%A: memref<2048x1024xf32, #gm>, %B: memref<2048x1024xf32, #gm>, %C: memref<2048x1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c14 = arith.constant 14 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %c14336 = arith.constant 14336 : index
  %c65536 = arith.constant 65536 : index
  %a = ascend.alloc "a_local" : memref<14x1024xf32, #ub>
  %b = ascend.alloc "b_local" : memref<14x1024xf32, #ub>
  %d = ascend.alloc "d_local" : memref<14x1024xf32, #ub>
  %e = ascend.alloc "e_local" : memref<14x1024xf32, #ub>
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    %o = arith.muli %t, %c65536 : index
    scf.for %r0 = %c0 to %c8 step %c1 {
      %w0 = arith.muli %r0, %c14336 : index
      %o0 = arith.addi %o, %w0 : index
      ascend.load %A at %o0 rows %c14 columns %c1024 stride %c1024 to %a : memref<2048x1024xf32, #gm> to memref<14x1024xf32, #ub>
      ascend.unary Exp %b, %a count 14336 : memref<14x1024xf32, #ub>, memref<14x1024xf32, #ub>
      ascend.store %b to %B at %o0 rows %c14 columns %c1024 stride %c1024 : memref<14x1024xf32, #ub> to memref<2048x1024xf32, #gm>
    } {ascend.stages = 1 : i64}
    scf.for %r1 = %c0 to %c8 step %c1 {
      %w1 = arith.muli %r1, %c14336 : index
      %o1 = arith.addi %o, %w1 : index
      ascend.load %B at %o1 rows %c14 columns %c1024 stride %c1024 to %d : memref<2048x1024xf32, #gm> to memref<14x1024xf32, #ub>
      ascend.unary Exp %e, %d count 14336 : memref<14x1024xf32, #ub>, memref<14x1024xf32, #ub>
      ascend.store %e to %C at %o1 rows %c14 columns %c1024 stride %c1024 : memref<14x1024xf32, #ub> to memref<2048x1024xf32, #gm>
    } {ascend.stages = 1 : i64}
  } {ascend.grid}
  ascend.end
}
