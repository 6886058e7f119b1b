// Scalar variables of the program become locals of the function.
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null | grep -v '// .*mlir:.*  ' | FileCheck %s
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null \
// RUN:   | clang++ -std=c++17 -fsyntax-only -Wall -Werror -D__DAV_C220_VEC__ -I %S/../../../ascendc/include -x c++ -

#gm = #ascend.memory<gm>

// CHECK-LABEL: __aicore__ inline void variables_vector(
// CHECK:          float total;
// CHECK-NEXT:     total = 0.0f;
// CHECK-NEXT:     for (int32_t j = 0; j < 8; ++j) {
// What the kernel writes itself is read past the scalar unit's cache.
// CHECK-NEXT:       DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(A[j]);
// CHECK-NEXT:       const float value = A.GetValue(j);
// CHECK-NEXT:       const float value_1 = total;
// CHECK-NEXT:       const float value_2 = value_1 + value;
// CHECK-NEXT:       total = value_2;
// CHECK-NEXT:     }
// CHECK-NEXT:     const float value = total;
// CHECK-NEXT:     A.SetValue(0, value);

ascend.kernel vector @variables parameters ["A"] blocks 1 aic {
^bb0(%A: memref<64xf32, #gm>):
  ascend.end
} aiv {
^bb0(%A: memref<64xf32, #gm>):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  // A local lives in the body of the loop that declares it.
  scf.for %t = %c0 to %c8 step %c1 {
    %total = memref.alloca() {name = "total"} : memref<f32>
    memref.store %zero, %total[] : memref<f32>
    scf.for %i = %c0 to %c8 step %c1 {
      %x = ascend.get_value %A at %i : memref<64xf32, #gm> -> f32
      %old = memref.load %total[] : memref<f32>
      %new = arith.addf %old, %x : f32
      memref.store %new, %total[] : memref<f32>
    }
    %sum = memref.load %total[] : memref<f32>
    ascend.set_value %sum to %A at %c0 : f32 to memref<64xf32, #gm>
  }
  ascend.end
}
