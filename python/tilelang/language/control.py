"""Control flow that is decided at run time: loops, branches and conditional values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..dtypes import dtype as DType
from ..errors import KernelSyntaxError, KernelTypeError, KernelValueError, Note
from . import arith, polynomial
from .buffers import Size, index_value, known_size, normal_size
from .memory import extents_attribute, parallel_index
from .source import location_of_frame, user_frame
from .tracer import current, fail, unsupported
from .values import Const, Element, Expr, Operand, Var, as_plain_int, is_plain, plain, settle

__all__ = [
    "Loop",
    "Parallel",
    "Persistent",
    "Pipelined",
    "Serial",
    "if_then_else",
    "select",
    "serial",
    "unroll",
    "vectorized",
]


class Loop:
    """What `for` runs over: opened by the rewritten loop, once."""

    what = "a loop"

    def __init__(self) -> None:
        self.location = None
        frame = user_frame()
        if frame is not None:
            self.location = location_of_frame(frame)

    def run(self) -> Iterator[Any]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        fail(
            KernelSyntaxError,
            f"{self.what} is looped over in plain Python",
            help="decorate the function that holds the loop with @T.macro, so that the loop is translated",
        )


_KINDS = {"serial": 0, "unroll": 1, "pipelined": 2}


class _Range(Loop):
    """A sequential loop."""

    def __init__(self, name: str, kind: str, start: Any, stop: Any, step: Any, stages: int = 0) -> None:
        super().__init__()
        self.what = f"this {name}"
        self.name = name
        self.kind = kind
        if stop is None:
            start, stop = 0, start
        self.start = self._bound("start", start)
        self.stop = self._bound("stop", stop)
        self.step = self._bound("step", 1 if step is None else step)
        if self.step == 0 and isinstance(self.step, int):
            fail(KernelValueError, f"{name}: the step is 0")
        self.stages = stages

    def _bound(self, role: str, value: Any) -> Size:
        if isinstance(value, bool) or not (is_plain(value) or isinstance(value, Operand)):
            fail(KernelTypeError, f"{self.name}: the {role} is no integer", values=[f"the {role} is {value!r}"])
        return normal_size(value)

    def run(self) -> Iterator[Any]:
        tracer = current(self.name)
        parallel = tracer.frame.inside("parallel")
        if parallel is not None:
            unsupported(f"{self.name} inside T.Parallel")
        tracer.require_kernel(self.name)
        bounds = [index_value(bound) for bound in (self.start, self.stop, self.step)]
        location = tracer.location_of(self.location)
        (argument,) = tracer.open_region("loop", self.what, ["index"])
        tracer.frame.location = self.location
        start, step = known_size(self.start), known_size(self.step)
        low = start is not None and start >= 0
        index = Expr(
            argument,
            arith.INT32,
            "index",
            poly=polynomial.of_variable(tracer.atom(("index", id(argument)), argument)),
            nonnegative=(low or getattr(self.start, "nonnegative", False)) and step is not None and step > 0,
        )
        yield index
        region = tracer.close_region()
        tracer.effects += 1
        tracer.create(
            "tile.for",
            bounds,
            [],
            {"kind": f"{_KINDS[self.kind]} : i32", "stages": f"{self.stages} : i64"},
            [region],
            location=location,
        )


def serial(start: Any, stop: Any = None, step: Any = None, *, annotations: Any = None) -> Loop:
    """A sequential loop: `for k in T.serial(n)`."""
    return _Range("T.serial", "serial", start, stop, step)


Serial = serial


def unroll(
    start: Any,
    stop: Any = None,
    step: Any = None,
    *,
    explicit: bool = False,
    unroll_factor: int | None = None,
    annotations: Any = None,
) -> Loop:
    """A sequential loop that the compiler unrolls."""
    if explicit and unroll_factor is not None:
        fail(KernelValueError, "T.unroll: explicit and unroll_factor exclude each other")
    return _Range("T.unroll", "unroll", start, stop, step)


def python_range(start: Any, stop: Any = None, step: Any = None) -> Loop:
    """`range` in a kernel."""
    return _Range("range", "serial", start, stop, step)


def Pipelined(
    start: Any,
    stop: Any = None,
    num_stages: Any = 0,
    order: Any = None,
    stage: Any = None,
    sync: Any = None,
    group: Any = None,
) -> Loop:
    """A sequential loop whose iterations may overlap; `num_stages` never changes the result."""
    stages = as_plain_int(num_stages)
    if stages is None or isinstance(num_stages, bool) or stages < 0:
        fail(
            KernelValueError,
            "T.Pipelined: num_stages must be a number from 0 up",
            values=[f"num_stages is {num_stages!r}"],
        )
    return _Range("T.Pipelined", "pipelined", start, stop, None, stages)


class Persistent(_Range):
    """The tiles of a grid that one of `wave_size` blocks computes: `for bx, by in T.Persistent([m, n], blocks, block)`.
    Block `index` takes every `wave_size`-th tile; each tile is taken once. Tiles follow each other along the first
    dimensions, within groups of up to `group_size` along the last one: a hint, which changes no result."""

    def __init__(self, domain: Any, wave_size: Any, index: Any, group_size: Any = 8) -> None:
        extents = domain if isinstance(domain, (tuple, list)) else [domain]
        self.name = "T.Persistent"
        if not extents:
            fail(KernelValueError, "T.Persistent: the domain has no dimension", help="give one extent for each index")
        group = as_plain_int(group_size)
        if group is None or isinstance(group_size, bool) or group < 1:
            fail(
                KernelValueError,
                "T.Persistent: group_size must be a number from 1 up",
                values=[f"group_size is {group_size!r}"],
            )
        self.extents = [self._bound(f"extent {position}", extent) for position, extent in enumerate(extents)]
        wave = self._bound("wave_size", wave_size)
        for role, value in [("the wave_size", wave), *((f"extent {i}", e) for i, e in enumerate(self.extents))]:
            if isinstance(value, int) and value < 1:
                fail(KernelValueError, f"T.Persistent: {role} is {value}", help="it is at least 1")
        total = self.extents[0]
        for extent in self.extents[1:]:
            total = normal_size(total * extent)
        super().__init__(self.name, "serial", index, total, wave)
        # Whole groups only: the coordinates stay simple.
        last = self.extents[-1]
        self.group = max(n for n in range(1, group + 1) if last % n == 0) if isinstance(last, int) else 1

    def run(self) -> Iterator[Any]:
        sizes = [*self.extents[:-1], self.group]
        for rest in super().run():
            coordinates = []
            for size in reversed(sizes):
                coordinates.append(rest % size)
                rest = rest // size
            within, *others = coordinates
            indices = [*reversed(others), rest * self.group + within]
            yield indices[0] if len(indices) == 1 else tuple(indices)


class Parallel(Loop):
    """Independent iterations over the elements of a tile: `for i, j in T.Parallel(64, 64)`."""

    what = "this T.Parallel"

    def __init__(
        self,
        *extents: Any,
        coalesced_width: Any = None,
        loop_layout: Any = None,
        prefer_async: Any = None,
        annotations: Any = None,
    ) -> None:
        super().__init__()
        self.name = "T.Parallel"
        self.extents = self._checked(extents)

    def _checked(self, extents: tuple[Any, ...]) -> list[int]:
        if len(extents) == 1 and isinstance(extents[0], (tuple, list)):
            extents = tuple(extents[0])
        if not extents:
            fail(KernelValueError, f"{self.name} needs at least one extent")
        checked = []
        for position, item in enumerate(extents):
            if isinstance(item, bool) or not (is_plain(item) or isinstance(item, Operand)) or isinstance(item, float):
                fail(
                    KernelTypeError,
                    f"{self.name}: extent {position} is no integer",
                    values=[f"the extent is {item!r}"],
                )
            extent = normal_size(item)
            if not isinstance(extent, int):
                unsupported(
                    f"{self.name} with an extent known at run time only",
                    help="loop over a fixed tile and guard the elements: `if i < n:`",
                )
            if extent <= 0:
                fail(
                    KernelValueError,
                    f"{self.name}: extent {position} is {extent}",
                    values=[f"the extents are {extents!r}"],
                    help="every extent is at least 1",
                )
            checked.append(extent)
        return checked

    def run(self) -> Iterator[Any]:
        tracer = current(self.name)
        outer = tracer.frame.inside("parallel")
        if outer is not None:
            fail(
                KernelSyntaxError,
                f"{self.name} inside another T.Parallel",
                notes=[Note("the outer T.Parallel is here", outer.location)],
                help="write one loop over all indices: `for i, j in T.Parallel(m, n)`",
            )
        tracer.require_kernel(self.name)
        location = tracer.location_of(self.location)
        arguments = tracer.open_region("parallel", self.what, ["index"] * len(self.extents))
        tracer.frame.location = self.location
        indices = [parallel_index(argument) for argument in arguments]
        yield indices[0] if len(indices) == 1 else tuple(indices)
        region = tracer.close_region()
        tracer.effects += 1
        tracer.create(
            "tile.parallel", [], [], {"extents": extents_attribute(self.extents)}, [region], location=location
        )


class _Vectorized(Parallel):
    what = "this T.vectorized"

    def __init__(self, extent: Any) -> None:
        Loop.__init__(self)
        self.name = "T.vectorized"
        self.extents = self._checked((extent,))


def vectorized(start: Any, stop: Any = None, *, annotations: Any = None) -> Loop:
    """A loop of independent iterations over consecutive elements."""
    if stop is None:
        start, stop = 0, start
    if as_plain_int(start) == 0:
        return _Vectorized(stop)
    return _Range("T.vectorized", "serial", start, stop, None)


# -- conditional values ------------------------------------------------------------------------------------------------


def is_known(value: Any) -> bool:
    """True where Python can decide: anything but run-time values."""
    return not isinstance(value, Operand) or isinstance(value, Const)


def truth(value: Any) -> bool:
    return bool(value.value if isinstance(value, Const) else value)


class _Arm:
    """One side of a conditional value, computed into a region of its own."""

    def __init__(self, compute: Callable[[], Any]) -> None:
        tracer = current("a conditional value")
        before = tracer.effects
        tracer.open_region("arm", "a conditional expression")
        frame = tracer.frame
        self.value = settle(compute())
        if isinstance(self.value, (Element, Var)):
            self.value = self.value.expr()
        if isinstance(self.value, Operand) and not isinstance(self.value, Const):
            self.value = self.value.expr()
        self.region = tracer.close_region(None)
        self.frame = frame
        self.pure = tracer.effects == before

    def revive(self) -> None:
        """The region's operations move to the current point: its value lives on there."""
        tracer = current("a conditional value")
        if isinstance(self.value, Expr) and self.value.frame is self.frame:
            self.value.frame = tracer.frame


def conditional(condition: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """`then() if condition else otherwise()`: only the side that is taken is evaluated."""
    if is_known(condition):
        return then() if truth(condition) else otherwise()
    tracer = current("a conditional value")
    test = arith.condition(condition)
    arms = (_Arm(then), _Arm(otherwise))
    for arm in arms:
        if not arith.is_operand(arm.value):
            fail(
                KernelTypeError,
                "a run-time condition can choose between scalars only",
                values=[f"one side is {arm.value!r}"],
                help="use an `if` statement around the tile operations",
            )
    common = _common_type(arms[0].value, arms[1].value)
    as_index = any(isinstance(arm.value, Expr) and arm.value.is_index for arm in arms) and (
        common.kind == "int" and common.bits >= 32
    )

    def converted(value: Any) -> Expr:
        if as_index:
            return arith.to_index(value)
        if isinstance(value, Operand):
            return arith.convert(value.expr(), common)
        return arith.constant(plain(value), common)

    kind = "index" if as_index else common.compute_type
    if all(arm.pure for arm in arms):
        for arm in arms:
            tracer.builder.inline_region(arm.region)
            arm.revive()
        left, right = (converted(arm.value) for arm in arms)
        value = tracer.create_one("arith.select", [test.value, left.value, right.value], kind)
        nonnegative = left.nonnegative and right.nonnegative
    else:
        regions = []
        nonnegative = True
        for arm in arms:
            tracer.builder.resume_region(arm.region)
            frame = arm.frame
            frame.open = True
            outer, tracer.frame = tracer.frame, frame
            result = converted(arm.value)
            nonnegative = nonnegative and result.nonnegative
            tracer.create("scf.yield", [result.value])
            frame.open = False
            tracer.frame = outer
            regions.append(tracer.builder.pop_region())
        value = tracer.create("scf.if", [test.value], [kind], {}, regions)[0]
        tracer.effects += 1
    poly = polynomial.of_variable(tracer.atom(("value", id(value)), value)) if as_index else None
    return Expr(value, common, kind, poly=poly, nonnegative=nonnegative)


def _common_type(a: Any, b: Any) -> DType:
    if isinstance(a, Operand) and isinstance(b, Operand):
        return arith.promote(a.dtype, b.dtype)
    if isinstance(a, Operand):
        return arith.promote(a.dtype, arith.literal_type(plain(b), a.dtype))
    if isinstance(b, Operand):
        return arith.promote(b.dtype, arith.literal_type(plain(a), b.dtype))
    return arith.promote(arith.plain_type(plain(a)), arith.plain_type(plain(b)))


def if_then_else(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the condition holds, else `otherwise`. Only the side that is taken is evaluated: in a kernel and in
    macros the call is rewritten so that each side is computed in a region of its own."""
    return conditional(condition, lambda: then, lambda: otherwise)


def select(condition: Any, then: Any, otherwise: Any) -> Any:
    """Like T.if_then_else, but both sides are evaluated."""
    if is_known(condition):
        return then if truth(condition) else otherwise
    then, otherwise = (side.expr() if isinstance(side, Operand) else side for side in (then, otherwise))
    return conditional(condition, lambda: then, lambda: otherwise)


def logical(op: str, first: Any, rest: list[Callable[[], Any]]) -> Any:
    """`and` / `or` with short circuit, for Python and run-time values."""
    result = first
    for compute in rest:
        if is_known(result):
            if truth(result) is (op == "or"):
                return result
            result = compute()
            continue
        test = arith.condition(result)
        arm = _Arm(compute)
        if is_known(arm.value):
            known = truth(arm.value)
            if arm.pure:
                current(op).builder.inline_region(arm.region)
            else:
                unsupported(f"`{op}` whose right side has effects and a constant value")
            if known is (op == "or"):
                return known
            result = test
            continue
        result = _logical_pair(op, test, arm)
    return result


def _logical_pair(op: str, test: Expr, arm: _Arm) -> Expr:
    tracer = current(op)
    if arm.pure:
        tracer.builder.inline_region(arm.region)
        arm.revive()
        right = arith.condition(arm.value)
        name = "arith.ori" if op == "or" else "arith.andi"
        return Expr(tracer.create_one(name, [test.value, right.value], "i1"), arith.BOOL, "i1")
    tracer.builder.resume_region(arm.region)
    arm.frame.open = True
    outer, tracer.frame = tracer.frame, arm.frame
    right = arith.condition(arm.value)
    tracer.create("scf.yield", [right.value])
    arm.frame.open = False
    tracer.frame = outer
    computed = tracer.builder.pop_region()
    tracer.builder.push_region([], tracer.location())
    tracer.create("scf.yield", [tracer.constant_int("i1", 1 if op == "or" else 0)])
    known = tracer.builder.pop_region()
    regions = [known, computed] if op == "or" else [computed, known]
    tracer.effects += 1
    return Expr(tracer.create("scf.if", [test.value], ["i1"], {}, regions)[0], arith.BOOL, "i1")


class Branch:
    """A rewritten `if` statement. Python decides where it can; else both sides are traced into regions."""

    __slots__ = ("known", "location", "regions", "test")

    def __init__(self, condition: Any) -> None:
        self.regions: list[Any] = []
        self.known: bool | None = None
        if is_known(condition):
            self.known = truth(condition)
            return
        tracer = current("a run-time condition")
        if tracer.kernel is None or not tracer.kernel.open:
            fail(KernelSyntaxError, "a run-time condition must stand inside `with T.Kernel(...)`")
        self.test = arith.condition(condition)
        self.location = tracer.location()

    def then(self) -> bool:
        if self.known is None:
            current("if").open_region("branch", "this `if`")
            return True
        return self.known

    def otherwise(self) -> bool:
        if self.known is None:
            current("if").open_region("branch", "this `else`")
            return True
        return not self.known

    def end(self) -> None:
        if self.known is None:
            self.regions.append(current("if").close_region("scf.yield"))

    def close(self) -> None:
        if self.known is not None:
            return
        tracer = current("if")
        if len(self.regions) == 1:
            self.regions.append(tracer.builder.empty_region())
        tracer.effects += 1
        tracer.create("scf.if", [self.test.value], [], {}, self.regions, location=self.location)
