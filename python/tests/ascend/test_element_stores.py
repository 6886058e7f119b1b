"""Stores whose elements lie apart in the tensor: single ones, columns, partial results of blocks side by side.

Several blocks write to one cache line each time, which only a DMA can do.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilelang
import tilelang.language as T


def numpy_type(name: str) -> np.dtype[Any]:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int8", "bool"])
def test_one_element_of_each_block(dtype: str) -> None:
    @T.prim_func
    def number(A: T.Tensor((8,), dtype), B: T.Tensor((8,), dtype)):
        with T.Kernel(8) as bx:
            B[bx] = A[7 - bx]

    a = (np.arange(8) % 3).astype(dtype)
    b = np.zeros(8, dtype)
    tilelang.compile(number, target="ascend")(a, b)
    np.testing.assert_array_equal(b, a[::-1])


@pytest.mark.parametrize("rows", [1, 7, 128, 300])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int32", "int8", "bool"])
def test_column_of_a_matrix(dtype: str, rows: int) -> None:
    """A tile of one row; elements of one byte are spread by the scalar unit."""

    @T.prim_func
    def column(A: T.Tensor((5, rows), dtype), B: T.Tensor((rows, 5), dtype)):
        with T.Kernel(5) as bx:
            tile = T.alloc_shared((rows,), dtype)
            T.copy(A[bx, :], tile)
            T.copy(tile, B[0:rows, bx])

    a = (np.arange(5 * rows).reshape(5, rows) % 97).astype(numpy_type(dtype))
    b = np.zeros((rows, 5), numpy_type(dtype))
    kernel = tilelang.compile(column, target="ascend")
    kernel(a, b)
    np.testing.assert_array_equal(b, a.T)
    slow = [str(remark) for remark in kernel.remarks if "scalar loop" in str(remark)]
    assert bool(slow) == (dtype in ("int8", "bool") and rows > 1), slow


def test_column_that_ends_outside() -> None:
    @T.prim_func
    def column(B: T.Tensor((37, 6), "float32")):
        with T.Kernel(6, 2) as (bx, by):
            tile = T.alloc_fragment((32,), "float32")
            for i in T.Parallel(32):
                tile[i] = bx * 100 + by * 32 + i
            T.copy(tile, B[by * 32 : by * 32 + 32, bx])

    b = np.zeros((37, 6), np.float32)
    tilelang.compile(column, target="ascend")(b)
    np.testing.assert_array_equal(b, np.arange(37)[:, None] + 100 * np.arange(6))


def test_columns_of_tiles() -> None:
    """The first column of a tile begins blocks already; others are moved."""

    @T.prim_func
    def columns(A: T.Tensor((64, 8), "float32"), B: T.Tensor((64, 16), "float32")):
        with T.Kernel(8) as bx:
            tile = T.alloc_shared((64, 8), "float32")
            T.copy(A, tile)
            for i, j in T.Parallel(64, 8):
                tile[i, j] = tile[i, j] + bx
            T.copy(tile[:, 0:1], B[0:64, bx : bx + 1])
            T.copy(tile[:, 3:4], B[0:64, bx + 8 : bx + 9])

    a = np.arange(512, dtype=np.float32).reshape(64, 8)
    b = np.zeros((64, 16), np.float32)
    tilelang.compile(columns, target="ascend")(a, b)
    np.testing.assert_array_equal(b[:, :8], a[:, :1] + np.arange(8))
    np.testing.assert_array_equal(b[:, 8:], a[:, 3:4] + np.arange(8))


def test_part_of_a_row_that_starts_inside_a_block() -> None:
    @T.prim_func
    def parts(B: T.Tensor((4, 3, 40), "float32")):
        with T.Kernel(3, 4) as (bx, by):
            tile = T.alloc_fragment((40,), "float32")
            for i in T.Parallel(40):
                tile[i] = by * 1000 + bx * 100 + i
            T.copy(tile[8:40], B[by, bx, 8:40])
            T.copy(tile[1:8], B[by, bx, 1:8])
            B[by, bx, 0] = tile[0]

    b = np.zeros((4, 3, 40), np.float32)
    tilelang.compile(parts, target="ascend")(b)
    expected = 1000 * np.arange(4)[:, None, None] + 100 * np.arange(3)[:, None] + np.arange(40)
    np.testing.assert_array_equal(b, expected)


def test_elements_of_a_parallel() -> None:
    """A column, a guarded column, and elements three apart, computed by vector code."""

    @T.prim_func
    def scatter(
        A: T.Tensor((64, 8), "float32"),
        B: T.Tensor((64, 16), "float32"),
        C: T.Tensor((8, 100), "float32"),
        n: T.int32,
    ):
        with T.Kernel(8) as bx:
            for i in T.Parallel(64):
                B[i, bx] = A[i, bx] * 2
            for i in T.Parallel(64):
                if i < n:
                    B[i, bx + 8] = A[i, bx] + 1
            for i in T.Parallel(33):
                C[bx, 3 * i] = T.exp(A[i, bx])

    rng = np.random.default_rng(0)
    a = rng.standard_normal((64, 8)).astype(np.float32)
    b, c = np.zeros((64, 16), np.float32), np.zeros((8, 100), np.float32)
    tilelang.compile(scatter, target="ascend")(a, b, c, 41)
    np.testing.assert_array_equal(b[:, :8], a * 2)
    np.testing.assert_array_equal(b[:41, 8:], a[:41] + 1)
    assert not b[41:, 8:].any()
    np.testing.assert_allclose(c[:, 0:99:3], np.exp(a[:33]).T, rtol=1e-5)
    c[:, 0:99:3] = 0
    assert not c.any()


def test_element_read_after_it_was_stored() -> None:
    """The scalar unit's cache does not see the DMA's writes."""

    @T.prim_func
    def sums(A: T.Tensor((70,), "float32")):
        with T.Kernel(1):
            for i in T.serial(1, 70):
                A[i] = A[i - 1] + A[i]

    a = np.arange(70, dtype=np.float32)
    expected = np.cumsum(a)
    kernel = tilelang.compile(sums, target="ascend")
    kernel(a)
    np.testing.assert_array_equal(a, expected)
    assert "DataCacheCleanAndInvalid" in kernel.get_kernel_source()


def test_scalar_of_a_tensor_that_is_only_read() -> None:
    """No cache line is given up where nothing changes."""

    @T.prim_func
    def pick(A: T.Tensor((8,), "int32"), B: T.Tensor((8, 64), "int32")):
        with T.Kernel(8) as bx:
            for i in T.Parallel(64):
                B[bx, i] = A[bx] + i

    a = np.arange(8, dtype=np.int32)
    b = np.zeros((8, 64), np.int32)
    kernel = tilelang.compile(pick, target="ascend")
    kernel(a, b)
    np.testing.assert_array_equal(b, a[:, None] + np.arange(64))
    assert "DataCacheCleanAndInvalid" not in kernel.get_kernel_source()


def test_mixed_kernel() -> None:
    """Row sums of a product go to a column that other blocks share lines with; both Vector cores have rows."""

    @T.prim_func
    def sums(A: T.Tensor((96, 32), "float16"), B: T.Tensor((32, 64), "float16"), S: T.Tensor((32, 3), "float32")):
        with T.Kernel(3) as bx:
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            acc = T.alloc_fragment((32, 64), "float32")
            total = T.alloc_fragment((32,), "float32")
            T.copy(A[bx * 32, 0], a)
            T.copy(B, b)
            T.gemm(a, b, acc, clear_accum=True)
            T.reduce_sum(acc, total, dim=1)
            T.copy(total, S[0:32, bx])

    rng = np.random.default_rng(0)
    a = rng.integers(-3, 4, (96, 32)).astype(np.float16)
    b = rng.integers(-3, 4, (32, 64)).astype(np.float16)
    s = np.zeros((32, 3), np.float32)
    tilelang.compile(sums, target="ascend")(a, b, s)
    np.testing.assert_array_equal(s, (a.astype(np.float32) @ b.astype(np.float32)).sum(axis=1).reshape(3, 32).T)
