//===- KernelsAVX512.cpp - Inner loops for AVX-512 -----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

namespace tilelang::sim::avx512 {

// Registers of this level: rows x columns of vectors of 16 that hold C.
#define TILELANG_BLOCK_ROWS 8
#define TILELANG_BLOCK_COLUMNS 3

// Each builds on the ones before it.
// clang-format off
#include "Numbers.inc"
#include "VectorKernels.inc"
#include "ReduceKernels.inc"
#include "CubeKernels.inc"
// clang-format on

extern const KernelTable table = {"avx512",      vectorKernel,   reduceKernel,
                                  mmadKernel,    saturateHalves, floatToHalf,
                                  floatToBFloat, atomicKernel};

} // namespace tilelang::sim::avx512
