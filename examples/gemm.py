"""Matrix multiplication: the first kernel of every tile language.

Example: `python examples/gemm.py --m 1024 --n 1024 --k 1024 --profile`
"""

import argparse

import numpy as np

import tilelang
import tilelang.language as T


def matmul(M, N, K, block_M=128, block_N=256, block_K=64, num_stages=2, dtype="float16", out_dtype="float32"):
    """Program for C[M, N] = A[M, K] @ B[K, N], accumulated in float32."""

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), out_dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=256)
    parser.add_argument("--n", type=int, default=256)
    parser.add_argument("--k", type=int, default=256)
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    kernel = tilelang.compile(matmul(arguments.m, arguments.n, arguments.k), out_idx=[2], target=arguments.target)
    rng = np.random.default_rng(0)
    a = rng.standard_normal((arguments.m, arguments.k)).astype(np.float16)
    b = rng.standard_normal((arguments.k, arguments.n)).astype(np.float16)
    c = kernel(a, b)
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-2, atol=1e-2)
    print(f"{arguments.m} x {arguments.n} x {arguments.k}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(a, b))


if __name__ == "__main__":
    main()
