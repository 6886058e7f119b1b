// Names every function of the API once; compiled for both core types.
// A list of calls, one macro each.
// clang-format off
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
static __aicore__ inline void numbers(LocalTensor<T> x, LocalTensor<T> y,
                                      LocalTensor<T> z) {
  BinaryRepeatParams two;
  UnaryRepeatParams one;
  uint64_t mask[2] = {~0ul, 0};
  T s = static_cast<T>(2);
#define TWO(F)                                                                 \
  F(x, y, z, 64);                                                              \
  F(x, y, z, uint64_t(16), 2, two);                                            \
  F(x, y, z, mask, 2, two);                                                    \
  F<T, false>(x, y, z, MASK_PLACEHOLDER, 2, two);
#define ONE_SCALAR(F)                                                          \
  F(x, y, s, 64);                                                              \
  F(x, y, s, uint64_t(16), 2, one);                                            \
  F(x, y, s, mask, 2, one);
  TWO(Add)
  TWO(Sub) TWO(Mul) TWO(Max) TWO(Min) ONE_SCALAR(Adds) ONE_SCALAR(Muls)
      ONE_SCALAR(Maxs) ONE_SCALAR(Mins) Duplicate(x, s, 64);
  Duplicate(x, s, uint64_t(16), 2, 1, 8);
  Duplicate(x, s, mask, 2, 1, 8);
  CreateVecIndex(x, s, 64);
  Copy(x, y, uint64_t(16), 2, CopyRepeatParams(1, 1, 8, 8));
  Copy(x, y, mask, 2, {1, 1, 8, 8});
  Brcb(x, y, 2, BrcbRepeatParams(1, 8));
  Gather(x, y, LocalTensor<uint32_t>(TPosition::VECCALC, 4096, 64), 0, 64);
}

template <typename T>
static __aicore__ inline void floats(LocalTensor<T> x, LocalTensor<T> y,
                                     LocalTensor<T> z) {
  numbers(x, y, z);
  BinaryRepeatParams two;
  UnaryRepeatParams one;
  uint64_t mask[2] = {~0ul, 0};
  T s = static_cast<T>(2);
#define ONE(F)                                                                 \
  F(x, y, 64);                                                                 \
  F(x, y, uint64_t(16), 2, one);                                               \
  F(x, y, mask, 2, one);
  ONE(Exp)
  ONE(Ln) ONE(Sqrt) ONE(Rsqrt) ONE(Reciprocal) ONE(Abs) ONE(Relu) TWO(Div)
      ONE_SCALAR(LeakyRelu) Axpy(x, y, s, 64);
  Axpy(x, y, s, uint64_t(16), 2, one);
  MulAddDst(x, y, z, 64);
  MulAddDst(x, y, z, uint64_t(16), 2, two);
  FusedMulAdd(x, y, z, 64);
  FusedMulAdd(x, y, z, uint64_t(16), 2, two);
  LocalTensor<uint8_t> bits(TPosition::VECCALC, 8192, 64);
  Compare(bits, x, y, CMPMODE::LT, 128);
  Compare(bits, x, y, CMPMODE::LT, uint64_t(64), 2, two);
  Compares(bits, x, s, CMPMODE::GE, 128);
  CompareScalar(bits, x, s, CMPMODE::GE, 128);
  Compares(bits, x, s, CMPMODE::GE, uint64_t(64), 2, one);
  Select(x, bits, y, z, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
  Select(x, bits, y, s, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
  Select(x, bits, y, z, SELMODE::VSEL_CMPMASK_SPR, uint64_t(64), 2, two);
  Select(x, bits, y, s, SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t(64), 2, two);
  WholeReduceSum(x, y, 64, 2, 1, 1, 8);
  WholeReduceMax(x, y, mask, 2, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
  WholeReduceMin(x, y, 64, 2, 1, 1, 8);
  BlockReduceSum(x, y, 2, 64, 1, 1, 8);
  BlockReduceMax(x, y, 2, mask, 1, 1, 8);
  BlockReduceMin(x, y, 2, 64, 1, 1, 8);
  PairReduceSum(x, y, 2, 64, 1, 1, 8);
  ReduceRepeat<ReduceType::SUM>(x, y, 64, 2, 1, 1, 8);
  ReduceDataBlock<ReduceType::MAX>(x, y, 64, 2, 1, 1, 8);
  ReducePairElem<ReduceType::SUM>(x, y, 64, 2, 1, 1, 8);
}

template <typename T>
static __aicore__ inline LocalTensor<T> ub(uint32_t byte) {
  return LocalTensor<T>(TPosition::VECCALC, byte, 64);
}

template <typename T> static __aicore__ inline void cube(GM_ADDR p) {
  GlobalTensor<T> g;
  g.SetGlobalBuffer((__gm__ T *)p, 64);
  g.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  LocalTensor<T> l1(TPosition::A1, 0, 64), a(TPosition::A2, 0, 64),
      b(TPosition::B2, 0, 64);
  LocalTensor<float> c(TPosition::CO1, 0, 64), bias(TPosition::C2, 0, 16);
  DataCopy(l1, g, Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
  LoadData(a, l1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
  LoadData(b, g, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
  LoadData(b, l1, LoadData3DParamsV2<T>());
  const uint8_t pad[4] = {0, 0, 0, 0};
  LoadData(b, l1,
           LoadData3DParamsV2<T>(pad, 1, 16, 16, 16, 16, 0, 0, 1, 1, 1, 1, 1, 1,
                                 false, false, T()));
  LoadDataWithTranspose(b, l1, LoadData2dTransposeParams(0, 1, 1, 0, 0));
  Fill(a, InitConstValueParams<T>(1, 1, 0, T()));
  Mmad(c, a, b, MmadParams(16, 16, 16, uint8_t(3), false, true));
  Mmad(c, a, b, bias, MmadParams(16, 16, 16, true, 0, false, false, false));
  GlobalTensor<float> out;
  out.SetGlobalBuffer((__gm__ float *)p);
  Fixpipe<float, float, CFG_ROW_MAJOR>(
      out, c, FixpipeParamsV220(16, 16, 16, 16, false));
  Fixpipe<float, float, CFG_NZ>(out, c,
                                FixpipeParamsV220(16, 16, 16, 16, false));
}

extern "C" __global__ __aicore__ void every_call(GM_ADDR p, int32_t n) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  InitSocState();
  if ASCEND_IS_AIC {
    cube<half>(p);
    cube<bfloat16_t>(p);
    cube<float>(p);
  }
  if ASCEND_IS_AIV {
    floats(ub<half>(0), ub<half>(1024), ub<half>(2048));
    floats(ub<float>(0), ub<float>(1024), ub<float>(2048));
    numbers(ub<int16_t>(0), ub<int16_t>(1024), ub<int16_t>(2048));
    numbers(ub<int32_t>(0), ub<int32_t>(1024), ub<int32_t>(2048));
    And(ub<uint16_t>(0), ub<uint16_t>(1024), ub<uint16_t>(2048), 64);
    Or(ub<int16_t>(0), ub<int16_t>(1024), ub<int16_t>(2048), 64);
    Not(ub<uint16_t>(0), ub<uint16_t>(1024), 64);
    ShiftLeft(ub<uint32_t>(0), ub<uint32_t>(1024), uint32_t(3), 64);
    ShiftRight(ub<int32_t>(0), ub<int32_t>(1024), int32_t(3), 64);
    SetDeqScale((half)1.0);
    Cast(ub<half>(0), ub<int32_t>(1024), RoundMode::CAST_NONE, 64);
    Cast(ub<float>(0), ub<half>(1024), RoundMode::CAST_NONE, uint64_t(64), 2,
         UnaryRepeatParams(1, 1, 8, 4));
    Axpy(ub<float>(0), ub<half>(1024), (half)2, 64);
    GlobalTensor<half> g;
    g.SetGlobalBuffer((__gm__ half *)p, n);
    DataCopy(ub<half>(0), g, 64);
    DataCopy(g[64], ub<half>(0), DataCopyParams(1, 2, 0, 0));
    DataCopy(ub<half>(1024), ub<half>(0), 64);
    DataCopyPad(ub<half>(0), g, DataCopyExtParams(1, 6, 0, 0, 0),
                DataCopyPadExtParams<half>(true, 0, 1, (half)0));
    DataCopyPad(ub<half>(0), g, {1, 6, 0, 0}, {false, 0, 0, 0});
    DataCopyPad(g, ub<half>(0), DataCopyExtParams(1, 6, 0, 0, 0));
    SetAtomicAdd<half>();
    SetAtomicNone();
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    g.SetValue(0, ub<half>(0).GetValue(1) + (half)1);
    DataCacheCleanAndInvalid<half, CacheLine::SINGLE_CACHE_LINE,
                             DcciDst::CACHELINE_OUT>(g);
    LocalMemAllocator<Hardware::UB> allocator;
    auto x = allocator.Alloc<float, 64>();
    x.SetValue(0, (bfloat16_t)x.GetValue(1));
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(0, 100);
    SetMaskNorm();
    ResetMask();
    printf("%d of %f\n", n, (half)0.5);
    assert(n > 0);
    ascendc_assert(n > 0, "n is %d", n);
    CrossCoreSetFlag<2, PIPE_MTE3>(1);
    CrossCoreWaitFlag(2);
  }
  SyncAll<false>();
  PipeBarrier<PIPE_ALL>();
}
