"""Rotary position embedding: the two halves of a head are the coordinates of points that turn with the position.

Example: `python examples/rope.py --sequence 100 --heads 8 --dim 128`
"""

import argparse

import numpy as np

import tilelang
import tilelang.language as T


def rope(sequence, heads, dim, block=32, dtype="float16"):
    """Program for Y[s, h] = X[s, h] turned by the angles of position s, whose cosines and sines are tables of
    shape (sequence, dim / 2)."""
    half = dim // 2

    @T.prim_func
    def main(
        X: T.Tensor((sequence, heads, dim), dtype),
        cosine: T.Tensor((sequence, half), "float32"),
        sine: T.Tensor((sequence, half), "float32"),
        Y: T.Tensor((sequence, heads, dim), dtype),
    ):
        with T.Kernel(heads, T.ceildiv(sequence, block), threads=128) as (head, by):
            left = T.alloc_fragment((block, half), "float32")
            right = T.alloc_fragment((block, half), "float32")
            turned = T.alloc_fragment((block, half), "float32")
            cos = T.alloc_fragment((block, half), "float32")
            sin = T.alloc_fragment((block, half), "float32")
            rows = by * block
            T.copy(X[rows : rows + block, head, 0:half], left)
            T.copy(X[rows : rows + block, head, half:dim], right)
            T.copy(cosine[rows, 0], cos)
            T.copy(sine[rows, 0], sin)
            for i, j in T.Parallel(block, half):
                turned[i, j] = left[i, j] * cos[i, j] - right[i, j] * sin[i, j]
            T.copy(turned, Y[rows : rows + block, head, 0:half])
            for i, j in T.Parallel(block, half):
                right[i, j] = right[i, j] * cos[i, j] + left[i, j] * sin[i, j]
            T.copy(right, Y[rows : rows + block, head, half:dim])

    return main


def angle_tables(sequence, dim, base=10000.0):
    """Cosines and sines of position * base ** (-2 j / dim)."""
    angles = np.arange(sequence)[:, None] * base ** (-2 * np.arange(dim // 2) / dim)
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def rope_in_numpy(x, cosine, sine):
    left, right = np.split(x.astype(np.float32), 2, axis=-1)
    cosine, sine = cosine[:, None, :], sine[:, None, :]
    return np.concatenate([left * cosine - right * sine, right * cosine + left * sine], axis=-1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequence", type=int, default=128)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--dim", type=int, default=128, help="elements of a head, an even number")
    parser.add_argument("--dtype", choices=["float16", "bfloat16", "float32"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()
    if arguments.dim < 2 or arguments.dim % 2:
        parser.error("--dim: a head has an even number of elements")

    shape = (arguments.sequence, arguments.heads, arguments.dim)
    kernel = tilelang.compile(rope(*shape, dtype=arguments.dtype), out_idx=[3], target=arguments.target)
    x = np.random.default_rng(0).standard_normal(shape).astype(T.dtype(arguments.dtype).as_numpy())
    cosine, sine = angle_tables(arguments.sequence, arguments.dim)
    tolerance = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-5}[arguments.dtype]
    reference = rope_in_numpy(x, cosine, sine)
    np.testing.assert_allclose(kernel(x, cosine, sine).astype(np.float32), reference, rtol=tolerance, atol=1e-5)
    print(f"{' x '.join(map(str, shape))}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(x, cosine, sine))


if __name__ == "__main__":
    main()
