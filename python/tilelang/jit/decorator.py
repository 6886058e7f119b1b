"""`tilelang.jit` and `tilelang.compile`."""

from __future__ import annotations

import concurrent.futures
import functools
import inspect
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import CodeType
from typing import Any

from ..errors import ArgumentTypeError, KernelTypeError, Note, SourceLocation
from ..passes import normalize_pass_configs
from ..utils import logger
from .build import BuildOptions, build
from .eager import EagerKernels, reject_outputs
from .kernel import JITKernel, checks_enabled, output_indices
from .user_line import at_user_line, calling_line

__all__ = ["JITFunction", "compile", "jit", "par_compile"]

#: Options of other targets' compilers, accepted so that programs run unmodified; they change no result.
_FOREIGN_OPTIONS = ("target_host", "execution_backend", "compile_flags", "debug_root_path", "platform")


def _is_prim_func(value: Any) -> bool:
    return callable(getattr(value, "module", None)) and hasattr(value, "params")


def _what(value: Any) -> str:
    """A value in words."""
    name = type(value).__name__
    return "None" if value is None else f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"


def _note_foreign(options: Mapping[str, Any], known: Sequence[str] = _FOREIGN_OPTIONS) -> None:
    for name, value in options.items():
        if name not in known:
            raise ArgumentTypeError(
                f"unknown option {name!r}",
                values=["options: out_idx, target, pass_configs, verbose, checks; without effect: " + ", ".join(known)],
            )
        if value not in (None, "auto"):
            logger.info("option %s=%r has no effect on this target", name, value)


def compile(
    func: Any,
    out_idx: int | Sequence[int] | None = None,
    target: Any = "auto",
    *,
    pass_configs: Mapping[Any, Any] | None = None,
    verbose: bool | None = None,
    checks: str | bool | None = None,
    **foreign: Any,
) -> JITKernel:
    """Compiles a program (`@T.prim_func`) into a kernel that can be called. `verbose` prints what the compiler remarks
    about the program; `kernel.remarks` has it in any case."""
    with at_user_line():
        _note_foreign(foreign)
        if not _is_prim_func(func):
            raise KernelTypeError(
                f"tilelang.compile takes a @T.prim_func, found {_what(func)}",
                help="a function that returns a prim_func is a factory: decorate it with @tilelang.jit, or call it "
                "first",
            )
    with at_user_line():
        options = BuildOptions.make(target, pass_configs, verbose)
        # A wrong index is found before anything is compiled.
        output_indices(out_idx, [{"name": p.name, "kind": p.kind} for p in func.params], func.name)
        return JITKernel(build(func, options), out_idx=out_idx, checks=checks, prim_func=func, options=options)


def par_compile(
    funcs: Iterable[Any],
    out_idx: int | Sequence[int] | None = None,
    target: Any = "auto",
    *,
    num_workers: int | None = None,
    ignore_error: bool = False,
    **options: Any,
) -> list[JITKernel | None]:
    """Compiles several programs at the same time. With `ignore_error`, one that fails gives None."""

    def one(func: Any) -> JITKernel | None:
        try:
            return compile(func, out_idx, target, **options)
        except Exception as error:
            if not ignore_error:
                raise
            logger.warning("%s is left out: %s", getattr(func, "name", func), error)
            return None

    work = list(funcs)
    workers = max(1, min(num_workers or os.cpu_count() or 1, len(work)))
    with concurrent.futures.ThreadPoolExecutor(workers, thread_name_prefix="tilelang-compile") as pool:
        return list(pool.map(one, work))


def _is_array(value: Any) -> bool:
    """Arrays count by type and layout; NumPy's scalars are values."""
    if isinstance(value, type) or not (hasattr(value, "shape") and hasattr(value, "dtype")):
        return False
    return not any(base.__name__ == "generic" and base.__module__ == "numpy" for base in type(value).__mro__)


def _array_key(value: Any) -> tuple[Any, ...]:
    strides = value.stride() if callable(getattr(value, "stride", None)) else getattr(value, "strides", None)
    return ("array", str(value.dtype), tuple(value.shape), tuple(strides) if strides is not None else None)


class _Identity:
    """A value that cannot be hashed, by identity; keeps it alive, so that its address is not used again."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.value is self.value


def _key(value: Any) -> Any:
    """What memoisation compares: equal keys get the same kernel."""
    if _is_array(value):
        return _array_key(value)
    if isinstance(value, (list, tuple)):
        return (type(value), *(_key(item) for item in value))
    if isinstance(value, dict):
        return (dict, *((_key(name), _key(item)) for name, item in value.items()))
    if isinstance(value, (set, frozenset)):
        return (type(value), frozenset(_key(item) for item in value))
    if type(value).__module__.startswith("tilelang."):
        # Run-time sizes compare symbolically, which has no truth value.
        return (type(value), repr(value), str(getattr(value, "dtype", "")))
    try:
        hash(value)
    except TypeError:
        return _Identity(value)
    # 1, 1.0 and True are equal and make different programs.
    return (type(value), value)


def _opens_kernel(code: CodeType) -> bool:
    """Whether a function opens `T.Kernel` in its own body: the eager style."""
    return "Kernel" in code.co_names


class JITFunction:
    """A factory of kernels: called with Python values and arrays, it runs the decorated function, compiles the program
    that it returns, and remembers the kernel. Arrays count by element type, shape and strides only. A function that
    opens T.Kernel itself (eager style) is a kernel instead: a call compiles it for its arguments and runs it."""

    def __init__(
        self,
        func: Callable[..., Any],
        *,
        out_idx: int | Sequence[int] | None,
        target: Any,
        pass_configs: Mapping[Any, Any] | None,
        verbose: bool | None,
        checks: str | bool | None,
    ) -> None:
        functools.update_wrapper(self, func)
        self.func = func
        self.out_idx = out_idx
        self.target = target
        self.pass_configs = normalize_pass_configs(pass_configs)
        self.verbose = verbose
        self.checks = checks
        checks_enabled(checks)
        self.signature = inspect.signature(func)
        #: Set for a function that opens T.Kernel itself: a call of it runs the kernel.
        self._eager: EagerKernels | None = None
        if _opens_kernel(func.__code__):
            reject_outputs(self.__name__, out_idx, self._location())
            self._eager = EagerKernels(func, _key, lambda program, outputs: self._compile(program, outputs or None))
        self._kernels: dict[Any, JITKernel] = {}
        self._lock = threading.Lock()
        self._key_locks: dict[Any, threading.Lock] = {}

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentTypeError(
                f"{self.__name__}: {error}",
                calling_line(),
                values=[f"signature: {self.__name__}{self.signature}"],
                notes=[Note(f"'{self.__name__}' is defined here", self._location())],
            ) from None
        bound.apply_defaults()
        return bound

    def _location(self) -> SourceLocation:
        """The heading of the decorated function."""
        from ..language.primfunc import heading_of

        return heading_of(self.func)

    __name__: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._eager is not None:
            return self._eager.call(args, kwargs)
        return self._kernel(args, kwargs)

    def _kernel(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> JITKernel:
        if self._eager is not None:
            return self._eager.kernel(args, kwargs)
        bound = self._bind(args, kwargs)
        key = tuple((name, _key(value)) for name, value in bound.arguments.items())
        kernel = self._kernels.get(key)
        if kernel is not None:
            return kernel
        with self._lock:
            lock = self._key_locks.setdefault(key, threading.Lock())
        with lock:
            kernel = self._kernels.get(key)
            if kernel is None:
                kernel = self._compile(self._program(bound))
                self._kernels[key] = kernel
        return kernel

    def _program(self, bound: inspect.BoundArguments) -> Any:
        program = self.func(*bound.args, **bound.kwargs)
        if not _is_prim_func(program):
            raise KernelTypeError(
                f"'{self.__name__}' returned {_what(program)}, expected a @T.prim_func",
                self._location(),
                help="return the inner function that is decorated with @T.prim_func",
            )
        return program

    def _compile(self, program: Any, out_idx: int | Sequence[int] | None = None) -> JITKernel:
        return compile(
            program,
            self.out_idx if out_idx is None else out_idx,
            self.target,
            pass_configs=self.pass_configs,
            verbose=self.verbose,
            checks=self.checks,
        )

    def compile(self, *args: Any, **kwargs: Any) -> JITKernel:
        """The kernel for these arguments, as a call of a factory gives it. In eager style tensors may be left out and
        the values of T.const given by name."""
        return self._kernel(args, kwargs)

    def get_tir(self, *args: Any, **kwargs: Any) -> Any:
        """The program for these arguments, not compiled."""
        if self._eager is not None:
            return self._eager.program(args, kwargs)
        return self._program(self._bind(args, kwargs))

    def get_kernel_source(self, *args: Any, **kwargs: Any) -> str:
        """The emitted source for these arguments."""
        return self._kernel(args, kwargs).get_kernel_source()

    def par_compile(
        self,
        configs: Iterable[Mapping[str, Any] | Sequence[Any]],
        num_workers: int | None = None,
        ignore_error: bool = False,
    ) -> list[JITKernel | None]:
        """Kernels for several sets of arguments (dictionaries or sequences), compiled at the same time."""

        def one(config: Mapping[str, Any] | Sequence[Any]) -> JITKernel | None:
            try:
                args, kwargs = ((), dict(config)) if isinstance(config, Mapping) else (tuple(config), {})
                return self._kernel(args, kwargs)
            except Exception as error:
                if not ignore_error:
                    raise
                logger.warning("%s%r is left out: %s", self.__name__, config, error)
                return None

        work = list(configs)
        workers = max(1, min(num_workers or os.cpu_count() or 1, len(work)))
        with concurrent.futures.ThreadPoolExecutor(workers, thread_name_prefix="tilelang-compile") as pool:
            return list(pool.map(one, work))

    def clear_cache(self) -> None:
        """Forgets the kernels of this function."""
        with self._lock:
            self._kernels.clear()
            self._key_locks.clear()
        if self._eager is not None:
            self._eager.clear()

    def __repr__(self) -> str:
        if self._eager is not None:
            return f"<jit kernel {self.__name__}{self.signature}, {len(self._eager)} compiled>"
        return f"<jit factory {self.__name__}{self.signature}, {len(self._kernels)} kernels>"


def jit(
    func: Callable[..., Any] | None = None,
    *,
    out_idx: int | Sequence[int] | None = None,
    target: Any = "auto",
    pass_configs: Mapping[Any, Any] | None = None,
    verbose: bool | None = None,
    checks: str | bool | None = None,
    **foreign: Any,
) -> Any:
    """Makes a function that returns a `@T.prim_func` a factory of kernels.

    `out_idx` names parameters (negative counts from the end) that are allocated and returned by a call of the kernel.
    `target` is one of `tilelang.target.list_targets()`. `checks` ("on", "off") sets the simulator's checks.
    """
    with at_user_line():
        _note_foreign(foreign)

    def decorate(function: Any) -> JITFunction:
        if not callable(function) or not hasattr(function, "__code__"):
            raise ArgumentTypeError(
                f"tilelang.jit decorates a function, found {_what(function)}",
                help="use tilelang.compile for a @T.prim_func" if _is_prim_func(function) else None,
            )
        with at_user_line():
            return JITFunction(
                function, out_idx=out_idx, target=target, pass_configs=pass_configs, verbose=verbose, checks=checks
            )

    if func is None:
        return decorate
    return decorate(func)
