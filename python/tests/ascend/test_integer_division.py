"""Integer division by what is positive and the same for all elements: vector code, exact for every 32-bit value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilelang
import tilelang.language as T

BLOCK = 256

OPERATIONS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[np.ndarray, Any], np.ndarray]]] = {
    "floordiv": (lambda a, b: a // b, lambda a, b: a // b),
    "floormod": (lambda a, b: a % b, lambda a, b: a % b),
    "truncdiv": (T.truncdiv, lambda a, b: np.sign(a) * (abs(a) // b)),
    "truncmod": (T.truncmod, lambda a, b: np.sign(a) * (abs(a) % b)),
    "ceildiv": (T.ceildiv, lambda a, b: -(-a // b)),
}


def program(count: int, operation: Callable[[Any, Any], Any], divisor: int, dtype: str, from_block: bool) -> Any:
    """B = operation(A, divisor), or with `from_block` divisor + the number of the block."""

    @T.prim_func
    def main(A: T.Tensor((count,), dtype), B: T.Tensor((count,), dtype)):
        with T.Kernel(T.ceildiv(count, BLOCK), threads=128) as bx:
            a = T.alloc_fragment((BLOCK,), dtype)
            b = T.alloc_fragment((BLOCK,), dtype)
            T.copy(A[bx * BLOCK], a)
            for i in T.Parallel(BLOCK):
                b[i] = operation(a[i], divisor + bx if from_block else divisor)
            T.copy(b, B[bx * BLOCK])

    return main


def dividends(divisor: int) -> np.ndarray:
    """Random numbers, the ends of the type, and what is next to multiples of the divisor."""
    rng = np.random.default_rng(divisor)
    near = np.arange(-30, 30)
    multiples = np.concatenate(
        [near, 2**24 // divisor + near, 2**31 // divisor - abs(near), -(2**31) // divisor + abs(near)]
    )
    values = np.concatenate(
        [
            rng.integers(-(2**31), 2**31, 1000),
            rng.integers(-(2**25), 2**25, 1000),
            *(multiples * divisor + distance for distance in (-1, 0, 1)),
            [-(2**31), 1 - 2**31, 2**31 - 1],
        ]
    )
    return values[(values >= -(2**31)) & (values < 2**31)].astype(np.int32)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("divisor", [3, 64, 65537, 2**23])
def test_every_value(divisor: int, name: str) -> None:
    operation, reference = OPERATIONS[name]
    a = dividends(divisor)
    kernel = tilelang.compile(program(len(a), operation, divisor, "int32", False), out_idx=[1], target="ascend")
    assert not kernel.remarks
    np.testing.assert_array_equal(kernel(a), reference(a.astype(np.int64), divisor))


def test_divisor_known_at_run_time() -> None:
    a = dividends(5)
    kernel = tilelang.compile(program(len(a), lambda a, b: a // b, 5, "int32", True), out_idx=[1], target="ascend")
    assert not kernel.remarks
    np.testing.assert_array_equal(kernel(a), a.astype(np.int64) // (5 + np.arange(len(a)) // BLOCK))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_narrow_types(dtype: str) -> None:
    limits = np.iinfo(dtype)
    a = np.arange(limits.min, limits.max + 1).astype(dtype)
    for name in ("floordiv", "floormod"):
        operation, reference = OPERATIONS[name]
        kernel = tilelang.compile(program(len(a), operation, 7, dtype, False), out_idx=[1], target="ascend")
        np.testing.assert_array_equal(kernel(a), reference(a.astype(np.int64), 7).astype(dtype))


def test_divisor_out_of_range_is_scalar_code_and_says_so() -> None:
    a = dividends(2**23 + 1)
    operation, reference = OPERATIONS["floordiv"]
    kernel = tilelang.compile(program(len(a), operation, 2**23 + 1, "int32", False), out_idx=[1], target="ascend")
    (remark,) = kernel.remarks
    assert "unless the divisor is known to be from 1 to 8388608" in remark.message
    np.testing.assert_array_equal(kernel(a), reference(a.astype(np.int64), 2**23 + 1))
