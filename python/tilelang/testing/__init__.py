"""Helpers for tests of kernels."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

from ..profiler.bench import as_float_array

__all__ = ["main", "requires_ascend", "requires_package", "set_random_seed", "torch_assert_close"]


def main() -> None:
    """Runs the tests of the calling file with pytest and exits."""
    import pytest

    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    sys.exit(pytest.main([frame.f_back.f_globals["__file__"], *sys.argv[1:]]))


def set_random_seed(seed: int = 42) -> None:
    """Seeds Python, NumPy and, where it is loaded, torch."""
    import random

    import numpy

    random.seed(seed)
    numpy.random.seed(seed)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


def torch_assert_close(
    tensor_a: Any, tensor_b: Any, rtol: float = 1e-2, atol: float = 1e-3, max_mismatched_ratio: float = 0.001, **_: Any
) -> bool:
    """Compares two arrays (torch or NumPy); a small share of the elements may be outside of the tolerance."""
    import numpy

    first, second = as_float_array(tensor_a), as_float_array(tensor_b)
    if first.shape != second.shape:
        raise AssertionError(f"shapes differ: {first.shape} and {second.shape}")
    wrong = ~numpy.isclose(first, second, rtol=rtol, atol=atol, equal_nan=True)
    if wrong.size and wrong.mean() > max_mismatched_ratio:
        raise AssertionError(
            f"{int(wrong.sum())} of {wrong.size} elements differ (rtol {rtol:g}, atol {atol:g}, allowed "
            f"{max_mismatched_ratio:.2%}); largest difference {numpy.nanmax(numpy.abs(first - second)):g}"
        )
    return True


def _skip_unless(condition: bool, reason: str) -> Callable[[Any], Any]:
    import pytest

    return pytest.mark.skipif(not condition, reason=reason)


def requires_ascend(test: Any) -> Any:
    """Marks a test that needs the target `ascend`; the simulator counts."""
    from ..target import list_targets

    return _skip_unless("ascend" in list_targets(), "the target ascend is not available")(test)


def requires_package(name: str) -> Callable[[Any], Any]:
    """Marks a test that needs a package."""
    import importlib.util

    return _skip_unless(importlib.util.find_spec(name) is not None, f"the package {name} is not installed")
