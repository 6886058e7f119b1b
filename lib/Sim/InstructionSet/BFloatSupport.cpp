//===- BFloatSupport.cpp - Conversions that compilers call ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A scalar conversion to bfloat16_t in a kernel becomes a call of the
// compiler's support library, which older systems do not have in theirs.
//
//===----------------------------------------------------------------------===//

#include <cstdint>

static uint16_t nearestEven(float value) {
  uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

extern "C" __attribute__((weak, visibility("default"))) __bf16
__truncsfbf2(float value) {
  return __builtin_bit_cast(__bf16, nearestEven(value));
}

extern "C" __attribute__((weak, visibility("default"))) __bf16
__truncdfbf2(double value) {
  // Round to odd on the way, so that the second rounding sees what was lost.
  float narrow = static_cast<float>(value);
  uint32_t bits = __builtin_bit_cast(uint32_t, narrow);
  double back = narrow;
  if (back != value && back == back) {
    double magnitude = value < 0 ? -value : value,
           rounded = back < 0 ? -back : back;
    if (rounded > magnitude)
      --bits;
    bits |= 1;
  }
  return __builtin_bit_cast(__bf16,
                            nearestEven(__builtin_bit_cast(float, bits)));
}
