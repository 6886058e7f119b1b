//===- AscendTensorOps.cpp - Tensors of run-time shape --------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifierUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tilelang/Dialect/Ascend/IR/GlobalShape.h"

using namespace mlir;
using namespace tilelang;
using namespace tilelang::ascend;
using namespace tilelang::ascend::verify;

LogicalResult TensorOp::verify() {
  if (failed(
          verifyMemory(*this, "parameter", getParameter(), MemoryKind::GM)) ||
      failed(verifyMemory(*this, "tensor", getBuffer(), MemoryKind::GM)) ||
      failed(verifySameElementType(*this, "tensor", getBuffer(), "parameter",
                                   getParameter())))
    return failure();
  auto type = cast<MemRefType>(getBuffer().getType());
  size_t dynamicSizes = type.getNumDynamicDims();
  if (getSizes().size() != dynamicSizes)
    return emitOpError() << "expected " << dynamicSizes
                         << " sizes, one for each dynamic dimension of " << type
                         << ", found " << getSizes().size();
  size_t dynamicStrides = 0;
  if (!type.getLayout().isIdentity()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return emitOpError() << "expected a strided layout, found " << type;
    dynamicStrides = llvm::count(strides, ShapedType::kDynamic);
  }
  if (getStrides().size() != dynamicStrides)
    return emitOpError() << "expected " << dynamicStrides
                         << " strides, one for each dynamic stride of " << type
                         << ", found " << getStrides().size();
  return success();
}

/// Constants from the type, values in order for what it leaves open.
static SmallVector<OpFoldResult>
mixed(Builder &builder, ArrayRef<int64_t> constants, ValueRange values) {
  SmallVector<OpFoldResult> result;
  unsigned next = 0;
  for (int64_t constant : constants)
    if (ShapedType::isDynamic(constant))
      result.push_back(values[next++]);
    else
      result.push_back(builder.getIndexAttr(constant));
  return result;
}

GlobalShape ascend::globalShapeOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  OpBuilder builder(buffer.getContext());
  auto tensor = buffer.getDefiningOp<TensorOp>();
  GlobalShape shape;
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isStrided = succeeded(type.getStridesAndOffset(strides, offset));
  assert(isStrided && "a tensor without strides");
  (void)isStrided;
  if (!tensor) {
    shape.sizes = mixed(builder, type.getShape(), {});
    shape.strides = mixed(builder, strides, {});
    return shape;
  }
  shape.sizes = mixed(builder, type.getShape(), tensor.getSizes());
  if (!type.getLayout().isIdentity()) {
    shape.strides = mixed(builder, strides, tensor.getStrides());
    return shape;
  }
  builder.setInsertionPointAfter(tensor);
  shape.strides.assign(type.getRank(), builder.getIndexAttr(1));
  for (int64_t dimension = type.getRank() - 2; dimension >= 0; --dimension) {
    if (!ShapedType::isDynamic(strides[dimension])) {
      shape.strides[dimension] = builder.getIndexAttr(strides[dimension]);
      continue;
    }
    Value inner =
        asValue(builder, tensor.getLoc(), shape.strides[dimension + 1]);
    Value product =
        scaled(builder, tensor.getLoc(), inner, shape.sizes[dimension + 1]);
    shape.strides[dimension] = product;
    if (Operation *op = product.getDefiningOp();
        op && op->getBlock() == tensor->getBlock() &&
        tensor->isBeforeInBlock(op))
      builder.setInsertionPointAfter(op);
  }
  return shape;
}

Value ascend::runTimeSizeOf(Value buffer, unsigned dimension) {
  auto tensor = buffer.getDefiningOp<TensorOp>();
  auto type = cast<MemRefType>(buffer.getType());
  if (!tensor || !type.isDynamicDim(dimension))
    return {};
  return tensor.getSizes()[type.getDynamicDimIndex(dimension)];
}

Value ascend::asValue(OpBuilder &builder, Location location,
                      OpFoldResult number) {
  if (auto value = dyn_cast<Value>(number))
    return value;
  return arith::ConstantIndexOp::create(builder, location,
                                        *getConstantIntValue(number));
}

Value ascend::scaled(OpBuilder &builder, Location location, Value value,
                     OpFoldResult factor) {
  std::optional<int64_t> constant = getConstantIntValue(factor);
  std::optional<int64_t> known = getConstantIntValue(OpFoldResult(value));
  if (constant == 1)
    return value;
  if (known == 1)
    return asValue(builder, location, factor);
  if (constant && known)
    return arith::ConstantIndexOp::create(builder, location,
                                          *constant * *known);
  if (constant == 0 || known == 0)
    return arith::ConstantIndexOp::create(builder, location, 0);
  return arith::MulIOp::create(builder, location, value,
                               asValue(builder, location, factor));
}

void ascend::removeTensors(Region &program) {
  for (TensorOp tensor : llvm::to_vector(program.front().getOps<TensorOp>())) {
    tensor.getBuffer().replaceAllUsesWith(tensor.getParameter());
    tensor.erase();
  }
}
