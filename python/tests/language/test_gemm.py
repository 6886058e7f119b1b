"""T.gemm: spellings, and shapes and types that do not fit."""

import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang.errors import KernelTypeError, KernelValueError


def product(a=("float16", 64, 32), b=("float16", 32, 128), c=("float32", 64, 128), **options):
    @T.prim_func
    def main(n: T.int32):
        with T.Kernel(1) as bx:
            A_s = T.alloc_shared(a[1:], a[0])
            B_s = T.alloc_shared(b[1:], b[0])
            acc = T.alloc_fragment(c[1:], c[0])
            for k in T.serial(4):
                known = {key: value(k) if callable(value) else value for key, value in options.items()}
                T.gemm(A_s, B_s, acc, **known)  #! gemm

    return main.script()


def test_plain(check_text):
    check_text(product(), "tile.gemm ... clear %false : <64x32xf16>, <32x128xf16> into <64x128xf32>")


def test_options(check_text):
    check_text(product(b=("float16", 128, 32), transpose_B=True), "tile.gemm ... {transpose_b} :")
    check_text(product(a=("float16", 32, 64), transpose_A=1), "tile.gemm ... {transpose_a} :")
    check_text(product(clear_accum=True), "tile.gemm ... clear %true")
    check_text(product(policy=T.GemmWarpPolicy.FullRow, k_pack=2), "tile.gemm")
    check_text(product(clear_accum=lambda k: k == 0), "arith.cmpi eq, %arg2, %c0", "tile.gemm ... clear %4")


@pytest.mark.parametrize(
    "a, c", [("float16", "float16"), ("bfloat16", "float32"), ("int8", "int32"), ("float32", "float32")]
)
def test_types(a, c):
    assert "tile.gemm" in product((a, 16, 16), (a, 16, 16), (c, 16, 16))


def test_regions(check_text):
    @T.prim_func
    def main():
        with T.Kernel(1) as bx:
            A_s = T.alloc_shared((2, 64, 32), "float16")
            B_s = T.alloc_shared((32, 256), "float16")
            acc = T.alloc_fragment((64, 128), "float32")
            T.gemm(A_s[bx, :, :], B_s[:, 128:256], acc)

    check_text(main.script(), "tile.gemm ... : <1x64x32xf16>, <32x128xf16> into <64x128xf32>")


@pytest.mark.parametrize(
    ("types", "options", "cls", "texts"),
    [
        (
            {"b": ("float16", 64, 128)},
            {},
            KernelValueError,
            [
                "the inner dimensions differ",
                "'A_s' is (64, 32)",
                "'B_s' is (64, 128)",
                "K is 32 in A and 64 in B",
                "transpose_B",
            ],
        ),
        (
            {},
            {"transpose_A": True},
            KernelValueError,
            ["the inner dimensions differ", "'A_s' is (64, 32) (transposed)"],
        ),
        (
            {"c": ("float32", 64, 64)},
            {},
            KernelValueError,
            ["another shape than the product", "the product is (64, 128)"],
        ),
        ({"b": ("bfloat16", 32, 128)}, {}, KernelTypeError, ["element types of A and B differ", "'B_s' is bfloat16"]),
        ({"c": ("int32", 64, 128)}, {}, KernelTypeError, ["products of float16 do not accumulate in int32"]),
        ({"a": ("float16", 64)}, {}, KernelValueError, ["A is no matrix", "'A_s' is (64,)"]),
        ({}, {"transpose_A": lambda k: k > 0}, KernelTypeError, ["transpose_A must be known at compile time"]),
    ],
)
def test_what_does_not_fit(types, options, cls, texts, error_at):
    with error_at("gemm", cls, *texts):
        product(**types, **options)


def test_result_is_an_operand(error_at):
    with error_at("alias", KernelValueError, "the result is also an operand"):

        @T.prim_func
        def main():
            with T.Kernel(1):
                s = T.alloc_shared((16, 16), "float16")
                T.gemm(s, s, s)  #! alias


def test_operand_is_an_element(error_at):
    with error_at("element", KernelTypeError, "T.gemm: the operand B is no buffer", "one element of 'B'"):

        @T.prim_func
        def main(B: T.Tensor((16, 16), "float16")):
            with T.Kernel(1):
                s = T.alloc_shared((16, 16), "float16")
                acc = T.alloc_fragment((16, 16), "float32")
                T.gemm(s, B[0, 0], acc)  #! element


def part_of_a_product(clear_accum):
    """C[p] = A[:, part p] @ B[part p, :], parts of 64; A ends in the first of them."""

    @T.prim_func
    def main(A: T.Tensor((16, 40), "float16"), B: T.Tensor((40, 16), "float16"), C: T.Tensor((32, 16), "float32")):
        with T.Kernel(2) as part:
            a = T.alloc_shared((16, 32), "float16")
            b = T.alloc_shared((32, 16), "float16")
            acc = T.alloc_fragment((16, 16), "float32")
            if not clear_accum:
                T.clear(acc)
            for k in T.Pipelined(1 if clear_accum else 2):
                T.copy(A[0, part * 64 + k * 32], a)
                T.copy(B[part * 64 + k * 32, 0], b)
                T.gemm(a, b, acc, clear_accum=clear_accum)
            T.copy(acc, C[part * 16, 0])

    return main


@pytest.mark.parametrize("clear_accum", [False, True])
def test_products_of_nothing_are_zero(clear_accum):
    """Operands that lie outside their tensors altogether leave the accumulator cleared."""
    rng = np.random.default_rng(0)
    a = rng.integers(-3, 4, (16, 40)).astype(np.float16)
    b = rng.integers(-3, 4, (40, 16)).astype(np.float16)
    c = np.full((32, 16), np.nan, np.float32)
    tilelang.compile(part_of_a_product(clear_accum))(a, b, c)
    depth = 32 if clear_accum else 40
    np.testing.assert_array_equal(c[:16], a[:, :depth].astype(np.float32) @ b[:depth].astype(np.float32))
    np.testing.assert_array_equal(c[16:], np.zeros((16, 16), np.float32))
