"""What rewritten kernels call: assignments, branches, loops, conditional values."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..errors import KernelNameError, KernelSyntaxError, KernelTypeError, KernelValueError, Note, SourceLocation
from . import arith, control
from .buffers import Buffer
from .control import Branch, Loop, conditional, is_known, logical, truth
from .source import user_location
from .tracer import Frame, active, current, fail, unsupported
from .values import Element, Operand, Var, settle

__all__ = [
    "augment",
    "branch",
    "chain",
    "check",
    "choose",
    "conditional",
    "contained",
    "enter",
    "iterate",
    "leave_loop",
    "logical",
    "negation",
    "range",
    "settled",
    "while_condition",
]


class _Binding:
    __slots__ = ("frame", "location", "value")

    def __init__(self, value: Any, frame: Frame, location: SourceLocation | None) -> None:
        self.value = value
        self.frame = frame
        self.location = location


class Scope:
    """The names of one call of a rewritten function."""

    def __init__(self, name: str, kind: str, parameters: dict[str, Any]) -> None:
        self.name = name
        self.kind = kind
        tracer = current(f"'{name}'")
        self.entry = tracer.frame
        location = user_location()
        self.bindings = {name: _Binding(value, self.entry, location) for name, value in parameters.items()}

    def use(self, name: str, value: Any) -> Any:
        """A read of a name: its region must still be open."""
        binding = self.bindings.get(name)
        if binding is None or binding.frame.open:
            return value
        fail(
            KernelNameError,
            f"'{name}' is used outside {binding.frame.what}, where it was bound",
            notes=[Note(f"'{name}' is bound here", binding.location)],
            help="names end with the loop or branch that binds them; keep the value in a buffer or in a T.alloc_var "
            "made before it",
        )

    def assign(self, name: str, value: Any) -> Any:
        """`name = value`; what the name is bound to from now on."""
        frame = current("an assignment").frame
        old = self.bindings.get(name)
        if old is not None and old.frame.open:
            if isinstance(old.value, (Var, Element)) and not (isinstance(value, Var) and not value.bound):
                # A variable made by T.alloc_var, or a parameter passed by reference.
                if not arith.is_operand(value):
                    arith.not_a_value(value, f"'{name}' is a variable and takes a scalar")
                old.value.store(value)
                return old.value
            if old.frame is not frame and old.frame.anchor is not frame.anchor:
                fail(
                    KernelNameError,
                    f"'{name}' is bound before {frame.anchor.what} and assigned inside it",
                    notes=[
                        Note(f"'{name}' is bound here", old.location),
                        Note(f"{frame.anchor.what} is here", frame.anchor.location),
                    ],
                    help=f"the run decides how often this happens: make it a variable before, `{name} = "
                    "T.alloc_var(...)`, or use another name",
                )
        value = settle(value)
        _name(value, name, self.kind not in ("prim_func", "eager"))
        self.bindings[name] = _Binding(value, frame, user_location())
        return value

    def leave(self, value: Any) -> Any:
        """`return value`."""
        frame = current("return").frame
        if frame is not self.entry and frame.anchor is not self.entry.anchor:
            fail(
                KernelSyntaxError,
                f"'{self.name}' returns from inside {frame.what}",
                notes=[Note(f"{frame.what} is here", frame.location)],
                help="only the run decides whether this is reached: return at the end, and choose values with "
                "`a if c else b`",
            )
        return settle(value)


def enter(name: str, kind: str, parameters: dict[str, Any]) -> Scope:
    return Scope(name, kind, parameters)


def _name(value: Any, name: str, provisional: bool) -> None:
    """Gives buffers the name they are bound to; items of a list or dict get an index."""
    if isinstance(value, Buffer):
        value.rename(name, provisional)
    elif isinstance(value, Var):
        value.bound = True
        value.buffer.rename(name, provisional)
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            _name(item, f"{name}[{i}]", provisional)
    elif isinstance(value, dict):
        for key, item in value.items():
            _name(item, f"{name}[{key!r}]", provisional)


def settled(value: Any) -> Any:
    """The right side of an assignment to several targets: everything is read before anything is written."""
    if isinstance(value, tuple):
        return tuple(settle(item) for item in value)
    if isinstance(value, list):
        return [settle(item) for item in value]
    return settle(value)


_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "/": operator.itruediv,
    "//": operator.ifloordiv,
    "%": operator.imod,
    "**": operator.ipow,
    "<<": operator.ilshift,
    ">>": operator.irshift,
    "&": operator.iand,
    "|": operator.ior,
    "^": operator.ixor,
    "@": operator.imatmul,
}


def augment(op: str, old: Any, value: Any) -> Any:
    """The value of `old op= value`."""
    return _IN_PLACE[op](old, value)


def branch(condition: Any) -> Branch:
    return Branch(condition)


def iterate(items: Any) -> Iterable[Any]:
    """What a `for` statement runs over: a loop of the language once, anything else as Python does."""
    if isinstance(items, Loop):
        return _traced(items)
    if isinstance(items, Operand):
        fail(
            KernelTypeError,
            "a run-time scalar cannot be looped over",
            values=[f"the value is {items!r}"],
            help="loop over T.serial(n), T.Parallel(n) or range(n)",
        )
    result: Iterable[Any] = items
    return result


def _traced(loop: Loop) -> Iterator[Any]:
    yield from loop.run()


def range(function: Any, *arguments: Any) -> Any:
    """`range(...)` of a `for` statement: a sequential loop of the kernel."""
    tracer = active()
    if function is not builtins.range:
        return function(*arguments)
    if tracer is None or tracer.kernel is None or not tracer.kernel.open:
        return builtins.range(*arguments)
    if not 1 <= len(arguments) <= 3:
        fail(KernelTypeError, f"range takes 1 to 3 arguments, {len(arguments)} were given")
    return control.python_range(*arguments)


def while_condition(condition: Any) -> bool:
    if is_known(condition):
        return truth(condition)
    unsupported("`while` with a run-time condition", help="loop a fixed number of times and guard the body with `if`")


def leave_loop(word: str) -> None:
    """`break` and `continue`: fine in loops that Python runs."""
    tracer = active()
    if tracer is None:
        return
    frame = tracer.frame
    if frame.kind == "loop":
        unsupported(f"`{word}` in a loop of the kernel", help="guard the rest of the body with `if`")
    if frame.kind == "parallel":
        fail(
            KernelSyntaxError,
            f"`{word}` inside T.Parallel",
            notes=[Note("the T.Parallel is here", frame.location)],
            help="iterations are independent: guard the body with `if`",
        )
    if frame.kind == "branch":
        unsupported(f"`{word}` under a run-time condition", help="guard the rest of the body with `if`")


def check(condition: Any, message: Callable[[], Any]) -> None:
    """`assert`: checked now if the condition is known."""
    if not is_known(condition):
        unsupported("`assert` on a run-time condition", help="check the arguments before the call")
    if not truth(condition):
        text = message()
        fail(KernelValueError, "assertion failed" if text is None else f"assertion failed: {text}")


def negation(value: Any) -> Any:
    return not truth(value) if is_known(value) else arith.logical_not(value)


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
}


def contained(op: str, item: Any, container: Any) -> bool:
    """`item in container`, which Python alone can decide."""
    symbolic = isinstance(item, Operand) and not is_known(item)
    if not symbolic and isinstance(container, (list, tuple, set)):
        symbolic = any(isinstance(x, Operand) and not is_known(x) for x in container) and not any(
            x is item for x in container
        )
    if symbolic or isinstance(container, Operand):
        fail(
            KernelTypeError,
            f"`{op}` cannot decide on a run-time value",
            values=[f"{item!r} {op} {container!r}"],
            help="compare with each candidate: (x == a) or (x == b)",
        )
    return (item in container) == (op == "in")


def chain(operators: list[str], first: Any, rest: list[Callable[[], Any]]) -> Any:
    """`a < b < c`: each operand is evaluated once, as far as needed."""
    left = first

    def step(i: int) -> Any:
        nonlocal left
        right = settle(rest[i]())
        op = operators[i]
        result = contained(op, left, right) if op in ("in", "not in") else _COMPARE[op](left, right)
        left = right
        return result

    left = settle(left)
    result = step(0)
    for i in builtins.range(1, len(rest)):
        result = logical("and", result, [lambda i=i: step(i)])  # type: ignore[misc]
        if is_known(result) and not truth(result):
            return result
    return result


def choose(function: Any, condition: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """A call with three arguments: T.if_then_else evaluates the side that is taken, any other function both."""
    if function is control.if_then_else:
        return conditional(condition, then, otherwise)
    return function(condition, then(), otherwise())
