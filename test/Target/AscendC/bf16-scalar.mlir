// Scalars of 16 bits compute in fp32 and round as the API converts them.
// RUN: tilelang-opt %s --ascend-print-source -o /dev/null | FileCheck %s

// CHECK: const bfloat16_t value = u.GetValue(0);
// CHECK: u.SetValue(1, ToBfloat16(ToFloat(value) * ToFloat(ToBfloat16(1.5f))));

!ub = memref<64xbf16, #ascend.memory<ub>>
ascend.kernel vector @scalars parameters [] blocks 1 aic {
  ascend.end
} aiv {
  %u = ascend.alloc "u" {address = 0 : i64} : !ub
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %factor = arith.constant 1.5 : bf16
  %value = ascend.get_value %u at %c0 : !ub -> bf16
  %product = arith.mulf %value, %factor : bf16
  ascend.set_value %product to %u at %c1 : bf16 to !ub
  ascend.end
}
