// RUN: tilelang-opt %s -split-input-file -ascend-order-tasks='depth=1' -canonicalize -cse 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: tilelang-opt %s -split-input-file -ascend-order-tasks -canonicalize -cse 2>/dev/null | FileCheck %s --check-prefix=DEEP
// RUN: tilelang-opt %s -split-input-file -ascend-order-tasks='depth=0' -canonicalize -cse 2>&1 | FileCheck %s --check-prefix=NONE

// NONE-NOT: ascend.skew
// NONE-NOT: remark

// Cube -> Vector -> Cube -> Vector: two tasks on each side. The load of `v`
// sinks to its product, the factor `r` is kept for the later task.

// REMARK: remark: skew 1: 2 Cube and 2 Vector tasks
// REMARK: remark: no skew: each iteration needs what the other core type made of the one before
// CHECK-LABEL: ascend.kernel mixed @chain
// CHECK: scf.for %[[T:.*]] = %c0 to %c5 step %c1
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[T]], %c4
// CHECK: scf.if %[[FIRST]] {
// CHECK: tile.copy {{.*}} : <16x16xf16> to <16x16xf16>
// CHECK: tile.gemm
// CHECK-NOT: tile.gemm
// CHECK: } {ascend.skew = 0 : i64, ascend.task = 0 : i64}
// CHECK: %[[BEHIND:.*]] = arith.cmpi sge, %[[T]], %c1
// CHECK: scf.if %[[BEHIND]] {
// CHECK: arith.subi %[[T]], %c1
// CHECK: tile.copy {{.*}} : <16x16xf16> to <16x16xf16>
// CHECK: tile.copy {{.*}} : <16x16xf16> to <16x16xf16>
// CHECK: tile.gemm
// CHECK: } {ascend.skew = 1 : i64, ascend.task = 2 : i64}
// CHECK: } {ascend.skew = 1 : i64, ascend.stages = 2 : i64}
// CHECK: } aiv {
// CHECK: tile.alloc {ascend.task_versions = 2 : i64, name = "r"}
// CHECK: scf.if
// CHECK: } {ascend.skew = 0 : i64, ascend.task = 1 : i64}
// CHECK: scf.if
// CHECK: } {ascend.skew = 1 : i64, ascend.task = 3 : i64}

// DEEP-LABEL: ascend.kernel mixed @chain
// DEEP: scf.for %{{.*}} = %c0 to %c6 step %c1
// DEEP: tile.alloc {ascend.task_versions = 3 : i64, name = "r"}
ascend.kernel mixed @chain parameters ["K", "V", "N"] blocks 1 aic {
^bb0(%kk: memref<64x16xf16, #ascend.memory<gm>>, %vv: memref<64x16xf16, #ascend.memory<gm>>, %n: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %true = arith.constant true
  %q = tile.alloc {name = "q"} : memref<16x16xf16, #ascend.memory<l1>>
  %k = tile.alloc {name = "k"} : memref<16x16xf16, #ascend.memory<l1>>
  %v = tile.alloc {name = "v"} : memref<16x16xf16, #ascend.memory<l1>>
  %p = tile.alloc {name = "p"} : memref<16x16xf16, #ascend.memory<l1>>
  %s = tile.alloc {name = "s"} : memref<16x16xf32, #ascend.memory<l0c>>
  %o = tile.alloc {name = "o"} : memref<16x16xf32, #ascend.memory<l0c>>
  %ws = ascend.workspace 0 "s" : memref<16x16xf32, #ascend.memory<gm>>
  %wp = ascend.workspace 1 "p" : memref<16x16xf16, #ascend.memory<gm>>
  %wo = ascend.workspace 2 "o" : memref<16x16xf32, #ascend.memory<gm>>
  %rq = tile.region %q[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<l1>> -> <16x16xf16>
  %rk = tile.region %k[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<l1>> -> <16x16xf16>
  %rv = tile.region %v[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<l1>> -> <16x16xf16>
  %rp = tile.region %p[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<l1>> -> <16x16xf16>
  %rs = tile.region %s[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<l0c>> -> <16x16xf32>
  %ro = tile.region %o[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<l0c>> -> <16x16xf32>
  %gs = tile.region %ws[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<gm>> -> <16x16xf32>
  %gp = tile.region %wp[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<gm>> -> <16x16xf16>
  %go = tile.region %wo[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<gm>> -> <16x16xf32>
  %b = ascend.block_idx
  %bn = ascend.block_num
  scf.for %i = %b to %c1 step %bn {
    scf.for %j = %c0 to %c4 step %c1 {
      %row = arith.muli %j, %c16 : index
      %gk = tile.region %kk[%row, %c0] sizes[] : memref<64x16xf16, #ascend.memory<gm>> -> <16x16xf16>
      %gv = tile.region %vv[%row, %c0] sizes[] : memref<64x16xf16, #ascend.memory<gm>> -> <16x16xf16>
      tile.copy %gv to %rv : <16x16xf16> to <16x16xf16>
      tile.copy %gk to %rk : <16x16xf16> to <16x16xf16>
      tile.gemm %rq, %rk into %rs clear %true : <16x16xf16>, <16x16xf16> into <16x16xf32>
      tile.copy %rs to %gs : <16x16xf32> to <16x16xf32>
      tile.copy %gp to %rp : <16x16xf16> to <16x16xf16>
      tile.gemm %rp, %rv into %ro clear %true : <16x16xf16>, <16x16xf16> into <16x16xf32>
      tile.copy %ro to %go : <16x16xf32> to <16x16xf32>
    } {ascend.stages = 2 : i64}
  } {ascend.grid}
  ascend.end
} aiv {
^bb0(%kk: memref<64x16xf16, #ascend.memory<gm>>, %vv: memref<64x16xf16, #ascend.memory<gm>>, %n: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %s = tile.alloc {name = "s"} : memref<16x16xf32, #ascend.memory<ub>>
  %p = tile.alloc {name = "p"} : memref<16x16xf16, #ascend.memory<ub>>
  %o = tile.alloc {name = "o"} : memref<16x16xf32, #ascend.memory<ub>>
  %sum = tile.alloc {name = "sum"} : memref<16x16xf32, #ascend.memory<ub>>
  %r = tile.alloc {name = "r"} : memref<16xf32, #ascend.memory<ub>>
  %ws = ascend.workspace 0 "s" : memref<16x16xf32, #ascend.memory<gm>>
  %wp = ascend.workspace 1 "p" : memref<16x16xf16, #ascend.memory<gm>>
  %wo = ascend.workspace 2 "o" : memref<16x16xf32, #ascend.memory<gm>>
  %rs = tile.region %s[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<ub>> -> <16x16xf32>
  %rp = tile.region %p[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<ub>> -> <16x16xf16>
  %ro = tile.region %o[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<ub>> -> <16x16xf32>
  %rsum = tile.region %sum[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<ub>> -> <16x16xf32>
  %rr = tile.region %r[%c0] sizes[] : memref<16xf32, #ascend.memory<ub>> -> <16xf32>
  %gs = tile.region %ws[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<gm>> -> <16x16xf32>
  %gp = tile.region %wp[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<gm>> -> <16x16xf16>
  %go = tile.region %wo[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<gm>> -> <16x16xf32>
  %b = ascend.block_idx
  %bn = ascend.block_num
  scf.for %i = %b to %c1 step %bn {
    tile.fill %rsum with %zero : <16x16xf32>, f32
    scf.for %j = %c0 to %c4 step %c1 {
      tile.copy %gs to %rs : <16x16xf32> to <16x16xf32>
      tile.reduce max %rs into %rr dim 1 : <16x16xf32> into <16xf32>
      tile.copy %rs to %rp : <16x16xf32> to <16x16xf16>
      tile.copy %rp to %gp : <16x16xf16> to <16x16xf16>
      tile.copy %go to %ro : <16x16xf32> to <16x16xf32>
      tile.map [16, 16] ins(%rsum, %rr, %ro : !tile.region<16x16xf32>, !tile.region<16xf32>, !tile.region<16x16xf32>) outs(%rsum : <16x16xf32>) clip [] lower[] upper[] maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %m = arith.mulf %x, %y : f32
        %a = arith.addf %m, %z : f32
        tile.yield %a : f32
      }
    } {ascend.stages = 2 : i64}
  } {ascend.grid}
  ascend.end
}

// -----

// The tile that the Cube core is given is the sum of what it made so far:
// nothing can run ahead.

// CHECK-LABEL: ascend.kernel mixed @recurrence
// CHECK-NOT: ascend.skew
// CHECK: ascend.end
ascend.kernel mixed @recurrence parameters ["K"] blocks 1 aic {
^bb0(%kk: memref<16x16xf16, #ascend.memory<gm>>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant true
  %k = tile.alloc {name = "k"} : memref<16x16xf16, #ascend.memory<l1>>
  %p = tile.alloc {name = "p"} : memref<16x16xf16, #ascend.memory<l1>>
  %s = tile.alloc {name = "s"} : memref<16x16xf32, #ascend.memory<l0c>>
  %ws = ascend.workspace 0 "s" : memref<16x16xf32, #ascend.memory<gm>>
  %wp = ascend.workspace 1 "p" : memref<16x16xf16, #ascend.memory<gm>>
  %rk = tile.region %k[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<l1>> -> <16x16xf16>
  %rp = tile.region %p[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<l1>> -> <16x16xf16>
  %rs = tile.region %s[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<l0c>> -> <16x16xf32>
  %gs = tile.region %ws[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<gm>> -> <16x16xf32>
  %gp = tile.region %wp[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<gm>> -> <16x16xf16>
  scf.for %j = %c0 to %c4 step %c1 {
    tile.copy %gp to %rp : <16x16xf16> to <16x16xf16>
    tile.gemm %rp, %rk into %rs clear %true : <16x16xf16>, <16x16xf16> into <16x16xf32>
    tile.copy %rs to %gs : <16x16xf32> to <16x16xf32>
  }
  ascend.end
} aiv {
^bb0(%kk: memref<16x16xf16, #ascend.memory<gm>>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = tile.alloc {name = "s"} : memref<16x16xf32, #ascend.memory<ub>>
  %p = tile.alloc {name = "p"} : memref<16x16xf16, #ascend.memory<ub>>
  %sum = tile.alloc {name = "sum"} : memref<16x16xf32, #ascend.memory<ub>>
  %ws = ascend.workspace 0 "s" : memref<16x16xf32, #ascend.memory<gm>>
  %wp = ascend.workspace 1 "p" : memref<16x16xf16, #ascend.memory<gm>>
  %rs = tile.region %s[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<ub>> -> <16x16xf32>
  %rp = tile.region %p[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<ub>> -> <16x16xf16>
  %rsum = tile.region %sum[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<ub>> -> <16x16xf32>
  %gs = tile.region %ws[%c0, %c0] sizes[] : memref<16x16xf32, #ascend.memory<gm>> -> <16x16xf32>
  %gp = tile.region %wp[%c0, %c0] sizes[] : memref<16x16xf16, #ascend.memory<gm>> -> <16x16xf16>
  scf.for %j = %c0 to %c4 step %c1 {
    tile.copy %rsum to %rp : <16x16xf32> to <16x16xf16>
    tile.copy %rp to %gp : <16x16xf16> to <16x16xf16>
    tile.copy %gs to %rs : <16x16xf32> to <16x16xf32>
    tile.map [16, 16] ins(%rsum, %rs : !tile.region<16x16xf32>, !tile.region<16x16xf32>) outs(%rsum : <16x16xf32>) clip [] lower[] upper[] maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
    ^bb0(%x: f32, %y: f32):
      %a = arith.addf %x, %y : f32
      tile.yield %a : f32
    }
  }
  ascend.end
}
