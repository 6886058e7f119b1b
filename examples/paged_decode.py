"""One new token per request attends to keys and values in pages, as servers keep them: each request has its own
length, and a block table says where its pages lie.

Example: `python examples/paged_decode.py --lengths 1 64 200 1000 --heads 32 --kv-heads 4 --page 64 --profile`
"""

import argparse
import math

import numpy as np

import tilelang
import tilelang.language as T

# Scores that do not count. They are finite and far below LOWEST, where the running maximum starts, so that their
# weight is exactly 0.
MASKED = -1.0e30
LOWEST = -1.0e20


def paged_decode(batch, heads, kv_heads, dim, page, pages, pages_each, dtype="float16"):
    """Program for one row of queries per request over `pages` pages of `page` tokens. The query heads that share a
    key head are the rows of one matrix, so that keys are loaded once for all of them. A request of length 0 gets
    zeros; table entries beyond a request's length are not looked at."""
    if heads % kv_heads:
        raise ValueError(f"{heads} query heads are no multiple of {kv_heads} key heads")
    group = heads // kv_heads
    scale = 1 / math.sqrt(dim)

    @T.prim_func
    def main(
        Q: T.Tensor((batch, heads, dim), dtype),
        K: T.Tensor((pages, page, kv_heads, dim), dtype),
        V: T.Tensor((pages, page, kv_heads, dim), dtype),
        Table: T.Tensor((batch, pages_each), "int32"),
        Length: T.Tensor((batch,), "int32"),
        O: T.Tensor((batch, heads, dim), dtype),  # noqa: E741
    ):
        with T.Kernel(kv_heads, batch, threads=128) as (head, item):
            Q_shared = T.alloc_shared((group, dim), dtype)
            K_shared = T.alloc_shared((page, dim), dtype)
            V_shared = T.alloc_shared((page, dim), dtype)
            scores = T.alloc_fragment((group, page), "float32")
            weights = T.alloc_fragment((group, page), dtype)
            output = T.alloc_fragment((group, dim), "float32")
            largest = T.alloc_fragment((group,), "float32")
            previous = T.alloc_fragment((group,), "float32")
            rescale = T.alloc_fragment((group,), "float32")
            row_sum = T.alloc_fragment((group,), "float32")
            total = T.alloc_fragment((group,), "float32")

            T.copy(Q[item, head * group : (head + 1) * group, :], Q_shared)
            T.clear(output)
            T.clear(total)
            T.fill(largest, LOWEST)
            for k in T.Pipelined(T.ceildiv(Length[item], page), num_stages=2):
                T.copy(K[Table[item, k], :, head, :], K_shared)
                T.clear(scores)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True)
                for i, j in T.Parallel(group, page):
                    scores[i, j] *= scale
                if (k + 1) * page > Length[item]:
                    for i, j in T.Parallel(group, page):
                        scores[i, j] = T.if_then_else(k * page + j < Length[item], scores[i, j], MASKED)
                T.copy(largest, previous)
                T.reduce_max(scores, largest, dim=1, clear=False)
                for i in T.Parallel(group):
                    rescale[i] = T.exp(previous[i] - largest[i])
                for i, j in T.Parallel(group, page):
                    scores[i, j] = T.exp(scores[i, j] - largest[i])
                T.reduce_sum(scores, row_sum, dim=1)
                for i in T.Parallel(group):
                    total[i] = total[i] * rescale[i] + row_sum[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(group, dim):
                    output[i, j] *= rescale[i]
                T.copy(V[Table[item, k], :, head, :], V_shared)
                T.gemm(weights, V_shared, output)
            # The largest score alone adds 1 to the total, so only an empty request is below that.
            for i, j in T.Parallel(group, dim):
                output[i, j] /= T.max(total[i], 0.5)
            T.copy(output, O[item, head * group : (head + 1) * group, :])

    return main


def paged_decode_in_numpy(q, k, v, table, lengths):
    batch, heads, dim = q.shape
    kv_heads = k.shape[2]
    result = np.zeros((batch, heads, dim), np.float32)
    for item, length in enumerate(lengths):
        if length == 0:
            continue
        keys, values = (x[table[item]].reshape(-1, kv_heads, dim)[:length].astype(np.float32) for x in (k, v))
        keys, values = (np.repeat(x, heads // kv_heads, axis=1) for x in (keys, values))
        scores = np.einsum("hd,khd->hk", q[item].astype(np.float32), keys) / math.sqrt(dim)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        result[item] = np.einsum("hk,khd->hd", weights / weights.sum(axis=-1, keepdims=True), values)
    return result


def pages_in_any_order(rng, lengths, page):
    """A block table as it looks after a while of serving: pages lie anywhere, page 0 belongs to nobody."""
    counts = [-(-length // page) for length in lengths]
    free = list(rng.permutation(sum(counts)) + 1)
    table = np.zeros((len(lengths), max([1, *counts])), np.int32)
    for item, count in enumerate(counts):
        table[item, :count] = [free.pop() for _ in range(count)]
    return table, sum(counts) + 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", type=int, nargs="+", default=[1, 64, 200, 500], help="tokens of each request")
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--kv-heads", type=int, default=2)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--page", type=int, default=64, help="tokens in a page")
    parser.add_argument("--dtype", choices=["float16", "bfloat16"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    heads, kv_heads, dim, page = arguments.heads, arguments.kv_heads, arguments.dim, arguments.page
    lengths = np.array(arguments.lengths, np.int32)
    rng = np.random.default_rng(0)
    table, pages = pages_in_any_order(rng, arguments.lengths, page)
    dtype = T.dtype(arguments.dtype).as_numpy()
    q = rng.standard_normal((len(lengths), heads, dim)).astype(dtype)
    k, v = (rng.standard_normal((pages, page, kv_heads, dim)).astype(dtype) for _ in range(2))

    program = paged_decode(len(lengths), heads, kv_heads, dim, page, pages, table.shape[1], arguments.dtype)
    kernel = tilelang.compile(program, out_idx=[5], target=arguments.target)
    reference = paged_decode_in_numpy(q, k, v, table, lengths)
    result = kernel(q, k, v, table, lengths)
    tolerance = {"float16": 1e-2, "bfloat16": 4e-2}[arguments.dtype]
    np.testing.assert_allclose(result.astype(np.float32), reference, rtol=2e-2, atol=tolerance)
    print(f"requests of {arguments.lengths} tokens, {heads} heads over {kv_heads} key heads: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(q, k, v, table, lengths))


if __name__ == "__main__":
    main()
