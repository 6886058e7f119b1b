// Index and scalar arithmetic, loops and branches.
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null | grep -v '// .*mlir:.*  ' | FileCheck %s
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_CUBE__ -I %S/../../../ascendc/include -x c++ -
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_VEC__ -I %S/../../../ascendc/include -x c++ -

// CHECK:      // scalar: vector kernel on 48 blocks, written by TileLang Native.
// CHECK-NEXT: #include "kernel_operator.h"
// CHECK-EMPTY:
// CHECK-NEXT: using namespace AscendC;
// CHECK-EMPTY:
// CHECK-NEXT: __aicore__ inline void scalar_vector(GM_ADDR float_1_address, int32_t n, float x, half h) {
// CHECK-NEXT:   LocalTensor<float> operator_1(TPosition::VECCALC, 0x0, 64);  // UB, 256 B at 0x0, scalar.mlir
// CHECK-NEXT:   LocalTensor<float> operator_2(TPosition::VECCALC, 0x100, 64);  // UB, 256 B at 0x100, scalar.mlir
// CHECK-NEXT:   const float value = operator_1.GetValue(n - (n + 7) * 8);
// CHECK-NEXT:   const int32_t index = n < 64 ? n : 64;
// CHECK-NEXT:   const float value_1 = operator_1.GetValue((n > 0 ? (n - 1) / 8 + 1 : n / 8) * 512 - 1 + (n < 0 ? (n + 1) / 8 - 1 : n / 8));
// CHECK-NEXT:   const float value_2 = (value + 1.5f) * x;
// CHECK-NEXT:   Duplicate(operator_1, (value_2 > value_1 || value_2 != value_2 ? value_2 : value_1) - static_cast<float>(h) / static_cast<float>(static_cast<half>(static_cast<float>(h) * static_cast<float>(h))), 64);
// CHECK-NEXT:   float carried = x;
// CHECK-NEXT:   float carried_1 = 0.0f;
// CHECK-NEXT:   for (int32_t i = 0; i < index; i += 8) {
// CHECK-NEXT:     const float value_3 = operator_2.GetValue(i);
// CHECK-NEXT:     float chosen;
// CHECK-NEXT:     if (value_3 < carried) {
// CHECK-NEXT:       chosen = value_3 + carried_1;
// CHECK-NEXT:     } else {
// CHECK-NEXT:       chosen = carried;
// CHECK-NEXT:     }
// CHECK-NEXT:     for (int32_t j = i; j < index; ++j) {
// CHECK-NEXT:       operator_2.SetValue(j, chosen);
// CHECK-NEXT:     }
// CHECK-NEXT:     const float next = carried_1;
// CHECK-NEXT:     const float next_1 = chosen;
// CHECK-NEXT:     carried = next;
// CHECK-NEXT:     carried_1 = next_1;
// CHECK-NEXT:   }
// CHECK-NEXT:   const bool value_3 = n < 3;
// CHECK-NEXT:   if (value_3 && !(carried_1 < 0.0f || carried_1 > 0.0f)) {
// CHECK-NEXT:     Duplicate(operator_2, carried, 64);
// CHECK-NEXT:   }
// CHECK-NEXT:   operator_2.SetValue(0, value_3 ? carried_1 : carried);
// CHECK-NEXT:   operator_2.SetValue(1, static_cast<float>(n + 3));
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: extern "C" __global__ __aicore__ void scalar(GM_ADDR float_1, int32_t n, float x, half h) {
// CHECK-NEXT:   KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
// CHECK-NEXT:   InitSocState();
// CHECK-NEXT:   if ASCEND_IS_AIV {
// CHECK-NEXT:     scalar_vector(float_1, n, x, h);
// CHECK-NEXT:   }
// CHECK-NEXT:   PipeBarrier<PIPE_ALL>();
// CHECK-NEXT: }

!gm = memref<4096xf32, #ascend.memory<gm>>
!ub = memref<64xf32, #ascend.memory<ub>>

ascend.kernel vector @scalar parameters ["float", "n", "x", "h"] blocks 48 aic {
^bb0(%X: !gm, %n: i32, %x: f32, %h: f16):
  ascend.end
} aiv {
^bb0(%X: !gm, %n: i32, %x: f32, %h: f16):
  %u = ascend.alloc "operator" {address = 0 : i64} : !ub
  %v = ascend.alloc "operator" {address = 256 : i64} : !ub
  %unused = ascend.alloc "unused" {address = 512 : i64} : !ub
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %cm1 = arith.constant -1 : index
  %f0 = arith.constant 0.0 : f32
  %f1 = arith.constant 1.5 : f32
  %i3 = arith.constant 3 : i32
  %size = arith.index_cast %n : i32 to index

  // Parentheses where they are needed, and only there.
  %sum = arith.addi %size, %c7 : index
  %product = arith.muli %sum, %c8 : index
  %difference = arith.subi %size, %product : index
  %value0 = ascend.get_value %u at %difference : !ub -> f32
  // Folded constants, a minimum, rounded division of what may be negative.
  %least = arith.minsi %size, %c64 : index
  %up = arith.ceildivsi %size, %c8 : index
  %down = arith.floordivsi %size, %c8 : index
  %twelve = arith.muli %c8, %c64 : index
  %scaled = arith.muli %up, %twelve : index
  %moved = arith.addi %scaled, %cm1 : index
  %all = arith.addi %moved, %down : index
  %value1 = ascend.get_value %u at %all : !ub -> f32
  // Float arithmetic; 16-bit values round at each operation.
  %a = arith.addf %value0, %f1 : f32
  %b = arith.mulf %a, %x : f32
  %c = arith.maximumf %b, %value1 : f32
  %wide = arith.extf %h : f16 to f32
  %narrow = arith.mulf %h, %h : f16
  %again = arith.extf %narrow : f16 to f32
  %d = arith.divf %wide, %again : f32
  %e = arith.subf %c, %d : f32
  ascend.duplicate %u, %e count 64 : !ub, f32
  // Carried values, a branch with a result, comparisons.
  %last, %total = scf.for %i = %c0 to %least step %c8 iter_args(%p = %x, %q = %f0) -> (f32, f32) {
    %element = ascend.get_value %v at %i : !ub -> f32
    %less = arith.cmpf olt, %element, %p : f32
    %chosen = scf.if %less -> f32 {
      %t = arith.addf %element, %q : f32
      scf.yield %t : f32
    } else {
      scf.yield %p : f32
    }
    scf.for %j = %i to %least step %c1 {
      ascend.set_value %chosen to %v at %j : f32 to !ub
    }
    scf.yield %q, %chosen : f32, f32
  }
  %isSmall = arith.cmpi slt, %n, %i3 : i32
  %isZero = arith.cmpf ueq, %total, %f0 : f32
  %both = arith.andi %isSmall, %isZero : i1
  scf.if %both {
    ascend.duplicate %v, %last count 64 : !ub, f32
  }
  %picked = arith.select %isSmall, %total, %last : f32
  ascend.set_value %picked to %v at %c0 : f32 to !ub
  // Integers of 32 bits stay such; floats and integers meet.
  %n3 = arith.addi %n, %i3 : i32
  %float = arith.sitofp %n3 : i32 to f32
  ascend.set_value %float to %v at %c1 : f32 to !ub
  ascend.end
}
