"""Kernels in eager style: the function itself declares its tensors, opens T.Kernel and returns what it allocated.

Such a program is traced in two steps. The statements before T.Kernel run as plain Python to find the tensors and the
values of T.const; then the function is traced with these values. What a step learns it may need itself, for an
`assert` on a size say, so the first one starts again as long as it learns.
"""

from __future__ import annotations

import ast
import copy
import inspect
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

from ..dtypes import dtype as DType
from ..errors import (
    ArgumentTypeError,
    ArgumentValueError,
    KernelSyntaxError,
    KernelTypeError,
    KernelValueError,
    TileLangError,
)
from .annotations import Tensor
from .buffers import Buffer
from .memory import element_type
from .primfunc import Param, PrimFunc, _resolve, _run, parameter_location, trace_program
from .rewrite import rewrite_function
from .source import FunctionNode, function_syntax, location_of_node
from .tracer import fail
from .values import Symbol, SymbolicSize

__all__ = ["Declarations", "const", "declare", "empty", "trace_eager"]


class _Const(Symbol):
    """A size of T.const whose value is not known yet."""

    __slots__ = ()


@dataclass
class Declarations:
    """What an eager function declares before its T.Kernel."""

    function: FunctionType
    #: Arguments of the call by name; tensors are missing where only sizes are given.
    arguments: Mapping[str, Any]
    constants: dict[str, int] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    scalars: dict[str, DType] = field(default_factory=dict)
    empties: list[tuple[str, Tensor]] = field(default_factory=list)
    asked: dict[str, _Const] = field(default_factory=dict)

    def outputs(self) -> list[Param]:
        names = set(inspect.signature(self.function).parameters)
        result = []
        for number, (name, tensor) in enumerate(self.empties):
            unique = name or f"output{number}"
            while unique in names:
                unique += "_"
            names.add(unique)
            result.append(Param(unique, "tensor", tensor.dtype, tensor.shape, tensor.strides))
        return result

    def inputs(self) -> list[Param]:
        result = []
        for name in inspect.signature(self.function).parameters:
            if name in self.tensors:
                tensor = self.tensors[name]
                result.append(Param(name, "tensor", tensor.dtype, tensor.shape, tensor.strides))
            elif name in self.scalars:
                result.append(Param(name, "scalar", self.scalars[name]))
        return result


class _State(threading.local):
    #: While the statements before T.Kernel run.
    declaring: Declarations | None = None
    learned: bool = False
    #: While the program is traced: the values of T.const, and the buffers of T.empty to come.
    constants: Mapping[str, int] | None = None
    pending: list[Buffer] | None = None


_state = _State()


# -- what programs call ------------------------------------------------------------------------------------------------


def _names(names: Any) -> list[str]:
    parts = [part for part in re.split(r"[,\s]+", names.strip()) if part] if isinstance(names, str) else []
    if not parts or not all(part.isidentifier() for part in parts):
        fail(KernelValueError, f"T.const: {names!r} is no name", help='write T.const("M") or T.const("M, N")')
    return parts


def const(names: str, dtype: Any = "int32") -> Any:
    """Sizes that the arguments of a call decide and that the compiler knows: `M, N = T.const("M, N")`. Another size
    is another compilation."""
    parts = _names(names)
    kind = element_type(dtype, "T.const")
    if not kind.is_integer:
        fail(KernelTypeError, f"T.const: a size of type {kind!s}", help="use int32 or int64")
    found: list[Any] = []
    for part in parts:
        if _state.constants is not None:
            found.append(_state.constants[part])
        elif _state.declaring is not None:
            declaring = _state.declaring
            symbol = declaring.asked.setdefault(part, _Const(part, kind))
            found.append(declaring.constants.get(part, symbol))
        else:
            fail(
                KernelSyntaxError,
                "T.const can only be used in a function of @tilelang.jit that opens T.Kernel itself",
                help="sizes known at run time only are T.dynamic; a factory takes sizes as arguments",
            )
    return found[0] if len(found) == 1 else tuple(found)


def empty(*shape: Any, dtype: Any = "float32") -> Any:
    """A tensor that a call of the kernel allocates; the function returns it."""
    items = list(shape)
    if len(items) > 1 and (isinstance(items[0], (tuple, list)) or isinstance(items[-1], (str, DType))):
        dtype = items.pop()
    extents = items[0] if len(items) == 1 and isinstance(items[0], (tuple, list)) else items
    tensor = Tensor(tuple(extents), dtype)
    if _state.pending is not None:
        if not _state.pending:
            fail(
                KernelSyntaxError,
                "T.empty after T.Kernel, or in a function called from the kernel",
                help="allocate outputs in the function itself, before `with T.Kernel(...)`",
            )
        return _state.pending.pop(0)
    if _state.declaring is None:
        fail(
            KernelSyntaxError,
            "T.empty can only be used in a function of @tilelang.jit that opens T.Kernel itself",
            help="tiles are allocated by T.alloc_shared and T.alloc_fragment",
        )
    _state.declaring.empties.append(("", tensor))
    return tensor


# -- the statements before T.Kernel ------------------------------------------------------------------------------------


def _opens_kernel(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.With):
        return False
    for item in statement.items:
        call = item.context_expr
        if isinstance(call, ast.Call):
            function = call.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name == "Kernel":
                return True
    return False


class _Declare(ast.NodeTransformer):
    """`A: T.Tensor[...]` becomes a call: Python does not evaluate annotations of local names."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None or not isinstance(node.target, ast.Name):
            return node
        call = ast.Call(ast.Name("__tilelang_declare", ast.Load()), [ast.Constant(node.target.id), node.annotation], [])
        return ast.copy_location(ast.Expr(call), node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Outputs take the name they are bound to."""
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            return node
        call = ast.Call(ast.Name("__tilelang_bound", ast.Load()), [ast.Constant(node.targets[0].id), node.value], [])
        node.value = ast.copy_location(call, node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    visit_Lambda = visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]


_prefixes: dict[CodeType, CodeType] = {}


def _prefix(function: FunctionType) -> CodeType:
    """The statements before T.Kernel, compiled."""
    known = _prefixes.get(function.__code__)
    if known is not None:
        return known
    node: FunctionNode
    node, _ = function_syntax(function)
    file = function.__code__.co_filename
    body = []
    for statement in node.body:
        if _opens_kernel(statement):
            break
        body.append(_Declare().visit(copy.deepcopy(statement)))
    else:
        raise KernelSyntaxError(
            f"'{node.name}' has no `with T.Kernel(...)` among the statements of its body",
            location_of_node(file, node),
            help="open T.Kernel in the function itself, not under a condition or in a loop",
        )
    module = ast.fix_missing_locations(ast.Module(body, []))
    code = _prefixes[function.__code__] = compile(module, file, "exec")
    return code


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, (Tensor, type))


def _strides(value: Any) -> tuple[int, ...] | None:
    """Strides in elements."""
    if callable(getattr(value, "stride", None)):
        return tuple(value.stride())
    strides = getattr(value, "strides", None)
    if strides is not None and getattr(value, "itemsize", None):
        return tuple(stride // value.itemsize for stride in strides)
    return None


def _learn(declarations: Declarations, name: str, tensor: Tensor) -> None:
    """The constants that the argument of a tensor parameter decides."""
    if name not in declarations.arguments:
        return
    value = declarations.arguments[name]
    function = declarations.function
    if not _is_array(value):
        raise ArgumentTypeError(
            f"argument '{name}' of '{function.__name__}' is a {type(value).__name__}, expected a tensor",
            parameter_location(function, name),
            values=[f"'{name}' is declared as {tensor!r}"],
        )
    shape = tuple(value.shape)
    if len(shape) != len(tensor.shape):
        raise ArgumentValueError(
            f"argument '{name}' of '{function.__name__}' has {len(shape)} dimensions, expected {len(tensor.shape)}",
            parameter_location(function, name),
            values=[f"the argument has the shape {shape}", f"'{name}' is declared as {tensor!r}"],
        )
    pairs = list(zip(tensor.shape, shape, strict=True))
    strides = _strides(value)
    if tensor.strides is not None and strides is not None:
        pairs += zip(tensor.strides, strides, strict=True)
    for declared, actual in pairs:
        if not isinstance(declared, _Const) or declared.name in declarations.constants:
            continue
        declarations.constants[declared.name] = int(actual)
        _state.learned = True


def declare(function: FunctionType, arguments: Mapping[str, Any], constants: Mapping[str, int]) -> Declarations:
    """Runs the statements before T.Kernel: the tensors and the values of T.const. `arguments` without a tensor
    leaves its sizes to `constants`."""
    known = dict(constants)
    while True:
        found = Declarations(function, arguments, dict(known))
        _state.learned = False
        _state.declaring = found
        try:
            _run_prefix(found)
        except Exception as error:
            # An unknown size may be the reason; with what was learned it is known now.
            if not _state.learned:
                if not isinstance(error, TileLangError):
                    _check_known(found, error)
                raise
        else:
            if not _state.learned:
                break
        finally:
            _state.declaring = None
        known = found.constants
    _check_known(found)
    return found


def _check_known(found: Declarations, cause: Exception | None = None) -> None:
    missing = [name for name in found.asked if name not in found.constants]
    if not missing:
        return
    raise ArgumentValueError(
        f"'{found.function.__name__}': the value of T.const '{missing[0]}' is not known",
        parameter_location(found.function, ""),
        values=[f"tensors: {', '.join(f'{name}: {tensor!r}' for name, tensor in found.tensors.items()) or 'none'}"],
        help="each T.const must be a dimension of a tensor argument by itself; `compile` takes its value by name",
    ) from cause


def _run_prefix(found: Declarations) -> None:
    function = found.function
    values: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = parameter.annotation
        if annotation is not parameter.empty and annotation is not None:
            annotation = _resolve(function, name, annotation, None)
        if isinstance(annotation, Tensor):
            found.tensors[name] = annotation
            _learn(found, name, annotation)
            values[name] = annotation
        elif isinstance(annotation, DType):
            found.scalars[name] = annotation
            values[name] = annotation
        elif name in found.arguments:
            values[name] = found.arguments[name]

    def declared(name: str, annotation: Any) -> None:
        if not isinstance(annotation, Tensor) or name not in inspect.signature(function).parameters:
            return
        found.tensors[name] = annotation
        namespace[name] = annotation
        _learn(found, name, annotation)

    def bound(name: str, value: Any) -> Any:
        if isinstance(value, Tensor):
            found.empties = [(name, kept) if kept is value and not old else (old, kept) for old, kept in found.empties]
        return value

    closure: dict[str, Any] = {}
    for free, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            closure[free] = cell.cell_contents
        except ValueError:
            continue
    namespace: dict[str, Any] = {
        **function.__globals__,
        **closure,
        **values,
        "__tilelang_declare": declared,
        "__tilelang_bound": bound,
    }
    exec(_prefix(function), namespace)


# -- the program -------------------------------------------------------------------------------------------------------


def trace_eager(found: Declarations) -> tuple[PrimFunc, list[int], bool]:
    """The program; which parameters it returns, in order; and whether it returns a tuple."""
    function = found.function
    inputs, outputs = found.inputs(), found.outputs()
    for param in (*inputs, *outputs):
        for size in (*param.shape, *(param.strides or ())):
            if isinstance(size, SymbolicSize) and any(isinstance(symbol, _Const) for symbol in size.symbols()):
                raise KernelValueError(
                    f"the size {size!r} of '{param.name}' is not known", parameter_location(function, param.name)
                )
    rewritten = rewrite_function(function, "eager")
    returned: list[Any] = []
    buffers: list[Buffer] = []

    def run(arguments: list[Any]) -> None:
        values = dict(zip((param.name for param in inputs), arguments, strict=False))
        buffers.extend(arguments[len(inputs) :])
        _state.constants, _state.pending = found.constants, list(buffers)
        try:
            result = _run(
                rewritten,
                [values.get(name, found.arguments.get(name)) for name in inspect.signature(function).parameters],
            )
        finally:
            _state.constants = _state.pending = None
        returned.append(result)

    program = trace_program(function, inputs + outputs, run)
    result = returned[0]
    is_tuple = isinstance(result, (tuple, list))
    indices = []
    for item in () if result is None else result if is_tuple else (result,):
        position = next((i for i, buffer in enumerate(buffers) if buffer is item), None)
        if position is None:
            raise KernelTypeError(
                f"'{function.__name__}' returns {item!r}",
                parameter_location(function, ""),
                help="an eager kernel returns tensors that it allocated by T.empty",
            )
        indices.append(len(inputs) + position)
    for position, buffer in enumerate(buffers):
        if len(inputs) + position not in indices:
            raise KernelSyntaxError(
                f"'{buffer.name}' is allocated by T.empty and not returned",
                parameter_location(function, ""),
                help="return it, or use T.alloc_shared or T.alloc_fragment for a tile",
            )
    return program, indices, is_tuple
