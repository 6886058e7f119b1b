"""The launches behind the rows of the table. Equal launches run once."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import I32, Simulator, Time

B1, B2, B3, A3 = "ascend910b1", "ascend910b2", "ascend910b3", "ascend910_93"

Launch = Callable[[], Time]
Figure = Callable[[], float]


def ints(*values: int) -> list[I32]:
    return [I32(value) for value in values]


def microseconds(launch: Launch, part: float = 1) -> Figure:
    """Time of the launch; with `part`, as if the kernel did `part` times as much."""

    def figure() -> float:
        time = launch()
        head = float(time.report["launch_microseconds"])
        return head + (time.microseconds - head) * part

    return figure


def busy(launch: Launch, core: str, pipe: str, part: float = 1) -> Figure:
    """Mean microseconds a pipe of the cores works."""
    return lambda: part * launch().busy(core, pipe)


class Programs:
    """Every method gives a launch that has not run yet."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.done: dict[tuple[Any, ...], Time] = {}
        #: Host seconds of all launches that were asked for, also where one was run before.
        self.host_seconds = 0.0

    def once(self, key: tuple[Any, ...], run: Launch) -> Launch:
        def launch() -> Time:
            if key not in self.done:
                self.done[key] = run()
            self.host_seconds += float(self.done[key].report["wall_seconds"])
            return self.done[key]

        return launch

    def read(
        self,
        core: str,
        shape: tuple[int, int],
        tile: tuple[int, int],
        shared: bool = False,
        staggered: bool = False,
        bypass: bool = False,
    ) -> Launch:
        """All cores stream tiles of a matrix from GM."""
        arguments = ints(*shape, *tile, 1, shared, staggered, bypass)

        def run() -> Time:
            blocks = 24 if core == "aic" else 48
            return self.simulator.run("read", core, "read_tiles", blocks, [np.empty(shape, np.float16), *arguments])

        return self.once(("read", core, *arguments), run)

    def read_again(self, parts: int) -> Launch:
        count = 12288 * 12288

        def run() -> Time:
            matrix = np.empty(count, np.float16)
            return self.simulator.run("reuse", "aiv", "read_again", 48, [matrix, *ints(count, 65536, parts, 4)])

        return self.once(("reuse", parts), run)

    def add(self, blocks: int, tile: int, buffers: int = 1, separate: bool = False, bypass: bool = False) -> Launch:
        count = 8192 * 8192
        arguments = ints(count, tile, buffers, separate, bypass)

        def run() -> Time:
            vectors = [np.empty(count, np.float16) for _ in range(3)]
            return self.simulator.run("add", "aiv", "add", blocks, [*vectors, *arguments])

        return self.once(("add", blocks, *arguments), run)

    def add_scalar(self, count: int) -> Launch:
        def run() -> Time:
            vectors = [np.empty(count, np.float16) for _ in range(3)]
            return self.simulator.run("add", "aiv", "add_scalar", 1, [*vectors, *ints(count, 4096)])

        return self.once(("add_scalar", count), run)

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
    ) -> Launch:
        """The hand-written product; arguments as in kernels/gemm.cpp."""
        m, n, k = shape
        arguments = ints(m, n, k, cores[0], *single, *packs, buffers, loads, parts)

        def run() -> Time:
            tensors = [np.empty(size, np.float16) for size in ((m, k), (n, k), (m, n))]
            blocks = cores[0] * cores[1]
            return self.simulator.run("gemm", "aic", "gemm", blocks, [*tensors, *arguments], chip, warm_l2=warm)

        return self.once(("gemm", chip, warm, *arguments), run)

    def tile_gemm(self, size: int, tile: tuple[int, int, int, int], out: str = "float16", chip: str = B2) -> Launch:
        """The product of examples/gemm.py through the compiler, on square matrices."""

        def run() -> Time:
            path, entry, blocks = self.compiled(size, tile, out)
            tensors = [np.empty((size, size), dtype) for dtype in (np.float16, np.float16, np.dtype(out))]
            return self.simulator.launch(path, "aic", entry, blocks, tensors, chip)

        return self.once(("tile", size, tile, out, chip), run)

    def compiled(self, size: int, tile: tuple[int, int, int, int], out: str) -> tuple[str, str, int]:
        from gemm import matmul

        import tilelang

        known = self.simulator.artifacts
        key = (size, tile, out)
        if key not in known:
            artifact = tilelang.compile(matmul(size, size, size, *tile, out_dtype=out), target="ascend").artifact
            path = pathlib.Path(self.simulator.folder.name) / f"tile-{len(known)}.so"
            path.write_bytes(artifact.object("aic"))
            known[key] = (str(path), artifact.entry, artifact.block_dim)
        return known[key]

    def burst_of_products(self, times: int, shape: tuple[int, int, int]) -> Figure:
        """Cycles of equal Mmads, nothing else."""

        def figure() -> float:
            memory = np.empty(16, np.float16)
            return self.simulator.run("cube", "aic", "mmads", 1, [memory, *ints(times, *shape, 0)], B2).cycles

        return figure

    def slope(
        self, source: str, core: str, entry: str, chip: str, arguments: Callable[[int], list[I32]], divisor: float = 1
    ) -> Figure:
        """Cycles (divided by `divisor`) that one more repetition of a loop takes on one core."""

        def figure() -> float:
            memory = np.empty(1 << 20, np.float16)
            few, many = (
                self.simulator.run(source, core, entry, 1, [memory, *arguments(times)], chip).cycles
                for times in (10, 110)
            )
            return (many - few) / 100 / divisor

        return figure
