// RUN: tilelang-opt %s --tile-normalize-parallel --verify-diagnostics --split-input-file

!v = memref<64xf32, #tile.scope<shared>>

func.func @neighbour() {
  %a = tile.alloc {name = "A"} : !v
  tile.parallel [63] {
  ^bb0(%i: index):
    %c1 = arith.constant 1 : index
    %next = arith.addi %i, %c1 : index
    // expected-note @+1 {{it is read here; write to a second buffer, or use T.serial}}
    %x = tile.load %a[%next] : !v -> f32
    // expected-error @+1 {{iterations of T.Parallel depend on each other: buffer 'A' is written here at an index that another iteration reads}}
    tile.store %x to %a[%i] : f32 to !v
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>

// The read comes after the store and sees what another iteration has written.
func.func @read_after(%s: index) {
  %a = tile.alloc {name = "A"} : !v
  %b = tile.alloc {name = "B"} : !v
  tile.parallel [64] {
  ^bb0(%i: index):
    %x = tile.load %b[%i] : !v -> f32
    // expected-error @+1 {{buffer 'A' is written here at an index that another iteration reads}}
    tile.store %x to %a[%i] : f32 to !v
    // expected-note @+1 {{it is read here}}
    %y = tile.load %a[%s] : !v -> f32
    tile.store %y to %b[%i] : f32 to !v
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>
!m = memref<64x32xf32, #tile.scope<shared>>

func.func @accumulate() {
  %a = tile.alloc {name = "A"} : !m
  %s = tile.alloc {name = "sum"} : !v
  // expected-note @+1 {{the element does not depend on 'j' (32 iterations); use a reduction (T.reduce_sum, T.reduce_max, ...) or T.serial}}
  tile.parallel [64, 32] {
  ^bb0(%i: index, %j: index):
    %x = tile.load %s[%i] : !v -> f32
    %y = tile.load %a[%i, %j] : !m -> f32
    %z = arith.addf %x, %y : f32
    // expected-error @+1 {{iterations of T.Parallel depend on each other: several iterations write the same element of buffer 'sum'}}
    tile.store %z to %s[%i] : f32 to !v
  } {indexNames = ["i", "j"]}
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>

func.func @half(%x: f32) {
  %a = tile.alloc {name = "A"} : !v
  // expected-note @+1 {{different indices of this loop give the same element}}
  tile.parallel [64] {
  ^bb0(%i: index):
    %c2 = arith.constant 2 : index
    %h = arith.floordivsi %i, %c2 : index
    // expected-error @+1 {{several iterations write the same element of buffer 'A'}}
    tile.store %x to %a[%h] : f32 to !v
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>

func.func @two_stores(%x: f32) {
  %a = tile.alloc {name = "A"} : !v
  tile.parallel [32] {
  ^bb0(%i: index):
    %c1 = arith.constant 1 : index
    %next = arith.addi %i, %c1 : index
    // expected-error @+1 {{several iterations write the same element of buffer 'A'}}
    tile.store %x to %a[%i] : f32 to !v
    // expected-note @+1 {{the same element is also written here}}
    tile.store %x to %a[%next] : f32 to !v
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>

// Which rows the symbols select is not known.
func.func @unrelated_symbols(%s: index, %t: index) {
  %a = tile.alloc {name = "A"} : !v
  tile.parallel [8] {
  ^bb0(%i: index):
    %to = arith.addi %s, %i : index
    %from = arith.addi %t, %i : index
    // expected-note @+1 {{it is read here}}
    %x = tile.load %a[%from] : !v -> f32
    // expected-error @+1 {{buffer 'A' is written here at an index that another iteration reads}}
    tile.store %x to %a[%to] : f32 to !v
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>
!i = memref<64xi32, #tile.scope<shared>>

func.func @gather_from_output() {
  %a = tile.alloc {name = "A"} : !v
  %index = tile.alloc {name = "index"} : !i
  tile.parallel [64] {
  ^bb0(%i: index):
    %k = tile.load %index[%i] : !i -> i32
    %p = arith.index_cast %k : i32 to index
    // expected-note @+1 {{it is read here}}
    %x = tile.load %a[%p] : !v -> f32
    // expected-error @+1 {{buffer 'A' is written here at an index that another iteration reads}}
    tile.store %x to %a[%i] : f32 to !v
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>
!i = memref<64xi32, #tile.scope<shared>>

func.func @scatter(%x: f32) {
  %a = tile.alloc {name = "A"} : !v
  %index = tile.alloc {name = "index"} : !i
  // expected-note @+1 {{different indices of this loop give the same element}}
  tile.parallel [64] {
  ^bb0(%i: index):
    %k = tile.load %index[%i] : !i -> i32
    %p = arith.index_cast %k : i32 to index
    // expected-error @+1 {{several iterations write the same element of buffer 'A'}}
    tile.store %x to %a[%p] : f32 to !v
  }
  return
}

// -----

!m = memref<64x64xf32, #tile.scope<shared>>
!i = memref<64xi32, #tile.scope<shared>>

// The columns of a row differ, but the row is computed.
func.func @scatter_distinct(%x: f32) {
  %a = tile.alloc {name = "A"} : !m
  %index = tile.alloc {name = "index"} : !i
  tile.parallel [64] {
  ^bb0(%i: index):
    %k = tile.load %index[%i] : !i -> i32
    %p = arith.index_cast %k : i32 to index
    // expected-error @+1 {{unsupported store in T.Parallel: an index of buffer 'A' is not a sum of multiples of the loop indices and of values that do not change in the loop; use T.serial}}
    tile.store %x to %a[%p, %i] : f32 to !m
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>

func.func @loop_inside(%n: index) {
  %a = tile.alloc {name = "A"} : !v
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the T.Parallel is here}}
  tile.parallel [64] {
  ^bb0(%i: index):
    // expected-error @+1 {{unsupported inside T.Parallel: 'tile.for'; a body may hold element reads and writes, arithmetic, casts and conditions - move the loop outside of T.Parallel}}
    tile.for serial %i to %n step %c1 stages 0 {
    ^bb0(%k: index):
    }
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>

func.func @parallel_inside() {
  // expected-note @+1 {{the T.Parallel is here}}
  tile.parallel [64] {
  ^bb0(%i: index):
    // expected-error @+1 {{unsupported inside T.Parallel: 'tile.parallel'; a body may hold element reads and writes, arithmetic, casts and conditions - give all extents to one T.Parallel}}
    tile.parallel [4] {
    ^bb0(%k: index):
    }
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>

func.func @copy_inside() {
  %a = tile.alloc {name = "A"} : !v
  // expected-note @+1 {{the T.Parallel is here}}
  tile.parallel [64] {
  ^bb0(%i: index):
    %r = tile.region %a[%i] sizes [] : !v -> !tile.region<1xf32> // expected-error {{unsupported inside T.Parallel: 'tile.region'; a body may hold element reads and writes, arithmetic, casts and conditions - move it outside of T.Parallel}}
    tile.copy %r to %r : !tile.region<1xf32> to !tile.region<1xf32>
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>

// Exactly one iteration writes each element, but which one is a condition that
// a clip cannot express.
func.func @condition_selects_writer(%x: f32) {
  %a = tile.alloc {name = "A"} : !v
  tile.parallel [64, 64] {
  ^bb0(%i: index, %j: index):
    // expected-note @+1 {{the condition is here}}
    %diagonal = arith.cmpi eq, %i, %j : index
    scf.if %diagonal {
      // expected-error @+1 {{unsupported store in T.Parallel: which iteration writes an element of buffer 'A' depends on a condition that is not a bound on one index; use T.serial}}
      tile.store %x to %a[%i] : f32 to !v
    }
  }
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>

// A tile that is used elsewhere is not private to the iterations.
func.func @used_afterwards(%x: f32) {
  %t = tile.alloc {name = "t"} : memref<1xf32, #tile.scope<local>>
  %b = tile.alloc {name = "B"} : !v
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the element does not depend on index 0 (64 iterations)}}
  tile.parallel [64] {
  ^bb0(%i: index):
    %y = tile.load %b[%i] : !v -> f32
    // expected-error @+1 {{several iterations write the same element of buffer 't'}}
    tile.store %y to %t[%c0] : f32 to memref<1xf32, #tile.scope<local>>
    %z = tile.load %t[%c0] : memref<1xf32, #tile.scope<local>> -> f32
    tile.store %z to %b[%i] : f32 to !v
  }
  %z = tile.load %t[%c0] : memref<1xf32, #tile.scope<local>> -> f32
  tile.store %z to %b[%c0] : f32 to !v
  return
}

// -----

!v = memref<64xf32, #tile.scope<shared>>
!m = memref<64x8xf32, #tile.scope<shared>>

// Only the iterations with j = 0 write, but all of them read.
func.func @read_by_all(%m: !m) {
  %a = tile.alloc {name = "A"} : !v
  %c0 = arith.constant 0 : index
  tile.parallel [64, 8] {
  ^bb0(%i: index, %j: index):
    // expected-note @+1 {{it is read here}}
    %x = tile.load %a[%i] : !v -> f32
    %first = arith.cmpi eq, %j, %c0 : index
    scf.if %first {
      // expected-error @+1 {{buffer 'A' is written here at an index that another iteration reads}}
      tile.store %x to %a[%i] : f32 to !v
    }
    tile.store %x to %m[%i, %j] : f32 to !m
  }
  return
}
