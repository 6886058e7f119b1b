// RUN: tilelang-opt %s --ascend-verify-sync --split-input-file --verify-diagnostics

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// No flag at all.
ascend.kernel vector @missing parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %b = ascend.alloc "b" {address = 2048 : i64} : memref<1024xf32, #ub>
  // expected-note @+1 {{the earlier operation is here}}
  ascend.load %A at %c0 rows %c1 columns %c1024 stride %c1024 to %a : memref<1024xf32, #gm> to memref<1024xf32, #ub>
  // expected-error @+1 {{internal: dependence not ordered: 'ascend.unary' after 'ascend.load'}}
  ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// The wait comes too late.
ascend.kernel vector @late parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %b = ascend.alloc "b" {address = 2048 : i64} : memref<1024xf32, #ub>
  // expected-note @+1 {{the earlier operation is here}}
  ascend.load %A at %c0 rows %c1 columns %c1024 stride %c1024 to %a : memref<1024xf32, #gm> to memref<1024xf32, #ub>
  ascend.set_flag MTE2 to V id 0 group 0
  // expected-error @+1 {{internal: dependence not ordered: 'ascend.unary' after 'ascend.load'}}
  ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  ascend.wait_flag MTE2 to V id 0 group 0
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// Dependent vector instructions overlap.
ascend.kernel vector @barrier parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %b = ascend.alloc "b" {address = 2048 : i64} : memref<1024xf32, #ub>
  // expected-note @+1 {{the earlier operation is here}}
  ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  // expected-error @+1 {{internal: dependence not ordered: 'ascend.unary' after 'ascend.unary'}}
  ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// The two buffers share bytes 2048 to 4095.
ascend.kernel vector @bytes parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %b = ascend.alloc "b" {address = 2048 : i64} : memref<1024xf32, #ub>
  // expected-note @+1 {{the earlier operation is here}}
  ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  // expected-error @+1 {{internal: dependence not ordered: 'ascend.unary' after 'ascend.unary'}}
  ascend.unary Exp %b, %b count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// A wait without a set.
ascend.kernel vector @unset parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %b = ascend.alloc "b" {address = 2048 : i64} : memref<1024xf32, #ub>
  // expected-error @+1 {{internal: wait for a flag that is not set: 'ascend.wait_flag'}}
  ascend.wait_flag MTE2 to V id 0 group 0
  ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// A set without a wait.
ascend.kernel vector @left parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %b = ascend.alloc "b" {address = 2048 : i64} : memref<1024xf32, #ub>
  ascend.load %A at %c0 rows %c1 columns %c1024 stride %c1024 to %a : memref<1024xf32, #gm> to memref<1024xf32, #ub>
  // expected-error @+1 {{internal: flag is still set at the end of the program: 'ascend.set_flag'}}
  ascend.set_flag MTE2 to V id 0 group 0
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// Two sets before a wait.
ascend.kernel vector @twice parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %b = ascend.alloc "b" {address = 2048 : i64} : memref<1024xf32, #ub>
  ascend.load %A at %c0 rows %c1 columns %c1024 stride %c1024 to %a : memref<1024xf32, #gm> to memref<1024xf32, #ub>
  // expected-note @+1 {{the earlier operation is here}}
  ascend.set_flag MTE2 to V id 0 group 0
  // expected-error @+1 {{internal: flag set twice without a wait between: 'ascend.set_flag' after 'ascend.set_flag'}}
  ascend.set_flag MTE2 to V id 0 group 0
  ascend.wait_flag MTE2 to V id 0 group 0
  ascend.wait_flag MTE2 to V id 0 group 0
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// Nothing holds the producer back: it may set the flag of the next iteration
// before the consumer has taken this one.
ascend.kernel vector @overrun parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %b = ascend.alloc "b" {address = 2048 : i64} : memref<1024xf32, #ub>
  scf.for %k = %c0 to %c4 step %c1 {
    ascend.load %A at %c0 rows %c1 columns %c1024 stride %c1024 to %a : memref<1024xf32, #gm> to memref<1024xf32, #ub>
  // expected-error @+2 {{internal: flag may be set again before it was waited for}}
    // expected-note @+1 {{the earlier operation is here}}
    ascend.set_flag MTE2 to MTE3 id 0 group 0
    ascend.wait_flag MTE2 to MTE3 id 0 group 0
    ascend.barrier MTE2
  }
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#l0c = #ascend.memory<l0c>
#ub = #ascend.memory<ub>

// A workspace without counters.
ascend.kernel mixed @no_counter parameters ["A"] blocks 24 aic {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = ascend.alloc "C_local" {address = 0 : i64} : memref<64x64xf32, #l0c>
  %w = ascend.workspace 0 "W" {offset = 0 : i64} : memref<64x64xf32, #gm>
  // expected-note @+1 {{the earlier operation is here}}
  ascend.fixpipe %c to %w at %c0 rows %c64 columns %c64 stride %c64 product_rows %c64 : memref<64x64xf32, #l0c> to memref<64x64xf32, #gm>
  ascend.end
} aiv {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<64x64xf32, #ub>
  %w = ascend.workspace 0 "W" {offset = 0 : i64} : memref<64x64xf32, #gm>
  // expected-error @+1 {{internal: dependence not ordered: 'ascend.load' after 'ascend.fixpipe'}}
  ascend.load %w at %c0 rows %c64 columns %c64 stride %c64 to %a : memref<64x64xf32, #gm> to memref<64x64xf32, #ub>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#l0c = #ascend.memory<l0c>
#ub = #ascend.memory<ub>

// A counter that nobody raises.
ascend.kernel mixed @deadlock parameters ["A"] blocks 24 aic {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = ascend.alloc "C_local" {address = 0 : i64} : memref<64x64xf32, #l0c>
  %w = ascend.workspace 0 "W" {offset = 0 : i64} : memref<64x64xf32, #gm>
  ascend.fixpipe %c to %w at %c0 rows %c64 columns %c64 stride %c64 product_rows %c64 : memref<64x64xf32, #l0c> to memref<64x64xf32, #gm>
  ascend.end
} aiv {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<64x64xf32, #ub>
  %w = ascend.workspace 0 "W" {offset = 0 : i64} : memref<64x64xf32, #gm>
  // expected-error @+1 {{internal: the core waits for ever for this counter: 'ascend.cross_wait'}}
  ascend.cross_wait flag 0 group 0
  ascend.load %w at %c0 rows %c64 columns %c64 stride %c64 to %a : memref<64x64xf32, #gm> to memref<64x64xf32, #ub>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#l0c = #ascend.memory<l0c>
#ub = #ascend.memory<ub>

// A counter that nobody lowers.
ascend.kernel mixed @counter_left parameters ["A"] blocks 24 aic {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = ascend.alloc "C_local" {address = 0 : i64} : memref<64x64xf32, #l0c>
  %w = ascend.workspace 0 "W" {offset = 0 : i64} : memref<64x64xf32, #gm>
  ascend.fixpipe %c to %w at %c0 rows %c64 columns %c64 stride %c64 product_rows %c64 : memref<64x64xf32, #l0c> to memref<64x64xf32, #gm>
  // expected-error @+1 {{internal: counter is not zero at the end of the program: 'ascend.cross_set'}}
  ascend.cross_set FIX flag 0 group 0
  ascend.end
} aiv {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<64x64xf32, #ub>
  %w = ascend.workspace 0 "W" {offset = 0 : i64} : memref<64x64xf32, #gm>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#l0c = #ascend.memory<l0c>
#ub = #ascend.memory<ub>

// A parameter is no means of exchange.
ascend.kernel mixed @parameter parameters ["A"] blocks 24 aic {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = ascend.alloc "C_local" {address = 0 : i64} : memref<64x64xf32, #l0c>
  %w = ascend.workspace 0 "W" {offset = 0 : i64} : memref<64x64xf32, #gm>
  // expected-note @+1 {{the earlier operation is here}}
  ascend.fixpipe %c to %A at %c0 rows %c64 columns %c64 stride %c64 product_rows %c64 : memref<64x64xf32, #l0c> to memref<64x64xf32, #gm>
  ascend.end
} aiv {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<64x64xf32, #ub>
  %w = ascend.workspace 0 "W" {offset = 0 : i64} : memref<64x64xf32, #gm>
  // expected-error @+1 {{unsupported: Cube and Vector cores access one buffer in global memory}}
  ascend.load %A at %c0 rows %c64 columns %c64 stride %c64 to %a : memref<64x64xf32, #gm> to memref<64x64xf32, #ub>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// Columns 0..63 and 64..127 have nothing in common; 32..95 and 64..127 do.
ascend.kernel vector @columns parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %right = ascend.view %a offset %c64 : memref<1024xf32, #ub> -> memref<960xf32, #ub>
  %middle = ascend.view %a offset %c32 : memref<1024xf32, #ub> -> memref<992xf32, #ub>
  ascend.unary Exp %a, %a repeat <mask = 64, count = 8, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  ascend.unary Exp %right, %right repeat <mask = 64, count = 8, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<960xf32, #ub>, memref<960xf32, #ub>
  ascend.barrier V
  // expected-note @+1 {{the earlier operation is here}}
  ascend.unary Exp %middle, %middle repeat <mask = 64, count = 8, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<992xf32, #ub>, memref<992xf32, #ub>
  // expected-error @+1 {{internal: dependence not ordered: 'ascend.unary' after 'ascend.unary'}}
  ascend.unary Exp %right, %right repeat <mask = 64, count = 8, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<960xf32, #ub>, memref<960xf32, #ub>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// A block stride of 0 reads one block again and again, one of 2 every other.
ascend.kernel vector @blocks parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c8 = arith.constant 8 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %b = ascend.alloc "b" {address = 4096 : i64} : memref<1024xf32, #ub>
  %odd = ascend.view %a offset %c8 : memref<1024xf32, #ub> -> memref<1016xf32, #ub>
  ascend.unary Exp %a, %a repeat <mask = 64, count = 8, dstBlock = 2, dstRepeat = 16, src0Block = 2, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  // expected-note @+1 {{the earlier operation is here}}
  ascend.unary Exp %odd, %odd repeat <mask = 64, count = 8, dstBlock = 2, dstRepeat = 16, src0Block = 2, src0Repeat = 16, src1Block = 0, src1Repeat = 0> : memref<1016xf32, #ub>, memref<1016xf32, #ub>
  // expected-error @+1 {{internal: dependence not ordered: 'ascend.unary' after 'ascend.unary'}}
  ascend.unary Exp %b, %odd repeat <mask = 64, count = 8, dstBlock = 1, dstRepeat = 8, src0Block = 0, src0Repeat = 0, src1Block = 0, src1Repeat = 0> : memref<1024xf32, #ub>, memref<1016xf32, #ub>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// Strips that are longer than the step from one to the next.
ascend.kernel vector @strips parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  %b = ascend.alloc "b" {address = 4096 : i64} : memref<1024xf32, #ub>
  scf.for %i = %c0 to %c512 step %c64 {
    %x = ascend.view %a offset %i : memref<1024xf32, #ub> -> memref<64xf32, #ub>
    ascend.unary Exp %x, %x count 64 : memref<64xf32, #ub>, memref<64xf32, #ub>
    %y = ascend.view %b offset %i : memref<1024xf32, #ub> -> memref<65xf32, #ub>
    // expected-error @+2 {{internal: dependence not ordered: 'ascend.unary' after 'ascend.unary'}}
    // expected-note @+1 {{the earlier operation is here}}
    ascend.unary Exp %y, %y count 65 : memref<65xf32, #ub>, memref<65xf32, #ub>
  }
  ascend.end
}
