// Iterations that work on strips of their own need no barrier between them,
// those whose strips overlap do; strips of one loop and of the next do.
#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
ascend.kernel vector @strips parameters ["B"] blocks 48
aic {
^bb0(%B: memref<1024x128xf32, #gm>):
  ascend.end
}
aiv {
^bb0(%B: memref<1024x128xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c120 = arith.constant 120 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s = ascend.alloc "s" : memref<32x128xf32, #ub>
  %r = ascend.alloc "r" : memref<128xf32, #ub>
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    %o = arith.muli %t, %c4096 : index
    scf.for %i = %c0 to %c32 step %c8 {
      %f = arith.muli %i, %c128 : index
      %v = ascend.view %s offset %f : memref<32x128xf32, #ub> -> memref<1024xf32, #ub>
      ascend.duplicate %v, %zero count 1024 : memref<1024xf32, #ub>, f32
    }
    scf.for %i = %c0 to %c32 step %c8 {
      %f = arith.muli %i, %c128 : index
      %g = arith.addi %f, %c64 : index
      %v = ascend.view %s offset %f : memref<32x128xf32, #ub> -> memref<960xf32, #ub>
      %w = ascend.view %s offset %g : memref<32x128xf32, #ub> -> memref<960xf32, #ub>
      ascend.scalar Adds %v, %v, %one repeat <mask = 64, count = 8, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<960xf32, #ub>, memref<960xf32, #ub>, f32
      ascend.unary Exp %w, %w repeat <mask = 64, count = 8, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<960xf32, #ub>, memref<960xf32, #ub>
    }
    scf.for %i = %c0 to %c64 step %c8 {
      %v = ascend.view %r offset %i : memref<128xf32, #ub> -> memref<16xf32, #ub>
      ascend.duplicate %v, %zero count 16 : memref<16xf32, #ub>, f32
    }
    ascend.store %s to %B at %o rows %c32 columns %c128 stride %c128 : memref<32x128xf32, #ub> to memref<1024x128xf32, #gm>
  } {ascend.grid}
  ascend.end
}
