"""`make setup` installs or names exactly what is missing. Runs in a copy, with stand-ins for the system's tools."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "scripts"
SETUP = SCRIPTS / "setup.sh"
NEEDED = ("bash", "cat", "cmp", "cp", "dirname", "echo", "env", "grep", "make", "sh", "xargs")

pytestmark = pytest.mark.skipif(not SETUP.exists(), reason="not a source checkout")


@dataclass
class Machine:
    """A machine with only the programs that a test puts there."""

    root: Path

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def checkout(self) -> Path:
        return self.root / "checkout"

    def program(self, name: str, body: str) -> None:
        """A shell script that also notes its calls."""
        path = self.root / name if "/" in name else self.bin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "{path.name} $*" >> "{self.root}/calls"\n{body}\n')
        path.chmod(0o755)

    def calls(self, of: str) -> list[str]:
        notes = self.root / "calls"
        lines = notes.read_text().splitlines() if notes.exists() else []
        return [line.removeprefix(of + " ") for line in lines if line.startswith(of + " ")]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(self.bin), "HOME": str(self.root), "PYTHON": sys.executable}
        return subprocess.run(
            command or ("bash", "scripts/setup.sh"),
            cwd=self.checkout,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def has_python_packages(self) -> None:
        (self.checkout / ".venv").mkdir()
        shutil.copy(self.checkout / "requirements-dev.txt", self.checkout / ".venv" / ".requirements")

    def is_debian(self, *, root: bool, missing: tuple[str, ...]) -> None:
        names = "|".join(missing) or "none"
        self.program("dpkg-query", f'case "$3" in {names}) exit 1;; *) printf installed;; esac')
        self.program("id", f"echo {0 if root else 1000}")
        self.program("apt-get", "exit 0")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.bin.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found, name
        (machine.bin / name).symlink_to(found)
    (machine.checkout / "scripts").mkdir(parents=True)
    for name in ("Makefile", "requirements-dev.txt", "scripts/setup.sh", "scripts/debian-packages.txt"):
        shutil.copy(ROOT / name, machine.checkout / name)
    return machine


def test_nothing_missing_does_nothing(machine: Machine) -> None:
    machine.is_debian(root=False, missing=())
    machine.has_python_packages()
    result = machine.run()
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert machine.calls("apt-get") == []


def test_without_root_says_what_is_missing(machine: Machine) -> None:
    machine.is_debian(root=False, missing=("clang-22", "python3-venv"))
    result = machine.run()
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "setup: these Debian packages are missing, and only root may install them:",
        "  apt-get install clang-22 python3-venv",
    ]
    assert machine.calls("apt-get") == []
    assert not (machine.checkout / ".venv").exists()


def test_make_stops_there(machine: Machine) -> None:
    machine.is_debian(root=False, missing=("libmlir-22-dev",))
    result = machine.run("make", "demo")
    assert result.returncode != 0
    assert "apt-get install libmlir-22-dev\n" in result.stderr
    assert result.stdout == ""
    assert not (machine.checkout / "build").exists()


def test_root_installs_only_what_is_missing(machine: Machine) -> None:
    machine.is_debian(root=True, missing=("lld-22", "ccache"))
    machine.has_python_packages()
    result = machine.run()
    assert result.returncode == 0, result.stderr
    assert result.stdout == "setup: installing ccache lld-22\n"
    assert machine.calls("apt-get") == ["update -qq", "install -y -qq --no-install-recommends ccache lld-22"]


def test_failed_installation_is_explained(machine: Machine) -> None:
    machine.is_debian(root=True, missing=("llvm-22",))
    machine.program("apt-get", '[ "$1" = update ]')
    result = machine.run()
    assert result.returncode == 1
    assert "setup: apt-get could not install: llvm-22" in result.stderr
    assert "security archive of Debian 12" in result.stderr


def test_another_distribution_lists_programs(machine: Machine) -> None:
    result = machine.run()
    assert result.returncode == 1
    lines = result.stderr.splitlines()
    assert lines[0] == "setup: this is not a Debian system, so these have to be installed by hand:"
    assert "  program clang++-22" in lines
    assert "  program ld.lld-22" in lines
    assert "scripts/debian-packages.txt" in lines[-1]


def test_another_distribution_lists_headers(machine: Machine) -> None:
    for name in ("clang-22", "clang++-22", "clang-format-22", "clang-tidy-22", "ld.lld-22"):
        machine.program(name, "grep -q -v gtest")
    result = machine.run()
    assert result.returncode == 1
    assert "  header <gtest/gtest.h>\n" in result.stderr
    assert "boost" not in result.stderr
    assert "program" not in result.stderr


def test_python_too_old(machine: Machine) -> None:
    machine.program("python3.8", 'case "$1" in --version) echo "Python 3.8.1";; *) exit 1;; esac')
    result = machine.run("env", f"PYTHON={machine.bin}/python3.8", "bash", "scripts/setup.sh")
    assert result.returncode == 1
    assert f"'{machine.bin}/python3.8' is Python 3.8.1." in result.stderr
    result = machine.run("env", "PYTHON=no-such-python", "bash", "scripts/setup.sh")
    assert result.returncode == 1
    assert "'no-such-python' is missing." in result.stderr


def test_python_packages_are_installed_once(machine: Machine) -> None:
    machine.is_debian(root=False, missing=())
    machine.program("checkout/.venv/bin/python", "exit 0")
    assert machine.run().returncode == 0
    installations = [call for call in machine.calls("python") if call.startswith("-m pip install")]
    assert len(installations) == 2
    assert "--no-deps" in installations[0]
    assert "torch==" in installations[0]
    assert installations[1].endswith("-r requirements-dev.txt")
    assert machine.run().stdout == ""
    assert len(machine.calls("python")) == 3


def test_interrupted_installation_is_repeated(machine: Machine) -> None:
    machine.is_debian(root=False, missing=())
    machine.program("checkout/.venv/bin/python", 'case "$*" in *requirements*) exit 1;; esac')
    assert machine.run().returncode != 0
    machine.program("checkout/.venv/bin/python", "exit 0")
    result = machine.run()
    assert result.returncode == 0
    assert "installing Python packages" in result.stdout


def test_package_list_is_sorted() -> None:
    names = (SCRIPTS / "debian-packages.txt").read_text().split()
    assert names == sorted(set(names))
