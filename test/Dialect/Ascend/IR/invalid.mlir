// What the verifiers of the ascend dialect refuse.
// RUN: tilelang-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected at least 1 block, found 0}}
ascend.kernel cube @no_blocks parameters [] blocks 0 aic {
  ascend.end
} aiv {
  ascend.end
}

// -----

// expected-error @below {{expected 2 arguments of the aic program, one per parameter name, found 1}}
ascend.kernel cube @names parameters ["A", "B"] blocks 1 aic {
^bb0(%A: memref<8xf16, #ascend.memory<gm>>):
  ascend.end
} aiv {
^bb0(%A: memref<8xf16, #ascend.memory<gm>>):
  ascend.end
}

// -----

// expected-error @below {{expected parameter 0 with one type in both programs, found 'i32' and 'f32'}}
ascend.kernel cube @types parameters ["n"] blocks 1 aic {
^bb0(%n: i32):
  ascend.end
} aiv {
^bb0(%n: f32):
  ascend.end
}

// -----

// expected-error @below {{expected parameter 0 in GM, found UB}}
ascend.kernel vector @memory parameters ["A"] blocks 1 aic {
^bb0(%A: memref<8xf16, #ascend.memory<ub>>):
  ascend.end
} aiv {
^bb0(%A: memref<8xf16, #ascend.memory<ub>>):
  ascend.end
}

// -----

// expected-error @below {{expected an empty aic program in a vector kernel, found instructions}}
ascend.kernel vector @unused parameters [] blocks 1 aic {
  ascend.barrier M
  ascend.end
} aiv {
  ascend.end
}

// -----

// expected-error @below {{expected an on-chip memory, found GM}}
%0 = ascend.alloc "a" : memref<8xf32, #ascend.memory<gm>>

// -----

// expected-error @below {{expected at least 1 version, found 0}}
%0 = ascend.alloc "a" {versions = 0 : i64} : memref<8xf32, #ascend.memory<ub>>

// -----

// expected-error @below {{expected an address that is a multiple of 512 in L0A, found 32}}
%0 = ascend.alloc "a" {address = 32 : i64} : memref<16x16xf16, #ascend.memory<l0a>>

// -----

// expected-error @below {{expected workspace in GM, found UB}}
%0 = ascend.workspace 0 "w" : memref<8xf32, #ascend.memory<ub>>

// -----

// expected-error @below {{expected an offset that is a multiple of 512, found 32}}
%0 = ascend.workspace 0 "w" {offset = 32 : i64} : memref<8xf32, #ascend.memory<gm>>

// -----

// expected-error @below {{expected at least 1 version, found 0}}
%0 = ascend.ring 0 "r"

// -----

%a = ascend.alloc "a" {versions = 3 : i64} : memref<8xf32, #ascend.memory<ub>>
%r = ascend.ring 2 "r"
// expected-error @below {{expected a ring of 3 versions, as many as the buffer has, found 2}}
%0 = ascend.view %a slot %r : memref<8xf32, #ascend.memory<ub>> -> memref<8xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" {versions = 2 : i64} : memref<8xf32, #ascend.memory<ub>>
%r = ascend.ring 2 "r"
%0 = ascend.view %a slot %r : memref<8xf32, #ascend.memory<ub>> -> memref<8xf32, #ascend.memory<ub>>
// expected-error @below {{expected a source without a slot, found a view that already selects one}}
%1 = ascend.view %0 slot %r : memref<8xf32, #ascend.memory<ub>> -> memref<8xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<8xf32, #ascend.memory<ub>>
%c4 = arith.constant 4 : index
// expected-error @below {{expected a part of the source's 32 bytes, found bytes 16 to 48}}
%0 = ascend.view %a offset %c4 : memref<8xf32, #ascend.memory<ub>> -> memref<8xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<8xf32, #ascend.memory<ub>>
// expected-error @below {{expected a result in UB, found L1}}
%0 = ascend.view %a : memref<8xf32, #ascend.memory<ub>> -> memref<8xf32, #ascend.memory<l1>>

// -----

func.func @nd2nz(%g: memref<64x64xf16, #ascend.memory<gm>>, %n: index) {
  %l = ascend.alloc "l" : memref<64x64xf16, #ascend.memory<ub>>
  // expected-error @below {{expected destination in L1, found UB}}
  ascend.nd2nz %g at %n rows %n columns %n stride %n to %l : memref<64x64xf16, #ascend.memory<gm>> to memref<64x64xf16, #ascend.memory<ub>>
  return
}

// -----

func.func @nd2nz_shape(%g: memref<64x64xf16, #ascend.memory<gm>>, %n: index) {
  %l = ascend.alloc "l" : memref<64x40xf16, #ascend.memory<l1>>
  // expected-error @below {{expected destination with a multiple of 16 rows and of 16 columns, found 64x40}}
  ascend.nd2nz %g at %n rows %n columns %n stride %n to %l : memref<64x64xf16, #ascend.memory<gm>> to memref<64x40xf16, #ascend.memory<l1>>
  return
}

// -----

func.func @nd2nz_rows(%g: memref<64x64xf16, #ascend.memory<gm>>, %n: index) {
  %l = ascend.alloc "l" : memref<64x64xf16, #ascend.memory<l1>>
  %c65 = arith.constant 65 : index
  // expected-error @below {{expected rows in 0..64, found 65}}
  ascend.nd2nz %g at %n rows %c65 columns %n stride %n to %l : memref<64x64xf16, #ascend.memory<gm>> to memref<64x64xf16, #ascend.memory<l1>>
  return
}

// -----

func.func @nd2nz_type(%g: memref<64x64xf32, #ascend.memory<gm>>, %n: index) {
  %l = ascend.alloc "l" : memref<64x64xf16, #ascend.memory<l1>>
  // expected-error @below {{expected destination with the element type 'f32' of the source, found 'f16'}}
  ascend.nd2nz %g at %n rows %n columns %n stride %n to %l : memref<64x64xf32, #ascend.memory<gm>> to memref<64x64xf16, #ascend.memory<l1>>
  return
}

// -----

func.func @load_l0a_memory(%n: index) {
  %l = ascend.alloc "l" : memref<64x64xf16, #ascend.memory<l1>>
  %z = ascend.alloc "z" : memref<64x64xf16, #ascend.memory<l0b>>
  // expected-error @below {{expected destination in L0A, found L0B}}
  ascend.load_l0a %l at [%n, %n] extents [%n, %n] to %z : memref<64x64xf16, #ascend.memory<l1>> to memref<64x64xf16, #ascend.memory<l0b>>
  return
}

// -----

func.func @load_l0a_start(%n: index) {
  %l = ascend.alloc "l" : memref<64x64xf16, #ascend.memory<l1>>
  %z = ascend.alloc "z" : memref<64x64xf16, #ascend.memory<l0a>>
  %c8 = arith.constant 8 : index
  // expected-error @below {{expected start to be a multiple of 16, found 8}}
  ascend.load_l0a %l at [%c8, %n] extents [%n, %n] to %z : memref<64x64xf16, #ascend.memory<l1>> to memref<64x64xf16, #ascend.memory<l0a>>
  return
}

// -----

func.func @load_l0b_squares(%n: index) {
  %l = ascend.alloc "l" : memref<64x24xf32, #ascend.memory<l1>>
  %z = ascend.alloc "z" : memref<64x24xf32, #ascend.memory<l0b>>
  // expected-error @below {{expected a source with a multiple of 16 columns, which the transposition of f32 takes at a time, found 64x24}}
  ascend.load_l0b %l at [%n, %n] extents [%n, %n] to %z : memref<64x24xf32, #ascend.memory<l1>> to memref<64x24xf32, #ascend.memory<l0b>>
  return
}

// -----

func.func @load_l0b_type(%n: index) {
  %l = ascend.alloc "l" : memref<64x64xi8, #ascend.memory<l1>>
  %z = ascend.alloc "z" : memref<64x64xi8, #ascend.memory<l0b>>
  // expected-error @below {{expected elements of type f16, bf16 or f32, found 'i8'}}
  ascend.load_l0b %l at [%n, %n] extents [%n, %n] to %z : memref<64x64xi8, #ascend.memory<l1>> to memref<64x64xi8, #ascend.memory<l0b>>
  return
}

// -----

func.func @mmad_type(%n: index, %i: i1) {
  %c = ascend.alloc "c" : memref<64x64xf16, #ascend.memory<l0c>>
  %a = ascend.alloc "a" : memref<64x64xf16, #ascend.memory<l0a>>
  %b = ascend.alloc "b" : memref<64x64xf16, #ascend.memory<l0b>>
  // expected-error @below {{expected c of type f32, found 'f16'}}
  ascend.mmad %c, %a, %b extents [%n, %n, %n] init %i : memref<64x64xf16, #ascend.memory<l0c>>, memref<64x64xf16, #ascend.memory<l0a>>, memref<64x64xf16, #ascend.memory<l0b>>
  return
}

// -----

func.func @fixpipe_type(%g: memref<64x64xi8, #ascend.memory<gm>>, %n: index) {
  %c = ascend.alloc "c" : memref<64x64xf32, #ascend.memory<l0c>>
  // expected-error @below {{expected a destination of type f16, bf16 or f32, found 'i8'}}
  ascend.fixpipe %c to %g at %n rows %n columns %n stride %n product_rows %n : memref<64x64xf32, #ascend.memory<l0c>> to memref<64x64xi8, #ascend.memory<gm>>
  return
}

// -----

func.func @load_pitch(%g: memref<64x64xf16, #ascend.memory<gm>>, %n: index) {
  %u = ascend.alloc "u" : memref<4x10xf16, #ascend.memory<ub>>
  // expected-error @below {{expected destination rows of a multiple of 32 bytes, found 10 elements of 'f16'}}
  ascend.load %g at %n rows %n columns %n stride %n to %u : memref<64x64xf16, #ascend.memory<gm>> to memref<4x10xf16, #ascend.memory<ub>>
  return
}

// -----

func.func @store_rows(%g: memref<64x64xf16, #ascend.memory<gm>>, %n: index) {
  %u = ascend.alloc "u" : memref<4x16xf16, #ascend.memory<ub>>
  %c5 = arith.constant 5 : index
  // expected-error @below {{expected rows in 0..4, found 5}}
  ascend.store %u to %g at %n rows %c5 columns %n stride %n : memref<4x16xf16, #ascend.memory<ub>> to memref<64x64xf16, #ascend.memory<gm>>
  return
}

// -----

func.func @atomic_type(%g: memref<64xi64, #ascend.memory<gm>>, %n: index) {
  %u = ascend.alloc "u" : memref<16xi64, #ascend.memory<ub>>
  // expected-error @below {{expected a destination of type f32, f16, bf16, i32, i16 or i8 for an atomic store, found 'i64'}}
  ascend.store %u to %g at %n rows %n columns %n stride %n {atomic} : memref<16xi64, #ascend.memory<ub>> to memref<64xi64, #ascend.memory<gm>>
  return
}

// -----

%a = ascend.alloc "a" : memref<64xf32, #ascend.memory<ub>>
// expected-error @below {{expected exactly one of count and repeat, found neither}}
ascend.unary Exp %a, %a : memref<64xf32, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xf32, #ascend.memory<ub>>
// expected-error @below {{expected exactly one of count and repeat, found both}}
ascend.unary Exp %a, %a count 64 repeat <mask = 64, count = 1, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 0> : memref<64xf32, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xf32, #ascend.memory<ub>>
// expected-error @below {{expected a mask in 1..64, found 65}}
ascend.unary Exp %a, %a repeat <mask = 65, count = 1, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 0> : memref<64xf32, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xf32, #ascend.memory<ub>>
// expected-error @below {{expected a repeat count in 1..255, found 256}}
ascend.unary Exp %a, %a repeat <mask = 64, count = 256, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 0> : memref<64xf32, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xf32, #ascend.memory<ub>>
// expected-error @below {{expected a count of at most 64, the elements of an operand, found 65}}
ascend.unary Exp %a, %a count 65 : memref<64xf32, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xbf16, #ascend.memory<ub>>
// expected-error @below {{expected lhs elements of type f16, f32 or a 16- or 32-bit integer, found 'bf16'}}
ascend.binary Add %a, %a, %a count 64 : memref<64xbf16, #ascend.memory<ub>>, memref<64xbf16, #ascend.memory<ub>>, memref<64xbf16, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xf32, #ascend.memory<l1>>
// expected-error @below {{expected destination in UB, found L1}}
ascend.unary Exp %a, %a count 64 : memref<64xf32, #ascend.memory<l1>>, memref<64xf32, #ascend.memory<l1>>

// -----

%a = ascend.alloc "a" : memref<10xf32, #ascend.memory<ub>>
// expected-error @below {{expected a copy of a multiple of 32 bytes, found 10 elements of 'f32'}}
ascend.unary Copy %a, %a count 10 : memref<10xf32, #ascend.memory<ub>>, memref<10xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xf16, #ascend.memory<ub>>
%x = arith.constant 1.0 : f32
// expected-error @below {{expected scalar of type 'f16', found 'f32'}}
ascend.scalar Adds %a, %a, %x count 64 : memref<64xf16, #ascend.memory<ub>>, memref<64xf16, #ascend.memory<ub>>, f32

// -----

%a = ascend.alloc "a" : memref<64xf16, #ascend.memory<ub>>
%b = ascend.alloc "b" : memref<64xbf16, #ascend.memory<ub>>
// expected-error @below {{expected a conversion the vector unit has, found 'f16' to 'bf16'}}
ascend.cast Rint %b, %a count 64 : memref<64xbf16, #ascend.memory<ub>>, memref<64xf16, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xi8, #ascend.memory<ub>>
%x = arith.constant 1 : i8
// expected-error @below {{expected destination elements of type a 16- or 32-bit type, found 'i8'}}
ascend.duplicate %a, %x count 64 : memref<64xi8, #ascend.memory<ub>>, i8

// -----

%a = ascend.alloc "a" : memref<64xi32, #ascend.memory<ub>>
%m = ascend.alloc "m" : memref<8xi8, #ascend.memory<ub>>
// expected-error @below {{expected elements of type f16 or f32, or i32 for EQ, found 'i32' for LT}}
ascend.compare LT %m, %a, %a count 64 : memref<8xi8, #ascend.memory<ub>>, memref<64xi32, #ascend.memory<ub>>, memref<64xi32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xf32, #ascend.memory<ub>>
%m = ascend.alloc "m" : memref<8xi8, #ascend.memory<ub>>
// expected-error @below {{expected a count of a multiple of 256 bytes, found 60 elements of 'f32'}}
ascend.compare LT %m, %a, %a count 60 : memref<8xi8, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xf32, #ascend.memory<ub>>
%m = ascend.alloc "m" : memref<7xi8, #ascend.memory<ub>>
// expected-error @below {{expected mask of at least 8 bytes, found 7}}
ascend.select %a, %m, %a, %a count 64 : memref<64xf32, #ascend.memory<ub>>, memref<7xi8, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>

// -----

%a = ascend.alloc "a" : memref<64xf32, #ascend.memory<ub>>
// expected-error @below {{expected a destination of at least 128 elements, found 64}}
ascend.broadcast %a, %a count 16 : memref<64xf32, #ascend.memory<ub>>, memref<64xf32, #ascend.memory<ub>>

// -----

func.func @get_value(%i: index) {
  %a = ascend.alloc "a" : memref<64x16xf32, #ascend.memory<l1>>
  // expected-error @below {{expected source in UB or GM, found L1}}
  %0 = ascend.get_value %a at %i : memref<64x16xf32, #ascend.memory<l1>> -> f32
  return
}

// -----

func.func @zero(%i: index) {
  %a = ascend.alloc "a" : memref<16x16xf32, #ascend.memory<l0c>>
  // expected-error @below {{expected destination in L0A or L0B, found L0C}}
  ascend.zero_l0 %a : memref<16x16xf32, #ascend.memory<l0c>>
  return
}
