"""Loops, branches and conditional values."""

# ruff: noqa: B007, E741, SIM108

import pytest

import tilelang.language as T
from tilelang.errors import (
    KernelSyntaxError,
    KernelTypeError,
    KernelValueError,
    UnsupportedError,
)


def kernel(body, *types):
    """A program around `body(A, bx, n)`, a macro or a plain function."""

    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), I: T.Tensor((64,), "int32"), n: T.int32):
        with T.Kernel(4) as bx:
            body(A, I, bx, n)

    return main.script()


def test_loop_kinds(check_text):
    @T.macro
    def body(A, I, bx, n):
        for i in T.serial(4):
            I[i] = 1
        for i in T.serial(n, 0, -1):
            I[i] = 2
        for i in T.unroll(2, 8, 3):
            I[i] = 3
        for i in T.Pipelined(n, num_stages=2):
            I[i] = 4
        for i in range(1, n):
            I[i] = 5
        for i in T.Pipelined(1, 5):
            I[i] = 6

    check_text(
        kernel(body),
        "tile.for serial %c0 to %c4 step %c1 stages 0",
        "tile.for serial %... to %c0 step %c-1",
        "tile.for unroll %c2 to %c8 step %c3",
        "tile.for pipelined %c0 to %... step %c1 stages 2",
        "tile.for serial %c1 to",
        "tile.for pipelined %c1 to %c5 step %c1 stages 0",
    )


def test_python_loops_run_in_python():
    @T.macro
    def body(A, I, bx, n):
        for i, value in enumerate([10, 20]):
            I[i] = value
        for a, b in zip((2, 3), (30, 40), strict=True):
            I[a] = b
        total = sum(x for x in range(3))
        I[4] = total
        while total > 0:
            total -= 1
            if total == 1:
                break
        I[5] = total
        values = [k * k for k in range(3) if k]
        I[6] = values[-1]

    text = kernel(body)
    assert "tile.for" not in text and "scf.if" not in text
    assert text.count("tile.store") == 7
    for constant in ("%c10_i32", "%c40_i32", "%c3_i32", "%c1_i32", "%c4_i32"):
        assert f"tile.store {constant}" in text


def test_range_of_a_variable_named_range():
    @T.macro
    def body(A, I, bx, n):
        range = [7, 8].__iter__

        def values():
            return [1, 2]

        for value in values():
            I[value] = value

    assert "tile.for" not in kernel(body)


def test_run_time_if(check_text):
    @T.macro
    def body(A, I, bx, n):
        if bx < n:
            I[0] = 1
        elif I[0] == 3 and not bx > 2:
            I[0] = 2
        else:
            I[0] = 3
        if I[1]:
            I[2] = 1

    check_text(
        kernel(body),
        "arith.cmpi slt",
        "scf.if",
        "tile.store %c1_i32",
        "} else {",
        "arith.cmpi eq",
        "arith.andi",
        "scf.if",
        "tile.store %c2_i32",
        "} else {",
        "tile.store %c3_i32",
        "tile.load",
        "arith.cmpi ne",
        "scf.if",
    )


def test_plain_if_is_decided_now():
    flag = True

    @T.macro
    def body(A, I, bx, n):
        if flag and n is not None:
            value = 1
        else:
            value = 2
        if not flag or value in (3, 4):
            I[9] = 9
        I[0] = value

    text = kernel(body)
    assert "scf.if" not in text and "tile.store %c1_i32" in text and "%c9_i32" not in text


def test_conditional_values_without_loads_select(check_text):
    @T.macro
    def body(A, I, bx, n):
        x = I[0]
        I[1] = x if bx == 0 else -x
        I[2] = T.if_then_else(n > 3, 1, 0)
        I[3] = T.Select(n > 3, I[0], 0)
        I[4] = 5 if T.ceildiv(7, 2) == 4 else I[6]

    text = kernel(body)
    check_text(text, "arith.subi", "arith.select", "arith.select", "tile.load", "arith.select", "tile.store %c5_i32")
    assert "scf.if" not in text


def test_loads_stay_in_their_arm(check_text):
    choose = T.if_then_else

    @T.macro
    def body(A, I, bx, n):
        I[1] = I[n] if bx == 0 else 7
        I[2] = T.if_then_else(bx == 1, I[n] * 2, 0)
        I[3] = choose(bx == 2, I[n] + 1, 0)

    text = kernel(body)
    check_text(
        text,
        *("scf.if %... -> (i32) {", "tile.load", "scf.yield", "} else {", "scf.yield %c7_i32") * 1,
        *("scf.if %... -> (i32) {", "tile.load", "arith.muli", "scf.yield"),
        *("scf.if %... -> (i32) {", "tile.load", "arith.addi", "scf.yield"),
    )
    assert "arith.select" not in text


def test_short_circuit(check_text):
    @T.macro
    def body(A, I, bx, n):
        if bx < n and I[bx] > 0:
            I[0] = 1
        if bx < n or I[bx] > 0:
            I[0] = 2
        if bx < n and True:
            I[0] = 3
        if False or bx < 9:
            I[0] = 4

    check_text(
        kernel(body),
        "scf.if %... -> (i1) {",
        "tile.load",
        "} else {",
        "scf.yield %false",
        "scf.if %... -> (i1) {",
        "scf.yield %true",
        "} else {",
        "tile.load",
        "tile.store %c3_i32",
        "tile.store %c4_i32",
    )


def test_chained_comparison(check_text):
    @T.macro
    def body(A, I, bx, n):
        if 0 < bx < n:
            I[0] = 1
        if 3 > 2 > 1:
            I[1] = 1

    text = kernel(body)
    check_text(text, "arith.cmpi sgt", "arith.cmpi slt", "arith.andi", "scf.if")
    assert text.count("scf.if") == 1


def test_parallel_spellings(check_text):
    @T.macro
    def body(A, I, bx, n):
        for i in T.Parallel(64):
            I[i] = i
        for i, j in T.Parallel(64, 32, coalesced_width=2):
            A[i, j] = i + j
        for i in T.vectorized(8):
            I[i] = 1

    check_text(kernel(body), "tile.parallel [64]", "arith.index_cast", "tile.parallel [64, 32]", "tile.parallel [8]")


def test_kernel_grids(check_text):
    @T.prim_func
    def main(A: T.Tensor((8, 8, 8), "float32"), n: T.int32):
        with T.Kernel(2, n, T.ceildiv(n, 4), threads=(32, 4)) as (x, y, z):
            A[x, y, z] = 0

    check_text(
        main.script(),
        "arith.ceildivsi",
        "tile.kernel[%c2, %1, %3] {",
        "^bb0(%arg2: index, %arg3: index, %arg4: index)",
        "tile.store %... to %...[%arg2, %arg3, %arg4]",
        "threads = array<i64: 32, 4>",
    )


def test_empty_grid_is_legal():
    @T.prim_func
    def main(A: T.Tensor((0,), "float32")):
        with T.Kernel(0) as bx:
            A[bx] = 1

    assert "tile.kernel[%c0]" in main.script()


@pytest.mark.parametrize(
    ("grid", "options", "cls", "text"),
    [
        ((1, 2, 3, 4), {}, KernelValueError, "1 to 3 grid dimensions, 4 were given"),
        ((), {}, KernelValueError, "1 to 3 grid dimensions, 0 were given"),
        ((-1,), {}, KernelValueError, "grid dimension 0 is -1"),
        ((1, 2.5), {}, KernelTypeError, "grid dimension 1 is no integer"),
        ((1,), {"threads": 0}, KernelValueError, "threads is 0"),
        ((1,), {"threads": "x"}, KernelValueError, "threads is 'x'"),
    ],
)
def test_wrong_grids(grid, options, cls, text, error_at):
    with error_at("grid", cls, text):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(*grid, **options):  #! grid
                A[0] = 1


def test_second_kernel(error_at):
    with error_at("second", UnsupportedError, "a second T.Kernel"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                A[0] = 1
            with T.Kernel(1):  #! second
                A[1] = 1

    with error_at("nested", KernelSyntaxError, "T.Kernel inside another T.Kernel", "the outer T.Kernel is here"):

        @T.prim_func
        def other(A: T.Tensor((8,), "float32")):
            with T.Kernel(1), T.Kernel(1):  #! nested
                A[0] = 1


def test_kernel_under_a_run_time_condition(error_at):
    with error_at("condition", KernelSyntaxError, "a run-time condition must stand inside"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32"), n: T.int32):
            if n > 0:  #! condition
                with T.Kernel(1):
                    A[0] = 1


def test_no_kernel(error_at):
    with error_at("nokernel", KernelSyntaxError, "the prim_func 'main' has no T.Kernel"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):  #! nokernel
            pass


def test_operations_outside_the_kernel(error_at):
    with error_at("outside", KernelSyntaxError, "T.alloc_shared must stand inside `with T.Kernel(...)`"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            s = T.alloc_shared((8,), "float32")  #! outside

    with error_at("plain", KernelSyntaxError, "T.copy can only be used inside a kernel"):
        T.copy(1, 2)  #! plain


def test_nested_parallel(error_at):
    with error_at("nested", KernelSyntaxError, "inside another T.Parallel", "for i, j in T.Parallel(m, n)"):

        @T.prim_func
        def main(A: T.Tensor((8, 8), "float32")):
            with T.Kernel(1):
                for i in T.Parallel(8):
                    for j in T.Parallel(8):  #! nested
                        A[i, j] = 0


@pytest.mark.parametrize("name", ["copy", "gemm", "fill", "alloc_fragment"])
def test_tile_operation_inside_parallel(name, error_at):
    calls = {
        "copy": lambda s: T.copy(s, s),
        "gemm": lambda s: T.gemm(s, s, s),
        "fill": lambda s: T.clear(s),
        "alloc_fragment": lambda s: T.alloc_fragment((8,), "float32"),
    }
    call = calls[name]
    with pytest.raises(KernelSyntaxError, match=r"works on whole tiles and cannot stand inside T\.Parallel") as info:

        @T.prim_func
        def main(A: T.Tensor((8, 8), "float32")):
            with T.Kernel(1):
                s = T.alloc_shared((8, 8), "float32")
                for i in T.Parallel(8):
                    call(s)

    assert "the T.Parallel is here" in str(info.value)


def test_loop_inside_parallel(error_at):
    with error_at("loop", UnsupportedError, "T.serial inside T.Parallel"):

        @T.prim_func
        def main(A: T.Tensor((8, 8), "float32")):
            with T.Kernel(1):
                for i in T.Parallel(8):
                    for k in T.serial(8):  #! loop
                        A[i, k] = 0


@pytest.mark.parametrize("extents", [(0,), (4, -1)])
def test_parallel_extents(extents, error_at):
    with error_at("extents", KernelValueError, f"is {extents[-1]}", "at least 1"):

        @T.prim_func
        def main(A: T.Tensor((8, 8), "float32")):
            with T.Kernel(1):
                for i in T.Parallel(*extents):  #! extents
                    pass


def test_parallel_over_a_run_time_extent(error_at):
    with error_at("runtime", UnsupportedError, "an extent known at run time only", "if i < n:"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32"), n: T.int32):
            with T.Kernel(1):
                for i in T.Parallel(n):  #! runtime
                    A[i] = 0


def test_step_zero(error_at):
    with error_at("step", KernelValueError, "the step is 0"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                for i in T.serial(0, 8, 0):  #! step
                    A[i] = 0


@pytest.mark.parametrize("stages", [-1, 1.5, None, True])
def test_stages(stages, error_at):
    with error_at("stages", KernelValueError, "num_stages must be a number from 0 up"):

        @T.prim_func
        def main(A: T.Tensor((8,), "float32")):
            with T.Kernel(1):
                for i in T.Pipelined(8, num_stages=stages):  #! stages
                    A[i] = 0


def test_run_time_while(error_at):
    with error_at("while", UnsupportedError, "`while` with a run-time condition"):

        @T.prim_func
        def main(A: T.Tensor((8,), "int32")):
            with T.Kernel(1):
                while A[0] > 0:  #! while
                    A[0] = 0


@pytest.mark.parametrize("word", ["break", "continue"])
def test_leaving_loops(word, error_at):
    with error_at("loop", UnsupportedError, "in a loop of the kernel"):

        @T.prim_func
        def main(A: T.Tensor((8,), "int32")):
            with T.Kernel(1):
                for i in T.serial(8):
                    if word == "break":
                        break  #! loop
                    continue  #! loop

    with error_at("branch", UnsupportedError, "under a run-time condition"):

        @T.prim_func
        def other(A: T.Tensor((8,), "int32")):
            with T.Kernel(1):
                for i in [1, 2]:
                    if A[0] > i:
                        if word == "break":
                            break  #! branch
                        continue  #! branch

    with error_at("parallel", KernelSyntaxError, "inside T.Parallel"):

        @T.prim_func
        def third(A: T.Tensor((8,), "int32")):
            with T.Kernel(1):
                for i in T.Parallel(8):
                    continue  #! parallel


def test_assertions(error_at):
    @T.prim_func
    def fine(A: T.Tensor((8,), "int32")):
        assert A.shape[0] == 8, "never shown"
        with T.Kernel(1):
            A[0] = 1

    size = 7
    with error_at("assert", KernelValueError, "assertion failed: size is 7"):

        @T.prim_func
        def main(A: T.Tensor((8,), "int32")):
            assert size % 2 == 0, f"size is {size}"  #! assert
            with T.Kernel(1):
                A[0] = 1

    with error_at("runtime", UnsupportedError, "`assert` on a run-time condition"):

        @T.prim_func
        def other(A: T.Tensor((8,), "int32")):
            with T.Kernel(1):
                assert A[0] > 0  #! runtime


def test_loop_that_is_not_rewritten(error_at):
    def helper(A):
        for i in T.serial(8):  #! helper
            A[i] = 0

    with error_at("helper", KernelSyntaxError, "this T.serial is looped over in plain Python", "@T.macro"):

        @T.prim_func
        def main(A: T.Tensor((8,), "int32")):
            with T.Kernel(1):
                helper(A)


def test_whole_buffers_cannot_be_chosen(error_at):
    with error_at("choice", KernelTypeError, "can choose between scalars only"):

        @T.prim_func
        def main(A: T.Tensor((8,), "int32"), B: T.Tensor((8,), "int32"), n: T.int32):
            with T.Kernel(1):
                T.clear(A if n > 0 else B)  #! choice


@pytest.mark.parametrize(
    "name", ["atomic_max", "PersistentTileScheduler", "cumsum", "print", "get_thread_binding", "sync_threads"]
)
def test_names_of_later_work(name, error_at):
    with error_at("later", UnsupportedError, f"T.{name} is not supported yet"):

        @T.prim_func
        def main(A: T.Tensor((8,), "int32")):
            with T.Kernel(1):
                getattr(T, name)(A, A)  #! later


def test_names_of_one_vendor(error_at):
    with error_at("vendor", UnsupportedError, "T.tcgen05_gemm names hardware of one GPU generation"):

        @T.prim_func
        def main(A: T.Tensor((8,), "int32")):
            with T.Kernel(1):
                T.tcgen05_gemm(A, A, A)  #! vendor
