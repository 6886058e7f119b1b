"""TileLang Native: a tile language in Python, compiled for Ascend NPUs, with an Ascend chip in software to run it on.

Importing the package is cheap: attributes load what they need when they are first used. The compiler (MLIR) loads with
the first traced kernel, the simulator with the first launch, torch never unless the program itself imports it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._native_path import extension_directory as _extension_directory

__version__ = "0.1.0"

# `tilelang._compiler` and `tilelang._runtime` are found here.
__path__.append(_extension_directory())

if TYPE_CHECKING:
    from . import cache, errors, language, profiler, runtime, target, testing, tools, utils
    from .cache import clear_cache, disable_cache, enable_cache, is_cache_enabled
    from .jit import JITKernel, compile, jit, lower, par_compile
    from .jit.autotune import autotune
    from .passes import PassConfigKey
    from .profiler import Profiler, do_bench
    from .utils import TensorSupplyType, cdiv, next_power_of_2, set_log_level

#: Where each lazy attribute comes from; an empty name is the module itself.
_ATTRIBUTES: dict[str, tuple[str, str]] = {
    "JITKernel": (".jit", "JITKernel"),
    "PassConfigKey": (".passes", "PassConfigKey"),
    "Profiler": (".profiler", "Profiler"),
    "TensorSupplyType": (".utils", "TensorSupplyType"),
    "autotune": (".jit.autotune", "autotune"),
    "cache": (".cache", ""),
    "cdiv": (".utils", "cdiv"),
    "clear_cache": (".cache", "clear_cache"),
    "compile": (".jit", "compile"),
    "disable_cache": (".cache", "disable_cache"),
    "do_bench": (".profiler", "do_bench"),
    "enable_cache": (".cache", "enable_cache"),
    "errors": (".errors", ""),
    "is_cache_enabled": (".cache", "is_cache_enabled"),
    "jit": (".jit", ""),
    "language": (".language", ""),
    "lower": (".jit", "lower"),
    "next_power_of_2": (".utils", "next_power_of_2"),
    "par_compile": (".jit", "par_compile"),
    "profiler": (".profiler", ""),
    "runtime": (".runtime", ""),
    "set_log_level": (".utils", "set_log_level"),
    "target": (".target", ""),
    "testing": (".testing", ""),
    "tools": (".tools", ""),
    "utils": (".utils", ""),
}

__all__ = [
    "JITKernel",
    "PassConfigKey",
    "Profiler",
    "TensorSupplyType",
    "__version__",
    "autotune",
    "cache",
    "cdiv",
    "clear_cache",
    "compile",
    "disable_cache",
    "do_bench",
    "enable_cache",
    "errors",
    "is_cache_enabled",
    "jit",
    "language",
    "lower",
    "next_power_of_2",
    "par_compile",
    "profiler",
    "runtime",
    "set_log_level",
    "target",
    "testing",
    "tools",
    "utils",
]


def __getattr__(name: str) -> Any:
    try:
        module_name, attribute = _ATTRIBUTES[name]
    except KeyError:
        raise AttributeError(f"module 'tilelang' has no attribute {name!r}") from None
    module = importlib.import_module(module_name, __name__)
    value = getattr(module, attribute) if attribute else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ATTRIBUTES})
