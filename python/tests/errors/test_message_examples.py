"""The examples of docs/messages.md are what the programs there say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_examples_are_up_to_date() -> None:
    script = ROOT / "scripts" / "message_examples.py"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, f"run scripts/message_examples.py; {result.stdout}{result.stderr}"
