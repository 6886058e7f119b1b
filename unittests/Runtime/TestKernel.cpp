//===- TestKernel.cpp - A kernel that uses no instruction -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Computes on the host directly: what arguments arrive as is visible without an
// instruction set.
//
//===----------------------------------------------------------------------===//

#include <cstdint>

extern "C" void test_kernel(const float *input, float *output, float scale,
                            int32_t offset, int64_t size,
                            const void *workspace) {
  for (int64_t i = 0; i < size; ++i)
    output[i] = input[i] * scale + static_cast<float>(offset) +
                (workspace ? 0.0f : 1e9f);
}
