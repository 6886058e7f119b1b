//===- VerifySyncPlaces.cpp - Which bytes instructions touch --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifySyncPlaces.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verifysync;

static constexpr int64_t kUnknownLength = int64_t(1) << 40;

//===-- Meeting ----------------------------------------------------------===//

/// Walks both lists of rows upwards.
static bool stretchesMeet(const Stretch &first, const Stretch &second) {
  if (first.length <= 0 || second.length <= 0)
    return false;
  int64_t i = 0, j = 0;
  while (i < first.rows && j < second.rows) {
    int64_t a = first.begin + i * first.pitch;
    int64_t b = second.begin + j * second.pitch;
    if (a + first.length <= b)
      ++i;
    else if (b + second.length <= a)
      ++j;
    else
      return true;
  }
  return false;
}

bool verifysync::mayMeet(const Place &first, const Place &second) {
  if (first.space != second.space || first.high <= second.low ||
      second.high <= first.low)
    return false;
  if (first.tag != second.tag)
    return true;
  for (const Stretch &a : first.stretches)
    for (const Stretch &b : second.stretches)
      if (stretchesMeet(a, b))
        return true;
  return false;
}

//===-- What an operand covers -------------------------------------------===//

static std::optional<int64_t> literal(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

static int64_t elementSize(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Lanes of `repetitions` in 32-byte blocks that lie `blockStep` blocks apart.
static void cover(SmallVectorImpl<Stretch> &stretches, int64_t size,
                  int64_t lanes, int64_t blockStep, int64_t repetitions,
                  int64_t repetitionStep) {
  int64_t bytes = lanes * size;
  int64_t pitch = repetitionStep * 32;
  if (blockStep == 0)
    bytes = std::min<int64_t>(bytes, 32);
  if (bytes <= 32 || blockStep == 1) {
    stretches.push_back({0, bytes, repetitions, pitch});
    return;
  }
  for (int64_t done = 0; done < bytes; done += 32)
    stretches.push_back({done * blockStep, 32, repetitions, pitch});
}

namespace {
/// Which operand of a vector instruction a value is.
enum class Role { Target, First, Second };
} // namespace

/// Covers an operand of an instruction with count or repeat form.
template <typename Op>
static void coverLanes(Op op, Value operand, Role role, bool ignoresMask,
                       SmallVectorImpl<Stretch> &stretches) {
  int64_t size = elementSize(operand);
  if (!op.getRepeat()) {
    stretches.push_back({0, static_cast<int64_t>(*op.getCount()) * size});
    return;
  }
  RepeatAttr form = *op.getRepeat();
  int64_t lanes = ignoresMask ? 256 / size : form.getMask();
  if (role == Role::Target)
    cover(stretches, size, lanes, form.getDstBlock(), form.getCount(),
          form.getDstRepeat());
  else if (role == Role::First)
    cover(stretches, size, lanes, form.getSrc0Block(), form.getCount(),
          form.getSrc0Repeat());
  else
    cover(stretches, size, lanes, form.getSrc1Block(), form.getCount(),
          form.getSrc1Repeat());
}

/// Covers bits, one per lane of elements of `size` bytes.
template <typename Op>
static void coverBits(Op op, int64_t size,
                      SmallVectorImpl<Stretch> &stretches) {
  int64_t lanes = op.getRepeat() ? op.getRepeat()->getCount() * (256 / size)
                                 : static_cast<int64_t>(*op.getCount());
  stretches.push_back({0, (lanes + 7) / 8});
}

static void coverReduce(ReduceOp op, bool isTarget,
                        SmallVectorImpl<Stretch> &stretches) {
  int64_t size = elementSize(op.getSource());
  int64_t repetitions = op.getRepeats();
  if (isTarget) {
    int64_t bytes = size;
    if (op.getForm() == ReduceForm::Block)
      bytes = 8 * size;
    else if (op.getForm() == ReduceForm::Pair)
      bytes = 128;
    stretches.push_back({0, bytes, repetitions,
                         static_cast<int64_t>(op.getDstRepeat()) * bytes});
    return;
  }
  ArrayRef<int64_t> words = op.getLanes();
  int64_t lanes = words[0];
  if (words.size() == 2) {
    // Up to the highest bit that is set.
    auto used = [](int64_t word) {
      return 64 - static_cast<int64_t>(
                      llvm::countl_zero(static_cast<uint64_t>(word)));
    };
    lanes = words[1] ? 64 + used(words[1]) : used(words[0]);
  }
  cover(stretches, size, lanes, op.getSrcBlock(), repetitions,
        op.getSrcRepeat());
}

/// What an operand of a vector instruction covers, from its start on; nothing
/// for other instructions.
static SmallVector<Stretch, 1> coverage(Operation *op, OpOperand &operand) {
  SmallVector<Stretch, 1> stretches;
  Value value = operand.get();
  auto isAt = [&](OpOperand &other) {
    return other.getOperandNumber() == operand.getOperandNumber();
  };
  auto plain = [&](auto op) {
    bool isTarget = isAt(op.getDestinationMutable());
    coverLanes(op, value, isTarget ? Role::Target : Role::First, false,
               stretches);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](UnaryOp op) { plain(op); })
      .Case([&](CastOp op) { plain(op); })
      .Case([&](ScalarOp op) { plain(op); })
      .Case([&](DuplicateOp op) { plain(op); })
      .Case([&](BinaryOp op) {
        coverLanes(op, value,
                   isAt(op.getDestinationMutable()) ? Role::Target
                   : isAt(op.getLhsMutable())       ? Role::First
                                                    : Role::Second,
                   false, stretches);
      })
      .Case([&](CompareOp op) {
        if (isAt(op.getDestinationMutable()))
          coverBits(op, elementSize(op.getLhs()), stretches);
        else
          coverLanes(op, value,
                     isAt(op.getLhsMutable()) ? Role::First : Role::Second,
                     true, stretches);
      })
      .Case([&](CompareScalarOp op) {
        if (isAt(op.getDestinationMutable()))
          coverBits(op, elementSize(op.getSource()), stretches);
        else
          coverLanes(op, value, Role::First, true, stretches);
      })
      .Case([&](SelectOp op) {
        if (isAt(op.getMaskMutable()))
          coverBits(op, elementSize(op.getDestination()), stretches);
        else
          coverLanes(op, value,
                     isAt(op.getDestinationMutable())  ? Role::Target
                     : isAt(op.getTrueSourceMutable()) ? Role::First
                                                       : Role::Second,
                     false, stretches);
      })
      .Case([&](BroadcastOp op) {
        int64_t count = op.getCount();
        stretches.push_back({0, isAt(op.getDestinationMutable())
                                    ? count * 32
                                    : count * elementSize(value)});
      })
      .Case([&](VectorIndexOp op) {
        stretches.push_back(
            {0, static_cast<int64_t>(op.getCount()) * elementSize(value)});
      })
      .Case([&](ReduceOp op) {
        coverReduce(op, isAt(op.getDestinationMutable()), stretches);
      });
  return stretches;
}

//===-- Operands ---------------------------------------------------------===//

/// The way from a view to its buffer, and what is covered behind it.
Places::Operand Places::operandOf(const RegionAccess &access,
                                  SmallVector<Stretch, 1> stretches) {
  Operand operand;
  operand.access = access;
  operand.stretches = std::move(stretches);
  if (operand.stretches.empty()) {
    auto type = cast<MemRefType>(access.target.getType());
    operand.stretches.push_back(
        {0, type.hasStaticShape()
                ? type.getNumElements() * elementSize(access.target)
                : kUnknownLength});
  }
  Value root = access.target;
  for (; auto view = root.getDefiningOp<ViewOp>(); root = view.getSource()) {
    if (view.getRing() && !operand.slotView)
      operand.slotView = view;
    if (!view.getOffset())
      continue;
    int64_t size = elementSize(view.getSource());
    if (auto constant = literal(view.getOffset()))
      operand.start += *constant * size;
    else
      operand.offsets.push_back({view.getOffset(), size});
  }
  operand.root = root;
  operand.isFixed = operand.offsets.empty() && root.getDefiningOp<AllocOp>();
  return operand;
}

uint32_t Places::describe(Operation *op) {
  SmallVector<RegionAccess> accesses;
  cast<RegionAccessOpInterface>(op).getRegionAccesses(accesses);
  SmallVector<Operand, 3> result;
  // One value may be several operands, each with strides of its own.
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    SmallVector<Stretch, 1> stretches = coverage(op, operand);
    if (stretches.empty())
      break;
    bool isTarget = operand.getOperandNumber() == 0;
    const auto *access =
        llvm::find_if(accesses, [&](const RegionAccess &found) {
          return found.target == operand.get() && found.writes() == isTarget;
        });
    assert(access != accesses.end() && "a vector instruction writes its first "
                                       "operand and reads the others");
    result.push_back(operandOf(*access, std::move(stretches)));
  }
  if (result.empty())
    for (const RegionAccess &access : accesses)
      result.push_back(operandOf(access, {}));
  instructions.push_back({op, std::move(result)});
  return static_cast<uint32_t>(instructions.size() - 1);
}

/// A bound of an extent that is not known as a number.
static int64_t atMost(Value value) {
  if (auto number = literal(value))
    return *number;
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::MinSIOp, arith::MinUIOp>(op))
    return std::min(atMost(op->getOperand(0)), atMost(op->getOperand(1)));
  if (isa_and_present<arith::MaxSIOp, arith::MaxUIOp>(op))
    return std::max(atMost(op->getOperand(0)), atMost(op->getOperand(1)));
  if (isa_and_present<arith::SelectOp>(op))
    return std::max(atMost(op->getOperand(1)), atMost(op->getOperand(2)));
  return kUnknownLength;
}

/// Narrows a place that starts at the view of a global buffer to the rows that
/// a transfer or the scalar unit touches.
static void limitToRows(Operation *op, Value buffer, TouchContext &context,
                        Place &place) {
  int64_t element = elementSize(buffer);
  Stretch &bytes = place.stretches.front();
  auto shift = [&](Value offset) {
    Number number = context.evaluate(offset);
    bytes.begin += number.value * element;
    place.tag += number.tag * element;
  };
  auto rows = [&](auto access) {
    shift(access.getOffset());
    Number columns = context.evaluate(access.getColumns());
    Number count = context.evaluate(access.getRows());
    Number stride = context.evaluate(access.getStride());
    // Where an extent is not known, its bound is: transfers are clipped.
    bytes.length = columns.tag ? atMost(access.getColumns()) : columns.value;
    bytes.length *= element;
    bytes.rows = count.tag ? atMost(access.getRows()) : count.value;
    bytes.pitch = stride.value * element;
    if (stride.tag || bytes.length >= kUnknownLength ||
        bytes.rows >= kUnknownLength) {
      bytes.length = kUnknownLength;
      bytes.rows = 1;
    }
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LoadOp load) { rows(load); })
      .Case([&](StoreOp store) { rows(store); })
      .Case([&](Nd2NzOp load) { rows(load); })
      .Case([&](FixpipeOp store) { rows(store); })
      .Case([&](GetValueOp get) {
        shift(get.getOffset());
        bytes.length = element;
      })
      .Case([&](SetValueOp set) {
        shift(set.getOffset());
        bytes.length = element;
      });
}

Place Places::placeOf(Operation *op, const Operand &operand, int64_t slot,
                      TouchContext &context) {
  Place place;
  int64_t start = operand.start;
  for (auto [value, scale] : operand.offsets) {
    Number offset = context.evaluate(value);
    start += offset.value * scale;
    place.tag += offset.tag * scale;
  }
  place.stretches = operand.stretches;
  if (auto alloc = operand.root.getDefiningOp<AllocOp>()) {
    place.low = alloc.getAddress().value_or(0) + slot * alloc.getVersionBytes();
    place.high = place.low + alloc.getVersionBytes();
    start += place.low;
    uint64_t name = static_cast<uint64_t>(alloc.getMemory());
    if (!alloc.getAddress()) // not planned yet: a space of its own
      name = reinterpret_cast<uintptr_t>(alloc.getOperation());
    place.space = {context.core, name, 0};
  } else if (auto workspace = operand.root.getDefiningOp<WorkspaceOp>()) {
    limitToRows(op, operand.access.target, context, place);
    place.space = {2, workspace.getId(), slot};
  } else {
    limitToRows(op, operand.access.target, context, place);
    // Blocks of the grid do not depend on each other.
    place.space = {3, cast<BlockArgument>(operand.root).getArgNumber(),
                   context.gridIteration};
  }
  for (Stretch &stretch : place.stretches)
    stretch.begin += start;
  return place;
}

void Places::touch(uint32_t instruction, TouchContext &context,
                   std::vector<Touch> &touches) {
  auto &[op, operands] = instructions[instruction];
  for (Operand &operand : operands) {
    size_t slot = operand.slotView ? context.slotOf(operand.slotView) : 0;
    int64_t found = -1;
    if (operand.isFixed) {
      if (operand.fixed.size() <= slot)
        operand.fixed.resize(slot + 1, -1);
      found = operand.fixed[slot];
    }
    if (found < 0) {
      found = number(placeOf(op, operand, static_cast<int64_t>(slot), context));
      if (operand.isFixed)
        operand.fixed[slot] = found;
    }
    touches.push_back({static_cast<uint32_t>(found), operand.access.reads(),
                       operand.access.writes()});
  }
}

//===-- Numbers of places ------------------------------------------------===//

static uint64_t hashOf(const Place &place) {
  llvm::hash_code hash =
      llvm::hash_combine(std::get<0>(place.space), std::get<1>(place.space),
                         std::get<2>(place.space), place.low, place.tag);
  for (const Stretch &stretch : place.stretches)
    hash = llvm::hash_combine(hash, stretch.begin, stretch.length, stretch.rows,
                              stretch.pitch);
  return hash;
}

uint32_t Places::number(Place place) {
  SmallVector<uint32_t, 1> &same = byHash[hashOf(place) >> 2];
  for (uint32_t candidate : same)
    if (places[candidate] == place)
      return candidate;
  auto number = static_cast<uint32_t>(places.size());
  same.push_back(number);
  meetings.emplace_back();
  if (mayMeet(place, place))
    meetings[number].push_back(number);
  Area *home = nullptr;
  std::vector<Area> &neighbours = areas[place.space];
  for (Area &area : neighbours) {
    if (area.low == place.low && area.high == place.high)
      home = &area;
    if (area.high <= place.low || place.high <= area.low)
      continue;
    for (uint32_t other : area.members)
      if (mayMeet(places[other], place)) {
        meetings[number].push_back(other);
        meetings[other].push_back(number);
      }
  }
  if (!home)
    home = &neighbours.emplace_back(Area{place.low, place.high, {}});
  home->members.push_back(number);
  places.push_back(std::move(place));
  return number;
}
