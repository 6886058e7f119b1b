"""Attention as a user writes it: right at any length and on each chip, the same each time, and not one flag too many.

The programs are those of the examples. Larger sizes are marked slow: `pytest -m slow python/tests/ascend`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from attention import KINDS, attention, attention_in_numpy
from mla_decode import mla_decode, mla_decode_in_numpy
from paged_decode import paged_decode, paged_decode_in_numpy, pages_in_any_order

import tilelang
import tilelang.language as T

CHIPS = ["ascend910b2", "ascend910b4"]
WINDOW = 50


def inputs(
    heads: int,
    kv_heads: int,
    queries: int,
    keys: int,
    dim: int,
    value_dim: int,
    dtype: Any = np.float16,
    kind: str = "full",
) -> list[np.ndarray]:
    rng = np.random.default_rng(queries + keys)
    shapes = (1, heads, queries, dim), (1, kv_heads, keys, dim), (1, kv_heads, keys, value_dim)
    tensors = [rng.standard_normal(shape).astype(dtype) for shape in shapes]
    if kind == "mask":
        mask = rng.standard_normal((queries, keys)).astype(np.float32)
        mask[rng.random((queries, keys)) < 0.3] = -np.inf
        tensors.append(mask)
    return tensors


def check(
    heads: int,
    kv_heads: int,
    queries: int,
    keys: int,
    dim: int = 64,
    value_dim: int | None = None,
    dtype: str = "float16",
    kind: str = "full",
    target: str = "ascend",
    **blocks: int,
) -> None:
    sizes = (heads, kv_heads, queries, keys, dim, value_dim or dim)
    program = attention(1, *sizes, dtype=dtype, kind=kind, window=WINDOW, **blocks)
    kernel = tilelang.compile(program, out_idx=[-1], target=target)
    tensors = inputs(*sizes, np.float16 if dtype == "float16" else ml_dtypes.bfloat16, kind)
    first, second = (kernel.profile(*tensors) for _ in range(2))
    mask = tensors[3] if kind == "mask" else None
    reference = attention_in_numpy(*tensors[:3], kind, WINDOW, mask)
    tolerance = 1e-2 if dtype == "float16" else 4e-2
    np.testing.assert_allclose(first.result.astype(np.float32), reference, rtol=2e-2, atol=tolerance)
    assert first.result.tobytes() == second.result.tobytes()
    assert first.cycles == second.cycles > 0


@pytest.mark.parametrize("target", CHIPS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sequence", [1, 17, 128])
def test_lengths(sequence: int, kind: str, target: str) -> None:
    check(1, 1, sequence, sequence, kind=kind, target=target)


@pytest.mark.parametrize("target", CHIPS)
@pytest.mark.parametrize("kind", ["full", "causal"])
def test_length_1000(kind: str, target: str) -> None:
    check(1, 1, 1000, 1000, kind=kind, target=target)


@pytest.mark.slow
@pytest.mark.parametrize("target", CHIPS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim", [64, 128])
def test_long_sequences(dim: int, kind: str, target: str) -> None:
    check(2, 1, 2049, 2049, dim, kind=kind, target=target)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("queries", "keys"), [(1, 200), (200, 1), (65, 130), (130, 65)])
def test_queries_and_keys_of_different_lengths(queries: int, keys: int, kind: str) -> None:
    """With fewer keys than queries the first queries see nothing in causal attention and get zeros."""
    check(1, 1, queries, keys, kind=kind)


@pytest.mark.parametrize("kind", KINDS)
def test_one_kernel_for_all_lengths(kind: str) -> None:
    queries, keys = T.dynamic("queries, keys")
    program = attention(1, 2, 1, queries, keys, 64, 64, kind=kind, window=WINDOW)
    kernel = tilelang.compile(program, out_idx=[-1], target="ascend")
    for lengths in [(1, 1), (17, 300), (300, 17), (128, 128)]:
        tensors = inputs(2, 1, *lengths, 64, 64, kind=kind)
        mask = tensors[3] if kind == "mask" else None
        reference = attention_in_numpy(*tensors[:3], kind, WINDOW, mask)
        np.testing.assert_allclose(kernel(*tensors).astype(np.float32), reference, rtol=2e-2, atol=1e-2)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(("dim", "value_dim"), [(64, 64), (128, 128), (192, 128), (80, 48)])
def test_head_dimensions(dim: int, value_dim: int, dtype: str) -> None:
    check(2, 1, 70, 200, dim, value_dim, dtype, kind="causal")


@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 4), (4, 2), (5, 1)])
def test_grouped_heads(heads: int, kv_heads: int) -> None:
    check(heads, kv_heads, 50, 100)


def test_heads_that_do_not_divide() -> None:
    with pytest.raises(ValueError, match="5 query heads are no multiple of 2 key heads"):
        attention(1, 5, 2, 64, 64, 64, 64)


@pytest.mark.parametrize(("block_M", "block_N"), [(16, 128), (32, 32), (128, 64), (128, 128)])
def test_blocks(block_M: int, block_N: int) -> None:
    check(1, 1, 150, 150, kind="causal", block_M=block_M, block_N=block_N)


@pytest.mark.parametrize("target", CHIPS)
@pytest.mark.parametrize("lengths", [[1], [64, 65, 0, 300], [513, 7]])
def test_paged_decode(lengths: list[int], target: str) -> None:
    rng = np.random.default_rng(5)
    table, pages = pages_in_any_order(rng, lengths, page=64)
    q = rng.standard_normal((len(lengths), 16, 64)).astype(np.float16)
    k, v = (rng.standard_normal((pages, 64, 2, 64)).astype(np.float16) for _ in range(2))
    # What is beyond a request's length must not matter: nobody reads it, or it counts for nothing.
    table[table == 0] = -1
    program = paged_decode(len(lengths), 16, 2, 64, 64, pages, table.shape[1])
    kernel = tilelang.compile(program, out_idx=[5], target=target)
    arguments = (q, k, v, table, np.array(lengths, np.int32))
    first, second = (kernel.profile(*arguments) for _ in range(2))
    reference = paged_decode_in_numpy(q, k, v, table, lengths)
    np.testing.assert_allclose(first.result.astype(np.float32), reference, rtol=2e-2, atol=1e-2)
    assert first.result.tobytes() == second.result.tobytes()
    assert first.cycles == second.cycles


@pytest.mark.parametrize("target", CHIPS)
@pytest.mark.parametrize(("heads", "keys"), [(16, 130), (70, 65), (128, 1)])
def test_latent_attention(heads: int, keys: int, target: str) -> None:
    rng = np.random.default_rng(6)
    shapes = (1, heads, 512), (1, heads, 64), (1, keys, 512), (1, keys, 64)
    tensors = [rng.standard_normal(shape).astype(np.float16) for shape in shapes]
    kernel = tilelang.compile(mla_decode(1, heads, keys), out_idx=[4], target=target)
    reference = mla_decode_in_numpy(*tensors)
    np.testing.assert_allclose(kernel(*tensors).astype(np.float32), reference, rtol=2e-2, atol=1e-2)


# -- synchronisation ---------------------------------------------------------------------------------------------------

# One block more than the chip has cores, and more blocks of keys than a ring has slots, so that every buffer is used
# again, within a block and by the next one.
HEADS, QUERIES, KEYS, DIM, BLOCK = 25, 32, 32 * 8 - 5, 32, 32


def compile_without(**dropped: int) -> tilelang.JITKernel:
    program = attention(1, HEADS, 1, QUERIES, KEYS, DIM, DIM, block_M=BLOCK, block_N=BLOCK)
    configs = {f"debug.{name}": str(number) for name, number in dropped.items()}
    return tilelang.compile(program, out_idx=[3], target="ascend910b2", pass_configs=configs)


@cache
def unbroken() -> tuple[dict[str, int], list[np.ndarray]]:
    return dict(compile_without().statistics), inputs(HEADS, 1, QUERIES, KEYS, DIM, DIM)


def test_unbroken_kernel_is_right_and_nothing_is_reported() -> None:
    statistics, tensors = unbroken()
    result = compile_without()(*tensors, checks="on")
    np.testing.assert_allclose(result.astype(np.float32), attention_in_numpy(*tensors), rtol=2e-2, atol=1e-2)
    assert statistics["redundant_flags"] == 0
    assert statistics["cross_flags"] >= 2, "the two kinds of core exchange data both ways"


@pytest.mark.parametrize(
    "what",
    ["flag", pytest.param("barrier", marks=pytest.mark.slow), pytest.param("operation", marks=pytest.mark.slow)],
)
def test_each_missing_one_is_found_with_two_places(what: str) -> None:
    """A flag is all its sets and waits, on one core or across; an operation is a lone set or wait."""
    statistics, tensors = unbroken()
    total = statistics[f"sync.{what}s"]
    assert total > 0
    silent, found = [], {}
    for number in range(total):
        kernel = compile_without(**{f"drop_{what}": number})
        try:
            kernel(*tensors, checks="on")
        except tilelang.errors.CheckError as error:
            text = str(error)
            kind = next(kind for kind in ("race", "deadlock", "flag-misuse") if kind in text.splitlines()[0])
            # A set that nobody waits for, because the wait is what is missing, has one place.
            assert text.count("-->") >= (1 if kind == "flag-misuse" else 2), text
            found[kind] = found.get(kind, 0) + 1
        else:
            silent.append(number)
    print(f"attention: {total - len(silent)} of {total} {what}s are needed {found}; redundant: {silent}")
    # One loop over keys; the proof may be unable to see through one flag of it.
    assert len(silent) <= (1 if what == "flag" else 0)
    if what != "operation":
        assert set(found) == {"race"}


@pytest.mark.parametrize(("queries", "keys"), [(0, 0), (0, 5), (5, 0)])
def test_nothing_to_attend_to(queries: int, keys: int) -> None:
    """No block at all, or no iteration of the loop over keys: zeros."""
    program = attention(1, 2, 1, queries, keys, 32, 32, block_M=32, block_N=32)
    kernel = tilelang.compile(program, out_idx=[3], target="ascend")
    q, k, v = (np.ones((1, heads, rows, 32), np.float16) for heads, rows in ((2, queries), (1, keys), (1, keys)))
    result = kernel(q, k, v)
    assert result.shape == (1, 2, queries, 32)
    assert not result.any()
