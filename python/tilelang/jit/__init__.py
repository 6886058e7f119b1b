"""Compiling programs into kernels.

This module can be called: `tilelang.jit` is the decorator, whether the attribute was reached through the package or
through an import of the module.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .build import lower
from .decorator import JITFunction, compile, jit, par_compile
from .kernel import JITKernel

__all__ = ["JITFunction", "JITKernel", "compile", "jit", "lower", "par_compile"]


class _CallableModule(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return jit(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
