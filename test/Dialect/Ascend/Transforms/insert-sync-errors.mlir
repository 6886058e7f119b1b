// RUN: tilelang-opt %s --ascend-insert-sync --split-input-file --verify-diagnostics

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// expected-error @+1 {{internal: the kernel is already synchronised in part}}
ascend.kernel vector @twice parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %a = ascend.alloc "a" : memref<1024xf32, #ub>
  ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  ascend.barrier V
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
#l0c = #ascend.memory<l0c>

ascend.kernel mixed @branch parameters ["A"] blocks 24 aic {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c = ascend.alloc "C_local" : memref<64x64xf32, #l0c>
  %w = ascend.workspace 0 "C_workspace" : memref<64x64xf32, #gm>
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c8 step %num {
    ascend.fixpipe %c to %w at %c0 rows %c64 columns %c64 stride %c64 product_rows %c64 : memref<64x64xf32, #l0c> to memref<64x64xf32, #gm>
  } {ascend.grid}
  ascend.end
} aiv {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %w = ascend.workspace 0 "C_workspace" : memref<64x64xf32, #gm>
  %a = ascend.alloc "a" : memref<64x64xf32, #ub>
  %s = ascend.sub_block_idx
  %first = arith.cmpi eq, %s, %c0 : index
  %idx = ascend.block_idx
  %num = ascend.block_num
  // expected-error @+1 {{unsupported: workspace 'C_workspace' is exchanged between cores inside an if; counters must be raised and lowered on every path}}
  scf.if %first {
    scf.for %t = %idx to %c8 step %num {
      ascend.load %w at %c0 rows %c64 columns %c64 stride %c64 to %a : memref<64x64xf32, #gm> to memref<64x64xf32, #ub>
    } {ascend.grid}
  }
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
#l0c = #ascend.memory<l0c>

ascend.kernel mixed @both parameters ["A"] blocks 24 aic {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c = ascend.alloc "C_local" : memref<64x64xf32, #l0c>
  // expected-error @+1 {{unsupported: workspace 'W' is written by both core types; one must write it and the other read it}}
  %w = ascend.workspace 0 "W" : memref<64x64xf32, #gm>
  ascend.fixpipe %c to %w at %c0 rows %c64 columns %c64 stride %c64 product_rows %c64 : memref<64x64xf32, #l0c> to memref<64x64xf32, #gm>
  ascend.end
} aiv {
^bb0(%A: memref<64x64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %w = ascend.workspace 0 "W" : memref<64x64xf32, #gm>
  %a = ascend.alloc "a" : memref<64x64xf32, #ub>
  ascend.store %a to %w at %c0 rows %c64 columns %c64 stride %c64 : memref<64x64xf32, #ub> to memref<64x64xf32, #gm>
  ascend.end
}
