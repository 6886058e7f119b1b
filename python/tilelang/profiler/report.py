"""What the compiler made of a program: `kernel.report()`."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import Remark, SourceLocation, UnsupportedError
from .program_text import ProgramText

if TYPE_CHECKING:
    from .._runtime import Artifact

__all__ = ["Buffer", "Flag", "KernelReport", "Loop", "Memory", "Ring", "Statement", "Task", "kernel_report"]

#: Core types as reports call them.
CORE_NAMES = {"AIC": "Cube", "AIV": "Vector"}

_SCALAR_LOOP = "runs as a scalar loop"
_NO_SPACE = "does not fit"


@dataclass(frozen=True)
class Statement:
    """What a statement of the program became on one core type ("Cube" or "Vector")."""

    location: SourceLocation | None
    text: str
    core: str
    #: Instructions by pipe and name, as many as the emitted program has.
    pipes: Mapping[str, Mapping[str, int]]
    #: Rings that the statement takes tiles from and puts tiles into.
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    #: Why it is a loop of the scalar unit, if it is.
    scalar_reason: str | None


@dataclass(frozen=True)
class Buffer:
    """A buffer in the memory of a core. A buffer of the program may have become several."""

    name: str
    location: SourceLocation | None
    core: str
    memory: str
    shape: tuple[int, ...]
    dtype: str
    #: Of one version.
    bytes: int
    versions: int
    #: Versions it was to have.
    wanted: int
    #: Why it has fewer; empty if it has not.
    why_fewer: str
    address: int
    #: Made by the compiler, not by the program.
    temporary: bool
    #: The loop in which its versions rotate.
    loop: SourceLocation | None


@dataclass(frozen=True)
class Memory:
    """How full a memory of a core is."""

    core: str
    memory: str
    used: int
    limit: int


@dataclass(frozen=True)
class Ring:
    """Slots in global memory through which one core type hands tiles to the other."""

    name: str
    location: SourceLocation | None
    shape: tuple[int, ...]
    dtype: str
    slots: int
    #: Of one slot.
    bytes: int
    #: Of the first slot of block 0, in the workspace.
    offset: int
    producer: str
    consumer: str
    written_at: tuple[SourceLocation, ...]
    read_at: tuple[SourceLocation, ...]


@dataclass(frozen=True)
class Task:
    """Part of the body of a skewed loop: its number counts the transfers between cores that lead to it."""

    number: int
    #: Iterations it is behind task 0.
    behind: int
    locations: tuple[SourceLocation, ...]


@dataclass(frozen=True)
class Loop:
    """A loop on one core type; counts are per iteration, inner loops left out."""

    location: SourceLocation | None
    text: str
    core: str
    #: The loop over the blocks of the grid.
    grid: bool
    depth: int
    #: `num_stages` of the program.
    stages: int | None
    #: Iterations that the last task is behind the first; 0 without skew.
    skew: int
    tasks: tuple[Task, ...]
    instructions: int
    flag_sets: int
    flag_waits: int
    counter_sets: int
    counter_waits: int
    barriers: Mapping[str, int]


@dataclass(frozen=True)
class Flag:
    """A flag between pipes of a core, or a counter between cores."""

    is_counter: bool
    id: int
    setter: str
    source: str
    waiter: str
    target: str
    #: Sets before the loops: slots that are free at the start.
    primes: int
    set_at: SourceLocation | None
    waited_at: SourceLocation | None


@dataclass(frozen=True)
class KernelReport:
    """What was assigned where, what each buffer became, how cores and pipes are kept in order. Prints as tables."""

    name: str
    chip: str
    kernel_type: str
    blocks: int
    #: Rows of tiles are split over the two Vector cores of a block.
    split_over_vector_cores: bool
    statements: tuple[Statement, ...]
    buffers: tuple[Buffer, ...]
    memories: tuple[Memory, ...]
    rings: tuple[Ring, ...]
    loops: tuple[Loop, ...]
    flags: tuple[Flag, ...]
    #: What the compiler said about the order of tasks.
    skew_remarks: tuple[Remark, ...]
    #: Statements that no vector instructions were found for.
    not_vectorised: tuple[Remark, ...]
    #: Everything else that it said.
    remarks: tuple[Remark, ...]
    statistics: Mapping[str, int]

    def __str__(self) -> str:
        from .report_text import report_text

        return report_text(self)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values."""
        return dataclasses.asdict(self)

    def to_json(self) -> str:
        return json.dumps(self.to_dict())


class _Reader:
    """Turns the description in an artifact into the fields of a report."""

    def __init__(self, artifact: Artifact, remarks: Sequence[Remark]) -> None:
        self.artifact = artifact
        self.remarks = remarks
        self.text = ProgramText(artifact)
        self.data: dict[str, Any] = json.loads(artifact.description)
        self.files: list[str] = self.data["files"]
        self.ring_names = {ring["id"]: ring["name"] for ring in self.data["rings"]}
        self.loops = {loop["number"]: loop for loop in self.data["loops"]}

    def place(self, entry: Mapping[str, Any], key: str = "place") -> SourceLocation | None:
        if key not in entry:
            return None
        file, line, column, end_line, end_column = entry[key]
        if not line:
            return None
        return SourceLocation(self.files[file], line, column, end_line, end_column)

    def places(self, entries: Sequence[Mapping[str, Any]]) -> tuple[SourceLocation, ...]:
        found = (self.place(entry) for entry in entries)
        return tuple(dict.fromkeys(location for location in found if location is not None))

    def _remark(self, location: SourceLocation | None, part: str) -> str | None:
        """What a remark with these words says about a place."""
        for remark in self.remarks:
            if location is not None and part in remark.message and remark.location == location:
                return remark.message
        return None

    def statement(self, entry: Mapping[str, Any]) -> Statement:
        location = self.place(entry)
        remark = self._remark(location, _SCALAR_LOOP)
        is_scalar = remark is not None and entry["core"] == "AIV"
        return Statement(
            location,
            self.text.line(location),
            CORE_NAMES[entry["core"]],
            entry["pipes"],
            tuple(self.ring_names[number] for number in entry.get("reads", ())),
            tuple(self.ring_names[number] for number in entry.get("writes", ())),
            remark.partition(": ")[2] if is_scalar and remark is not None else None,
        )

    def buffer(self, entry: Mapping[str, Any]) -> Buffer:
        loop = self.loops.get(entry.get("loop", -1))
        versions, memory = entry["versions"], entry["memory"]
        wanted = entry.get("wanted", versions)
        why = ""
        if versions < wanted:
            said = self._remark(self.place(loop) if loop else None, f"{_NO_SPACE} {memory}")
            why = said or f"{wanted} versions do not fit {memory} beside its other buffers"
        return Buffer(
            entry["name"],
            self.place(entry),
            CORE_NAMES[entry["core"]],
            memory,
            tuple(entry["shape"]),
            entry["dtype"],
            entry["bytes"],
            versions,
            wanted,
            why,
            entry["address"],
            entry["temporary"],
            self.place(loop) if loop else None,
        )

    def ring(self, entry: Mapping[str, Any]) -> Ring:
        def cores(ends: Sequence[Mapping[str, Any]]) -> str:
            return " and ".join(dict.fromkeys(CORE_NAMES[end["core"]] for end in ends))

        return Ring(
            entry["name"],
            self.place(entry),
            tuple(entry["shape"]),
            entry["dtype"],
            entry["slots"],
            entry["bytes"],
            entry["offset"],
            cores(entry["writers"]),
            cores(entry["readers"]),
            self.places(entry["writers"]),
            self.places(entry["readers"]),
        )

    def loop(self, entry: Mapping[str, Any]) -> Loop:
        location = self.place(entry)
        depth, parent = 0, entry["parent"]
        while parent in self.loops:
            depth, parent = depth + 1, self.loops[parent]["parent"]
        return Loop(
            location,
            self.text.line(location),
            CORE_NAMES[entry["core"]],
            entry["grid"],
            depth,
            entry.get("stages"),
            entry.get("skew", 0),
            tuple(Task(task["task"], task.get("behind", 0), self.places(task["places"])) for task in entry["tasks"]),
            entry["instructions"],
            entry["sets"],
            entry["waits"],
            entry["cross_sets"],
            entry["cross_waits"],
            entry["barriers"],
        )

    def flag(self, entry: Mapping[str, Any]) -> Flag:
        return Flag(
            entry["crosses"],
            entry["id"],
            CORE_NAMES[entry["setter"]],
            entry["source"],
            CORE_NAMES[entry["waiter"]],
            entry["target"],
            entry["primes"],
            self.place(entry, "set"),
            self.place(entry, "wait"),
        )

    def read(self) -> KernelReport:
        artifact, data = self.artifact, self.data
        skew = tuple(remark for remark in self.remarks if remark.message.startswith("skew"))
        scalar = tuple(remark for remark in self.remarks if remark.message.startswith(_SCALAR_LOOP))
        return KernelReport(
            artifact.name,
            artifact.chip,
            artifact.kernel_type,
            artifact.block_dim,
            data["split_over_vector_cores"],
            tuple(self.statement(entry) for entry in data["statements"]),
            tuple(self.buffer(entry) for entry in data["buffers"]),
            tuple(
                Memory(CORE_NAMES[entry["core"]], entry["memory"], entry["used"], entry["limit"])
                for entry in data["memories"]
            ),
            tuple(self.ring(entry) for entry in data["rings"]),
            tuple(self.loop(entry) for entry in data["loops"]),
            tuple(self.flag(entry) for entry in data["flags"]),
            skew,
            scalar,
            tuple(remark for remark in self.remarks if remark not in skew and remark not in scalar),
            dict(artifact.statistics),
        )


def kernel_report(artifact: Artifact, remarks: Sequence[Remark]) -> KernelReport:
    """The report of a compiled kernel."""
    if not artifact.description:
        raise UnsupportedError(
            f"the artifact of kernel '{artifact.name}' has no description of what the compiler decided",
            help="compile the program again with this version",
        )
    return _Reader(artifact, remarks).read()
