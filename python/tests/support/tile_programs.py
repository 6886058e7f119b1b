"""Tile programs as data: printed as source text, compiled from it, and computed with NumPy.

A program is a list of statements on tiles. Scalars (offsets, conditions, trip counts) and the bodies of elementwise
loops are Python expressions in text form, so that the kernel and the interpreter evaluate the same words.

The interpreter computes in float64 and rounds where the language says that a value is rounded. Beside each element it
keeps a bound of what the kernel's value may differ by: sums in another order, functions that are approximated, and
roundings that fall to the other side because of those. Results are compared with that bound and nothing else.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import linecache
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any

import ml_dtypes
import numpy as np

import tilelang

NUMPY_TYPES: dict[str, Any] = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "int32": np.int32,
}

# -- programs ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A parameter in global memory. Outputs hold OLD before the kernel runs, so that what it leaves alone shows."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    output: bool = False
    limit: int = 0  # of a tensor of indices: its elements are below


@dataclasses.dataclass(frozen=True)
class Tile:
    name: str
    shape: tuple[int, ...]
    dtype: str
    shared: bool = False


@dataclasses.dataclass(frozen=True)
class Load:
    """Offsets beyond the tile's own dimensions are leading indices. What overhangs the tensor is 0."""

    tensor: str
    offsets: tuple[str, ...]
    tile: str


@dataclasses.dataclass(frozen=True)
class Store:
    tile: str
    tensor: str
    offsets: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Fill:
    tile: str
    value: float


@dataclasses.dataclass(frozen=True)
class Copy:
    source: str
    target: str


@dataclasses.dataclass(frozen=True)
class Gemm:
    a: str
    b: str
    c: str
    transpose_a: bool = False
    transpose_b: bool = False
    clear: str = "False"


@dataclasses.dataclass(frozen=True)
class Map:
    """`target[i, j] = expression` for all elements."""

    target: str
    expression: str


@dataclasses.dataclass(frozen=True)
class Reduce:
    kind: str
    source: str
    target: str
    dim: int
    clear: bool = True


@dataclasses.dataclass(frozen=True)
class If:
    condition: str
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclasses.dataclass(frozen=True)
class Loop:
    """Pipelined, or serial where `stages` is None."""

    variable: str
    start: str
    stop: str
    stages: int | None
    body: tuple[Statement, ...]


Statement = Load | Store | Fill | Copy | Gemm | Map | Reduce | If | Loop


@dataclasses.dataclass(frozen=True)
class Program:
    grid: tuple[int, ...]
    tensors: tuple[Tensor, ...]
    tiles: tuple[Tile, ...]
    body: tuple[Statement, ...]
    scalars: tuple[str, ...] = ()


INDICES = "ijl"
BLOCKS = ("bx", "by", "bz")
OLD = 0.5  # what outputs hold before

# -- source text -------------------------------------------------------------------------------------------------------


def statements(body: Iterable[Statement]) -> Iterator[Statement]:
    """All statements, those inside others included."""
    for statement in body:
        yield statement
        if isinstance(statement, If):
            yield from statements(statement.then)
            yield from statements(statement.otherwise)
        elif isinstance(statement, Loop):
            yield from statements(statement.body)


class _Printer:
    def __init__(self, program: Program, stages: int | None) -> None:
        self.program = program
        self.stages = stages
        self.tiles = {tile.name: tile for tile in program.tiles}

    def region(self, tensor: str, offsets: tuple[str, ...], tile: str) -> str:
        shape = self.tiles[tile].shape
        lead = len(offsets) - len(shape)
        if lead == 0:
            return f"{tensor}[{', '.join(offsets)}]"
        slices = [f"{at} : {at} + {extent}" for at, extent in zip(offsets[lead:], shape, strict=True)]
        return f"{tensor}[{', '.join([*offsets[:lead], *slices])}]"

    def lines(self, body: Iterable[Statement], indent: str) -> Iterator[str]:
        for statement in body:
            match statement:
                case Load(tensor, offsets, tile):
                    yield f"{indent}T.copy({self.region(tensor, offsets, tile)}, {tile})"
                case Store(tile, tensor, offsets):
                    yield f"{indent}T.copy({tile}, {self.region(tensor, offsets, tile)})"
                case Fill(tile, value):
                    yield f"{indent}T.clear({tile})" if value == 0 else f"{indent}T.fill({tile}, {value!r})"
                case Copy(source, target):
                    yield f"{indent}T.copy({source}, {target})"
                case Gemm():
                    yield f"{indent}T.gemm({', '.join(self.operands(statement))})"
                case Map(target, expression):
                    shape = self.tiles[target].shape
                    at = ", ".join(INDICES[: len(shape)])
                    yield f"{indent}for {at} in T.Parallel({', '.join(map(str, shape))}):"
                    yield f"{indent}    {target}[{at}] = {expression}"
                case Reduce(kind, source, target, dim, clear):
                    keep = "" if clear else ", clear=False"
                    yield f"{indent}T.reduce_{kind}({source}, {target}, dim={dim}{keep})"
                case If(condition, then, otherwise):
                    yield f"{indent}if {condition}:"
                    yield from self.lines(then, indent + "    ")
                    if otherwise:
                        yield f"{indent}else:"
                        yield from self.lines(otherwise, indent + "    ")
                case Loop(variable, start, stop, stages, inner):
                    bounds = stop if start == "0" else f"{start}, {stop}"
                    if stages is None:
                        yield f"{indent}for {variable} in T.serial({bounds}):"
                    else:
                        chosen = stages if self.stages is None else self.stages
                        yield f"{indent}for {variable} in T.Pipelined({bounds}, num_stages={chosen}):"
                    yield from self.lines(inner, indent + "    ")

    def operands(self, gemm: Gemm) -> Iterator[str]:
        yield from (gemm.a, gemm.b, gemm.c)
        if gemm.transpose_a:
            yield "transpose_A=True"
        if gemm.transpose_b:
            yield "transpose_B=True"
        if gemm.clear != "False":
            yield f"clear_accum={gemm.clear}"


def source_of(program: Program, stages: int | None = None) -> str:
    """The program as a user would write it; `stages` overrides the depth of all pipelined loops."""
    parameters = [f'{tensor.name}: T.Tensor({tensor.shape}, "{tensor.dtype}")' for tensor in program.tensors]
    parameters += [f"{name}: T.int32" for name in program.scalars]
    blocks = ", ".join(BLOCKS[: len(program.grid)])
    lines = ["import tilelang.language as T", "", "", "@T.prim_func", "def main("]
    lines += [f"    {parameter}," for parameter in parameters]
    lines += ["):", f"    with T.Kernel({', '.join(map(str, program.grid))}, threads=128) as "]
    lines[-1] += f"({blocks}):" if len(program.grid) > 1 else f"{blocks}:"
    for tile in program.tiles:
        scope = "shared" if tile.shared else "fragment"
        lines.append(f'        {tile.name} = T.alloc_{scope}({tile.shape}, "{tile.dtype}")')
    lines += _Printer(program, stages).lines(program.body, " " * 8)
    return "\n".join(lines) + "\n"


_numbers = itertools.count()


def function_of(text: str) -> Any:
    """The kernel that a source text defines."""
    file = f"<random program {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec"), scope)
    return scope["main"]


def compile_program(program: Program, stages: int | None = None, target: str = "ascend") -> Any:
    return tilelang.compile(function_of(source_of(program, stages)), target=target)


# -- values with a bound of their error --------------------------------------------------------------------------------

UNIT = 2.0**-23  # of one operation in float32
FUNCTION = 2e-6  # of an approximated function, relative and absolute


@dataclasses.dataclass(frozen=True)
class Doubt:
    """A comparison, and where it may come out the other way."""

    holds: Any
    open: Any


@dataclasses.dataclass(frozen=True)
class Approx:
    """Elements, and bounds of their errors."""

    x: Any
    e: Any

    def __add__(self, other: Any) -> Approx:
        other = approx(other)
        x = self.x + other.x
        return Approx(x, self.e + other.e + UNIT * np.abs(x))

    def __sub__(self, other: Any) -> Approx:
        return self + -approx(other)

    def __rsub__(self, other: Any) -> Approx:
        return -self + other

    def __mul__(self, other: Any) -> Approx:
        other = approx(other)
        x = self.x * other.x
        e = np.abs(self.x) * other.e + self.e * np.abs(other.x) + self.e * other.e
        return Approx(x, e + UNIT * np.abs(x))

    def __truediv__(self, other: Any) -> Approx:
        """Divisors are at least 1/2 in all programs."""
        other = approx(other)
        assert np.min(np.abs(other.x) - other.e) > 0.25
        x = self.x / other.x
        return Approx(x, (self.e + np.abs(x) * other.e) / (np.abs(other.x) - other.e) + 4 * UNIT * np.abs(x))

    def __neg__(self) -> Approx:
        return Approx(-self.x, self.e)

    def __gt__(self, other: Any) -> Doubt:
        difference = self - other
        return Doubt(difference.x > 0, np.abs(difference.x) <= difference.e)

    __radd__ = __add__
    __rmul__ = __mul__

    def monotone(self, function: Callable[[Any], Any], error: float = FUNCTION) -> Approx:
        """A monotone function of the elements, evaluated at both ends of what they may be."""
        with np.errstate(over="ignore"):
            x, low, high = function(self.x), function(self.x - self.e), function(self.x + self.e)
        e = np.maximum(np.abs(high - x), np.abs(x - low))
        return Approx(x, e + error * (np.abs(x) + (error > 0)))


def approx(value: Any) -> Approx:
    return value if isinstance(value, Approx) else Approx(np.asarray(value, np.float64), np.zeros(()))


def _pair(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Of max and min: errors do not grow."""

    def compute(a: Any, b: Any) -> Any:
        if isinstance(a, Approx) or isinstance(b, Approx):
            a, b = approx(a), approx(b)
            x = function(a.x, b.x)
            spread = np.maximum(np.abs(function(a.x + a.e, b.x + b.e) - x), np.abs(function(a.x - a.e, b.x - b.e) - x))
            return Approx(x, spread)
        return function(a, b)

    return compute


class HostFunctions:
    """What `T` means to the interpreter."""

    max = staticmethod(_pair(np.maximum))
    min = staticmethod(_pair(np.minimum))

    @staticmethod
    def abs(a: Any) -> Any:
        return Approx(np.abs(a.x), a.e) if isinstance(a, Approx) else np.abs(a)

    @staticmethod
    def exp2(a: Approx) -> Approx:
        return a.monotone(np.exp2)

    @staticmethod
    def exp(a: Approx) -> Approx:
        return a.monotone(np.exp)

    @staticmethod
    def tanh(a: Approx) -> Approx:
        return a.monotone(np.tanh)

    @staticmethod
    def sigmoid(a: Approx) -> Approx:
        return a.monotone(lambda x: 1 / (1 + np.exp(-x)))

    @staticmethod
    def sqrt(a: Approx) -> Approx:
        return a.monotone(lambda x: np.sqrt(np.maximum(x, 0)))

    @staticmethod
    def if_then_else(condition: Any, then: Any, otherwise: Any) -> Any:
        doubt = condition if isinstance(condition, Doubt) else Doubt(condition, False)
        if not isinstance(then, Approx) and not isinstance(otherwise, Approx):
            return np.where(doubt.holds, then, otherwise)
        a, b = approx(then), approx(otherwise)
        e = np.where(doubt.holds, a.e, b.e)
        return Approx(np.where(doubt.holds, a.x, b.x), np.where(doubt.open, np.abs(a.x - b.x) + a.e + b.e, e))

    @staticmethod
    def ceildiv(a: Any, b: Any) -> Any:
        return -(-a // b)


def rounded(value: Approx, dtype: str) -> Approx:
    """The value as a buffer of this type holds it."""
    if dtype == "float32":
        return Approx(value.x, value.e + UNIT * np.abs(value.x))

    def cast(x: Any) -> Any:
        return x.astype(np.float32).astype(NUMPY_TYPES[dtype]).astype(np.float64)

    result = value.monotone(cast, 0.0)
    # More than 65504 in float16 shows as an infinite element, which the programs are made to avoid.
    assert np.all(np.isfinite(result.x)), f"a value of up to {np.max(np.abs(value.x))} in {dtype}"
    return result


# -- the interpreter ---------------------------------------------------------------------------------------------------


class _Buffer:
    """A tile or tensor while a program runs."""

    def __init__(self, shape: tuple[int, ...], dtype: str, value: Any) -> None:
        self.dtype = dtype
        self.exact = dtype == "int32"
        self.x = np.full(shape, value, np.int32) if self.exact else np.full(shape, value, np.float64)
        self.e = np.zeros(shape)

    def get(self) -> Any:
        return self.x if self.exact else Approx(self.x, self.e)

    def __getitem__(self, index: Any) -> Any:
        return self.x[index] if self.exact else Approx(self.x[index], self.e[index])

    def set(self, value: Any) -> None:
        if self.exact:
            self.x = np.broadcast_to(np.asarray(value).astype(np.int32), self.x.shape).copy()
            return
        value = approx(value)
        shape = self.x.shape
        value = rounded(Approx(np.broadcast_to(value.x, shape), np.broadcast_to(value.e, shape)), self.dtype)
        self.x, self.e = value.x.copy(), value.e.copy()


@functools.cache
def _code(text: str) -> CodeType:
    return compile(text, "<expression>", "eval")


class Interpreter:
    """Runs one program on given inputs."""

    def __init__(self, program: Program, inputs: dict[str, Any], scalars: dict[str, int]) -> None:
        self.program = program
        self.shapes = {tile.name: tile.shape for tile in program.tiles}
        self.scope: dict[str, Any] = {"T": HostFunctions, **scalars}
        self.tensors: dict[str, _Buffer] = {}
        for tensor in program.tensors:
            buffer = _Buffer(tensor.shape, tensor.dtype, OLD if tensor.output and tensor.dtype != "int32" else 0)
            if not tensor.output:
                buffer.x = inputs[tensor.name].astype(buffer.x.dtype)
            self.tensors[tensor.name] = buffer
        self.scope |= self.tensors

    def run(self) -> dict[str, _Buffer]:
        for block in np.ndindex(*reversed(self.program.grid)):
            self.scope |= zip(BLOCKS, map(int, reversed(block)), strict=False)
            for tile in self.program.tiles:
                value = 0 if tile.dtype == "int32" else np.nan
                self.scope[tile.name] = _Buffer(tile.shape, tile.dtype, value)
            with np.errstate(invalid="ignore"):
                self.execute(self.program.body)
        return {tensor.name: self.tensors[tensor.name] for tensor in self.program.tensors if tensor.output}

    def scalar(self, text: str) -> Any:
        return eval(_code(text), self.scope)

    def window(self, tensor: str, offsets: tuple[str, ...], tile: str) -> tuple[Any, Any]:
        """Where a tile lies in a tensor, and the part of the tile that is inside."""
        shape = self.shapes[tile]
        lead = len(offsets) - len(shape)
        at = [int(self.scalar(offset)) for offset in offsets]
        outer: list[Any] = list(at[:lead])
        inner = []
        for offset, extent, size in zip(at[lead:], shape, self.tensors[tensor].x.shape[lead:], strict=True):
            length = max(0, min(extent, size - offset))
            outer.append(slice(offset, offset + length))
            inner.append(slice(0, length))
        return tuple(outer), tuple(inner)

    def execute(self, body: Iterable[Statement]) -> None:
        scope = self.scope
        for statement in body:
            match statement:
                case Load(tensor, offsets, tile):
                    outer, inner = self.window(tensor, offsets, tile)
                    loaded = np.zeros(self.shapes[tile], scope[tile].x.dtype)
                    loaded[inner] = scope[tensor].x[outer]
                    scope[tile].set(loaded)
                case Store(tile, tensor, offsets):
                    outer, inner = self.window(tensor, offsets, tile)
                    value = _Buffer(self.shapes[tile], scope[tensor].dtype, 0)
                    value.set(scope[tile].get())
                    scope[tensor].x[outer] = value.x[inner]
                    scope[tensor].e[outer] = value.e[inner]
                case Fill(tile, number):
                    scope[tile].set(number)
                case Copy(source, target):
                    scope[target].set(scope[source].get())
                case Gemm():
                    self.gemm(statement)
                case Map(target, expression):
                    shape = self.shapes[target]
                    for dim, name in enumerate(INDICES[: len(shape)]):
                        scope[name] = np.arange(shape[dim]).reshape([-1 if d == dim else 1 for d in range(len(shape))])
                    scope[target].set(self.scalar(expression))
                case Reduce():
                    self.reduce(statement)
                case If(condition, then, otherwise):
                    self.execute(then if self.scalar(condition) else otherwise)
                case Loop(variable, start, stop, _, inner_body):
                    for index in range(int(self.scalar(start)), int(self.scalar(stop))):
                        scope[variable] = index
                        self.execute(inner_body)

    def gemm(self, gemm: Gemm) -> None:
        a, b, c = (self.scope[name] for name in (gemm.a, gemm.b, gemm.c))
        ax, ae = (a.x.T, a.e.T) if gemm.transpose_a else (a.x, a.e)
        bx, be = (b.x.T, b.e.T) if gemm.transpose_b else (b.x, b.e)
        old = Approx(np.zeros(c.x.shape), np.zeros(c.x.shape)) if self.scalar(gemm.clear) else c.get()
        size = np.abs(ax) @ np.abs(bx)
        e = np.abs(ax) @ be + ae @ np.abs(bx) + ae @ be + old.e
        c.set(Approx(old.x + ax @ bx, e + (ax.shape[1] + 1) * UNIT * (size + np.abs(old.x))))

    def reduce(self, reduce: Reduce) -> None:
        source, target = self.scope[reduce.source].get(), self.scope[reduce.target]
        kind, dim = reduce.kind, reduce.dim
        if kind.startswith("abs"):
            source, kind = HostFunctions.abs(source), kind[3:]
        if isinstance(source, Approx):
            if kind == "sum":
                result: Any = Approx(
                    source.x.sum(dim),
                    source.e.sum(dim) + source.x.shape[dim] * UNIT * np.abs(source.x).sum(dim),
                )
            else:
                function = np.max if kind == "max" else np.min
                x = function(source.x, dim)
                ends = [np.abs(function(end, dim) - x) for end in (source.x + source.e, source.x - source.e)]
                result = Approx(x, np.maximum(*ends))
        else:
            function = {"sum": np.sum, "max": np.max, "min": np.min}[kind]
            result = function(source, dim).astype(np.int32)
        if not reduce.clear:
            old = target.get()
            if reduce.kind.startswith("abs"):
                old = HostFunctions.abs(old)
            result = {
                "sum": lambda: result + old,
                "max": lambda: HostFunctions.max(result, old),
                "min": lambda: HostFunctions.min(result, old),
            }[kind]()
        target.set(result)


# -- running and comparing ---------------------------------------------------------------------------------------------


def inputs_of(program: Program, seed: int) -> dict[str, Any]:
    """Input tensors: elements in [-1, 1], small integers, or indices."""
    rng = np.random.default_rng(seed)
    result = {}
    for tensor in program.tensors:
        if tensor.output:
            continue
        if tensor.dtype == "int32":
            low, high = (0, tensor.limit) if tensor.limit else (-(2**31), 2**31)
            result[tensor.name] = rng.integers(low, high, tensor.shape, dtype=np.int32)
        else:
            result[tensor.name] = rng.uniform(-1, 1, tensor.shape).astype(NUMPY_TYPES[tensor.dtype])
    return result


def arguments_of(program: Program, inputs: dict[str, Any]) -> list[Any]:
    """Fresh arrays for all tensor parameters."""
    return [
        np.full(tensor.shape, 0 if tensor.dtype == "int32" else OLD, NUMPY_TYPES[tensor.dtype])
        if tensor.output
        else inputs[tensor.name]
        for tensor in program.tensors
    ]


def run_kernel(kernel: Any, program: Program, inputs: dict[str, Any], scalars: dict[str, int]) -> dict[str, Any]:
    """The outputs by name."""
    arguments = arguments_of(program, inputs)
    kernel(*arguments, *(scalars[name] for name in program.scalars))
    return {t.name: a for t, a in zip(program.tensors, arguments, strict=True) if t.output}


def assert_same_bytes(first: dict[str, Any], second: dict[str, Any], what: str) -> None:
    for name, array in first.items():
        other = second[name]
        if array.tobytes() != other.tobytes():
            differs = np.argwhere(
                array.view(np.uint8).reshape(*array.shape, -1) != other.view(np.uint8).reshape(*array.shape, -1)
            )
            at = tuple(differs[0][:-1])
            raise AssertionError(f"{what}: {name}{list(map(int, at))} is {array[at]} and {other[at]}")


def assert_right(outputs: dict[str, Any], expected: dict[str, _Buffer]) -> float:
    """Compares with the interpreter's values; returns the bound of the error relative to the largest element."""
    largest = 0.0
    for name, array in outputs.items():
        buffer = expected[name]
        assert np.all(np.isfinite(buffer.x)) and np.all(np.isfinite(buffer.e)), f"{name}: the program is no good test"
        if buffer.exact:
            np.testing.assert_array_equal(array, buffer.x, err_msg=name)
            continue
        error = np.abs(array.astype(np.float64) - buffer.x)
        bad = ~(error <= buffer.e * 1.01 + 1e-7)
        if np.any(bad):
            at = tuple(map(int, np.argwhere(bad)[0]))
            raise AssertionError(
                f"{name}{list(at)} is {array[at]}, expected {buffer.x[at]} with an error of at most "
                f"{buffer.e[at]:.3g}; {np.count_nonzero(bad)} of {bad.size} elements are wrong"
            )
        largest = max(
            largest, float(np.max(buffer.e, initial=0)) / max(1e-3, float(np.max(np.abs(buffer.x), initial=0)))
        )
    return largest
