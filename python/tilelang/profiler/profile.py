"""Where the modelled time of one launch goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .._native_path import chip_directory
from ..errors import ArgumentValueError
from ..jit.findings import LineTable, emitted_lines, user_text
from ..runtime.loading import native_runtime

if TYPE_CHECKING:
    from .._runtime import Kernel, Report

__all__ = ["Profile"]


def _bytes(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError


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
        for core, entry in data["core_types"].items():
            shares = [f"{pipe} {share:.1%}" for pipe, share in entry["utilisation"].items() if share >= 0.0005]
            yield f"{core} ({entry['cores']} cores) busy", ", ".join(shares) or "idle"
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
            yield path, f"{_bytes(count)}, {rate}"
        yield (
            "L2",
            f"{_bytes(data['l2_hit_bytes'])} hit, {_bytes(data['l2_miss_bytes'])} missed, "
            f"{_bytes(data['write_back_bytes'])} written back",
        )
        if self.flops and self.global_bytes:
            yield "intensity", f"{self.flops / self.global_bytes:.1f} FLOP/B of memory traffic"
        for wait in sorted(data["waits"], key=lambda entry: -entry["cycles"])[:5]:
            yield (
                f"waiting, {wait['core_type']} {wait['pipe']}",
                f"{wait['cycles']:.0f} cycles at {wait['what']} ({wait['count']} times, all cores)",
            )
        yield "simulated in", f"{data['wall_seconds']:.3f} s"

    def _title(self) -> str:
        return f"{self.artifact.name} on the simulator of {self.artifact.chip}"

    def __str__(self) -> str:
        rows = list(self.rows())
        width = max(len(label) for label, _ in rows)
        return "\n".join([self._title(), *(f"  {label:<{width}}  {value}" for label, value in rows)])

    def __repr__(self) -> str:
        return f"<Profile of {self._title()}: {self.microseconds:.2f} us, {self.cycles:.0f} cycles>"

    def show(self) -> None:
        """Prints the table, with colours on a terminal."""
        if not sys.stdout.isatty():
            print(self)
            return
        from rich.console import Console
        from rich.table import Table

        table = Table(title=self._title(), show_header=False, title_justify="left")
        table.add_column(style="bold")
        table.add_column()
        for label, value in self.rows():
            table.add_row(label, value)
        Console().print(table)

    def save_timeline(self, path: str | os.PathLike[str]) -> None:
        """Writes what every pipe did, in Chrome's trace format, which Perfetto opens: microseconds of modelled time,
        cores as processes, pipes as threads, the lines of the program as names."""
        if not self._report.timeline_length:
            raise ArgumentValueError(
                "this profile has no timeline",
                help="profile with timeline=True (the default), and run at least one block",
            )
        table = LineTable(self.artifact)
        places = self._report.timeline_places()
        labels = {}
        lines = emitted_lines(self._kernel, [(module, offset) for _, module, offset in places])
        for (address, _, _), emitted in zip(places, lines, strict=True):
            location = table.locate(emitted)
            if location is not None:
                labels[address] = (user_text(location), location.file, location.line)
        self._report.save_timeline(os.fspath(path), labels, self._title())
