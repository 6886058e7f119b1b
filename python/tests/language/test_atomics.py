"""T.atomic_add: tiles added to tensors, and what it refuses."""

import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang.errors import KernelCompileError, KernelTypeError, KernelValueError, UnsupportedError


def test_operation(check_text):
    @T.prim_func
    def main(C: T.Tensor((64, 64), "float16")):
        with T.Kernel(2) as bx:
            tile = T.alloc_fragment((8, 16), "float32")
            T.atomic_add(C[bx * 8, 0], tile)
            T.atomic_add(C[0:8, 16:32], tile, memory_order="relaxed", use_tma=True)

    check_text(main.script(), "tile.copy", "{atomic}", "tile.copy", "{atomic}")


def sum_of_rows(blocks, rows, columns, dtype):
    """Every block adds its tile, rounded to the tensor's type, to the same elements."""

    @T.prim_func
    def main(A: T.Tensor((blocks * rows, columns), "float32"), S: T.Tensor((rows, columns), dtype)):
        with T.Kernel(blocks) as bx:
            tile = T.alloc_fragment((rows, columns), "float32")
            T.copy(A[bx * rows, 0], tile)
            for i, j in T.Parallel(rows, columns):
                tile[i, j] = tile[i, j] * 2
            T.atomic_add(S[0, 0], tile)

    return main


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (17, 128), (40, 1000)], ids=str)
def test_blocks_add_to_the_same_elements(shape, dtype):
    blocks = 5
    a = np.random.default_rng(0).integers(-9, 10, (blocks, *shape)).astype(np.float32)
    start = np.arange(shape[0] * shape[1]).reshape(shape) % 7
    s = start.astype(dtype)
    tilelang.compile(sum_of_rows(blocks, *shape, dtype))(a.reshape(-1, shape[1]), s)
    np.testing.assert_array_equal(s, (start + 2 * a.sum(axis=0)).astype(dtype))


def test_elements_outside_are_dropped():
    @T.prim_func
    def main(S: T.Tensor((5, 19), "float32")):
        with T.Kernel(2, 2) as (bx, by):
            tile = T.alloc_fragment((4, 16), "float32")
            T.fill(tile, 1)
            T.atomic_add(S[by * 4, bx * 16], tile)

    s = np.zeros((5, 19), np.float32)
    tilelang.compile(main)(s)
    np.testing.assert_array_equal(s, np.ones((5, 19), np.float32))


def test_after_vector_code_of_a_mixed_kernel():
    """Rows are split over the two Vector cores; what both hold whole is added once."""

    @T.prim_func
    def main(
        A: T.Tensor((64, 32), "float16"),
        B: T.Tensor((32, 64), "float16"),
        C: T.Tensor((32, 64), "float32"),
        ones: T.Tensor((64,), "float32"),
        counts: T.Tensor((64,), "float32"),
    ):
        with T.Kernel(2) as bx:
            A_shared = T.alloc_shared((32, 32), "float16")
            B_shared = T.alloc_shared((32, 64), "float16")
            acc = T.alloc_fragment((32, 64), "float32")
            count = T.alloc_fragment((64,), "float32")
            T.copy(A[bx * 32, 0], A_shared)
            T.copy(B, B_shared)
            T.copy(ones, count)
            T.gemm(A_shared, B_shared, acc, clear_accum=True)
            for i, j in T.Parallel(32, 64):
                acc[i, j] = acc[i, j] + count[j]
            T.atomic_add(C, acc)
            T.atomic_add(counts, count)

    rng = np.random.default_rng(0)
    a = rng.integers(-3, 4, (64, 32)).astype(np.float16)
    b = rng.integers(-3, 4, (32, 64)).astype(np.float16)
    c, counts = np.zeros((32, 64), np.float32), np.zeros(64, np.float32)
    tilelang.compile(main)(a, b, c, np.ones(64, np.float32), counts)
    product = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(c, product[:32] + product[32:] + 2)
    np.testing.assert_array_equal(counts, np.full(64, 2, np.float32))


def test_atomic_mode_is_on_for_one_store():
    source = tilelang.compile(sum_of_rows(2, 4, 64, "float32")).get_kernel_source()
    lines = [line.split("//")[0].strip() for line in source.splitlines()]
    at = lines.index("SetAtomicAdd<float>();")
    assert lines[at + 1].startswith("DataCopy")
    assert lines[at + 2] == "SetAtomicNone();"


def test_element_operation(check_text):
    @T.prim_func
    def main(C: T.Tensor((64, 64), "float16")):
        with T.Kernel(2) as bx:
            T.atomic_add(C[bx, 0], 1.5)
            for i, j in T.Parallel(8, 16):
                T.atomic_add(C[i, j], i + j, memory_order="relaxed")

    check_text(main.script(), "tile.store", "{atomic}", "tile.parallel", "tile.store", "{atomic}")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_elements_of_a_parallel(dtype):
    """Guarded, with a shape that overhangs the tensor, and rounded to the tensor's type."""

    @T.prim_func
    def main(A: T.Tensor((20, 40), "float32"), C: T.Tensor((4, 40), dtype), n: T.int32):
        with T.Kernel(3, 5) as (bx, by):
            for i, j in T.Parallel(4, 16):
                if bx * 16 + j < n:
                    T.atomic_add(C[i, bx * 16 + j], A[by * 4 + i, bx * 16 + j] * 2)

    rng = np.random.default_rng(0)
    a = rng.integers(-9, 10, (20, 40)).astype(np.float32)
    start = np.arange(160).reshape(4, 40) % 7
    c = start.astype(dtype)
    tilelang.compile(main)(a, c, 37)
    expected = start + 2 * a.reshape(5, 4, 40).sum(axis=0) * (np.arange(40) < 37)
    np.testing.assert_array_equal(c, expected.astype(dtype))


def test_condition_on_each_element():
    """What is not added leaves every bit as it is, -0.0 too."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(4):
            for i in T.Parallel(64):
                if A[i] > 0:
                    T.atomic_add(C[i], A[i])

    a = np.arange(-32, 32).astype(np.float32)
    c = np.full(64, -0.0, np.float32)
    tilelang.compile(main)(a, c)
    np.testing.assert_array_equal(c, np.where(a > 0, 4 * a, -0.0).astype(np.float32))
    np.testing.assert_array_equal(np.signbit(c), a <= 0)


def test_iterations_add_to_the_same_elements():
    """Column sums and a total, over iterations and blocks; a function that only vector code has."""

    @T.prim_func
    def main(A: T.Tensor((24, 16), "float32"), columns: T.Tensor((16,), "float32"), total: T.Tensor((1,), "float32")):
        with T.Kernel(3) as bx:
            for i, j in T.Parallel(8, 16):
                T.atomic_add(columns[j], A[bx * 8 + i, j] * 2)
                T.atomic_add(total[0], T.exp(A[bx * 8 + i, j]))

    a = np.random.default_rng(0).integers(-2, 3, (24, 16)).astype(np.float32)
    columns, total = np.zeros(16, np.float32), np.zeros(1, np.float32)
    tilelang.compile(main)(a, columns, total)
    np.testing.assert_array_equal(columns, 2 * a.sum(axis=0))
    np.testing.assert_allclose(total, np.exp(a).sum(), rtol=1e-5)


def test_scalars_at_computed_indices():
    """A histogram: outside T.Parallel any index will do."""

    @T.prim_func
    def main(index: T.Tensor((48,), "int32"), C: T.Tensor((8,), "int32")):
        with T.Kernel(4) as bx:
            for i in T.serial(12):
                T.atomic_add(C[index[bx * 12 + i]], 1)

    index = np.random.default_rng(0).integers(-1, 9, 48).astype(np.int32)  # -1 and 8 are dropped
    c = np.zeros(8, np.int32)
    tilelang.compile(main)(index, c)
    np.testing.assert_array_equal(c, np.bincount(index[(index >= 0) & (index < 8)], minlength=8))


def test_columns_of_tiles():
    """Rows of the tensor are no rows of the tile."""

    @T.prim_func
    def main(A: T.Tensor((4, 40), "float32"), C: T.Tensor((40, 3), "float32")):
        with T.Kernel(4) as bx:
            tile = T.alloc_fragment((40,), "float32")
            T.copy(A[bx, :], tile)
            T.atomic_add(C[0:40, 1], tile)

    a = np.random.default_rng(0).integers(-9, 10, (4, 40)).astype(np.float32)
    c = np.ones((40, 3), np.float32)
    tilelang.compile(main)(a, c)
    np.testing.assert_array_equal(c, np.ones((40, 3)) + a.sum(axis=0)[:, None] * np.array([0, 1, 0]))


def test_neighbours():
    @T.prim_func
    def main(A: T.Tensor((4, 32), "float32"), C: T.Tensor((4, 32), "float32"), D: T.Tensor((4, 32), "float32")):
        with T.Kernel(2):
            tile = T.alloc_fragment((4, 32), "float32")
            T.copy(A, tile)
            for i, j in T.Parallel(4, 8):
                T.atomic_addx4(C[i, j * 4], tile[i, j * 4])
            for i, j in T.Parallel(4, 8):
                T.atomic_addx2(D[i, j * 4 + 2], tile[i, j * 4])

    a = np.random.default_rng(0).integers(-9, 10, (4, 32)).astype(np.float32)
    c, d = np.zeros((4, 32), np.float32), np.zeros((4, 8, 4), np.float32)
    tilelang.compile(main)(a, c, d.reshape(4, 32))
    np.testing.assert_array_equal(c, 2 * a)
    np.testing.assert_array_equal(d[:, :, :2], 0)
    np.testing.assert_array_equal(d[:, :, 2:], 2 * a.reshape(4, 8, 4)[:, :, :2])


def test_elements_of_a_tile():
    """A tile belongs to one block: adding to it is `+=`."""

    @T.prim_func
    def main(B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            tile = T.alloc_shared((64,), "float32")
            T.fill(tile, 1)
            for i in T.Parallel(64):
                T.atomic_add(tile[i], i)
            T.atomic_add(tile[3], 100)
            T.copy(tile, B)

    b = np.zeros(64, np.float32)
    tilelang.compile(main)(b)
    np.testing.assert_array_equal(b, 1 + np.arange(64) + 100 * (np.arange(64) == 3))


def test_elements_of_a_tile_that_iterations_share(error_at):
    @T.prim_func
    def main(B: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            tile = T.alloc_shared((8,), "float32")
            T.clear(tile)
            for i, j in T.Parallel(8, 8):
                T.atomic_add(tile[i], j)  #! shared
            T.copy(tile, B)

    with error_at("shared", KernelCompileError, "several iterations write the same element of buffer 'tile'"):
        tilelang.compile(main)


def test_element_that_is_also_read(error_at):
    @T.prim_func
    def main(C: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            for i in T.Parallel(63):
                T.atomic_add(C[i], C[i + 1])  #! read

    with error_at("read", KernelCompileError, "iterations of T.Parallel depend on each other"):
        tilelang.compile(main)


REFUSED = [
    (lambda C, A, t: T.atomic_add(t, t), KernelTypeError, "the destination is no tensor of the kernel"),  #! here
    (lambda C, A, t: T.atomic_add(C, A), KernelTypeError, "the value is in global memory"),  #! here
    (lambda C, A, t: T.atomic_add(C[0:4, 0:4], t), KernelValueError, "the shapes do not match"),  #! here
    (lambda C, A, t: T.atomic_add(C, 1), KernelTypeError, "a scalar is added to a whole tile"),  #! here
    (lambda C, A, t: T.atomic_add(C, t, return_prev=True), UnsupportedError, "return_prev=True"),  #! here
    (lambda C, A, t: T.atomic_add(C[0, 0], 1, return_prev=True), UnsupportedError, "old value back"),  #! here
    (lambda C, A, t: T.atomic_addx4(C[0, 0], t), KernelTypeError, "the value is no element"),  #! here
    (lambda C, A, t: T.atomic_addx2(C[0, 0], t[0, 0], True), UnsupportedError, "return_prev=True"),  #! here
    (lambda C, A, t: T.atomic_max(C[0, 0], 1), UnsupportedError, "combine them in a second kernel"),  #! here
    (lambda C, A, t: T.atomic_min(C, t), UnsupportedError, "T.atomic_min is not supported yet"),  #! here
    (lambda C, A, t: T.atomic_load(C[0, 0]), UnsupportedError, "write in one kernel and read in the next"),  #! here
    (lambda C, A, t: T.atomic_add(C, t, "acquire"), UnsupportedError, "memory_order='acquire'"),  #! here
]


@pytest.mark.parametrize(("call", "error", "text"), REFUSED, ids=[text for _, _, text in REFUSED])
def test_refused(call, error, text, error_at):
    with error_at("here", error, text):

        @T.prim_func
        def main(C: T.Tensor((8, 8), "float32"), A: T.Tensor((8, 8), "float32")):
            with T.Kernel(1):
                tile = T.alloc_fragment((8, 8), "float32")
                call(C, A, tile)


def test_element_type_without_atomic_addition(error_at):
    @T.prim_func
    def main(C: T.Tensor((64,), "uint8")):
        with T.Kernel(2):
            T.atomic_add(C[0], 1)  #! type

    with error_at("type", UnsupportedError, "no atomic addition of type", "use float32, float16"):
        tilelang.compile(main)


def test_type_without_atomic_addition(error_at):
    @T.prim_func
    def main(C: T.Tensor((64,), "uint8")):
        with T.Kernel(2):
            tile = T.alloc_fragment((64,), "uint8")
            T.fill(tile, 1)
            T.atomic_add(C, tile)  #! type

    with error_at("type", UnsupportedError, "no atomic addition of type"):
        tilelang.compile(main)
