"""`tilelang.autotune`: choosing the fastest configuration."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import UnsupportedError

__all__ = ["autotune"]


def autotune(*args: Any, **kwargs: Any) -> NoReturn:
    """Not available yet."""
    raise UnsupportedError(
        "tilelang.autotune is not available in this version",
        help="compile the configurations with par_compile and compare kernel.profile(...).microseconds",
    )
