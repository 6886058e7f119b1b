// RUN: tilelang-opt %s --ascend-verify-sync --split-input-file --verify-diagnostics | FileCheck %s
// Every kernel of the corpus verifies; without any one of its flags or barriers
// it does not.
// RUN: %python %S/Inputs/remove_flags.py tilelang-opt %S/Inputs/corpus | FileCheck %s --check-prefix=CORPUS --implicit-check-not=REJECTED

// CORPUS-DAG: add: whole accepted, 4 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: add_single: whole accepted, 4 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: add_three: whole accepted, 4 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: attention: whole accepted, {{[0-9]+}} flags, 2 barriers, accepted without one: 0 and 0
// CORPUS-DAG: barriers: whole accepted, 3 flags, 3 barriers, accepted without one: 0 and 0
// CORPUS-DAG: bounds: whole accepted, 4 flags, 2 barriers, accepted without one: 0 and 0
// CORPUS-DAG: branches: whole accepted, 4 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: columns: whole accepted, 4 flags, 3 barriers, accepted without one: 0 and 0
// CORPUS-DAG: strips: whole accepted, 2 flags, 2 barriers, accepted without one: 0 and 0
// CORPUS-DAG: few_barriers: whole accepted, 4 flags, 2 barriers, accepted without one: 0 and 0
// CORPUS-DAG: gemm: whole accepted, 6 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: gemm_bounds: whole accepted, 6 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: gemm_single: whole accepted, 6 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: gemm_small: whole accepted, 6 flags, 1 barriers, accepted without one: 0 and 0
// CORPUS-DAG: gemm_three: whole accepted, 6 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: gemm_twice: whole accepted, 10 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: inplace: whole accepted, 3 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: many: whole accepted, 14 flags, 6 barriers, accepted without one: 0 and 0
// CORPUS-DAG: mixed: whole accepted, 11 flags, 3 barriers, accepted without one: 0 and 0
// CORPUS-DAG: nested: whole accepted, 4 flags, 1 barriers, accepted without one: 0 and 0
// CORPUS-DAG: one_vector: whole accepted, 11 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: overlap: whole accepted, 4 flags, 2 barriers, accepted without one: 0 and 0
// CORPUS-DAG: shared_bytes: whole accepted, {{[0-9]+}} flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: tails: whole accepted, 4 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: through_global: whole accepted, 5 flags, 0 barriers, accepted without one: 0 and 0
// CORPUS-DAG: very_many: whole accepted, 18 flags, 11 barriers, accepted without one: 0 and 0
// One flag of this kernel is needed only if the inner loop never ran.
// CORPUS-DAG: scalars: whole accepted, 6 flags, 0 barriers, accepted without one: 1 and 0

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// CHECK-LABEL: @counted
// CHECK: ascend.redundant_flags = 0 : i64, ascend.sync_statistics = {barriers = 1 : i64, barriers_in_loops = 0 : i64, cross_flags = 0 : i64
// CHECK-SAME: flag_groups = 2 : i64
ascend.kernel vector @counted parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  ascend.load %A at %c0 rows %c1 columns %c1024 stride %c1024 to %a : memref<1024xf32, #gm> to memref<1024xf32, #ub>
  ascend.set_flag MTE2 to V id 0 group 0
  ascend.wait_flag MTE2 to V id 0 group 0
  ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  ascend.barrier V
  ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  ascend.set_flag V to MTE3 id 0 group 1
  ascend.wait_flag V to MTE3 id 0 group 1
  ascend.store %a to %A at %c0 rows %c1 columns %c1024 stride %c1024 : memref<1024xf32, #ub> to memref<1024xf32, #gm>
  ascend.end
}

// -----

#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>

// CHECK-LABEL: @redundant
// CHECK: ascend.redundant_flags = 1 : i64
ascend.kernel vector @redundant parameters ["A"] blocks 48 aic {
^bb0(%A: memref<1024xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %a = ascend.alloc "a" {address = 0 : i64} : memref<1024xf32, #ub>
  ascend.load %A at %c0 rows %c1 columns %c1024 stride %c1024 to %a : memref<1024xf32, #gm> to memref<1024xf32, #ub>
  ascend.set_flag MTE2 to V id 0 group 0
  // expected-remark @+1 {{flag group 2 is redundant: every dependence is ordered without it}}
  ascend.set_flag MTE2 to MTE3 id 0 group 2
  ascend.wait_flag MTE2 to V id 0 group 0
  ascend.unary Exp %a, %a count 1024 : memref<1024xf32, #ub>, memref<1024xf32, #ub>
  ascend.set_flag V to MTE3 id 0 group 1
  ascend.wait_flag V to MTE3 id 0 group 1
  ascend.wait_flag MTE2 to MTE3 id 0 group 2
  ascend.store %a to %A at %c0 rows %c1 columns %c1024 stride %c1024 : memref<1024xf32, #ub> to memref<1024xf32, #gm>
  ascend.end
}
