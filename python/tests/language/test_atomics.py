"""T.atomic_add: tiles added to tensors, and what it refuses."""

import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang.errors import KernelTypeError, KernelValueError, UnsupportedError


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


REFUSED = [
    (lambda C, A, t: T.atomic_add(t, t), KernelTypeError, "the destination is no tensor of the kernel"),  #! here
    (lambda C, A, t: T.atomic_add(C, A), KernelTypeError, "the value is in global memory"),  #! here
    (lambda C, A, t: T.atomic_add(C[0:4, 0:4], t), KernelValueError, "the shapes do not match"),  #! here
    (lambda C, A, t: T.atomic_add(C[0, 0], 1), UnsupportedError, "T.atomic_add of a scalar"),  #! here
    (lambda C, A, t: T.atomic_add(C[0, 0], t[0, 0]), UnsupportedError, "of a single element"),  #! here
    (lambda C, A, t: T.atomic_add(C, t, return_prev=True), UnsupportedError, "return_prev=True"),  #! here
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


def test_type_without_atomic_addition(error_at):
    @T.prim_func
    def main(C: T.Tensor((64,), "uint8")):
        with T.Kernel(2):
            tile = T.alloc_fragment((64,), "uint8")
            T.fill(tile, 1)
            T.atomic_add(C, tile)  #! type

    with error_at("type", UnsupportedError, "no atomic addition of type"):
        tilelang.compile(main)
