"""Decoding with the keys split over blocks: partial results and their log-sum-exp, merged by a second kernel.

`Lse[batch, head, split]` is a column of each block's own: blocks share cache lines.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tilelang
import tilelang.language as T


def partial_attention(batch: int, groups: int, rows: int, keys: int, depth: int, splits: int, block: int) -> Any:
    """`rows` query heads share the keys of each group; a split takes every `splits`-th part of the keys."""
    heads = groups * rows
    per_split = math.ceil(keys / splits / block) * block
    scale = 1.0 / math.sqrt(depth) * math.log2(math.e)

    @T.prim_func
    def partial(
        Q: T.Tensor((batch, heads, depth), "float16"),
        K: T.Tensor((batch, keys, groups, depth), "float16"),
        V: T.Tensor((batch, keys, groups, depth), "float16"),
        lengths: T.Tensor((batch,), "int32"),
        Part: T.Tensor((batch, heads, splits, depth), "float32"),
        Lse: T.Tensor((batch, heads, splits), "float32"),
    ):
        with T.Kernel(splits, groups, batch) as (split, group, b):
            q = T.alloc_shared((rows, depth), "float16")
            k = T.alloc_shared((block, depth), "float16")
            v = T.alloc_shared((block, depth), "float16")
            scores = T.alloc_fragment((rows, block), "float32")
            p = T.alloc_shared((rows, block), "float16")
            acc = T.alloc_fragment((rows, depth), "float32")
            high = T.alloc_fragment((rows,), "float32")
            before = T.alloc_fragment((rows,), "float32")
            factor = T.alloc_fragment((rows,), "float32")
            part = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.copy(Q[b, group * rows : (group + 1) * rows, :], q)
            T.clear(acc)
            T.clear(total)
            T.fill(high, -1e30)
            length = lengths[b]
            for i in T.Pipelined(per_split // block, num_stages=2):
                start = split * per_split + i * block
                T.copy(K[b, start : start + block, group, :], k)
                T.gemm(q, k, scores, transpose_B=True, clear_accum=True)
                for r, c in T.Parallel(rows, block):
                    scores[r, c] = T.if_then_else(start + c < length, scores[r, c] * scale, -1e30)
                T.copy(high, before)
                T.reduce_max(scores, high, dim=1, clear=False)
                for r, c in T.Parallel(rows, block):
                    scores[r, c] = T.exp2(scores[r, c] - high[r])
                for r in T.Parallel(rows):
                    factor[r] = T.exp2(before[r] - high[r])
                T.reduce_sum(scores, part, dim=1)
                for r in T.Parallel(rows):
                    total[r] = total[r] * factor[r] + part[r]
                T.copy(scores, p)
                for r, d in T.Parallel(rows, depth):
                    acc[r, d] = acc[r, d] * factor[r]
                T.copy(V[b, start : start + block, group, :], v)
                T.gemm(p, v, acc)
            for r, d in T.Parallel(rows, depth):
                acc[r, d] = acc[r, d] / total[r]
            for r in T.Parallel(rows):
                high[r] = high[r] + T.log2(total[r])
            T.copy(acc, Part[b, group * rows : (group + 1) * rows, split, :])
            T.copy(high, Lse[b, group * rows : (group + 1) * rows, split])

    return partial


def merge(batch: int, heads: int, depth: int, splits: int) -> Any:
    @T.prim_func
    def combine(
        Part: T.Tensor((batch, heads, splits, depth), "float32"),
        Lse: T.Tensor((batch, heads, splits), "float32"),
        O: T.Tensor((batch, heads, depth), "float16"),  # noqa: E741
    ):
        with T.Kernel(heads, batch) as (h, b):
            part = T.alloc_fragment((splits, depth), "float32")
            lse = T.alloc_fragment((splits,), "float32")
            high = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            out = T.alloc_fragment((depth,), "float32")
            T.copy(Part[b, h, :, :], part)
            T.copy(Lse[b, h, :], lse)
            T.reduce_max(lse, high, dim=0)
            for s in T.Parallel(splits):
                lse[s] = T.exp2(lse[s] - high[0])
            T.reduce_sum(lse, total, dim=0)
            for s, d in T.Parallel(splits, depth):
                part[s, d] = part[s, d] * lse[s]
            T.reduce_sum(part, out, dim=0)
            for d in T.Parallel(depth):
                O[b, h, d] = out[d] / total[0]

    return combine


@pytest.mark.parametrize("shape", [(2, 2, 16, 256, 64, 4, 32), (3, 1, 8, 200, 64, 3, 64)], ids=str)
def test_split_keys(shape: tuple[int, ...]) -> None:
    batch, groups, rows, keys, depth, splits, _ = shape
    heads = groups * rows
    rng = np.random.default_rng(0)
    q = rng.standard_normal((batch, heads, depth)).astype(np.float16)
    k, v = (rng.standard_normal((batch, keys, groups, depth)).astype(np.float16) for _ in range(2))
    # Each split has something to do in the longest request only.
    lengths = np.array([keys, max(1, keys // 3), 1][:batch], np.int32)
    parts = np.zeros((batch, heads, splits, depth), np.float32)
    lse = np.zeros((batch, heads, splits), np.float32)
    out = np.zeros((batch, heads, depth), np.float16)
    tilelang.compile(partial_attention(*shape), target="ascend")(q, k, v, lengths, parts, lse)
    tilelang.compile(merge(batch, heads, depth, splits), target="ascend")(parts, lse, out)

    for b in range(batch):
        for h in range(heads):
            scores = k[b, : lengths[b], h // rows].astype(np.float64) @ q[b, h].astype(np.float64) / math.sqrt(depth)
            weights = np.exp(scores - scores.max())
            expected = weights @ v[b, : lengths[b], h // rows].astype(np.float64) / weights.sum()
            np.testing.assert_allclose(out[b, h], expected, atol=4e-3, rtol=4e-3)
