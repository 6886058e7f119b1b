//===- TileComputeOps.cpp - Matrix products, maps and casts --------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tilelang/Dialect/Tile/IR/AffineRange.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::tile;

using MemoryEffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

/// The last two extents, where all others are 1.
static std::optional<std::pair<int64_t, int64_t>>
getMatrixShape(RegionType type) {
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() < 2)
    return std::nullopt;
  if (!llvm::all_of(shape.drop_back(2), [](int64_t n) { return n == 1; }))
    return std::nullopt;
  return std::make_pair(shape[shape.size() - 2], shape.back());
}

static bool mayBeEqual(int64_t left, int64_t right) {
  return left == right || ShapedType::isDynamic(left) ||
         ShapedType::isDynamic(right);
}

LogicalResult GemmOp::verify() {
  std::pair<int64_t, int64_t> shapes[3];
  Value operands[] = {getA(), getB(), getC()};
  for (auto [shape, operand] : llvm::zip_equal(shapes, operands)) {
    auto type = cast<RegionType>(operand.getType());
    std::optional<std::pair<int64_t, int64_t>> matrix = getMatrixShape(type);
    if (!matrix)
      return emitOpError() << "expected a two-dimensional region of "
                           << describeBuffer(operand)
                           << " (leading unit dimensions aside), found "
                           << type;
    shape = *matrix;
  }
  auto [a, b, c] = shapes;
  if (getTransposeA())
    std::swap(a.first, a.second);
  if (getTransposeB())
    std::swap(b.first, b.second);
  auto mismatch = [&](StringRef extent, Value left, int64_t leftExtent,
                      Value right, int64_t rightExtent) {
    return emitOpError() << "expected equal " << extent << " extents of "
                         << describeBuffer(left) << " and "
                         << describeBuffer(right) << ", found " << leftExtent
                         << " and " << rightExtent;
  };
  if (!mayBeEqual(a.second, b.first))
    return mismatch("K", getA(), a.second, getB(), b.first);
  if (!mayBeEqual(a.first, c.first))
    return mismatch("M", getA(), a.first, getC(), c.first);
  if (!mayBeEqual(b.second, c.second))
    return mismatch("N", getB(), b.second, getC(), c.second);
  bool allFloat = llvm::all_of(operands, [](Value operand) {
    return isa<FloatType>(cast<RegionType>(operand.getType()).getElementType());
  });
  bool allInteger = llvm::all_of(operands, [](Value operand) {
    return isa<IntegerType>(
        cast<RegionType>(operand.getType()).getElementType());
  });
  if (!allFloat && !allInteger)
    return emitOpError() << "expected operands that are all float or all "
                            "integer, found "
                         << getA().getType().getElementType() << ", "
                         << getB().getType().getElementType() << " and "
                         << getC().getType().getElementType();
  return success();
}

void GemmOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  accesses.push_back({getA(), RegionAccessKind::Read});
  accesses.push_back({getB(), RegionAccessKind::Read});
  bool clears = matchPattern(getClear(), m_One());
  accesses.push_back({getC(), clears ? RegionAccessKind::Write
                                     : RegionAccessKind::Accumulate});
}

void GemmOp::getEffects(MemoryEffectList &effects) {
  addRegionAccessEffects(*this, effects);
}

//===----------------------------------------------------------------------===//
// Map
//===----------------------------------------------------------------------===//

/// Diagnostics take neither affine maps nor expressions.
template <typename T> static std::string toText(const T &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// Every result of an access map stays inside the operand's region.
static LogicalResult verifyAccessMap(MapOp op, AffineMap map, Value operand,
                                     StringRef role) {
  auto type = cast<RegionType>(operand.getType());
  ArrayRef<int64_t> extents = op.getExtents();
  if (map.getNumDims() != extents.size() || map.getNumSymbols() != 0 ||
      map.getNumResults() != type.getShape().size())
    return op.emitOpError()
           << "expected an access map from " << extents.size()
           << " dimensions to " << type.getShape().size() << " indices for the "
           << role << " " << describeBuffer(operand) << ", found "
           << toText(map);
  for (auto [dimension, result] : llvm::enumerate(map.getResults())) {
    std::optional<IntegerRange> range = getRange(result, extents);
    int64_t extent = type.getShape()[dimension];
    if (!range || range->minimum < 0 ||
        (!ShapedType::isDynamic(extent) && range->maximum >= extent)) {
      InFlightDiagnostic error = op.emitOpError();
      error << "expected indices within the region " << type << " of the "
            << role << " " << describeBuffer(operand) << ", found "
            << toText(result);
      if (range)
        error << " with values " << range->minimum << " to " << range->maximum;
      return error << " in dimension " << dimension;
    }
  }
  return success();
}

LogicalResult MapOp::verify() {
  if (getAtomic() && isOnChip(getOutput()))
    return emitOpError() << "expected a global output for an atomic addition, "
                            "found "
                         << describeBuffer(getOutput());
  ArrayRef<int64_t> extents = getExtents();
  if (extents.empty())
    return emitOpError() << "expected at least one extent, found none";
  for (auto [dimension, extent] : llvm::enumerate(extents))
    if (extent < 1)
      return emitOpError() << "expected extents of at least 1, found " << extent
                           << " in dimension " << dimension;

  ArrayRef<int64_t> clipped = getClipped();
  if (getLower().size() != clipped.size() ||
      getUpper().size() != clipped.size())
    return emitOpError() << "expected a lower and an upper bound for each of "
                         << clipped.size() << " clipped dimensions, found "
                         << getLower().size() << " and " << getUpper().size();
  llvm::SmallSet<int64_t, 4> seen;
  for (int64_t dimension : clipped)
    if (dimension < 0 || dimension >= static_cast<int64_t>(extents.size()) ||
        !seen.insert(dimension).second)
      return emitOpError() << "expected distinct clipped dimensions below "
                           << extents.size() << ", found " << dimension;

  if (getMaps().size() != getInputs().size() + 1)
    return emitOpError() << "expected " << getInputs().size() + 1
                         << " access maps, one for each input and one for the "
                            "output, found "
                         << getMaps().size();
  auto maps = getMaps().getAsValueRange<AffineMapAttr>();
  for (auto [map, input] : llvm::zip(maps, getInputs()))
    if (failed(verifyAccessMap(*this, map, input, "input")))
      return failure();
  AffineMap outputMap =
      cast<AffineMapAttr>(getMaps().getValue().back()).getValue();
  if (failed(verifyAccessMap(*this, outputMap, getOutput(), "output")))
    return failure();

  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError() << "expected " << getInputs().size()
                         << " body arguments, one for each input, found "
                         << body.getNumArguments();
  for (auto [argument, input] : llvm::zip(body.getArguments(), getInputs())) {
    Type expected =
        getScalarType(cast<RegionType>(input.getType()).getElementType());
    if (argument.getType() != expected)
      return emitOpError() << "expected a body argument of type " << expected
                           << " for the input " << describeBuffer(input)
                           << ", found " << argument.getType();
  }
  Type expected = getScalarType(getOutput().getType().getElementType());
  Operation *terminator = body.getTerminator();
  if (terminator->getNumOperands() != 1 ||
      terminator->getOperand(0).getType() != expected)
    return emitOpError() << "expected a body that yields one value of type "
                         << expected << " for the output "
                         << describeBuffer(getOutput()) << ", found ("
                         << terminator->getOperandTypes() << ")";
  WalkResult result = getBody().walk([&](Operation *nested) {
    auto interface = dyn_cast<RegionAccessOpInterface>(nested);
    if (!interface || isa<LoadOp>(nested))
      return WalkResult::advance();
    emitOpError() << "expected a body without accesses to buffers other than "
                     "tile.load, found '"
                  << nested->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void MapOp::getRegionAccesses(SmallVectorImpl<RegionAccess> &accesses) {
  for (Value input : getInputs())
    accesses.push_back({input, RegionAccessKind::Read});
  getBody().walk([&](LoadOp load) {
    accesses.push_back({load.getBuffer(), RegionAccessKind::Read});
  });
  accesses.push_back({getOutput(), getAtomic() ? RegionAccessKind::Accumulate
                                               : RegionAccessKind::Write});
}

void MapOp::getEffects(MemoryEffectList &effects) {
  addRegionAccessEffects(*this, effects);
}

LogicalResult IndexOp::verify() {
  auto map = (*this)->getParentOfType<MapOp>();
  if (!map)
    return emitOpError() << "expected to be inside 'tile.map', found in '"
                         << (*this)->getParentOp()->getName() << "'";
  auto rank = static_cast<int64_t>(map.getExtents().size());
  auto dimension = static_cast<int64_t>(getDimension());
  if (dimension < 0 || dimension >= rank)
    return emitOpError() << "expected a dimension below " << rank << ", found "
                         << dimension;
  return success();
}

//===----------------------------------------------------------------------===//
// Cast
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  Type source = getSource().getType(), result = getResult().getType();
  for (Type type : {source, result})
    if (!isa<FloatType>(type) && !type.isSignlessInteger())
      return emitOpError()
             << "expected float or signless integer scalars, found " << type;
  if (getSrcUnsigned() && !isa<IntegerType>(source))
    return emitOpError() << "expected an integer source with 'srcUnsigned', "
                            "found "
                         << source;
  if (getDstUnsigned() && !isa<IntegerType>(result))
    return emitOpError() << "expected an integer result with 'dstUnsigned', "
                            "found "
                         << result;
  if (getRounding() != Rounding::Default && isa<IntegerType>(source) &&
      isa<IntegerType>(result))
    return emitOpError() << "expected no rounding between integers, found "
                         << stringifyRounding(getRounding());
  return success();
}

static llvm::RoundingMode getRoundingMode(Rounding rounding, bool toInteger) {
  switch (rounding) {
  case Rounding::Default:
    return toInteger ? llvm::RoundingMode::TowardZero
                     : llvm::RoundingMode::NearestTiesToEven;
  case Rounding::NearestEven:
    return llvm::RoundingMode::NearestTiesToEven;
  case Rounding::TowardZero:
    return llvm::RoundingMode::TowardZero;
  case Rounding::Up:
    return llvm::RoundingMode::TowardPositive;
  case Rounding::Down:
    return llvm::RoundingMode::TowardNegative;
  }
  llvm_unreachable("all roundings are listed");
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  Type source = getSource().getType(), result = getResult().getType();
  // Equal types: a change of signedness keeps the bits, unless it saturates.
  if (source == result &&
      (!getSaturate() || getSrcUnsigned() == getDstUnsigned()))
    return getSource();

  Attribute constant = adaptor.getSource();
  if (!constant)
    return {};
  auto sourceInteger = dyn_cast<IntegerType>(source);
  auto resultInteger = dyn_cast<IntegerType>(result);
  bool ignored;
  if (auto value = dyn_cast<FloatAttr>(constant)) {
    APFloat number = value.getValue();
    if (auto floatType = dyn_cast<FloatType>(result)) {
      // Narrow floats differ in what saturation means: left to the target.
      if (getSaturate() || floatType.getWidth() < 16)
        return {};
      number.convert(floatType.getFloatSemantics(),
                     getRoundingMode(getRounding(), false), &ignored);
      return FloatAttr::get(result, number);
    }
    if (resultInteger.getWidth() == 1)
      return {};
    if (number.isNaN())
      return IntegerAttr::get(result, 0);
    llvm::APSInt integer(resultInteger.getWidth(), getDstUnsigned());
    APFloat::opStatus status = number.convertToInteger(
        integer, getRoundingMode(getRounding(), true), &ignored);
    // convertToInteger saturates; without `saturate` the value is unspecified.
    if ((status & APFloat::opInvalidOp) && !getSaturate())
      return {};
    return IntegerAttr::get(result, integer);
  }
  auto value = dyn_cast<IntegerAttr>(constant);
  if (!value || (resultInteger && resultInteger.getWidth() == 1))
    return {};
  bool isUnsigned = getSrcUnsigned() || sourceInteger.getWidth() == 1;
  APInt integer = value.getValue();
  if (auto floatType = dyn_cast<FloatType>(result)) {
    if (floatType.getWidth() < 16)
      return {};
    APFloat number(floatType.getFloatSemantics());
    number.convertFromAPInt(integer, !isUnsigned,
                            getRoundingMode(getRounding(), false));
    return FloatAttr::get(result, number);
  }
  if (getSaturate())
    return {};
  return IntegerAttr::get(
      result, isUnsigned ? integer.zextOrTrunc(resultInteger.getWidth())
                         : integer.sextOrTrunc(resultInteger.getWidth()));
}
