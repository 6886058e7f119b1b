// RUN: tilelang-opt %s -ascend-distribute-branches | FileCheck %s

// The Vector core sends p and awaits q, which the Cube core makes of it: two
// branches, and what both need is computed in both. The other arm exchanges
// nothing and stays where it is.
// CHECK-LABEL: aiv
// CHECK: %[[C:.*]] = arith.cmpi sgt
// CHECK: scf.if %[[C]] {
// CHECK-NEXT: %[[N:.*]] = arith.addi %{{.*}}, %{{.*}}
// CHECK-NEXT: ascend.store %{{.*}} to %[[P:.*]] at %[[N]]
// CHECK-NEXT: } else {
// CHECK-NEXT: ascend.duplicate
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %[[C]] {
// CHECK-NEXT: %[[M:.*]] = arith.addi %{{.*}}, %{{.*}}
// CHECK-NEXT: ascend.load %[[Q:.*]] at %[[M]]
// CHECK-NEXT: }

// Two arms that both exchange: the second has a branch of its own.
// CHECK: scf.if %[[C]] {
// CHECK-NEXT: ascend.store {{.*}} to %[[P]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[D:.*]] = arith.cmpi sle
// CHECK-NEXT: scf.if %[[D]] {
// CHECK-NEXT: ascend.load %[[Q]]
// CHECK-NEXT: }

// Awaiting first and sending then is one branch.
// CHECK: scf.if %[[C]] {
// CHECK-NEXT: ascend.load %[[Q]]
// CHECK-NEXT: ascend.store {{.*}} to %[[P]]
// CHECK-NEXT: }
// CHECK-NOT: scf.if
#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
ascend.kernel mixed @main parameters ["n"] blocks 24
aic {
^bb0(%n: i32):
  %p = ascend.workspace 0 "p" : memref<256xf32, #gm>
  %q = ascend.workspace 1 "q" : memref<256xf32, #gm>
  ascend.end
}
aiv {
^bb0(%n: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %p = ascend.workspace 0 "p" : memref<256xf32, #gm>
  %q = ascend.workspace 1 "q" : memref<256xf32, #gm>
  %a = ascend.alloc "a" : memref<128xf32, #ub>
  %b = ascend.alloc "b" : memref<128xf32, #ub>
  %size = arith.index_cast %n : i32 to index
  scf.for %k = %c0 to %size step %c1 {
    %c = arith.cmpi sgt, %k, %c8 : index
    scf.if %c {
      %at = arith.addi %k, %c1 : index
      ascend.store %a to %p at %at rows %c1 columns %c128 stride %c128 : memref<128xf32, #ub> to memref<256xf32, #gm>
      ascend.load %q at %at rows %c1 columns %c128 stride %c128 to %b : memref<256xf32, #gm> to memref<128xf32, #ub>
    } else {
      ascend.duplicate %b, %zero count 128 : memref<128xf32, #ub>, f32
    }
    scf.if %c {
      ascend.store %a to %p at %c0 rows %c1 columns %c128 stride %c128 : memref<128xf32, #ub> to memref<256xf32, #gm>
    } else {
      ascend.load %q at %c0 rows %c1 columns %c128 stride %c128 to %b : memref<256xf32, #gm> to memref<128xf32, #ub>
    }
    scf.if %c {
      ascend.load %q at %c0 rows %c1 columns %c128 stride %c128 to %b : memref<256xf32, #gm> to memref<128xf32, #ub>
      ascend.store %b to %p at %c0 rows %c1 columns %c128 stride %c128 : memref<128xf32, #ub> to memref<256xf32, #gm>
    }
  }
  ascend.end
}
