"""Row operators against a plain copy of the same bytes: how near they come to the modelled streaming bandwidth.

Example: `python benchmarks/row_operators.py --tiles 1 2 4`

A row operator reads a matrix and writes one of the same shape. The yardstick is a kernel that only moves the matrix
from global memory to the chip and back, on the same modelled chip, with its best tile. Programs are those of
`examples/`, as a user writes them; each is timed with several numbers of rows per block, and the best counts.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "examples"))

import tilelang
import tilelang.language as T

#: A program from the rows of a block.
Factory = Callable[[int], Any]


def copy(M: int, N: int, block_M: int, dtype: str) -> Any:
    """Program that moves a matrix through the chip."""

    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), threads=128) as bx:
            rows = T.alloc_shared((block_M, N), dtype)
            T.copy(A[bx * block_M, 0], rows)
            T.copy(rows, B[bx * block_M, 0])

    return main


class Timing(NamedTuple):
    """The best of several tiles."""

    rows: int
    microseconds: float
    vector_busy: float


def best_tile(factory: Factory, tiles: Sequence[int], arguments: Sequence[np.ndarray], chip: str) -> Timing:
    """Modelled time with the best number of rows per block; tiles that do not fit are left out."""
    best = None
    for rows in tiles:
        try:
            kernel = tilelang.compile(factory(rows), target=chip)
        except tilelang.errors.KernelError:
            continue
        profile = kernel.profile(*arguments, checks="off", timeline=False)
        timing = Timing(rows, profile.microseconds, profile.utilisation["AIV"]["V"])
        if best is None or timing.microseconds < best.microseconds:
            best = timing
    if best is None:
        raise SystemExit(
            f"none of the tiles {', '.join(map(str, tiles))} fits the chip; give smaller ones with --tiles"
        )
    return best


def compare(
    name: str, operator: Factory, shape: tuple[int, int], dtype: str, weights: int, tiles: Sequence[int], chip: str
) -> None:
    """Prints the copy of a matrix and the operator on it; `weights` vectors are inputs besides."""
    matrix = np.random.default_rng(0).standard_normal(shape, np.float32).astype(T.dtype(dtype).as_numpy())
    result = np.empty_like(matrix)
    vectors = [np.ones(shape[1], matrix.dtype)] * weights
    yardstick = best_tile(lambda rows: copy(*shape, rows, dtype), tiles, [matrix, result], chip)
    timing = best_tile(operator, tiles, [matrix, *vectors, result], chip)
    for label, entry, goal in (("copy", yardstick, ""), (name, timing, "  goal: at least 80 %")):
        what = f"{label} {shape[0]} x {shape[1]} {dtype}"
        rate = 2 * matrix.nbytes / entry.microseconds / 1e3
        share = yardstick.microseconds / entry.microseconds
        print(
            f"{what:<32} {entry.rows:>4} {entry.microseconds:>8.1f} us {rate:>6.0f} GB/s {share:>11.1%} "
            f"{entry.vector_busy:>7.1%}{goal}",
            flush=True,
        )


TILES = (1, 2, 4, 8, 16, 32, 64)


def report(tiles: Sequence[int] = TILES, chip: str = "ascend910b2") -> None:
    """Prints one line for each operator and its copy."""
    from rms_norm import rms_norm
    from softmax import softmax

    print(f"row operators on the modelled {chip}, best of {', '.join(map(str, tiles))} rows per block")
    print(f"{'':<32} {'rows':>4} {'modelled':>11} {'bandwidth':>11} {'of the copy':>11} {'V busy':>7}")
    compare("RMSNorm", lambda rows: rms_norm(12288, 4096, rows, "bfloat16"), (12288, 4096), "bfloat16", 1, tiles, chip)
    compare("softmax", lambda rows: softmax(8192, 8192, rows, "float16"), (8192, 8192), "float16", 0, tiles, chip)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiles", type=int, nargs="+", default=TILES, help="rows per block to try")
    parser.add_argument("--chip", default="ascend910b2", help="target to compile for")
    arguments = parser.parse_args()
    report(arguments.tiles, arguments.chip)


if __name__ == "__main__":
    main()
