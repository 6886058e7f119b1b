"""Layer normalisation with a scale and a shift for each column.

Example: `python examples/layer_norm.py --m 64 --n 1000 --dtype bfloat16`
"""

import argparse

import numpy as np

import tilelang
import tilelang.language as T


def layer_norm(M, N, block_M=4, dtype="float16", epsilon=1e-5):
    """Program for Y = (X - mean) / sqrt(variance + epsilon) * scale + shift, mean and variance of each row in float32.

    The variance is the mean of the squared differences, not a difference of two large sums."""

    @T.prim_func
    def main(
        X: T.Tensor((M, N), dtype),
        scale: T.Tensor((N,), dtype),
        shift: T.Tensor((N,), dtype),
        Y: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            x = T.alloc_fragment((block_M, N), "float32")
            squares = T.alloc_fragment((block_M, N), "float32")
            scale_local = T.alloc_fragment((N,), "float32")
            shift_local = T.alloc_fragment((N,), "float32")
            mean = T.alloc_fragment((block_M,), "float32")
            variance = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            T.copy(scale, scale_local)
            T.copy(shift, shift_local)
            T.reduce_sum(x, mean, dim=1)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = x[i, j] - mean[i] / N
            for i, j in T.Parallel(block_M, N):
                squares[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(squares, variance, dim=1)
            for i in T.Parallel(block_M):
                variance[i] = T.rsqrt(variance[i] / N + epsilon)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = x[i, j] * variance[i] * scale_local[j] + shift_local[j]
            T.copy(x, Y[bx * block_M, 0])

    return main


def layer_norm_in_numpy(x, scale, shift, epsilon=1e-5):
    x, scale, shift = (array.astype(np.float32) for array in (x, scale, shift))
    difference = x - x.mean(axis=1, keepdims=True)
    variance = (difference * difference).mean(axis=1, keepdims=True)
    return difference / np.sqrt(variance + epsilon) * scale + shift


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=128)
    parser.add_argument("--n", type=int, default=1024)
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    program = layer_norm(arguments.m, arguments.n, dtype=arguments.dtype)
    kernel = tilelang.compile(program, out_idx=[3], target=arguments.target)
    rng = np.random.default_rng(0)
    numpy_dtype = T.dtype(arguments.dtype).as_numpy()
    x = (2 * rng.standard_normal((arguments.m, arguments.n)) + 1).astype(numpy_dtype)
    scale = rng.uniform(0.5, 1.5, arguments.n).astype(numpy_dtype)
    shift = rng.standard_normal(arguments.n).astype(numpy_dtype)
    tolerance = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 1e-4}[arguments.dtype]
    reference = layer_norm_in_numpy(x, scale, shift)
    np.testing.assert_allclose(kernel(x, scale, shift).astype(np.float32), reference, rtol=tolerance, atol=tolerance)
    print(f"{arguments.m} x {arguments.n}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(x, scale, shift))


if __name__ == "__main__":
    main()
