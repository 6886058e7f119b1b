"""Kernels that are wrong as a whole: tiles that do not fit, blocks that overwrite each other, tiles that nothing wrote,
indices from data that lie outside.

What is certain is an error of the compiler, the rest a finding of the simulator: with the user's line, the values and
what to do. What the language guards is no error.
"""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang.errors import CheckError, KernelCompileError, TileLangError


def compile(program: Any) -> Any:
    return tilelang.compile(program, target="ascend")


def marked(error: TileLangError, mark: str) -> None:
    """The error is at the line of this file with the comment `#! mark`."""
    assert error.location is not None, str(error)
    assert error.location.file == __file__, str(error)
    assert f"#! {mark}" in linecache.getline(__file__, error.location.line), str(error)


def note_at(error: TileLangError, mark: str) -> str:
    """The text of the note at the line with a mark."""
    for note in error.notes:
        if note.location is not None and f"#! {mark}" in linecache.getline(__file__, note.location.line):
            return note.message
    raise AssertionError(f"no note at {mark}:\n{error}")


# -- tiles that do not fit ---------------------------------------------------------------------------------------------


def attention(m: int, n: int, d: int, stages: int) -> Any:
    """Values travel Cube - Vector - Cube - Vector."""

    @T.prim_func
    def main(
        Q: T.Tensor((m, d), "float16"),
        K: T.Tensor((4 * n, d), "float16"),
        V: T.Tensor((4 * n, d), "float16"),
        Out: T.Tensor((m, d), "float32"),
    ):
        with T.Kernel(1):
            q = T.alloc_shared((m, d), "float16")
            k = T.alloc_shared((n, d), "float16")  #! largest
            v = T.alloc_shared((n, d), "float16")
            s = T.alloc_fragment((m, n), "float32")  #! accumulator
            p = T.alloc_shared((m, n), "float16")  #! returned
            high = T.alloc_fragment((m,), "float32")
            acc = T.alloc_fragment((m, d), "float32")
            T.copy(Q, q)
            T.clear(acc)
            for i in T.Pipelined(4, num_stages=stages):
                T.copy(K[i * n, 0], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                T.reduce_max(s, high, dim=1)
                for r, c in T.Parallel(m, n):
                    p[r, c] = T.exp(s[r, c] - high[r])
                for r, c in T.Parallel(m, d):
                    acc[r, c] = acc[r, c] * 0.5
                T.copy(V[i * n, 0], v)
                T.gemm(p, v, acc)
            T.copy(acc, Out)

    return main


def test_loads_and_returned_values_that_do_not_fit() -> None:
    with pytest.raises(KernelCompileError) as info:
        compile(attention(64, 512, 512, stages=3))
    error = info.value
    marked(error, "largest")
    assert error.message == (
        "buffers do not fit L1: q 64x512 float16 = 65536 B, k 512x512 float16 = 524288 B, v 512x512 float16 = "
        "524288 B, p 64x512 float16 = 65536 B, together 655360 B, limit 524032 B"
    )
    assert error.values[0] == "'k': 524288 B x 1 version"
    assert error.values[1].startswith("tried: ")
    assert "1 version instead of 3 of 'k', 'v', 'p'" in error.values[1]
    assert error.values[1].endswith("tasks up to 2 steps apart")
    assert error.help == "use smaller blocks, e.g. 'k' of 256x512"
    assert note_at(error, "returned") == "'p': 65536 B x 1 version"


def test_accumulators_that_do_not_fit() -> None:
    with pytest.raises(KernelCompileError) as info:
        compile(attention(256, 256, 128, stages=2))
    error = info.value
    marked(error, "accumulator")
    assert "accumulators do not fit L0C: s 256x256 float32 = 262144 B" in error.message
    assert "limit 131072 B" in error.message
    assert any(value.startswith("tried: 1 version instead of 2 of 's'") for value in error.values), error.values
    assert error.help == "use smaller blocks, e.g. 's' of 128x256"


# -- operands whose producer cannot be split over rows -----------------------------------------------------------------


def product_of(change: Any) -> Any:
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            s = T.alloc_fragment((64, 64), "float32")
            p = T.alloc_shared((64, 64), "float16")
            column = T.alloc_fragment((64,), "float32")
            o = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, s, clear_accum=True)
            change(s, p, column)
            T.gemm(p, b, o, clear_accum=True)
            T.copy(o, C)

    return main


@T.macro
def transposed(s, p, column):
    for i, j in T.Parallel(64, 64):
        p[i, j] = s[j, i]


@T.macro
def minus_column_maxima(s, p, column):
    T.reduce_max(s, column, dim=0)
    for i, j in T.Parallel(64, 64):
        p[i, j] = s[i, j] - column[j]


@T.macro
def moved_down(s, p, column):
    T.clear(p)  #! moved
    for i, j in T.Parallel(63, 64):
        p[i + 1, j] = s[i, j]


@T.macro
def row_after_row(s, p, column):
    T.copy(s, p)  #! rows
    for i in T.serial(63):
        p[i + 1, 0] = p[i, 0]


def moved(s: np.ndarray) -> np.ndarray:
    result = np.zeros_like(s)
    result[1:] = s[:-1]
    return result


def repeated(s: np.ndarray) -> np.ndarray:
    result = s.copy()
    result[:, 0] = s[0, 0]
    return result


@pytest.mark.parametrize(
    ("change", "reference", "mark"),
    [
        (transposed, lambda s: s.T, None),
        (minus_column_maxima, lambda s: s - s.max(axis=0), None),
        (moved_down, moved, "moved"),
        (row_after_row, repeated, "rows"),
    ],
    ids=["transposed", "column maxima", "moved", "row after row"],
)
def test_operand_whose_producer_cannot_be_split(change: Any, reference: Any, mark: str | None) -> None:
    """Right in any case; a remark where one of the two Vector cores has to do all the work."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (64, 64)).astype(np.float16) for _ in range(2))
    c = np.zeros((64, 64), np.float32)
    kernel = compile(product_of(change))
    kernel(a, b, c)
    p = reference(a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    np.testing.assert_array_equal(c, p.astype(np.float32) @ b.astype(np.float32))
    remarks = [remark for remark in kernel.remarks if "on one of the two Vector cores" in remark.message]
    assert len(remarks) == (mark is not None)
    for remark in remarks:
        assert f"#! {mark}" in linecache.getline(__file__, remark.location.line)


# -- blocks that overwrite each other's results ------------------------------------------------------------------------


def row_sums(columns: Any, blocks: Any, at: Any) -> Any:
    @T.prim_func
    def main(A: T.Tensor((64, columns), "float32"), S: T.Tensor((64,), "float32")):
        with T.Kernel(blocks, 2) as (bx, by):
            tile = T.alloc_fragment((32, 64), "float32")
            total = T.alloc_fragment((32,), "float32")
            T.copy(A[by * 32, at(bx)], tile)  #! read
            T.reduce_sum(tile, total, dim=1)
            T.copy(total, S[by * 32])  #! store

    return main


def test_reduction_over_an_axis_that_blocks_split() -> None:
    with pytest.raises(KernelCompileError) as info:
        compile(row_sums(256, 4, lambda bx: bx * 64))
    error = info.value
    marked(error, "store")
    assert error.message == (
        "blocks overwrite each other's results: which elements of buffer 'S' are written does not depend on index 0 "
        "of the grid (4 blocks), and their values do"
    )
    assert error.help is not None and error.help.startswith("use T.atomic_add, or loop over that axis inside the block")
    assert note_at(error, "read") == "what is read here differs from block to block"


def test_same_reduction_by_several_blocks() -> None:
    """The same values: a remark, and a race where the checks are on."""
    kernel = compile(row_sums(256, 4, lambda bx: 64))
    (remark,) = [remark for remark in kernel.remarks if "several blocks write the same elements" in remark.message]
    assert remark.location is not None and "#! store" in linecache.getline(__file__, remark.location.line)
    assert "with the same values" in remark.message and "index 0 of the grid (4 blocks)" in remark.message
    a = np.random.default_rng(0).integers(-9, 10, (64, 256)).astype(np.float32)
    s = np.zeros(64, np.float32)
    kernel(a, s, checks="off")
    np.testing.assert_array_equal(s, a[:, 64:128].sum(axis=1))
    with pytest.raises(CheckError):
        kernel(a, s)


def test_race_between_blocks_of_a_grid_of_run_time_size() -> None:
    n = T.dynamic("n")
    kernel = compile(row_sums(n, T.ceildiv(n, 64), lambda bx: bx * 64))
    a = np.ones((64, 64), np.float32)
    s = np.zeros(64, np.float32)
    kernel(a, s)  # one block along the axis
    np.testing.assert_array_equal(s, np.full(64, 64, np.float32))
    with pytest.raises(CheckError) as info:
        kernel(np.ones((64, 256), np.float32), s)
    error = info.value
    marked(error, "store")
    assert "race: " in error.message and "writes 'S' at bytes" in error.message
    assert "nothing orders block" in error.message
    assert note_at(error, "store")
    assert error.help is not None and error.help.startswith("blocks of one launch run in any order: add with T.atomic")


def test_sum_of_blocks_by_atomics() -> None:
    """What the message asks for."""

    @T.prim_func
    def main(A: T.Tensor((64, 256), "float32"), S: T.Tensor((64,), "float32")):
        with T.Kernel(4, 2) as (bx, by):
            tile = T.alloc_fragment((32, 64), "float32")
            total = T.alloc_fragment((32,), "float32")
            T.copy(A[by * 32, bx * 64], tile)
            T.reduce_sum(tile, total, dim=1)
            T.atomic_add(S[by * 32], total)

    a = np.random.default_rng(0).integers(-9, 10, (64, 256)).astype(np.float32)
    s = np.zeros(64, np.float32)
    compile(main)(a, s)
    np.testing.assert_array_equal(s, a.sum(axis=1))


def test_tile_used_twice_is_no_dependence() -> None:
    """A tile that holds the rows' statistics first and the block's part later."""

    @T.prim_func
    def main(A: T.Tensor((64, 256), "float32"), M: T.Tensor((4, 64), "float32"), B: T.Tensor((64, 256), "float32")):
        with T.Kernel(4, 2) as (bx, by):
            tile = T.alloc_fragment((32, 64), "float32")
            high = T.alloc_fragment((32,), "float32")
            T.copy(A[by * 32, 0], tile)
            T.reduce_max(tile, high, dim=1)
            if bx == 0:
                T.copy(high, M[0, by * 32])
            T.copy(A[by * 32, bx * 64], tile)
            for i, j in T.Parallel(32, 64):
                tile[i, j] = tile[i, j] - high[i]
            T.copy(tile, B[by * 32, bx * 64])

    a = np.random.default_rng(0).standard_normal((64, 256)).astype(np.float32)
    m, b = np.zeros((4, 64), np.float32), np.zeros_like(a)
    compile(main)(a, m, b)
    np.testing.assert_array_equal(m[0], a[:, :64].max(axis=1))
    np.testing.assert_array_equal(b, a - a[:, :64].max(axis=1, keepdims=True))


# -- tiles that nothing wrote ------------------------------------------------------------------------------------------


def test_tile_that_nothing_wrote() -> None:
    @T.prim_func
    def main(B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            tile = T.alloc_fragment((64,), "float32")  #! allocated
            for i in T.Parallel(64):
                B[i] = tile[i] + 1  #! unwritten

    with pytest.raises(KernelCompileError) as info:
        compile(main)
    marked(info.value, "unwritten")
    assert info.value.message == "buffer 'tile' is read here, and nothing has written it before"
    assert info.value.help == "write the whole tile before it is read: T.copy into it, T.clear or T.fill"
    assert note_at(info.value, "allocated") == "buffer 'tile' is allocated here"


def test_accumulator_that_nothing_started() -> None:
    @T.prim_func
    def main(A: T.Tensor((64, 128), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            for k in T.Pipelined(2):
                T.copy(A[0, k * 64], a)
                T.gemm(a, a, c)  #! unstarted
            T.copy(c, C)

    with pytest.raises(KernelCompileError) as info:
        compile(main)
    marked(info.value, "unstarted")
    assert info.value.message == "buffer 'c' is added to here, and nothing has written it before"
    assert info.value.help is not None and "T.gemm(..., clear_accum=True) for the first product" in info.value.help


def test_variable_without_a_value() -> None:
    @T.prim_func
    def main(B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            value = T.alloc_var("float32")
            B[0] = value  #! valueless

    with pytest.raises(KernelCompileError) as info:
        compile(main)
    marked(info.value, "valueless")
    assert info.value.help == "give it a value: T.alloc_var(dtype, init)"


def test_tile_of_which_a_part_was_written() -> None:
    """Only the run can tell."""

    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            tile = T.alloc_fragment((64,), "float32")
            T.copy(A[0:32], tile[0:32])
            for i in T.Parallel(64):
                B[i] = tile[i] + 1  #! partly

    with pytest.raises(CheckError) as info:
        compile(main)(np.zeros(64, np.float32), np.zeros(64, np.float32))
    marked(info.value, "partly")
    assert "writes to 'B' bytes that were never computed: first at offset 128 of 256" in info.value.message
    assert info.value.help == "write the whole tile before it is read: T.copy into it, T.clear or T.fill"


# -- indices from data -------------------------------------------------------------------------------------------------


def test_block_table_with_entries_outside() -> None:
    """Copies and elements of tensors are guarded: outside reads 0, and what is written outside is dropped."""

    @T.prim_func
    def main(
        table: T.Tensor((5,), "int32"),
        pages: T.Tensor((8, 16, 64), "float32"),
        out: T.Tensor((5, 16, 64), "float32"),
        back: T.Tensor((8, 64), "float32"),
        first: T.Tensor((5,), "float32"),
    ):
        with T.Kernel(5) as bx:
            tile = T.alloc_fragment((16, 64), "float32")
            page = table[bx]
            T.copy(pages[page, 0:16, :], tile)
            T.copy(tile, out[bx, 0:16, :])
            for i in T.Parallel(64):
                back[page, i] = bx + 1
            first[bx] = pages[page, 3, 5]

    rng = np.random.default_rng(0)
    table = np.array([3, 8, -1, 7, 2**31 - 1], np.int32)
    pages = rng.standard_normal((8, 16, 64)).astype(np.float32)
    out, back = np.ones((5, 16, 64), np.float32), np.zeros((8, 64), np.float32)
    first = np.ones(5, np.float32)
    compile(main)(table, pages, out, back, first)
    for block, page in enumerate(table):
        inside = 0 <= page < 8
        np.testing.assert_array_equal(out[block], pages[page] if inside else np.zeros((16, 64)))
        assert first[block] == (pages[page, 3, 5] if inside else 0)
    expected = np.zeros(8)
    expected[3], expected[7] = 1, 4
    np.testing.assert_array_equal(back, expected[:, None] + np.zeros(64))


@pytest.mark.parametrize(("entry", "text"), [(-1, "element -1"), (2000, "element 2000")])
def test_index_from_data_outside_a_tile(entry: int, text: str) -> None:
    """Tiles have no guards: the simulator reports the access, with the index and the size."""

    @T.prim_func
    def main(table: T.Tensor((4,), "int32"), A: T.Tensor((64,), "float32"), B: T.Tensor((4,), "float32")):
        with T.Kernel(4) as bx:
            tile = T.alloc_shared((64,), "float32")
            T.copy(A, tile)
            B[bx] = tile[table[bx]]  #! index

    kernel = compile(main)
    table = np.array([3, entry, 0, 63], np.int32)
    with pytest.raises(CheckError) as info:
        kernel(table, np.arange(64, dtype=np.float32), np.zeros(4, np.float32))
    marked(info.value, "index")
    assert f"out-of-bounds: a scalar read of {text} of a tensor in UB with" in info.value.message
