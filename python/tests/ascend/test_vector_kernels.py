"""Kernels of the Vector cores against NumPy: every type, operation, shape and broadcast, with the checks on.

Without a tolerance the comparison is exact, NaN equal to NaN. Elementwise cases of one type are rows of one kernel, so
that the host compiler runs once for all of them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilelang
import tilelang.language as T

Array = Any  # of NumPy; ml_dtypes' types have no annotation
Case = tuple[Callable[..., Any], Callable[..., Any]]  # what the kernel computes, and what NumPy does

LENGTH, BLOCK = 1000, 256  # the last block overhangs
FLOATS = ("float32", "float16", "bfloat16")
INTEGERS = ("int32", "int16", "int8", "uint8")
DTYPES = (*FLOATS, *INTEGERS, "bool")


def numpy_type(dtype: str) -> Any:
    return ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)


def values(shape: int | tuple[int, ...], dtype: str, low: float = -4, high: float = 4, seed: int = 7) -> Array:
    """Random values; integers take the whole range of their type."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    return rng.uniform(low, high, shape).astype(numpy_type(dtype))


def assert_same(got: Array, expected: Array, tolerance: float = 0.0) -> None:
    """Equal types and values; with a tolerance, relative and absolute, values near each other."""
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if tolerance:
        np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), rtol=tolerance, atol=tolerance)
        return
    wrong = np.argwhere((got != expected) & ~((got != got) & (expected != expected)))
    if len(wrong):
        at = tuple(wrong[0])
        raise AssertionError(
            f"{len(wrong)} of {got.size} differ, the first at {at}: {got[at]}, expected {expected[at]}"
        )


def rows_of_functions(functions: list[Callable[..., Any]], dtype: str, out_dtype: str) -> Any:
    """C[c, i] = functions[c](A[i], B[i])."""

    @T.prim_func
    def main(
        A: T.Tensor((LENGTH,), dtype),
        B: T.Tensor((LENGTH,), dtype),
        C: T.Tensor((len(functions), LENGTH), out_dtype),
    ):
        with T.Kernel(T.ceildiv(LENGTH, BLOCK)) as bx:
            for case, function in enumerate(functions):
                for i in T.Parallel(BLOCK):
                    C[case, bx * BLOCK + i] = function(A[bx * BLOCK + i], B[bx * BLOCK + i])

    return tilelang.compile(main, out_idx=[2], target="ascend", checks="on")


def single(x: Array) -> Array:
    return np.asarray(x).astype(np.float32)


def double(x: Array) -> Array:
    return np.asarray(x).astype(np.float64)


# -- arithmetic ------------------------------------------------------------------------------------------------------

# Half types compute in float32 and round once, at the store.
FLOAT_CASES: dict[str, Case] = {
    "add": (lambda a, b: a + b, lambda a, b: a + b),
    "subtract": (lambda a, b: a - b, lambda a, b: a - b),
    "multiply": (lambda a, b: a * b, lambda a, b: a * b),
    "divide": (lambda a, b: a / b, lambda a, b: a / b),
    "maximum": (lambda a, b: T.max(a, b), np.maximum),
    "chain": (lambda a, b: (a + b) * a - b / 3.0, lambda a, b: (a + b) * a - b / np.float32(3)),
    "negate": (lambda a, b: -a, lambda a, b: -a),
    "absolute": (lambda a, b: T.abs(a), lambda a, b: abs(a)),
    "reversed subtract": (lambda a, b: 1.0 - a, lambda a, b: 1 - a),
    "reciprocal": (lambda a, b: 1.0 / a, lambda a, b: 1 / a),
    "divide by constant": (lambda a, b: a / 2.0, lambda a, b: a / 2),
    "scale and shift": (lambda a, b: a * 0.1 + 0.3, lambda a, b: a * np.float32(0.1) + np.float32(0.3)),
    "relu": (lambda a, b: T.max(a, 0), lambda a, b: np.maximum(a, 0)),
    "select": (
        lambda a, b: T.if_then_else(a > 0.5, a * 2.0, b - 1.0),
        lambda a, b: np.where(a > np.float32(0.5), a * 2, b - 1),
    ),
    "floor": (lambda a, b: T.floor(a), lambda a, b: np.floor(a)),
    "ceil": (lambda a, b: T.ceil(a), lambda a, b: np.ceil(a)),
    "truncate": (lambda a, b: T.trunc(a), lambda a, b: np.trunc(a)),
    "nearest": (lambda a, b: T.nearbyint(a), lambda a, b: np.rint(a)),
}


# The references of integers compute in int64; the test wraps them.
INTEGER_CASES: dict[str, Case] = {
    "add": (lambda a, b: a + b, lambda a, b: a + b),
    "subtract": (lambda a, b: a - b, lambda a, b: a - b),
    "multiply": (lambda a, b: a * b, lambda a, b: a * b),
    "maximum": (lambda a, b: T.max(a, b), np.maximum),
    "minimum": (lambda a, b: T.min(a, b), np.minimum),
    "and": (lambda a, b: a & b, lambda a, b: a & b),
    "or": (lambda a, b: a | b, lambda a, b: a | b),
    "exclusive or": (lambda a, b: a ^ b, lambda a, b: a ^ b),
    "less": (lambda a, b: T.if_then_else(a < b, a, b + 1), lambda a, b: np.where(a < b, a, b + 1)),
    "not less": (lambda a, b: T.if_then_else(a >= b, a, 5), lambda a, b: np.where(a >= b, a, 5)),
    "equal": (lambda a, b: T.if_then_else((a & 3) == (b & 3), a, b), lambda a, b: np.where((a & 3) == (b & 3), a, b)),
    "shift left": (lambda a, b: a << 2, lambda a, b: a << 2),
    "shift right": (lambda a, b: a >> 2, lambda a, b: a >> 2),
    "absolute": (lambda a, b: T.abs(a), lambda a, b: np.abs(a)),
    "divide down by constant": (lambda a, b: a // 7, lambda a, b: a // 7),
    "remainder of constant": (lambda a, b: a % 5, lambda a, b: a % 5),
    "divide down": (lambda a, b: a // T.max(b, 1), lambda a, b: a // np.maximum(b, 1)),
    "divide down by either sign": (lambda a, b: a // (b | 1), lambda a, b: a // (b | 1)),
    "remainder by either sign": (lambda a, b: a % (b | 1), lambda a, b: a % (b | 1)),
    "divide up by either sign": (lambda a, b: T.ceildiv(a, b | 1), lambda a, b: -(-a // (b | 1))),
}

UNSIGNED_CASES: dict[str, Case] = {
    **{
        name: INTEGER_CASES[name]
        for name in ("add", "subtract", "multiply", "maximum", "minimum", "less", "not less", "equal", "shift right")
    },
    "wrapped before a division": (lambda a, b: a * 3 // 2, lambda a, b: (a * 3) % 2**32 // 2),
    "against a large constant": (
        lambda a, b: T.if_then_else(a < 2**31 + 5, a, b),
        lambda a, b: np.where(a < 2**31 + 5, a, b),
    ),
    "remainder": (lambda a, b: a % (b | 1), lambda a, b: a % (b | 1)),
    "divide up": (lambda a, b: T.ceildiv(a, b | 1), lambda a, b: -(-a // (b | 1))),
}

TABLES = {"float": FLOAT_CASES, "integer": INTEGER_CASES, "unsigned": UNSIGNED_CASES}


@functools.lru_cache(maxsize=16)
def run_table(table: str, dtype: str) -> tuple[Array, Array, dict[str, Array]]:
    """Two inputs and what one kernel makes of them in each case of a table."""
    cases = TABLES[table]
    a, b = values(LENGTH, dtype), values(LENGTH, dtype, seed=8)
    if dtype == "uint32":
        a[:4] = 0, 1, 2**31, 2**32 - 1
    kernel = rows_of_functions([function for function, _ in cases.values()], dtype, dtype)
    return a, b, dict(zip(cases, kernel(a, b), strict=True))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FLOAT_CASES)
def test_float_arithmetic(name: str, dtype: str) -> None:
    a, b, got = run_table("float", dtype)
    expected = FLOAT_CASES[name][1](single(a), single(b))
    assert_same(got[name], expected.astype(numpy_type(dtype)))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", INTEGER_CASES)
def test_integer_arithmetic(name: str, dtype: str) -> None:
    a, b, got = run_table("integer", dtype)
    expected = INTEGER_CASES[name][1](a.astype(np.int64), b.astype(np.int64))
    assert_same(got[name], expected.astype(dtype))


@pytest.mark.parametrize("name", UNSIGNED_CASES)
def test_uint32_arithmetic(name: str) -> None:
    a, b, got = run_table("unsigned", "uint32")
    expected = UNSIGNED_CASES[name][1](a.astype(np.int64), b.astype(np.int64))
    assert_same(got[name], expected.astype(np.uint32))


# -- conversions -----------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=16)
def run_casts(dtype: str) -> tuple[Array, dict[str, Array]]:
    """An input and its conversions to every type."""
    shape = (LENGTH,)

    @T.prim_func
    def main(
        A: T.Tensor(shape, dtype),
        o0: T.Tensor(shape, DTYPES[0]),
        o1: T.Tensor(shape, DTYPES[1]),
        o2: T.Tensor(shape, DTYPES[2]),
        o3: T.Tensor(shape, DTYPES[3]),
        o4: T.Tensor(shape, DTYPES[4]),
        o5: T.Tensor(shape, DTYPES[5]),
        o6: T.Tensor(shape, DTYPES[6]),
        o7: T.Tensor(shape, DTYPES[7]),
    ):
        with T.Kernel(T.ceildiv(LENGTH, BLOCK)) as bx:
            for output in (o0, o1, o2, o3, o4, o5, o6, o7):
                for i in T.Parallel(BLOCK):
                    output[bx * BLOCK + i] = T.cast(A[bx * BLOCK + i], output.dtype)

    a = values(LENGTH, dtype, -300, 300)
    if dtype != "bool":
        a[::3] = 0
    kernel = tilelang.compile(main, out_idx=list(range(1, 9)), target="ascend", checks="on")
    return a, dict(zip(DTYPES, kernel(a), strict=True))


@pytest.mark.parametrize("to", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_cast(dtype: str, to: str) -> None:
    """Between integers modulo 2^bits; floats are cut towards zero. A float out of the range of an integer type has no
    value that the language fixes."""
    a, outputs = run_casts(dtype)
    got = outputs[to]
    if to == "bool":
        expected = double(a) != 0
    elif "int" in to and dtype in FLOATS:
        whole = np.trunc(double(a))
        inside = (whole >= np.iinfo(to).min) & (whole <= np.iinfo(to).max)
        got, expected = got[inside], whole[inside].astype(to)
    elif "int" in to:
        expected = a.astype(np.int64).astype(to)
    else:
        with np.errstate(over="ignore"):
            expected = double(a).astype(np.float32).astype(numpy_type(to))
    assert_same(got, expected)


@pytest.mark.parametrize("to", ["float32", "float16", "int8", "int64", "bool"])
def test_cast_from_uint32(to: str) -> None:
    @T.prim_func
    def main(A: T.Tensor((64,), "uint32"), C: T.Tensor((64,), to)):
        with T.Kernel(1):
            for i in T.Parallel(64):
                C[i] = T.cast(A[i], to)

    a = values(64, "uint32")
    a[:4] = 0, 1, 2**31, 2**32 - 1
    with np.errstate(over="ignore"):
        expected = a.astype(to)
    assert_same(tilelang.compile(main, out_idx=[1], target="ascend")(a), expected)


def test_cast_to_uint32() -> None:
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), C: T.Tensor((64,), "uint32")):
        with T.Kernel(1):
            for i in T.Parallel(64):
                C[i] = T.cast(A[i], "uint32")

    a = values(64, "float32", 0, 4e9)
    assert_same(tilelang.compile(main, out_idx=[1], target="ascend")(a), a.astype(np.uint32))


def test_int64() -> None:
    @T.prim_func
    def main(A: T.Tensor((64,), "int64"), C: T.Tensor((64,), "int64"), F: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(64):
                C[i] = A[i] * 3 + 1
                F[i] = T.cast(A[i], "float32")

    a = values(64, "int64")
    o, f = tilelang.compile(main, out_idx=[1, 2], target="ascend")(a)
    with np.errstate(over="ignore"):
        assert_same(o, a * 3 + 1)
    assert_same(f, a.astype(np.float32))


def test_reinterpret() -> None:
    @T.prim_func
    def main(A: T.Tensor((256,), "float32"), bits: T.Tensor((256,), "int32"), C: T.Tensor((256,), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(256):
                bits[i] = T.reinterpret(A[i], "int32")
                C[i] = T.reinterpret(T.reinterpret(A[i], "int32") + 1, "float32")

    a = values(256, "float32")
    integers, following = tilelang.compile(main, out_idx=[1, 2], target="ascend")(a)
    assert_same(integers, a.view(np.int32))
    assert_same(following, (a.view(np.int32) + 1).view(np.float32))


# -- mathematics -----------------------------------------------------------------------------------------------------

erf = np.vectorize(math.erf)
# What the kernel computes, the reference, the range of inputs, the largest error, whether that is relative.
MATHEMATICS: dict[str, tuple[Callable[..., Any], Callable[..., Any], float, float, float, bool]] = {
    "exp": (T.exp, np.exp, -20, 20, 3e-6, True),
    "exp2": (T.exp2, np.exp2, -20, 20, 3e-6, True),
    "exp10": (T.exp10, lambda x: 10.0**x, -5, 5, 1e-5, True),
    "log": (T.log, np.log, 0.1, 10, 3e-6, True),
    "log2": (T.log2, np.log2, 0.1, 10, 3e-6, True),
    "log1p": (T.log1p, np.log1p, -0.9, 5, 1e-6, True),
    "log1p near 0": (T.log1p, np.log1p, -1e-4, 1e-4, 1e-6, True),
    "log1p very near 0": (T.log1p, np.log1p, -1e-9, 1e-9, 1e-6, True),
    "sqrt": (T.sqrt, np.sqrt, 0, 10, 3e-7, True),
    "rsqrt": (T.rsqrt, lambda x: 1 / np.sqrt(x), 0.1, 10, 3e-6, True),
    "tanh": (T.tanh, np.tanh, -12, 12, 3e-6, True),
    "tanh below 0.7": (T.tanh, np.tanh, -0.7, 0.7, 3e-6, True),
    "tanh near 0": (T.tanh, np.tanh, -1e-3, 1e-3, 3e-6, True),
    "sigmoid": (T.sigmoid, lambda x: 1 / (1 + np.exp(-x)), -20, 20, 3e-6, True),
    "erf": (T.erf, erf, -6, 6, 1e-6, True),
    "sin": (T.sin, np.sin, -30, 30, 1e-6, False),
    "sin of large": (T.sin, np.sin, -9e4, 9e4, 1e-6, False),
    "sin near 0": (T.sin, np.sin, -1e-3, 1e-3, 1e-6, True),
    "cos": (T.cos, np.cos, -30, 30, 1e-6, False),
    "tan": (T.tan, np.tan, -1.4, 1.4, 1e-6, True),
    "square": (lambda x: T.pow(x, 2.0), lambda x: x**2, -4, 4, 1e-5, True),
}


@functools.lru_cache(maxsize=1)
def run_mathematics() -> tuple[Array, Array]:
    """A row of inputs and a row of results for each function."""
    functions = [case[0] for case in MATHEMATICS.values()]
    n = 500

    @T.prim_func
    def main(A: T.Tensor((len(functions), n), "float32"), C: T.Tensor((len(functions), n), "float32")):
        with T.Kernel(T.ceildiv(n, BLOCK)) as bx:
            for case, function in enumerate(functions):
                for i in T.Parallel(BLOCK):
                    C[case, bx * BLOCK + i] = function(A[case, bx * BLOCK + i])

    rows = [values(n, "float32", low, high, seed) for seed, (_, _, low, high, _, _) in enumerate(MATHEMATICS.values())]
    a = np.stack(rows)
    return a, tilelang.compile(main, out_idx=[1], target="ascend", checks="on")(a)


@pytest.mark.parametrize("name", MATHEMATICS)
def test_mathematics(name: str) -> None:
    _, reference, _, _, bound, is_relative = MATHEMATICS[name]
    inputs, outputs = run_mathematics()
    row = list(MATHEMATICS).index(name)
    expected = reference(double(inputs[row]))
    error = np.abs(outputs[row] - expected) / (np.abs(expected) if is_relative else 1)
    assert error.max() < bound, f"error {error.max():.3g} at {inputs[row][error.argmax()]}"


# -- shapes and broadcasts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "block", "dtype"),
    [
        ((64, 64), (32, 32), "float32"),
        ((100, 72), (32, 64), "float32"),
        ((37, 300), (16, 128), "float16"),
        ((7, 5), (8, 16), "float32"),
        ((64, 1000), (16, 1000), "bfloat16"),
        ((300, 9), (300, 9), "float32"),
        ((520, 64), (512, 64), "float32"),
        ((40, 4096), (8, 4096), "float32"),
        ((1000, 130), (1000, 130), "float16"),
    ],
    ids=lambda value: "x".join(map(str, value)) if isinstance(value, tuple) else value,
)
def test_row_and_column_broadcast(shape: tuple[int, int], block: tuple[int, int], dtype: str) -> None:
    (m, n), (block_m, block_n) = shape, block

    @T.prim_func
    def main(
        A: T.Tensor((m, n), dtype),
        row: T.Tensor((n,), "float32"),
        column: T.Tensor((m,), "float32"),
        C: T.Tensor((m, n), dtype),
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m)) as (bx, by):
            a = T.alloc_fragment((block_m, block_n), "float32")
            r = T.alloc_fragment((block_n,), "float32")
            c = T.alloc_fragment((block_m,), "float32")
            T.copy(A[by * block_m, bx * block_n], a)
            T.copy(row[bx * block_n], r)
            T.copy(column[by * block_m], c)
            for i, j in T.Parallel(block_m, block_n):
                a[i, j] = (a[i, j] + r[j]) * c[i]
            T.copy(a, C[by * block_m, bx * block_n])

    a, r, c = values(shape, dtype), values(n, "float32", seed=8), values(m, "float32", seed=9)
    got = tilelang.compile(main, out_idx=[3], target="ascend", checks="on")(a, r, c)
    assert_same(got, ((single(a) + r) * c[:, None]).astype(numpy_type(dtype)))


def test_expression_of_a_column() -> None:
    """What varies with the row alone is computed for the column, then broadcast."""

    @T.prim_func
    def main(A: T.Tensor((64, 48), "float16"), c: T.Tensor((64,), "float16"), C: T.Tensor((64, 48), "float16")):
        with T.Kernel(4) as bx:
            for i, j in T.Parallel(16, 48):
                C[bx * 16 + i, j] = T.exp2(T.max(c[bx * 16 + i], 0.0) - 1.0) * A[bx * 16 + i, j]

    a, c = values((64, 48), "float16"), values(64, "float16", seed=8)
    got = tilelang.compile(main, out_idx=[2], target="ascend")(a, c)
    assert_same(got, (np.exp2(np.maximum(single(c), 0) - 1)[:, None] * a).astype(np.float16), 2e-3)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-6), ("float16", 1e-3), ("bfloat16", 1e-2)])
def test_gelu(dtype: str, tolerance: float) -> None:
    @T.prim_func
    def main(A: T.Tensor((100, 200), dtype), C: T.Tensor((100, 200), dtype)):
        with T.Kernel(T.ceildiv(200, 64), T.ceildiv(100, 64)) as (bx, by):
            for i, j in T.Parallel(64, 64):
                x = T.cast(A[by * 64 + i, bx * 64 + j], "float32")
                C[by * 64 + i, bx * 64 + j] = 0.5 * x * (1.0 + T.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))

    a = values((100, 200), dtype)
    x = double(a)
    expected = 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))
    got = tilelang.compile(main, out_idx=[1], target="ascend")(a)
    assert_same(got, expected.astype(numpy_type(dtype)), tolerance)


@pytest.mark.parametrize("window", [None, 9], ids=["causal", "window of 9"])
@pytest.mark.parametrize(("m", "n", "block"), [(64, 64, 32), (100, 130, 64), (33, 47, 16)])
def test_mask_of_indices(m: int, n: int, block: int, window: int | None) -> None:
    @T.prim_func
    def main(A: T.Tensor((m, n), "float32"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block)) as (bx, by):
            a = T.alloc_fragment((block, block), "float32")
            T.copy(A[by * block, bx * block], a)
            for i, j in T.Parallel(block, block):
                distance = by * block + i - (bx * block + j)
                if window is None:
                    a[i, j] = T.if_then_else(distance >= 0, a[i, j] * 0.5, -1e30)
                else:
                    a[i, j] = T.if_then_else(distance >= 0 and distance < window, a[i, j] * 0.5, -1e30)
            T.copy(a, C[by * block, bx * block])

    a = values((m, n), "float32")
    distance = np.arange(m)[:, None] - np.arange(n)
    seen = (distance >= 0) & (distance < (window or m))
    got = tilelang.compile(main, out_idx=[1], target="ascend")(a)
    assert_same(got, np.where(seen, a * np.float32(0.5), np.float32(-1e30)))


def test_guards_clip_a_tile() -> None:
    @T.prim_func
    def main(A: T.Tensor((5, 20), "float32"), C: T.Tensor((5, 20), "float32")):
        with T.Kernel(1):
            a = T.alloc_fragment((5, 20), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(5, 20):
                if i >= 2 and j < 17:
                    a[i, j] = a[i, j] + 1.0
            T.copy(a, C)

    a = values((5, 20), "float32")
    expected = a.copy()
    expected[2:, :17] += 1
    assert_same(tilelang.compile(main, out_idx=[1], target="ascend")(a), expected)


def test_transposed_tile() -> None:
    @T.prim_func
    def main(A: T.Tensor((32, 48), "float32"), C: T.Tensor((48, 32), "float32")):
        with T.Kernel(1):
            a = T.alloc_fragment((32, 48), "float32")
            c = T.alloc_fragment((48, 32), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(48, 32):
                c[i, j] = a[j, i]
            T.copy(c, C)

    a = values((32, 48), "float32")
    assert_same(tilelang.compile(main, out_idx=[1], target="ascend")(a), a.T.copy())


def test_halves_of_a_tile() -> None:
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), C: T.Tensor((32, 64), "float32")):
        with T.Kernel(1):
            a = T.alloc_fragment((32, 64), "float32")
            c = T.alloc_fragment((32, 64), "float32")
            T.copy(A, a)
            for i, j in T.Parallel(32, 32):
                c[i, j] = a[i, j + 32] - a[i, j]
            for i, j in T.Parallel(32, 32):
                c[i, j + 32] = a[i, j] * a[i, j + 32]
            T.copy(c, C)

    a = values((32, 64), "float32")
    left, right = a[:, :32], a[:, 32:]
    got = tilelang.compile(main, out_idx=[1], target="ascend")(a)
    assert_same(got, np.concatenate([right - left, left * right], axis=1))


def test_tiles_of_rank_three() -> None:
    @T.prim_func
    def main(
        A: T.Tensor((4, 6, 40), "float32"),
        B: T.Tensor((6, 40), "float32"),
        D: T.Tensor((4, 40), "float32"),
        C: T.Tensor((4, 6, 40), "float32"),
    ):
        with T.Kernel(1):
            a = T.alloc_fragment((4, 6, 40), "float32")
            b = T.alloc_fragment((6, 40), "float32")
            d = T.alloc_fragment((4, 40), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(D, d)
            for i, j, k in T.Parallel(4, 6, 40):
                a[i, j, k] = a[i, j, k] * b[j, k] + d[i, k]
            T.copy(a, C)

    a, b, d = values((4, 6, 40), "float32"), values((6, 40), "float32", seed=8), values((4, 40), "float32", seed=9)
    assert_same(tilelang.compile(main, out_idx=[3], target="ascend")(a, b, d), a * b + d[:, None])


def test_planes_that_overhang() -> None:
    @T.prim_func
    def main(A: T.Tensor((7, 8, 64), "float32"), C: T.Tensor((7, 8, 64), "float32")):
        with T.Kernel(4) as bz:
            a = T.alloc_shared((2, 8, 64), "float32")
            c = T.alloc_fragment((2, 8, 64), "float32")
            T.copy(A[bz * 2, 0, 0], a)
            for i, j, k in T.Parallel(2, 8, 64):
                c[i, j, k] = a[i, j, k] + 1.0
            T.copy(c, C[bz * 2, 0, 0])

    a = values((7, 8, 64), "float32")
    assert_same(tilelang.compile(main, out_idx=[1], target="ascend")(a), a + np.float32(1))


def test_tensors_of_rank_four() -> None:
    @T.prim_func
    def main(
        A: T.Tensor((2, 3, 50, 24), "float16"), s: T.Tensor((1,), "float32"), C: T.Tensor((2, 3, 50, 24), "float16")
    ):
        with T.Kernel(2, 3, 2) as (b, h, m):
            for i, j in T.Parallel(32, 24):
                C[b, h, m * 32 + i, j] = A[b, h, m * 32 + i, j] * s[0]

    a, s = values((2, 3, 50, 24), "float16"), values(1, "float32")
    assert_same(tilelang.compile(main, out_idx=[2], target="ascend")(a, s), (single(a) * s).astype(np.float16))


# -- places ----------------------------------------------------------------------------------------------------------


def test_gather_of_elements() -> None:
    """Elements outside the tensor read as 0."""

    @T.prim_func
    def main(A: T.Tensor((100,), "float32"), index: T.Tensor((64,), "int32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(64):
                C[i] = A[index[i]] * 2.0

    a = values(100, "float32")
    index = np.random.default_rng(7).integers(-3, 110, 64).astype(np.int32)
    inside = (index >= 0) & (index < 100)
    got = tilelang.compile(main, out_idx=[2], target="ascend", checks="on")(a, index)
    assert_same(got, np.where(inside, a[index.clip(0, 99)] * 2, np.float32(0)))


def test_gather_of_rows() -> None:
    @T.prim_func
    def main(A: T.Tensor((40, 64), "float32"), index: T.Tensor((5,), "int32"), C: T.Tensor((5, 64), "float32")):
        with T.Kernel(1):
            a = T.alloc_fragment((64,), "float32")
            for k in T.serial(5):
                T.copy(A[index[k], 0:64], a)
                for j in T.Parallel(64):
                    a[j] = a[j] * 2.0
                T.copy(a, C[k, 0:64])

    a, index = values((40, 64), "float32"), np.array([3, 39, -1, 40, 0], np.int32)
    inside = ((index >= 0) & (index < 40))[:, None]
    got = tilelang.compile(main, out_idx=[2], target="ascend", checks="on")(a, index)
    assert_same(got, np.where(inside, a[index.clip(0, 39)] * 2, np.float32(0)))


def test_negative_offset() -> None:
    @T.prim_func
    def main(A: T.Tensor((100,), "float32"), C: T.Tensor((100,), "float32")):
        with T.Kernel(2) as bx:
            a = T.alloc_fragment((64,), "float32")
            T.copy(A[bx * 64 - 3], a)
            T.copy(a, C[bx * 64])

    a = values(100, "float32")
    got = tilelang.compile(main, out_idx=[1], target="ascend", checks="on")(a)
    assert_same(got, np.concatenate([np.zeros(3, np.float32), a])[:100])


def test_strided_and_reversed() -> None:
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), C: T.Tensor((128,), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(64):
                C[2 * i] = A[i]
            for i in T.Parallel(64):
                C[2 * i + 1] = A[63 - i]

    a = values(64, "float32")
    assert_same(tilelang.compile(main, out_idx=[1], target="ascend")(a), np.stack([a, a[::-1]], axis=1).reshape(128))


def test_elements_then_rows() -> None:
    @T.prim_func
    def main(A: T.Tensor((16, 64), "float32"), C: T.Tensor((16, 64), "float32")):
        with T.Kernel(1):
            a = T.alloc_fragment((16, 64), "float32")
            T.copy(A, a)
            for i in T.serial(16):
                a[i, 0] = a[i, 0] + 1.0
                for j in T.Parallel(64):
                    a[i, j] = a[i, j] * 2.0
            T.copy(a, C)

    a = values((16, 64), "float32")
    expected = a.copy()
    expected[:, 0] += 1
    assert_same(tilelang.compile(main, out_idx=[1], target="ascend")(a), expected * 2)


@pytest.mark.parametrize("columns", [1, 5, 37, 40, 64])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_partial_copy_into_a_filled_tile(dtype: str, columns: int) -> None:
    """A transfer fills whole blocks of 32 bytes; what is next to the copied elements stays."""

    @T.prim_func
    def main(A: T.Tensor((8, columns), dtype), C: T.Tensor((8, 64), dtype)):
        with T.Kernel(1):
            a = T.alloc_fragment((8, 64), dtype)
            T.fill(a, 7)
            T.copy(A[0:8, 0:columns], a[0:8, 0:columns])
            for i, j in T.Parallel(8, 64):
                a[i, j] = a[i, j] + 1
            T.copy(a, C)

    a = values((8, columns), dtype)
    expected = np.full((8, 64), 8, dtype)
    expected[:, :columns] = a + np.ones((), dtype)
    assert_same(tilelang.compile(main, out_idx=[1], target="ascend", checks="on")(a), expected)


def test_in_place() -> None:
    @T.prim_func
    def main(A: T.Tensor((LENGTH,), "float32")):
        with T.Kernel(4) as bx:
            for i in T.Parallel(BLOCK):
                A[bx * BLOCK + i] = A[bx * BLOCK + i] * 2.0 + 1.0

    a = values(LENGTH, "float32")
    expected = a * 2 + 1
    tilelang.compile(main, target="ascend", checks="on")(a)
    assert_same(a, expected)


def test_block_larger_than_the_unified_buffer() -> None:
    @T.prim_func
    def main(A: T.Tensor((100_000,), "float16"), C: T.Tensor((100_000,), "float16")):
        with T.Kernel(2) as bx:
            for i in T.Parallel(50_048):
                C[bx * 50_048 + i] = A[bx * 50_048 + i] * 0.3 + 1.0

    a = values(100_000, "float16")
    got = tilelang.compile(main, out_idx=[1], target="ascend", checks="on")(a)
    assert_same(got, (single(a) * np.float32(0.3) + np.float32(1)).astype(np.float16))


def test_sum_over_a_loop() -> None:
    @T.prim_func
    def main(A: T.Tensor((6, 40, 64), "float32"), C: T.Tensor((40, 64), "float32")):
        with T.Kernel(1):
            a = T.alloc_fragment((40, 64), "float32")
            total = T.alloc_fragment((40, 64), "float32")
            T.clear(total)
            for k in T.serial(6):
                T.copy(A[k, 0:40, 0:64], a)
                for i, j in T.Parallel(40, 64):
                    total[i, j] = total[i, j] + a[i, j]
            T.copy(total, C)

    a = values((6, 40, 64), "float32")
    expected = functools.reduce(np.add, a, np.zeros((40, 64), np.float32))
    assert_same(tilelang.compile(main, out_idx=[1], target="ascend")(a), expected)


def test_run_time_scalars() -> None:
    @T.prim_func
    def main(A: T.Tensor((300,), "float32"), s: T.float32, n: T.int32, C: T.Tensor((300,), "float32")):
        with T.Kernel(2) as bx:
            for i in T.Parallel(160):
                a = A[bx * 160 + i]
                C[bx * 160 + i] = T.if_then_else(bx * 160 + i < n, a * s + (s - a) / s, T.exp(s))

    a, s = values(300, "float32"), np.float32(1.5)
    got = tilelang.compile(main, out_idx=[3], target="ascend")(a, 1.5, 201)
    assert_same(got, np.where(np.arange(300) < 201, a * s + (s - a) / s, np.exp(s)), 1e-6)


def test_bool_tensors() -> None:
    @T.prim_func
    def main(
        A: T.Tensor((40, 70), "float32"),
        mask: T.Tensor((40, 70), "bool"),
        C: T.Tensor((40, 70), "float32"),
        is_large: T.Tensor((40, 70), "bool"),
    ):
        with T.Kernel(3) as bx:
            for i, j in T.Parallel(16, 70):
                C[bx * 16 + i, j] = T.if_then_else(mask[bx * 16 + i, j], A[bx * 16 + i, j], 0.0)
                is_large[bx * 16 + i, j] = A[bx * 16 + i, j] > 0.5

    a, mask = values((40, 70), "float32"), values((40, 70), "bool")
    got, is_large = tilelang.compile(main, out_idx=[2, 3], target="ascend", checks="on")(a, mask)
    assert_same(got, np.where(mask, a, np.float32(0)))
    assert_same(is_large, a > 0.5)


# -- with the Cube core ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "n", "k", "block"),
    [
        (200, 136, 72, (64, 64, 32)),
        (256, 512, 128, (128, 256, 64)),
        (1, 64, 32, (64, 64, 32)),
        (33, 65, 40, (32, 64, 32)),
    ],
)
def test_gelu_of_a_product(m: int, n: int, k: int, block: tuple[int, int, int]) -> None:
    """Bias, GELU and residual on a float16 product; half precision of the result bounds the error."""
    block_m, block_n, block_k = block

    @T.prim_func
    def main(
        A: T.Tensor((m, k), "float16"),
        B: T.Tensor((k, n), "float16"),
        bias: T.Tensor((n,), "float32"),
        residual: T.Tensor((m, n), "float16"),
        C: T.Tensor((m, n), "float16"),
    ):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m)) as (bx, by):
            a = T.alloc_shared((block_m, block_k), "float16")
            b = T.alloc_shared((block_k, block_n), "float16")
            c = T.alloc_fragment((block_m, block_n), "float32")
            local_bias = T.alloc_fragment((block_n,), "float32")
            r = T.alloc_fragment((block_m, block_n), "float16")
            T.clear(c)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(A[by * block_m, step * block_k], a)
                T.copy(B[step * block_k, bx * block_n], b)
                T.gemm(a, b, c)
            T.copy(bias[bx * block_n], local_bias)
            T.copy(residual[by * block_m, bx * block_n], r)
            for i, j in T.Parallel(block_m, block_n):
                x = c[i, j] + local_bias[j]
                c[i, j] = 0.5 * x * (1.0 + T.tanh(0.7978845608 * (x + 0.044715 * x * x * x))) + r[i, j]
            T.copy(c, C[by * block_m, bx * block_n])

    a, b = values((m, k), "float16", -1, 1), values((k, n), "float16", -1, 1, seed=8)
    bias, residual = values(n, "float32", seed=9), values((m, n), "float16", seed=10)
    x = double(a) @ double(b) + bias
    expected = 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))) + residual
    got = tilelang.compile(main, out_idx=[4], target="ascend", checks="on")(a, b, bias, residual)
    assert_same(got, expected.astype(np.float16), 2e-3)
