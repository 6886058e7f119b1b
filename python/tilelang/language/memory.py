"""Allocation of tiles, and operations that move or set whole tiles."""

from __future__ import annotations

from typing import Any, NoReturn

from ..dtypes import dtype as DType
from ..errors import KernelTypeError, KernelValueError
from . import arith
from .buffers import Buffer, Region, Size, memref_type, quoted, same_size, whole
from .tracer import Tracer, current, fail, unsupported
from .values import Element, Operand, Var, as_plain_int, is_plain

__all__ = [
    "alloc_fragment",
    "alloc_local",
    "alloc_shared",
    "alloc_var",
    "clear",
    "copy",
    "copy_regions",
    "element_type",
    "fill",
    "squeezed",
]


def element_type(value: Any, what: str) -> DType:
    """An element type from anything that names one; an error at the user's line otherwise."""
    try:
        found = DType(value)
    except TypeError as error:
        fail(
            KernelTypeError,
            f"{what}: {value!r} is no element type",
            values=[str(error)] if not isinstance(value, str) else [],
            help='write a name such as "float16", T.float16, or a NumPy or torch dtype',
        )
    if found in ("tfloat32", "handle", "int4", "uint4", "float4_e2m1fn"):
        unsupported(f"{what} with elements of type {found!s}")
    return found


def tile_shape(shape: Any, what: str) -> tuple[int, ...]:
    """The extents of an on-chip buffer: numbers above 0."""
    items = shape if isinstance(shape, (tuple, list)) else (shape,)
    extents = []
    for position, item in enumerate(items):
        extent = as_plain_int(item)
        if extent is None:
            fail(
                KernelTypeError,
                f"{what}: extent {position} is not a number known at compile time",
                values=[f"the extent is {item!r}"],
                help="tiles have fixed sizes: take a block size instead of a run-time size",
            )
        if extent <= 0:
            fail(
                KernelValueError,
                f"{what}: extent {position} is {extent}",
                values=[f"the shape is {tuple(items)!r}"],
                help="every extent of a tile is at least 1",
            )
        extents.append(extent)
    return tuple(extents)


def _allocate(what: str, shape: tuple[int, ...], dtype: Any, scope: str) -> Buffer:
    tracer = current(what)
    tracer.require_kernel(what)
    kind = element_type(dtype, what)
    value = tracer.create_one("tile.alloc", [], memref_type(shape, kind, scope), {"name": quoted("")})
    buffer = Buffer(value, shape, kind, scope)
    tracer.unnamed.append(buffer)
    return buffer


_SCOPES = {
    "shared": "shared",
    "shared.dyn": "shared",
    "local.fragment": "fragment",
    "fragment": "fragment",
    "local": "local",
    "local.var": "var",
}


def _scope(scope: str, what: str) -> str:
    known = _SCOPES.get(scope)
    if known is None:
        unsupported(f"{what} in scope {scope!r}", help=f"known scopes are {', '.join(sorted(_SCOPES))}")
    return known


def alloc_shared(shape: Any, dtype: Any = "float32", scope: str = "shared.dyn") -> Buffer:
    """A tile that all of a block shares. Its contents are undefined until written."""
    return _allocate("T.alloc_shared", tile_shape(shape, "T.alloc_shared"), dtype, _scope(scope, "T.alloc_shared"))


def alloc_fragment(shape: Any, dtype: Any = "float32", scope: str = "local.fragment") -> Buffer:
    """A tile close to the arithmetic: accumulators, rows of intermediate values."""
    return _allocate(
        "T.alloc_fragment", tile_shape(shape, "T.alloc_fragment"), dtype, _scope(scope, "T.alloc_fragment")
    )


def alloc_local(shape: Any, dtype: Any = "float32", scope: str = "local") -> Buffer:
    """A private array; a tile of the block as long as no thread index reaches it."""
    return _allocate("T.alloc_local", tile_shape(shape, "T.alloc_local"), dtype, _scope(scope, "T.alloc_local"))


def alloc_var(dtype: Any, *arguments: Any, init: Any = None, scope: str = "local.var") -> Var:
    """A scalar variable: `v = e` stores into it."""
    if arguments:
        if init is not None or len(arguments) > 2:
            fail(KernelTypeError, "T.alloc_var takes an element type and at most one initial value")
        if isinstance(arguments[0], str) and arguments[0] in _SCOPES:
            scope = arguments[0]
        else:
            init = arguments[0]
    _scope(scope, "T.alloc_var")
    variable = Var(_allocate("T.alloc_var", (), dtype, "var"))
    if init is not None:
        variable.store(init)
    return variable


# -- operands of tile operations ---------------------------------------------------------------------------------------


def operand_region(value: Any, what: str, role: str) -> Region:
    """A buffer or region as an operand of a tile operation."""
    if isinstance(value, Buffer):
        return whole(value)
    if isinstance(value, Region):
        return value
    no_buffer(value, what, role)


def no_buffer(value: Any, what: str, role: str) -> NoReturn:
    if isinstance(value, Var):
        found = f"the variable {value.buffer.describe()}"
    elif isinstance(value, Element):
        found = f"one element of {value.buffer.describe()}"
    elif isinstance(value, Operand) or is_plain(value):
        found = f"a scalar ({value!r})"
    else:
        found = f"{value!r}"
        if type(value).__module__.split(".")[0] in ("numpy", "torch"):
            found = f"a {type(value).__module__.split('.')[0]} array of the host"
    fail(
        KernelTypeError,
        f"{what}: the {role} is no buffer",
        values=[f"the {role} is {found}"],
        help="pass a tensor parameter or a buffer of T.alloc_shared or T.alloc_fragment, whole or sliced: A[0:64, :]",
    )


def _spread(element: Element, other: tuple[Size, ...], what: str, other_text: str) -> Region:
    """`A[i, j]` as the start of a region whose extents come from the other side, aligned on the right."""
    rank = element.buffer.ndim
    extents = list(other)
    while len(extents) > rank and same_size(extents[0], 1):
        extents.pop(0)
    if len(extents) > rank:
        squeezed = [extent for extent in extents if same_size(extent, 1) is not True]
        if len(squeezed) > rank:
            fail(
                KernelValueError,
                f"{what}: {element.buffer.describe()} has too few dimensions for the tile",
                values=[element.buffer.describe_shape(), other_text],
            )
        extents = squeezed
    return Region(element.buffer, element.indices, (1,) * (rank - len(extents)) + tuple(extents))


def squeezed(extents: tuple[Size, ...]) -> list[Size]:
    """The extents that are not 1."""
    return [extent for extent in extents if same_size(extent, 1) is not True]


def _broadcast_shape(source: Region, destination: Region) -> bool:
    """Whether the source repeats along dimensions of the destination, aligned on the right."""
    if len(source.extents) > len(destination.extents):
        extra = len(source.extents) - len(destination.extents)
        if any(same_size(extent, 1) is not True for extent in source.extents[:extra]):
            return False
    pairs = zip(reversed(source.extents), reversed(destination.extents), strict=False)
    return all(same_size(a, 1) is True or same_size(a, b) is not False for a, b in pairs)


def copy(
    src: Any,
    dst: Any,
    *,
    coalesced_width: Any = None,
    disable_tma: Any = None,
    eviction_policy: Any = None,
    prefer_instruction: Any = None,
    annotations: Any = None,
    loop_layout: Any = None,
) -> None:
    """Copies a tile and converts its elements. Each side is a buffer, a slice, or an element that says where a tile of
    the other side's extents starts. Elements outside the source read 0; elements outside the destination are dropped.
    The keyword arguments are hints for other targets."""
    what = "T.copy"
    tracer = current(what)
    if isinstance(src, Element) and isinstance(dst, (Element, Var)):
        dst.store(src)
        return
    if isinstance(dst, (Element, Var)) and (isinstance(src, (Var, Operand)) or is_plain(src)):
        dst.store(src)
        return
    tracer.require_kernel(what)
    source, destination = copy_regions(src, dst, what)
    if source.buffer is destination.buffer and _same_place(source, destination):
        return
    left, right = squeezed(source.extents), squeezed(destination.extents)
    if len(left) == len(right) and all(same_size(a, b) is not False for a, b in zip(left, right, strict=True)):
        tracer.create("tile.copy", [source.emit(), destination.emit()])
        tracer.effects += 1
        return
    if _broadcast_shape(source, destination) and len(left) < len(right):
        _copy_broadcast(tracer, source, destination)
        return
    fail(
        KernelValueError,
        f"{what}: the shapes do not match",
        values=[source.describe_shape(), destination.describe_shape()],
        help="extents must be equal once dimensions of extent 1 are left out; "
        "`A[i, j]` takes the extents of the other side",
    )


def copy_regions(src: Any, dst: Any, what: str) -> tuple[Region, Region]:
    """Both sides of a transfer; an element takes the extents of the other side."""
    if isinstance(src, Element):
        destination = operand_region(dst, what, "destination")
        return _spread(src, destination.extents, what, destination.describe_shape()), destination
    source = operand_region(src, what, "source")
    if isinstance(dst, Element):
        return source, _spread(dst, source.extents, what, source.describe_shape())
    return source, operand_region(dst, what, "destination")


def _same_place(a: Region, b: Region) -> bool:
    return all(same_size(x, y) is True for x, y in zip(a.offsets + a.extents, b.offsets + b.extents, strict=True))


def _copy_broadcast(tracer: Tracer, source: Region, destination: Region) -> None:
    """A copy that repeats its source: written as an elementwise loop."""
    extents = destination.extents
    if not all(isinstance(extent, int) for extent in extents):
        unsupported("T.copy that repeats its source, with an extent known at run time only")
    arguments = tracer.open_region("parallel", "this T.copy", ["index"] * len(extents))
    indices = [parallel_index(argument, i) for i, argument in enumerate(arguments)]
    to = [arith.binary("+", offset, i) for offset, i in zip(destination.offsets, indices, strict=True)]
    lead = len(source.extents) - len(extents)
    at = []
    for dimension, (offset, extent) in enumerate(zip(source.offsets, source.extents, strict=True)):
        repeated = dimension - lead < 0 or same_size(extent, 1) is True
        at.append(offset if repeated else arith.binary("+", offset, indices[dimension - lead]))
    destination.buffer.store(tuple(to), source.buffer.load(tuple(at)))
    region = tracer.close_region()
    tracer.create("tile.parallel", [], [], {"extents": extents_attribute(extents)}, [region])


def parallel_index(argument: Any, _: int = 0) -> Any:
    """A loop index that starts at 0 or above."""
    from . import polynomial
    from .values import Expr

    tracer = current("an index")
    return Expr(
        argument,
        arith.INT32,
        "index",
        poly=polynomial.of_variable(tracer.atom(("index", id(argument)), argument)),
        nonnegative=True,
    )


def extents_attribute(extents: Any) -> str:
    return f"array<i64: {', '.join(str(extent) for extent in extents)}>"


def fill(dst: Any, value: Any) -> None:
    """Sets every element of a buffer or region to a scalar."""
    _fill("T.fill", dst, value)


def clear(dst: Any) -> None:
    """Sets every element of a buffer or region to 0."""
    _fill("T.clear", dst, 0)


def _fill(what: str, dst: Any, value: Any) -> None:
    tracer = current(what)
    if isinstance(dst, (Element, Var)):
        dst.store(value)
        return
    tracer.require_kernel(what)
    region = operand_region(dst, what, "destination")
    if not arith.is_operand(value):
        arith.not_a_value(value, f"{what}: the value is a scalar")
    stored = arith.storage_value(value, region.dtype)
    tracer.create("tile.fill", [stored, region.emit()])
    tracer.effects += 1


def name_unnamed(tracer: Tracer) -> None:
    """Buffers that the program never bound to a name get one."""
    for number, buffer in enumerate(buffer for buffer in tracer.unnamed if not buffer.name):
        buffer.name = f"{buffer.scope}_{number}"
        tracer.builder.set_attribute(buffer._value, "name", quoted(buffer.name))
