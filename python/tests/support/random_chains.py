"""Random chains of products, elementwise operations, reductions and broadcasts on tiles that divide nothing.

Every operation but a few takes the result of the one before. Tiles lie anywhere in tensors whose sizes are no multiples
of theirs, and every result is stored.
"""

from __future__ import annotations

from typing import Any

from tile_programs import (
    Copy,
    Fill,
    Gemm,
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


class ChainBuilder:
    def __init__(self, random: Any) -> None:
        self.random = random
        self.kind = random.choice(["float16", "float16", "bfloat16", "float32"])
        self.tensors: list[Tensor] = []
        self.tiles: list[Tile] = []
        self.body: list[Statement] = []
        # The block of a result and its tensor; blocks along both dimensions.
        self.rows = random.choice([1, 2, 7, 16, 17, 31, 32, 33, 48, 64, 65, 100, 128])
        self.columns = random.choice([1, 2, 8, 15, 16, 17, 31, 32, 33, 48, 64, 65, 96, 100, 128])
        self.grid = (random.choice([1, 1, 2, 3]), random.choice([1, 2, 3, 9]))
        self.height = max(1, self.rows * self.grid[1] - random.randint(0, self.rows - 1))
        self.width = max(1, self.columns * self.grid[0] - random.randint(0, self.columns - 1))

    def chance(self, probability: float) -> bool:
        return bool(self.random.randint(0, 99) < probability * 100)

    def tile(self, shape: tuple[int, ...], dtype: str, shared: bool | None = None) -> Tile:
        tile = Tile(f"t{len(self.tiles)}", shape, dtype, self.chance(0.3) if shared is None else shared)
        self.tiles.append(tile)
        return tile

    def tensor(self, shape: tuple[int, ...], dtype: str, output: bool = False) -> str:
        name = f"{'out' if output else 'in'}{len(self.tensors)}"
        self.tensors.append(Tensor(name, shape, dtype, output))
        return name

    @property
    def row(self) -> str:
        return f"by * {self.rows}"

    @property
    def column(self) -> str:
        return f"bx * {self.columns}"

    def load(self, dtype: str, shape: tuple[int, ...] | None = None, across: bool = False) -> Tile:
        """The block's part of a tensor: of its matrix, or of a vector along rows or columns."""
        tile = self.tile(shape or (self.rows, self.columns), dtype)
        if shape is None:
            name = self.tensor((self.height, self.width), dtype)
            self.body.append(Load(name, (self.row, self.column), tile.name))
        elif across:
            self.body.append(Load(self.tensor((self.width,), dtype), (self.column,), tile.name))
        else:
            self.body.append(Load(self.tensor((self.height,), dtype), (self.row,), tile.name))
        return tile

    def store(self, tile: Tile, across: bool = False) -> None:
        dtype = tile.dtype
        if dtype == "float32" and self.chance(0.3):
            dtype = self.kind
        elif dtype in ("float16", "bfloat16") and self.chance(0.2):
            dtype = "float32"
        if len(tile.shape) == 2:
            name = self.tensor((self.height, self.width), dtype, output=True)
            self.body.append(Store(tile.name, name, (self.row, self.column)))
        elif across:  # one row of blocks each, so that no two blocks share an element
            name = self.tensor((self.grid[1], self.width), dtype, output=True)
            self.body.append(Store(tile.name, name, ("by", self.column)))
        else:
            name = self.tensor((self.grid[0], self.height), dtype, output=True)
            self.body.append(Store(tile.name, name, ("bx", self.row)))

    # -- links of the chain --------------------------------------------------------------------------------------------

    def product(self) -> Tile:
        """A block of A B: a loop over k with tails everywhere."""
        step = self.random.choice([16, 32, 48, 64])
        depth = self.random.choice([1, 15, 33, step, 2 * step - 3, 3 * step + 1])
        transpose_a, transpose_b = self.chance(0.2), self.chance(0.3)
        kind = self.kind
        a_shape = (step, self.rows) if transpose_a else (self.rows, step)
        b_shape = (self.columns, step) if transpose_b else (step, self.columns)
        a, b = self.tile(a_shape, kind, True), self.tile(b_shape, kind, True)
        a_name = self.tensor((depth, self.height) if transpose_a else (self.height, depth), kind)
        b_name = self.tensor((self.width, depth) if transpose_b else (depth, self.width), kind)
        result = self.tile((self.rows, self.columns), "float32", False)
        at = f"k * {step}"
        body = (
            Load(a_name, (at, self.row) if transpose_a else (self.row, at), a.name),
            Load(b_name, (self.column, at) if transpose_b else (at, self.column), b.name),
            Gemm(a.name, b.name, result.name, transpose_a, transpose_b),
        )
        self.body.append(Fill(result.name, 0.0))
        self.body.append(Loop("k", "0", str(-(-depth // step)), self.random.choice([0, 1, 2, 3]), body))
        return result

    def next_product(self, source: Tile) -> Tile:
        """Source B, where B is square."""
        squashed = self.tile(source.shape, self.kind)
        self.body.append(Map(squashed.name, f"T.tanh({source.name}[i, j] * 0.25)"))
        size = self.columns
        name = self.tensor((size, size), self.kind)
        b = self.tile((size, size), self.kind, True)
        self.body.append(Load(name, ("0", "0"), b.name))
        result = self.tile(source.shape, "float32", False)
        clear = "True" if self.chance(0.5) else "False"
        if clear == "False":
            self.body.append(Fill(result.name, 0.0))
        self.body.append(Gemm(squashed.name, b.name, result.name, False, self.chance(0.3), clear))
        return result

    def elementwise(self, source: Tile) -> Tile:
        a = f"{source.name}[i, j]"
        integers = source.dtype == "int32"
        way = self.random.choice(["alone", "alone", "same", "down", "across"])
        if way == "alone":
            if integers:
                choices = [
                    f"{a} * 3 + 7",
                    f"T.max({a}, 100)",
                    f"{a} - {a} * 2",
                    f"T.if_then_else({a} > 5, {a}, 5 - {a})",
                ]
            else:
                choices = [
                    f"{a} * 0.5 + 0.25",
                    f"T.max({a}, 0.0)",
                    f"T.tanh({a} * 0.5)",
                    f"{a} * T.sigmoid({a})",
                    f"T.exp({a} * 0.125)",
                    f"T.sqrt(T.abs({a}) + 1.0)",
                    f"{a} / (1.0 + T.abs({a}))",
                    f"T.if_then_else({a} > 0.0, {a}, {a} * 0.25)",
                    f"T.if_then_else({self.column} + j < {max(1, self.width - 3)}, {a}, -2.0)",
                    f"T.if_then_else({self.row} + i > {self.column} + j, {a}, 0.5)",
                    f"T.if_then_else((i + j) % 2 == 0, {a}, 0.125)",
                ]
        else:
            if way == "same":
                b = f"{self.load(source.dtype).name}[i, j]"
            elif way == "down":
                b = f"{self.load(source.dtype, (self.rows,)).name}[i]"
            else:
                b = f"{self.load(source.dtype, (self.columns,), across=True).name}[j]"
            choices = [f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"T.max({a}, {b})", f"T.min({b}, {a})"]
            if not integers:
                choices += [f"{a} / (1.0 + T.abs({b}))", f"{a} * 0.5 + {b} * {b}", f"T.exp2(T.min({a} - {b}, 1.0))"]
        if self.chance(0.3):
            target = source
        else:
            narrow = source.dtype == "float32" and self.chance(0.15)
            target = self.tile(source.shape, self.kind if narrow else source.dtype)
        self.body.append(Map(target.name, self.random.choice(choices)))
        return target

    def cast(self, source: Tile) -> Tile:
        target = self.tile(source.shape, "float32" if source.dtype == self.kind else self.kind)
        self.body.append(Copy(source.name, target.name))
        return target

    def reduce(self, source: Tile) -> Tile:
        """A reduction along rows or columns, and its broadcast over the tile."""
        dim = 1 if self.chance(0.7) else 0
        kinds = ["max", "min"] if source.dtype == "int32" else ["max", "sum", "min", "absmax", "abssum"]
        kind = self.random.choice(kinds)
        row = self.tile((source.shape[1 - dim],), source.dtype)
        clear = self.chance(0.7)
        if not clear:
            self.body.append(Fill(row.name, 1.0 if source.dtype != "int32" else 1))
        self.body.append(Reduce(kind, source.name, row.name, dim, clear))
        if self.chance(0.5):
            self.store(row, across=dim == 0)
        r = f"{row.name}[{'i' if dim == 1 else 'j'}]"
        a = f"{source.name}[i, j]"
        if source.dtype == "int32":
            choices = [f"{a} - {r}", f"T.max({a}, {r} - 3)"]
        else:
            choices = [
                f"{a} - {r} * 0.125",
                f"{a} / (1.0 + T.abs({r}))",
                f"T.exp(T.min({a} - {r}, 0.0))",
                f"T.max({a}, {r} * 0.5)",
            ]
        target = source if self.chance(0.4) else self.tile(source.shape, source.dtype)
        self.body.append(Map(target.name, self.random.choice(choices)))
        return target

    def build(self) -> Program:
        length = self.random.randint(2, 7)
        products = 0
        start = self.random.choice(["product", "product", "load", "integers"])
        if start == "product":
            tile = self.product()
            products += 1
        else:
            tile = self.load("int32" if start == "integers" else self.random.choice([self.kind, "float32"]))
        for _ in range(length):
            links = ["elementwise", "elementwise", "reduce"]
            if tile.dtype != "int32":
                links += ["next product"] if products < 2 else []
                links += ["cast"] if self.kind != "float32" else []
            link = self.random.choice(links)
            if link == "next product":
                tile = self.next_product(tile)
                products += 1
            else:
                tile = {"elementwise": self.elementwise, "reduce": self.reduce, "cast": self.cast}[link](tile)
            if self.chance(0.25):
                self.store(tile)
        self.store(tile)
        return Program(self.grid, tuple(self.tensors), tuple(self.tiles), tuple(self.body))


def random_chain(random: Any) -> Program:
    return ChainBuilder(random).build()
