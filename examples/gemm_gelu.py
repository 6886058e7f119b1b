"""Matrix multiplication with bias and GELU, and optionally a residual added to the result.

Example: `python examples/gemm_gelu.py --m 200 --n 136 --k 72 --residual`
"""

import argparse
import math

import numpy as np

import tilelang
import tilelang.language as T


def matmul_gelu(M, N, K, block_M=128, block_N=128, block_K=64, dtype="float16", residual=False):
    """Program for C = gelu(A @ B + bias), plus R where `residual` is set; gelu in its tanh form, in float32."""

    @T.macro
    def bias_gelu(acc, bias_local):
        for i, j in T.Parallel(block_M, block_N):
            x = acc[i, j] + bias_local[j]
            acc[i, j] = 0.5 * x * (1 + T.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))

    @T.macro
    def product(A, B, acc, bx, by):
        A_shared = T.alloc_shared((block_M, block_K), dtype)
        B_shared = T.alloc_shared((block_K, block_N), dtype)
        T.clear(acc)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
            T.copy(A[by * block_M, k * block_K], A_shared)
            T.copy(B[k * block_K, bx * block_N], B_shared)
            T.gemm(A_shared, B_shared, acc)

    @T.prim_func
    def plain(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        bias: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            bias_local = T.alloc_fragment((block_N,), "float32")
            acc = T.alloc_fragment((block_M, block_N), "float32")
            product(A, B, acc, bx, by)
            T.copy(bias[bx * block_N], bias_local)
            bias_gelu(acc, bias_local)
            T.copy(acc, C[by * block_M, bx * block_N])

    @T.prim_func
    def with_residual(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        bias: T.Tensor((N,), "float32"),
        R: T.Tensor((M, N), dtype),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            bias_local = T.alloc_fragment((block_N,), "float32")
            acc = T.alloc_fragment((block_M, block_N), "float32")
            residual_local = T.alloc_fragment((block_M, block_N), dtype)
            product(A, B, acc, bx, by)
            T.copy(bias[bx * block_N], bias_local)
            T.copy(R[by * block_M, bx * block_N], residual_local)
            bias_gelu(acc, bias_local)
            for i, j in T.Parallel(block_M, block_N):
                acc[i, j] = acc[i, j] + residual_local[i, j]
            T.copy(acc, C[by * block_M, bx * block_N])

    return with_residual if residual else plain


def gelu_in_numpy(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=256)
    parser.add_argument("--n", type=int, default=256)
    parser.add_argument("--k", type=int, default=256)
    parser.add_argument("--residual", action="store_true", help="add a matrix to the result")
    parser.add_argument("--dtype", choices=["float16", "bfloat16"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    m, n, k = arguments.m, arguments.n, arguments.k
    program = matmul_gelu(m, n, k, dtype=arguments.dtype, residual=arguments.residual)
    kernel = tilelang.compile(program, out_idx=[-1], target=arguments.target)
    rng = np.random.default_rng(0)
    numpy_dtype = T.dtype(arguments.dtype).as_numpy()
    a = rng.standard_normal((m, k)).astype(numpy_dtype)
    b = (rng.standard_normal((k, n)) / math.sqrt(k)).astype(numpy_dtype)
    bias = rng.standard_normal(n).astype(np.float32)
    inputs = [a, b, bias]
    reference = gelu_in_numpy(a.astype(np.float32) @ b.astype(np.float32) + bias)
    if arguments.residual:
        inputs.append(rng.standard_normal((m, n)).astype(numpy_dtype))
        reference += inputs[-1].astype(np.float32)
    tolerance = {"float16": 2e-3, "bfloat16": 1e-2}[arguments.dtype]
    np.testing.assert_allclose(kernel(*inputs).astype(np.float32), reference, rtol=tolerance, atol=tolerance)
    print(f"{m} x {n} x {k}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(*inputs))


if __name__ == "__main__":
    main()
