"""Parameters: tensors, scalars, run-time sizes."""

# ruff: noqa: F821

import numpy as np
import pytest

import tilelang.language as T
from tilelang.errors import KernelNameError, KernelTypeError, KernelValueError, UnsupportedError
from tilelang.language import Param


def test_spellings():
    @T.prim_func
    def main(
        A: T.Tensor((4, 8), "float16"),
        B: T.Tensor[(4, 8), "float16"],
        C: T.Tensor[4, T.float16],
        D: T.Buffer(4, dtype=np.float16),
        E: T.Tensor((4,)),
        F: T.StridedTensor((4, 8), (16, 1), "int8"),
        n: T.int32,
        x: "float32",
        y: float,
        z: T.float16,
    ):
        with T.Kernel(1):
            A[0, 0] = x + n + z
            F[1, 2] = 0

    assert main.params == [
        Param("A", "tensor", T.float16, (4, 8)),
        Param("B", "tensor", T.float16, (4, 8)),
        Param("C", "tensor", T.float16, (4,)),
        Param("D", "tensor", T.float16, (4,)),
        Param("E", "tensor", T.float32, (4,)),
        Param("F", "tensor", T.int8, (4, 8), (16, 1)),
        Param("n", "scalar", T.int32),
        Param("x", "scalar", T.float32),
        Param("y", "scalar", T.float32),
        Param("z", "scalar", T.float16),
    ]
    text = main.script()
    assert "memref<4x8xi8, strided<[16, 1]>, #tile.scope<global>>" in text
    assert "%arg9: f16" in text and "arith.extf %arg9 : f16 to f32" in text


def test_run_time_sizes(check_text):
    M, K = T.dynamic("M, K")
    s = T.symbolic("s", "int64")

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"), B: T.StridedTensor((M // 2, 8), (s, 1), "float16"), C: T.Tensor((M,), "int32")
    ):
        with T.Kernel(T.ceildiv(M, 64)) as bx:
            tile = T.alloc_shared((64, 32), "float16")
            for k in T.serial(T.ceildiv(K, 32)):
                T.copy(A[bx * 64, k * 32], tile)
            C[bx] = M - K
            assert A.shape == (M, K)

    assert [symbol.name for symbol in main.symbols] == ["M", "K", "s"]
    assert main.params[0].shape == (M, K) and main.params[0].shape[0] is M
    half = main.params[1].shape[0]
    assert repr(half) == "(M // 2)" and half.evaluate({"M": 9}) == 4
    check_text(
        main.script(),
        '%arg3: i32 {tile.name = "M"}, %arg4: i32 {tile.name = "K"}, %arg5: i64 {tile.name = "s"}',
        "tile.tensor %arg0, sizes[%0, %1] strides[] ... memref<?x?xf16, #tile.scope<global>>",
        "arith.floordivsi %0, %c2",
        "sizes[%4] strides[%2] ... memref<?x8xf16, strided<[?, 1]>, #tile.scope<global>>",
        "arith.ceildivsi %0, %c64 : index",
        "tile.kernel",
        "arith.subi %0, %1 : index",
    )


def test_size_expressions_before_a_trace():
    m, n = T.dynamic("m n")
    assert T.dynamic("m") is m
    size = T.ceildiv(m * 2 + 1, 4) + T.max(n, 3) - 1
    assert size.evaluate({"m": 5, "n": 1}) == 3 + 3 - 1
    assert [symbol.name for symbol in size.symbols()] == ["m", "n"]
    assert T.dynamic("m") == m and (m == n) is False


def test_symbol_without_a_tensor(error_at):
    q = T.dynamic("q")
    with error_at("symbol", KernelNameError, "the run-time size 'q' is not the size of any parameter"):

        @T.prim_func
        def main(A: T.Tensor((4,), "float16")):
            with T.Kernel(T.ceildiv(q, 4)):  #! symbol
                A[0] = 1


@pytest.mark.parametrize(
    ("annotation", "cls", "text"),
    [
        (None, KernelTypeError, "parameter 'A' has no type"),
        (T.Tensor, KernelTypeError, "parameter 'A' has no shape"),
        (3, KernelTypeError, "has a type that a kernel cannot take"),
        ("no_such_thing", KernelNameError, "the annotation of 'A' cannot be evaluated"),
        ("1 // 0", KernelTypeError, "cannot be evaluated: integer division"),
        (T.handle, UnsupportedError, "a pointer parameter"),
    ],
)
def test_wrong_annotations(annotation, cls, text, error_at):
    with error_at("parameter", cls, text):

        @T.prim_func
        def main(A: annotation):  #! parameter
            with T.Kernel(1):
                pass


def test_missing_annotation(error_at):
    with error_at("missing", KernelTypeError, "parameter 'B' has no type", "T.Tensor((M, N)"):

        @T.prim_func
        def main(A: T.int32, B):  #! missing
            with T.Kernel(1):
                pass

    with error_at("star", KernelTypeError, "a prim_func cannot take *rest"):

        @T.prim_func
        def other(A: T.int32, *rest: T.int32):  #! star
            with T.Kernel(1):
                pass


@pytest.mark.parametrize(
    ("shape", "dtype", "cls", "text"),
    [
        ((4, -1), "float16", KernelValueError, "size 1 is -1"),
        ((4, 2.5), "float16", KernelTypeError, "size 1 is no integer"),
        ((4, True), "float16", KernelTypeError, "size 1 is no integer"),
        (("m",), "float16", KernelTypeError, "size 0 is no integer"),
        ((4,), "f17", KernelTypeError, "'f17' is no element type"),
        ((4,), "float4_e2m1fn", UnsupportedError, "elements of type float4_e2m1fn"),
        ((), "float16", UnsupportedError, "without dimensions"),
    ],
)
def test_wrong_tensors(shape, dtype, cls, text, error_at):
    with error_at("tensor", cls, text):
        T.Tensor(shape, dtype)  #! tensor


def test_wrong_strides(error_at):
    with error_at("strides", KernelValueError, "2 sizes and 1 strides"):
        T.StridedTensor((4, 4), (4,), "float16")  #! strides


@pytest.mark.parametrize(("name", "dtype"), [("", "int32"), ("1a", "int32"), ("m", "float32")])
def test_wrong_symbols(name, dtype, error_at):
    with error_at("dynamic", (KernelValueError, KernelTypeError), "T.dynamic"):
        T.dynamic(name, dtype)  #! dynamic


def test_a_tensor_of_size_zero_is_legal():
    @T.prim_func
    def main(A: T.Tensor((0, 4), "float16")):
        with T.Kernel(1):
            A[0, 0] = 1

    assert "memref<0x4xf16" in main.script()
