// RUN: tilelang-opt %s --tile-split-live-ranges --verify-diagnostics | FileCheck %s
// RUN: tilelang-opt %s --tile-split-live-ranges --debug-only=tile-split-live-ranges -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEBUG

// The pass refuses nothing: a buffer that it cannot follow stays one range.

!t = memref<64xf32, #tile.scope<fragment>>
!r = !tile.region<64xf32>

func.func private @unknown(!t)

// DEBUG: [tile-split-live-ranges] 'escapes': 1 live ranges
// DEBUG: [tile-split-live-ranges] 'followed': 2 live ranges

// CHECK-LABEL: func.func @escapes
// CHECK: tile.alloc {name = "escapes"}
// CHECK: tile.alloc {name = "followed"}
// CHECK: tile.alloc {name = "followed"}
// CHECK-NOT: tile.alloc
func.func @escapes(%g: memref<64xf32, #tile.scope<global>>) {
  %c0 = arith.constant 0 : index
  %a = tile.alloc {name = "escapes"} : !t
  %b = tile.alloc {name = "followed"} : !t
  %rg = tile.region %g[%c0] sizes [] : memref<64xf32, #tile.scope<global>> -> !r
  %ra = tile.region %a[%c0] sizes [] : !t -> !r
  %rb = tile.region %b[%c0] sizes [] : !t -> !r
  tile.copy %rg to %ra : !r to !r
  func.call @unknown(%a) : (!t) -> ()
  tile.copy %ra to %rg : !r to !r
  tile.copy %rg to %ra : !r to !r
  tile.copy %ra to %rg : !r to !r
  tile.copy %rg to %rb : !r to !r
  tile.copy %rb to %rg : !r to !r
  tile.copy %rg to %rb : !r to !r
  tile.copy %rb to %rg : !r to !r
  return
}
