"""Matrix multiplication whose result goes through vector code before it is stored: one mixed kernel.

Example: `python examples/gemm_bias_relu.py --m 200 --n 136 --k 72`
"""

import argparse

import numpy as np

import tilelang
import tilelang.language as T


def matmul_bias_relu(M, N, K, block_M=128, block_N=128, block_K=64):
    """Program for C = relu(A @ B + bias), bias of length N, stored as float16."""

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        bias: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), "float16")
            B_shared = T.alloc_shared((block_K, block_N), "float16")
            bias_local = T.alloc_fragment((block_N,), "float32")
            acc = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, acc)
            T.copy(bias[bx * block_N], bias_local)
            for i, j in T.Parallel(block_M, block_N):
                acc[i, j] = T.max(acc[i, j] + bias_local[j], 0)
            T.copy(acc, C[by * block_M, bx * block_N])

    return main


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=256)
    parser.add_argument("--n", type=int, default=256)
    parser.add_argument("--k", type=int, default=256)
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    program = matmul_bias_relu(arguments.m, arguments.n, arguments.k)
    kernel = tilelang.compile(program, out_idx=[3], target=arguments.target)
    rng = np.random.default_rng(0)
    a = rng.standard_normal((arguments.m, arguments.k)).astype(np.float16)
    b = rng.standard_normal((arguments.k, arguments.n)).astype(np.float16)
    bias = rng.standard_normal(arguments.n).astype(np.float32)
    reference = np.maximum(a.astype(np.float32) @ b.astype(np.float32) + bias, 0)
    np.testing.assert_allclose(kernel(a, b, bias).astype(np.float32), reference, rtol=1e-2, atol=2e-2)
    print(f"{arguments.m} x {arguments.n} x {arguments.k}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(a, b, bias))


if __name__ == "__main__":
    main()
