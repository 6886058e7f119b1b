"""The three kinds of kernel that the Ascend tests work with."""

from __future__ import annotations

from typing import Any

import numpy as np

import tilelang.language as T


def gemm(M: int, N: int, K: int, block: tuple[int, int, int] = (64, 64, 32), stages: int = 2) -> Any:
    """C = A @ B, float16 in, float32 out."""
    block_M, block_N, block_K = block

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), "float16")
            B_shared = T.alloc_shared((block_K, block_N), "float16")
            acc = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, acc)
            T.copy(acc, C[by * block_M, bx * block_N])

    return main


def vector(N: int, block: int = 512) -> Any:
    """C = (A + B) * A, float32."""

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            a = T.alloc_shared((block,), "float32")
            b = T.alloc_shared((block,), "float32")
            c = T.alloc_fragment((block,), "float32")
            T.copy(A[bx * block], a)
            T.copy(B[bx * block], b)
            for i in T.Parallel(block):
                c[i] = (a[i] + b[i]) * a[i]
            T.copy(c, C[bx * block])

    return main


def mixed(M: int, N: int, K: int, block: tuple[int, int, int] = (64, 64, 32)) -> Any:
    """C = relu(A @ B + bias), float16 out."""
    block_M, block_N, block_K = block

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        bias: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), "float16")
            B_shared = T.alloc_shared((block_K, block_N), "float16")
            bias_local = T.alloc_fragment((block_N,), "float32")
            acc = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, acc)
            T.copy(bias[bx * block_N], bias_local)
            for i, j in T.Parallel(block_M, block_N):
                acc[i, j] = T.max(acc[i, j] + bias_local[j], 0)
            T.copy(acc, C[by * block_M, bx * block_N])

    return main


# More k steps than buffers and more blocks than cores, so that every ring wraps around.
GEMM_SHAPE = (64 * 9, 64 * 9, 32 * 7)
VECTOR_SIZE = 512 * 48 * 3
MIXED_SHAPE = (64 * 9, 64 * 9, 32 * 5)


def inputs(kind: str) -> tuple[Any, list[np.ndarray], np.ndarray]:
    """The program of a kind, its inputs with an output array last, and what it must compute."""
    rng = np.random.default_rng(11)
    if kind == "vector":
        a, b = (rng.standard_normal(VECTOR_SIZE).astype(np.float32) for _ in range(2))
        return vector(VECTOR_SIZE), [a, b, np.empty_like(a)], (a + b) * a
    M, N, K = GEMM_SHAPE if kind == "gemm" else MIXED_SHAPE
    a = rng.standard_normal((M, K)).astype(np.float16)
    b = rng.standard_normal((K, N)).astype(np.float16)
    product = a.astype(np.float32) @ b.astype(np.float32)
    if kind == "gemm":
        return gemm(M, N, K), [a, b, np.empty((M, N), np.float32)], product
    bias = rng.standard_normal(N).astype(np.float32)
    return mixed(M, N, K), [a, b, bias, np.empty((M, N), np.float16)], np.maximum(product + bias, 0)
