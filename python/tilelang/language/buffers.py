"""Buffers, their regions and their elements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from ..dtypes import dtype as DType
from ..errors import KernelNameError, KernelSyntaxError, KernelTypeError, KernelValueError, Note, SourceLocation
from . import arith, polynomial
from .source import user_location
from .tracer import Frame, current, fail, unsupported
from .values import Element, Expr, Operand, as_plain_int, is_plain, plain

if TYPE_CHECKING:
    from .tracer import Tracer

__all__ = ["Buffer", "Region", "Size", "known_size", "same_size", "shape_text"]

#: An extent or offset: a number, or a run-time value.
Size: TypeAlias = Any


def normal_size(value: Any) -> Size:
    """A Python int where the value is known, else an index expression."""
    known = as_plain_int(value)
    if known is not None:
        return known
    expr = arith.to_index(value)
    assert expr.poly is not None
    folded = polynomial.constant(expr.poly)
    return expr if folded is None else folded


def known_size(value: Size) -> int | None:
    return value if isinstance(value, int) else None


def same_size(a: Size, b: Size) -> bool | None:
    """Whether two extents are equal; None if only the run can tell."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    x, y = arith.to_index(a), arith.to_index(b)
    assert x.poly is not None and y.poly is not None
    difference = polynomial.constant(polynomial.subtract(x.poly, y.poly))
    return None if difference is None else difference == 0


def size_text(value: Size) -> str:
    return str(value) if isinstance(value, int) else "?"


def shape_text(shape: Iterable[Size]) -> str:
    """`(128, 32)`; extents that only the run knows are `?`."""
    texts = [size_text(extent) for extent in shape]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def index_value(value: Size) -> Any:
    """The MLIR value of an extent or offset."""
    return arith.to_index(value).value


_SCOPE_WORDS = {"global": "tensor", "shared": "tile", "fragment": "tile", "local": "tile", "var": "variable"}


class Buffer:
    """A tensor parameter or an allocated tile."""

    #: NumPy scalars leave operators to us, so that the error is ours.
    __array_ufunc__ = None

    def __init__(
        self,
        value: Any,
        shape: tuple[Size, ...],
        element_type: DType,
        scope: str,
        name: str = "",
        strides: tuple[Any, ...] | None = None,
        location: SourceLocation | None = None,
        declared_shape: tuple[Any, ...] | None = None,
    ) -> None:
        self._value = value
        self.extents = shape
        self.dtype = element_type
        self.scope = scope
        self.name = name
        #: A name given inside a macro or a helper gives way to the first one the kernel itself gives.
        self.provisional = not name
        self.strides = strides
        self.location = location or user_location()
        self._shape = declared_shape or shape
        self._frame: Frame = current("a buffer").frame

    # -- what programs ask -------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[Any, ...]:
        """Extents as the program wrote them: numbers and run-time sizes."""
        return self._shape

    @property
    def ndim(self) -> int:
        return len(self.extents)

    def describe(self) -> str:
        return f"'{self.name}'" if self.name else f"an unnamed {_SCOPE_WORDS.get(self.scope, 'buffer')}"

    def describe_shape(self) -> str:
        return f"{self.describe()} is {shape_text(self.extents)}"

    @property
    def value(self) -> Any:
        """The memref; an error outside the region that allocated it."""
        if not self._frame.open:
            fail(
                KernelNameError,
                f"{self.describe()} is used outside {self._frame.what}, where it was allocated",
                notes=[Note(f"{self.describe()} is allocated here", self.location)],
                help="allocate it before the region",
            )
        return self._value

    def rename(self, name: str, provisional: bool) -> None:
        """Gives the buffer the name that the program bound it to."""
        if self.scope == "global" or not self.provisional or (self.name and provisional):
            return
        self.name = name
        self.provisional = provisional
        current("a name").builder.set_attribute(self._value, "name", quoted(name))

    def __repr__(self) -> str:
        return f"<buffer {self.describe()} {shape_text(self.extents)} {self.dtype!s} {self.scope}>"

    # -- indexing ------------------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Element | Region:
        items = index if isinstance(index, tuple) else (index,)
        items = self._expand_ellipsis(items)
        if len(items) != self.ndim:
            fail(
                KernelValueError,
                f"{self.describe()} has {self.ndim} dimension{'s' if self.ndim != 1 else ''}, "
                f"but {len(items)} ind{'ices' if len(items) != 1 else 'ex'} stand{'' if len(items) != 1 else 's'} here",
                values=[self.describe_shape()],
                help="give one index or slice for each dimension; `:` takes a whole one",
            )
        if any(isinstance(item, slice) for item in items):
            offsets: list[Size] = []
            extents: list[Size] = []
            for dimension, item in enumerate(items):
                offset, extent = self._slice(dimension, item)
                offsets.append(offset)
                extents.append(extent)
            return Region(self, tuple(offsets), tuple(extents))
        return Element(self, tuple(self._index(dimension, item) for dimension, item in enumerate(items)))

    def __setitem__(self, index: Any, value: Any) -> None:
        target = self[index]
        if isinstance(target, Region):
            unsupported(
                f"assignment to a region of {self.describe()}", help="use T.fill or T.copy, or a T.Parallel loop"
            )
        target.store(value)

    def _expand_ellipsis(self, items: tuple[Any, ...]) -> tuple[Any, ...]:
        places = [i for i, item in enumerate(items) if item is Ellipsis]
        if not places:
            return items
        missing = self.ndim - len(items) + 1
        return items[: places[0]] + (slice(None),) * max(missing, 0) + items[places[0] + 1 :]

    def _index(self, dimension: int, item: Any) -> Size:
        """One index: negative constants count from the end, constants must lie inside on-chip buffers."""
        if isinstance(item, bool) or not (is_plain(item) or isinstance(item, Operand)):
            self._bad_index(dimension, item)
        if is_plain(item) and isinstance(plain(item), float):
            self._bad_index(dimension, item)
        index = normal_size(item)
        extent = known_size(self.extents[dimension])
        if isinstance(index, int) and extent is not None:
            if -extent <= index < 0:
                return index + extent
            if self.scope != "global" and not 0 <= index < extent:
                fail(
                    KernelValueError,
                    f"index {index} is outside dimension {dimension} of {self.describe()}",
                    values=[self.describe_shape()],
                )
        elif isinstance(index, int) and index < 0:
            return normal_size(arith.binary("+", self.extents[dimension], index))
        return index

    def _bad_index(self, dimension: int, item: Any) -> NoReturn:
        fail(
            KernelTypeError,
            f"dimension {dimension} of {self.describe()} is indexed by a {type(item).__name__}",
            values=[f"the index is {item!r}"],
            help="indices are integers, run-time integers or slices",
        )

    def _slice(self, dimension: int, item: Any) -> tuple[Size, Size]:
        """Offset and extent of one dimension of a region."""
        if not isinstance(item, slice):
            return self._index(dimension, item), 1
        whole = self.extents[dimension]
        if item.step is not None and as_plain_int(item.step) != 1:
            unsupported(f"a slice of {self.describe()} with a step", help="copy the whole range, or use T.Parallel")
        start = 0 if item.start is None else self._bound(dimension, item.start)
        stop = whole if item.stop is None else self._bound(dimension, item.stop)
        extent = normal_size(arith.binary("-", stop, start))
        if isinstance(extent, int) and extent <= 0:
            fail(
                KernelValueError,
                f"the slice of dimension {dimension} of {self.describe()} has no elements",
                values=[self.describe_shape(), f"the slice has extent {extent}"],
            )
        return start, extent

    def _bound(self, dimension: int, item: Any) -> Size:
        if not (is_plain(item) or isinstance(item, Operand)) or (is_plain(item) and isinstance(plain(item), float)):
            self._bad_index(dimension, item)
        bound = normal_size(item)
        if isinstance(bound, int) and bound < 0:
            return normal_size(arith.binary("+", self.extents[dimension], bound))
        return bound

    # -- elements ------------------------------------------------------------------------------------------------------

    def load(self, indices: tuple[Size, ...], location: Any = None) -> Expr:
        tracer = self._element_access()
        tracer.effects += 1
        operands = [self.value, *(index_value(index) for index in indices)]
        (value,) = tracer.create("tile.load", operands, (self.dtype.scalar_type,), location=location)
        return arith.loaded(value, self.dtype, location)

    def store(self, indices: tuple[Size, ...], value: Any, atomic: bool = False) -> None:
        tracer = self._element_access()
        if not arith.is_operand(value):
            arith.not_a_value(value, f"an element of {self.describe()} takes a scalar")
        stored = arith.storage_value(value, self.dtype)
        tracer.effects += 1
        operands = [stored, self.value, *(index_value(index) for index in indices)]
        tracer.create("tile.store", operands, [], {"atomic": "unit"} if atomic else {})

    def _element_access(self) -> Tracer:
        tracer = current(f"an element of {self.describe()}")
        if tracer.kernel is None or not tracer.kernel.open:
            fail(
                KernelSyntaxError,
                f"elements of {self.describe()} can be used inside `with T.Kernel(...)` only",
                help="move the statement into the kernel's body",
            )
        return tracer

    # -- what a buffer is not ------------------------------------------------------------------------------------------

    def _no_arithmetic(self, *_: Any) -> NoReturn:
        fail(
            KernelTypeError,
            f"{self.describe()} is a whole buffer, and operators work on elements",
            values=[self.describe_shape()],
            help="write a loop: `for i, j in T.Parallel(...): C[i, j] = A[i, j] + B[i, j]`",
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_arithmetic
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __abs__ = _no_arithmetic
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = __xor__ = __iadd__ = __isub__ = __imul__ = _no_arithmetic

    def __bool__(self) -> bool:
        fail(
            KernelTypeError,
            f"{self.describe()} is a whole buffer and has no truth value",
            help="compare one of its elements",
        )

    def __iter__(self) -> Any:
        fail(
            KernelTypeError,
            f"{self.describe()} is a buffer and cannot be looped over or unpacked",
            help="loop over indices: `for i in T.serial(n)` or `for i in T.Parallel(n)`",
        )

    def __len__(self) -> int:
        extent = known_size(self.extents[0]) if self.extents else None
        if extent is None:
            fail(KernelTypeError, f"the length of {self.describe()} is known at run time only", help="use its shape")
        return extent


class Region:
    """A rectangular part of a buffer: `A[i, a:b]`."""

    def __init__(self, buffer: Buffer, offsets: tuple[Size, ...], extents: tuple[Size, ...]) -> None:
        self.buffer = buffer
        self.offsets = offsets
        self.extents = extents

    @property
    def dtype(self) -> DType:
        return self.buffer.dtype

    @property
    def shape(self) -> tuple[Any, ...]:
        return self.extents

    def describe(self) -> str:
        return self.buffer.describe()

    def describe_shape(self) -> str:
        whole = len(self.extents) == len(self.buffer.extents) and all(
            offset == 0 if isinstance(offset, int) else False for offset in self.offsets
        )
        if whole and all(same_size(a, b) is True for a, b in zip(self.extents, self.buffer.extents, strict=True)):
            return self.buffer.describe_shape()
        return f"the region of {self.buffer.describe()} is {shape_text(self.extents)}"

    def emit(self) -> Any:
        """The `!tile.region` value."""
        tracer = current("a region")
        sizes = [index_value(extent) for extent in self.extents if not isinstance(extent, int)]
        offsets = [index_value(offset) for offset in self.offsets]
        operands = [self.buffer.value, *offsets, *sizes]
        dims = "x".join([*(size_text(extent) for extent in self.extents), self.dtype.storage_type])
        return tracer.create_one(
            "tile.region",
            operands,
            f"!tile.region<{dims}>",
            {"operandSegmentSizes": f"array<i32: 1, {len(offsets)}, {len(sizes)}>"},
        )

    def __getitem__(self, index: Any) -> Any:
        unsupported("an index into a region", help="index the buffer itself")

    def __bool__(self) -> bool:
        fail(KernelTypeError, "a region of a buffer has no truth value", help="compare one of its elements")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = Buffer._no_arithmetic
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = Buffer._no_arithmetic

    def __repr__(self) -> str:
        return f"<region {shape_text(self.extents)} of {self.buffer.describe()}>"


def whole(buffer: Buffer) -> Region:
    """A buffer as the region of all its elements."""
    return Region(buffer, (0,) * buffer.ndim, buffer.extents)


def quoted(text: str) -> str:
    """A string attribute."""
    escaped = "".join(
        c if c.isascii() and c.isprintable() and c not in '"\\' else "".join(f"\\{byte:02X}" for byte in c.encode())
        for c in text
    )
    return f'"{escaped}"'


def memref_type(shape: Iterable[Size], element_type: DType, scope: str, layout: str = "") -> str:
    dims = "x".join([*(size_text(extent) for extent in shape), element_type.storage_type])
    return f"memref<{dims}{', ' + layout if layout else ''}, #tile.scope<{scope}>>"
