"""Calling kernels: what is accepted, what is refused, and with which words."""

from __future__ import annotations

import array
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilelang
import tilelang.language as T
from tilelang._native_path import native_directory
from tilelang.errors import ArgumentError, ArgumentTypeError, ArgumentValueError
from tilelang.jit import JITKernel
from tilelang.runtime import native_runtime


@pytest.fixture(scope="module")
def add(add_program: Callable[..., Any]) -> Any:
    return tilelang.compile(add_program(512), target="ascend")


@pytest.fixture(scope="module")
def add_out(add_program: Callable[..., Any]) -> Any:
    return tilelang.compile(add_program(512), out_idx=-1, target="ascend")


def vectors(n: int = 512, dtype: Any = np.float32) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    return generator.standard_normal(n).astype(dtype), generator.standard_normal(n).astype(dtype)


def test_outputs_passed_as_arguments(add: Any) -> None:
    a, b = vectors()
    c = np.zeros(512, np.float32)
    assert add(a, b, c) is None
    np.testing.assert_array_equal(c, a + b)


def test_output_is_allocated(add_out: Any) -> None:
    a, b = vectors()
    c = add_out(a, b)
    assert isinstance(c, np.ndarray) and c.dtype == np.float32 and c.shape == (512,)
    np.testing.assert_array_equal(c, a + b)


def test_output_may_be_given_nevertheless(add_out: Any) -> None:
    a, b = vectors()
    c = np.zeros(512, np.float32)
    assert add_out(a, b, c) is c
    np.testing.assert_array_equal(c, a + b)


def test_several_outputs_are_a_list(scale_program: Callable[..., Any], rng: np.random.Generator) -> None:
    kernel = tilelang.compile(scale_program(), out_idx=[2, 1], target="ascend")
    a = rng.standard_normal((16, 128)).astype(np.float32)
    result = kernel(a)
    assert isinstance(result, list)
    # In the order of out_idx.
    np.testing.assert_array_equal(result[0], a + 1)
    np.testing.assert_array_equal(result[1], a * 2)


def test_input_is_not_copied_and_not_changed(add: Any) -> None:
    a, b = vectors()
    c = np.zeros(1024, np.float32)[512:]
    kept = a.copy()
    add(a, b, c)
    np.testing.assert_array_equal(a, kept)
    np.testing.assert_array_equal(c.base[512:], a + b)


def test_read_only_input_is_fine(add_out: Any) -> None:
    a, b = vectors()
    a.flags.writeable = False
    np.testing.assert_array_equal(add_out(a, b), a + b)


def test_buffer_protocol(add: Any) -> None:
    a = array.array("f", range(512))
    c = array.array("f", [0.0] * 512)
    add(a, memoryview(a), c)
    np.testing.assert_array_equal(np.asarray(c), 2 * np.arange(512, dtype=np.float32))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int32", "int16"])
def test_element_types(add_program: Callable[..., Any], dtype: str) -> None:
    numpy_type = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    kernel = tilelang.compile(add_program(512, dtype), out_idx=-1, target="ascend")
    a = np.arange(512).astype(numpy_type)
    b = np.full(512, 3).astype(numpy_type)
    c = kernel(a, b)
    assert c.dtype == numpy_type
    np.testing.assert_allclose(c.astype(np.float64), (a + b).astype(np.float64), rtol=1e-2)


def refusal(kernel: Any, *args: Any) -> tuple[type[ArgumentError], str]:
    with pytest.raises(ArgumentError) as caught:
        kernel(*args)
    error = caught.value
    # Where the call and the parameter stand is tested with the other messages (errors/test_bad_input.py).
    return type(error), error.message + (f"; {error.help}" if error.help else "")


def test_count(add: Any, add_out: Any) -> None:
    a, b = vectors()
    assert refusal(add, a, b) == (
        ArgumentTypeError,
        "kernel 'add' was called with 2 arguments, expected 3 (A, B, C)",
    )
    assert refusal(add_out, a)[1] == (
        "kernel 'add' was called with 1 argument, expected 2 (A, B); C is allocated and returned"
    )


def test_keywords(add: Any) -> None:
    a, b = vectors()
    with pytest.raises(ArgumentTypeError, match="takes its arguments by position, found the keyword 'C'") as caught:
        add(a, b, C=a)
    assert "parameters: A, B, C" in str(caught.value)


def test_dtype(add_out: Any) -> None:
    a, b = vectors()
    kind, text = refusal(add_out, a, b.astype(np.float64))
    assert kind is ArgumentTypeError
    assert text == "argument 2 ('B') of kernel 'add' has dtype float64, expected float32; convert it before the call"
    assert "has dtype >f4 (of foreign byte order)" in refusal(add_out, a.astype(">f4"), b)[1]
    assert "has dtype complex64" in refusal(add_out, a.astype(np.complex64), b)[1]
    assert "has dtype bfloat16" in refusal(add_out, a.astype(ml_dtypes.bfloat16), b)[1]


def test_rank_and_shape(add_out: Any) -> None:
    a, b = vectors()
    kind, text = refusal(add_out, a.reshape(2, 256), b)
    assert kind is ArgumentValueError
    assert text == ("argument 1 ('A') of kernel 'add' has 2 dimensions, shape (2, 256), expected 1, shape (512,)")
    assert refusal(add_out, a, b[:256])[1] == (
        "argument 2 ('B') of kernel 'add' has shape (256,), expected (512,): dimension 0 is 256, expected 512"
    )


def test_strides(add: Any, add_out: Any) -> None:
    a, b = vectors(1024)
    kind, text = refusal(add_out, a[::2], b[:512])
    assert kind is ArgumentValueError
    assert "argument 1 ('A') of kernel 'add' has shape (512,) and strides (2,) (in elements)" in text
    assert "numpy.ascontiguousarray" in text
    assert "strides (-1,)" in refusal(add_out, a[:512][::-1], b[:512])[1]


def test_read_only_output(add: Any) -> None:
    a, b = vectors()
    c = np.zeros(512, np.float32)
    c.flags.writeable = False
    kind, text = refusal(add, a, b, c)
    assert kind is ArgumentValueError
    assert text.startswith("argument 3 ('C') of kernel 'add' is read-only, but the kernel writes it")
    assert not c.any()


def test_misaligned_array(add_out: Any) -> None:
    _, b = vectors()
    raw = np.zeros(513 * 4, np.uint8)
    odd = raw[1 : 1 + 512 * 4].view(np.float32)
    assert "no multiple of its element size (4 bytes)" in refusal(add_out, odd, b)[1]


@pytest.mark.parametrize("value", [None, [1.0] * 512, 3.0, "text", np.float32])
def test_not_an_array(add_out: Any, value: Any) -> None:
    _, b = vectors()
    kind, text = refusal(add_out, value, b)
    assert kind is ArgumentTypeError
    assert "argument 1 ('A') of kernel 'add' is" in text and "expected an array" in text


def test_other_classes_of_numpy_scalars_have_the_wrong_rank(add_out: Any) -> None:
    _, b = vectors()
    assert "has 0 dimensions" in refusal(add_out, np.float32(1), b)[1]


# -- scalars -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scaled() -> Any:
    @T.prim_func
    def scaled(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32"), s: T.float32, n: T.int32):
        with T.Kernel(1, threads=128) as _:
            for i in T.Parallel(256):
                if i < n:
                    B[i] = A[i] * s

    return tilelang.compile(scaled, target="ascend")


@pytest.mark.parametrize(("s", "n"), [(2.0, 256), (np.float32(0.5), np.int64(17)), (3, 0), (np.float16(1.5), True)])
def test_scalars(scaled: Any, s: Any, n: Any) -> None:
    a = np.arange(256, dtype=np.float32)
    b = np.full(256, -1, np.float32)
    scaled(a, b, s, n)
    expected = np.full(256, -1, np.float32)
    expected[: int(n)] = a[: int(n)] * np.float32(s)
    np.testing.assert_array_equal(b, expected)


def test_wrong_scalars(scaled: Any) -> None:
    a = np.zeros(256, np.float32)
    assert refusal(scaled, a, a.copy(), 1.0, 2.0) == (
        ArgumentTypeError,
        "argument 4 ('n') of kernel 'scaled' is a float, expected a number of type int32",
    )
    assert refusal(scaled, a, a.copy(), "x", 2)[1] == (
        "argument 3 ('s') of kernel 'scaled' is a str, expected a number of type float32"
    )
    kind, text = refusal(scaled, a, a.copy(), 1.0, 2**31)
    assert kind is ArgumentValueError
    assert text == "argument 4 ('n') of kernel 'scaled' is 2147483648, which does not fit int32"
    assert "is a ndarray" in refusal(scaled, a, a.copy(), 1.0, np.zeros(3))[1].replace("numpy.", "")


# -- sizes known at run time only --------------------------------------------------------------------------------------

SOURCE = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void pairs_kernel(GM_ADDR A, GM_ADDR B, int32_t m) {
  // Plain host arithmetic: this is about what arrives, not about instructions.
  if (AscendC::GetBlockIdx() == 0)
    for (int i = 0; i < m / 2 * 4; ++i)
      reinterpret_cast<float *>(B)[i] = reinterpret_cast<const float *>(A)[i] * m;
}
"""


@pytest.fixture(scope="module")
def dynamic() -> Any:
    """A kernel made by hand, whose output has half as many rows as its input."""
    runtime = native_runtime()
    artifact = runtime.Artifact()
    artifact.name, artifact.entry = "pairs", "pairs_kernel"
    artifact.target, artifact.chip, artifact.kernel_type = "ascend", "ascend910b2", "vector"
    artifact.add_tensor("A", "float32", ("m", 4), None, True, False)
    artifact.add_tensor("B", "float32", (("//", "m", 2), 4), None, False, True)
    artifact.add_symbol("m", "int32")
    objects = runtime.compile_for_host(SOURCE, name="pairs_kernel", cores=["aiv"], native_directory=native_directory())
    artifact.set_object("aiv", objects["aiv"])
    return JITKernel(artifact, out_idx=-1, checks="off")


@pytest.mark.parametrize("m", [1, 2, 7, 0])
def test_dynamic_sizes(dynamic: Any, m: int) -> None:
    a = np.arange(m * 4, dtype=np.float32).reshape(m, 4)
    b = dynamic(a)
    assert b.shape == (m // 2, 4)
    np.testing.assert_array_equal(b, a[: m // 2] * m)


def test_dynamic_sizes_must_agree(dynamic: Any) -> None:
    a = np.zeros((4, 4), np.float32)
    text = refusal(dynamic, a, np.zeros((5, 4), np.float32))[1]
    assert "has shape (5, 4), expected (m // 2, 4): dimension 0 is 5, expected 2 (m // 2 with m = 4)" in text
    assert "B: float32[m // 2, 4] (out)" in repr(dynamic)
