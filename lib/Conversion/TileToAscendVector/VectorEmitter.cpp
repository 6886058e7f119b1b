//===- VectorEmitter.cpp - From vector programs to operations -------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Three forms of an instruction: a count of contiguous elements where all
// operands are whole tiles; one instruction for each chunk of 256 bytes of the
// columns, repeated over the rows, where strides allow; else one for each row.
//
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilelang::vectorcore {

using ascend::UnaryFunction;

/// Limits of the repeat form.
static constexpr int64_t kRepeatBytes = 256;
static constexpr int64_t kBlockBytes = 32;
static constexpr int64_t kMaxRepeats = 255;
static constexpr int64_t kMaxStride = 255;

void ProgramEmitter::emit() {
  for (const Assignment::Slot &slot : assignment.slots) {
    Type element = laneType(builder.getContext(), slot.lane);
    slots.push_back(context.allocateScratch(location, element,
                                            slot.bytes / laneBytes(slot.lane)));
  }
  for (const Instruction &op : program.instructions)
    if (isSharedConstant(op, program))
      constants[op.destination] =
          context.constantBlock(location, op.scalar.constant, op.lane);
  emitLoops(0);
}

void ProgramEmitter::emitLoops(unsigned depth) {
  if (depth < geometry.outer.size()) {
    Value zero = arith::ConstantIndexOp::create(builder, location, 0);
    Value one = arith::ConstantIndexOp::create(builder, location, 1);
    Value extent = arith::ConstantIndexOp::create(builder, location,
                                                  geometry.outer[depth]);
    auto loop = scf::ForOp::create(builder, location, zero, extent, one);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    outerIndices.push_back(loop.getInductionVar());
    emitLoops(depth + 1);
    outerIndices.pop_back();
    return;
  }
  SmallVector<Value> iteration;
  for (const DimensionRole &role : geometry.roles) {
    Value index;
    if (role.kind == DimensionRole::Kind::Unit)
      index = arith::ConstantIndexOp::create(builder, location, 0);
    else if (role.kind == DimensionRole::Kind::Outer)
      index = outerIndices[role.position];
    iteration.push_back(index);
  }
  scalars.setIteration(iteration);
  for (const Instruction &op : program.instructions)
    if (!constants.contains(op.destination))
      emitInstruction(op);
}

int64_t ProgramEmitter::columnsOf(const Instruction &op) const {
  bool isOutput = assignment.slotOf[op.destination] == Assignment::kOutput;
  return isOutput && !geometry.padded ? geometry.columns
                                      : llvm::alignTo(geometry.columns, 8);
}

int64_t ProgramEmitter::elementsOf(const Instruction &op) const {
  switch (program.registers[op.destination].shape) {
  case Shape::Full:
    return geometry.rows == 1 ? columnsOf(op) : geometry.rows * geometry.pitch;
  case Shape::Row:
    return columnsOf(op);
  case Shape::Column:
    return llvm::alignTo(geometry.rows, 8);
  default:
    llvm_unreachable("blocks and points have no count");
  }
}

Lane ProgramEmitter::accessLane(const Instruction &op, unsigned index) const {
  bool isDestination = index == 0;
  if (isDestination && op.opcode == Opcode::Cast)
    return program.registers[op.destination].lane;
  if (isDestination &&
      (op.opcode == Opcode::Compare || op.opcode == Opcode::CompareScalar))
    return Lane::Mask;
  if (index == 1 && op.opcode == Opcode::Select)
    return Lane::Mask;
  return op.lane;
}

//===-- Places and views -------------------------------------------------===//

ProgramEmitter::Place ProgramEmitter::placeOf(const OperandAccess &access) {
  Place place;
  place.base = context.storageOf(access.buffer);
  place.constant = access.constant;
  auto add = [&](Value value, int64_t factor) {
    if (factor == 0)
      return;
    if (factor != 1)
      value = arith::MulIOp::create(
          builder, location, value,
          arith::ConstantIndexOp::create(builder, location, factor));
    place.offset = place.offset ? arith::AddIOp::create(builder, location,
                                                        place.offset, value)
                                      .getResult()
                                : value;
  };
  for (auto [value, factor] : access.terms)
    add(value, factor);
  for (auto [index, stride] :
       llvm::zip_equal(outerIndices, access.outerStrides))
    add(index, stride);
  place.rowStride = access.rowStride;
  place.lane = access.lane;
  place.shape = access.shape;
  place.dense = access.dense;
  return place;
}

ProgramEmitter::Place ProgramEmitter::placeOf(int reg) {
  const Register &info = program.registers[reg];
  if (info.input >= 0)
    return placeOf(geometry.inputs[info.input]);
  int slot = assignment.slotOf[reg];
  Place place;
  if (auto constant = constants.find(reg); constant != constants.end()) {
    place.base = constant->second;
    place.lane = info.lane;
    place.shape = info.shape;
    return place;
  }
  if (slot == Assignment::kOutput) {
    place = placeOf(geometry.output);
    place.lane = info.lane;
    place.shape = info.shape;
    return place;
  }
  place.base = slots[slot];
  place.rowStride = geometry.pitch;
  place.lane = info.lane;
  place.shape = info.shape;
  return place;
}

Value ProgramEmitter::view(const Place &place, Lane lane, int64_t skip,
                           int64_t count, Value row) {
  auto baseType = cast<MemRefType>(place.base.getType());
  int64_t baseBytes = storageBytes(baseType.getElementType());
  int64_t bytes = laneBytes(place.lane);
  int64_t constant = (place.constant + skip) * bytes / baseBytes;
  Type element = laneType(builder.getContext(), lane);
  // Signed integers and their signless form are one type for instructions.
  Type baseElement = baseType.getElementType();
  bool sameElement = element == baseElement;

  Value offset = place.offset;
  if (row) {
    int64_t stride = 0;
    if (place.shape == Shape::Full)
      stride = place.rowStride * bytes / baseBytes;
    else if (place.shape == Shape::Blocks)
      stride = kBlockBytes / baseBytes;
    if (stride != 0) {
      Value distance = arith::MulIOp::create(
          builder, location, row,
          arith::ConstantIndexOp::create(builder, location, stride));
      offset = offset
                   ? arith::AddIOp::create(builder, location, offset, distance)
                         .getResult()
                   : distance;
    }
  }
  if (offset && constant != 0)
    offset = arith::AddIOp::create(
        builder, location, offset,
        arith::ConstantIndexOp::create(builder, location, constant));
  else if (!offset && constant != 0)
    offset = arith::ConstantIndexOp::create(builder, location, constant);

  if (!offset && sameElement && baseType.getNumElements() == count)
    return place.base;
  auto type = MemRefType::get({count}, element, MemRefLayoutAttrInterface(),
                              baseType.getMemorySpace());
  return ascend::ViewOp::create(builder, location, type, place.base, Value(),
                                offset);
}

//===-- Instructions -----------------------------------------------------===//

Value ProgramEmitter::scalarOf(const Instruction &op) {
  return scalars.get(op.scalar, laneScalarType(builder.getContext(), op.lane));
}

void ProgramEmitter::create(const Instruction &op, ValueRange operands,
                            std::optional<int64_t> count,
                            ascend::RepeatAttr repeat) {
  IntegerAttr countAttr =
      count ? builder.getI64IntegerAttr(*count) : IntegerAttr();
  switch (op.opcode) {
  case Opcode::Unary:
    ascend::UnaryOp::create(builder, location,
                            static_cast<UnaryFunction>(op.function),
                            operands[0], operands[1], countAttr, repeat);
    return;
  case Opcode::Binary:
    ascend::BinaryOp::create(
        builder, location, static_cast<ascend::BinaryFunction>(op.function),
        operands[0], operands[1], operands[2], countAttr, repeat);
    return;
  case Opcode::Scalar:
    ascend::ScalarOp::create(
        builder, location, static_cast<ascend::ScalarFunction>(op.function),
        operands[0], operands[1], scalarOf(op), countAttr, repeat);
    return;
  case Opcode::Cast:
    ascend::CastOp::create(builder, location,
                           static_cast<ascend::CastRounding>(op.function),
                           operands[0], operands[1], countAttr, repeat);
    return;
  case Opcode::Duplicate:
    ascend::DuplicateOp::create(builder, location, operands[0], scalarOf(op),
                                countAttr, repeat);
    return;
  case Opcode::Compare:
    ascend::CompareOp::create(
        builder, location, static_cast<ascend::CompareMode>(op.function),
        operands[0], operands[1], operands[2], countAttr, repeat);
    return;
  case Opcode::CompareScalar:
    ascend::CompareScalarOp::create(
        builder, location, static_cast<ascend::CompareMode>(op.function),
        operands[0], operands[1], scalarOf(op), countAttr, repeat);
    return;
  case Opcode::Select:
    ascend::SelectOp::create(builder, location, operands[0], operands[1],
                             operands[2], operands[3], countAttr, repeat);
    return;
  case Opcode::Index:
    ascend::VectorIndexOp::create(builder, location, operands[0], scalarOf(op),
                                  countAttr);
    return;
  case Opcode::Broadcast:
    ascend::BroadcastOp::create(builder, location, operands[0], operands[1],
                                countAttr);
    return;
  }
  llvm_unreachable("unknown opcode");
}

void ProgramEmitter::emitInstruction(const Instruction &op) {
  const Register &destination = program.registers[op.destination];
  switch (op.opcode) {
  case Opcode::Compare:
  case Opcode::CompareScalar:
  case Opcode::Select:
  case Opcode::Index:
  case Opcode::Broadcast:
    return emitWholeRegister(op);
  default:
    break;
  }
  // Bits read in another width are read as whole registers.
  bool reinterprets = op.opcode != Opcode::Cast &&
                      (destination.lane == Lane::Mask ||
                       laneBytes(op.lane) != laneBytes(destination.lane));
  if (reinterprets)
    return emitWholeRegister(op);
  emitElementwise(op);
}

void ProgramEmitter::emitWholeRegister(const Instruction &op) {
  const Register &destination = program.registers[op.destination];
  int64_t count;
  if (op.opcode == Opcode::Broadcast) {
    count =
        destination.shape == Shape::Point ? 8 : llvm::alignTo(geometry.rows, 8);
  } else if (op.opcode == Opcode::Index) {
    count = elementsOf(op);
  } else if (op.opcode == Opcode::Compare ||
             op.opcode == Opcode::CompareScalar ||
             op.opcode == Opcode::Select) {
    count = llvm::alignTo(elementsOf(op), kRepeatBytes / laneBytes(op.lane));
  } else if (destination.lane == Lane::Mask) {
    count = llvm::alignTo(elementsOf(op), kStorageMultiple) / 16;
  } else {
    int64_t elements = destination.shape == Shape::Point
                           ? kBlockBytes / laneBytes(destination.lane)
                           : elementsOf(op);
    count = llvm::divideCeil(elements * laneBytes(destination.lane),
                             laneBytes(op.lane));
  }
  SmallVector<Value> operands;
  auto add = [&](int reg, unsigned index) {
    Lane lane = accessLane(op, index);
    int64_t elements = count;
    if (lane == Lane::Mask)
      elements = count / 8;
    else if (op.opcode == Opcode::Broadcast && index == 0)
      elements = count * (kBlockBytes / laneBytes(lane));
    operands.push_back(view(placeOf(reg), lane, 0, elements));
  };
  add(op.destination, 0);
  for (auto [index, source] : llvm::enumerate(op.sources))
    add(source, index + 1);
  create(op, operands, count, {});
}

void ProgramEmitter::emitElementwise(const Instruction &op) {
  SmallVector<Place> places{placeOf(op.destination)};
  for (int source : op.sources)
    places.push_back(placeOf(source));
  Shape shape = places.front().shape;
  bool isCopy = op.opcode == Opcode::Unary &&
                op.function == static_cast<uint32_t>(UnaryFunction::Copy);

  bool hasPoint = false, contiguous = true;
  for (const Place &place : places) {
    hasPoint |= place.shape == Shape::Point && shape != Shape::Point;
    if (place.shape != Shape::Point)
      contiguous &= place.dense && place.shape == shape;
  }
  if (contiguous) {
    int64_t width = laneBytes(op.lane), widest = 1;
    for (unsigned index = 0; index < places.size(); ++index)
      widest = std::max(widest, laneBytes(accessLane(op, index)));
    int64_t count =
        shape == Shape::Point ? kBlockBytes / widest : elementsOf(op);
    if (hasPoint)
      return emitFlatRepeats(op, places, count);
    bool whole = !isCopy || count * width % kBlockBytes == 0;
    // A copy moves blocks of 32 bytes; what lies behind may be overwritten in
    // temporaries and padding.
    bool isOutput = assignment.slotOf[op.destination] == Assignment::kOutput;
    if (!whole && (!isOutput || geometry.padded)) {
      count = llvm::alignTo(count, kBlockBytes / width);
      whole = true;
    }
    if (!whole)
      return emitFlatRepeats(op, places, count);
    SmallVector<Value> operands;
    for (auto [index, place] : llvm::enumerate(places))
      operands.push_back(view(place, accessLane(op, index), 0, count));
    return create(op, operands, count, {});
  }

  int64_t width = 0;
  bool stridesFit = true, hasBlocks = false;
  for (auto [index, place] : llvm::enumerate(places)) {
    int64_t bytes = laneBytes(accessLane(op, index));
    width = std::max(width, bytes);
    if (place.shape == Shape::Full)
      stridesFit &= place.rowStride * bytes / kBlockBytes <= kMaxStride;
    hasBlocks |= place.shape == Shape::Blocks || place.shape == Shape::Point;
  }
  int64_t chunks = llvm::divideCeil(columnsOf(op) * width, kRepeatBytes);
  int64_t byChunk = chunks * llvm::divideCeil(geometry.rows, kMaxRepeats);
  int64_t byRow =
      geometry.rows * (hasBlocks ? llvm::divideCeil(chunks, kMaxRepeats) : 1);
  if (stridesFit && byChunk <= byRow)
    return emitChunks(op, places);
  emitRows(op, places);
}

/// Contiguous elements, where operands that are one block are repeated.
void ProgramEmitter::emitFlatRepeats(const Instruction &op,
                                     ArrayRef<Place> places, int64_t count) {
  emitRepeatedRow(op, places, count, {});
}

/// `count` contiguous elements of a row; blocks and points repeat.
void ProgramEmitter::emitRepeatedRow(const Instruction &op,
                                     ArrayRef<Place> places, int64_t count,
                                     Value row) {
  int64_t width = 0;
  for (unsigned index = 0; index < places.size(); ++index)
    width = std::max(width, laneBytes(accessLane(op, index)));
  int64_t perRepeat = kRepeatBytes / width;
  for (int64_t start = 0; start < count;) {
    int64_t rest = count - start;
    int64_t repeats = std::clamp<int64_t>(rest / perRepeat, 1, kMaxRepeats);
    int64_t mask = std::min(rest, perRepeat);
    int64_t elements = std::min(rest, repeats * perRepeat);
    SmallVector<Value> operands;
    int64_t block[3] = {0, 0, 0}, repeat[3] = {0, 0, 0};
    for (auto [index, place] : llvm::enumerate(places)) {
      Lane lane = accessLane(op, index);
      if (place.shape == Shape::Blocks || place.shape == Shape::Point) {
        operands.push_back(
            view(place, lane, 0, kBlockBytes / laneBytes(lane), row));
        continue;
      }
      block[index] = 1;
      repeat[index] = perRepeat * laneBytes(lane) / kBlockBytes;
      operands.push_back(view(place, lane, start, elements, row));
    }
    create(op, operands, {},
           ascend::RepeatAttr::get(builder.getContext(), mask, repeats,
                                   block[0], repeat[0], block[1], repeat[1],
                                   block[2], repeat[2]));
    start += elements;
  }
}

void ProgramEmitter::emitChunks(const Instruction &op, ArrayRef<Place> places) {
  int64_t width = 0;
  for (unsigned index = 0; index < places.size(); ++index)
    width = std::max(width, laneBytes(accessLane(op, index)));
  int64_t perRepeat = kRepeatBytes / width;
  for (int64_t column = 0; column < columnsOf(op); column += perRepeat) {
    int64_t mask = std::min(perRepeat, columnsOf(op) - column);
    for (int64_t row = 0; row < geometry.rows; row += kMaxRepeats) {
      int64_t repeats = std::min(kMaxRepeats, geometry.rows - row);
      SmallVector<Value> operands;
      int64_t block[3] = {0, 0, 0}, repeat[3] = {0, 0, 0};
      for (auto [index, place] : llvm::enumerate(places)) {
        Lane lane = accessLane(op, index);
        int64_t bytes = laneBytes(lane);
        int64_t blockElements = kBlockBytes / bytes;
        switch (place.shape) {
        case Shape::Full:
          block[index] = 1;
          repeat[index] = place.rowStride * bytes / kBlockBytes;
          operands.push_back(view(place, lane, row * place.rowStride + column,
                                  (repeats - 1) * place.rowStride + mask));
          break;
        case Shape::Row:
          block[index] = 1;
          operands.push_back(view(place, lane, column, mask));
          break;
        case Shape::Blocks:
          repeat[index] = 1;
          operands.push_back(
              view(place, lane, row * blockElements, repeats * blockElements));
          break;
        case Shape::Point:
          operands.push_back(view(place, lane, 0, blockElements));
          break;
        case Shape::Column:
          llvm_unreachable("columns are broadcast to blocks first");
        }
      }
      create(op, operands, {},
             ascend::RepeatAttr::get(builder.getContext(), mask, repeats,
                                     block[0], repeat[0], block[1], repeat[1],
                                     block[2], repeat[2]));
    }
  }
}

void ProgramEmitter::emitRows(const Instruction &op, ArrayRef<Place> places) {
  if (geometry.rows == 1)
    return emitRow(op, places, {});
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  Value one = arith::ConstantIndexOp::create(builder, location, 1);
  Value rows = arith::ConstantIndexOp::create(builder, location, geometry.rows);
  // Scalars do not change from row to row.
  if (op.scalar.value)
    scalarOf(op);
  auto loop = scf::ForOp::create(builder, location, zero, rows, one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitRow(op, places, loop.getInductionVar());
}

void ProgramEmitter::emitRow(const Instruction &op, ArrayRef<Place> places,
                             Value row) {
  int64_t count = columnsOf(op);
  bool isCopy = op.opcode == Opcode::Unary &&
                op.function == static_cast<uint32_t>(UnaryFunction::Copy);
  bool repeats = isCopy && count * laneBytes(op.lane) % kBlockBytes != 0;
  for (const Place &place : places)
    repeats |= place.shape == Shape::Blocks || place.shape == Shape::Point;
  if (repeats)
    return emitRepeatedRow(op, places, count, row);
  SmallVector<Value> operands;
  for (auto [index, place] : llvm::enumerate(places))
    operands.push_back(view(place, accessLane(op, index), 0, count, row));
  create(op, operands, count, {});
}

} // namespace tilelang::vectorcore
