"""What the project does, in one run: compile, look, run, check, profile - and one mistake.

Run it with `make demo`.
"""

import time

import numpy as np
from flash_attention import attention_in_numpy, flash_attention
from gemm import matmul
from gemm_bias_relu import matmul_bias_relu
from vector_add import vector_add

import tilelang


def heading(text: str) -> None:
    print(f"\n== {text} ==")


def core_of(source: str, first: str, lines: int = 42) -> str:
    """The lines of the emitted kernel around its main loop."""
    text = source.splitlines()
    start = next((number for number, line in enumerate(text) if first in line), 0)
    start = max(0, start - 12)
    return "\n".join(text[start : start + lines])


def check(name: str, result: np.ndarray, reference: np.ndarray, tolerance: float) -> None:
    error = float(np.max(np.abs(result.astype(np.float64) - reference.astype(np.float64))))
    np.testing.assert_allclose(result.astype(np.float32), reference.astype(np.float32), rtol=1e-2, atol=tolerance)
    print(f"{name}: equal to NumPy (largest difference {error:.2e})")


def gemm(M: int, N: int, K: int, show_source: bool, timeline: str | None) -> None:
    start = time.perf_counter()
    kernel = tilelang.compile(matmul(M, N, K), out_idx=[2], target="ascend")
    print(f"compiled in {time.perf_counter() - start:.2f} s: {kernel!r}")
    if show_source:
        print(core_of(kernel.get_kernel_source(), "Mmad("))
    rng = np.random.default_rng(0)
    a = rng.standard_normal((M, K)).astype(np.float16)
    b = rng.standard_normal((K, N)).astype(np.float16)
    check(f"GEMM {M}x{N}x{K}", kernel(a, b), a.astype(np.float32) @ b.astype(np.float32), 1e-2)
    profile = kernel.profile(a, b)
    print(profile)
    if timeline:
        profile.save_timeline(timeline)
        print(f"timeline written to {timeline}: open it at https://ui.perfetto.dev")


def vector(N: int) -> None:
    kernel = tilelang.compile(vector_add(N), out_idx=[2], target="ascend")
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(N).astype(np.float16) for _ in range(2))
    check(f"vector add {N}", kernel(a, b), a + b, 0)
    print(kernel.profile(a, b))


def mixed(M: int, N: int, K: int) -> None:
    kernel = tilelang.compile(matmul_bias_relu(M, N, K), out_idx=[3], target="ascend")
    rng = np.random.default_rng(2)
    a = rng.standard_normal((M, K)).astype(np.float16)
    b = rng.standard_normal((K, N)).astype(np.float16)
    bias = rng.standard_normal(N).astype(np.float32)
    reference = np.maximum(a.astype(np.float32) @ b.astype(np.float32) + bias, 0)
    check(f"GEMM + bias + relu {M}x{N}x{K}", kernel(a, b, bias), reference, 2e-2)
    print(kernel.profile(a, b, bias))


def attention(*shape: int) -> None:
    kernel = tilelang.compile(flash_attention(*shape, causal=True), out_idx=[3], target="ascend")
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal(shape).astype(np.float16) for _ in range(3))
    check(f"causal attention {' x '.join(map(str, shape))}", kernel(q, k, v), attention_in_numpy(q, k, v, True), 1e-2)
    print(kernel.profile(q, k, v))


def mistake() -> None:
    """An accumulator of 256 x 256 floats takes 256 KiB; L0C has 128."""
    try:
        tilelang.compile(matmul(1024, 1024, 1024, block_M=256, block_N=256), out_idx=[2], target="ascend")
    except tilelang.errors.KernelError as error:
        print(error)
    else:
        raise SystemExit("the tile is too large for the chip, and nothing said so")


def main() -> None:
    heading("GEMM 1024 x 1024 x 1024, float16 in, float32 out, on the simulated Ascend 910B2")
    gemm(1024, 1024, 1024, show_source=True, timeline="timeline.json")
    heading("sizes that divide nothing: 130 x 260 x 64")
    gemm(130, 260, 64, show_source=False, timeline=None)
    heading("vector add of 1,000,000 elements")
    vector(1_000_000)
    heading("GEMM + bias + relu: Cube and Vector cores in one kernel")
    mixed(512, 512, 512)
    heading("causal attention, batch 1, 4 heads, 300 tokens: Cube and Vector cores take turns")
    attention(1, 4, 300, 64)
    heading("a program with a mistake")
    mistake()


if __name__ == "__main__":
    main()
