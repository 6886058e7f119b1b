"""Attention for any lengths of queries and keys: one or several query heads per key head, with or without a mask.

The last query is next to the last key, as when new tokens attend to a cache: query i stands at i + keys - queries.
A query that sees no key at all gets zeros.

Example: `python examples/attention.py --heads 8 --kv-heads 2 --queries 100 --keys 1000 --kind causal --profile`
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

KINDS = ["full", "causal", "window", "mask"]


def attention(
    batch,
    heads,
    kv_heads,
    queries,
    keys,
    dim,
    value_dim,
    dtype="float16",
    kind="full",
    window=128,
    block_M=64,
    block_N=64,
):
    """Program for O = softmax(Q K^T / sqrt(dim)) V per head; heads / kv_heads query heads share keys and values.

    full: every query sees every key. causal: no later key. window: itself and the window - 1 keys before.
    mask: the program takes one more tensor, which is added to the scores of every head.
    `queries` and `keys` are numbers, or names of `T.dynamic` for a kernel that serves all lengths."""
    if heads % kv_heads:
        raise ValueError(f"{heads} query heads are no multiple of {kv_heads} key heads")
    group = heads // kv_heads
    scale = 1 / math.sqrt(dim)
    shift = keys - queries
    whole_blocks = isinstance(keys, int) and keys % block_N == 0

    @T.macro
    def attend(Q, K, V, Mask, O):  # noqa: E741
        blocks = T.ceildiv(queries, block_M)
        with T.Kernel(blocks, heads, batch, threads=128) as (index, head, item):
            # The last queries see most keys. Long blocks first: the short ones fill the gaps at the end.
            bx = blocks - 1 - index if kind == "causal" else index
            Q_shared = T.alloc_shared((block_M, dim), dtype)
            K_shared = T.alloc_shared((block_N, dim), dtype)
            V_shared = T.alloc_shared((block_N, value_dim), dtype)
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), dtype)
            output = T.alloc_fragment((block_M, value_dim), "float32")
            largest = T.alloc_fragment((block_M,), "float32")
            previous = T.alloc_fragment((block_M,), "float32")
            rescale = T.alloc_fragment((block_M,), "float32")
            row_sum = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            if kind == "mask":
                mask = T.alloc_fragment((block_M, block_N), "float32")

            T.copy(Q[item, head, bx * block_M : (bx + 1) * block_M, :], Q_shared)
            T.clear(output)
            T.clear(total)
            T.fill(largest, LOWEST)

            # Blocks of keys that no query of this block sees are not even loaded.
            first = 0
            last = T.ceildiv(keys, block_N)
            if kind == "causal" or kind == "window":
                last = T.ceildiv(T.max(T.min(keys, (bx + 1) * block_M + shift), 0), block_N)
            if kind == "window":
                first = T.max(bx * block_M + shift - window + 1, 0) // block_N

            for k in T.Pipelined(first, last, num_stages=2):
                T.copy(K[item, head // group, k * block_N : (k + 1) * block_N, :], K_shared)
                T.clear(scores)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True)
                if kind == "mask":
                    T.copy(Mask[bx * block_M, k * block_N], mask)
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = scores[i, j] * scale + mask[i, j]
                else:
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] *= scale

                # Most blocks of keys are seen whole; only the others pay for comparing positions.
                nearest = bx * block_M + shift - (k * block_N + block_N - 1)
                farthest = nearest + (block_M - 1) + (block_N - 1)
                if kind == "causal":
                    if nearest < 0:
                        for i, j in T.Parallel(block_M, block_N):
                            seen = k * block_N + j <= bx * block_M + i + shift
                            scores[i, j] = T.if_then_else(seen, scores[i, j], MASKED)
                elif kind == "window":
                    if nearest < 0 or farthest >= window:
                        for i, j in T.Parallel(block_M, block_N):
                            distance = bx * block_M + i + shift - (k * block_N + j)
                            seen = distance >= 0 and distance < window
                            scores[i, j] = T.if_then_else(seen, scores[i, j], MASKED)
                elif not whole_blocks and (k + 1) * block_N > keys:
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(k * block_N + j < keys, scores[i, j], MASKED)

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
                for i, j in T.Parallel(block_M, value_dim):
                    output[i, j] *= rescale[i]
                T.copy(V[item, head // group, k * block_N : (k + 1) * block_N, :], V_shared)
                T.gemm(weights, V_shared, output)

            # The largest score alone adds 1 to the total, so only a row that sees nothing is below that.
            for i, j in T.Parallel(block_M, value_dim):
                output[i, j] /= T.max(total[i], 0.5)
            T.copy(output, O[item, head, bx * block_M : (bx + 1) * block_M, :])

    if kind == "mask":

        @T.prim_func
        def main(
            Q: T.Tensor((batch, heads, queries, dim), dtype),
            K: T.Tensor((batch, kv_heads, keys, dim), dtype),
            V: T.Tensor((batch, kv_heads, keys, value_dim), dtype),
            Mask: T.Tensor((queries, keys), "float32"),
            O: T.Tensor((batch, heads, queries, value_dim), dtype),  # noqa: E741
        ):
            attend(Q, K, V, Mask, O)

    else:

        @T.prim_func
        def main(
            Q: T.Tensor((batch, heads, queries, dim), dtype),
            K: T.Tensor((batch, kv_heads, keys, dim), dtype),
            V: T.Tensor((batch, kv_heads, keys, value_dim), dtype),
            O: T.Tensor((batch, heads, queries, value_dim), dtype),  # noqa: E741
        ):
            attend(Q, K, V, None, O)

    return main


def attention_in_numpy(q, k, v, kind="full", window=128, mask=None):
    group = q.shape[1] // k.shape[1]
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    k, v = (np.repeat(x, group, axis=1) for x in (k, v))
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
    queries, keys = scores.shape[2:]
    distance = np.arange(queries)[:, None] + keys - queries - np.arange(keys)[None, :]
    if kind == "causal":
        scores = np.where(distance >= 0, scores, -np.inf)
    elif kind == "window":
        scores = np.where((distance >= 0) & (distance < window), scores, -np.inf)
    elif kind == "mask":
        scores = scores + mask
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=np.float32(LOWEST)))
    total = np.maximum(weights.sum(axis=-1, keepdims=True), 0.5)
    return np.einsum("bhqk,bhkd->bhqd", weights / total, v)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--kv-heads", type=int, help="heads of keys and values; default: as many as query heads")
    parser.add_argument("--queries", type=int, default=256)
    parser.add_argument("--keys", type=int, help="default: as many as queries")
    parser.add_argument("--dim", type=int, default=128, help="of queries and keys")
    parser.add_argument("--value-dim", type=int, help="default: that of queries and keys")
    parser.add_argument("--dtype", choices=["float16", "bfloat16"], default="float16")
    parser.add_argument("--kind", choices=KINDS, default="full")
    parser.add_argument("--any-length", action="store_true", help="compile one kernel for all lengths")
    parser.add_argument("--window", type=int, default=128, help="keys that a query sees with --kind window")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    batch, heads, queries, dim = arguments.batch, arguments.heads, arguments.queries, arguments.dim
    kv_heads = arguments.kv_heads or heads
    keys = arguments.keys or queries
    value_dim = arguments.value_dim or dim
    dtype = np.dtype(np.float16)
    if arguments.dtype == "bfloat16":
        import ml_dtypes

        dtype = np.dtype(ml_dtypes.bfloat16)

    kind, window = arguments.kind, arguments.window
    lengths = T.dynamic("queries, keys") if arguments.any_length else (queries, keys)
    program = attention(
        batch, heads, kv_heads, *lengths, dim, value_dim, dtype=arguments.dtype, kind=kind, window=window
    )
    kernel = tilelang.compile(program, out_idx=[-1], target=arguments.target)

    rng = np.random.default_rng(0)
    q = rng.standard_normal((batch, heads, queries, dim)).astype(dtype)
    k = rng.standard_normal((batch, kv_heads, keys, dim)).astype(dtype)
    v = rng.standard_normal((batch, kv_heads, keys, value_dim)).astype(dtype)
    inputs, mask = [q, k, v], None
    if kind == "mask":
        # A slope that falls with the distance, and one key in four that nobody sees.
        mask = -0.01 * np.abs(np.arange(queries)[:, None] - np.arange(keys)[None, :]).astype(np.float32)
        mask[:, 3::4] = -np.inf
        inputs.append(mask)

    reference = attention_in_numpy(q, k, v, kind, window, mask)
    tolerance = 1e-2 if arguments.dtype == "float16" else 4e-2
    np.testing.assert_allclose(kernel(*inputs).astype(np.float32), reference, rtol=2e-2, atol=tolerance)
    print(f"{batch} x {heads} x {queries} x {dim} queries, {kv_heads} x {keys} keys, {kind}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(*inputs))


if __name__ == "__main__":
    main()
