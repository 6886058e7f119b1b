"""The state of one trace: the builder, the open regions, and where the user's program is.

Operations are created while the rewritten program runs. A region is a `Frame`; the values and names it holds die with
it.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

from ..errors import KernelSyntaxError, Note, SourceLocation, TileLangError, UnsupportedError
from .source import location_at, user_frame, user_location

__all__ = ["Frame", "Tracer", "active", "current", "fail", "unsupported"]


class Frame:
    """An open region of the program."""

    __slots__ = ("anchor", "kind", "location", "open", "parent", "what")

    def __init__(self, kind: str, what: str, location: SourceLocation | None, parent: Frame | None) -> None:
        self.kind = kind  # "function", "kernel", "loop", "parallel", "branch", "arm"
        self.what = what  # in words: "this T.Parallel"
        self.location = location
        self.parent = parent
        self.open = True
        # The innermost region around that may run any number of times or not at all. A kernel body runs once for
        # its block, and an arm of an expression binds no names.
        if kind in ("loop", "parallel", "branch"):
            self.anchor: Frame = self
        else:
            self.anchor = self if parent is None else parent.anchor

    def inside(self, kind: str) -> Frame | None:
        """The innermost frame of a kind around here, this one included."""
        frame: Frame | None = self
        while frame is not None and frame.kind != kind:
            frame = frame.parent
        return frame


class _State(threading.local):
    tracer: Tracer | None = None


_state = _State()


def active() -> Tracer | None:
    """The trace that runs on this thread, if any."""
    return _state.tracer


def current(what: str) -> Tracer:
    """The running trace; an error if there is none."""
    tracer = _state.tracer
    if tracer is None:
        raise KernelSyntaxError(
            f"{what} can only be used inside a kernel",
            user_location(),
            help="call it in a function decorated with @T.prim_func, or in a macro or helper called from one",
        )
    return tracer


def fail(
    cls: type[TileLangError],
    message: str,
    *,
    values: Sequence[str] = (),
    help: str | None = None,
    notes: Sequence[Note] = (),
    location: SourceLocation | None = None,
) -> NoReturn:
    """Raises an error at the user's line."""
    raise cls(message, location or user_location(), values=values, help=help, notes=notes)


def unsupported(what: str, *, help: str | None = None, values: Sequence[str] = ()) -> NoReturn:
    raise UnsupportedError(f"{what} is not supported yet", user_location(), help=help, values=values)


def load_compiler() -> Any:
    """The extension module with MLIR; loaded with the first traced kernel."""
    return importlib.import_module("tilelang._compiler")


class Tracer:
    """Builds one program."""

    def __init__(self, name: str, location: SourceLocation | None) -> None:
        compiler = load_compiler()
        self.name = name
        self.builder: Any = compiler.Builder()
        self.frame = Frame("function", f"function '{name}'", location, None)
        self.root = self.frame
        self.kernel: Frame | None = None
        #: Loads and other effects so far; two readings that are equal enclose only pure operations.
        self.effects = 0
        #: Values of symbols (run-time sizes), by symbol.
        self.symbols: dict[Any, Any] = {}
        self.unnamed: list[Any] = []
        self._locations: dict[tuple[int, int], Any] = {}
        self._atoms: dict[Any, int] = {}
        self._kept: list[Any] = []

    # -- running -------------------------------------------------------------------------------------------------------

    def __enter__(self) -> Tracer:
        if _state.tracer is not None:
            fail(KernelSyntaxError, "a prim_func cannot be defined or called inside a kernel", help="use @T.macro")
        _state.tracer = self
        return self

    def __exit__(self, *exception: object) -> None:
        _state.tracer = None
        frame: Frame | None = self.frame
        while frame is not None:
            frame.open = False
            frame = frame.parent

    # -- operations ----------------------------------------------------------------------------------------------------

    def location(self) -> Any:
        """The builder's location for the user's current line."""
        frame = user_frame()
        if frame is None:
            return self.location_of(self.root.location)
        key = (id(frame.f_code), frame.f_lasti)
        known = self._locations.get(key)
        if known is None:
            known = self.location_of(location_at(frame.f_code, frame.f_lasti, frame.f_lineno))
            self._locations[key] = known
            self._kept.append(frame.f_code)
        return known

    def location_of(self, place: SourceLocation | None) -> Any:
        if place is None:
            return self.builder.location("", 0, 0, 0, 0)
        end = place.end_line or place.line
        return self.builder.location(place.file, place.line, place.column, end, place.end_column)

    def create(
        self,
        name: str,
        operands: Sequence[Any] = (),
        types: Sequence[str] = (),
        attributes: dict[str, str] | None = None,
        regions: Sequence[Any] = (),
        location: Any = None,
    ) -> list[Any]:
        items = list(attributes.items()) if attributes else []
        results: list[Any] = self.builder.create(
            name, list(operands), list(types), items, list(regions), location or self.location()
        )
        return results

    def create_one(
        self, name: str, operands: Sequence[Any], type: str, attributes: dict[str, str] | None = None
    ) -> Any:
        """An operation with one result."""
        return self.create(name, operands, (type,), attributes)[0]

    def constant_int(self, type: str, value: int) -> Any:
        bits = 64 if type == "index" else int(type[1:])
        value &= (1 << bits) - 1
        if value >> (bits - 1) and bits > 1:
            value -= 1 << bits
        return self.builder.constant_int(type, value, self.location())

    def constant_float(self, type: str, value: float) -> Any:
        return self.builder.constant_float(type, value, self.location())

    # -- regions -------------------------------------------------------------------------------------------------------

    def open_region(self, kind: str, what: str, types: Sequence[str] = ()) -> list[Any]:
        """Opens a region; its block arguments."""
        arguments: list[Any] = self.builder.push_region(list(types), self.location())
        self.frame = Frame(kind, what, user_location(), self.frame)
        return arguments

    def close_region(self, terminator: str | None = "tile.yield", operands: Sequence[Any] = ()) -> Any:
        """Closes the innermost region; what it bound dies. Returns the region, to be given to its operation."""
        frame = self.frame
        if frame.parent is None:
            raise RuntimeError("no region is open")
        if terminator:
            self.create(terminator, operands, location=self.location_of(frame.location))
        frame.open = False
        self.frame = frame.parent
        return self.builder.pop_region()

    def require_kernel(self, what: str) -> None:
        """What works on tiles stands in a `with T.Kernel` and outside parallel bodies."""
        if self.kernel is None or not self.kernel.open:
            fail(
                KernelSyntaxError,
                f"{what} must stand inside `with T.Kernel(...)`",
                help="move it into the kernel's body",
            )
        parallel = self.frame.inside("parallel")
        if parallel is not None:
            fail(
                KernelSyntaxError,
                f"{what} works on whole tiles and cannot stand inside T.Parallel",
                notes=[Note("the T.Parallel is here", parallel.location)],
                help="end the T.Parallel loop before it; inside, read and write single elements",
            )

    # -- normal forms of index expressions -----------------------------------------------------------------------------

    def atom(self, key: Any, keep: Any = None) -> int:
        """A number for something that index arithmetic treats as a variable. Equal keys give equal numbers."""
        number = self._atoms.get(key)
        if number is None:
            number = self._atoms[key] = len(self._atoms)
            if keep is not None:
                self._kept.append(keep)  # keys hold ids: what they name must stay alive
        return number
