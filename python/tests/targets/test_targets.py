"""Targets by name."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilelang
from tilelang.errors import UnsupportedError
from tilelang.target import Target, determine_target, list_targets

CHIPS = ["ascend910_93", "ascend910b1", "ascend910b2", "ascend910b3", "ascend910b4"]


def test_list() -> None:
    assert list_targets() == ["auto", "ascend", "ascend910b", *CHIPS]


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("ascend", Target("ascend", "ascend910b2")),
        ("ascend910b", Target("ascend", "ascend910b2")),
        ("ascend910b4", Target("ascend", "ascend910b4")),
        ("ascend910_93", Target("ascend", "ascend910_93")),
        ("auto", Target("ascend", "ascend910b2")),
        (None, Target("ascend", "ascend910b2")),
    ],
)
def test_names(name: str | None, target: Target) -> None:
    assert determine_target(name) == target
    assert determine_target(target) is target


def test_default_target_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_DEFAULT_TARGET", "ascend910b4")
    assert determine_target("auto").chip == "ascend910b4"
    assert determine_target("ascend").chip == "ascend910b2", "a name that was given is not overridden"


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="unknown target 'ascent'") as caught:
        determine_target("ascent")
    assert "known targets: auto, ascend, ascend910b, ascend910_93" in str(caught.value)
    with pytest.raises(UnsupportedError, match="target 'cuda' is not available in this version"):
        determine_target("cuda")
    with pytest.raises(UnsupportedError, match="target options '-mcpu=x'"):
        determine_target("ascend -mcpu=x")
    with pytest.raises(TypeError, match="target is 3, expected a name"):
        determine_target(3)
    with pytest.raises(ValueError, match="unknown target ''"):
        determine_target("")


@pytest.mark.parametrize("target", ["auto", *CHIPS])
def test_every_target_compiles_and_runs(add_program: Callable[..., Any], target: str) -> None:
    kernel = tilelang.compile(add_program(512), out_idx=-1, target=target)
    a = np.arange(512, dtype=np.float32)
    np.testing.assert_array_equal(kernel(a, a), 2 * a)
    assert kernel.artifact.chip == determine_target(target).chip
    assert f"simulator of {determine_target(target).chip}" in repr(kernel)


def test_auto_is_silent_in_a_pipe_and_says_its_choice_once_in_the_log() -> None:
    code = (
        "import logging, tilelang\n"
        "logging.basicConfig(level='INFO')\n"
        "from tilelang.target import determine_target\n"
        "determine_target(); determine_target('auto')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(tilelang.__file__).parents[1])}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert result.stdout == ""
    assert result.stderr.count("target 'auto' takes 'ascend', run on the simulator") == 1
    assert result.stderr.startswith("INFO:tilelang:")
