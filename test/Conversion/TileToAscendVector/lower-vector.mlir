// RUN: tilelang-opt %s --ascend-lower-vector --canonicalize --cse --split-input-file | FileCheck %s

// One operation on halves is the hardware's own; the tail is left to the copies.

#id = affine_map<(d0) -> (d0)>
!g = memref<1000xf16, #ascend.memory<gm>>
!t = memref<256xf16, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @add
// CHECK-DAG: %[[A:.*]] = ascend.alloc "A" : memref<256xf16, #ascend.memory<ub>>
// CHECK-DAG: %[[C:.*]] = ascend.alloc "C" : memref<256xf16, #ascend.memory<ub>>
// CHECK-NOT: duplicate
// CHECK: %[[O:.*]] = arith.muli %{{.*}}, %c256
// CHECK: %[[LEFT:.*]] = arith.subi %c1000, %[[O]]
// CHECK: %[[N:.*]] = arith.minsi %[[LEFT]], %c256
// CHECK: ascend.load %{{.*}} at %[[O]] rows %c1 columns %[[N]] stride %c1 to %[[A]]
// CHECK: ascend.binary Add %[[C]], %[[A]], %[[A]] count 256
// CHECK: ascend.store %[[C]] to %{{.*}} at %[[O]] rows %c1 columns %[[N]] stride %c1
ascend.kernel vector @add parameters ["A", "C"] blocks 4 aic {
^bb0(%a: !g, %c: !g):
  ascend.end
} aiv {
^bb0(%a: !g, %c: !g):
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %ta = tile.alloc {name = "A"} : !t
  %tc = tile.alloc {name = "C"} : !t
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %i = %first to %c4 step %step {
    %o = arith.muli %i, %c256 : index
    %ga = tile.region %a[%o] sizes [] : !g -> !tile.region<256xf16>
    %gc = tile.region %c[%o] sizes [] : !g -> !tile.region<256xf16>
    %ra = tile.region %ta[%c0] sizes [] : !t -> !tile.region<256xf16>
    %rc = tile.region %tc[%c0] sizes [] : !t -> !tile.region<256xf16>
    tile.copy %ga to %ra : !tile.region<256xf16> to !tile.region<256xf16>
    tile.map [256] ins(%ra : !tile.region<256xf16>) outs(%rc : !tile.region<256xf16>) clip [] lower [] upper [] maps [#id, #id] {
    ^bb0(%x: f16):
      %w = arith.extf %x : f16 to f32
      %z = arith.addf %w, %w : f32
      %h = tile.cast %z : f32 to f16
      tile.yield %h : f16
    }
    tile.copy %rc to %gc : !tile.region<256xf16> to !tile.region<256xf16>
  } {ascend.grid}
  ascend.end
}

// -----

// A row operand is repeated by stride 0, one instruction for each 64 columns; a column
// operand fills blocks of 32 bytes first, which then repeat inside a row. A scalar on the
// right of a subtraction is added negated.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#col = affine_map<(d0, d1) -> (d0)>
!t = memref<32x128xf32, #ascend.memory<ub>>
!r = memref<128xf32, #ascend.memory<ub>>
!c = memref<32xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @broadcast
// CHECK-DAG: %[[C:.*]] = ascend.alloc "c" : memref<128xf32, #ascend.memory<ub>>
// CHECK-DAG: %[[R:.*]] = ascend.alloc "r" : memref<128xf32, #ascend.memory<ub>>
// CHECK-DAG: %[[T:.*]] = ascend.alloc "t" : memref<32x128xf32, #ascend.memory<ub>>
// CHECK-DAG: ascend.alloc "temporary{{[0-9]+}}" {temporary}
// CHECK: ascend.binary Add %{{.*}}, %{{.*}}, %{{.*}} repeat <mask = 64, count = 32, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 1, src1Repeat = 0>
// CHECK: %[[SECOND:.*]] = ascend.view %[[R]] offset %c64 : {{.*}} -> memref<64xf32, #ascend.memory<ub>>
// CHECK: ascend.binary Add %{{.*}}, %{{.*}}, %[[SECOND]] repeat
// CHECK: %[[HALF:.*]] = ascend.view %[[C]] : {{.*}} -> memref<32xf32, #ascend.memory<ub>>
// CHECK: ascend.broadcast %[[BLOCKS:[^,]*]], %[[HALF]] count 32 : memref<256xf32, #ascend.memory<ub>>
// CHECK: ascend.binary Mul %{{.*}}, %{{.*}}, %[[BLOCKS]] repeat <mask = 64, count = 32, dstBlock = 1, dstRepeat = 16, src0Block = 1, src0Repeat = 16, src1Block = 0, src1Repeat = 1>
// CHECK: ascend.scalar Adds %[[T]], %{{.*}}, %cst{{.*}} count 4096
ascend.kernel vector @broadcast parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %r = tile.alloc {name = "r"} : !r
  %c = tile.alloc {name = "c"} : !c
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<32x128xf32>
  %rr = tile.region %r[%c0] sizes [] : !r -> !tile.region<128xf32>
  %rc = tile.region %c[%c0] sizes [] : !c -> !tile.region<32xf32>
  tile.map [32, 128] ins(%rt, %rr, %rc : !tile.region<32x128xf32>, !tile.region<128xf32>, !tile.region<32xf32>)
      outs(%rt : !tile.region<32x128xf32>) clip [] lower [] upper [] maps [#id, #row, #col, #id] {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %k = arith.constant 0.5 : f32
    %s = arith.addf %x, %y : f32
    %p = arith.mulf %s, %z : f32
    %d = arith.subf %p, %k : f32
    tile.yield %d : f32
  }
  ascend.end
}

// -----

// What depends on a row only is computed once per row.

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d0)>
!t = memref<64x32xf32, #ascend.memory<ub>>
!c = memref<64xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @rescale
// CHECK: ascend.binary Sub %{{.*}} count 64
// CHECK: ascend.scalar Muls %{{.*}} count 64
// CHECK: ascend.unary Exp %{{.*}} count 64
// CHECK: ascend.broadcast %{{.*}} count 64
// CHECK: ascend.binary Mul %{{.*}} repeat <mask = 32, count = 64
// CHECK-NOT: ascend.binary
ascend.kernel vector @rescale parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "o"} : !t
  %a = tile.alloc {name = "m_prev"} : !c
  %b = tile.alloc {name = "m"} : !c
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<64x32xf32>
  %ra = tile.region %a[%c0] sizes [] : !c -> !tile.region<64xf32>
  %rb = tile.region %b[%c0] sizes [] : !c -> !tile.region<64xf32>
  tile.map [64, 32] ins(%rt, %ra, %rb : !tile.region<64x32xf32>, !tile.region<64xf32>, !tile.region<64xf32>)
      outs(%rt : !tile.region<64x32xf32>) clip [] lower [] upper [] maps [#id, #col, #col, #id] {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %d = arith.subf %y, %z : f32
    %e = math.exp2 %d : f32
    %p = arith.mulf %x, %e : f32
    tile.yield %p : f32
  }
  ascend.end
}

// -----

// A division by a power of two multiplies; by another number it divides. Both scalars are
// exact. Divisors that are no vector repeat one block.

#id = affine_map<(d0) -> (d0)>
!t = memref<64xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @divide
// CHECK: ascend.duplicate %[[CONSTANT:[^,]*]], %{{.*}} count 128 : memref<128xf32
// CHECK: ascend.scalar Muls %{{.*}}, %{{.*}}, %cst{{.*}} count 64
// CHECK: %[[BLOCK:.*]] = ascend.view %[[CONSTANT]] : {{.*}} -> memref<8xf32
// CHECK: ascend.binary Div %{{.*}}, %{{.*}}, %[[BLOCK]] repeat <mask = 64, count = 1, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 0>
ascend.kernel vector @divide parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xf32>
  tile.map [64] ins(%rt : !tile.region<64xf32>) outs(%rt : !tile.region<64xf32>) clip [] lower [] upper [] maps [#id, #id] {
  ^bb0(%x: f32):
    %four = arith.constant 4.0 : f32
    %three = arith.constant 3.0 : f32
    %a = arith.divf %x, %four : f32
    %b = arith.divf %a, %three : f32
    tile.yield %b : f32
  }
  ascend.end
}

// -----

// Comparisons make masks of whole 256 bytes; a bound on a column selects against the
// old value; indices are compared through their difference.

#id = affine_map<(d0, d1) -> (d0, d1)>
!t = memref<5x20xf32, #ascend.memory<ub>>

// The pitch of 20 columns is 32, and 8 rows make up whole comparisons.
// CHECK-LABEL: ascend.kernel vector @clipped
// CHECK: ascend.alloc "t" : memref<8x32xf32, #ascend.memory<ub>>
// CHECK: ascend.vector_index %{{.*}} count 24
// CHECK: ascend.scalar Adds
// CHECK: ascend.cast Rint
// CHECK: ascend.unary Copy %{{.*}} repeat <mask = 24, count = 5
// CHECK: ascend.compare_scalar LT %[[MASK:[^,]*]], %{{.*}} count 192 : memref<24xui8
// CHECK: ascend.select %[[T:[^,]*]], %[[MASK]], %{{[^,]*}}, %[[T]] count 192
ascend.kernel vector @clipped parameters ["n"] blocks 1 aic {
^bb0(%n: index):
  ascend.end
} aiv {
^bb0(%n: index):
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<5x20xf32>
  tile.map [5, 20] ins(%rt : !tile.region<5x20xf32>) outs(%rt : !tile.region<5x20xf32>)
      clip [1] lower [%c0] upper [%n] maps [#id, #id] {
  ^bb0(%x: f32):
    %one = arith.constant 1.0 : f32
    %a = arith.addf %x, %one : f32
    tile.yield %a : f32
  }
  ascend.end
}

// -----

// Bytes pass through half and compute in 32 bits; the result is brought back to 8 bits
// where it is stored. A fill of bytes writes pairs.

#id = affine_map<(d0) -> (d0)>
!t = memref<128xi8, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @bytes
// CHECK: ascend.duplicate %{{.*}}, %c1799_i16 count 64 : memref<64xi16
// CHECK: ascend.cast None %{{.*}} : memref<128xf16, #ascend.memory<ub>>, memref<128xi8
// CHECK: ascend.cast Rint %{{.*}} : memref<128xi32, #ascend.memory<ub>>, memref<128xf16
// CHECK: ascend.binary Mul
// CHECK: ascend.scalar ShiftLeft %{{.*}}, %{{.*}}, %c24_i32
// CHECK: ascend.scalar ShiftRight %{{.*}}, %{{.*}}, %c24_i32
// CHECK: ascend.cast Rint %{{.*}} : memref<128xf32, #ascend.memory<ub>>, memref<128xi32
// CHECK: ascend.cast Rint %{{.*}} : memref<128xf16, #ascend.memory<ub>>, memref<128xf32
// CHECK: ascend.cast Rint %{{.*}} : memref<128xi8, #ascend.memory<ub>>, memref<128xf16
ascend.kernel vector @bytes parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i8
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<128xi8>
  tile.fill %rt with %seven : !tile.region<128xi8>, i8
  tile.map [128] ins(%rt : !tile.region<128xi8>) outs(%rt : !tile.region<128xi8>) clip [] lower [] upper [] maps [#id, #id] {
  ^bb0(%x: i8):
    %a = arith.muli %x, %x : i8
    tile.yield %a : i8
  }
  ascend.end
}

// -----

// A tile that is loaded clipped and then read otherwise than it is stored is filled with
// zeros first; a converting load passes through a tile of the tensor's type.

#reverse = affine_map<(d0) -> (-d0 + 63)>
#id = affine_map<(d0) -> (d0)>
!g = memref<100xf16, #ascend.memory<gm>>
!t = memref<64xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @zeros
// CHECK: %[[RAW:.*]] = ascend.alloc "t" : memref<128xf16, #ascend.memory<ub>>
// CHECK: ascend.duplicate %[[RAWVIEW:.*]], %cst count 64
// CHECK: ascend.load %{{.*}} at %{{.*}} rows %c1 columns %{{.*}} stride %c1 to %[[RAW]]
// CHECK: ascend.cast None
// CHECK: scf.for
// CHECK: ascend.get_value
// CHECK: ascend.set_value
ascend.kernel vector @zeros parameters ["A"] blocks 2 aic {
^bb0(%a: !g):
  ascend.end
} aiv {
^bb0(%a: !g):
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %t = tile.alloc {name = "t"} : !t
  %u = tile.alloc {name = "u"} : !t
  %first = ascend.block_idx
  %step = ascend.block_num
  scf.for %i = %first to %c2 step %step {
    %o = arith.muli %i, %c64 : index
    %ga = tile.region %a[%o] sizes [] : !g -> !tile.region<64xf16>
    %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<64xf32>
    %ru = tile.region %u[%c0] sizes [] : !t -> !tile.region<64xf32>
    tile.copy %ga to %rt : !tile.region<64xf16> to !tile.region<64xf32>
    tile.map [64] ins(%rt : !tile.region<64xf32>) outs(%ru : !tile.region<64xf32>) clip [] lower [] upper [] maps [#reverse, #id] {
    ^bb0(%x: f32):
      tile.yield %x : f32
    }
  } {ascend.grid}
  ascend.end
}

// -----

// Rows far apart have no repeat form: one instruction for each row.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
!t = memref<4x4096xf32, #ascend.memory<ub>>
!r = memref<4096xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @wide
// CHECK: scf.for %[[R:.*]] = %c0 to %c4 step %c1 {
// CHECK: %[[O:.*]] = arith.muli %[[R]], %c4096
// CHECK: ascend.view %{{.*}} offset %[[O]] : memref<4x4096xf32, #ascend.memory<ub>> -> memref<4096xf32
// CHECK: ascend.binary Mul %{{.*}} count 4096
ascend.kernel vector @wide parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %r = tile.alloc {name = "r"} : !r
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<4x4096xf32>
  %rr = tile.region %r[%c0] sizes [] : !r -> !tile.region<4096xf32>
  tile.map [4, 4096] ins(%rt, %rr : !tile.region<4x4096xf32>, !tile.region<4096xf32>) outs(%rt : !tile.region<4x4096xf32>) clip [] lower [] upper [] maps [#id, #row, #id] {
  ^bb0(%x: f32, %y: f32):
    %a = arith.mulf %x, %y : f32
    tile.yield %a : f32
  }
  ascend.end
}

// -----

// A page that a table names may not exist: nothing is moved then. Leading dimensions are
// part of the offset.

!g = memref<7x64x2x32xf16, #ascend.memory<gm>>
!table = memref<8xi32, #ascend.memory<gm>>
!t = memref<64x32xf16, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @page
// CHECK: %[[PAGE:.*]] = ascend.get_value
// CHECK: %[[P:.*]] = arith.index_cast %[[PAGE]]
// CHECK: ascend.duplicate
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[P]], %c0
// CHECK: %[[HIGH:.*]] = arith.cmpi slt, %[[P]], %c7
// CHECK: %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: %[[N:.*]] = arith.select %[[IN]], %c32, %c0
// CHECK: %[[O:.*]] = arith.muli %[[P]], %c4096
// CHECK: %[[AT:.*]] = arith.addi %[[O]], %c32
// CHECK: ascend.load %{{.*}} at %[[AT]] rows %c64 columns %[[N]] stride %c64 to
ascend.kernel vector @page parameters ["K", "table", "O"] blocks 1 aic {
^bb0(%k: !g, %table: !table, %o: memref<64x32xf16, #ascend.memory<gm>>):
  ascend.end
} aiv {
^bb0(%k: !g, %table: !table, %o: memref<64x32xf16, #ascend.memory<gm>>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tile.alloc {name = "K_s"} : !t
  %page = tile.load %table[%c1] : !table -> i32
  %p = arith.index_cast %page : i32 to index
  %g = tile.region %k[%p, %c0, %c1, %c0] sizes [] : !g -> !tile.region<1x64x1x32xf16>
  %rt = tile.region %t[%c0, %c0] sizes [] : !t -> !tile.region<64x32xf16>
  tile.copy %g to %rt : !tile.region<1x64x1x32xf16> to !tile.region<64x32xf16>
  %ro = tile.region %o[%c0, %c0] sizes [] : memref<64x32xf16, #ascend.memory<gm>> -> !tile.region<64x32xf16>
  tile.copy %rt to %ro : !tile.region<64x32xf16> to !tile.region<64x32xf16>
  ascend.end
}

// -----

// One element for the whole tile is spread over a block that repeats: the scalar unit
// does not wait for it.

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> (0)>
!t = memref<128xf32, #ascend.memory<ub>>
!s = memref<1xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @scale
// CHECK-NOT: get_value
// CHECK: ascend.broadcast %[[B:[^,]*]], %{{.*}} count 8
// CHECK: %[[BLOCK:.*]] = ascend.view %[[B]] : memref<64xf32, #ascend.memory<ub>> -> memref<8xf32, #ascend.memory<ub>>
// CHECK: ascend.binary Mul %{{.*}}, %{{.*}}, %[[BLOCK]] repeat <mask = 64, count = 2, dstBlock = 1, dstRepeat = 8, src0Block = 1, src0Repeat = 8, src1Block = 0, src1Repeat = 0>
ascend.kernel vector @scale parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %s = tile.alloc {name = "s"} : !s
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<128xf32>
  %rs = tile.region %s[%c0] sizes [] : !s -> !tile.region<1xf32>
  tile.map [128] ins(%rt, %rs : !tile.region<128xf32>, !tile.region<1xf32>) outs(%rt : !tile.region<128xf32>) clip [] lower [] upper [] maps [#id, #one, #id] {
  ^bb0(%x: f32, %y: f32):
    %a = arith.mulf %x, %y : f32
    tile.yield %a : f32
  }
  ascend.end
}

// -----

// Factors of the argument of exp2 join into one product; log2(e) needs none. Equal factors on both
// sides of a difference are taken in.

#id = affine_map<(d0) -> (d0)>
!t = memref<512xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @factors
// CHECK: ascend.binary Sub
// CHECK-NEXT: ascend.unary Exp
// CHECK-NEXT: ascend.scalar Muls
// CHECK-NEXT: ascend.scalar Muls
// CHECK-NEXT: ascend.binary Sub
// CHECK-NEXT: ascend.unary Exp
// CHECK-NEXT: ascend.end
ascend.kernel vector @factors parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %u = tile.alloc {name = "u"} : !t
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<512xf32>
  %ru = tile.region %u[%c0] sizes [] : !t -> !tile.region<512xf32>
  tile.map [512] ins(%rt, %ru : !tile.region<512xf32>, !tile.region<512xf32>) outs(%rt : !tile.region<512xf32>)
      clip [] lower [] upper [] maps [#id, #id, #id] {
  ^bb0(%x: f32, %y: f32):
    %log2e = arith.constant 1.44269502 : f32
    %d = arith.subf %x, %y : f32
    %s = arith.mulf %d, %log2e : f32
    %e = math.exp2 %s : f32
    tile.yield %e : f32
  }
  tile.map [512] ins(%rt, %ru : !tile.region<512xf32>, !tile.region<512xf32>) outs(%rt : !tile.region<512xf32>)
      clip [] lower [] upper [] maps [#id, #id, #id] {
  ^bb0(%x: f32, %y: f32):
    %scale = arith.constant 0.125 : f32
    %a = arith.mulf %x, %scale : f32
    %b = arith.mulf %scale, %y : f32
    %d = arith.subf %a, %b : f32
    %e = math.exp2 %d : f32
    tile.yield %e : f32
  }
  ascend.end
}

// -----

// A hyperbolic tangent that is only added to a constant needs no form for small arguments. The block
// of the constant is made once, at the program's top.

#id = affine_map<(d0) -> (d0)>
!t = memref<512xf32, #ascend.memory<ub>>

// CHECK-LABEL: ascend.kernel vector @offset
// CHECK: ascend.duplicate %[[TWO:[^,]*]], %{{.*}} count 128
// CHECK: ascend.scalar Muls
// CHECK-NEXT: ascend.unary Exp
// CHECK-NEXT: ascend.scalar Adds
// CHECK-NEXT: %[[BLOCK:.*]] = ascend.view %[[TWO]] : {{.*}} -> memref<8xf32
// CHECK-NEXT: ascend.binary Div %{{.*}}, %[[BLOCK]], %{{.*}} repeat
// CHECK-NEXT: ascend.scalar Adds
// CHECK-NEXT: ascend.scalar Adds
// CHECK-NEXT: ascend.end
ascend.kernel vector @offset parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %c0 = arith.constant 0 : index
  %t = tile.alloc {name = "t"} : !t
  %rt = tile.region %t[%c0] sizes [] : !t -> !tile.region<512xf32>
  tile.map [512] ins(%rt : !tile.region<512xf32>) outs(%rt : !tile.region<512xf32>)
      clip [] lower [] upper [] maps [#id, #id] {
  ^bb0(%x: f32):
    %one = arith.constant 1.0 : f32
    %y = math.tanh %x : f32
    %z = arith.addf %y, %one : f32
    tile.yield %z : f32
  }
  ascend.end
}
