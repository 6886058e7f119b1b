"""Run-time values as Python objects.

`Expr` is a computed value, `Element` an element of a buffer that is read when it is used, `Var` a scalar variable,
`Const` a constant with an element type, `Symbol` a size known at run time only. All share the operators of `Operand`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from ..dtypes import dtype as DType
from ..errors import KernelNameError, KernelTypeError, Note
from .polynomial import Polynomial
from .source import source_segment, user_location
from .tracer import Frame, current, fail

if TYPE_CHECKING:
    from .buffers import Buffer

__all__ = [
    "Const",
    "Element",
    "Expr",
    "Operand",
    "Symbol",
    "SymbolicSize",
    "Var",
    "as_plain_int",
    "cast_call",
    "is_plain",
]


def is_plain(value: Any) -> bool:
    """True for Python (and NumPy) numbers: values known while the program is traced."""
    return isinstance(value, (int, float)) or (
        not isinstance(value, Operand)
        and (hasattr(value, "__index__") or hasattr(value, "__float__"))
        and _is_scalar(value)
    )


def _is_scalar(value: Any) -> bool:
    return getattr(value, "shape", ()) == () and not isinstance(value, type)


def plain(value: Any) -> Any:
    """A Python number for a Python or NumPy number."""
    if isinstance(value, (bool, int, float)):
        return value
    if type(value).__name__ in ("bool_", "bool") and not isinstance(value, Operand):
        return bool(value)
    if hasattr(value, "__index__"):
        return operator.index(value)
    return float(value)


def as_plain_int(value: Any) -> int | None:
    """The value of a Python or NumPy integer (or an integral constant); None for anything else."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Const):
        return value.value if isinstance(value.value, int) else None
    if isinstance(value, Operand) or not hasattr(value, "__index__"):
        return None
    return operator.index(value)


class Operand:
    """Anything that takes part in run-time arithmetic."""

    __slots__ = ()

    dtype: DType
    #: NumPy scalars leave operators to us.
    __array_ufunc__ = None

    def expr(self) -> Expr:
        """The value, computed or loaded now."""
        raise NotImplementedError

    # -- arithmetic ----------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        return arith.binary("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return arith.binary("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return arith.binary("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return arith.binary("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return arith.binary("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return arith.binary("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return arith.binary("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return arith.binary("/", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return arith.binary("//", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return arith.binary("//", other, self)

    def __mod__(self, other: Any) -> Any:
        return arith.binary("%", self, other)

    def __rmod__(self, other: Any) -> Any:
        return arith.binary("%", other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any) -> Any:
        return arith.power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return arith.power(other, self)

    def __lshift__(self, other: Any) -> Any:
        return arith.binary("<<", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return arith.binary("<<", other, self)

    def __rshift__(self, other: Any) -> Any:
        return arith.binary(">>", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return arith.binary(">>", other, self)

    def __and__(self, other: Any) -> Any:
        return arith.binary("&", self, other)

    def __rand__(self, other: Any) -> Any:
        return arith.binary("&", other, self)

    def __or__(self, other: Any) -> Any:
        return arith.binary("|", self, other)

    def __ror__(self, other: Any) -> Any:
        return arith.binary("|", other, self)

    def __xor__(self, other: Any) -> Any:
        return arith.binary("^", self, other)

    def __rxor__(self, other: Any) -> Any:
        return arith.binary("^", other, self)

    def __neg__(self) -> Any:
        return arith.negate(self)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return arith.invert(self)

    # -- comparisons ---------------------------------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Any:
        return arith.compare("<", self, other)

    def __le__(self, other: Any) -> Any:
        return arith.compare("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return arith.compare(">", self, other)

    def __ge__(self, other: Any) -> Any:
        return arith.compare(">=", self, other)

    def __eq__(self, other: Any) -> Any:
        return arith.compare("==", self, other)

    def __ne__(self, other: Any) -> Any:
        return arith.compare("!=", self, other)

    def __hash__(self) -> int:
        return id(self)

    def equal(self, other: Any) -> Any:
        return self == other

    def astype(self, target: Any) -> Any:
        """The value converted to another element type."""
        return arith.cast(self, DType(target))

    # -- what needs a value now ----------------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        remedies = {
            "min(": "use T.min",
            "max(": "use T.max",
            "any(": "combine the conditions with `or`",
            "all(": "combine the conditions with `and`",
            "sorted(": "run-time values cannot be sorted by Python",
        }
        segment = source_segment(user_location()).lstrip()
        for start, remedy in remedies.items():
            if segment.startswith(start):
                self._no_python_value(f"Python's {start[:-1]}() cannot decide on a run-time value", remedy)
        if " in " in segment:
            self._no_python_value(
                "`in` cannot decide on a run-time value", "compare with each candidate: (x == a) or (x == b)"
            )
        self._no_python_value(
            "a run-time value has no truth value in Python",
            "`if`, `and`, `or`, `not` and conditional expressions work in the kernel and in functions decorated with "
            "@T.macro; elsewhere use T.if_then_else",
        )

    def __index__(self) -> int:
        segment = source_segment(user_location()).lstrip()
        if segment.startswith("range("):
            self._no_python_value("Python's range() needs numbers that are known now", "use T.serial")
        self._no_python_value(
            "a run-time value cannot index a Python list or stand where Python needs a number",
            "loop over the list itself (`for x in items`, `for i, x in enumerate(items)`); Python then runs the loop",
        )

    def __int__(self) -> int:
        self._no_python_value("int() of a run-time value", "use T.cast(x, 'int32')")

    def __float__(self) -> float:
        self._no_python_value("float() of a run-time value", "use T.cast(x, 'float32')")

    def __abs__(self) -> Any:
        self._no_python_value("abs() of a run-time value", "use T.abs")

    def __round__(self, digits: int | None = None) -> Any:
        self._no_python_value("round() of a run-time value", "use T.round")

    def __len__(self) -> int:
        self._no_python_value("a run-time scalar has no len()", "take the extent from the buffer's shape")

    def __iter__(self) -> Any:
        self._no_python_value(
            "a run-time scalar cannot be looped over or unpacked", "loop over T.serial(n) or T.Parallel(n)"
        )

    def __contains__(self, item: Any) -> bool:
        self._no_python_value("`in` needs a Python container on its right", "compare with ==")

    def _no_python_value(self, message: str, help: str) -> NoReturn:
        fail(KernelTypeError, message, values=[f"the value is {self!r}"], help=help)


class Expr(Operand):
    """A value that an operation has computed."""

    __slots__ = ("__weakref__", "_index", "dtype", "frame", "nonnegative", "poly", "type", "value")

    def __init__(
        self, value: Any, element_type: DType, type: str, *, poly: Polynomial | None = None, nonnegative: bool = False
    ) -> None:
        tracer = current("this value")
        self.value = value
        self.dtype = element_type
        self.type = type  # MLIR type: "index", "i32", "f32", ...
        self.frame: Frame = tracer.frame
        self.poly = poly  # of values of type "index"
        self.nonnegative = nonnegative
        self._index: tuple[Any, Frame] | None = None

    @property
    def is_index(self) -> bool:
        return self.type == "index"

    def expr(self) -> Expr:
        if not self.frame.open:
            fail(
                KernelNameError,
                f"a value is used outside {self.frame.what}, where it was computed",
                notes=[Note(f"{self.frame.what} is here", self.frame.location)],
                help="store it in a buffer or in a T.alloc_var made before the region",
            )
        return self

    def __repr__(self) -> str:
        return f"<run-time {self.dtype!s}>"


class Const(Operand):
    """A number with an element type of its own: `T.float16(0.5)`, `T.infinity("float32")`."""

    __slots__ = ("dtype", "value")

    def __init__(self, value: int | float | bool, element_type: DType) -> None:
        self.value = value
        self.dtype = element_type

    def expr(self) -> Expr:
        return arith.constant(self.value, self.dtype)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"T.{self.dtype!s}({self.value!r})"


class SymbolicSize(Operand):
    """An expression of run-time sizes, written before any program is traced: `M // 2` where `M = T.dynamic("M")`."""

    __slots__ = ("dtype", "operands", "operation")

    def __init__(self, operation: str, operands: tuple[Any, ...], element_type: DType) -> None:
        self.operation = operation
        self.operands = operands
        self.dtype = element_type

    def expr(self) -> Expr:
        result = arith.apply_symbolic(self.operation, self.operands)
        return result if isinstance(result, Expr) else arith.index_constant(result)

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """The value for given values of the symbols, by name."""
        values = [
            operand.evaluate(sizes) if isinstance(operand, SymbolicSize) else int(operand) for operand in self.operands
        ]
        return arith.evaluate_symbolic(self.operation, values)

    def symbols(self) -> list[Symbol]:
        """The symbols inside, each once, in order."""
        found: list[Symbol] = []
        for operand in self.operands:
            if isinstance(operand, SymbolicSize):
                found += [symbol for symbol in operand.symbols() if not any(symbol is s for s in found)]
        return found

    def __repr__(self) -> str:
        if len(self.operands) == 2 and not self.operation.isalpha():
            return f"({self.operands[0]!r} {self.operation} {self.operands[1]!r})"
        return f"{self.operation}({', '.join(map(repr, self.operands))})"


class Symbol(SymbolicSize):
    """A size known at run time only. One name is one symbol."""

    __slots__ = ("name",)

    def __init__(self, name: str, element_type: DType) -> None:
        super().__init__("symbol", (), element_type)
        self.name = name

    def expr(self) -> Expr:
        tracer = current(f"the run-time size '{self.name}'")
        value = tracer.symbols.get(self)
        if value is None:
            fail(
                KernelNameError,
                f"the run-time size '{self.name}' is not the size of any parameter",
                help=f"use it in the shape of a tensor, or pass it as a scalar parameter `{self.name}: T.int32`",
            )
        assert isinstance(value, Expr)
        return value

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        return int(sizes[self.name])

    def symbols(self) -> list[Symbol]:
        return [self]

    def __repr__(self) -> str:
        return self.name


class Element(Operand):
    """`A[i, j]`: read when a value is needed; as an operand of T.copy the start of a tile."""

    __slots__ = ("buffer", "indices", "location")

    def __init__(self, buffer: Buffer, indices: tuple[Any, ...]) -> None:
        self.buffer = buffer
        self.indices = indices
        self.location = current("an element of a buffer").location()

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return self.buffer.dtype

    def expr(self) -> Expr:
        return self.buffer.load(self.indices, self.location)

    def store(self, value: Any) -> None:
        self.buffer.store(self.indices, value)

    def __repr__(self) -> str:
        return f"<element of {self.buffer.describe()}>"


class Var(Operand):
    """A scalar variable made by T.alloc_var: `v = e` stores, any other use reads."""

    __slots__ = ("bound", "buffer")

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer
        self.bound = False

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return self.buffer.dtype

    def expr(self) -> Expr:
        return self.buffer.load(())

    def store(self, value: Any) -> None:
        self.buffer.store((), value)

    def __getitem__(self, index: Any) -> Any:
        self._only_zero(index)
        return Element(self.buffer, ())

    def __setitem__(self, index: Any, value: Any) -> None:
        self._only_zero(index)
        self.store(value)

    def _only_zero(self, index: Any) -> None:
        if as_plain_int(index) != 0:
            fail(KernelTypeError, f"{self.buffer.describe()} is a scalar; its only element is [0]")

    def __repr__(self) -> str:
        return f"<variable {self.buffer.describe()}>"


def cast_call(target: DType, values: tuple[Any, ...]) -> Any:
    """`T.float32(x)`."""
    if len(values) != 1:
        fail(KernelTypeError, f"T.{target!s} takes one value", values=[f"{len(values)} were given"])
    return arith.cast(values[0], target)


def settle(value: Any) -> Any:
    """A value that no later store can change: elements and variables are read now."""
    if isinstance(value, Element) or (isinstance(value, Var) and value.bound):
        return value.expr()
    return value


from . import arith  # noqa: E402  (the operators above and their implementation need each other)
