"""Shared by all tests: the place of an error, and patterns in the text of a program."""

from __future__ import annotations

import contextlib
import inspect
import linecache
import re
from collections.abc import Iterator

import pytest

from tilelang.errors import TileLangError


class Caught:
    """What `error_at` yields: the error once it has been raised."""

    error: TileLangError


class ErrorAt:
    """Expects an error at the line of the test that carries a mark: `bad()  #! mark`."""

    @contextlib.contextmanager
    def __call__(self, mark: str, cls: type[BaseException], *texts: str) -> Iterator[Caught]:
        frame = inspect.currentframe()
        while frame is not None and frame.f_code.co_filename in (__file__, contextlib.__file__):
            frame = frame.f_back
        assert frame is not None
        file = frame.f_code.co_filename
        caught = Caught()
        with pytest.raises(cls) as info:
            yield caught
        error = info.value
        assert isinstance(error, TileLangError), repr(error)
        caught.error = error
        assert error.location is not None, str(error)
        assert error.location.file == file, str(error)
        line = linecache.getline(file, error.location.line)
        assert re.search(rf"#! {re.escape(mark)}\b", line), f"wrong line: {line!r}\n{error}"
        for text in texts:
            assert text in str(error), f"{text!r} is not in:\n{error}"


@pytest.fixture
def error_at() -> ErrorAt:
    return ErrorAt()


class CheckText:
    """Expects lines in this order; `...` stands for anything inside a line."""

    def __call__(self, text: str, *patterns: str) -> None:
        position = 0
        for pattern in patterns:
            expression = r".*?".join(re.escape(part) for part in pattern.split("..."))
            found = re.compile(expression).search(text, position)
            assert found is not None, f"{pattern!r} is not in, or comes too early in:\n{text}"
            position = found.end()


@pytest.fixture
def check_text() -> CheckText:
    return CheckText()
