"""The form of messages, and exceptions from compiler diagnostics."""

import linecache
import pickle

import pytest

from tilelang.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    CheckError,
    InternalError,
    KernelAttributeError,
    KernelCompileError,
    KernelError,
    KernelNameError,
    KernelSyntaxError,
    KernelTypeError,
    KernelValueError,
    Note,
    SourceLocation,
    TileLangError,
    UnsupportedError,
    format_diagnostic,
    raise_diagnostics,
)

FILE = "<message test>"
LINES = ["first\n", "\tT.gemm(A, B, C)\n", "  x = 'ä' + y\n", "last(\n", "   1)\n"]
linecache.cache[FILE] = (1, None, LINES, FILE)


def test_form():
    text = format_diagnostic(
        "the inner dimensions differ",
        SourceLocation(FILE, 2, 2, 2, 17),
        values=["K is 32", "K is 64"],
        help="transpose one",
        notes=[Note("allocated here", SourceLocation(FILE, 1, 1, 1, 6)), Note("no place")],
    )
    assert text.split("\n") == [
        "the inner dimensions differ",
        f" --> {FILE}:2:2",
        "  |",
        "2 |     T.gemm(A, B, C)",
        "  |     ^^^^^^^^^^^^^^^",
        "  = K is 32",
        "  = K is 64",
        "  = help: transpose one",
        "note: allocated here",
        f" --> {FILE}:1:1",
        "  |",
        "1 | first",
        "  | ^^^^^",
        "note: no place",
    ]


def test_columns_are_bytes():
    text = format_diagnostic("m", SourceLocation(FILE, 3, 14, 3, 15))
    assert text.split("\n")[-2:] == ["3 |   x = 'ä' + y", "  |             ^"]


def test_range_over_lines_ends_with_the_line():
    assert format_diagnostic("m", SourceLocation(FILE, 4, 1, 5, 6)).endswith("4 | last(\n  | ^^^^^")


def test_unknown_places():
    assert format_diagnostic("m", SourceLocation("/no/such/file.py", 3, 1)) == "m\n --> /no/such/file.py:3:1"
    assert format_diagnostic("m", SourceLocation(FILE, 1)).endswith("1 | first")
    assert format_diagnostic("m", values=["v"], help="h") == "m\n = v\n = help: h"


@pytest.mark.parametrize(
    ("cls", "bases"),
    [
        (KernelTypeError, (KernelError, TypeError)),
        (KernelValueError, (KernelError, ValueError)),
        (KernelNameError, (KernelError, NameError)),
        (KernelAttributeError, (KernelError, AttributeError)),
        (KernelSyntaxError, (KernelError, RuntimeError)),
        (KernelCompileError, (KernelError, RuntimeError)),
        (ArgumentTypeError, (TypeError,)),
        (ArgumentValueError, (ValueError,)),
        (UnsupportedError, (NotImplementedError,)),
        (CheckError, (RuntimeError,)),
        (InternalError, (RuntimeError,)),
    ],
)
def test_classes(cls, bases):
    assert issubclass(cls, TileLangError)
    assert all(issubclass(cls, base) for base in bases)
    error = cls("what", SourceLocation(FILE, 1, 1), values=["v"], help="h", notes=[Note("n")])
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cls and str(again) == str(error) and again.notes == error.notes


def diagnostic(message, line=2, severity="error", notes=(), **more):
    return {
        "severity": severity,
        "message": message,
        "file": FILE if line else "",
        "line": line,
        "col": 2 if line else 0,
        "end_line": line,
        "end_col": 17 if line else 0,
        "notes": list(notes),
        **more,
    }


@pytest.mark.parametrize(
    ("entry", "cls", "message"),
    [
        (diagnostic("too large"), KernelCompileError, "too large"),
        (diagnostic("unsupported: odd stride"), UnsupportedError, "odd stride"),
        (diagnostic("internal: no layout"), InternalError, "no layout"),
        (diagnostic("odd stride", kind="unsupported"), UnsupportedError, "odd stride"),
        (diagnostic("no layout", kind="internal"), InternalError, "no layout"),
        (diagnostic("too large", kind="user"), KernelCompileError, "too large"),
    ],
)
def test_classes_of_diagnostics(entry, cls, message):
    with pytest.raises(cls) as info:
        raise_diagnostics([diagnostic("a remark", severity="remark"), entry])
    assert type(info.value) is cls
    assert info.value.message == message
    assert info.value.location == SourceLocation(FILE, 2, 2, 2, 17)
    assert "T.gemm(A, B, C)" in str(info.value)


def test_values_help_and_notes_of_diagnostics():
    notes = [diagnostic("allocated here", 1, "note"), diagnostic("help: use smaller tiles", 0, "note")]
    with pytest.raises(KernelCompileError) as info:
        raise_diagnostics([diagnostic("too large\nneeds 256 KiB\n= has 128 KiB", notes=notes), diagnostic("second", 3)])
    error = info.value
    assert error.values == ("needs 256 KiB", "has 128 KiB") and error.help == "use smaller tiles"
    assert [note.message for note in error.notes] == ["allocated here", "also: second"]
    with pytest.raises(KernelCompileError) as info:
        raise_diagnostics([diagnostic("too large\nhelp: shrink it")])
    assert info.value.help == "shrink it"


def test_without_errors_nothing_is_raised():
    raise_diagnostics([])
    raise_diagnostics([diagnostic("a remark", severity="remark"), diagnostic("careful", severity="warning")])
