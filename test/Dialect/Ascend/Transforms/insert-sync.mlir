// The kernels are in Inputs/corpus; here is what their flags have to look like.
// DEFINE: %{pass} = --ascend-multi-buffer --ascend-plan-memory --ascend-insert-sync
// DEFINE: %{dir} = %S/Inputs/corpus
// RUN: tilelang-opt %{dir}/gemm.mlir %{pass} | FileCheck %s --check-prefix=GEMM
// RUN: tilelang-opt %{dir}/gemm_single.mlir %{pass} | FileCheck %s --check-prefix=SINGLE
// RUN: tilelang-opt %{dir}/gemm_three.mlir %{pass} | FileCheck %s --check-prefix=THREE
// RUN: tilelang-opt %{dir}/gemm_small.mlir %{pass} | FileCheck %s --check-prefix=SMALL
// RUN: tilelang-opt %{dir}/gemm_twice.mlir %{pass} | FileCheck %s --check-prefix=TWICE
// RUN: tilelang-opt %{dir}/add.mlir %{pass} | FileCheck %s --check-prefix=ADD
// RUN: tilelang-opt %{dir}/inplace.mlir %{pass} | FileCheck %s --check-prefix=INPLACE
// RUN: tilelang-opt %{dir}/barriers.mlir %{pass} | FileCheck %s --check-prefix=BARRIERS
// RUN: tilelang-opt %{dir}/few_barriers.mlir %{pass} | FileCheck %s --check-prefix=FEW
// RUN: tilelang-opt %{dir}/columns.mlir %{pass} | FileCheck %s --check-prefix=COLUMNS
// RUN: tilelang-opt %{dir}/strips.mlir %{pass} | FileCheck %s --check-prefix=STRIPS
// RUN: tilelang-opt %{dir}/branches.mlir %{pass} | FileCheck %s --check-prefix=BRANCHES
// RUN: tilelang-opt %{dir}/scalars.mlir %{pass} | FileCheck %s --check-prefix=SCALARS
// RUN: tilelang-opt %{dir}/overlap.mlir %{pass} | FileCheck %s --check-prefix=OVERLAP
// RUN: tilelang-opt %{dir}/through_global.mlir %{pass} | FileCheck %s --check-prefix=GLOBAL
// RUN: tilelang-opt %{dir}/mixed.mlir %{pass} | FileCheck %s --check-prefix=MIXED
// RUN: tilelang-opt %{dir}/one_vector.mlir %{pass} | FileCheck %s --check-prefix=ONEVECTOR
// RUN: tilelang-opt %{dir}/attention.mlir %{pass} | FileCheck %s --check-prefix=ATTENTION
// RUN: tilelang-opt %{dir}/many.mlir %{pass} | FileCheck %s --check-prefix=MANY
// RUN: tilelang-opt %{dir}/very_many.mlir %{pass} | FileCheck %s --check-prefix=VERYMANY
// RUN: tilelang-opt %{dir}/bounds.mlir %{pass} | FileCheck %s --check-prefix=BOUNDS

// Four flags per k step and two per tile, nothing else.
// GEMM: %[[STAGE:.*]] = ascend.ring 2
// GEMM: ascend.set_flag MTE1 to MTE2 id 0 group [[L1FREE:[0-9]+]]
// GEMM-NEXT: ascend.set_flag MTE1 to MTE2 id 1 group [[L1FREE]]
// GEMM-NEXT: ascend.set_flag M to MTE1 id 0 group [[L0FREE:[0-9]+]]
// GEMM-NEXT: ascend.set_flag M to MTE1 id 1 group [[L0FREE]]
// GEMM-NEXT: ascend.set_flag FIX to M id 0 group [[CFREE:[0-9]+]]
// GEMM-NEXT: scf.for
// GEMM: ascend.wait_flag FIX to M id 0 group [[CFREE]]
// GEMM-NEXT: scf.for
// GEMM: ascend.wait_flag MTE1 to MTE2 id 0 slot %[[STAGE]] group [[L1FREE]]
// GEMM: ascend.nd2nz
// GEMM: ascend.nd2nz
// GEMM-NEXT: ascend.set_flag MTE2 to MTE1 id 0 slot %[[STAGE]] group [[L1FULL:[0-9]+]]
// GEMM-NEXT: ascend.wait_flag MTE2 to MTE1 id 0 slot %[[STAGE]] group [[L1FULL]]
// GEMM-NEXT: ascend.wait_flag M to MTE1 id 0 slot %[[STAGE]] group [[L0FREE]]
// GEMM-NEXT: ascend.load_l0a
// GEMM-NEXT: ascend.load_l0b
// GEMM-DAG: ascend.set_flag MTE1 to MTE2 id 0 slot %[[STAGE]] group [[L1FREE]]
// GEMM-DAG: ascend.set_flag MTE1 to M id 0 slot %[[STAGE]] group [[L0FULL:[0-9]+]]
// GEMM: ascend.wait_flag MTE1 to M id 0 slot %[[STAGE]] group [[L0FULL]]
// GEMM-NEXT: ascend.mmad
// GEMM-NEXT: ascend.set_flag M to MTE1 id 0 slot %[[STAGE]] group [[L0FREE]]
// GEMM-NEXT: ascend.advance
// GEMM-NEXT: }
// GEMM: ascend.set_flag M to FIX id 0 group [[CFULL:[0-9]+]]
// GEMM: ascend.wait_flag M to FIX id 0 group [[CFULL]]
// GEMM-NEXT: ascend.fixpipe
// GEMM-NEXT: ascend.set_flag FIX to M id 0 group [[CFREE]]
// GEMM-NEXT: } {ascend.grid}
// GEMM-NEXT: ascend.wait_flag FIX to M id 0
// GEMM-NEXT: ascend.wait_flag M to MTE1 id 1
// GEMM-NEXT: ascend.wait_flag M to MTE1 id 0
// GEMM-NEXT: ascend.wait_flag MTE1 to MTE2 id 1
// GEMM-NEXT: ascend.wait_flag MTE1 to MTE2 id 0
// GEMM-NEXT: ascend.end
// GEMM-NOT: ascend.barrier

// One version: one event, primed once.
// SINGLE: ascend.set_flag MTE1 to MTE2 id 0 group [[FREE:[0-9]+]]
// SINGLE-NEXT: ascend.set_flag M to MTE1 id 0
// SINGLE: ascend.wait_flag MTE1 to MTE2 id 0 group [[FREE]]
// SINGLE-NEXT: ascend.nd2nz
// SINGLE: ascend.set_flag MTE1 to MTE2 id 0 group [[FREE]]

// Each flag has as many events as the buffer behind it has versions.
// THREE-DAG: ascend.set_flag MTE1 to MTE2 id 2 group
// THREE-DAG: ascend.set_flag M to MTE1 id 1 group
// THREE-NOT: ascend.set_flag M to MTE1 id 2 group
// THREE: scf.for

// Small accumulations are not interlocked; L0C has two versions.
// SMALL-DAG: ascend.set_flag FIX to M id 0 group
// SMALL-DAG: ascend.set_flag FIX to M id 1 group
// SMALL: ascend.barrier M
// SMALL-NEXT: ascend.mmad
// SMALL-NOT: ascend.barrier

// Two loops: their flags have events of their own.
// TWICE: scf.for
// TWICE: scf.for
// TWICE: ascend.set_flag MTE2 to MTE1 id [[FIRST:[0-9]+]] slot
// TWICE: scf.for
// TWICE-NOT: ascend.set_flag MTE2 to MTE1 id [[FIRST]] slot
// TWICE: ascend.fixpipe

// ADD: scf.for
// ADD: scf.for
// ADD: ascend.wait_flag V to MTE2 id 0 slot
// ADD: ascend.load
// ADD: ascend.load
// ADD: ascend.set_flag MTE2 to V id 0 slot
// ADD-NEXT: ascend.wait_flag MTE2 to V id 0 slot
// ADD-NEXT: ascend.wait_flag MTE3 to V id 0 slot
// ADD-NEXT: ascend.binary Add
// ADD-DAG: ascend.set_flag V to MTE2 id 0 slot
// ADD-DAG: ascend.set_flag V to MTE3 id 0 slot
// ADD: ascend.wait_flag V to MTE3 id 0 slot
// ADD-NEXT: ascend.store
// ADD-NEXT: ascend.set_flag MTE3 to V id 0 slot
// ADD-NOT: ascend.barrier

// Updated in place: three flags form a ring through all pipes.
// INPLACE-NOT: V to MTE2
// INPLACE-NOT: MTE3 to V
// INPLACE: ascend.set_flag MTE3 to MTE2 id 0 group [[FREE:[0-9]+]]
// INPLACE-NEXT: ascend.set_flag MTE3 to MTE2 id 1 group [[FREE]]
// INPLACE-NOT: V to MTE2
// INPLACE-NOT: MTE3 to V
// INPLACE: ascend.end

// BARRIERS: ascend.scalar Muls
// BARRIERS-NEXT: ascend.barrier V
// BARRIERS-NEXT: ascend.unary Exp
// BARRIERS-NEXT: ascend.barrier V
// BARRIERS-NEXT: ascend.scalar Adds
// BARRIERS-NEXT: ascend.barrier V
// BARRIERS-NEXT: ascend.binary Div

// FEW: ascend.unary Exp
// FEW-NOT: ascend.barrier
// FEW: ascend.unary Exp
// FEW: ascend.barrier V
// FEW-NEXT: ascend.binary Add

// A barrier where columns, blocks or lanes are shared, and nowhere else.
// COLUMNS: ascend.scalar Adds
// COLUMNS-NEXT: ascend.scalar Muls
// COLUMNS: ascend.barrier V
// COLUMNS-NEXT: ascend.unary Exp
// COLUMNS-NEXT: ascend.unary Sqrt
// COLUMNS-NEXT: ascend.unary Ln
// COLUMNS-NEXT: ascend.barrier V
// COLUMNS-NEXT: ascend.unary Abs
// COLUMNS-NEXT: ascend.unary Relu
// COLUMNS-NEXT: ascend.barrier V
// COLUMNS-NEXT: ascend.binary Mul
// COLUMNS-NOT: ascend.barrier

// Between loops over strips, and in the loop whose strips overlap.
// STRIPS: scf.for
// STRIPS-NOT: ascend.barrier
// STRIPS: scf.for
// STRIPS-NOT: ascend.barrier
// STRIPS: ascend.duplicate
// STRIPS-NEXT: }
// STRIPS-NEXT: ascend.barrier V
// STRIPS-NEXT: scf.for
// STRIPS-NOT: ascend.barrier
// STRIPS: ascend.scalar Adds
// STRIPS-NEXT: ascend.unary Exp
// STRIPS-NEXT: }
// STRIPS: scf.for
// STRIPS: ascend.barrier V
// STRIPS-NEXT: ascend.duplicate
// STRIPS-NOT: ascend.barrier

// Sets and waits stand in one block, so that they match on every path.
// BRANCHES: scf.if
// BRANCHES: ascend.load
// BRANCHES-NEXT: ascend.set_flag MTE2 to V id [[INNER:[0-9]+]] slot %{{.*}} group [[G:[0-9]+]]
// BRANCHES-NEXT: ascend.wait_flag MTE2 to V id [[INNER]] slot %{{.*}} group [[G]]
// BRANCHES-NEXT: ascend.binary
// BRANCHES-NEXT: } else {
// BRANCHES-NEXT: ascend.unary
// BRANCHES-NEXT: }
// BRANCHES-NEXT: ascend.set_flag V to MTE3

// SCALARS: ascend.load
// SCALARS: ascend.set_flag MTE2 to S
// SCALARS: ascend.wait_flag MTE2 to S
// SCALARS: ascend.get_value
// SCALARS: ascend.set_flag V to S
// SCALARS: ascend.wait_flag V to S
// SCALARS-NEXT: ascend.set_value
// SCALARS-NEXT: ascend.set_flag S to MTE3
// SCALARS: ascend.wait_flag S to MTE3
// SCALARS-NEXT: ascend.store

// Transfers to one place may overtake each other.
// OVERLAP: ascend.barrier MTE3
// OVERLAP-NEXT: ascend.store
// OVERLAP: ascend.barrier MTE3
// OVERLAP-NEXT: ascend.store

// GLOBAL: ascend.store
// GLOBAL-NEXT: ascend.set_flag MTE3 to MTE2
// GLOBAL-NEXT: ascend.wait_flag MTE3 to MTE2
// GLOBAL-NEXT: ascend.load

// The Cube core waits for a free slot right before it writes one, and takes back
// all of them at the end.
// MIXED: aic
// MIXED: ascend.cross_wait flag 1 group [[FREE:[0-9]+]]
// MIXED-NEXT: ascend.fixpipe
// MIXED-NEXT: ascend.cross_set FIX flag 0 group [[FULL:[0-9]+]]
// MIXED: } {ascend.grid}
// MIXED-COUNT-3: ascend.cross_wait flag 1 group [[FREE]]
// MIXED-NOT: ascend.cross_wait
// MIXED: aiv
// MIXED-COUNT-3: ascend.cross_set MTE2 flag 1 group [[FREE]]
// MIXED-NEXT: scf.for
// MIXED: ascend.cross_wait flag 0 group [[FULL]]
// MIXED-NEXT: scf.for
// MIXED: ascend.load
// MIXED: ascend.advance
// MIXED-NEXT: }
// MIXED-NEXT: ascend.cross_set MTE2 flag 1 group [[FREE]]
// MIXED-NEXT: ascend.advance

// Both Vector cores take part in the counters, also the one without work.
// ONEVECTOR: aiv
// ONEVECTOR: ascend.cross_wait flag 0
// ONEVECTOR-NEXT: scf.if
// ONEVECTOR: ascend.load
// ONEVECTOR: }
// ONEVECTOR: }
// ONEVECTOR: ascend.cross_set MTE2 flag 1
// ONEVECTOR-NEXT: ascend.advance

// The round trip through the Vector cores orders nearly everything: three
// counters, and no flag back from FIX to M.
// ATTENTION: aic
// ATTENTION-NOT: FIX to M
// ATTENTION: ascend.cross_set FIX flag 0
// ATTENTION-NEXT: ascend.cross_wait flag 1
// ATTENTION: ascend.cross_set FIX flag 2
// ATTENTION: aiv
// ATTENTION: ascend.cross_wait flag 0
// ATTENTION: ascend.cross_set MTE3 flag 1
// ATTENTION: ascend.cross_wait flag 2
// ATTENTION-NOT: flag 3

// Twelve events are wanted, six exist: one per flag.
// MANY: ascend.set_flag V to MTE2 id 5 group
// MANY: scf.for
// MANY: ascend.set_flag MTE2 to V id 0 group
// MANY: ascend.set_flag MTE2 to V id 5 group

// Thirteen flags, six events: the vector pipe hands back in between.
// VERYMANY: scf.for
// VERYMANY: ascend.set_flag MTE2 to V id 5 group
// VERYMANY: ascend.set_flag V to MTE2 id [[BACK:[0-9]]] group [[G:[0-9]+]]
// VERYMANY: ascend.wait_flag V to MTE2 id [[BACK]] group [[G]]
// VERYMANY-NEXT: ascend.load
// VERYMANY-NEXT: ascend.set_flag MTE2 to V id 0 group

// Primes and drains stand around the outermost loop: right for any trip count.
// BOUNDS-COUNT-2: ascend.set_flag V to MTE2
// BOUNDS: scf.for
// BOUNDS: scf.for
// BOUNDS: scf.for
// BOUNDS: ascend.wait_flag V to MTE2 id 0 slot
// BOUNDS-NEXT: ascend.load
// BOUNDS: } {ascend.grid}
// BOUNDS: ascend.wait_flag V to MTE2 id 1
// BOUNDS-NEXT: ascend.wait_flag V to MTE2 id 0
