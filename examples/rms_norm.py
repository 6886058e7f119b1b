"""Root-mean-square normalisation, optionally of the sum with a residual that is stored too.

Example: `python examples/rms_norm.py --m 64 --n 1000 --residual`
"""

import argparse

import numpy as np

import tilelang
import tilelang.language as T


def rms_norm(M, N, block_M=4, dtype="float16", epsilon=1e-6):
    """Program for Y = X / sqrt(mean(X * X) + epsilon) * weight, computed in float32."""

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), weight: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            x = T.alloc_fragment((block_M, N), "float32")
            squares = T.alloc_fragment((block_M, N), "float32")
            weight_local = T.alloc_fragment((N,), "float32")
            factor = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            T.copy(weight, weight_local)
            for i, j in T.Parallel(block_M, N):
                squares[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(squares, factor, dim=1)
            for i in T.Parallel(block_M):
                factor[i] = T.rsqrt(factor[i] / N + epsilon)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = x[i, j] * factor[i] * weight_local[j]
            T.copy(x, Y[bx * block_M, 0])

    return main


def residual_rms_norm(M, N, block_M=4, dtype="float16", epsilon=1e-6):
    """Program for S = X + R and Y = S / sqrt(mean(S * S) + epsilon) * weight: what stands between two layers of a
    transformer. The norm is that of S as it is stored, rounded to `dtype`."""

    @T.prim_func
    def main(
        X: T.Tensor((M, N), dtype),
        R: T.Tensor((M, N), dtype),
        weight: T.Tensor((N,), dtype),
        S: T.Tensor((M, N), dtype),
        Y: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            x = T.alloc_fragment((block_M, N), dtype)
            residual = T.alloc_fragment((block_M, N), dtype)
            total = T.alloc_fragment((block_M, N), "float32")
            squares = T.alloc_fragment((block_M, N), "float32")
            weight_local = T.alloc_fragment((N,), "float32")
            factor = T.alloc_fragment((block_M,), "float32")
            T.copy(X[bx * block_M, 0], x)
            T.copy(R[bx * block_M, 0], residual)
            T.copy(weight, weight_local)
            for i, j in T.Parallel(block_M, N):
                x[i, j] = x[i, j] + residual[i, j]
            T.copy(x, S[bx * block_M, 0])
            T.copy(x, total)
            for i, j in T.Parallel(block_M, N):
                squares[i, j] = total[i, j] * total[i, j]
            T.reduce_sum(squares, factor, dim=1)
            for i in T.Parallel(block_M):
                factor[i] = T.rsqrt(factor[i] / N + epsilon)
            for i, j in T.Parallel(block_M, N):
                total[i, j] = total[i, j] * factor[i] * weight_local[j]
            T.copy(total, Y[bx * block_M, 0])

    return main


def rms_norm_in_numpy(x, weight, epsilon=1e-6):
    x, weight = x.astype(np.float32), weight.astype(np.float32)
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + epsilon) * weight


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=128)
    parser.add_argument("--n", type=int, default=1024)
    parser.add_argument("--residual", action="store_true", help="add a residual first and store the sum")
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    rng = np.random.default_rng(0)
    shape, numpy_dtype = (arguments.m, arguments.n), T.dtype(arguments.dtype).as_numpy()
    x = rng.standard_normal(shape).astype(numpy_dtype)
    residual = rng.standard_normal(shape).astype(numpy_dtype)
    weight = rng.uniform(0.5, 1.5, arguments.n).astype(numpy_dtype)
    tolerance = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 1e-4}[arguments.dtype]
    if arguments.residual:
        program = residual_rms_norm(*shape, dtype=arguments.dtype)
        kernel = tilelang.compile(program, out_idx=[3, 4], target=arguments.target)
        inputs = (x, residual, weight)
        total, y = kernel(*inputs)
        x = (x.astype(np.float32) + residual.astype(np.float32)).astype(numpy_dtype)
        np.testing.assert_array_equal(total, x)
    else:
        program = rms_norm(*shape, dtype=arguments.dtype)
        kernel = tilelang.compile(program, out_idx=[2], target=arguments.target)
        inputs = (x, weight)
        y = kernel(*inputs)
    reference = rms_norm_in_numpy(x, weight)
    np.testing.assert_allclose(y.astype(np.float32), reference, rtol=tolerance, atol=1e-4)
    print(f"{arguments.m} x {arguments.n}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(*inputs))


if __name__ == "__main__":
    main()
