"""The form of messages, and exceptions from compiler diagnostics."""

import linecache
import pickle

import pytest

from tilelang.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    CheckError,
    HostCompilerError,
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
    remark_from_diagnostic,
    split_message,
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
        (HostCompilerError, (RuntimeError,)),
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


def test_what_the_program_can_be_blamed_for_comes_first():
    entries = [
        diagnostic("no layout", 1, kind="internal"),
        diagnostic("odd stride", 2, kind="unsupported"),
        diagnostic("too large", 5),
        diagnostic("also too large\nby 3 B", 3),
    ]
    with pytest.raises(KernelCompileError) as info:
        raise_diagnostics(entries)
    assert info.value.message == "also too large" and info.value.values == ("by 3 B",)
    assert [note.message for note in info.value.notes] == ["also: too large", "also: odd stride", "also: no layout"]


def test_many_errors_are_counted():
    with pytest.raises(KernelCompileError) as info:
        raise_diagnostics([diagnostic(f"error {i}", 1) for i in range(12)])
    notes = [note.message for note in info.value.notes]
    assert notes == [*(f"also: error {i}" for i in range(1, 5)), "and 7 more errors"]


def test_notes_at_the_place_of_the_error_are_values():
    notes = [diagnostic("256 KiB x 1 version", 2, "note"), diagnostic("beside this", 1, "note")]
    with pytest.raises(KernelCompileError) as info:
        raise_diagnostics([diagnostic("too large; use 64x64", 2, notes=notes)])
    error = info.value
    assert error.message == "too large" and error.help == "use 64x64" and error.values == ("256 KiB x 1 version",)
    assert [note.message for note in error.notes] == ["beside this"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a; b", ("a; b", [], None)),
        ("a; used twice", ("a; used twice", [], None)),
        ("a; use b", ("a", [], "use b")),
        ("a; b; pass c or d", ("a; b", [], "pass c or d")),
        ("a; use b\nc\nhelp: d", ("a; use b", ["c"], "d")),
        ("a:\n= b\n  c", ("a:", ["b", "c"], None)),
    ],
)
def test_messages_of_one_text(text, parts):
    assert split_message(text) == parts


def test_remarks():
    remark = remark_from_diagnostic(diagnostic("slow; use rows", severity="remark"))
    assert remark.severity == "remark" and remark.message == "slow" and remark.help == "use rows"
    assert str(remark).startswith(f"remark: slow\n --> {FILE}:2:2\n")
