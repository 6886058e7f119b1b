"""Matrix products."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from ..errors import KernelTypeError, KernelValueError
from . import arith
from .buffers import Region, Size, same_size, size_text
from .control import is_known, truth
from .memory import operand_region
from .tracer import current, fail, unsupported

__all__ = ["GemmWarpPolicy", "gemm"]


class GemmWarpPolicy(IntEnum):
    """How targets with warps split the product. A hint."""

    Square = 0
    FullRow = 1
    FullCol = 2


def _matrix(region: Region, what: str) -> tuple[Size, Size]:
    """Rows and columns: the last two dimensions; those before must have extent 1."""
    if len(region.extents) < 2 or any(same_size(extent, 1) is not True for extent in region.extents[:-2]):
        fail(
            KernelValueError,
            f"T.gemm: {what} is no matrix",
            values=[region.describe_shape()],
            help="slice it to two dimensions: A[i, :, :]",
        )
    for extent in region.extents[-2:]:
        if not isinstance(extent, int):
            fail(
                KernelTypeError,
                f"T.gemm: the extents of {what} must be known at compile time",
                values=[region.describe_shape()],
            )
    return region.extents[-2], region.extents[-1]


_PRODUCTS: dict[str, tuple[str, ...]] = {
    "float16": ("float32", "float16"),
    "bfloat16": ("float32", "bfloat16"),
    "float32": ("float32",),
    "float64": ("float64",),
    "int8": ("int32",),
    "uint8": ("int32", "uint32"),
}


def _check_types(a: Region, b: Region, c: Region) -> None:
    values = [f"{region.describe()} is {region.dtype!s}" for region in (a, b, c)]
    if a.dtype != b.dtype and not (a.dtype.bits == 8 and b.dtype.bits == 8 and a.dtype.is_float == b.dtype.is_float):
        fail(
            KernelTypeError,
            "T.gemm: the element types of A and B differ",
            values=values,
            help="copy one of them into a tile of the other's type",
        )
    allowed = _PRODUCTS.get(str(a.dtype), ("float32", "float16") if a.dtype.is_float and a.dtype.bits == 8 else ())
    if str(c.dtype) not in allowed:
        fail(
            KernelTypeError,
            f"T.gemm: products of {a.dtype!s} do not accumulate in {c.dtype!s}",
            values=values,
            help=f"allocate the accumulator as {' or '.join(allowed)}"
            if allowed
            else "use float16, bfloat16, float32 or int8",
        )


def _order(transposed: bool, shape: tuple[Size, Size]) -> tuple[Size, Size]:
    return (shape[1], shape[0]) if transposed else shape


def gemm(
    A: Any,
    B: Any,
    C: Any,
    transpose_A: Any = False,
    transpose_B: Any = False,
    policy: Any = GemmWarpPolicy.Square,
    clear_accum: Any = False,
    k_pack: Any = 1,
    wg_wait: Any = 0,
    mbar: Any = None,
) -> None:
    """C += A B, with A or B transposed where asked; C = A B where `clear_accum` holds, which may be known at run time
    only. `policy` and `k_pack` are hints for other targets."""
    tracer = current("T.gemm")
    tracer.require_kernel("T.gemm")
    if mbar is not None:
        unsupported("T.gemm(mbar=...)")
    flags = []
    for word, value in (("transpose_A", transpose_A), ("transpose_B", transpose_B)):
        if not is_known(value):
            fail(KernelTypeError, f"T.gemm: {word} must be known at compile time", values=[f"it is {value!r}"])
        flags.append(truth(value))
    a, b, c = (
        operand_region(value, "T.gemm", role) for value, role in ((A, "operand A"), (B, "operand B"), (C, "result C"))
    )
    a_rows, a_columns = _order(flags[0], _matrix(a, "A"))
    b_rows, b_columns = _order(flags[1], _matrix(b, "B"))
    c_rows, c_columns = _matrix(c, "C")
    shapes = [region.describe_shape() for region in (a, b, c)]
    shapes[0] += " (transposed)" if flags[0] else ""
    shapes[1] += " (transposed)" if flags[1] else ""
    if a_columns != b_rows:
        fail(
            KernelValueError,
            "T.gemm: the inner dimensions differ",
            values=[*shapes, f"K is {size_text(a_columns)} in A and {size_text(b_rows)} in B"],
            help="A is (M, K) and B is (K, N); pass transpose_A or transpose_B for tiles stored the other way round",
        )
    if (a_rows, b_columns) != (c_rows, c_columns):
        fail(
            KernelValueError,
            "T.gemm: the result has another shape than the product",
            values=[*shapes, f"the product is ({size_text(a_rows)}, {size_text(b_columns)})"],
        )
    if c.buffer is a.buffer or c.buffer is b.buffer:
        fail(
            KernelValueError,
            "T.gemm: the result is also an operand",
            values=shapes,
            help="use an accumulator of its own",
        )
    _check_types(a, b, c)
    if is_known(clear_accum):
        clear = tracer.constant_int("i1", 1 if truth(clear_accum) else 0)
    else:
        clear = arith.condition(clear_accum).value
    attributes = {}
    if flags[0]:
        attributes["transpose_a"] = "unit"
    if flags[1]:
        attributes["transpose_b"] = "unit"
    tracer.create("tile.gemm", [a.emit(), b.emit(), c.emit(), clear], [], attributes)
    tracer.effects += 1
