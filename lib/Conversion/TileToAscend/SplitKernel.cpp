//===- SplitKernel.cpp - One program for each core type -------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Copies the kernel's body twice and keeps in each copy what its core type runs
// and the scalars and loops around it. The copies are wrapped in a loop that
// deals grid blocks to the cores that are there.
//
//===----------------------------------------------------------------------===//

#include "tilelang/Chip/Chip.h"
#include "tilelang/Conversion/TileToAscend/Passes.h"
#include "tilelang/Dialect/Ascend/IR/AscendDialect.h"
#include "tilelang/Dialect/Ascend/Transforms/ChipCache.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "tilelang/Support/IndexBounds.h"

using namespace mlir;

namespace tilelang {
#define GEN_PASS_DEF_ASCENDSPLITKERNEL
#include "tilelang/Conversion/TileToAscend/Passes.h.inc"

namespace {

enum class Unit { Cube, Vector };

/// Constant extents, row-major: the shape is part of the parameter's type.
bool hasConstantShape(MemRefType type) {
  return type.hasStaticShape() && type.getLayout().isIdentity();
}

StringRef attributeOf(Unit unit) { return unit == Unit::Cube ? "aic" : "aiv"; }

/// Builds the program of one core type in a region of the kernel.
class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp function, tile::KernelOp source, Unit unit,
                 Block *body)
      : function(function), source(source), unit(unit), body(body),
        builder(OpBuilder::atBlockEnd(body)) {}

  LogicalResult build() {
    for (auto [index, argument] : llvm::enumerate(function.getArguments()))
      mapping.map(argument, body->getArgument(index));
    declareBuffers();
    // Scalars the host side of the function computes.
    for (Operation &op : *source->getBlock()) {
      if (&op == source)
        break;
      if (failed(cloneOperation(op)))
        return failure();
    }
    if (failed(buildGridLoop()))
      return failure();
    ascend::EndOp::create(builder, source.getLoc());
    return success();
  }

private:
  /// On-chip buffers of this core type and workspaces stand at the top.
  void declareBuffers() {
    source.walk([&](tile::AllocOp alloc) {
      auto memory = alloc->getAttrOfType<ascend::MemoryKindAttr>(kMemoryAttr);
      if (!memory)
        return;
      auto type = cast<MemRefType>(alloc.getBuffer().getType());
      auto placed = MemRefType::get(type.getShape(), type.getElementType(),
                                    MemRefLayoutAttrInterface(), memory);
      switch (memory.getValue()) {
      case ascend::MemoryKind::GM: {
        auto id = alloc->getAttrOfType<IntegerAttr>(kWorkspaceAttr);
        auto workspace = ascend::WorkspaceOp::create(
            builder, alloc.getLoc(), placed, id.getInt(), alloc.getName(), 1,
            nullptr);
        mapping.map(alloc.getBuffer(), workspace.getBuffer());
        return;
      }
      case ascend::MemoryKind::L1:
      case ascend::MemoryKind::L0C:
        if (unit != Unit::Cube)
          return;
        break;
      default:
        if (unit != Unit::Vector)
          return;
        break;
      }
      auto copy = tile::AllocOp::create(builder, alloc.getLoc(), placed,
                                        alloc.getName());
      mapping.map(alloc.getBuffer(), copy.getBuffer());
    });
  }

  LogicalResult buildGridLoop() {
    Location loc = source.getLoc();
    llvm::SmallVector<Value> extents;
    for (Value extent : source.getGrid())
      extents.push_back(mapping.lookup(extent));
    Value total = extents.front();
    for (Value extent : ArrayRef(extents).drop_front())
      total = builder.createOrFold<arith::MulIOp>(loc, total, extent);
    Value first =
        ascend::BlockIdxOp::create(builder, loc, builder.getIndexType());
    Value step =
        ascend::BlockNumOp::create(builder, loc, builder.getIndexType());
    auto loop = scf::ForOp::create(builder, loc, first, total, step);
    loop->setAttr(ascend::kGridLoopAttr, builder.getUnitAttr());
    // Without blocks there is nothing to lower, and index arithmetic would
    // divide by zero.
    if (constantOf(total) == 0)
      return success();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());

    // The first grid dimension varies fastest.
    Value rest = loop.getInductionVar();
    if (workDependsOnBlock())
      rest = backAndForth(loc, rest, step, total);
    llvm::SmallVector<Value> blocks;
    int64_t height = bandHeight();
    if (height > 1) {
      int64_t columns = *constantOf(source.getGrid()[0]);
      int64_t rows = *constantOf(source.getGrid()[1]);
      Value plane = rest;
      if (extents.size() > 2) {
        Value size = constant(loc, rows * columns);
        plane = arith::RemUIOp::create(builder, loc, rest, size);
        rest = arith::DivUIOp::create(builder, loc, rest, size);
      }
      auto [column, row] = bandOrder(loc, plane, columns, height);
      blocks = {column, row};
    }
    for (size_t index = blocks.size(); index < extents.size(); ++index) {
      Value block = rest;
      if (index + 1 < extents.size()) {
        block = builder.createOrFold<arith::RemUIOp>(loc, rest, extents[index]);
        rest = builder.createOrFold<arith::DivUIOp>(loc, rest, extents[index]);
      }
      blocks.push_back(block);
    }
    for (auto [index, block] : llvm::enumerate(blocks))
      mapping.map(source.getBody().getArgument(index), block);
    return cloneBlock(source.getBody().front());
  }

  Value constant(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// True if there are more blocks than cores and how often a loop of the body
  /// runs is computed from the number of the block, as in causal attention.
  bool workDependsOnBlock() {
    int64_t total = 1;
    for (Value extent : source.getGrid()) {
      std::optional<int64_t> constant = constantOf(extent);
      total = constant && total ? total * *constant : 0;
    }
    int64_t cores = cast<ascend::KernelOp>(body->getParentOp()).getBlockDim();
    if (total && total <= cores)
      return false;
    return source
        .walk([&](tile::ForOp loop) {
          return llvm::any_of(loop->getOperands(),
                              [&](Value bound) { return isOfBlock(bound, 8); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether arithmetic, and nothing read from memory, makes a value of the
  /// number of the block. The limit bounds the cost of sharing.
  bool isOfBlock(Value value, unsigned depth) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == &source.getBody().front();
    Operation *op = value.getDefiningOp();
    return depth && isa<arith::ArithDialect>(op->getDialect()) &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return isOfBlock(operand, depth - 1);
           });
  }

  /// Deals the blocks to the cores back and forth: where work grows with the
  /// number of the block, the last core gets the most of one round and the
  /// least of the next. The set of blocks in a round stays the same.
  Value backAndForth(Location loc, Value number, Value cores, Value total) {
    Value round = arith::DivUIOp::create(builder, loc, number, cores);
    Value base = arith::MulIOp::create(builder, loc, round, cores);
    Value left = arith::SubIOp::create(builder, loc, total, base);
    Value isShort = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, left, cores);
    Value width = arith::SelectOp::create(builder, loc, isShort, left, cores);
    Value sum = arith::AddIOp::create(
        builder, loc, arith::AddIOp::create(builder, loc, base, base), width);
    Value one = constant(loc, 1);
    Value mirrored = arith::SubIOp::create(
        builder, loc, sum, arith::AddIOp::create(builder, loc, number, one));
    // Never taken; they keep the number provably inside the grid.
    mirrored = arith::MaxSIOp::create(builder, loc, mirrored, constant(loc, 0));
    Value last = arith::SubIOp::create(builder, loc, total, one);
    mirrored = arith::MinSIOp::create(builder, loc, mirrored, last);
    Value isOdd = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq,
        arith::RemUIOp::create(builder, loc, round, constant(loc, 2)), one);
    return arith::SelectOp::create(builder, loc, isOdd, mirrored, number);
  }

  /// Rows of a band of blocks that are worked on together, 1 where the order
  /// stays as written. Products of one row of blocks share A, of one column B:
  /// a band that is about as high as wide reads both less often from memory.
  int64_t bandHeight() {
    constexpr int64_t highest = 6; // 24 cores work on 4 x 6 to 6 x 4 blocks
    if (source.getGrid().size() < 2)
      return 1;
    bool hasProduct =
        source.walk([](tile::GemmOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    std::optional<int64_t> columns = constantOf(source.getGrid()[0]);
    std::optional<int64_t> rows = constantOf(source.getGrid()[1]);
    if (!hasProduct || !columns || !rows || *columns < 2)
      return 1;
    // Bands of equal height keep every index provably inside the grid.
    for (int64_t height = highest; height > 1; --height)
      if (*rows % height == 0)
        return height;
    return 1;
  }

  /// Column and row of block number `index`: down a band of `height` rows, then
  /// the next column; every other band runs backwards, so that it starts with
  /// the columns that were used last.
  std::pair<Value, Value> bandOrder(Location loc, Value index, int64_t columns,
                                    int64_t height) {
    Value size = constant(loc, height * columns);
    Value rows = constant(loc, height);
    Value band = arith::DivUIOp::create(builder, loc, index, size);
    Value inBand = arith::RemUIOp::create(builder, loc, index, size);
    Value row = arith::AddIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, band, rows),
        arith::RemUIOp::create(builder, loc, inBand, rows));
    Value forward = arith::DivUIOp::create(builder, loc, inBand, rows);
    Value backward = arith::SubIOp::create(builder, loc,
                                           constant(loc, columns - 1), forward);
    Value odd = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq,
        arith::RemUIOp::create(builder, loc, band, constant(loc, 2)),
        constant(loc, 1));
    return {arith::SelectOp::create(builder, loc, odd, backward, forward), row};
  }

  LogicalResult cloneBlock(Block &block) {
    for (Operation &op : block)
      if (failed(cloneOperation(op)))
        return failure();
    return success();
  }

  bool belongsElsewhere(Operation &op) const {
    auto attribute = op.getAttrOfType<StringAttr>(kUnitAttr);
    return attribute && attribute.getValue() != attributeOf(unit);
  }

  /// Values of the other core type are not available here.
  bool operandsAvailable(Operation &op) {
    bool available = true;
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Operation *owner = operand.getParentRegion()->getParentOp();
        if (!op.isAncestor(owner) && !mapping.contains(operand))
          available = false;
      }
    });
    return available;
  }

  LogicalResult cloneOperation(Operation &op) {
    if (isa<tile::TensorOp>(op)) {
      auto tensor = cast<tile::TensorOp>(op);
      Value parameter = mapping.lookup(tensor.getPointer());
      mapping.map(tensor.getBuffer(), parameter);
      auto type = cast<MemRefType>(tensor.getBuffer().getType());
      if (hasConstantShape(type))
        return success();
      llvm::SmallVector<Value> sizes, strides;
      for (Value size : tensor.getSizes())
        sizes.push_back(mapping.lookup(size));
      for (Value stride : tensor.getStrides())
        strides.push_back(mapping.lookup(stride));
      auto shaped = MemRefType::get(
          type.getShape(), type.getElementType(), type.getLayout(),
          cast<MemRefType>(parameter.getType()).getMemorySpace());
      mapping.map(tensor.getBuffer(),
                  ascend::TensorOp::create(builder, op.getLoc(), shaped,
                                           parameter, sizes, strides));
      return success();
    }
    if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
      if (!alloc->hasAttr(kMemoryAttr))
        cloneVariable(alloc);
      return success();
    }
    if (belongsElsewhere(op))
      return success();
    if (auto loop = dyn_cast<tile::ForOp>(op))
      return cloneLoop(loop);
    if (isa<scf::IfOp>(op))
      return cloneRegions(op);
    if (isa<tile::YieldOp>(op))
      return success();
    if (!operandsAvailable(op)) {
      if (op.hasAttr(kUnitAttr) && !isa<tile::RegionOp>(op))
        return op.emitError()
               << "unsupported: this operation of the "
               << (unit == Unit::Cube ? "Cube" : "Vector")
               << " core needs a scalar that the other core type computes";
      return success();
    }
    if (auto load = dyn_cast<tile::LoadOp>(op);
        load && isVariable(load.getBuffer())) {
      Value copy = memref::LoadOp::create(builder, op.getLoc(),
                                          mapping.lookup(load.getBuffer()));
      mapping.map(load.getResult(), copy);
      return success();
    }
    if (auto store = dyn_cast<tile::StoreOp>(op);
        store && isVariable(store.getBuffer())) {
      memref::StoreOp::create(builder, op.getLoc(),
                              mapping.lookup(store.getValue()),
                              mapping.lookup(store.getBuffer()));
      return success();
    }
    builder.clone(op, mapping)->removeAttr(kUnitAttr);
    return success();
  }

  static bool isVariable(Value buffer) {
    auto scope = dyn_cast_or_null<tile::ScopeKindAttr>(
        cast<MemRefType>(buffer.getType()).getMemorySpace());
    return scope && scope.getValue() == tile::ScopeKind::Var;
  }

  /// A scalar variable of the program is one of each core's program too.
  void cloneVariable(tile::AllocOp alloc) {
    auto type = cast<MemRefType>(alloc.getBuffer().getType());
    auto variable = memref::AllocaOp::create(
        builder, alloc.getLoc(), MemRefType::get({}, type.getElementType()));
    variable->setAttr("name", builder.getStringAttr(alloc.getName()));
    mapping.map(alloc.getBuffer(), variable);
  }

  LogicalResult cloneRegions(Operation &op) {
    for (Value operand : op.getOperands())
      if (!mapping.contains(operand))
        return success(); // a condition of the other core type
    Operation *copy = builder.cloneWithoutRegions(op, mapping);
    for (auto [from, to] : llvm::zip(op.getRegions(), copy->getRegions())) {
      if (from.empty())
        continue;
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&to);
      if (failed(cloneBlock(from.front())))
        return failure();
    }
    return success();
  }

  LogicalResult cloneLoop(tile::ForOp loop) {
    Location loc = loop.getLoc();
    for (Value operand : loop->getOperands())
      if (!mapping.contains(operand))
        return loop.emitError()
               << "unsupported: a bound of this loop is computed by the other "
                  "core type";
    Value lower = mapping.lookup(loop.getLower());
    Value upper = mapping.lookup(loop.getUpper());
    Value step = mapping.lookup(loop.getStep());
    std::optional<int64_t> constantStep = constantOf(loop.getStep());
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);

    // scf.for counts upwards by a positive step; other loops count trips.
    bool direct = constantStep && *constantStep > 0;
    scf::ForOp copy;
    if (direct) {
      copy = scf::ForOp::create(builder, loc, lower, upper, step);
    } else {
      Value distance = arith::SubIOp::create(builder, loc, upper, lower);
      Value trips = arith::CeilDivSIOp::create(builder, loc, distance, step);
      copy = scf::ForOp::create(builder, loc, zero, trips, one);
    }
    if (loop.getStages() > 0)
      copy->setAttr(ascend::kStagesAttr,
                    builder.getI64IntegerAttr(loop.getStages()));
    else if (loop.getKind() == tile::LoopKind::Pipelined)
      copy->setAttr(ascend::kStagesAttr, builder.getI64IntegerAttr(1));

    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(copy.getBody());
    Value variable = copy.getInductionVar();
    if (!direct) {
      Value offset = arith::MulIOp::create(builder, loc, variable, step);
      variable = arith::AddIOp::create(builder, loc, lower, offset);
    }
    mapping.map(loop.getBody().getArgument(0), variable);
    return cloneBlock(loop.getBody().front());
  }

  func::FuncOp function;
  tile::KernelOp source;
  Unit unit;
  Block *body;
  OpBuilder builder;
  IRMapping mapping;
};

class SplitKernel {
public:
  SplitKernel(func::FuncOp function, const Chip &chip)
      : function(function), chip(chip) {}

  LogicalResult run() {
    llvm::SmallVector<tile::KernelOp> kernels;
    function.walk([&](tile::KernelOp kernel) { kernels.push_back(kernel); });
    if (kernels.empty())
      return function.emitError()
             << "the program launches nothing: expected one `with "
                "T.Kernel(...)`, found none";
    if (kernels.size() > 1) {
      InFlightDiagnostic diagnostic =
          kernels[1].emitError()
          << "unsupported: a second T.Kernel in one program";
      diagnostic.attachNote(kernels[0].getLoc()) << "the first is here";
      return diagnostic;
    }
    return split(kernels.front());
  }

private:
  LogicalResult split(tile::KernelOp source) {
    llvm::SmallVector<Type> parameterTypes;
    llvm::SmallVector<Attribute> names;
    if (failed(collectParameters(source, parameterTypes, names)))
      return failure();

    bool usesCube = false, usesVector = false;
    source.walk([&](Operation *op) {
      if (auto unit = op->getAttrOfType<StringAttr>(kUnitAttr)) {
        usesCube |= unit.getValue() == attributeOf(Unit::Cube);
        usesVector |= unit.getValue() == attributeOf(Unit::Vector);
      }
    });
    ascend::KernelKind kind = usesCube && usesVector ? ascend::KernelKind::Mixed
                              : usesCube ? ascend::KernelKind::CubeOnly
                                         : ascend::KernelKind::VectorOnly;

    OpBuilder builder(function);
    auto kernel = ascend::KernelOp::create(
        builder, function.getLoc(), function.getSymName(),
        builder.getArrayAttr(names), kind, blockDim(source, kind));
    for (auto [unit, region, used] :
         {std::tuple(Unit::Cube, &kernel.getAic(), usesCube),
          std::tuple(Unit::Vector, &kernel.getAiv(),
                     usesVector || !usesCube)}) {
      Block *body = builder.createBlock(region);
      for (Type type : parameterTypes)
        body->addArgument(type, function.getLoc());
      if (!used) {
        builder.setInsertionPointToEnd(body);
        ascend::EndOp::create(builder, function.getLoc());
        continue;
      }
      if (failed(ProgramBuilder(function, source, unit, body).build()))
        return failure();
    }
    function.erase();
    return success();
  }

  LogicalResult collectParameters(tile::KernelOp source,
                                  llvm::SmallVectorImpl<Type> &types,
                                  llvm::SmallVectorImpl<Attribute> &names) {
    MLIRContext *context = function.getContext();
    auto global = ascend::MemoryKindAttr::get(context, ascend::MemoryKind::GM);
    for (BlockArgument argument : function.getArguments()) {
      std::string name = "arg" + std::to_string(argument.getArgNumber());
      if (auto given = function.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), "tile.name"))
        name = given.str();
      Type type = argument.getType();
      if (auto pointer = dyn_cast<tile::PtrType>(type)) {
        MemRefType buffer =
            MemRefType::get({ShapedType::kDynamic}, pointer.getElementType(),
                            MemRefLayoutAttrInterface(), global);
        for (Operation *user : argument.getUsers())
          if (auto tensor = dyn_cast<tile::TensorOp>(user)) {
            auto tensorType = cast<MemRefType>(tensor.getBuffer().getType());
            name = tensor.getName().str();
            if (!hasConstantShape(tensorType))
              continue; // its shape is an operation of each program
            buffer = MemRefType::get(tensorType.getShape(),
                                     tensorType.getElementType(),
                                     MemRefLayoutAttrInterface(), global);
          }
        type = buffer;
      }
      types.push_back(type);
      names.push_back(StringAttr::get(context, name));
    }
    return success();
  }

  /// As many blocks as there is work for, at most as many as there are cores.
  int64_t blockDim(tile::KernelOp source, ascend::KernelKind kind) {
    int64_t cores = chip.aicCount;
    if (kind == ascend::KernelKind::VectorOnly)
      cores *= chip.aivPerAic;
    int64_t total = 1;
    for (Value extent : source.getGrid()) {
      std::optional<int64_t> constant = constantOf(extent);
      if (!constant)
        return cores;
      total *= *constant;
    }
    return std::clamp<int64_t>(total, 1, cores);
  }

  func::FuncOp function;
  const Chip &chip;
};

struct SplitKernelPass : impl::AscendSplitKernelBase<SplitKernelPass> {
  using Base::Base;

  void runOnOperation() override {
    const Chip *description =
        ascend::getChip(getOperation(), chip, chipDirectory);
    if (!description)
      return signalPassFailure();
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(SplitKernel(function, *description).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tilelang
