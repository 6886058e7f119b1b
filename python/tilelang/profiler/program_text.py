"""Lines of the user's program, as they were when it was compiled."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..errors import SourceLocation
from ..jit.findings import user_text

if TYPE_CHECKING:
    from .._runtime import Artifact

__all__ = ["Places", "ProgramText"]

_QUOTED = re.compile(r"^\s*// (\S+):(\d+)  (.+)$", re.MULTILINE)


class ProgramText:
    """The emitted source quotes the lines that it came from, so they are known where the program's file is not."""

    def __init__(self, artifact: Artifact) -> None:
        self._quoted = {(name, int(line)): text for name, line, text in _QUOTED.findall(artifact.source)}

    def line(self, location: SourceLocation | None) -> str:
        """The text of the line; empty if it is unknown."""
        if location is None:
            return ""
        quoted = self._quoted.get((os.path.basename(location.file), location.line))
        return quoted if quoted is not None else user_text(location)


class Places:
    """Short names of lines: where all are of one file, its name is said once."""

    def __init__(self, locations: Iterable[SourceLocation | None]) -> None:
        files = {location.file for location in locations if location is not None}
        #: The one file, without its folder; empty if there are several.
        self.file = os.path.basename(files.pop()) if len(files) == 1 else ""

    def line(self, location: SourceLocation | None) -> str:
        """A line as "12" or "file.py:12"; empty if it is unknown."""
        if location is None or not location.line:
            return ""
        return str(location.line) if self.file else f"{os.path.basename(location.file)}:{location.line}"

    def lines(self, locations: Iterable[SourceLocation]) -> str:
        """Lines as "12, 14" or "file.py:12, file.py:14"."""
        found = sorted(set(locations), key=lambda location: (location.file, location.line))
        return ", ".join(dict.fromkeys(self.line(location) for location in found))

    def title(self, text: str) -> str:
        """A title, with the file that its lines are of."""
        return f"{text} (lines of {self.file})" if self.file else text
