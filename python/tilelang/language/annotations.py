"""How parameters of a kernel are declared: tensors and run-time sizes."""

from __future__ import annotations

import re
from typing import Any

from ..dtypes import dtype as DType
from ..errors import KernelTypeError, KernelValueError
from .memory import element_type
from .tracer import fail, unsupported
from .values import Operand, Symbol, SymbolicSize, as_plain_int

__all__ = ["Buffer", "StridedTensor", "Tensor", "dynamic", "symbolic"]


def _declared(items: Any, what: str, least: int) -> tuple[Any, ...]:
    """Sizes or strides: numbers, or expressions of run-time sizes."""
    sequence = items if isinstance(items, (tuple, list)) else (items,)
    result: list[Any] = []
    for position, item in enumerate(sequence):
        if isinstance(item, SymbolicSize):
            result.append(item)
            continue
        number = None if isinstance(item, bool) else as_plain_int(item)
        if number is None:
            fail(
                KernelTypeError,
                f"{what} {position} is no integer",
                values=[f"it is {item!r}", f"all of them: {tuple(sequence)!r}"],
                help="sizes are Python integers or run-time sizes made by T.dynamic",
            )
        if number < least:
            fail(
                KernelValueError,
                f"{what} {position} is {number}",
                values=[f"all of them: {tuple(sequence)!r}"],
                help="sizes must not be negative",
            )
        result.append(number)
    return tuple(result)


class Tensor:
    """A tensor parameter: `A: T.Tensor((M, K), "float16")`, row-major and contiguous. `T.Tensor[(M, K), "float16"]` is
    the same."""

    word = "T.Tensor"

    def __init__(self, shape: Any, dtype: Any = "float32", data: Any = None, scope: Any = None) -> None:
        if data is not None:
            unsupported(f"{self.word}(data=...)")
        if scope not in (None, "global"):
            unsupported(f"{self.word} in scope {scope!r}")
        self.shape = _declared(shape, f"{self.word}: size", 0)
        if not self.shape:
            unsupported(f"{self.word} without dimensions", help="use a shape of (1,)")
        self.dtype: DType = element_type(dtype, self.word)
        #: In elements; None where the tensor is contiguous.
        self.strides: tuple[Any, ...] | None = None

    def __class_getitem__(cls, items: Any) -> Tensor:
        if isinstance(items, tuple) and len(items) == 2 and isinstance(items[0], (tuple, list)):
            return cls(items[0], items[1])
        if isinstance(items, tuple) and len(items) == 2 and not isinstance(items[1], (int, Operand)):
            return cls(items[0], items[1])
        return cls(items)

    def __repr__(self) -> str:
        return f"{self.word}({self.shape!r}, {str(self.dtype)!r})"


class Buffer(Tensor):
    """The older name of T.Tensor."""

    word = "T.Buffer"


class StridedTensor(Tensor):
    """A tensor parameter with strides of its own, in elements."""

    word = "T.StridedTensor"

    def __init__(self, shape: Any, strides: Any, dtype: Any = "float32") -> None:
        super().__init__(shape, dtype)
        self.strides = _declared(strides, f"{self.word}: stride", 0)
        if len(self.strides) != len(self.shape):
            fail(
                KernelValueError,
                f"{self.word}: {len(self.shape)} sizes and {len(self.strides)} strides",
                values=[f"sizes {self.shape!r}", f"strides {self.strides!r}"],
            )

    def __class_getitem__(cls, items: Any) -> StridedTensor:
        return cls(*items)


_symbols: dict[tuple[str, str], Symbol] = {}


def dynamic(names: str, dtype: Any = "int32") -> Any:
    """A size known at run time only; several for several names: `m, n = T.dynamic("m, n")`."""
    kind = element_type(dtype, "T.dynamic")
    if not kind.is_integer:
        fail(KernelTypeError, f"T.dynamic: a size of type {kind!s}", help="use int32 or int64")
    parts = [part for part in re.split(r"[,\s]+", names.strip()) if part]
    if not parts or not all(part.isidentifier() for part in parts):
        fail(KernelValueError, f"T.dynamic: {names!r} is no name", help='write T.dynamic("m") or T.dynamic("m, n")')
    found = []
    for part in parts:
        key = (part, str(kind))
        if key not in _symbols:
            _symbols[key] = Symbol(part, kind)
        found.append(_symbols[key])
    return found[0] if len(found) == 1 else tuple(found)


#: The older name of `dynamic`.
symbolic = dynamic
