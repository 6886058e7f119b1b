"""Small programs with faults that random programs have found."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilelang
import tilelang.language as T


def compile(program: Any) -> Any:
    return tilelang.compile(program, target="ascend")


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_elements_outside_of_a_tensor_are_zero_up_to_the_last(dtype: str) -> None:
    """A row that ends inside a block of 32 bytes: nothing but zeros behind it."""

    @T.prim_func
    def main(X: T.Tensor((3, 61), dtype), Y: T.Tensor((3, 64), dtype)):
        with T.Kernel(2, threads=128) as bx:
            x = T.alloc_fragment((3, 32), dtype)
            T.copy(X[0, bx * 32], x)
            for i, j in T.Parallel(3, 32):
                x[i, j] = x[i, j] + 0.5
            T.copy(x, Y[0, bx * 32])

    x = np.ones((3, 61), dtype)
    y = np.zeros((3, 64), dtype)
    compile(main)(x, y)
    np.testing.assert_array_equal(y[:, :61], 1.5)
    np.testing.assert_array_equal(y[:, 61:], 0.5)


def test_products_in_a_loop_that_never_runs() -> None:
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            T.clear(c)
            for _k in T.Pipelined(0, num_stages=2):
                T.copy(A, a)
                T.gemm(a, a, c)
            T.copy(c, C)

    c = np.ones((32, 32), np.float32)
    compile(main)(np.ones((32, 32), np.float16), c)
    np.testing.assert_array_equal(c, 0)


def test_function_of_a_single_element() -> None:
    @T.prim_func
    def main(X: T.Tensor((1, 1), "bfloat16"), Y: T.Tensor((1, 1), "bfloat16"), Z: T.Tensor((1, 1), "bfloat16")):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((1, 1), "bfloat16")
            y = T.alloc_fragment((1,), "bfloat16")
            z = T.alloc_fragment((1, 1), "bfloat16")
            T.copy(X, x)
            T.copy(Y[0, 0:1], y)
            for i, j in T.Parallel(1, 1):
                z[i, j] = T.tanh(x[i, j]) / (1.0 + T.abs(y[j]))
            T.copy(z, Z)

    x, y, z = (np.full((1, 1), value, ml_dtypes.bfloat16) for value in (0.5, -1.0, 0.0))
    compile(main)(x, y, z)
    assert abs(float(z[0, 0]) - np.tanh(0.5) / 2) < 2**-9


def test_accumulator_that_is_read_between_products_of_a_branch() -> None:
    """Vector code reads it behind the branch and inside of it, so it has to hold the value itself."""

    @T.prim_func
    def main(A: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float32"), n: T.int32):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), "float16")
            acc = T.alloc_fragment((32, 32), "float32")
            total = T.alloc_fragment((32, 32), "float32")
            T.copy(A, a)
            T.clear(total)
            for k in T.Pipelined(n, num_stages=2):
                T.clear(acc)
                T.gemm(a, a, acc)
                if k % 2 == 0:
                    T.gemm(a, a, acc, transpose_B=True, clear_accum=True)
                    for i, j in T.Parallel(32, 32):
                        total[i, j] = total[i, j] + acc[i, j] * 2
                for i, j in T.Parallel(32, 32):
                    total[i, j] = total[i, j] + acc[i, j]
            T.copy(total, C)

    rng = np.random.default_rng(0)
    a = rng.integers(-2, 3, (32, 32)).astype(np.float16)
    c = np.zeros((32, 32), np.float32)
    kernel = compile(main)
    wide = a.astype(np.float32)
    for n in range(4):
        kernel(a, c, n)
        np.testing.assert_array_equal(c, (n + 1) // 2 * 3 * (wide @ wide.T) + n // 2 * (wide @ wide))


def test_accumulator_of_vector_code_that_a_condition_clears() -> None:
    """The condition becomes a mask of 16-bit elements."""

    @T.prim_func
    def main(A: T.Tensor((48, 32), "float16"), C: T.Tensor((48, 48), "float32"), n: T.int32):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((48, 32), "float16")
            acc = T.alloc_fragment((48, 48), "float32")
            T.copy(A, a)
            T.clear(acc)
            for k in T.Pipelined(n, num_stages=2):
                T.gemm(a, a, acc, transpose_B=True, clear_accum=k % 2 == 0)
                for i, j in T.Parallel(48, 48):
                    acc[i, j] = acc[i, j] + 1
            T.copy(acc, C)

    rng = np.random.default_rng(0)
    a = rng.integers(-2, 3, (48, 32)).astype(np.float16)
    c = np.zeros((48, 48), np.float32)
    product = a.astype(np.float32) @ a.astype(np.float32).T
    kernel = compile(main)
    for n, expected in enumerate([0 * product, product + 1, 2 * product + 2, product + 1]):
        kernel(a, c, n)
        np.testing.assert_array_equal(c, expected)


@pytest.mark.parametrize(("rows", "columns"), [(1, 33), (33, 1), (5, 17), (2, 100)])
def test_rows_that_do_not_split_at_a_block(rows: int, columns: int) -> None:
    """A tile that both Vector cores hold whole is read from the start of a block of 32 bytes."""

    @T.prim_func
    def main(
        A: T.Tensor((rows, 16), "float16"),
        B: T.Tensor((16, columns), "float16"),
        C: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((rows, 16), "float16")
            b = T.alloc_shared((16, columns), "float16")
            c = T.alloc_fragment((rows, columns), "float32")
            down = T.alloc_fragment((columns,), "float32")
            across = T.alloc_fragment((rows,), "float32")
            out = T.alloc_fragment((rows, columns), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, clear_accum=True)
            T.reduce_max(c, down, dim=0)
            T.reduce_absmax(c, across, dim=1)
            for i, j in T.Parallel(rows, columns):
                out[i, j] = c[i, j] / (1.0 + T.abs(down[j])) + T.sqrt(across[i])
            T.copy(out, C)

    rng = np.random.default_rng(0)
    a = rng.integers(-2, 3, (rows, 16)).astype(np.float16)
    b = rng.integers(-2, 3, (16, columns)).astype(np.float16)
    c = np.zeros((rows, columns), np.float32)
    compile(main)(a, b, c)
    product = a.astype(np.float32) @ b.astype(np.float32)
    expected = product / (1 + np.abs(product.max(0))) + np.sqrt(np.abs(product).max(1, keepdims=True))
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)


def test_answer_of_the_cube_core_is_not_awaited_before_all_rows_are_sent() -> None:
    """Rows go to the Cube core in strips; a whole tile made of its answer comes back afterwards."""

    @T.prim_func
    def main(
        X: T.Tensor((100, 100), "float32"), W: T.Tensor((100, 100), "float16"), Y: T.Tensor((100, 100), "float32")
    ):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((100, 100), "float32")
            half = T.alloc_fragment((100, 100), "float16")
            w = T.alloc_shared((100, 100), "float16")
            c = T.alloc_fragment((100, 100), "float32")
            down = T.alloc_fragment((100,), "float32")
            y = T.alloc_fragment((100, 100), "float32")
            z = T.alloc_fragment((100, 100), "float32")
            T.copy(X, x)
            T.copy(W, w)
            for i, j in T.Parallel(100, 100):
                half[i, j] = x[i, j] * 2
            T.gemm(half, w, c, clear_accum=True)
            T.reduce_max(c, down, dim=0)
            for i, j in T.Parallel(100, 100):
                y[i, j] = c[i, j] - down[j]
            for i, j in T.Parallel(100, 100):
                z[i, j] = y[i, j] + x[i, j]
            T.copy(z, Y)

    rng = np.random.default_rng(0)
    x = rng.integers(-2, 3, (100, 100)).astype(np.float32)
    w = rng.integers(-2, 3, (100, 100)).astype(np.float16)
    y = np.zeros_like(x)
    compile(main)(x, w, y)
    product = 2 * x @ w.astype(np.float32)
    np.testing.assert_array_equal(y, product - product.max(0) + x)


@pytest.mark.parametrize("stages", [0, 2])
def test_round_trip_inside_of_a_branch(stages: int) -> None:
    """Both arms exchange values between Cube and Vector cores, and the next iteration uses them."""

    @T.prim_func
    def main(A: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float32"), n: T.int32):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), "float16")
            acc = T.alloc_fragment((32, 32), "float32")
            part = T.alloc_fragment((32, 32), "float32")
            p = T.alloc_fragment((32, 32), "float16")
            T.copy(A, a)
            T.clear(acc)
            for k in T.Pipelined(n, num_stages=stages):
                if k % 2 == 0:
                    T.gemm(a, a, part, clear_accum=True)
                    for i, j in T.Parallel(32, 32):
                        acc[i, j] = acc[i, j] * 0.5 + part[i, j]
                else:
                    for i, j in T.Parallel(32, 32):
                        p[i, j] = T.min(T.max(acc[i, j], -4), 4)
                    T.gemm(p, a, acc)
            T.copy(acc, C)

    rng = np.random.default_rng(0)
    a = rng.integers(-2, 3, (32, 32)).astype(np.float16)
    wide = a.astype(np.float32)
    kernel = compile(main)
    expected = np.zeros((32, 32), np.float32)
    for n in range(5):
        c = np.ones((32, 32), np.float32)
        kernel(a, c, n)
        np.testing.assert_array_equal(c, expected)
        if n % 2 == 0:
            expected = expected * 0.5 + wide @ wide
        else:
            expected = expected + np.clip(expected, -4, 4).astype(np.float16).astype(np.float32) @ wide
