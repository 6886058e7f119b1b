"""Programs whose reports and profiles are tested."""

from __future__ import annotations

from typing import Any

import numpy as np

import tilelang.language as T


def softmax_gemm(rows: int = 256, keys: int = 64, width: int = 64, block: int = 64) -> Any:
    """R = softmax(Q K^T) V: Cube, Vector, Cube, Vector in one loop over blocks."""

    @T.prim_func
    def softmax_gemm(
        Q: T.Tensor((rows, width), "float16"),
        K: T.Tensor((keys, width), "float16"),
        V: T.Tensor((keys, width), "float16"),
        R: T.Tensor((rows, width), "float32"),
    ):
        with T.Kernel(T.ceildiv(rows, block), threads=128) as bx:
            q = T.alloc_shared((block, width), "float16")
            k = T.alloc_shared((keys, width), "float16")
            v = T.alloc_shared((keys, width), "float16")
            s = T.alloc_fragment((block, keys), "float32")
            p = T.alloc_fragment((block, keys), "float16")
            o = T.alloc_fragment((block, width), "float32")
            high = T.alloc_fragment((block,), "float32")
            total = T.alloc_fragment((block,), "float32")
            T.copy(Q[bx * block, 0], q)
            T.copy(K[0, 0], k)
            T.copy(V[0, 0], v)
            T.gemm(q, k, s, transpose_B=True, clear_accum=True)
            T.reduce_max(s, high, dim=1)
            for i, j in T.Parallel(block, keys):
                s[i, j] = T.exp(s[i, j] - high[i])
            T.reduce_sum(s, total, dim=1)
            T.copy(s, p)
            T.gemm(p, v, o, clear_accum=True)
            for i, j in T.Parallel(block, width):
                o[i, j] = o[i, j] / total[i]
            T.copy(o, R[bx * block, 0])

    return softmax_gemm


def softmax_gemm_inputs(rows: int = 256, keys: int = 64, width: int = 64) -> tuple[list[np.ndarray], np.ndarray]:
    """Inputs with an output array last, and what it must hold."""
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal((n, width)).astype(np.float16) for n in (rows, keys, keys))
    s = q.astype(np.float32) @ k.astype(np.float32).T
    p = np.exp(s - s.max(1, keepdims=True))
    return [q, k, v, np.empty((rows, width), np.float32)], (p / p.sum(1, keepdims=True)) @ v.astype(np.float32)


def wide_product(n: int = 64) -> Any:
    """B = 3 A in 64 bits, which the vector unit has no instruction for."""

    @T.prim_func
    def wide_product(A: T.Tensor((n,), "int64"), B: T.Tensor((n,), "int64")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((n,), "int64")
            T.copy(A[0], a)
            for i in T.Parallel(n):
                a[i] = a[i] * 3
            T.copy(a, B[0])

    return wide_product


def too_many_stages(m: int = 128, n: int = 256, k: int = 1024, block_k: int = 256) -> Any:
    """C = A B with more stages than L1 holds."""

    @T.prim_func
    def too_many_stages(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((m, block_k), "float16")
            b = T.alloc_shared((block_k, n), "float16")
            c = T.alloc_fragment((m, n), "float32")
            T.clear(c)
            for ko in T.Pipelined(k // block_k, num_stages=4):
                T.copy(A[0, ko * block_k], a)
                T.copy(B[ko * block_k, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C[0, 0])

    return too_many_stages
