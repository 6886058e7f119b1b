"""Names: scoping, rebinding, closures, macros, undefined names."""

# ruff: noqa: F823

import pytest

import tilelang.language as T
from tilelang.errors import KernelAttributeError, KernelError, KernelNameError, KernelSyntaxError, KernelTypeError

LATER = 5


def test_two_loops_may_bind_the_same_name():
    @T.prim_func
    def main(A: T.Tensor((64,), "float32")):
        with T.Kernel(2) as bx:
            for i in T.Parallel(32):
                idx = bx * 32 + i
                A[idx] = 1
            for i in T.Parallel(16):
                idx = bx * 16 + i
                idx += 1
                A[idx] = 2

    assert main.script().count("tile.parallel") == 2


def test_use_after_the_region(error_at):
    with error_at("after", KernelNameError, "'idx' is used outside this T.Parallel", "'idx' is bound here") as caught:

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(2) as bx:
                for i in T.Parallel(32):
                    idx = bx * 32 + i
                    A[idx] = 1
                A[idx] = 2  #! after

    (note,) = caught.error.notes
    assert note.location is not None
    assert note.location.line == caught.error.location.line - 2


def test_loop_variable_after_the_loop(error_at):
    with error_at("after", KernelNameError, "'k' is used outside this T.serial"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(2) as bx:
                for k in T.serial(4):
                    A[k] = 0
                A[k] = 1  #! after


def test_block_index_after_the_kernel(error_at):
    with error_at("after", KernelNameError, "'bx' is used outside this T.Kernel"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(2) as bx:
                A[bx] = 0
            x = bx + 1  #! after


def test_value_that_escapes_in_a_container(error_at):
    kept = []
    with error_at("escaped", KernelNameError, "a value is used outside this T.serial, where it was computed"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(2) as bx:
                for k in T.serial(4):
                    kept.append(k + bx)
                A[kept[0]] = 1  #! escaped


@pytest.mark.parametrize("first", [1, "expr", "list"])
def test_rebinding_in_a_region(first, error_at):
    with error_at("again", KernelNameError, "'x' is bound before this T.serial and assigned inside it", "T.alloc_var"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(2) as bx:
                x = bx * 2 if first == "expr" else first
                for k in T.serial(4):
                    x = k  #! again
                A[x] = 1


def test_rebinding_in_a_branch(error_at):
    with error_at("branch", KernelNameError, "'x' is bound before this `if` and assigned inside it") as caught:

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(2) as bx:
                x = 3
                if bx > 0:
                    x = 5  #! branch
                A[x] = 1

    assert [note.message for note in caught.error.notes] == ["'x' is bound here", "this `if` is here"]

    with error_at("augmented", KernelNameError, "'x' is bound before this `else`"):

        @T.prim_func
        def other(A: T.Tensor((64,), "float32")):
            with T.Kernel(2) as bx:
                x = 3
                if bx > 0:
                    A[0] = 0
                else:
                    x += 5  #! augmented


def test_rebinding_without_a_region():
    @T.prim_func
    def main(A: T.Tensor((64,), "int32")):
        x = 1
        x = x + 1
        with T.Kernel(2) as bx:
            x = x * bx
            x += 1
            for value in [1, 2]:
                x = x + value
            A[x] = x

    assert main.script().count("tile.store") == 1


def test_names_bound_under_a_known_condition_live_on():
    flag = True

    @T.prim_func
    def main(A: T.Tensor((64,), "int32")):
        with T.Kernel(2) as bx:
            if flag:
                x = bx + 1
            for value in [3]:
                y = value
            A[x] = y

    assert "tile.store %c3_i32" in main.script()


def test_assignment_to_a_name_around_the_kernel(error_at):
    block = 128
    with error_at("closure", KernelSyntaxError, "'block' is assigned in a kernel", "it is bound here"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(2):
                block = block * 2  #! closure
                A[0] = block

    with error_at("augmented", KernelSyntaxError, "'block' is assigned in a kernel"):

        @T.prim_func
        def other(A: T.Tensor((64,), "float32")):
            with T.Kernel(2):
                block += 1  #! augmented
                A[0] = block

    with error_at("nonlocal", KernelSyntaxError, "'block' is assigned in a kernel", "declared here"):

        @T.prim_func
        def third(A: T.Tensor((64,), "float32")):
            nonlocal block
            with T.Kernel(2):
                block = 1  #! nonlocal
                A[0] = block

    with error_at("global", KernelSyntaxError, "'LATER' is assigned in a kernel"):

        @T.prim_func
        def fourth(A: T.Tensor((64,), "float32")):
            global LATER
            with T.Kernel(2):
                LATER = 1  #! global
                A[0] = 1


def test_shadowing_a_name_around_the_kernel_is_legal():
    i = 3

    @T.prim_func
    def main(A: T.Tensor((64,), "float32")):
        with T.Kernel(2):
            for i in T.Parallel(64):
                A[i] = 0

    assert i == 3 and "tile.parallel" in main.script()


def test_closure_and_globals_are_live():
    size = 4

    def make():
        @T.prim_func
        def main(A: T.Tensor((64,), "int32")):
            with T.Kernel(1):
                A[0] = size + LATER

        return main

    assert "%c9_i32" in make().script()
    size = 7
    assert "%c12_i32" in make().script()


def test_undefined_name(error_at):
    with error_at("undefined", KernelNameError, "the name 'A_shard' is not defined", "did you mean 'A_shared'?"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                A_shared = T.alloc_shared((64,), "float32")
                T.copy(A, A_shard)  #! undefined  # noqa: F821


def test_name_that_was_never_bound(error_at):
    flag = False
    with error_at("unbound", KernelNameError, "the name 'x' is used before it is bound"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                if flag:
                    x = 1
                A[0] = x  #! unbound


def test_unknown_name_of_the_language(error_at):
    with error_at("unknown", KernelAttributeError, "no attribute 'coppy'; did you mean 'T.copy'?"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                T.coppy(A, A)  #! unknown


def test_wrong_arguments_of_an_operation(error_at):
    with error_at("arguments", KernelTypeError, "copy() missing 1 required positional argument"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                T.copy(A)  #! arguments


def test_other_python_errors_stay():
    with pytest.raises(ZeroDivisionError):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1 // 0):
                pass


def test_after_an_error_the_next_kernel_traces():
    with pytest.raises(KernelError):

        @T.prim_func
        def bad(A: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                for i in T.serial(4):
                    if A[i] > 0:
                        T.copy(A, 1)

    @T.prim_func
    def good(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            A[0] = 1

    assert "tile.store" in good.script()


def test_return_in_a_prim_func(error_at):
    with error_at("return", KernelTypeError, "a prim_func returns nothing", "out_idx"):

        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                A[0] = 1
            return A  #! return


def test_prim_func_is_not_called(error_at):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            A[0] = 1

    with error_at("call", KernelSyntaxError, "the prim_func 'main' is not callable", "tilelang.compile"):
        main(1)  #! call


def test_macros(check_text):
    @T.macro
    def both(x, y=2):
        return x + y, x * y

    @T.macro
    def bump(v: T.Ref, by):
        v = v + by

    @T.macro
    def nested(A, f):
        for i in T.Parallel(64):
            A[i] = f(A[i])

    @T.prim_func
    def main(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1) as bx:
            s, p = both(bx)
            A[s] = p
            count = T.alloc_var("int32", 0)
            bump(count, 3)
            bump(A[1], 4)
            nested(B, lambda x: T.exp(x) + 1)

            @T.macro
            def local(x):
                if x > bx:
                    A[3] = x

            local(both(1)[0])

    check_text(
        main.script(),
        "arith.addi",
        "arith.muli",
        "tile.store",
        "arith.addi ..., %c3_i32",
        "tile.store ... memref<i32, #tile.scope<var>>",
        "arith.addi ..., %c4_i32",
        "tile.store ...[%c1]",
        "math.exp",
        "arith.cmpi",
        "scf.if",
    )


def test_macro_errors(error_at):
    @T.macro
    def early(x):
        if x > 1:
            return 1  #! early
        return 2

    with error_at("early", KernelSyntaxError, "'early' returns from inside this `if`"):

        @T.prim_func
        def main(A: T.Tensor((64,), "int32")):
            with T.Kernel(1) as bx:
                A[0] = early(bx)

    @T.macro
    def reference(v: T.Ref):
        v = 1

    with error_at("reference", KernelTypeError, "takes 'v' by reference"):

        @T.prim_func
        def other(A: T.Tensor((64,), "int32")):
            with T.Kernel(1) as bx:
                reference(bx)  #! reference

    with error_at("signature", KernelTypeError, "the macro 'reference': missing a required argument"):

        @T.prim_func
        def third(A: T.Tensor((64,), "int32")):
            with T.Kernel(1) as bx:
                reference()  #! signature

    with error_at("outside", KernelSyntaxError, "the macro 'reference' can only be used inside a kernel"):
        reference(1)  #! outside


def test_error_inside_a_macro_names_its_line(error_at):
    @T.macro
    def inner(A):
        T.copy(A, 3)  #! inner

    with error_at("inner", KernelTypeError, "the destination is no buffer"):

        @T.prim_func
        def main(A: T.Tensor((64,), "int32")):
            with T.Kernel(1):
                inner(A)


def test_swap_reads_before_it_writes():
    @T.prim_func
    def main(A: T.Tensor((64,), "int32")):
        with T.Kernel(1):
            A[0], A[1] = A[1], A[0]
            a, b = A[2], A[3]
            a, b = b, a
            A[4], A[5] = a, b

    lines = [
        line.split("=")[-1].split()[0]
        for line in main.script().splitlines()
        if "tile.load" in line or "tile.store" in line
    ]
    assert lines[:4] == ["tile.load", "tile.load", "tile.store", "tile.store"]


def test_assignment_forms():
    @T.prim_func
    def main(A: T.Tensor((64,), "int32")):
        with T.Kernel(1) as bx:
            a = b = bx + 1
            first, *rest = [1, 2, 3]
            (x, (y, z)), w = (a, (b, first)), rest
            typed: int = 4
            names = {}
            names["k"] = typed
            if (walrus := names["k"]) == 4:
                A[x] = y + z + w[1] + walrus
            A[0] += 1
            A[bx] *= 2

    assert main.script().count("tile.store") == 3
