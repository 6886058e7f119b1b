//===- LowerMap.cpp - A map as vector instructions ------------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "VectorExpression.h"
#include "VectorLowering.h"

using namespace mlir;

namespace tilelang::vectorcore {

LogicalResult lowerMap(VectorContext &context, tile::MapOp map) {
  std::string reason;
  std::optional<MapGeometry> geometry =
      computeGeometry(map, context.layouts, reason);
  std::optional<Program> program;
  if (geometry)
    program = ExpressionBuilder(map, *geometry).build(reason);
  if (!program)
    return lowerMapToScalarLoop(context, map, reason);
  Assignment assignment = assignRegisters(*program, *geometry);
  OpBuilder builder(map);
  ProgramEmitter(context, builder, map, *geometry, *program, assignment).emit();
  map.erase();
  return failure(context.failed);
}

int64_t temporaryBytes(tile::MapOp map, const TileLayouts &layouts) {
  std::string reason;
  std::optional<MapGeometry> geometry = computeGeometry(map, layouts, reason);
  if (!geometry)
    return 0;
  std::optional<Program> program =
      ExpressionBuilder(map, *geometry).build(reason);
  if (!program)
    return 0;
  return assignRegisters(*program, *geometry).bytes();
}

} // namespace tilelang::vectorcore
