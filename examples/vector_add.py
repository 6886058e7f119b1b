"""Elementwise addition of two vectors of any length.

Example: `python examples/vector_add.py --n 1000`
"""

import argparse

import numpy as np

import tilelang
import tilelang.language as T


def vector_add(N, block=2048, dtype="float16"):
    """Program for C = A + B over N elements."""

    @T.prim_func
    def main(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            for i in T.Parallel(block):
                if bx * block + i < N:
                    C[bx * block + i] = A[bx * block + i] + B[bx * block + i]

    return main


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    kernel = tilelang.compile(vector_add(arguments.n), out_idx=[2], target=arguments.target)
    rng = np.random.default_rng(0)
    a = rng.standard_normal(arguments.n).astype(np.float16)
    b = rng.standard_normal(arguments.n).astype(np.float16)
    np.testing.assert_array_equal(kernel(a, b), a + b)
    print(f"{arguments.n} elements: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(a, b))


if __name__ == "__main__":
    main()
