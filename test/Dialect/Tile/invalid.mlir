// RUN: tilelang-opt %s --verify-diagnostics --split-input-file

func.func @tensor_element(%p: !tile.ptr<f16>) {
  // expected-error @+1 {{'A': expected a buffer of 'f16' as the pointer has, found 'f32'}}
  %a = tile.tensor %p, sizes [] strides [] {name = "A"} : !tile.ptr<f16> -> memref<4xf32, #tile.scope<global>>
  return
}

// -----

func.func @tensor_scope(%p: !tile.ptr<f16>) {
  // expected-error @+1 {{'A': expected memory space #tile.scope<global>, found 'memref<4xf16, #tile.scope<shared>>'}}
  %a = tile.tensor %p, sizes [] strides [] {name = "A"} : !tile.ptr<f16> -> memref<4xf16, #tile.scope<shared>>
  return
}

// -----

func.func @tensor_sizes(%p: !tile.ptr<f16>, %n: index) {
  // expected-error @+1 {{'A': expected 1 sizes, one for each dynamic dimension of 'memref<?x4xf16, #tile.scope<global>>', found 2}}
  %a = tile.tensor %p, sizes [%n, %n] strides [] {name = "A"} : !tile.ptr<f16> -> memref<?x4xf16, #tile.scope<global>>
  return
}

// -----

func.func @tensor_strides(%p: !tile.ptr<f16>, %n: index) {
  // expected-error @+1 {{'A': expected 1 strides, one for each dynamic stride of}}
  %a = tile.tensor %p, sizes [] strides [] {name = "A"} : !tile.ptr<f16> -> memref<4x4xf16, strided<[?, 1]>, #tile.scope<global>>
  return
}

// -----

func.func @alloc_scope() {
  // expected-error @+1 {{'S': expected memory space #tile.scope<shared>, <fragment>, <local> or <var>, found 'memref<4xf16>'}}
  %a = tile.alloc {name = "S"} : memref<4xf16>
  return
}

// -----

func.func @alloc_zero() {
  // expected-error @+1 {{'S': expected extents of at least 1, found 0 in dimension 1}}
  %a = tile.alloc {name = "S"} : memref<4x0xf16, #tile.scope<shared>>
  return
}

// -----

func.func @region_offsets(%i: index) {
  %a = tile.alloc {name = "S"} : memref<4x4xf16, #tile.scope<shared>>
  // expected-error @+1 {{expected 2 offsets for buffer 'S' of type 'memref<4x4xf16, #tile.scope<shared>>', found 1}}
  %r = tile.region %a[%i] sizes [] : memref<4x4xf16, #tile.scope<shared>> -> !tile.region<4x4xf16>
  return
}

// -----

func.func @region_rank(%i: index) {
  %a = tile.alloc {name = "S"} : memref<4x4xf16, #tile.scope<shared>>
  // expected-error @+1 {{expected a region of rank 2 for buffer 'S', found '!tile.region<4xf16>'}}
  %r = tile.region %a[%i, %i] sizes [] : memref<4x4xf16, #tile.scope<shared>> -> !tile.region<4xf16>
  return
}

// -----

func.func @region_element(%i: index) {
  %a = tile.alloc {name = "S"} : memref<4xui8, #tile.scope<shared>>
  // expected-error @+1 {{expected elements of type 'ui8' as buffer 'S' has, found 'i8'}}
  %r = tile.region %a[%i] sizes [] : memref<4xui8, #tile.scope<shared>> -> !tile.region<4xi8>
  return
}

// -----

func.func @region_zero(%i: index) {
  %a = tile.alloc {name = "S"} : memref<4xf16, #tile.scope<shared>>
  // expected-error @+1 {{expected extents of at least 1 for a region of buffer 'S', found 0 in dimension 0}}
  %r = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<0xf16>
  return
}

// -----

func.func @region_sizes(%i: index) {
  %a = tile.alloc {name = "S"} : memref<4xf16, #tile.scope<shared>>
  // expected-error @+1 {{expected 1 sizes, one for each dynamic extent of '!tile.region<?xf16>', found 0}}
  %r = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<?xf16>
  return
}

// -----

func.func @copy_extents(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4x1x8xf16, #tile.scope<shared>>
  %b = tile.alloc {name = "B"} : memref<4x8xf16, #tile.scope<shared>>
  %ra = tile.region %a[%i, %i, %i] sizes [] : memref<4x1x8xf16, #tile.scope<shared>> -> !tile.region<4x1x8xf16>
  %rb = tile.region %b[%i, %i] sizes [] : memref<4x8xf16, #tile.scope<shared>> -> !tile.region<4x8xf16>
  %rc = tile.region %b[%i, %i] sizes [] : memref<4x8xf16, #tile.scope<shared>> -> !tile.region<4x4xf16>
  tile.copy %ra to %rb : !tile.region<4x1x8xf16> to !tile.region<4x8xf16>
  // expected-error @+1 {{expected regions of equal extents (unit dimensions aside), found '!tile.region<4x1x8xf16>' of buffer 'A' and '!tile.region<4x4xf16>' of buffer 'B'}}
  tile.copy %ra to %rc : !tile.region<4x1x8xf16> to !tile.region<4x4xf16>
  return
}

// -----

func.func @fill_type(%i: index, %x: f32) {
  %a = tile.alloc {name = "A"} : memref<4xf16, #tile.scope<shared>>
  %ra = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<4xf16>
  // expected-error @+1 {{expected a value of type 'f16' for buffer 'A', found 'f32'}}
  tile.fill %ra with %x : !tile.region<4xf16>, f32
  return
}

// -----

func.func @load_rank(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4x4xf16, #tile.scope<shared>>
  // expected-error @+1 {{expected 2 indices for buffer 'A', found 1}}
  %x = tile.load %a[%i] : memref<4x4xf16, #tile.scope<shared>> -> f16
  return
}

// -----

func.func @store_type(%i: index, %x: f32) {
  %a = tile.alloc {name = "A"} : memref<4xui8, #tile.scope<shared>>
  // expected-error @+1 {{expected a value of type 'i8' for buffer 'A', found 'f32'}}
  tile.store %x to %a[%i] : f32 to memref<4xui8, #tile.scope<shared>>
  return
}

// -----

func.func @gemm_rank(%i: index, %clear: i1) {
  %a = tile.alloc {name = "A"} : memref<2x4x4xf16, #tile.scope<shared>>
  %ra = tile.region %a[%i, %i, %i] sizes [] : memref<2x4x4xf16, #tile.scope<shared>> -> !tile.region<2x4x4xf16>
  // expected-error @+1 {{expected a two-dimensional region of buffer 'A' (leading unit dimensions aside), found '!tile.region<2x4x4xf16>'}}
  tile.gemm %ra, %ra into %ra clear %clear : !tile.region<2x4x4xf16>, !tile.region<2x4x4xf16> into !tile.region<2x4x4xf16>
  return
}

// -----

func.func @gemm_k(%i: index, %clear: i1) {
  %a = tile.alloc {name = "A"} : memref<4x8xf16, #tile.scope<shared>>
  %c = tile.alloc {name = "C"} : memref<4x8xf32, #tile.scope<shared>>
  %ra = tile.region %a[%i, %i] sizes [] : memref<4x8xf16, #tile.scope<shared>> -> !tile.region<4x8xf16>
  %rc = tile.region %c[%i, %i] sizes [] : memref<4x8xf32, #tile.scope<shared>> -> !tile.region<4x8xf32>
  // expected-error @+1 {{expected equal K extents of buffer 'A' and buffer 'A', found 8 and 4}}
  tile.gemm %ra, %ra into %rc clear %clear : !tile.region<4x8xf16>, !tile.region<4x8xf16> into !tile.region<4x8xf32>
  return
}

// -----

func.func @gemm_n(%i: index, %clear: i1) {
  %a = tile.alloc {name = "A"} : memref<4x8xf16, #tile.scope<shared>>
  %c = tile.alloc {name = "C"} : memref<4x8xf32, #tile.scope<shared>>
  %ra = tile.region %a[%i, %i] sizes [] : memref<4x8xf16, #tile.scope<shared>> -> !tile.region<4x8xf16>
  %rc = tile.region %c[%i, %i] sizes [] : memref<4x8xf32, #tile.scope<shared>> -> !tile.region<4x8xf32>
  // expected-error @+1 {{expected equal N extents of buffer 'A' and buffer 'C', found 4 and 8}}
  tile.gemm %ra, %ra into %rc clear %clear {transpose_b} : !tile.region<4x8xf16>, !tile.region<4x8xf16> into !tile.region<4x8xf32>
  return
}

// -----

func.func @gemm_types(%i: index, %clear: i1) {
  %a = tile.alloc {name = "A"} : memref<4x4xi8, #tile.scope<shared>>
  %c = tile.alloc {name = "C"} : memref<4x4xf32, #tile.scope<shared>>
  %ra = tile.region %a[%i, %i] sizes [] : memref<4x4xi8, #tile.scope<shared>> -> !tile.region<4x4xi8>
  %rc = tile.region %c[%i, %i] sizes [] : memref<4x4xf32, #tile.scope<shared>> -> !tile.region<4x4xf32>
  // expected-error @+1 {{expected operands that are all float or all integer, found 'i8', 'i8' and 'f32'}}
  tile.gemm %ra, %ra into %rc clear %clear : !tile.region<4x4xi8>, !tile.region<4x4xi8> into !tile.region<4x4xf32>
  return
}

// -----

func.func @kernel_grid(%g: index) {
  // expected-error @+1 {{expected a grid of 1 to 3 dimensions, found 4}}
  tile.kernel [%g, %g, %g, %g] {
  ^bb0(%x: index, %y: index, %z: index, %w: index):
  }
  return
}

// -----

func.func @kernel_arguments(%g: index) {
  // expected-error @+1 {{expected a body with 2 index arguments, one for each dimension of the grid, found 1 arguments ('index')}}
  tile.kernel [%g, %g] {
  ^bb0(%x: index):
  }
  return
}

// -----

func.func @for_step(%n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected a step other than 0, found 0}}
  tile.for serial %c0 to %n step %c0 stages 0 {
  ^bb0(%x: index):
  }
  return
}

// -----

func.func @for_stages(%n: index) {
  // expected-error @+1 {{expected a number of stages of at least 0, found -1}}
  tile.for serial %n to %n step %n stages -1 {
  ^bb0(%x: index):
  }
  return
}

// -----

func.func @parallel_extent() {
  // expected-error @+1 {{expected extents of at least 1, found 0 in dimension 1}}
  tile.parallel [4, 0] {
  ^bb0(%i: index, %j: index):
  }
  return
}

// -----

func.func @parallel_yield() {
  // expected-error @+1 {{expected a body that yields nothing, found 1 values}}
  tile.parallel [4] {
  ^bb0(%i: index):
    tile.yield %i : index
  }
  return
}

// -----

func.func @map_maps(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4xf16, #tile.scope<shared>>
  %r = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<4xf16>
  // expected-error @+1 {{expected 2 access maps, one for each input and one for the output, found 1}}
  tile.map [4] ins(%r : !tile.region<4xf16>) outs(%r : !tile.region<4xf16>) clip [] lower [] upper []
      maps [affine_map<(d0) -> (d0)>] {
  ^bb0(%x: f16):
    tile.yield %x : f16
  }
  return
}

// -----

func.func @map_range(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4xf16, #tile.scope<shared>>
  %r = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<4xf16>
  // expected-error @+1 {{expected indices within the region '!tile.region<4xf16>' of the input buffer 'A', found d0 + 1 with values 1 to 4 in dimension 0}}
  tile.map [4] ins(%r : !tile.region<4xf16>) outs(%r : !tile.region<4xf16>) clip [] lower [] upper []
      maps [affine_map<(d0) -> (d0 + 1)>, affine_map<(d0) -> (d0)>] {
  ^bb0(%x: f16):
    tile.yield %x : f16
  }
  return
}

// -----

func.func @map_rank(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4xf16, #tile.scope<shared>>
  %r = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<4xf16>
  // expected-error @+1 {{expected an access map from 1 dimensions to 1 indices for the output buffer 'A', found (d0, d1) -> (d0)}}
  tile.map [4] ins() outs(%r : !tile.region<4xf16>) clip [] lower [] upper []
      maps [affine_map<(d0, d1) -> (d0)>] {
    %x = arith.constant 0.0 : f16
    tile.yield %x : f16
  }
  return
}

// -----

func.func @map_clip(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4xf16, #tile.scope<shared>>
  %r = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<4xf16>
  // expected-error @+1 {{expected distinct clipped dimensions below 1, found 1}}
  tile.map [4] ins(%r : !tile.region<4xf16>) outs(%r : !tile.region<4xf16>) clip [1] lower [%i] upper [%i]
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] {
  ^bb0(%x: f16):
    tile.yield %x : f16
  }
  return
}

// -----

func.func @map_bounds(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4xf16, #tile.scope<shared>>
  %r = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<4xf16>
  // expected-error @+1 {{expected a lower and an upper bound for each of 1 clipped dimensions, found 1 and 0}}
  tile.map [4] ins(%r : !tile.region<4xf16>) outs(%r : !tile.region<4xf16>) clip [0] lower [%i] upper []
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] {
  ^bb0(%x: f16):
    tile.yield %x : f16
  }
  return
}

// -----

func.func @map_argument(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4xui8, #tile.scope<shared>>
  %r = tile.region %a[%i] sizes [] : memref<4xui8, #tile.scope<shared>> -> !tile.region<4xui8>
  // expected-error @+1 {{expected a body argument of type 'i8' for the input buffer 'A', found 'ui8'}}
  tile.map [4] ins(%r : !tile.region<4xui8>) outs(%r : !tile.region<4xui8>) clip [] lower [] upper []
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] {
  ^bb0(%x: ui8):
    tile.yield %x : ui8
  }
  return
}

// -----

func.func @map_yield(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4xf16, #tile.scope<shared>>
  %r = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<4xf16>
  // expected-error @+1 {{expected a body that yields one value of type 'f16' for the output buffer 'A', found ()}}
  tile.map [4] ins(%r : !tile.region<4xf16>) outs(%r : !tile.region<4xf16>) clip [] lower [] upper []
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] {
  ^bb0(%x: f16):
    tile.yield
  }
  return
}

// -----

func.func @map_store(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4xf16, #tile.scope<shared>>
  %r = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<4xf16>
  // expected-error @+1 {{expected a body without accesses to buffers other than tile.load, found 'tile.store'}}
  tile.map [4] ins(%r : !tile.region<4xf16>) outs(%r : !tile.region<4xf16>) clip [] lower [] upper []
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] {
  ^bb0(%x: f16):
    tile.store %x to %a[%i] : f16 to memref<4xf16, #tile.scope<shared>>
    tile.yield %x : f16
  }
  return
}

// -----

func.func @index_outside() {
  // expected-error @+1 {{expected to be inside 'tile.map', found in 'func.func'}}
  %i = tile.index 0
  return
}

// -----

func.func @index_dimension(%i: index) {
  %a = tile.alloc {name = "A"} : memref<4xf16, #tile.scope<shared>>
  %r = tile.region %a[%i] sizes [] : memref<4xf16, #tile.scope<shared>> -> !tile.region<4xf16>
  tile.map [4] ins(%r : !tile.region<4xf16>) outs(%r : !tile.region<4xf16>) clip [] lower [] upper []
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] {
  ^bb0(%x: f16):
    // expected-error @+1 {{expected a dimension below 1, found 1}}
    %j = tile.index 1
    tile.yield %x : f16
  }
  return
}

// -----

func.func @cast_type(%x: index) {
  // expected-error @+1 {{expected float or signless integer scalars, found 'index'}}
  %y = tile.cast %x : index to f32
  return
}

// -----

func.func @cast_unsigned(%x: f32) {
  // expected-error @+1 {{expected an integer source with 'srcUnsigned', found 'f32'}}
  %y = tile.cast %x {srcUnsigned} : f32 to i8
  return
}

// -----

func.func @cast_result_unsigned(%x: i8) {
  // expected-error @+1 {{expected an integer result with 'dstUnsigned', found 'f32'}}
  %y = tile.cast %x {dstUnsigned} : i8 to f32
  return
}

// -----

func.func @cast_rounding(%x: i32) {
  // expected-error @+1 {{expected no rounding between integers, found ru}}
  %y = tile.cast %x {rounding = 3 : i32} : i32 to i8
  return
}

// -----

func.func @atomic_tile(%x: f32) {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : memref<64xf32, #tile.scope<shared>>
  // expected-error @+1 {{expected a global buffer for an atomic addition, found buffer 't'}}
  tile.store %x to %t[%c0] {atomic} : f32 to memref<64xf32, #tile.scope<shared>>
  return
}
