//===- vector.cpp - Many equal vector instructions on one core ----------- -===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "kernel_operator.h"

using namespace AscendC;

/// `times` Adds of `repeats` repeats of floats; operands at the given bytes of UB.
extern "C" __global__ __aicore__ void adds(GM_ADDR unused, int32_t times, int32_t repeats, int32_t dst, int32_t src0,
                                           int32_t src1, int32_t src1Block) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  LocalTensor<float> d(TPosition::VECCALC, uint32_t(dst), 16384);
  LocalTensor<float> a(TPosition::VECCALC, uint32_t(src0), 16384);
  LocalTensor<float> b(TPosition::VECCALC, uint32_t(src1), 16384);
  const BinaryRepeatParams strides(1, 1, uint8_t(src1Block), 8, 8, 8);
  for (int32_t i = 0; i < times; ++i)
    Add(d, a, b, uint64_t(64), uint8_t(repeats), strides);
  PipeBarrier<PIPE_ALL>();
}

/// The functions whose slopes are published; `which` is an index of run.py.
extern "C" __global__ __aicore__ void slopes(GM_ADDR unused, int32_t which, int32_t times, int32_t repeats) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  LocalTensor<float> d(TPosition::VECCALC, 0x10000, 16384), a(TPosition::VECCALC, 0, 8192);
  LocalTensor<float> b(TPosition::VECCALC, 0x8100, 8192);
  LocalTensor<half> dh(TPosition::VECCALC, 0x10000, 32768), ah(TPosition::VECCALC, 0, 16384);
  const UnaryRepeatParams unary(1, 1, 8, 8);
  const BinaryRepeatParams binary(1, 1, 1, 8, 8, 8);
  const uint8_t r = uint8_t(repeats);
  for (int32_t i = 0; i < times; ++i)
    switch (which) {
    case 0: Abs(d, a, uint64_t(64), r, unary); break;
    case 1: Exp(d, a, uint64_t(64), r, unary); break;
    case 2: Exp(dh, ah, uint64_t(128), r, unary); break;
    case 3: Sqrt(d, a, uint64_t(64), r, unary); break;
    case 4: Div(d, a, b, uint64_t(64), r, binary); break;
    case 5: Add(d, a, b, uint64_t(64), r, binary); break;
    case 6: MulAddDst(d, a, b, uint64_t(64), r, binary); break;
    case 7: WholeReduceSum(d, a, 64, repeats, 1, 1, 8); break;
    case 8: WholeReduceSum(dh, ah, 128, repeats, 1, 1, 8); break;
    case 9: WholeReduceMax(d, a, 64, repeats, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE); break;
    case 10: BlockReduceSum(d, a, repeats, 64, 1, 1, 8); break;
    default: Cast(dh, a, RoundMode::CAST_RINT, uint64_t(64), r, UnaryRepeatParams(1, 1, 4, 8)); break;
    }
  PipeBarrier<PIPE_ALL>();
}
