"""Hints: programs written for other targets carry them, and the program made is the same with and without."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tilelang
import tilelang.language as T


def gemm(hints: bool, policy: Any = None) -> Any:
    options: dict[str, Any] = {"policy": policy, "k_pack": 2} if hints else {}
    width: dict[str, Any] = {"coalesced_width": 8} if hints else {}

    @T.prim_func
    def main(A: T.Tensor((128, 64), "float16"), B: T.Tensor((64, 128), "float16"), C: T.Tensor((128, 128), "float32")):
        with T.Kernel(2, 2, threads=256 if hints else None) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            acc = T.alloc_fragment((64, 64), "float32")
            if hints:
                T.use_swizzle(panel_size=4, order="column", enable=True)
                T.annotate_layout({a: T.make_swizzled_layout(a), b: T.Layout(b.shape, lambda i, j: (j, i))})
                T.disable_warp_group_reg_alloc()
            T.clear(acc)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[by * 64, k * 32], a, **width)
                T.copy(B[k * 32, bx * 64], b, **width)
                T.gemm(a, b, acc, **options)
            for i, j in T.Parallel(64, 64, **width):
                acc[i, j] = acc[i, j] + 1
            T.copy(acc, C[by * 64, bx * 64])

    return main


def code(program: Any) -> list[str]:
    """The emitted source without comments, which name lines of the program."""
    source = tilelang.lower(program, target="ascend").kernel_source
    return [re.sub(r"\s*//.*", "", line) for line in source.splitlines()]


@pytest.mark.parametrize("policy", [T.GemmWarpPolicy.Square, T.GemmWarpPolicy.FullRow, T.GemmWarpPolicy.FullCol])
def test_source_is_the_same(policy: Any) -> None:
    assert code(gemm(True, policy)) == code(gemm(False))


def test_values(rng: np.random.Generator) -> None:
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((128, 64), (64, 128)))
    c = np.zeros((128, 128), np.float32)
    tilelang.compile(gemm(True, T.GemmWarpPolicy.FullRow), target="ascend")(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32) + 1)


def test_stages_do_not_change_values(rng: np.random.Generator) -> None:
    results = []
    x = rng.standard_normal((8, 512)).astype(np.float32)
    for stages in (0, 1, 3):

        @T.prim_func
        def sums(X: T.Tensor((8, 512), "float32"), Y: T.Tensor((8, 64), "float32")):
            with T.Kernel(1):
                tile = T.alloc_shared((8, 64), "float32")
                acc = T.alloc_fragment((8, 64), "float32")
                T.clear(acc)
                for k in T.Pipelined(8, num_stages=stages):
                    T.copy(X[0, k * 64], tile)
                    for i, j in T.Parallel(8, 64):
                        acc[i, j] = acc[i, j] + tile[i, j]
                T.copy(acc, Y)

        y = np.zeros((8, 64), np.float32)
        tilelang.compile(sums, target="ascend")(x, y)
        results.append(y.tobytes())
    assert results[0] == results[1] == results[2]
