//===- sync.h - Flags, barriers, core ids and state registers -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_SYNC_H
#define ASCENDC_SYNC_H

#include "ascendc/tensor.h"

namespace AscendC {

namespace detail {
ASCENDC_API void setRegister(ascsim::Register which, uint64_t value) {
  ascsim_set_register(which, value);
}

template <HardEvent event>
ASCENDC_API void issueFlag(ascsim::Opcode opcode, int32_t id) {
  constexpr auto source =
      static_cast<ascsim::Pipe>(static_cast<uint8_t>(event) / 8);
  constexpr auto destination =
      static_cast<ascsim::Pipe>(static_cast<uint8_t>(event) % 8);
  ascsim::Instruction instruction(
      opcode, opcode == ascsim::Opcode::SetFlag ? source : destination);
  instruction.flag = {source, destination, static_cast<uint32_t>(id), 0};
  [[clang::nomerge]] issue(instruction);
}

ASCENDC_API void issueCross(ascsim::Opcode opcode, pipe_t pipe, uint8_t mode,
                            uint32_t id, bool reserved) {
  ascsim::Instruction instruction(opcode, pipeOf(pipe));
  instruction.cubeFlags = reserved;
  instruction.flag = {pipeOf(pipe), pipeOf(pipe), id, mode};
  [[clang::nomerge]] issue(instruction);
}
} // namespace detail

template <HardEvent event> ASCENDC_API void SetFlag(int32_t eventID) {
  static_assert(event < HardEvent::MAX, "SetFlag: not an event");
  detail::issueFlag<event>(ascsim::Opcode::SetFlag, eventID);
}
template <HardEvent event> ASCENDC_API void WaitFlag(int32_t eventID) {
  static_assert(event < HardEvent::MAX, "WaitFlag: not an event");
  detail::issueFlag<event>(ascsim::Opcode::WaitFlag, eventID);
}
template <pipe_t pipe> ASCENDC_API void PipeBarrier() {
  static_assert(pipe != PIPE_S, "PipeBarrier: PIPE_S is in order by itself");
  ascsim::Instruction instruction(ascsim::Opcode::PipeBarrier,
                                  detail::pipeOf(pipe));
  [[clang::nomerge]] detail::issue(instruction);
}
template <MemDsbT arg> ASCENDC_API void DataSyncBarrier() {
  // The scalar unit of the model performs its memory accesses in order.
}

template <uint8_t modeId, pipe_t pipe>
ASCENDC_API void CrossCoreSetFlag(uint16_t flagId) {
  static_assert(modeId <= 2,
                "CrossCoreSetFlag: modes 0, 1 and 2 exist on this chip");
  static_assert(
      pipe != PIPE_S && pipe != PIPE_ALL,
      "CrossCoreSetFlag: the pipe must be V, M, MTE1, MTE2, MTE3 or FIX");
  detail::issueCross(ascsim::Opcode::CrossCoreSet, pipe, modeId, flagId, false);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
ASCENDC_API void CrossCoreWaitFlag(uint16_t flagId) {
  static_assert(modeId <= 2,
                "CrossCoreWaitFlag: modes 0, 1 and 2 exist on this chip");
  detail::issueCross(ascsim::Opcode::CrossCoreWait, pipe, modeId, flagId,
                     false);
}

/// All cores of the grid meet (hardware form; flags 11 to 14).
template <bool isAIVOnly = true> ASCENDC_API void SyncAll() {
  PipeBarrier<PIPE_ALL>();
  constexpr auto set = ascsim::Opcode::CrossCoreSet;
  constexpr auto wait = ascsim::Opcode::CrossCoreWait;
  if constexpr (isAIVOnly) {
    detail::issueCross(set, PIPE_MTE3, 0, 14, true);
    detail::issueCross(wait, PIPE_S, 0, 14, true);
  } else if constexpr (g_coreType == AIC) {
    detail::issueCross(wait, PIPE_S, 2, 13, true);
    detail::issueCross(set, PIPE_FIX, 0, 11, true);
    detail::issueCross(wait, PIPE_S, 0, 11, true);
    detail::issueCross(set, PIPE_FIX, 2, 12, true);
  } else {
    detail::issueCross(set, PIPE_MTE3, 2, 13, true);
    detail::issueCross(wait, PIPE_S, 2, 12, true);
  }
}

// Where this program runs.
ASCENDC_API int64_t GetBlockIdx() {
  return ascsim_query(ascsim::Query::BlockIdx);
}
ASCENDC_API int64_t GetBlockNum() {
  return ascsim_query(ascsim::Query::BlockNum);
}
ASCENDC_API int64_t GetSubBlockIdx() {
  return ascsim_query(ascsim::Query::SubBlockIdx);
}
ASCENDC_API int64_t GetSubBlockNum() {
  return ascsim_query(ascsim::Query::TaskRatio);
}
ASCENDC_API int64_t GetTaskRation() {
  return ascsim_query(ascsim::Query::TaskRatio);
}
ASCENDC_API int64_t GetTaskRatio() {
  return ascsim_query(ascsim::Query::TaskRatio);
}
ASCENDC_API int64_t GetSystemCycle() {
  return ascsim_query(ascsim::Query::SystemCycle);
}

/// First statement of a kernel in static-tensor style.
ASCENDC_API void InitSocState() { ascsim_init_soc_state(); }

// State registers: sampled when an instruction is issued; they persist.
ASCENDC_API void SetMaskCount() {
  detail::setRegister(ascsim::Register::MaskMode, 1);
}
ASCENDC_API void SetMaskNorm() {
  detail::setRegister(ascsim::Register::MaskMode, 0);
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
ASCENDC_API void SetVectorMask(uint64_t maskHigh, uint64_t maskLow) {
  detail::setRegister(ascsim::Register::MaskHigh, maskHigh);
  detail::setRegister(ascsim::Register::MaskLow, maskLow);
}
namespace detail {
/// Low and high word of the mask of the first `count` lanes.
ASCENDC_API uint64_t lowMask(uint64_t count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}
ASCENDC_API uint64_t highMask(uint64_t count) {
  return count > 64 ? lowMask(count - 64) : 0;
}
} // namespace detail
template <typename T, MaskMode mode = MaskMode::NORMAL>
ASCENDC_API void SetVectorMask(int32_t length) {
  if constexpr (mode == MaskMode::COUNTER)
    SetVectorMask<T, mode>(0, static_cast<uint64_t>(length));
  else
    SetVectorMask<T, mode>(detail::highMask(static_cast<uint64_t>(length)),
                           detail::lowMask(static_cast<uint64_t>(length)));
}
ASCENDC_API void ResetMask() {
  SetVectorMask<half>(~uint64_t(0), ~uint64_t(0));
}

namespace detail {
template <typename T> ASCENDC_API void setAtomic(uint64_t mode) {
  static_assert(isOneOf<T, float, half, int16_t, int32_t, int8_t, bfloat16_t>,
                "atomic stores exist for float, half, bfloat16_t, int32_t, "
                "int16_t and int8_t");
  setRegister(ascsim::Register::AtomicType,
              static_cast<uint64_t>(dataTypeOf<T>));
  setRegister(ascsim::Register::AtomicMode, mode);
}
} // namespace detail
template <typename T> ASCENDC_API void SetAtomicAdd() {
  detail::setAtomic<T>(1);
}
template <typename T> ASCENDC_API void SetAtomicMax() {
  detail::setAtomic<T>(2);
}
template <typename T> ASCENDC_API void SetAtomicMin() {
  detail::setAtomic<T>(3);
}
ASCENDC_API void SetAtomicNone() {
  detail::setRegister(ascsim::Register::AtomicMode, 0);
}
ASCENDC_API void DisableDmaAtomic() { SetAtomicNone(); }

ASCENDC_API void SetDeqScale(half scale) {
  detail::setRegister(ascsim::Register::DeqScale, detail::bitsOf(scale));
}
template <typename T, TPosition position = TPosition::MAX>
ASCENDC_API void SetPadValue(T value) {
  detail::setRegister(ascsim::Register::PadValue, detail::bitsOf(value));
}
ASCENDC_API void SetHF32Mode(bool enable) {
  detail::setRegister(
      ascsim::Register::Hf32,
      (ascsim_get_register(ascsim::Register::Hf32) & ~uint64_t(1)) | enable);
}
ASCENDC_API void SetHF32Mode(HF32Mode mode) {
  SetHF32Mode(mode == HF32Mode::ENABLE);
}
/// True: halves round towards zero; false: to nearest even.
ASCENDC_API void SetHF32TransMode(bool towardsZero) {
  detail::setRegister(
      ascsim::Register::Hf32,
      (ascsim_get_register(ascsim::Register::Hf32) & ~uint64_t(2)) |
          (towardsZero ? 2 : 0));
}
ASCENDC_API void SetHF32TransMode(HF32TransMode mode) {
  SetHF32TransMode(mode == HF32TransMode::NEAREST_ZERO);
}
template <int8_t startBit, int8_t endBit>
ASCENDC_API void SetCtrlSpr(int64_t value) {
  static_assert(startBit >= 0 && startBit <= endBit && endBit < 64,
                "SetCtrlSpr: bad bit range");
  constexpr uint64_t width = endBit - startBit + 1;
  constexpr uint64_t mask =
      (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1) << startBit;
  uint64_t old = ascsim_get_register(ascsim::Register::Ctrl);
  detail::setRegister(ascsim::Register::Ctrl,
                      (old & ~mask) |
                          ((static_cast<uint64_t>(value) << startBit) & mask));
}
template <int8_t startBit, int8_t endBit> ASCENDC_API int64_t GetCtrlSpr() {
  constexpr uint64_t width = endBit - startBit + 1;
  uint64_t value = ascsim_get_register(ascsim::Register::Ctrl) >> startBit;
  return static_cast<int64_t>(
      width == 64 ? value : value & ((uint64_t(1) << width) - 1));
}
// Order in which Mmad and Fixpipe walk L0C under a unit flag; the result is the
// same.
ASCENDC_API void SetMMColumnMajor() {}
ASCENDC_API void SetMMRowMajor() {}

ASCENDC_API void SetSyncBaseAddr(uint64_t config) {
  detail::setRegister(ascsim::Register::SyncBase, config);
}

template <typename T, CacheLine entireType,
          DcciDst dcciDst = DcciDst::CACHELINE_ALL>
ASCENDC_API void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst) {
  ascsim::Operand operand = dst.operand();
  [[clang::nomerge]] ascsim_cache_clean(
      &operand, entireType == CacheLine::ENTIRE_DATA_CACHE);
}
template <typename T, CacheLine entireType,
          DcciDst dcciDst = DcciDst::CACHELINE_ALL>
ASCENDC_API void DataCacheCleanAndInvalid(const LocalTensor<T> &dst) {
  ascsim::Operand operand = dst.operand();
  [[clang::nomerge]] ascsim_cache_clean(
      &operand, entireType == CacheLine::ENTIRE_DATA_CACHE);
}
ASCENDC_API void ICachePreLoad(const int64_t preFetchLen) {}

} // namespace AscendC

#endif // ASCENDC_SYNC_H
