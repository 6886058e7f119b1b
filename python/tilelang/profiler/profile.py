"""Where the modelled time of one launch goes."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .._native_path import chip_directory
from ..errors import ArgumentValueError, SourceLocation
from ..jit.findings import LineTable, emitted_lines
from ..runtime.loading import native_runtime
from .accounts import SHARES, Accounts, PipeUse, Wait
from .program_text import Places, ProgramText
from .table import byte_count, shortened, table

if TYPE_CHECKING:
    from .._runtime import Kernel, Report

__all__ = ["Profile"]

#: Waits that are shown, and the share of the time from which a wait is.
_SHOWN_WAITS = 8
_SHOWN_SHARE = 0.005
_LINE_WIDTH = 44


def _rate(per_second: float, unit: str) -> str:
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if per_second >= factor:
            return f"{per_second / factor:.2f} {prefix}{unit}"
    return f"{per_second:.0f} {unit}"


class Profile:
    """One launch: modelled cycles and microseconds, use of each pipe, traffic, arithmetic rate against the peak. Prints
    as a table."""

    def __init__(self, kernel: Kernel, report: Report, result: Any = None) -> None:
        self.artifact = artifact = kernel.artifact
        self._kernel = kernel
        #: What the call of the kernel returned.
        self.result = result
        self._report = report
        #: Everything measured, as plain values.
        self.data: dict[str, Any] = report.summary()
        self._constants = native_runtime().Chip.load(chip_directory(), artifact.chip)

    # -- numbers -------------------------------------------------------------------------------------------------------

    @property
    def cycles(self) -> float:
        """Modelled cycles of the slowest core."""
        return float(self.data["cycles"])

    @property
    def microseconds(self) -> float:
        """Modelled time, launch included."""
        return float(self.data["microseconds"])

    @property
    def latency_ms(self) -> float:
        return self.microseconds / 1000

    @property
    def utilisation(self) -> dict[str, dict[str, float]]:
        """Busy share of each pipe, by core type ("AIC", "AIV"): mean over the cores."""
        return {core: dict(entry["utilisation"]) for core, entry in self.data["core_types"].items()}

    @functools.cached_property
    def _accounts(self) -> Accounts:
        return Accounts(self._report.accounts(), self.cycles)

    @property
    def pipes(self) -> dict[str, dict[str, PipeUse]]:
        """Where the time of each pipe goes, by core type: shares that add up to 1, mean over the cores."""
        return self._accounts.by_type() if self.cycles else {}

    @property
    def cores(self) -> dict[tuple[str, int], dict[str, PipeUse]]:
        """The same for each core: ("AIC", 0) and so on."""
        return self._accounts.by_core() if self.cycles else {}

    @property
    def cube_busy(self) -> float:
        """Share of the time in which the matrix unit works, mean over the Cube cores; 0 without Cube cores."""
        return float(self.utilisation.get("AIC", {}).get("M", 0.0))

    @property
    def vector_busy(self) -> float:
        """Share of the time in which the vector unit works, mean over the Vector cores; 0 without Vector cores."""
        return float(self.utilisation.get("AIV", {}).get("V", 0.0))

    @functools.cached_property
    def waits(self) -> list[Wait]:
        """What pipes waited for, with the lines of the wait and of what ended it, the longest first."""
        if not self.cycles:
            return []
        return self._accounts.waits(self._locate(self._accounts.addresses()))

    def _locate(self, addresses: Sequence[int]) -> dict[int, SourceLocation | None]:
        """The places of the program behind code addresses."""
        places = self._report.locate(list(addresses))
        lines = emitted_lines(self._kernel, places)
        lines_of = LineTable(self.artifact)
        return {address: lines_of.locate(line) for address, line in zip(addresses, lines, strict=True)}

    @property
    def bytes_per_path(self) -> dict[str, int]:
        """Bytes moved along each path between memories."""
        return dict(self.data["path_bytes"])

    @property
    def flops(self) -> int:
        """Operations of the Cube cores: two for each multiply-accumulate."""
        return 2 * int(self.data["macs"])

    @property
    def flops_per_second(self) -> float:
        return self.flops / (self.microseconds * 1e-6) if self.microseconds else 0.0

    @property
    def peak_flops_per_second(self) -> float:
        """The chip's peak for float16 operands."""
        constants = self._constants.constants()
        macs = constants["cube.fractal"] ** 2 * constants["cube.k_elements_f16"]
        return float(2 * macs * self._constants.aic_count * self._constants.clock_ghz * 1e9)

    @property
    def global_bytes(self) -> int:
        """Bytes between the chip and its memory: L2 misses and write-back."""
        return int(self.data["l2_miss_bytes"]) + int(self.data["write_back_bytes"])

    # -- shown ---------------------------------------------------------------------------------------------------------

    def rows(self) -> Iterator[tuple[str, str]]:
        """Label and value of each line of the table."""
        data = self.data
        yield "modelled time", f"{self.microseconds:.2f} us ({data['launch_microseconds']:.2f} us of it launch)"
        yield "cycles", f"{self.cycles:.0f} at {data['clock_ghz']:g} GHz"
        yield "blocks", str(data["block_dim"])
        units = {"AIC": ("Cube", self.cube_busy), "AIV": ("Vector", self.vector_busy)}
        busy = [
            f"{unit} {share:.1%} (mean of {entry['cores']})"
            for core, entry in data["core_types"].items()
            for unit, share in [units[core]]
        ]
        yield "busy", ", ".join(busy) or "nothing: no block was launched"
        if self.flops:
            share = self.flops_per_second / self.peak_flops_per_second
            yield (
                "Cube arithmetic",
                f"{_rate(self.flops_per_second, 'FLOP/s')}, {share:.1%} of the float16 peak "
                f"({_rate(self.peak_flops_per_second, 'FLOP/s')})",
            )
        if data["vector_operations"] and self.microseconds:
            yield "vector arithmetic", _rate(data["vector_operations"] / (self.microseconds * 1e-6), "op/s")
        for path, count in data["path_bytes"].items():
            rate = _rate(count / (self.microseconds * 1e-6), "B/s") if self.microseconds else "-"
            yield path, f"{byte_count(count)}, {rate}"
        yield (
            "L2",
            f"{byte_count(data['l2_hit_bytes'])} hit, {byte_count(data['l2_miss_bytes'])} missed, "
            f"{byte_count(data['write_back_bytes'])} written back",
        )
        if self.flops and self.global_bytes:
            yield "intensity", f"{self.flops / self.global_bytes:.1f} FLOP/B of memory traffic"
        yield "simulated in", f"{data['wall_seconds']:.3f} s"

    def _title(self) -> str:
        return f"{self.artifact.name} on the simulator of {self.artifact.chip}"

    def pipe_table(self) -> list[str]:
        """Where the time of each pipe goes, as lines of a table."""
        rows = [("core", "pipe", *(name.replace("_", " ") for name in SHARES))]
        for core, uses in self.pipes.items():
            for pipe, use in uses.items():
                shown = [f"{share:.1%}" if share >= 0.0005 else "" for share in use.shares().values()]
                rows.append((core, pipe, *shown))
        return table(rows, right=range(2, 2 + len(SHARES)))

    def wait_table(self, count: int = _SHOWN_WAITS) -> list[str]:
        """The longest waits, as lines of a table. Pipes that stood for the same reason share a line."""
        # The scalar unit's own waits are those of the pipes that it feeds.
        long = [wait for wait in self.waits if wait.share >= _SHOWN_SHARE and wait.pipe != "S"]
        groups: dict[tuple[Any, ...], list[Wait]] = {}
        for wait in long:
            key = (wait.core_type, wait.kind, wait.name, wait.waits_at, wait.set_at, wait.through_dispatch)
            groups.setdefault(key, []).append(wait)
        text, places = ProgramText(self.artifact), self._places()
        rows = [("core", "pipe", "share", "for", "line", "waits", "line", "set at", "by")]
        for waits in list(groups.values())[:count]:
            first = waits[0]
            low, high = (f"{share:.1%}" for share in (waits[-1].share, first.share))
            rows.append(
                (
                    first.core_type,
                    ", ".join(wait.pipe for wait in waits),
                    high if low == high else f"{low.removesuffix('%')} - {high}",
                    first.name.replace("CrossCoreWaitFlag", "counter"),
                    places.line(first.waits_at),
                    shortened(text.line(first.waits_at), _LINE_WIDTH),
                    places.line(first.set_at),
                    shortened(text.line(first.set_at), _LINE_WIDTH),
                    first.set_by,
                )
            )
        return table(rows, right=(2,))

    def _places(self) -> Places:
        return Places(place for wait in self.waits for place in (wait.waits_at, wait.set_at))

    def _sections(self) -> list[str]:
        lines = []
        for title, body in (
            ("where the time of the pipes goes (mean over the cores)", self.pipe_table()),
            (self._places().title("longest waits"), self.wait_table()),
        ):
            if body:
                lines += ["", title, *body]
        return lines

    def __str__(self) -> str:
        rows = list(self.rows())
        width = max(len(label) for label, _ in rows)
        return "\n".join([self._title(), *(f"  {label:<{width}}  {value}" for label, value in rows), *self._sections()])

    def __repr__(self) -> str:
        return f"<Profile of {self._title()}: {self.microseconds:.2f} us, {self.cycles:.0f} cycles>"

    def show(self) -> None:
        """Prints the table, with colours on a terminal."""
        if not sys.stdout.isatty():
            print(self)
            return
        from rich.console import Console
        from rich.table import Table

        shown = Table(title=self._title(), show_header=False, title_justify="left")
        shown.add_column(style="bold")
        shown.add_column()
        for label, value in self.rows():
            shown.add_row(label, value)
        Console().print(shown)
        print("\n".join(self._sections()))

    def save_timeline(self, path: str | os.PathLike[str]) -> None:
        """Writes what every pipe did, in Chrome's trace format, which Perfetto opens: microseconds of modelled time,
        cores as processes, pipes as threads with their instructions and waits, the lines of the program as names;
        arrows from sets to waits; the slots of tiles that travel between cores as threads of a process per block."""
        if not self._report.timeline_length:
            raise ArgumentValueError(
                "this profile has no timeline",
                help="profile with timeline=True (the default), and run at least one block",
            )
        text = ProgramText(self.artifact)
        located = self._locate(self._report.timeline_addresses())
        labels = {
            address: (text.line(place), place.file, place.line)
            for address, place in located.items()
            if place is not None
        }
        description = json.loads(self.artifact.description or '{"rings": []}')
        rings = [
            (ring["name"], ring["offset"], ring["bytes"], ring["slots"], self.artifact.block_dim)
            for ring in description["rings"]
        ]
        self._report.save_timeline(os.fspath(path), labels, rings, self._title())
