"""Matrix multiplication whose inner dimension is split over the grid: blocks add their parts of the sum atomically.

A small result over a long inner dimension has too few tiles for all cores of the chip; the parts give each something
to do. The order of the additions differs from run to run on a chip, and with it the last bits of the result.

Example: `python examples/split_k_gemm.py --m 128 --n 128 --k 4096 --split 8 --profile`
"""

import argparse

import numpy as np

import tilelang
import tilelang.language as T


def split_k_matmul(M, N, K, split=4, block_M=128, block_N=128, block_K=64, dtype="float16"):
    """Program for C += A @ B in float32, the inner dimension in `split` parts of whole tiles."""
    tiles = -(-K // (block_K * split))  # of one part

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), split, threads=128) as (bx, by, part):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_K, block_N), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(tiles, num_stages=2):
                T.copy(A[by * block_M, (part * tiles + k) * block_K], A_shared)
                T.copy(B[(part * tiles + k) * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.atomic_add(C[by * block_M, bx * block_N], C_local)

    return main


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=128)
    parser.add_argument("--n", type=int, default=128)
    parser.add_argument("--k", type=int, default=1024)
    parser.add_argument("--split", type=int, default=4, help="parts of the inner dimension")
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    m, n, k = arguments.m, arguments.n, arguments.k
    program = split_k_matmul(m, n, k, arguments.split, dtype=arguments.dtype)
    kernel = tilelang.compile(program, target=arguments.target)
    rng = np.random.default_rng(0)
    numpy_dtype = T.dtype(arguments.dtype).as_numpy()
    a = rng.standard_normal((m, k)).astype(numpy_dtype)
    b = rng.standard_normal((k, n)).astype(numpy_dtype)
    c = np.zeros((m, n), np.float32)  # what the blocks add to
    kernel(a, b, c)
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-4, atol=1e-3)
    print(f"{m} x {n} x {k} in {arguments.split} parts: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(a, b, np.zeros((m, n), np.float32)))


if __name__ == "__main__":
    main()
