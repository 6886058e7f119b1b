"""Attention with a mask and a score function of one's own: plain expressions of head, query and key.

The two functions run while the kernel is traced, so whatever they compute becomes vector code; the NumPy reference
calls the same functions with arrays of indices.

Example: `python examples/attention_custom_mask.py --mask prefix --score slope --sequence 300 --profile`
"""

import argparse
import math

import numpy as np

import tilelang
import tilelang.language as T

# Scores that do not count. They are finite and far below LOWEST, where the running maximum starts, so that their
# weight is exactly 0 even in a block that holds nothing else.
MASKED = -1.0e30
LOWEST = -1.0e20

# Which keys a query sees. Comparisons are joined with & and |, which mean the same in a kernel and in NumPy.
MASKS = {
    # The first 40 tokens see each other; the rest sees what came before.
    "prefix": lambda head, query, key: (key < 40) | (key <= query),
    # What came before within 64 tokens, and the first 4 tokens always.
    "sink": lambda head, query, key: (key <= query) & ((query - key < 64) | (key < 4)),
    # Documents of 48 tokens, packed one after the other: nobody looks into another one.
    "documents": lambda head, query, key: (key <= query) & (query // 48 == key // 48),
    # Every head looks back with another stride.
    "dilated": lambda head, query, key: (key <= query) & ((query - key) % (head + 1) == 0),
}

# What becomes of a score, already divided by sqrt(dim).
SCORES = {
    "plain": lambda score, head, query, key: score,
    # Linear in the distance, steeper for each further head.
    "slope": lambda score, head, query, key: score - (head + 1) * 0.02 * (query - key),
    # A bonus for the neighbourhood.
    "near": lambda score, head, query, key: score + 2.0 / (1.0 + (query - key) * (query - key)),
}


def masked_attention(batch, heads, sequence, dim, sees, change, block_M=64, block_N=64):
    """Program for O = softmax(change(Q K^T / sqrt(dim)) where sees, else nothing) V per head."""
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
            T.fill(largest, LOWEST)
            for k in T.Pipelined(T.ceildiv(sequence, block_N), num_stages=2):
                T.copy(K[item, head, k * block_N : (k + 1) * block_N, :], K_shared)
                T.clear(scores)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True)
                for i, j in T.Parallel(block_M, block_N):
                    query = bx * block_M + i
                    key = k * block_N + j
                    changed = change(scores[i, j] * scale, head, query, key)
                    seen = (key < sequence) & sees(head, query, key)
                    scores[i, j] = T.if_then_else(seen, changed, MASKED)
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
            # The largest score alone adds 1 to the total, so only a row that sees nothing is below that.
            for i, j in T.Parallel(block_M, dim):
                output[i, j] /= T.max(total[i], 0.5)
            T.copy(output, O[item, head, bx * block_M : (bx + 1) * block_M, :])

    return main


def masked_attention_in_numpy(q, k, v, sees, change):
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    heads, sequence, dim = q.shape[1:]
    head = np.arange(heads)[:, None, None]
    query, key = np.arange(sequence)[:, None], np.arange(sequence)[None, :]
    scores = change(np.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(dim), head, query, key)
    scores = np.where(sees(head, query, key), scores, -np.inf)
    weights = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), np.float32(LOWEST)))
    total = np.maximum(weights.sum(axis=-1, keepdims=True), 0.5)
    return np.einsum("bhqk,bhkd->bhqd", weights / total, v)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--heads", type=int, default=3)
    parser.add_argument("--sequence", type=int, default=200)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--mask", choices=MASKS, default="sink")
    parser.add_argument("--score", choices=SCORES, default="plain")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    shape = (arguments.batch, arguments.heads, arguments.sequence, arguments.dim)
    sees, change = MASKS[arguments.mask], SCORES[arguments.score]
    kernel = tilelang.compile(masked_attention(*shape, sees, change), out_idx=[3], target=arguments.target)
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal(shape).astype(np.float16) for _ in range(3))
    reference = masked_attention_in_numpy(q, k, v, sees, change)
    np.testing.assert_allclose(kernel(q, k, v).astype(np.float32), reference, rtol=2e-2, atol=1e-2)
    print(f"{' x '.join(map(str, shape))}, mask {arguments.mask}, score {arguments.score}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(q, k, v))


if __name__ == "__main__":
    main()
