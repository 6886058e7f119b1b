// RUN: tilelang-opt %s --ascend-multi-buffer --split-input-file --verify-diagnostics

#gm = #ascend.memory<gm>
#l1 = #ascend.memory<l1>
#l0a = #ascend.memory<l0a>

// Fewer versions than asked for: the numbers say why.
ascend.kernel cube @stages parameters ["A"] blocks 24 aic {
^bb0(%A: memref<1024x1024xf16, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "A_shared" : memref<256x256xf16, #l1>
  %b = ascend.alloc "B_shared" : memref<256x256xf16, #l1>
  %x = ascend.alloc "A_l0" {temporary} : memref<16x16xf16, #l0a>
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c8 step %num {
    // expected-remark @+1 {{num_stages = 4 does not fit L1: A_shared 131072 B, B_shared 131072 B times 4 are 1048576 B, beside 0 B of other buffers, limit 524032 B; 1 version is used}}
    scf.for %k = %c0 to %c8 step %c1 {
      ascend.nd2nz %A at %k rows %c256 columns %c256 stride %c1024 to %a : memref<1024x1024xf16, #gm> to memref<256x256xf16, #l1>
      ascend.nd2nz %A at %k rows %c256 columns %c256 stride %c1024 to %b : memref<1024x1024xf16, #gm> to memref<256x256xf16, #l1>
      ascend.load_l0a %a at [%c0, %c0] extents [%c16, %c16] to %x : memref<256x256xf16, #l1> to memref<16x16xf16, #l0a>
      ascend.load_l0a %b at [%c0, %c0] extents [%c16, %c16] to %x : memref<256x256xf16, #l1> to memref<16x16xf16, #l0a>
    } {ascend.stages = 4 : i64}
  } {ascend.grid}
  ascend.end
} aiv {
^bb0(%A: memref<1024x1024xf16, #gm>):
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

ascend.kernel vector @loop parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = ascend.alloc "a" : memref<1024xf32, #ub>
  %more = arith.constant true
  // expected-error @+1 {{unsupported: instructions inside 'scf.while' cannot be synchronised; use a for loop or an if}}
  scf.while : () -> () {
    scf.condition(%more)
  } do {
    ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
    scf.yield
  }
  ascend.end
}
