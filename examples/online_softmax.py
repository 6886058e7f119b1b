"""Softmax over rows of any length: a running maximum and sum, so that no row is on the chip as a whole.

Example: `python examples/online_softmax.py --m 16 --n 20000 --profile`
"""

import argparse
import math

import numpy as np

import tilelang
import tilelang.language as T

# What counts for nothing in a maximum. Finite, so that differences of two of them stay numbers.
LOWEST = -1.0e30


def online_softmax(M, N, block_M=8, block_N=512, dtype="float16"):
    """Program for B = softmax(A) along the rows, computed in float32. The first pass over a row finds its maximum
    and, rescaled whenever the maximum grows, its sum; the second pass divides."""

    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            rows = T.alloc_shared((block_M, block_N), dtype)
            values = T.alloc_fragment((block_M, block_N), "float32")
            largest = T.alloc_fragment((block_M,), "float32")
            previous = T.alloc_fragment((block_M,), "float32")
            tile_sum = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            T.fill(largest, LOWEST)
            T.clear(total)
            for k in T.Pipelined(T.ceildiv(N, block_N), num_stages=2):
                T.copy(A[bx * block_M, k * block_N], rows)
                for i, j in T.Parallel(block_M, block_N):
                    values[i, j] = T.if_then_else(k * block_N + j < N, rows[i, j] * math.log2(math.e), LOWEST)
                T.copy(largest, previous)
                T.reduce_max(values, largest, dim=1, clear=False)
                for i, j in T.Parallel(block_M, block_N):
                    values[i, j] = T.exp2(values[i, j] - largest[i])
                T.reduce_sum(values, tile_sum, dim=1)
                for i in T.Parallel(block_M):
                    total[i] = total[i] * T.exp2(previous[i] - largest[i]) + tile_sum[i]
            for k in T.Pipelined(T.ceildiv(N, block_N), num_stages=2):
                T.copy(A[bx * block_M, k * block_N], rows)
                for i, j in T.Parallel(block_M, block_N):
                    values[i, j] = T.exp2(rows[i, j] * math.log2(math.e) - largest[i]) / total[i]
                T.copy(values, B[bx * block_M, k * block_N])

    return main


def softmax_in_numpy(a):
    values = a.astype(np.float32)
    values = np.exp(values - values.max(axis=1, keepdims=True))
    return values / values.sum(axis=1, keepdims=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=64)
    parser.add_argument("--n", type=int, default=4096)
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    program = online_softmax(arguments.m, arguments.n, dtype=arguments.dtype)
    kernel = tilelang.compile(program, out_idx=[1], target=arguments.target)
    a = np.random.default_rng(0).standard_normal((arguments.m, arguments.n))
    a = a.astype(T.dtype(arguments.dtype).as_numpy())
    tolerance = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 1e-4}[arguments.dtype]
    np.testing.assert_allclose(kernel(a).astype(np.float32), softmax_in_numpy(a), rtol=tolerance, atol=1e-6)
    print(f"{arguments.m} x {arguments.n}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(a))


if __name__ == "__main__":
    main()
