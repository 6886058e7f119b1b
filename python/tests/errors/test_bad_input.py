"""Bad input, end to end: what a user meets who makes a mistake.

Each error is of a class of ours, shows the user's line with a caret, the values involved and what to do, and the
process goes on: a good kernel compiles and runs afterwards.
"""

from __future__ import annotations

import builtins
import contextlib
import faulthandler
import inspect
import itertools
import linecache
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang._native_path import native_directory
from tilelang.cache import kernel_cache
from tilelang.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    CheckError,
    HostCompilerError,
    InternalError,
    KernelCompileError,
    KernelNameError,
    KernelSyntaxError,
    KernelTypeError,
    KernelValueError,
    TileLangError,
    UnsupportedError,
)

#: Nothing here may take longer; one that hangs shows where.
_SECONDS = 120

_sizes = itertools.count(3)


def compile(program: Any, **options: Any) -> Any:
    return tilelang.compile(program, target="ascend", **options)


def good_program(rows: int = 2) -> Any:
    @T.prim_func
    def good(A: T.Tensor((rows, 64), "float32"), B: T.Tensor((rows, 64), "float32")):
        with T.Kernel(rows) as bx:
            for i in T.Parallel(64):
                B[bx, i] = A[bx, i] * 2 + 1

    return good


def run_good() -> None:
    """Tracing and compiling work (a program that no cache knows), and so does running."""
    assert "GetBlockIdx" in tilelang.lower(good_program(next(_sizes)), target="ascend").kernel_source
    a = np.arange(128, dtype=np.float32).reshape(2, 64)
    np.testing.assert_array_equal(compile(good_program(), out_idx=[1])(a), a * 2 + 1)


@pytest.fixture(autouse=True)
def alive() -> Iterator[None]:
    faulthandler.dump_traceback_later(_SECONDS, exit=True)
    try:
        yield
        run_good()
    finally:
        faulthandler.cancel_dump_traceback_later()


class Refused:
    """What `refused` yields: the error once it has been raised."""

    error: TileLangError
    text: str


@contextlib.contextmanager
def refused(cls: type[TileLangError], mark: str | None, *texts: str) -> Iterator[Refused]:
    """Expects an error of exactly this class whose text shows the line with the comment `#! mark` under a caret, and
    holds the given texts in this order."""
    result = Refused()
    with pytest.raises(TileLangError) as info:
        yield result
    error = info.value
    text = str(error)
    result.error, result.text = error, text
    assert type(error) is cls, f"{type(error).__name__}: {text}"
    for foreign in ("Traceback", "#0", "0x0", "mlir::", "loc(", "<unknown>"):
        assert foreign not in text, text
    if mark is not None:
        assert error.location is not None, text
        assert error.location.file == __file__, text
        line = linecache.getline(__file__, error.location.line)
        assert f"#! {mark}" in line, f"the error is at another line:\n{text}"
        shown = text.split("\n")
        number = next(i for i, part in enumerate(shown) if f"#! {mark}" in part)
        assert "^" in shown[number + 1], text
    position = 0
    for part in texts:
        found = text.find(part, position)
        assert found >= 0, f"{part!r} is not in, or comes too early in:\n{text}"
        position = found + len(part)


# -- while tracing -----------------------------------------------------------------------------------------------------


def test_name_that_does_not_exist() -> None:
    with refused(KernelNameError, "undefined", "the name 'A_shard' is not defined", "did you mean 'A_shared'?"):

        @T.prim_func
        def kernel(A: T.Tensor((64, 64), "float16")):
            with T.Kernel(1):
                A_shared = T.alloc_shared((64, 64), "float16")
                T.copy(A, A_shared)
                T.copy(A_shard, A)  # noqa: F821  #! undefined


def test_number_in_place_of_a_buffer() -> None:
    text = "T.copy: the destination is no buffer"
    with refused(KernelTypeError, "number", text, "the destination is a scalar (3)", "help: pass a tensor parameter"):

        @T.prim_func
        def kernel(A: T.Tensor((64, 64), "float16")):
            with T.Kernel(1):
                T.copy(A, 3)  #! number


def test_host_array_in_place_of_a_buffer() -> None:
    x = np.zeros((64, 64), np.float16)
    with refused(KernelTypeError, "array", "T.copy: the source is no buffer", "the source is a numpy array"):

        @T.prim_func
        def kernel(A: T.Tensor((64, 64), "float16")):
            with T.Kernel(1):
                s = T.alloc_shared((64, 64), "float16")
                T.copy(x, s)  #! array


def test_copy_between_shapes_that_cannot_match() -> None:
    with refused(
        KernelValueError,
        "copy",
        "T.copy: the shapes do not match",
        "the region of 'A' is (64, 48)",
        "'s' is (64, 32)",
        "help: extents must be equal",
    ):

        @T.prim_func
        def kernel(A: T.Tensor((64, 64), "float16")):
            with T.Kernel(1):
                s = T.alloc_shared((64, 32), "float16")
                T.copy(A[0:64, 0:48], s)  #! copy


def gemm_of(a: tuple[int, int], b: tuple[int, int], types: tuple[str, str, str]) -> Any:
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float16")):
        with T.Kernel(1):
            a_shared = T.alloc_shared(a, types[0])
            b_shared = T.alloc_shared(b, types[1])
            c_local = T.alloc_fragment((64, 64), types[2])
            T.gemm(a_shared, b_shared, c_local, clear_accum=True)  #! gemm

    return kernel


def test_gemm_with_inner_dimensions_that_differ() -> None:
    with refused(
        KernelValueError,
        "gemm",
        "T.gemm: the inner dimensions differ",
        "'a_shared' is (64, 32)",
        "'b_shared' is (64, 64)",
        "K is 32 in A and 64 in B",
        "help: A is (M, K) and B is (K, N); pass transpose_A or transpose_B",
    ):
        gemm_of((64, 32), (64, 64), ("float16", "float16", "float32"))


@pytest.mark.parametrize(
    ("types", "text", "help"),
    [
        (("float16", "bfloat16", "float32"), "the element types of A and B differ", "copy one of them into a tile"),
        (("float16", "float16", "int32"), "products of float16 do not accumulate in int32", "float32 or float16"),
        (("int16", "int16", "int32"), "products of int16 do not accumulate in int32", "bfloat16, float32 or int8"),
    ],
)
def test_gemm_with_types_that_do_not_fit(types: tuple[str, str, str], text: str, help: str) -> None:
    values = [f"'{name}' is {kind}" for name, kind in zip(("a_shared", "b_shared", "c_local"), types, strict=True)]
    with refused(KernelTypeError, "gemm", f"T.gemm: {text}", *values, "= help: ", help):
        gemm_of((64, 64), (64, 64), types)


@pytest.mark.parametrize("extent", [0, -32])
def test_extents_below_one(extent: int) -> None:
    with refused(KernelValueError, "tile", f"T.alloc_shared: extent 1 is {extent}", "help: every extent of a tile"):

        @T.prim_func
        def tile(A: T.Tensor((64, 64), "float16")):
            with T.Kernel(1):
                T.alloc_shared((64, extent), "float16")  #! tile

    with refused(KernelValueError, "parallel", f"T.Parallel: extent 0 is {extent}", "help: every extent is at least 1"):

        @T.prim_func
        def parallel(A: T.Tensor((64, 64), "float16")):
            with T.Kernel(1):
                for i in T.Parallel(extent):  #! parallel
                    A[0, i] = 1


def test_negative_sizes() -> None:
    with refused(KernelValueError, "tensor", "T.Tensor: size 1 is -64", "help: sizes must not be negative"):

        @T.prim_func
        def tensor(A: T.Tensor((64, -64), "float16")):  #! tensor
            with T.Kernel(1):
                T.clear(A)

    with refused(KernelValueError, "grid", "T.Kernel: grid dimension 0 is -1", "help: it must not be negative"):

        @T.prim_func
        def grid(A: T.Tensor((64, 64), "float16")):
            with T.Kernel(-1):  #! grid
                T.clear(A)


def test_grid_of_four_dimensions() -> None:
    with refused(KernelValueError, "grid4", "1 to 3 grid dimensions, 4 were given", "help: fold dimensions into one"):

        @T.prim_func
        def kernel(A: T.Tensor((64, 64), "float16")):
            with T.Kernel(1, 2, 3, 4) as (_a, _b, _c, _d):  #! grid4
                T.clear(A)


def test_assignment_to_a_captured_value() -> None:
    count = 0
    text = "'count' is assigned in a kernel, but belongs to the function around it"
    with refused(KernelSyntaxError, "captured", text, "help: ", "it is bound here", "count = 0"):

        @T.prim_func
        def kernel(A: T.Tensor((64, 64), "float32")):
            with T.Kernel(1):
                count = count + 1  # noqa: F823  #! captured

    assert count == 0


def test_several_kernels() -> None:
    with refused(UnsupportedError, "second", "a second T.Kernel", "help: write a prim_func for each"):

        @T.prim_func
        def kernel(A: T.Tensor((64, 64), "float32")):
            with T.Kernel(1):
                T.clear(A)
            with T.Kernel(1):  #! second
                T.clear(A)


def test_no_kernel() -> None:
    with refused(KernelSyntaxError, "outside", "must stand inside `with T.Kernel(...)`", "help: "):

        @T.prim_func
        def kernel(A: T.Tensor((64, 64), "float32")):
            for i in T.Parallel(64):  #! outside
                A[0, i] = 1


def test_constant_index_outside_a_tile() -> None:
    with refused(KernelValueError, "constant", "index 64 is outside dimension 0 of 's'", "'s' is (64,)"):

        @T.prim_func
        def kernel(A: T.Tensor((64, 64), "float32")):
            with T.Kernel(1):
                s = T.alloc_shared((64,), "float32")
                s[64] = 1.0  #! constant


def test_python_errors_of_the_program() -> None:
    with refused(KernelTypeError, "keyword", "unexpected keyword argument 'shap'"):

        @T.prim_func
        def kernel(A: T.Tensor((64, 64), "float32")):
            with T.Kernel(1):
                T.alloc_shared(shap=(64,))  #! keyword

    # What the program itself raises stays what it is.
    with pytest.raises(AssertionError, match="block must divide"):

        @T.prim_func
        def own(A: T.Tensor((64, 64), "float32")):
            with T.Kernel(1):
                raise AssertionError("block must divide")


SOURCE = """
import tilelang.language as T

@T.prim_func
def kernel(A: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        for i in T.Parallel(64):
            A[i] = 3
"""


def test_source_that_cannot_be_read() -> None:
    with refused(KernelSyntaxError, None, "the source of 'kernel' cannot be read", "<nowhere>:4", "help: define it in"):
        exec(builtins.compile(SOURCE, "<nowhere>", "exec"), {})
    # With its text in linecache it is a kernel like any other.
    linecache.cache["<somewhere>"] = (len(SOURCE), None, SOURCE.splitlines(True), "<somewhere>")
    names: dict[str, Any] = {}
    exec(builtins.compile(SOURCE, "<somewhere>", "exec"), names)
    a = np.zeros(64, np.float32)
    compile(names["kernel"])(a)
    assert (a == 3).all()


# -- while compiling ---------------------------------------------------------------------------------------------------


def gemm_program(m: int, n: int, k: int, blocks: tuple[int, int, int], stages: int = 2) -> Any:
    bm, bn, bk = blocks

    @T.prim_func
    def gemm(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm)) as (bx, by):
            A_shared = T.alloc_shared((bm, bk), "float16")  #! operand
            B_shared = T.alloc_shared((bk, bn), "float16")
            C_local = T.alloc_fragment((bm, bn), "float32")  #! accumulator
            T.clear(C_local)
            for ko in T.Pipelined(T.ceildiv(k, bk), num_stages=stages):  #! stages
                T.copy(A[by * bm, ko * bk], A_shared)
                T.copy(B[ko * bk, bx * bn], B_shared)
                T.gemm(A_shared, B_shared, C_local)  #! product
            T.copy(C_local, C[by * bm, bx * bn])

    return gemm


def test_accumulator_over_capacity() -> None:
    with refused(
        KernelCompileError,
        "accumulator",
        "accumulators do not fit L0C: C_local 256x256 float32 = 262144 B, limit 131072 B",
        "help: use block_M x block_N <= 32768, e.g. 128x256",
    ):
        compile(gemm_program(512, 512, 64, (256, 256, 32)))
    # The advice is true.
    compile(gemm_program(512, 512, 64, (128, 256, 32)))


def test_operands_over_capacity() -> None:
    with refused(
        KernelCompileError,
        "operand",
        "buffers do not fit L1: A_shared 128x2048 float16 = 524288 B, B_shared 2048x128 float16 = 524288 B, "
        "together 1048576 B, limit 524032 B",
        "help: use smaller blocks, e.g. 'A_shared' of 128x512",
        "note: 'B_shared': 524288 B",
        "B_shared = T.alloc_shared((bk, bn)",
    ):
        compile(gemm_program(512, 512, 8192, (128, 128, 2048)))
    compile(gemm_program(512, 512, 8192, (128, 128, 512)))


def column_sums(size: int) -> Any:
    @T.prim_func
    def kernel(A: T.Tensor((1024, 1024), "float32"), B: T.Tensor((1024, 1024), "float32")):
        with T.Kernel(1024 // size, 1024 // size) as (bx, by):
            tile = T.alloc_shared((size, size), "float32")  #! tile in UB
            sums = T.alloc_fragment((size,), "float32")
            T.copy(A[by * size, bx * size], tile)
            T.reduce_sum(tile, sums, dim=0)
            for i, j in T.Parallel(size, size):
                tile[i, j] = tile[i, j] * 2 + sums[j]
            T.copy(tile, B[by * size, bx * size])

    return kernel


def test_vector_tiles_over_capacity() -> None:
    with refused(
        KernelCompileError,
        "tile in UB",
        "buffers do not fit UB: tile 512x512 float32 = 1048576 B",
        "sums 512 float32 = 2048 B",
        "limit 188416 B",
        "help: use smaller blocks, e.g. 'tile' of ",
        "sums = T.alloc_fragment((size,)",
    ):
        compile(column_sums(512))
    compile(column_sums(64))


def test_product_over_the_largest_extent() -> None:
    text = "buffer 'A_shared' of 128x4096 exceeds the largest extent of a product, 4095"
    with refused(UnsupportedError, "product", text, "help: split it"):
        compile(gemm_program(512, 512, 8192, (128, 128, 4096)))


def test_sizes_known_at_run_time() -> None:
    n = T.dynamic("n")
    text = "T.alloc_shared: extent 0 is not a number known at compile time"
    with refused(KernelTypeError, "run-time extent", text, "help: tiles have fixed sizes"):

        @T.prim_func
        def tile(A: T.Tensor((n, 64), "float32")):
            with T.Kernel(n):
                T.alloc_shared((n, 64), "float32")  #! run-time extent

    @T.prim_func
    def kernel(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, 64), "float32")):
        with T.Kernel(n) as bx:
            for i in T.Parallel(64):
                B[bx, i] = A[bx, i] + 1

    compiled = compile(kernel)
    b = np.zeros((3, 64), np.float32)
    compiled(np.ones((3, 64), np.float32), b)
    assert (b == 2).all()
    text = "argument 2 ('B') of kernel 'kernel' has shape (4, 64), expected (n, 64): dimension 0 is 4, expected 3"
    with refused(ArgumentValueError, "sizes", text, "parameter 'B' is declared here"):
        compiled(np.ones((3, 64), np.float32), np.ones((4, 64), np.float32))  #! sizes


def test_iterations_that_depend_on_each_other() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((64,), "float32")
            T.copy(A, s)
            for i in T.Parallel(63):
                s[i + 1] = s[i] + 1.0  #! dependence
            T.copy(s, A)

    with refused(
        KernelCompileError,
        "dependence",
        "iterations of T.Parallel depend on each other: buffer 's' is written here at an index that another iteration",
        "help: write to a second buffer, or use T.serial",
        "note: it is read here",
    ):
        compile(kernel)


def test_loop_that_leaves_a_tile() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((64,), "float32")
            for i in T.Parallel(65):
                s[i] = 1.0  #! one too many
            T.copy(s, A)

    with refused(
        KernelCompileError,
        "one too many",
        "a write of buffer 's' lies outside it: index 0 reaches 64, the extent is 64",
        "index 0 runs from 0 to 64",
        "help: shorten the loop",
        "note: allocated here",
    ):
        compile(kernel)


def test_several_errors_come_in_order() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            s = T.alloc_shared((64,), "float32")
            T.copy(A, s)
            for i in T.Parallel(63):
                s[i + 1] = s[i] + 1.0  #! first of two
            for i in T.Parallel(63):
                s[0] = s[i] + 1.0
            T.copy(s, A)

    with refused(KernelCompileError, "first of two", "another iteration reads", "note: it is read here", "also: ") as e:
        compile(kernel)
    assert "several iterations write the same element" in e.text and "s[0] = s[i] + 1.0" in e.text


# -- options -----------------------------------------------------------------------------------------------------------


def test_unknown_targets() -> None:
    program = good_program()
    known = "known targets: auto, ascend, ascend910b, ascend910_93, ascend910b1"
    with refused(KernelValueError, "target", "unknown target 'ascend910b9'", known, "help: did you mean 'ascend910b"):
        tilelang.compile(program, target="ascend910b9")  #! target
    with refused(UnsupportedError, "cuda", "target 'cuda' is not available in this version", known, "help: "):
        tilelang.compile(program, target="cuda")  #! cuda
    with refused(KernelTypeError, "no name", "target is 3, expected a name", known, "help: "):
        tilelang.compile(program, target=3)  #! no name


def test_unknown_pass_configs() -> None:
    program = good_program()
    with refused(KernelValueError, "near", "unknown key 'tl.enable_fast_meth'", "did you mean 'tl.enable_fast_math'?"):
        compile_here = tilelang.compile
        compile_here(program, target="ascend", pass_configs={"tl.enable_fast_meth": True})  #! near
    with refused(KernelValueError, None, "unknown key 'ascend.nonsense'", "help: "):
        compile(program, pass_configs={"ascend.nonsense": 1})
    with refused(KernelTypeError, None, "pass_configs is a list, expected a dictionary"):
        compile(program, pass_configs=["tl.enable_fast_math"])


def test_wrong_output_indices_and_options() -> None:
    text = "out_idx has the entry 7, but kernel 'good' has 2 parameters"
    with refused(KernelValueError, "out_idx", text, "0: A, 1: B"):
        tilelang.compile(good_program(), out_idx=[7], target="ascend")  #! out_idx
    with refused(ArgumentTypeError, "option", "unknown option 'outidx'", "options: out_idx, target"):
        tilelang.compile(good_program(), outidx=[1])  #! option


def test_factories_called_or_written_wrongly() -> None:
    @tilelang.jit(target="ascend")
    def factory(n: int) -> Any:
        return n

    text = "missing a required argument: 'n'"
    with refused(ArgumentTypeError, "call", text, "factory(n", "'factory' is defined here"):
        factory()  #! call
    with refused(KernelTypeError, None, "'factory' returned an int, expected a @T.prim_func", "help: return the inner"):
        factory(1)


# -- at the call -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def add(add_program: Callable[..., Any]) -> Any:
    return compile(add_program(512))


def vector(count: int = 512, dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(count, dtype)


def test_wrong_number_of_arguments(add: Any) -> None:
    text = "kernel 'add' was called with 2 arguments, expected 3 (A, B, C)"
    with refused(ArgumentTypeError, "count", text, "note: kernel 'add' is declared here", "def add("):
        add(vector(), vector())  #! count


@pytest.mark.parametrize(
    ("value", "cls", "texts"),
    [
        (vector(dtype=np.float64), ArgumentTypeError, ("has dtype float64, expected float32", "help: convert it")),
        (vector().reshape(2, 256), ArgumentValueError, ("has 2 dimensions, shape (2, 256), expected 1, shape (512,)",)),
        (vector(511), ArgumentValueError, ("has shape (511,), expected (512,): dimension 0 is 511, expected 512",)),
        (vector(1024)[::2], ArgumentValueError, ("strides (2,)", "help: pass numpy.ascontiguousarray(...)")),
        ([0.0] * 512, ArgumentTypeError, ("is a list, expected an array",)),
        (None, ArgumentTypeError, ("is None, expected an array",)),
    ],
    ids=["dtype", "rank", "shape", "strides", "list", "none"],
)
def test_wrong_arguments(add: Any, value: Any, cls: type[TileLangError], texts: tuple[str, ...]) -> None:
    declared = "note: parameter 'B' is declared here"
    with refused(cls, "argument", "argument 2 ('B') of kernel 'add' ", *texts, declared, "B: T.Tensor((n,), dtype)"):
        add(vector(), value, vector())  #! argument


def test_read_only_output(add: Any) -> None:
    c = vector()
    c.flags.writeable = False
    text = "argument 3 ('C') of kernel 'add' is read-only, but the kernel writes it"
    declared = "parameter 'C' is declared here"
    with refused(ArgumentValueError, "read-only", text, "help: pass a writable array", declared):
        add(vector(), vector(), c)  #! read-only
    add(c, c, vector())


def test_keywords(add: Any) -> None:
    text = "takes its arguments by position"
    with refused(ArgumentTypeError, "keyword", text, "'A', 'B'", "help: leave the names out"):
        add(A=vector(), B=vector())  #! keyword


# -- while running -----------------------------------------------------------------------------------------------------


def test_tile_that_the_run_did_not_write() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float32"), n: T.int32):
        with T.Kernel(1):
            s = T.alloc_shared((64, 64), "float32")
            if n > 0:
                T.clear(s)
            T.copy(s, A)  #! unwritten

    with refused(
        CheckError,
        "unwritten",
        "kernel 'kernel', uninitialised: ",
        "writes to 'A' bytes that were never computed",
        "on pipe MTE3 of AIV",
        "help: write the whole tile before it is read",
    ):
        compile(kernel)(np.zeros((64, 64), np.float32), 0)


def test_accumulator_that_the_run_did_not_clear() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32"), n: T.int32):
        with T.Kernel(1):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.copy(A, b)
            T.gemm(a, b, c, clear_accum=n > 0)
            T.copy(c, C)  #! uncleared

    with refused(CheckError, "uncleared", "uninitialised: ", "left in L0C", "help: start the accumulator: T.clear(C)"):
        compile(kernel)(np.zeros((64, 64), np.float16), np.zeros((64, 64), np.float32), 0)


@pytest.mark.parametrize("index", [100000, 400, -3])
def test_run_time_index_outside_a_tile(index: int) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(1):
            s = T.alloc_shared((64,), "float32")
            T.clear(s)
            s[n] = 1.0  #! outside
            T.copy(s, A)

    with refused(CheckError, "outside", f"out-of-bounds: a scalar write of element {index} of a tensor in UB"):
        compile(kernel)(np.zeros(64, np.float32), index)


def test_run_time_index_outside_a_tensor_is_guarded() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32"), n: T.int32):
        with T.Kernel(1):
            value = T.alloc_var("float32")
            value = A[n]
            A[0] = value + 1

    a = np.full(64, 7, np.float32)
    compile(kernel)(a, 100)
    assert a[0] == 1


# -- remarks -----------------------------------------------------------------------------------------------------------


def test_remarks_reach_the_user(capsys: pytest.CaptureFixture[str], fresh_cache: Path) -> None:
    program = gemm_program(512, 512, 2048, (128, 128, 512), stages=4)
    text = "num_stages = 4 does not fit L1: A_shared 131072 B, B_shared 131072 B times 4 are 1048576 B"
    for _ in range(3):
        kernel = compile(program)
        assert capsys.readouterr().err == ""
        (remark,) = kernel.remarks
        assert remark.severity == "remark" and remark.message.startswith(text)
        assert remark.location is not None
        assert "#! stages" in linecache.getline(remark.location.file, remark.location.line)
        shown = str(remark)
        assert shown.startswith("remark: ") and "1 version is used" in shown and "^^^^" in shown
        # The second round takes it from memory, the third from the file.
        compile(program, verbose=True)
        assert shown in capsys.readouterr().err
        kernel_cache.forget()
    assert tilelang.lower(program, target="ascend").remarks == kernel.remarks
    assert compile(good_program()).remarks == []


# -- the machine around ------------------------------------------------------------------------------------------------


def test_host_compiler_missing(monkeypatch: pytest.MonkeyPatch, fresh_cache: Path) -> None:
    program = good_program(next(_sizes))
    with monkeypatch.context() as patch:
        patch.setenv("TILELANG_CXX", "/no/such/compiler")
        with refused(HostCompilerError, "compiler", "TILELANG_CXX names '/no/such/compiler'", "help: install clang 22"):
            tilelang.compile(program, target="ascend")  #! compiler
        # The source is there without it.
        assert "kernel_operator.h" in tilelang.lower(program, target="ascend").kernel_source
    with monkeypatch.context() as patch:
        patch.delenv("TILELANG_CXX", raising=False)
        patch.setenv("PATH", "")
        with refused(HostCompilerError, "path", "there is no C++ compiler", "clang++-22", "`tilelang doctor`"):
            tilelang.compile(program, target="ascend")  #! path
    with monkeypatch.context() as patch:
        patch.setenv("TILELANG_CXX", "/bin/false")
        with refused(InternalError, "false", "/bin/false' failed with status 1", "the source is kept in ") as e:
            tilelang.compile(program, target="ascend")  #! false
        kept = Path(e.text.split("the source is kept in ")[1].split("\n")[0])
        assert kept.parent == fresh_cache / "reproducers" and "kernel_operator.h" in kept.read_text()


@pytest.fixture
def unwritable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that cannot be made, whoever asks: a folder below a file."""
    (tmp_path / "file").write_text("")
    directory = tmp_path / "file" / "cache"
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(directory))
    kernel_cache.forget()
    return directory


def test_cache_that_cannot_be_written(unwritable: Path, capfd: pytest.CaptureFixture[str]) -> None:
    a = np.ones((2, 64), np.float32)
    for rows in (2, 2, 4):
        kernel_cache.forget()
        compile(good_program(rows))
    np.testing.assert_array_equal(compile(good_program(), out_idx=[1])(a), a * 3)
    said = [line for line in capfd.readouterr().err.splitlines() if line.strip()]
    assert len(said) == 1, said
    assert f"the kernel cache {unwritable} cannot be written" in said[0] and "TILELANG_CACHE_DIR" in said[0]


def test_full_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    directory = tmp_path / "small"
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(directory)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    try:
        monkeypatch.setenv("TILELANG_CACHE_DIR", str(directory))
        kernel_cache.forget()
        for rows in (2, 4, 6):
            compile(good_program(rows))
        assert capfd.readouterr().err.count("cannot be written") == 1
        # Nothing unfinished stays behind.
        assert not list(directory.rglob("*.tmp"))
        run_good()
    finally:
        subprocess.run(["umount", str(directory)], check=True)


# -- faults of our own -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "text"),
    [
        ("error", "the failure that debug.fail asks for"),
        ("abort", "the compiler crashed on this program, in stage 'placed': it gave up"),
        ("segfault", "the compiler crashed on this program, in stage 'placed': invalid memory access"),
    ],
)
def test_fault_of_the_compiler(way: str, text: str, fresh_cache: Path) -> None:
    program = good_program(next(_sizes))
    for _ in range(2):
        with refused(InternalError, None, text, "= the program is kept in ", "= help: ", "please report it") as e:
            compile(program, pass_configs={"debug.fail": way})
        assert isinstance(e.error, RuntimeError)
        kept = Path(e.text.split("the program is kept in ")[1].split("\n")[0])
        assert kept.parent == fresh_cache / "reproducers" and "tile.kernel" in kept.read_text()
        # The same program, and its text, still work.
        compile(program)
        assert "tile.kernel" in program.script()
    check = Path(native_directory()) / "bin" / "tilelang-opt"
    if check.exists():
        # The first line of the file says how to run it.
        name, *arguments = shlex.split(kept.read_text().splitlines()[0].removeprefix("// "))
        assert name == "tilelang-opt" and arguments[-1] == str(kept)
        subprocess.run([check, *arguments, "-o", os.devnull], check=True, capture_output=True)


def test_reproducers_that_cannot_be_kept(unwritable: Path) -> None:
    with refused(InternalError, None, f"the program could not be kept in {unwritable}/reproducers: Not a directory"):
        compile(good_program(next(_sizes)), pass_configs={"debug.fail": "error"})


def test_fault_of_the_front_end(monkeypatch: pytest.MonkeyPatch) -> None:
    import tilelang.language.memory as memory

    with monkeypatch.context() as patch:
        patch.setattr(memory, "quoted", None)
        text = "the front end failed on this line: TypeError: 'NoneType' object is not callable"
        with refused(InternalError, "front end", text, "help: this is a fault of the front end") as e:

            @T.prim_func
            def kernel(A: T.Tensor((64,), "float32")):
                with T.Kernel(1):
                    T.alloc_shared((64,), "float32")  #! front end

    assert isinstance(e.error.__cause__, TypeError)


def test_uncaught_errors_of_a_script(tmp_path: Path) -> None:
    """What a user sees who runs a script: the message, no C++ stack, exit status 1."""
    script = tmp_path / "program.py"
    script.write_text(
        inspect.cleandoc(
            """
            import tilelang
            import tilelang.language as T

            @T.prim_func
            def kernel(A: T.Tensor((512, 512), "float32")):
                with T.Kernel(1):
                    for i in T.Parallel(64):
                        A[0, i] = 1

            tilelang.compile(kernel, target="ascend", pass_configs={"debug.fail": "abort"})
            """
        )
    )
    source = Path(tilelang.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, timeout=_SECONDS)
    assert result.returncode == 1
    assert "tilelang.errors.InternalError: the compiler crashed on this program" in result.stderr
    assert "Stack dump" not in result.stderr and " #0 " not in result.stderr
