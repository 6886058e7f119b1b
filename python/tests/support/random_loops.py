"""Random pipelined loops in which Cube and Vector cores work together.

A loop holds two to five products and two to eight vector operations on tiles that come from tensors, from other
operations of the iteration, and from the iterations before. Everything that goes into a product is kept within
[-1, 1] or nearly so, so that no element overflows float16 and errors stay small.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tile_programs import (
    Copy,
    Fill,
    Gemm,
    If,
    Load,
    Loop,
    Map,
    Program,
    Reduce,
    Statement,
    Store,
    Tensor,
    Tile,
)

#: Trip counts by kind: the expression and the largest value.
COUNTS = {
    "fixed": [("0", 0), ("1", 1), ("2", 2), ("3", 3), ("5", 5), ("7", 7)],
    "run time": [
        ("n", 5),
        ("n", 5),
        ("T.ceildiv(n, 2)", 3),
        ("T.min(BLOCK + 1, n)", 5),
        ("T.min(BLOCK, 4)", 4),
        ("BLOCK % 3", 2),
        ("T.max(n - BLOCK, 0)", 5),
        ("lengths[BLOCK]", 5),
    ],
}
RUNS = [0, 1, 2, 5]  # values of the scalar parameter


@dataclasses.dataclass
class Value:
    """A tile that may be read."""

    tile: Tile
    carried: bool = False
    product_only: bool = False  # a carried accumulator that nothing but products writes
    fixed: bool = False  # never written in the loop
    reads: int = 0


class LoopBuilder:
    def __init__(self, random: Any, counts: str) -> None:
        self.random = random
        self.kind = random.choice(["float16", "float16", "float16", "bfloat16"])
        self.tensors: list[Tensor] = []
        self.tiles: list[Tile] = []
        self.prologue: list[Statement] = []
        self.open: list[list[Statement]] = []
        self.values: list[Value] = []
        self.depth = 0
        sizes = [16, 32, 32, 48, 64, 64] if self.chance(0.75) else [16, 17, 24, 32, 40, 64, 80, 100]
        self.m, self.p, self.q = (random.choice(sizes) for _ in range(3))
        blocks = random.choice([1, 1, 2, 3, 3, 4, 6, 30])
        self.grid: tuple[int, ...] = (blocks,)
        self.block = "bx"
        if blocks % 3 == 0 and self.chance(0.5):
            self.grid = (3, blocks // 3)
            self.block = "(by * 3 + bx)"
        self.blocks = blocks
        self.count, self.most = random.choice(COUNTS[counts])
        self.count = self.count.replace("BLOCK", self.block)
        if "lengths" in self.count:
            self.tensors.append(Tensor("lengths", (blocks,), "int32", limit=6))
        self.start = "0"
        if counts == "run time" and self.chance(0.25):
            self.start = random.choice(["1", f"{self.block} % 2", f"T.min({self.block}, n)"])
        self.stages = random.choice([1, 2, 2, 3, 4])
        self.gemms = random.randint(2, 5)
        self.maps = random.randint(2, 8)

    # -- small helpers -------------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return bool(self.random.randint(0, 99) < probability * 100)

    def emit(self, statement: Statement) -> None:
        self.open[-1].append(statement)

    def tile(self, shape: tuple[int, ...], dtype: str, shared: bool | None = None) -> Tile:
        tile = Tile(f"t{len(self.tiles)}", shape, dtype, self.chance(0.3) if shared is None else shared)
        self.tiles.append(tile)
        return tile

    def value(self, shape: tuple[int, ...], dtype: str = "float32", **flags: Any) -> Value:
        return Value(self.tile(shape, dtype, flags.pop("shared", None)), **flags)

    def readable(self, shape: tuple[int, ...], dtype: str | None = None) -> list[Value]:
        return [v for v in self.values if v.tile.shape == shape and dtype in (None, v.tile.dtype)]

    def read(self, value: Value) -> str:
        value.reads += 1
        return value.tile.name

    def tensor(self, shape: tuple[int, ...], dtype: str, output: bool = False) -> str:
        name = f"{'out' if output else 'in'}{len(self.tensors)}"
        self.tensors.append(Tensor(name, shape, dtype, output))
        return name

    @contextmanager
    def scope(self) -> Iterator[list[Statement]]:
        """Statements go to a list of their own; tiles first written there are gone afterwards."""
        known = len(self.values)
        body: list[Statement] = []
        self.open.append(body)
        self.depth += 1
        yield body
        self.depth -= 1
        self.open.pop()
        del self.values[known:]

    def condition(self) -> str:
        block = self.block
        return str(
            self.random.choice(
                ["k % 2 == 0", "k > 0", "k < 2", f"{block} > 0", f"{block} % 2 == 0", f"k < {block}", "n > 1", "k < n"]
            )
        )

    # -- operations ----------------------------------------------------------------------------------------------------

    def load(self, shape: tuple[int, ...], dtype: str, shared: bool | None = None) -> Value:
        """A tile from a tensor: one per iteration, or one for all iterations."""
        value = self.value(shape, dtype, shared=shared)
        trips = max(self.most, 1)
        if self.chance(0.25):  # the same for all iterations
            value.fixed = True
            name = self.tensor((self.blocks * shape[0], *shape[1:]), dtype)
            load = Load(name, (f"{self.block} * {shape[0]}", "0")[: len(shape)], value.tile.name)
            self.prologue.append(load)
            self.values.insert(0, value)
            return value
        cut = self.random.choice([0, 0, 0, 1, 7])
        way = self.random.choice(["rows", "columns", "batch", "table"]) if len(shape) == 2 else "rows"
        if way == "rows":
            name = self.tensor((max(1, trips * shape[0] - cut), *shape[1:]), dtype)
            offsets: tuple[str, ...] = (f"k * {shape[0]}", "0")[: len(shape)]
        elif way == "columns":
            name = self.tensor((self.blocks * shape[0], max(1, trips * shape[1] - cut)), dtype)
            offsets = (f"{self.block} * {shape[0]}", f"k * {shape[1]}")
        elif way == "batch":
            name = self.tensor((self.blocks, max(1, trips * shape[0] - cut), shape[1]), dtype)
            offsets = (self.block, f"k * {shape[0]}", "0")
        else:
            table = f"table{len(self.tensors)}"
            self.tensors.append(Tensor(table, (self.blocks, trips), "int32", limit=4))
            name = self.tensor((4 * shape[0], shape[1]), dtype)
            offsets = (f"{table}[{self.block}, k] * {shape[0]}", "0")
        self.emit(Load(name, offsets, value.tile.name))
        self.values.append(value)
        return value

    def squashed(self, source: Value) -> str:
        """An expression of the tile's elements that stays within [-1, 1]."""
        at = self.element(source)
        scale = self.random.choice(["0.25", "0.125", "0.0625"])
        return str(
            self.random.choice(
                [
                    f"T.tanh({at} * {scale})",
                    f"T.max(T.min({at} * {scale}, 1.0), -1.0)",
                    f"T.exp2(T.min({at} * {scale}, 0.0))",
                    f"T.sigmoid({at} * {scale})",
                    f"{at} * {scale} / (1.0 + T.abs({at} * {scale}))",
                ]
            )
        )

    def element(self, value: Value, index: str = "i, j") -> str:
        name = self.read(value)
        return f"{name}[{index if len(value.tile.shape) == 2 else index[0]}]"

    def operand(self, shape: tuple[int, int]) -> str:
        """A tile for a product: loaded, made by vector code before, or made now."""
        ready = self.readable(shape, self.kind)
        if ready and self.chance(0.6):
            return self.read(self.random.choice(ready))
        wide = [v for v in self.readable(shape, "float32")]
        if wide and self.maps > 0 and self.chance(0.7):
            source = self.random.choice(wide)
            made = self.value(shape, self.kind)
            self.maps -= 1
            if self.chance(0.3) and self.maps > 0 and not source.fixed and not source.product_only:
                self.maps -= 1
                self.emit(Map(source.tile.name, self.squashed(source)))
                self.emit(Copy(self.read(source), made.tile.name))
            else:
                self.emit(Map(made.tile.name, self.squashed(source)))
            self.values.append(made)
            return self.read(made)
        return self.read(self.load(shape, self.kind, shared=True))

    def shape(self) -> tuple[int, int]:
        """Most tiles have the rows of the block."""
        rows = self.m if self.chance(0.85) else self.random.choice([self.p, self.q])
        return rows, self.random.choice([self.p, self.q])

    def product(self) -> None:
        self.gemms -= 1
        x, y = self.shape()
        carried = [v for v in self.values if v.carried and len(v.tile.shape) == 2]
        target = None
        clear = "False"
        way = self.random.choice(["fresh", "fresh", "fresh", "carried", "carried", "again", "new carried"])
        if way == "carried" and carried:
            target = self.random.choice(carried)
        elif way == "again":
            again = [v for v in self.values if not v.carried and not v.fixed and v.tile.dtype == "float32"]
            again = [v for v in again if len(v.tile.shape) == 2 and not v.tile.shared]
            if again:
                target = self.random.choice(again)
        elif way == "new carried":
            target = self.carry((x, y), product_only=self.chance(0.5))
            if self.chance(0.2):
                clear = self.random.choice(["k % 2 == 0", "k == 0"])
        if target is not None:
            x, y = target.tile.shape
        z = self.random.choice([self.m, self.p, self.q])
        transpose_a, transpose_b = self.chance(0.2), self.chance(0.4)
        a = self.operand((z, x) if transpose_a else (x, z))
        b = self.operand((y, z) if transpose_b else (z, y))
        if target is None:
            target = self.value((x, y), shared=False)
            if self.chance(0.6):
                self.emit(Fill(target.tile.name, 0.0))
            else:
                clear = "True"
            self.values.append(target)
        elif not target.carried and self.chance(0.3):  # the tile once more
            clear = "True"
        self.emit(Gemm(a, b, target.tile.name, transpose_a, transpose_b, clear))
        target.reads += target.carried

    def carry(self, shape: tuple[int, ...], product_only: bool = False, start: float = 0.0) -> Value:
        """A tile that keeps its value from one iteration to the next."""
        value = self.value(shape, carried=True, product_only=product_only, shared=False)
        if product_only or self.chance(0.7):
            self.prologue.append(Fill(value.tile.name, start))
        else:
            name = self.tensor((self.blocks * shape[0], *shape[1:]), "float32")
            offsets = (f"{self.block} * {shape[0]}", "0")[: len(shape)]
            self.prologue.append(Load(name, offsets, value.tile.name))
        self.values.insert(0, value)
        return value

    def vector(self) -> None:
        """One operation of the Vector cores."""
        self.maps -= 1
        way = self.random.choice(["map", "map", "map", "map", "reduce", "reduce", "load", "row", "cast"])
        wide = [v for v in self.values if len(v.tile.shape) == 2 and v.tile.dtype == "float32"]
        rows = [v for v in self.values if len(v.tile.shape) == 1]
        if way == "reduce" and wide:
            return self.reduction(self.random.choice(wide))
        if way == "row" and rows:
            return self.row(self.random.choice(rows))
        if way == "cast" and wide:
            halves = [v for v in self.values if v.tile.dtype == self.kind]
            if halves and self.chance(0.5):
                source = self.random.choice(halves)
                made = self.value(source.tile.shape)
            else:
                source = self.random.choice(wide)
                made = self.value(source.tile.shape, self.kind)
                self.emit(Map(made.tile.name, self.squashed(source)))
                self.values.append(made)
                return None
            self.emit(Copy(self.read(source), made.tile.name))
            self.values.append(made)
            return None
        if way == "load" or not wide:
            shape: tuple[int, ...] = self.shape()
            if self.chance(0.4):
                shape = shape[:1]
            wide = [self.load(shape, "float32")]
            if len(shape) == 1:
                return self.row(wide[0])
        self.elementwise(self.random.choice(wide))
        return None

    def elementwise(self, source: Value) -> None:
        x, y = source.tile.shape
        same = self.random.choice(self.readable((x, y)))
        down = self.readable((x,), "float32")
        across = self.readable((y,), "float32")
        a = self.element(source)
        lane = self.random.choice(["i", "j"])
        choices = [
            f"{a} * 0.125",
            f"{a} + {self.squashed(same)}",
            f"T.max({a}, {self.element(same)})",
            f"T.min({a}, 1.5) - {self.squashed(same)}",
            f"{a} * {self.squashed(same)}",
            self.squashed(source),
            f"T.if_then_else({self.element(same)} > 0.0, {a}, {a} * 0.25)",
            f"T.if_then_else(k * {y} + j < {max(1, self.most - 1) * y + y // 2}, {a}, -1.0e4)",
            f"T.if_then_else({lane} < {self.random.randint(1, min(x, y))}, {a}, 0.5)",
        ]
        if down:
            r = self.random.choice(down)
            choices += [
                f"T.exp2(T.min({a} - {self.element(r)}, 0.0))",
                f"{a} * {self.squashed(r)}",
                f"{a} / (1.0 + T.abs({self.element(r)}))",
                f"{a} + {self.element(r)}",
            ]
        if across:
            c = self.random.choice(across)
            choices += [f"{a} + {self.element(c, 'j, i')}", f"{a} * {self.element(c, 'j, i')}"]
            choices = [text.replace(f"{c.tile.name}[i]", f"{c.tile.name}[j]") if x != y else text for text in choices]
        expression = self.random.choice(choices)
        targets = [v for v in self.readable((x, y), "float32") if not v.fixed and not v.product_only]
        carried = [v for v in targets if v.carried]
        if carried and self.chance(0.4):
            target = self.random.choice(carried)
            at = self.element(target)
            factor = "0.5"
            if down and self.chance(0.6):
                factor = f"T.sigmoid({self.element(self.random.choice(down))})"
            update = self.random.choice([f"{at} * {factor}", f"{at} * {factor}", f"{at} + {self.squashed(source)}"])
            self.emit(Map(target.tile.name, update))
            return
        if targets and self.chance(0.35) and not (target := self.random.choice(targets)).carried:
            self.emit(Map(target.tile.name, expression))
            target.reads = 0
            return
        made = self.value((x, y), shared=self.chance(0.2))
        self.emit(Map(made.tile.name, expression))
        self.values.append(made)

    def reduction(self, source: Value) -> None:
        dim = 1 if self.chance(0.85) else 0
        shape = (source.tile.shape[1 - dim],)
        kind = self.random.choice(["max", "sum", "min", "absmax", "abssum"])
        if self.chance(0.5):
            known = [v for v in self.readable(shape, "float32") if v.carried]
            clear = False
            if known and self.chance(0.5):
                target = self.random.choice(known)
            else:
                target = self.carry(shape, start={"max": -8.0, "min": 8.0}.get(kind, 0.0))
            if kind == "abssum":
                clear = False
        else:
            target, clear = self.value(shape), True
        self.emit(Reduce(kind, self.read(source), target.tile.name, dim, clear))
        if not target.carried:
            self.values.append(target)

    def row(self, source: Value) -> None:
        """An operation on one number per row."""
        shape = source.tile.shape
        a = self.element(source)
        other = self.random.choice(self.readable(shape, "float32"))
        expression = self.random.choice(
            [
                f"T.exp2(T.min({a} - {self.element(other)}, 0.0))",
                f"{a} * 0.5 + {self.squashed(other)}",
                self.squashed(source),
                f"T.max({a}, {self.element(other)})",
            ]
        )
        carried = [v for v in self.readable(shape, "float32") if v.carried]
        if carried and self.chance(0.4):
            target = self.random.choice(carried)
            self.emit(Map(target.tile.name, f"{self.element(target)} * 0.5 + {self.squashed(source)}"))
            return
        made = self.value(shape)
        self.emit(Map(made.tile.name, expression))
        self.values.append(made)

    def online_softmax(self) -> None:
        """What attention does to a block of scores."""
        m, keys, width = self.m, self.p, self.q
        if not (scores := self.readable((m, keys), "float32")):
            self.product_into((m, keys))
            scores = self.readable((m, keys), "float32")
        writable = [v for v in scores if not (v.carried or v.fixed)]
        if not writable:
            return
        score = writable[-1].tile.name
        writable[-1].reads += 1
        largest, total = self.carry((m,), start=-1.0e20), self.carry((m,))
        output = self.carry((m, width))
        previous, factor, part = (self.value((m,)) for _ in range(3))
        weights = self.value((m, keys), self.kind)
        big, old, f, s = (v.tile.name for v in (largest, previous, factor, part))
        body: list[Statement] = [
            Copy(big, old),
            Reduce("max", score, big, 1, clear=False),
            Map(f, f"T.exp2({old}[i] - {big}[i])"),
            Map(score, f"T.exp2({score}[i, j] - {big}[i])"),
            Reduce("sum", score, s, 1),
            Map(total.tile.name, f"{total.tile.name}[i] * {f}[i] + {s}[i]"),
            Copy(score, weights.tile.name),
            Map(output.tile.name, f"{output.tile.name}[i, j] * {f}[i]"),
        ]
        for statement in body:
            self.emit(statement)
        for value in (largest, total, output, previous, factor, part):
            value.reads += 1
        self.values += [previous, factor, part, weights]
        self.maps -= 5
        b = self.operand((keys, width))
        self.emit(Gemm(self.read(weights), b, output.tile.name))
        self.gemms -= 1

    def product_into(self, shape: tuple[int, int]) -> None:
        self.gemms -= 1
        z = self.random.choice([self.p, self.q])
        transpose = self.chance(0.5)
        a = self.operand((shape[0], z))
        b = self.operand((shape[1], z) if transpose else (z, shape[1]))
        target = self.value(shape, shared=False)
        self.emit(Fill(target.tile.name, 0.0))
        self.emit(Gemm(a, b, target.tile.name, False, transpose))
        self.values.append(target)

    def leave(self, value: Value, column: str = "0", columns: int = 1) -> None:
        """Stores a tile to a tensor of its own."""
        shape = value.tile.shape
        dtype = value.tile.dtype
        if len(shape) == 1:
            name = self.tensor((self.blocks * columns * shape[0],), dtype, output=True)
            at = self.block if columns == 1 else f"({self.block} * {columns} + {column})"
            self.emit(Store(value.tile.name, name, (f"{at} * {shape[0]}",)))
            return
        cut = self.random.choice([0, 0, 3])
        name = self.tensor((self.blocks * shape[0] - cut, columns * shape[1] - cut), dtype, output=True)
        at = "0" if columns == 1 else f"{column} * {shape[1]}"
        self.emit(Store(value.tile.name, name, (f"{self.block} * {shape[0]}", at)))

    # -- the program ---------------------------------------------------------------------------------------------------

    def step(self) -> None:
        if self.depth < 3 and self.chance(0.12):
            condition = self.condition()
            with self.scope() as then:
                for _ in range(self.random.randint(1, 2)):
                    self.operation()
                self.use_leaves()
            otherwise: list[Statement] = []
            if self.chance(0.3):
                with self.scope() as otherwise:
                    self.operation()
                    self.use_leaves()
            if then or otherwise:
                self.emit(If(condition, tuple(then), tuple(otherwise)))
        else:
            self.operation()

    def operation(self) -> None:
        if self.gemms > 0 and (self.maps <= 0 or self.chance(0.45)):
            self.product()
        elif self.maps > 0:
            self.vector()

    def use_leaves(self) -> None:
        """What no operation of the loop has read goes to a tensor, or into a carried tile."""
        seen = set()
        for value in [v for v in self.values if not v.reads and not v.carried and not v.fixed]:
            if value.tile.name in seen:
                continue
            seen.add(value.tile.name)
            two = len(value.tile.shape) == 2
            if self.chance(0.5) and value.tile.dtype == "float32":
                into = self.carry(value.tile.shape)
                at, own = self.element(value), self.element(into)
                if not two:
                    at, own = f"{value.tile.name}[i]", f"{into.tile.name}[i]"
                self.emit(Map(into.tile.name, f"{own} * 0.5 + T.max(T.min({at}, 4.0), -4.0)"))
            else:
                self.leave(value, "k", max(self.most, 1))
            value.reads += 1

    def build(self) -> Program:
        with self.scope() as body:
            softmax = self.chance(0.3)
            if softmax:
                self.maps = max(self.maps, 6)
            while self.gemms > 0 or self.maps > 0:
                if softmax and self.chance(0.4):
                    softmax = False
                    self.online_softmax()
                    continue
                self.step()
            self.use_leaves()
            kept = [v for v in self.values if v.carried]
        self.values += kept
        loop: Statement = Loop("k", self.start, self.count, self.stages, tuple(body))
        outer: list[Statement] = [loop]
        if self.chance(0.1):  # the loop twice
            outer = [Loop("r", "0", "2", None, (loop,))]
        with self.scope() as epilogue:
            for value in kept:
                two = len(value.tile.shape) == 2
                if two and self.chance(0.4):
                    out = self.value(value.tile.shape, self.random.choice(["float32", self.kind]))
                    self.emit(Map(out.tile.name, self.squashed(value)))
                    self.leave(out)
                else:
                    self.leave(value)
        statements = (*self.prologue, *outer, *epilogue)
        uses = " ".join(map(str, statements))
        scalars = ("n",) if any(word in uses for word in ("n > 1", "k < n", ", n)", "n -", "(n,", "'n'")) else ()
        return Program(self.grid, tuple(self.tensors), tuple(self.tiles), statements, scalars)


def random_loop(random: Any, counts: str) -> Program:
    return LoopBuilder(random, counts).build()
