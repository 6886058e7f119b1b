"""Attention in one pass over keys and values: scores on the Cube core, softmax on the Vector cores, in one kernel.

Example: `python examples/flash_attention.py --sequence 200 --causal --profile`
"""

import argparse
import math

import numpy as np

import tilelang
import tilelang.language as T

# Scores that do not count. Finite, so that a row whose first block is masked altogether stays a number.
MASKED = -1.0e30


def flash_attention(batch, heads, sequence, dim, causal=False, block_M=64, block_N=64):
    """Program for O = softmax(Q K^T / sqrt(dim)) V per head. What has been summed up is rescaled when a larger score
    appears, so that no row of scores is ever stored as a whole."""
    scale = 1 / math.sqrt(dim)
    shape = (batch, heads, sequence, dim)

    @T.prim_func
    def main(
        Q: T.Tensor(shape, "float16"),
        K: T.Tensor(shape, "float16"),
        V: T.Tensor(shape, "float16"),
        O: T.Tensor(shape, "float16"),  # noqa: E741
    ):
        with T.Kernel(T.ceildiv(sequence, block_M), heads, batch, threads=128) as (bx, head, item):
            Q_shared = T.alloc_shared((block_M, dim), "float16")
            K_shared = T.alloc_shared((block_N, dim), "float16")
            V_shared = T.alloc_shared((block_N, dim), "float16")
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), "float16")
            output = T.alloc_fragment((block_M, dim), "float32")
            largest = T.alloc_fragment((block_M,), "float32")
            previous = T.alloc_fragment((block_M,), "float32")
            rescale = T.alloc_fragment((block_M,), "float32")
            row_sum = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")

            T.copy(Q[item, head, bx * block_M : (bx + 1) * block_M, :], Q_shared)
            T.clear(output)
            T.clear(total)
            T.fill(largest, MASKED)
            # Keys beyond the last row of this block do not count in causal attention.
            keys = T.min(sequence, (bx + 1) * block_M) if causal else sequence
            for k in T.Pipelined(T.ceildiv(keys, block_N), num_stages=2):
                T.copy(K[item, head, k * block_N : (k + 1) * block_N, :], K_shared)
                T.clear(scores)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] *= scale
                # Only a block of keys that some query does not see whole pays for a mask.
                whole = bx * block_M + 1 if causal else sequence
                if (causal or sequence % block_N) and (k + 1) * block_N > whole:
                    for i, j in T.Parallel(block_M, block_N):
                        last = bx * block_M + i if causal else sequence - 1
                        scores[i, j] = T.if_then_else(k * block_N + j <= last, scores[i, j], MASKED)
                T.copy(largest, previous)
                T.reduce_max(scores, largest, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    rescale[i] = T.exp(previous[i] - largest[i])
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp(scores[i, j] - largest[i])
                T.reduce_sum(scores, row_sum, dim=1)
                for i in T.Parallel(block_M):
                    total[i] = total[i] * rescale[i] + row_sum[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(block_M, dim):
                    output[i, j] *= rescale[i]
                T.copy(V[item, head, k * block_N : (k + 1) * block_N, :], V_shared)
                T.gemm(weights, V_shared, output)
            for i, j in T.Parallel(block_M, dim):
                output[i, j] /= total[i]
            T.copy(output, O[item, head, bx * block_M : (bx + 1) * block_M, :])

    return main


def attention_in_numpy(q, k, v, causal):
    scores = np.einsum("bhqd,bhkd->bhqk", q.astype(np.float32), k.astype(np.float32)) / math.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(q.shape[2], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("bhqk,bhkd->bhqd", weights / weights.sum(axis=-1, keepdims=True), v.astype(np.float32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--heads", type=int, default=2)
    parser.add_argument("--sequence", type=int, default=256)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--causal", action="store_true", help="a token sees itself and what came before")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    shape = (arguments.batch, arguments.heads, arguments.sequence, arguments.dim)
    kernel = tilelang.compile(flash_attention(*shape, arguments.causal), out_idx=[3], target=arguments.target)
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal(shape).astype(np.float16) for _ in range(3))
    reference = attention_in_numpy(q, k, v, arguments.causal)
    np.testing.assert_allclose(kernel(q, k, v).astype(np.float32), reference, rtol=2e-2, atol=1e-2)
    print(f"{' x '.join(map(str, shape))}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(q, k, v))


if __name__ == "__main__":
    main()
