//===- LowerCube.cpp - Tile operations to Cube instructions ---------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A product reads its operands from L1, in k steps that fit L0A and L0B twice,
// and accumulates in L0C. What exists of a tile at the edge of a tensor is
// known from the copy that filled it: products use those extents, so nothing
// has to be cleared.
//
//===----------------------------------------------------------------------===//

#include "tilelang/Chip/Chip.h"
#include "tilelang/Conversion/TileToAscend/GlobalTile.h"
#include "tilelang/Conversion/TileToAscend/OutsideReads.h"
#include "tilelang/Conversion/TileToAscend/Passes.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"
#include "tilelang/Dialect/Ascend/Transforms/ChipCache.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilelang {
#define GEN_PASS_DEF_ASCENDLOWERCUBE
#include "tilelang/Conversion/TileToAscend/Passes.h.inc"

namespace {

/// Rows and columns of a fractal, whatever the element type (fp32 fractals are
/// half as wide; two of them make the 16 columns that the other side needs).
constexpr int64_t kFractal = 16;

int64_t padded(int64_t extent) { return llvm::alignTo(extent, kFractal); }

/// A tile buffer of the Cube core once it has its storage.
struct CubeTile {
  ascend::AllocOp storage;
  int64_t rows = 0, columns = 0; // as the program declared them
  /// Copies that fill a tile in L1.
  llvm::SmallVector<GlobalTile> sources;
};

/// The extents an accumulator is computed with.
struct ProductExtents {
  Value m, n;
};

/// Values inside a nest of loops as they are in its first iteration, computed
/// in front of it.
class FirstIteration {
public:
  FirstIteration(OpBuilder &builder, llvm::SmallVector<scf::ForOp> loops)
      : builder(builder), loops(std::move(loops)) {}

  /// Null where the value depends on more than the loops.
  Value valueOf(Value value) {
    if (loops.empty() ||
        !loops.front()->getRegion(0).isAncestor(value.getParentRegion()))
      return value;
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op) {
      for (scf::ForOp loop : loops)
        if (value == loop.getInductionVar())
          return valueOf(loop.getLowerBound());
      return {};
    }
    if (!isa<arith::ArithDialect>(op->getDialect()) || !isPure(op))
      return {};
    for (Value operand : op->getOperands()) {
      Value first = valueOf(operand);
      if (!first)
        return {};
      mapping.map(operand, first);
    }
    created.push_back(builder.clone(*op, mapping));
    return mapping.lookup(value);
  }

  void eraseUnused() {
    for (Operation *op : llvm::reverse(created))
      if (op->use_empty())
        op->erase();
    created.clear();
  }

private:
  OpBuilder &builder;
  llvm::SmallVector<scf::ForOp> loops;
  IRMapping mapping;
  llvm::SmallVector<Operation *> created;
};

class LowerCube {
public:
  LowerCube(ascend::KernelOp kernel, const Chip &chip)
      : kernel(kernel), chip(chip), builder(kernel.getContext()) {}

  LogicalResult run() {
    Block &body = kernel.getAic().front();
    hoistScalars(body);
    llvm::SmallVector<Operation *> copies, rest;
    body.walk([&](Operation *op) {
      if (isa<tile::CopyOp>(op))
        copies.push_back(op);
      else if (isa<tile::FillOp, tile::GemmOp, tile::LoadOp, tile::MapOp,
                   tile::StoreOp>(op))
        rest.push_back(op);
    });
    if (failed(createStorage(body)))
      return failure();
    readsOutside = outsideReachesResult(kernel);
    for (Operation *op : copies)
      if (ascend::memoryOf(
              tile::getBuffer(cast<tile::CopyOp>(op).getDestination())) ==
          ascend::MemoryKind::L1)
        if (failed(lowerLoad(cast<tile::CopyOp>(op))))
          return failure();
    if (failed(planAccumulators(body)))
      return failure();
    for (Operation *op : rest)
      if (failed(lowerComputation(op)))
        return failure();
    for (Operation *op : copies)
      if (ascend::memoryOf(
              tile::getBuffer(cast<tile::CopyOp>(op).getDestination())) ==
          ascend::MemoryKind::GM)
        if (failed(lowerStore(cast<tile::CopyOp>(op))))
          return failure();
    for (Operation *op : copies)
      op->erase();
    for (Operation *op : rest)
      op->erase();
    eraseDeadTileOps(body);
    return success();
  }

private:
  /// Moves scalar computations up in their blocks, behind what they use: then
  /// clipped extents are known to everything that works on the same tile.
  static void hoistScalars(Block &body) {
    body.walk<WalkOrder::PreOrder>([&](Operation *parent) {
      for (Region &region : parent->getRegions())
        for (Block &block : region)
          hoistScalarsIn(block);
    });
    hoistScalarsIn(body);
  }

  static void hoistScalarsIn(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!isa<arith::ArithDialect>(op.getDialect()) || !isPure(&op))
        continue;
      Operation *last = nullptr;
      for (Value operand : op.getOperands())
        if (Operation *definition = operand.getDefiningOp();
            definition && definition->getBlock() == &block &&
            (!last || last->isBeforeInBlock(definition)))
          last = definition;
      if (last)
        op.moveAfter(last);
      else
        op.moveBefore(&block, block.begin());
    }
  }

  //===-- Storage --------------------------------------------------------===//

  /// The last two dimensions; leading ones must be 1.
  static LogicalResult matrixShape(MemRefType type, int64_t &rows,
                                   int64_t &columns) {
    ArrayRef<int64_t> shape = type.getShape();
    columns = shape.back();
    rows = shape.size() > 1 ? shape[shape.size() - 2] : 1;
    return success(
        llvm::all_of(shape.drop_back(std::min<size_t>(2, shape.size())),
                     [](int64_t extent) { return extent == 1; }));
  }

  LogicalResult createStorage(Block &body) {
    for (auto alloc : llvm::to_vector(body.getOps<tile::AllocOp>())) {
      auto type = cast<MemRefType>(alloc.getBuffer().getType());
      CubeTile tile;
      if (failed(matrixShape(type, tile.rows, tile.columns)))
        return alloc.emitError()
               << "unsupported: " << tile::describeBuffer(alloc.getBuffer())
               << " has more than two dimensions larger than 1; a tile of the "
                  "Cube core is a matrix";
      Type element = type.getElementType();
      if (ascend::memoryOf(type) == ascend::MemoryKind::L0C)
        element = Float32Type::get(builder.getContext());
      builder.setInsertionPoint(alloc);
      auto storageType =
          MemRefType::get({padded(tile.rows), padded(tile.columns)}, element,
                          MemRefLayoutAttrInterface(), type.getMemorySpace());
      tile.storage = ascend::AllocOp::create(
          builder, alloc.getLoc(), storageType, alloc.getName(), 1, nullptr);
      if (Attribute versions = alloc->getAttr(ascend::kTaskVersionsAttr))
        tile.storage->setAttr(ascend::kTaskVersionsAttr, versions);
      tiles.insert({alloc.getBuffer(), tile});
    }
    return success();
  }

  CubeTile *tileOf(Value target) {
    auto found = tiles.find(tile::getBuffer(target));
    return found == tiles.end() ? nullptr : &found->second;
  }

  Value constant(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  //===-- Loads ----------------------------------------------------------===//

  LogicalResult lowerLoad(tile::CopyOp copy) {
    CubeTile *destination = tileOf(copy.getDestination());
    if (!tile::coversBuffer(copy.getDestination()))
      return copy.emitError() << "unsupported: copying into a part of "
                              << tile::describeBuffer(copy.getDestination())
                              << ", an operand of T.gemm; copy the whole tile";
    Type from = copy.getSource().getType().getElementType();
    Type to = copy.getDestination().getType().getElementType();
    if (from != to)
      return copy.emitError()
             << "unsupported: loading an operand of T.gemm with a conversion "
                "from "
             << from << " to " << to << "; declare the tile as " << from;
    builder.setInsertionPoint(copy);
    FailureOr<GlobalTile> source =
        describeGlobalTile(builder, tile::getRegionOp(copy.getSource()), copy);
    if (failed(source))
      return failure();
    if (source->tileRows != destination->rows ||
        source->tileColumns != destination->columns)
      return copy.emitError()
             << "unsupported: a copy that changes the shape from "
             << source->tileRows << "x" << source->tileColumns << " to "
             << destination->rows << "x" << destination->columns;
    if (readsOutside || isKeptForTasks(*destination))
      clearOutside(copy, *source, destination->storage.getBuffer());
    ascend::Nd2NzOp::create(builder, copy.getLoc(), source->buffer,
                            source->offset, source->rows, source->columns,
                            source->stride, destination->storage.getBuffer());
    destination->sources.push_back(*source);
    return success();
  }

  /// Products of later tasks use the whole tile: how much of it one iteration
  /// has loaded is not known there.
  static bool isKeptForTasks(const CubeTile &tile) {
    ascend::AllocOp storage = tile.storage;
    return storage->hasAttr(ascend::kTaskVersionsAttr);
  }

  /// Zeros for what a partial load leaves out.
  void clearOutside(tile::CopyOp copy, const GlobalTile &source, Value tile) {
    Location loc = copy.getLoc();
    Value partial;
    for (auto [extent, whole] :
         {std::pair(source.rows, source.tileRows),
          std::pair(source.columns, source.tileColumns)}) {
      if (constantOf(extent) == whole)
        continue;
      Value test =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, extent,
                                constant(loc, whole));
      partial =
          partial ? arith::OrIOp::create(builder, loc, partial, test) : test;
    }
    if (!partial)
      return;
    auto branch = scf::IfOp::create(builder, loc, partial, false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&branch.getThenRegion().front());
    ascend::ZeroL1Op::create(builder, loc, tile);
  }

  //===-- Products -------------------------------------------------------===//

  /// Extents of an operand as `gemm` may use them: those that its only copy
  /// loaded, or the whole tile if that is always loaded.
  LogicalResult validExtents(tile::GemmOp gemm, Value operand, Value &rows,
                             Value &columns) {
    CubeTile *tile = tileOf(operand);
    DominanceInfo dominance(kernel);
    if (tile->sources.size() == 1) {
      const GlobalTile &source = tile->sources.front();
      if (dominance.properlyDominates(source.rows, gemm) &&
          dominance.properlyDominates(source.columns, gemm)) {
        rows = source.rows;
        columns = source.columns;
        return success();
      }
    }
    for (const GlobalTile &source : tile->sources)
      if (!isKeptForTasks(*tile) &&
          (constantOf(source.rows) != tile->rows ||
           constantOf(source.columns) != tile->columns))
        return gemm.emitError()
               << "unsupported: " << tile::describeBuffer(operand)
               << " may be loaded only in part (its tensor's size is no "
                  "multiple of the tile) by a copy that does not stand right "
                  "in front of this T.gemm";
    builder.setInsertionPoint(gemm);
    rows = constant(gemm.getLoc(), tile->rows);
    columns = constant(gemm.getLoc(), tile->columns);
    return success();
  }

  /// The part of the product that all gemms on one accumulator compute: the
  /// rows and columns that exist, where they are the same values for all.
  LogicalResult planAccumulators(Block &body) {
    llvm::MapVector<Value, llvm::SmallVector<tile::GemmOp>> products;
    body.walk([&](tile::GemmOp gemm) {
      products[tile::getBuffer(gemm.getC())].push_back(gemm);
    });
    DominanceInfo dominance(kernel);
    for (auto &[buffer, gemms] : products) {
      Value m, n;
      bool same = true;
      for (tile::GemmOp gemm : gemms) {
        Value aRows, aColumns, bRows, bColumns;
        if (failed(checkOperands(gemm)) ||
            failed(validExtents(gemm, gemm.getA(), aRows, aColumns)) ||
            failed(validExtents(gemm, gemm.getB(), bRows, bColumns)))
          return failure();
        Value gemmM = gemm.getTransposeA() ? aColumns : aRows;
        Value gemmN = gemm.getTransposeB() ? bRows : bColumns;
        depths[gemm] = {gemm.getTransposeA() ? aRows : aColumns,
                        gemm.getTransposeB() ? bColumns : bRows};
        // Rows and columns outside are computed, from zeros, where they matter.
        same &=
            !readsOutside && (!m || equal(m, gemmM)) && (!n || equal(n, gemmN));
        m = gemmM;
        n = gemmN;
      }
      for (Operation *user : buffer.getUsers())
        for (Operation *op : user->getUsers())
          same &= dominatesOrConstant(dominance, m, op) &&
                  dominatesOrConstant(dominance, n, op);
      CubeTile &tile = tiles.find(buffer)->second;
      builder.setInsertionPointAfter(tile.storage);
      ProductExtents &result = extents[buffer];
      result.m = same && !constantOf(m)
                     ? m
                     : constant(tile.storage.getLoc(), tile.rows);
      result.n = same && !constantOf(n)
                     ? n
                     : constant(tile.storage.getLoc(), tile.columns);
    }
    // Products in a loop that never runs are gone; what cleared their
    // accumulator is still there.
    for (auto &[buffer, tile] : tiles) {
      if (extents.contains(buffer) || !isCleared(buffer) ||
          ascend::memoryOf(buffer) != ascend::MemoryKind::L0C)
        continue;
      Location loc = tile.storage.getLoc();
      builder.setInsertionPointAfter(tile.storage);
      extents[buffer] = {constant(loc, tile.rows), constant(loc, tile.columns)};
    }
    return success();
  }

  static bool isCleared(Value buffer) {
    return llvm::any_of(buffer.getUsers(), [](Operation *user) {
      return llvm::any_of(user->getUsers(), llvm::IsaPred<tile::FillOp>);
    });
  }

  /// Structurally the same computation: extents are computed once per copy.
  static bool equal(Value a, Value b, unsigned depth = 4) {
    if (a == b || (constantOf(a) && constantOf(a) == constantOf(b)))
      return true;
    Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
    if (!left || !right || depth == 0 || left->getName() != right->getName() ||
        !isPure(left) || left->getNumOperands() == 0 ||
        left->getNumOperands() != right->getNumOperands() ||
        left->getAttrDictionary() != right->getAttrDictionary())
      return false;
    return llvm::all_of(
        llvm::zip(left->getOperands(), right->getOperands()), [&](auto pair) {
          return equal(std::get<0>(pair), std::get<1>(pair), depth - 1);
        });
  }
  static bool dominatesOrConstant(DominanceInfo &dominance, Value value,
                                  Operation *op) {
    return constantOf(value) || dominance.properlyDominates(value, op);
  }

  LogicalResult checkOperands(tile::GemmOp gemm) {
    Type a = gemm.getA().getType().getElementType();
    Type b = gemm.getB().getType().getElementType();
    Type c = gemm.getC().getType().getElementType();
    bool inputs = a == b && (a.isF16() || a.isBF16() || a.isF32());
    bool output = c.isF32() || c.isF16() || c.isBF16();
    if (!inputs || !output)
      return gemm.emitError()
             << "unsupported: T.gemm of " << a << " and " << b << " into " << c
             << "; the Cube core multiplies float16, bfloat16 or float32 into "
                "float32 (rounded to float16 or bfloat16 when stored)";
    for (Value region : {gemm.getA(), gemm.getB(), gemm.getC()})
      if (!tile::coversBuffer(region))
        return gemm.emitError()
               << "unsupported: T.gemm on a part of "
               << tile::describeBuffer(region) << "; use the whole tile";
    for (Value region : {gemm.getA(), gemm.getB()}) {
      const CubeTile *tile = tileOf(region);
      int64_t largest = chip.constant("limit.mmad_extent");
      if (tile->rows > largest || tile->columns > largest)
        return gemm.emitError()
               << "unsupported: " << tile::describeBuffer(region) << " of "
               << tile->rows << "x" << tile->columns
               << " exceeds the largest extent of a product, " << largest
               << "; split it with a loop over smaller tiles";
    }
    return success();
  }

  LogicalResult lowerComputation(Operation *op) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op))
      return lowerGemm(gemm);
    if (auto fill = dyn_cast<tile::FillOp>(op))
      return lowerClear(fill);
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return lowerScalarLoad(load);
    return op->emitError() << "internal: vector work left in the Cube program";
  }

  /// Tasks of one skewed loop that multiply: each has its part of L0A and L0B,
  /// so that neither waits for the other's products.
  static int64_t multiplyingTasks(tile::GemmOp gemm) {
    scf::IfOp task = gemm->getParentOfType<scf::IfOp>();
    while (task && !task->hasAttr(ascend::kTaskAttr))
      task = task->getParentOfType<scf::IfOp>();
    if (!task)
      return 1;
    return llvm::count_if(*task->getBlock(), [](Operation &other) {
      return other.hasAttr(ascend::kTaskAttr) &&
             other.walk([](tile::GemmOp) { return WalkResult::interrupt(); })
                 .wasInterrupted();
    });
  }

  /// Largest k step whose operands fit L0A and L0B, in two versions where
  /// possible. `reserved` columns of zeros are kept free.
  int64_t chooseStep(int64_t m, int64_t n, int64_t k, int64_t elementBytes,
                     bool reserveZeros, int64_t tasks) {
    int64_t reserved = reserveZeros ? kFractal : 0;
    for (int64_t versions : {2 * tasks, int64_t(2), int64_t(1)}) {
      auto limit = [&](ChipMemory memory, int64_t other) {
        int64_t columns = chip.usableBytes(memory) / (other * elementBytes);
        return (columns - reserved) / versions / kFractal * kFractal;
      };
      int64_t step = std::min(
          {limit(ChipMemory::L0A, m), limit(ChipMemory::L0B, n), padded(k)});
      if (step >= kFractal)
        return step;
    }
    return 0;
  }

  LogicalResult lowerGemm(tile::GemmOp gemm) {
    Location loc = gemm.getLoc();
    CubeTile *a = tileOf(gemm.getA()), *b = tileOf(gemm.getB()),
             *c = tileOf(gemm.getC());
    int64_t m = padded(c->rows), n = padded(c->columns);
    int64_t k = gemm.getTransposeA() ? a->rows : a->columns;
    Type element = gemm.getA().getType().getElementType();
    int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
    bool zeros = mayNeedZeros(gemm);
    int64_t tasks = multiplyingTasks(gemm);
    int64_t step = chooseStep(m, n, k, elementBytes, zeros, tasks);
    if (step == 0)
      return gemm.emitError()
             << "operands of T.gemm do not fit L0A and L0B: "
             << tile::getBufferName(gemm.getC()) << " is " << c->rows << "x"
             << c->columns << ", and even a k step of " << kFractal << " takes "
             << m * kFractal * elementBytes << " bytes of L0A (limit "
             << chip.usableBytes(ChipMemory::L0A) << ") and "
             << n * kFractal * elementBytes << " bytes of L0B (limit "
             << chip.usableBytes(ChipMemory::L0B) << "); use a smaller tile";

    auto [aStorage, bStorage] = createOperandTiles(gemm, m, n, step, element);
    const ProductExtents &product = extents[tile::getBuffer(gemm.getC())];
    builder.setInsertionPoint(gemm);
    Value init = initOf(gemm);
    auto [kOfA, kOfB] = depths[gemm];
    Value depth = equal(kOfA, kOfB)
                      ? kOfA
                      : builder.createOrFold<arith::MinSIOp>(loc, kOfA, kOfB);

    if (!isPositive(depth) && constantOf(gemm.getClear()) != 0) {
      Value empty = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::sle, depth, constant(loc, 0));
      auto guard = scf::IfOp::create(
          builder, loc,
          builder.createOrFold<arith::AndIOp>(loc, empty, gemm.getClear()),
          false);
      OpBuilder::InsertionGuard saved(builder);
      builder.setInsertionPointToStart(&guard.getThenRegion().front());
      storeZeros(loc, tile::getBuffer(gemm.getC()));
    }

    auto multiply = [&](Value start, Value extent, Value first) {
      Value zero = constant(loc, 0);
      ascend::LoadL0AOp::create(builder, loc, a->storage.getBuffer(), zero,
                                start, product.m, extent, aStorage,
                                gemm.getTransposeA());
      ascend::LoadL0BOp::create(builder, loc, b->storage.getBuffer(), zero,
                                start, product.n, extent, bStorage,
                                gemm.getTransposeB());
      ascend::MmadOp::create(builder, loc, c->storage.getBuffer(), aStorage,
                             bStorage, product.m, product.n, extent, first);
    };
    if (step >= k) {
      multiply(constant(loc, 0), depth, init);
      return success();
    }
    auto loop = scf::ForOp::create(builder, loc, constant(loc, 0), depth,
                                   constant(loc, step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value start = loop.getInductionVar();
    Value extent;
    if (auto total = constantOf(depth); total && *total % step == 0) {
      extent = constant(loc, step);
    } else {
      Value rest = arith::SubIOp::create(builder, loc, depth, start);
      extent = arith::MinSIOp::create(builder, loc, rest, constant(loc, step));
    }
    Value atStart = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, start, constant(loc, 0));
    multiply(start, extent,
             builder.createOrFold<arith::AndIOp>(loc, atStart, init));
    return success();
  }

  std::pair<Value, Value> createOperandTiles(tile::GemmOp gemm, int64_t m,
                                             int64_t n, int64_t step,
                                             Type element) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(tileOf(gemm.getC())->storage);
    auto create = [&](int64_t rows, int64_t columns, ascend::MemoryKind memory,
                      Value operand) -> Value {
      auto type = MemRefType::get(
          {rows, columns}, element, MemRefLayoutAttrInterface(),
          ascend::MemoryKindAttr::get(builder.getContext(), memory));
      std::string name = tile::getBufferName(operand).str() + "_" +
                         ascend::memoryName(memory).lower();
      auto alloc = ascend::AllocOp::create(builder, gemm.getLoc(), type, name,
                                           1, nullptr, /*temporary=*/true);
      return alloc.getBuffer();
    };
    return {create(m, step, ascend::MemoryKind::L0A, gemm.getA()),
            create(step, n, ascend::MemoryKind::L0B, gemm.getB())};
  }

  //===-- Clearing accumulators ------------------------------------------===//

  /// True when an operation below `op` (or it itself) uses the buffer.
  static bool touches(Operation *op, Value buffer) {
    bool found = false;
    op->walk([&](RegionAccessOpInterface access) {
      llvm::SmallVector<RegionAccess> accesses;
      access.getRegionAccesses(accesses);
      for (const RegionAccess &one : accesses)
        found |= tile::getBuffer(one.target) == buffer;
    });
    return found;
  }

  static Operation *firstToucher(Block::iterator from, Block::iterator to,
                                 Value buffer) {
    for (Operation &op : llvm::make_range(from, to))
      if (touches(&op, buffer))
        return &op;
    return nullptr;
  }

  static bool runsAtLeastOnce(scf::ForOp loop) {
    IndexInterval lower = boundsOf(loop.getLowerBound());
    IndexInterval upper = boundsOf(loop.getUpperBound());
    return lower.upper && upper.lower && *lower.upper < *upper.lower;
  }

  /// The first product after `fill`, if every path from it leads there through
  /// nothing but loops; those loops, outermost first.
  static tile::GemmOp
  followingProduct(tile::FillOp fill,
                   llvm::SmallVectorImpl<scf::ForOp> &loops) {
    Value buffer = tile::getBuffer(fill.getDestination());
    Operation *next = firstToucher(std::next(fill->getIterator()),
                                   fill->getBlock()->end(), buffer);
    while (auto loop = dyn_cast_or_null<scf::ForOp>(next)) {
      loops.push_back(loop);
      next =
          firstToucher(loop.getBody()->begin(), loop.getBody()->end(), buffer);
    }
    return dyn_cast_or_null<tile::GemmOp>(next);
  }

  static bool isPositive(Value value) {
    IndexInterval bounds = boundsOf(value);
    return bounds.lower && *bounds.lower >= 1;
  }

  /// Whether clearing in front of `gemm` may have to store zeros by itself: no
  /// product may run, or one of depth 0, which writes nothing.
  bool mayNeedZeros(tile::GemmOp gemm) {
    Value buffer = tile::getBuffer(gemm.getC());
    auto [kOfA, kOfB] = depths[gemm];
    if (!isPositive(kOfA) || !isPositive(kOfB))
      return true;
    for (Operation *user : buffer.getUsers())
      for (Operation *op : user->getUsers())
        if (auto fill = dyn_cast<tile::FillOp>(op)) {
          llvm::SmallVector<scf::ForOp> loops;
          if (!followingProduct(fill, loops) ||
              !llvm::all_of(loops, runsAtLeastOnce))
            return true;
        }
    return false;
  }

  LogicalResult lowerClear(tile::FillOp fill) {
    Location loc = fill.getLoc();
    Value buffer = tile::getBuffer(fill.getDestination());
    if (!tile::coversBuffer(fill.getDestination()))
      return fill.emitError()
             << "unsupported: clearing a part of "
             << tile::describeBuffer(buffer) << ", an accumulator of T.gemm";
    llvm::SmallVector<scf::ForOp> loops;
    tile::GemmOp gemm = followingProduct(fill, loops);
    builder.setInsertionPoint(fill);
    // One loop that may run zero times is tested here; deeper nests of such
    // loops store zeros first.
    bool absorbed =
        gemm && (llvm::all_of(loops, runsAtLeastOnce) || loops.size() == 1);
    if (!absorbed) {
      storeZeros(loc, buffer);
      return success();
    }
    clearedBy[gemm].push_back(loops);
    builder.setInsertionPoint(loops.empty() ? gemm.getOperation()
                                            : loops.front().getOperation());
    Value empty;
    auto addCase = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      Value one = arith::CmpIOp::create(builder, loc, predicate, a, b);
      empty = empty ? arith::OrIOp::create(builder, loc, empty, one) : one;
    };
    for (scf::ForOp loop : loops)
      if (!runsAtLeastOnce(loop))
        addCase(arith::CmpIPredicate::sge, loop.getLowerBound(),
                loop.getUpperBound());
    // The product that would start from zero writes nothing where its operands
    // lie outside their tensors.
    auto [kOfA, kOfB] = depths[gemm];
    bool always = false;
    FirstIteration first(builder, loops);
    for (Value depth : {kOfA, kOfB}) {
      if (isPositive(depth))
        continue;
      Value atStart = first.valueOf(depth);
      if (!atStart)
        always = true;
      else if (!isPositive(atStart))
        addCase(arith::CmpIPredicate::sle, atStart, constant(loc, 0));
    }
    if (always) {
      storeZeros(loc, buffer);
    } else if (empty) {
      auto guard = scf::IfOp::create(builder, loc, empty, false);
      OpBuilder::InsertionGuard saved(builder);
      builder.setInsertionPointToStart(&guard.getThenRegion().front());
      storeZeros(loc, buffer);
    }
    first.eraseUnused();
    return success();
  }

  /// 0 = 0 x 0: L0C has no other way to be cleared.
  void storeZeros(Location loc, Value buffer) {
    CubeTile *tile = tileOf(buffer);
    Type element = Float16Type::get(builder.getContext());
    auto alloc = [&](int64_t rows, int64_t columns, ascend::MemoryKind memory) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfter(tile->storage);
      auto type = MemRefType::get(
          {rows, columns}, element, MemRefLayoutAttrInterface(),
          ascend::MemoryKindAttr::get(builder.getContext(), memory));
      auto op = ascend::AllocOp::create(
          builder, loc, type, "zeros_" + ascend::memoryName(memory).lower(), 1,
          nullptr,
          /*temporary=*/true);
      return op.getBuffer();
    };
    Value a = alloc(padded(tile->rows), kFractal, ascend::MemoryKind::L0A);
    Value b = alloc(kFractal, padded(tile->columns), ascend::MemoryKind::L0B);
    ascend::ZeroL0Op::create(builder, loc, a);
    ascend::ZeroL0Op::create(builder, loc, b);
    const ProductExtents &product = extents[buffer];
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    ascend::MmadOp::create(builder, loc, tile->storage.getBuffer(), a, b,
                           product.m, product.n, constant(loc, kFractal), yes);
  }

  /// When the product starts from zero instead of what L0C holds.
  Value initOf(tile::GemmOp gemm) {
    Location loc = gemm.getLoc();
    Value init = gemm.getClear();
    auto found = clearedBy.find(gemm);
    if (found == clearedBy.end())
      return init;
    for (const llvm::SmallVector<scf::ForOp> &loops : found->second) {
      Value first = arith::ConstantIntOp::create(builder, loc, 1, 1);
      for (scf::ForOp loop : loops) {
        Value atStart =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                  loop.getInductionVar(), loop.getLowerBound());
        first = builder.createOrFold<arith::AndIOp>(loc, first, atStart);
      }
      init = builder.createOrFold<arith::OrIOp>(loc, init, first);
    }
    return init;
  }

  //===-- Stores and scalars ---------------------------------------------===//

  LogicalResult lowerStore(tile::CopyOp copy) {
    Location loc = copy.getLoc();
    CubeTile *source = tileOf(copy.getSource());
    if (!source || !tile::coversBuffer(copy.getSource()))
      return copy.emitError() << "unsupported: storing a part of "
                              << tile::describeBuffer(copy.getSource())
                              << "; store the whole accumulator";
    Value buffer = tile::getBuffer(copy.getSource());
    if (!extents.contains(buffer))
      return copy.emitError() << tile::describeBuffer(buffer)
                              << " is stored but no T.gemm computes it";
    builder.setInsertionPoint(copy);
    FailureOr<GlobalTile> destination = describeGlobalTile(
        builder, tile::getRegionOp(copy.getDestination()), copy);
    if (failed(destination))
      return failure();
    if (destination->tileRows != source->rows ||
        destination->tileColumns != source->columns)
      return copy.emitError()
             << "unsupported: a copy that changes the shape from "
             << source->rows << "x" << source->columns << " to "
             << destination->tileRows << "x" << destination->tileColumns;
    const ProductExtents &product = extents[buffer];
    auto minimum = [&](Value a, Value b, int64_t whole) -> Value {
      // Nothing to clip where one side is the whole tile.
      if (constantOf(b) == whole || equal(a, b))
        return a;
      if (constantOf(a) == whole)
        return b;
      return arith::MinSIOp::create(builder, loc, a, b);
    };
    ascend::FixpipeOp::create(
        builder, loc, source->storage.getBuffer(), destination->buffer,
        destination->offset,
        minimum(destination->rows, product.m, source->rows),
        minimum(destination->columns, product.n, source->columns),
        destination->stride, product.m, /*relu=*/false, copy.getAtomic());
    return success();
  }

  /// A scalar of global memory; 0 outside its buffer.
  LogicalResult lowerScalarLoad(tile::LoadOp load) {
    Location loc = load.getLoc();
    builder.setInsertionPoint(load);
    auto type = cast<MemRefType>(load.getBuffer().getType());
    Value offset = constant(loc, 0);
    Value inside;
    for (auto [index, extent] : llvm::zip(load.getIndices(), type.getShape())) {
      offset = builder.createOrFold<arith::AddIOp>(
          loc,
          builder.createOrFold<arith::MulIOp>(loc, offset,
                                              constant(loc, extent)),
          index);
      IndexInterval bounds = boundsOf(index);
      auto require = [&](arith::CmpIPredicate predicate, int64_t limit) {
        Value test = arith::CmpIOp::create(builder, loc, predicate, index,
                                           constant(loc, limit));
        inside =
            inside ? arith::AndIOp::create(builder, loc, inside, test) : test;
      };
      if (!bounds.lower || *bounds.lower < 0)
        require(arith::CmpIPredicate::sge, 0);
      if (!bounds.upper || *bounds.upper >= extent)
        require(arith::CmpIPredicate::slt, extent);
    }
    Type resultType = load.getResult().getType();
    auto read = [&]() -> Value {
      return ascend::GetValueOp::create(builder, loc, resultType,
                                        load.getBuffer(), offset);
    };
    if (!inside) {
      load.getResult().replaceAllUsesWith(read());
      return success();
    }
    auto guard = scf::IfOp::create(builder, loc, resultType, inside, true);
    builder.setInsertionPointToStart(&guard.getThenRegion().front());
    scf::YieldOp::create(builder, loc, read());
    builder.setInsertionPointToStart(&guard.getElseRegion().front());
    Value zero = arith::ConstantOp::create(builder, loc,
                                           builder.getZeroAttr(resultType));
    scf::YieldOp::create(builder, loc, zero);
    load.getResult().replaceAllUsesWith(guard.getResult(0));
    return success();
  }

  void eraseDeadTileOps(Block &body) {
    llvm::SmallVector<Operation *> dead;
    body.walk([&](tile::RegionOp region) { dead.push_back(region); });
    for (Operation *op : dead)
      if (op->use_empty())
        op->erase();
    for (auto alloc : llvm::to_vector(body.getOps<tile::AllocOp>()))
      if (alloc.getBuffer().use_empty())
        alloc.erase();
    // Storage of tiles that nothing uses takes no room.
    for (auto alloc : llvm::to_vector(body.getOps<ascend::AllocOp>()))
      if (alloc.getBuffer().use_empty())
        alloc.erase();
  }

  ascend::KernelOp kernel;
  const Chip &chip;
  OpBuilder builder;
  bool readsOutside = false;
  llvm::MapVector<Value, CubeTile> tiles;
  llvm::DenseMap<Value, ProductExtents> extents;
  llvm::DenseMap<Operation *, std::pair<Value, Value>> depths;
  llvm::DenseMap<Operation *, llvm::SmallVector<llvm::SmallVector<scf::ForOp>>>
      clearedBy;
};

struct LowerCubePass : impl::AscendLowerCubeBase<LowerCubePass> {
  using Base::Base;

  void runOnOperation() override {
    const Chip *description =
        ascend::getChip(getOperation(), chip, chipDirectory);
    if (!description)
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](ascend::KernelOp kernel) {
      return failed(LowerCube(kernel, *description).run())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tilelang
