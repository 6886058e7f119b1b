"""What README and the documentation say still holds: code runs, links lead somewhere, names exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
# Generated from TableGen, not under version control.
PAGES = [page for page in PAGES if "reference" not in page.relative_to(ROOT).parts]

NOT_RUN = "<!-- not run"
FENCE = re.compile(r"^ *```(\w*)")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def program_of(text: str) -> str:
    """The Python blocks of a page, each on the lines that it has there. A block after a line that begins with
    `<!-- not run` is left out."""
    lines: list[str] = []
    language: str | None = None
    previous = ""
    skipped = False
    for line in text.splitlines():
        fence = FENCE.match(line)
        keep = False
        if fence and language is None:
            language = fence.group(1) or "text"
            skipped = previous.startswith(NOT_RUN)
        elif fence:
            language = None
        else:
            keep = language == "python" and not skipped
        lines.append(line if keep else "")
        previous = line.strip() or previous
    assert language is None, "a code block is not closed"
    return "\n".join(lines)


def test_blocks_keep_their_lines() -> None:
    page = "x\n```python\na = 1\n```\n<!-- not run: a sketch -->\n```python\n...\n```\n"
    page += "```sh\nls\n```\n```python\nb = a\n```"
    lines = program_of(page).splitlines()
    assert [number for number, line in enumerate(lines, 1) if line] == [3, 13]


def test_readme_has_a_program() -> None:
    assert "tilelang.jit" in program_of((ROOT / "README.md").read_text())


@pytest.mark.parametrize("page", [p for p in PAGES if program_of(p.read_text()).strip()], ids=name_of)
def test_code_runs(page: Path, tmp_path: Path) -> None:
    script = tmp_path / (page.stem.replace("-", "_") + ".py")
    script.write_text(program_of(page.read_text()))
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), TILELANG_CACHE_DIR=str(tmp_path / "cache"))
    result = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, f"{name_of(page)} (line numbers are the page's):\n{result.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    missing = [
        target
        for target in targets
        if "://" not in target and not target.startswith("reference/") and not (page.parent / target).exists()
    ]
    assert not missing


def test_readme_names_every_example() -> None:
    named = set(re.findall(r"\(examples/(\w+\.py)\)", (ROOT / "README.md").read_text()))
    assert named == {path.name for path in (ROOT / "examples").glob("*.py")} - {"demo.py"}


def test_make_targets_exist() -> None:
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        target for page in PAGES for target in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE)
    }
    assert {"demo", "test"} <= named
    assert named <= known


def test_passes_exist() -> None:
    tables = "".join(path.read_text() for path in (ROOT / "include").rglob("*Passes.td"))
    known = set(re.findall(r'Pass<\s*"([a-z0-9-]+)"', tables))
    named = set(re.findall(r"`((?:tile|ascend)-[a-z-]+)`", (ROOT / "docs" / "compiler.md").read_text()))
    assert len(named) >= 10
    assert named <= known
