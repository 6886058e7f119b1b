"""Random elementwise programs against NumPy: shapes, types, expressions, guards, broadcasts."""

from __future__ import annotations

import dataclasses
import os
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
    """One random program over a matrix."""

    rows: int
    columns: int
    block_rows: int
    block_columns: int
    dtype: str
    expression: str
    on_chip: bool  # tiles by T.copy, or elements of global tensors
    row_broadcast: bool  # y is a vector along the columns


@st.composite
def programs(draw: st.DrawFn) -> Elementwise:
    dtype = draw(st.sampled_from(["float16", "float32", "float32", "bfloat16", "int32"]))
    table = INTEGER_EXPRESSIONS if dtype == "int32" else FLOAT_EXPRESSIONS
    block_rows = draw(st.sampled_from([1, 2, 7, 16, 32, 64]))
    block_columns = draw(st.sampled_from([8, 16, 24, 64, 100, 128, 256]))
    if draw(st.booleans()):  # more blocks than Vector cores
        rows = draw(st.integers(7 * block_rows + 1, 8 * block_rows))
        columns = draw(st.integers(6 * block_columns + 1, 7 * block_columns))
    else:
        rows = draw(st.sampled_from([1, 2, 15, 17, 33, 64, 100]))
        columns = draw(st.sampled_from([1, 2, 15, 16, 17, 31, 33, 64, 100, 257]))
    return Elementwise(
        rows,
        columns,
        block_rows,
        block_columns,
        dtype,
        draw(st.sampled_from(sorted(table))),
        draw(st.booleans()),
        draw(st.booleans()),
    )


def build(e: Elementwise):
    table = INTEGER_EXPRESSIONS if e.dtype == "int32" else FLOAT_EXPRESSIONS
    expression = table[e.expression]
    y_shape = (e.columns,) if e.row_broadcast else (e.rows, e.columns)

    @T.prim_func
    def main(
        X: T.Tensor((e.rows, e.columns), e.dtype),
        Y: T.Tensor(y_shape, e.dtype),
        Z: T.Tensor((e.rows, e.columns), e.dtype),
    ):
        with T.Kernel(T.ceildiv(e.columns, e.block_columns), T.ceildiv(e.rows, e.block_rows), threads=128) as (bx, by):
            if e.on_chip:
                x = T.alloc_shared((e.block_rows, e.block_columns), e.dtype)
                z = T.alloc_fragment((e.block_rows, e.block_columns), e.dtype)
                T.copy(X[by * e.block_rows, bx * e.block_columns], x)
                if e.row_broadcast:
                    y = T.alloc_shared((e.block_columns,), e.dtype)
                    T.copy(Y[bx * e.block_columns], y)
                    for i, j in T.Parallel(e.block_rows, e.block_columns):
                        z[i, j] = expression(KernelFunctions, x[i, j], y[j])
                else:
                    y = T.alloc_shared((e.block_rows, e.block_columns), e.dtype)
                    T.copy(Y[by * e.block_rows, bx * e.block_columns], y)
                    for i, j in T.Parallel(e.block_rows, e.block_columns):
                        z[i, j] = expression(KernelFunctions, x[i, j], y[i, j])
                T.copy(z, Z[by * e.block_rows, bx * e.block_columns])
            else:
                for i, j in T.Parallel(e.block_rows, e.block_columns):
                    if by * e.block_rows + i < e.rows and bx * e.block_columns + j < e.columns:
                        if e.row_broadcast:
                            Z[by * e.block_rows + i, bx * e.block_columns + j] = expression(
                                KernelFunctions,
                                X[by * e.block_rows + i, bx * e.block_columns + j],
                                Y[bx * e.block_columns + j],
                            )
                        else:
                            Z[by * e.block_rows + i, bx * e.block_columns + j] = expression(
                                KernelFunctions,
                                X[by * e.block_rows + i, bx * e.block_columns + j],
                                Y[by * e.block_rows + i, bx * e.block_columns + j],
                            )

    return main


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
    rng = np.random.default_rng(e.rows * 31 + e.columns)
    kind = NUMPY_TYPES[e.dtype]
    y_shape = (e.columns,) if e.row_broadcast else (e.rows, e.columns)
    if e.dtype == "int32":
        x = rng.integers(-(2**31), 2**31, (e.rows, e.columns), dtype=np.int32)
        y = rng.integers(-1000, 1000, y_shape, dtype=np.int32)
        z = kernel(x, y)
        with np.errstate(over="ignore"):
            reference = INTEGER_EXPRESSIONS[e.expression](NumpyFunctions, x, np.broadcast_to(y, x.shape))
        np.testing.assert_array_equal(z, reference.astype(np.int32))
        return
    x = rng.standard_normal((e.rows, e.columns)).astype(kind)
    y = rng.standard_normal(y_shape).astype(kind)
    z = kernel(x, y)
    assert z.dtype == kind and z.shape == x.shape
    wide_x = x.astype(np.float32)
    wide_y = np.broadcast_to(y, x.shape).astype(np.float32)
    reference = FLOAT_EXPRESSIONS[e.expression](NumpyFunctions, wide_x, wide_y)
    unit = {"float32": 2**-23, "float16": 2**-11, "bfloat16": 2**-8}[e.dtype]
    np.testing.assert_allclose(
        z.astype(np.float64), reference.astype(np.float64), rtol=unit + 4e-6, atol=unit * 2**-3 + 1e-6
    )
