"""Element types."""

import pickle

import numpy as np
import pytest

import tilelang.language as T
from tilelang.dtypes import dtype


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("float16", "float16"),
        ("half", "float16"),
        ("torch.bfloat16", "bfloat16"),
        (np.float16, "float16"),
        (np.dtype("int64"), "int64"),
        (np.bool_, "bool"),
        (np.dtype(bool), "bool"),
        (float, "float32"),
        (int, "int32"),
        (bool, "bool"),
        (T.uint8, "uint8"),
        (T.float, "float32"),
        (T.long, "int64"),
    ],
)
def test_conversion(value, name):
    assert dtype(value) == name and dtype(value) is dtype(name) and isinstance(dtype(value), str)


def test_ml_dtypes_and_torch():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert dtype(ml_dtypes.bfloat16) == "bfloat16" and dtype(np.dtype(ml_dtypes.float8_e4m3fn)) == "float8_e4m3fn"
    assert T.bfloat16.as_numpy() == np.dtype(ml_dtypes.bfloat16)
    torch = pytest.importorskip("torch")
    assert dtype(torch.float8_e5m2) == "float8_e5m2" and T.bfloat16 == torch.bfloat16
    assert T.int8.as_torch() is torch.int8 and dtype(torch.bool) == "bool"


@pytest.mark.parametrize("value", ["float17", 3, None, [], object()])
def test_no_dtype(value):
    with pytest.raises(TypeError, match="no element type"):
        dtype(value)


def test_behaves_like_its_name():
    assert f"{T.float16}" == "float16" and repr(T.float16) == "T.float16"
    assert T.float16 in {"float16": 1} and T.float16 != "float32" and T.float16 != 3
    assert np.zeros(3, T.float16).dtype == np.float16
    assert pickle.loads(pickle.dumps(T.float16)) is T.float16
    assert T.float16() is T.float16


def test_facts():
    assert (T.float16.bits, T.float16.bytes, T.bool.bytes, T.int64.itemsize) == (16, 2, 1, 8)
    assert T.uint8.storage_type == "ui8" and T.uint8.scalar_type == "i8"
    assert T.bfloat16.compute_type == "f32" and T.float64.compute_type == "f64"
    assert T.int8.is_integer and not T.bool.is_integer and T.float8_e5m2.is_float
