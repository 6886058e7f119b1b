"""Scalars that the program keeps in variables, and conversions of scalar parameters."""

from __future__ import annotations

import numpy as np

import tilelang
import tilelang.language as T


def test_variable_carried_by_a_loop() -> None:
    @T.prim_func
    def total(A: T.Tensor((8, 16), "float32"), B: T.Tensor((8, 16), "float32")):
        with T.Kernel(8) as bx:
            value = T.alloc_var("float32", 0.0)
            for i in T.serial(16):
                value = value + A[bx, i]
            B[bx, 0] = value

    a = np.arange(128, dtype=np.float32).reshape(8, 16)
    b = np.zeros((8, 16), np.float32)
    tilelang.compile(total, target="ascend")(a, b)
    np.testing.assert_array_equal(b[:, 0], a.sum(axis=1))
    assert "float value" in tilelang.lower(total, target="ascend").kernel_source


def test_integer_parameter_in_float_arithmetic() -> None:
    @T.prim_func
    def shifted(A: T.Tensor((64,), "float32"), x: T.float32, n: T.int32):
        with T.Kernel(1):
            for i in T.Parallel(64):
                A[i] = x + n

    a = np.zeros(64, np.float32)
    tilelang.compile(shifted, target="ascend")(a, 1.5, 40)
    np.testing.assert_array_equal(a, np.full(64, 41.5, np.float32))
