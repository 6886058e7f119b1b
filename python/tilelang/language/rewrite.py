"""Rewrites the syntax tree of a kernel so that running it builds the program.

Control flow and assignments become calls of `hooks`, which decide at trace time whether Python or the run decides. The
rewritten function keeps its file, lines and columns, its globals and its closure cells; rewriting is done once for each
code object.
"""

from __future__ import annotations

import ast
import copy
import sys
from types import CellType, CodeType, FunctionType
from typing import Any, TypeVar

from ..errors import KernelSyntaxError, KernelTypeError, Note, UnsupportedError
from .source import FunctionNode, function_syntax, location_of_node

__all__ = ["is_rewritten", "rewrite_function"]

_Node = TypeVar("_Node", bound=ast.AST)

#: The name under which the hooks are visible; a closure variable of every rewritten function.
HOOKS = "__tilelang_hooks"
_SCOPE = "__tilelang_scope_"
_TEMPORARY = "__tilelang_value_"

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.MatMult: "@",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}


class _Names(ast.NodeVisitor):
    """The names a function binds, without those of functions inside it."""

    def __init__(self) -> None:
        self.bound: dict[str, ast.AST] = {}
        self.in_regions: set[str] = set()
        self.declared: dict[str, ast.AST] = {}
        self.first_use: dict[str, ast.AST] = {}
        self._depth = 0

    @classmethod
    def of(cls, node: FunctionNode) -> _Names:
        names = cls()
        for statement in node.body:
            names.visit(statement)
        return names

    def _bind(self, name: str, node: ast.AST) -> None:
        self.bound.setdefault(name, node)
        if self._depth:
            self.in_regions.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            if node.id not in self.bound:
                self.first_use.setdefault(node.id, node)
        else:
            self._bind(node.id, node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
        self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name) and node.target.id not in self.bound:
            self.first_use.setdefault(node.target.id, node.target)
        self.visit(node.value)
        self.visit(node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self.visit(node.target)

    def _compound(self, node: ast.AST) -> None:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1

    visit_If = visit_While = visit_With = visit_Try = visit_TryStar = visit_Match = _compound

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self._compound_for(node)

    def _compound_for(self, node: ast.For) -> None:
        self._depth += 1
        self.visit(node.target)
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)
        self._depth -= 1

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._bind(node.name, node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._bind(node.name, node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        return

    def _comprehension(self, node: ast.AST) -> None:
        return

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name, node)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._bind((alias.asname or alias.name).split(".")[0], node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name, node)

    def _declaration(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            self.declared[name] = node

    visit_Global = visit_Nonlocal = _declaration


def _parameters(node: FunctionNode | ast.Lambda) -> list[str]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    names = [argument.arg for argument in every]
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            names.append(extra.arg)
    return names


def _enclosing_binding(outer: list[FunctionNode], name: str) -> ast.AST | None:
    """Where an enclosing function binds a name."""
    for function in reversed(outer):
        for argument in ast.walk(function.args):
            if isinstance(argument, ast.arg) and argument.arg == name:
                return argument
        bound = _Names.of(function).bound.get(name)
        if bound is not None:
            return bound
    return None


class _Function:
    """What the rewriter knows of a function around the current node."""

    def __init__(self, node: FunctionNode, number: int, kind: str) -> None:
        self.node = node
        self.kind = kind
        self.scope = f"{_SCOPE}{number}"
        names = _Names.of(node)
        self.names = names
        self.parameters = set(_parameters(node))
        self.locals = set(names.bound) | self.parameters
        #: Names that may die before the function ends: their uses are checked.
        self.checked = names.in_regions
        self.hidden: list[set[str]] = []


class _Rewriter(ast.NodeTransformer):
    def __init__(self, file: str, kind: str, outer: list[FunctionNode]) -> None:
        self.file = file
        self.kind = kind
        self.outer = outer
        self.functions: list[_Function] = []
        self.temporaries = 0

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _hook(self, name: str, arguments: list[ast.expr], at: ast.AST) -> ast.Call:
        function = ast.Attribute(ast.Name(HOOKS, ast.Load()), name, ast.Load())
        call = ast.Call(function, arguments, [])
        return _place(call, at)

    def _scope_call(self, scope: str, name: str, arguments: list[ast.expr], at: ast.AST) -> ast.Call:
        function = ast.Attribute(ast.Name(scope, ast.Load()), name, ast.Load())
        return _place(ast.Call(function, arguments, []), at)

    def _later(self, body: ast.expr, original: ast.expr | None = None) -> ast.expr:
        """`lambda: body`, for what must not be evaluated yet."""
        for node in ast.walk(original or body):
            if isinstance(node, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)):
                raise UnsupportedError(
                    "an assignment expression inside a conditional expression is not supported yet",
                    location_of_node(self.file, node),
                    help="assign in a statement of its own before it",
                )
        arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        return _place(ast.Lambda(arguments, body), body)

    def _temporary(self) -> str:
        self.temporaries += 1
        return f"{_TEMPORARY}{self.temporaries}"

    def _expression(self, node: ast.expr) -> ast.expr:
        result = self.visit(node)
        assert isinstance(result, ast.expr)
        return result

    def _statements(self, nodes: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for node in nodes:
            new = self.visit(node)
            if isinstance(new, list):
                result.extend(new)
            elif new is not None:
                result.append(new)
        return result

    def _error(self, node: ast.AST, message: str, **more: Any) -> KernelSyntaxError:
        return KernelSyntaxError(message, location_of_node(self.file, node), **more)

    # -- functions -----------------------------------------------------------------------------------------------------

    def function(self, node: FunctionNode) -> None:
        """Rewrites the body of a function in place; its decorators and annotations are left to the caller."""
        function = _Function(node, len(self.functions), self.kind if not self.functions else "helper")
        self._check_names(function)
        self.functions.append(function)
        parameters = _parameters(node)
        bindings = ast.Dict(
            [ast.Constant(name) for name in parameters], [ast.Name(name, ast.Load()) for name in parameters]
        )
        enter = ast.Assign(
            [ast.Name(function.scope, ast.Store())],
            self._hook("enter", [ast.Constant(node.name), ast.Constant(function.kind), bindings], node),
        )
        node.body = [_place(enter, node), *self._statements(node.body)]
        self.functions.pop()

    def _check_names(self, function: _Function) -> None:
        names = function.names
        for name, declaration in names.declared.items():
            if name in names.bound:
                raise self._error(
                    names.bound[name],
                    f"'{name}' is assigned in a kernel, but belongs to the code around it",
                    notes=[Note("declared here", location_of_node(self.file, declaration))],
                    help="give the kernel's value a name of its own, or use T.alloc_var",
                )
        around = [*self.outer, *(f.node for f in self.functions)]
        for name in names.first_use:
            if name not in names.bound or name in function.parameters:
                continue
            binding = _enclosing_binding(around, name)
            if binding is not None:
                raise self._error(
                    names.bound[name],
                    f"'{name}' is assigned in a kernel, but belongs to the function around it",
                    notes=[Note("it is bound here", location_of_node(self.file, binding))],
                    help=f"give the kernel's value a name of its own: the assignment makes '{name}' local to the "
                    "kernel, so it has no value before",
                )

    def _defaults(self, arguments: ast.arguments) -> None:
        """Default values are computed where the function is defined."""
        arguments.defaults = [self._expression(default) for default in arguments.defaults]
        arguments.kw_defaults = [None if d is None else self._expression(d) for d in arguments.kw_defaults]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.decorator_list = [self._expression(decorator) for decorator in node.decorator_list]
        self._defaults(node.args)
        self.function(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        raise self._error(node, "an async function has no meaning in a kernel")

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        self._defaults(node.args)
        self.functions[-1].hidden.append(set(_parameters(node)))
        node.body = self._expression(node.body)
        self.functions[-1].hidden.pop()
        return node

    def _comprehension(self, node: Any) -> Any:
        names: set[str] = set()
        for generator in node.generators:
            for part in ast.walk(generator.target):
                if isinstance(part, ast.Name):
                    names.add(part.id)
        node.generators[0].iter = self._expression(node.generators[0].iter)
        self.functions[-1].hidden.append(names)
        for i, generator in enumerate(node.generators):
            if i:
                generator.iter = self._expression(generator.iter)
            generator.ifs = [self._expression(test) for test in generator.ifs]
        if isinstance(node, ast.DictComp):
            node.key = self._expression(node.key)
            node.value = self._expression(node.value)
        else:
            node.elt = self._expression(node.elt)
        self.functions[-1].hidden.pop()
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    # -- names ---------------------------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> Any:
        if not isinstance(node.ctx, ast.Load):
            return node
        for function in reversed(self.functions):
            if any(node.id in names for names in function.hidden):
                return node
            if node.id in function.locals:
                if node.id not in function.checked or node.id in function.names.declared:
                    return node
                return self._scope_call(function.scope, "use", [ast.Constant(node.id), node], node)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        node.value = self._assigned(node.target.id, self._expression(node.value), node)
        return node

    def _assigned(self, name: str, value: ast.expr, at: ast.AST) -> ast.expr:
        return self._scope_call(self.functions[-1].scope, "assign", [ast.Constant(name), value], at)

    # -- assignments ---------------------------------------------------------------------------------------------------

    def _split_target(self, target: ast.expr) -> tuple[ast.expr, list[tuple[str, str, ast.Name]]]:
        """A target with temporaries for its names, and which temporary stands for which name."""
        if isinstance(target, ast.Name):
            temporary = self._temporary()
            return _place(ast.Name(temporary, ast.Store()), target), [(target.id, temporary, target)]
        if isinstance(target, (ast.Tuple, ast.List)):
            parts, names = [], []
            for element in target.elts:
                part, more = self._split_target(element)
                parts.append(part)
                names += more
            new = ast.Tuple(parts, ast.Store()) if isinstance(target, ast.Tuple) else ast.List(parts, ast.Store())
            return _place(new, target), names
        if isinstance(target, ast.Starred):
            part, names = self._split_target(target.value)
            return _place(ast.Starred(part, ast.Store()), target), names
        return self._expression(target), []

    def _bind_names(self, names: list[tuple[str, str, ast.Name]]) -> list[ast.stmt]:
        return [
            _place(
                ast.Assign(
                    [_place(ast.Name(name, ast.Store()), node)],
                    self._assigned(name, _place(ast.Name(temporary, ast.Load()), node), node),
                ),
                node,
            )
            for name, temporary, node in names
        ]

    def _assign_to(self, target: ast.expr, value: ast.expr, at: ast.stmt) -> list[ast.stmt]:
        if isinstance(target, ast.Name):
            return [_place(ast.Assign([target], self._assigned(target.id, value, at)), at)]
        pattern, names = self._split_target(target)
        return [_place(ast.Assign([pattern], value), at), *self._bind_names(names)]

    def visit_Assign(self, node: ast.Assign) -> Any:
        several = isinstance(node.value, (ast.Tuple, ast.List)) and any(
            not isinstance(target, ast.Name) for target in node.targets
        )
        value = self._expression(node.value)
        if several:
            value = self._hook("settled", [value], node.value)
        if len(node.targets) == 1:
            return self._assign_to(node.targets[0], value, node)
        temporary = self._temporary()
        result: list[ast.stmt] = [
            _place(ast.Assign([ast.Name(temporary, ast.Store())], self._hook("settled", [value], node.value)), node)
        ]
        for target in node.targets:
            result += self._assign_to(target, _place(ast.Name(temporary, ast.Load()), node.value), node)
        return result

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            if isinstance(node.target, ast.Name):
                return _place(ast.Pass(), node)
            return _place(ast.Expr(self._expression(node.target)), node)
        return self._assign_to(node.target, self._expression(node.value), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        if not isinstance(node.target, ast.Name):
            node.target = self._expression(node.target)  # type: ignore[assignment]
            node.value = self._expression(node.value)
            return node
        name = node.target
        old = self._expression(_place(ast.Name(name.id, ast.Load()), name))
        operation = ast.Constant(_OPERATORS[type(node.op)])
        value = self._hook("augment", [operation, old, self._expression(node.value)], node)
        return self._assign_to(name, value, node)

    # -- statements ----------------------------------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> Any:
        branch = self._temporary()

        def call(name: str) -> ast.Call:
            return self._scope_call(branch, name, [], node.test)

        result: list[ast.stmt] = [
            _place(
                ast.Assign(
                    [ast.Name(branch, ast.Store())], self._hook("branch", [self._expression(node.test)], node.test)
                ),
                node.test,
            )
        ]
        for name, body in (("then", node.body), ("otherwise", node.orelse)):
            if body:
                end = _place(ast.Expr(call("end")), node.test)
                result.append(_place(ast.If(call(name), [*self._statements(body), end], []), node.test))
        result.append(_place(ast.Expr(call("close")), node.test))
        return result

    def visit_For(self, node: ast.For) -> Any:
        if isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id == "range":
            call = node.iter
            call.func, call.args = (
                _place(ast.Attribute(ast.Name(HOOKS, ast.Load()), "range", ast.Load()), call.func),
                [self._expression(call.func), *(self._expression(argument) for argument in call.args)],
            )
            iterator: ast.expr = call
        else:
            iterator = self._expression(node.iter)
        pattern, names = self._split_target(node.target)
        node.iter = self._hook("iterate", [iterator], node.iter)
        node.target = pattern
        node.body = [*self._bind_names(names), *self._statements(node.body)]
        node.orelse = self._statements(node.orelse)
        return node

    def visit_AsyncFor(self, node: ast.AsyncFor) -> Any:
        raise self._error(node, "async has no meaning in a kernel")

    def visit_While(self, node: ast.While) -> Any:
        node.test = self._hook("while_condition", [self._expression(node.test)], node.test)
        node.body = self._statements(node.body)
        node.orelse = self._statements(node.orelse)
        return node

    def visit_With(self, node: ast.With) -> Any:
        bound: list[ast.stmt] = []
        for item in node.items:
            item.context_expr = self._expression(item.context_expr)
            if item.optional_vars is not None:
                item.optional_vars, names = self._split_target(item.optional_vars)
                bound += self._bind_names(names)
        node.body = [*bound, *self._statements(node.body)]
        return node

    def visit_AsyncWith(self, node: ast.AsyncWith) -> Any:
        raise self._error(node, "async has no meaning in a kernel")

    def visit_Assert(self, node: ast.Assert) -> Any:
        message = node.msg or ast.Constant(None)
        arguments: list[ast.expr] = [self._expression(node.test), self._later(self._expression(_place(message, node)))]
        return _place(ast.Expr(self._hook("check", arguments, node)), node)

    def visit_Return(self, node: ast.Return) -> Any:
        function = self.functions[-1]
        if function.kind == "prim_func":
            raise KernelTypeError(
                "a prim_func returns nothing",
                location_of_node(self.file, node),
                help="write results into tensor parameters; tilelang.jit(out_idx=...) makes the last ones outputs",
            )
        value = ast.Constant(None) if node.value is None else self._expression(node.value)
        node.value = self._scope_call(function.scope, "leave", [_place(value, node)], node)
        return node

    def _leave(self, node: ast.Break | ast.Continue) -> Any:
        word = "break" if isinstance(node, ast.Break) else "continue"
        return [_place(ast.Expr(self._hook("leave_loop", [ast.Constant(word)], node)), node), node]

    visit_Break = visit_Continue = _leave

    # -- expressions ---------------------------------------------------------------------------------------------------

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        arms = [self._later(self._expression(side), side) for side in (node.body, node.orelse)]
        return self._hook("conditional", [self._expression(node.test), *arms], node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        first, *rest = node.values
        later = [self._later(self._expression(value), value) for value in rest]
        word = "and" if isinstance(node.op, ast.And) else "or"
        return self._hook("logical", [ast.Constant(word), self._expression(first), ast.List(later, ast.Load())], node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = self._expression(node.operand)
        if isinstance(node.op, ast.Not):
            return self._hook("negation", [operand], node)
        node.operand = operand
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        words = [_COMPARISONS[type(op)] for op in node.ops]
        if len(words) == 1 and words[0] not in ("in", "not in"):
            node.left = self._expression(node.left)
            node.comparators = [self._expression(node.comparators[0])]
            return node
        if len(words) == 1:
            arguments = [ast.Constant(words[0]), self._expression(node.left), self._expression(node.comparators[0])]
            return self._hook("contained", arguments, node)
        operators = ast.List([ast.Constant(word) for word in words], ast.Load())
        later = [self._later(self._expression(value), value) for value in node.comparators]
        return self._hook("chain", [operators, self._expression(node.left), ast.List(later, ast.Load())], node)

    def visit_Call(self, node: ast.Call) -> Any:
        if self._may_be_if_then_else(node):
            condition, *sides = node.args
            function = self._expression(node.func)
            later = [self._later(self._expression(side), side) for side in sides]
            return self._hook("choose", [function, self._expression(condition), *later], node)
        self.generic_visit(node)
        return node

    def _may_be_if_then_else(self, node: ast.Call) -> bool:
        """A call whose last two arguments wait until it is known whether the callee is T.if_then_else."""
        if len(node.args) != 3 or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            return False
        if isinstance(node.func, ast.Attribute):
            return node.func.attr == "if_then_else"
        return isinstance(node.func, ast.Name) and not any(
            isinstance(part, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await))
            for argument in node.args
            for part in ast.walk(argument)
        )


def _place(node: _Node, at: ast.AST) -> _Node:
    """Gives a new node, and what is new below it, the position of another."""
    ast.copy_location(node, at)
    _place_children(node, at)
    return node


def _place_children(node: ast.AST, at: ast.AST) -> None:
    for child in ast.iter_child_nodes(node):
        if "lineno" in child._attributes:
            if hasattr(child, "lineno"):
                continue  # the user's own node, or placed before
            ast.copy_location(child, at)
        _place_children(child, at)


# -- functions ---------------------------------------------------------------------------------------------------------

#: Equal code objects may come from different files, so the file is part of the key.
_rewritten: dict[tuple[str, CodeType, str], CodeType] = {}


def is_rewritten(function: FunctionType) -> bool:
    """True for functions defined inside a rewritten function: their code is rewritten already."""
    return any(name.startswith(_SCOPE) for name in function.__code__.co_varnames + function.__code__.co_cellvars)


def _rewritten_code(function: FunctionType, kind: str) -> CodeType:
    code = function.__code__
    node, outer = function_syntax(function)
    node = copy.deepcopy(node)
    node.decorator_list = []
    node.returns = None
    arguments = node.args
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if argument is not None:
            argument.annotation = None
    # Defaults belong to the function object; only their number matters to the compiler.
    arguments.defaults = [_place(ast.Constant(None), node) for _ in arguments.defaults]
    arguments.kw_defaults = [None if d is None else _place(ast.Constant(None), node) for d in arguments.kw_defaults]
    _Rewriter(code.co_filename, kind, outer).function(node)
    free = [name for name in code.co_freevars if name != node.name]
    wrapper = ast.FunctionDef(
        name="__tilelang_outer",
        args=ast.arguments(
            posonlyargs=[],
            args=[ast.arg(name) for name in [*free, HOOKS]],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[],
        ),
        body=[node],
        decorator_list=[],
    )
    if sys.version_info >= (3, 12):
        wrapper.type_params = []
    module = ast.Module([_place(wrapper, node)], [])
    ast.fix_missing_locations(module)
    compiled = compile(module, code.co_filename, "exec", dont_inherit=True, flags=code.co_flags & _FUTURES)
    outer_code = next(item for item in compiled.co_consts if isinstance(item, CodeType))
    return next(item for item in outer_code.co_consts if isinstance(item, CodeType) and item.co_name == code.co_name)


def _future_flags() -> int:
    import __future__

    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


_FUTURES = _future_flags()


def rewrite_function(function: FunctionType, kind: str) -> FunctionType:
    """The function in rewritten form; `kind` is "prim_func", "macro" or "eager"."""
    from . import hooks

    if is_rewritten(function):
        return function
    key = (function.__code__.co_filename, function.__code__, kind)
    code = _rewritten.get(key)
    if code is None:
        code = _rewritten[key] = _rewritten_code(function, kind)
    cells: dict[str, CellType] = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[HOOKS] = CellType(hooks)
    closure = tuple(cells.setdefault(name, CellType(function)) for name in code.co_freevars)
    result = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__ = function.__qualname__
    result.__module__ = function.__module__
    result.__doc__ = function.__doc__
    return result
