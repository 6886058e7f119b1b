"""What operators mean: element types of results, folding of what is known, and the operations created.

Short floats (float16, bfloat16, fp8) compute in float32 and are rounded where they are stored or cast explicitly. Index
values (block and loop indices and what is computed from them) are of MLIR type `index`; their element type is int32.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NoReturn

from ..dtypes import dtype as DType
from ..errors import KernelTypeError, KernelValueError
from . import polynomial
from .polynomial import Polynomial
from .tracer import active, current, fail, unsupported
from .values import Const, Expr, Operand, SymbolicSize, is_plain, plain

BOOL, INT32, INT64, FLOAT32 = DType("bool"), DType("int32"), DType("int64"), DType("float32")

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "**": operator.pow,
    "ceildiv": lambda a, b: -(-a // b),
    "max": max,
    "min": min,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _trunc(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        return math.fmod(a, b)
    return a - b * _trunc(a, b)


_PYTHON["truncdiv"] = _trunc
_PYTHON["truncmod"] = _remainder

_WORDS = {"max": "T.max", "min": "T.min", "ceildiv": "T.ceildiv", "truncdiv": "T.truncdiv", "truncmod": "T.truncmod"}

# -- element types -----------------------------------------------------------------------------------------------------


def promote(a: DType, b: DType) -> DType:
    """The element type of `a op b`."""
    if a == b:
        return a
    if a.is_float or b.is_float:
        if not b.is_float:
            return a
        if not a.is_float:
            return b
        if a.bits != b.bits:
            return a if a.bits > b.bits else b
        return FLOAT32
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if a.kind == "uint" else b


def literal_type(value: Any, other: DType) -> DType:
    """The element type a Python number takes beside a value of type `other`."""
    if isinstance(value, bool):
        return BOOL if other == BOOL else other
    if isinstance(value, float):
        return other if other.is_float else FLOAT32
    if other == BOOL:
        return INT32
    return other


def _check_literal(value: int, target: DType) -> None:
    if target.is_integer and not -(1 << (target.bits - 1)) <= value < (1 << target.bits):
        fail(
            KernelValueError,
            f"the number {value} does not fit {target!s}",
            help="cast the other operand to a wider type",
        )


def plain_type(value: Any) -> DType:
    """The element type of a Python number on its own."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, float):
        return FLOAT32
    return INT32 if -(1 << 31) <= value < (1 << 31) else INT64


# -- constants ---------------------------------------------------------------------------------------------------------


def index_constant(value: int) -> Expr:
    tracer = current("a constant")
    return Expr(
        tracer.constant_int("index", value),
        INT32 if -(1 << 31) <= value < (1 << 31) else INT64,
        "index",
        poly=polynomial.of_constant(value),
        nonnegative=value >= 0,
    )


def constant(value: Any, element_type: DType) -> Expr:
    """A number as a run-time value, in the type that arithmetic uses."""
    tracer = current("a constant")
    value = plain(value)
    kind = element_type.compute_type
    if element_type.is_float:
        if element_type.bits < 32 and math.isfinite(value):
            value = float(value)
        return Expr(tracer.constant_float(kind, float(value)), element_type, kind)
    if isinstance(value, float):
        if not math.isfinite(value):
            fail(KernelValueError, f"{value} has no value in {element_type!s}")
        value = int(value)
    if element_type == BOOL:
        return Expr(tracer.constant_int("i1", 1 if value else 0), element_type, "i1")
    _check_literal(value, element_type)
    return Expr(tracer.constant_int(kind, value), element_type, kind)


def is_operand(value: Any) -> bool:
    return isinstance(value, Operand) or is_plain(value)


def to_expr(value: Any, beside: DType | None = None) -> Expr:
    """Any operand as a run-time value; numbers take the type of what they stand beside."""
    if isinstance(value, Operand):
        return value.expr()
    if is_plain(value):
        number = plain(value)
        return constant(number, plain_type(number) if beside is None else literal_type(number, beside))
    not_a_value(value)


def not_a_value(value: Any, what: str = "a run-time value was expected") -> NoReturn:
    from .buffers import Buffer, Region

    if isinstance(value, (Buffer, Region)):
        fail(
            KernelTypeError,
            f"{what}, but {value.describe()} is a whole {'buffer' if isinstance(value, Buffer) else 'region'}",
            help="index it (`A[i, j]`) inside T.Parallel, or use a tile operation such as T.copy",
        )
    fail(KernelTypeError, f"{what}, found {type(value).__name__}", values=[f"the value is {value!r}"])


# -- conversions -------------------------------------------------------------------------------------------------------


def to_index(value: Any) -> Expr:
    """An integer as MLIR `index`."""
    if is_plain(value):
        number = plain(value)
        if isinstance(number, float):
            fail(KernelTypeError, "an integer was expected", values=[f"found {number!r}"], help="use // or int(...)")
        return index_constant(int(number))
    if not isinstance(value, Operand):
        not_a_value(value, "an integer was expected")
    expr = value.expr()
    if expr.type == "index":
        return expr
    if expr.dtype.is_float or expr.dtype == BOOL:
        fail(
            KernelTypeError,
            f"an integer was expected, found a value of type {expr.dtype!s}",
            help="use // for divisions of indices, or T.cast(x, 'int32')",
        )
    if expr._index is not None and expr._index[1].open:
        index: Expr = expr._index[0]
        return index
    tracer = current("an index")
    name = "arith.index_castui" if expr.dtype.kind == "uint" else "arith.index_cast"
    result = Expr(
        tracer.create_one(name, [expr.value], "index"),
        expr.dtype if expr.dtype.bits >= 32 else INT32,
        "index",
        poly=polynomial.of_variable(tracer.atom(("data", id(expr)), expr)),
        nonnegative=expr.nonnegative or expr.dtype.kind == "uint",
    )
    expr._index = (result, tracer.frame)
    return result


def from_index(expr: Expr, target: DType) -> Expr:
    """An index as a data integer of type `target`."""
    tracer = current("an index")
    value = tracer.create_one("arith.index_cast", [expr.value], target.scalar_type)
    return Expr(value, target, target.scalar_type, nonnegative=expr.nonnegative)


def _cast_value(expr: Expr, target: DType, type: str) -> Any:
    """A `tile.cast` to an MLIR type, or the value itself where nothing changes."""
    if expr.type == type and (expr.dtype.is_float or expr.dtype.kind == target.kind or not target.is_float):
        return expr.value
    attributes: dict[str, str] = {}
    if expr.dtype.kind in ("uint", "bool"):
        attributes["srcUnsigned"] = "unit"
    if target.kind in ("uint", "bool"):
        attributes["dstUnsigned"] = "unit"
    if target.is_float and target.bits <= 8:
        attributes["saturate"] = "unit"
    return current("a cast").create_one("tile.cast", [expr.value], type, attributes)


def _to_bool(expr: Expr) -> Expr:
    if expr.type == "i1":
        return expr
    zero = index_constant(0) if expr.is_index else constant(0, expr.dtype)
    return _emit_compare("!=", expr, zero, expr.dtype)


def convert(expr: Expr, target: DType) -> Expr:
    """The value as an operand of arithmetic in `target`: no rounding to short floats."""
    if expr.is_index:
        if target.kind == "int" and target.bits >= 32:
            return expr
        if target.is_integer:
            return from_index(expr, target)
        expr = from_index(expr, expr.dtype)
    if target == BOOL:
        return _to_bool(expr)
    kind = target.compute_type
    return Expr(
        _cast_value(expr, target, kind), target, kind, nonnegative=expr.nonnegative and expr.dtype.bits <= target.bits
    )


def to_data(expr: Expr) -> Expr:
    """The value outside MLIR's `index` type."""
    return from_index(expr, expr.dtype) if expr.is_index else expr


def storage_value(value: Any, target: DType) -> Any:
    """The MLIR value that a store into a buffer of type `target` takes: rounded, signless."""
    if is_plain(value):
        number = plain(value)
        tracer = current("a store")
        if target.is_float:
            return tracer.constant_float(target.scalar_type, float(number))
        return constant(number, target).value
    if not isinstance(value, Operand):
        not_a_value(value)
    if isinstance(value, Const) and (not target.is_float or value.dtype == target):
        return storage_value(value.value, target)
    expr = value.expr()
    if expr.is_index:
        expr = from_index(expr, target if target.is_integer else expr.dtype)
    if target == BOOL:
        return _to_bool(expr).value
    return _cast_value(expr, target, target.scalar_type)


def loaded(value: Any, element_type: DType, location: Any = None) -> Expr:
    """An element just read, in the type that arithmetic uses."""
    tracer = current("a load")
    stored, kind = element_type.scalar_type, element_type.compute_type
    if stored != kind:
        name = "arith.extf" if element_type.bits == 16 else "tile.cast"
        (value,) = tracer.create(name, [value], (kind,), location=location)
    return Expr(value, element_type, kind, nonnegative=element_type.kind == "uint" and element_type.bits < 32)


def cast(value: Any, target: DType) -> Any:
    """An explicit cast: rounds to the target type."""
    if target.kind == "handle":
        fail(KernelTypeError, "a value cannot be cast to handle")
    if is_plain(value):
        number = plain(value)
        if target.is_float:
            return Const(float(number), target)
        if isinstance(number, float) and not math.isfinite(number):
            fail(KernelValueError, f"{number} has no value in {target!s}")
        return Const(bool(number) if target == BOOL else _wrap(int(number), target), target)
    if not isinstance(value, Operand):
        not_a_value(value)
    if isinstance(value, Const) and value.dtype.is_float <= target.is_float:
        return cast(value.value, target)
    if isinstance(value, SymbolicSize) and active() is None:
        fail(KernelTypeError, "a run-time size cannot be cast before a kernel is traced")
    expr = value.expr()
    if expr.is_index and target in (INT32, INT64):
        return (
            expr
            if target == expr.dtype
            else Expr(expr.value, target, "index", poly=expr.poly, nonnegative=expr.nonnegative)
        )
    if target.scalar_type == target.compute_type or target == BOOL:
        return convert(expr, target)
    if not expr.is_index and expr.dtype == target:
        # A value of this type may hold more than its bits since it was loaded: round it.
        pass
    return loaded(storage_value(expr, target), target)


def _wrap(value: int, target: DType) -> int:
    value &= (1 << target.bits) - 1
    return value - (1 << target.bits) if target.kind == "int" and value >> (target.bits - 1) else value


# -- binary operators --------------------------------------------------------------------------------------------------

_FLOAT_OPS = {
    "+": "arith.addf",
    "-": "arith.subf",
    "*": "arith.mulf",
    "/": "arith.divf",
    "max": "arith.maximumf",
    "min": "arith.minimumf",
    "truncmod": "arith.remf",
}
_INT_OPS = {
    "+": "arith.addi",
    "-": "arith.subi",
    "*": "arith.muli",
    "<<": "arith.shli",
    "&": "arith.andi",
    "|": "arith.ori",
    "^": "arith.xori",
}
_SIGNED_OPS = {
    "//": "arith.floordivsi",
    "ceildiv": "arith.ceildivsi",
    "truncdiv": "arith.divsi",
    "truncmod": "arith.remsi",
    ">>": "arith.shrsi",
    "max": "arith.maxsi",
    "min": "arith.minsi",
}
_UNSIGNED_OPS = {
    "//": "arith.divui",
    "%": "arith.remui",
    "ceildiv": "arith.ceildivui",
    "truncdiv": "arith.divui",
    "truncmod": "arith.remui",
    ">>": "arith.shrui",
    "max": "arith.maxui",
    "min": "arith.minui",
}


def binary(op: str, a: Any, b: Any) -> Any:
    """`a op b` for any operands; a Python number where everything is known."""
    a_plain, b_plain = is_plain(a), is_plain(b)
    if a_plain and b_plain:
        return python_value(op, plain(a), plain(b))
    for side in (a, b):
        if not isinstance(side, Operand) and not is_plain(side):
            _not_an_operand(op, side)
    if active() is None:
        _refuse_dead(a, b)
        return _symbolic(op, a, b)
    if isinstance(a, Const) and isinstance(b, Const) and a.dtype == b.dtype and not a.dtype.bits < 32:
        return cast(python_value(op, a.value, b.value), a.dtype)
    left = plain(a) if a_plain else a.expr()
    right = plain(b) if b_plain else b.expr()
    return _binary(op, left, right)


def _refuse_dead(*values: Any) -> None:
    """Values of a program cannot be used after its trace."""
    for value in values:
        if isinstance(value, Operand) and not isinstance(value, (Const, SymbolicSize)):
            value.expr()


def _not_an_operand(op: str, value: Any) -> NoReturn:
    name = _WORDS.get(op, f"`{op}`")
    not_a_value(value, f"{name} takes scalars")


def python_value(op: str, a: Any, b: Any) -> Any:
    if op in ("//", "%", "/", "ceildiv", "truncdiv", "truncmod") and b == 0:
        fail(KernelValueError, "division by zero", values=[f"{a!r} {op} {b!r}"])
    return _PYTHON[op](a, b)


def _binary(op: str, a: Any, b: Any) -> Any:
    """`a op b`, where at least one is an Expr and the other may be a number."""
    a_type = a.dtype if isinstance(a, Expr) else literal_type(a, b.dtype)
    b_type = b.dtype if isinstance(b, Expr) else literal_type(b, a.dtype)
    result = promote(a_type, b_type)
    if result == BOOL and op not in ("&", "|", "^"):
        result = INT32
    if op == "/" and not result.is_float:
        fail(
            KernelTypeError,
            "`/` does not divide integers",
            values=[f"the operands are {a_type!s} and {b_type!s}"],
            help="use // (rounds down) or T.truncdiv, or cast an operand to a float type",
        )
    if result.is_float and op in ("<<", ">>", "&", "|", "^", "ceildiv", "truncdiv"):
        fail(
            KernelTypeError,
            f"{_WORDS.get(op, f'`{op}`')} needs integers",
            values=[f"the operands are {a_type!s} and {b_type!s}"],
            help="cast them to an integer type",
        )
    if (
        isinstance(b, (int, float))
        and not isinstance(b, bool)
        and b == 0
        and op
        in (
            "//",
            "%",
            "ceildiv",
            "truncdiv",
            "truncmod",
        )
        and not result.is_float
    ):
        fail(KernelValueError, "division by zero")
    if (_is_index(a) or _is_index(b)) and result.kind == "int" and result.bits >= 32:
        return _index_binary(op, to_index(a), to_index(b), result)
    left = convert(a, result) if isinstance(a, Expr) else constant(a, result)
    right = convert(b, result) if isinstance(b, Expr) else constant(b, result)
    return _emit(op, left, right, result)


def _is_index(value: Any) -> bool:
    return isinstance(value, Expr) and value.is_index


def _emit(op: str, a: Expr, b: Expr, result: DType) -> Expr:
    tracer = current("arithmetic")
    kind = a.type
    if result.is_float:
        if op == "//":
            return Expr(tracer.create_one("math.floor", [_emit("/", a, b, result).value], kind), result, kind)
        if op == "%":
            return _emit("-", a, _emit("*", _emit("//", a, b, result), b, result), result)
        return Expr(tracer.create_one(_FLOAT_OPS[op], [a.value, b.value], kind), result, kind)
    name = _INT_OPS.get(op) or (_UNSIGNED_OPS if result.kind == "uint" else _SIGNED_OPS).get(op)
    if name is None:  # signed floor modulo
        if a.nonnegative and b.nonnegative:
            return _emit("truncmod", a, b, result)
        return _emit("-", a, _emit("*", _emit("//", a, b, result), b, result), result)
    nonnegative = op in ("//", "%", "ceildiv", "truncdiv", "truncmod", ">>", "max", "min", "&") and (
        a.nonnegative and b.nonnegative
    )
    return Expr(tracer.create_one(name, [a.value, b.value], kind), result, kind, nonnegative=nonnegative)


def _index_binary(op: str, a: Expr, b: Expr, result: DType) -> Any:
    """Index arithmetic, folded where the normal form is a constant. Assumed not to overflow."""
    assert a.poly is not None and b.poly is not None
    tracer = current("arithmetic")
    known_a, known_b = polynomial.constant(a.poly), polynomial.constant(b.poly)
    if known_a is not None and known_b is not None:
        return python_value(op, known_a, known_b)
    poly: Polynomial | None = None
    if op == "+":
        poly = polynomial.add(a.poly, b.poly)
    elif op == "-":
        poly = polynomial.subtract(a.poly, b.poly)
    elif op == "*":
        poly = polynomial.multiply(a.poly, b.poly)
    elif op in ("//", "ceildiv", "truncdiv") and known_b == 1:
        return a
    elif op in ("%", "truncmod") and known_b == 1:
        return 0
    elif op in ("max", "min") and polynomial.key(a.poly) == polynomial.key(b.poly):
        return a
    if poly is not None:
        folded = polynomial.constant(poly)
        if folded is not None:
            return folded
        for side in (a, b):  # x + 0, x * 1
            if side.poly == poly:
                return side
    elif op == "%" and not (a.nonnegative and b.nonnegative):
        quotient = _index_binary("//", a, b, result)
        return _binary("-", a, _binary("*", quotient, b))
    else:
        poly = polynomial.of_variable(tracer.atom((op, polynomial.key(a.poly), polynomial.key(b.poly))))
    nonnegative = op not in ("-", "^", "~") and a.nonnegative and b.nonnegative
    name = _INT_OPS.get(op) or _SIGNED_OPS.get("truncmod" if op == "%" else op)
    if name is None:
        unsupported(f"`{op}` on indices")
    value = tracer.create_one(name, [a.value, b.value], "index")
    return Expr(value, result, "index", poly=poly, nonnegative=nonnegative)


# -- unary operators and comparisons -----------------------------------------------------------------------------------


def negate(a: Operand) -> Any:
    if isinstance(a, Const):
        return Const(-a.value, a.dtype)
    if active() is None:
        return _symbolic("-", 0, a)
    expr = a.expr()
    if expr.dtype.is_float:
        return Expr(current("-").create_one("arith.negf", [expr.value], expr.type), expr.dtype, expr.type)
    return _binary("-", 0, expr)


def invert(a: Operand) -> Any:
    expr = to_expr(a)
    if expr.dtype.is_float:
        fail(KernelTypeError, "`~` needs integers", values=[f"the operand is {expr.dtype!s}"])
    if expr.dtype == BOOL:
        return logical_not(expr)
    return _binary("^", expr, -1)


def logical_not(a: Any) -> Expr:
    """`not a` of a run-time value."""
    expr = condition(a)
    tracer = current("not")
    return Expr(tracer.create_one("arith.xori", [expr.value, tracer.constant_int("i1", 1)], "i1"), BOOL, "i1")


def condition(value: Any) -> Expr:
    """A value as a truth value (`i1`)."""
    return _to_bool(to_expr(value))


_INT_PREDICATES = {"==": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}
_UNSIGNED_PREDICATES = {"==": 0, "!=": 1, "<": 6, "<=": 7, ">": 8, ">=": 9}
# Ordered (false with NaN), but `!=` is true with NaN, as in Python.
_FLOAT_PREDICATES = {"==": 1, ">": 2, ">=": 3, "<": 4, "<=": 5, "!=": 13}


def compare(op: str, a: Any, b: Any) -> Any:
    a_plain, b_plain = is_plain(a), is_plain(b)
    for side, known in ((a, a_plain), (b, b_plain)):
        if not known and not isinstance(side, Operand):
            if op in ("==", "!=") and (side is None or isinstance(side, (str, tuple, list, dict))):
                return op == "!="
            _not_an_operand(op, side)
    if (a_plain or isinstance(a, Const)) and (b_plain or isinstance(b, Const)):
        return _PYTHON[op](a.value if isinstance(a, Const) else plain(a), b.value if isinstance(b, Const) else plain(b))
    if active() is None:
        _refuse_dead(a, b)
        if op in ("==", "!=") and isinstance(a, SymbolicSize) and isinstance(b, (SymbolicSize, int)):
            return (a is b) == (op == "==")
        fail(
            KernelTypeError,
            "a run-time size cannot be compared before a kernel is traced",
            values=[f"{a!r} {op} {b!r}"],
        )
    left = plain(a) if a_plain else a.expr()
    right = plain(b) if b_plain else b.expr()
    a_type = left.dtype if isinstance(left, Expr) else literal_type(left, right.dtype)
    b_type = right.dtype if isinstance(right, Expr) else literal_type(right, left.dtype)
    common = promote(a_type, b_type)
    if (_is_index(left) or _is_index(right)) and common.kind == "int" and common.bits >= 32:
        x, y = to_index(left), to_index(right)
        assert x.poly is not None and y.poly is not None
        difference = polynomial.constant(polynomial.subtract(x.poly, y.poly))
        if difference is not None:
            return _PYTHON[op](difference, 0)
        return _emit_compare(op, x, y, common)
    x = convert(left, common) if isinstance(left, Expr) else constant(left, common)
    y = convert(right, common) if isinstance(right, Expr) else constant(right, common)
    return _emit_compare(op, x, y, common)


def _emit_compare(op: str, a: Expr, b: Expr, common: DType) -> Expr:
    tracer = current("a comparison")
    if common.is_float:
        value = tracer.create_one(
            "arith.cmpf", [a.value, b.value], "i1", {"predicate": f"{_FLOAT_PREDICATES[op]} : i64"}
        )
    else:
        table = _UNSIGNED_PREDICATES if common.kind in ("uint", "bool") else _INT_PREDICATES
        value = tracer.create_one("arith.cmpi", [a.value, b.value], "i1", {"predicate": f"{table[op]} : i64"})
    return Expr(value, BOOL, "i1")


def power(a: Any, b: Any) -> Any:
    """`a ** b`. Small integer powers multiply."""
    if is_plain(a) and is_plain(b):
        return plain(a) ** plain(b)
    if isinstance(b, Const):
        b = b.value
    if is_plain(b):
        exponent = plain(b)
        if isinstance(exponent, int) and not isinstance(exponent, bool) and 1 <= exponent <= 8:
            base = a.expr() if active() is not None else a
            result: Any = base
            for _ in range(exponent - 1):
                result = binary("*", result, base)
            return result
    left = to_expr(a, b.dtype if isinstance(b, Operand) else None)
    right = to_expr(b, left.dtype)
    if not left.dtype.is_float and not right.dtype.is_float:
        unsupported("a power of integers whose exponent is not a number from 1 to 8")
    common = promote(left.dtype, right.dtype)
    x, y = convert(left, common), convert(right, common)
    return Expr(current("**").create_one("math.powf", [x.value, y.value], x.type), common, x.type)


# -- sizes known at run time only, before a trace ----------------------------------------------------------------------


def _symbolic(op: str, a: Any, b: Any) -> Any:
    def part(value: Any) -> Any:
        if isinstance(value, SymbolicSize):
            return value
        if isinstance(value, Const):
            value = value.value
        if is_plain(value) and isinstance(plain(value), int):
            return int(plain(value))
        return None

    left, right = part(a), part(b)
    if isinstance(left, int) and isinstance(right, int):
        return python_value(op, left, right)
    if left is None or right is None:
        fail(
            KernelTypeError,
            f"{_WORDS.get(op, f'`{op}`')} of run-time values outside a kernel",
            values=[f"{a!r} {op} {b!r}"],
        )
    if op not in ("+", "-", "*", "//", "%", "ceildiv", "max", "min"):
        fail(KernelTypeError, f"{_WORDS.get(op, f'`{op}`')} is not available for sizes known at run time only")
    types = [value.dtype for value in (left, right) if isinstance(value, SymbolicSize)]
    return SymbolicSize(op, (left, right), types[0] if len(types) == 1 else promote(types[0], types[1]))


def apply_symbolic(op: str, operands: tuple[Any, ...]) -> Any:
    """A size expression inside a trace."""
    return binary(op, *operands)


def evaluate_symbolic(op: str, values: list[int]) -> int:
    return int(python_value(op, *values))
