"""Scalar arithmetic: types of results, rounding, folding, and values that Python cannot use."""

import math

import numpy as np
import pytest

import tilelang.language as T
from tilelang.errors import KernelTypeError, KernelValueError

TYPES = ("float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "uint32", "int64", "bool")


def stored(compute, **types):
    """The operations of `Z[0] = compute(...)`; arguments are elements of tensors of the given types."""
    kinds = {"x": "float32", "y": "float32", "out": "float32", **types}

    @T.prim_func
    def main(
        X: T.Tensor((64,), kinds["x"]), Y: T.Tensor((64,), kinds["y"]), Z: T.Tensor((64,), kinds["out"]), n: T.int32
    ):
        with T.Kernel(8) as bx:
            Z[0] = compute(X[bx], Y[bx], bx, n)

    lines = main.script().splitlines()
    start = next(i for i, line in enumerate(lines) if "tile.kernel" in line)
    return "\n".join(lines[start:])


@pytest.mark.parametrize(
    ("x", "y", "result"),
    [
        ("float16", "float16", "f32"),
        ("float16", "float32", "f32"),
        ("bfloat16", "float16", "f32"),
        ("float32", "float64", "f64"),
        ("int32", "float16", "f32"),
        ("int8", "int8", "i8"),
        ("int8", "int32", "i32"),
        ("uint8", "int8", "i8"),
        ("int32", "uint32", "i32"),
        ("bool", "bool", "i32"),
        ("bool", "int64", "i64"),
    ],
)
def test_promotion(x, y, result):
    text = stored(lambda x, y, bx, n: x + y, x=x, y=y)
    assert f"arith.add{'f' if result[0] == 'f' else 'i'} " in text
    assert f": {result}\n" in text[text.index("arith.add") :]


def test_short_floats_round_at_casts_and_stores(check_text):
    text = stored(lambda x, y, bx, n: T.cast(x * y, "float16") + x, x="float16", y="float16", out="float16")
    check_text(
        text,
        "arith.extf ... : f16 to f32",
        "arith.mulf ... : f32",
        "tile.cast ... : f32 to f16",
        "arith.extf ... : f16 to f32",
        "arith.addf ... : f32",
        "tile.cast ... : f32 to f16",
        "tile.store ... : f16",
    )


def test_literals_take_the_other_type(check_text):
    check_text(stored(lambda x, y, bx, n: x * 0.5, x="float16"), "arith.mulf ..., %cst : f32")
    check_text(stored(lambda x, y, bx, n: x + 1, x="int8", out="int8"), "arith.addi ..., %c1_i8 : i8")
    check_text(stored(lambda x, y, bx, n: x * 0.5, x="int32"), "tile.cast ... : i32 to f32", "arith.mulf")
    check_text(stored(lambda x, y, bx, n: 1 - x, x="float64"), "arith.subf %cst, ... : f64")
    check_text(stored(lambda x, y, bx, n: x & 0xFF, x="uint8", out="uint8"), "arith.andi ..., %c-1_i8 : i8")


def test_numpy_scalars_are_literals(check_text):
    check_text(stored(lambda x, y, bx, n: np.float32(0.5) * x), "arith.mulf %cst, ... : f32")
    check_text(stored(lambda x, y, bx, n: x - np.float64(0.5), x="float16"), "arith.subf ..., %cst : f32")
    check_text(stored(lambda x, y, bx, n: np.int64(3) + bx, out="int32"), "arith.addi %c3, ... : index")
    check_text(stored(lambda x, y, bx, n: np.bool_(True), out="bool"), "tile.store %true")


def test_literal_that_does_not_fit():
    with pytest.raises(KernelValueError, match="the number 300 does not fit int8"):
        stored(lambda x, y, bx, n: x + 300, x="int8", out="int8")


def test_signedness(check_text):
    check_text(stored(lambda x, y, bx, n: x // y, x="int32", y="int32", out="int32"), "arith.floordivsi")
    check_text(stored(lambda x, y, bx, n: x // y, x="uint32", y="uint32", out="uint32"), "arith.divui")
    check_text(stored(lambda x, y, bx, n: x % y, x="int32", y="int32", out="int32"), "floordivsi", "muli", "subi")
    check_text(stored(lambda x, y, bx, n: x % y, x="uint8", y="uint8", out="uint8"), "arith.remui")
    check_text(stored(lambda x, y, bx, n: x >> 1, x="int32", out="int32"), "arith.shrsi")
    check_text(stored(lambda x, y, bx, n: x >> 1, x="uint32", out="uint32"), "arith.shrui")
    check_text(stored(lambda x, y, bx, n: T.max(x, y), x="uint8", y="uint8", out="uint8"), "arith.maxui")
    check_text(stored(lambda x, y, bx, n: x < y, x="uint8", y="uint8", out="bool"), "arith.cmpi ult")
    check_text(stored(lambda x, y, bx, n: x, x="uint8"), "tile.cast ... {srcUnsigned} : i8 to f32")
    check_text(stored(lambda x, y, bx, n: x, out="uint8"), "tile.cast ... {dstUnsigned} : f32 to i8")
    check_text(stored(lambda x, y, bx, n: x, x="int8", out="int64"), "tile.cast ... : i8 to i64")
    check_text(stored(lambda x, y, bx, n: x, x="bool", out="float16"), "tile.cast ... {srcUnsigned} : i1 to f16")
    check_text(stored(lambda x, y, bx, n: x, x="int32", out="bool"), "arith.cmpi ne", "tile.store ... : i1")


def test_index_values(check_text):
    check_text(
        stored(lambda x, y, bx, n: bx * 8 + n, out="int32"),
        "arith.muli ... : index",
        "arith.addi ..., %3 : index",
        "arith.index_cast ... : index to i32",
        "tile.store",
    )
    check_text(stored(lambda x, y, bx, n: bx + x, x="int32", out="int32"), "arith.index_cast", "arith.addi ... : index")
    check_text(stored(lambda x, y, bx, n: bx * x), "arith.index_cast", "tile.cast ... : i32 to f32", "arith.mulf")
    check_text(stored(lambda x, y, bx, n: bx % 4, out="int32"), "arith.remsi ... : index")
    check_text(stored(lambda x, y, bx, n: (bx - 9) % 4, out="int32"), "floordivsi", "muli", "subi")
    check_text(stored(lambda x, y, bx, n: T.ceildiv(n, 32), out="int32"), "arith.ceildivsi ... : i32")


def test_index_expressions_fold():
    known = {}

    def compute(x, y, bx, n):
        known["difference"] = (bx + 1) * 64 - bx * 64
        known["zero"] = bx * 0
        known["product"] = (bx + n) * bx - bx * bx - bx * n
        known["same"] = (bx // 4) * 8 - 8 * (bx // 4)
        known["order"] = bx < bx + 1
        return 0

    stored(compute)
    assert known == {"difference": 64, "zero": 0, "product": 0, "same": 0, "order": True}


def test_python_numbers_fold():
    assert T.ceildiv(7, 2) == 4 and T.ceildiv(-7, 2) == -3
    assert T.max(3, 4) == 4 and T.min(3, 4, 1) == 1
    assert T.floordiv(-7, 2) == -4 and T.truncdiv(-7, 2) == -3
    assert T.floormod(-7, 2) == 1 and T.truncmod(-7, 2) == -1
    assert T.exp2(3) == 8.0 and T.rsqrt(4) == 0.5 and T.abs(-3) == 3
    assert T.clamp(9, 0, 5) == 5 and T.if_then_else(True, 1, 2) == 1
    assert T.sigmoid(0) == 0.5 and T.isnan(math.nan)


def test_typed_constants(check_text):
    check_text(stored(lambda x, y, bx, n: T.uint8(200) // x, x="uint8", out="uint8"), "arith.divui %c-56_i8")
    check_text(stored(lambda x, y, bx, n: -T.infinity("float32")), "tile.store")
    check_text(stored(lambda x, y, bx, n: x + T.max_value("float16")), "arith.addf")
    assert repr(T.float16(0.5)) == "T.float16(0.5)"
    assert T.int8(200).value == -56 and T.int32(3.9).value == 3
    with pytest.raises(KernelTypeError, match="int32 has no infinity"):
        T.infinity("int32")


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("exp", "math.exp "),
        ("exp2", "math.exp2"),
        ("log", "math.log "),
        ("log2", "math.log2"),
        ("sqrt", "math.sqrt"),
        ("rsqrt", "math.rsqrt"),
        ("tanh", "math.tanh"),
        ("abs", "math.absf"),
        ("floor", "math.floor"),
        ("sigmoid", "arith.divf"),
    ],
)
def test_functions(name, operation, check_text):
    check_text(stored(lambda x, y, bx, n: getattr(T, name)(x), x="float16"), "arith.extf", operation, ": f32")


def test_more_functions(check_text):
    check_text(stored(lambda x, y, bx, n: T.abs(x), x="int32", out="int32"), "math.absi")
    check_text(stored(lambda x, y, bx, n: T.exp(x), x="int32"), "tile.cast ... : i32 to f32", "math.exp")
    check_text(stored(lambda x, y, bx, n: T.max(x, 0)), "arith.maximumf")
    check_text(stored(lambda x, y, bx, n: T.min(x, y)), "arith.minimumf")
    check_text(stored(lambda x, y, bx, n: T.clamp(x, 0, 1)), "arith.maximumf", "arith.minimumf")
    check_text(stored(lambda x, y, bx, n: x**3), "arith.mulf", "arith.mulf")
    check_text(stored(lambda x, y, bx, n: x**0.5), "math.powf")
    check_text(stored(lambda x, y, bx, n: x % y), "arith.divf", "math.floor", "arith.mulf", "arith.subf")
    check_text(stored(lambda x, y, bx, n: T.reinterpret(x, "int32"), out="int32"), "arith.bitcast ... : f32 to i32")
    check_text(stored(lambda x, y, bx, n: T.reinterpret(x, "int16"), x="float16", out="int16"), "arith.bitcast")
    check_text(stored(lambda x, y, bx, n: T.isnan(x), out="bool"), "arith.cmpf une")
    check_text(stored(lambda x, y, bx, n: ~x, x="int32", out="int32"), "arith.xori ..., %c-1_i32")
    check_text(stored(lambda x, y, bx, n: (x > 0) | (y > 0), out="bool"), "arith.cmpf", "arith.ori ... : i1")
    check_text(stored(lambda x, y, bx, n: x != y, out="bool"), "arith.cmpf une")
    check_text(stored(lambda x, y, bx, n: T.Cast("float16", x), out="float16"), "tile.cast ... : f32 to f16")


@pytest.mark.parametrize(
    ("compute", "text"),
    [
        (lambda x, y, bx, n: min(x, y), "use T.min"),
        (lambda x, y, bx, n: max(bx, 3), "use T.max"),
        (lambda x, y, bx, n: abs(x), "use T.abs"),
        (lambda x, y, bx, n: int(x), "use T.cast"),
        (lambda x, y, bx, n: float(bx), "use T.cast"),
        (lambda x, y, bx, n: round(x), "use T.round"),
        (lambda x, y, bx, n: [1, 2, 3][bx], "cannot index a Python list"),
        (lambda x, y, bx, n: list(range(n)), "use T.serial"),
        (lambda x, y, bx, n: 1 if bx > 2 else 0, "no truth value in Python"),
        (lambda x, y, bx, n: x and y, "no truth value in Python"),
        (lambda x, y, bx, n: not x, "no truth value in Python"),
        (lambda x, y, bx, n: bx in (1, 2), "`in` cannot decide"),
        (lambda x, y, bx, n: 1 in bx, "`in` needs a Python container"),
        (lambda x, y, bx, n: len(x), "no len()"),
        (lambda x, y, bx, n: [v for v in bx], "cannot be looped over"),
        (lambda x, y, bx, n: bx / n, "`/` does not divide integers"),
        (lambda x, y, bx, n: x << 1, "`<<` needs integers"),
        (lambda x, y, bx, n: x + "a", "takes scalars, found str"),
        (lambda x, y, bx, n: None, "takes a scalar, found NoneType"),
    ],
)
def test_values_python_cannot_use(compute, text):
    with pytest.raises(KernelTypeError) as info:
        stored(compute)
    assert text in str(info.value), str(info.value)
    assert info.value.location is not None and info.value.location.file == __file__
    assert "help:" in str(info.value) or "found" in str(info.value)


def test_in_a_kernel(error_at):
    with error_at("in", KernelTypeError, "`in` cannot decide on a run-time value", "(x == a) or (x == b)"):

        @T.prim_func
        def main(A: T.Tensor((64,), "int32")):
            with T.Kernel(8) as bx:
                if bx in (1, 2):  #! in
                    A[0] = 1


def test_division_by_zero():
    with pytest.raises(KernelValueError, match="division by zero"):
        stored(lambda x, y, bx, n: bx // 0, out="int32")


@pytest.mark.parametrize("name", TYPES)
def test_every_type_round_trips(name):
    assert "tile.store" in stored(lambda x, y, bx, n: x, x=name, out=name)
