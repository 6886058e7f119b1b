"""Modelled times of the simulator beside published times of silicon.

    python benchmarks/calibration/run.py [--markdown] [--chips FOLDER] [--only TEXT]
    python benchmarks/calibration/run.py --sensitivity

Every row is a program of our own (kernels/*.cpp, or a tile program compiled here). "known" rows follow a published
structure step by step; "guessed" rows stand for kernels whose inside is not published, so their ratio says little
about the model. Rows marked "fit" helped to set a constant of chips/*.toml; the others are predictions. Launches run
for their time only: no data moves. `--sensitivity` raises one timing constant at a time by a quarter and counts the
rows that it moves (minutes).
"""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import statistics
import sys
from dataclasses import dataclass, field

from harness import ROOT, Simulator
from programs import Programs
from rows import SECTIONS, SWEEP, Row

QUICK_SECONDS = 0.4


@dataclass
class Result:
    row: Row
    modelled: float
    ratio: float = field(init=False)

    def __post_init__(self) -> None:
        self.ratio = self.modelled / self.row.published


def digits(value: float) -> str:
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def show(results: list[Result], markdown: bool) -> None:
    header = ["row", "what", "chip", "published", "modelled", "ratio", "structure", "constants"]
    lines = [
        [
            result.row.number,
            result.row.what,
            result.row.chip.removeprefix("ascend"),
            f"{digits(result.row.published)} {result.row.unit} [{result.row.source}]",
            digits(result.modelled),
            f"{result.ratio:.3f}",
            "known" if result.row.known else "guessed",
            "fit" if result.row.fit else "",
        ]
        for result in results
    ]
    if markdown:
        print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
        for line in lines:
            print("| " + " | ".join(line) + " |")
    else:
        widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]
        for line in [header, *lines]:
            print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
    print()


def summary(what: str, results: list[Result], bullet: str) -> None:
    if not results:
        return
    errors = sorted(abs(result.ratio - 1) for result in results)
    print(
        f"{bullet}{what}: {len(errors)} rows, median error {statistics.median(errors):.1%}, largest {errors[-1]:.0%}, "
        f"{sum(error > 0.25 for error in errors)} above 25 %."
    )


def table(simulator: Simulator, only: str, markdown: bool) -> None:
    programs = Programs(simulator)
    everything: dict[str, list[Result]] = {}
    for title, rows in SECTIONS.items():
        results = [Result(row, row.model()) for row in rows(programs) if only in f"{row.number} {row.what}"]
        everything[title] = results
        if results:
            print(f"### {title}\n" if markdown else title)
            show(results, markdown)
    streams, products, pipes, instructions = everything.values()
    kernels = [*streams, *products]
    bullet = "- " if markdown else ""
    summary("Whole kernels of known structure", [r for r in kernels if r.row.known], bullet)
    summary("Of these, not used for any constant", [r for r in kernels if r.row.known and not r.row.fit], bullet)
    summary("Whole kernels of guessed structure", [r for r in kernels if not r.row.known], bullet)
    summary("Busy time of pipes", pipes, bullet)
    summary("Single instructions", instructions, bullet)
    if only:
        return
    print("\nTiles of a 4096^3 product, float16 to float32, through the compiler (910B2), modelled:\n")
    for tile in SWEEP:
        run = programs.tile_gemm(4096, tile, out="float32")()
        peak = 24 * 4096 * 2 * run.report["clock_ghz"] * 1e9
        share = 2 * 4096**3 / (run.microseconds * 1e-6) / peak
        name = "{}x{}x{}, {} stages".format(*tile)
        print(f"{bullet}{name}: {run.microseconds:.1f} us, {share:.2%} of the Cube's peak")


def sensitivity(simulator: Simulator) -> None:
    """One constant at a time: how many rows move by more than 2 %, and the largest move."""
    folder = pathlib.Path(simulator.folder.name)
    base = (ROOT / "chips" / "ascend910b.toml").read_text().split("\n")
    programs = Programs(simulator)
    quick, before = [], []
    for rows in SECTIONS.values():
        for row in rows(programs):
            programs.host_seconds = 0
            value = row.model()
            if programs.host_seconds < QUICK_SECONDS:
                quick.append((row.number, row.what))
                before.append(value)
    print(f"{len(quick)} rows; those that take {QUICK_SECONDS} s or more are left out\n")
    section = ""
    for index, text in enumerate(base):
        if match := re.match(r"\[(.*)\]", text):
            section = match[1]
        match = re.match(r"(\w+) *= *([0-9.]+)", text)
        if not match or not section.startswith("timing.") or section == "timing.vector.slope":
            continue
        chips = folder / f"chips-{index}"
        shutil.copytree(ROOT / "chips", chips)
        changed = f"{match[1]} = {float(match[2]) * 1.25:g}"
        (chips / "ascend910b.toml").write_text("\n".join([*base[:index], changed, *base[index + 1 :]]))
        simulator.chips = str(chips)
        programs = Programs(simulator)
        models = {(row.number, row.what): row for rows in SECTIONS.values() for row in rows(programs)}
        moves = [abs(models[key].model() / old - 1) for key, old in zip(quick, before, strict=True)]
        name = f"{section}.{match[1]}"
        print(f"{name:45} {sum(move > 0.02 for move in moves):3} rows, largest move {max(moves):6.1%}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true", help="print tables for docs/simulator.md")
    parser.add_argument("--chips", type=pathlib.Path, help="folder of chip descriptions (chips/)")
    parser.add_argument("--only", default="", help="only rows that contain this text")
    parser.add_argument("--sensitivity", action="store_true", help="raise one constant at a time")
    options = parser.parse_args()
    sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples")]
    simulator = Simulator(chips=options.chips)
    if options.sensitivity:
        sensitivity(simulator)
    else:
        table(simulator, options.only, options.markdown)


if __name__ == "__main__":
    main()
