"""Where the time of the pipes goes: shares that add up to one, and waits by line of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import SourceLocation

__all__ = ["Accounts", "PipeUse", "Wait"]


@dataclass(frozen=True)
class Wait:
    """What a pipe waited for, over all cores of a type."""

    core_type: str
    pipe: str
    #: "flag" (of another pipe), "counter" (of other cores), "barrier", "unit flag", "full queue".
    kind: str
    #: As the simulator calls it: "MTE2_V 0"; several ids of one place together.
    name: str
    #: Core type and pipe that end the wait; empty for barriers and queues.
    set_by: str
    waits_at: SourceLocation | None
    set_at: SourceLocation | None
    #: The pipe itself was not told to wait: it had no instructions, since the core's dispatch stood there.
    through_dispatch: bool
    cycles: float
    count: int
    #: Share of the time of the launch, mean over the cores.
    share: float


@dataclass(frozen=True)
class PipeUse:
    """Shares of the time of the launch, mean over the cores (or of one core); they add up to 1."""

    #: At work.
    busy: float
    #: Transfers that took longer than their own path needs: shared bandwidth, L2 misses, the port of L1.
    memory: float
    #: For flags of other pipes of the core, the unit flag included.
    flags: float
    #: For counters of other cores.
    counters: float
    #: For earlier instructions of the pipe, or of all pipes.
    barriers: float
    #: The dispatch stood at the full queue of another pipe; on pipe S the scalar unit itself.
    full_queues: float
    #: The scalar unit had not issued the next instruction yet.
    dispatch: float
    #: No further instruction in the block, or no block left.
    idle: float
    instructions: int

    def shares(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in SHARES}


#: The shares of a `PipeUse`, in order.
SHARES = ("busy", "memory", "flags", "counters", "barriers", "full_queues", "dispatch", "idle")
_OF_KIND = {
    "flag": "flags",
    "unit flag": "flags",
    "counter": "counters",
    "barrier": "barriers",
    "full queue": "full_queues",
}


@dataclass
class _Sum:
    cycles: float = 0.0
    count: int = 0
    names: dict[str, None] = field(default_factory=dict)


class Accounts:
    """The accounts of a launch, by core and by core type."""

    def __init__(self, cores: Sequence[Mapping[str, Any]], cycles: float) -> None:
        self._cores = cores
        self._cycles = cycles

    def addresses(self) -> list[int]:
        """Code addresses of the waits."""
        found: dict[int, None] = {}
        for core in self._cores:
            for entry in core["waits"]:
                found.update({address: None for address in entry[4:6] if address})
        return list(found)

    def _use(self, cores: Sequence[Mapping[str, Any]], pipe: str) -> PipeUse:
        total = self._cycles * len(cores)
        values = dict.fromkeys(SHARES, 0.0)
        instructions = 0
        for core in cores:
            account = core["pipes"][pipe]
            instructions += account["instructions"]
            for name in ("busy", "memory", "dispatch", "idle"):
                values[name] += account[name]
            for waiting, kind, _, _, _, _, _, cycles, _ in core["waits"]:
                if waiting == pipe:
                    values[_OF_KIND[kind]] += cycles
        return PipeUse(**{name: value / total for name, value in values.items()}, instructions=instructions)

    def _uses(self, cores: Sequence[Mapping[str, Any]]) -> dict[str, PipeUse]:
        """Of the pipes that did something."""
        uses = {pipe: self._use(cores, pipe) for pipe in cores[0]["pipes"]}
        return {pipe: use for pipe, use in uses.items() if use.instructions or (pipe == "S" and use.busy > 0)}

    def by_type(self) -> dict[str, dict[str, PipeUse]]:
        types = dict.fromkeys(core["core_type"] for core in self._cores)
        return {name: self._uses([core for core in self._cores if core["core_type"] == name]) for name in types}

    def by_core(self) -> dict[tuple[str, int], dict[str, PipeUse]]:
        return {(core["core_type"], core["core"]): self._uses([core]) for core in self._cores}

    def waits(self, locate: Mapping[int, SourceLocation | None]) -> list[Wait]:
        """Waits with their places, the longest first."""
        count = {name: sum(core["core_type"] == name for core in self._cores) for name in ("AIC", "AIV")}
        sums: dict[tuple[Any, ...], _Sum] = {}
        for core in self._cores:
            for pipe, kind, name, source, wait, set, at_dispatch, cycles, times in core["waits"]:
                # Versions of a buffer have flags of their own at the same places.
                places = (locate.get(wait) or wait, locate.get(set) or set)
                stem = name if kind in ("barrier", "full queue") else name.rpartition(" ")[0]
                key = (core["core_type"], pipe, kind, stem, source, places, at_dispatch)
                entry = sums.setdefault(key, _Sum())
                entry.cycles += cycles
                entry.count += times
                entry.names[name] = None
        result = []
        for (core_type, pipe, kind, _, source, places, at_dispatch), entry in sums.items():
            located = [place if isinstance(place, SourceLocation) else None for place in places]
            result.append(
                Wait(
                    core_type,
                    pipe,
                    kind,
                    _joined(entry.names),
                    _setter(core_type, kind, source),
                    located[0],
                    located[1],
                    at_dispatch,
                    entry.cycles,
                    entry.count,
                    entry.cycles / (self._cycles * count[core_type]),
                )
            )
        return sorted(result, key=lambda wait: (-wait.cycles, wait.core_type, wait.pipe, wait.name))


def _joined(names: Mapping[str, None]) -> str:
    """The names "MTE2_V 0" and "MTE2_V 1" as "MTE2_V 0, 1"."""
    stem, _, _ = next(iter(names)).rpartition(" ")
    ids = [name.rpartition(" ")[2] for name in names]
    if not stem or not all(number.isdigit() for number in ids):
        return ", ".join(names)
    return f"{stem} {', '.join(sorted(ids, key=int))}"


def _setter(core_type: str, kind: str, source: str) -> str:
    if kind == "counter":
        # Kernels of tile programs exchange between core types only.
        return f"{'AIV' if core_type == 'AIC' else 'AIC'} {source}"
    return f"{core_type} {source}" if kind in ("flag", "unit flag") else ""
