"""Attention as three kernels, with scores and weights in global memory, next to the fused kernel of
`attention.py`: what fusion saves. Both have to give the same result.

Example: `python examples/unfused_attention.py --heads 4 --queries 200 --keys 1000 --profile`
"""

import argparse
import math

import numpy as np
from attention import attention, attention_in_numpy

import tilelang
import tilelang.language as T

LOWEST = -1.0e20


def scaled_scores(heads, queries, keys, dim, block_M=128, block_N=128, block_K=64):
    """Program for S[h] = Q[h] K[h]^T / sqrt(dim), stored as float32."""
    scale = 1 / math.sqrt(dim)

    @T.prim_func
    def main(
        Q: T.Tensor((heads, queries, dim), "float16"),
        K: T.Tensor((heads, keys, dim), "float16"),
        S: T.Tensor((heads, queries, keys), "float32"),
    ):
        with T.Kernel(T.ceildiv(keys, block_N), T.ceildiv(queries, block_M), heads, threads=128) as (bx, by, head):
            Q_shared = T.alloc_shared((block_M, block_K), "float16")
            K_shared = T.alloc_shared((block_N, block_K), "float16")
            scores = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(scores)
            for k in T.Pipelined(T.ceildiv(dim, block_K), num_stages=2):
                T.copy(Q[head, by * block_M : (by + 1) * block_M, k * block_K : (k + 1) * block_K], Q_shared)
                T.copy(K[head, bx * block_N : (bx + 1) * block_N, k * block_K : (k + 1) * block_K], K_shared)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True)
            for i, j in T.Parallel(block_M, block_N):
                scores[i, j] *= scale
            T.copy(scores, S[head, by * block_M : (by + 1) * block_M, bx * block_N : (bx + 1) * block_N])

    return main


def softmax_of_rows(rows, columns, block_rows=16, block_columns=512):
    """Program for P = softmax(S) along rows of any length: one pass for maximum and sum, one for the weights."""

    @T.prim_func
    def main(S: T.Tensor((rows, columns), "float32"), P: T.Tensor((rows, columns), "float16")):
        with T.Kernel(T.ceildiv(rows, block_rows), threads=128) as bx:
            block = T.alloc_fragment((block_rows, block_columns), "float32")
            weights = T.alloc_fragment((block_rows, block_columns), "float16")
            largest = T.alloc_fragment((block_rows,), "float32")
            previous = T.alloc_fragment((block_rows,), "float32")
            row_sum = T.alloc_fragment((block_rows,), "float32")
            total = T.alloc_fragment((block_rows,), "float32")
            T.clear(total)
            T.fill(largest, LOWEST)
            for k in T.Pipelined(T.ceildiv(columns, block_columns), num_stages=2):
                T.copy(S[bx * block_rows, k * block_columns], block)
                for i, j in T.Parallel(block_rows, block_columns):
                    block[i, j] = T.if_then_else(k * block_columns + j < columns, block[i, j], -1.0e30)
                T.copy(largest, previous)
                T.reduce_max(block, largest, dim=1, clear=False)
                for i, j in T.Parallel(block_rows, block_columns):
                    block[i, j] = T.exp(block[i, j] - largest[i])
                T.reduce_sum(block, row_sum, dim=1)
                for i in T.Parallel(block_rows):
                    total[i] = total[i] * T.exp(previous[i] - largest[i]) + row_sum[i]
            for k in T.Pipelined(T.ceildiv(columns, block_columns), num_stages=2):
                T.copy(S[bx * block_rows, k * block_columns], block)
                for i, j in T.Parallel(block_rows, block_columns):
                    weights[i, j] = T.exp(block[i, j] - largest[i]) / total[i]
                T.copy(weights, P[bx * block_rows, k * block_columns])

    return main


def weighted_values(heads, queries, keys, dim, block_M=128, block_N=128, block_K=64):
    """Program for O[h] = P[h] V[h]."""

    @T.prim_func
    def main(
        P: T.Tensor((heads, queries, keys), "float16"),
        V: T.Tensor((heads, keys, dim), "float16"),
        O: T.Tensor((heads, queries, dim), "float16"),  # noqa: E741
    ):
        with T.Kernel(T.ceildiv(dim, block_N), T.ceildiv(queries, block_M), heads, threads=128) as (bx, by, head):
            P_shared = T.alloc_shared((block_M, block_K), "float16")
            V_shared = T.alloc_shared((block_K, block_N), "float16")
            output = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(output)
            for k in T.Pipelined(T.ceildiv(keys, block_K), num_stages=2):
                T.copy(P[head, by * block_M : (by + 1) * block_M, k * block_K : (k + 1) * block_K], P_shared)
                T.copy(V[head, k * block_K : (k + 1) * block_K, bx * block_N : (bx + 1) * block_N], V_shared)
                T.gemm(P_shared, V_shared, output)
            T.copy(output, O[head, by * block_M : (by + 1) * block_M, bx * block_N : (bx + 1) * block_N])

    return main


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heads", type=int, default=2)
    parser.add_argument("--queries", type=int, default=256)
    parser.add_argument("--keys", type=int, help="default: as many as queries")
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles of all kernels go")
    arguments = parser.parse_args()

    heads, queries, dim, target = arguments.heads, arguments.queries, arguments.dim, arguments.target
    keys = arguments.keys or queries
    score_kernel = tilelang.compile(scaled_scores(heads, queries, keys, dim), out_idx=[2], target=target)
    softmax_kernel = tilelang.compile(softmax_of_rows(heads * queries, keys), out_idx=[1], target=target)
    value_kernel = tilelang.compile(weighted_values(heads, queries, keys, dim), out_idx=[2], target=target)
    fused_kernel = tilelang.compile(attention(1, heads, heads, queries, keys, dim, dim), out_idx=[3], target=target)

    rng = np.random.default_rng(0)
    q = rng.standard_normal((heads, queries, dim)).astype(np.float16)
    k, v = (rng.standard_normal((heads, keys, dim)).astype(np.float16) for _ in range(2))
    scores = score_kernel(q, k)
    weights = softmax_kernel(scores.reshape(heads * queries, keys)).reshape(heads, queries, keys)
    unfused = value_kernel(weights, v)
    fused = fused_kernel(q[None], k[None], v[None])[0]
    reference = attention_in_numpy(q[None], k[None], v[None])[0]
    for result in (unfused, fused):
        np.testing.assert_allclose(result.astype(np.float32), reference, rtol=2e-2, atol=1e-2)
    print(f"{heads} x {queries} x {dim} queries, {keys} keys, in three kernels and in one: equal to NumPy")

    if arguments.profile:
        parts = [
            score_kernel.profile(q, k),
            softmax_kernel.profile(scores.reshape(heads * queries, keys)),
            value_kernel.profile(weights, v),
        ]
        whole = fused_kernel.profile(q[None], k[None], v[None])
        for profile in (*parts, whole):
            print(profile)
        total = sum(profile.microseconds for profile in parts)
        print(f"three kernels: {total:.1f} us, one kernel: {whole.microseconds:.1f} us (modelled, launches included)")


if __name__ == "__main__":
    main()
