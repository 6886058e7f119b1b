"""Published figures, and for each the program that models it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from programs import A3, B1, B2, B3, Figure, Launch, Programs, busy, ints, microseconds

# Names of the sources, as in chips/ascend910b.toml; further ones:
#   TLA 79   issue 79 of tilelang-ascend
#   TPD 109  issue 109 of torch-performance-test-data


@dataclass
class Row:
    """One published figure and how to model it."""

    number: str
    what: str
    published: float
    model: Figure
    unit: str = "us"
    chip: str = B1
    source: str = "ADK"
    #: Whether the program follows a published structure step by step.
    known: bool = True
    #: Whether the figure helped to set a constant of chips/*.toml.
    fit: bool = False


def streams(p: Programs) -> Iterator[Row]:
    """Transfers between GM and the cores, and the vector addition."""
    wide, unaligned, small = (12288, 12288), (12288, 12287), (6144, 512)

    def read(core: str, tile: tuple[int, int], shape: tuple[int, int] = wide) -> Figure:
        return microseconds(p.read(core, shape, tile))

    def same(core: str, tile: tuple[int, int], staggered: bool) -> Figure:
        return microseconds(p.read(core, small, tile, shared=True, staggered=staggered, bypass=True))

    # An eighth of the matrix: one instruction per 128 bytes makes time linear.
    single_rows = microseconds(p.read("aiv", (1536, 12288), (1, 64)), 8)
    yield Row("41", "read 302 MB to UB, tiles [1,64]", 564.8, single_rows, fit=True)
    yield Row("41", "read 302 MB to UB, tiles [64,64]", 233.5, read("aiv", (64, 64)), fit=True)
    yield Row("41", "read 302 MB to UB, tiles [64,1024]", 215.8, read("aiv", (64, 1024)), fit=True)
    yield Row("43", "read 302 MB to L1 (ND2NZ), tiles [64,64]", 300.7, read("aic", (64, 64)), fit=True)
    yield Row("43", "read 302 MB to L1 (ND2NZ), tiles [64,256]", 230.2, read("aic", (64, 256)), fit=True)
    yield Row("44", "rows of 12287 halves to UB, tiles [64,1024]", 275.3, read("aiv", (64, 1024), unaligned))
    yield Row("44", "rows of 12287 halves to L1, tiles [64,256]", 438.8, read("aic", (64, 256), unaligned))
    yield Row("46", "48 cores read one matrix to UB, same order", 539.4, same("aiv", (128, 64), False), fit=True)
    yield Row("46", "48 cores read one matrix to UB, staggered", 328.9, same("aiv", (128, 64), True), fit=True)
    yield Row("46", "24 cores read one matrix to L1, same order", 278.6, same("aic", (256, 64), False), fit=True)
    yield Row("46", "24 cores read one matrix to L1, staggered", 221.3, same("aic", (256, 64), True), fit=True)
    yield Row("3.8", "read 302 MB four times", 828.1, microseconds(p.read_again(1)))
    yield Row("3.8", "read 302 MB four times, by halves", 365.7, microseconds(p.read_again(2)), fit=True)

    def add(blocks: int, tile: int, buffers: int = 1, separate: bool = False, bypass: bool = False) -> Figure:
        return microseconds(p.add(blocks, tile, buffers, separate, bypass))

    scalar = microseconds(p.add_scalar(32768), 2048)
    yield Row("47", "Add 8192^2, scalar unit of one core", 1239689, scalar, fit=True)
    yield Row("47", "Add 8192^2, one core, 8 KiB tiles", 6909.6, add(1, 4096), fit=True)
    yield Row("47", "Add 8192^2, 48 cores, 8 KiB tiles", 306.6, add(48, 4096), fit=True)
    yield Row("47", "Add 8192^2, 48 cores, 32 KiB tiles", 268.5, add(48, 16384))
    yield Row("47", "Add 8192^2, and double buffer", 264.0, add(48, 16384, 2), fit=True)
    yield Row("47", "Add 8192^2, and inputs bypass L2", 187.7, add(48, 16384, 2, bypass=True))
    yield Row("47", "Add 8192^2, and no bank conflict", 184.5, add(48, 16256, 2, separate=True, bypass=True))


class Products:
    """The matrix products whose time and pipes are published: launch and share of the real work."""

    def __init__(self, p: Programs) -> None:
        large, split, single = (8192, 8192, 8192), (4, 6), (2048, 1536)
        self.one_core = p.gemm((1024, 1024, 8192), (1, 1), (1024, 1024), (1, 1), buffers=1, loads=1, warm=True), 64
        self.step_2 = p.gemm((2048, 8192, 8192), split, (512, 1366), (1, 1), buffers=1, loads=1), 4
        self.step_4 = p.gemm(large, split, single, (2, 2)), 1
        self.step_5 = p.gemm(large, split, single, (8, 4)), 1
        self.step_8 = p.gemm(large, split, single, (8, 4), parts=2), 1
        self.basic = p.gemm(large, split, single, (4, 4)), 1


def products(p: Programs) -> Iterator[Row]:
    """Matrix products, half."""
    all_products = Products(p)
    yield Row("3", "8192^3 one core, single buffers in L1", 249467, microseconds(*all_products.one_core), fit=True)
    yield Row("1", "8192^3 step 2: 24 cores, single buffers in L1", 12541, microseconds(*all_products.step_2))
    yield Row("1", "8192^3 step 4: packets of two k steps", 5040, microseconds(*all_products.step_4))
    yield Row("1", "8192^3 step 5: packets of eight and four", 4157, microseconds(*all_products.step_5), fit=True)
    yield Row("1", "8192^3 step 8: step 5 with M in halves", 4012, microseconds(*all_products.step_8), fit=True)
    yield Row("2", "8192^3 basic API, packets of four", 4121, microseconds(*all_products.basic), fit=True)
    wide = (128, 256, 256, 2)
    expert = microseconds(p.tile_gemm(8192, wide))
    yield Row("12", "8192^3 expert TileLang, 128x256x256", 3900, expert, chip=B2, source="TLA 79")
    for size, published in ((1536, 38.8), (3072, 206.7)):
        pto = microseconds(p.gemm((size,) * 3, (4, 6), (size // 4, size // 6), (4, 4), chip=A3))
        yield Row("13", f"{size}^3 PTO", published, pto, chip=A3, source="pto", known=False)
    for size, tflops in ((1024, 98.1), (4096, 314.5), (8192, 305.5)):
        torch = microseconds(p.tile_gemm(size, wide))
        what = f"{size}^3 torch (modelled: tile program 128x256x256)"
        yield Row("8", what, 2 * size**3 / tflops / 1e6, torch, chip=B2, source="TPD 109", known=False)


def pipes(p: Programs) -> Iterator[Row]:
    """Mean busy time of the pipes of a core."""
    all_products = Products(p)
    cube: list[tuple[str, tuple[Launch, int], list[tuple[str, float, bool]]]] = [
        ("one core", all_products.one_core, [("MTE1", 52004, True), ("MTE2", 195613, True)]),
        ("step 2", all_products.step_2, [("MTE1", 2261, False), ("MTE2", 10178, False)]),
        ("step 4", all_products.step_4, [("M", 3116, True), ("MTE1", 2333, False), ("MTE2", 4051, False)]),
        ("step 4", all_products.step_4, [("FIX", 45, True)]),
        ("step 8", all_products.step_8, [("M", 3076, True), ("MTE1", 2534, True), ("MTE2", 3436, False)]),
        ("basic API", all_products.basic, [("M", 3082, True), ("MTE1", 2538, True), ("MTE2", 3552, False)]),
    ]
    for name, (launch, part), figures in cube:
        for pipe, published, fit in figures:
            yield Row("7.4", f"8192^3 {name}: {pipe}", published, busy(launch, "AIC", pipe, part), fit=fit)
    vector = [
        ("one core", p.add(1, 4096), "V", 761.7, True),
        ("double buffer", p.add(48, 16384, 2), "V", 12.8, True),
        ("double buffer", p.add(48, 16384, 2), "MTE2", 250.5, False),
        ("no bank conflict", p.add(48, 16256, 2, separate=True, bypass=True), "V", 6.95, True),
        ("no bank conflict", p.add(48, 16256, 2, separate=True, bypass=True), "MTE2", 171.6, False),
    ]
    for name, launch, pipe, published, fit in vector:
        yield Row("7.4", f"Add 8192^2 {name}: {pipe}", published, busy(launch, "AIV", pipe), fit=fit)


def instructions(p: Programs) -> Iterator[Row]:
    """Single instructions."""
    yield from cube_instructions(p)
    yield from vector_instructions(p)
    yield from transfers(p)


def cube_instructions(p: Programs) -> Iterator[Row]:
    def mmad(shape: tuple[int, int, int], chip: str, alone: bool) -> Figure:
        return p.slope("cube", "aic", "mmads", chip, lambda times: ints(times, *shape, alone))

    burst = p.burst_of_products(8, (128, 256, 64))
    yield Row("3.1", "8 Mmads of 128x256x64", 4209, burst, "cycles", B2)
    for k, published in ((16, 4.9), (272, 35.8), (976, 123.8)):
        what = f"Mmad 32x16x{k}, back to back"
        yield Row("3.1", what, published, mmad((32, 16, k), B1, False), "cycles", source="mskpp")
    for k, published in ((160, 33.0), (1024, 87.0), (2032, 150.0)):
        model = mmad((16, 16, k), B3, True)
        yield Row("3.1", f"Mmad 16x16x{k}, alone", published, model, "cycles", B3, "mskpp", fit=True)

    def load(to_b: int, kib: int) -> Figure:
        return p.slope("cube", "aic", "l1_to_l0", B1, lambda times: ints(times, kib, to_b))

    for to_b, kib, published in ((0, 16, 66), (0, 32, 130), (1, 16, 130), (1, 32, 258)):
        yield Row("3.6", f"L1 -> L0{'AB'[to_b]}, {kib} KiB", published, load(to_b, kib), "cycles", source="mskpp")


def vector_instructions(p: Programs) -> Iterator[Row]:
    def add(dst: int, src1: int, block: int) -> Figure:
        return p.slope("vector", "aiv", "adds", B2, lambda times: ints(times, 64, dst, 0, src1, block))

    yield Row("3.4", "Add of 64 repeats, no conflict", 86, add(0x20000, 0x8100, 1), "cycles", B2, fit=True)
    yield Row("3.4", "Add of 64 repeats, reads in one group", 150, add(0x20000, 0x8000, 1), "cycles", B2, fit=True)
    yield Row("3.4", "Add of 64 repeats, a write meets a read", 135, add(0x4100, 0x8100, 1), "cycles", B2, fit=True)
    yield Row("3.4", "Add of 64 repeats, block stride 0", 129, add(0x20000, 0x8100, 0), "cycles", B2)

    def cycles(which: int, repeats: int) -> Figure:
        return p.slope("vector", "aiv", "slopes", B1, lambda times: ints(which, times, repeats))

    def slope(which: int) -> Figure:
        short, long = cycles(which, 32), cycles(which, 96)
        return lambda: (long() - short()) / 64

    slopes = [
        (0, "Abs float", 1.0), (1, "Exp float", 2.0), (2, "Exp half", 3.9), (3, "Sqrt float", 2.0),
        (4, "Div float", 4.0), (6, "MulAddDst float", 6.0), (7, "whole sum float", 3.0), (8, "whole sum half", 7.0),
        (9, "whole maximum float", 7.0), (10, "block sum float", 1.0), (11, "Cast float to half", 1.0),
    ]  # fmt: skip
    for which, name, published in slopes:
        what = f"{name}, per repeat"
        yield Row("3.3", what, published, slope(which), "cycles", source="mskpp", fit=True)


def transfers(p: Programs) -> Iterator[Row]:
    def alone(source: str, core: str, entry: str, which: int, kib: int, chip: str) -> Figure:
        clock = 1.85 if chip == B1 else 1.8
        return p.slope(source, core, entry, chip, lambda times: ints(which, times, kib * 1024), clock)

    cube, vector = ("cube", "aic", "cube_transfers"), ("copy", "aiv", "vector_transfers")
    for kib, published in ((8, 132), (32, 207), (128, 525), (256, 934)):
        model = alone(*cube, 0, kib, B1)
        yield Row("3.7", f"GM -> L1, {kib} KiB", published, model, "ns", source="mskpp", fit=True)
    for kib, published in ((64, 458), (128, 638), (192, 896)):
        model = alone(*cube, 1, kib, B1)
        what = f"GM -> L1 (ND2NZ), {kib} KiB in rows of 512 B"
        yield Row("3.7", what, published, model, "ns", source="mskpp", known=False)
    for kib, published in ((8, 47), (32, 152), (64, 311), (128, 620)):
        model = alone(*cube, 2, kib, B1)
        yield Row("3.7", f"L0C -> GM, {kib} KiB", published, model, "ns", source="mskpp", fit=True)
    for kib, published in ((8, 133), (32, 269), (64, 415), (128, 683)):
        model = alone(*vector, 0, kib, B3)
        yield Row("3.7", f"GM -> UB, {kib} KiB", published, model, "ns", B3, "mskpp", fit=True)
    for kib, published in ((4, 101), (8, 132), (32, 282), (64, 552)):
        model = alone(*vector, 1, kib, B1)
        yield Row("3.7", f"UB -> GM, {kib} KiB", published, model, "ns", source="mskpp", fit=True)


SECTIONS = {
    "Streams and vector kernels": streams,
    "Matrix products": products,
    "Busy time of pipes, mean per core": pipes,
    "Single instructions": instructions,
}

#: Tiles of a 4096^3 product, float16 to float32, without a published counterpart.
SWEEP = (
    (64, 64, 32, 2),
    (128, 128, 32, 2),
    (128, 128, 64, 2),
    (128, 256, 64, 2),
    (128, 256, 64, 3),
    (128, 256, 128, 2),
    (128, 256, 256, 2),
)
