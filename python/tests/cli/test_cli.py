"""The command line."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import tilelang
from tilelang.tools.cli import _literal, _split_arguments, _split_program, main

SCRIPT = textwrap.dedent(
    """
    import sys
    import numpy as np, tilelang, tilelang.language as T

    @tilelang.jit(out_idx=-1)
    def doubling(n, block=256):
        @T.prim_func
        def double(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
                for i in T.Parallel(block):
                    B[bx * block + i] = A[bx * block + i] * 2
        return double

    if __name__ == "__main__":
        kernel = doubling(512)
        a = np.arange(512, dtype=np.float32)
        for _ in range(2):
            assert (kernel(a) == 2 * a).all()
        print("script done", sys.argv[1:])
    """
)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(SCRIPT)
    return path


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tilelang", *arguments],
        env={**os.environ, "PYTHONPATH": str(Path(tilelang.__file__).parents[1]), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_version_and_help() -> None:
    result = command("--version")
    assert result.stdout == f"tilelang-native {tilelang.__version__}\n"
    text = command("--help").stdout
    for name in ("doctor", "targets", "compile", "report", "profile", "cache"):
        assert name in text
    assert command().returncode == 2


def test_targets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["targets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == tilelang.target.list_targets()
    assert "24 AIC + 48 AIV" in next(line for line in lines if line.startswith("ascend910b2"))


def test_cache(fresh_cache: Path, script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "dir"]) == 0
    assert capsys.readouterr().out == f"{fresh_cache}\n"
    main(["compile", f"{script}:doubling", "--args", "512", "-o", str(script.parent / "x.tlk")])
    capsys.readouterr()
    main(["cache"])
    assert f"{fresh_cache}: 1 kernels" in capsys.readouterr().out
    main(["cache", "clear"])
    assert capsys.readouterr().out == f"removed 1 kernels from {fresh_cache}\n"


def test_compile_factory(script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "double.tlk"
    status = main(
        [
            "compile",
            f"{script}:doubling",
            "--args",
            "1024",
            "block=128",
            "--target",
            "ascend910b4",
            "-o",
            str(output),
            "--source",
        ]
    )
    assert status == 0
    assert "double(A: float32[1024]" in capsys.readouterr().out
    kernel = tilelang.runtime.load_kernel(output, out_idx=1)
    assert kernel.artifact.chip == "ascend910b4"
    assert output.with_suffix(".cpp").read_text() == kernel.get_kernel_source()


def test_compile_script(script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(script), "-o", str(tmp_path / "out.tlk"), "--", "--flag", "3"]) == 0
    out = capsys.readouterr().out
    assert "script done ['--flag', '3']" in out
    assert (tmp_path / "out.tlk").is_file()


def test_profile_script(script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    timeline = tmp_path / "timeline.json"
    assert main(["profile", str(script), "--timeline", str(timeline)]) == 0
    out = capsys.readouterr().out
    assert "double on the simulator of ascend910b2" in out
    assert "first of 2 launches" in out
    assert "script done []" in out, "the script sees the results of its kernels"
    assert any(event["ph"] == "X" for event in json.loads(timeline.read_text())["traceEvents"])


def test_profile_factory(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", f"{script}:doubling", "--args", "512"]) == 0
    assert "modelled time" in capsys.readouterr().out


def test_errors_are_short(script: Path, tmp_path: Path) -> None:
    result = command("compile", f"{script}:halving")
    assert result.returncode == 1
    assert result.stderr.startswith(f"tilelang: {script} defines no 'halving'")
    assert "factories and programs there: doubling" in result.stderr
    assert "Traceback" not in result.stderr
    assert "there is no file" in command("profile", str(tmp_path / "absent.py")).stderr
    assert (
        "unknown target 'ascent'"
        in command("compile", f"{script}:doubling", "--args", "512", "--target", "ascent").stderr
    )
    assert "--args needs a factory" in command("compile", str(script), "--args", "512").stderr


def test_script_without_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.py"
    path.write_text("print('nothing here')\n")
    assert main(["compile", str(path)]) == 1
    assert main(["profile", str(path)]) == 1
    assert "compiled no kernel" in capsys.readouterr().err


def test_silent_in_a_pipe(script: Path) -> None:
    result = command("profile", str(script))
    assert result.returncode == 0
    assert result.stderr == ""
    assert "\033" not in result.stdout


def test_progress_on_a_terminal(tmp_path: Path) -> None:
    """A slow piece of work shows a spinner on a terminal."""
    path = tmp_path / "slow.py"
    path.write_text(
        "import time\nfrom tilelang.jit.progress import progress\nwith progress('thinking'):\n    time.sleep(1.2)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(tilelang.__file__).parents[1]), "TERM": "xterm"}
    parent, child = pty.openpty()
    process = subprocess.Popen([sys.executable, str(path)], stderr=child, stdout=subprocess.PIPE, env=environment)
    os.close(child)
    shown = b""
    try:
        while data := os.read(parent, 4096):
            shown += data
    except OSError:
        pass  # the other end is closed
    os.close(parent)
    assert process.wait() == 0
    assert b"thinking" in shown
    assert process.stdout is not None and process.stdout.read() == b""
    quiet = subprocess.run([sys.executable, str(path)], capture_output=True, env=environment, check=True)
    assert quiet.stderr == b""


def test_argument_syntax() -> None:
    assert _split_arguments(["3", "x=4", "float16", "(1, 2)", "name=a=b", "1=2"]) == (
        [3, "float16", (1, 2), "1=2"],
        {"x": 4, "name": "a=b"},
    )
    assert _literal("None") is None
    assert _split_program("a.py:f") == ("a.py", "f")
    assert _split_program("a.py") == ("a.py", None)
    assert _split_program("C:/x/a.py") == ("C:/x/a.py", None)
