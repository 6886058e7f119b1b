"""Writes the examples of docs/messages.md: each program is run, and the page shows what it says.

usage: message_examples.py [--check]     (--check: exit status 1 if the page would change)
"""

from __future__ import annotations

import contextlib
import difflib
import io
import linecache
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "messages.md"
BEGIN, END = "<!-- examples: written by scripts/message_examples.py -->", "<!-- end of examples -->"

HEADER = """import numpy as np
import tilelang
import tilelang.language as T

"""


@dataclass
class Example:
    """A program and the class of what it raises; none where it only prints."""

    title: str
    program: str
    raises: str | None
    about: str = ""
    environment: dict[str, str] = field(default_factory=dict)


EXAMPLES = [
    Example(
        "KernelNameError",
        """
@T.prim_func
def kernel(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1):
        A_shared = T.alloc_shared((64, 64), "float16")
        T.copy(A, A_shard)
""",
        "KernelNameError",
    ),
    Example(
        "KernelTypeError",
        """
@T.prim_func
def kernel(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1):
        a = T.alloc_shared((64, 64), "float16")
        b = T.alloc_shared((64, 64), "bfloat16")
        c = T.alloc_fragment((64, 64), "float32")
        T.gemm(a, b, c)
""",
        "KernelTypeError",
    ),
    Example(
        "KernelValueError",
        """
@T.prim_func
def kernel(A: T.Tensor((64, 64), "float16")):
    with T.Kernel(1):
        tile = T.alloc_shared((64, 32), "float16")
        T.copy(A[0:64, 0:48], tile)
""",
        "KernelValueError",
    ),
    Example(
        "KernelSyntaxError",
        """
def make(count):
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float16")):
        with T.Kernel(1):
            count = count + 1

make(0)
""",
        "KernelSyntaxError",
    ),
    Example(
        "KernelCompileError: capacity",
        """
@T.prim_func
def gemm(A: T.Tensor((512, 64), "float16"), B: T.Tensor((64, 512), "float16"), C: T.Tensor((512, 512), "float32")):
    with T.Kernel(2, 2) as (bx, by):
        A_shared = T.alloc_shared((256, 64), "float16")
        B_shared = T.alloc_shared((64, 256), "float16")
        C_local = T.alloc_fragment((256, 256), "float32")
        T.copy(A[by * 256, 0], A_shared)
        T.copy(B[0, bx * 256], B_shared)
        T.gemm(A_shared, B_shared, C_local, clear_accum=True)
        T.copy(C_local, C[by * 256, bx * 256])

tilelang.compile(gemm, target="ascend")
""",
        "KernelCompileError",
    ),
    Example(
        "KernelCompileError: iterations that depend on each other",
        """
@T.prim_func
def kernel(A: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        tile = T.alloc_shared((64,), "float32")
        T.copy(A, tile)
        for i in T.Parallel(63):
            tile[i + 1] = tile[i] + 1.0
        T.copy(tile, A)

tilelang.compile(kernel, target="ascend")
""",
        "KernelCompileError",
    ),
    Example(
        "KernelCompileError: a tile that nothing wrote",
        """
@T.prim_func
def product(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1):
        a = T.alloc_shared((64, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.copy(A, a)
        T.gemm(a, a, c)
        T.copy(c, C)

tilelang.compile(product, target="ascend")
""",
        "KernelCompileError",
    ),
    Example(
        "KernelCompileError: blocks that overwrite each other's results",
        """
@T.prim_func
def row_sums(A: T.Tensor((64, 256), "float32"), S: T.Tensor((64,), "float32")):
    with T.Kernel(4, 2) as (bx, by):
        tile = T.alloc_fragment((32, 64), "float32")
        total = T.alloc_fragment((32,), "float32")
        T.copy(A[by * 32, bx * 64], tile)
        T.reduce_sum(tile, total, dim=1)
        T.copy(total, S[by * 32])

tilelang.compile(row_sums, target="ascend")
""",
        "KernelCompileError",
    ),
    Example(
        "UnsupportedError",
        """
@T.prim_func
def kernel(A: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        T.clear(A)
    with T.Kernel(1):
        T.clear(A)
""",
        "UnsupportedError",
    ),
    Example(
        "ArgumentTypeError and ArgumentValueError",
        """
@T.prim_func
def scale(A: T.Tensor((64, 128), "float32"), B: T.Tensor((64, 128), "float32")):
    with T.Kernel(64) as bx:
        for i in T.Parallel(128):
            B[bx, i] = A[bx, i] * 2

kernel = tilelang.compile(scale, out_idx=[1], target="ascend")
kernel(np.zeros((64, 128), np.float64))
""",
        "ArgumentTypeError",
        "Calls are checked before anything runs; the parameter is named.",
    ),
    Example(
        "CheckError: uninitialised",
        """
@T.prim_func
def add_one(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        tile = T.alloc_shared((64,), "float32")
        T.copy(A[0:32], tile[0:32])
        for i in T.Parallel(64):
            B[i] = tile[i] + 1

kernel = tilelang.compile(add_one, target="ascend")
kernel(np.zeros(64, np.float32), np.zeros(64, np.float32))
""",
        "CheckError",
        "Half of the tile holds what was left on the chip.",
    ),
    Example(
        "CheckError: race",
        """
@T.prim_func
def add_one(A: T.Tensor((40, 128), "float32"), B: T.Tensor((40, 128), "float32")):
    with T.Kernel(40) as bx:
        tile = T.alloc_shared((128,), "float32")
        T.copy(A[bx, 0:128], tile)
        for i in T.Parallel(128):
            tile[i] = tile[i] + 1
        T.copy(tile, B[bx, 0:128])

kernel = tilelang.compile(add_one, target="ascend", pass_configs={"debug.drop_flag": 3})
kernel(np.zeros((40, 128), np.float32), np.zeros((40, 128), np.float32))
""",
        "CheckError",
        "Compiled kernels have no races; this one was compiled with one flag left out. The second place is a note.",
    ),
    Example(
        "InternalError",
        """
@T.prim_func
def clear(A: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        T.clear(A)

tilelang.compile(clear, target="ascend", pass_configs={"debug.fail": "abort"})
""",
        "InternalError",
        "A fault of the compiler does not end the program. The file holds the program as the compiler saw it, and the "
        "command that compiles it; it lies in `reproducers` in the cache folder, or in `TILELANG_REPRODUCER_DIR`.",
    ),
    Example(
        "HostCompilerError",
        """
@T.prim_func
def clear(A: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        T.clear(A)

tilelang.compile(clear, target="ascend")
""",
        "HostCompilerError",
        environment={"TILELANG_CXX": "/opt/none/clang++"},
    ),
    Example(
        "Remarks",
        """
@T.prim_func
def gemm(A: T.Tensor((128, 2048), "float16"), B: T.Tensor((2048, 128), "float16"), C: T.Tensor((128, 128), "float32")):
    with T.Kernel(1):
        A_shared = T.alloc_shared((128, 512), "float16")
        B_shared = T.alloc_shared((512, 128), "float16")
        C_local = T.alloc_fragment((128, 128), "float32")
        T.clear(C_local)
        for k in T.Pipelined(4, num_stages=4):
            T.copy(A[0, k * 512], A_shared)
            T.copy(B[k * 512, 0], B_shared)
            T.gemm(A_shared, B_shared, C_local)
        T.copy(C_local, C)

kernel = tilelang.compile(gemm, target="ascend")
for remark in kernel.remarks:
    print(remark)
""",
        None,
        "What the compiler accepts and has something to say about: a hint that it could not follow, a slow form that "
        "it had to take. `kernel.remarks` has the list, also for kernels from the cache; `verbose=True` prints it.",
    ),
]


def run(example: Example) -> str:
    """What the program says, with the names of generated files made constant."""
    text = HEADER + example.program.strip("\n") + "\n"
    linecache.cache["program.py"] = (len(text), None, text.splitlines(True), "program.py")
    printed = io.StringIO()
    saved = dict(os.environ)
    os.environ.update(example.environment)
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "program.py", "exec"), {"__name__": "__main__"})
        raised, said = None, printed.getvalue().strip()
    except Exception as error:
        raised, said = type(error).__name__, f"{type(error).__name__}: {error}"
    finally:
        os.environ.clear()
        os.environ.update(saved)
    if raised != example.raises:
        raise SystemExit(f"{example.title}: expected {example.raises}, found {raised}:\n{said}")
    return re.sub(r"reproducer-\w+\.mlir", "reproducer-1a2b3c4d.mlir", said)


@contextlib.contextmanager
def inside(folder: str) -> Iterator[None]:
    """Runs the body in a folder."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def examples() -> str:
    """The part of the page between the marks."""
    parts = []
    with tempfile.TemporaryDirectory() as folder, inside(folder):
        os.environ["TILELANG_CACHE_DIR"] = os.path.join(folder, "cache")
        os.environ["TILELANG_REPRODUCER_DIR"] = "reproducers"
        for example in EXAMPLES:
            said = run(example)
            about = f"{example.about}\n\n" if example.about else ""
            parts.append(
                f"### {example.title}\n\n{about}<!-- not run: it is refused, or prints what follows -->\n"
                f"```python\n{example.program.strip()}\n```\n\n```text\n{said}\n```\n"
            )
    return "\n".join(parts)


def page_with(part: str) -> str:
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{part}\n{END}{rest.split(END)[1]}"


def without_cycles(text: str) -> str:
    """The text without what changes with the timing model."""
    return re.sub(r"cycle \d+", "cycle N", text)


def main() -> int:
    sys.path.insert(0, str(ROOT / "python"))
    page = page_with(examples())
    if "--check" in sys.argv[1:]:
        old, new = (without_cycles(text).splitlines() for text in (PAGE.read_text(), page))
        changes = list(difflib.unified_diff(old, new, "docs/messages.md", "now", lineterm=""))
        print("\n".join(changes))
        return int(bool(changes))
    PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
