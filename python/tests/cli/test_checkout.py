"""A source checkout runs from its build tree: what ninja rebuilds is used without installing again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NATIVE = ROOT / "build" / "_native"

pytestmark = pytest.mark.skipif(
    not NATIVE.is_dir() or "TILELANG_NATIVE_DIR" in os.environ, reason="the tests do not run from a build tree"
)


@pytest.mark.parametrize("module", ["_compiler", "_runtime"])
def test_native_modules_lie_in_the_build_tree(module: str) -> None:
    code = f"import tilelang, tilelang.{module} as m; print(m.__file__)"
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"))
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert Path(result.stdout.strip()).parent == NATIVE / "python"


def test_an_editable_install_holds_no_copies(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    code = "import tilelang, tilelang._runtime as m; print(tilelang.__file__); print(m.__file__)"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    if "No module named 'tilelang'" in result.stderr:
        pytest.skip("the package is not installed")
    assert result.returncode == 0, result.stderr
    package, native = (Path(line) for line in result.stdout.split())
    assert package == ROOT / "python" / "tilelang" / "__init__.py"
    assert native.parent == NATIVE / "python"
