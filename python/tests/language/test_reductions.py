"""Reductions: shapes, element types and what the front end says about wrong ones."""

import pytest

import tilelang.language as T
from tilelang.errors import KernelTypeError, KernelValueError, UnsupportedError


def test_forms(check_text):
    @T.prim_func
    def main(X: T.Tensor((4, 8), "float32")):
        with T.Kernel(1):
            x = T.alloc_fragment((4, 8), "float32")
            rows = T.alloc_fragment((4,), "float32")
            kept = T.alloc_fragment((4, 1), "float16")
            columns = T.alloc_shared((8,), "float32")
            T.copy(X, x)
            T.reduce_sum(x, rows)
            T.reduce_max(x, rows, dim=1, clear=False)
            T.reduce_min(x, columns, dim=-2)
            T.reduce_absmax(x, kept, dim=1)
            T.reduce_abssum(x[0:4, 0:4], rows, 1)

    check_text(
        main.script(),
        "tile.reduce sum ... dim 1 : <4x8xf32> into <4xf32>",
        "tile.reduce max ... dim 1 {accumulate} : <4x8xf32> into <4xf32>",
        "tile.reduce min ... dim 0 : <4x8xf32> into <8xf32>",
        "tile.reduce absmax ... dim 1 : <4x8xf32> into <4x1xf16>",
        "tile.reduce abssum ... dim 1 : <4x4xf32> into <4xf32>",
    )


def test_wrong_shape(error_at):
    with error_at(
        "shape",
        KernelValueError,
        "T.reduce_max: 'y' has the wrong shape for the result",
        "'x' is (4, 8)",
        "'y' is (8,)",
        "dimension 1 is reduced",
        "the result has the shape (4,) or (4, 1)",
    ):

        @T.prim_func
        def main(X: T.Tensor((4, 8), "float32")):
            with T.Kernel(1):
                x = T.alloc_fragment((4, 8), "float32")
                y = T.alloc_fragment((8,), "float32")
                T.reduce_max(x, y, dim=1)  #! shape


def test_wrong_dimension(error_at):
    with error_at("dim", KernelValueError, "'x' has no dimension 2", "dim is in -2..1"):

        @T.prim_func
        def main(X: T.Tensor((4, 8), "float32")):
            with T.Kernel(1):
                x = T.alloc_fragment((4, 8), "float32")
                y = T.alloc_fragment((4,), "float32")
                T.reduce_sum(x, y, dim=2)  #! dim


def test_wrong_types(error_at):
    with error_at("types", KernelTypeError, "elements of type float32 do not reduce to int32"):

        @T.prim_func
        def main(X: T.Tensor((4, 8), "float32")):
            with T.Kernel(1):
                x = T.alloc_fragment((4, 8), "float32")
                y = T.alloc_fragment((4,), "int32")
                T.reduce_sum(x, y)  #! types


def test_tensors_are_copied_first(error_at):
    with error_at("tensor", KernelTypeError, "the source 'X' is a tensor in global memory", "copy it to a tile first"):

        @T.prim_func
        def main(X: T.Tensor((4, 8), "float32")):
            with T.Kernel(1):
                y = T.alloc_fragment((4,), "float32")
                T.reduce_sum(X, y)  #! tensor


def test_source_is_not_the_result(error_at):
    with error_at("same", KernelValueError, "the source is also the result"):

        @T.prim_func
        def main(X: T.Tensor((4, 1), "float32")):
            with T.Kernel(1):
                x = T.alloc_fragment((4, 1), "float32")
                T.reduce_sum(x, x)  #! same


@pytest.mark.parametrize("option", ["clear", "nan_propagate", "dim", "batch"])
def test_options(error_at, option):
    cls = {"clear": KernelTypeError, "nan_propagate": UnsupportedError, "dim": KernelTypeError}
    with error_at("option", cls.get(option, KernelValueError), f"{option}"):

        @T.prim_func
        def main(X: T.Tensor((4, 8), "float32"), n: T.int32):
            with T.Kernel(1):
                x = T.alloc_fragment((4, 8), "float32")
                y = T.alloc_fragment((4,), "float32")
                value = {"clear": n > 0, "nan_propagate": True, "dim": n, "batch": 0}[option]
                T.reduce_max(x, y, **{option: value})  #! option
