// RUN: tilelang-opt %s --ascend-plan-memory='chip-directory=%chips' | FileCheck %s

// Two sources begin half a turn of the bank groups apart: 256 of 512 bytes.

// CHECK-LABEL: ascend.kernel vector @sources
// CHECK: "a" {address = 256 : i64}
// CHECK: "b" {address = 16896 : i64}
ascend.kernel vector @sources parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %a = ascend.alloc "a" : memref<4096xf32, #ascend.memory<ub>>
  %b = ascend.alloc "b" : memref<4096xf32, #ascend.memory<ub>>
  ascend.binary Add %a, %a, %b count 4096 : memref<4096xf32, #ascend.memory<ub>>, memref<4096xf32, #ascend.memory<ub>>, memref<4096xf32, #ascend.memory<ub>>
  ascend.end
}
