"""The timing model keeps the published figures of single instructions, and its own promises.

Each bound is the distance between the model and the figure today, with a little room: a change that moves a figure
out of its bound must be a decision, not an accident. Whole kernels: benchmarks/calibration/run.py.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks" / "calibration"))
from harness import I32, ROOT, Simulator

B1, B2, B3 = "ascend910b1", "ascend910b2", "ascend910b3"


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    yield Simulator()


def ints(*values: int) -> list[I32]:
    return [I32(value) for value in values]


def cycles(simulator: Simulator, source: str, core: str, entry: str, chip: str, *values: int, blocks: int = 1) -> float:
    memory = np.empty(1 << 20, np.float16)
    return simulator.run(source, core, entry, blocks, [memory, *ints(*values)], chip).cycles


def test_burst_of_products(simulator: Simulator) -> None:
    # Published: 4209 cycles for eight products of 128 x 256 x 64; the ideal is 8 * 512.
    assert cycles(simulator, "cube", "aic", "mmads", B2, 8, 128, 256, 64, 0) == pytest.approx(4209, rel=0.01)


@pytest.mark.parametrize(("k", "published"), [(160, 33), (1024, 87), (2032, 150)])
def test_product_alone(simulator: Simulator, k: int, published: float) -> None:
    few, many = (cycles(simulator, "cube", "aic", "mmads", B3, times, 16, 16, k, 1) for times in (10, 20))
    assert (many - few) / 10 == pytest.approx(published, abs=1)


@pytest.mark.parametrize(
    ("dst", "src1", "per_repeat"),
    [(0x20000, 0x8100, 1.0), (0x20000, 0x8000, 2.0), (0x4100, 0x8100, 1.77)],
    ids=["no conflict", "reads in one group", "write meets read"],
)
def test_vector_instruction_is_22_cycles_and_its_repeats(
    simulator: Simulator, dst: int, src1: int, per_repeat: float
) -> None:
    few, many = (cycles(simulator, "vector", "aiv", "adds", B2, times, 64, dst, 0, src1, 1) for times in (10, 20))
    assert (many - few) / 10 == pytest.approx(22 + 64 * per_repeat, rel=0.01)


@pytest.mark.parametrize(
    ("which", "slope"),
    [(0, 1), (1, 2), (2, 3.9), (3, 2), (4, 4), (5, 1), (6, 6), (7, 3), (8, 7), (9, 7), (10, 1), (11, 1)],
)
def test_cycles_per_repeat(simulator: Simulator, which: int, slope: float) -> None:
    few, many = (cycles(simulator, "vector", "aiv", "slopes", B1, which, 10, repeats) for repeats in (32, 96))
    assert (many - few) / 640 == pytest.approx(slope, rel=0.01)


@pytest.mark.parametrize(
    ("source", "core", "entry", "which", "chip", "kib", "published", "bound"),
    [
        ("cube", "aic", "cube_transfers", 0, B1, 8, 132, 0.05),
        ("cube", "aic", "cube_transfers", 0, B1, 32, 207, 0.05),
        ("cube", "aic", "cube_transfers", 0, B1, 128, 525, 0.05),
        ("cube", "aic", "cube_transfers", 0, B1, 256, 934, 0.06),
        ("cube", "aic", "cube_transfers", 1, B1, 128, 638, 0.05),
        ("cube", "aic", "cube_transfers", 2, B1, 32, 152, 0.12),
        ("cube", "aic", "cube_transfers", 2, B1, 128, 620, 0.06),
        ("copy", "aiv", "vector_transfers", 0, B3, 8, 133, 0.10),
        ("copy", "aiv", "vector_transfers", 0, B3, 32, 269, 0.08),
        ("copy", "aiv", "vector_transfers", 0, B3, 128, 683, 0.03),
        ("copy", "aiv", "vector_transfers", 1, B1, 8, 132, 0.15),
        ("copy", "aiv", "vector_transfers", 1, B1, 64, 552, 0.12),
    ],
)
def test_transfer_is_a_floor_and_a_rate(
    simulator: Simulator,
    source: str,
    core: str,
    entry: str,
    which: int,
    chip: str,
    kib: int,
    published: float,
    bound: float,
) -> None:
    few, many = (cycles(simulator, source, core, entry, chip, which, times, kib * 1024) for times in (10, 20))
    nanoseconds = (many - few) / 10 / (1.85 if chip == B1 else 1.8)
    assert nanoseconds == pytest.approx(published, rel=bound)


def test_small_transfers_follow_each_other_every_21_cycles(simulator: Simulator) -> None:
    few, many = (cycles(simulator, "copy", "aiv", "burst_of_loads", B1, times, 128) for times in (256, 512))
    assert (many - few) / 256 == pytest.approx(20.6, rel=0.03)


@pytest.mark.parametrize(("to_b", "kib", "document"), [(0, 16, 64), (0, 32, 128), (1, 16, 128), (1, 32, 256)])
def test_load_into_l0_is_the_documented_rate_and_22_cycles(
    simulator: Simulator, to_b: int, kib: int, document: float
) -> None:
    few, many = (cycles(simulator, "cube", "aic", "l1_to_l0", B1, times, kib, to_b) for times in (10, 20))
    assert (many - few) / 10 == pytest.approx(document + 22, abs=1)


def gemm(simulator: Simulator, k: int, chips: Path | None = None, **options: bool) -> tuple[float, np.ndarray]:
    """Cycles of a product on 24 cores, and what it wrote."""
    target = simulator if chips is None else Simulator(chips=chips)
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal((rows, k)).astype(np.float16) for rows in (512, 1536))
    c = np.full((512, 1536), 7, np.float16)
    arguments = [a, b, c, *ints(512, 1536, k, 4, 128, 256, 4, 4, 2, 4, 1)]
    return target.run("gemm", "aic", "gemm", 24, arguments, B2, **options).cycles, c


def test_one_k_step_is_bound_by_the_port_of_l1(simulator: Simulator) -> None:
    # 128 x 256 x 64 out of double-buffered L1: silicon takes 600 to 620 cycles, the product alone 521.
    few, many = (gemm(simulator, k, warm_l2=True)[0] for k in (2048, 4096))
    assert (many - few) / 32 == pytest.approx(610, rel=0.05)


def test_writes_and_reads_of_l1_take_turns(simulator: Simulator, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "chips", tmp_path / "chips")
    description = tmp_path / "chips" / "ascend910b.toml"
    text = description.read_text()
    assert "l1_write_bytes_per_cycle = 175" in text
    description.write_text(text.replace("l1_write_bytes_per_cycle = 175", "l1_write_bytes_per_cycle = 1000000"))
    without = gemm(simulator, 2048, tmp_path / "chips", warm_l2=True)[0]
    assert without < 0.95 * gemm(simulator, 2048, warm_l2=True)[0]


def test_time_only_changes_the_bytes_and_not_the_time(simulator: Simulator) -> None:
    time_only, untouched = gemm(simulator, 512)
    full, written = gemm(simulator, 512, time_only=False)
    assert time_only == full
    assert (untouched == 7).all() and not (written == 7).all()
    with pytest.raises(RuntimeError, match="switch option checks off"):
        gemm(simulator, 512, checks=True)


def test_calibration_kernels_compute_and_are_free_of_findings(simulator: Simulator) -> None:
    rng = np.random.default_rng(2)
    m, n, k = 256, 640, 512
    a, b = (rng.standard_normal((rows, k)).astype(np.float16) for rows in (m, n))
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    for packs in ((1, 1, 1, 1, 1), (2, 2, 2, 4, 1), (8, 2, 2, 4, 1), (4, 2, 2, 1, 1)):
        c = np.zeros((m, n), np.float16)
        simulator.run(
            "gemm", "aic", "gemm", 4, [a, b, c, *ints(m, n, k, 2, 128, 320, *packs)], B2, time_only=False, checks=True
        )
        np.testing.assert_allclose(c, expected, rtol=2e-3, atol=2e-2)
    x, y = (rng.standard_normal(3000 * 128).astype(np.float16) for _ in range(2))
    for tile, buffers, separate in ((4096, 1, 0), (12 * 1024, 2, 1)):
        z = np.zeros_like(x)
        arguments = [x, y, z, *ints(x.size, tile, buffers, separate, 1)]
        simulator.run("add", "aiv", "add", 7, arguments, B2, time_only=False, checks=True)
        np.testing.assert_array_equal(z, x + y)


def test_same_program_takes_the_same_time(simulator: Simulator) -> None:
    assert gemm(simulator, 1024)[0] == gemm(simulator, 1024)[0] == gemm(Simulator(), 1024)[0]


def test_bypassed_tensors_stay_out_of_l2(simulator: Simulator) -> None:
    matrix = np.empty((384, 512), np.float16)
    reports = [
        simulator.run("read", "aiv", "read_tiles", 1, [matrix, *ints(384, 512, 64, 512, 3, 0, 0, bypass)], B1).report
        for bypass in (0, 1)
    ]
    assert [report["l2_miss_bytes"] for report in reports] == [matrix.nbytes, 3 * matrix.nbytes]
    assert [report["l2_hit_bytes"] for report in reports] == [2 * matrix.nbytes, 0]
