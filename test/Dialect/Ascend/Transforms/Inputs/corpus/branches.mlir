// Loads and updates under conditions known at run time only.
#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
ascend.kernel vector @branches parameters ["A", "B", "C", "n"] blocks 48
aic {
^bb0(%A: memref<2048x1024xf32, #gm>, %B: memref<2048x1024xf32, #gm>, %C: memref<2048x1024xf32, #gm>, %n: i32):
  ascend.end
}
aiv {
^bb0(%A: memref<2048x1024xf32, #gm>, %B: memref<2048x1024xf32, #gm>, %C: memref<2048x1024xf32, #gm>, %n: i32):
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a_local" : memref<4x1024xf32, #ub>
  %b = ascend.alloc "b_local" : memref<4x1024xf32, #ub>
  %n0 = arith.index_cast %n : i32 to index
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    %row = arith.muli %t, %c64 : index
    scf.for %r = %c0 to %c64 step %c4 {
      %rr = arith.addi %row, %r : index
      %o = arith.muli %rr, %c1024 : index
      %p = arith.cmpi slt, %rr, %n0 : index
      ascend.load %A at %o rows %c4 columns %c1024 stride %c1024 to %a : memref<2048x1024xf32, #gm> to memref<4x1024xf32, #ub>
      scf.if %p {
        ascend.load %B at %o rows %c4 columns %c1024 stride %c1024 to %b : memref<2048x1024xf32, #gm> to memref<4x1024xf32, #ub>
        ascend.binary Add %a, %a, %b count 4096 : memref<4x1024xf32, #ub>, memref<4x1024xf32, #ub>, memref<4x1024xf32, #ub>
      } else {
        ascend.unary Exp %a, %a count 4096 : memref<4x1024xf32, #ub>, memref<4x1024xf32, #ub>
      }
      ascend.store %a to %C at %o rows %c4 columns %c1024 stride %c1024 : memref<4x1024xf32, #ub> to memref<2048x1024xf32, #gm>
    }
  } {ascend.grid}
  ascend.end
}
