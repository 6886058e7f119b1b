"""Reductions of tiles along one dimension."""

from __future__ import annotations

from typing import Any

from ..errors import KernelTypeError, KernelValueError
from .buffers import Region, same_size, shape_text
from .control import is_known, truth
from .memory import operand_region
from .tracer import current, fail, unsupported
from .values import as_plain_int

__all__ = ["reduce_absmax", "reduce_abssum", "reduce_max", "reduce_min", "reduce_sum"]


def _dimension(what: str, dim: Any, source: Region) -> int:
    rank = len(source.extents)
    number = None if isinstance(dim, bool) else as_plain_int(dim)
    if number is None:
        fail(KernelTypeError, f"{what}: dim must be a number known at compile time", values=[f"it is {dim!r}"])
    if not -rank <= number < rank:
        fail(
            KernelValueError,
            f"{what}: {source.describe()} has no dimension {number}",
            values=[source.describe_shape()],
            help=f"dim is in {-rank}..{rank - 1}",
        )
    return number % rank


def _check_shapes(what: str, source: Region, result: Region, dim: int) -> None:
    without = source.extents[:dim] + source.extents[dim + 1 :]
    kept = (*source.extents[:dim], 1, *source.extents[dim + 1 :])
    for expected in (without, kept):
        if len(expected) == len(result.extents) and all(
            same_size(a, b) is not False for a, b in zip(expected, result.extents, strict=True)
        ):
            return
    shapes = [shape_text(kept)] if not without else [shape_text(without), shape_text(kept)]
    fail(
        KernelValueError,
        f"{what}: {result.describe()} has the wrong shape for the result",
        values=[source.describe_shape(), result.describe_shape(), f"dimension {dim} is reduced"],
        help=f"the result has the shape {' or '.join(shapes)}",
    )


def _check_types(what: str, source: Region, result: Region) -> None:
    for region in (source, result):
        if not (region.dtype.is_float or region.dtype.is_integer):
            fail(
                KernelTypeError,
                f"{what}: {region.describe()} has elements of type {region.dtype!s}",
                help="reduce a tile of numbers",
            )
    if source.dtype.is_float != result.dtype.is_float:
        fail(
            KernelTypeError,
            f"{what}: elements of type {source.dtype!s} do not reduce to {result.dtype!s}",
            values=[f"{region.describe()} is {region.dtype!s}" for region in (source, result)],
            help="copy the tile into one of the result's type first",
        )


def _on_chip(what: str, region: Region, role: str) -> None:
    if region.buffer.scope == "global":
        fail(
            KernelTypeError,
            f"{what}: the {role} {region.describe()} is a tensor in global memory",
            help="copy it to a tile first: x = T.alloc_fragment(...); T.copy(X[...], x)",
        )


def _reduce(kind: str, what: str, src: Any, out: Any, dim: Any, clear: Any, batch: Any, nan_propagate: Any) -> None:
    tracer = current(what)
    tracer.require_kernel(what)
    if not is_known(clear):
        fail(
            KernelTypeError,
            f"{what}: clear must be known at compile time",
            values=[f"it is {clear!r}"],
            help="write both reductions in an `if`",
        )
    if is_known(nan_propagate) and truth(nan_propagate):
        unsupported(f"{what}(nan_propagate=True)")
    # `batch` says how many results a target with warps combines at a time: a hint.
    number = as_plain_int(batch)
    if number is None or number < 1:
        fail(KernelValueError, f"{what}: batch must be a number above 0", values=[f"it is {batch!r}"])
    source = operand_region(src, what, "source")
    result = operand_region(out, what, "result")
    _on_chip(what, source, "source")
    _on_chip(what, result, "result")
    dimension = _dimension(what, dim, source)
    _check_shapes(what, source, result, dimension)
    _check_types(what, source, result)
    if source.buffer is result.buffer:
        fail(
            KernelValueError,
            f"{what}: the source is also the result",
            values=[source.describe_shape()],
            help="reduce into a tile of its own",
        )
    kinds = {"sum": 0, "max": 1, "min": 2, "abssum": 3, "absmax": 4}
    attributes = {"kind": f"{kinds[kind]} : i32", "dimension": f"{dimension} : i64"}
    if not truth(clear):
        attributes["accumulate"] = "unit"
    tracer.create("tile.reduce", [source.emit(), result.emit()], [], attributes)
    tracer.effects += 1


def reduce_sum(src: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1) -> None:
    """Sums along a dimension. Without `clear` the old elements of `out` are added."""
    _reduce("sum", "T.reduce_sum", src, out, dim, clear, batch, False)


def reduce_max(
    src: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1, nan_propagate: Any = False
) -> None:
    """The largest element along a dimension. Without `clear` the old elements of `out` take part."""
    _reduce("max", "T.reduce_max", src, out, dim, clear, batch, nan_propagate)


def reduce_min(
    src: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1, nan_propagate: Any = False
) -> None:
    """The smallest element along a dimension. Without `clear` the old elements of `out` take part."""
    _reduce("min", "T.reduce_min", src, out, dim, clear, batch, nan_propagate)


def reduce_absmax(
    src: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1, nan_propagate: Any = False
) -> None:
    """The largest absolute value along a dimension. Without `clear` those of `out` take part."""
    _reduce("absmax", "T.reduce_absmax", src, out, dim, clear, batch, nan_propagate)


def reduce_abssum(src: Any, out: Any, dim: Any = -1, clear: Any = True, batch: Any = 1) -> None:
    """Sums absolute values along a dimension. Without `clear` those of `out` are added."""
    _reduce("abssum", "T.reduce_abssum", src, out, dim, clear, batch, False)
