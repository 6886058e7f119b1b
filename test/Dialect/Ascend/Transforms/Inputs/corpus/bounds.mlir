// Loops whose trip counts are known at run time only.
#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
ascend.kernel vector @bounds parameters ["A", "C", "n", "m"] blocks 48
aic {
^bb0(%A: memref<2048x1024xf32, #gm>, %C: memref<2048x1024xf32, #gm>, %n: i32, %m: i32):
  ascend.end
}
aiv {
^bb0(%A: memref<2048x1024xf32, #gm>, %C: memref<2048x1024xf32, #gm>, %n: i32, %m: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %c65536 = arith.constant 65536 : index
  %a = ascend.alloc "a_local" : memref<4x1024xf32, #ub>
  %s = ascend.alloc "s_local" : memref<4x1024xf32, #ub>
  %f = arith.constant 0.0 : f32
  %bn = arith.index_cast %n : i32 to index
  %bm = arith.index_cast %m : i32 to index
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    %row = arith.muli %t, %c4 : index
    %o = arith.muli %row, %c1024 : index
    scf.for %j = %c0 to %bm step %c1 {
      ascend.duplicate %s, %f count 4096 : memref<4x1024xf32, #ub>, f32
      scf.for %k = %c0 to %bn step %c1 {
        %kk = arith.muli %k, %c65536 : index
        %ok = arith.addi %o, %kk : index
        ascend.load %A at %ok rows %c4 columns %c1024 stride %c1024 to %a : memref<2048x1024xf32, #gm> to memref<4x1024xf32, #ub>
        ascend.binary Add %s, %s, %a count 4096 : memref<4x1024xf32, #ub>, memref<4x1024xf32, #ub>, memref<4x1024xf32, #ub>
      } {ascend.stages = 2 : i64}
      %oj = arith.addi %o, %j : index
      ascend.store %s to %C at %oj rows %c4 columns %c1024 stride %c1024 : memref<4x1024xf32, #ub> to memref<2048x1024xf32, #gm>
    }
  } {ascend.grid}
  ascend.end
}
