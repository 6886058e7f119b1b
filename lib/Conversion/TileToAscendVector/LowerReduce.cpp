//===- LowerReduce.cpp - Reductions as vector instructions ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Three steps, the first and last of which fall away for whole float tiles that
// are overwritten: elements become 32 bits wide in a tile of their own (with
// absolute values); the reduction itself; the results are converted, or
// combined with the old ones. The outer two are maps.
//
//===----------------------------------------------------------------------===//

#include "LowerReduce.h"

#include "ReduceEmitter.h"
#include "VectorLowering.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilelang::vectorcore {

namespace {

/// What a reduction does, apart from where its elements are.
struct ReducePlan {
  /// f32 or i32: elements as they are combined.
  Type element;
  ascend::BinaryFunction function;
  bool takesAbsolute = false;
  /// The source is a whole tile of `element`; the same for the result.
  bool directSource = false, directResult = false;
  /// Extents other than 1 of the source, and which of them is reduced; nothing
  /// where that one is 1.
  SmallVector<int64_t> extents;
  std::optional<unsigned> reduced;

  int64_t outer() const {
    unsigned leading = *reduced;
    if (alongRows())
      return leading < 2 ? 1 : product(0, leading - 1);
    return product(0, leading);
  }
  bool alongRows() const { return *reduced + 1 == extents.size(); }
  /// Along rows: rows of one run of the loop over `outer`.
  int64_t rows() const { return *reduced == 0 ? 1 : extents[*reduced - 1]; }
  int64_t product(unsigned from, unsigned to) const {
    int64_t total = 1;
    for (unsigned index = from; index < to; ++index)
      total *= extents[index];
    return total;
  }
};

bool isWhole(tile::RegionOp region) {
  auto type = cast<MemRefType>(region.getBuffer().getType());
  return region.getRegion().getType().getShape() == type.getShape() &&
         llvm::all_of(region.getOffsets(),
                      [](Value offset) { return constantOf(offset) == 0; });
}

Type elementOf(tile::RegionOp region) {
  return cast<MemRefType>(region.getBuffer().getType()).getElementType();
}

/// The plan, or nothing and why there is none.
std::optional<ReducePlan> planReduce(tile::ReduceOp reduce,
                                     std::string &reason) {
  tile::RegionOp source = tile::getRegionOp(reduce.getSource());
  tile::RegionOp result = tile::getRegionOp(reduce.getDestination());
  for (tile::RegionOp region : {source, result})
    if (ShapedType::isDynamicShape(region.getRegion().getType().getShape())) {
      reason = "a reduction of a region whose extents are known at run time "
               "only; reduce the whole tile";
      return std::nullopt;
    }
  ReducePlan plan;
  MLIRContext *context = reduce.getContext();
  for (tile::RegionOp region : {source, result}) {
    Type type = elementOf(region);
    std::optional<Lane> lane = storageLane(type);
    if (!lane || *lane == Lane::I64) {
      llvm::raw_string_ostream(reason) << "a reduction of elements of type "
                                       << type << " on the Vector cores";
      return std::nullopt;
    }
  }
  bool isFloat = isa<FloatType>(elementOf(source));
  plan.element =
      isFloat ? Type(Float32Type::get(context)) : IntegerType::get(context, 32);
  switch (reduce.getKind()) {
  case tile::ReduceKind::Sum:
  case tile::ReduceKind::AbsSum:
    plan.function = ascend::BinaryFunction::Add;
    break;
  case tile::ReduceKind::Max:
  case tile::ReduceKind::AbsMax:
    plan.function = ascend::BinaryFunction::Max;
    break;
  case tile::ReduceKind::Min:
    plan.function = ascend::BinaryFunction::Min;
    break;
  }
  bool isUnsigned = elementOf(source).isUnsignedInteger();
  plan.takesAbsolute =
      !isUnsigned && (reduce.getKind() == tile::ReduceKind::AbsSum ||
                      reduce.getKind() == tile::ReduceKind::AbsMax);
  if (isUnsigned && elementOf(source).isInteger(32) &&
      plan.function != ascend::BinaryFunction::Add) {
    reason = "the largest or smallest of uint32 elements; the vector unit "
             "compares signed integers only";
    return std::nullopt;
  }
  plan.directSource = isWhole(source) && elementOf(source) == plan.element &&
                      !plan.takesAbsolute;
  plan.directResult = isWhole(result) && elementOf(result) == plan.element &&
                      !reduce.getAccumulate();
  ArrayRef<int64_t> shape = source.getRegion().getType().getShape();
  for (auto [dimension, extent] : llvm::enumerate(shape)) {
    if (extent == 1)
      continue;
    if (dimension == reduce.getDimension())
      plan.reduced = plan.extents.size();
    plan.extents.push_back(extent);
  }
  return plan;
}

/// Elements of temporaries that the middle step takes.
int64_t scratchElements(const ReducePlan &plan, const TileLayouts &layouts) {
  if (!plan.reduced)
    return 0;
  bool inPlace = !plan.directSource;
  int64_t count = plan.extents[*plan.reduced];
  if (plan.alongRows())
    return ReduceEmitter::columnScratch(plan.rows(), count, inPlace,
                                        isa<FloatType>(plan.element))
        .elements();
  if (inPlace || count <= 2)
    return kStorageMultiple * 4;
  TileLayout layout = layouts.of(plan.extents);
  return llvm::alignTo(count / 2 * layout.strides[*plan.reduced],
                       kStorageMultiple);
}

class ReduceLowering {
public:
  ReduceLowering(VectorContext &context, tile::ReduceOp reduce,
                 const ReducePlan &plan)
      : context(context), reduce(reduce), plan(plan), location(reduce.getLoc()),
        builder(reduce), source(tile::getRegionOp(reduce.getSource())),
        result(tile::getRegionOp(reduce.getDestination())) {}

  LogicalResult lower() {
    tile::RegionOp work = source;
    if (!plan.directSource) {
      work = createTile(source.getRegion().getType().getShape(), "source");
      if (failed(convertSource(work)))
        return failure();
    }
    if (!plan.reduced)
      return finish(work);
    tile::RegionOp target =
        plan.directResult
            ? result
            : createTile(result.getRegion().getType().getShape(), "result");
    if (plan.alongRows())
      reduceRows(work, target);
    else
      reduceSlices(work, target);
    return plan.directResult ? success() : finish(target);
  }

private:
  /// A tile of the plan's type in temporary storage, as a whole region.
  tile::RegionOp createTile(ArrayRef<int64_t> shape, StringRef what) {
    TileLayout layout = context.layouts.of(shape);
    auto memory = ascend::MemoryKindAttr::get(builder.getContext(),
                                              ascend::MemoryKind::UB);
    auto type = MemRefType::get(shape, plan.element,
                                MemRefLayoutAttrInterface(), memory);
    OpBuilder top(context.allocationPoint);
    auto tile = tile::AllocOp::create(top, location, type, what);
    context.storage[tile.getBuffer()] =
        context.allocateScratch(location, plan.element, layout.elements);
    return tile::RegionOp::create(builder, location, tile.getBuffer());
  }

  Value absolute(OpBuilder &body, Value value) {
    if (isa<FloatType>(value.getType()))
      return math::AbsFOp::create(body, location, value);
    Value zero = arith::ConstantOp::create(body, location,
                                           body.getZeroAttr(value.getType()));
    Value negative = arith::SubIOp::create(body, location, zero, value);
    return arith::MaxSIOp::create(body, location, value, negative);
  }

  Value convert(OpBuilder &body, Value value, Type from, Type to) {
    if (from == to)
      return value;
    auto cast =
        tile::CastOp::create(body, location, tile::getScalarType(to), value);
    cast.setSrcUnsigned(isUnsignedElement(from));
    cast.setDstUnsigned(isUnsignedElement(to));
    return cast.getResult();
  }

  Value combined(OpBuilder &body, Value a, Value b) {
    bool isFloat = isa<FloatType>(plan.element);
    switch (plan.function) {
    case ascend::BinaryFunction::Add:
      return isFloat ? arith::AddFOp::create(body, location, a, b).getResult()
                     : arith::AddIOp::create(body, location, a, b);
    case ascend::BinaryFunction::Max:
      return isFloat
                 ? arith::MaximumFOp::create(body, location, a, b).getResult()
                 : arith::MaxSIOp::create(body, location, a, b);
    default:
      return isFloat
                 ? arith::MinimumFOp::create(body, location, a, b).getResult()
                 : arith::MinSIOp::create(body, location, a, b);
    }
  }

  /// A map over regions of equal extents, unit dimensions aside.
  LogicalResult
  map(ArrayRef<tile::RegionOp> inputs, tile::RegionOp output,
      llvm::function_ref<Value(OpBuilder &, ValueRange)> makeBody) {
    SmallVector<int64_t> extents;
    for (unsigned dimension : nonUnitDimensions(output))
      extents.push_back(output.getRegion().getType().getShape()[dimension]);
    if (extents.empty())
      extents.push_back(1);
    auto accessMap = [&](tile::RegionOp region) {
      SmallVector<AffineExpr> results(region.getOffsets().size(),
                                      builder.getAffineConstantExpr(0));
      for (auto [position, dimension] :
           llvm::enumerate(nonUnitDimensions(region)))
        results[dimension] = builder.getAffineDimExpr(position);
      return AffineMap::get(extents.size(), 0, results, builder.getContext());
    };
    SmallVector<AffineMap> maps;
    SmallVector<Value> operands;
    for (tile::RegionOp input : inputs) {
      maps.push_back(accessMap(input));
      operands.push_back(input.getRegion());
    }
    maps.push_back(accessMap(output));
    auto op = tile::MapOp::create(builder, location, extents, operands,
                                  output.getRegion(), ArrayRef<int64_t>(),
                                  ValueRange(), ValueRange(),
                                  builder.getAffineMapArrayAttr(maps));
    Block *block = op.getBody().empty() ? &op.getBody().emplaceBlock()
                                        : &op.getBody().front();
    block->clear();
    OpBuilder body(op.getContext());
    body.setInsertionPointToStart(block);
    for (tile::RegionOp input : inputs)
      block->addArgument(tile::getScalarType(elementOf(input)), location);
    Value value = makeBody(body, block->getArguments());
    tile::YieldOp::create(body, location, ValueRange{value});
    return lowerMap(context, op);
  }

  LogicalResult convertSource(tile::RegionOp work) {
    return map({source}, work, [&](OpBuilder &body, ValueRange elements) {
      Value value = convert(body, elements[0], elementOf(source), plan.element);
      return plan.takesAbsolute ? absolute(body, value) : value;
    });
  }

  /// The results go where they belong.
  LogicalResult finish(tile::RegionOp values) {
    if (!reduce.getAccumulate())
      return map({values}, result, [&](OpBuilder &body, ValueRange elements) {
        return convert(body, elements[0], plan.element, elementOf(result));
      });
    return map(
        {result, values}, result, [&](OpBuilder &body, ValueRange elements) {
          Value old =
              convert(body, elements[0], elementOf(result), plan.element);
          if (plan.takesAbsolute)
            old = absolute(body, old);
          return convert(body, combined(body, old, elements[1]), plan.element,
                         elementOf(result));
        });
  }

  Plane planeOf(tile::RegionOp region, int64_t pitch) {
    Plane plane;
    plane.base = context.storageOf(region.getBuffer());
    plane.pitch = pitch;
    return plane;
  }

  /// Runs the body for each of the leading indices; planes move on by the
  /// distances.
  void forEachOuter(Plane from, int64_t fromDistance, Plane to,
                    int64_t toDistance,
                    llvm::function_ref<void(Plane, Plane)> body) {
    if (plan.outer() == 1)
      return body(from, to);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, location, value);
    };
    auto loop = scf::ForOp::create(builder, location, constant(0),
                                   constant(plan.outer()), constant(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    from.offset = arith::MulIOp::create(
        builder, location, loop.getInductionVar(), constant(fromDistance));
    to.offset = arith::MulIOp::create(builder, location, loop.getInductionVar(),
                                      constant(toDistance));
    body(from, to);
  }

  void reduceRows(tile::RegionOp work, tile::RegionOp target) {
    TileLayout layout = context.layouts.of(plan.extents);
    int64_t rows = plan.rows();
    int64_t distance =
        context.layouts.of(target.getRegion().getType().getShape()).pitch;
    forEachOuter(planeOf(work, layout.pitch), rows * layout.pitch,
                 planeOf(target, 1), distance, [&](Plane from, Plane to) {
                   ReduceEmitter(context, builder, location, plan.function,
                                 plan.element)
                       .reduceColumns(from, to, rows, plan.extents.back(),
                                      !plan.directSource);
                 });
  }

  void reduceSlices(tile::RegionOp work, tile::RegionOp target) {
    TileLayout layout = context.layouts.of(plan.extents);
    int64_t slice = layout.strides[*plan.reduced];
    int64_t count = plan.extents[*plan.reduced];
    bool isRow = *plan.reduced + 2 == plan.extents.size();
    int64_t used = isRow ? plan.extents.back() : slice;
    forEachOuter(
        planeOf(work, slice), count * slice, planeOf(target, slice), slice,
        [&](Plane from, Plane to) {
          ReduceEmitter(context, builder, location, plan.function, plan.element)
              .reduceSlices(from, to, count, slice, used, !plan.directSource);
        });
  }

  VectorContext &context;
  tile::ReduceOp reduce;
  const ReducePlan &plan;
  Location location;
  OpBuilder builder;
  tile::RegionOp source, result;
};

} // namespace

LogicalResult lowerReduce(VectorContext &context, tile::ReduceOp reduce) {
  std::string reason;
  std::optional<ReducePlan> plan = planReduce(reduce, reason);
  if (!plan)
    return reduce.emitError() << "unsupported: " << reason;
  if (failed(ReduceLowering(context, reduce, *plan).lower()))
    return failure();
  reduce.erase();
  return success();
}

int64_t temporaryBytes(tile::ReduceOp reduce, const TileLayouts &layouts) {
  std::string reason;
  std::optional<ReducePlan> plan = planReduce(reduce, reason);
  if (!plan)
    return 0;
  constexpr int64_t bytes = 4;
  int64_t total = scratchElements(*plan, layouts) * bytes;
  auto tileBytes = [&](Value region) {
    auto type = cast<tile::RegionType>(region.getType());
    return layouts.of(type.getShape()).elements * bytes;
  };
  // Maps around it hold up to two values of each element besides.
  if (!plan->directSource)
    total += tileBytes(reduce.getSource()) * 2;
  if (!plan->directResult)
    total += tileBytes(reduce.getDestination()) * 3;
  return total;
}

} // namespace tilelang::vectorcore
