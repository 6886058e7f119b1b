"""Small helpers for host code."""

from __future__ import annotations

import enum
import logging
import sys

__all__ = ["TensorSupplyType", "cdiv", "next_power_of_2", "set_log_level"]

logger = logging.getLogger("tilelang")


def cdiv(a: int, b: int) -> int:
    """Ceiling division of integers."""
    return -(-a // b)


def next_power_of_2(n: int) -> int:
    """The smallest power of two that is not less than `n`."""
    return 1 if n <= 1 else 1 << (n - 1).bit_length()


class TensorSupplyType(enum.Enum):
    """How a profiler fills the inputs that it makes itself."""

    Auto = "auto"
    Integer = "integer"
    Uniform = "uniform"
    Normal = "normal"
    Randn = "randn"
    Zero = "zero"
    One = "one"


def set_log_level(level: str | int) -> None:
    """Sets what the package logs: "DEBUG", "INFO", "WARNING", "ERROR", or a number of `logging`."""
    value = level.upper() if isinstance(level, str) else level
    try:
        logger.setLevel(value)
    except ValueError:
        raise ValueError(f"log level {level!r} is unknown; known are DEBUG, INFO, WARNING, ERROR, CRITICAL") from None


_said: set[str] = set()


def say_once(key: str, message: str, *, warning: bool = False) -> None:
    """Tells the user something the first time only: a warning always, other notes only on a terminal."""
    if key in _said:
        return
    _said.add(key)
    if warning or sys.stderr.isatty():
        print(f"tilelang: {message}", file=sys.stderr)
    else:
        logger.info(message)
