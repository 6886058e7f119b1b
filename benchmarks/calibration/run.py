"""Modelled times of the simulator beside published times of silicon.

    python benchmarks/calibration/run.py [--markdown] [--chips FOLDER] [--only TEXT]

Every row is a program of our own (kernels/*.cpp, or a tile program compiled here) with the structure that the source
of the figure describes. "known" rows follow a published program step by step; "guessed" rows stand for kernels whose
inside is not published, so their ratio says little about the model. Rows marked "fit" helped to set a constant of
chips/*.toml; the others are predictions. Launches run for their time only: no data moves.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from harness import I32, ROOT, Simulator, Time

B1, B2, B3, A3 = "ascend910b1", "ascend910b2", "ascend910b3", "ascend910_93"


@dataclass
class Row:
    """One published figure and how to model it."""

    number: str
    what: str
    chip: str
    published: float
    unit: str
    source: str
    model: Callable[[], float]
    known: bool = True
    fit: bool = False


@dataclass
class Result:
    row: Row
    modelled: float
    ratio: float = field(init=False)

    def __post_init__(self) -> None:
        self.ratio = self.modelled / self.row.published


def ints(*values: int) -> list[I32]:
    return [I32(value) for value in values]


class Programs:
    """The launches behind the rows. Equal launches run once."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.done: dict[tuple[object, ...], Time] = {}
        self.counter = 0

    def once(self, key: tuple[object, ...], run: Callable[[], Time]) -> Time:
        if key not in self.done:
            self.done[key] = run()
        return self.done[key]

    def read(self, core: str, rows: int, columns: int, tile: tuple[int, int], **mode: int) -> Time:
        """Streams tiles from GM; with `part`, only that share of the rows."""
        part = mode.pop("part", 1)
        shared, staggered, bypass = mode.get("shared", 0), mode.get("staggered", 0), mode.get("bypass", 0)

        def run() -> Time:
            matrix = np.empty((rows // part, columns), np.float16)
            arguments = ints(rows // part, columns, *tile, 1, shared, staggered, bypass)
            blocks = 24 if core == "aic" else 48
            return self.simulator.run("read", core, "read_tiles", blocks, [matrix, *arguments])

        return self.once(("read", core, rows, columns, tile, part, shared, staggered, bypass), run)

    def reuse(self, parts: int) -> Time:
        count = 12288 * 12288

        def run() -> Time:
            matrix = np.empty(count, np.float16)
            return self.simulator.run("reuse", "aiv", "read_again", 48, [matrix, *ints(count, 65536, parts, 4)])

        return self.once(("reuse", parts), run)

    def add(self, blocks: int, tile: int, buffers: int = 1, separate: int = 0, bypass: int = 0) -> Time:
        count = 8192 * 8192

        def run() -> Time:
            vectors = [np.empty(count, np.float16) for _ in range(3)]
            arguments = ints(count, tile, buffers, separate, bypass)
            return self.simulator.run("add", "aiv", "add", blocks, [*vectors, *arguments])

        return self.once(("add", blocks, tile, buffers, separate, bypass), run)

    def add_scalar(self, count: int) -> Time:
        vectors = [np.empty(count, np.float16) for _ in range(3)]
        return self.simulator.run("add", "aiv", "add_scalar", 1, [*vectors, *ints(count, 4096)])

    def gemm(
        self,
        shape: tuple[int, int, int],
        cores: tuple[int, int],
        single: tuple[int, int],
        packs: tuple[int, int],
        buffers: int = 2,
        loads: int = 4,
        parts: int = 1,
        chip: str = B1,
        warm: bool = False,
    ) -> Time:
        m, n, k = shape
        arguments = ints(m, n, k, cores[0], *single, *packs, buffers, loads, parts)

        def run() -> Time:
            tensors = [np.empty(size, np.float16) for size in ((m, k), (n, k), (m, n))]
            blocks = cores[0] * cores[1]
            return self.simulator.run("gemm", "aic", "gemm", blocks, [*tensors, *arguments], chip, warm_l2=warm)

        return self.once(("gemm", chip, *(argument.value for argument in arguments)), run)

    def tile_gemm(self, size: int, tile: tuple[int, int, int, int], out: str = "float16", chip: str = B2) -> Time:
        """The example's matrix product through the compiler, on square matrices."""

        def run() -> Time:
            import tilelang
            from gemm import matmul

            program = matmul(size, size, size, *tile, out_dtype=out)
            artifact = tilelang.compile(program, target="ascend").artifact
            self.counter += 1
            path = pathlib.Path(self.simulator.folder.name) / f"tile-{self.counter}.so"
            path.write_bytes(artifact.object("aic"))
            tensors = [np.empty((size, size), dtype) for dtype in (np.float16, np.float16, np.dtype(out))]
            return self.simulator.launch(str(path), "aic", artifact.entry, artifact.block_dim, tensors, chip)

        return self.once(("tile", size, tile, out, chip), run)

    def slope(self, source: str, core: str, entry: str, arguments: Callable[[int], list[I32]], chip: str) -> float:
        """Cycles that one more repetition of a loop takes on one core."""
        memory = np.empty(1 << 20, np.float16)
        few, many = (
            self.simulator.run(source, core, entry, 1, [memory, *arguments(times)], chip).cycles for times in (10, 110)
        )
        return (many - few) / 100


def scaled(time: Time, factor: float) -> float:
    """Microseconds of a launch of which only a part was run."""
    launch = float(time.report["launch_microseconds"])
    return launch + (time.microseconds - launch) * factor


def streams(p: Programs) -> Iterator[Row]:
    """Rows 41 to 47: transfers between GM and the cores, 910B1."""
    wide = (12288, 12288)
    for number, what, us, fit, model in (
        ("41", "read 302 MB to UB, tiles [1,64]", 564.8, True, lambda: scaled(p.read("aiv", *wide, (1, 64), part=8), 8)),
        ("41", "read 302 MB to UB, tiles [64,64]", 233.5, True, lambda: p.read("aiv", *wide, (64, 64)).microseconds),
        ("41", "read 302 MB to UB, tiles [64,1024]", 215.8, True, lambda: p.read("aiv", *wide, (64, 1024)).microseconds),
        ("43", "read 302 MB to L1 as fractals, tiles [64,64]", 300.7, True, lambda: p.read("aic", *wide, (64, 64)).microseconds),
        ("43", "read 302 MB to L1 as fractals, tiles [64,256]", 230.2, True, lambda: p.read("aic", *wide, (64, 256)).microseconds),
        ("44", "rows of 12287 halves to UB, tiles [64,1024]", 275.3, False, lambda: p.read("aiv", 12288, 12287, (64, 1024)).microseconds),
        ("44", "rows of 12287 halves to L1, tiles [64,256]", 438.8, False, lambda: p.read("aic", 12288, 12287, (64, 256)).microseconds),
        ("46", "48 cores read one [6144,512] to UB, same order", 539.4, True, lambda: p.read("aiv", 6144, 512, (128, 64), shared=1, bypass=1).microseconds),
        ("46", "the same, staggered", 328.9, True, lambda: p.read("aiv", 6144, 512, (128, 64), shared=1, staggered=1, bypass=1).microseconds),
        ("46", "24 cores read one [6144,512] to L1, same order", 278.6, True, lambda: p.read("aic", 6144, 512, (256, 64), shared=1, bypass=1).microseconds),
        ("46", "the same, staggered", 221.3, True, lambda: p.read("aic", 6144, 512, (256, 64), shared=1, staggered=1, bypass=1).microseconds),
        ("3.8", "read 302 MB four times", 828.1, False, lambda: p.reuse(1).microseconds),
        ("3.8", "read 302 MB four times, in halves that fit L2", 365.7, True, lambda: p.reuse(2).microseconds),
        ("47", "Add 8192^2 half, scalar unit, one core", 1239689.0, True, lambda: scaled(p.add_scalar(32768), 2048)),
        ("47", "Add 8192^2 half, one core, 8 KiB tiles", 6909.6, True, lambda: p.add(1, 4096).microseconds),
        ("47", "Add 8192^2 half, 48 cores, 8 KiB tiles", 306.6, True, lambda: p.add(48, 4096).microseconds),
        ("47", "Add 8192^2 half, 48 cores, 32 KiB tiles", 268.5, False, lambda: p.add(48, 16384).microseconds),
        ("47", "the same, double buffer", 264.0, True, lambda: p.add(48, 16384, 2).microseconds),
        ("47", "the same, x and y bypass L2", 187.7, False, lambda: p.add(48, 16384, 2, bypass=1).microseconds),
        ("47", "the same, no bank conflict", 184.5, False, lambda: p.add(48, 16256, 2, separate=1, bypass=1).microseconds),
    ):  # fmt: skip
        yield Row(number, what, B1, us, "us", "ADK", model, fit=fit)


def step_2(p: Programs) -> Time:
    return p.gemm((2048, 8192, 8192), (4, 6), (512, 1366), (1, 1), buffers=1, loads=1)


def step_4(p: Programs) -> Time:
    return p.gemm((8192, 8192, 8192), (4, 6), (2048, 1536), (2, 2))


def step_5(p: Programs) -> Time:
    return p.gemm((8192, 8192, 8192), (4, 6), (2048, 1536), (8, 4))


def step_8(p: Programs) -> Time:
    return p.gemm((8192, 8192, 8192), (4, 6), (2048, 1536), (8, 4), parts=2)


def basic(p: Programs) -> Time:
    return p.gemm((8192, 8192, 8192), (4, 6), (2048, 1536), (4, 4))


def one_core(p: Programs) -> Time:
    return p.gemm((1024, 1024, 8192), (1, 1), (1024, 1024), (1, 1), buffers=1, loads=1, warm=True)


def products(p: Programs) -> Iterator[Row]:
    """Rows 1 to 13: matrix products."""
    for number, what, us, fit, model in (
        ("3", "8192^3 one core, no double buffer in L1", 249467.0, True, lambda: scaled(one_core(p), 64)),
        ("1", "8192^3 step 2: 24 cores, no double buffer in L1", 12541.0, False, lambda: scaled(step_2(p), 4)),
        ("1", "8192^3 step 4: packets of two k steps", 5040.0, False, lambda: step_4(p).microseconds),
        ("1", "8192^3 step 5: packets of eight and four", 4157.0, True, lambda: step_5(p).microseconds),
        ("1", "8192^3 step 8: the same, M in halves", 4012.0, True, lambda: step_8(p).microseconds),
        ("2", "8192^3 basic API", 4121.0, True, lambda: basic(p).microseconds),
    ):
        yield Row(number, what, B1, us, "us", "ADK", model, fit=fit)
    yield Row(
        "12", "8192^3 expert TileLang, 128x256, K in L1 256", B2, 3900.0, "us", "TLA 79",
        lambda: p.tile_gemm(8192, (128, 256, 256, 2)).microseconds,
    )  # fmt: skip
    for size, us in ((1536, 38.8), (3072, 206.7)):
        yield Row(
            "13", f"{size}^3 PTO", A3, us, "us", "PTO",
            lambda size=size: p.gemm((size,) * 3, (4, 6), (size // 4, size // 6), (4, 4), chip=A3).microseconds,
            known=False,
        )  # fmt: skip
    for size, tflops in ((1024, 98.1), (4096, 314.5), (8192, 305.5)):
        yield Row(
            "8", f"{size}^3 torch (here: tiles 128x256x256)", B2, 2 * size**3 / tflops / 1e6, "us", "TPD 109",
            lambda size=size: p.tile_gemm(size, (128, 256, 256, 2)).microseconds, known=False,
        )  # fmt: skip


def pipes(p: Programs) -> Iterator[Row]:
    """Section 7.4: mean busy time of pipes per core."""
    for name, run, factor, figures in (
        ("8192^3 one core", one_core, 64, (("MTE1", 52004.0, True), ("MTE2", 195613.0, True))),
        ("8192^3 step 2", step_2, 4, (("MTE1", 2261.0, False), ("MTE2", 10178.0, False))),
        ("8192^3 step 4", step_4, 1, (("M", 3116.0, True), ("MTE1", 2333.0, False), ("MTE2", 4051.0, False), ("FIX", 45.0, True))),
        ("8192^3 step 8", step_8, 1, (("M", 3076.0, True), ("MTE1", 2534.0, True), ("MTE2", 3436.0, False))),
        ("8192^3 basic", basic, 1, (("M", 3082.0, True), ("MTE1", 2538.0, True), ("MTE2", 3552.0, False))),
    ):  # fmt: skip
        for pipe, us, fit in figures:
            yield Row(
                "7.4", f"{name}: {pipe} busy", B1, us, "us", "ADK",
                lambda run=run, pipe=pipe, factor=factor: factor * run(p).busy("AIC", pipe), fit=fit,
            )  # fmt: skip
    for name, run, figures in (
        ("Add one core", lambda: p.add(1, 4096), (("V", 761.7, True),)),
        ("Add double buffer", lambda: p.add(48, 16384, 2), (("V", 12.8, True), ("MTE2", 250.5, False))),
        ("Add no conflict", lambda: p.add(48, 16256, 2, 1, 1), (("V", 6.95, True), ("MTE2", 171.6, False))),
    ):
        for pipe, us, fit in figures:
            yield Row(
                "7.4", f"{name}: {pipe} busy", B1, us, "us", "ADK",
                lambda run=run, pipe=pipe: run().busy("AIV", pipe), fit=fit,
            )  # fmt: skip


def instructions(p: Programs) -> Iterator[Row]:
    """Sections 3.1 to 3.7: single instructions, in cycles or nanoseconds."""

    def mmads(times: int, m: int, n: int, k: int, isolated: int = 0) -> float:
        memory = np.empty(16, np.float16)
        arguments = ints(times, m, n, k, isolated)
        return p.simulator.run("cube", "aic", "mmads", 1, [memory, *arguments], B2).cycles

    yield Row("3.1", "8 Mmads of 128x256x64", B2, 4209, "cycles", "ADK", lambda: mmads(8, 128, 256, 64))
    for m, n, k, cycles in ((32, 16, 16, 4.9), (32, 16, 272, 35.8), (32, 16, 976, 123.8)):
        yield Row(
            "3.1", f"Mmad {m}x{n}x{k}, back to back", B1, cycles, "cycles", "mskpp",
            lambda m=m, n=n, k=k: p.slope("cube", "aic", "mmads", lambda t: ints(t, m, n, k, 0), B1),
        )  # fmt: skip
    for k, cycles in ((160, 33.0), (1024, 87.0), (2032, 150.0)):
        yield Row(
            "3.1", f"Mmad 16x16x{k}, alone", B3, cycles, "cycles", "mskpp",
            lambda k=k: p.slope("cube", "aic", "mmads", lambda t: ints(t, 16, 16, k, 1), B3), fit=True,
        )  # fmt: skip
    for what, dst, src1, block, cycles in (
        ("no conflict", 0x20000, 0x8100, 1, 86.0),
        ("two reads of one bank group", 0x20000, 0x8000, 1, 150.0),
        ("a write meets a read", 0x4100, 0x8100, 1, 135.0),
        ("block stride 0", 0x20000, 0x8100, 0, 129.0),
    ):
        yield Row(
            "3.4", f"Add of 64 repeats, {what}", B2, cycles, "cycles", "ADK",
            lambda dst=dst, src1=src1, block=block: p.slope(
                "vector", "aiv", "adds", lambda t: ints(t, 64, dst, 0, src1, block), B2
            ),
            fit=block == 1,
        )  # fmt: skip
    for which, name, slope in (
        (0, "Abs float", 1.0), (1, "Exp float", 2.0), (2, "Exp half", 3.9), (3, "Sqrt float", 2.0),
        (4, "Div float", 4.0), (6, "MulAddDst float", 6.0), (7, "whole sum float", 3.0), (8, "whole sum half", 7.0),
        (9, "whole maximum float", 7.0), (10, "block sum float", 1.0), (11, "Cast float to half", 1.0),
    ):  # fmt: skip
        yield Row(
            "3.3", f"{name}, cycles per repeat", B1, slope, "cycles", "mskpp",
            lambda which=which: (
                p.slope("vector", "aiv", "slopes", lambda t: ints(which, t, 96), B1)
                - p.slope("vector", "aiv", "slopes", lambda t: ints(which, t, 32), B1)
            )
            / 64,
            fit=True,
        )  # fmt: skip
    for to_b, name, kib, cycles in ((0, "L0A", 16, 66.0), (0, "L0A", 32, 130.0), (1, "L0B", 16, 130.0), (1, "L0B", 32, 258.0)):  # fmt: skip
        yield Row(
            "3.6", f"L1 -> {name}, {kib} KiB", B1, cycles, "cycles", "mskpp",
            lambda to_b=to_b, kib=kib: p.slope("cube", "aic", "l1_to_l0", lambda t: ints(t, kib, to_b), B1),
        )  # fmt: skip

    def alone(source: str, core: str, entry: str, which: int, kib: int, chip: str) -> float:
        clock = 1.85 if chip == B1 else 1.8
        return p.slope(source, core, entry, lambda t: ints(which, t, kib * 1024), chip) / clock

    for name, where, figures, chip, known, fit in (
        ("GM -> L1", ("cube", "aic", "cube_transfers", 0), ((8, 132), (32, 207), (128, 525), (256, 934)), B1, True, True),
        ("GM -> L1 as fractals, rows of 512 B", ("cube", "aic", "cube_transfers", 1), ((64, 458), (128, 638), (192, 896)), B1, False, False),
        ("L0C -> GM", ("cube", "aic", "cube_transfers", 2), ((8, 47), (32, 152), (64, 311), (128, 620)), B1, True, True),
        ("GM -> UB", ("copy", "aiv", "vector_transfers", 0), ((8, 133), (32, 269), (64, 415), (128, 683)), B3, True, True),
        ("UB -> GM", ("copy", "aiv", "vector_transfers", 1), ((4, 101), (8, 132), (32, 282), (64, 552)), B1, True, True),
    ):  # fmt: skip
        for kib, ns in figures:
            yield Row(
                "3.7", f"{name}, {kib} KiB", chip, ns, "ns", "mskpp",
                lambda where=where, kib=kib, chip=chip: alone(*where, kib, chip), known=known, fit=fit,
            )  # fmt: skip


def sweep(p: Programs) -> Iterator[tuple[str, float]]:
    """Modelled shares of the Cube's peak that have no published counterpart."""
    for tile in ((64, 64, 32, 2), (128, 128, 32, 2), (128, 128, 64, 2), (128, 256, 64, 2), (128, 256, 64, 3), (128, 256, 128, 2), (128, 256, 256, 2)):  # fmt: skip
        time = p.tile_gemm(4096, tile, out="float32")
        peak = 24 * 4096 * 2 * time.report["clock_ghz"] * 1e9
        yield "{}x{}x{}, {} stages".format(*tile), 2 * 4096**3 / (time.microseconds * 1e-6) / peak


SECTIONS = {
    "Streams and vector kernels": streams,
    "Matrix products": products,
    "Busy time of pipes": pipes,
    "Single instructions": instructions,
}


def number(value: float) -> str:
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def show(results: list[Result], markdown: bool) -> None:
    header = ["row", "what", "chip", "published", "modelled", "ratio", "structure", "constants"]
    lines = [
        [
            result.row.number,
            result.row.what,
            result.row.chip.removeprefix("ascend"),
            f"{number(result.row.published)} {result.row.unit} [{result.row.source}]",
            number(result.modelled),
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


def summary(what: str, results: list[Result]) -> None:
    if results:
        errors = sorted(abs(result.ratio - 1) for result in results)
        over = sum(error > 0.25 for error in errors)
        print(
            f"{what}: {len(errors)} rows, median error {statistics.median(errors):.1%}, largest {errors[-1]:.0%}, "
            f"{over} above 25 %."
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true", help="print tables for docs/simulator.md")
    parser.add_argument("--chips", type=pathlib.Path, help="folder of chip descriptions (chips/)")
    parser.add_argument("--only", default="", help="only rows that contain this text")
    options = parser.parse_args()
    sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples")]
    programs = Programs(Simulator(chips=options.chips))
    everything: dict[str, list[Result]] = {}
    for title, rows in SECTIONS.items():
        results = [Result(row, row.model()) for row in rows(programs) if options.only in f"{row.number} {row.what}"]
        everything[title] = results
        if results:
            print(f"### {title}\n" if options.markdown else title)
            show(results, options.markdown)
    kernels = [result for title in list(SECTIONS)[:2] for result in everything[title]]
    summary("Whole kernels of known structure", [r for r in kernels if r.row.known])
    summary("Of these, not used for any constant", [r for r in kernels if r.row.known and not r.row.fit])
    summary("Whole kernels of guessed structure", [r for r in kernels if not r.row.known])
    summary("Busy time of pipes", everything["Busy time of pipes"])
    summary("Single instructions", everything["Single instructions"])
    if not options.only:
        print("\n4096^3 float16 to float32 through the compiler, modelled share of the Cube's peak (910B2):")
        for tile, share in sweep(programs):
            print(f"  {tile}: {share:.1%}")


if __name__ == "__main__":
    main()
