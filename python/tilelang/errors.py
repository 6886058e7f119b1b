"""The errors of the package and the form of their messages.

A message says what is wrong, where (file, line, caret), the values involved, and what to do; each second place is a
note::

    T.gemm: the inner dimensions differ
      --> kernel.py:12:9
       |
    12 |         T.gemm(A_shared, B_shared, C_local)
       |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       = A_shared is (128, 32), so K is 32
       = B_shared is (64, 128), so K is 64
       = help: pass transpose_A or transpose_B, or allocate tiles that agree

Every concrete class also derives from the built-in exception that a caller would expect.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "CheckError",
    "HostCompilerError",
    "InternalError",
    "KernelAttributeError",
    "KernelCompileError",
    "KernelError",
    "KernelNameError",
    "KernelSyntaxError",
    "KernelTypeError",
    "KernelValueError",
    "Note",
    "Remark",
    "SourceLocation",
    "TileLangError",
    "UnsupportedError",
    "format_diagnostic",
    "raise_diagnostics",
    "remark_from_diagnostic",
    "split_message",
]


@dataclass(frozen=True)
class SourceLocation:
    """A range in the user's program. Lines and columns count from 1, 0 means unknown; `end_column` is one past the
    last column. Columns count bytes of the UTF-8 line, as Python's own positions do."""

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Note:
    """A second place, and what happened there."""

    message: str
    location: SourceLocation | None = None


def _characters(line: str, column: int) -> int:
    """The index of the character at a byte column that counts from 1."""
    if line.isascii():
        return column - 1
    return len(line.encode()[: column - 1].decode(errors="ignore"))


def _excerpt(location: SourceLocation) -> list[str]:
    """The lines that show a place: arrow, source line, caret."""
    number = str(location.line)
    margin = " " * len(number)
    lines = [f"{margin}--> {location}"]
    source = linecache.getline(location.file, location.line).rstrip("\n")
    if not source.strip():
        return lines
    shown = source.expandtabs(4)
    lines += [f"{margin} |", f"{number} | {shown}"]
    if location.column:
        start = len(source[: _characters(source, location.column)].expandtabs(4))
        if location.end_line in (0, location.line) and location.end_column > location.column:
            end = len(source[: _characters(source, location.end_column)].expandtabs(4))
        elif location.end_line > location.line:
            end = len(shown)
        else:
            end = start + 1
        lines.append(f"{margin} | {' ' * start}{'^' * max(1, end - start)}")
    return lines


def format_diagnostic(
    message: str,
    location: SourceLocation | None = None,
    *,
    values: Sequence[str] = (),
    help: str | None = None,
    notes: Sequence[Note] = (),
) -> str:
    """The text of an error. `values` and `help` become `= ...` lines below the source line."""
    margin = ""
    lines = [message]
    if location is not None:
        margin = " " * len(str(location.line))
        lines += _excerpt(location)
    lines += [f"{margin} = {value}" for value in values]
    if help:
        lines.append(f"{margin} = help: {help}")
    for note in notes:
        lines.append(f"note: {note.message}")
        if note.location is not None:
            lines += _excerpt(note.location)
    return "\n".join(lines)


class TileLangError(Exception):
    """Anything that this package reports."""

    def __init__(
        self,
        message: str,
        location: SourceLocation | None = None,
        *,
        values: Sequence[str] = (),
        help: str | None = None,
        notes: Sequence[Note] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.values = tuple(values)
        self.help = help
        self.notes = tuple(notes)

    def __str__(self) -> str:
        return format_diagnostic(self.message, self.location, values=self.values, help=self.help, notes=self.notes)

    def __reduce__(self) -> Any:
        state = {"location": self.location, "values": self.values, "help": self.help, "notes": self.notes}
        return type(self), (self.message,), state


class KernelError(TileLangError):
    """A program that is wrong: found while it is traced or compiled."""


class KernelTypeError(KernelError, TypeError):
    """A value of the wrong kind or element type."""


class KernelValueError(KernelError, ValueError):
    """A value of the right kind that cannot be right: an extent of 0, shapes that do not match."""


class KernelNameError(KernelError, NameError):
    """A name that is undefined, or used outside the region that bound it."""


class KernelAttributeError(KernelError, AttributeError):
    """An attribute that does not exist."""


class KernelSyntaxError(KernelError, RuntimeError):
    """Python that has no meaning in a kernel."""


class KernelCompileError(KernelError, RuntimeError):
    """A program that the compiler refuses."""


class ArgumentError(TileLangError):
    """A call of a compiled kernel with arguments that do not fit."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of the wrong kind, element type or number of dimensions."""


class ArgumentValueError(ArgumentError, ValueError):
    """An argument of the right kind with the wrong sizes, strides or place."""


class UnsupportedError(TileLangError, NotImplementedError):
    """A valid program that uses something not available yet, or not on this target."""


class CheckError(TileLangError, RuntimeError):
    """What the simulator's checks found: a race, a read of uninitialised bytes, an access out of bounds, a deadlock."""


class HostCompilerError(TileLangError, RuntimeError):
    """There is no C++ compiler for the host, which the simulator's kernels are built with."""


class InternalError(TileLangError, RuntimeError):
    """A fault of this package, not of the program."""


@dataclass(frozen=True)
class Remark:
    """Something the compiler says about a program that it accepts: a hint it could not follow, a slow form it had to
    take. `severity` is "remark" or "warning"."""

    severity: str
    message: str
    location: SourceLocation | None = None
    values: tuple[str, ...] = ()
    help: str | None = None
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        return format_diagnostic(
            f"{self.severity}: {self.message}", self.location, values=self.values, help=self.help, notes=self.notes
        )


_CLASS_OF_KIND: dict[str, type[TileLangError]] = {
    "user": KernelCompileError,
    "unsupported": UnsupportedError,
    "internal": InternalError,
}
_CLASS_OF_PREFIX: dict[str, type[TileLangError]] = {
    "unsupported: ": UnsupportedError,
    "internal: ": InternalError,
}


def _location_of(entry: Mapping[str, Any]) -> SourceLocation | None:
    line = int(entry.get("line") or 0)
    file = str(entry.get("file") or "")
    if not line or not file:
        return None
    return SourceLocation(
        file, line, int(entry.get("col") or 0), int(entry.get("end_line") or 0), int(entry.get("end_col") or 0)
    )


#: The clause after the last semicolon says what to do if it starts with one of these.
_REMEDY = re.compile(
    r"; ((?:use|load|copy|store|write|read|split|move|pass|compute|give|take|allocate|declare|convert|clear|end|loop"
    r"|compile|make|name|drop|set|add|guard|build|install) [^;]*)$"
)


def split_message(text: str) -> tuple[str, list[str], str | None]:
    """What is wrong, the values, and what to do, of a message that comes as one text: its first line, the further
    lines, and the `help:` line or the imperative after the last semicolon."""
    first, *rest = text.split("\n")
    values: list[str] = []
    help = None
    for line in rest:
        item = line.strip().removeprefix("= ")
        if item.startswith("help: "):
            help = item.removeprefix("help: ")
        elif item:
            values.append(item)
    if help is None and (found := _REMEDY.search(first)):
        first, help = first[: found.start()], found.group(1)
    return first, values, help


def _parts(entry: Mapping[str, Any]) -> tuple[str, list[str], str | None, list[Note]]:
    """Message, values, help and notes of a diagnostic. A note without a place of its own is a value, or the help."""
    message, values, help = split_message(str(entry.get("message", "")))
    here = _location_of(entry)
    notes: list[Note] = []
    for note in entry.get("notes") or ():
        text, more, note_help = split_message(str(note.get("message", "")))
        location = _location_of(note)
        if location is None and text.startswith("help: "):
            help = help or text.removeprefix("help: ")
            continue
        help = help or note_help
        if location is not None and location == here:
            values.extend([text, *more])
        else:
            notes.append(Note("; ".join([text, *more]), location))
    return message, values, help, notes


def error_from_diagnostic(entry: Mapping[str, Any]) -> TileLangError:
    """The exception for one compiler diagnostic. Its class is named by the key `kind` (user, unsupported, internal) or
    by `unsupported: ` or `internal: ` in front of the message."""
    message, values, help, notes = _parts(entry)
    cls = _CLASS_OF_KIND.get(str(entry.get("kind", "user")), KernelCompileError)
    for prefix, candidate in _CLASS_OF_PREFIX.items():
        if message.startswith(prefix):
            cls, message = candidate, message.removeprefix(prefix)
    if cls is InternalError and help is None:
        help = "this is a fault of the compiler: please report it with the program"
    return cls(message, _location_of(entry), values=values, help=help, notes=notes)


def remark_from_diagnostic(entry: Mapping[str, Any]) -> Remark:
    """A remark or warning of the compiler."""
    message, values, help, notes = _parts(entry)
    return Remark(str(entry["severity"]), message, _location_of(entry), tuple(values), help, tuple(notes))


#: More errors than this are counted, not shown.
_SHOWN_ERRORS = 5

_RANK: dict[type[TileLangError], int] = {UnsupportedError: 1, InternalError: 2}


def raise_diagnostics(diagnostics: Sequence[Mapping[str, Any]]) -> None:
    """Raises for the first error among compiler diagnostics; further errors follow as notes. Without an error it
    returns: warnings and remarks are the caller's to show."""
    errors = [error_from_diagnostic(entry) for entry in diagnostics if entry.get("severity", "error") == "error"]
    if errors:
        _raise_first(errors)


def _raise_first(errors: list[TileLangError]) -> NoReturn:
    # What the user can change comes first, faults of the compiler that follow from it last; of one kind, in the order
    # of the program.
    def key(error: TileLangError) -> tuple[int, int]:
        return _RANK.get(type(error), 0), error.location.line if error.location else 0

    first, *others = sorted(errors, key=key)
    more: list[Note] = []
    for error in others[: _SHOWN_ERRORS - 1]:
        more.append(Note("; ".join([f"also: {error.message}", *error.values]), error.location))
        more.extend(error.notes)
    hidden = len(others) - (_SHOWN_ERRORS - 1)
    if hidden > 0:
        more.append(Note(f"and {hidden} more error{'s' if hidden > 1 else ''}"))
    first.notes = (*first.notes, *more)
    raise first
