"""Progress on a terminal; silence in a pipe."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

#: Seconds after which something is shown: shorter work needs no message.
_DELAY = 0.5


@contextlib.contextmanager
def progress(what: str) -> Iterator[None]:
    """Shows a spinner with the elapsed time on stderr while the body runs, if that is a terminal and it takes long."""
    if not sys.stderr.isatty():
        yield
        return
    finished = threading.Event()

    def show() -> None:
        if finished.wait(_DELAY):
            return
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
            shown.add_task(what, total=None)
            finished.wait()

    thread = threading.Thread(target=show, name="tilelang-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
