"""Random products whose result goes through vector code before it is stored, against NumPy."""

from __future__ import annotations

import dataclasses
import os

import numpy as np
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import tilelang
import tilelang.language as T

EXAMPLES = int(os.environ.get("TILELANG_MIXED_EXAMPLES", "60"))
EPILOGUES = ["bias", "scale", "row scale", "residual", "relu", "tanh", "sigmoid", "bias relu residual"]


@dataclasses.dataclass(frozen=True)
class Mixed:
    """One random program."""

    m: int
    n: int
    k: int
    block_m: int
    block_n: int
    block_k: int
    stages: int
    epilogue: str
    out_dtype: str
    accumulator: str
    separate_tile: bool  # the epilogue writes a tile of its own instead of the accumulator


@st.composite
def programs(draw: st.DrawFn) -> Mixed:
    block_m = draw(st.sampled_from([1, 16, 32, 48, 64, 128]))
    block_n = draw(st.sampled_from([16, 32, 64, 100, 128]))
    block_k = draw(st.sampled_from([16, 32, 64]))
    stages = draw(st.integers(0, 3))
    if draw(st.booleans()):  # every ring wraps around: more blocks than cores times slots
        m = draw(st.integers(8 * block_m + 1, 9 * block_m))
        n = draw(st.integers(8 * block_n + 1, 9 * block_n))
        k = draw(st.integers(2 * max(stages, 1) * block_k + 1, (2 * max(stages, 1) + 2) * block_k))
    else:
        m = draw(st.sampled_from([1, 2, 17, 33, 100]))
        n = draw(st.sampled_from([1, 2, 15, 33, 100, 257]))
        k = draw(st.sampled_from([1, 15, 33, 65]))
    return Mixed(
        m,
        n,
        k,
        block_m,
        block_n,
        block_k,
        stages,
        draw(st.sampled_from(EPILOGUES)),
        draw(st.sampled_from(["float32", "float16"])),
        draw(st.sampled_from(["float32", "float32", "float16"])),
        draw(st.booleans()),
    )


def build(g: Mixed):
    @T.macro
    def epilogue(acc, out, bias, rows, residual):
        if g.epilogue == "bias":
            for i, j in T.Parallel(g.block_m, g.block_n):
                out[i, j] = acc[i, j] + bias[j]
        elif g.epilogue == "scale":
            for i, j in T.Parallel(g.block_m, g.block_n):
                out[i, j] = acc[i, j] * 0.125
        elif g.epilogue == "row scale":
            for i, j in T.Parallel(g.block_m, g.block_n):
                out[i, j] = acc[i, j] * rows[i]
        elif g.epilogue == "residual":
            for i, j in T.Parallel(g.block_m, g.block_n):
                out[i, j] = acc[i, j] + residual[i, j]
        elif g.epilogue == "relu":
            for i, j in T.Parallel(g.block_m, g.block_n):
                out[i, j] = T.max(acc[i, j], 0)
        elif g.epilogue == "tanh":
            for i, j in T.Parallel(g.block_m, g.block_n):
                out[i, j] = T.tanh(acc[i, j])
        elif g.epilogue == "sigmoid":
            for i, j in T.Parallel(g.block_m, g.block_n):
                out[i, j] = acc[i, j] * T.sigmoid(acc[i, j])
        else:
            for i, j in T.Parallel(g.block_m, g.block_n):
                out[i, j] = T.max(acc[i, j] + bias[j], 0) + residual[i, j]

    @T.prim_func
    def main(
        A: T.Tensor((g.m, g.k), "float16"),
        B: T.Tensor((g.k, g.n), "float16"),
        bias: T.Tensor((g.n,), "float32"),
        row_scale: T.Tensor((g.m,), "float32"),
        residual: T.Tensor((g.m, g.n), "float32"),
        C: T.Tensor((g.m, g.n), g.out_dtype),
    ):
        with T.Kernel(T.ceildiv(g.n, g.block_n), T.ceildiv(g.m, g.block_m), threads=128) as (bx, by):
            A_shared = T.alloc_shared((g.block_m, g.block_k), "float16")
            B_shared = T.alloc_shared((g.block_k, g.block_n), "float16")
            acc = T.alloc_fragment((g.block_m, g.block_n), g.accumulator)
            bias_local = T.alloc_fragment((g.block_n,), "float32")
            rows_local = T.alloc_fragment((g.block_m,), "float32")
            residual_local = T.alloc_fragment((g.block_m, g.block_n), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(g.k, g.block_k), num_stages=g.stages):
                T.copy(A[by * g.block_m, k * g.block_k], A_shared)
                T.copy(B[k * g.block_k, bx * g.block_n], B_shared)
                T.gemm(A_shared, B_shared, acc)
            T.copy(bias[bx * g.block_n], bias_local)
            T.copy(row_scale[by * g.block_m], rows_local)
            T.copy(residual[by * g.block_m, bx * g.block_n], residual_local)
            if g.separate_tile:
                out = T.alloc_fragment((g.block_m, g.block_n), "float32")
                epilogue(acc, out, bias_local, rows_local, residual_local)
                T.copy(out, C[by * g.block_m, bx * g.block_n])
            else:
                epilogue(acc, acc, bias_local, rows_local, residual_local)
                T.copy(acc, C[by * g.block_m, bx * g.block_n])

    return main


def expected(g: Mixed, product: np.ndarray, bias: np.ndarray, rows: np.ndarray, residual: np.ndarray) -> np.ndarray:
    if g.accumulator == "float16":
        product = product.astype(np.float16).astype(np.float64)
    result = {
        "bias": lambda: product + bias,
        "scale": lambda: product * 0.125,
        "row scale": lambda: product * rows[:, None],
        "residual": lambda: product + residual,
        "relu": lambda: np.maximum(product, 0),
        "tanh": lambda: np.tanh(product),
        "sigmoid": lambda: product / (1 + np.exp(-product)),
        "bias relu residual": lambda: np.maximum(product + bias, 0) + residual,
    }[g.epilogue]()
    return result


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs())
def test_random_epilogue(g: Mixed) -> None:
    note(str(g))
    kernel = tilelang.compile(build(g), out_idx=[5], target="ascend")
    rng = np.random.default_rng(g.m * 5 + g.n)
    a = (rng.standard_normal((g.m, g.k)) / np.sqrt(g.k)).astype(np.float16)
    b = rng.standard_normal((g.k, g.n)).astype(np.float16)
    bias = rng.standard_normal(g.n).astype(np.float32)
    rows = rng.standard_normal(g.m).astype(np.float32)
    residual = rng.standard_normal((g.m, g.n)).astype(np.float32)
    c = kernel(a, b, bias, rows, residual)
    reference = expected(g, a.astype(np.float64) @ b.astype(np.float64), bias, rows, residual)
    half = "float16" in (g.out_dtype, g.accumulator)
    # A sum next to the middle between two half values may be rounded either way: two units.
    tolerance = 2 * 2**-11 if half else 1e-5
    np.testing.assert_allclose(c.astype(np.float64), reference, rtol=tolerance, atol=tolerance * 4)
