"""Code that kernels share: @T.macro functions are traced into the program where they are called."""

from __future__ import annotations

import functools
import inspect
from types import FunctionType
from typing import Any

from ..errors import KernelTypeError
from .rewrite import rewrite_function
from .tracer import current, fail
from .values import Element, Var, settle

__all__ = ["Macro", "Ref", "macro"]


class Ref:
    """Annotation of a macro's parameter that is passed by reference: assigning to it stores into the caller's variable
    or element."""

    def __class_getitem__(cls, item: Any) -> type[Ref]:
        return cls


class Macro:
    """A function that is traced where it is called."""

    def __init__(self, function: FunctionType) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._rewritten = rewrite_function(function, "macro")
        self._signature = inspect.signature(function)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        current(f"the macro '{self.function.__name__}'")
        try:
            bound = self._signature.bind(*arguments, **keywords)
        except TypeError as error:
            fail(KernelTypeError, f"the macro '{self.function.__name__}': {error}")
        for name, value in bound.arguments.items():
            bound.arguments[name] = self._argument(name, value)
        return self._rewritten(*bound.args, **bound.kwargs)

    def _argument(self, name: str, value: Any) -> Any:
        annotation = self._signature.parameters[name].annotation
        by_reference = annotation is Ref or (
            isinstance(annotation, str) and annotation.split(".")[-1] in ("Ref", "Var")
        )
        if not by_reference:
            return settle(value)
        if not isinstance(value, (Element, Var)):
            fail(
                KernelTypeError,
                f"the macro '{self.function.__name__}' takes '{name}' by reference",
                values=[f"it was given {value!r}"],
                help="pass a variable of T.alloc_var or an element of a buffer",
            )
        return value

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """A macro written as a method."""
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<macro {self.function.__name__}>"


def macro(function: Any = None, *, hygienic: bool = True) -> Any:
    """Marks a function that kernels call; control flow in it is translated as in the kernel itself."""
    if function is None:
        return lambda f: macro(f)
    if not isinstance(function, FunctionType):
        fail(KernelTypeError, f"@T.macro decorates functions, not {type(function).__name__}")
    return Macro(function)
