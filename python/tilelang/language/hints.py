"""Hints for other targets. They never change a result and are accepted and forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import KernelTypeError
from .buffers import Buffer
from .tracer import current, fail
from .values import Operand

__all__ = ["Fragment", "Layout", "annotate_layout", "assume", "evaluate", "make_swizzled_layout", "use_swizzle"]


def use_swizzle(panel_size: Any = 10, order: Any = "row", enable: Any = True) -> None:
    """The order in which blocks of the grid run."""
    current("T.use_swizzle")


class Layout:
    """The physical layout of a tile, as an index map."""

    def __init__(self, shape: Any, forward_fn: Callable[..., Any] | None = None, **options: Any) -> None:
        self.shape = shape
        self.forward_fn = forward_fn
        self.options = options


class Fragment(Layout):
    """The distribution of a tile over threads."""


def make_swizzled_layout(buffer: Any, *arguments: Any, **options: Any) -> Layout:
    """A layout without bank conflicts."""
    return Layout(getattr(buffer, "shape", None))


def annotate_layout(layouts: Any, **options: Any) -> None:
    """Physical layouts of tiles."""
    current("T.annotate_layout")
    if not isinstance(layouts, dict) or not all(isinstance(buffer, Buffer) for buffer in layouts):
        fail(
            KernelTypeError,
            "T.annotate_layout takes a dictionary from buffers to layouts",
            values=[f"it was given {layouts!r}"],
        )


def no_effect(*arguments: Any, **options: Any) -> None:
    """A hint without any meaning here."""


def assume(condition: Any) -> None:
    """A promise to the compiler."""


def evaluate(value: Any) -> None:
    """Evaluates an expression and drops its value."""
    if isinstance(value, Operand):
        value.expr()
