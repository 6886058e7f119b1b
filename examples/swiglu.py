"""SwiGLU: one half of a row, through silu, gates the other half.

Example: `python examples/swiglu.py --m 64 --n 1000 --profile`
"""

import argparse

import numpy as np

import tilelang
import tilelang.language as T


def swiglu(M, N, block_M=8, block_N=512, dtype="float16"):
    """Program for Y = silu(X[:, :N]) * X[:, N:], computed in float32; silu(x) = x / (1 + exp(-x))."""

    @T.prim_func
    def main(X: T.Tensor((M, 2 * N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            gate = T.alloc_fragment((block_M, block_N), "float32")
            value = T.alloc_fragment((block_M, block_N), "float32")
            T.copy(X[by * block_M, bx * block_N], gate)
            T.copy(X[by * block_M, N + bx * block_N], value)
            for i, j in T.Parallel(block_M, block_N):
                value[i, j] = gate[i, j] / (1 + T.exp(-gate[i, j])) * value[i, j]
            T.copy(value, Y[by * block_M, bx * block_N])

    return main


def swiglu_in_numpy(x):
    gate, value = np.split(x.astype(np.float32), 2, axis=1)
    return gate / (1 + np.exp(-gate)) * value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--m", type=int, default=128)
    parser.add_argument("--n", type=int, default=1024, help="columns of the result, half those of the input")
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    program = swiglu(arguments.m, arguments.n, dtype=arguments.dtype)
    kernel = tilelang.compile(program, out_idx=[1], target=arguments.target)
    x = np.random.default_rng(0).standard_normal((arguments.m, 2 * arguments.n))
    x = x.astype(T.dtype(arguments.dtype).as_numpy())
    tolerance = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 1e-4}[arguments.dtype]
    np.testing.assert_allclose(kernel(x).astype(np.float32), swiglu_in_numpy(x), rtol=tolerance, atol=1e-5)
    print(f"{arguments.m} x {arguments.n}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(x))


if __name__ == "__main__":
    main()
