"""`tilelang doctor`."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path

import pytest

from tilelang.tools import doctor
from tilelang.tools.cli import main


def findings(section: str) -> dict[str, doctor.Finding]:
    return {finding.name: finding for finding in doctor.examine() if finding.section == section}


@pytest.fixture
def no_ascend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in doctor._TOOLKIT_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(doctor, "_DEFAULT_TOOLKITS", ())
    monkeypatch.setattr(doctor, "_DEFAULT_DRIVER", str(tmp_path / "no-driver"))


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\nprint({text!r})\n")
    path.chmod(0o755)


def test_everything_needed_is_here(no_ascend: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "Kernels compile and run on the simulator." in out
    for name in (
        "Python",
        "_compiler",
        "_runtime",
        "Ascend C headers",
        "chips",
        "kernel cache",
        "host compiler",
        "CPU",
    ):
        assert f"ok  {name}: " in out
    assert "\033" not in out


def test_package_lines(no_ascend: None) -> None:
    found = findings("package")
    assert found["_compiler"].state == found["_runtime"].state == "ok"
    assert "loaded in" in found["_compiler"].detail
    assert "ascend910b2" in found["chips"].detail


def test_ascend_stack_absent(no_ascend: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    found = findings("Ascend")
    assert set(found) == {"driver", "CANN toolkit", "bisheng compiler", "libascendcl", "NPU"}
    assert {finding.state for name, finding in found.items() if name != "NPU"} == {"missing"}
    assert "ASCEND_HOME_PATH, ASCEND_HOME, ASCEND_TOOLKIT_HOME" in found["CANN toolkit"].detail
    assert "install CANN" in found["CANN toolkit"].advice


@pytest.mark.parametrize("variable", doctor._TOOLKIT_VARIABLES)
def test_ascend_stack_present(no_ascend: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str) -> None:
    toolkit, driver = tmp_path / "toolkit", tmp_path / "driver"
    (toolkit / "lib64").mkdir(parents=True)
    (toolkit / "lib64/libascendcl.so").touch()
    (toolkit / "version.cfg").write_text("# comment\n[section]\nversion=[7.1:8.5.0]\n")
    executable(toolkit / "compiler/ccec_compiler/bin/bisheng", "bisheng version 9.9")
    driver.mkdir()
    (driver / "version.info").write_text("Version=25.1.0\n")
    monkeypatch.setenv(variable, str(toolkit))
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(doctor, "_DEFAULT_DRIVER", str(driver))
    found = findings("Ascend")
    assert found["driver"].detail == "version 25.1.0"
    assert found["CANN toolkit"].detail == f"8.5.0 in {toolkit} ({variable})"
    assert found["bisheng compiler"].detail.endswith("bisheng: bisheng version 9.9")
    assert found["libascendcl"].detail == str(toolkit / "lib64/libascendcl.so")


def test_toolkit_variable_that_points_nowhere(no_ascend: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCEND_HOME_PATH", "/nonexistent/cann")
    finding = findings("Ascend")["CANN toolkit"]
    assert finding.state == "warning"
    assert finding.detail == "ASCEND_HOME_PATH names /nonexistent/cann, which does not exist"


def test_other_package_of_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        importlib.metadata, "packages_distributions", lambda: {"tilelang": ["tilelang-native", "tilelang"]}
    )
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.1.13")
    finding = findings("package")["other package"]
    assert finding.state == "warning"
    assert finding.detail == "the distribution 'tilelang' (0.1.13) also installs a package named tilelang"
    assert "pip uninstall tilelang" in finding.advice


def test_broken_installation(tmp_path: Path) -> None:
    import subprocess

    import tilelang

    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(tilelang.__file__).parents[1]),
        "TILELANG_NATIVE_DIR": str(tmp_path / "nowhere"),
    }
    result = subprocess.run(
        [sys.executable, "-m", "tilelang", "doctor"], env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "XX  _compiler: " in result.stdout
    assert "Kernels cannot be compiled and run" in result.stdout
