//===- base.h - Types, qualifiers and enumerations of Ascend C ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The vocabulary of the public Ascend C API, for the host. Includes no standard
// header: each would cost compile time in every kernel.
//
// Every API function is inlined and carries no debug information of its own, so
// that the call into the simulator belongs to the user's source line.
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_BASE_H
#define ASCENDC_BASE_H

#include "ascsim/instruction.h"

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INTPTR_TYPE__ intptr_t;

typedef _Float16 half;
typedef __bf16 bfloat16_t;

#define __global__ __attribute__((visibility("default"), used))
#define __aicore__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __sync_alias__
#define __vector__
#define __cube__
#define __mix__(...)
#define __schedmode__(...)
#define __kfc_workspace__

#define GM_ADDR __gm__ uint8_t *

/// Marks every function of these headers.
#define ASCENDC_API                                                            \
  inline __attribute__((always_inline, nodebug, visibility("hidden")))

// Which core's program this compilation is: one of the two macros is given on
// the command line.
#if !defined(__DAV_C220_CUBE__) && !defined(__DAV_C220_VEC__)
#error                                                                         \
    "choose the core: compile with -D__DAV_C220_CUBE__ or -D__DAV_C220_VEC__ (ascc --core aic|aiv)"
#endif
#define __NPU_ARCH__ 2201
#define __CCE_AICORE__ 220

enum pipe_t : uint8_t {
  PIPE_S = 0,
  PIPE_V = 1,
  PIPE_M = 2,
  PIPE_MTE1 = 3,
  PIPE_MTE2 = 4,
  PIPE_MTE3 = 5,
  PIPE_FIX = 6,
  PIPE_ALL = 7
};

enum event_t : int32_t {
  EVENT_ID0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7
};

/// Conversions of the Fixpipe unit (the values are those of QuantMode).
enum QuantMode_t : uint8_t {
  NoQuant,
  F322F16,
  F322BF16,
  DEQF16,
  VDEQF16,
  QF322B8_PRE,
  VQF322B8_PRE,
  REQ8,
  VREQ8
};

// Kernel types, for KERNEL_TASK_TYPE_DEFAULT.
enum KernelMetaType : uint32_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
  KERNEL_TYPE_AICORE,
  KERNEL_TYPE_VECTORCORE,
  KERNEL_TYPE_MIX_AICORE,
  KERNEL_TYPE_MIX_VECTOR_CORE,
  KERNEL_TYPE_MAX
};

extern "C" {
extern const ascsim::KernelNote __start_ascsim_kernels[]
    __attribute__((weak, visibility("hidden")));
extern const ascsim::KernelNote __stop_ascsim_kernels[]
    __attribute__((weak, visibility("hidden")));
/// The kernel types noted in this shared object; how many goes to `count`.
__attribute__((weak, visibility("default"))) inline const ascsim::KernelNote *
ascsim_kernel_notes(unsigned long *count) {
  *count = static_cast<unsigned long>(__stop_ascsim_kernels -
                                      __start_ascsim_kernels);
  return __start_ascsim_kernels;
}
}

/// States in the body of a kernel which cores it runs on.
#define KERNEL_TASK_TYPE_DEFAULT(kernelType)                                   \
  __attribute__((used,                                                         \
                 section("ascsim_kernels"))) static const ascsim::KernelNote   \
      ascsimKernelNote = {__func__, kernelType};                               \
  (void)&ascsim_kernel_notes
#define KERNEL_TASK_TYPE(key, kernelType) KERNEL_TASK_TYPE_DEFAULT(kernelType)

namespace AscendC {

using TEventID = int8_t;

constexpr int AIC = 1, AIV = 2, MIX = 0;

#if defined(__DAV_C220_CUBE__)
constexpr int g_coreType = AIC;
#else
constexpr int g_coreType = AIV;
#endif
#define ASCEND_IS_AIC constexpr(AscendC::g_coreType == AscendC::AIC)
#define ASCEND_IS_AIV constexpr(AscendC::g_coreType == AscendC::AIV)
#define ASCEND_IS_NOT_AIC constexpr(AscendC::g_coreType != AscendC::AIC)
#define ASCEND_IS_NOT_AIV constexpr(AscendC::g_coreType != AscendC::AIV)

constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr uint32_t DEFAULT_C0_SIZE = 32;
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr uint32_t DEFAULT_BLK_NUM = 8;
constexpr uint32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint32_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint32_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint32_t BLOCK_CUBE = 16;
constexpr uint32_t MAX_REPEAT_TIMES = 255;
constexpr uint64_t MASK_PLACEHOLDER = 0;

/// Logical positions of tensors.
enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  MAX
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

/// The value of an event is its pair of pipes: source * 8 + destination.
enum class HardEvent : uint8_t {
#define ASCENDC_EVENT(from, to) from##_##to = PIPE_##from * 8 + PIPE_##to
  ASCENDC_EVENT(MTE2, MTE1),
  ASCENDC_EVENT(MTE1, MTE2),
  ASCENDC_EVENT(MTE1, M),
  ASCENDC_EVENT(M, MTE1),
  ASCENDC_EVENT(MTE3, MTE1),
  ASCENDC_EVENT(MTE1, MTE3),
  ASCENDC_EVENT(MTE2, M),
  ASCENDC_EVENT(M, MTE2),
  ASCENDC_EVENT(M, FIX),
  ASCENDC_EVENT(FIX, M),
  ASCENDC_EVENT(MTE2, V),
  ASCENDC_EVENT(V, MTE2),
  ASCENDC_EVENT(MTE3, V),
  ASCENDC_EVENT(V, MTE3),
  ASCENDC_EVENT(V, V),
  ASCENDC_EVENT(M, V),
  ASCENDC_EVENT(V, M),
  ASCENDC_EVENT(MTE1, V),
  ASCENDC_EVENT(V, MTE1),
  ASCENDC_EVENT(MTE3, MTE2),
  ASCENDC_EVENT(MTE2, MTE3),
  ASCENDC_EVENT(S, V),
  ASCENDC_EVENT(V, S),
  ASCENDC_EVENT(S, MTE2),
  ASCENDC_EVENT(MTE2, S),
  ASCENDC_EVENT(S, MTE3),
  ASCENDC_EVENT(MTE3, S),
  ASCENDC_EVENT(MTE2, FIX),
  ASCENDC_EVENT(FIX, MTE2),
  ASCENDC_EVENT(FIX, S),
  ASCENDC_EVENT(M, S),
  ASCENDC_EVENT(FIX, MTE3),
  ASCENDC_EVENT(MTE1, FIX),
  ASCENDC_EVENT(FIX, MTE1),
  ASCENDC_EVENT(FIX, FIX),
#undef ASCENDC_EVENT
  MAX
};

enum class RoundMode : uint8_t {
  CAST_NONE,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD
};
enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t {
  VSEL_CMPMASK_SPR,
  VSEL_TENSOR_SCALAR_MODE,
  VSEL_TENSOR_TENSOR_MODE
};
enum class ReduceOrder : uint8_t {
  ORDER_VALUE_INDEX,
  ORDER_INDEX_VALUE,
  ORDER_ONLY_VALUE,
  ORDER_ONLY_INDEX
};
enum class ReduceType : uint8_t { SUM, MAX, MIN };
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class CacheMode : uint8_t { CACHE_MODE_DISABLE, CACHE_MODE_NORMAL };
enum class CacheRwMode : uint8_t { READ, WRITE, RW };
enum class CacheLine : uint8_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint8_t {
  CACHELINE_ALL,
  CACHELINE_UB,
  CACHELINE_OUT,
  CACHELINE_ATOMIC
};
enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };
enum class HF32Mode : uint8_t { DISABLE, ENABLE };
enum class HF32TransMode : uint8_t { NEAREST_ZERO, NEAREST_EVEN };

/// Signed 4-bit integers, two to a byte, low half first.
struct int4b_t {
  uint8_t storage;
};

namespace detail {

template <typename A, typename B> constexpr bool isSame = false;
template <typename A> constexpr bool isSame<A, A> = true;
template <typename T, typename... List>
constexpr bool isOneOf = (isSame<T, List> || ...);

template <typename T> struct Bare {
  using Type = T;
};
template <typename T> struct Bare<const T> {
  using Type = T;
};
template <typename T> struct Bare<T &> {
  using Type = T;
};
template <typename T> struct Bare<const T &> {
  using Type = T;
};
template <typename T> struct Bare<T &&> {
  using Type = T;
};

template <bool condition, typename T = void> struct EnableIf {};
template <typename T> struct EnableIf<true, T> {
  using Type = T;
};

template <typename T>
constexpr ascsim::DataType dataTypeOf = ascsim::DataType::None;
#define ASCENDC_TYPE(cpp, name)                                                \
  template <>                                                                  \
  inline constexpr ascsim::DataType dataTypeOf<cpp> = ascsim::DataType::name;
ASCENDC_TYPE(half, F16)
ASCENDC_TYPE(bfloat16_t, BF16)
ASCENDC_TYPE(float, F32)
ASCENDC_TYPE(double, F64)
ASCENDC_TYPE(int8_t, I8)
ASCENDC_TYPE(uint8_t, U8)
ASCENDC_TYPE(int16_t, I16)
ASCENDC_TYPE(uint16_t, U16)
ASCENDC_TYPE(int32_t, I32)
ASCENDC_TYPE(uint32_t, U32)
ASCENDC_TYPE(int64_t, I64)
ASCENDC_TYPE(uint64_t, U64)
ASCENDC_TYPE(int4b_t, I4)
#undef ASCENDC_TYPE

/// Bits of one element in the low end of a 64-bit word.
template <typename T> ASCENDC_API uint64_t bitsOf(T value) {
  if constexpr (sizeof(T) == 1)
    return __builtin_bit_cast(uint8_t, value);
  else if constexpr (sizeof(T) == 2)
    return __builtin_bit_cast(uint16_t, value);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(uint32_t, value);
  else
    return __builtin_bit_cast(uint64_t, value);
}

template <typename T> ASCENDC_API T fromBits(uint64_t bits) {
  if constexpr (sizeof(T) == 1)
    return __builtin_bit_cast(T, static_cast<uint8_t>(bits));
  else if constexpr (sizeof(T) == 2)
    return __builtin_bit_cast(T, static_cast<uint16_t>(bits));
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(T, static_cast<uint32_t>(bits));
  else
    return __builtin_bit_cast(T, bits);
}

constexpr ascsim::Memory memoryOf(TPosition position) {
  switch (position) {
  case TPosition::A1:
  case TPosition::B1:
  case TPosition::C1:
  case TPosition::SPM:
  case TPosition::TSCM:
    return ascsim::Memory::L1;
  case TPosition::A2:
    return ascsim::Memory::L0A;
  case TPosition::B2:
    return ascsim::Memory::L0B;
  case TPosition::C2:
    return ascsim::Memory::BT;
  case TPosition::CO1:
    return ascsim::Memory::L0C;
  case TPosition::VECIN:
  case TPosition::VECOUT:
  case TPosition::VECCALC:
    return ascsim::Memory::UB;
  case TPosition::C2PIPE2GM:
    return ascsim::Memory::FB;
  case TPosition::GM:
  case TPosition::CO2:
  case TPosition::MAX:
    return ascsim::Memory::GM;
  }
  return ascsim::Memory::None;
}

constexpr ascsim::Pipe pipeOf(pipe_t pipe) {
  return static_cast<ascsim::Pipe>(pipe);
}

/// The only call into the simulator; never merged with another, because its
/// return address is the user's line.
ASCENDC_API void issue(const ascsim::Instruction &instruction) {
  [[clang::nomerge]] ascsim_issue(&instruction);
}

} // namespace detail

/// ceil(value / divisor)
ASCENDC_API uint32_t DivCeil(uint32_t value, uint32_t divisor) {
  return divisor ? (value + divisor - 1) / divisor : 0;
}
ASCENDC_API uint32_t AlignUp(uint32_t value, uint32_t alignment) {
  return DivCeil(value, alignment) * alignment;
}

} // namespace AscendC

#endif // ASCENDC_BASE_H
