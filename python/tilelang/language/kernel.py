"""The launch: a grid of independent blocks."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from ..errors import KernelSyntaxError, KernelTypeError, KernelValueError, Note
from . import arith
from .buffers import Size, index_value, normal_size
from .memory import extents_attribute, parallel_index
from .source import user_location
from .tracer import current, fail, unsupported
from .values import Operand, as_plain_int, is_plain

__all__ = ["Kernel"]


class Kernel:
    """`with T.Kernel(gx, gy, threads=128) as (bx, by)`: the body is one block of the grid; the first index varies
    fastest. `threads` is a hint for targets with threads."""

    def __init__(self, *blocks: Any, threads: Any = None, prelude: Any = None) -> None:
        if len(blocks) == 1 and isinstance(blocks[0], (tuple, list)):
            blocks = tuple(blocks[0])
        if not 1 <= len(blocks) <= 3:
            fail(
                KernelValueError,
                f"T.Kernel takes 1 to 3 grid dimensions, {len(blocks)} were given",
                help="fold dimensions into one and split its index with // and %",
            )
        if prelude is not None:
            unsupported("T.Kernel(prelude=...)")
        self.location = user_location()
        self.grid = [self._dimension(position, block) for position, block in enumerate(blocks)]
        self.threads = self._threads(threads)

    def _dimension(self, position: int, block: Any) -> Size:
        if isinstance(block, (bool, float)) or not (is_plain(block) or isinstance(block, Operand)):
            fail(
                KernelTypeError,
                f"T.Kernel: grid dimension {position} is no integer",
                values=[f"it is {block!r}"],
                help="use T.ceildiv(N, block_N)",
            )
        current("T.Kernel")
        size = normal_size(block)
        if isinstance(size, int) and size < 0:
            fail(KernelValueError, f"T.Kernel: grid dimension {position} is {size}", help="it must not be negative")
        return size

    def _threads(self, threads: Any) -> list[int] | None:
        if threads is None:
            return None
        items = threads if isinstance(threads, (tuple, list)) else [threads]
        numbers = [as_plain_int(item) for item in items]
        if not 1 <= len(numbers) <= 3 or any(number is None or number <= 0 for number in numbers):
            fail(
                KernelValueError,
                "T.Kernel: threads must be one to three numbers above 0",
                values=[f"threads is {threads!r}"],
            )
        return [number for number in numbers if number is not None]

    def __enter__(self) -> Any:
        tracer = current("T.Kernel")
        if tracer.kernel is not None:
            first = tracer.kernel
            if first.open:
                fail(
                    KernelSyntaxError,
                    "T.Kernel inside another T.Kernel",
                    notes=[Note("the outer T.Kernel is here", first.location)],
                    help="a block cannot launch blocks; loop with T.serial",
                )
            unsupported("a second T.Kernel in one prim_func", help="write a prim_func for each")
        if tracer.frame is not tracer.root:
            fail(KernelSyntaxError, "T.Kernel must not stand under a run-time condition or in a loop of the kernel")
        self._operands = [index_value(size) for size in self.grid]
        self._where = tracer.location_of(self.location)
        arguments = tracer.open_region("kernel", "this T.Kernel", ["index"] * len(self.grid))
        tracer.frame.location = self.location
        tracer.kernel = tracer.frame
        indices = [parallel_index(argument) for argument in arguments]
        return indices[0] if len(indices) == 1 else tuple(indices)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            return
        tracer = current("T.Kernel")
        region = tracer.close_region()
        attributes = {} if self.threads is None else {"threads": extents_attribute(self.threads)}
        tracer.create("tile.kernel", self._operands, [], attributes, [region], location=self._where)


def ceildiv(a: Any, b: Any) -> Any:
    """a / b rounded up."""
    return arith.binary("ceildiv", a, b)
