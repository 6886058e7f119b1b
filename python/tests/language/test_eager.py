"""Kernels in eager style: the function declares its tensors, opens T.Kernel and returns what it allocated."""

from __future__ import annotations

import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang.errors import ArgumentTypeError, ArgumentValueError, KernelSyntaxError, KernelTypeError


@tilelang.jit(target="ascend")
def matmul(A, B, block_M=64, block_N=64, block_K=32, dtype=T.float16, accum_dtype=T.float32):
    M, N, K = T.const("M, N, K")
    A: T.Tensor[[M, K], dtype]
    B: T.Tensor[[K, N], dtype]
    assert K % block_K == 0, "whole steps of K only"
    C = T.empty([M, N], accum_dtype)
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
        A_s = T.alloc_shared((block_M, block_K), dtype)
        B_s = T.alloc_shared((block_K, block_N), dtype)
        acc = T.alloc_fragment((block_M, block_N), accum_dtype)
        T.clear(acc)
        for k in T.Pipelined(K // block_K, num_stages=2):
            T.copy(A[by * block_M, k * block_K], A_s)
            T.copy(B[k * block_K, bx * block_N], B_s)
            T.gemm(A_s, B_s, acc)
        T.copy(acc, C[by * block_M, bx * block_N])
    return C


def arrays(m=100, n=70, k=64):
    rng = np.random.default_rng(0)
    return rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)


def test_a_call_compiles_and_runs():
    a, b = arrays()
    product = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(matmul(a, b), product, rtol=1e-3, atol=1e-3)
    kernel = matmul.compile(M=100, N=70, K=64)
    assert kernel is matmul.compile(a, b)
    assert [p["name"] for p in kernel.artifact.parameters] == ["A", "B", "C"]
    np.testing.assert_allclose(kernel(a, b), product, rtol=1e-3, atol=1e-3)
    # Another compile-time argument is another kernel.
    assert matmul.compile(a, b, block_M=32) is not kernel
    assert "Mmad" in matmul.get_kernel_source(M=100, N=70, K=64)
    assert "tile.gemm" in matmul.get_tir(a, b).script()


def test_torch_in_torch_out():
    torch = pytest.importorskip("torch")
    a, b = (torch.from_numpy(x) for x in arrays())
    c = matmul(a, b)
    assert isinstance(c, torch.Tensor)
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-3, atol=1e-3)


def test_signature_run_time_sizes_scalars_and_several_results():
    @tilelang.jit(target="ascend")
    def shifted(X: T.Tensor((T.dynamic("M"), 40), "float32"), offset: T.float32, rows: int = 4):
        M, N = X.shape
        Y = T.empty((M, N), "float32")
        S = T.empty(M, dtype="float32")
        with T.Kernel(T.ceildiv(M, rows)) as bx:
            x = T.alloc_fragment((rows, N), "float32")
            s = T.alloc_fragment((rows,), "float32")
            T.copy(X[bx * rows, 0], x)
            T.reduce_sum(x, s)
            for i in T.Parallel(rows):
                s[i] = s[i] + offset
            for i, j in T.Parallel(rows, N):
                x[i, j] = x[i, j] - s[i]
            T.copy(x, Y[bx * rows, 0])
            T.copy(s, S[bx * rows])
        return Y, S

    for m in (5, 16):
        x = np.random.default_rng(m).standard_normal((m, 40)).astype(np.float32)
        y, s = shifted(x, 0.5)
        np.testing.assert_allclose(s, x.sum(1) + 0.5, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(y, x - s[:, None], rtol=1e-4, atol=1e-4)
    # Run-time sizes and scalars make no new program.
    assert "1 compiled" in repr(shifted)


def test_outputs_that_are_arguments():
    @tilelang.jit(target="ascend")
    def double(A, B):
        N = T.const("N")
        A: T.Tensor[[N], T.float32]
        B: T.Tensor[[N], T.float32]
        with T.Kernel(T.ceildiv(N, 128)) as bx:
            for i in T.Parallel(128):
                B[bx * 128 + i] = A[bx * 128 + i] * 2

    a, b = np.arange(300, dtype=np.float32), np.zeros(300, np.float32)
    assert double(a, b) is None
    np.testing.assert_array_equal(b, a * 2)


def test_assertion_on_a_size(error_at):
    a, b = arrays(k=40)
    with pytest.raises((AssertionError, tilelang.errors.KernelError), match="whole steps of K only"):
        matmul(a, b)


def test_wrong_arguments():
    a, b = arrays()
    with pytest.raises(ArgumentValueError, match="argument 'A' of 'matmul' has 1 dimensions, expected 2"):
        matmul(a[0], b)
    with pytest.raises(ArgumentTypeError, match="argument 'B' of 'matmul' is a int, expected a tensor"):
        matmul(a, 3)
    with pytest.raises(ArgumentTypeError, match="missing"):
        matmul(a)
    with pytest.raises(ArgumentTypeError, match=r"'L' is no parameter and no T.const"):
        matmul.compile(M=64, N=64, K=64, L=3)
    with pytest.raises(ArgumentValueError, match=r"the value of T.const 'K' is not known"):
        matmul.compile(M=64, N=64)
    with pytest.raises(tilelang.errors.ArgumentError, match="'B'"):
        matmul(a, b[:32])


def test_no_out_idx():
    with pytest.raises(KernelTypeError, match="cannot have out_idx"):

        @tilelang.jit(out_idx=[1])
        def copy(A, B):
            with T.Kernel(1):
                pass


def test_what_is_returned():
    @tilelang.jit(target="ascend")
    def returns_input(A):
        N = T.const("N")
        A: T.Tensor[[N], T.float32]
        with T.Kernel(1):
            t = T.alloc_fragment((8,), "float32")
            T.copy(A[0], t)
            T.copy(t, A[0])
        return A

    with pytest.raises(KernelTypeError, match="returns"):
        returns_input(np.zeros(8, np.float32))

    @tilelang.jit(target="ascend")
    def forgets(A):
        N = T.const("N")
        A: T.Tensor[[N], T.float32]
        B = T.empty((N,), "float32")
        with T.Kernel(1):
            t = T.alloc_fragment((8,), "float32")
            T.copy(A[0], t)
            T.copy(t, B[0])

    with pytest.raises(KernelSyntaxError, match=r"'B' is allocated by T.empty and not returned"):
        forgets(np.zeros(8, np.float32))


def test_const_and_empty_elsewhere():
    with pytest.raises(KernelSyntaxError, match=r"T.const can only be used"):
        T.const("M")
    with pytest.raises(KernelSyntaxError, match=r"T.empty can only be used"):
        T.empty((4,), "float32")
