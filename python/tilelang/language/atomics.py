"""Updates of global memory that blocks of the grid share."""

from __future__ import annotations

from typing import Any

from ..errors import KernelTypeError, KernelValueError
from . import arith
from .buffers import Region, same_size
from .memory import copy_regions, squeezed
from .tracer import current, fail, unsupported
from .values import Element, Operand, Var, is_plain

__all__ = ["atomic_add", "atomic_addx2", "atomic_addx4"]

#: What C++ calls them; order between single elements of one kernel is never more than relaxed here.
_MEMORY_ORDERS = (None, "relaxed")


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (Element, Var, Operand)) or is_plain(value)


def _add_element(what: str, dst: Any, value: Any) -> None:
    if isinstance(dst, Var):
        dst = dst[0]
    buffer = dst.buffer
    if buffer.scope == "global":
        buffer.store(dst.indices, value, atomic=True)
    else:
        # A tile belongs to one block, whose iterations may not share elements.
        buffer.store(dst.indices, arith.binary("+", dst, value))


def _no_old_value(what: str) -> None:
    unsupported(
        f"{what} with return_prev=True",
        help="the chip does not give the old value back: give each block a range of its own, computed from its indices",
    )


def _add_neighbours(what: str, count: int, dst: Any, value: Any, return_prev: bool) -> None:
    if return_prev:
        _no_old_value(what)
    for role, item in (("destination", dst), ("value", value)):
        if not isinstance(item, Element):
            fail(
                KernelTypeError,
                f"{what}: the {role} is no element",
                values=[f"it is {item!r}"],
                help=f"name the first of {count} neighbours on both sides: {what}(C[i, j], tile[i, j])",
            )
    for offset in range(count):
        to, source = (
            Element(item.buffer, (*item.indices[:-1], arith.binary("+", item.indices[-1], offset)))
            for item in (dst, value)
        )
        _add_element(what, to, source)


def atomic_addx2(dst: Any, value: Any, return_prev: bool = False) -> None:
    """Adds two neighbours along the last dimension: two T.atomic_add of elements."""
    _add_neighbours("T.atomic_addx2", 2, dst, value, return_prev)


def atomic_addx4(dst: Any, value: Any, return_prev: bool = False) -> None:
    """Adds four neighbours along the last dimension: four T.atomic_add of elements."""
    _add_neighbours("T.atomic_addx4", 4, dst, value, return_prev)


def atomic_add(
    dst: Any, value: Any, memory_order: Any = None, return_prev: bool = False, *, use_tma: Any = None
) -> None:
    """Adds a tile to a part of a tensor, or a scalar to an element of it, each element at once: blocks of the grid, and
    iterations of a T.Parallel, may add to the same elements, in any order. With a tile, `dst` is a slice, or an element
    that says where a tile of the other side's extents starts. What is added is converted to the tensor's type first.
    Elements outside the tensor are dropped. The tensor holds what the caller put there: pass zeros to get a sum.
    `use_tma` is a hint for other targets."""
    what = "T.atomic_add"
    tracer = current(what)
    if return_prev:
        _no_old_value(what)
    if memory_order not in _MEMORY_ORDERS:
        unsupported(f"{what} with memory_order={memory_order!r}", help="additions are relaxed: leave memory_order away")
    if _is_scalar(value):
        if isinstance(dst, (Element, Var)):
            _add_element(what, dst, value)
            return
        if not isinstance(value, Element):
            fail(
                KernelTypeError,
                f"{what}: a scalar is added to a whole tile",
                values=[f"the destination is {getattr(dst, 'describe', lambda: repr(dst))()}"],
                help="name an element, `C[i, j]`, in a T.Parallel over all of them, or T.fill a tile and add that",
            )
    tracer.require_kernel(what)
    source, destination = copy_regions(value, dst, what)
    if destination.buffer.scope != "global":
        fail(
            KernelTypeError,
            f"{what}: the destination is no tensor of the kernel",
            values=[f"the destination is {destination.buffer.describe()}"],
            help="a tile belongs to one block: add to it in a T.Parallel",
        )
    if source.buffer.scope == "global":
        fail(
            KernelTypeError,
            f"{what}: the value is in global memory",
            values=[f"the value is {source.buffer.describe()}"],
            help="T.copy it into a tile first",
        )
    _check_shapes(what, source, destination)
    tracer.create("tile.copy", [source.emit(), destination.emit()], [], {"atomic": "unit"})
    tracer.effects += 1


def _check_shapes(what: str, source: Region, destination: Region) -> None:
    left, right = squeezed(source.extents), squeezed(destination.extents)
    if len(left) == len(right) and all(same_size(a, b) is not False for a, b in zip(left, right, strict=True)):
        return
    fail(
        KernelValueError,
        f"{what}: the shapes do not match",
        values=[source.describe_shape(), destination.describe_shape()],
        help="extents must be equal once dimensions of extent 1 are left out; `C[i, j]` takes the extents of the tile",
    )
