// Each emitted line names the line it comes from; the launch facts.
// RUN: tilelang-opt %s --ascend-print-source=line-table -o /dev/null | FileCheck %s

// The text counts its lines from 1, comments included.
// CHECK:      // mixed: mixed kernel on 20 blocks
// CHECK:      CrossCoreSetFlag<2, PIPE_FIX>(0);
// CHECK:      // line 7 = dir/program.py:3:5
// CHECK-NEXT: // line 9 = dir/program.py:3:5
// CHECK-NEXT: // line 10 = dir/program.py:3:5
// CHECK-NEXT: // line 12 = dir/program.py:7:9
// CHECK-NEXT: // line 13 = dir/helper.py:2:1
// CHECK-NEXT: // blocks 20, workspace 1310720

!l0c = memref<128x64xf32, #ascend.memory<l0c>>
!ws = memref<128x64xf32, #ascend.memory<gm>>
ascend.kernel mixed @mixed parameters [] blocks 20 aic {
  %c = ascend.alloc "c" {address = 0 : i64} : !l0c loc("dir/program.py":3:5 to :20)
  %ws = ascend.workspace 1 "product" {versions = 2 : i64, offset = 0 : i64} : !ws loc("dir/program.py":3:5)
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  ascend.fixpipe %c to %ws at %c0 rows %c128 columns %c64 stride %c64 product_rows %c128 : !l0c to !ws loc(fused["name"("dir/program.py":7:9), "dir/program.py":8:1])
  ascend.cross_set FIX flag 0 group 3 loc(callsite("dir/helper.py":2:1 at "dir/program.py":7:9))
  ascend.end
} aiv {
  ascend.cross_wait flag 0 group 3 loc(unknown)
  ascend.end
}
