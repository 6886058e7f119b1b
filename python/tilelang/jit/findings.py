"""What the simulator's checks found, in terms of the user's program."""

from __future__ import annotations

import bisect
import linecache
from typing import TYPE_CHECKING, Any

from .._native_path import api_directory
from ..errors import CheckError, Note, SourceLocation, split_message

if TYPE_CHECKING:
    from .._runtime import Artifact, Kernel, Report

__all__ = ["LineTable", "check_error"]

#: Findings beside the first that are shown, and lines of values of the first.
_SHOWN_NOTES = 3
_SHOWN_VALUES = 8


class LineTable:
    """From lines of the emitted source to the user's program."""

    def __init__(self, artifact: Artifact) -> None:
        self._entries = sorted(artifact.lines)
        self._emitted = [entry[0] for entry in self._entries]
        self._source = artifact.source.splitlines()

    def locate(self, emitted_line: int) -> SourceLocation | None:
        """The user's place behind an emitted line; a line without one belongs to the statement before it."""
        index = bisect.bisect_right(self._emitted, emitted_line) - 1
        if emitted_line <= 0 or index < 0:
            return None
        _, file, line, column, end_line, end_column = self._entries[index]
        if not file or not line:
            return None
        return SourceLocation(file, line, column, end_line, end_column)

    def emitted_text(self, emitted_line: int) -> str:
        if 0 < emitted_line <= len(self._source):
            return self._source[emitted_line - 1].split("//")[0].strip()
        return ""


def user_text(location: SourceLocation) -> str:
    """The user's source line."""
    return linecache.getline(location.file, location.line).strip()


def emitted_lines(kernel: Kernel, places: list[tuple[str, int]]) -> list[int]:
    """The emitted line of each code address (module, offset); 0 where it is unknown."""
    return kernel.emitted_lines(places, api_directory()) if places else []


def _who(place: dict[str, Any]) -> str:
    return (
        f"{place['instruction'] or 'scalar code'} on pipe {place['pipe']} of {place['core_type']} {place['core']}, "
        f"block {place['block']}, cycle {place['cycle']:.0f}"
    )


def _remedy(finding: dict[str, Any]) -> str | None:
    """What to do in the tile language; the simulator speaks of chips only."""
    if finding["kind"] == "race" and "nothing orders block" in finding["message"]:
        return (
            "blocks of one launch run in any order: add with T.atomic_add, give each block elements of its own, or "
            "write in one kernel and read in the next"
        )
    if finding["kind"] != "uninitialised":
        return None
    if "left in L0C" in finding["message"]:
        return (
            "start the accumulator: T.clear(C) before the loop, or T.gemm(..., clear_accum=True) for the first product"
        )
    return "write the whole tile before it is read: T.copy into it, T.clear or T.fill"


def _worth_showing(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first finding, and one of each other kind: what has the same cause comes many times."""
    shown = findings[:1]
    kinds = {findings[0]["kind"]}
    for finding in findings[1:]:
        if finding["kind"] not in kinds and len(shown) <= _SHOWN_NOTES:
            kinds.add(finding["kind"])
            shown.append(finding)
    return shown


def check_error(kernel: Kernel, report: Report) -> CheckError:
    """The error for a launch with findings, races before others: the first is the message, the rest are notes."""
    artifact = kernel.artifact
    # A missing order is the cause; wrong bytes, stale flags and deadlocks follow from it.
    findings = sorted(report.findings, key=lambda finding: finding["kind"] != "race")
    if not findings:
        return CheckError(f"kernel '{artifact.name}' did not run to its end on {artifact.chip}, without a finding")
    shown = _worth_showing(findings)
    places = [place for finding in shown for place in (finding["first"], finding["second"]) if place is not None]
    table = LineTable(artifact)
    lines = emitted_lines(kernel, [(place["module"], place["offset"]) for place in places])
    located = {
        id(place): (table.locate(line), table.emitted_text(line)) for place, line in zip(places, lines, strict=True)
    }

    def place_values(place: dict[str, Any]) -> list[str]:
        location, emitted = located[id(place)]
        # Where no line of the program is known, the emitted one still helps.
        return [_who(place)] + ([f"emitted: {emitted}"] if location is None and emitted else [])

    first = shown[0]
    message, values, help = split_message(first["message"])
    message = message.removesuffix(":")
    if len(values) > _SHOWN_VALUES:
        values[_SHOWN_VALUES - 1 :] = [f"and {len(values) - _SHOWN_VALUES + 1} more"]
    help = _remedy(first) or help
    location, _ = located[id(first["first"])]
    values += place_values(first["first"])
    if first["count"] > 1:
        values.append(f"found {first['count']} times at this place")
    notes: list[Note] = []
    if first["second"] is not None:
        notes.append(Note("; ".join(place_values(first["second"])), located[id(first["second"])][0]))
    for finding in shown[1:]:
        text, _, _ = split_message(finding["message"])
        notes.append(Note(f"also: {finding['kind']}: {text.removesuffix(':')}", located[id(finding["first"])][0]))
        if finding["second"] is not None:
            notes.append(Note("; ".join(place_values(finding["second"])), located[id(finding["second"])][0]))
    hidden = len(findings) - len(shown) + report.suppressed_findings
    if hidden:
        notes.append(Note(f"and {hidden} more finding{'s' if hidden > 1 else ''}"))
    return CheckError(
        f"kernel '{artifact.name}', {first['kind']}: {message}", location, values=values, help=help, notes=notes
    )
