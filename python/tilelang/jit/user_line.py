"""The line of the user's program that called, for errors that know no place of their own."""

from __future__ import annotations

from types import TracebackType

from ..errors import SourceLocation, TileLangError

__all__ = ["at_user_line", "calling_line"]


def calling_line() -> SourceLocation | None:
    """Where the innermost frame outside this package stands; nothing on a thread that the package started."""
    # The front end knows how; it is loaded with the first error only, as artifacts run without it.
    from ..language.source import user_location

    return user_location()


class at_user_line:
    """Errors that leave the body get the calling line, unless they have a place. The package's own frames go from the
    traceback: what the user sees ends with the user's call."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, TileLangError) and error.location is None:
            error.location = calling_line()
