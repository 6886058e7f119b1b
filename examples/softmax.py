"""Softmax over the rows of a matrix: reductions along a dimension, on the Vector cores.

Example: `python examples/softmax.py --m 64 --n 500 --profile`
"""

import argparse
import math

import numpy as np

import tilelang
import tilelang.language as T


def softmax(M, N, block_M=8, dtype="float16"):
    """Program for B = softmax(A) along the rows, computed in float32."""

    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            rows = T.alloc_shared((block_M, N), dtype)
            values = T.alloc_fragment((block_M, N), "float32")
            largest = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            T.copy(A[bx * block_M, 0], rows)
            T.copy(rows, values)
            T.reduce_max(values, largest, dim=1)
            for i, j in T.Parallel(block_M, N):
                values[i, j] = T.exp2((values[i, j] - largest[i]) * math.log2(math.e))
            T.reduce_sum(values, total, dim=1)
            # One division for each row: on the Vector core it takes four times as long as a product.
            for i in T.Parallel(block_M):
                total[i] = 1 / total[i]
            for i, j in T.Parallel(block_M, N):
                values[i, j] = values[i, j] * total[i]
            T.copy(values, B[bx * block_M, 0])

    return main


def softmax_in_numpy(a):
    values = a.astype(np.float32)
    values = np.exp(values - values.max(axis=1, keepdims=True))
    return values / values.sum(axis=1, keepdims=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=256)
    parser.add_argument("--n", type=int, default=1024)
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    program = softmax(arguments.m, arguments.n, dtype=arguments.dtype)
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
