"""The project's figures, measured here and now: `make bench`.

Every performance figure is a ratio against a named alternative in the same run, or a modelled figure of the simulated
chip. Times are the minimum of several runs, since machines are noisy.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
import row_operators

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))


def best(run: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def line(what: str, figure: str, goal: str = "") -> None:
    print(f"{what:<72} {figure:>18}  {goal}", flush=True)


def python_seconds(code: str, repeats: int = 5) -> float:
    """Wall time of a fresh interpreter that runs `code`, less that of an empty one."""
    environment = dict(os.environ, TILELANG_DISABLE_CACHE="1")
    empty = best(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), repeats)
    full = best(lambda: subprocess.run([sys.executable, "-c", code], check=True, env=environment), repeats)
    return full - empty


def compile_times() -> None:
    from gemm import matmul

    import tilelang

    def to_source() -> None:
        tilelang.lower(matmul(1024, 1024, 1024), target="ascend")

    to_source()
    line("GEMM: Python to Ascend C, warm process", f"{best(to_source, 10) * 1e3:.1f} ms", "goal: under 30 ms")
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'examples')!r})\n"
        "import tilelang; from gemm import matmul\n"
        "tilelang.lower(matmul(1024, 1024, 1024), target='ascend')"
    )
    line("GEMM: Python to Ascend C, new process", f"{python_seconds(code, 3) * 1e3:.0f} ms")
    line("import tilelang, new process", f"{python_seconds('import tilelang') * 1e3:.0f} ms", "goal: under 150 ms")
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, tilelang; print(sum(m in sys.modules for m in ('torch', 'numpy')))"],
        check=True,
        capture_output=True,
        text=True,
    )
    line("of torch and numpy, imported by `import tilelang`", loaded.stdout.strip(), "goal: 0")


def host_compile_time() -> None:
    from gemm import matmul

    import tilelang

    source = tilelang.lower(matmul(1024, 1024, 1024), target="ascend").kernel_source
    driver = ROOT / "build" / "_native" / "bin" / "ascc"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "gemm.cpp"
        path.write_text(source)
        command = [str(driver), str(path), "-o", str(path.with_suffix(".so")), "--core", "aic"]
        seconds = best(lambda: subprocess.run(command, check=True), 5)
    line("GEMM: host compile of the emitted source", f"{seconds * 1e3:.0f} ms", "goal: under 150 ms")


def call_overhead() -> None:
    from vector_add import vector_add

    import tilelang

    kernel = tilelang.compile(vector_add(64, block=64), target="ascend")
    a = np.ones(64, np.float16)
    b, c = a.copy(), a.copy()
    kernel(a, b, c)

    def many() -> None:
        for _ in range(100):
            kernel(a, b, c)

    line("call of a small kernel (64 elements), simulation included", f"{best(many, 3) * 1e4:.0f} us")


def gemm_simulation(size: int) -> None:
    import torch
    from gemm import matmul

    import tilelang

    kernel = tilelang.compile(matmul(size, size, size), target="ascend")
    rng = np.random.default_rng(0)
    a = rng.standard_normal((size, size)).astype(np.float16)
    b = rng.standard_normal((size, size)).astype(np.float16)
    c = np.empty((size, size), np.float32)
    left, right = torch.from_numpy(a).float(), torch.from_numpy(b).float()
    for checks, goal in (("on", "goal: at most 12x"), ("off", "goal: at most 6x")):
        reference = best(lambda: torch.matmul(left, right), 3)
        seconds = best(lambda checks=checks: kernel(a, b, c, checks=checks), 1)
        what = f"simulation of GEMM {size}^3, tile 128x256x64, checks {checks} / torch.matmul float32"
        line(what, f"{seconds / reference:.1f}x", f"{goal} ({seconds:.2f} s / {reference:.2f} s)")


def gemm_utilisation(size: int) -> None:
    from gemm import matmul

    import tilelang

    rng = np.random.default_rng(0)
    a = rng.standard_normal((size, size)).astype(np.float16)
    b = rng.standard_normal((size, size)).astype(np.float16)
    c = np.empty((size, size), np.float32)
    for tile in ((64, 64, 32, 2), (128, 128, 32, 2), (128, 128, 64, 2), (128, 256, 64, 2), (128, 256, 64, 3)):
        program = matmul(size, size, size, *tile)
        profile = tilelang.compile(program, target="ascend").profile(a, b, c, checks="off")
        share = profile.flops_per_second / profile.peak_flops_per_second
        what = f"GEMM {size}^3 tile {tile[0]}x{tile[1]}x{tile[2]}, {tile[3]} stages: modelled share of the Cube's peak"
        line(what, f"{share:.1%}", f"{profile.microseconds:.1f} us modelled")
    line("  the vendor's library at 4096^3 on silicon", "89 %", "published, 910B2")
    try:
        tilelang.compile(matmul(size, size, size, 256, 256, 64), target="ascend")
        line("GEMM tile 256x256x64", "compiled", "expected: does not fit")
    except tilelang.errors.KernelError as error:
        line("GEMM tile 256x256x64", "refused", str(error).splitlines()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=4096, help="edge of the large GEMM")
    arguments = parser.parse_args()
    compile_times()
    host_compile_time()
    call_overhead()
    gemm_simulation(arguments.size)
    gemm_utilisation(arguments.size)
    row_operators.report()


if __name__ == "__main__":
    main()
