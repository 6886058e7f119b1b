// Strided instructions on different columns of the same rows need no barrier;
// those that share a column, a block or a lane do.
#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
ascend.kernel vector @columns parameters ["A", "B"] blocks 48
aic {
^bb0(%A: memref<512x128xf32, #gm>, %B: memref<512x128xf32, #gm>):
  ascend.end
}
aiv {
^bb0(%A: memref<512x128xf32, #gm>, %B: memref<512x128xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c2048 = arith.constant 2048 : index
  %one = arith.constant 1.0 : f32
  %a = ascend.alloc "a" : memref<16x128xf32, #ub>
  %s = ascend.alloc "s" : memref<16x128xf32, #ub>
  %c8 = arith.constant 8 : index
  %c80 = arith.constant 80 : index
  %s0 = ascend.view %s : memref<16x128xf32, #ub> -> memref<2016xf32, #ub>
  %s1 = ascend.view %s offset %c64 : memref<16x128xf32, #ub> -> memref<1984xf32, #ub>
  %s2 = ascend.view %s offset %c32 : memref<16x128xf32, #ub> -> memref<2016xf32, #ub>
  %s3 = ascend.view %s offset %c80 : memref<16x128xf32, #ub> -> memref<1968xf32, #ub>
  %s4 = ascend.view %s offset %c8 : memref<16x128xf32, #ub> -> memref<2040xf32, #ub>
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    %o = arith.muli %t, %c2048 : index
    ascend.load %A at %o rows %c16 columns %c128 stride %c128 to %a : memref<512x128xf32, #gm> to memref<16x128xf32, #ub>
    %a1 = ascend.view %a offset %c64 : memref<16x128xf32, #ub> -> memref<1984xf32, #ub>
    // Columns 0..63 and 64..127.
    ascend.scalar Adds %s0, %a, %one repeat <mask = 64, count = 16, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<2016xf32, #ub>, memref<16x128xf32, #ub>, f32
    ascend.scalar Muls %s1, %a1, %one repeat <mask = 64, count = 16, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<1984xf32, #ub>, memref<1984xf32, #ub>, f32
    // Columns 32..79: both.
    ascend.unary Exp %s2, %s2 repeat <mask = 48, count = 16, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<2016xf32, #ub>, memref<2016xf32, #ub>
    // Columns 0..31 and 80..127: neither.
    ascend.unary Sqrt %s0, %s0 repeat <mask = 32, count = 16, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<2016xf32, #ub>, memref<2016xf32, #ub>
    ascend.unary Ln %s3, %s3 repeat <mask = 48, count = 16, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<1968xf32, #ub>, memref<1968xf32, #ub>
    // Even and odd blocks; then a block that all blocks of a row read.
    ascend.unary Abs %s0, %s0 repeat <mask = 64, count = 16, dstBlock = 2, dstRepeat = 16, src0Block = 2, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<2016xf32, #ub>, memref<2016xf32, #ub>
    ascend.unary Relu %s4, %s4 repeat <mask = 64, count = 16, dstBlock = 2, dstRepeat = 16, src0Block = 2, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<2040xf32, #ub>, memref<2040xf32, #ub>
    ascend.binary Mul %s4, %s4, %s0 repeat <mask = 8, count = 16, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 16> : memref<2040xf32, #ub>, memref<2040xf32, #ub>, memref<2016xf32, #ub>
    ascend.store %s to %B at %o rows %c16 columns %c128 stride %c128 : memref<16x128xf32, #ub> to memref<512x128xf32, #gm>
  } {ascend.grid}
  ascend.end
}
