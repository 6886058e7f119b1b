"""Elements beyond a tensor read as zero, also as operands of a product: its result there is 0, and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilelang
import tilelang.language as T

BLOCKS, TILE, DEPTH = 4, 64, 32


def product_of_blocks(rows: int, epilogue: str, side: str) -> Any:
    """Products of one tile and blocks of a tensor that ends early; each result is stored as a whole."""

    @T.prim_func
    def main(
        A: T.Tensor((TILE, DEPTH), "float16"),
        B: T.Tensor((rows, DEPTH), "float16"),
        C: T.Tensor((BLOCKS, TILE, TILE), "float32"),
    ):
        with T.Kernel(BLOCKS, threads=128) as bx:
            a = T.alloc_shared((TILE, DEPTH), "float16")
            b = T.alloc_shared((TILE, DEPTH), "float16")
            c = T.alloc_fragment((TILE, TILE), "float32")
            out = T.alloc_fragment((TILE, TILE), "float32")
            T.copy(A, a)
            T.copy(B[bx * TILE : (bx + 1) * TILE, :], b)
            T.clear(c)
            if side == "columns":
                T.gemm(a, b, c, transpose_B=True)
            else:
                T.gemm(b, a, c, transpose_B=True)
            if epilogue == "none":
                T.copy(c, C[bx, :, :])
            elif epilogue == "add":
                for i, j in T.Parallel(TILE, TILE):
                    c[i, j] = c[i, j] + 1
                T.copy(c, C[bx, :, :])
            else:
                for i, j in T.Parallel(TILE, TILE):
                    out[i, j] = c[j, i]
                T.copy(out, C[bx, :, :])

    return main


EPILOGUES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "none": lambda c: c,
    "add": lambda c: c + 1,
    "transpose": lambda c: c.swapaxes(1, 2),
}


@pytest.mark.parametrize("side", ["rows", "columns"])
@pytest.mark.parametrize("epilogue", EPILOGUES)
@pytest.mark.parametrize("rows", [1, 64, 100, 200])
def test_product_beyond_the_tensor_is_zero(rows: int, epilogue: str, side: str) -> None:
    kernel = tilelang.compile(product_of_blocks(rows, epilogue, side), out_idx=[2], target="ascend")
    rng = np.random.default_rng(rows)
    a = rng.standard_normal((TILE, DEPTH)).astype(np.float16)
    b = rng.standard_normal((rows, DEPTH)).astype(np.float16)
    whole = np.zeros((BLOCKS * TILE, DEPTH), np.float32)
    whole[:rows] = b
    blocks = whole.reshape(BLOCKS, TILE, DEPTH)
    product = a.astype(np.float32) @ blocks.swapaxes(1, 2)
    if side == "rows":
        product = product.swapaxes(1, 2)
    np.testing.assert_allclose(kernel(a, b), EPILOGUES[epilogue](product), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("epilogue", [False, True])
def test_nothing_is_cleared_where_the_result_ends_with_the_operands(epilogue: bool) -> None:
    M, N, K = 100, 90, 70

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[k * 64, bx * 64], b)
                T.gemm(a, b, c)
            if epilogue:
                for i, j in T.Parallel(64, 64):
                    c[i, j] = T.max(c[i, j], 0)
            T.copy(c, C[by * 64, bx * 64])

    kernel = tilelang.compile(main, out_idx=[2], target="ascend")
    assert "Fill(" not in kernel.get_kernel_source()
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((M, K)).astype(np.float16), rng.standard_normal((K, N)).astype(np.float16)
    product = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(kernel(a, b), np.maximum(product, 0) if epilogue else product, rtol=1e-2, atol=1e-2)
