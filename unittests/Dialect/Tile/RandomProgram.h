//===- RandomProgram.h - Parallel bodies by chance -----------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef TILELANG_UNITTESTS_DIALECT_TILE_RANDOMPROGRAM_H
#define TILELANG_UNITTESTS_DIALECT_TILE_RANDOMPROGRAM_H

#include <cstdint>
#include <string>

namespace tilelang::tile::testing {

/// How many index arguments and buffers the programs below take: `%s`, `%t`
/// (small, possibly negative) and `%A`, `%B` (64), `%M` (24 x 24), `%I` (64
/// indices into A), `%G` (6 x 6, global, may be left on all sides).
inline constexpr unsigned randomIndexCount = 2;

/// A function with one `tile.parallel` in it, the same for the same seed.
std::string makeRandomParallel(uint64_t seed);

/// A function of copies, fills and maps on a few small buffers, in loops and
/// branches.
std::string makeRandomTileProgram(uint64_t seed);

} // namespace tilelang::tile::testing

#endif // TILELANG_UNITTESTS_DIALECT_TILE_RANDOMPROGRAM_H
