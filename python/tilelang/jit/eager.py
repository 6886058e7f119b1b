"""Calls of functions in eager style: compile for the sizes of the arguments, then run."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ArgumentTypeError, KernelTypeError, SourceLocation
from .kernel import JITKernel

__all__ = ["EagerKernels"]


class EagerKernels:
    """The kernels of one function, by the values of its sizes and compile-time arguments."""

    def __init__(self, function: Any, key: Callable[[Any], Any], build: Callable[[Any, list[int]], JITKernel]) -> None:
        self._function = function
        self._key = key
        self._build = build
        self._signature = inspect.signature(function)
        #: From what a call gives to its kernel, and from what decides the program to the kernel.
        self._calls: dict[Any, tuple[JITKernel, list[str], bool]] = {}
        self._programs: dict[Any, tuple[JITKernel, list[str], bool]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._programs)

    def clear(self) -> None:
        with self._lock:
            self._calls.clear()
            self._programs.clear()

    def _location(self) -> SourceLocation:
        code = self._function.__code__
        return SourceLocation(code.co_filename, code.co_firstlineno)

    def _bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], partial: bool) -> dict[str, Any]:
        bind = self._signature.bind_partial if partial else self._signature.bind
        try:
            bound = bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentTypeError(
                f"{self._function.__name__}: {error}",
                values=[f"signature: {self._function.__name__}{self._signature}"],
            ) from None
        bound.apply_defaults()
        if bound.kwargs and any(
            parameter.kind is parameter.VAR_KEYWORD for parameter in self._signature.parameters.values()
        ):
            raise ArgumentTypeError(f"{self._function.__name__}: an eager kernel cannot take **keywords")
        return dict(bound.arguments)

    def declare(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What the function declares for these arguments; sizes may be given by name in place of tensors."""
        from ..language.eager import declare

        known = {name: value for name, value in kwargs.items() if name in self._signature.parameters}
        sizes = {name: value for name, value in kwargs.items() if name not in self._signature.parameters}
        for name, value in sizes.items():
            if isinstance(value, bool) or not isinstance(value, int):
                raise ArgumentTypeError(
                    f"{self._function.__name__}: '{name}' is {value!r}, expected the integer value of a T.const",
                    values=[f"signature: {self._function.__name__}{self._signature}"],
                )
        found = declare(self._function, self._bind(args, known, partial=True), sizes)
        unknown = [name for name in sizes if name not in found.asked]
        if unknown:
            raise ArgumentTypeError(
                f"{self._function.__name__}: '{unknown[0]}' is no parameter and no T.const",
                values=[
                    f"signature: {self._function.__name__}{self._signature}",
                    f"T.const: {', '.join(found.asked) or 'none'}",
                ],
            )
        runtime = {*found.tensors, *found.scalars}
        for name in self._signature.parameters:
            if name not in runtime and name not in found.arguments:
                raise ArgumentTypeError(
                    f"{self._function.__name__}: the compile-time argument '{name}' is missing",
                    values=[f"signature: {self._function.__name__}{self._signature}"],
                )
        return found

    def _kernel_of(self, found: Any) -> tuple[JITKernel, list[str], bool]:
        from ..language.eager import trace_eager

        inputs = [parameter.name for parameter in found.inputs()]
        key = (
            tuple(sorted(found.constants.items())),
            tuple((name, self._key(value)) for name, value in found.arguments.items() if name not in inputs),
        )
        with self._lock:
            known = self._programs.get(key)
            if known is None:
                program, outputs, is_tuple = trace_eager(found)
                known = self._programs[key] = (self._build(program, outputs), inputs, is_tuple)
        return known

    def kernel(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> JITKernel:
        """The kernel for these arguments; tensors may be left out where the sizes are given by name."""
        return self._kernel_of(self.declare(args, kwargs))[0]

    def program(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        from ..language.eager import trace_eager

        return trace_eager(self.declare(args, kwargs))[0]

    def call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        arguments = self._bind(args, kwargs, partial=False)
        key = tuple((name, self._key(value)) for name, value in arguments.items())
        known = self._calls.get(key)
        if known is None:
            found = self.declare(args, kwargs)
            known = self._kernel_of(found)
            # Scalars of the run decide nothing, so a call that has some is looked up by what it declares.
            if not found.scalars:
                self._calls[key] = known
        kernel, inputs, is_tuple = known
        result = kernel(*(arguments[name] for name in inputs))
        if not is_tuple or result is None:
            return result
        return tuple(result) if isinstance(result, list) else (result,)


def reject_outputs(name: str, out_idx: Any, location: SourceLocation) -> None:
    """Eager kernels return what they allocate."""
    if out_idx is not None:
        raise KernelTypeError(
            f"'{name}' opens T.Kernel in its own body and cannot have out_idx",
            location,
            values=[f"out_idx is {out_idx!r}"],
            help="allocate outputs by T.empty and return them",
        )
