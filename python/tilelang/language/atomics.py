"""Updates of global memory that blocks of the grid share."""

from __future__ import annotations

from typing import Any

from ..errors import KernelTypeError, KernelValueError
from .buffers import Region, same_size
from .memory import copy_regions, squeezed
from .tracer import current, fail, unsupported
from .values import Element, Operand, Var, is_plain

__all__ = ["atomic_add"]

#: What C++ calls them; order between single elements of one kernel is never more than relaxed here.
_MEMORY_ORDERS = (None, "relaxed")


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (Element, Var, Operand)) or is_plain(value)


def atomic_add(
    dst: Any, value: Any, memory_order: Any = None, return_prev: bool = False, *, use_tma: Any = None
) -> None:
    """Adds a tile to a part of a tensor, each element at once: blocks of the grid may add to the same elements, in any
    order. `dst` is a slice, or an element that says where a tile of the other side's extents starts; the tile is
    converted to the tensor's type first. Elements outside the tensor are dropped. The tensor holds what the caller put
    there: pass zeros to get a sum. `use_tma` is a hint for other targets."""
    what = "T.atomic_add"
    tracer = current(what)
    tracer.require_kernel(what)
    if return_prev:
        unsupported(f"{what} with return_prev=True")
    if memory_order not in _MEMORY_ORDERS:
        unsupported(f"{what} with memory_order={memory_order!r}", help="additions are relaxed: leave memory_order away")
    if _is_scalar(value) and not isinstance(value, Element):
        unsupported(f"{what} of a scalar", help="add a whole tile: T.atomic_add(C[row, column], tile)")
    if isinstance(value, Element) and isinstance(dst, (Element, Var)):
        unsupported(f"{what} of a single element", help="add a whole tile: T.atomic_add(C[row, column], tile)")
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
