"""Scalar functions. On Python numbers they compute at once."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

from ..dtypes import dtype as DType
from ..errors import KernelTypeError
from . import arith
from .memory import element_type
from .tracer import current, fail, unsupported
from .values import Const, Expr, Operand, is_plain, plain

__all__ = [
    "Cast",
    "abs",
    "cast",
    "clamp",
    "floordiv",
    "floormod",
    "infinity",
    "max",
    "max_value",
    "min",
    "min_value",
    "reinterpret",
]


def _unary(name: str, operation: str, on_number: Callable[[float], float]) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        if is_plain(x):
            return on_number(float(plain(x)))
        if not isinstance(x, Operand):
            arith.not_a_value(x, f"T.{name} takes a scalar")
        return _float_operation(operation, x.expr())

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of a scalar; integers are taken as float32."
    return function


def _as_float(expr: Expr) -> Expr:
    return expr if expr.dtype.is_float else arith.convert(expr, arith.FLOAT32)


def _float_operation(operation: str, expr: Expr) -> Expr:
    expr = _as_float(expr)
    return Expr(current(operation).create_one(operation, [expr.value], expr.type), expr.dtype, expr.type)


def _half_away(x: float) -> float:
    return math.copysign(math.floor(builtins.abs(x) + 0.5), x)


#: T's name, MLIR operation, function on Python numbers.
UNARY: dict[str, Callable[[Any], Any]] = {
    name: _unary(name, operation, on_number)
    for name, operation, on_number in (
        ("exp", "math.exp", math.exp),
        ("exp2", "math.exp2", lambda x: 2.0**x),
        ("log", "math.log", math.log),
        ("log2", "math.log2", math.log2),
        ("log10", "math.log10", math.log10),
        ("log1p", "math.log1p", math.log1p),
        ("sqrt", "math.sqrt", math.sqrt),
        ("rsqrt", "math.rsqrt", lambda x: 1.0 / math.sqrt(x)),
        ("tanh", "math.tanh", math.tanh),
        ("sin", "math.sin", math.sin),
        ("cos", "math.cos", math.cos),
        ("tan", "math.tan", math.tan),
        ("erf", "math.erf", math.erf),
        ("floor", "math.floor", math.floor),
        ("ceil", "math.ceil", math.ceil),
        ("trunc", "math.trunc", math.trunc),
        ("round", "math.round", _half_away),
        ("nearbyint", "math.roundeven", builtins.round),
    )
}


def exp10(x: Any) -> Any:
    """10 to the power of x."""
    return arith.power(10.0, x)


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    if is_plain(x):
        return 1.0 / (1.0 + math.exp(-plain(x)))
    expr = _as_float(arith.to_expr(x))
    return 1.0 / (1.0 + _float_operation("math.exp", -expr))


def abs(x: Any) -> Any:
    """Absolute value."""
    if is_plain(x):
        return builtins.abs(plain(x))
    if not isinstance(x, Operand):
        arith.not_a_value(x, "T.abs takes a scalar")
    expr = x.expr()
    if expr.dtype.is_float:
        return _float_operation("math.absf", expr)
    if expr.dtype.kind == "uint" or expr.nonnegative:
        return expr
    if expr.is_index:
        return arith.binary("max", expr, -expr)
    return Expr(
        current("T.abs").create_one("math.absi", [expr.value], expr.type), expr.dtype, expr.type, nonnegative=True
    )


def max(a: Any, b: Any, *more: Any) -> Any:
    """The larger value; NaN if one is NaN."""
    result = arith.binary("max", a, b)
    for value in more:
        result = arith.binary("max", result, value)
    return result


def min(a: Any, b: Any, *more: Any) -> Any:
    """The smaller value; NaN if one is NaN."""
    result = arith.binary("min", a, b)
    for value in more:
        result = arith.binary("min", result, value)
    return result


def clamp(x: Any, low: Any, high: Any) -> Any:
    """x limited to low .. high."""
    return min(max(x, low), high)


def floordiv(a: Any, b: Any) -> Any:
    """a / b rounded down."""
    return arith.binary("//", a, b)


def floormod(a: Any, b: Any) -> Any:
    """The remainder of floordiv: it has the sign of b."""
    return arith.binary("%", a, b)


def truncdiv(a: Any, b: Any) -> Any:
    """a / b rounded toward zero."""
    return arith.binary("truncdiv", a, b)


def truncmod(a: Any, b: Any) -> Any:
    """The remainder of truncdiv: it has the sign of a."""
    return arith.binary("truncmod", a, b)


fmod = truncmod


def ceildiv(a: Any, b: Any) -> Any:
    """a / b rounded up."""
    return arith.binary("ceildiv", a, b)


def shift_left(a: Any, b: Any) -> Any:
    return arith.binary("<<", a, b)


def shift_right(a: Any, b: Any) -> Any:
    return arith.binary(">>", a, b)


def bitwise_and(a: Any, b: Any) -> Any:
    return arith.binary("&", a, b)


def bitwise_or(a: Any, b: Any) -> Any:
    return arith.binary("|", a, b)


def bitwise_xor(a: Any, b: Any) -> Any:
    return arith.binary("^", a, b)


def bitwise_not(a: Any) -> Any:
    return ~a


def pow(a: Any, b: Any) -> Any:
    """a to the power of b."""
    return arith.power(a, b)


def isnan(x: Any) -> Any:
    if is_plain(x):
        return math.isnan(plain(x))
    expr = arith.to_expr(x)
    return arith.compare("!=", expr, expr) if expr.dtype.is_float else False


def isinf(x: Any) -> Any:
    if is_plain(x):
        return math.isinf(plain(x))
    expr = arith.to_expr(x)
    return arith.compare("==", abs(expr), math.inf) if expr.dtype.is_float else False


def isfinite(x: Any) -> Any:
    if is_plain(x):
        return math.isfinite(plain(x))
    expr = arith.to_expr(x)
    return arith.compare("<", abs(expr), math.inf) if expr.dtype.is_float else True


def cast(value: Any, dtype: Any, round: str = "", sat: bool = True, rbits: Any = None) -> Any:
    """The value converted to another element type, rounded to it."""
    if round or rbits is not None:
        unsupported("T.cast with a rounding mode")
    return arith.cast(value, element_type(dtype, "T.cast"))


def Cast(dtype: Any, value: Any) -> Any:
    """`cast` with its arguments the other way round."""
    return arith.cast(value, element_type(dtype, "T.Cast"))


def reinterpret(value: Any, dtype: Any) -> Any:
    """The bits of a scalar as another type of the same width."""
    target = element_type(dtype, "T.reinterpret")
    if isinstance(dtype, (Operand, int, float)) and not isinstance(value, (Operand, int, float)):
        value, target = dtype, element_type(value, "T.reinterpret")
    expr = arith.to_data(arith.to_expr(value))
    if expr.dtype.bits != target.bits:
        fail(
            KernelTypeError,
            "T.reinterpret: the types differ in width",
            values=[f"{expr.dtype!s} has {expr.dtype.bits} bits, {target!s} has {target.bits}"],
        )
    stored = arith.storage_value(expr, expr.dtype)
    if expr.dtype.scalar_type != target.scalar_type:
        stored = current("T.reinterpret").create_one("arith.bitcast", [stored], target.scalar_type)
    return arith.loaded(stored, target)


_LARGEST = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38,
            "float64": 1.7976931348623157e308, "float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}  # fmt: skip


def infinity(dtype: Any = "float32") -> Const:
    """Positive infinity."""
    kind = element_type(dtype, "T.infinity")
    if not kind.is_float or kind.startswith("float8_e4m3"):
        fail(KernelTypeError, f"{kind!s} has no infinity", help=f"use T.max_value({str(kind)!r})")
    return Const(math.inf, kind)


def _limit(dtype: Any, largest: bool, what: str) -> Const:
    kind: DType = element_type(dtype, what)
    if kind.is_float:
        if kind not in _LARGEST:
            unsupported(f"{what} of {kind!s}")
        return Const(_LARGEST[str(kind)] if largest else -_LARGEST[str(kind)], kind)
    if kind.kind == "bool":
        return Const(largest, kind)
    bits = kind.bits - (kind.kind == "int")
    low = -(1 << bits) if kind.kind == "int" else 0
    return Const((1 << bits) - 1 if largest else low, kind)


def max_value(dtype: Any) -> Const:
    """The largest finite value of a type."""
    return _limit(dtype, True, "T.max_value")


def min_value(dtype: Any) -> Const:
    """The smallest finite value of a type."""
    return _limit(dtype, False, "T.min_value")
