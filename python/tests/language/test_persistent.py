"""T.Persistent: every tile of the domain once, whatever the sizes."""

import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang.errors import KernelTypeError, KernelValueError


@pytest.mark.parametrize("group", [1, 3, 8])
@pytest.mark.parametrize("domain", [(5,), (3, 8), (4, 5), (2, 3, 6), (1, 1)], ids=str)
@pytest.mark.parametrize("blocks", [1, 4, 40])
def test_every_tile_once(domain, blocks, group):
    rank = len(domain)
    padded = (*([1] * (3 - rank)), *domain)

    @T.prim_func
    def visit(C: T.Tensor((*padded, 64), "float32")):
        with T.Kernel(blocks) as block:
            tile = T.alloc_fragment((64,), "float32")
            T.fill(tile, 1)
            if rank == 1:
                for k in T.Persistent(domain, blocks, block, group):
                    T.atomic_add(C[0, 0, k, :], tile)
            elif rank == 2:
                for j, k in T.Persistent(domain, blocks, block, group):
                    T.atomic_add(C[0, j, k, :], tile)
            else:
                for i, j, k in T.Persistent(domain, wave_size=blocks, index=block, group_size=group):
                    T.atomic_add(C[i, j, k, :], tile)

    c = np.zeros((*padded, 64), np.float32)
    tilelang.compile(visit, target="ascend")(c)
    np.testing.assert_array_equal(c, np.ones_like(c))


def test_gemm(rng):
    M, N, K, block = 192, 160, 96, 64

    @T.prim_func
    def gemm(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(4) as core:
            a = T.alloc_shared((block, 32), "float16")
            b = T.alloc_shared((32, block), "float16")
            acc = T.alloc_fragment((block, block), "float32")
            for bx, by in T.Persistent([T.ceildiv(M, block), T.ceildiv(N, block)], 4, core):
                T.clear(acc)
                for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                    T.copy(A[bx * block, k * 32], a)
                    T.copy(B[k * 32, by * block], b)
                    T.gemm(a, b, acc)
                T.copy(acc, C[bx * block, by * block])

    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((M, K), (K, N)))
    c = np.zeros((M, N), np.float32)
    tilelang.compile(gemm, target="ascend")(a, b, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_run_time_sizes():
    m, n = T.dynamic("m, n")

    @T.prim_func
    def visit(C: T.Tensor((m, n), "float32")):
        with T.Kernel(3) as block:
            for i, j in T.Persistent([m, T.ceildiv(n, 32)], 3, block):
                for k in T.Parallel(32):
                    C[i, j * 32 + k] = i * 1000 + j

    kernel = tilelang.compile(visit, target="ascend")
    for shape in [(1, 1), (4, 100), (7, 32)]:
        c = np.zeros(shape, np.float32)
        kernel(c)
        np.testing.assert_array_equal(c, 1000 * np.arange(shape[0])[:, None] + np.arange(shape[1]) // 32)


REFUSED = [
    (lambda b: T.Persistent([], 4, b), KernelValueError, "the domain has no dimension"),  #! here
    (lambda b: T.Persistent([2, 2], 0, b), KernelValueError, "the wave_size is 0"),  #! here
    (lambda b: T.Persistent([2, 0], 4, b), KernelValueError, "extent 1 is 0"),  #! here
    (lambda b: T.Persistent([2, 2], 4, b, 0), KernelValueError, "group_size must be a number from 1 up"),  #! here
    (lambda b: T.Persistent([2, 2.5], 4, b), KernelTypeError, "extent 1 is no integer"),  #! here
]


@pytest.mark.parametrize(("make", "error", "text"), REFUSED, ids=[text for _, _, text in REFUSED])
def test_refused(make, error, text, error_at):
    with error_at("here", error, text):

        @T.prim_func
        def main(C: T.Tensor((8, 8), "float32")):
            with T.Kernel(4) as block:
                for i, j in make(block):
                    C[i, j] = 1.0
