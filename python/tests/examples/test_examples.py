"""The examples do what a user runs them for. Each one runs once as a user does it, as a script in a folder of its own;
further sizes run in this process, which saves the start of Python. More sizes: test_lengths.py."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py"))

# Sizes that divide nothing, and the smallest ones.
SIZES = {
    "attention": [
        ["--queries", "70", "--keys", "130", "--kv-heads", "2", "--dim", "64", "--kind", "causal"],
        ["--queries", "130", "--keys", "70", "--heads", "1", "--dim", "64", "--kind", "causal"],
        ["--queries", "200", "--heads", "1", "--dim", "64", "--kind", "window", "--window", "50"],
        ["--queries", "33", "--keys", "99", "--heads", "2", "--dim", "64", "--kind", "causal", "--any-length"],
        ["--queries", "70", "--heads", "2", "--kind", "mask", "--dtype", "bfloat16"],
        ["--queries", "100", "--heads", "1", "--dim", "192", "--value-dim", "128", "--dtype", "bfloat16"],
        ["--queries", "1", "--heads", "1", "--keys", "1"],
    ],
    "attention_custom_mask": [
        ["--mask", "prefix", "--score", "slope"],
        ["--mask", "sink", "--score", "near", "--sequence", "130", "--heads", "1"],
        ["--mask", "documents", "--sequence", "100"],
        ["--mask", "dilated", "--sequence", "70"],
        ["--sequence", "1", "--heads", "1"],
    ],
    "batched_gemm": [
        ["--batch", "3", "--m", "17", "--n", "70", "--k", "36"],
        ["--batch", "1", "--m", "1", "--n", "1", "--k", "1"],
    ],
    "cross_entropy": [
        ["--m", "13", "--n", "1000"],
        ["--m", "1", "--n", "17", "--dtype", "float32"],
        ["--m", "1", "--n", "1"],
    ],
    "flash_attention": [
        ["--sequence", "100", "--causal"],
        ["--heads", "1", "--sequence", "130", "--dim", "128"],
        ["--heads", "1", "--sequence", "1", "--dim", "16"],
    ],
    "gemm": [["--m", "130", "--n", "70", "--k", "36"], ["--m", "1", "--n", "1", "--k", "1"]],
    "gemm_bias_relu": [["--m", "200", "--n", "136", "--k", "72"], ["--m", "1", "--n", "1", "--k", "1"]],
    "gemm_gelu": [
        ["--m", "130", "--n", "70", "--k", "36", "--residual"],
        ["--m", "17", "--n", "17", "--k", "17", "--dtype", "bfloat16"],
        ["--m", "1", "--n", "1", "--k", "1"],
    ],
    "layer_norm": [
        ["--m", "13", "--n", "1000"],
        ["--m", "17", "--n", "17", "--dtype", "bfloat16"],
        ["--m", "1", "--n", "1"],
    ],
    "mla_decode": [
        ["--batch", "1", "--heads", "70", "--keys", "130"],
        ["--batch", "1", "--heads", "1", "--keys", "1"],
        ["--latent", "256", "--rope", "32", "--heads", "20", "--keys", "65", "--dtype", "bfloat16"],
    ],
    "online_softmax": [
        ["--m", "13", "--n", "1000"],
        ["--m", "17", "--n", "1025", "--dtype", "bfloat16"],
        ["--m", "1", "--n", "1", "--dtype", "float32"],
    ],
    "paged_decode": [
        ["--lengths", "1", "64", "0", "130", "--dim", "64"],
        ["--lengths", "9", "40", "--heads", "12", "--kv-heads", "3", "--page", "16", "--dtype", "bfloat16"],
        ["--lengths", "1", "--heads", "1", "--kv-heads", "1"],
    ],
    "rms_norm": [
        ["--m", "13", "--n", "1000"],
        ["--m", "17", "--n", "300", "--residual", "--dtype", "bfloat16"],
        ["--m", "1", "--n", "1", "--residual"],
    ],
    "rope": [
        ["--sequence", "37", "--heads", "3", "--dim", "64"],
        ["--sequence", "17", "--heads", "1", "--dim", "34", "--dtype", "bfloat16"],
        ["--sequence", "1", "--heads", "1", "--dim", "2"],
    ],
    "softmax": [
        ["--m", "13", "--n", "300"],
        ["--m", "17", "--n", "1000", "--dtype", "bfloat16"],
        ["--m", "1", "--n", "1"],
    ],
    "split_k_gemm": [
        ["--m", "130", "--n", "70", "--k", "1000", "--split", "3"],
        ["--m", "17", "--n", "17", "--k", "100", "--dtype", "bfloat16"],
        ["--m", "1", "--n", "1", "--k", "1"],
    ],
    "swiglu": [
        ["--m", "13", "--n", "1000"],
        ["--m", "17", "--n", "17", "--dtype", "bfloat16"],
        ["--m", "1", "--n", "1"],
    ],
    "unfused_attention": [
        ["--heads", "1", "--queries", "70", "--keys", "600", "--dim", "64"],
        ["--heads", "1", "--queries", "1", "--keys", "1", "--dim", "16"],
    ],
    "vector_add": [["--n", "3001"], ["--n", "1"]],
}


def run(script: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), TILELANG_CACHE_DIR=str(folder / "cache"))
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def example(name: str) -> Path:
    return ROOT / "examples" / f"{name}.py"


def test_every_example_has_sizes_here() -> None:
    assert {path.stem for path in EXAMPLES} == {*SIZES, "demo"}


def run_here(script: Path, *arguments: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    runpy.run_path(str(script), run_name="__main__")


@pytest.mark.parametrize("name", SIZES)
def test_help(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        run_here(example(name), "--help", monkeypatch=monkeypatch, folder=tmp_path)
    assert end.value.code == 0
    text = capsys.readouterr().out
    for option in ("--target", "--profile"):
        assert option in text


@pytest.mark.parametrize(
    ("name", "sizes"), [(name, sizes) for name, lists in SIZES.items() for sizes in lists], ids=lambda v: str(v)
)
def test_result_is_checked(
    name: str,
    sizes: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_here(example(name), *sizes, monkeypatch=monkeypatch, folder=tmp_path)
    assert capsys.readouterr().out.rstrip().endswith("equal to NumPy")


@pytest.mark.parametrize("name", SIZES)
def test_profile_on_another_chip(name: str, tmp_path: Path) -> None:
    result = run(example(name), *SIZES[name][0], "--target", "ascend910b4", "--profile", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    profile = result.stdout.split("equal to NumPy", 1)[1]
    assert "ascend910b4" in profile
    assert "modelled time" in profile


def test_unknown_target(tmp_path: Path) -> None:
    result = run(example("gemm"), "--target", "ascend911", folder=tmp_path)
    assert result.returncode != 0
    assert "ascend911" in result.stderr
    assert "ascend910b2" in result.stderr


def test_demo(tmp_path: Path) -> None:
    result = run(example("demo"), folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("equal to NumPy") == 5
    assert "Mmad(" in result.stdout
    assert "L0C" in result.stdout.split("a program with a mistake", 1)[1]
    timeline = json.loads((tmp_path / "timeline.json").read_text())
    assert len(timeline["traceEvents"]) > 100
