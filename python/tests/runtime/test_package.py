"""Importing the package, and what it offers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tilelang
from tilelang.errors import KernelTypeError, KernelValueError, UnsupportedError
from tilelang.passes import normalize_pass_configs

PACKAGE = Path(tilelang.__file__).parents[1]


def run_python(code: str, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(PACKAGE), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_import_loads_neither_torch_nor_native_modules() -> None:
    code = "import sys, json, tilelang; print(json.dumps(sorted(sys.modules)))"
    modules = json.loads(run_python(code))
    for name in ("torch", "numpy", "ml_dtypes", "rich", "tilelang._compiler", "tilelang._runtime", "tilelang.language"):
        assert name not in modules


def test_every_name_resolves() -> None:
    for name in tilelang.__all__:
        assert getattr(tilelang, name) is not None
    assert set(tilelang.__all__) <= set(dir(tilelang))


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'no_such_thing'"):
        _ = tilelang.no_such_thing


def test_jit_is_callable_however_it_is_reached() -> None:
    code = (
        "from tilelang.jit import JITKernel\n"
        "import tilelang\n"
        "from tilelang import jit\n"
        "assert callable(tilelang.jit) and callable(jit)\n"
        "@tilelang.jit\n"
        "def f(): pass\n"
        "@jit(out_idx=-1)\n"
        "def g(): pass\n"
        "print(type(f).__name__, type(g).__name__)\n"
    )
    assert run_python(code).split() == ["JITFunction", "JITFunction"]


def test_helpers() -> None:
    assert [tilelang.cdiv(n, 4) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert [tilelang.next_power_of_2(n) for n in (0, 1, 2, 3, 64, 65)] == [1, 1, 2, 4, 64, 128]
    with pytest.raises(ValueError, match="log level 'LOUD' is unknown"):
        tilelang.set_log_level("LOUD")


def test_autotune_says_that_it_is_missing() -> None:
    with pytest.raises(UnsupportedError, match="autotune is not available"):
        tilelang.autotune(configs=[])


def test_pass_configs_accept_members_and_strings() -> None:
    key = tilelang.PassConfigKey.TL_DISABLE_WARP_SPECIALIZED
    assert key == "tl.disable_warp_specialized"
    assert normalize_pass_configs({key: True, "tl.enable_fast_math": False}) == {
        "tl.disable_warp_specialized": "true",
        "tl.enable_fast_math": "false",
    }
    assert normalize_pass_configs(None) == {}


def test_unknown_pass_config() -> None:
    with pytest.raises(KernelValueError, match=r"unknown key 'tl.enable_fast_maths'") as caught:
        normalize_pass_configs({"tl.enable_fast_maths": True})
    assert "did you mean 'tl.enable_fast_math'?" in str(caught.value)
    with pytest.raises(KernelTypeError, match="expected a dictionary"):
        normalize_pass_configs([1])  # type: ignore[arg-type]


def test_missing_native_modules_are_explained(tmp_path: Path) -> None:
    code = (
        "from tilelang.runtime import native_runtime\n"
        "try:\n    native_runtime()\nexcept Exception as e:\n    print(type(e).__name__, e)\n"
    )
    text = run_python(code, TILELANG_NATIVE_DIR=str(tmp_path / "nowhere"))
    assert text.startswith("InternalError the native module _runtime cannot be loaded")
    assert "(no such folder)" in text
    assert "tilelang doctor" in text
