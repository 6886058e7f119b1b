"""Many independent matrix multiplications in one launch: a grid of three dimensions over tensors of three.

Example: `python examples/batched_gemm.py --batch 6 --m 100 --n 70 --k 130`
"""

import argparse

import numpy as np

import tilelang
import tilelang.language as T


def batched_matmul(batch, M, N, K, block_M=64, block_N=128, block_K=64, dtype="float16", out_dtype="float32"):
    """Program for C[b] = A[b] @ B[b] for each b, accumulated in float32."""

    @T.prim_func
    def main(
        A: T.Tensor((batch, M, K), dtype),
        B: T.Tensor((batch, K, N), dtype),
        C: T.Tensor((batch, M, N), out_dtype),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), batch, threads=128) as (bx, by, item):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[item, by * block_M, k * block_K], A_shared)
                T.copy(B[item, k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[item, by * block_M, bx * block_N])

    return main


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--m", type=int, default=128)
    parser.add_argument("--n", type=int, default=128)
    parser.add_argument("--k", type=int, default=128)
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    batch, m, n, k = arguments.batch, arguments.m, arguments.n, arguments.k
    program = batched_matmul(batch, m, n, k, dtype=arguments.dtype)
    kernel = tilelang.compile(program, out_idx=[2], target=arguments.target)
    rng = np.random.default_rng(0)
    numpy_dtype = T.dtype(arguments.dtype).as_numpy()
    a = rng.standard_normal((batch, m, k)).astype(numpy_dtype)
    b = rng.standard_normal((batch, k, n)).astype(numpy_dtype)
    reference = np.matmul(a.astype(np.float32), b.astype(np.float32))
    np.testing.assert_allclose(kernel(a, b), reference, rtol=1e-4, atol=1e-3)
    print(f"{batch} times {m} x {n} x {k}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(a, b))


if __name__ == "__main__":
    main()
