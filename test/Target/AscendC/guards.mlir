// A count that may be 0 is guarded; one that is known not to be is not.
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null | FileCheck %s

// The last tile of 130 rows has 2.
// CHECK:      for (int32_t tile = block; tile < 2; tile += blocks) {
// CHECK-NOT:  if
// CHECK:      DataCopy(l1, A[{{.*}}], Nd2NzParams{1, uint16_t(rows), 64, 0, 64, 128, 1, 0});
// The last of 3 tiles of 256 rows has none.
// CHECK:      for (int32_t tile = block; tile < 3; tile += blocks) {
// CHECK:      if (rows > 0) {
// CHECK-NEXT: DataCopy(l1, A[
// What is never positive is left out.
// CHECK-NOT:  DataCopy
// CHECK:      extern "C"

!gm = memref<130x64xf16, #ascend.memory<gm>>
!l1 = memref<128x64xf16, #ascend.memory<l1>>
ascend.kernel cube @guards parameters ["A"] blocks 2 aic {
^bb0(%A: !gm):
  %l1 = ascend.alloc "l1" {address = 0 : i64} : !l1
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c130 = arith.constant 130 : index
  %block = ascend.block_idx
  %blocks = ascend.block_num
  scf.for %t = %block to %c2 step %blocks {
    %start = arith.muli %t, %c128 : index
    %left = arith.subi %c130, %start : index
    %rows = arith.minsi %left, %c128 : index loc("rows")
    ascend.nd2nz %A at %start rows %rows columns %c64 stride %c64 to %l1 : !gm to !l1
  } {ascend.grid}
  scf.for %t = %block to %c3 step %blocks {
    %start = arith.muli %t, %c128 : index
    %left = arith.subi %c130, %start : index
    %rows = arith.minsi %left, %c128 : index loc("rows")
    ascend.nd2nz %A at %start rows %rows columns %c64 stride %c64 to %l1 : !gm to !l1
  } {ascend.grid}
  scf.for %t = %block to %c3 step %blocks {
    %none = arith.subi %t, %c3 : index loc("none")
    ascend.nd2nz %A at %t rows %none columns %c64 stride %c64 to %l1 : !gm to !l1
  } {ascend.grid}
  ascend.end
} aiv {
^bb0(%A: !gm):
  ascend.end
}
