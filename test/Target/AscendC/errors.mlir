// What cannot be emitted is an error at the operation.
// RUN: tilelang-opt %s --split-input-file --verify-diagnostics --ascend-print-source -o /dev/null

ascend.kernel vector @no_address parameters [] blocks 1 aic {
  ascend.end
} aiv {
  // expected-error @below {{internal: buffer 'u' has no address: memory was not planned}}
  %u = ascend.alloc "u" : memref<64xf32, #ascend.memory<ub>>
  ascend.unary Exp %u, %u count 64 : memref<64xf32, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>
  ascend.end
}

// -----

ascend.kernel vector @no_offset parameters [] blocks 1 aic {
  ascend.end
} aiv {
  // expected-error @below {{internal: workspace 'w' has no offset: memory was not planned}}
  %w = ascend.workspace 0 "w" : memref<64xf32, #ascend.memory<gm>>
  %c0 = arith.constant 0 : index
  %0 = ascend.get_value %w at %c0 : memref<64xf32, #ascend.memory<gm>> -> f32
  ascend.set_value %0 to %w at %c0 : f32 to memref<64xf32, #ascend.memory<gm>>
  ascend.end
}

// -----

ascend.kernel vector @exp_of_scalar parameters ["x"] blocks 1 aic {
^bb0(%x: f32):
  ascend.end
} aiv {
^bb0(%x: f32):
  %u = ascend.alloc "u" {address = 0 : i64} : memref<64xf32, #ascend.memory<ub>>
  // expected-error @below {{unsupported: 'exp' of a scalar: the scalar unit only adds, subtracts, multiplies, divides and compares; compute it on a buffer of one element}}
  %e = math.exp %x : f32
  ascend.duplicate %u, %e count 64 : memref<64xf32, #ascend.memory<ub>>, f32
  ascend.end
}

// -----

ascend.kernel vector @element_type parameters ["X"] blocks 1 aic {
^bb0(%X: memref<64xf64, #ascend.memory<gm>>):
  ascend.end
} aiv {
// expected-error @-4 {{unsupported: buffers with elements of type 'f64'; Ascend C has 8-, 16-, 32- and 64-bit integers, f16, bf16 and f32}}
^bb0(%X: memref<64xf64, #ascend.memory<gm>>):
  ascend.barrier V
  ascend.end
}

// -----

ascend.kernel vector @left_over parameters [] blocks 1 aic {
  ascend.end
} aiv {
  // expected-error @below {{internal: 'memref.alloc' has no Ascend C text}}
  %0 = memref.alloc() : memref<4xf32>
  ascend.end
}

// -----

ascend.kernel vector @no_event parameters [] blocks 1 aic {
  ascend.end
} aiv {
  // expected-error @below {{internal: no event orders pipe MTE3 after pipe MTE3}}
  ascend.set_flag MTE3 to MTE3 id 0 group 0
  // expected-error @below {{internal: a cross-core flag is set by one of the pipes V, M, MTE1, MTE2, MTE3 and FIX, found S}}
  ascend.cross_set S flag 0 group 0
  ascend.end
}

// -----

ascend.kernel vector @other_type parameters ["X"] blocks 1 aic {
^bb0(%X: memref<64xf32, #ascend.memory<gm>>):
  ascend.end
} aiv {
^bb0(%X: memref<64xf32, #ascend.memory<gm>>):
  %u = ascend.alloc "u" {address = 0 : i64} : memref<64xi32, #ascend.memory<ub>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @below {{unsupported: global memory of type float accessed as int32_t}}
  %bits = ascend.view %X : memref<64xf32, #ascend.memory<gm>> -> memref<64xi32, #ascend.memory<gm>>
  ascend.load %bits at %c0 rows %c1 columns %c8 stride %c8 to %u : memref<64xi32, #ascend.memory<gm>> to memref<64xi32, #ascend.memory<ub>>
  ascend.end
}
