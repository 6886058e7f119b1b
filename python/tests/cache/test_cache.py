"""The kernel cache."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilelang
from tilelang.cache import cache_directory, cache_info, kernel_cache
from tilelang.errors import CheckError

PROGRAM = textwrap.dedent(
    """
    import numpy as np, tilelang, tilelang.language as T

    @T.prim_func
    def double(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=128) as _:
            for i in T.Parallel(256):
                B[i] = A[i] * 2

    kernel = tilelang.compile(double, out_idx=-1, target="ascend")
    a = np.arange(256, dtype=np.float32)
    assert (kernel(a) == 2 * a).all()
    """
)


def run(path: Path, cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(path)],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(tilelang.__file__).parents[1]),
            "TILELANG_CACHE_DIR": str(cache),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the host compilations that happen."""
    from tilelang.jit import build

    done: list[str] = []
    original = build._host_objects

    def counted(result: dict[str, Any]) -> dict[str, bytes]:
        done.append(result["entry"])
        return original(result)

    monkeypatch.setattr(build, "_host_objects", counted)
    return done


def test_second_compilation_comes_from_memory(
    fresh_cache: Path, compilations: list[str], add_program: Callable[..., Any]
) -> None:
    first = tilelang.compile(add_program(768), target="ascend")
    second = tilelang.compile(add_program(768), target="ascend")
    assert len(compilations) == 1
    assert first.artifact.to_bytes() == second.artifact.to_bytes()


def test_second_process_finds_the_entry_on_disk(
    fresh_cache: Path, compilations: list[str], add_program: Callable[..., Any]
) -> None:
    tilelang.compile(add_program(768), target="ascend")
    assert len(list(fresh_cache.rglob("*.tlk"))) == 1
    kernel_cache.forget()
    kernel = tilelang.compile(add_program(768), out_idx=-1, target="ascend")
    assert len(compilations) == 1
    a = np.ones(768, np.float32)
    assert (kernel(a, a) == 2).all()


def test_key_depends_on_program_target_and_options(
    fresh_cache: Path, compilations: list[str], add_program: Callable[..., Any]
) -> None:
    tilelang.compile(add_program(768), target="ascend")
    tilelang.compile(add_program(1024), target="ascend")
    tilelang.compile(add_program(768, "float16"), target="ascend")
    tilelang.compile(add_program(768), target="ascend910b4")
    tilelang.compile(add_program(768), target="ascend", pass_configs={"tl.enable_fast_math": True})
    assert len(compilations) == 5
    # out_idx and checks are the caller's business, not the kernel's.
    tilelang.compile(add_program(768), out_idx=2, target="ascend", checks="off")
    assert len(compilations) == 5


def test_damaged_entries_are_replaced(
    fresh_cache: Path, compilations: list[str], add_program: Callable[..., Any]
) -> None:
    tilelang.compile(add_program(768), target="ascend")
    (path,) = fresh_cache.rglob("*.tlk")
    good = path.read_bytes()
    for damaged in (b"", good[:100], good[:-1], good[:5000] + b"\0\0\0\0" + good[5004:], b"x" * len(good)):
        path.write_bytes(damaged)
        kernel_cache.forget()
        kernel = tilelang.compile(add_program(768), out_idx=-1, target="ascend")
        a = np.ones(768, np.float32)
        assert (kernel(a, a) == 2).all()
        assert tilelang.runtime.load_artifact(path).cache_key == path.stem, "the entry is replaced"
    assert len(compilations) == 6


def test_entry_of_another_key_is_not_used(
    fresh_cache: Path, compilations: list[str], add_program: Callable[..., Any]
) -> None:
    tilelang.compile(add_program(768), target="ascend")
    (first,) = fresh_cache.rglob("*.tlk")
    tilelang.compile(add_program(1024), target="ascend")
    (second,) = set(fresh_cache.rglob("*.tlk")) - {first}
    second.write_bytes(first.read_bytes())
    kernel_cache.forget()
    kernel = tilelang.compile(add_program(1024), out_idx=-1, target="ascend")
    a = np.ones(1024, np.float32)
    assert kernel(a, a).shape == (1024,)
    assert len(compilations) == 3


def test_disabled_cache(
    fresh_cache: Path,
    compilations: list[str],
    add_program: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tilelang.disable_cache()
    try:
        assert not tilelang.is_cache_enabled()
        tilelang.compile(add_program(768), target="ascend")
        tilelang.compile(add_program(768), target="ascend")
    finally:
        tilelang.enable_cache()
    assert len(compilations) == 2
    assert not (fresh_cache / "kernels").exists()
    monkeypatch.setenv("TILELANG_DISABLE_CACHE", "1")
    assert not tilelang.is_cache_enabled()
    tilelang.compile(add_program(768), target="ascend")
    assert len(compilations) == 3


def test_clear(fresh_cache: Path, compilations: list[str], add_program: Callable[..., Any]) -> None:
    tilelang.compile(add_program(768), target="ascend")
    info = cache_info()
    assert (info.directory, info.entries) == (str(fresh_cache), 1)
    assert info.bytes > 1000
    tilelang.clear_cache()
    assert cache_info().entries == 0
    tilelang.compile(add_program(768), target="ascend")
    assert len(compilations) == 2


def test_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILELANG_CACHE_DIR", "~/somewhere")
    assert cache_directory() == Path.home() / "somewhere"
    monkeypatch.delenv("TILELANG_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "tilelang-native"


def test_lines_are_right_after_a_hit_from_another_place(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import numpy as np, tilelang, tilelang.language as T
        from tilelang.errors import CheckError

        @T.prim_func
        def late(A: T.Tensor((256,), "float32"), n: T.int32):
            with T.Kernel(1, threads=128) as _:
                tile = T.alloc_shared((256,), "float32")
                if n > 0:
                    T.clear(tile)
                T.copy(tile, A)

        kernel = tilelang.compile(late, target="ascend")
        try:
            kernel(np.zeros(256, np.float32), 0)
        except CheckError as error:
            print(error.location.file, error.location.line)
        """
    )
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text(program)
    second.write_text("# a line\n# and another\n" + program)
    cache = tmp_path / "cache"
    line = program.splitlines().index("        T.copy(tile, A)") + 1
    for path, expected in ((first, line), (second, line + 2), (first, line)):
        result = run(path, cache)
        assert result.stdout.split() == [str(path), str(expected)], result.stderr
    assert len(list(cache.rglob("*.tlk"))) == 1, "one program, one entry"


def test_moved_program_keeps_its_objects(fresh_cache: Path, compilations: list[str], tmp_path: Path) -> None:
    import runpy

    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    first = runpy.run_path(str(path))["kernel"]
    path.write_text("# moved\n\n\n" + PROGRAM)
    import linecache

    linecache.checkcache()
    second = runpy.run_path(str(path))["kernel"]
    assert len(compilations) == 1, "the host compiler runs once"
    lines = [{entry[2] for entry in kernel.artifact.lines if entry[2]} for kernel in (first, second)]
    assert {line + 3 for line in lines[0]} == lines[1]


def test_several_processes_at_once(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    cache = tmp_path / "cache"
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(tilelang.__file__).parents[1]),
        "TILELANG_CACHE_DIR": str(cache),
    }
    processes = [
        subprocess.Popen([sys.executable, str(path)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err) == (0, b"", b"")
    assert [file.suffix for file in (cache / "kernels").rglob("*") if file.is_file()] == [".tlk"]


def test_unwritable_folder_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + PROGRAM.replace("256", "512"))
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    result = run(path, blocked)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("the kernel cache") == 1
    assert "TILELANG_CACHE_DIR names another folder" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_is_an_os_error(add_program: Callable[..., Any]) -> None:
    kernel = tilelang.compile(add_program(768), target="ascend")
    with pytest.raises(OSError, match=r"cannot create '/dev/full/x.tlk'"):
        kernel.save("/dev/full/x.tlk")


def test_errors_are_not_cached(fresh_cache: Path, gemm_program: Callable[..., Any]) -> None:
    program = gemm_program(512, 512, 64, 256, 256, 64)
    for _ in range(2):
        with pytest.raises(tilelang.errors.TileLangError):
            tilelang.compile(program, target="ascend")
    assert cache_info().entries == 0
    assert CheckError is tilelang.errors.CheckError
