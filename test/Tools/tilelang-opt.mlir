// A failure leaves a reproducer; where to is said, and may be chosen.
// RUN: mkdir -p %t.folder
// RUN: env TMPDIR=%t.folder not tilelang-opt %s --tile-normalize-parallel 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPRODUCER < %t.folder/tilelang-opt-reproducer.mlir
// RUN: not tilelang-opt %s --tile-normalize-parallel --mlir-pass-pipeline-crash-reproducer=%t.chosen 2>/dev/null
// RUN: FileCheck %s --check-prefix=REPRODUCER < %t.chosen
// Debug output by tag, from the command line or the environment.
// RUN: tilelang-opt %s --tile-split-live-ranges --debug-only=tile-split-live-ranges -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEBUG
// RUN: env TILELANG_DEBUG_ONLY=other,tile-split-live-ranges tilelang-opt %s --tile-split-live-ranges -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEBUG
// RUN: tilelang-opt %s --tile-split-live-ranges --debug-only=other -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty

// CHECK: error: iterations of T.Parallel depend on each other
// CHECK: reproducer generated at `{{.*}}tilelang-opt-reproducer.mlir`
// REPRODUCER: tile.parallel
// REPRODUCER: tile-normalize-parallel
// DEBUG: [tile-split-live-ranges] 'A': 1 live ranges
// SILENT-NOT: live ranges
func.func @dependent() {
  %c0 = arith.constant 0 : index
  %a = tile.alloc {name = "A"} : memref<4xf32, #tile.scope<shared>>
  tile.parallel [4] {
  ^bb0(%i: index):
    %x = tile.load %a[%i] : memref<4xf32, #tile.scope<shared>> -> f32
    tile.store %x to %a[%c0] : f32 to memref<4xf32, #tile.scope<shared>>
  }
  return
}
