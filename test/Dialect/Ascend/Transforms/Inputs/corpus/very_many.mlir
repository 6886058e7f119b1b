// More alternations of loads and vector work than event ids for one version.
#gm = #ascend.memory<gm>
#ub = #ascend.memory<ub>
ascend.kernel vector @very_many parameters ["A", "C"] blocks 48
aic {
^bb0(%A: memref<2048x1024xf32, #gm>, %C: memref<2048x1024xf32, #gm>):
  ascend.end
}
aiv {
^bb0(%A: memref<2048x1024xf32, #gm>, %C: memref<2048x1024xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c1024 = arith.constant 1024 : index
  %c4096 = arith.constant 4096 : index
  %c8192 = arith.constant 8192 : index
  %c12288 = arith.constant 12288 : index
  %c16384 = arith.constant 16384 : index
  %c20480 = arith.constant 20480 : index
  %c24576 = arith.constant 24576 : index
  %c28672 = arith.constant 28672 : index
  %c32768 = arith.constant 32768 : index
  %c36864 = arith.constant 36864 : index
  %c40960 = arith.constant 40960 : index
  %c45056 = arith.constant 45056 : index
  %c49152 = arith.constant 49152 : index
  %a = ascend.alloc "a_local" : memref<1x1024xf32, #ub>
  %b = ascend.alloc "b_local" : memref<1x1024xf32, #ub>
  %c = ascend.alloc "c_local" : memref<1x1024xf32, #ub>
  %d = ascend.alloc "d_local" : memref<1x1024xf32, #ub>
  %e = ascend.alloc "e_local" : memref<1x1024xf32, #ub>
  %g = ascend.alloc "g_local" : memref<1x1024xf32, #ub>
  %h = ascend.alloc "h_local" : memref<1x1024xf32, #ub>
  %i = ascend.alloc "i_local" : memref<1x1024xf32, #ub>
  %j = ascend.alloc "j_local" : memref<1x1024xf32, #ub>
  %k = ascend.alloc "k_local" : memref<1x1024xf32, #ub>
  %l = ascend.alloc "l_local" : memref<1x1024xf32, #ub>
  %m = ascend.alloc "m_local" : memref<1x1024xf32, #ub>
  %n = ascend.alloc "n_local" : memref<1x1024xf32, #ub>
  %s = ascend.alloc "s_local" : memref<1x1024xf32, #ub>
  %f = arith.constant 0.0 : f32
  %idx = ascend.block_idx
  %num = ascend.block_num
  scf.for %t = %idx to %c32 step %num {
    %row = arith.muli %t, %c4 : index
    %o = arith.muli %row, %c1024 : index
    ascend.duplicate %s, %f count 1024 : memref<1x1024xf32, #ub>, f32
    %o0 = arith.addi %o, %c0 : index
    ascend.load %A at %o0 rows %c1 columns %c1024 stride %c1024 to %a : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %a count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o1 = arith.addi %o, %c4096 : index
    ascend.load %A at %o1 rows %c1 columns %c1024 stride %c1024 to %b : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %b count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o2 = arith.addi %o, %c8192 : index
    ascend.load %A at %o2 rows %c1 columns %c1024 stride %c1024 to %c : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %c count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o3 = arith.addi %o, %c12288 : index
    ascend.load %A at %o3 rows %c1 columns %c1024 stride %c1024 to %d : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %d count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o4 = arith.addi %o, %c16384 : index
    ascend.load %A at %o4 rows %c1 columns %c1024 stride %c1024 to %e : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %e count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o5 = arith.addi %o, %c20480 : index
    ascend.load %A at %o5 rows %c1 columns %c1024 stride %c1024 to %g : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %g count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o6 = arith.addi %o, %c24576 : index
    ascend.load %A at %o6 rows %c1 columns %c1024 stride %c1024 to %h : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %h count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o7 = arith.addi %o, %c28672 : index
    ascend.load %A at %o7 rows %c1 columns %c1024 stride %c1024 to %i : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %i count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o8 = arith.addi %o, %c32768 : index
    ascend.load %A at %o8 rows %c1 columns %c1024 stride %c1024 to %j : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %j count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o9 = arith.addi %o, %c36864 : index
    ascend.load %A at %o9 rows %c1 columns %c1024 stride %c1024 to %k : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %k count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o10 = arith.addi %o, %c40960 : index
    ascend.load %A at %o10 rows %c1 columns %c1024 stride %c1024 to %l : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %l count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o11 = arith.addi %o, %c45056 : index
    ascend.load %A at %o11 rows %c1 columns %c1024 stride %c1024 to %m : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %m count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    %o12 = arith.addi %o, %c49152 : index
    ascend.load %A at %o12 rows %c1 columns %c1024 stride %c1024 to %n : memref<2048x1024xf32, #gm> to memref<1x1024xf32, #ub>
    ascend.binary Add %s, %s, %n count 1024 : memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>, memref<1x1024xf32, #ub>
    ascend.store %s to %C at %o rows %c1 columns %c1024 stride %c1024 : memref<1x1024xf32, #ub> to memref<2048x1024xf32, #gm>
  } {ascend.grid}
  ascend.end
}
