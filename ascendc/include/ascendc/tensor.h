//===- tensor.h - GlobalTensor and LocalTensor ----------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_TENSOR_H
#define ASCENDC_TENSOR_H

#include "ascendc/base.h"

namespace AscendC {

template <typename T> class GlobalTensor {
public:
  using PrimType = T;

  ASCENDC_API void SetGlobalBuffer(__gm__ T *buffer, uint64_t bufferSize) {
    base = reinterpret_cast<uint64_t>(buffer);
    elements = bufferSize;
  }
  ASCENDC_API void SetGlobalBuffer(__gm__ T *buffer) {
    SetGlobalBuffer(buffer, 0);
  }
  ASCENDC_API const __gm__ T *GetPhyAddr() const {
    return reinterpret_cast<const T *>(base);
  }
  ASCENDC_API const __gm__ T *GetPhyAddr(uint64_t offset) const {
    return reinterpret_cast<const T *>(byteAddress(offset));
  }
  ASCENDC_API uint64_t GetSize() const { return elements; }
  ASCENDC_API GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor result = *this;
    result.base = byteAddress(offset);
    result.elements = elements > offset ? elements - offset : 0;
    return result;
  }
  /// Scalar access through the data cache of the core.
  ASCENDC_API T GetValue(uint64_t offset) const {
    ascsim::Operand operand = (*this)[offset].operand();
    [[clang::nomerge]] return detail::fromBits<T>(ascsim_load(&operand));
  }
  ASCENDC_API T operator()(uint64_t offset) const { return GetValue(offset); }
  ASCENDC_API void SetValue(uint64_t offset, T value) const {
    ascsim::Operand operand = (*this)[offset].operand();
    [[clang::nomerge]] ascsim_store(&operand, detail::bitsOf(value));
  }
  template <CacheRwMode rwMode = CacheRwMode::RW>
  ASCENDC_API void SetL2CacheHint(CacheMode mode) {
    bypassL2 = mode == CacheMode::CACHE_MODE_DISABLE;
  }

  ASCENDC_API ascsim::Operand operand() const {
    return {base, ascsim::Memory::GM, detail::dataTypeOf<T>, bypassL2};
  }

private:
  ASCENDC_API uint64_t byteAddress(uint64_t offset) const {
    if constexpr (detail::isSame<T, int4b_t>)
      return base + offset / 2;
    else
      return base + offset * sizeof(T);
  }

  uint64_t base = 0;
  uint64_t elements = 0;
  bool bypassL2 = false;
};

/// A tensor in an on-chip memory: an address there, not a pointer.
template <typename T> class LocalTensor {
public:
  using PrimType = T;

  LocalTensor() = default;
  /// Static-tensor style: byte address inside the memory of `position`, and
  /// the number of elements.
  ASCENDC_API LocalTensor(TPosition position, uint32_t address, uint32_t size)
      : byteAddress(address), elements(size), logicPosition(position) {}
  ASCENDC_API explicit LocalTensor(uint32_t address)
      : byteAddress(address), logicPosition(TPosition::VECCALC) {}

  ASCENDC_API uint64_t GetPhyAddr() const { return byteAddress; }
  ASCENDC_API uint64_t GetPhyAddr(uint32_t offset) const {
    return byteAddress + bytesOf(offset);
  }
  ASCENDC_API TPosition GetPosition() const { return logicPosition; }
  ASCENDC_API uint32_t GetSize() const { return elements; }
  ASCENDC_API uint32_t GetLength() const { return bytesOf(elements); }
  ASCENDC_API void SetSize(uint32_t size) { elements = size; }
  ASCENDC_API void SetBufferLen(uint32_t size) { elements = size; }

  ASCENDC_API LocalTensor operator[](uint32_t offset) const {
    LocalTensor result = *this;
    result.byteAddress = byteAddress + bytesOf(offset);
    result.elements = elements > offset ? elements - offset : 0;
    return result;
  }
  template <typename U> ASCENDC_API LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> result;
    result.byteAddress = byteAddress;
    if constexpr (detail::isSame<U, int4b_t>)
      result.elements = GetLength() * 2;
    else
      result.elements = GetLength() / sizeof(U);
    result.logicPosition = logicPosition;
    result.queueSlot = queueSlot;
    return result;
  }
  template <typename U>
  ASCENDC_API void SetAddrWithOffset(LocalTensor<U> &source, uint32_t offset) {
    *this = source.template ReinterpretCast<T>();
    byteAddress = static_cast<uint32_t>(source.GetPhyAddr()) +
                  offset * static_cast<uint32_t>(sizeof(U));
  }
  ASCENDC_API void SetUserTag(int32_t tag) { userTag = tag; }
  ASCENDC_API int32_t GetUserTag() const { return userTag; }

  /// Scalar access: the scalar unit waits for nothing but itself.
  ASCENDC_API T GetValue(uint32_t index) const {
    checkIndex(index, false);
    ascsim::Operand operand = (*this)[index].operand();
    [[clang::nomerge]] return detail::fromBits<T>(ascsim_load(&operand));
  }
  ASCENDC_API T operator()(uint32_t index) const { return GetValue(index); }
  ASCENDC_API void SetValue(uint32_t index, T value) const {
    checkIndex(index, true);
    ascsim::Operand operand = (*this)[index].operand();
    [[clang::nomerge]] ascsim_store(&operand, detail::bitsOf(value));
  }

  ASCENDC_API ascsim::Operand operand() const {
    return {byteAddress, detail::memoryOf(logicPosition), detail::dataTypeOf<T>,
            false};
  }

  // Bookkeeping of TQue; not part of the public API.
  uint32_t byteAddress = 0;
  uint32_t elements = 0;
  TPosition logicPosition = TPosition::VECCALC;
  uint8_t queueSlot = 0xFF;
  int32_t userTag = 0;

private:
  /// A tensor made from an address alone has no known size.
  ASCENDC_API void checkIndex(uint32_t index, bool isWrite) const {
    if (elements != 0 && index >= elements) [[unlikely]] {
      ascsim::Operand tensor = operand();
      [[clang::nomerge]] ascsim_outside(&tensor, index, elements, isWrite);
    }
  }
  static ASCENDC_API uint32_t bytesOf(uint32_t count) {
    if constexpr (detail::isSame<T, int4b_t>)
      return count / 2;
    else
      return count * static_cast<uint32_t>(sizeof(T));
  }
};

/// Hands out addresses of one memory in the order of the requests.
template <Hardware hardware = Hardware::UB> class LocalMemAllocator {
public:
  ASCENDC_API uint32_t GetCurAddr() const { return head; }
  template <TPosition position, typename T, uint32_t tileSize>
  ASCENDC_API LocalTensor<T> Alloc() {
    return Alloc<position, T>(tileSize);
  }
  template <TPosition position, typename T>
  ASCENDC_API LocalTensor<T> Alloc(uint32_t tileSize) {
    LocalTensor<T> tensor(position, head, tileSize);
    head += AlignUp(tensor.GetLength(), alignmentOfMemory);
    return tensor;
  }
  template <typename T, uint32_t tileSize> ASCENDC_API LocalTensor<T> Alloc() {
    return Alloc<defaultPosition, T>(tileSize);
  }
  template <typename T> ASCENDC_API LocalTensor<T> Alloc(uint32_t tileSize) {
    return Alloc<defaultPosition, T>(tileSize);
  }

private:
  static constexpr uint32_t alignmentOfMemory =
      hardware == Hardware::L0A || hardware == Hardware::L0B ? 512
      : hardware == Hardware::L0C                            ? 1024
      : hardware == Hardware::BIAS                           ? 64
                                                             : 32;
  static constexpr TPosition defaultPosition =
      hardware == Hardware::UB       ? TPosition::VECCALC
      : hardware == Hardware::L1     ? TPosition::A1
      : hardware == Hardware::L0A    ? TPosition::A2
      : hardware == Hardware::L0B    ? TPosition::B2
      : hardware == Hardware::L0C    ? TPosition::CO1
      : hardware == Hardware::BIAS   ? TPosition::C2
      : hardware == Hardware::FIXBUF ? TPosition::C2PIPE2GM
                                     : TPosition::GM;
  uint32_t head = 0;
};

} // namespace AscendC

#endif // ASCENDC_TENSOR_H
