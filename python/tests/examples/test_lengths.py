"""Every program of the examples at the lengths that matter, on two chips of different size: right, nothing reported by
the checks, and the same bytes and cycles in two runs.

The whole table takes minutes: `pytest -m slow -n auto python/tests/examples`. Without `-m slow` each program runs at
one length; test_examples.py has the smallest ones and the other chip.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from attention import attention, attention_in_numpy
from attention_custom_mask import MASKS, SCORES, masked_attention, masked_attention_in_numpy
from batched_gemm import batched_matmul
from cross_entropy import cross_entropy, cross_entropy_in_numpy
from flash_attention import flash_attention
from gemm import matmul
from gemm_bias_relu import matmul_bias_relu
from gemm_gelu import gelu_in_numpy, matmul_gelu
from layer_norm import layer_norm, layer_norm_in_numpy
from mla_decode import mla_decode, mla_decode_in_numpy
from online_softmax import online_softmax
from paged_decode import paged_decode, paged_decode_in_numpy, pages_in_any_order
from rms_norm import residual_rms_norm, rms_norm, rms_norm_in_numpy
from rope import angle_tables, rope, rope_in_numpy
from softmax import softmax, softmax_in_numpy
from split_k_gemm import split_k_matmul
from swiglu import swiglu, swiglu_in_numpy
from unfused_attention import scaled_scores, softmax_of_rows, weighted_values
from vector_add import vector_add

import tilelang

LENGTHS = [1, 17, 128, 1000, 1024, 4097]
CHIPS = ["ascend910b2", "ascend910b4"]
#: What runs without `-m slow`.
QUICK = (1000, "ascend910b2")

#: Result, reference, relative and absolute tolerance.
Outcome = tuple[np.ndarray, np.ndarray, float, float]


class Launcher:
    """Compiles for one chip and runs twice, with all checks on."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.rng = np.random.default_rng(3)

    def __call__(self, program: Any, *inputs: np.ndarray, out: list[int] | None = None) -> Any:
        """The outputs named by `out`; without it the last argument, which the kernel updates."""
        kernel = tilelang.compile(program, out_idx=out, target=self.target)
        results, cycles = [], []
        for _ in range(2):
            arguments = [array.copy() for array in inputs]
            profile = kernel.profile(*arguments, timeline=False, checks="on")
            results.append(arguments[-1] if out is None else profile.result)
            cycles.append(profile.cycles)
        first, second = (result if isinstance(result, list) else [result] for result in results)
        assert [array.tobytes() for array in first] == [array.tobytes() for array in second]
        assert cycles[0] == cycles[1] > 0
        return results[0]

    def normal(self, *shape: int, dtype: Any = np.float16) -> np.ndarray:
        return self.rng.standard_normal(shape).astype(dtype)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a.astype(np.float32) @ b.astype(np.float32)


# -- products: the length is the number of rows, or what is summed over ------------------------------------------------


def vector_add_of(launch: Launcher, length: int) -> Outcome:
    a, b = launch.normal(length), launch.normal(length)
    return launch(vector_add(length), a, b, out=[2]), a + b, 0, 0


def gemm_of(launch: Launcher, length: int) -> Outcome:
    a, b = launch.normal(length, 100), launch.normal(100, 70)
    return launch(matmul(length, 70, 100), a, b, out=[2]), product(a, b), 1e-4, 1e-3


def gemm_bias_relu_of(launch: Launcher, length: int) -> Outcome:
    a, b, bias = launch.normal(length, 100), launch.normal(100, 70), launch.normal(70, dtype=np.float32)
    result = launch(matmul_bias_relu(length, 70, 100), a, b, bias, out=[3])
    return result, np.maximum(product(a, b) + bias, 0), 2e-3, 2e-2


def gemm_gelu_of(launch: Launcher, length: int) -> Outcome:
    a, b, bias = (
        launch.normal(length, 100),
        launch.normal(100, 70) / np.float16(10),
        launch.normal(70, dtype=np.float32),
    )
    result = launch(matmul_gelu(length, 70, 100), a, b, bias, out=[3])
    return result, gelu_in_numpy(product(a, b) + bias), 2e-3, 2e-3


def gemm_gelu_residual_of(launch: Launcher, length: int) -> Outcome:
    dtype = ml_dtypes.bfloat16
    a, b = launch.normal(length, 100, dtype=dtype), (launch.normal(100, 70) / np.float16(10)).astype(dtype)
    bias, residual = launch.normal(70, dtype=np.float32), launch.normal(length, 70, dtype=dtype)
    program = matmul_gelu(length, 70, 100, dtype="bfloat16", residual=True)
    result = launch(program, a, b, bias, residual, out=[4])
    return result, gelu_in_numpy(product(a, b) + bias) + residual.astype(np.float32), 1e-2, 1e-2


def batched_gemm_of(launch: Launcher, length: int) -> Outcome:
    a, b = launch.normal(3, length, 36), launch.normal(3, 36, 70)
    return launch(batched_matmul(3, length, 70, 36), a, b, out=[2]), product(a, b), 1e-4, 1e-3


def split_k_gemm_of(launch: Launcher, length: int) -> Outcome:
    a, b = launch.normal(17, length), launch.normal(length, 70)
    result = launch(split_k_matmul(17, 70, length, split=3), a, b, np.zeros((17, 70), np.float32))
    return result, product(a, b), 1e-4, 1e-3


# -- rows: the length is their number, or their length -----------------------------------------------------------------


def softmax_of(launch: Launcher, length: int) -> Outcome:
    a = launch.normal(13, length)
    return launch(softmax(13, length), a, out=[1]), softmax_in_numpy(a), 2e-3, 1e-6


def online_softmax_of(launch: Launcher, length: int) -> Outcome:
    a = launch.normal(13, length, dtype=ml_dtypes.bfloat16)
    return launch(online_softmax(13, length, dtype="bfloat16"), a, out=[1]), softmax_in_numpy(a), 1e-2, 1e-6


def cross_entropy_of(launch: Launcher, length: int) -> Outcome:
    logits, labels = launch.normal(13, length), launch.rng.integers(0, length, 13).astype(np.int32)
    result = launch(cross_entropy(13, length), logits, labels, out=[2])
    return result, cross_entropy_in_numpy(logits, labels), 1e-4, 1e-4


def layer_norm_of(launch: Launcher, length: int) -> Outcome:
    x, scale, shift = launch.normal(length, 136), launch.normal(136), launch.normal(136)
    result = launch(layer_norm(length, 136), x, scale, shift, out=[3])
    return result, layer_norm_in_numpy(x, scale, shift), 2e-3, 2e-3


def rms_norm_of(launch: Launcher, length: int) -> Outcome:
    x, weight = launch.normal(5, length), launch.normal(length)
    return launch(rms_norm(5, length), x, weight, out=[2]), rms_norm_in_numpy(x, weight), 2e-3, 1e-4


def residual_rms_norm_of(launch: Launcher, length: int) -> Outcome:
    dtype = ml_dtypes.bfloat16
    x, residual, weight = (launch.normal(*shape, dtype=dtype) for shape in ((length, 136), (length, 136), (136,)))
    program = residual_rms_norm(length, 136, dtype="bfloat16")
    total, result = launch(program, x, residual, weight, out=[3, 4])
    expected = (x.astype(np.float32) + residual.astype(np.float32)).astype(dtype)
    np.testing.assert_array_equal(total, expected)
    return result, rms_norm_in_numpy(expected, weight), 1e-2, 1e-4


def rope_of(launch: Launcher, length: int) -> Outcome:
    x, tables = launch.normal(length, 3, 66), angle_tables(length, 66)
    return launch(rope(length, 3, 66), x, *tables, out=[3]), rope_in_numpy(x, *tables), 1e-3, 1e-5


def swiglu_of(launch: Launcher, length: int) -> Outcome:
    x = launch.normal(length, 200)
    return launch(swiglu(length, 100), x, out=[1]), swiglu_in_numpy(x), 2e-3, 1e-5


# -- attention: the length is that of the sequence ---------------------------------------------------------------------


def attention_of(
    kind: str, dtype: str = "float16", heads: int = 1, kv_heads: int = 1, dim: int = 64, value_dim: int = 64
) -> Callable[[Launcher, int], Outcome]:
    def run(launch: Launcher, length: int) -> Outcome:
        numpy_dtype = np.float16 if dtype == "float16" else ml_dtypes.bfloat16
        shapes = (1, heads, length, dim), (1, kv_heads, length, dim), (1, kv_heads, length, value_dim)
        inputs = [launch.normal(*shape, dtype=numpy_dtype) for shape in shapes]
        mask = None
        if kind == "mask":
            mask = launch.normal(length, length, dtype=np.float32)
            mask[launch.rng.random((length, length)) < 0.3] = -np.inf
            inputs.append(mask)
        program = attention(1, heads, kv_heads, length, length, dim, value_dim, dtype, kind, window=300)
        result = launch(program, *inputs, out=[-1])
        reference = attention_in_numpy(*inputs[:3], kind, 300, mask)
        return result, reference, 2e-2, 1e-2 if dtype == "float16" else 4e-2

    return run


def flash_attention_of(launch: Launcher, length: int) -> Outcome:
    inputs = [launch.normal(1, 2, length, 64) for _ in range(3)]
    result = launch(flash_attention(1, 2, length, 64, causal=True), *inputs, out=[3])
    return result, attention_in_numpy(*inputs, "causal"), 2e-2, 1e-2


def custom_mask_of(mask: str, score: str) -> Callable[[Launcher, int], Outcome]:
    def run(launch: Launcher, length: int) -> Outcome:
        inputs = [launch.normal(1, 2, length, 64) for _ in range(3)]
        functions = MASKS[mask], SCORES[score]
        result = launch(masked_attention(1, 2, length, 64, *functions), *inputs, out=[3])
        return result, masked_attention_in_numpy(*inputs, *functions), 2e-2, 1e-2

    return run


def paged_decode_of(launch: Launcher, length: int) -> Outcome:
    lengths = [length, 1, length // 2, 0]
    table, pages = pages_in_any_order(launch.rng, lengths, page=64)
    inputs = launch.normal(4, 32, 128), launch.normal(pages, 64, 2, 128), launch.normal(pages, 64, 2, 128)
    inputs = (*inputs, table, np.array(lengths, np.int32))
    result = launch(paged_decode(4, 32, 2, 128, 64, pages, table.shape[1]), *inputs, out=[5])
    return result, paged_decode_in_numpy(*inputs), 2e-2, 1e-2


def mla_decode_of(launch: Launcher, length: int) -> Outcome:
    shapes = (1, 70, 512), (1, 70, 64), (1, length, 512), (1, length, 64)
    inputs = [launch.normal(*shape, dtype=ml_dtypes.bfloat16) for shape in shapes]
    result = launch(mla_decode(1, 70, length, dtype="bfloat16"), *inputs, out=[4])
    return result, mla_decode_in_numpy(*inputs), 2e-2, 4e-2


def unfused_attention_of(launch: Launcher, length: int) -> Outcome:
    q, k, v = (launch.normal(1, length, 64) for _ in range(3))
    scores = launch(scaled_scores(1, length, length, 64), q, k, out=[2])
    weights = launch(softmax_of_rows(length, length), scores.reshape(length, length), out=[1])
    result = launch(weighted_values(1, length, length, 64), weights.reshape(1, length, length), v, out=[2])
    return result, attention_in_numpy(q[None], k[None], v[None])[0], 2e-2, 1e-2


PROGRAMS: dict[str, Callable[[Launcher, int], Outcome]] = {
    "vector_add": vector_add_of,
    "gemm": gemm_of,
    "gemm_bias_relu": gemm_bias_relu_of,
    "gemm_gelu": gemm_gelu_of,
    "gemm_gelu residual": gemm_gelu_residual_of,
    "batched_gemm": batched_gemm_of,
    "split_k_gemm": split_k_gemm_of,
    "softmax": softmax_of,
    "online_softmax": online_softmax_of,
    "cross_entropy": cross_entropy_of,
    "layer_norm": layer_norm_of,
    "rms_norm": rms_norm_of,
    "rms_norm residual": residual_rms_norm_of,
    "rope": rope_of,
    "swiglu": swiglu_of,
    "attention full": attention_of("full"),
    "attention causal": attention_of("causal", heads=4, kv_heads=2),
    "attention window": attention_of("window", "bfloat16", dim=128, value_dim=128),
    "attention mask": attention_of("mask", heads=2),
    "attention 192": attention_of("causal", dim=192, value_dim=128),
    "attention 192 bfloat16": attention_of("full", "bfloat16", heads=2, dim=192, value_dim=128),
    "flash_attention": flash_attention_of,
    "attention_custom_mask prefix": custom_mask_of("prefix", "slope"),
    "attention_custom_mask sink": custom_mask_of("sink", "near"),
    "attention_custom_mask documents": custom_mask_of("documents", "plain"),
    "attention_custom_mask dilated": custom_mask_of("dilated", "plain"),
    "paged_decode": paged_decode_of,
    "mla_decode": mla_decode_of,
    "unfused_attention": unfused_attention_of,
}


def test_every_example_is_here(request: pytest.FixtureRequest) -> None:
    examples = {path.stem for path in (request.config.rootpath / "examples").glob("*.py")}
    assert examples - {"demo"} == {name.split()[0] for name in PROGRAMS}


@pytest.mark.parametrize(
    ("name", "length", "target"),
    [
        pytest.param(*row, marks=[] if row[1:] == QUICK else [pytest.mark.slow])
        for row in itertools.product(PROGRAMS, LENGTHS, CHIPS)
    ],
)
def test_length(name: str, length: int, target: str) -> None:
    result, reference, relative, absolute = PROGRAMS[name](Launcher(target), length)
    assert math.prod(result.shape) > 0
    np.testing.assert_allclose(result.astype(np.float32), reference, rtol=relative, atol=absolute)
