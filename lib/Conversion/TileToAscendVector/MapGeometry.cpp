//===- MapGeometry.cpp - A map as rows and columns of UB tiles ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MapGeometry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace tilelang::vectorcore {

bool decomposeLinear(AffineExpr expression,
                     MutableArrayRef<int64_t> coefficients, int64_t &constant) {
  if (auto number = dyn_cast<AffineConstantExpr>(expression)) {
    constant += number.getValue();
    return true;
  }
  if (auto dimension = dyn_cast<AffineDimExpr>(expression)) {
    coefficients[dimension.getPosition()] += 1;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return decomposeLinear(binary.getLHS(), coefficients, constant) &&
           decomposeLinear(binary.getRHS(), coefficients, constant);
  if (binary.getKind() != AffineExprKind::Mul)
    return false;
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  AffineExpr other = binary.getLHS();
  if (!factor) {
    factor = dyn_cast<AffineConstantExpr>(binary.getLHS());
    other = binary.getRHS();
  }
  if (!factor)
    return false;
  SmallVector<int64_t> inner(coefficients.size(), 0);
  int64_t innerConstant = 0;
  if (!decomposeLinear(other, inner, innerConstant))
    return false;
  for (auto [total, part] : llvm::zip_equal(coefficients, inner))
    total += part * factor.getValue();
  constant += innerConstant * factor.getValue();
  return true;
}

static int64_t divisorOf(Value value, unsigned depth) {
  if (std::optional<int64_t> constant = constantOf(value))
    return std::abs(*constant);
  if (depth == 0)
    return 1;
  auto of = [&](Value operand) { return divisorOf(operand, depth - 1); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return std::gcd(of(loop.getLowerBound()), of(loop.getStep()));
    return 1;
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::MulIOp>(op)) {
    int64_t product;
    if (__builtin_mul_overflow(of(op->getOperand(0)), of(op->getOperand(1)),
                               &product))
      return 1;
    return product;
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::gcd(of(op->getOperand(0)), of(op->getOperand(1)));
  if (isa<arith::SelectOp>(op))
    return std::gcd(of(op->getOperand(1)), of(op->getOperand(2)));
  if (isa<arith::IndexCastOp>(op))
    return of(op->getOperand(0));
  return 1;
}

int64_t knownDivisor(Value value) { return divisorOf(value, 16); }

namespace {

/// An operand before dimensions are ordered and merged.
struct RawAccess {
  OperandAccess access;
  TileLayout layout;
  /// Elements between neighbours of each iteration dimension.
  SmallVector<int64_t> strides;
};

class GeometryBuilder {
public:
  GeometryBuilder(tile::MapOp map, const TileLayouts &layouts,
                  std::string &reason)
      : map(map), layouts(layouts), reason(reason) {}

  std::optional<MapGeometry> build() {
    auto maps = map.getMaps().getAsValueRange<AffineMapAttr>();
    SmallVector<AffineMap> accessMaps(maps.begin(), maps.end());
    for (auto [input, accessMap] : llvm::zip(map.getInputs(), accessMaps))
      if (!readOperand(input, accessMap))
        return std::nullopt;
    if (!readOperand(map.getOutput(), accessMaps.back()))
      return std::nullopt;
    map.getBody().walk(
        [&](tile::IndexOp index) { indexed.insert(index.getDimension()); });
    for (int64_t dimension : map.getClipped())
      indexed.insert(dimension);
    if (!orderDimensions() || !classify())
      return std::nullopt;
    // Clipped iterations read the old value.
    if (!map.getClipped().empty())
      geometry.inputs.push_back(geometry.output);
    return geometry;
  }

private:
  std::nullopt_t fail(const Twine &text) {
    reason = text.str();
    return std::nullopt;
  }

  bool readOperand(Value region, AffineMap accessMap) {
    tile::RegionOp op = tile::getRegionOp(region);
    auto type = cast<MemRefType>(op.getBuffer().getType());
    if (ascend::memoryOf(type) != ascend::MemoryKind::UB) {
      fail(tile::describeBuffer(region) +
           " is not on the chip and is accessed element by element");
      return false;
    }
    std::optional<Lane> lane = storageLane(type.getElementType());
    if (!lane) {
      fail("the vector unit has no elements of the type of " +
           tile::describeBuffer(region));
      return false;
    }
    RawAccess raw;
    raw.layout = layouts.of(type);
    raw.access.buffer = op.getBuffer();
    raw.access.lane = *lane;
    raw.access.isUnsigned = type.getElementType().isUnsignedInteger();
    raw.access.isBool = type.getElementType().isInteger(1);
    raw.strides.assign(map.getExtents().size(), 0);
    for (auto [dimension, result] : llvm::enumerate(accessMap.getResults())) {
      SmallVector<int64_t> coefficients(map.getExtents().size(), 0);
      int64_t constant = 0;
      if (!decomposeLinear(result, coefficients, constant)) {
        fail("an index of " + tile::describeBuffer(region) +
             " is not a sum of multiples of the iteration indices");
        return false;
      }
      int64_t stride = raw.layout.strides[dimension];
      for (auto [total, part] : llvm::zip_equal(raw.strides, coefficients))
        total += part * stride;
      raw.access.constant += constant * stride;
      Value offset = op.getOffsets()[dimension];
      if (std::optional<int64_t> known = constantOf(offset))
        raw.access.constant += *known * stride;
      else if (stride != 0)
        raw.access.terms.push_back({offset, stride});
    }
    operands.push_back(std::move(raw));
    return true;
  }

  RawAccess &output() { return operands.back(); }

  /// Outer loops, rows, columns: in the order of the output's memory.
  bool orderDimensions() {
    ArrayRef<int64_t> extents = map.getExtents();
    geometry.roles.resize(extents.size());
    for (unsigned dimension = 0; dimension < extents.size(); ++dimension)
      if (extents[dimension] != 1)
        dimensions.push_back({dimension, extents[dimension]});
    for (RawAccess &operand : operands)
      for (auto &[dimension, extent] : dimensions)
        if (operand.strides[dimension] < 0) {
          fail("indices run backwards");
          return false;
        }
    llvm::stable_sort(dimensions, [&](const auto &a, const auto &b) {
      return output().strides[a.first] > output().strides[b.first];
    });
    if (dimensions.empty())
      return true;
    auto [last, columns] = dimensions.back();
    if (output().strides[last] != 1) {
      fail("neighbouring iterations do not write neighbouring elements");
      return false;
    }
    for (RawAccess &operand : operands)
      if (operand.strides[last] > 1) {
        fail("an operand is read across its rows (transposed or strided)");
        return false;
      }
    for (auto &[dimension, extent] : dimensions)
      if (output().strides[dimension] == 0) {
        fail("several iterations write one element");
        return false;
      }
    geometry.columns = columns;
    geometry.roles[last].kind = DimensionRole::Kind::Column;
    dimensions.pop_back();

    // Rows without gaps between them are one longer row.
    while (!dimensions.empty() &&
           mergesInto(dimensions.back().first, last, geometry.columns)) {
      geometry.columns *= dimensions.back().second;
      dimensions.pop_back();
    }
    if (dimensions.empty())
      return true;
    rowDimension = dimensions.back().first;
    geometry.rows = dimensions.back().second;
    geometry.roles[*rowDimension].kind = DimensionRole::Kind::Row;
    dimensions.pop_back();
    while (!dimensions.empty() &&
           mergesInto(dimensions.back().first, *rowDimension, geometry.rows)) {
      geometry.rows *= dimensions.back().second;
      dimensions.pop_back();
    }
    for (auto [dimension, extent] : dimensions) {
      geometry.roles[dimension] = {
          DimensionRole::Kind::Outer,
          static_cast<unsigned>(geometry.outer.size())};
      geometry.outer.push_back(extent);
    }
    return true;
  }

  /// `outer` continues where `inner` (of `extent` in all) ends, for all
  /// operands, and no index value tells the two apart.
  bool mergesInto(unsigned outer, unsigned inner, int64_t extent) {
    if (indexed.contains(outer) || indexed.contains(inner))
      return false;
    return llvm::all_of(operands, [&](RawAccess &operand) {
      return operand.strides[outer] == operand.strides[inner] * extent;
    });
  }

  bool classify() {
    bool isSingle = llvm::all_of(map.getExtents(),
                                 [](int64_t extent) { return extent == 1; });
    for (RawAccess &operand : operands) {
      int64_t rowStride = rowDimension ? operand.strides[*rowDimension] : 0;
      int64_t columnStride = 0;
      for (auto [dimension, role] : llvm::enumerate(geometry.roles))
        if (role.kind == DimensionRole::Kind::Column)
          columnStride = operand.strides[dimension];
      operand.access.rowStride = rowStride;
      for (auto [dimension, extent] : dimensions)
        operand.access.outerStrides.push_back(operand.strides[dimension]);
      bool isOutput = &operand == &output();
      if (columnStride == 0 && !isOutput) {
        if (rowStride == 0) {
          // `Brcb` spreads elements of 16 and 32 bits from the start of a
          // block; others are read by the scalar unit.
          operand.access.shape = Shape::Point;
          // One element in all is a row of one: nothing to spread.
          if (isSingle && isAligned(operand.access)) {
            operand.access.shape = Shape::Full;
            continue;
          }
          int64_t bytes = laneBytes(operand.access.lane);
          operand.access.isScalar =
              !isAligned(operand.access) || (bytes != 2 && bytes != 4);
        } else if (rowStride == 1) {
          operand.access.shape = Shape::Column;
        } else {
          fail("a column of a tile is broadcast along its rows");
          return false;
        }
      } else if (rowStride == 0 && geometry.rows > 1) {
        operand.access.shape = Shape::Row;
      }
    }
    choosePitch();
    for (RawAccess &operand : operands)
      if (!checkAlignment(operand))
        return false;
    for (RawAccess &operand : operands) {
      setForms(operand);
      if (&operand == &output())
        geometry.output = operand.access;
      else
        geometry.inputs.push_back(operand.access);
    }
    return true;
  }

  void choosePitch() {
    const OperandAccess &access = output().access;
    const TileLayout &layout = output().layout;
    bool wholeRows = geometry.columns == layout.columns;
    if (geometry.rows == 1) {
      geometry.pitch = llvm::alignTo(geometry.columns, kStorageMultiple);
      geometry.padded = wholeRows && startsAtRow(access, layout.pitch);
      return;
    }
    geometry.padded = wholeRows && access.rowStride == layout.pitch &&
                      startsAtRow(access, layout.pitch);
    geometry.pitch =
        geometry.padded ? layout.pitch : layouts.pitchOf(geometry.columns);
  }

  static bool startsAtRow(const OperandAccess &access, int64_t pitch) {
    return access.constant % pitch == 0 &&
           llvm::all_of(access.terms,
                        [&](auto term) { return term.second % pitch == 0; }) &&
           llvm::all_of(access.outerStrides,
                        [&](int64_t stride) { return stride % pitch == 0; });
  }

  /// Vector operands start on 32 bytes, and so do their rows.
  bool checkAlignment(const RawAccess &operand) {
    if (operand.access.isScalar || isAligned(operand.access))
      return true;
    fail(tile::describeBuffer(operand.access.buffer) +
         " is accessed from the middle of a 32-byte block");
    return false;
  }

  bool isAligned(const OperandAccess &access) const {
    int64_t bytes = laneBytes(access.lane);
    bool aligned = access.constant * bytes % 32 == 0;
    for (auto [value, factor] : access.terms)
      aligned &= factor * knownDivisor(value) * bytes % 32 == 0;
    for (int64_t stride : access.outerStrides)
      aligned &= stride * bytes % 32 == 0;
    if (access.shape == Shape::Full && geometry.rows > 1)
      aligned &= access.rowStride * bytes % 32 == 0;
    return aligned;
  }

  void setForms(RawAccess &operand) {
    OperandAccess &access = operand.access;
    if (access.isScalar || access.shape == Shape::Point)
      return;
    int64_t count = access.shape == Shape::Column ? geometry.rows
                    : geometry.rows == 1 || access.shape == Shape::Row
                        ? geometry.columns
                        : geometry.rows * geometry.pitch;
    access.dense = true;
    if (access.shape == Shape::Full && geometry.rows > 1)
      access.dense = geometry.padded && access.rowStride == geometry.pitch &&
                     startsAtRow(access, geometry.pitch);
    bool fixed = access.terms.empty() &&
                 llvm::all_of(access.outerStrides,
                              [](int64_t stride) { return stride == 0; });
    access.roundable =
        access.dense &&
        (count % kStorageMultiple == 0 ||
         (fixed && access.constant + static_cast<int64_t>(llvm::alignTo(
                                         count, kStorageMultiple)) <=
                       operand.layout.elements));
  }

  tile::MapOp map;
  const TileLayouts &layouts;
  std::string &reason;
  MapGeometry geometry;
  std::vector<RawAccess> operands;
  /// Dimensions not yet given a role, outermost first, and their extents.
  SmallVector<std::pair<unsigned, int64_t>> dimensions;
  std::optional<unsigned> rowDimension;
  llvm::SmallSet<int64_t, 4> indexed;
};

} // namespace

std::optional<MapGeometry> computeGeometry(tile::MapOp map,
                                           const TileLayouts &layouts,
                                           std::string &reason) {
  return GeometryBuilder(map, layouts, reason).build();
}

} // namespace tilelang::vectorcore
