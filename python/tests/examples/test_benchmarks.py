"""The benchmark programs run to their end and print what they promise; at small sizes, so the figures say nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_attention(tmp_path: Path) -> None:
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), TILELANG_CACHE_DIR=str(tmp_path / "cache"))
    sizes = ["--lengths", "256", "512", "--causal", "512", "--fusion", "256", "--gemm", "256"]
    command = [sys.executable, str(ROOT / "benchmarks" / "attention.py"), *sizes]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    printed = result.stdout
    assert "attention 256: result with all checks" in printed
    for what in ("attention 512, tile ", "causal 512, tile ", "unfused 256 / fused", "GEMM + bias + GELU 256^3"):
        assert any(line.startswith(what) for line in printed.splitlines()), printed
    assert printed.count("barriers of all pipes") == 3
