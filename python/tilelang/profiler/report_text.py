"""`kernel.report()` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..errors import Remark, SourceLocation
from .program_text import Places
from .table import byte_count, shortened, table

if TYPE_CHECKING:
    from .report import Buffer, KernelReport, Loop, Ring, Statement

__all__ = ["report_text"]

_LINE_WIDTH = 60
_KINDS = {
    "cube": ("Cube core", "Cube cores"),
    "vector": ("Vector core", "Vector cores"),
    "mixed": ("block of one Cube and two Vector cores", "blocks of one Cube and two Vector cores"),
}


def _locations(report: KernelReport) -> Iterator[SourceLocation | None]:
    for group in (report.statements, report.buffers, report.loops):
        yield from (item.location for item in group)
    for remarks in (report.skew_remarks, report.not_vectorised, report.remarks):
        yield from (remark.location for remark in remarks)


def _line_key(location: SourceLocation | None) -> tuple[str, int]:
    return (location.file, location.line) if location is not None else ("", 0)


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _shape(shape: Sequence[int], dtype: str) -> str:
    return f"{'x'.join(str(extent) for extent in shape)} {dtype}"


def _head(report: KernelReport, places: Places) -> list[str]:
    name = f"{report.name} in {places.file}" if places.file else report.name
    lines = [f"{name} for {report.chip}: {_counted(report.blocks, *_KINDS[report.kernel_type])}"]
    if report.kernel_type == "mixed":
        split = "split over both Vector cores" if report.split_over_vector_cores else "on one of the Vector cores"
        lines.append(f"  vector work: {split}")
    return lines


def _statements(statements: Sequence[Statement], places: Places) -> list[str]:
    groups: dict[tuple[tuple[str, int], str], list[Statement]] = {}
    for statement in statements:
        groups.setdefault((_line_key(statement.location), statement.core), []).append(statement)
    rows = [("line", "statement", "core", "instructions by pipe", "remark")]
    previous = None
    for (line, core), members in sorted(groups.items(), key=lambda item: item[0]):
        pipes: dict[str, int] = {}
        remarks: dict[str, None] = {}
        for member in members:
            for pipe, names in member.pipes.items():
                pipes[pipe] = pipes.get(pipe, 0) + sum(names.values())
            remarks.update({f"takes {ring} from the other core": None for ring in member.reads})
            remarks.update({f"hands {ring} to the other core": None for ring in member.writes})
            if member.scalar_reason:
                remarks[f"scalar loop: {member.scalar_reason}"] = None
        first = line != previous
        previous = line
        rows.append(
            (
                places.line(members[0].location) if first else "",
                shortened(members[0].text, _LINE_WIDTH) if first else "",
                core,
                ", ".join(f"{pipe} {count}" for pipe, count in pipes.items()),
                "; ".join(remarks),
            )
        )
    return table(rows, right=(0,) if places.file else ())


def _buffers(report: KernelReport, places: Places) -> list[str]:
    rows = [("buffer", "core", "memory", "address", "shape", "bytes", "versions", "line", "rotates in")]
    for buffer in (buffer for buffer in report.buffers if not buffer.temporary):
        count = str(buffer.versions) if buffer.versions == buffer.wanted else f"{buffer.versions} of {buffer.wanted}"
        rows.append(
            (
                buffer.name,
                buffer.core,
                buffer.memory,
                f"0x{buffer.address:x}",
                _shape(buffer.shape, buffer.dtype),
                byte_count(buffer.bytes),
                count,
                places.line(buffer.location),
                f"loop at {places.line(buffer.loop)}" if buffer.loop else "",
            )
        )
    temporaries: dict[tuple[str, str], list[Buffer]] = {}
    for buffer in (buffer for buffer in report.buffers if buffer.temporary):
        temporaries.setdefault((buffer.core, buffer.memory), []).append(buffer)
    for (core, memory), members in temporaries.items():
        total = sum(member.bytes * member.versions for member in members)
        name = f"({_counted(len(members), 'temporary', 'temporaries')})"
        rows.append((name, core, memory, "", "", byte_count(total), "", "", ""))
    lines = table(rows, right=(5,))
    reasons: dict[str, dict[str, None]] = {}
    for buffer in report.buffers:
        if buffer.why_fewer:
            reasons.setdefault(buffer.why_fewer, {})[buffer.name] = None
    return [*lines, *(f"  {', '.join(names)}: {reason}" for reason, names in reasons.items())]


def _memories(report: KernelReport) -> list[str]:
    return [
        "  "
        + ", ".join(
            f"{memory.core} {memory.memory} {byte_count(memory.used)} of {byte_count(memory.limit)}"
            for memory in report.memories
        )
    ]


def _rings(rings: Sequence[Ring], places: Places) -> list[str]:
    rows = [("tile", "direction", "slots", "shape", "bytes per slot", "written at", "read at")]
    for ring in rings:
        rows.append(
            (
                ring.name,
                f"{ring.producer} -> {ring.consumer}",
                str(ring.slots),
                _shape(ring.shape, ring.dtype),
                byte_count(ring.bytes),
                places.lines(ring.written_at),
                places.lines(ring.read_at),
            )
        )
    return table(rows, right=(2, 4))


def _loops(loops: Sequence[Loop], places: Places) -> list[str]:
    rows = [("line", "loop", "core", "instructions", "flags", "counters", "barriers", "stages", "skew")]
    previous = None
    # Program order within a core, and both cores of a line together.
    for loop in sorted(loops, key=lambda loop: _line_key(loop.location)):
        line = _line_key(loop.location)
        first = line != previous
        previous = line
        text = "the blocks of the grid" if loop.grid else loop.text
        rows.append(
            (
                places.line(loop.location) if first else "",
                shortened(text, _LINE_WIDTH) if first else "",
                loop.core,
                str(loop.instructions),
                _pair(loop.flag_sets, loop.flag_waits),
                _pair(loop.counter_sets, loop.counter_waits),
                ", ".join(f"{pipe} {count}" for pipe, count in loop.barriers.items()) or "0",
                str(loop.stages) if loop.stages is not None else "",
                str(loop.skew) if loop.skew else "",
            )
        )
    return table(rows, right=(3, 4, 5))


def _pair(sets: int, waits: int) -> str:
    return str(sets) if sets == waits else f"{sets} set, {waits} waited for"


def _skew(report: KernelReport, places: Places) -> list[str]:
    skewed = [loop for loop in report.loops if loop.skew]
    if not skewed and not report.skew_remarks:
        return ["  no skew: each core runs all its tasks of an iteration before those of the next"]
    lines = []
    for location in dict.fromkeys(loop.location for loop in skewed):
        members = [loop for loop in skewed if loop.location == location]
        depth = max(loop.skew for loop in members)
        lines.append(
            f"  loop at {places.line(location)}: the last task is {_counted(depth, 'iteration')} behind the first"
        )
        for task, core in sorted(((t, m.core) for m in members for t in m.tasks), key=lambda item: item[0].number):
            lines.append(f"    task {task.number} on {core}, {task.behind} behind: {places.lines(task.locations)}")
    lines.extend(_remarks(report.skew_remarks, places))
    return lines


def _remarks(remarks: Sequence[Remark], places: Places) -> list[str]:
    return [f"  {places.line(remark.location)}: {remark.message}" for remark in remarks]


def _synchronisation(report: KernelReport) -> list[str]:
    statistics = report.statistics
    words = [
        _counted(statistics.get("sync.flags", 0), "flag or counter", "flags and counters"),
        _counted(statistics.get("sync.barriers", 0), "barrier"),
        f"at most {_counted(statistics.get('flags_per_innermost_loop', 0), 'flag')} per iteration of an innermost loop",
    ]
    if "redundancy_not_checked" in statistics:
        words.append("redundancy not checked")
    else:
        words.append(f"{statistics.get('redundant_flags', 0)} redundant")
    return ["  " + ", ".join(words)]


def report_text(report: KernelReport) -> str:
    """The tables of a report; sections with nothing to say are left out."""
    places = Places(_locations(report))
    sections: list[tuple[str, list[str]]] = [
        ("where statements run", _statements(report.statements, places)),
        ("what buffers became", [*_buffers(report, places), *_memories(report)] if report.buffers else []),
        ("tiles that travel between cores, through global memory", _rings(report.rings, places)),
        ("loops, per iteration without inner loops", [*_loops(report.loops, places), *_synchronisation(report)]),
    ]
    if report.kernel_type == "mixed":
        sections.append(("order of tasks", _skew(report, places)))
    sections += [
        ("not vectorised", _remarks(report.not_vectorised, places) or ["  nothing"]),
        ("remarks", _remarks(report.remarks, places)),
    ]
    lines = _head(report, places)
    for title, body in sections:
        if body:
            lines += ["", title, *body]
    return "\n".join(lines)
