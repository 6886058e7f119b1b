"""Cross entropy of rows of logits against labels: a running log-sum-exp, and one element picked by an index in memory.

Example: `python examples/cross_entropy.py --m 64 --n 5000`
"""

import argparse
import math

import numpy as np

import tilelang
import tilelang.language as T

# What counts for nothing in a maximum. Finite, so that differences of two of them stay numbers.
LOWEST = -1.0e30


def cross_entropy(M, N, block_M=8, block_N=512, dtype="float16"):
    """Program for loss[i] = log(sum_j exp(logits[i, j])) - logits[i, labels[i]], in float32. Classes go past in
    tiles, so there may be any number of them."""

    @T.prim_func
    def main(
        logits: T.Tensor((M, N), dtype),
        labels: T.Tensor((M,), "int32"),
        loss: T.Tensor((M,), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            rows = T.alloc_shared((block_M, block_N), dtype)
            values = T.alloc_fragment((block_M, block_N), "float32")
            label = T.alloc_fragment((block_M,), "int32")
            largest = T.alloc_fragment((block_M,), "float32")
            previous = T.alloc_fragment((block_M,), "float32")
            tile_sum = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            picked = T.alloc_fragment((block_M,), "float32")
            T.copy(labels[bx * block_M], label)
            T.fill(largest, LOWEST)
            T.clear(total)
            T.clear(picked)
            for k in T.Pipelined(T.ceildiv(N, block_N), num_stages=2):
                T.copy(logits[bx * block_M, k * block_N], rows)
                # The label's logit: every other element counts 0, so the sum picks it.
                for i, j in T.Parallel(block_M, block_N):
                    values[i, j] = T.if_then_else(k * block_N + j == label[i], rows[i, j], 0)
                T.reduce_sum(values, picked, dim=1, clear=False)
                for i, j in T.Parallel(block_M, block_N):
                    values[i, j] = T.if_then_else(k * block_N + j < N, rows[i, j] * math.log2(math.e), LOWEST)
                T.copy(largest, previous)
                T.reduce_max(values, largest, dim=1, clear=False)
                for i, j in T.Parallel(block_M, block_N):
                    values[i, j] = T.exp2(values[i, j] - largest[i])
                T.reduce_sum(values, tile_sum, dim=1)
                for i in T.Parallel(block_M):
                    total[i] = total[i] * T.exp2(previous[i] - largest[i]) + tile_sum[i]
            for i in T.Parallel(block_M):
                picked[i] = T.log(total[i]) + largest[i] * math.log(2) - picked[i]
            T.copy(picked, loss[bx * block_M])

    return main


def cross_entropy_in_numpy(logits, labels):
    values = logits.astype(np.float32)
    largest = values.max(axis=1)
    log_sum = np.log(np.exp(values - largest[:, None]).sum(axis=1)) + largest
    return log_sum - values[np.arange(len(labels)), labels]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=64, help="rows")
    parser.add_argument("--n", type=int, default=2048, help="classes")
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    program = cross_entropy(arguments.m, arguments.n, dtype=arguments.dtype)
    kernel = tilelang.compile(program, out_idx=[2], target=arguments.target)
    rng = np.random.default_rng(0)
    logits = (3 * rng.standard_normal((arguments.m, arguments.n))).astype(T.dtype(arguments.dtype).as_numpy())
    labels = rng.integers(0, arguments.n, arguments.m).astype(np.int32)
    np.testing.assert_allclose(kernel(logits, labels), cross_entropy_in_numpy(logits, labels), rtol=1e-4, atol=1e-4)
    print(f"{arguments.m} rows, {arguments.n} classes: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(logits, labels))


if __name__ == "__main__":
    main()
