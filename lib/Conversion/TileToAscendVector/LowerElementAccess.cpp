//===- LowerElementAccess.cpp - Single elements and scalars of bodies -----===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorContext.h"
#include "VectorProgram.h"

#include "tilelang/Dialect/Ascend/IR/GlobalShape.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"

#include <cmath>

using namespace mlir;

namespace tilelang::vectorcore {

Value VectorContext::allocateTemporary(Location location, Type element,
                                       int64_t elements) {
  OpBuilder builder(allocationPoint);
  auto type =
      MemRefType::get({elements}, element, MemRefLayoutAttrInterface(),
                      ascend::MemoryKindAttr::get(builder.getContext(),
                                                  ascend::MemoryKind::UB));
  std::string name = "temporary" + std::to_string(temporaries++);
  return ascend::AllocOp::create(builder, location, type, name, /*versions=*/1,
                                 /*address=*/IntegerAttr(), /*temporary=*/true);
}

static bool isGlobal(Value buffer) {
  return ascend::memoryOf(buffer) == ascend::MemoryKind::GM;
}

/// UB is addressed in blocks.
static constexpr int64_t kBlockBytes = 32;

static Value indexConstant(OpBuilder &builder, Location location,
                           int64_t value) {
  return arith::ConstantIndexOp::create(builder, location, value);
}

Value linearOffset(OpBuilder &builder, Location location,
                   const VectorContext &context, Value buffer,
                   ValueRange indices) {
  SmallVector<OpFoldResult> strides;
  if (isGlobal(buffer))
    strides = ascend::globalShapeOf(buffer).strides;
  else
    for (int64_t stride :
         context.layouts.of(cast<MemRefType>(buffer.getType())).strides)
      strides.push_back(builder.getIndexAttr(stride));
  Value offset;
  int64_t constant = 0;
  for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
    std::optional<int64_t> known = constantOf(index);
    std::optional<int64_t> factor = getConstantIntValue(stride);
    if ((known && *known == 0) || (factor && *factor == 0))
      continue;
    if (known && factor) {
      constant += *known * *factor;
      continue;
    }
    Value part = ascend::scaled(builder, location, index, stride);
    offset =
        offset
            ? arith::AddIOp::create(builder, location, offset, part).getResult()
            : part;
  }
  if (!offset)
    return indexConstant(builder, location, constant);
  if (constant == 0)
    return offset;
  return arith::AddIOp::create(builder, location, offset,
                               indexConstant(builder, location, constant));
}

Value isInside(OpBuilder &builder, Location location, Value buffer,
               ValueRange indices) {
  SmallVector<OpFoldResult> sizes = ascend::globalShapeOf(buffer).sizes;
  Value inside;
  auto require = [&](arith::CmpIPredicate predicate, Value index,
                     OpFoldResult bound) {
    Value condition =
        arith::CmpIOp::create(builder, location, predicate, index,
                              ascend::asValue(builder, location, bound));
    inside = inside
                 ? arith::AndIOp::create(builder, location, inside, condition)
                       .getResult()
                 : condition;
  };
  for (auto [index, size] : llvm::zip_equal(indices, sizes)) {
    IndexInterval bounds = boundsOf(index);
    if (!bounds.lower || *bounds.lower < 0)
      require(arith::CmpIPredicate::sge, index, builder.getIndexAttr(0));
    std::optional<int64_t> extent = getConstantIntValue(size);
    if (!extent || !bounds.upper || *bounds.upper >= *extent)
      require(arith::CmpIPredicate::slt, index, size);
  }
  return inside;
}

/// Truth values are bytes in memory.
static Value asBytes(OpBuilder &builder, Location location, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.getElementType().isInteger(1))
    return buffer;
  auto bytes =
      MemRefType::get(type.getShape(), storageType(type.getElementType()),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return ascend::ViewOp::create(builder, location, bytes, buffer, Value(),
                                Value());
}

Value readElement(OpBuilder &builder, Location location,
                  const VectorContext &context, Value buffer,
                  ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  Value inside =
      isGlobal(buffer) ? isInside(builder, location, buffer, indices) : Value();
  Value offset = linearOffset(builder, location, context, buffer, indices);
  if (inside)
    offset = arith::SelectOp::create(builder, location, inside, offset,
                                     indexConstant(builder, location, 0));
  Type scalar = tile::getScalarType(storageType(type.getElementType()));
  Value source = asBytes(builder, location, context.storageOf(buffer));
  Value result =
      ascend::GetValueOp::create(builder, location, scalar, source, offset);
  Value zero;
  auto makeZero = [&] {
    return arith::ConstantOp::create(builder, location,
                                     builder.getZeroAttr(result.getType()));
  };
  if (type.getElementType().isInteger(1)) {
    zero = makeZero();
    result = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne,
                                   result, zero);
  }
  if (inside)
    result =
        arith::SelectOp::create(builder, location, inside, result, makeZero());
  return result;
}

/// A DMA of one element. What the scalar unit writes to global memory goes
/// through its cache, whose lines destroy what others wrote beside the element.
static void storeElement(OpBuilder &builder, Location location,
                         VectorContext &context, Value value, Value target,
                         Value offset, bool isAtomic) {
  Type element = cast<MemRefType>(target.getType()).getElementType();
  Value block = context.allocateTemporary(location, element,
                                          kBlockBytes / storageBytes(element));
  Value zero = indexConstant(builder, location, 0);
  Value one = indexConstant(builder, location, 1);
  ascend::SetValueOp::create(builder, location, value, block, zero);
  ascend::StoreOp::create(builder, location, block, target, offset, one, one,
                          one, isAtomic);
}

void writeElement(OpBuilder &builder, Location location, VectorContext &context,
                  Value value, Value buffer, ValueRange indices,
                  bool isAtomic) {
  Value inside =
      isGlobal(buffer) ? isInside(builder, location, buffer, indices) : Value();
  OpBuilder::InsertionGuard guard(builder);
  if (inside) {
    auto branch = scf::IfOp::create(builder, location, inside, false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  Value offset = linearOffset(builder, location, context, buffer, indices);
  if (value.getType().isInteger(1))
    value =
        arith::ExtUIOp::create(builder, location, builder.getI8Type(), value);
  Value target = asBytes(builder, location, context.storageOf(buffer));
  if (isGlobal(buffer))
    storeElement(builder, location, context, value, target, offset, isAtomic);
  else
    ascend::SetValueOp::create(builder, location, value, target, offset);
}

LogicalResult verifyAtomicAddition(Operation *op, Value tensor) {
  Type element = cast<MemRefType>(tensor.getType()).getElementType();
  if (ascend::canAddAtomically(element))
    return success();
  return op->emitError()
         << "unsupported: adding to " << tile::describeBuffer(tensor)
         << " atomically: this chip has no atomic addition of type " << element
         << "; use float32, float16, bfloat16, int32, int16 or int8";
}

//===-- Casts of scalars -------------------------------------------------===//

static Value floatNumber(OpBuilder &builder, Location location, Type type,
                         double value) {
  return arith::ConstantOp::create(builder, location,
                                   builder.getFloatAttr(type, value));
}

Value lowerScalarCast(OpBuilder &builder, tile::CastOp op, Value source) {
  Location location = op.getLoc();
  Type from = source.getType(), to = op.getResult().getType();
  if (from == to)
    return source;
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if ((fromFloat && fromFloat.getWidth() < 16) ||
      (toFloat && toFloat.getWidth() < 16))
    return {};
  bool nearest = op.getRounding() == tile::Rounding::Default ||
                 op.getRounding() == tile::Rounding::NearestEven;
  if (fromFloat && toFloat) {
    if (!nearest || op.getSaturate())
      return {};
    if (fromFloat.getWidth() == toFloat.getWidth()) {
      source = arith::ExtFOp::create(builder, location, builder.getF32Type(),
                                     source);
      return arith::TruncFOp::create(builder, location, to, source);
    }
    if (fromFloat.getWidth() < toFloat.getWidth())
      return arith::ExtFOp::create(builder, location, to, source);
    return arith::TruncFOp::create(builder, location, to, source);
  }
  if (fromFloat) {
    bool toZero = op.getRounding() == tile::Rounding::Default ||
                  op.getRounding() == tile::Rounding::TowardZero;
    unsigned bits = to.getIntOrFloatBitWidth();
    Value isNumber = arith::CmpFOp::create(
        builder, location, arith::CmpFPredicate::OEQ, source, source);
    if (bits == 1) {
      Value zero = floatNumber(builder, location, from, 0.0);
      return arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNE,
                                   source, zero);
    }
    if (!toZero || !from.isF32() || bits > 32)
      return {};
    // The limits as floats that convert without overflow.
    bool isUnsigned = op.getDstUnsigned();
    double low = isUnsigned ? 0.0 : -std::ldexp(1.0, bits - 1);
    double high = std::ldexp(1.0, isUnsigned ? bits : bits - 1);
    high =
        bits < 24 ? high - 1 : high - std::ldexp(1.0, bits - 24 - !isUnsigned);
    Value number =
        arith::SelectOp::create(builder, location, isNumber, source,
                                floatNumber(builder, location, from, 0.0));
    number = arith::MaximumFOp::create(
        builder, location, number, floatNumber(builder, location, from, low));
    number = arith::MinimumFOp::create(
        builder, location, number, floatNumber(builder, location, from, high));
    if (isUnsigned)
      return arith::FPToUIOp::create(builder, location, to, number);
    return arith::FPToSIOp::create(builder, location, to, number);
  }
  if (toFloat) {
    if (!nearest)
      return {};
    if (op.getSrcUnsigned() || from.isInteger(1))
      return arith::UIToFPOp::create(builder, location, to, source);
    return arith::SIToFPOp::create(builder, location, to, source);
  }
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = to.getIntOrFloatBitWidth();
  if (toBits == 1) {
    Value zero =
        arith::ConstantOp::create(builder, location, builder.getZeroAttr(from));
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne,
                                 source, zero);
  }
  if (op.getSaturate())
    return {};
  if (toBits < fromBits)
    return arith::TruncIOp::create(builder, location, to, source);
  if (op.getSrcUnsigned() || fromBits == 1)
    return arith::ExtUIOp::create(builder, location, to, source);
  return arith::ExtSIOp::create(builder, location, to, source);
}

//===-- Indices of maps --------------------------------------------------===//

/// The value of an affine expression of the iteration indices.
static Value linearIndex(OpBuilder &builder, Location location,
                         AffineExpr expression, ValueRange iteration) {
  if (auto dimension = dyn_cast<AffineDimExpr>(expression))
    return iteration[dimension.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return indexConstant(builder, location, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Value lhs = linearIndex(builder, location, binary.getLHS(), iteration);
  Value rhs = linearIndex(builder, location, binary.getRHS(), iteration);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, location, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, location, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(builder, location, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(builder, location, lhs, rhs);
  default:
    // Iteration indices are not negative, nor are what maps make of them.
    return arith::RemSIOp::create(builder, location, lhs, rhs);
  }
}

SmallVector<Value> accessIndices(OpBuilder &builder, tile::MapOp map,
                                 unsigned operand, ValueRange iteration) {
  Location location = map.getLoc();
  bool isOutput = operand == map.getInputs().size();
  tile::RegionOp region = tile::getRegionOp(
      isOutput ? Value(map.getOutput()) : map.getInputs()[operand]);
  AffineMap accessMap = cast<AffineMapAttr>(map.getMaps()[operand]).getValue();
  SmallVector<Value> indices;
  for (auto [result, offset] :
       llvm::zip_equal(accessMap.getResults(), region.getOffsets())) {
    Value index = linearIndex(builder, location, result, iteration);
    std::optional<int64_t> known = constantOf(offset);
    if (known && *known == 0) {
      indices.push_back(index);
      continue;
    }
    indices.push_back(arith::AddIOp::create(builder, location, index, offset));
  }
  return indices;
}

//===-- Scalars of a body ------------------------------------------------===//

void ScalarMaterialiser::setIteration(ArrayRef<Value> indices) {
  iteration.assign(indices.begin(), indices.end());
  mapping.clear();
  converted.clear();
}

Value ScalarMaterialiser::clone(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Region *body = &map.getBody();
  if (!body->isAncestor(value.getParentRegion()))
    return value;
  Location location = value.getLoc();
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // One element for all iterations: indices that matter are known.
    SmallVector<Value> indices;
    for (Value index : iteration)
      indices.push_back(index ? index
                              : indexConstant(builder, map.getLoc(), 0));
    unsigned number = argument.getArgNumber();
    SmallVector<Value> at = accessIndices(builder, map, number, indices);
    Value buffer = tile::getBuffer(map.getInputs()[number]);
    result = readElement(builder, map.getLoc(), context, buffer, at);
  } else if (auto index = value.getDefiningOp<tile::IndexOp>()) {
    result = iteration[index.getDimension()];
  } else if (auto load = value.getDefiningOp<tile::LoadOp>()) {
    SmallVector<Value> indices;
    for (Value operand : load.getIndices())
      indices.push_back(clone(operand));
    result = readElement(builder, location, context, load.getBuffer(), indices);
  } else if (auto conversion = value.getDefiningOp<tile::CastOp>()) {
    Value source = clone(conversion.getSource());
    result = lowerScalarCast(builder, conversion, source);
    if (!result) {
      conversion.emitError()
          << "unsupported: this conversion of a scalar from "
          << source.getType() << " to " << conversion.getResult().getType();
      context.failed = true;
      result = arith::ConstantOp::create(
          builder, location,
          builder.getZeroAttr(conversion.getResult().getType()));
    }
  } else {
    Operation *op = value.getDefiningOp();
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, clone(operand));
    result = builder.clone(*op, operands)
                 ->getResult(cast<OpResult>(value).getResultNumber());
  }
  mapping.map(value, result);
  return result;
}

Value ScalarMaterialiser::get(const ScalarOperand &operand, Type type) {
  Location location = map.getLoc();
  using Form = ScalarOperand::Form;
  if (operand.constant) {
    if (auto number = dyn_cast<FloatAttr>(operand.constant)) {
      APFloat value = number.getValue();
      if (operand.form == Form::Negated)
        value.changeSign();
      bool ignored;
      value.convert(cast<FloatType>(type).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &ignored);
      return arith::ConstantOp::create(builder, location,
                                       FloatAttr::get(type, value));
    }
    APInt value = cast<IntegerAttr>(operand.constant).getValue();
    unsigned width = type.getIntOrFloatBitWidth();
    if (operand.form == Form::MaskWord)
      value = value.isZero() ? APInt(width, 0) : APInt::getAllOnes(width);
    value = operand.form == Form::ZeroExtended ? value.zextOrTrunc(width)
                                               : value.sextOrTrunc(width);
    if (operand.form == Form::Negated)
      value.negate();
    return arith::ConstantOp::create(builder, location,
                                     IntegerAttr::get(type, value));
  }
  auto key =
      std::make_tuple(operand.value, static_cast<int>(operand.form), type);
  for (auto &[known, result] : converted)
    if (known == key)
      return result;
  Value value = clone(operand.value);
  if (operand.form == Form::MaskWord) {
    Value ones = arith::ConstantOp::create(builder, location,
                                           builder.getIntegerAttr(type, -1));
    Value zero = arith::ConstantOp::create(builder, location,
                                           builder.getIntegerAttr(type, 0));
    value = arith::SelectOp::create(builder, location, value, ones, zero);
  } else if (value.getType() != type && isa<IntegerType>(type)) {
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, location, type, value);
    else if (value.getType().getIntOrFloatBitWidth() >
             type.getIntOrFloatBitWidth())
      value = arith::TruncIOp::create(builder, location, type, value);
    else if (operand.form == Form::ZeroExtended)
      value = arith::ExtUIOp::create(builder, location, type, value);
    else
      value = arith::ExtSIOp::create(builder, location, type, value);
  }
  if (operand.form == Form::Negated) {
    if (isa<FloatType>(type)) {
      Value minusOne = floatNumber(builder, location, type, -1.0);
      value = arith::MulFOp::create(builder, location, value, minusOne);
    } else {
      Value zero = arith::ConstantOp::create(builder, location,
                                             builder.getZeroAttr(type));
      value = arith::SubIOp::create(builder, location, zero, value);
    }
  }
  converted.push_back({key, value});
  return value;
}

} // namespace tilelang::vectorcore
