"""Fixtures that several folders use: small programs, random numbers, a cache of one's own.

All tests of a session share one kernel cache in a temporary folder: neither the user's kernels nor an earlier session
can make a test pass.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilelang.language as T

_cache: str | None = None


def pytest_configure(config: pytest.Config) -> None:
    global _cache
    _cache = tempfile.mkdtemp(prefix="tilelang-tests-")
    # The environment, so that child processes have it too.
    os.environ["TILELANG_CACHE_DIR"] = _cache
    os.environ.pop("TILELANG_REPRODUCER_DIR", None)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _cache is not None:
        shutil.rmtree(_cache, ignore_errors=True)


@pytest.fixture(scope="session")
def add_program() -> Callable[..., Any]:
    """Makes C = A + B over vectors."""

    def make(n: int = 512, dtype: str = "float32", block: int = 256) -> Any:
        @T.prim_func
        def add(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((n,), dtype)):
            with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
                for i in T.Parallel(block):
                    C[bx * block + i] = A[bx * block + i] + B[bx * block + i]

        return add

    return make


@pytest.fixture(scope="session")
def scale_program() -> Callable[..., Any]:
    """Makes B = 2 A and C = A + 1 over matrices."""

    def make(m: int = 16, n: int = 128) -> Any:
        @T.prim_func
        def scale(A: T.Tensor((m, n), "float32"), B: T.Tensor((m, n), "float32"), C: T.Tensor((m, n), "float32")):
            with T.Kernel(m, threads=128) as bx:
                for i in T.Parallel(n):
                    B[bx, i] = A[bx, i] * 2
                    C[bx, i] = A[bx, i] + 1

        return scale

    return make


@pytest.fixture(scope="session")
def gemm_program() -> Callable[..., Any]:
    """Makes C = A B, float16 to float32."""

    def make(
        m: int = 128,
        n: int = 128,
        k: int = 64,
        block_m: int = 64,
        block_n: int = 64,
        block_k: int = 32,
        stages: int = 2,
    ) -> Any:
        @T.prim_func
        def gemm(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), C: T.Tensor((m, n), "float32")):
            with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
                A_shared = T.alloc_shared((block_m, block_k), "float16")
                B_shared = T.alloc_shared((block_k, block_n), "float16")
                C_local = T.alloc_fragment((block_m, block_n), "float32")
                T.clear(C_local)
                for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                    T.copy(A[by * block_m, ko * block_k], A_shared)
                    T.copy(B[ko * block_k, bx * block_n], B_shared)
                    T.gemm(A_shared, B_shared, C_local)
                T.copy(C_local, C[by * block_m, bx * block_n])

        return gemm

    return make


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A kernel cache that starts empty and does not exist on disk yet."""
    from tilelang.cache import kernel_cache

    directory = tmp_path / "cache"
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(directory))
    kernel_cache.forget()
    yield directory
    kernel_cache.forget()
