"""Random elementwise programs against NumPy: shapes, types, expressions, guards, broadcasts."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import tilelang
import tilelang.language as T

EXAMPLES = int(os.environ.get("TILELANG_ELEMENTWISE_EXAMPLES", "300"))
NUMPY_TYPES: dict[str, Any] = {
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "int32": np.int32,
    "int8": np.int8,
}

# Each expression: for tiles x, y and their indices; the same text serves the kernel and NumPy, with `f` the
# functions of either side.
FLOAT_EXPRESSIONS = {
    "add": lambda f, x, y: x + y,
    "subtract": lambda f, x, y: x - y,
    "multiply": lambda f, x, y: x * y,
    "axpy": lambda f, x, y: x * 2.5 + y,
    "chain": lambda f, x, y: (x + y) * (x - y) + x,
    "reversed scalar": lambda f, x, y: 1.5 - x,
    "maximum": lambda f, x, y: f.max(x, y),
    "minimum": lambda f, x, y: f.min(x, y * 0.5),
    "relu": lambda f, x, y: f.max(x, 0),
    "absolute": lambda f, x, y: f.abs(x) + y,
    "exponential": lambda f, x, y: f.exp(x),
    "square root": lambda f, x, y: f.sqrt(f.abs(x) + 1.0),
    "reciprocal root": lambda f, x, y: f.rsqrt(f.abs(x) + 1.0),
    "logarithm": lambda f, x, y: f.log(f.abs(x) + 1.0),
    "quotient": lambda f, x, y: x / (f.abs(y) + 1.0),
    "tanh": lambda f, x, y: f.tanh(x),
    "sigmoid": lambda f, x, y: f.sigmoid(x) * y,
    "select": lambda f, x, y: f.where(x > y, x, y * 2.0),
    "select both": lambda f, x, y: f.where(x > 0.0, f.where(y > 0.0, x, y), x * y),
    "negate": lambda f, x, y: -x,
}
INTEGER_EXPRESSIONS = {
    "add": lambda f, x, y: x + y,
    "subtract": lambda f, x, y: x - y,
    "multiply": lambda f, x, y: x * y,
    "maximum": lambda f, x, y: f.max(x, y),
    "minimum": lambda f, x, y: f.min(x, y),
    "select": lambda f, x, y: f.where(x > y, x, y),
    "shifted": lambda f, x, y: x * 3 + 7,
}


class KernelFunctions:
    """What expressions call inside a kernel."""

    max, min, abs, exp = T.max, T.min, T.abs, T.exp
    sqrt, rsqrt, log, tanh, sigmoid = T.sqrt, T.rsqrt, T.log, T.tanh, T.sigmoid
    where = T.if_then_else


class NumpyFunctions:
    """The same names on NumPy arrays."""

    max, min, abs, exp = np.maximum, np.minimum, np.abs, np.exp
    sqrt, log, tanh, where = np.sqrt, np.log, np.tanh, np.where

    @staticmethod
    def rsqrt(x: np.ndarray) -> np.ndarray:
        return 1 / np.sqrt(x)

    @staticmethod
    def sigmoid(x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-x))


@dataclasses.dataclass(frozen=True)
class Elementwise:
    """One random program over a tensor of one to four dimensions."""

    shape: tuple[int, ...]
    block: tuple[int, ...]  # of the last dimensions; the two leading ones of four are indices of the grid
    dtype: str
    expression: str
    on_chip: bool  # tiles by T.copy, or elements of global tensors
    broadcast: str  # y has all dimensions ("none"), the last one ("row") or all but the last one ("column")

    @property
    def y_shape(self) -> tuple[int, ...]:
        return {"none": self.shape, "row": self.shape[-1:], "column": self.shape[:-1]}[self.broadcast]

    @property
    def function(self) -> Callable[..., Any]:
        table = INTEGER_EXPRESSIONS if self.dtype.startswith("int") else FLOAT_EXPRESSIONS
        return table[self.expression]


@st.composite
def programs(draw: st.DrawFn) -> Elementwise:
    dtype = draw(st.sampled_from(["float16", "float32", "float32", "bfloat16", "int32", "int8"]))
    table = INTEGER_EXPRESSIONS if dtype.startswith("int") else FLOAT_EXPRESSIONS
    rank = draw(st.sampled_from([2, 2, 2, 1, 3, 4]))
    block_rows = draw(st.sampled_from([1, 2, 7, 16, 32, 64]))
    block_columns = draw(st.sampled_from([8, 16, 24, 64, 100, 128, 256]))
    if rank <= 2 and draw(st.booleans()):  # more blocks than Vector cores
        rows = draw(st.integers(7 * block_rows + 1, 8 * block_rows))
        columns = draw(st.integers(6 * block_columns + 1, 7 * block_columns))
    else:
        rows = draw(st.sampled_from([1, 2, 15, 17, 33, 64, 100]))
        columns = draw(st.sampled_from([1, 2, 15, 16, 17, 31, 33, 64, 100, 257]))
    shape, block = (rows, columns), (block_rows, block_columns)
    if rank == 1:
        shape, block = (rows * columns,), (block_rows * block_columns,)
    if rank == 3:  # whole tiles along the planes; planes that overhang have a test of their own
        planes = draw(st.integers(1, 3))
        shape, block = (planes * draw(st.integers(1, 3)), *shape), (planes, min(block_rows, 16), block_columns)
    if rank == 4:
        shape = (draw(st.integers(1, 3)), draw(st.integers(1, 3)), *shape)
    return Elementwise(
        shape,
        block,
        dtype,
        draw(st.sampled_from(sorted(table))),
        draw(st.booleans()),
        draw(st.sampled_from(["none", "row", "column"] if rank > 1 else ["none"])),
    )


def build(e: Elementwise) -> Any:
    return {1: build_vector, 2: build_matrix, 3: build_volume, 4: build_batch}[len(e.shape)](e)


def build_vector(e: Elementwise) -> Any:
    (n,), (block,), function = e.shape, e.block, e.function

    @T.prim_func
    def main(X: T.Tensor((n,), e.dtype), Y: T.Tensor((n,), e.dtype), Z: T.Tensor((n,), e.dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            if e.on_chip:
                x = T.alloc_shared((block,), e.dtype)
                y = T.alloc_shared((block,), e.dtype)
                z = T.alloc_fragment((block,), e.dtype)
                T.copy(X[bx * block], x)
                T.copy(Y[bx * block], y)
                for i in T.Parallel(block):
                    z[i] = function(KernelFunctions, x[i], y[i])
                T.copy(z, Z[bx * block])
            else:
                for i in T.Parallel(block):
                    if bx * block + i < n:
                        Z[bx * block + i] = function(KernelFunctions, X[bx * block + i], Y[bx * block + i])

    return main


def build_matrix(e: Elementwise) -> Any:
    (rows, columns), (block_rows, block_columns), function = e.shape, e.block, e.function

    @T.prim_func
    def main(
        X: T.Tensor((rows, columns), e.dtype), Y: T.Tensor(e.y_shape, e.dtype), Z: T.Tensor((rows, columns), e.dtype)
    ):
        with T.Kernel(T.ceildiv(columns, block_columns), T.ceildiv(rows, block_rows), threads=128) as (bx, by):
            row, column = by * block_rows, bx * block_columns
            if e.on_chip:
                x = T.alloc_shared((block_rows, block_columns), e.dtype)
                z = T.alloc_fragment((block_rows, block_columns), e.dtype)
                T.copy(X[row, column], x)
                if e.broadcast == "row":
                    y = T.alloc_shared((block_columns,), e.dtype)
                    T.copy(Y[column], y)
                    for i, j in T.Parallel(block_rows, block_columns):
                        z[i, j] = function(KernelFunctions, x[i, j], y[j])
                elif e.broadcast == "column":
                    y = T.alloc_shared((block_rows,), e.dtype)
                    T.copy(Y[row], y)
                    for i, j in T.Parallel(block_rows, block_columns):
                        z[i, j] = function(KernelFunctions, x[i, j], y[i])
                else:
                    y = T.alloc_shared((block_rows, block_columns), e.dtype)
                    T.copy(Y[row, column], y)
                    for i, j in T.Parallel(block_rows, block_columns):
                        z[i, j] = function(KernelFunctions, x[i, j], y[i, j])
                T.copy(z, Z[row, column])
            else:
                for i, j in T.Parallel(block_rows, block_columns):
                    if row + i < rows and column + j < columns:
                        index = {"none": (row + i, column + j), "row": (column + j,), "column": (row + i,)}[e.broadcast]
                        Z[row + i, column + j] = function(KernelFunctions, X[row + i, column + j], Y[index])

    return main


def build_volume(e: Elementwise) -> Any:
    """Tiles of three dimensions."""
    (planes, rows, columns), (bp, br, bc), function = e.shape, e.block, e.function
    y_block = {"none": (bp, br, bc), "row": (bc,), "column": (bp, br)}[e.broadcast]

    @T.prim_func
    def main(
        X: T.Tensor((planes, rows, columns), e.dtype),
        Y: T.Tensor(e.y_shape, e.dtype),
        Z: T.Tensor((planes, rows, columns), e.dtype),
    ):
        with T.Kernel(T.ceildiv(columns, bc), T.ceildiv(rows, br), T.ceildiv(planes, bp)) as (bx, by, bz):
            plane, row, column = bz * bp, by * br, bx * bc
            start = {"none": (plane, row, column), "row": (column,), "column": (plane, row)}[e.broadcast]
            if e.on_chip:
                x = T.alloc_shared((bp, br, bc), e.dtype)
                y = T.alloc_shared(y_block, e.dtype)
                z = T.alloc_fragment((bp, br, bc), e.dtype)
                T.copy(X[plane, row, column], x)
                T.copy(Y[start], y)
                for i, j, k in T.Parallel(bp, br, bc):
                    index = {"none": (i, j, k), "row": (k,), "column": (i, j)}[e.broadcast]
                    z[i, j, k] = function(KernelFunctions, x[i, j, k], y[index])
                T.copy(z, Z[plane, row, column])
            else:
                for i, j, k in T.Parallel(bp, br, bc):
                    p, r, c = plane + i, row + j, column + k
                    index = {"none": (p, r, c), "row": (c,), "column": (p, r)}[e.broadcast]
                    Z[p, r, c] = function(KernelFunctions, X[p, r, c], Y[index])

    return main


def build_batch(e: Elementwise) -> Any:
    """Matrices of a tensor of four dimensions, a tile at a time."""
    (outer, inner, rows, columns), (br, bc), function = e.shape, e.block, e.function
    y_block = {"none": (br, bc), "row": (bc,), "column": (br,)}[e.broadcast]

    @T.prim_func
    def main(
        X: T.Tensor((outer, inner, rows, columns), e.dtype),
        Y: T.Tensor(e.y_shape, e.dtype),
        Z: T.Tensor((outer, inner, rows, columns), e.dtype),
    ):
        with T.Kernel(T.ceildiv(columns, bc), T.ceildiv(rows, br), outer * inner) as (bx, by, bz):
            o, n, row, column = bz // inner, bz % inner, by * br, bx * bc
            start = {"none": (o, n, row, column), "row": (column,), "column": (o, n, row)}[e.broadcast]
            if e.on_chip:
                x = T.alloc_shared((br, bc), e.dtype)
                y = T.alloc_shared(y_block, e.dtype)
                z = T.alloc_fragment((br, bc), e.dtype)
                T.copy(X[o, n, row, column], x)
                T.copy(Y[start], y)
                for i, j in T.Parallel(br, bc):
                    index = {"none": (i, j), "row": (j,), "column": (i,)}[e.broadcast]
                    z[i, j] = function(KernelFunctions, x[i, j], y[index])
                T.copy(z, Z[o, n, row, column])
            else:
                for i, j in T.Parallel(br, bc):
                    r, c = row + i, column + j
                    index = {"none": (o, n, r, c), "row": (c,), "column": (o, n, r)}[e.broadcast]
                    Z[o, n, r, c] = function(KernelFunctions, X[o, n, r, c], Y[index])

    return main


def spread(e: Elementwise, y: Any) -> Any:
    """y over the whole shape."""
    return np.broadcast_to(y[..., None] if e.broadcast == "column" else y, e.shape)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs())
def test_random_elementwise(e: Elementwise) -> None:
    note(str(e))
    kernel = tilelang.compile(build(e), out_idx=[2], target="ascend")
    rng = np.random.default_rng(sum(e.shape))
    kind = NUMPY_TYPES[e.dtype]
    if e.dtype.startswith("int"):
        limits = np.iinfo(e.dtype)
        x = rng.integers(limits.min, limits.max, e.shape, dtype=kind, endpoint=True)
        y = rng.integers(max(limits.min, -1000), min(limits.max, 1000), e.y_shape, dtype=kind, endpoint=True)
        z = kernel(x, y)
        with np.errstate(over="ignore"):
            reference = e.function(NumpyFunctions, x, spread(e, y))
        assert reference.dtype == kind, "modulo 2^bits"
        np.testing.assert_array_equal(z, reference)
        return
    x = rng.standard_normal(e.shape).astype(kind)
    y = rng.standard_normal(e.y_shape).astype(kind)
    z = kernel(x, y)
    assert z.dtype == kind and z.shape == x.shape
    reference = e.function(NumpyFunctions, x.astype(np.float32), spread(e, y).astype(np.float32))
    unit = {"float32": 2**-23, "float16": 2**-11, "bfloat16": 2**-8}[e.dtype]
    np.testing.assert_allclose(
        z.astype(np.float64), reference.astype(np.float64), rtol=unit + 4e-6, atol=unit * 2**-3 + 1e-6
    )
