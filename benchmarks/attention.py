"""Attention on the modelled 910B2, beside published times of an expert's kernel: `python benchmarks/attention.py`.

All times are modelled unless a line says "published". The kernels are those of the examples; tiles come from a short
list, as a user would try them. Times of long sequences are taken without computing values, which gives the same cycles.
The published times are those of the pto-isa project's hand-written forward kernel on a 910B2: float16, one head of 128.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tilelang

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))

from attention import attention, attention_in_numpy  # noqa: E402
from gemm import matmul  # noqa: E402
from gemm_gelu import matmul_gelu  # noqa: E402
from unfused_attention import scaled_scores, softmax_of_rows, weighted_values  # noqa: E402

TARGET = "ascend910b2"
DIM = 128
#: Microseconds on silicon by length of the sequence.
PUBLISHED = {1024: 20.96, 2048: 32.46, 8192: 292.6, 32768: 3262.6}
TILES = [(64, 128), (64, 256), (128, 128), (128, 256)]
GEMM_TILES = [(128, 128, 64), (128, 128, 128), (128, 256, 64)]
#: Sequences longer than this are timed with the best tile of the longest one below.
SEARCHED = 8192

#: Whether every tile is printed.
show_tiles = False

Timed = tuple[Any, Any, tuple[int, ...]]  # kernel, profile, tile


def line(what: str, figure: str, remark: str = "") -> None:
    print(f"{what:<66} {figure:>20}  {remark}".rstrip(), flush=True)


def timed(program: Any, out_idx: list[int], shapes: list[tuple[int, ...]], dtypes: list[type] | None = None) -> Any:
    """A compiled program and the profile of one launch, modelled time alone. `shapes` are those of the inputs."""
    kernel = tilelang.compile(program, out_idx=out_idx, target=TARGET)
    types = dtypes or [np.float16] * len(shapes)
    inputs = [np.zeros(shape, dtype) for shape, dtype in zip(shapes, types, strict=True)]
    return kernel, kernel.profile(*inputs, timeline=False, time_only=True)


def best_of(tiles: list[tuple[int, ...]], make: Callable[..., Any], **where: Any) -> Timed:
    """The fastest of a program's tiles; those that do not fit are left out."""
    found: list[Timed] = []
    for tile in tiles:
        try:
            found.append((*timed(make(*tile), **where), tile))
        except tilelang.errors.KernelError as error:
            if show_tiles:
                line(f"    tile {named(tile)}", "refused", error.message)
            continue
        if show_tiles:
            profile = found[-1][1]
            line(f"    tile {named(tile)}", f"{profile.microseconds:.2f} us", busy(profile))
    if not found:
        raise SystemExit(f"none of the tiles {tiles} compiles")
    return min(found, key=lambda entry: entry[1].microseconds)


@functools.cache
def forward(sequence: int, kind: str) -> Timed:
    """One head of attention with its best tile."""
    tiles: list[tuple[int, ...]] = list(TILES)
    if sequence > SEARCHED:
        tiles = [forward(SEARCHED, kind)[2]]

    def make(block_M: int, block_N: int) -> Any:
        return attention(1, 1, 1, sequence, sequence, DIM, DIM, kind=kind, block_M=block_M, block_N=block_N)

    return best_of(tiles, make, out_idx=[3], shapes=[(1, 1, sequence, DIM)] * 3)


def named(tile: tuple[int, ...]) -> str:
    return "x".join(map(str, tile))


def busy(profile: Any) -> str:
    return f"Cube {profile.cube_busy:.0%}, Vector {profile.vector_busy:.0%} busy"


def print_loops(report: Any) -> None:
    """What one iteration of each `T.Pipelined` loop synchronises. Loops that the compiler put inside count once."""
    loops = list(report.loops)
    pipelined = {loop.location for loop in loops if loop.stages is not None}
    for index, loop in enumerate(loops):
        if loop.location not in pipelined:
            continue
        inner = itertools.takewhile(lambda other, loop=loop: other.depth > loop.depth, loops[index + 1 :])
        parts = [loop, *(other for other in inner if other.core == loop.core)]
        flags, counters = (sum(getattr(part, name) for part in parts) for name in ("flag_sets", "counter_sets"))
        barriers = sum(sum(part.barriers.values()) for part in parts)
        what = f"  per iteration of line {loop.location.line}, {loop.core}: flags, counters, barriers"
        line(what, f"{flags}, {counters}, {barriers}", f"skew {loop.skew}" if loop.skew else "")


def synchronisation(kernel: Any) -> None:
    counts = kernel.statistics
    print_loops(kernel.report())
    line(
        "  barriers of all pipes",
        str(kernel.get_kernel_source().count("PipeBarrier<PIPE_ALL>")),
        "goal: 1, the final one",
    )
    unchecked = ", not all tested" if counts.get("redundancy_not_checked") else ""
    line("  flags proved redundant", f"{counts['redundant_flags']}{unchecked}", "goal: at most 1 per loop")


def right(kernel: Any, profile: Any, sequence: int) -> None:
    """The kernel computes attention, with nothing for the checks to report, in the time that was modelled without."""
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal((1, 1, sequence, DIM)).astype(np.float16) for _ in range(3)]
    full = kernel.profile(*inputs, timeline=False, checks="on")
    np.testing.assert_allclose(full.result.astype(np.float32), attention_in_numpy(*inputs), rtol=2e-2, atol=1e-2)
    if full.cycles != profile.cycles:
        raise SystemExit(f"{full.cycles} cycles with values, {profile.cycles} without")
    line(f"attention {sequence}: result with all checks", "equal to NumPy")


def forward_times(lengths: list[int]) -> None:
    for sequence in lengths:
        kernel, profile, tile = forward(sequence, "full")
        remark = f"{busy(profile)}; {profile.flops_per_second / profile.peak_flops_per_second:.0%} of the Cube's peak"
        line(f"attention {sequence}, tile {named(tile)}: modelled", f"{profile.microseconds:.2f} us", remark)
        if sequence in PUBLISHED:
            ratio = profile.microseconds / PUBLISHED[sequence]
            line("  published", f"{PUBLISHED[sequence]:.2f} us", f"modelled / published {ratio:.2f}, goal: 0.8 to 1.3")
        if sequence == lengths[0]:
            right(kernel, profile, sequence)
            synchronisation(kernel)


def causal_share(sequence: int) -> None:
    _, full, full_tile = forward(sequence, "full")
    kernel, causal, causal_tile = forward(sequence, "causal")
    what = f"causal {sequence}, tile {named(causal_tile)} / full, tile {named(full_tile)}"
    share = causal.microseconds / full.microseconds
    line(what, f"{share:.2f}", f"goal: at most 0.6 ({causal.microseconds:.1f} us / {full.microseconds:.1f} us)")
    synchronisation(kernel)


def unfused(sequence: int) -> list[float]:
    """Modelled microseconds of scores, softmax and weighted values as kernels of their own."""
    heads = (1, sequence, DIM)
    scores, weights = (1, sequence, sequence), (sequence, sequence)
    parts = [
        timed(scaled_scores(1, sequence, sequence, DIM), [2], [heads, heads]),
        timed(softmax_of_rows(*weights), [1], [weights], [np.float32]),
        timed(weighted_values(1, sequence, sequence, DIM), [2], [scores, heads]),
    ]
    return [profile.microseconds for _, profile in parts]


def fusion_gain(sequence: int) -> None:
    _, fused, tile = forward(sequence, "full")
    parts = unfused(sequence)
    gain = sum(parts) / fused.microseconds
    line(f"unfused {sequence} / fused, tile {named(tile)}", f"{gain:.1f}x", "goal: at least 3x")
    line("  scores + softmax + values", " + ".join(f"{part:.0f}" for part in parts) + " us")
    line("  fused", f"{fused.microseconds:.0f} us")


def gelu_cost(size: int) -> None:
    shapes = [(size, size), (size, size)]
    _, plain, plain_tile = best_of(
        GEMM_TILES, lambda *tile: matmul(size, size, size, *tile, out_dtype="float16"), out_idx=[2], shapes=shapes
    )
    kernel, gelu, tile = best_of(
        GEMM_TILES,
        lambda *tile: matmul_gelu(size, size, size, *tile),
        out_idx=[3],
        shapes=[*shapes, (size,)],
        dtypes=[np.float16, np.float16, np.float32],
    )
    line(f"GEMM {size}^3, tile {named(plain_tile)}", f"{plain.microseconds:.1f} us")
    extra = gelu.microseconds / plain.microseconds - 1
    what = f"GEMM + bias + GELU {size}^3, tile {named(tile)}"
    line(what, f"{gelu.microseconds:.1f} us", f"{extra:+.1%}, goal: within 5 %; {busy(gelu)}")
    synchronisation(kernel)


def compile_time(kind: str) -> None:
    def once() -> tuple[float, float]:
        start, work = time.perf_counter(), time.process_time()
        program = attention(1, 8, 8, 4096, 4096, DIM, DIM, kind=kind, block_M=128, block_N=128)
        tilelang.lower(program, target=TARGET)
        return time.perf_counter() - start, time.process_time() - work

    once()
    elapsed, worked = min(once() for _ in range(10))
    remark = f"goal: under 150 ms ({worked * 1e3:.0f} ms of CPU time)"
    line(f"attention, {kind}: Python to Ascend C, warm process", f"{elapsed * 1e3:.0f} ms", remark)


def main() -> None:
    global show_tiles
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--lengths", type=int, nargs="+", default=list(PUBLISHED), help="sequences of the forward kernel"
    )
    parser.add_argument("--causal", type=int, default=8192, help="sequence for causal / full")
    parser.add_argument("--fusion", type=int, nargs="*", default=[2048, 8192], help="sequences for unfused / fused")
    parser.add_argument("--gemm", type=int, default=4096, help="edge of the product with GELU")
    parser.add_argument("--tiles", action="store_true", help="print every tile, not only the best")
    arguments = parser.parse_args()

    show_tiles = arguments.tiles
    for kind in ("full", "causal"):
        compile_time(kind)
    forward_times(sorted(arguments.lengths))
    causal_share(arguments.causal)
    for sequence in arguments.fusion:
        fusion_gain(sequence)
    gelu_cost(arguments.gemm)


if __name__ == "__main__":
    main()
