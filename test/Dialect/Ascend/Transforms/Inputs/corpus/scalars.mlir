// The scalar unit reads indices from UB, and writes a value there.
#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
ascend.kernel vector @scalars parameters ["A", "index", "C"] blocks 48
aic {
^bb0(%A: memref<2048x1024xf32, #gm>, %index: memref<1024xi32, #gm>, %C: memref<2048x1024xf32, #gm>):
  ascend.end
}
aiv {
^bb0(%A: memref<2048x1024xf32, #gm>, %index: memref<1024xi32, #gm>, %C: memref<2048x1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %c4096 = arith.constant 4096 : index
  %i = ascend.alloc "index_local" : memref<64xi32, #ub>
  %a = ascend.alloc "a_local" : memref<4x1024xf32, #ub>
  %f = arith.constant 1.0 : f32
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    %at = arith.muli %t, %c64 : index
    ascend.load %index at %at rows %c1 columns %c64 stride %c64 to %i : memref<1024xi32, #gm> to memref<64xi32, #ub>
    scf.for %k = %c0 to %c64 step %c1 {
      %v = ascend.get_value %i at %k : memref<64xi32, #ub> -> i32
      %row = arith.index_cast %v : i32 to index
      %o = arith.muli %row, %c1024 : index
      ascend.load %A at %o rows %c4 columns %c1024 stride %c1024 to %a : memref<2048x1024xf32, #gm> to memref<4x1024xf32, #ub>
      ascend.unary Exp %a, %a count 4096 : memref<4x1024xf32, #ub>, memref<4x1024xf32, #ub>
      ascend.set_value %f to %a at %c0 : f32 to memref<4x1024xf32, #ub>
      %q = arith.muli %k, %c4096 : index
      ascend.store %a to %C at %q rows %c4 columns %c1024 stride %c1024 : memref<4x1024xf32, #ub> to memref<2048x1024xf32, #gm>
    }
  } {ascend.grid}
  ascend.end
}
