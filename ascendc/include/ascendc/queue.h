//===- queue.h - TPipe, TQue and TBuf -------------------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The managed style of Ascend C: TPipe hands out memory and event ids, TQue
// turns AllocTensor/EnQue/DeQue/FreeTensor into flags. Each buffer keeps its
// two event ids: then a flag is never set again before its last wait is
// through, because the buffer's own hand-over lies between. All state lives in
// these objects, that is on the kernel's stack: several cores run one shared
// object in one process, so nothing here may be global.
//
//===----------------------------------------------------------------------===//

#ifndef ASCENDC_QUEUE_H
#define ASCENDC_QUEUE_H

#include "ascendc/sync.h"

namespace AscendC {

namespace detail {

/// The pipe that fills a tensor at a position, and the pipe that empties it.
constexpr pipe_t producerPipe(TPosition position) {
  switch (position) {
  case TPosition::A1:
  case TPosition::B1:
  case TPosition::C1:
  case TPosition::VECIN:
  case TPosition::TSCM:
  case TPosition::SPM:
    return PIPE_MTE2;
  case TPosition::A2:
  case TPosition::B2:
  case TPosition::C2:
    return PIPE_MTE1;
  case TPosition::CO1:
    return PIPE_M;
  case TPosition::C2PIPE2GM:
    return PIPE_FIX;
  default:
    return PIPE_V;
  }
}
constexpr pipe_t consumerPipe(TPosition position) {
  switch (position) {
  case TPosition::A1:
  case TPosition::B1:
  case TPosition::C1:
  case TPosition::TSCM:
  case TPosition::SPM:
    return PIPE_MTE1;
  case TPosition::A2:
  case TPosition::B2:
  case TPosition::C2:
    return PIPE_M;
  case TPosition::CO1:
  case TPosition::C2PIPE2GM:
    return PIPE_FIX;
  case TPosition::VECOUT:
    return PIPE_MTE3;
  default:
    return PIPE_V;
  }
}

/// An event id that a buffer took at its first use.
struct BufferEvent {
  int8_t id = -1;
  bool isSet = false;
};

ASCENDC_API void dynamicFlag(ascsim::Opcode opcode, pipe_t from, pipe_t to,
                             uint32_t id) {
  ascsim::Instruction instruction(
      opcode, opcode == ascsim::Opcode::SetFlag ? pipeOf(from) : pipeOf(to));
  instruction.cubeFlags = 1; // may use the toolchain's ids 6 and 7
  instruction.flag = {pipeOf(from), pipeOf(to), id, 0};
  [[clang::nomerge]] issue(instruction);
}

} // namespace detail

template <TPosition pos> class TBuf;
template <TPosition src, TPosition dst, int32_t depth, auto mask>
class TQueBind;

class TPipe {
public:
  ASCENDC_API TPipe() { Init(); }
  ASCENDC_API ~TPipe() {
    if (!destroyed)
      Destroy();
  }
  TPipe(const TPipe &) = delete;
  TPipe &operator=(const TPipe &) = delete;

  ASCENDC_API void Init() {
    ascsim_init_soc_state();
    ascsim_set_register(ascsim::Register::PipeObject,
                        reinterpret_cast<uint64_t>(this));
    for (auto &head : heads)
      head = 0;
    for (auto &ids : usedEvents)
      ids = 0;
    pending = 0;
    destroyed = false;
  }
  /// Waits for the flags that freed buffers left behind, then for all pipes.
  ASCENDC_API void Destroy() {
    for (uint32_t i = 0; i < pending; ++i)
      if (pendingEvents[i].event->isSet) {
        detail::dynamicFlag(ascsim::Opcode::WaitFlag, pendingEvents[i].from,
                            pendingEvents[i].to,
                            static_cast<uint32_t>(pendingEvents[i].event->id));
        pendingEvents[i].event->isSet = false;
      }
    PipeBarrier<PIPE_ALL>();
    destroyed = true;
  }
  ASCENDC_API void Reset() {
    Destroy();
    Init();
  }

  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  ASCENDC_API bool InitBuffer(TQueBind<src, dst, depth, mask> &que, uint8_t num,
                              uint32_t len) {
    uint32_t bytes = AlignUp(len, 32);
    que.setUp(
        this, num, bytes,
        allocate(detail::memoryOf(TQueBind<src, dst, depth, mask>::position),
                 bytes * num));
    return true;
  }
  template <TPosition pos>
  ASCENDC_API bool InitBuffer(TBuf<pos> &buf, uint32_t len) {
    uint32_t bytes = AlignUp(len, 32);
    buf.setUp(allocate(detail::memoryOf(pos), bytes), bytes);
    return true;
  }

  template <HardEvent event> ASCENDC_API TEventID AllocEventID() {
    return allocateEvent(static_cast<uint8_t>(event));
  }
  template <HardEvent event> ASCENDC_API void ReleaseEventID(TEventID id) {
    releaseEvent(static_cast<uint8_t>(event), id);
  }
  /// An id that is free at the moment, without taking it.
  template <HardEvent event> ASCENDC_API TEventID FetchEventID() {
    return firstFree(static_cast<uint8_t>(event));
  }
  ASCENDC_API TEventID FetchEventID(HardEvent event) {
    return firstFree(static_cast<uint8_t>(event));
  }

  // Used by TQue.
  ASCENDC_API TEventID allocateEvent(uint8_t pair) {
    TEventID id = firstFree(pair);
    usedEvents[pair] |= uint8_t(1u << id);
    return id;
  }
  ASCENDC_API void releaseEvent(uint8_t pair, TEventID id) {
    usedEvents[pair] &= uint8_t(~(1u << id));
  }
  ASCENDC_API void notePending(pipe_t from, pipe_t to,
                               detail::BufferEvent *event) {
    if (pending == kMaxPending)
      return ascsim_fault("TPipe: more than 64 queue buffers");
    pendingEvents[pending++] = {from, to, event};
  }

private:
  ASCENDC_API TEventID firstFree(uint8_t pair) const {
    for (TEventID id = 0; id < 8; ++id)
      if (!(usedEvents[pair] >> id & 1))
        return id;
    ascsim_fault("TPipe: the eight event ids of a pair of pipes are all taken; "
                 "use fewer "
                 "buffers or queues at this position");
    return 0;
  }
  ASCENDC_API uint32_t allocate(ascsim::Memory memory, uint32_t bytes) {
    uint32_t &head = heads[static_cast<uint8_t>(memory)];
    uint32_t address = head;
    head += bytes;
    return address;
  }

  static constexpr uint32_t kMaxPending = 64;
  struct Pending {
    pipe_t from, to;
    detail::BufferEvent *event;
  };
  Pending pendingEvents[kMaxPending];
  uint32_t pending = 0;
  uint32_t heads[ascsim::kNumMemories + 1];
  uint8_t usedEvents[64];
  bool destroyed = false;
};

ASCENDC_API TPipe *GetTPipePtr() {
  return reinterpret_cast<TPipe *>(
      ascsim_get_register(ascsim::Register::PipeObject));
}

/// A queue of tensors between the pipe that fills and the pipe that empties.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
public:
  static constexpr bool straightThrough =
      src == TPosition::VECIN && dst == TPosition::VECOUT;
  static constexpr TPosition position =
      src == TPosition::GM                              ? dst
      : dst == TPosition::GM || straightThrough || true ? src
                                                        : dst;
  static constexpr pipe_t from = detail::producerPipe(src);
  static constexpr pipe_t to =
      straightThrough ? PIPE_MTE3 : detail::consumerPipe(src);

  template <typename T> ASCENDC_API LocalTensor<T> AllocTensor() {
    for (uint32_t i = 0; i < buffers; ++i) {
      uint32_t slot = (nextFree + i) % buffers;
      if (state[slot] != Free)
        continue;
      nextFree = slot + 1 == buffers ? 0 : slot + 1;
      waitFor(freeEvent[slot], to, from);
      state[slot] = Taken;
      LocalTensor<T> tensor(position, base + slot * bytes,
                            bytes / uint32_t(sizeof(T)));
      tensor.queueSlot = uint8_t(slot);
      return tensor;
    }
    ascsim_fault("TQue::AllocTensor: every buffer of the queue is in use; free "
                 "one first or "
                 "give InitBuffer more");
    return LocalTensor<T>();
  }
  template <typename T> ASCENDC_API bool EnQue(const LocalTensor<T> &tensor) {
    uint32_t slot = slotOf(tensor);
    if (queued >= kMaxBuffers || slot >= buffers)
      ascsim_fault("TQue::EnQue: the tensor is not from this queue, or the "
                   "queue is full");
    set(fullEvent[slot], from, to);
    state[slot] = Queued;
    order[(first + queued) % kMaxBuffers] = uint8_t(slot);
    ++queued;
    return true;
  }
  template <typename T> ASCENDC_API LocalTensor<T> DeQue() {
    if (queued == 0)
      ascsim_fault("TQue::DeQue: the queue is empty");
    uint32_t slot = order[first % kMaxBuffers];
    first = (first + 1) % kMaxBuffers;
    --queued;
    waitFor(fullEvent[slot], from, to);
    state[slot] = Taken;
    LocalTensor<T> tensor(position, base + slot * bytes,
                          bytes / uint32_t(sizeof(T)));
    tensor.queueSlot = uint8_t(slot);
    return tensor;
  }
  template <typename T>
  ASCENDC_API void FreeTensor(const LocalTensor<T> &tensor) {
    uint32_t slot = slotOf(tensor);
    if (slot >= buffers || state[slot] == Free)
      return ascsim_fault(
          "TQue::FreeTensor: the tensor is not a taken one of this queue");
    set(freeEvent[slot], to, from);
    state[slot] = Free;
  }
  template <typename T> ASCENDC_API void AllocTensor(LocalTensor<T> &tensor) {
    tensor = AllocTensor<T>();
  }
  template <typename T> ASCENDC_API void DeQue(LocalTensor<T> &tensor) {
    tensor = DeQue<T>();
  }
  ASCENDC_API bool VacantInQue() const { return queued < buffers; }
  ASCENDC_API bool HasTensorInQue() const { return queued != 0; }
  ASCENDC_API int32_t GetTensorCountInQue() const { return int32_t(queued); }
  ASCENDC_API bool HasIdleBuffer() const {
    for (uint32_t i = 0; i < buffers; ++i)
      if (state[i] == Free)
        return true;
    return false;
  }
  ASCENDC_API void FreeAllEvent() {
    for (uint32_t i = 0; i < buffers; ++i)
      waitFor(freeEvent[i], to, from);
  }

  // Called by TPipe::InitBuffer.
  ASCENDC_API void setUp(TPipe *owner, uint32_t number, uint32_t length,
                         uint32_t address) {
    if (number == 0 || number > kMaxBuffers)
      return ascsim_fault("TPipe::InitBuffer: a queue has 1 to 8 buffers");
    pipe = owner;
    buffers = number;
    bytes = length;
    base = address;
    first = queued = nextFree = 0;
    for (uint32_t i = 0; i < number; ++i) {
      state[i] = Free;
      freeEvent[i] = fullEvent[i] = detail::BufferEvent();
      owner->notePending(to, from, &freeEvent[i]);
    }
  }

private:
  ASCENDC_API void set(detail::BufferEvent &event, pipe_t source,
                       pipe_t destination) {
    if (event.id < 0)
      event.id = pipe->allocateEvent(source * 8 + destination);
    detail::dynamicFlag(ascsim::Opcode::SetFlag, source, destination,
                        uint32_t(event.id));
    event.isSet = true;
  }
  ASCENDC_API void waitFor(detail::BufferEvent &event, pipe_t source,
                           pipe_t destination) {
    if (!event.isSet)
      return;
    detail::dynamicFlag(ascsim::Opcode::WaitFlag, source, destination,
                        uint32_t(event.id));
    event.isSet = false;
  }
  template <typename T>
  ASCENDC_API uint32_t slotOf(const LocalTensor<T> &tensor) const {
    return bytes ? (uint32_t(tensor.GetPhyAddr()) - base) / bytes : kMaxBuffers;
  }
  static constexpr uint32_t kMaxBuffers = 8;
  enum State : uint8_t { Free, Taken, Queued };
  TPipe *pipe = nullptr;
  uint32_t buffers = 0, bytes = 0, base = 0;
  uint32_t first = 0, queued = 0, nextFree = 0;
  uint8_t order[kMaxBuffers];
  State state[kMaxBuffers];
  detail::BufferEvent freeEvent[kMaxBuffers], fullEvent[kMaxBuffers];
};

namespace detail {
/// The other end of a queue that names one position only.
constexpr TPosition defaultDestination(TPosition position) {
  switch (position) {
  case TPosition::A1:
    return TPosition::A2;
  case TPosition::B1:
    return TPosition::B2;
  case TPosition::C1:
    return TPosition::C2;
  case TPosition::CO1:
    return TPosition::CO2;
  case TPosition::VECIN:
    return TPosition::VECCALC;
  default:
    return TPosition::GM;
  }
}
} // namespace detail

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue
    : public TQueBind<pos, detail::defaultDestination(pos), depth, mask> {};

template <TPosition pos = TPosition::LCM> class TBuf {
public:
  template <typename T> ASCENDC_API LocalTensor<T> Get() const {
    return LocalTensor<T>(pos, base, bytes / uint32_t(sizeof(T)));
  }
  template <typename T> ASCENDC_API LocalTensor<T> Get(uint32_t len) const {
    return LocalTensor<T>(pos, base, len);
  }
  template <typename T>
  ASCENDC_API LocalTensor<T> GetWithOffset(uint32_t size,
                                           uint32_t byteOffset) const {
    return LocalTensor<T>(pos, base + byteOffset, size);
  }
  ASCENDC_API uint32_t GetBufLen() const { return bytes; }

  // Called by TPipe::InitBuffer.
  ASCENDC_API void setUp(uint32_t address, uint32_t length) {
    base = address;
    bytes = length;
  }

private:
  uint32_t base = 0, bytes = 0;
};

} // namespace AscendC

#endif // ASCENDC_QUEUE_H
