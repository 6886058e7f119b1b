"""Values that are not finite, roundings, types and edges of loops: what the language fixes for every target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilelang
import tilelang.language as T

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5, 60000.0]
NUMPY_TYPES: dict[str, Any] = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}
HALVES = ["float16", "bfloat16", "float32"]


def pairs(dtype: str) -> tuple[Any, Any]:
    """Every pair of special values."""
    x, y = np.meshgrid(np.array(SPECIAL), np.array(SPECIAL))
    return x.reshape(-1).astype(NUMPY_TYPES[dtype]), y.reshape(-1).astype(NUMPY_TYPES[dtype])


def run_pairs(functions: list[Callable[..., Any]], dtype: str, out_dtype: str) -> tuple[Any, Any, Any]:
    """All pairs, and a row of results for each function."""
    count = len(SPECIAL) ** 2

    @T.prim_func
    def main(
        A: T.Tensor((count,), dtype), B: T.Tensor((count,), dtype), C: T.Tensor((len(functions), count), out_dtype)
    ):
        with T.Kernel(1):
            for row, function in enumerate(functions):
                for i in T.Parallel(count):
                    C[row, i] = function(A[i], B[i])

    a, b = pairs(dtype)
    return a, b, tilelang.compile(main, out_idx=[2], target="ascend", checks="on")(a, b)


@pytest.mark.parametrize("dtype", HALVES)
def test_extrema_of_nan_are_nan(dtype: str) -> None:
    a, b, (larger, smaller, at_least) = run_pairs([T.max, T.min, lambda a, b: T.max(a, 0.0)], dtype, dtype)
    wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)
    np.testing.assert_array_equal(larger.astype(np.float32), np.maximum(wide_a, wide_b))
    np.testing.assert_array_equal(smaller.astype(np.float32), np.minimum(wide_a, wide_b))
    np.testing.assert_array_equal(at_least.astype(np.float32), np.maximum(wide_a, 0))


@pytest.mark.parametrize("dtype", HALVES)
def test_comparisons_with_nan(dtype: str) -> None:
    """All are false, but `!=`."""
    functions: list[Callable[..., Any]] = [
        lambda a, b: a < b,
        lambda a, b: a <= b,
        lambda a, b: a > b,
        lambda a, b: a >= b,
        lambda a, b: a == b,
        lambda a, b: a != b,
    ]
    a, b, got = run_pairs(functions, dtype, "bool")
    wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)
    for function, row in zip(functions, got, strict=True):
        np.testing.assert_array_equal(row, function(wide_a, wide_b))


@pytest.mark.parametrize("dtype", HALVES)
def test_select_keeps_what_is_not_finite(dtype: str) -> None:
    functions: list[Callable[..., Any]] = [
        lambda a, b: T.if_then_else(a < b, a, b),
        lambda a, b: T.if_then_else(a >= 0.0, b, -1.0),
        lambda a, b: T.if_then_else(T.isnan(a), b, a),
    ]
    a, b, (less, sign, repaired) = run_pairs(functions, dtype, dtype)
    a, b = a.astype(np.float32), b.astype(np.float32)
    np.testing.assert_array_equal(less.astype(np.float32), np.where(a < b, a, b))
    np.testing.assert_array_equal(sign.astype(np.float32), np.where(a >= 0, b, np.float32(-1)))
    np.testing.assert_array_equal(repaired.astype(np.float32), np.where(np.isnan(a), b, a))


@pytest.mark.parametrize("dtype", HALVES)
def test_arithmetic_of_what_is_not_finite(dtype: str) -> None:
    functions: list[Callable[..., Any]] = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a / b,
    ]
    a, b, got = run_pairs(functions, dtype, dtype)
    a, b = a.astype(np.float32), b.astype(np.float32)
    for function, row in zip(functions, got, strict=True):
        with np.errstate(all="ignore"):
            expected = function(a, b).astype(NUMPY_TYPES[dtype])
        np.testing.assert_array_equal(row.astype(np.float32), expected.astype(np.float32))


@pytest.mark.parametrize("to", HALVES)
@pytest.mark.parametrize("dtype", HALVES)
def test_casts_between_floats_keep_nan_and_overflow_to_infinity(dtype: str, to: str) -> None:
    @T.prim_func
    def main(A: T.Tensor((16,), dtype), C: T.Tensor((16,), to)):
        with T.Kernel(1):
            for i in T.Parallel(16):
                C[i] = T.cast(A[i], to)

    with np.errstate(over="ignore"):
        a = np.array([*SPECIAL, 65519, 65520, 1e6, -1e6, 6e-8, 2e-8, 1e-40, 3.4e38]).astype(NUMPY_TYPES[dtype])
        expected = a.astype(np.float32).astype(NUMPY_TYPES[to])
    got = tilelang.compile(main, out_idx=[1], target="ascend", checks="on")(a)
    np.testing.assert_array_equal(got.astype(np.float32), expected.astype(np.float32))
    np.testing.assert_array_equal(np.signbit(got[3:5].astype(np.float32)), [False, True])


def gemm(m: int, n: int, k: int, dtype: str, accumulator: str, out_dtype: str, block_k: int = 32) -> Any:
    @T.prim_func
    def main(A: T.Tensor((m, k), dtype), B: T.Tensor((k, n), dtype), C: T.Tensor((m, n), out_dtype)):
        with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 64)) as (bx, by):
            a = T.alloc_shared((64, block_k), dtype)
            b = T.alloc_shared((block_k, 64), dtype)
            c = T.alloc_fragment((64, 64), accumulator)
            T.clear(c)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(A[by * 64, step * block_k], a)
                T.copy(B[step * block_k, bx * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])

    return tilelang.compile(main, out_idx=[2], target="ascend", checks="on")


def operands(m: int, n: int, k: int, dtype: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    kind = NUMPY_TYPES[dtype]
    return rng.standard_normal((m, k)).astype(kind), rng.standard_normal((k, n)).astype(kind)


def test_float16_accumulator_rounds_once() -> None:
    """It accumulates in float32: the result is the float32 product, rounded."""
    a, b = operands(100, 72, 200, "float16")
    single = gemm(100, 72, 200, "float16", "float32", "float32")(a, b)
    half = gemm(100, 72, 200, "float16", "float16", "float16")(a, b)
    np.testing.assert_array_equal(half, single.astype(np.float16))


@pytest.mark.parametrize("k", [1, 17, 130])
@pytest.mark.parametrize("dtype", HALVES)
def test_products(dtype: str, k: int) -> None:
    """Products of inputs are exact in float64; sums in float32 lose at most a few units of the sum of magnitudes."""
    a, b = operands(70, 66, k, dtype)
    got = gemm(70, 66, k, dtype, "float32", "float32")(a, b)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    bound = (k + 1) * 2.0**-24 * (np.abs(wide_a) @ np.abs(wide_b))
    assert (np.abs(got - wide_a @ wide_b) <= bound).all()


def test_nan_and_infinity_through_a_product() -> None:
    """They reach the elements of their row or column, and no padding spreads them."""
    a, b = operands(33, 35, 20, "float16")
    a[5, 3], a[7, 0], b[19, 34] = np.nan, np.inf, -np.inf
    got = gemm(33, 35, 20, "float16", "float32", "float32")(a, b)
    with np.errstate(invalid="ignore"):
        expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(expected))


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_clear_before_a_loop_of_any_number_of_steps(steps: int) -> None:
    """A vector tile and an accumulator are zero where the loop runs no step."""

    @T.prim_func
    def main(
        A: T.Tensor((64, 96), "float16"),
        B: T.Tensor((96, 64), "float16"),
        n: T.int32,
        C: T.Tensor((64, 64), "float32"),
        D: T.Tensor((64, 32), "float32"),
    ):
        with T.Kernel(1):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for step in T.Pipelined(n, num_stages=2):
                T.copy(A[0, step * 32], a)
                T.copy(B[step * 32, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C)
            x = T.alloc_fragment((64, 32), "float16")
            total = T.alloc_fragment((64, 32), "float32")
            T.clear(total)
            for step in T.serial(n):
                T.copy(A[0, step * 32], x)
                for i, j in T.Parallel(64, 32):
                    total[i, j] = total[i, j] + x[i, j]
            T.copy(total, D)

    a, b = operands(64, 64, 96, "float16")
    c, d = tilelang.compile(main, out_idx=[3, 4], target="ascend", checks="on")(a, b, steps)
    wide = a.astype(np.float32)
    np.testing.assert_allclose(c, wide[:, : steps * 32] @ b[: steps * 32].astype(np.float32), rtol=1e-5, atol=1e-4)
    expected = np.zeros((64, 32), np.float32)
    for step in range(steps):
        expected += wide[:, step * 32 : step * 32 + 32]
    np.testing.assert_array_equal(d, expected)


@pytest.mark.parametrize("operation", ["truncdiv", "floordiv", "truncmod", "floormod"])
def test_smallest_integer_divided_by_minus_one(operation: str) -> None:
    """Wraps as all integers do; on the host the plain division would end the process."""
    function = getattr(T, operation)

    @T.prim_func
    def main(A: T.Tensor((4,), "int32"), B: T.Tensor((4,), "int32"), C: T.Tensor((4,), "int32")):
        with T.Kernel(1) as _:
            for i in T.Parallel(4):
                C[i] = function(A[i], B[i])

    a = np.array([-(2**31), -(2**31), 7, -7], np.int32)
    b = np.array([-1, 1, -2, 2], np.int32)
    expected = {
        "truncdiv": [-(2**31), -(2**31), -3, -3],
        "floordiv": [-(2**31), -(2**31), -4, -4],
        "truncmod": [0, 0, 1, -1],
        "floormod": [0, 0, -1, 1],
    }[operation]
    np.testing.assert_array_equal(tilelang.compile(main, out_idx=[2], target="ascend")(a, b), expected)
