"""Where the user's program stands: positions of running frames, source text and syntax trees of functions."""

from __future__ import annotations

import ast
import contextlib
import linecache
import os
import sys
import textwrap
import threading
from types import CodeType, FrameType, FunctionType
from typing import Any

from ..errors import KernelSyntaxError, SourceLocation

__all__ = ["function_syntax", "is_own_file", "location_of_frame", "location_of_node", "user_frame", "user_location"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: Code in these folders is machinery, never the place a user should look at. Operators written in the language itself
#: (`tilelang/ops`) are programs like any other.
_OWN = (
    *(
        os.path.join(_PACKAGE, name)
        for name in ("cache", "jit", "language", "profiler", "runtime", "target", "tools", "tune", "utils")
    ),
    *(os.path.join(_PACKAGE, name) for name in ("dtypes.py", "errors.py", "passes.py")),
    # What the package is called through: threads, thread pools, context managers.
    threading.__file__,
    contextlib.__file__,
    os.path.join(os.path.dirname(threading.__file__), "concurrent"),
)

_own_file: dict[str, bool] = {}
#: By identity, with the code object so that the identity stays its own.
_positions: dict[int, tuple[CodeType, list[tuple[int | None, int | None, int | None, int | None]]]] = {}


def is_own_file(file: str) -> bool:
    own = _own_file.get(file)
    if own is None:
        own = file.startswith(_OWN)
        _own_file[file] = own
    return own


def user_frame() -> FrameType | None:
    """The innermost running frame of the user's program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_own_file(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def location_at(code: CodeType, offset: int, line: int | None) -> SourceLocation:
    """The place of an instruction; with columns where Python knows them (3.11)."""
    if sys.version_info >= (3, 11):
        known = _positions.get(id(code))
        if known is None:
            known = _positions[id(code)] = (code, list(code.co_positions()))
        table = known[1]
        index = offset // 2
        if 0 <= index < len(table):
            start, end, column, end_column = table[index]
            if start is not None:
                return SourceLocation(
                    code.co_filename,
                    start,
                    0 if column is None else column + 1,
                    end or start,
                    0 if end_column is None else end_column + 1,
                )
    return SourceLocation(code.co_filename, line or code.co_firstlineno)


def location_of_frame(frame: FrameType) -> SourceLocation:
    return location_at(frame.f_code, frame.f_lasti, frame.f_lineno)


def user_location() -> SourceLocation | None:
    """Where the user's program is right now."""
    frame = user_frame()
    return None if frame is None else location_of_frame(frame)


def location_of_node(file: str, node: ast.AST) -> SourceLocation:
    line = getattr(node, "lineno", 0)
    return SourceLocation(
        file,
        line,
        getattr(node, "col_offset", -1) + 1,
        getattr(node, "end_lineno", None) or line,
        (getattr(node, "end_col_offset", None) or -1) + 1,
    )


def source_segment(location: SourceLocation | None) -> str:
    """The user's text at a place of one line; empty if unknown."""
    if location is None or not location.column or location.end_line != location.line:
        return ""
    line = linecache.getline(location.file, location.line).encode()
    return line[location.column - 1 : location.end_column - 1].decode(errors="replace")


# -- syntax trees ------------------------------------------------------------------------------------------------------

_trees: dict[str, tuple[str, ast.Module | None]] = {}

FunctionNode = ast.FunctionDef


def _file_tree(file: str, text: str) -> ast.Module | None:
    """The tree of a whole file; kept as long as the text stays the same."""
    known = _trees.get(file)
    if known is not None and known[0] == text:
        return known[1]
    try:
        tree: ast.Module | None = ast.parse(text, file)
    except (SyntaxError, ValueError):
        tree = None
    if len(_trees) >= 64:
        _trees.pop(next(iter(_trees)))
    _trees[file] = (text, tree)
    return tree


def _first_line(node: FunctionNode) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _find(tree: ast.AST, name: str, line: int) -> tuple[FunctionNode, list[FunctionNode]] | None:
    """The definition that starts at a line, with the functions around it, outermost first."""
    stack: list[tuple[ast.AST, list[FunctionNode]]] = [(tree, [])]
    while stack:
        node, outer = stack.pop()
        if isinstance(node, ast.FunctionDef):
            if node.name == name and _first_line(node) == line:
                return node, outer
            outer = [*outer, node]
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.stmt, ast.excepthandler)) or hasattr(child, "body"):
                stack.append((child, outer))
    return None


def _block_tree(lines: list[str], line: int) -> ast.Module | None:
    """The tree of one definition cut out of a file that does not parse as a whole."""
    import inspect

    try:
        block = inspect.getblock(lines[line - 1 :])
    except (IndentationError, SyntaxError, EOFError):
        return None
    indent = len(block[0]) - len(block[0].lstrip()) if block else 0
    try:
        tree = ast.parse(textwrap.dedent("".join(block)))
    except SyntaxError:
        return None
    ast.increment_lineno(tree, line - 1)
    for node in ast.walk(tree):
        if hasattr(node, "col_offset"):
            moved: Any = node
            moved.col_offset += indent
            if moved.end_col_offset is not None:
                moved.end_col_offset += indent
    return tree


def function_syntax(function: FunctionType) -> tuple[FunctionNode, list[FunctionNode]]:
    """The definition of a function and those around it. Works for files, notebook cells and `exec` with text in
    linecache. The nodes belong to a shared tree: copy before changing them."""
    code = function.__code__
    file = code.co_filename
    place = SourceLocation(file, code.co_firstlineno)
    lines = linecache.getlines(file, function.__globals__)
    if not lines:
        raise KernelSyntaxError(
            f"the source of '{function.__name__}' cannot be read",
            place,
            values=["a kernel is compiled from its source text, not from bytecode"],
            help="define it in a file or a notebook cell; for generated code put the text into linecache.cache",
        )
    if code.co_name == "<lambda>":
        raise KernelSyntaxError("a lambda cannot be a kernel", place, help="write a function with def")
    found = None
    tree = _file_tree(file, "".join(lines))
    if tree is None:
        tree = _block_tree(lines, code.co_firstlineno)
    if tree is not None:
        found = _find(tree, code.co_name, code.co_firstlineno)
    if found is None:
        raise KernelSyntaxError(
            f"no definition of '{function.__name__}' at the line where it was compiled",
            place,
            help="the file has changed since it was imported; start the program again",
        )
    return found
