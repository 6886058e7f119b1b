"""Kernels: functions decorated with @T.prim_func, traced into a module."""

from __future__ import annotations

import difflib
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FrameType, FunctionType, TracebackType
from typing import Any, NoReturn

from ..dtypes import dtype as DType
from ..errors import (
    InternalError,
    KernelAttributeError,
    KernelError,
    KernelNameError,
    KernelSyntaxError,
    KernelTypeError,
    SourceLocation,
    TileLangError,
    error_from_diagnostic,
)
from . import arith, polynomial
from .annotations import Tensor
from .buffers import Buffer, index_value, memref_type, normal_size, quoted
from .memory import name_unnamed
from .rewrite import rewrite_function
from .source import function_syntax, is_own_file, location_at, location_of_node
from .tracer import Tracer, fail
from .values import Expr, Symbol, SymbolicSize

__all__ = ["Param", "PrimFunc", "heading_of", "parameter_location", "prim_func"]


@dataclass(frozen=True)
class Param:
    """A parameter of a kernel. Sizes and strides are numbers or run-time sizes (`SymbolicSize`); strides are in
    elements, None for contiguous row-major tensors."""

    name: str
    kind: str  # "tensor" or "scalar"
    dtype: DType
    shape: tuple[Any, ...] = ()
    strides: tuple[Any, ...] | None = None


@dataclass
class PrimFunc:
    """A traced kernel. The arguments of its function are `params` in order (a pointer for a tensor), then the value of
    each of `symbols`."""

    name: str
    params: list[Param]
    source_file: str
    source_line: int
    symbols: list[Symbol] = field(default_factory=list)
    function: Callable[..., Any] | None = None
    _module: Any = None

    def module(self) -> Any:
        """The `_compiler.Module`."""
        return self._module

    def script(self) -> str:
        """The program as MLIR text."""
        return str(self._module)

    def show(self) -> None:
        print(self.script())

    @property
    def attrs(self) -> dict[str, Any]:
        return {"global_symbol": self.name}

    def __call__(self, *arguments: Any, **keywords: Any) -> NoReturn:
        fail(
            KernelSyntaxError,
            f"the prim_func '{self.name}' is not callable",
            help="compile it first: `kernel = tilelang.compile(f)`, then `kernel(a, b)`; use @T.macro for code that "
            "kernels share",
        )

    def __repr__(self) -> str:
        parameters = ", ".join(
            f"{p.name}: {p.dtype!s}{list(p.shape) if p.kind == 'tensor' else ''}" for p in self.params
        )
        return f"<prim_func {self.name}({parameters})>"


def prim_func(function: Any = None, *, private: bool = False, check_well_formed: bool = True) -> Any:
    """Marks a function whose body becomes a program for the device. It is traced at once."""
    if function is None:
        return lambda f: prim_func(f)
    if not isinstance(function, FunctionType):
        fail(KernelTypeError, f"@T.prim_func decorates functions, not {type(function).__name__}")
    caller = sys._getframe(1)
    while is_own_file(caller.f_code.co_filename) and caller.f_back is not None:
        caller = caller.f_back
    error: TileLangError
    try:
        return trace(function, caller)
    except TileLangError as raised:
        error = raised
    # Raised from here, so that the traceback shows the user's frames and this one.
    raise error.with_traceback(user_traceback(error.__traceback__)) from error.__cause__


# -- annotations -------------------------------------------------------------------------------------------------------


def _resolve(function: FunctionType, name: str, annotation: Any, caller: FrameType | None) -> Any:
    """The object behind an annotation; texts (from `from __future__ import annotations`) are evaluated."""
    if not isinstance(annotation, str) or isinstance(annotation, DType):
        return annotation
    closure = {}
    for free, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            closure[free] = cell.cell_contents
        except ValueError:
            continue  # not bound yet
    local: dict[str, Any] = {**(caller.f_locals if caller is not None else {}), **closure}
    try:
        value = eval(annotation, function.__globals__, local)
        if isinstance(value, str) and not isinstance(value, DType):  # a quoted annotation in a file of texts
            value = eval(value, function.__globals__, local)
        return value
    except TileLangError as error:
        # The text has no place of its own.
        error.location = parameter_location(function, name)
        raise
    except NameError as error:
        try:
            return DType(annotation)
        except TypeError:
            pass
        raise KernelNameError(
            f"the annotation of '{name}' cannot be evaluated: {error}",
            parameter_location(function, name),
            values=[f"the annotation is {annotation}"],
            help="with `from __future__ import annotations`, names of an outer function are visible only where the "
            "function around the kernel uses them; use the name in the kernel's body, or drop the import",
        ) from None
    except Exception as error:
        raise KernelTypeError(
            f"the annotation of '{name}' cannot be evaluated: {error}", parameter_location(function, name)
        ) from error


def heading_of(function: Any) -> SourceLocation:
    """Where a function is defined: `def` and its name."""
    code = function.__code__
    try:
        node, _ = function_syntax(function)
    except KernelError:
        return SourceLocation(code.co_filename, code.co_firstlineno)
    place = location_of_node(code.co_filename, node)
    return SourceLocation(place.file, place.line, place.column, place.line, place.column + len("def ") + len(node.name))


def parameter_location(function: FunctionType, name: str) -> SourceLocation:
    """Where a parameter is declared; the function's heading if it has none of that name."""
    try:
        node, _ = function_syntax(function)
    except KernelError:
        return heading_of(function)
    for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
        if argument.arg == name:
            return location_of_node(function.__code__.co_filename, argument)
    return heading_of(function)


def parameters_of(function: FunctionType, caller: FrameType | None) -> list[Param]:
    """The declared parameters."""
    result = []
    for name, parameter in inspect.signature(function).parameters.items():
        location = parameter_location(function, name)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise KernelTypeError(f"a prim_func cannot take *{name}", location)
        if parameter.annotation is parameter.empty or parameter.annotation is None:
            raise KernelTypeError(
                f"parameter '{name}' has no type",
                location,
                help=f'annotate it: `{name}: T.Tensor((M, N), "float16")`, or a scalar `{name}: T.int32`',
            )
        annotation = _resolve(function, name, parameter.annotation, caller)
        if isinstance(annotation, Tensor):
            result.append(Param(name, "tensor", annotation.dtype, annotation.shape, annotation.strides))
            continue
        if isinstance(annotation, type) and issubclass(annotation, Tensor):
            raise KernelTypeError(
                f"parameter '{name}' has no shape", location, help=f'write `{name}: T.Tensor((M, N), "float16")`'
            )
        try:
            kind = DType(annotation)
        except TypeError:
            raise KernelTypeError(
                f"parameter '{name}' has a type that a kernel cannot take",
                location,
                values=[f"the annotation is {annotation!r}"],
                help='use T.Tensor((M, N), "float16") or an element type such as T.int32',
            ) from None
        if kind.kind == "handle":
            from ..errors import UnsupportedError

            raise UnsupportedError("a pointer parameter is not supported yet", location)
        result.append(Param(name, "scalar", kind))
    return result


# -- tracing -----------------------------------------------------------------------------------------------------------


def trace(function: FunctionType, caller: FrameType | None = None) -> PrimFunc:
    """Runs a kernel's function once and returns the program it builds."""
    function_syntax(function)  # says what is wrong where there is no source
    rewritten = rewrite_function(function, "prim_func")
    params = parameters_of(function, caller)
    return trace_program(function, params, lambda arguments: _run(rewritten, arguments))


def trace_program(function: FunctionType, params: list[Param], run: Callable[[list[Any]], None]) -> PrimFunc:
    """The program with these parameters that `run`, given their values, builds."""
    code = function.__code__
    heading = heading_of(function)
    symbols = _symbols_of(params)
    tracer = Tracer(function.__name__, heading)
    with tracer:
        here = tracer.location_of(heading)
        types = [_argument_type(param) for param in params] + [symbol.dtype.scalar_type for symbol in symbols]
        values = tracer.builder.push_region(types, here)
        arguments = _bind_parameters(tracer, function, params, symbols, values, here)
        run(arguments)
        if tracer.kernel is None:
            raise KernelSyntaxError(
                f"the prim_func '{function.__name__}' has no T.Kernel",
                heading,
                help="put its body into `with T.Kernel(grid, threads=128) as bx:`",
            )
        name_unnamed(tracer)
        tracer.create("func.return", location=here)
        region = tracer.builder.pop_region()
        names = [*(param.name for param in params), *(symbol.name for symbol in symbols)]
        attributes = {
            "sym_name": quoted(function.__name__),
            "function_type": f"({', '.join(types)}) -> ()",
            "arg_attrs": f"[{', '.join('{tile.name = ' + quoted(name) + '}' for name in names)}]",
        }
        tracer.create("func.func", [], [], attributes, [region], location=here)
        module, diagnostics = tracer.builder.finish()
    _check_verified(diagnostics, heading)
    return PrimFunc(
        name=function.__name__,
        params=params,
        source_file=code.co_filename,
        source_line=code.co_firstlineno,
        symbols=symbols,
        function=function,
        _module=module,
    )


def _check_verified(diagnostics: list[Mapping[str, Any]], heading: SourceLocation) -> None:
    errors = [entry for entry in diagnostics if entry["severity"] == "error"]
    if not errors:
        return
    error = error_from_diagnostic(errors[0])
    if error.location is None:
        raise InternalError(
            f"the traced program is invalid: {error.message}", heading, notes=error.notes, values=error.values
        )
    raise error


def _symbols_of(params: list[Param]) -> list[Symbol]:
    found: list[Symbol] = []
    for param in params:
        for size in (*param.shape, *(param.strides or ())):
            if isinstance(size, SymbolicSize):
                found += [symbol for symbol in size.symbols() if not any(symbol is known for known in found)]
    return found


def _argument_type(param: Param) -> str:
    return f"!tile.ptr<{param.dtype.storage_type}>" if param.kind == "tensor" else param.dtype.scalar_type


def _bind_parameters(
    tracer: Tracer, function: FunctionType, params: list[Param], symbols: list[Symbol], values: list[Any], here: Any
) -> list[Any]:
    """The Python values of the parameters: buffers and scalars."""
    for symbol, value in zip(symbols, values[len(params) :], strict=True):
        index = tracer.create("arith.index_cast", [value], ["index"], location=here)[0]
        tracer.symbols[symbol] = Expr(
            index,
            symbol.dtype,
            "index",
            poly=polynomial.of_variable(tracer.atom(("symbol", symbol.name))),
            nonnegative=True,
        )
    arguments: list[Any] = []
    for param, value in zip(params, values, strict=False):
        location = parameter_location(function, param.name)
        at = tracer.location_of(location)
        if param.kind == "tensor":
            arguments.append(_bind_tensor(tracer, param, value, location, at))
        else:
            scalar = arith.loaded(value, param.dtype)
            if param.dtype.is_integer:
                arith.to_index(scalar)  # once, where all of the kernel sees it
            arguments.append(scalar)
    return arguments


def _bind_tensor(tracer: Tracer, param: Param, pointer: Any, location: SourceLocation, at: Any) -> Buffer:
    extents = tuple(normal_size(size) for size in param.shape)
    layout = ""
    strides: list[Any] = []
    if param.strides is not None:
        steps = [normal_size(stride) for stride in param.strides]
        strides = [index_value(step) for step in steps if not isinstance(step, int)]
        layout = f"strided<[{', '.join(str(step) if isinstance(step, int) else '?' for step in steps)}]>"
    sizes = [index_value(extent) for extent in extents if not isinstance(extent, int)]
    (value,) = tracer.create(
        "tile.tensor",
        [pointer, *sizes, *strides],
        [memref_type(extents, param.dtype, "global", layout)],
        {"name": quoted(param.name), "operandSegmentSizes": f"array<i32: 1, {len(sizes)}, {len(strides)}>"},
        location=at,
    )
    return Buffer(value, extents, param.dtype, "global", param.name, param.strides, location, param.shape)


def _run(function: FunctionType, arguments: list[Any]) -> Any:
    """Runs the rewritten function. Python's own errors about the program become errors at the user's line; what the
    front end itself trips over is an internal error there."""
    try:
        return function(*arguments)
    except TileLangError:
        raise
    except Exception as error:
        own, place = _innermost(error.__traceback__)
        if place is None:
            raise
        frame, location = place
        if own:
            raise InternalError(
                f"the front end failed on this line: {type(error).__name__}: {error}",
                location,
                help="this is a fault of the front end: please report it with the program",
            ) from error
        if not isinstance(error, (NameError, AttributeError, TypeError)):
            raise  # the program's own: a failed assertion, an index outside a list
        raise _as_kernel_error(error, frame, location) from None


def _innermost(traceback: TracebackType | None) -> tuple[bool, tuple[FrameType, SourceLocation] | None]:
    """Whether an exception was raised in a frame of this package, and the innermost frame of the user's program with
    the place in it."""
    own = False
    place = None
    while traceback is not None:
        frame = traceback.tb_frame
        own = is_own_file(frame.f_code.co_filename)
        if not own:
            place = frame, location_at(frame.f_code, traceback.tb_lasti, traceback.tb_lineno)
        traceback = traceback.tb_next
    return own, place


def _as_kernel_error(error: Exception, frame: FrameType, location: SourceLocation) -> KernelError:
    if isinstance(error, NameError):
        name = getattr(error, "name", None) or str(error).split("'")[1]
        known = [n for n in {**frame.f_globals, **frame.f_locals} if not n.startswith("__")]
        close = difflib.get_close_matches(name, known, 1)
        help = f"did you mean '{close[0]}'?" if close else "define it in the kernel, in the code around it, or globally"
        message = f"the name '{name}' is not defined"
        if isinstance(error, UnboundLocalError) or "free variable" in str(error):
            message = f"the name '{name}' is used before it is bound"
            help = "bind it before; a name bound under an `if` that was not taken has no value"
        return KernelNameError(message, location, help=help)
    if isinstance(error, AttributeError):
        return KernelAttributeError(str(error), location)
    return KernelTypeError(str(error), location)


def user_traceback(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this package."""
    kept = []
    while traceback is not None:
        if not is_own_file(traceback.tb_frame.f_code.co_filename):
            kept.append(traceback)
        traceback = traceback.tb_next
    result: TracebackType | None = None
    for entry in reversed(kept):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result
