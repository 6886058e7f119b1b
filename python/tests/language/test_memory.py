"""Allocation, copies, fills."""

# ruff: noqa: B007, E741

import numpy as np
import pytest

import tilelang.language as T
from tilelang.errors import KernelNameError, KernelTypeError, KernelValueError, UnsupportedError


def test_scopes_and_names(check_text):
    def helper():
        inside = T.alloc_fragment((8, 8), "float32")
        return inside

    @T.macro
    def makes():
        made = T.alloc_fragment((4,), "float32")
        return made

    @T.prim_func
    def main(A: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            a = T.alloc_shared((8, 8), T.float16)
            b = T.alloc_fragment(8, np.float32)
            c = T.alloc_local([8], np.dtype("int8"))
            d = T.alloc_var("int32", 3)
            e = helper()
            stages = [T.alloc_shared((2,), "uint8") for _ in range(2)]
            f = makes()
            other = e  # the first name stays
            x, y = T.alloc_fragment((1,), "bool"), T.alloc_fragment((2,), "bfloat16")
            makes()

    check_text(
        main.script(),
        'tile.alloc {name = "a"} : memref<8x8xf16, #tile.scope<shared>>',
        'tile.alloc {name = "b"} : memref<8xf32, #tile.scope<fragment>>',
        'tile.alloc {name = "c"} : memref<8xi8, #tile.scope<local>>',
        'tile.alloc {name = "d"} : memref<i32, #tile.scope<var>>',
        "tile.store %c3_i32",
        'tile.alloc {name = "e"}',
        'tile.alloc {name = "stages[0]"} : memref<2xui8, #tile.scope<shared>>',
        'tile.alloc {name = "stages[1]"}',
        'tile.alloc {name = "f"}',
        'tile.alloc {name = "x"} : memref<1xi1',
        'tile.alloc {name = "y"} : memref<2xbf16',
        'tile.alloc {name = "made"}',
    )


def test_torch_dtypes():
    torch = pytest.importorskip("torch")

    @T.prim_func
    def main(A: T.Tensor((8,), torch.bfloat16)):
        with T.Kernel(1):
            a = T.alloc_shared((8, 8), torch.float16)

    assert "memref<8x8xf16" in main.script() and "memref<8xbf16" in main.script()


def test_alloc_var_stores_on_assignment(check_text):
    @T.prim_func
    def main(A: T.Tensor((8,), "int32")):
        with T.Kernel(1):
            v = T.alloc_var("int32", init=0)
            for k in T.serial(8):
                v = v + A[k]
                v += 1
            w = v  # a snapshot
            v = 7
            A[0] = w

    check_text(
        main.script(),
        "tile.store %c0_i32",
        "tile.for serial",
        "arith.addi",
        "tile.store",
        "tile.load",
        "tile.store",
        "tile.load",
        "tile.store %c7_i32",
        "tile.store %",
    )


COPIES = {
    "element of the source": (lambda A, s, bx: (A[bx * 32, 0], s), "<32x16xf16> to <32x16xf16>"),
    "element of the destination": (lambda A, s, bx: (s, A[bx * 32, 0]), "<32x16xf16> to <32x16xf16>"),
    "slices": (lambda A, s, bx: (A[bx * 32 : (bx + 1) * 32, 0:16], s), "<32x16xf16> to <32x16xf16>"),
    "slices in another form": (lambda A, s, bx: (A[32 * bx : 32 + bx * 32, :16], s), "<32x16xf16> to <32x16xf16>"),
    "part of a tile": (lambda A, s, bx: (s[8:16, :], A[bx * 8, 0]), "<8x16xf16> to <8x16xf16>"),
    "one row": (lambda A, s, bx: (A[bx, 0:16], s[3, :]), "<1x16xf16> to <1x16xf16>"),
    "negative bounds": (lambda A, s, bx: (A[-32:, -16:], s), "<32x16xf16> to <32x16xf16>"),
}


@pytest.mark.parametrize("name", COPIES)
def test_copy_spellings(name, check_text):
    operands, types = COPIES[name]

    @T.prim_func
    def main(A: T.Tensor((128, 64), "float16")):
        with T.Kernel(4) as bx:
            s = T.alloc_shared((32, 16), "float16")
            T.copy(*operands(A, s, bx), coalesced_width=4)

    check_text(main.script(), f"tile.copy ... : {types}")


def test_copy_leaves_out_unit_dimensions(check_text):
    @T.prim_func
    def main(Q: T.Tensor((2, 3, 128, 64), "float16"), O: T.Tensor((32, 64), "float16")):
        with T.Kernel(4, 3, 2) as (bx, by, bz):
            s = T.alloc_shared((32, 64), "float16")
            u = T.alloc_shared((1, 32, 64), "float16")
            T.copy(Q[bz, by, bx * 32 : (bx + 1) * 32, :], s)
            T.copy(Q[bz, by, bx * 32, 0], u)
            T.copy(u, s)
            T.copy(u, O[0, 0])

    check_text(
        main.script(),
        "tile.copy ... : <1x1x32x64xf16> to <32x64xf16>",
        "tile.copy ... : <1x1x32x64xf16> to <1x32x64xf16>",
        "tile.copy ... : <1x32x64xf16> to <32x64xf16>",
        "tile.copy ... : <1x32x64xf16> to <32x64xf16>",
    )


def test_copy_of_elements_and_scalars(check_text):
    @T.prim_func
    def main(A: T.Tensor((4,), "float16"), B: T.Tensor((4,), "float32")):
        with T.Kernel(1):
            v = T.alloc_var("float32")
            T.copy(A[0], B[1])
            T.copy(B[2], v)

    check_text(main.script(), "tile.load", "tile.store", "tile.load", "tile.store")
    assert "tile.copy" not in main.script()


def test_copy_repeats_its_source(check_text):
    @T.prim_func
    def main(A: T.Tensor((16,), "float32")):
        with T.Kernel(1):
            row = T.alloc_shared((1, 16), "float32")
            tile = T.alloc_shared((8, 16), "float32")
            T.copy(row, tile)

    check_text(main.script(), "tile.parallel [8, 16]", "tile.load %...[%c0, %arg...]", "tile.store")


def test_dynamic_extent(check_text):
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((m, 64), "float16"), B: T.Tensor((m, 64), "float16")):
        with T.Kernel(T.ceildiv(m, 32)) as bx:
            T.copy(A[0:m, :], B)

    check_text(
        main.script(),
        '%arg2: i32 {tile.name = "m"}',
        "arith.index_cast %arg2 : i32 to index",
        "memref<?x64xf16",
        "tile.region ... sizes[%0] : ... -> <?x64xf16>",
        "tile.copy ... : <?x64xf16> to <?x64xf16>",
    )


def test_fill(check_text):
    @T.prim_func
    def main(A: T.Tensor((8, 8), "float16")):
        with T.Kernel(1) as bx:
            h = T.alloc_fragment((8, 8), "float16")
            n = T.alloc_fragment((8,), "int8")
            T.fill(h, -T.infinity("float16"))
            T.fill(h[0:4, :], bx)
            T.clear(n)
            T.fill(A[1, 2], 3)

    check_text(
        main.script(),
        "tile.fill ... : <8x8xf16>, f16",
        "arith.index_cast",
        "tile.cast ... : i32 to f16",
        "tile.fill ... : <4x8xf16>, f16",
        "tile.fill ... with %c0_i8",
        "tile.store",
    )
    assert "0xFC00 : f16" in main.script()


def test_shapes_that_cannot_match(error_at):
    with error_at("shapes", KernelValueError, "the shapes do not match", "'s' is (32, 16)", "'t' is (16, 32)", "help:"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                s = T.alloc_shared((32, 16), "float32")
                t = T.alloc_shared((16, 32), "float32")
                T.copy(s, t)  #! shapes


def test_copy_into_too_few_dimensions(error_at):
    with error_at("few", KernelValueError, "'A' has too few dimensions", "(32, 16)"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                s = T.alloc_shared((32, 16), "float32")
                T.copy(A[0], s)  #! few


@pytest.mark.parametrize(
    ("value", "text"),
    [(np.zeros(3), "array of the host"), (5, "a scalar (5)"), ("A", "'A'"), (None, "None")],
    ids=["numpy", "number", "string", "none"],
)
def test_copy_of_no_buffer(value, text, error_at):
    with error_at("nobuffer", KernelTypeError, "T.copy: the source is no buffer", text):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                s = T.alloc_shared((8,), "float32")
                T.copy(value, s)  #! nobuffer


@pytest.mark.parametrize("extent", [0, -4])
def test_alloc_extent(extent, error_at):
    with error_at("extent", KernelValueError, f"extent 1 is {extent}", "at least 1"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                s = T.alloc_shared((8, extent), "float32")  #! extent


def test_alloc_of_run_time_extent(error_at):
    with error_at("runtime", KernelTypeError, "extent 0 is not a number known at compile time"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32"), n: T.int32):
            with T.Kernel(1):
                s = T.alloc_shared((n, 8), "float32")  #! runtime


def test_alloc_of_unknown_type(error_at):
    with error_at("dtype", KernelTypeError, "'float17' is no element type"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                s = T.alloc_shared((8,), "float17")  #! dtype


def test_alloc_in_unknown_scope(error_at):
    with error_at("scope", UnsupportedError, "T.alloc_shared in scope 'wmma'"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                s = T.alloc_shared((8,), "float32", "wmma")  #! scope


def test_number_of_indices(error_at):
    with error_at("indices", KernelValueError, "'A' has 2 dimensions, but 1 index stands here", "'A' is (8, 8)"):

        @T.prim_func
        def main(A: T.Tensor((8, 8), "float32")):
            with T.Kernel(1):
                A[0] = 1  #! indices


def test_constant_index_outside_a_tile(error_at):
    with error_at("outside", KernelValueError, "index 8 is outside dimension 0 of 's'"):

        @T.prim_func
        def main(A: T.Tensor((8, 8), "float32")):
            with T.Kernel(1):
                s = T.alloc_shared((8,), "float32")
                s[8] = 1  #! outside


def test_index_of_a_wrong_kind(error_at):
    with error_at("kind", KernelTypeError, "dimension 0 of 'A' is indexed by a float"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                A[1.5] = 1  #! kind

    with error_at("floatindex", KernelTypeError, "an integer was expected, found a value of type float32"):

        @T.prim_func
        def other(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                A[A[0]] = 1  #! floatindex


def test_slice_with_a_step(error_at):
    with error_at("step", UnsupportedError, "a slice of 'A' with a step"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                s = T.alloc_shared((4,), "float32")
                T.copy(A[0:8:2], s)  #! step


def test_empty_slice(error_at):
    with error_at("empty", KernelValueError, "has no elements", "extent 0"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1) as bx:
                s = T.alloc_shared((4,), "float32")
                T.copy(A[bx * 4 : 4 * bx], s)  #! empty


def test_assignment_to_a_region(error_at):
    with error_at("region", UnsupportedError, "assignment to a region of 'A'", "T.fill"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                A[0:4] = 0  #! region


def test_operators_on_whole_buffers(error_at):
    with error_at("whole", KernelTypeError, "'A' is a whole buffer", "T.Parallel"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                x = A + 1  #! whole

    with error_at("stored", KernelTypeError, "'A' is a whole buffer"):

        @T.prim_func
        def other(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                A[0] = A  #! stored


def test_buffer_outside_its_region(error_at):
    with error_at("died", KernelNameError, "'s' is used outside this T.serial", "'s' is bound here") as caught:

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                for k in T.serial(2):
                    s = T.alloc_shared((8,), "float32")
                T.copy(s, A)  #! died

    assert caught.error.notes[0].location is not None
