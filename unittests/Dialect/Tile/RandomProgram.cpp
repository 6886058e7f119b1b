//===- RandomProgram.cpp - Parallel bodies by chance ---------------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"

#include <random>
#include <vector>

using namespace tilelang::tile::testing;

namespace {

constexpr const char *types = R"(
!v = memref<64xi32, #tile.scope<shared>>
!m = memref<24x24xi32, #tile.scope<shared>>
!g = memref<6x6xi32, #tile.scope<global>>
!one = memref<1xi32, #tile.scope<local>>
!small = memref<4x4xi32, #tile.scope<shared>>
!r = !tile.region<4x4xi32>
!h = !tile.region<2x4xi32>
)";

/// Writes the text of a program.
class Writer {
public:
  explicit Writer(uint64_t seed) : random(seed) {}

protected:
  int pick(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  }
  bool chance(int percent) { return pick(1, 100) <= percent; }
  std::string fresh() { return "%v" + std::to_string(next++); }
  void line(const std::string &statement) { text += "  " + statement + "\n"; }
  std::string define(const std::string &expression) {
    std::string name = fresh();
    line(name + " = " + expression);
    return name;
  }
  std::string constant(int value, const std::string &type = "index") {
    return define("arith.constant " + std::to_string(value) + " : " + type);
  }
  std::string binary(const std::string &op, const std::string &a,
                     const std::string &b, const std::string &type = "index") {
    return define("arith." + op + " " + a + ", " + b + " : " + type);
  }

  std::mt19937_64 random;
  std::string text = types;
  unsigned next = 0;
};

class ParallelWriter : public Writer {
public:
  using Writer::Writer;

  std::string write() {
    rank = pick(1, 2);
    line("func.func @main(%s: index, %t: index, %A: !v, %B: !v, %M: !m, "
         "%I: !v, %G: !g) {");
    line("%L = tile.alloc {name = \"L\"} : !one");
    line("%zero = arith.constant 0 : index");
    std::string extents, arguments;
    for (int d = 0; d < rank; ++d) {
      extents += (d ? ", " : "") + std::to_string(pick(1, 5));
      arguments += (d ? ", " : "") + indices[d] + ": index";
    }
    line("tile.parallel [" + extents + "] {");
    line("^bb0(" + arguments + "):");
    usesLocal = chance(20);
    if (usesLocal)
      line("tile.store " + value(2) + " to %L[%zero] : i32 to !one");
    for (int i = pick(1, 5); i > 0; --i)
      statement(2);
    line("}");
    line("return");
    line("}");
    return text;
  }

private:
  std::string index() { return indices[pick(0, rank - 1)]; }

  /// A sum of multiples of the indices, of arguments and of a constant.
  std::string linear(int low, int high) {
    std::string result = constant(pick(low, high));
    for (int d = 0; d < rank; ++d) {
      int factor = chance(70) ? 1 : pick(-2, 2);
      if (chance(85))
        result =
            binary("addi", result,
                   factor == 1 ? indices[d]
                               : binary("muli", indices[d], constant(factor)));
    }
    if (chance(30))
      result = binary("addi", result, chance(50) ? "%s" : "%t");
    return result;
  }

  /// An index into A, B or I: always inside.
  std::string vectorIndex(bool simple) {
    if (simple || chance(50)) {
      std::string base = constant(pick(0, 1) * 5 + 20);
      std::string scaled =
          rank == 2 && chance(60)
              ? binary("addi", binary("muli", "%i", constant(5)), "%j")
              : index();
      if (chance(30))
        base = binary("addi", base, chance(50) ? "%s" : "%t");
      return binary("addi", base, scaled);
    }
    if (chance(25))
      return binary(chance(50) ? "floordivsi" : "remsi", index(),
                    constant(pick(2, 3)));
    if (chance(20))
      return element("%I", "!v", linear(24, 26));
    return linear(24, 26);
  }

  /// The value of an element, as an index.
  std::string element(const std::string &buffer, const std::string &type,
                      const std::string &at) {
    std::string loaded =
        define("tile.load " + buffer + "[" + at + "] : " + type + " -> i32");
    return define("arith.index_cast " + loaded + " : i32 to index");
  }

  std::string load(bool simple = false) {
    int which = pick(0, usesLocal ? 4 : 3);
    if (which == 4)
      return define("tile.load %L[%zero] : !one -> i32");
    if (which <= 1) {
      std::string at = vectorIndex(simple);
      return define(std::string("tile.load ") + (which ? "%A" : "%B") + "[" +
                    at + "] : !v -> i32");
    }
    std::string first = matrixIndex(which == 2, simple);
    std::string second = matrixIndex(which == 2, simple);
    return define(std::string("tile.load ") + (which == 2 ? "%M" : "%G") + "[" +
                  first + ", " + second + "] : " + (which == 2 ? "!m" : "!g") +
                  " -> i32");
  }

  /// M is left by no index, G may be.
  std::string matrixIndex(bool inside, bool simple) {
    if (simple && chance(80))
      return inside ? binary("addi", index(), constant(8)) : index();
    return inside ? linear(11, 12) : linear(-2, 3);
  }

  std::string condition(int depth) {
    static const char *predicates[] = {"slt", "sle", "sgt", "sge", "eq", "ne"};
    int kind = pick(0, depth > 0 ? 5 : 3);
    if (kind >= 4)
      return binary(kind == 4 ? "andi" : "ori", condition(depth - 1),
                    condition(depth - 1), "i1");
    std::string predicate = predicates[pick(0, chance(70) ? 3 : 5)];
    if (kind == 3) {
      std::string a = load(), b = constant(pick(-3, 30), "i32");
      return define("arith.cmpi " + predicate + ", " + a + ", " + b + " : i32");
    }
    std::string a = kind == 0   ? index()
                    : kind == 1 ? linear(-3, 3)
                                : std::string("%s");
    std::string b = chance(60)
                        ? constant(pick(-1, 5))
                        : (chance(50) ? std::string("%t") : linear(-2, 2));
    return define("arith.cmpi " + predicate + ", " + a + ", " + b + " : index");
  }

  /// A value, sometimes one that an earlier statement has computed.
  std::string value(int depth) {
    if (!computed.empty() && chance(20))
      return computed[pick(0, static_cast<int>(computed.size()) - 1)];
    std::string result = newValue(depth);
    if (nesting == 0)
      computed.push_back(result);
    return result;
  }

  std::string newValue(int depth) {
    int kind = depth > 0 ? pick(0, 6) : pick(0, 2);
    switch (kind) {
    case 0:
      return constant(pick(-9, 9), "i32");
    case 1:
      return define("arith.index_cast " + linear(-3, 3) + " : index to i32");
    case 2:
    case 3:
      return load();
    case 4: {
      std::string c = condition(1), a = value(depth - 1), b = value(depth - 1);
      return define("arith.select " + c + ", " + a + ", " + b + " : i32");
    }
    case 5: {
      std::string c = condition(1), name = fresh();
      line(name + " = scf.if " + c + " -> i32 {");
      ++nesting;
      line("scf.yield " + value(depth - 1) + " : i32");
      line("} else {");
      line("scf.yield " + value(depth - 1) + " : i32");
      --nesting;
      line("}");
      return name;
    }
    default: {
      static const char *ops[] = {"addi", "subi", "muli"};
      std::string a = value(depth - 1), b = value(depth - 1);
      return binary(ops[pick(0, 2)], a, b, "i32");
    }
    }
  }

  void store() {
    std::string stored = value(2);
    if (usesLocal && chance(30)) {
      line("tile.store " + stored + " to %L[%zero] : i32 to !one");
      return;
    }
    if (chance(60) || rank == 1) {
      std::string at = vectorIndex(chance(90));
      line("tile.store " + stored + " to " + (chance(50) ? "%A" : "%B") + "[" +
           at + "] : i32 to !v");
      return;
    }
    bool inside = chance(60);
    std::string first = inside ? "%i" : binary("addi", "%i", constant(2));
    std::string second = chance(80) ? "%j" : matrixIndex(inside, true);
    if (chance(30))
      std::swap(first, second);
    line("tile.store " + stored + " to " + (inside ? "%M" : "%G") + "[" +
         first + ", " + second + "] : i32 to " + (inside ? "!m" : "!g"));
  }

  void statement(int depth) {
    if (depth == 0 || chance(60))
      return store();
    line("scf.if " + condition(1) + " {");
    ++nesting;
    for (int i = pick(1, 2); i > 0; --i)
      statement(depth - 1);
    if (chance(50)) {
      line("} else {");
      statement(depth - 1);
    }
    --nesting;
    line("}");
  }

  std::string indices[2] = {"%i", "%j"};
  int rank = 1;
  bool usesLocal = false;
  /// How deep in branches; values computed outside of all of them.
  int nesting = 0;
  std::vector<std::string> computed;
};

class TileWriter : public Writer {
public:
  using Writer::Writer;

  std::string write() {
    line("func.func @main(%s: index, %t: index, %A: !small, %B: !small, "
         "%C: !small) {");
    line("%c0 = arith.constant 0 : index");
    line("%c1 = arith.constant 1 : index");
    line("%c2 = arith.constant 2 : index");
    for (const char *name : {"A", "B", "C"})
      region(name);
    // Buffers of the function; all are written first, since what is read before
    // is not defined.
    for (const char *name : {"X", "Y"}) {
      line("%" + std::string(name) + " = tile.alloc {name = \"" + name +
           "\"} : !small");
      region(name);
      line("tile.copy %r" + argument() + " to %r" + name + " : !r to !r");
    }
    for (int i = pick(4, 10); i > 0; --i)
      statement(2);
    line("tile.copy %rX to %rA : !r to !r");
    line("return");
    line("}");
    return text;
  }

private:
  void region(const std::string &name) {
    line("%r" + name + " = tile.region %" + name +
         "[%c0, %c0] sizes [] : !small -> !r");
    line("%h" + name + " = tile.region %" + name +
         "[%c1, %c0] sizes [] : !small -> !h");
  }
  std::string argument() { return std::string(1, "ABC"[pick(0, 2)]); }
  std::string local() { return std::string(1, "XY"[pick(0, 1)]); }
  std::string any() { return chance(70) ? local() : argument(); }

  void statement(int depth) {
    switch (pick(0, depth > 0 ? 7 : 5)) {
    case 0:
      return line("tile.copy %r" + any() + " to %r" + local() + " : !r to !r");
    case 1:
      return line("tile.copy %r" + local() + " to %r" + argument() +
                  " : !r to !r");
    case 2:
      return line("tile.copy %h" + any() + " to %h" + any() + " : !h to !h");
    case 3: {
      std::string number = constant(pick(-9, 9), "i32");
      return line("tile.fill %r" + local() + " with " + number + " : !r, i32");
    }
    case 4: {
      std::string read = any(), written = any(), sum = fresh();
      bool clipped = chance(30);
      line("tile.map [4, 4] ins(%r" + read + " : !r) outs(%r" + written +
           " : !r) clip " +
           (clipped ? "[0] lower [%c1] upper [%c2]" : "[] lower [] upper []") +
           " maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> "
           "(d0, d1)>] {");
      line("^bb0(%x: i32):");
      // Points are independent: none reads what another one writes.
      std::string gathered = any();
      std::string added =
          chance(50) || gathered == written
              ? "%x"
              : define("tile.load %" + gathered + "[%c1, %c2] : !small -> i32");
      line(sum + " = arith.addi %x, " + added + " : i32");
      line("tile.yield " + sum + " : i32");
      return line("}");
    }
    case 5: {
      std::string loaded =
          define("tile.load %" + any() + "[%c2, %c1] : !small -> i32");
      return line("tile.store " + loaded + " to %" + any() +
                  "[%c1, %c1] : i32 to !small");
    }
    case 6: {
      std::string c =
          define("arith.cmpi slt, %s, " + constant(pick(-1, 2)) + " : index");
      line("scf.if " + c + " {");
      statement(depth - 1);
      statement(depth - 1);
      if (chance(50)) {
        line("} else {");
        statement(depth - 1);
      }
      return line("}");
    }
    default:
      line("tile.for serial %c0 to %t step %c1 stages 0 {");
      line("^bb0(%k" + std::to_string(next++) + ": index):");
      for (int i = pick(1, 4); i > 0; --i)
        statement(depth - 1);
      return line("}");
    }
  }
};

} // namespace

std::string tilelang::tile::testing::makeRandomParallel(uint64_t seed) {
  return ParallelWriter(seed).write();
}

std::string tilelang::tile::testing::makeRandomTileProgram(uint64_t seed) {
  return TileWriter(seed).write();
}
