"""Random matrix products against NumPy: shapes that divide nothing, every transposition and type."""

from __future__ import annotations

import dataclasses
import os

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import tilelang
import tilelang.language as T

EXAMPLES = int(os.environ.get("TILELANG_GEMM_EXAMPLES", "300"))
NUMPY_TYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}


@dataclasses.dataclass(frozen=True)
class Gemm:
    """One random program."""

    m: int
    n: int
    k: int
    block_m: int
    block_n: int
    block_k: int
    stages: int
    dtype: str
    out_dtype: str
    transpose_a: bool
    transpose_b: bool

    @property
    def steps(self) -> int:
        return -(-self.k // self.block_k)

    @property
    def blocks(self) -> int:
        return -(-self.m // self.block_m) * -(-self.n // self.block_n)


@st.composite
def gemms(draw: st.DrawFn) -> Gemm:
    block_m = draw(st.sampled_from([16, 32, 48, 64, 128]))
    block_n = draw(st.sampled_from([16, 32, 64, 80, 128]))
    block_k = draw(st.sampled_from([16, 32, 64, 96]))
    stages = draw(st.integers(0, 3))
    # At least half of the programs wrap around every buffer and every core.
    if draw(st.integers(0, 3)) > 0:
        k = draw(st.integers(2 * max(stages, 1) * block_k + 1, (2 * max(stages, 1) + 3) * block_k))
        blocks_m = draw(st.integers(5, 7))
        m = draw(st.integers((blocks_m - 1) * block_m + 1, blocks_m * block_m))
        n = draw(st.integers(5 * block_n + 1, 6 * block_n))
    else:
        m = draw(st.sampled_from([1, 2, 15, 16, 17, 31, 33, 100, 131]))
        n = draw(st.sampled_from([1, 2, 15, 16, 17, 31, 33, 100, 257]))
        k = draw(st.sampled_from([1, 2, 15, 16, 17, 31, 33, 65, 100]))
    return Gemm(
        m,
        n,
        k,
        block_m,
        block_n,
        block_k,
        stages,
        draw(st.sampled_from(["float16", "float16", "bfloat16", "float32"])),
        draw(st.sampled_from(["float32", "float16", "bfloat16"])),
        draw(st.booleans()),
        draw(st.booleans()),
    )


def program(g: Gemm):
    a_shape = (g.k, g.m) if g.transpose_a else (g.m, g.k)
    b_shape = (g.n, g.k) if g.transpose_b else (g.k, g.n)
    a_tile = (g.block_k, g.block_m) if g.transpose_a else (g.block_m, g.block_k)
    b_tile = (g.block_n, g.block_k) if g.transpose_b else (g.block_k, g.block_n)

    @T.prim_func
    def main(A: T.Tensor(a_shape, g.dtype), B: T.Tensor(b_shape, g.dtype), C: T.Tensor((g.m, g.n), g.out_dtype)):
        with T.Kernel(T.ceildiv(g.n, g.block_n), T.ceildiv(g.m, g.block_m), threads=128) as (bx, by):
            A_shared = T.alloc_shared(a_tile, g.dtype)
            B_shared = T.alloc_shared(b_tile, g.dtype)
            acc = T.alloc_fragment((g.block_m, g.block_n), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(g.k, g.block_k), num_stages=g.stages):
                if g.transpose_a:
                    T.copy(A[k * g.block_k, by * g.block_m], A_shared)
                else:
                    T.copy(A[by * g.block_m, k * g.block_k], A_shared)
                if g.transpose_b:
                    T.copy(B[bx * g.block_n, k * g.block_k], B_shared)
                else:
                    T.copy(B[k * g.block_k, bx * g.block_n], B_shared)
                T.gemm(A_shared, B_shared, acc, transpose_A=g.transpose_a, transpose_B=g.transpose_b)
            T.copy(acc, C[by * g.block_m, bx * g.block_n])

    return main


def check(g: Gemm) -> None:
    kernel = tilelang.compile(program(g), out_idx=[2], target="ascend")
    rng = np.random.default_rng(g.m * 7 + g.n * 3 + g.k)
    kind = NUMPY_TYPES[g.dtype]
    a = rng.standard_normal((g.k, g.m) if g.transpose_a else (g.m, g.k)).astype(kind)
    b = rng.standard_normal((g.n, g.k) if g.transpose_b else (g.k, g.n)).astype(kind)
    c = kernel(a, b)
    left = (a.T if g.transpose_a else a).astype(np.float64)
    right = (b.T if g.transpose_b else b).astype(np.float64)
    reference = left @ right
    # Products are exact, sums are rounded to float32; the result once more.
    unit = {"float32": 2**-23, "float16": 2**-11, "bfloat16": 2**-8}[g.out_dtype]
    bound = g.k * 2**-22 * (np.abs(left) @ np.abs(right)) + unit * np.abs(reference) + 1e-6
    assert c.dtype == NUMPY_TYPES[g.out_dtype]
    assert np.all(np.abs(c.astype(np.float64) - reference) <= bound)


def test_random_gemms() -> None:
    """At least half of the programs use more k steps than buffers and more blocks than cores."""
    wraps: list[bool] = []

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(gemms())
    def run(g: Gemm) -> None:
        note(str(g))
        wraps.append(g.steps > 2 * max(g.stages, 1) and g.blocks > 24)
        check(g)

    run()
    print(f"{sum(wraps)} of {len(wraps)} programs wrap around every buffer and core")
    assert 2 * sum(wraps) >= len(wraps)


def counted(trips_max: int):
    """C = sum of the first `trips` products; `trips` is known at run time only."""

    @T.prim_func
    def main(
        A: T.Tensor((48, 32 * trips_max), "float16"),
        B: T.Tensor((32 * trips_max, 48), "float16"),
        C: T.Tensor((48, 48), "float32"),
        trips: T.int32,
    ):
        with T.Kernel(1, 1, threads=128) as (bx, by):
            A_shared = T.alloc_shared((48, 32), "float16")
            B_shared = T.alloc_shared((32, 48), "float16")
            acc = T.alloc_fragment((48, 48), "float32")
            T.clear(acc)
            for k in T.Pipelined(trips, num_stages=2):
                T.copy(A[by * 48, k * 32], A_shared)
                T.copy(B[k * 32, bx * 48], B_shared)
                T.gemm(A_shared, B_shared, acc)
            T.copy(acc, C[by * 48, bx * 48])

    return main


@pytest.mark.parametrize("trips", [0, 1, 2, 3, 5])
def test_run_time_trip_count(trips: int) -> None:
    kernel = tilelang.compile(counted(5), target="ascend")
    rng = np.random.default_rng(3)
    a = rng.standard_normal((48, 160)).astype(np.float16)
    b = rng.standard_normal((160, 48)).astype(np.float16)
    c = np.full((48, 48), np.nan, np.float32)
    kernel(a, b, c, trips)
    reference = a[:, : 32 * trips].astype(np.float32) @ b[: 32 * trips].astype(np.float32)
    np.testing.assert_allclose(c, reference, rtol=1e-3, atol=1e-3)
