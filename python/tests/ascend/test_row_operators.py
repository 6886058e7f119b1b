"""Reductions and what is made of them, on the simulated chip with all checks on."""

# ruff: noqa: E741

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilelang
import tilelang.language as T


def reduction(
    shape: tuple[int, ...], dim: int, kind: str, dtype: str, result: str, clear: bool, keep: bool
) -> tuple[Any, tuple[int, ...]]:
    """Y = reduce(X), or combined with Z where it does not clear."""
    extents = list(shape)
    if keep or len(shape) == 1:
        extents[dim] = 1
    else:
        del extents[dim]
    results = tuple(extents)
    options = {} if kind == "abssum" else {"clear": clear}

    @T.prim_func
    def main(X: T.Tensor(shape, dtype), Z: T.Tensor(results, result), Y: T.Tensor(results, result)):
        with T.Kernel(1):
            x = T.alloc_fragment(shape, dtype)
            y = T.alloc_fragment(results, result)
            T.copy(X, x)
            T.copy(Z, y)
            getattr(T, "reduce_" + kind)(x, y, dim=dim, **options)
            T.copy(y, Y)

    return main, results


def expected(x: np.ndarray, z: np.ndarray, dim: int, kind: str, clear: bool) -> np.ndarray:
    combine = {"sum": np.add, "max": np.maximum, "min": np.minimum, "abssum": np.add, "absmax": np.maximum}[kind]
    wide = x.astype(np.int64 if x.dtype.kind in "iu" else np.float64)
    old = z.astype(wide.dtype)
    if kind.startswith("abs"):
        wide, old = np.abs(wide), np.abs(old)
    result = combine.reduce(wide, axis=dim).reshape(z.shape)
    return result if clear else combine(old, result)


SHAPES = [
    ((16, 300), 1),
    ((16, 300), 0),
    ((5, 64), 1),
    ((4, 63), 1),
    ((1, 4096), 1),
    ((300, 8), 1),
    ((13, 5), 1),
    ((70, 20), 1),
    ((300,), 0),
    ((5, 3), 0),
    ((7, 3, 9), 1),
    ((4, 6, 50), 2),
    ((4, 6, 50), 0),
    ((2, 3, 4, 40), 1),
    ((3, 1, 77), 1),
    ((8, 3000), 1),
    ((66, 256), 1),
    ((300, 130), 1),
    ((2, 1000), 1),
    ((1, 8192), 1),
]
KINDS = [
    ("sum", "float32", "float32", True),
    ("max", "float32", "float32", False),
    ("min", "float16", "float16", True),
    ("absmax", "float16", "float32", False),
    ("abssum", "float32", "float32", True),
    ("sum", "int32", "int32", False),
    ("max", "int32", "int32", True),
    ("min", "int8", "int32", True),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind[0]}-{kind[1]}-{'clear' if kind[3] else 'keep'}")
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape[0])) + f"-{shape[1]}")
def test_reductions(shape, kind):
    (extents, dim), (name, dtype, result, clear) = shape, kind
    keep = (sum(extents) + len(name)) % 2 == 1
    program, results = reduction(extents, dim, name, dtype, result, clear, keep)
    rng = np.random.default_rng(abs(hash(str((shape, kind)))) % 1000)
    if "int" in dtype:
        bounds = np.iinfo(dtype)
        x = rng.integers(bounds.min, bounds.max, extents, endpoint=True).astype(dtype)
        z = rng.integers(-1000, 1000, results).astype(result)
    else:
        x, z = rng.standard_normal(extents).astype(dtype), rng.standard_normal(results).astype(result)
    y = np.zeros(results, result)
    tilelang.compile(program, target="ascend")(x, z, y)
    reference = expected(x, z, dim, name, clear)
    if "int" in dtype or name in ("max", "min", "absmax"):
        np.testing.assert_array_equal(y, reference.astype(result))
    else:
        np.testing.assert_allclose(y, reference, rtol=1e-5, atol=1e-4)


def test_bfloat16_rounds_once():
    import ml_dtypes

    program, results = reduction((9, 70), 1, "sum", "bfloat16", "bfloat16", True, False)
    x = np.random.default_rng(3).standard_normal((9, 70)).astype(ml_dtypes.bfloat16)
    y = np.zeros(results, ml_dtypes.bfloat16)
    tilelang.compile(program, target="ascend")(x, y.copy(), y)
    exact = x.astype(np.float64).sum(1)
    # One rounding: half a unit in the last place of 8 bits, and fp32 sums before it.
    np.testing.assert_allclose(y.astype(np.float64), exact, rtol=2.0**-8, atol=1e-4)


def test_part_of_a_tile():
    @T.prim_func
    def main(X: T.Tensor((16, 64), "float32"), Y: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            x = T.alloc_fragment((16, 64), "float32")
            y = T.alloc_fragment((16,), "float32")
            T.copy(X, x)
            T.fill(y, 7.0)
            T.reduce_sum(x[4:10, 8:48], y[8:14], dim=1)
            T.copy(y, Y)

    x = np.random.default_rng(5).standard_normal((16, 64)).astype(np.float32)
    y = np.zeros(16, np.float32)
    tilelang.compile(main, target="ascend")(x, y)
    reference = np.full(16, 7.0)
    reference[8:14] = x[4:10, 8:48].astype(np.float64).sum(1)
    np.testing.assert_allclose(y, reference, rtol=1e-5, atol=1e-5)


def test_unsupported_elements_are_named():
    from tilelang.errors import UnsupportedError

    program, _ = reduction((4, 64), 1, "max", "uint32", "uint32", True, False)
    with pytest.raises(UnsupportedError, match="largest or smallest of uint32"):
        tilelang.compile(program, target="ascend")


# -- operators ---------------------------------------------------------------------------------------------------------


def softmax(M: Any, N: int, rows: int) -> Any:
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x = T.alloc_fragment((rows, N), "float32")
            top = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.copy(X[bx * rows, 0], x)
            T.reduce_max(x, top, dim=1)
            for i, j in T.Parallel(rows, N):
                x[i, j] = T.exp(x[i, j] - top[i])
            T.reduce_sum(x, total, dim=1)
            for i, j in T.Parallel(rows, N):
                x[i, j] = x[i, j] / total[i]
            T.copy(x, Y[bx * rows, 0])

    return main


def check_softmax(kernel: Any, M: int, N: int) -> None:
    x = np.random.default_rng(M * 1000 + N).standard_normal((M, N)).astype(np.float16)
    e = np.exp(x.astype(np.float64) - x.astype(np.float64).max(1, keepdims=True))
    np.testing.assert_allclose(kernel(x).astype(np.float64), e / e.sum(1, keepdims=True), rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("M", "N", "rows"), [(64, 512, 16), (37, 300, 16), (5, 1, 4), (3, 7001, 1), (100, 65, 64), (50, 1000, 32)]
)
def test_softmax(M, N, rows):
    check_softmax(tilelang.compile(softmax(M, N, rows), target="ascend", out_idx=-1), M, N)


def test_strips_keep_rows_together():
    """64 rows of 1000 columns do not fit UB at once: a core works through strips of rows, reductions included."""
    kernel = tilelang.compile(softmax(64, 1000, 64), target="ascend", out_idx=-1)
    # The strip loop inside the grid loop, and no tile of all rows.
    placed = kernel.get_ir("ordered")
    assert placed.count("scf.for") >= 2
    check_softmax(kernel, 64, 1000)


def test_layer_norm():
    M, N, rows = 21, 333, 8

    @T.prim_func
    def main(
        X: T.Tensor((M, N), "float32"),
        gain: T.Tensor((N,), "float32"),
        bias: T.Tensor((N,), "float32"),
        Y: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x = T.alloc_fragment((rows, N), "float32")
            square = T.alloc_fragment((rows, N), "float32")
            g = T.alloc_fragment((N,), "float32")
            b = T.alloc_fragment((N,), "float32")
            mean = T.alloc_fragment((rows,), "float32")
            variance = T.alloc_fragment((rows,), "float32")
            T.copy(X[bx * rows, 0], x)
            T.copy(gain, g)
            T.copy(bias, b)
            T.reduce_sum(x, mean, dim=1)
            for i in T.Parallel(rows):
                mean[i] = mean[i] / N
            for i, j in T.Parallel(rows, N):
                square[i, j] = (x[i, j] - mean[i]) * (x[i, j] - mean[i])
            T.reduce_sum(square, variance, dim=1)
            for i in T.Parallel(rows):
                variance[i] = T.rsqrt(variance[i] / N + 1e-5)
            for i, j in T.Parallel(rows, N):
                x[i, j] = (x[i, j] - mean[i]) * variance[i] * g[j] + b[j]
            T.copy(x, Y[bx * rows, 0])

    rng = np.random.default_rng(8)
    x = rng.standard_normal((M, N)).astype(np.float32)
    g, b = rng.standard_normal(N).astype(np.float32), rng.standard_normal(N).astype(np.float32)
    y = tilelang.compile(main, target="ascend", out_idx=-1)(x, g, b)
    d = x.astype(np.float64) - x.astype(np.float64).mean(1, keepdims=True)
    reference = d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * g + b
    np.testing.assert_allclose(y, reference, rtol=1e-4, atol=1e-4)


def test_running_maximum_over_blocks():
    """Rows that do not fit: accumulating reductions, block by block."""
    M, N, rows, block = 12, 700, 4, 256

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Top: T.Tensor((M,), "float32"), Total: T.Tensor((M,), "float32")):
        with T.Kernel(M // rows) as bx:
            x = T.alloc_fragment((rows, block), "float32")
            top = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.fill(top, -T.infinity("float32"))
            T.fill(total, 0)
            for k in T.Pipelined(T.ceildiv(N, block), num_stages=2):
                T.copy(X[bx * rows, k * block], x)
                for i, j in T.Parallel(rows, block):
                    x[i, j] = T.if_then_else(k * block + j < N, x[i, j], -T.infinity("float32"))
                T.reduce_max(x, top, dim=1, clear=False)
                for i, j in T.Parallel(rows, block):
                    x[i, j] = T.exp2(x[i, j])
                T.reduce_sum(x, total, dim=1, clear=False)
            T.copy(top, Top[bx * rows])
            T.copy(total, Total[bx * rows])

    x = np.random.default_rng(9).standard_normal((M, N)).astype(np.float32)
    top, total = tilelang.compile(main, target="ascend", out_idx=[1, 2])(x)
    np.testing.assert_array_equal(top, x.max(1))
    np.testing.assert_allclose(total, np.exp2(x.astype(np.float64)).sum(1), rtol=1e-5)


# -- tiles in one another's place --------------------------------------------------------------------------------------


def chain(M: int, N: int, rows: int) -> Any:
    """Steps that can each write where they read, some of which read an operand after the first instruction."""

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32"), Z: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as bx:
            x = T.alloc_fragment((rows, N), "float32")
            doubled = T.alloc_fragment((rows, N), "float32")
            kept = T.alloc_fragment((rows, N), "float32")
            T.copy(X[bx * rows, 0], x)
            for i, j in T.Parallel(rows, N):
                doubled[i, j] = x[i, j] + x[i, j]
            for i, j in T.Parallel(rows, N):
                doubled[i, j] = doubled[i, j] * doubled[i, j] - 3.0 * doubled[i, j]
            T.copy(doubled, kept)
            for i, j in T.Parallel(rows, N):
                doubled[i, j] = T.if_then_else(doubled[i, j] > 1.0, doubled[i, j] * x[i, j], doubled[i, j] + kept[i, j])
            T.copy(doubled, Y[bx * rows, 0])
            T.copy(kept, Z[bx * rows, 0])

    return main


@pytest.mark.parametrize(("M", "N", "rows"), [(64, 256, 64), (37, 300, 16), (5, 33, 4), (3, 5000, 1), (130, 64, 128)])
def test_results_in_the_place_of_operands(M, N, rows):
    x = np.random.default_rng(M + N).standard_normal((M, N)).astype(np.float32)
    y, z = tilelang.compile(chain(M, N, rows), target="ascend", out_idx=[1, 2])(x)
    doubled = x + x
    kept = doubled * doubled - np.float32(3.0) * doubled
    np.testing.assert_array_equal(z, kept)
    np.testing.assert_array_equal(y, np.where(kept > 1.0, kept * x, kept + kept))


def test_values_carried_round_a_loop_keep_their_place():
    """The old sum is read in the next iteration: nothing may take its place."""
    M, N = 16, 64

    @T.prim_func
    def main(X: T.Tensor((4, M, N), "float32"), Y: T.Tensor((M, N), "float32"), Z: T.Tensor((4, M, N), "float32")):
        with T.Kernel(1):
            x = T.alloc_fragment((M, N), "float32")
            total = T.alloc_fragment((M, N), "float32")
            square = T.alloc_fragment((M, N), "float32")
            T.clear(total)
            for k in T.serial(4):
                T.copy(X[k, 0, 0], x)
                for i, j in T.Parallel(M, N):
                    total[i, j] = total[i, j] + x[i, j]
                for i, j in T.Parallel(M, N):
                    square[i, j] = total[i, j] * total[i, j]
                T.copy(square, Z[k, 0, 0])
            T.copy(total, Y)

    x = np.random.default_rng(11).standard_normal((4, M, N)).astype(np.float32)
    y, z = tilelang.compile(main, target="ascend", out_idx=[1, 2])(x)
    total = np.zeros((M, N), np.float32)
    for k in range(4):
        total = total + x[k]
        np.testing.assert_array_equal(z[k], total * total)
    np.testing.assert_array_equal(y, total)


# -- factors of arguments ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["difference", "product", "plain"])
def test_factors_of_exp2(form):
    """Constant factors join the one that turns exp2 into exp; equal arguments still give 1, however large they are."""
    M, N, scale = 9, 130, 1.4426950408889634 if form == "plain" else 0.3

    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(1):
            x = T.alloc_fragment((M, N), "float32")
            top = T.alloc_fragment((M,), "float32")
            T.copy(X, x)
            T.reduce_max(x, top, dim=1)
            for i, j in T.Parallel(M, N):
                if form == "difference":
                    x[i, j] = T.exp2(x[i, j] * scale - top[i] * scale)
                else:
                    x[i, j] = T.exp2((x[i, j] - top[i]) * scale)
            T.copy(x, Y)

    x = np.random.default_rng(12).standard_normal((M, N)).astype(np.float32) * 8
    x[3] = -1e30
    x[4, 5:] = -np.inf
    y = tilelang.compile(main, target="ascend", out_idx=-1)(x)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(y, np.exp2((wide - wide.max(1, keepdims=True)) * scale), rtol=5e-6, atol=1e-30)
    np.testing.assert_array_equal(y[3], 1.0)


def test_tanh_beside_a_constant():
    """Only what a sum with 1 would lose anyway is given up; tanh itself stays exact near 0."""
    N = 4096

    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32"), Z: T.Tensor((N,), "float32")):
        with T.Kernel(1):
            x = T.alloc_fragment((N,), "float32")
            y = T.alloc_fragment((N,), "float32")
            z = T.alloc_fragment((N,), "float32")
            T.copy(X, x)
            for i in T.Parallel(N):
                y[i] = 1 + T.tanh(x[i] * 0.5)
            for i in T.Parallel(N):
                z[i] = T.tanh(x[i] * 0.5)
            T.copy(y, Y)
            T.copy(z, Z)

    x = np.concatenate([np.geomspace(1e-9, 200, N // 2), -np.geomspace(1e-9, 200, N // 2)]).astype(np.float32)
    y, z = tilelang.compile(main, target="ascend", out_idx=[1, 2])(x)
    exact = np.tanh(x.astype(np.float64) * 0.5)
    np.testing.assert_allclose(y, 1 + exact, rtol=0, atol=3e-7)
    np.testing.assert_allclose(z, exact, rtol=5e-7, atol=0)


# -- run-time sizes ----------------------------------------------------------------------------------------------------


def test_softmax_of_any_number_of_rows():
    kernel = tilelang.compile(softmax(T.dynamic("M"), 300, 16), target="ascend", out_idx=-1)
    for M in (1, 16, 37, 800):
        check_softmax(kernel, M, 300)


def test_gemm_of_any_size():
    M, N, K = T.dynamic("M, N, K")
    block_M, block_N, block_K = 64, 64, 32

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        bias: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_s = T.alloc_shared((block_M, block_K), "float16")
            B_s = T.alloc_shared((block_K, block_N), "float16")
            c = T.alloc_fragment((block_M, block_N), "float32")
            b = T.alloc_fragment((block_N,), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], A_s)
                T.copy(B[k * block_K, bx * block_N], B_s)
                T.gemm(A_s, B_s, c)
            T.copy(bias[bx * block_N], b)
            for i, j in T.Parallel(block_M, block_N):
                c[i, j] = T.max(c[i, j] + b[j], 0)
            T.copy(c, C[by * block_M, bx * block_N])

    kernel = tilelang.compile(main, target="ascend", out_idx=-1)
    rng = np.random.default_rng(4)
    for m, n, k in ((64, 64, 32), (1, 1, 1), (130, 77, 100), (300, 200, 65)):
        a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)
        bias = rng.standard_normal(n).astype(np.float32)
        reference = np.maximum(a.astype(np.float32) @ b.astype(np.float32) + bias, 0)
        np.testing.assert_allclose(kernel(a, b, bias), reference, rtol=1e-3, atol=1e-3)


def test_sizes_that_depend_on_sizes_and_scalar_reads():
    """Run-time sizes in every dimension, an expression of one, an index tensor that the scalar unit reads."""
    B, S = T.dynamic("B, S")
    block, D = 16, 32

    @T.prim_func
    def main(
        X: T.Tensor((B, S, D), "float32"),
        length: T.Tensor((B,), "int32"),
        scale: T.Tensor((2 * B,), "float32"),
        Y: T.Tensor((B, D), "float32"),
    ):
        with T.Kernel(B) as b:
            x = T.alloc_fragment((block, D), "float32")
            total = T.alloc_fragment((D,), "float32")
            factor = T.alloc_fragment((1,), "float32")
            T.fill(total, 0)
            for k in T.serial(T.ceildiv(length[b], block)):
                T.copy(X[b, k * block : (k + 1) * block, :], x)
                for i, j in T.Parallel(block, D):
                    x[i, j] = T.if_then_else(k * block + i < length[b], x[i, j], 0.0)
                T.reduce_sum(x, total, dim=0, clear=False)
            T.copy(scale[2 * b + 1], factor)
            for j in T.Parallel(D):
                total[j] = total[j] * factor[0]
            T.copy(total, Y[b, 0:D])

    kernel = tilelang.compile(main, target="ascend", out_idx=-1)
    rng = np.random.default_rng(6)
    for batch, size in ((3, 40), (1, 7), (5, 16)):
        x = rng.standard_normal((batch, size, D)).astype(np.float32)
        length = rng.integers(0, size, batch, endpoint=True).astype(np.int32)
        scale = rng.standard_normal(2 * batch).astype(np.float32)
        reference = np.stack([x[i, : length[i]].sum(0) * scale[2 * i + 1] for i in range(batch)])
        np.testing.assert_allclose(kernel(x, length, scale), reference, rtol=1e-4, atol=1e-4)


def test_strided_rows():
    M, stride = T.dynamic("M, stride")
    N, rows = 48, 8

    @T.prim_func
    def main(X: T.StridedTensor((M, N), (stride, 1), "float32"), Y: T.Tensor((M,), "float32")):
        with T.Kernel(T.ceildiv(M, rows)) as bx:
            x = T.alloc_fragment((rows, N), "float32")
            y = T.alloc_fragment((rows,), "float32")
            T.copy(X[bx * rows, 0], x)
            T.reduce_sum(x, y, dim=1)
            T.copy(y, Y[bx * rows])

    kernel = tilelang.compile(main, target="ascend")
    base = np.random.default_rng(7).standard_normal((19, 80)).astype(np.float32)
    y = np.zeros(19, np.float32)
    kernel(base[:, :N], y)
    np.testing.assert_allclose(y, base[:, :N].astype(np.float64).sum(1), rtol=1e-5, atol=1e-5)


# -- tensors of more dimensions ----------------------------------------------------------------------------------------


def test_slices_of_unit_extent():
    """Q[b, h, r0:r1, :] as operand of a product and of vector code; results to a 4-D tensor."""
    B, H, S, D, block = 2, 3, 50, 32, 16

    @T.prim_func
    def main(
        Q: T.Tensor((B, H, S, D), "float16"),
        W: T.Tensor((H, D, D), "float16"),
        R: T.Tensor((B, S, H, D), "float32"),
        O: T.Tensor((B, H, S, D), "float32"),
    ):
        with T.Kernel(T.ceildiv(S, block), H, B) as (bx, by, bz):
            q = T.alloc_shared((block, D), "float16")
            w = T.alloc_shared((D, D), "float16")
            acc = T.alloc_fragment((block, D), "float32")
            r = T.alloc_fragment((block, D), "float32")
            T.copy(Q[bz, by, bx * block : (bx + 1) * block, :], q)
            T.copy(W[by, :, :], w)
            T.copy(R[bz, bx * block : (bx + 1) * block, by, :], r)
            T.gemm(q, w, acc, clear_accum=True)
            for i, j in T.Parallel(block, D):
                acc[i, j] = acc[i, j] + r[i, j]
            T.copy(acc, O[bz, by, bx * block : (bx + 1) * block, :])

    rng = np.random.default_rng(10)
    q, w = rng.standard_normal((B, H, S, D)).astype(np.float16), rng.standard_normal((H, D, D)).astype(np.float16)
    r = rng.standard_normal((B, S, H, D)).astype(np.float32)
    out = tilelang.compile(main, target="ascend", out_idx=-1)(q, w, r)
    reference = np.einsum("bhsd,hde->bhse", q.astype(np.float32), w.astype(np.float32)) + r.transpose(0, 2, 1, 3)
    np.testing.assert_allclose(out, reference, rtol=1e-3, atol=1e-3)


def test_three_dimensional_tiles():
    B, S, D, block = 3, 21, 24, 8

    @T.prim_func
    def main(X: T.Tensor((B, S, D), "float16"), Y: T.Tensor((S, D), "float32")):
        with T.Kernel(T.ceildiv(S, block)) as bx:
            x = T.alloc_fragment((B, block, D), "float16")
            y = T.alloc_fragment((block, D), "float32")
            T.copy(X[:, bx * block : (bx + 1) * block, :], x)
            T.reduce_sum(x, y, dim=0)
            T.copy(y, Y[bx * block, 0])

    x = np.random.default_rng(11).standard_normal((B, S, D)).astype(np.float16)
    y = tilelang.compile(main, target="ascend", out_idx=-1)(x)
    np.testing.assert_allclose(y, x.astype(np.float32).sum(0), rtol=1e-5, atol=1e-5)
