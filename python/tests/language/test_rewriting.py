"""Reading and rewriting source text: generated code, closures, annotations as text, missing source."""

import linecache
import os
import subprocess
import sys
import textwrap
import time
import traceback

import pytest

import tilelang.language as T
from tilelang.errors import KernelNameError, KernelSyntaxError, KernelTypeError, UnsupportedError
from tilelang.language.rewrite import _rewritten


def run(source, name="<generated>", register=True, **namespace):
    source = textwrap.dedent(source)
    if register:
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"T": T, "__name__": "generated", **namespace}
    exec(compile(source, name, "exec"), scope)
    return scope


def test_code_from_exec_with_text_in_linecache():
    scope = run(
        """
        def make(n):
            @T.prim_func
            def main(A: T.Tensor((n,), "float32")):
                with T.Kernel(1):
                    for i in T.Parallel(n):
                        if i < 3:
                            A[i] = n
            return main
        """,
        "<cell 1>",
    )
    program = scope["make"](8)
    assert "scf.if" in program.script()
    assert program.source_file == "<cell 1>" and program.source_line == 3
    assert '"<cell 1>":7:' in program.module().text(locations=True)


def test_text_that_does_not_parse_as_a_whole():
    # A notebook cell may hold lines that are no Python.
    source = textwrap.dedent(
        """\
        %magic

        def make():
            @T.prim_func
            def main(A: T.Tensor((4,), 'int32')):
                with T.Kernel(1) as bx:
                    if bx < 1:
                        A[0] = 1
            return main
        """
    )
    linecache.cache["<cell 2>"] = (len(source), None, source.splitlines(True), "<cell 2>")
    scope = {"T": T}
    exec(compile("\n\n" + source.split("\n", 2)[2], "<cell 2>", "exec"), scope)
    text = scope["make"]().module().text(locations=True)
    assert "scf.if" in text and '"<cell 2>":8:' in text


def test_source_that_cannot_be_read():
    with pytest.raises(KernelSyntaxError, match="the source of 'main' cannot be read"):
        run(
            """
            @T.prim_func
            def main(A: T.Tensor((8,), "float32")):
                with T.Kernel(1):
                    A[0] = 1
            """,
            "<nowhere>",
            register=False,
        )


def test_source_that_has_changed():
    source = "\n@T.prim_func\ndef other(A: T.Tensor((8,), 'float32')):\n    pass\n"
    linecache.cache["<changed>"] = (len(source), None, source.splitlines(True), "<changed>")
    with pytest.raises(KernelSyntaxError, match="no definition of 'main' at the line"):
        run("@T.prim_func\ndef main(A: T.Tensor((8,), 'float32')):\n    pass\n", "<changed>", register=False)


def test_lambda_is_no_kernel():
    with pytest.raises(KernelSyntaxError, match="a lambda cannot be a kernel"):
        T.macro(lambda x: x)
    with pytest.raises(KernelTypeError, match="decorates functions, not int"):
        T.prim_func(3)


def test_rewriting_is_done_once_for_a_code_object():
    def make(n):
        @T.prim_func
        def main(A: T.Tensor((n,), "float32")):
            with T.Kernel(1):
                A[0] = n

        return main

    first = make(4)
    count = len(_rewritten)
    second = make(5)
    assert len(_rewritten) == count
    assert "%cst = arith.constant 4" in first.script() and "%cst = arith.constant 5" in second.script()


def test_annotations_as_text():
    source = """
    from __future__ import annotations

    size = 8

    def make(n, dtype):
        @T.prim_func
        def main(A: T.Tensor((n, size), dtype), m: T.int32, B: "T.Tensor((n,), 'int8')"):
            with T.Kernel(1):
                A[0, 0] = m

        return main

    def twice(n):
        def inner():
            @T.prim_func
            def main(A: T.Tensor((n,), "float32")):
                with T.Kernel(1):
                    A[0] = 0

            return main

        return inner()
    """
    scope = run(source, "<future>")
    program = scope["make"](4, "float16")
    assert program.params[0].shape == (4, 8) and program.params[0].dtype == "float16"
    assert program.params[2].dtype == "int8"
    # A name of a function further out is lost to Python; the error says so.
    with pytest.raises(KernelNameError) as info:
        scope["twice"](4)
    assert "the annotation of 'A' cannot be evaluated: name 'n' is not defined" in str(info.value)
    assert "from __future__ import annotations" in str(info.value)


def test_defaults_docstrings_and_keywords_survive():
    @T.macro
    def shared(A, *, value=3, other: int = 4):
        """What it does."""
        A[0] = value + other

    assert shared.__doc__ == "What it does." and shared.__name__ == "shared"

    @T.prim_func
    def main(A: T.Tensor((4,), "int32")):
        with T.Kernel(1):
            shared(A)
            shared(A, value=10)

    text = main.script()
    assert "%c7_i32" in text and "%c14_i32" in text


def test_traceback_shows_the_users_lines_only():
    @T.macro
    def inner(A):
        T.copy(A, 1)

    try:

        @T.prim_func
        def main(A: T.Tensor((4,), "int32")):
            with T.Kernel(1):
                inner(A)

    except KernelTypeError as error:
        frames = traceback.extract_tb(error.__traceback__)
    names = [frame.name for frame in frames if "/python/tilelang/" not in frame.filename]
    assert names == ["test_traceback_shows_the_users_lines_only", "main", "inner"]
    own = [frame for frame in frames if frame.filename.endswith("primfunc.py")]
    assert len(frames) - len(names) == len(own) == 1


def test_walrus_in_a_conditional_expression(error_at):
    with error_at("walrus", UnsupportedError, "an assignment expression inside a conditional expression"):

        @T.prim_func
        def main(A: T.Tensor((4,), "int32")):
            with T.Kernel(1) as bx:
                A[0] = (y := 3) if bx > 1 else 4  #! walrus


def test_async_is_refused(error_at):
    with error_at("async", KernelSyntaxError, "an async function has no meaning in a kernel"):

        @T.macro
        def helper(A):
            async def f():  #! async
                pass


def test_python_statements_inside_kernels():
    @T.prim_func
    def main(A: T.Tensor((64,), "int32")):
        import math as m

        def square(x):
            if x > 3:
                return x * x
            return -x

        try:
            value = {}["missing"]
        except KeyError:
            value = 5
        match value:
            case 5:
                chosen = 50
            case _:
                chosen = 0
        names = {f"k{i}": i for i in range(3) if i != 1}
        del names["k0"]
        with T.Kernel(1) as bx:
            A[0] = chosen + square(4) + square(2) + m.floor(1.5) + sum(names.values())
            A[1] = (lambda bx: bx + 1)(3)

    text = main.script()
    assert f"arith.constant {50 + 16 - 2 + 1 + 2} : i32" in text and "%c4_i32" in text


def test_helper_function_inside_a_kernel_is_rewritten():
    @T.prim_func
    def main(A: T.Tensor((64,), "int32")):
        with T.Kernel(1) as bx:

            def put(i, value):
                if bx < i:
                    A[i] = value

            put(3, bx)

    assert "scf.if" in main.script()


def test_kernels_on_two_threads():
    import threading

    results = {}

    def work(n):
        for _ in range(5):

            @T.prim_func
            def main(A: T.Tensor((n,), "float32")):
                with T.Kernel(1):
                    for i in T.Parallel(n):
                        A[i] = n

            results[n] = main.script()
            time.sleep(0)

    threads = [threading.Thread(target=work, args=(n,)) for n in (4, 8, 16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f"tile.parallel [{n}]" in results[n] for n in (4, 8, 16))


def test_import_is_light():
    code = (
        "import sys, tilelang.language; "
        "print([n for n in ('numpy', 'torch', 'tilelang._compiler', 'ml_dtypes', 'rich') if n in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert out.stdout.strip() == "[]"
