"""Calling kernels with torch tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilelang
from tilelang.errors import ArgumentTypeError, ArgumentValueError

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def add(add_program: Callable[..., Any]) -> Any:
    return tilelang.compile(add_program(512), out_idx=-1, target="ascend")


def test_outputs_are_torch_tensors(add: Any) -> None:
    a, b = torch.randn(512), torch.randn(512)
    c = add(a, b)
    assert isinstance(c, torch.Tensor) and c.dtype == torch.float32
    torch.testing.assert_close(c, a + b, rtol=0, atol=0)


def test_library_of_the_first_tensor_decides(add: Any) -> None:
    a, b = torch.randn(512), np.ones(512, np.float32)
    assert isinstance(add(a, b), torch.Tensor)
    assert isinstance(add(b, a), np.ndarray)


def test_output_argument_is_written_in_place(add_program: Callable[..., Any]) -> None:
    kernel = tilelang.compile(add_program(512), target="ascend")
    a, b, c = torch.randn(512), torch.randn(512), torch.zeros(1024)
    kernel(a, b, c[512:])
    torch.testing.assert_close(c[512:], a + b, rtol=0, atol=0)
    assert not c[:512].any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_small_floats(add_program: Callable[..., Any], dtype: str) -> None:
    kernel = tilelang.compile(add_program(512, dtype), out_idx=-1, target="ascend")
    a, b = torch.randn(512).to(getattr(torch, dtype)), torch.randn(512).to(getattr(torch, dtype))
    c = kernel(a, b)
    assert c.dtype == getattr(torch, dtype)
    torch.testing.assert_close(c, a + b)


def test_parameters_and_gradients(add: Any) -> None:
    weight = torch.nn.Parameter(torch.randn(512))
    torch.testing.assert_close(add(weight, weight), 2 * weight.detach(), rtol=0, atol=0)


def test_refusals(add: Any) -> None:
    a = torch.randn(512)
    with pytest.raises(ArgumentTypeError, match="has dtype float64, expected float32"):
        add(a, a.double())
    with pytest.raises(ArgumentValueError, match=r"(?s)strides \(2,\) \(in elements\).*tensor.contiguous\(\)"):
        add(a, torch.randn(1024)[::2])
    with pytest.raises(ArgumentValueError, match=r"argument 2 \('B'\)"):
        add(a, torch.empty(512, device="meta"))
